/* work.c - threads that take runs from a list, and one thread that takes their outcomes.
 *
 * Workers share nothing but the position in the list and the queue of outcomes. Whoever called keeps all that is not
 * thread-safe (the store, the terminal) to itself: `done` and `tick` are called in its thread only. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "ripstop/kit/experiment.h"

enum { THREADS_MAX = 4096 };
#define TICK_NANOSECONDS 200000000L

typedef struct finished finished;
struct finished {
  const ripstop_run *run;
  ripstop_outcome outcome;
  finished *next;
};

typedef struct team {
  const ripstop_run *const *run;
  size_t count, next; /* of the list */
  const ripstop_workers *workers;
  ripstop_execute execute;
  pthread_mutex_t lock;
  pthread_cond_t news;
  finished *first, **last; /* outcomes that nobody has taken yet, in order */
  unsigned busy;           /* threads that may still bring outcomes */
  bool ended;              /* `done` wants no more; under the lock, as the next */
  bool out_of_memory;      /* a thread was, and all are to leave */
} team;

static bool stopped(const team *t) { return ripstop_stopped(t->workers->stop); }

static const ripstop_run *take_run(team *t) {
  const ripstop_run *run = NULL;
  pthread_mutex_lock(&t->lock);
  if (!t->ended && !stopped(t) && t->next < t->count) run = t->run[t->next++];
  pthread_mutex_unlock(&t->lock);
  return run;
}

static void hand_over(team *t, finished *f) {
  pthread_mutex_lock(&t->lock);
  *t->last = f, t->last = &f->next;
  pthread_cond_signal(&t->news);
  pthread_mutex_unlock(&t->lock);
}

/* One run, under a guard of its own: afterwards its outcome belongs to whoever takes it. */
typedef struct errand {
  const team *team;
  const ripstop_run *run;
  finished *finished; /* NULL: stopped */
} errand;

static void execute(void *argument) {
  errand *e = argument;
  finished *f = ripstop_realloc(NULL, 1, sizeof *f);
  f->run = e->run, f->next = NULL;
  if (e->team->execute(e->run, e->team->workers->stop, &f->outcome))
    ripstop_free(f);
  else
    e->finished = f;
}

static void *work(void *argument) {
  team *t = argument;
  bool out_of_memory = false;
  for (const ripstop_run *run; !out_of_memory && (run = take_run(t));) {
    errand e = {.team = t, .run = run};
    out_of_memory = ripstop_try(execute, &e, NULL) != 0;
    if (!e.finished) break;
    hand_over(t, e.finished);
  }
  pthread_mutex_lock(&t->lock);
  t->busy--;
  if (out_of_memory) t->out_of_memory = t->ended = true;
  pthread_cond_signal(&t->news);
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

/* Waits for an outcome at most one tick long. */
static finished *wait_for_news(team *t, bool *all_idle) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += TICK_NANOSECONDS;
  if (until.tv_nsec >= 1000000000L) until.tv_nsec -= 1000000000L, until.tv_sec++;
  pthread_mutex_lock(&t->lock);
  while (!t->first && t->busy && pthread_cond_timedwait(&t->news, &t->lock, &until) != ETIMEDOUT) continue;
  finished *f = t->first;
  t->first = NULL, t->last = &t->first;
  *all_idle = !f && !t->busy;
  pthread_mutex_unlock(&t->lock);
  return f;
}

/* No more runs are begun, and nothing more is told. */
static void end_work(team *t) {
  pthread_mutex_lock(&t->lock);
  t->ended = true;
  pthread_mutex_unlock(&t->lock);
}

static void deliver(team *t, finished *f) {
  while (f) {
    finished *next = f->next;
    if (!t->ended && t->workers->done(t->workers->context, f->run, &f->outcome)) end_work(t);
    ripstop_outcome_free(&f->outcome);
    ripstop_free(f);
    f = next;
  }
}

/* What the caller's thread does while the others work. */
typedef struct harvest {
  team *team;
  size_t delivered;
} harvest;

static void reap(void *argument) {
  harvest *h = argument;
  const ripstop_workers *workers = h->team->workers;
  for (bool all_idle = false; !all_idle;) {
    finished *f = wait_for_news(h->team, &all_idle);
    for (const finished *each = f; each; each = each->next) h->delivered++;
    deliver(h->team, f);
    if (workers->tick) workers->tick(workers->context);
  }
}

static unsigned thread_count(const ripstop_workers *workers, size_t runs) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned count = workers->threads ? workers->threads : online > 0 ? (unsigned)online : 1;
  if (count > THREADS_MAX) count = THREADS_MAX;
  return count < runs ? count : (unsigned)runs;
}

/* Fewer threads than wished for when the system gives no more; at the least the caller itself works. */
static unsigned start(team *t, pthread_t *thread, unsigned wished) {
  unsigned started = 0;
  t->busy = wished;
  while (started < wished && !pthread_create(&thread[started], NULL, work, t)) started++;
  pthread_mutex_lock(&t->lock);
  t->busy -= wished - started;
  if (!started) t->busy = 1;
  pthread_mutex_unlock(&t->lock);
  if (!started) work(t);
  return started;
}

static void open_team(team *t) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&t->news, &attributes);
  pthread_condattr_destroy(&attributes);
  pthread_mutex_init(&t->lock, NULL);
  t->last = &t->first;
}

int ripstop_work(const ripstop_run *const *run, size_t count, const ripstop_workers *workers) {
  RIPSTOP_GUARD(NULL, -1);
  if (!count) return 0;
  team t = {.run = run, .count = count, .workers = workers};
  t.execute = workers->execute ? workers->execute : ripstop_run_execute;
  open_team(&t);
  unsigned wished = thread_count(workers, count);
  pthread_t *thread = ripstop_realloc(NULL, wished, sizeof *thread);
  unsigned started = start(&t, thread, wished);
  harvest h = {.team = &t};
  bool out_of_memory = ripstop_try(reap, &h, NULL) != 0;
  if (out_of_memory) end_work(&t);
  for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
  ripstop_free(thread);
  pthread_cond_destroy(&t.news);
  pthread_mutex_destroy(&t.lock);
  deliver(&t, t.first); /* what came when nobody waited any more */
  if (out_of_memory || t.out_of_memory) ripstop_out_of_memory();
  if (t.ended) return -1;
  return h.delivered < count ? 1 : 0;
}
