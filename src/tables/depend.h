/* depend.h - the channel dependency graph of forwarding tables (Dally and Seitz, 1987): which lanes of which links a
 * packet can hold while it waits for which others. Tables without a cycle in it cannot deadlock.
 *
 * A vertex is a lane of a channel between switches, at port * lanes + lane, the port being the one that sends into the
 * channel. The edges from it are bits: one for each lane of each port of the switch that the channel leads to. */
#ifndef TABLES_DEPEND_H
#define TABLES_DEPEND_H

#include "ripstop/faults.h"
#include "ripstop/forwarding.h"

/* An end node whose link is up: the switch that it hangs from, and its port there. */
typedef struct depend_source {
  uint32_t end, node, in;
} depend_source;

typedef struct depend {
  const ripstop_view *view;
  const ripstop_fabric *fabric;
  uint32_t lanes, words; /* words: 64 edges each, of a vertex */
  uint64_t *edge;        /* [ports * lanes * words] */
  uint32_t *seen;        /* [ports * lanes]: the last walk that came by */
  uint32_t walk;
  uint32_t *stack;       /* [ports * lanes] */
  depend_source *source; /* [sources] */
  uint32_t sources;
} depend;

/* Memory of a graph is `arena`'s. */
void depend_open(depend *d, ripstop_arena *arena, const ripstop_view *view, uint32_t lanes);
/* How many lanes such tables use while levels are those of `levels`: for depend_open, and, where tables have no lanes
 * of their own, for ripstop_forwarding.lanes too. */
uint32_t depend_lanes(const ripstop_forwarding *tables, const ripstop_forwarding *levels);
/* The most that either of two tables uses while levels are those of either. */
uint32_t depend_lanes_of_both(const ripstop_forwarding *x, const ripstop_forwarding *y);
/* Adds what packets for the first `addresses` addresses may hold and wait for, when every switch may use any of the
 * `tables`, and every source sends on the level that any of `levels` tells it. All are tables of one fabric with the
 * same addresses. */
void depend_add(depend *d, const ripstop_forwarding *const *tables, uint32_t table_count,
                const ripstop_forwarding *const *levels, uint32_t level_count, uint32_t addresses);

/* How many different lanes packets take of what has been added; 1 where none crosses a channel. */
uint32_t depend_lanes_used(const depend *d);
/* A bit for each level that some source has for some address. */
uint32_t depend_levels(const ripstop_forwarding *levels);

typedef struct depend_cycles {
  uint32_t vertices;     /* in strongly connected components of more than one vertex */
  uint32_t length;       /* of a shortest cycle through a vertex of the smallest such component; 0: there is none */
  const uint32_t *cycle; /* [length]: vertices in the order in which they wait */
} depend_cycles;
/* Looks only at channels that are alive in the view at the time. */
void depend_search(const depend *d, ripstop_arena *arena, depend_cycles *out);

#endif
