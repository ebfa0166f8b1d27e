/* test_flood_mixed.c - the same with messages of all lengths: beats hold their link, some updates pass them. */
#include "ripstop/plugin/method.h"
#include "unit/test_simulate_control.methods/flood.h"

FLOOD_PROTO(sizeof(flood_message), m->link == RIPSTOP_NONE ? 5 : m->link % 3, flood_candidates);
const ripstop_method ripstop_method_test_flood_mixed = FLOOD_METHOD("test-flood-mixed");
