/* test_gate_ends.c - this method stalls packets in network interfaces too. */
#include "gate.h"
#include "ripstop/plugin/method.h"

GATE_PROTO(true);
const ripstop_method ripstop_method_test_gate_ends = GATE_METHOD("test-gate-ends");
