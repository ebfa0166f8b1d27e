/* leaf_flow.h - whether the hosts of any two leaves can still send to each other at their full rate, or as far as they
 * can now, without some cables: the condition "flow" of ripstop/kit/safe_set.h.
 *
 * The demand of two leaves a and b is min(n(a), n(b), the maximum flow between them now), where all cables between
 * switches carry their rate in both directions. It is kept if the maximum flow without the cables is at least as large.
 * Capacities of single leaves do not show this where leaves are wired to leaves: two halves of a torus may be joined by
 * few cables while each switch has many.
 *
 * A tree of leaves with n - 1 edges has all demands: that of two leaves is the least on the path between them. So the
 * edges alone are checked. */
#ifndef TABLES_LEAF_FLOW_H
#define TABLES_LEAF_FLOW_H

#include "ripstop/kit/safe_set.h"

typedef struct leaf_flow leaf_flow;

/* NULL: no live cable joins two leaves, so the condition does not apply. Memory from the arena. */
leaf_flow *leaf_flow_new(ripstop_arena *arena, const ripstop_capacity *capacity);
/* Takes a cable out, or puts it back. */
void leaf_flow_set(leaf_flow *flow, uint32_t link, bool up);
/* True if all demands are kept. `link` was taken out last, and all demands were kept before that. Else `gap` has the
 * two leaves with the largest demand that is not kept. */
bool leaf_flow_keeps(leaf_flow *flow, uint32_t link, ripstop_flow_gap *gap);

#endif
