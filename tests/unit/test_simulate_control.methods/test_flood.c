/* test_flood.c - the flood protocol with messages that the data flow does not feel. */
#include "flood.h"

FLOOD_PROTO(sizeof(flood_message), 0);
const rs_method rs_method_test_flood = FLOOD_METHOD("test-flood");
