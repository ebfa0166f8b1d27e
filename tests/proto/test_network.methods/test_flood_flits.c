/* test_flood_flits.c - the same with messages of three flits, which wait for their link. */
#include "ripstop/plugin/method.h"
#include "unit/test_simulate_control.methods/flood.h"

FLOOD_PROTO(sizeof(flood_message), 3, flood_candidates);
const ripstop_method ripstop_method_test_flood_flits = FLOOD_METHOD("test-flood-flits");
