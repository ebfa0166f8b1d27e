/* test_gossip_settled_ends.c - switches that know all failed parts from the start, interfaces that query them. */
#include "gossip.h"
#include "ripstop/plugin/method.h"

GOSSIP_PROTO(true, true);
const ripstop_method ripstop_method_test_gossip_settled_ends = GOSSIP_METHOD("test-gossip-settled-ends");
