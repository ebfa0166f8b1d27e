/* repair_state.h - what repair.c, which changes tables and loads, shares with repair_loops.c, which asks what the
 * changes can come to wait for, and with repair_follow.c, which takes the loads to other tables. */
#ifndef TABLES_REPAIR_STATE_H
#define TABLES_REPAIR_STATE_H

#include "tables/channels.h"
#include "tables/repair.h"
#include "tables/turns.h"

/* A switch as it was for an address. */
typedef struct member {
  uint32_t s, hops;
  uint16_t port;
} member;

/* An address that the part mattered to: the switches from which packets do not arrive without new entries. */
typedef struct torn {
  uint32_t address, first, count; /* of r->member; before each switch stands the one that its entry led to */
  uint32_t lost;                  /* as it was */
  uint32_t behind;                /* where other tables are asked about: the first so many were torn from it */
} torn;

/* Packets that hold one vertex and wait for another. */
typedef struct maker {
  uint32_t from, to, end, address;
} maker;

struct repair {
  const ripstop_view *before; /* as handed in */
  const ripstop_forwarding *original;
  ripstop_view *view;
  const ripstop_fabric *fabric;
  ripstop_forwarding *tables;
  channels channels;
  uint32_t switches, data; /* data: addresses of end nodes */
  uint32_t *sources;       /* [switches]: end nodes with a live link to it */
  uint32_t *hops;          /* [data * switches]: between switches to the address; RIPSTOP_NONE: packets do not arrive */
  uint32_t *lost;          /* [data]: switches from which they do not */
  uint64_t *load;          /* [channels] */
  turns mixed;
  bool looping; /* whether the tables as handed in have a cycle */
  maker *cycle; /* [cycles]: who makes one of the cycles, where that is known */
  uint32_t cycles;
  turns own;             /* of the tables as handed in; opened when it is first needed */
  uint64_t disconnected; /* pairs, of the present view */
  ripstop_arena *arena;
  /* Of the last kill. */
  ripstop_arena *undo;
  bool *link_dies, *switch_dies; /* [links], [nodes]: those that were alive */
  bool ends_die;
  ripstop_faults parts; /* the same as lists, in `undo` */
  torn *torn;           /* [data] */
  uint32_t torns;
  member *member;
  uint32_t members, member_room;
  torn *followed; /* [data]: the same where other tables than the repaired ones are asked about */
  uint32_t follows;
  /* What is asked about: these tables, and where they differ from those handed in. */
  const ripstop_forwarding *now;
  const torn *change;
  uint32_t changes;
  uint64_t old_disconnected;
  uint64_t *old_load; /* [channels] */
  /* Scratch of one address, all [switches]. */
  uint32_t *mark, marked;           /* mark[s] == marked: a member, or in scope */
  uint32_t *distance;               /* of those in scope: links to the target's switch; RIPSTOP_NONE: not reached */
  uint32_t *best;                   /* of those: the channel to go on through */
  uint64_t *flow;                   /* 0 between uses */
  uint32_t *list;                   /* [2 * switches] */
  uint32_t *scope, scopes;          /* marked: for which ways are looked for */
  uint32_t **fewest;                /* by the address's switch, where it was needed: links from each at least */
  uint32_t *allowed, head, waiting; /* see allow() in repair_ways.c; 0 between uses */
  bool *waits;
  uint32_t *behind; /* [switches + 2]: of those in scope by distance */
};

static inline uint16_t *entries_of(const repair *r, uint32_t address) {
  return r->tables->port + (size_t)address * r->switches;
}

static inline uint32_t *hops_of(const repair *r, uint32_t address) { return r->hops + (size_t)address * r->switches; }

uint64_t repair_worst(const repair *r);
/* Sources at a switch that send to the address: all but the target itself, unless that is dead or dies. */
uint32_t repair_sources(const repair *r, uint32_t address, uint32_t s);
/* Links between switches from one to the address by the entries of some tables; RIPSTOP_NONE: it is not reached. */
uint32_t repair_walk(const repair *r, const ripstop_forwarding *tables, uint32_t address, uint32_t s);
/* Who makes the cycle of the tables as handed in that was found. */
void repair_find_makers(repair *r);
/* Lists and marks a switch, with what it had for the address. */
void repair_list(repair *r, uint32_t s, uint32_t hops, uint16_t port);
/* The same with what it has now. */
void repair_add_member(repair *r, uint32_t address, uint32_t s);
/* New entries for the members; others join them. Unless `all`, those that no packet from an end node comes by keep
 * their old ones: a part that nobody needs any more is not led back into use, which would only add to what mixtures can
 * hold and wait for; and nothing is mended where the part took nobody's way that arrived. Returns how many are other
 * ones. */
uint64_t repair_ways(repair *r, torn *t, bool all);

static inline uint32_t onward(const repair *r, uint32_t address, uint32_t s) {
  return channels_onward(&r->channels, r->view, r->tables, address, s);
}

/* Adds paths to the load of the way from a switch on by the entries of some tables (fewer than 0: modulo 2^64). */
static inline void load_way(repair *r, const ripstop_forwarding *tables, uint32_t address, uint32_t s, uint64_t paths) {
  for (uint32_t c; (c = channels_onward(&r->channels, r->view, tables, address, s)) != RIPSTOP_NONE;
       s = r->channels.to[c])
    r->load[c] += paths;
}

#endif
