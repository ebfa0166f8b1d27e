/* single_repair.h - changes of one cable, and swaps of two, that make a graph the same as a target. */
#ifndef RIPSTOP_RECOGNISE_SINGLE_REPAIR_H
#define RIPSTOP_RECOGNISE_SINGLE_REPAIR_H

#include "recognise/alike.h"
#include "recognise/targets.h"

/* A repair and the target's spec, which may be NULL. */
typedef struct ripstop_explanation {
  ripstop_repair repair;
  const char *spec;
} ripstop_explanation;

/* No cable changes. */
#define RIPSTOP_NO_REPAIR ((ripstop_repair){RIPSTOP_NONE, RIPSTOP_NONE, RIPSTOP_NONE, RIPSTOP_NONE})

typedef struct ripstop_repairs {
  const recognised_graph *net;
  ripstop_cycles cycles;     /* the net's */
  bool intact;               /* the net is a target as it is: the only explanation, without a repair */
  ripstop_explanation *list; /* each repair once; the arena of the net */
  uint32_t count, room;
  uint64_t work; /* the budget that is left, in cables looked at; 0: the list may lack repairs */
} ripstop_repairs;

/* Keeps a repair unless it is in the list. */
void ripstop_repairs_keep(ripstop_repairs *r, const ripstop_repair *repair, const char *spec);
/* Adds those after which all switches with hosts, and all without, have as many cables, and which the proposer explains
 * (regular.c). */
void ripstop_repairs_add_regular(ripstop_repairs *r, ripstop_propose *propose);
/* Adds the repairs of one cable that lead to the target. False: no other target can add any, since the net is a target
 * as it is or the work is spent. */
bool ripstop_repairs_add(ripstop_repairs *r, const ripstop_target *target);

/* Two cables a - b and c - d that should be a - d and c - b. */
typedef struct ripstop_swap {
  uint32_t a, b, c, d;
} ripstop_swap;

typedef struct ripstop_swaps {
  ripstop_swap *list; /* each swap once; the arena of the net */
  const char **spec;  /* the target that each leads to; may be NULL */
  uint32_t count;
} ripstop_swaps;

/* All swaps that lead to a target. False: there is none, or the search was given up. */
bool ripstop_swaps_find(const recognised_graph *net, ripstop_swaps *out);
/* The net with the cables as they should be. */
void recognised_unswapped(recognised_graph *net, const recognised_graph *whole, const ripstop_swap *swap,
                          ripstop_arena *arena);

#endif
