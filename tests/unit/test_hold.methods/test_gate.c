/* test_gate.c - the gates hold what is in the switches. */
#include "gate.h"
#include "ripstop/plugin/method.h"

GATE_PROTO(false);
const ripstop_method ripstop_method_test_gate = GATE_METHOD("test-gate");
