/* room.c - room for a destination in its lane, where the other trees of the lane leave none.
 *
 * Service levels must stay, so all trees of the lane are laid anew: those that found no place come first, then the
 * others as they are, as long as their turns close no circle with what is there; where they do, the tree is grown anew.
 * One that finds no place then comes first in the next round. What a round changed is taken back before the next one.
 *
 * Old tables and new ones do not fit into one order then, so they are written in two steps. */
#include <string.h>

#include "mend/mender.h"

enum { ROUNDS = 8 };

typedef struct room {
  ripstop_mender *m;
  unsigned lane;
  uint32_t *first, firsts; /* addresses */
  uint8_t *listed;         /* [addresses] */
  uint32_t *added;         /* [switches]: turns */
} room;

static bool is_mate(ripstop_mender *m, uint32_t address, unsigned lane) {
  mender_turn_to(m, address);
  return m->to != RIPSTOP_NONE && mender_lanes_to(m) == 1u << lane;
}

/* But for what packets to dead destinations take, which go on until there is no way. */
static void forget_lane(room *r) {
  ripstop_mender *m = r->m;
  for (uint32_t turn = 0; turn < m->net.turns; turn++) m->frames.hard[turn] &= (uint8_t) ~(1u << r->lane);
  for (uint32_t address = 0; address < m->tables->addresses; address++) {
    mender_turn_to(m, address);
    if (m->to == RIPSTOP_NONE && mender_lanes_to(m) == 1u << r->lane) mender_mark_turns(m);
  }
}

/* The tree as it is; false: it does not serve all, or a turn closes a circle. */
static bool keep_tree(room *r) {
  ripstop_mender *m = r->m;
  uint32_t added = 0;
  uint8_t bit = (uint8_t)(1u << r->lane);
  bool fits = mender_all_arrive(m);
  for (uint32_t s = 0; fits && s < m->net.switches; s++) {
    if (s == m->to || m->net.part[s] != m->net.part[m->to]) continue;
    uint32_t c = mender_next(m, s), on = m->net.to[c] == m->to ? RIPSTOP_NONE : mender_next(m, m->net.to[c]);
    if (on == RIPSTOP_NONE || m->frames.hard[mend_turn(&m->net, c, on)] & bit) continue;
    fits = mender_harden(m, c, on, bit);
    if (fits) r->added[added++] = mend_turn(&m->net, c, on);
  }
  while (!fits && added > 0) m->frames.hard[r->added[--added]] &= (uint8_t)~bit;
  return fits;
}

static void take_back(ripstop_mender *m, uint32_t entries) {
  while (m->entries > entries) {
    const ripstop_mended_entry *e = &m->entry[--m->entries];
    ripstop_forwarding_set(m->tables, e->address, e->switch_, e->was);
  }
}

/* False: some tree found no place, and will be the first. */
static bool one_round(room *r) {
  ripstop_mender *m = r->m;
  forget_lane(r);
  for (uint32_t i = r->firsts; i-- > 0;) {
    mender_turn_to(m, r->first[i]);
    if (!mender_grow_whole(m, MENDER_DRAWS)) return false;
  }
  for (uint32_t address = 0; address < m->tables->addresses; address++) {
    if (r->listed[address] || !is_mate(m, address, r->lane) || keep_tree(r) || mender_grow_whole(m, 0)) continue;
    r->listed[address] = 1;
    r->first[r->firsts++] = address;
    return false;
  }
  return true;
}

bool mender_make_room(ripstop_mender *m) {
  if (m->by_pair) return false;
  ripstop_arena *scratch = ripstop_arena_new();
  uint32_t entries = m->entries, addresses = m->tables->addresses;
  room r = {.m = m, .lane = (unsigned)__builtin_ctz(mender_lanes_to(m))};
  r.first = RIPSTOP_ARRAY(scratch, addresses, uint32_t);
  r.listed = RIPSTOP_ARRAY(scratch, addresses, uint8_t);
  r.added = RIPSTOP_ARRAY(scratch, m->net.switches, uint32_t);
  m->counted = false;
  m->twice = true;
  r.listed[m->address] = 1;
  r.first[r.firsts++] = m->address;
  bool done = false;
  for (unsigned i = 0; i < ROUNDS && !done; i++) {
    take_back(m, entries);
    done = one_round(&r);
  }
  ripstop_arena_free(scratch);
  return done;
}
