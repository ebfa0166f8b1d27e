/* depend.h - the channel dependency graph of forwarding tables (Dally and Seitz, 1987): an edge leads from each VL of
 * a link that a packet can hold to each that it then waits for. Tables whose graph has no cycle cannot deadlock.
 *
 * A vertex is a VL of a channel between switches, at `port * lanes + lane`, where the port is the one that sends into
 * the channel. The edges from it are bits: one for each VL of each port of the switch that the channel leads to. */
#ifndef TABLES_DEPEND_H
#define TABLES_DEPEND_H

#include "ripstop/faults.h"
#include "ripstop/forwarding.h"

/* An end node whose link is up: its switch, and the port there. */
typedef struct depend_source {
  uint32_t end, node, in;
} depend_source;

typedef struct depend {
  const ripstop_view *view;
  const ripstop_fabric *fabric;
  uint32_t lanes, words; /* words: 64 edges each, per vertex */
  uint64_t *edge;        /* [ports * lanes * words] */
  uint32_t *seen;        /* [ports * lanes]: the last walk that visited it */
  uint32_t walk;
  uint32_t *stack;       /* [ports * lanes] */
  depend_source *source; /* [sources] */
  uint32_t sources;
} depend;

/* The memory of the graph is `arena`'s. */
void depend_open(depend *d, ripstop_arena *arena, const ripstop_view *view, uint32_t lanes);
/* The number of VLs that such tables use with the service levels of `levels`: for depend_open, and, if tables have no
 * VLs of their own, for ripstop_forwarding.lanes. */
uint32_t depend_lanes(const ripstop_forwarding *tables, const ripstop_forwarding *levels);
/* The most VLs that either of two tables uses with the service levels of either. */
uint32_t depend_lanes_of_both(const ripstop_forwarding *x, const ripstop_forwarding *y);
/* Adds the dependencies of packets for the first `addresses` addresses, if every switch may use any of the `tables`,
 * and every source sends on the service level of any of `levels`. All are tables of one fabric with the same
 * addresses. */
void depend_add(depend *d, const ripstop_forwarding *const *tables, uint32_t table_count,
                const ripstop_forwarding *const *levels, uint32_t level_count, uint32_t addresses);

/* The number of different VLs that the added packets use; 1 if none crosses a channel. */
uint32_t depend_lanes_used(const depend *d);
/* A bit for each service level that some source has for some address. */
uint32_t depend_levels(const ripstop_forwarding *levels);

typedef struct depend_cycles {
  uint32_t vertices;     /* in strongly connected components of more than one vertex */
  uint32_t length;       /* length of a shortest cycle through the smallest such component; 0: none */
  const uint32_t *cycle; /* [length]: vertices in the order in which they wait */
} depend_cycles;
/* Considers only channels that are alive in the view at the time of the call. */
void depend_search(const depend *d, ripstop_arena *arena, depend_cycles *out);

#endif
