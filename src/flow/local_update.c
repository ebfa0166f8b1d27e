/* local_update.c - new rates after a change, for the streams that it concerns and no others.
 *
 * Members are at first the streams with new messages, and those whose bottleneck is a channel where a message left or
 * the capacity changed. Then repeat: fill the members on what the others leave, and look at each channel that members
 * cross. From the streams outside, add
 *   1. the fastest of the channel, if the channel is over its capacity
 *   2. those whose bottleneck it is, if it is no longer full or carries a faster stream
 *   3. those that are faster than the slowest stream whose bottleneck it is
 * When nothing is added every stream has a bottleneck, so the rates are max-min fair for all. Members only become more,
 * so it ends; about two rounds are usual. */
#include "flow/fluid.h"

#include <assert.h>

#include "base/no_heap.h"

/* ------------------------------------------------------------------ members */

static void touch(fluid *f, uint32_t number) {
  channel *c = &f->channel[number];
  if (c->update == f->update) return;
  c->update = f->update;
  c->others = c->load;
  c->members = 0;
  c->all = 0;
  f->touched[f->touches++] = number;
}

static void join(fluid *f, uint32_t number) {
  stream *s = &f->stream[number];
  if (s->update == f->update || !s->messages) return;
  s->update = f->update;
  f->member[f->members++] = number;
  for (uint32_t i = s->first, end = s->first + s->crossings; i < end; i++) {
    const crossing *k = &f->crossing[i];
    const double weight = k->share * s->messages;
    touch(f, k->channel);
    channel *c = &f->channel[k->channel];
    c->others -= weight * s->rate;
    c->all += weight;
    c->members++;
    fluid_to_front(f, i);
  }
}

static bool exceeds(double a, double b) { return a > b + b * FLUID_NEAR; }

/* Puts a stream on the list of those that join together. */
static void choose(fluid *f, uint32_t number) {
  stream *s = &f->stream[number];
  if (s->chosen || s->update == f->update) return;
  s->chosen = true;
  f->joining[f->joins++] = number;
}

static bool join_chosen(fluid *f) {
  const bool some = f->joins > 0;
  for (uint32_t i = 0; i < f->joins; i++) {
    f->stream[f->joining[i]].chosen = false;
    join(f, f->joining[i]);
  }
  f->joins = 0;
  return some;
}

/* Streams whose bottleneck has changed; all of a channel whose capacity fell below its load. */
static void choose_of_channel(fluid *f, uint32_t number) {
  channel *c = &f->channel[number];
  const bool all = exceeds(c->load, c->capacity);
  c->changed = false;
  if (!c->bound && !all) return;
  for (uint32_t i = c->first; i != RIPSTOP_NONE; i = f->crossing[i].next)
    if (all || f->stream[f->crossing[i].stream].bottleneck == number) choose(f, f->crossing[i].stream);
}

static void join_first(fluid *f) {
  for (uint32_t i = 0; i < f->news; i++) {
    f->stream[f->fresh[i]].fresh = false;
    choose(f, f->fresh[i]);
  }
  for (uint32_t i = 0; i < f->changes; i++) choose_of_channel(f, f->changed[i]);
  f->news = f->changes = 0;
  join_chosen(f);
}

/* ------------------------------------------------------------------ rules */

/* The streams of a channel that are no members. */
typedef struct outside {
  double fastest;
  double slowest; /* whose bottleneck the channel is; INFINITY: there are none */
} outside;

static uint32_t first_outside(const fluid *f, const channel *c) {
  uint32_t at = c->first;
  for (uint32_t i = 0; i < c->members; i++) at = f->crossing[at].next;
  return at;
}

static outside outside_of(const fluid *f, uint32_t number, uint32_t first) {
  outside o = {.slowest = INFINITY};
  for (uint32_t i = first; i != RIPSTOP_NONE; i = f->crossing[i].next) {
    const stream *s = &f->stream[f->crossing[i].stream];
    o.fastest = fmax(o.fastest, s->rate);
    if (s->bottleneck == number) o.slowest = fmin(o.slowest, s->rate);
  }
  return o;
}

/* Which streams of a channel have to be added. */
typedef struct verdict {
  bool over, loose; /* rules 1 and 2 */
  double fastest, highest, least;
} verdict;

static bool has_to_join(const verdict *v, const stream *s, uint32_t number) {
  if (v->over && !exceeds(v->fastest, s->rate)) return true;
  if (s->bottleneck == number && (v->loose || exceeds(v->highest, s->rate))) return true;
  return exceeds(s->rate, v->least);
}

static void choose_at(fluid *f, uint32_t number) {
  const channel *c = &f->channel[number];
  if (c->members == c->crossings) return;
  const uint32_t first = first_outside(f, c);
  const outside o = outside_of(f, number, first);
  const double load = c->others + c->given;
  const verdict v = {.over = exceeds(load, c->capacity),
                     .loose = exceeds(c->capacity, load),
                     .fastest = o.fastest,
                     .highest = fmax(c->highest, o.fastest),
                     .least = fmin(o.slowest, c->own)};
  for (uint32_t i = first; i != RIPSTOP_NONE; i = f->crossing[i].next)
    if (has_to_join(&v, &f->stream[f->crossing[i].stream], number)) choose(f, f->crossing[i].stream);
}

/* True if members were added. */
static bool join_more(fluid *f) {
  for (uint32_t i = 0; i < f->touches; i++) choose_at(f, f->touched[i]);
  return join_chosen(f);
}

/* ------------------------------------------------------------------ the end */

static void move_bound(fluid *f, stream *s) {
  if (s->bottleneck == s->next_bottleneck) return;
  if (s->bottleneck != RIPSTOP_NONE) f->channel[s->bottleneck].bound--;
  s->bottleneck = s->next_bottleneck;
  f->channel[s->bottleneck].bound++;
}

static void adopt(fluid *f, uint32_t number) {
  stream *s = &f->stream[number];
  move_bound(f, s);
  f->altered += exceeds(s->next_rate, s->rate) || exceeds(s->rate, s->next_rate);
  s->served = fluid_served(f, s);
  s->since = f->now;
  s->rate = s->next_rate;
  fluid_sort(f, number);
}

static void finish(fluid *f) {
  for (uint32_t i = 0; i < f->members; i++) adopt(f, f->member[i]);
  for (uint32_t i = 0; i < f->touches; i++) {
    channel *c = &f->channel[f->touched[i]];
    c->load = c->others + c->given;
    c->members = 0;
  }
  f->members = f->touches = 0;
}

void fluid_update(fluid *f) {
  if (!f->news && !f->changes) return;
  f->update++;
  join_first(f);
  if (!f->members) return;
  f->updates++;
  do fluid_fill(f);
  while (join_more(f));
  finish(f);
#ifndef NDEBUG
  enum { CHECKED = 2000 }; /* crossings up to which every update is checked */
  assert(f->crossings > CHECKED || fluid_is_fair(f, FLUID_NEAR * 100));
#endif
}
