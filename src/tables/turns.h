/* turns.h - the channel dependency graph of depend.h in a form that follows small changes: what packets from a few
 * sources add is added alone, what is new stands in a list and can be taken back, and the question whether there is a
 * cycle looks only at what can have made one.
 *
 * A vertex is a lane of a channel, at channel * lanes + lane. An edge is in the graph while its count is not 0. */
#ifndef TABLES_TURNS_H
#define TABLES_TURNS_H

#include "tables/channels.h"

typedef struct turn {
  uint32_t from, to; /* vertices */
  size_t slot;       /* of its count */
  uint32_t added;    /* to the count, modulo 2^32 */
} turn;

/* The edges of a vertex: to `width` vertices from `first` on, the counts at `origin` + vertex (modulo the size). */
typedef struct turn_row {
  size_t origin;
  uint32_t first, width;
  uint32_t s; /* the switch that the channel leads to, by its local port `in` */
  uint16_t in;
} turn_row;

/* A switch on the ways of packets for an address. */
typedef struct turn_stop {
  uint32_t channel; /* that they leave by; RIPSTOP_NONE: none */
  uint32_t paths;   /* modulo 2^32 */
  uint32_t into;    /* stops that lead here, less those that are done */
  uint32_t walk;    /* when it was found */
} turn_stop;

typedef struct turns {
  const channels *channels;
  uint32_t lanes, vertices;
  turn_row *row;   /* [vertices] */
  uint32_t *count; /* of each edge */
  turn *log;       /* what was added since it was settled */
  uint32_t logged, log_room;
  uint32_t *rank; /* [vertices]: each edge leads to a higher one, where `sorted` says so */
  bool sorted;
  uint32_t *witness; /* [witnesses]: a cycle that was found last; it may be gone */
  uint32_t witnesses;
  /* Scratch. */
  uint32_t *seen, walk;        /* [vertices] */
  uint32_t *colour, colours;   /* [vertices] */
  uint32_t *path, *at, *stack; /* [vertices] */
  turn_stop *stop;             /* [switches] */
  uint32_t *order, stops;      /* [switches]: those of the present ways */
  uint32_t *ready;             /* [switches] */
} turns;

void turns_open(turns *g, ripstop_arena *arena, const channels *c, uint32_t lanes);
void turns_free(turns *g); /* what is not the arena's */

/* Edges of all packets from end nodes of a switch for an address that are alive in the view, when every switch may use
 * either of two tables, which share their levels and lanes; an edge counts 1, however many find it. */
typedef struct turns_mixing {
  const ripstop_view *view;
  const ripstop_forwarding *one, *other;
  uint32_t address;
} turns_mixing;
void turns_mix(turns *g, const turns_mixing *m, const uint32_t *switches, uint32_t count);

/* Adds `weight` (modulo 2^32) to each edge of the path of one end node's packets, whether it arrives or not. */
void turns_path(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end, uint32_t address,
                uint32_t weight);

/* Whether there is an edge from one vertex to another on that path. */
bool turns_path_makes(const turns *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end,
                      uint32_t address, uint32_t from, uint32_t to);
/* The same for all end nodes of some switches that are alive in the view, each switch once; `back`: all of it is taken
 * away. Where no packet's lane depends on where it came in, a switch passes on at once what comes by it. */
void turns_paths(turns *g, const ripstop_view *view, const ripstop_forwarding *tables, const uint32_t *switches,
                 uint32_t count, uint32_t address, bool back);

/* What was added stays. */
void turns_settle(turns *g);
/* Makes the next questions cheap, where there is no cycle at all. */
void turns_sort(turns *g);
/* What was added since is taken back. */
void turns_undo(turns *g);
/* Whether the cycle that was found last is still there, of channels that are alive in the view. */
bool turns_witness_holds(const turns *g, const ripstop_view *view);
/* Whether there is any. */
bool turns_cycle(turns *g, const ripstop_view *view);

#endif
