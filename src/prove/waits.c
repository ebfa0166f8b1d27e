/* waits.c - which queues can wait for each other forever?
 *
 * The greatest set in which each queue has a reachable head one of whose wait sets (lowest.h) leads into the set. Found
 * from above: drop a queue when each of its wait sets meets a dropped queue, until no more drop. Soundness: in a
 * configuration where nothing can ever move, the dropped queues are empty, in the order in which they dropped, so a
 * head with a candidate into one could have moved.
 *
 * Rings under bubble flow control: a cycle of output VCs, each entered from its predecessor in the cycle with space
 * for one packet and from everywhere else with space for two, always keeps a free place (Carrion et al. 1997). So if
 * nothing moves and the ring is not empty, some head in it has a free place before it. The ring drops as a whole when
 * each wait set of each of its queues contains the next output VC of the ring or meets a dropped queue. Entries are
 * those of all heads, also of those that may be consumed instead.
 *
 * With some of the heads (a sample of destinations) the remaining set is a subset of that of all: with fewer sets
 * more queues drop. A ring is not recognised if no sampled head continues in it from some queue. That makes no
 * difference: that queue's sets met dropped queues where the ring dropped, so it drops alone, and one by one those
 * before it. So a deadlock that a sample shows is real. */
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "prove/lowest.h"
#include "prove/prover.h"

enum { NO_RING = 0 };
enum { FEW = 8, SLOTS = 4096 }; /* queues with more sets look them up by their bits */
#define MANY (RIPSTOP_NONE - 1) /* more than one predecessor */

static uint32_t words_at(const ripstop_prover *p, uint32_t node) {
  return (p->first_lane[node + 1] - p->first_lane[node] + 63) / 64;
}
static uint32_t receiver(const ripstop_prover *p, uint32_t lane) {
  return p->fabric->port_node[p->fabric->peer[lane / p->channels]];
}
static uint32_t sender(const ripstop_prover *p, uint32_t lane) { return p->fabric->port_node[lane / p->channels]; }
static bool has(const uint64_t *bits, uint32_t i) { return bits[i / 64] >> (i % 64) & 1; }

void waits_reset(ripstop_prover *p) {
  if (p->first_sets < p->lanes) {
    p->first_set = ripstop_arena_realloc(p->keep, p->first_set, p->lanes, sizeof *p->first_set);
    p->first_sets = p->lanes;
  }
  memset(p->first_set, 0xff, p->lanes * sizeof *p->first_set);
  p->fan = 0;
  for (uint32_t node = p->fabric->ends; node < p->fabric->nodes; node++)
    if (p->first_lane[node + 1] - p->first_lane[node] > p->fan) p->fan = p->first_lane[node + 1] - p->first_lane[node];
  p->bits = (2 * p->fan + 63) / 64;
  p->alone = ripstop_arena_realloc(p->keep, p->alone, (size_t)p->lanes * p->bits, sizeof *p->alone);
  memset(p->alone, 0, (size_t)p->lanes * p->bits * sizeof *p->alone);
  p->narrow = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t);
  memset(p->narrow, 0xff, p->lanes * sizeof *p->narrow);
  p->sets = p->pool_used = 0;
  if (p->slot) memset(p->slot, 0, ((size_t)p->slot_mask + 1) * sizeof *p->slot);
}

/* ------------------------------------------------------------------ collecting */

static uint64_t *scratch_bits(ripstop_prover *p, uint32_t words) {
  if (p->pool_used + words > p->pool_room) {
    p->pool_room = 2 * p->pool_room + words + 4096;
    p->pool = ripstop_arena_realloc(p->keep, p->pool, p->pool_room, sizeof *p->pool);
  }
  uint64_t *bits = p->pool + p->pool_used;
  for (uint32_t i = 0; i < words; i++) bits[i] = 0; /* few: quicker than a call */
  return bits;
}

static uint32_t source_of(const ripstop_prover *p, uint32_t number) {
  while (p->state[number].parent != RIPSTOP_NONE) number = p->state[number].parent;
  return p->state[number].place - p->lanes;
}

