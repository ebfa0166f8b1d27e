/* test_flood_long.c - the flood protocol with messages that are too long for a link. */
#include "flood.h"
#include "ripstop/plugin/method.h"

FLOOD_PROTO(sizeof(flood_message), 1024, flood_candidates);
const ripstop_method ripstop_method_test_flood_long = FLOOD_METHOD("test-flood-long");
