/* work.c - threads that take runs from a list, and one thread that takes their outcomes.
 *
 * Threads share nothing but the position in the list. Whoever called keeps all that is not thread-safe (the store, the
 * terminal) to itself: `done` and `tick` are called in its thread only. */
#include "base/memory.h"
#include "base/team.h"
#include "ripstop/kit/campaign.h"

enum { SPARE = 64 };         /* outcomes that wait while `done` is slow, beside one for each thread */
enum { THREAD_ENDS = 1024 }; /* end nodes of a run that are worth a thread */

/* A call of ripstop_work. */
typedef struct task {
  const ripstop_run *const *run;
  size_t count, next, done; /* runs: of the list, the next of it, those with an outcome */
  const ripstop_workers *workers;
  ripstop_execute execute;
  bool ended; /* `done` wants no more */
} task;

typedef struct job {
  const ripstop_run *run;
  bool has_outcome; /* it was not stopped */
  ripstop_outcome outcome;
} job;

static bool fetch(void *context, void *next) {
  task *t = context;
  if (ripstop_stopped(t->workers->stop) || t->next == t->count) return false;
  ((job *)next)->run = t->run[t->next++];
  return true;
}

/* A thread for fewer end nodes costs more at the meetings than it does. */
static uint32_t worth(unsigned threads, const ripstop_fabric *fabric) {
  uint32_t most = fabric->ends / THREAD_ENDS;
  return threads < most ? threads : most;
}

static void work(void *context, void *tools, void *under_way) {
  const task *t = context;
  job *j = under_way;
  (void)tools;
  ripstop_run run = *j->run;
  run.simulation.threads = worth(t->workers->inside, run.fabric);
  j->has_outcome = t->execute(&run, t->workers->stop, &j->outcome) == 0;
  if (j->has_outcome) ripstop_arena_disown(j->outcome.arena);
}

static void forget(void *place) {
  job *j = place;
  if (j->has_outcome) ripstop_outcome_free(&j->outcome);
  j->has_outcome = false;
}

/* Whether more are wanted. */
static bool take(void *context, void *done) {
  task *t = context;
  job *j = done;
  if (!j->has_outcome) return true;
  t->done++;
  t->ended = t->workers->done(t->workers->context, j->run, &j->outcome) != 0;
  forget(j);
  return !t->ended;
}

static void tick(void *context) {
  const ripstop_workers *w = ((const task *)context)->workers;
  if (w->tick) w->tick(w->context);
}

int ripstop_work(const ripstop_run *const *run, size_t count, const ripstop_workers *workers) {
  RIPSTOP_GUARD(NULL, -1);
  if (!count) return 0;
  task t = {.run = run, .count = count, .workers = workers};
  t.execute = workers->execute ? workers->execute : ripstop_run_execute;
  unsigned threads = workers->threads ? workers->threads : ripstop_team_processors();
  if (threads > count) threads = (unsigned)count;
  ripstop_team_work(&(ripstop_duty){.threads = threads,
                                    .window = (size_t)threads + SPARE,
                                    .job_size = sizeof(job),
                                    .context = &t,
                                    .fetch = fetch,
                                    .work = work,
                                    .take = take,
                                    .tick = tick,
                                    .forget = forget});
  if (t.ended) return -1;
  return t.done < count ? 1 : 0;
}
