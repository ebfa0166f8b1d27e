/* depend.h - the channel dependency graph of forwarding tables (Dally and Seitz, 1987): an edge leads from each VL of
 * a channel that a packet can hold to each that it then waits for. Tables whose graph has no cycle cannot deadlock.
 *
 * It follows small changes, too (DEPEND_LOGGED): the dependencies of a few sources can be added alone, additions are
 * logged and can be undone, and the query for a cycle looks only at edges that can have closed one.
 *
 * A vertex is a VL of a channel, at `channel * lanes + lane`. */
#ifndef TABLES_DEPEND_H
#define TABLES_DEPEND_H

#include "tables/switch_graph.h"

typedef struct depend_edge {
  uint32_t from, to; /* vertices */
  uint32_t added;    /* weight, modulo 2^32 */
} depend_edge;

/* The edges of a vertex: to `width` vertices from `first` on. */
typedef struct depend_row {
  size_t word, slot; /* indices into depend.edge and depend.count */
  uint32_t first, width;
  uint32_t s; /* the switch that the channel leads to, by its local port `in` */
  uint16_t in;
} depend_row;

/* A switch on the paths of packets for an address. */
typedef struct depend_stop {
  uint32_t channel; /* the next channel; RIPSTOP_NONE: none */
  uint32_t paths;   /* modulo 2^32 */
  uint32_t into;    /* stops that lead here and are not done */
  uint32_t walk;    /* walk in which it was found */
} depend_stop;

typedef enum depend_kind {
  DEPEND_WHOLE,  /* edges are added, then searched */
  DEPEND_LOGGED, /* additions are logged */
  DEPEND_COUNTED /* likewise, and an edge is in the graph while its count is not 0 */
} depend_kind;

typedef struct depend {
  const switch_graph *net; /* by port */
  uint32_t lanes, vertices;
  depend_kind kind;
  bool by_input;    /* VLs depend on the input port */
  uint32_t states;  /* states of a packet in a vertex: RIPSTOP_LEVELS if its service level can change, else 1 */
  uint16_t drops;   /* a bit for each VL in which no packet waits: it is no end of an edge */
  depend_row *row;  /* [vertices] */
  uint64_t *edge;   /* a bit for each edge; each row begins a word */
  uint32_t *count;  /* [edges]: how often each was added; NULL: not counted */
  depend_edge *log; /* additions since the last depend_settle */
  uint32_t logged, log_room;
  uint32_t *rank; /* [vertices]: each edge leads to a higher one, if `sorted` */
  bool sorted;
  uint32_t *witness; /* [witnesses]: the last cycle that was found; it may be gone */
  uint32_t witnesses;
  /* Scratch. */
  uint32_t *seen, walk;      /* [vertices * states]: the last walk that visited it */
  uint32_t *stack;           /* [vertices * states] */
  uint32_t *sent;            /* [ends]: a bit for each service level on which it sends to the present address */
  uint32_t *colour, colours; /* [vertices] */
  uint32_t *path, *at;       /* [vertices] */
  depend_stop *stop;         /* [switches] */
  uint32_t *order, stops;    /* [switches]: those of the present paths */
  uint32_t *ready;           /* [switches] */
} depend;

/* The number of VLs that such tables use with the service levels of `levels`: for depend_open, and, if tables have no
 * VLs of their own, for ripstop_forwarding.lanes. */
uint32_t depend_lanes(const ripstop_forwarding *tables, const ripstop_forwarding *levels);
/* The most VLs that either of two tables uses with the service levels of either. */
uint32_t depend_lanes_of_both(const ripstop_forwarding *x, const ripstop_forwarding *y);
/* A bit for each service level that some source has for some address, or some multicast group. */
uint32_t depend_levels(const ripstop_forwarding *levels);

/* Packets from live end nodes for an address, if every switch may use any of the `tables`, and every source sends on
 * the service level of any of `levels`. All are tables of one fabric with the same addresses. */
typedef struct depend_mix {
  const ripstop_view *view;
  const ripstop_forwarding *const *tables;
  uint32_t table_count;
  const ripstop_forwarding *const *levels;
  uint32_t level_count, address;
} depend_mix;
/* A graph for packets of such tables. Its memory is `arena`'s, but for the log, which depend_free frees. */
void depend_open(depend *g, ripstop_arena *arena, const switch_graph *net, const depend_mix *m, uint32_t lanes,
                 depend_kind kind);
void depend_free(depend *g);
/* Adds edges of all packets from some switches. An edge counts 1, however many packets cause it. */
void depend_add(depend *g, const depend_mix *m, const uint32_t *switches, uint32_t count);
/* A graph of all packets for the first `addresses` addresses. */
void depend_make(depend *g, ripstop_arena *arena, const depend_mix *m, uint32_t lanes, uint32_t addresses);
/* Adds edges of the copies of multicast packets, if every switch may use the masks of any of the tables: from each
 * channel by which copies come to a switch to every other channel of its mask. `mlid`: of this group alone; 0: of all.
 */