static bool equal_bits(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static uint32_t place_of(const ripstop_prover *p, const wait_set *s) {
  return s->deadlock_packets.port * p->channels + s->deadlock_packets.channel;
}

/* The slot at which sets with these bits of the queue are looked up first. */
static uint32_t slot_of(const ripstop_prover *p, uint32_t place, const uint64_t *bits, uint32_t words) {
  uint64_t x = place * UINT64_C(0xD6E8FEB86659FD93);
  for (uint32_t i = 0; i < words; i++) x = (x ^ bits[i]) * UINT64_C(0x9E3779B97F4A7C15), x ^= x >> 32;
  return (uint32_t)x & p->slot_mask;
}

/* The number of sets of the queue. */
static uint32_t sets_of(const ripstop_prover *p, uint32_t place) {
  return p->first_set[place] == RIPSTOP_NONE ? 0 : p->set[p->first_set[place]].many;
}

static bool listed(const ripstop_prover *p, uint32_t place, const uint64_t *bits, uint32_t words) {
  for (uint32_t i = p->first_set[place]; i != RIPSTOP_NONE; i = p->set[i].next)
    if (equal_bits(p->pool + p->set[i].bits, bits, words)) return true;
  return false;
}

/* True if the queue has the bits at the end of the pool already. */
static bool known(const ripstop_prover *p, uint32_t place, uint32_t words) {
  const uint64_t *bits = p->pool + p->pool_used;
  if (sets_of(p, place) <= FEW) return listed(p, place, bits, words);
  for (uint32_t at = slot_of(p, place, bits, words); p->slot[at]; at = (at + 1) & p->slot_mask) {
    const wait_set *s = &p->set[p->slot[at] - 1];
    if (place_of(p, s) == place && equal_bits(p->pool + s->bits, bits, words)) return true;
  }
  return false;
}

static void note(ripstop_prover *p, uint32_t number) {
  const wait_set *s = &p->set[number];
  const uint32_t place = place_of(p, s), words = 2 * words_at(p, receiver(p, place));
  uint32_t at = slot_of(p, place, p->pool + s->bits, words);
  while (p->slot[at]) at = (at + 1) & p->slot_mask;
  p->slot[at] = number + 1;
}

/* Keeps the table at most a quarter full. Inserts all sets of queues with many. */
static void widen_slots(ripstop_prover *p) {
  uint32_t size = p->slot ? p->slot_mask + 1 : SLOTS;
  while (p->sets > size / 4) size *= 2;
  p->slot = ripstop_arena_realloc(p->keep, p->slot, size, sizeof *p->slot);
  p->slot_mask = size - 1;
  memset(p->slot, 0, size * sizeof *p->slot);
  for (uint32_t i = 0; i < p->sets; i++)
    if (sets_of(p, place_of(p, &p->set[i])) > FEW) note(p, i);
}

/* Inserts the queue's last set, which is new. */
static void note_last(ripstop_prover *p, uint32_t place) {
  const uint32_t last = p->first_set[place];
  if (p->set[last].many <= FEW) return;
  if (!p->slot || p->sets > p->slot_mask / 4)
    widen_slots(p);
  else if (p->set[last].many > FEW + 1)
    note(p, last);
  else
    for (uint32_t i = last; i != RIPSTOP_NONE; i = p->set[i].next) note(p, i);
}

/* Gives the queue the bits at the end of the pool. */
static void keep(ripstop_prover *p, uint32_t place, uint32_t words, const ripstop_deadlocked_packet *deadlock_packets) {
  RIPSTOP_GROW_IN(p->keep, p->set, p->sets, p->set_room);
  p->set[p->sets] = (wait_set){.next = p->first_set[place],
                               .many = sets_of(p, place) + 1,
                               .bits = p->pool_used,
                               .deadlock_packets = *deadlock_packets};
  p->first_set[place] = p->sets++;
  p->pool_used += words;
  note_last(p, place);
}

static ripstop_deadlocked_packet deadlocked_at(const ripstop_prover *p, uint32_t number, uint32_t destination) {
  const state *s = &p->state[number];
  return (ripstop_deadlocked_packet){.port = s->place / p->channels,
                                     .channel = (uint8_t)(s->place % p->channels),
                                     .class_ = (uint8_t)p->class_,
                                     .source = source_of(p, number),
                                     .destination = destination,
                                     .header = s->header};
}

void waits_enter(ripstop_prover *p, uint32_t from, uint32_t to, bool wide) {
  if (wide || p->narrow[to] == from) return;
  p->narrow[to] = p->narrow[to] == RIPSTOP_NONE ? from : MANY;
}

/* Adds the output VCs of the candidates `from` .. `end`-1 to a wait set. True if one of them leads to the destination,
 * which consumes the packet. */
static bool gather(const ripstop_prover *p, uint32_t from, uint32_t end, uint32_t base, uint64_t *bits, uint32_t words,
                   uint32_t destination) {
  bool consumed = false;
  for (uint32_t i = from; i < end; i++) {
    uint32_t bit = lane_of_candidate(p, &p->candidate[i]);
    bits[(p->candidate[i].space > 1 ? words : 0) + bit / 64] |= UINT64_C(1) << (bit % 64);
    consumed |= p->arrival[base + bit].node == destination;
  }
  return consumed;
}

/* The candidates enter their output VCs from a queue. */
static void enter_all(ripstop_prover *p, uint32_t place, uint32_t from, uint32_t end, uint32_t base) {
  for (uint32_t i = from; i < end; i++)
    waits_enter(p, place, base + lane_of_candidate(p, &p->candidate[i]), p->candidate[i].space > 1);
}

/* A head with only this candidate has been added to the queue. Not for a head that is consumed: an in-transit packet
 * with the same output VC continues to wait. */
static void note_alone(ripstop_prover *p, uint32_t place, const ripstop_candidate *candidate) {
  uint32_t bit = waits_bit(p, candidate);
  p->alone[(size_t)place * p->bits + bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* The candidates that form a wait set each, moved to the front; the others belong to all of these sets. */
static uint32_t put_first(ripstop_prover *p, uint32_t candidates) {
  if (p->bound) return candidates;
  return p->binds && candidates > 1 ? (uint32_t)lowest_rank_first(p->candidate, (int)candidates) : 1;
}

void waits_add(ripstop_prover *p, uint32_t number, uint32_t node, uint32_t candidates, uint32_t destination) {
  const uint32_t place = p->state[number].place, words = words_at(p, node), base = p->first_lane[node],
                 first = put_first(p, candidates);
  for (uint32_t i = 0; i < first; i++) {
    const bool alone = first == candidates;
    if (alone && waits_known(p, place, waits_bit(p, &p->candidate[i]))) continue;
    uint64_t *bits = scratch_bits(p, 2 * words);
    const bool one = gather(p, i, i + 1, base, bits, words, destination);
    const bool others = gather(p, first, candidates, base, bits, words, destination);
    const bool consumed = one || others; /* after both have filled `bits` */
    if (alone && !consumed) note_alone(p, place, &p->candidate[i]);
    if (!consumed && known(p, place, 2 * words)) continue;
    enter_all(p, place, i, i + 1, base);
    enter_all(p, place, first, candidates, base);
    if (consumed) continue;
    ripstop_deadlocked_packet deadlock_packets = deadlocked_at(p, number, destination);
    keep(p, place, 2 * words, &deadlock_packets);
  }
}

void waits_hold(ripstop_prover *p, uint32_t number, uint32_t node, uint32_t destination) {
  uint32_t place = p->state[number].place, words = 2 * words_at(p, node);
  scratch_bits(p, words);
  if (known(p, place, words)) return;
  ripstop_deadlocked_packet deadlock_packets = deadlocked_at(p, number, destination);
  keep(p, place, words, &deadlock_packets);
}

void waits_merge(ripstop_prover *p, const ripstop_prover *from) {
  for (uint32_t i = 0; i < from->sets; i++) {
    ripstop_task_progress(NULL, 0, 0);
    const wait_set *s = &from->set[i];
    const uint32_t place = place_of(p, s), words = 2 * words_at(p, receiver(p, place));
    memcpy(scratch_bits(p, words), from->pool + s->bits, words * sizeof *p->pool);
    if (!known(p, place, words)) keep(p, place, words, &s->deadlock_packets);
  }
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    p->arrival[lane].used |= from->arrival[lane].used;
    if (from->narrow[lane] != RIPSTOP_NONE && p->narrow[lane] != from->narrow[lane])
      p->narrow[lane] = p->narrow[lane] == RIPSTOP_NONE ? from->narrow[lane] : MANY;
  }
}

/* ------------------------------------------------------------------ rings */

typedef struct decision {
  ripstop_prover *p;
  uint8_t *dropped;    /* [lanes] */
  uint32_t *ring;      /* [lanes]: number of the ring, NO_RING */
  uint32_t *ring_next; /* [lanes]: the next output VC of its ring */
  uint32_t *order, orders;
  uint32_t *group, groups; /* [lanes]: the ring that dropped as a whole; NO_RING: the queue dropped alone */
} decision;

/* Finds cycles of output VCs that are entered narrow from their predecessor alone, and from outside wide, if at all. */
static void find_rings(decision *d) {
  ripstop_prover *p = d->p;
  uint32_t *seen = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t), rings = 0;
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    uint32_t at = lane;
    while (!seen[at] && p->narrow[at] < p->lanes) { /* otherwise none, a NIC, or several */
      seen[at] = lane + 1;
      at = p->narrow[at];
    }
    if (seen[at] != lane + 1 || p->narrow[at] >= p->lanes) continue;
    rings++;
    for (uint32_t start = at, first = 1; first || at != start; first = 0) {
      d->ring[at] = rings;
      d->ring_next[p->narrow[at]] = at;
      at = p->narrow[at];
    }
  }
}

