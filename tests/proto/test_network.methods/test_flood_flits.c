/* test_flood_flits.c - the same with messages of three flits, which wait for their link. */
#include "unit/test_simulate_control.methods/flood.h"

FLOOD_PROTO(sizeof(flood_message), 3);
const rs_method rs_method_test_flood_flits = FLOOD_METHOD("test-flood-flits");
