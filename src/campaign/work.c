/* work.c - threads that take runs from a list, and one thread that takes their outcomes.
 *
 * Threads share nothing but the position in the list. Only the caller's thread uses what is not thread-safe (the store,
 * the terminal): `done` and `tick` are called there. So are the other ranks served, where there are
 * some (hands.c): between the looks for outcomes of the own threads. */
#include "campaign/work.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/team.h"
#include "campaign/ranks.h"

enum { SPARE = 64 }; /* outcomes that wait while `done` is slow, beside one for each thread */
enum { SERVE_NANOSECONDS = 1000000 };
static const double TICK_SECONDS = 0.1;

typedef struct job {
  const ripstop_run *run;
  bool has_outcome; /* it was not stopped */
  ripstop_outcome outcome;
} job;

/* ------------------------------------------------------------------ the list */

static bool is_over(const ripstop_task *t) { return ripstop_stopped(t->workers->stop) || atomic_load(&t->ended); }

const ripstop_run *task_fetch(ripstop_task *t) { return is_over(t) ? NULL : claims_fetch(&t->claims); }

bool task_later(const ripstop_task *t) { return !is_over(t) && claims_more(&t->claims); }

int task_execute(const ripstop_task *t, const ripstop_run *run, unsigned inside, ripstop_outcome *out) {
  ripstop_run own = *run;
  own.threads = inside, own.worth = true;
  return t->execute(&own, t->workers->stop, out);
}

bool task_take(ripstop_task *t, const ripstop_run *run, const ripstop_outcome *outcome) {
  t->done++;
  if (t->workers->done(t->workers->context, run, outcome)) t->ended = true;
  return !t->ended;
}

void task_tick(ripstop_task *t) {
  double now = ripstop_seconds_now();
  if (!t->ended && claims_refresh(&t->claims, t->threads, t->done, now)) t->ended = true;
  if (!t->workers->tick || now - t->ticked < TICK_SECONDS) return;
  t->ticked = now;
  t->workers->tick(t->workers->context);
}

/* ------------------------------------------------------------------ the team's duty */

static bool fetch(void *context, void *next) { return (((job *)next)->run = task_fetch(context)) != NULL; }

static bool later(void *context) { return task_later(context); }

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
                                    .later = later,
                                    .take = take,
                                    .tick = tick,
                                    .tick_nanoseconds = ranks ? SERVE_NANOSECONDS : 0,
                                    .forget = forget});
}

/* ------------------------------------------------------------------ alone, and with others */

static void work_alone(ripstop_task *t) {
  unsigned threads = t->workers->threads ? t->workers->threads : ripstop_team_processors();
  t->threads = threads < t->count ? threads : (unsigned)t->count;
  task_tick(t);
  work_here(t, t->threads);
}

static void work_with_ranks(ripstop_task *t) {
  ripstop_ranks *r = t->workers->ranks;
  unsigned threads = ranks_threads(r, t->workers->threads);
  t->threads = (threads + 1) * r->at.ranks;
  task_tick(t);
  r->own_work = threads > 0 && t->count > 0;
  if (r->own_work) work_here(t, threads);
  r->own_work = false;
  spread_finish(t);
}

int ripstop_work(const ripstop_run *const *run, size_t count, const ripstop_workers *workers) {
  RIPSTOP_GUARD(NULL, -1);
  ripstop_task t = {.count = count, .workers = workers};
  t.execute = workers->execute ? workers->execute : ripstop_run_execute;
  if (workers->ranks) ripstop_ranks_enter(workers->ranks);
  claims_open(&t.claims, run, count, workers);
  bool stopped = false;
  if (!workers->ranks)
    work_alone(&t);
  else if (ripstop_ranks_own(workers->ranks) == 0)
    work_with_ranks(&t);
  else
    stopped = spread_help(&t) != 0;
  claims_close(&t.claims);
  if (t.ended) return -1;
  if (stopped || t.done + t.claims.stored < count) return 1;
  if (workers->ranks) ranks_end_round(workers->ranks);
  return 0;
}
