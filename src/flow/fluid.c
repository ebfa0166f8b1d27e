/* fluid.c - messages come and go, capacities change, and streams are kept in the order in which their messages end. */
#include "flow/fluid.h"

#include "base/binary_heap.h"
#include "base/growing.h"

void fluid_open(fluid *f, uint32_t channels, uint32_t streams, ripstop_arena *arena) {
  *f = (fluid){.channels = channels, .streams = streams, .arena = arena};
  f->channel = RIPSTOP_ARRAY(arena, (size_t)channels + 1, channel);
  f->stream = RIPSTOP_ARRAY(arena, (size_t)streams + 1, stream);
  f->end = RIPSTOP_ARRAY(arena, (size_t)streams + 1, stream_end);
  f->changed = RIPSTOP_ARRAY(arena, (size_t)channels + 1, uint32_t);
  f->touched = RIPSTOP_ARRAY(arena, (size_t)channels + 1, uint32_t);
  f->level = RIPSTOP_ARRAY(arena, (size_t)channels + 1, level);
  f->fresh = RIPSTOP_ARRAY(arena, (size_t)streams + 1, uint32_t);
  f->member = RIPSTOP_ARRAY(arena, (size_t)streams + 1, uint32_t);
  f->joining = RIPSTOP_ARRAY(arena, (size_t)streams + 1, uint32_t);
  for (uint32_t i = 0; i < channels; i++) f->channel[i].first = RIPSTOP_NONE;
  for (uint32_t i = 0; i < streams; i++) f->stream[i] = (stream){.bottleneck = RIPSTOP_NONE, .place = RIPSTOP_NONE};
}

void fluid_route(fluid *f, uint32_t number, const uint32_t *channels, const double *shares, uint32_t count) {
  stream *s = &f->stream[number];
  if (count > s->room) { /* the old ones stay unused */
    size_t room = f->crossing_room;
    RIPSTOP_ROOM_IN(f->arena, f->crossing, (size_t)f->crossings + count, room);
    f->crossing_room = (uint32_t)room;
    s->first = f->crossings;
    s->room = count;
    f->crossings += count;
  }
  s->crossings = count;
  for (uint32_t i = 0; i < count; i++)
    f->crossing[s->first + i] = (crossing){.stream = number, .channel = channels[i], .share = shares[i]};
}

/* ------------------------------------------------------------------ lists of crossings */

static void link_front(fluid *f, uint32_t number) {
  crossing *k = &f->crossing[number];
  channel *c = &f->channel[k->channel];
  k->before = RIPSTOP_NONE;
  k->next = c->first;
  if (c->first != RIPSTOP_NONE) f->crossing[c->first].before = number;
  c->first = number;
}

static void unlink_it(fluid *f, uint32_t number) {
  const crossing *k = &f->crossing[number];
  if (k->before == RIPSTOP_NONE)
    f->channel[k->channel].first = k->next;
  else
    f->crossing[k->before].next = k->next;
  if (k->next != RIPSTOP_NONE) f->crossing[k->next].before = k->before;
}

void fluid_to_front(fluid *f, uint32_t number) {
  if (f->crossing[number].before == RIPSTOP_NONE) return;
  unlink_it(f, number);
  link_front(f, number);
}

/* ------------------------------------------------------------------ messages */

static void mark(fluid *f, uint32_t number) {
  channel *c = &f->channel[number];
  if (!c->changed) f->changed[f->changes++] = number;
  c->changed = true;
}

void fluid_capacity(fluid *f, uint32_t number, double capacity) {
  if (f->channel[number].capacity == capacity) return;
  f->channel[number].capacity = capacity;
  mark(f, number);
}

double fluid_served(const fluid *f, const stream *s) { return s->served + s->rate * (f->now - s->since); }

/* The stream's first message. Messages count what they get from here on. */
static void open_stream(fluid *f, stream *s) {
  s->served = s->rate = 0;
  s->since = f->now;
  s->bottleneck = RIPSTOP_NONE;
  for (uint32_t i = s->first, end = s->first + s->crossings; i < end; i++) {
    link_front(f, i);
    f->channel[f->crossing[i].channel].crossings++;
  }
}

