/* trees.h - the routes of all packets for one address: if each switch has one next hop, the entries for an address
 * form trees to it, beside loops and dead ends.
 *
 * One pass over the switches gives for all sources together the result of a walk of each pair. Where entries have
 * several next hops, packets arrive if they do by all of them; paths are split by weights, in parts of `unit`. */
#ifndef TABLES_TREES_H
#define TABLES_TREES_H

#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/forwarding.h"

typedef enum tree_fate { TREE_GOES_ON, TREE_HOME, TREE_DEAD_END, TREE_ASTRAY, TREE_LOOP, TREE_FATES } tree_fate;

/* The next hops of entries that have several, for the address of the last call. */
typedef struct tree_sets {
  uint32_t *first;         /* [switches + 1]: those of each switch that lead on to switches */
  uint32_t *port, *next;   /* [ports]: as in trees */
  uint32_t *weight, *sum;  /* [ports]; sum: of those before it at its switch, so that shares add up */
  uint32_t *all;           /* [switches]: the weights of all its next hops */
  uint32_t *in_first, *in; /* [switches + 2], [ports]: the switches that lead to each */
} tree_sets;

typedef struct trees {
  const ripstop_view *view;
  const ripstop_fabric *fabric;
  uint32_t switches;
  uint32_t *sources; /* [switches]: end nodes with a live link to it */
  uint32_t alive;    /* their sum */
  /* The address of the last call, all [switches]. */
  uint32_t address, target; /* target: its node */
  uint32_t own;             /* the target's switch; RIPSTOP_NONE: its link has failed, or it is a switch */
  uint32_t *next;           /* the switch that the entry leads to, if `leads` says so */
  uint32_t *port;           /* the sending port */
  uint8_t *leads;           /* tree_fate: the effect of the entry itself */
  uint8_t *fate;            /* the fate of packets from here; never TREE_GOES_ON */
  uint32_t *hops;           /* links between switches to the address, if the fate is TREE_HOME */
  uint32_t *order;          /* [peeled]: each switch before the one that its entry leads to */
  uint32_t peeled;          /* switches that are not in a loop */
  uint32_t *into;           /* scratch */
  uint32_t unit;            /* the parts of a path that flows and loads count: 1 if no entry has several next hops */
  tree_sets *sets;          /* NULL: no such tables yet */
  ripstop_arena *arena;
} trees;

/* Counts end nodes with a live link to each switch, to `sources` ([switches]). */
void trees_count_sources(const ripstop_view *view, uint32_t *sources);
void trees_open(trees *t, ripstop_arena *arena, const ripstop_view *view);
void trees_look(trees *t, const ripstop_forwarding *tables, uint32_t address);
/* Sources at a switch that send to the present target: all except itself. */
static inline uint32_t trees_sources(const trees *t, uint32_t s) { return t->sources[s] - (s == t->own); }
/* Paths to the address that cross each switch, to `flow` ([switches]); 0 if packets do not arrive. */
void trees_flow(const trees *t, uint64_t *flow);
/* Adds them to the loads ([ports]) of the channels that they use, where entries have several next hops. */
void trees_add_shares(const trees *t, const uint64_t *flow, uint64_t *load);

#endif
