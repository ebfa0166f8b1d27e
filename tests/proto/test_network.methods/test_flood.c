/* test_flood.c - the protocol of tests/unit/test_simulate_control, with messages that the data flow does not feel. */
#include "ripstop/plugin/method.h"
#include "unit/test_simulate_control.methods/flood.h"

FLOOD_PROTO(sizeof(flood_message), 0, flood_candidates);
const ripstop_method ripstop_method_test_flood = FLOOD_METHOD("test-flood");
