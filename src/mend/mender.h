/* mender.h - tables that follow a changing fabric, in place: a mender's state, shared by its files.
 *
 * mender.c opens it, finds what a change cut off, and reports what was done. regrow.c gives switches that are cut off
 * new paths to one destination while all others keep theirs. whole.c grows a destination's tree again where that
 * fails. kept_tree.c keeps room for multicast groups. keep.c restores a saved state. */
#ifndef MEND_MENDER_H
#define MEND_MENDER_H

#include <string.h>

#include "mend/grow.h"
#include "mend/mend_tables.h"
#include "tables/entry_log.h"

/* The path from a switch to the current destination. */
typedef struct mender_candidate {
  double distance;   /* hops, plus prices */
  uint32_t next, to; /* the first channel, and where it leads */
  /* `now` when found, and when priced: see mender_know_none. */
  uint32_t known, priced;
  uint8_t mask, required; /* VCs that are open along the whole path; those in which it has become required */
  bool used;              /* by packets of end nodes */
} mender_candidate;

struct ripstop_mender {
  const ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_arena *arena;
  switch_graph net; /* whole: failed cables have channels, too */
  mend_orders orders;
  mend_grow grow;
  ripstop_stream random;
  uint32_t lanes;
  bool by_pair;    /* some service levels depend on the source */
  bool fresh;      /* the required turns are those of the tables, and no others */
  bool counted;    /* `load` matches the tables */
  bool cables;     /* ... and has the paths of switches that are cut off, too */
  bool followed;   /* everything that is connected arrives */
  uint8_t *tree;   /* [links]: cables of the tree of all multicast groups; NULL: none is kept */
  bool tree_whole; /* it joins all end nodes of each component */
  uint8_t *alive;  /* [channels]: as of the last call that followed a change */
  uint8_t *up;     /* [ports]: likewise */
  uint32_t *home;  /* [ends], [switches]: likewise */
  uint32_t *part;
  uint32_t *dead, deads, *back, backs; /* channels that have changed since the last call */
  uint32_t *load;                      /* [channels]: paths */
  double scale;                        /* 1 / the greatest load */
  double *price;                       /* [channels] */
  uint8_t *saved;                      /* [turns] */
  /* The current destination. */
  uint32_t address, to; /* to: its switch; RIPSTOP_NONE: it has none, or a failed one */
  const uint16_t *row;  /* [switches]: its ports in the tables */
  uint32_t *cut, cuts;  /* switches from which packets do not arrive */
  uint32_t roots;       /* the first `roots` have entries of no use; the others are behind them */
  uint32_t *place;      /* [switches]: in `cut`; RIPSTOP_NONE: they arrive */
  uint32_t *was;        /* [cut]: the old channel, alive or not; RIPSTOP_NONE: none */
  /* [cut]: lists of the switches whose old channel is alive and leads to a given one: the first, and the next of
   * each; RIPSTOP_NONE: end. */
  uint32_t *behind, *beside;
  /* [switches]: for those that are cut off, the VCs that their end nodes send in. */
  uint8_t *need;
  uint8_t *settled;             /* [switches] */
  mender_candidate *candidates; /* [switches] */
  uint32_t now;                 /* an entry of `ways` is valid if its `known` equals this */
  uint32_t *candidate;          /* [switches + 1] */
  /* The present change. */
  entry_log log;
  bool twice;      /* an entry may have several records */
  bool apart;      /* old turns are no longer required, such as those of trees that were moved */
  uint8_t *helped; /* [addresses]: for which other trees were moved; these are not moved for others */
  uint32_t moved;  /* trees that were moved, and turns for which they were */
  uint64_t levels_changed;
  struct mender_kept *kept; /* NULL: nothing is saved */
};

static inline bool mender_turns_up(const ripstop_mender *m, uint32_t c, uint32_t d, uint32_t lane) {
  return m->orders.place[lane][c] < m->orders.place[lane][d];
}

/* The VCs in which a turn is required, and so goes up, or can become so in the present order. */
static inline unsigned mender_lanes_of_turn(const ripstop_mender *m, uint32_t c, uint32_t d) {
  unsigned lanes = 0;
  if (switch_graph_goes_back(&m->net, c, d)) return 0;
  for (uint32_t lane = 0; lane < m->lanes; lane++) lanes |= (unsigned)mender_turns_up(m, c, d, lane) << lane;
  return lanes;
}

/* Forgets the paths of all switches. */
static inline void mender_know_none(ripstop_mender *m) {
  if (++m->now == 0) memset(m->candidates, 0, m->net.switches * sizeof *m->candidates), m->now = 1;
}

/* The price of a hop, which grows with the paths on the channel. */
static inline double mender_busy(const ripstop_mender *m, uint32_t c) {
  double share = m->load[c] * m->scale;
  return 1 + share * share;
}

