/* test_gossip_settled_ends.c - switches that know from the start what is dead, interfaces that ask them. */
#include "gossip.h"
#include "ripstop/plugin/method.h"

GOSSIP_PROTO(true, true);
const ripstop_method ripstop_method_test_gossip_settled_ends = GOSSIP_METHOD("test-gossip-settled-ends");
