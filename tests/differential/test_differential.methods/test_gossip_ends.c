/* test_gossip_ends.c - switches that start with nothing, interfaces that query them. */
#include "gossip.h"
#include "ripstop/plugin/method.h"

GOSSIP_PROTO(false, true);
const ripstop_method ripstop_method_test_gossip_ends = GOSSIP_METHOD("test-gossip-ends");
