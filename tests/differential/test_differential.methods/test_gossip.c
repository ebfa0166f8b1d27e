/* test_gossip.c - switches that start with nothing, interfaces that query the plan. */
#include "gossip.h"
#include "ripstop/plugin/method.h"

GOSSIP_PROTO(false, false);
const ripstop_method ripstop_method_test_gossip = GOSSIP_METHOD("test-gossip");
