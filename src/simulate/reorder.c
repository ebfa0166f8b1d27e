/* reorder.c - reordering: for each delivered packet the packets of its pair of end nodes and class that were sent after
 * it and have arrived before it (RFC 4737, "reordering extent", counted in packets).
 *
 * A part numbers the packets of each of its sources to each destination; the number lies beside the packet's row. The
 * receiver's part keeps the first number that has not arrived and the later ones that have. So memory grows with the
 * pairs that send and with what is out of order, not with the length of the run. A lost packet leaves a gap: when AHEAD
 * packets have arrived beyond it, it is given up.
 *
 * Each pair belongs to one part at either end, and an end node receives at most one packet in a cycle, so that results
 * do not depend on threads. */
#include "simulate/reorder.h"

#include <math.h>
#include <string.h>

#include "base/growing.h"

enum { AHEAD = 4096 };

typedef struct pair { /* at its source: `next` is the number of the next packet; else what has arrived */
  uint64_t key;       /* 1 + stream << 32 | destination; 0: a free place */
  uint32_t *ahead;    /* [count]: numbers beyond `next` that have arrived, ascending */
  uint32_t next, count, room;
} pair;

typedef struct pairs { /* a hash table */
  pair *at;
  size_t count, room; /* room: a power of two, or 0 */
} pairs;

typedef struct sums {
  uint64_t packets, later, most; /* packets measured; the sum and the largest of their extents */
} sums;

struct reorder {
  uint32_t *number; /* [packets] */
  pairs *sent, *arrived;
  sums *sums; /* [parts], as the lists above */
};

static pair *place_of(const pairs *all, uint64_t key) {
  size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (all->room - 1);
  while (all->at[i].key && all->at[i].key != key) i = (i + 1) & (all->room - 1);
  return &all->at[i];
}

static void grow(part *t, pairs *all) {
  const pairs old = *all;
  all->room = old.room ? 2 * old.room : 256;
  all->at = ripstop_arena_array(t->more, all->room, sizeof *all->at);
  for (size_t i = 0; i < old.room; i++)
    if (old.at[i].key) *place_of(all, old.at[i].key) = old.at[i];
}

static pair *find(part *t, pairs *all, const packet *p) {
  const uint64_t stream = (uint64_t)p->source * t->shape.classes + p->class_, key = (stream + 1) << 32 | p->destination;
  if (2 * all->count >= all->room) grow(t, all);
  pair *own = place_of(all, key);
  if (!own->key) {
    own->key = key;
    all->count++;
  }
  return own;
}

void reorder_number(part *t, uint32_t packet_index) {
  struct reorder *all = t->run->reorder;
  all->number[packet_index] = find(t, &all->sent[t->number], &t->packet[packet_index])->next++;
}

/* The numbers that have arrived without a gap before them are in no list. */
static void close_gap(pair *own) {
  uint32_t closed = 0;
  while (closed < own->count && own->ahead[closed] == own->next) closed++, own->next++;
  own->count -= closed;
  if (closed) memmove(own->ahead, own->ahead + closed, own->count * sizeof *own->ahead);
}

/* Notes a number. Returns how many higher ones were there. */
static uint32_t arrive(part *t, pair *own, uint32_t number) {
  if (number < own->next) return own->next - 1 - number + own->count; /* behind a gap that was given up */
  uint32_t at = own->count;
  while (at > 0 && own->ahead[at - 1] > number) at--;
  const uint32_t higher = own->count - at;
  if (number == own->next) {
    own->next++;
  } else {
    RIPSTOP_GROW_IN(t->more, own->ahead, own->count, own->room);
    memmove(own->ahead + at + 1, own->ahead + at, higher * sizeof *own->ahead);
    own->ahead[at] = number;
    own->count++;
  }
  if (own->count == AHEAD) own->next = own->ahead[0];
  close_gap(own);
  return higher;
}

static void note(part *t, const packet *p) {
  struct reorder *all = t->run->reorder;
  const uint32_t higher = arrive(t, find(t, &all->arrived[t->number], p), all->number[p - t->packet]);
  sums *own = &all->sums[t->number];
  if (t->now < t->measure.start) return; /* it is RIPSTOP_NONE while an automatic warm-up lasts */
  own->packets++;
  own->later += higher;
  if (higher > own->most) own->most = higher;
}

void reorder_values(const run *r, values *v) {
  sums all = {0};
  if (!r->reorder) return;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    const sums *own = &r->reorder->sums[i];
    all.packets += own->packets;
    all.later += own->later;
    if (own->most > all.most) all.most = own->most;
  }
  values_add(v, "reorder.max", (double)all.most, NAN);
  values_add(v, "reorder.mean", all.packets ? (double)all.later / (double)all.packets : 0, NAN);
}

void reorder_open(run *r) {
  if (!r->config->measure.reorder) return;
  r->reorder = RIPSTOP_NEW(r->arena, struct reorder);
  *r->reorder = (struct reorder){.number = RIPSTOP_ARRAY(r->arena, r->packets, uint32_t),
                                 .sent = RIPSTOP_ARRAY(r->arena, r->shape->parts, pairs),
                                 .arrived = RIPSTOP_ARRAY(r->arena, r->shape->parts, pairs),
                                 .sums = RIPSTOP_ARRAY(r->arena, r->shape->parts, sums)};
  uint32_t place = 0;
  while (r->part->hook.delivered[place]) place++;
  r->part->hook.delivered[place] = note;
}
