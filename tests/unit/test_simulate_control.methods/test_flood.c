/* test_flood.c - the flood protocol with messages that the data flow does not feel. */
#include "flood.h"
#include "ripstop/plugin/method.h"

FLOOD_PROTO(sizeof(flood_message), 0, flood_candidates);
const ripstop_method ripstop_method_test_flood = FLOOD_METHOD("test-flood");
