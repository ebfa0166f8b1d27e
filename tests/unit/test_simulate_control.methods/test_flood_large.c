/* test_flood_large.c - the flood protocol with messages of more bytes than the engine takes. */
#include "flood.h"
#include "ripstop/plugin/method.h"

FLOOD_PROTO(257, 0, flood_candidates);
const ripstop_method ripstop_method_test_flood_large = FLOOD_METHOD("test-flood-large");
