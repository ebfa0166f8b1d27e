/* turns.h - the channel dependency graph of depend.h in a form that follows small changes. The dependencies of a few
 * sources can be added alone, additions are logged and can be undone, and the query for a cycle looks only at edges
 * that can have closed one.
 *
 * A vertex is a VL of a channel, at `channel * lanes + lane`. An edge is in the graph while its count is not 0. */
#ifndef TABLES_TURNS_H
#define TABLES_TURNS_H

#include "tables/switch_graph.h"

typedef struct turn {
  uint32_t from, to; /* vertices */
  size_t slot;       /* index of its count */
  uint32_t added;    /* to the count, modulo 2^32 */
} turn;

/* The edges of a vertex: to `width` vertices from `first` on, the counts at `origin` + vertex (modulo the size). */
typedef struct turn_row {
  size_t origin;
  uint32_t first, width;
  uint32_t s; /* the switch that the channel leads to, by its local port `in` */
  uint16_t in;
} turn_row;

/* A switch on the paths of packets for an address. */
typedef struct turn_stop {
  uint32_t channel; /* the next channel; RIPSTOP_NONE: none */
  uint32_t paths;   /* modulo 2^32 */
  uint32_t into;    /* stops that lead here and are not done */
  uint32_t walk;    /* walk in which it was found */
} turn_stop;

typedef struct turns {
  const switch_graph *net; /* by port */
  uint32_t lanes, vertices;
  turn_row *row;   /* [vertices] */
  uint32_t *count; /* count of each edge */
  turn *log;       /* additions since the last turns_settle */
  uint32_t logged, log_room;
  uint32_t *rank; /* [vertices]: each edge leads to a higher one, if `sorted` */
  bool sorted;
  uint32_t *witness; /* [witnesses]: the last cycle that was found; it may be gone */
  uint32_t witnesses;
  /* Scratch. */
  uint32_t *seen, walk;        /* [vertices] */
  uint32_t *colour, colours;   /* [vertices] */
  uint32_t *path, *at, *stack; /* [vertices] */
  turn_stop *stop;             /* [switches] */
  uint32_t *order, stops;      /* [switches]: those of the present paths */
  uint32_t *ready;             /* [switches] */
} turns;

void turns_open(turns *g, ripstop_arena *arena, const switch_graph *c, uint32_t lanes);
void turns_free(turns *g); /* frees memory outside the arena */

/* Adds edges of all packets from live end nodes of a switch for an address, if every switch may use either of two
 * tables, which share their service levels and VLs. An edge counts 1, however many packets cause it. */
typedef struct turns_mixing {
  const ripstop_view *view;
  const ripstop_forwarding *one, *other;
  uint32_t address;
} turns_mixing;
void turns_mix(turns *g, const turns_mixing *m, const uint32_t *switches, uint32_t count);

/* Adds `weight` (modulo 2^32) to each edge of the path of one end node's packets, whether it arrives or not. */
void turns_path(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end, uint32_t address,
                uint32_t weight);

/* True if that path has an edge from one vertex to another. */
bool turns_path_makes(const turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end,
                      uint32_t address, uint32_t from, uint32_t to);
/* The same for all live end nodes of some switches, each switch once; `back`: subtracts all of it. If no packet's VL
 * depends on its input port, a switch passes on all its packets at once. */
void turns_paths(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, const uint32_t *switches,
                 uint32_t count, uint32_t address, bool back);

/* Makes the additions permanent. */
void turns_settle(turns *g);
/* Makes the next queries fast, if there is no cycle at all. */
void turns_sort(turns *g);
/* Undoes the additions since turns_settle. */
void turns_undo(turns *g);
/* True if the last cycle that was found is still there, over channels that are alive in the view. */
bool turns_witness_holds(const turns *g, const ripstop_view *view);
/* True if there is any cycle. */
bool turns_cycle(turns *g, const ripstop_view *view);

#endif
