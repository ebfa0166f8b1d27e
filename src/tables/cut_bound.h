/* cut_bound.h - lower bounds on the number of paths on the busiest channel, whatever the tables are. Each end node has
 * net->addresses addresses. */
#ifndef TABLES_CUT_BOUND_H
#define TABLES_CUT_BOUND_H

#include "tables/switch_graph.h"

/* The best bound from two kinds of cuts: the channels of each switch, and the components that remain without the
 * switches that are far from end nodes (the pods of a tree). */
uint64_t cut_bound(const switch_graph *net, ripstop_arena *scratch);
/* The best of the simple bounds: cuts, and all channels of a component together. */
uint64_t cut_bound_simple(const switch_graph *net, ripstop_arena *scratch);
/* The bound plus a small margin: tables that reach it need no improvement. */
uint64_t cut_bound_enough(const switch_graph *net, ripstop_arena *scratch);

#endif
