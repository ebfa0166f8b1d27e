/* test_gossip_settled.c - switches that know from the start what is dead, interfaces that ask the plan. */
#include "gossip.h"
#include "ripstop/plugin/method.h"

GOSSIP_PROTO(true, false);
const ripstop_method ripstop_method_test_gossip_settled = GOSSIP_METHOD("test-gossip-settled");
