/* test_flood_flits.c - the flood protocol with messages of three flits. */
#include "flood.h"
#include "ripstop/plugin/method.h"

FLOOD_PROTO(sizeof(flood_message), 3, flood_candidates);
const ripstop_method ripstop_method_test_flood_flits = FLOOD_METHOD("test-flood-flits");
