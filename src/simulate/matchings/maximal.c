/* maximal.c - rounds until no free input can be matched with a free output that it requests. Each output's arbiter
 * picks among the requests. The event loop and crossbar.c do this by themselves. */
#include "ripstop/plugin/matching.h"

#include "base/no_heap.h"

static const ripstop_option options[] = {{0}};
const ripstop_matching ripstop_matching_maximal = {.abi = RIPSTOP_MATCHING_ABI,
                                                   .name = "maximal",
                                                   .summary = "rounds until nothing is added; arbiters decide",
                                                   .options = options};
