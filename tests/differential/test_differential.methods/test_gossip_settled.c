/* test_gossip_settled.c - switches that know all failed parts from the start, interfaces that query the plan. */
#include "gossip.h"
#include "ripstop/plugin/method.h"

GOSSIP_PROTO(true, false);
const ripstop_method ripstop_method_test_gossip_settled = GOSSIP_METHOD("test-gossip-settled");