/* The channel into which a switch sends packets for the destination; RIPSTOP_NONE: none between switches. */
static inline uint32_t mender_next(const ripstop_mender *m, uint32_t s) {
  uint32_t port = m->net.first_port[s] + m->row[s];
  return port < m->net.first_port[s + 1] ? m->net.hop[port].channel : RIPSTOP_NONE;
}

/* The next hop of a switch from which packets arrive at another. */
static inline switch_graph_hop mender_hop_of(const ripstop_mender *m, uint32_t s) {
  return switch_graph_hop_of(&m->net, m->row, s);
}

static inline unsigned mender_lane(const ripstop_mender *m, uint32_t end) {
  return ripstop_forwarding_level(m->tables, end, m->address) % m->lanes;
}

/* mender.c: makes the turns of the current tables required, and no others, beside those of the groups' tree. False:
 * they close a cycle. */
bool mender_read_turns(ripstop_mender *m);
/* Replaces several records of one entry by the first, with its old port, if the entry has changed in the end. */
void mender_join_log(ripstop_mender *m);
/* Makes an address the current destination. */
void mender_turn_to(ripstop_mender *m, uint32_t address);
/* Counts the paths of the tables that arrive, to `load`. */
void mender_count_load(ripstop_mender *m);
/* Adds those of the current destination to it, or removes them. */
void mender_lay(ripstop_mender *m, bool add);
/* Makes the turns of its packets required; they must go up already. */
void mender_mark_turns(ripstop_mender *m);
/* Marks the switches from which packets do not arrive, and those behind `one_more`; RIPSTOP_NONE: no such switch. */
void mender_cut_off(ripstop_mender *m, uint32_t one_more);
/* Gives these switches new paths, and clears their marks. False: the VC has no room. */
bool mender_mend_cut(ripstop_mender *m);
/* True if packets arrive from all switches of the destination's component. */
bool mender_all_arrive(ripstop_mender *m);
/* Writes an entry for the current destination, and its record. */
static inline void mender_write(ripstop_mender *m, uint32_t s, uint16_t port) {
  entry_log_write(&m->log, m->address, m->view->fabric->ends + s, port);
}
/* Makes a turn required in some VCs. False: it closes a cycle in one of them. */
bool mender_harden(ripstop_mender *m, uint32_t c, uint32_t d, unsigned lanes);
/* The VCs in which the end nodes at a switch send to the destination. */
unsigned mender_lanes_at(const ripstop_mender *m, uint32_t s);
/* The VCs in which its tree may be: one where service levels depend on the destination alone. */
unsigned mender_lanes_to(const ripstop_mender *m);

/* keep.c: saves the tables, service levels and all state, and restores them, whatever calls of ripstop_mender_follow
 * came in between. One saved state at most, for a view that then is again what it was. */
void mender_keep(ripstop_mender *mender);
void mender_back(ripstop_mender *mender);

/* regrow.c: finds paths for the switches in `cut`; changes nothing if one of them has none. */
bool mender_regrow(ripstop_mender *m);
/* whole.c: grows the destination's tree again; any entry may change, and by pair any service level. `hard`: tries
 * with the old pointers, without them, and with other prices; otherwise one short try. */
bool mender_grow_whole(ripstop_mender *m, bool required);
/* balance.c: changes at most `most` other entries, so that the busiest channels carry less. By destination only. */
void mender_balance(ripstop_mender *m, uint32_t most);
/* room.c: moves other trees of the VC, too. A switch that has lost its channel goes over a neighbour although the
 * turn closes a cycle, and the few trees in its way find other paths. Requires that the switches are marked as cut
 * off. */
bool mender_give_candidate(ripstop_mender *m);
/* The same, and all trees of the VC may move. */
bool mender_make_room(ripstop_mender *m);
/* All trees of VL 0 may move for the groups' tree, which begins again. False: it found no place, and nothing has
 * changed but required turns. */
bool mender_make_room_for_tree(ripstop_mender *m);

/* kept_tree.c, which does nothing if no tree is kept: finds the groups' tree beside the required turns, with its
 * present cables first. */
void mender_tree_read(ripstop_mender *m);
/* The same after parts have failed or returned: cables that are alive stay. */
void mender_tree_follow(ripstop_mender *m);
/* The cables that would join the two parts of a tree that is not whole, in the order of their preference; *cables: how
 * many, 0 also where there are more parts. */
const uint32_t *mender_tree_joins(const ripstop_mender *m, uint32_t *cables, ripstop_arena *arena);
/* True if both channels are of the groups' tree, and the VL is its own. */
bool mender_tree_turns(const ripstop_mender *m, uint32_t c, uint32_t d, unsigned lane);

#endif
