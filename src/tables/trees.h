/* trees.h - where forwarding tables send all packets for one address, and how far: each switch has one way on, so the
 * entries for an address are trees into it, beside rings and dead ends.
 *
 * One pass over the switches tells of all sources together what a walk of each pair would. */
#ifndef TABLES_TREES_H
#define TABLES_TREES_H

#include "ripstop/faults.h"
#include "ripstop/forwarding.h"

typedef enum tree_fate { TREE_GOES_ON, TREE_HOME, TREE_DEAD_END, TREE_ASTRAY, TREE_LOOP, TREE_FATES } tree_fate;

typedef struct trees {
  const ripstop_view *view;
  const ripstop_fabric *fabric;
  uint32_t switches;
  uint32_t *sources; /* [switches]: end nodes with a live link to it */
  uint32_t alive;    /* their sum */
  /* Of the address that was looked at last, all [switches]. */
  uint32_t address, target; /* target: its node */
  uint32_t own;    /* the switch that the target hangs from; RIPSTOP_NONE: its link is dead, or it is a switch */
  uint32_t *next;  /* the switch that the entry leads to, where `leads` says so */
  uint32_t *port;  /* that sends there */
  uint8_t *leads;  /* tree_fate: what the entry itself does */
  uint8_t *fate;   /* what becomes of packets from here; never TREE_GOES_ON */
  uint32_t *hops;  /* links between switches on their way, where the fate is TREE_HOME */
  uint32_t *order; /* [peeled]: such that each switch stands before the one that it leads to */
  uint32_t peeled; /* switches that are not on a ring */
  uint32_t *into;  /* scratch */
} trees;

/* End nodes with a live link to each switch, to `sources` ([switches]). */
void trees_count_sources(const ripstop_view *view, uint32_t *sources);
void trees_open(trees *t, ripstop_arena *arena, const ripstop_view *view);
void trees_look(trees *t, const ripstop_forwarding *tables, uint32_t address);
/* Sources at a switch that send to the present target: all but itself. */
static inline uint32_t trees_sources(const trees *t, uint32_t s) { return t->sources[s] - (s == t->own); }
/* Paths that come by each switch on their way home, to `flow` ([switches]); 0 where packets do not come home. */
void trees_flow(const trees *t, uint64_t *flow);

#endif