/* ------------------------------------------------------------------ dropping */

static bool meets_dropped(const decision *d, uint32_t lane, const wait_set *s) {
  const ripstop_prover *p = d->p;
  uint32_t node = receiver(p, lane), words = words_at(p, node), base = p->first_lane[node];
  for (uint32_t w = 0; w < 2 * words; w++)
    for (uint64_t set = p->pool[s->bits + w]; set; set &= set - 1)
      if (d->dropped[base + 64 * (w % words) + (uint32_t)__builtin_ctzll(set)]) return true;
  return false;
}

/* True if every wait set of the queue meets a dropped one, or, in a ring, may continue in the ring. */
static bool can_move(decision *d, uint32_t lane, bool in_ring) {
  ripstop_prover *p = d->p;
  uint32_t next = in_ring ? d->ring_next[lane] - p->first_lane[receiver(p, lane)] : 0;
  for (uint32_t i = p->first_set[lane]; i != RIPSTOP_NONE; i = p->set[i].next) {
    wait_set *s = &p->set[i];
    if (s->released || (in_ring && has(p->pool + s->bits, next))) continue;
    if (!meets_dropped(d, lane, s)) return false;
    s->released = true;
  }
  return true;
}

static void drop(decision *d, uint32_t lane) {
  d->dropped[lane] = 1;
  d->order[d->orders++] = lane;
}

