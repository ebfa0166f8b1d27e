/* trees.h - the routes of all packets for one address: each switch has one next hop, so the entries for an address
 * form trees to it, beside loops and dead ends.
 *
 * One pass over the switches gives for all sources together the result of a walk of each pair. */
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
} trees;

/* Counts end nodes with a live link to each switch, to `sources` ([switches]). */
void trees_count_sources(const ripstop_view *view, uint32_t *sources);
void trees_open(trees *t, ripstop_arena *arena, const ripstop_view *view);
void trees_look(trees *t, const ripstop_forwarding *tables, uint32_t address);
/* Sources at a switch that send to the present target: all except itself. */
static inline uint32_t trees_sources(const trees *t, uint32_t s) { return t->sources[s] - (s == t->own); }
/* Paths to the address that cross each switch, to `flow` ([switches]); 0 if packets do not arrive. */
void trees_flow(const trees *t, uint64_t *flow);

#endif
