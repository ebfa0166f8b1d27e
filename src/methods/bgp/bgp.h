/* bgp.h - shared by the files of the method bgp: AS numbers (as_numbers.c), the paths that BGP settles on (as_paths.c),
 * and the tables that follow (bgp_tables.c). docs/methods/bgp.md explains them. */
#ifndef METHODS_BGP_H
#define METHODS_BGP_H

#include "tables/switch_graph.h"

enum { BGP_OWN, BGP_SPINES, BGP_RFC7938, BGP_POD, BGP_TIER }; /* `bgp_rules.plan` */

typedef struct bgp_rules {
  uint32_t plan;
  uint32_t allowed; /* how often a switch accepts its own AS number in a path */
  uint32_t most;    /* next hops of an entry */
  uint32_t classes; /* lossless classes; each turn from down to up takes the next one */
  bool leaves;      /* a packet of the last class leaves the lossless classes at the next turn; else it stays */
} bgp_rules;

/* ------------------------------------------------------------------ numbers */

/* Switch number = node - ends. Tiers and AS numbers are those before faults. */
typedef struct bgp_net {
  switch_graph graph; /* by port */
  const bgp_rules *rules;
  uint32_t *tier; /* [switches]: hops from the nearest switch with end nodes; RIPSTOP_NONE: there is no path */
  uint32_t top;   /* the highest tier */
  bool level;     /* a cable joins two switches of one tier */
  uint32_t *as;   /* [switches]: shared numbers are 0 .. shared - 1; RIPSTOP_NONE: the switch has its own */
  uint32_t shared;
} bgp_net;

/* Finds tiers, and gives numbers by the plan; `whole`: with the cables that have failed. */
void bgp_net_open(bgp_net *net, const ripstop_view *view, const bgp_rules *rules, bool whole, ripstop_arena *arena);
/* The tiers alone. */
void bgp_net_tiers(bgp_net *net, const ripstop_fabric *f, ripstop_arena *arena);

static inline bool bgp_leads_up(const bgp_net *net, uint32_t channel) {
  return net->tier[net->graph.to[channel]] > net->tier[net->graph.from[channel]];
}
static inline bool bgp_leads_down(const bgp_net *net, uint32_t channel) {
  return net->tier[net->graph.to[channel]] < net->tier[net->graph.from[channel]];
}

/* ------------------------------------------------------------------ paths */

/* The paths that all switches use and announce for the prefixes of one switch. */
typedef struct bgp_paths {
  const bgp_net *net;
  uint32_t *hops;  /* [switches]; RIPSTOP_NONE: no route */
  uint32_t *next;  /* [switches]: the next switch of the announced path */
  uint32_t *order; /* [routed]: switches with a route, nearest first */
  uint32_t routed;
  uint16_t *least, *most; /* [switches * shared]: how often a number is in the path that the switch may announce */
  uint32_t *turns[2];     /* [switches]: turns of packets that come from below, or from above */
} bgp_paths;

void bgp_paths_open(bgp_paths *p, const bgp_net *net, ripstop_arena *arena);
void bgp_paths_find(bgp_paths *p, uint32_t to);
/* True if the switch behind the channel is a next hop of the switch that the channel leaves. */
bool bgp_paths_uses(const bgp_paths *p, uint32_t channel);
/* Entries that depend on which of several equal paths a neighbour announces. */
uint32_t bgp_paths_ambiguous(bgp_paths *p);
/* The most turns from down to up of a packet from a switch with end nodes. */
uint32_t bgp_paths_turns(bgp_paths *p);

/* ------------------------------------------------------------------ tables */

/* False: packets stay in one lossless class. */
static inline bool bgp_has_classes(const bgp_rules *rules) { return rules->classes > 1 || rules->leaves; }
/* Virtual lanes: a lossless class each, and one for packets that have left these. */
static inline uint32_t bgp_lanes(const bgp_rules *rules) { return rules->classes + rules->leaves; }

/* Tables for all end nodes, in memory of the arena; `down`: also for those whose own link is down. NULL: a switch has
 * too many sets. */
ripstop_forwarding *bgp_tables_make(const bgp_net *net, bool down, ripstop_arena *arena, ripstop_error *err);

#endif