/* A ring with a queue that has dropped alone needs no rule of its own: the queues before it drop one by one. */
static bool try_ring(decision *d, uint32_t lane) {
  uint32_t at = lane;
  do {
    if (d->dropped[at] || !can_move(d, at, true)) return false;
    at = d->ring_next[at];
  } while (at != lane);
  d->groups++;
  do {
    drop(d, at);
    d->group[at] = d->groups;
    at = d->ring_next[at];
  } while (at != lane);
  return true;
}

static bool try_drop(decision *d, uint32_t lane) {
  if (can_move(d, lane, false)) {
    drop(d, lane);
    return true;
  }
  return d->ring[lane] != NO_RING && try_ring(d, lane);
}

/* Only queues into the node from which a dropped queue leads can become free by it (a ring: any of its nodes). */
static void drop_all(decision *d) {
  const ripstop_prover *p = d->p;
  const ripstop_fabric *f = p->fabric;
  for (uint32_t lane = 0; lane < p->lanes; lane++)
    if (p->arrival[lane].used && !d->dropped[lane]) try_drop(d, lane);
  for (uint32_t done = 0; done < d->orders; done++) {
    uint32_t node = sender(p, d->order[done]);
    ripstop_task_progress("order of the queues", done, p->lanes);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      if (f->peer[port] == RIPSTOP_NONE) continue;
      for (uint32_t lane = f->peer[port] * p->channels; lane < (f->peer[port] + 1) * p->channels; lane++)
        if (p->arrival[lane].used && !d->dropped[lane]) try_drop(d, lane);
    }
  }
}