void depend_add_groups(depend *g, const depend_mix *m, uint32_t mlid);
/* Subtracts all that depend_add_groups has added under the same view, for DEPEND_COUNTED. */
void depend_take_groups(depend *g, const depend_mix *m);
/* A group of a table; NULL: the table does not have it. */
const ripstop_group *depend_group(const ripstop_forwarding *tables, uint32_t mlid);
/* True if the copies of a group's packets make the edge. */
bool depend_group_makes(const depend *g, const depend_mix *m, uint32_t mlid, uint32_t from, uint32_t to);
/* The number of different VLs that the added packets use; 1 if none crosses a channel. */
uint32_t depend_lanes_used(const depend *g);

typedef struct depend_cycles {
  uint32_t vertices;     /* in strongly connected components of more than one vertex */
  uint32_t length;       /* length of a shortest cycle through the smallest such component; 0: none */
  const uint32_t *cycle; /* [length]: VLs of the fabric's sending ports, in the order in which they wait, numbered as in
                          * ripstop_table_verdict.loop */
} depend_cycles;
/* Considers only channels that are alive in the view at the time of the call. */
void depend_search(const depend *g, const ripstop_view *view, ripstop_arena *arena, depend_cycles *out);

/* ------------------------------------------------------------------ paths, for DEPEND_COUNTED */

/* True if the path of one end node's packets has an edge from one vertex to another. */
bool depend_path_makes(const depend *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end,
                       uint32_t address, uint32_t from, uint32_t to);
/* Adds each edge of the paths of all live end nodes of some switches, each switch once, whether they arrive or not;
 * `back`: subtracts all of it. If no packet's VL depends on its input port, a switch passes on all its packets at
 * once. */
void depend_paths(depend *g, const ripstop_view *view, const ripstop_forwarding *tables, const uint32_t *switches,
                  uint32_t count, uint32_t address, bool back);

/* ------------------------------------------------------------------ changes, for DEPEND_LOGGED and _COUNTED */

/* Makes the additions permanent. */
void depend_settle(depend *g);
/* Removes all edges. */
void depend_clear(depend *g);
/* Makes the next queries fast, if there is no cycle at all. */
void depend_sort(depend *g);
/* Undoes the additions since depend_settle. */
void depend_undo(depend *g);
/* True if the last cycle that was found is still there, over channels that are alive in the view. */
bool depend_witness_holds(const depend *g, const ripstop_view *view);
/* True if there is any cycle. */
bool depend_cycle(depend *g, const ripstop_view *view);

/* ------------------------------------------------------------------ for its files */

static inline bool depend_has(const depend *g, uint32_t from, uint32_t to) {
  const depend_row *row = &g->row[from];
  return g->edge[row->word + (to - row->first) / 64] >> (to - row->first) % 64 & 1;
}
/* The first successor of a vertex whose place in the row is *at or higher, which becomes the place behind it;
 * RIPSTOP_NONE: no more. */
static inline uint32_t depend_next(const depend *g, uint32_t vertex, uint32_t *at) {
  const depend_row *row = &g->row[vertex];
  while (*at < row->width) {
    uint64_t rest = g->edge[row->word + *at / 64] >> *at % 64;
    if (rest == 0) {
      *at = (*at / 64 + 1) * 64;
      continue;
    }
    *at += (uint32_t)__builtin_ctzll(rest) + 1;
    return row->first + *at - 1;
  }
  return RIPSTOP_NONE;
}
static inline bool depend_alive(const depend *g, const ripstop_view *view, uint32_t vertex) {
  return !view || view->port_up[g->net->port[vertex / g->lanes]];
}
/* The vertex of a channel that leaves switch `s` for packets of a service level that came there by local port `in`;
 * RIPSTOP_NONE: the switch drops them. */
static inline uint32_t depend_vertex(const depend *g, const ripstop_forwarding *t, uint32_t s, uint32_t channel,
                                     uint32_t in, uint32_t level) {
  if (g->lanes == 1 && !t->lane) return channel;
  uint32_t lane = ripstop_forwarding_lane(t, g->net->fabric->ends + s, in, g->net->local[channel], level);
  return lane < g->lanes ? channel * g->lanes + lane : RIPSTOP_NONE;
}
/* Adds `weight` (modulo 2^32) to an edge, and logs it. Where edges are not counted, it is there if that is not 0. */
void depend_put(depend *g, uint32_t from, uint32_t to, uint32_t weight);
void depend_change(depend *g, uint32_t from, uint32_t to, uint32_t weight); /* without the log */

#endif
