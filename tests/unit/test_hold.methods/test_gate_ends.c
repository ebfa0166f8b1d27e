/* test_gate_ends.c - the gates hold what waits in the network interfaces too. */
#include "gate.h"

GATE_PROTO(true);
const rs_method rs_method_test_gate_ends = GATE_METHOD("test-gate-ends");