/* ------------------------------------------------------------------ the verdict */

/* No packet waits for queues that end nodes feed, except in-transit packets. */
static bool is_waited_for(const ripstop_prover *p, uint32_t lane) {
  return !ripstop_is_end(p->fabric, sender(p, lane)) || (p->mixing.versions && p->plan->transit_packets);
}

static void report_order(decision *d, ripstop_proof *out) {
  ripstop_prover *p = d->p;
  ripstop_deadlocked_packet *queue = RIPSTOP_ARRAY(p->arena, d->orders + 1, ripstop_deadlocked_packet);
  uint32_t *ring = RIPSTOP_ARRAY(p->arena, d->orders + 1, uint32_t);
  for (uint32_t i = 0; i < d->orders; i++) {
    uint32_t lane = d->order[i];
    if (!is_waited_for(p, lane)) continue;
    ring[out->queues] = d->group[lane];
    queue[out->queues++] =
        (ripstop_deadlocked_packet){.port = lane / p->channels, .channel = (uint8_t)(lane % p->channels)};
  }
  out->queue = queue;
  out->ring = ring;
}

/* A head that can only wait; in a ring, if possible, one that does not continue in it: a ring keeps a free place, so
 * if all heads continued, they would move. */
static const wait_set *waiting_head(const decision *d, uint32_t lane) {
  const ripstop_prover *p = d->p;
  const wait_set *found = NULL;
  bool ring = d->ring[lane] != NO_RING;
  uint32_t next = ring ? d->ring_next[lane] - p->first_lane[receiver(p, lane)] : 0;
  for (uint32_t s = p->first_set[lane]; s != RIPSTOP_NONE; s = p->set[s].next) {
    if (p->set[s].released || meets_dropped(d, lane, &p->set[s])) continue;
    found = &p->set[s];
    if (!ring || !has(p->pool + found->bits, next)) break;
  }
  return found;
}

static void report_waiting(decision *d, ripstop_proof *out, uint32_t waiting) {
  ripstop_prover *p = d->p;
  ripstop_deadlocked_packet *queue = RIPSTOP_ARRAY(p->arena, waiting, ripstop_deadlocked_packet);
  for (uint32_t lane = 0; lane < p->lanes; lane++)
    if (p->arrival[lane].used && !d->dropped[lane] && is_waited_for(p, lane))
      queue[out->queues++] = waiting_head(d, lane)->deadlock_packets;
  out->queue = queue;
}

static decision open_decision(ripstop_prover *p) {
  return (decision){.p = p,
                    .dropped = RIPSTOP_ARRAY(p->arena, p->lanes, uint8_t),
                    .ring = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t),
                    .ring_next = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t),
                    .order = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t),
                    .group = RIPSTOP_ARRAY(p->arena, p->lanes, uint32_t)};
}

static uint32_t count_waiting(const decision *d) {
  const ripstop_prover *p = d->p;
  uint32_t waiting = 0;
  for (uint32_t lane = 0; lane < p->lanes; lane++)
    waiting += p->arrival[lane].used && !d->dropped[lane] && is_waited_for(p, lane);
  return waiting;
}

/* True if queues would wait on switches without bubble rings. If the decision dropped no whole ring, it needed no
 * rings and is itself the answer. */
static bool waits_without_bubble(ripstop_prover *p, const decision *with_rings) {
  if (with_rings->groups == 0) return false;
  for (uint32_t i = 0; i < p->sets; i++) p->set[i].released = false;
  decision d = open_decision(p);
  drop_all(&d);
  return count_waiting(&d) > 0;
}

void waits_decide(ripstop_prover *p, ripstop_proof *out) {
  decision d = open_decision(p);
  find_rings(&d);
  drop_all(&d);
  uint32_t waiting = count_waiting(&d);
  out->deadlock_free = waiting == 0;
  out->deadlock = ripstop_deadlock_of(p->plan->bubble, waiting > 0 || waits_without_bubble(p, &d), waiting > 0);
  if (waiting)
    report_waiting(&d, out, waiting);
  else
    report_order(&d, out);
}
