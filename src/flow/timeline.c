/* timeline.c - the event loop. Events are few kinds: ends of streams are in the fluid's own heap, changes in the
 * schedule, all others in one heap by time, then kind, job and task, so that every run does the same. */
#include "flow/timeline.h"

#include "base/binary_heap.h"
#include "base/growing.h"
#include "base/memory.h"

static inline bool comes_first(const event *a, const event *b) {
  if (a->when < b->when || a->when > b->when) return a->when < b->when;
  if (a->kind != b->kind) return a->kind < b->kind;
  if (a->job != b->job) return a->job < b->job;
  return a->task < b->task;
}
RIPSTOP_HEAP(event, event, comes_first)

void timeline_post(timeline *t, event e) {
  RIPSTOP_GROW_IN(t->arena, t->event, t->events, t->event_room);
  event_up(t->event, t->events++, e);
}

/* ------------------------------------------------------------------ one time */

static double last_of_one_time(double when) {
  static const double relative = 1e-9, most = 1e-3, least = 1e-12;
  const double usual = relative * fmax(1, when);
  return when + fmax(fmin(usual, most), least * when);
}

bool timeline_is_now(const timeline *t, double when) { return when <= last_of_one_time(t->fluid.now); }

static double next_time(const timeline *t) {
  const double end = fluid_next(&t->fluid), other = t->events ? t->event[0].when : HUGE_VAL;
  return fmin(fmin(end, other), fluid_changes_next(t));
}

static int happen(timeline *t, double now) {
  const double limit = last_of_one_time(now);
  t->fluid.now = now;
  for (; fluid_next(&t->fluid) <= limit; t->happened++) sending_last_flit(t, t->fluid.end[0].stream);
  if (fluid_changes_happen(t, limit)) return -1;
  for (; t->events && t->event[0].when <= limit; t->happened++) {
    const event e = event_take(t->event, &t->events);
    fluid_tasks_happen(t, &e);
  }
  fluid_tasks_go_on(t);
  fluid_update(&t->fluid);
  return 0;
}

/* ------------------------------------------------------------------ loads */

static void keep_loads(timeline *t, double time) {
  const fluid *f = &t->fluid;
  static const double least = 1e-12;
  ripstop_channel_loads *out = &t->loads[t->kept++];
  uint32_t *port = RIPSTOP_ARRAY(t->arena, (size_t)f->channels + 1, uint32_t), count = 0;
  double *load = RIPSTOP_ARRAY(t->arena, (size_t)f->channels + 1, double);
  for (uint32_t i = 0; i < f->channels; i++)
    if (f->channel[i].crossings && f->channel[i].load > least) port[count] = i, load[count++] = f->channel[i].load;
  *out = (ripstop_channel_loads){time, count, port, load};
}

/* All times before `until`, since the rates of now count until then. */
static void keep_until(timeline *t, double until) {
  while (t->kept < t->ats && t->at[t->kept] < until) keep_loads(t, t->at[t->kept]);
}

/* ------------------------------------------------------------------ the loop */

static bool is_stopped(const timeline *t) {
  const atomic_int *stop = t->run->simulation.stop;
  return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* By default there is no limit: the time of a run does not grow with its cycles. */
static double limit_of(const timeline *t) {
  const int64_t limit = t->run->config.limit;
  return limit < RIPSTOP_WORKLOAD_CYCLES_MAX ? (double)limit : HUGE_VAL;
}

static bool is_over(timeline *t, double next) {
  t->given_up = t->left && next < HUGE_VAL && next > limit_of(t);
  return !t->left || !(next < HUGE_VAL) || t->given_up || t->mixed;
}

int timeline_run(timeline *t) {
  enum { LOOKS = 1024 }; /* events between two looks at the flag that stops the run */
  for (uint32_t i = 0; i < t->jobs; i++) timeline_post(t, (event){(double)t->job[i].job->at, EVENT_JOB, i, 0, 0});
  uint64_t rounds = 0;
  for (double next; next = next_time(t), !is_over(t, next);) {
    const double limit = last_of_one_time(next);
    keep_until(t, next - (limit - next));
    if (++rounds % LOOKS == 0 && is_stopped(t)) return ripstop_fail(t->err, RIPSTOP_ENDED);
    if (happen(t, next)) return -1;
    keep_until(t, limit);
  }
  keep_until(t, HUGE_VAL);
  return 0;
}