static void close_stream(fluid *f, stream *s) {
  for (uint32_t i = s->first, end = s->first + s->crossings; i < end; i++) {
    channel *c = &f->channel[f->crossing[i].channel];
    unlink_it(f, i);
    if (!--c->crossings) c->load = 0;
  }
  if (s->bottleneck != RIPSTOP_NONE) f->channel[s->bottleneck].bound--;
  s->bottleneck = RIPSTOP_NONE;
  s->rate = 0;
}

void fluid_add(fluid *f, uint32_t number) {
  stream *s = &f->stream[number];
  if (!s->messages++) open_stream(f, s);
  for (uint32_t i = s->first, end = s->first + s->crossings; s->rate > 0 && i < end; i++)
    f->channel[f->crossing[i].channel].load += f->crossing[i].share * s->rate;
  if (!s->fresh) f->fresh[f->news++] = number;
  s->fresh = true;
}

void fluid_remove(fluid *f, uint32_t number) {
  stream *s = &f->stream[number];
  for (uint32_t i = s->first, end = s->first + s->crossings; i < end; i++) {
    f->channel[f->crossing[i].channel].load -= f->crossing[i].share * s->rate;
    mark(f, f->crossing[i].channel);
  }
  if (!--s->messages) close_stream(f, s);
}

/* ------------------------------------------------------------------ ends in order of time */

static inline bool is_earlier(const stream_end *a, const stream_end *b) {
  return a->when < b->when || (a->when == b->when && a->stream < b->stream);
}

/* As in base/binary_heap.h, and streams know their places. */
static void put(fluid *f, uint32_t at, stream_end it) {
  f->end[at] = it;
  f->stream[it.stream].place = at;
}

static void sift(fluid *f, uint32_t at, stream_end it) {
  for (uint32_t above; at && is_earlier(&it, &f->end[above = (at - 1) / 2]); at = above) put(f, at, f->end[above]);
  for (uint32_t child; (child = 2 * at + 1) < f->ends; at = child) {
    if (child + 1 < f->ends && is_earlier(&f->end[child + 1], &f->end[child])) child++;
    if (!is_earlier(&f->end[child], &it)) break;
    put(f, at, f->end[child]);
  }
  put(f, at, it);
}

static void take_out(fluid *f, stream *s) {
  const uint32_t at = s->place;
  s->place = RIPSTOP_NONE;
  if (--f->ends > at) sift(f, at, f->end[f->ends]);
}

void fluid_sort(fluid *f, uint32_t number) {
  stream *s = &f->stream[number];
  if (!s->messages || !(s->rate > 0)) {
    if (s->place != RIPSTOP_NONE) take_out(f, s);
    return;
  }
  const stream_end it = {s->since + (s->target - s->served) / s->rate, number};
  sift(f, s->place == RIPSTOP_NONE ? f->ends++ : s->place, it);
}

/* ------------------------------------------------------------------ the check */

static bool is_bottleneck(const fluid *f, const stream *s, double near) {
  const channel *c = &f->channel[s->bottleneck];
  double highest = 0;
  for (uint32_t i = c->first; i != RIPSTOP_NONE; i = f->crossing[i].next)
    highest = fmax(highest, f->stream[f->crossing[i].stream].rate);
  return c->load >= c->capacity * (1 - near) && highest <= s->rate * (1 + near);
}

static bool is_within(const fluid *f, uint32_t number, double near) {
  const channel *c = &f->channel[number];
  uint32_t crossings = 0, bound = 0;
  double load = 0;
  for (uint32_t i = c->first; i != RIPSTOP_NONE; i = f->crossing[i].next) {
    const stream *s = &f->stream[f->crossing[i].stream];
    load += f->crossing[i].share * s->messages * s->rate;
    bound += s->bottleneck == number;
    crossings++;
  }
  return crossings == c->crossings && bound == c->bound && fabs(load - c->load) <= near &&
         load <= c->capacity * (1 + near);
}

bool fluid_is_fair(const fluid *f, double near) {
  for (uint32_t i = 0; i < f->channels; i++)
    if (!is_within(f, i, near)) return false;
  for (uint32_t i = 0; i < f->streams; i++) {
    const stream *s = &f->stream[i];
    if (s->messages && (s->bottleneck == RIPSTOP_NONE || !is_bottleneck(f, s, near))) return false;
  }
  return true;
}
