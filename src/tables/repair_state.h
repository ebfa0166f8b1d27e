/* repair_state.h - state shared by repair.c, which changes tables and loads; repair_loops.c, which finds the new
 * dependencies; and repair_follow.c, which moves the loads to other tables. */
#ifndef TABLES_REPAIR_STATE_H
#define TABLES_REPAIR_STATE_H

#include "tables/depend.h"
#include "tables/repair.h"
#include "tables/switch_graph.h"

/* The old state of a switch for an address. */
typedef struct member {
  uint32_t s, hops;
  uint16_t port;
} member;

/* An address that the part affects: the switches from which packets do not arrive without new entries. */
typedef struct torn {
  uint32_t address, first, count; /* in r->member; the switch to which an entry led comes before the switch with the
                                   * entry */
  uint32_t lost;                  /* old value */
  uint32_t behind;                /* with replaced tables: this many of the members were cut off from the address */
} torn;

/* Packets that hold one vertex and wait for another. */
typedef struct maker {
  uint32_t from, to, end, address;
} maker;

struct repair {
  const ripstop_view *before; /* the original view */
  const ripstop_forwarding *original;
  ripstop_view *view;
  const ripstop_fabric *fabric;
  ripstop_forwarding *tables;
  switch_graph net;
  uint32_t switches, data; /* data: addresses of end nodes */
  uint32_t *sources;       /* [switches]: end nodes with a live link to it */
  uint32_t *hops;          /* [data * switches]: hops between switches to the address; RIPSTOP_NONE: packets do not
                            * arrive */
  uint32_t *lost;          /* [data]: switches from which packets do not arrive */
  uint64_t *load;          /* [channels] */
  depend mixed;
  bool looping; /* the original tables have a cycle */
  maker *cycle; /* [cycles]: packets that cause one of the cycles, where known */
  uint32_t cycles;
  depend own;            /* dependencies of the original tables; opened on first use */
  uint64_t disconnected; /* pairs, in the present view */
  ripstop_arena *arena;
  /* State of the last failure. */
  ripstop_arena *undo;
  bool *link_dies, *switch_dies; /* [links], [nodes]: those that were alive */
  bool ends_die;
  ripstop_faults parts; /* the same parts as lists, in `undo` */
  torn *torn;           /* [data] */
  uint32_t torns;
  member *member;
  uint32_t members, member_room;
  torn *followed; /* [data]: the same for replaced tables */
  uint32_t follows;
  /* Tables to query, and where they differ from the original ones. */
  const ripstop_forwarding *now;
  const torn *change;
  uint32_t changes;
  uint64_t old_disconnected;
  uint64_t *old_load; /* [channels] */
  /* Scratch for one address, all [switches]. */
  uint32_t *mark, marked;           /* mark[s] == marked: a member, or in scope */
  uint32_t *distance;               /* in scope: links to the target's switch; RIPSTOP_NONE: not reached */
  uint32_t *best;                   /* in scope: the next channel */
  uint64_t *flow;                   /* 0 between uses */
  uint32_t *list;                   /* [2 * switches] */
  uint32_t *scope, scopes;          /* marked: those that search for a path */
  uint32_t **fewest;                /* by the address's switch, on demand: lower bound on links from each switch */
  uint32_t *allowed, head, waiting; /* see allow() in repair_candidates.c; 0 between uses */
  bool *waits;
  uint32_t *behind; /* [switches + 2]: those in scope, by distance */
};

static inline uint16_t *entries_of(const repair *r, uint32_t address) {
  return r->tables->port + (size_t)address * r->switches;
}

static inline uint32_t *hops_of(const repair *r, uint32_t address) { return r->hops + (size_t)address * r->switches; }

uint64_t repair_worst(const repair *r);
/* Sources at a switch that send to the address: all except the target, unless that has failed or fails. */
uint32_t repair_sources(const repair *r, uint32_t address, uint32_t s);
/* Links between switches from one to the address by the entries of some tables; RIPSTOP_NONE: not reached. */
uint32_t repair_walk(const repair *r, const ripstop_forwarding *tables, uint32_t address, uint32_t s);
/* Finds the packets that cause the known cycle of the original tables. */
void repair_find_makers(repair *r);
/* Lists and marks a switch, with its state for the address. */
void repair_list(repair *r, uint32_t s, uint32_t hops, uint16_t port);
/* The same with its present state. */
void repair_add_member(repair *r, uint32_t address, uint32_t s);
/* Adds a member to one address. A member that has others behind it comes before them. */
void repair_join(repair *r, torn *t, uint32_t s);
/* Gives the members new entries; other switches can join them. Unless `all` is set, switches that no packet from an
 * end node crosses keep their old entries: to bring unused parts back into use would only add dependencies in
 * transient states. Nothing is repaired if the part was on no path that arrived. Returns how many entries changed. */
uint64_t repair_candidates(repair *r, torn *t, bool all);

static inline uint32_t onward(const repair *r, uint32_t address, uint32_t s) {
  return switch_graph_onward(&r->net, r->view, r->tables, address, s);
}

/* Adds paths to the load of the route from a switch by the entries of some tables (fewer than 0: modulo 2^64). */
static inline void load_candidate(repair *r, const ripstop_forwarding *tables, uint32_t address, uint32_t s,
                                  uint64_t paths) {
  for (uint32_t c; (c = switch_graph_onward(&r->net, r->view, tables, address, s)) != RIPSTOP_NONE; s = r->net.to[c])
    r->load[c] += paths;
}

#endif
