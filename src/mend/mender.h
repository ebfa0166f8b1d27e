/* mender.h - tables that follow what is alive, in place: what a mender knows, shared by its files.
 *
 * mender.c opens it, finds what a change cut off, and tells what was done; regrow.c gives switches that are cut off new
 * ways to one destination while all others keep theirs; whole.c grows a destination's tree anew where that fails;
 * keep.c goes back to a state that was kept. */
#ifndef MEND_MENDER_H
#define MEND_MENDER_H

#include <string.h>

#include "mend/grow.h"
#include "ripstop/mend.h"

/* From a switch to the destination at hand. */
typedef struct mender_way {
  double distance;   /* hops, and what else it costs */
  uint32_t next, to; /* the first channel, and where it leads */
  /* When these were found, and all the rest: see mender_know_none. */
  uint32_t known, priced;
  uint8_t mask, hard; /* lanes that are open all the way, and in which it has become hard */
  bool used;          /* by packets of end nodes */
} mender_way;

struct ripstop_mender {
  const ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_arena *arena;
  mend_net net; /* whole: dead cables have channels as well */
  mend_frames frames;
  mend_grow grow;
  ripstop_stream random;
  uint32_t lanes;
  bool by_pair;   /* some levels depend on the source */
  bool fresh;     /* hard turns are those of the tables, and no others */
  bool counted;   /* `load` is of the tables */
  bool cables;    /* ... and has paths of switches that are cut off, too */
  bool followed;  /* everything that is connected arrives */
  uint8_t *alive; /* [channels]: as the tables have followed it */
  uint8_t *up;    /* [ports]: likewise */
  uint32_t *home; /* [ends], [switches]: likewise */
  uint32_t *part;
  uint32_t *dead, deads, *back, backs; /* channels: those that have changed since the last call */
  uint32_t *load;                      /* [channels]: paths */
  double scale;                        /* 1 by the most of them */
  double *price;                       /* [channels] */
  uint8_t *saved;                      /* [turns] */
  /* Of the destination at hand. */
  uint32_t address, to; /* to: its switch; RIPSTOP_NONE: it has none, or a dead one */
  const uint16_t *row;  /* [switches]: its ports in the tables */
  uint32_t *cut, cuts;  /* switches from which packets do not arrive */
  uint32_t roots;       /* the first of them: their own entries are of no use; the others stand behind them */
  uint32_t *place;      /* [switches]: in `cut`; RIPSTOP_NONE: they arrive */
  uint32_t *was;        /* [cut]: the old channel, dead or alive; RIPSTOP_NONE: none */
  /* [cut]: of those whose old channel is alive and leads to one, the first, and after each the next; RIPSTOP_NONE: no
   * more. */
  uint32_t *behind, *beside;
  /* [switches]: of those that are cut off, the lanes that their end nodes send in. */
  uint8_t *need;
  uint8_t *settled; /* [switches] */
  mender_way *ways; /* [switches] */
  uint32_t now;     /* known of these are those of this time */
  uint32_t *way;    /* [switches + 1] */
  /* Of one change. */
  ripstop_mended_entry *entry;
  uint32_t entries, room;
  bool twice;      /* an entry may have several records */
  bool apart;      /* turns of the tables before are hard no more, such as trees took that gave way */
  uint8_t *helped; /* [addresses]: for which others gave way; they do not for others */
  uint32_t moved;  /* trees that gave way, and turns that they did it for */
  uint64_t levels_changed;
  struct mender_kept *kept; /* NULL: nothing is */
};

static inline bool mender_turns_up(const ripstop_mender *m, uint32_t c, uint32_t d, uint32_t lane) {
  return m->frames.place[lane][c] < m->frames.place[lane][d];
}

/* The lanes in which a turn is hard, and so goes up, or can become so without another order. */
static inline unsigned mender_lanes_of_turn(const ripstop_mender *m, uint32_t c, uint32_t d) {
  unsigned lanes = 0;
  if (mend_goes_back(&m->net, c, d)) return 0;
  for (uint32_t lane = 0; lane < m->lanes; lane++) lanes |= (unsigned)mender_turns_up(m, c, d, lane) << lane;
  return lanes;
}

/* No switch's way is known any more. */
static inline void mender_know_none(ripstop_mender *m) {
  if (++m->now == 0) memset(m->ways, 0, m->net.switches * sizeof *m->ways), m->now = 1;
}

/* A hop, and more the more paths the channel carries. */
static inline double mender_busy(const ripstop_mender *m, uint32_t c) {
  double share = m->load[c] * m->scale;
  return 1 + share * share;
}

/* The channel into which a switch sends what is for the destination; RIPSTOP_NONE: none between switches. */
static inline uint32_t mender_next(const ripstop_mender *m, uint32_t s) {
  uint32_t port = m->net.first_port[s] + m->row[s];
  return port < m->net.first_port[s + 1] ? m->net.hop[port].channel : RIPSTOP_NONE;
}

/* Of a switch from which packets arrive at another. */
static inline mend_hop mender_hop_of(const ripstop_mender *m, uint32_t s) { return mend_hop_of(&m->net, m->row, s); }

static inline unsigned mender_lane(const ripstop_mender *m, uint32_t end) {
  return ripstop_forwarding_level(m->tables, end, m->address) % m->lanes;
}

/* mender.c: the destination at hand. */
void mender_turn_to(ripstop_mender *m, uint32_t address);
/* Turns of its packets become hard, which must go up already. */
void mender_mark_turns(ripstop_mender *m);
/* Marks the switches from which packets do not arrive, and those behind one more; RIPSTOP_NONE: behind none. */
void mender_cut_off(ripstop_mender *m, uint32_t one_more);
/* Gives new ways to those, and marks them no more. False: there is no room in the lane. */
bool mender_mend_cut(ripstop_mender *m);
/* Whether packets of all switches of its part arrive. */
bool mender_all_arrive(ripstop_mender *m);
/* An entry for the destination at hand, and its record. */
void mender_write(ripstop_mender *m, uint32_t s, uint16_t port);
/* A turn hard in some lanes. False: it closes a circle in one of them. */
bool mender_harden(ripstop_mender *m, uint32_t c, uint32_t d, unsigned lanes);
/* The lanes in which the end nodes at a switch send to the destination. */
unsigned mender_lanes_at(const ripstop_mender *m, uint32_t s);
/* The lanes in which its tree may be: one where service levels depend on the destination alone. */
unsigned mender_lanes_to(const ripstop_mender *m);

/* keep.c: remembers tables, levels and all that is known as they are now, and goes back to that, whatever a call of
 * ripstop_mender_follow has answered in between: one at most, for a view that is then to be again what it was. */
void mender_keep(ripstop_mender *mender);
void mender_back(ripstop_mender *mender);

/* regrow.c: ways for the switches in `cut`; nothing changes where there are none. */
bool mender_regrow(ripstop_mender *m);
/* whole.c: all of the destination's tree may change, and by pair service levels. `hard`: with the old
 * pointers kept, without, and with other prices; else once, and not for long. */
bool mender_grow_whole(ripstop_mender *m, bool hard);
/* balance.c: other entries change, at most so many, such that the busiest channels carry less. By destination only. */
void mender_balance(ripstop_mender *m, uint32_t most);
/* room.c: other trees of its lane may change, too. One switch has lost its channel: it goes over a neighbour whose turn
 * closes a circle, and so few others that are in the way find other ways; while the switches are marked as cut off. */
bool mender_give_way(ripstop_mender *m);
/* All of them. */
bool mender_make_room(ripstop_mender *m);

#endif
