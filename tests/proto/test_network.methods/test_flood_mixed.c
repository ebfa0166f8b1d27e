/* test_flood_mixed.c - the same with messages of all lengths: beats hold their link, some news pass them. */
#include "unit/test_simulate_control.methods/flood.h"

FLOOD_PROTO(sizeof(flood_message), m->link == RS_NONE ? 5 : m->link % 3);
const rs_method rs_method_test_flood_mixed = FLOOD_METHOD("test-flood-mixed");
