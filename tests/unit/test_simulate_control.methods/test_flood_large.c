/* test_flood_large.c - the flood protocol with messages of more bytes than the engine takes. */
#include "flood.h"

FLOOD_PROTO(257, 0);
const rs_method rs_method_test_flood_large = FLOOD_METHOD("test-flood-large");
