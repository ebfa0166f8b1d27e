/* test_flood_flits.c - the flood protocol with messages of three flits. */
#include "flood.h"

FLOOD_PROTO(sizeof(flood_message), 3);
const rs_method rs_method_test_flood_flits = FLOOD_METHOD("test-flood-flits");
