/* work.c - threads that take runs from a list, and one thread that takes their outcomes.
 *
 * Threads share nothing but the position in the list. Whoever called keeps all that is not thread-safe (the store, the
 * terminal) to itself: `done` and `tick` are called in its thread only. So are the other ranks served, where there are
 * some (spread.c): between the looks for outcomes of the own threads. */
#include "campaign/work.h"

#include <time.h>

#include "base/memory.h"
#include "base/team.h"
#include "campaign/ranks.h"

enum { SPARE = 64 };         /* outcomes that wait while `done` is slow, beside one for each thread */
enum { THREAD_ENDS = 1024 }; /* end nodes of a run that are worth a thread */
enum { SERVE_NANOSECONDS = 1000000 };
static const double TICK_SECONDS = 0.1;

typedef struct job {
  const ripstop_run *run;
  bool has_outcome; /* it was not stopped */
  ripstop_outcome outcome;
} job;

/* ------------------------------------------------------------------ the list */

const ripstop_run *task_fetch(ripstop_task *t) {
  if (ripstop_stopped(t->workers->stop)) return NULL;
  size_t at = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
  return at < t->count ? t->run[at] : NULL;
}

/* A thread for fewer end nodes costs more at the meetings than it does. */
static uint32_t worth(unsigned threads, const ripstop_fabric *fabric) {
  uint32_t most = fabric->ends / THREAD_ENDS;
  return threads < most ? threads : most;
}

int task_execute(const ripstop_task *t, const ripstop_run *run, unsigned inside, ripstop_outcome *out) {
  ripstop_run own = *run;
  own.simulation.threads = worth(inside, run->fabric);
  return t->execute(&own, t->workers->stop, out);
}

bool task_take(ripstop_task *t, const ripstop_run *run, const ripstop_outcome *outcome) {
  t->done++;
  t->ended = t->workers->done(t->workers->context, run, outcome) != 0;
  return !t->ended;
}

void task_tick(ripstop_task *t) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  if (!t->workers->tick || seconds - t->ticked < TICK_SECONDS) return;
  t->ticked = seconds;
  t->workers->tick(t->workers->context);
}

/* ------------------------------------------------------------------ the team's duty */

static bool fetch(void *context, void *next) { return (((job *)next)->run = task_fetch(context)) != NULL; }

static void work(void *context, void *tools, void *under_way) {
  const ripstop_task *t = context;
  job *j = under_way;
  (void)tools;
  j->has_outcome = task_execute(t, j->run, t->workers->inside, &j->outcome) == 0;
  if (j->has_outcome) ripstop_arena_disown(j->outcome.arena);
}

static void forget(void *place) {
  job *j = place;
  if (j->has_outcome) ripstop_outcome_free(&j->outcome);
  j->has_outcome = false;
}

static bool take(void *context, void *done) {
  job *j = done;
  if (!j->has_outcome) return true;
  bool more = task_take(context, j->run, &j->outcome);
  forget(j);
  return more;
}

static void tick(void *context) {
  ripstop_task *t = context;
  if (t->workers->ranks) spread_serve(t);
  task_tick(t);
}

static void work_here(ripstop_task *t, unsigned threads) {
  bool ranks = t->workers->ranks != NULL;
  ripstop_team_work(&(ripstop_duty){.threads = threads,
                                    .window = (size_t)threads + SPARE,
                                    .job_size = sizeof(job),
                                    .context = t,
                                    .fetch = fetch,
                                    .work = work,
                                    .take = take,
                                    .tick = tick,
                                    .tick_nanoseconds = ranks ? SERVE_NANOSECONDS : 0,
                                    .forget = forget});
}

/* ------------------------------------------------------------------ alone, and with others */

static void work_alone(ripstop_task *t) {
  unsigned threads = t->workers->threads ? t->workers->threads : ripstop_team_processors();
  if (t->count) work_here(t, threads < t->count ? threads : (unsigned)t->count);
}

static void own_work(ripstop_task *t) {
  ripstop_ranks *r = t->workers->ranks;
  unsigned threads = ranks_threads(r, t->workers->threads);
  r->own_work = threads > 0 && t->count > 0;
  if (r->own_work) work_here(t, threads);
  r->own_work = false;
  spread_finish(t);
}

int ripstop_work(const ripstop_run *const *run, size_t count, const ripstop_workers *workers) {
  RIPSTOP_GUARD(NULL, -1);
  ripstop_task t = {.run = run, .count = count, .workers = workers};
  t.execute = workers->execute ? workers->execute : ripstop_run_execute;
  ripstop_ranks *ranks = workers->ranks;
  bool stopped = false;
  if (!ranks)
    work_alone(&t);
  else if (ripstop_ranks_own(ranks) == 0)
    own_work(&t);
  else
    stopped = spread_help(&t) != 0, t.done = count;
  if (t.ended) return -1;
  if (stopped || t.done < count) return 1;
  if (ranks) ranks->round++, ranks->rounds--;
  return 0;
}
