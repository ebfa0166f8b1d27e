/* test_gate.c - this method stalls packets in switches alone. */
#include "gate.h"
#include "ripstop/plugin/method.h"

GATE_PROTO(false);
const ripstop_method ripstop_method_test_gate = GATE_METHOD("test-gate");
