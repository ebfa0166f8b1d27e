/* filling.c - progressive filling (Bertsekas and Gallager 1992, section 6.5.2) of the members of an update, on the
 * capacity that all other streams leave.
 *
 * The rate of all members rises together. When a channel is full, the members that cross it keep their rate, and it is
 * their bottleneck. The others go on. A channel's level is the rate at which it becomes full; it can only rise while
 * members get fixed, so a heap of levels is updated when a channel comes to its top. A stream that shares no channel
 * needs no heap: the lowest of its levels is its rate. Rings and pairs of neighbours are such streams only.
 *
 * Cost: O(crossings of members + shared channels * log of them). */
#include "base/binary_heap.h"
#include "flow/fluid.h"

#include "base/no_heap.h"

static inline bool is_lower(const level *a, const level *b) {
  return a->rate < b->rate || (a->rate == b->rate && a->channel < b->channel);
}
RIPSTOP_HEAP_WITHOUT_ADDING(level, level, is_lower)

static double level_of(const channel *c) { return c->left > 0 ? c->left / c->weight : 0; }

static void open_channels(fluid *f) {
  for (uint32_t i = 0; i < f->touches; i++) {
    channel *c = &f->channel[f->touched[i]];
    if (c->members == c->crossings) c->others = 0;
    c->open = c->members;
    c->left = c->capacity - c->others;
    c->weight = c->all;
    c->given = c->highest = 0;
    c->own = INFINITY;
  }
}

static void fix(fluid *f, stream *s, double rate, uint32_t at) {
  s->fixed = true;
  s->next_rate = rate;
  s->next_bottleneck = at;
  for (uint32_t i = s->first, end = s->first + s->crossings; i < end; i++) {
    channel *c = &f->channel[f->crossing[i].channel];
    const double weight = f->crossing[i].share * s->messages;
    c->left -= weight * rate;
    c->given += weight * rate;
    c->highest = rate;
    c->weight = --c->open ? c->weight - weight : 0;
  }
}

/* ------------------------------------------------------------------ streams that share nothing */

static bool is_alone(const fluid *f, const stream *s) {
  for (uint32_t i = s->first, end = s->first + s->crossings; i < end; i++)
    if (f->channel[f->crossing[i].channel].crossings > 1) return false;
  return s->crossings > 0;
}

static void fix_alone(fluid *f, stream *s) {
  level lowest = {INFINITY, RIPSTOP_NONE};
  for (uint32_t i = s->first, end = s->first + s->crossings; i < end; i++) {
    const level l = {level_of(&f->channel[f->crossing[i].channel]), f->crossing[i].channel};
    if (is_lower(&l, &lowest)) lowest = l;
  }
  f->channel[lowest.channel].own = lowest.rate;
  fix(f, s, lowest.rate, lowest.channel);
}

/* ------------------------------------------------------------------ streams that share channels */

static uint32_t open_levels(fluid *f) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->touches; i++) {
    const channel *c = &f->channel[f->touched[i]];
    if (c->open) f->level[count++] = (level){level_of(c), f->touched[i]};
  }
  for (uint32_t i = count / 2; i-- > 0;) level_down(f->level, count, i, f->level[i]);
  return count;
}

/* Members come first in a channel's list. */
static void fix_all_on(fluid *f, uint32_t number, double rate) {
  channel *c = &f->channel[number];
  uint32_t at = c->first;
  c->own = rate;
  for (uint32_t left = c->members; left-- > 0; at = f->crossing[at].next) {
    stream *s = &f->stream[f->crossing[at].stream];
    if (!s->fixed) fix(f, s, rate, number);
  }
}

void fluid_fill(fluid *f) {
  open_channels(f);
  for (uint32_t i = 0; i < f->members; i++) {
    stream *s = &f->stream[f->member[i]];
    s->fixed = false;
    if (is_alone(f, s)) fix_alone(f, s);
  }
  size_t count = open_levels(f);
  while (count) {
    const level top = f->level[0];
    const channel *c = &f->channel[top.channel];
    const double rate = c->open ? level_of(c) : 0;
    if (c->open && rate > top.rate) {
      level_down(f->level, count, 0, (level){rate, top.channel});
      continue;
    }
    if (c->open) fix_all_on(f, top.channel, rate);
    level_take(f->level, &count);
  }
}
