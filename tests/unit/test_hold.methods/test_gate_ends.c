/* test_gate_ends.c - the gates hold what waits in the network interfaces too. */
#include "gate.h"
#include "ripstop/plugin/method.h"

GATE_PROTO(true);
const ripstop_method ripstop_method_test_gate_ends = GATE_METHOD("test-gate-ends");
