/* test_gate.c - the gates hold what is in the switches. */
#include "gate.h"

GATE_PROTO(false);
const rs_method rs_method_test_gate = GATE_METHOD("test-gate");
