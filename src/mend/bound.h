/* bound.h - how few paths the busiest channel can have, whatever the tables are; net->addresses to each end node. */
#ifndef MEND_BOUND_H
#define MEND_BOUND_H

#include "mend/net.h"

/* The best of some cuts: what the channels of each switch must carry, and those of what is left joined without the
 * switches that are far from end nodes: the parts of a tree. */
uint64_t mend_bound_cuts(const mend_net *net, ripstop_arena *scratch);
/* The best of simple bounds: cuts, and all channels of a part together. */
uint64_t mend_bound_simple(const mend_net *net, ripstop_arena *scratch);
/* A little more: who has it needs no better. */
uint64_t mend_bound_enough(const mend_net *net, ripstop_arena *scratch);

#endif
