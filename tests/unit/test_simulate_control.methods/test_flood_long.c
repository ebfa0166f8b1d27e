/* test_flood_long.c - the flood protocol with messages that are too long for a link. */
#include "flood.h"

FLOOD_PROTO(sizeof(flood_message), 1024);
const rs_method rs_method_test_flood_long = FLOOD_METHOD("test-flood-long");
