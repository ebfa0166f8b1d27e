/* plain.c - finds plain cycles, in which nothing is done for the whole run, so that parts may work in parallel
 * (threads.c), and skips those in which nothing happens at all, for example while all ranks of a job compute.
 *
 * A cycle is skipped when no node is awake, no event is due, no XON or XOFF may have to be sent and no feature has
 * work: only the clock would advance. */
#include "simulate/plain.h"

#include "simulate/bound_packets.h"
#include "simulate/change.h"
#include "simulate/core.h"
#include "simulate/onoff.h"
#include "simulate/shared_memory.h"

#include "base/no_heap.h"

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

uint32_t plain_features(const run *r) {
  const hooks *hook = &r->part->hook;
  uint32_t next = UINT32_MAX;
  for (uint32_t i = 0; i < CYCLE_HOOKS && hook->next[i]; i++) next = least(next, hook->next[i](r));
  return next;
}

uint32_t plain_until(const run *r, uint32_t until) {
  const measure *m = &r->part->measure;
  uint32_t now = r->part->now, check = (uint32_t)r->config->measure.check;
  uint32_t next = least(until, least(r->end - 1, (now / check + 1) * check - 1)); /* deadlock searches: is_look */
  next = least(next, plain_features(r));
  next = least(next, (now + STOP_CYCLES - 1) / STOP_CYCLES * STOP_CYCLES);
  if (changes_ahead(r)) next = least(next, (uint32_t)r->change[r->next_change].cycle);
  if (m->start == RIPSTOP_NONE) return least(next, (now + WARMUP_BLOCK - 1) / WARMUP_BLOCK * WARMUP_BLOCK);
  if (now <= m->start) return least(next, m->start);
  return least(next, m->batch_end);
}

/* ------------------------------------------------------------------ idle cycles */

/* A queue shrank within the cycle, after XON and XOFF were sent. */
static uint32_t words_left(const part *t) {
  const uint32_t left = t->words ? t->words->count : 0;
  return t->bound && t->bound->memory ? left | memory_words_left(t) : left;
}

bool plain_idle(const run *r) {
  uint32_t busy = 0;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    const part *t = &r->part[i];
    busy |= t->active_count | words_left(t);
    for (uint32_t to = 0; t->outbox && to < r->shape->parts; to++)
      busy |= t->outboxes[0][to].count | t->outboxes[1][to].count;
  }
  return !busy;
}

static bool is_any_due(const wheel *w, uint32_t cycle) {
  sim_event *const *bucket = w->cycle[cycle & w->mask];
  static_assert(BUCKETS == 4, "they are counted");
  return bucket[0] || bucket[1] || bucket[2] || bucket[3];
}

/* The first cycle from `from` on, at most `until`, in which an event is due. */
static uint32_t next_event(const wheel *w, uint32_t from, uint32_t until) {
  uint32_t end = until - from > w->mask ? from + w->mask + 1 : until, cycle = from;
  while (cycle < end && !is_any_due(w, cycle)) cycle++;
  return cycle < end ? cycle : until;
}

/* The first cycle in which a feature's `arrived` hook has work. */
static uint64_t next_answer(const run *r) {
  const hooks *hook = &r->part->hook;
  uint64_t next = UINT64_MAX;
  for (uint32_t i = 0; i < CYCLE_HOOKS && hook->due[i]; i++) {
    const uint64_t due = hook->due[i](r);
    if (due < next) next = due;
  }
  return next;
}

void plain_skip(run *r, uint32_t until) {
  const uint32_t now = r->part->now;
  if (now >= until || run_ended(r) || !plain_idle(r)) return;
  for (uint32_t i = 0; i < r->shape->parts; i++)
    if (is_any_due(&r->part[i].wheel, now)) return;
  uint32_t next = plain_until(r, until);
  const uint64_t answer = next_answer(r);
  if (answer < next) next = (uint32_t)answer;
  if (next <= now) return;
  for (uint32_t i = 0; i < r->shape->parts; i++) next = next_event(&r->part[i].wheel, now, next);
  for (uint32_t i = 0; i < r->shape->parts; i++) r->part[i].now = next;
}
