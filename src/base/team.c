/* team.c - the threads, the lock that they share, and the slots of the jobs.
 *
 * A slot is free, busy (fetched, not done) or done (not taken yet). With in_order, job n is in slot n % window, so
 * that the caller knows where to wait. Otherwise slots come from a stack of free ones and go through a queue of done
 * ones, and a long job delays no other. Slots, stack and queue are accessed under the lock only, a job's bytes by the
 * thread that has its slot.
 *
 * A thread runs under one guard. When memory runs out, or the work is stopped, it jumps out of its job, whose slot
 * stays busy permanently: no thread waits for it, since the remaining threads are counted. */
#include "base/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdalign.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

#define NO_SLOT UINT32_MAX
enum { FREE, BUSY, DONE };
enum { THREADS_MAX = 4096, TICK_NANOSECONDS = 200000000 };

typedef struct team {
  const ripstop_duty *duty;
  pthread_mutex_t lock;  /* for everything but the jobs' bytes */
  pthread_cond_t news;   /* for the caller: a job is done, or a thread has left */
  pthread_cond_t room;   /* for the threads: a slot is free, or all is over */
  uint8_t *job;          /* [window * stride] */
  size_t stride;         /* bytes of a job, padded so that each is aligned */
  uint8_t *state;        /* [window] */
  uint32_t *free, *done; /* [window], without in_order */
  uint32_t frees;
  uint64_t fetched, finished, taken; /* jobs; `finished` without in_order */
  bool over;                         /* no more jobs are fetched */
  bool out_of_memory;                /* a thread was */
  unsigned busy;                     /* threads that have not left */
  ripstop_course course;             /* course of the threads */
} team;

static void *bytes_of(const team *t, uint32_t slot) { return t->job + slot * t->stride; }

/* ------------------------------------------------------------------ slots, under the lock */

static uint32_t free_slot(team *t) {
  if (!t->duty->in_order) return t->frees ? t->free[--t->frees] : NO_SLOT;
  uint32_t slot = (uint32_t)(t->fetched % t->duty->window);
  return t->state[slot] == FREE ? slot : NO_SLOT;
}

static void release(team *t, uint32_t slot) {
  t->state[slot] = FREE;
  if (!t->duty->in_order) t->free[t->frees++] = slot;
}

static void finish(team *t, uint32_t slot) {
  t->state[slot] = DONE;
  if (!t->duty->in_order) t->done[t->finished++ % t->duty->window] = slot;
}

static uint32_t done_slot(const team *t) {
  if (!t->duty->in_order) return t->taken < t->finished ? t->done[t->taken % t->duty->window] : NO_SLOT;
  uint32_t slot = (uint32_t)(t->taken % t->duty->window);
  return t->state[slot] == DONE ? slot : NO_SLOT;
}

static void end(team *t) {
  t->over = true;
  pthread_cond_broadcast(&t->room);
}

static bool is_later(const ripstop_duty *d) { return d->later && d->later(d->context); }

/* True if a job was fetched into the free slot. */
static bool fetch(team *t, uint32_t slot) {
  if (!t->duty->fetch(t->duty->context, bytes_of(t, slot))) {
    release(t, slot);
    if (!is_later(t->duty)) end(t);
    return false;
  }
  t->state[slot] = BUSY;
  t->fetched++;
  return true;
}

static uint32_t wait_for_job(team *t) {
  while (!t->over) {
    uint32_t slot = free_slot(t);
    if (slot != NO_SLOT && fetch(t, slot)) return slot;
    if (!t->over) pthread_cond_wait(&t->room, &t->lock);
  }
  return NO_SLOT;
}

/* The next slot that is done; NO_SLOT: not yet, or never (`busy` is 0). */
static uint32_t wait_for_done(team *t, const struct timespec *until) {
  uint32_t slot;
  for (int late = 0; (slot = done_slot(t)) == NO_SLOT && t->busy && late != ETIMEDOUT;)
    late = until ? pthread_cond_timedwait(&t->news, &t->lock, until) : pthread_cond_wait(&t->news, &t->lock);
  return slot;
}

/* ------------------------------------------------------------------ the threads */

static void serve(void *argument) {
  team *t = argument;
  const ripstop_duty *d = t->duty;
  ripstop_guard_course(&t->course);
  void *tools = d->enter ? d->enter(d->context) : NULL;
  pthread_mutex_lock(&t->lock);
  for (uint32_t slot; (slot = wait_for_job(t)) != NO_SLOT;) {
    pthread_mutex_unlock(&t->lock);
    d->work(d->context, tools, bytes_of(t, slot));
    pthread_mutex_lock(&t->lock);
    finish(t, slot);
    pthread_cond_signal(&t->news);
  }
  pthread_mutex_unlock(&t->lock);
  if (d->leave) d->leave(tools);
}

static void *member(void *argument) {
  team *t = argument;
  bool left = ripstop_try(serve, t, NULL) != 0;
  pthread_mutex_lock(&t->lock);
  t->busy--;
  if (left) t->out_of_memory |= !ripstop_stopped(t->course.stop), end(t);
  pthread_cond_signal(&t->news);
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

/* ------------------------------------------------------------------ the caller */

static struct timespec next_tick(const ripstop_duty *d) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += d->tick_nanoseconds ? d->tick_nanoseconds : TICK_NANOSECONDS;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
  return until;
}

/* Takes the job and frees its slot. False: no more are wanted. */
static bool take(team *t, uint32_t slot) {
  bool more = t->duty->take(t->duty->context, bytes_of(t, slot));
  pthread_mutex_lock(&t->lock);
  t->taken++;
  release(t, slot);
  pthread_cond_signal(&t->room);
  pthread_mutex_unlock(&t->lock);
  return more;
}

/* Wakes threads without a job, which try to fetch again. */
static void wake(team *t) {
  pthread_mutex_lock(&t->lock);
  pthread_cond_broadcast(&t->room);
  pthread_mutex_unlock(&t->lock);
}

/* The caller's work while the threads run. */
static void harvest(void *argument) {
  team *t = argument;
  const ripstop_duty *d = t->duty;
  for (bool over = false; !over;) {
    struct timespec until = next_tick(d);
    pthread_mutex_lock(&t->lock);
    uint32_t slot = wait_for_done(t, d->tick ? &until : NULL);
    over = slot == NO_SLOT && !t->busy;
    pthread_mutex_unlock(&t->lock);
    if (slot != NO_SLOT && !take(t, slot)) return;
    if (d->tick) d->tick(d->context);
    if (d->later) wake(t);
  }
}

/* The same without any thread. Taking jobs allocates nothing, so no job is left unfinished. */
static void work_alone(void *argument) {
  team *t = argument;
  const ripstop_duty *d = t->duty;
  ripstop_guard_finish();
  void *tools = d->enter ? d->enter(d->context) : NULL;
  for (bool more = true; more;) {
    bool fetched = d->fetch(d->context, t->job);
    if (fetched) d->work(d->context, tools, t->job);
    more = fetched ? d->take(d->context, t->job) : is_later(d);
    if (more && !fetched) nanosleep(&(struct timespec){.tv_nsec = TICK_NANOSECONDS / 10}, NULL);
    if (d->tick) d->tick(d->context);
  }
  if (d->leave) d->leave(tools);
}

static void open_team(team *t, ripstop_arena *arena) {
  size_t window = t->duty->window;
  t->stride = (t->duty->job_size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
  t->job = ripstop_arena_array(arena, window, t->stride);
  t->state = RIPSTOP_ARRAY(arena, window, uint8_t);
  t->free = RIPSTOP_ARRAY(arena, window, uint32_t);
  t->done = RIPSTOP_ARRAY(arena, window, uint32_t);
  for (size_t slot = window; slot-- > 0 && !t->duty->in_order;) t->free[t->frees++] = (uint32_t)slot;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&t->news, &attributes);
  pthread_condattr_destroy(&attributes);
  pthread_cond_init(&t->room, NULL);
  pthread_mutex_init(&t->lock, NULL);
}

static unsigned start(team *t, pthread_t *thread, unsigned wished) {
  unsigned started = 0;
  pthread_mutex_lock(&t->lock);
  while (started < wished && !pthread_create(&thread[started], NULL, member, t)) started++;
  t->busy = started;
  pthread_mutex_unlock(&t->lock);
  return started;
}

void ripstop_team_work(const ripstop_duty *duty) {
  unsigned wished = duty->threads < THREADS_MAX ? duty->threads : THREADS_MAX;
  team t = {.duty = duty, .course = ripstop_guard_share(wished)};
  ripstop_arena *arena = ripstop_arena_new();
  pthread_t *thread = RIPSTOP_ARRAY(arena, wished, pthread_t);
  open_team(&t, arena);
  unsigned started = start(&t, thread, wished);
  bool out_of_memory = ripstop_try(started ? harvest : work_alone, &t, NULL) != 0;
  pthread_mutex_lock(&t.lock);
  end(&t);
  pthread_mutex_unlock(&t.lock);
  for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
  for (uint32_t slot = 0; slot < duty->window && duty->forget; slot++) duty->forget(bytes_of(&t, slot));
  pthread_cond_destroy(&t.room);
  pthread_cond_destroy(&t.news);
  pthread_mutex_destroy(&t.lock);
  ripstop_arena_free(arena);
  if (out_of_memory || t.out_of_memory) ripstop_out_of_memory();
}

/* ------------------------------------------------------------------ parts */

typedef struct task {
  void (*part)(void *context, unsigned i);
  void *context;
  unsigned i;
  bool out_of_memory;
  pthread_t thread;
  ripstop_course course; /* for other threads than the caller's */
} task;

static void call_part(void *argument) {
  const task *own = argument;
  ripstop_guard_course(&own->course);
  own->part(own->context, own->i);
}

static void *do_part(void *argument) {
  task *own = argument;
  own->out_of_memory = ripstop_try(call_part, own, NULL) != 0;
  return NULL;
}

void ripstop_team_share(unsigned parts, void (*part)(void *context, unsigned i), void *context) {
  ripstop_arena *arena = ripstop_arena_new();
  task *of = RIPSTOP_ARRAY(arena, parts, task);
  unsigned started = 1;
  bool out_of_memory = false;
  for (unsigned i = 0; i < parts; i++) of[i] = (task){.part = part, .context = context, .i = i};
  for (unsigned i = 1; i < parts; i++) of[i].course = ripstop_guard_share(parts);
  while (started < parts && !pthread_create(&of[started].thread, NULL, do_part, &of[started])) started++;
  for (unsigned i = started; i < parts; i++) do_part(&of[i]);
  if (parts) do_part(&of[0]);
  for (unsigned i = 1; i < started && i < parts; i++) pthread_join(of[i].thread, NULL);
  for (unsigned i = 0; i < parts; i++) out_of_memory |= of[i].out_of_memory;
  ripstop_arena_free(arena);
  if (out_of_memory) ripstop_out_of_memory();
}

/* ------------------------------------------------------------------ together */

typedef struct crew {
  void (*work)(void *context, unsigned i, unsigned threads);
  void *context;
  pthread_mutex_t lock;
  pthread_cond_t known;
  unsigned threads; /* 0: it is not known yet how many there are */
  atomic_bool out_of_memory;
} crew;

typedef struct hand {
  crew *crew;
  unsigned i;
  pthread_t thread;
} hand;

static unsigned how_many(crew *c) {
  pthread_mutex_lock(&c->lock);
  while (!c->threads) pthread_cond_wait(&c->known, &c->lock);
  unsigned threads = c->threads;
  pthread_mutex_unlock(&c->lock);
  return threads;
}

static void work_as_one(void *argument) {
  const hand *own = argument;
  own->crew->work(own->crew->context, own->i, how_many(own->crew));
}

static void *lend_hand(void *argument) {
  hand *own = argument;
  if (ripstop_try(work_as_one, own, NULL)) atomic_store(&own->crew->out_of_memory, true);
  return NULL;
}

void ripstop_team_together(unsigned wished, void (*work)(void *context, unsigned i, unsigned threads), void *context) {
  ripstop_arena *arena = ripstop_arena_new();
  hand *of = RIPSTOP_ARRAY(arena, wished + 1, hand);
  crew c = {.work = work, .context = context};
  unsigned threads = 1;
  pthread_mutex_init(&c.lock, NULL);
  pthread_cond_init(&c.known, NULL);
  for (unsigned i = 0; i < wished; i++) of[i] = (hand){.crew = &c, .i = i};
  of[0].crew = &c;
  while (threads < wished && !pthread_create(&of[threads].thread, NULL, lend_hand, &of[threads])) threads++;
  pthread_mutex_lock(&c.lock);
  c.threads = threads;
  pthread_cond_broadcast(&c.known);
  pthread_mutex_unlock(&c.lock);
  lend_hand(&of[0]);
  for (unsigned i = 1; i < threads; i++) pthread_join(of[i].thread, NULL);
  pthread_cond_destroy(&c.known);
  pthread_mutex_destroy(&c.lock);
  ripstop_arena_free(arena);
  if (atomic_load(&c.out_of_memory)) ripstop_out_of_memory();
}

enum { LOOKS = 4000 }; /* some tens of microseconds; none if threads have to share processors */

void ripstop_meeting_open(ripstop_meeting *m, void (*all_met)(void *context), void *context) {
  *m = (ripstop_meeting){.all_met = all_met, .context = context, .processors = ripstop_team_processors()};
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->all_there, NULL);
}

void ripstop_meeting_close(ripstop_meeting *m) {
  pthread_cond_destroy(&m->all_there);
  pthread_mutex_destroy(&m->lock);
}

static void rest(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static void end_round(ripstop_meeting *m, unsigned round) {
  m->all_met(m->context);
  atomic_store_explicit(&m->come, 0, memory_order_relaxed);
  pthread_mutex_lock(&m->lock);
  atomic_store_explicit(&m->round, round + 1, memory_order_release);
  pthread_cond_broadcast(&m->all_there);
  pthread_mutex_unlock(&m->lock);
}

void ripstop_meet(ripstop_meeting *m, unsigned threads) {
  unsigned round = atomic_load_explicit(&m->round, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&m->come, 1, memory_order_acq_rel) + 1 == threads) {
    end_round(m, round);
    return;
  }
  unsigned looks = threads <= m->processors ? LOOKS : 0;
  for (unsigned look = 0; look < looks; look++) {
    if (atomic_load_explicit(&m->round, memory_order_acquire) != round) return;
    rest();
  }
  pthread_mutex_lock(&m->lock);
  while (atomic_load_explicit(&m->round, memory_order_acquire) == round) pthread_cond_wait(&m->all_there, &m->lock);
  pthread_mutex_unlock(&m->lock);
}

double ripstop_thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef SYS_sched_getaffinity
/* The call of the kernel, since the C library's is not POSIX. It fails when there are more processors than bits. */
static unsigned allowed_processors(void) {
  unsigned long mask[256] = {0};
  unsigned allowed = 0;
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof *mask; i++)
    allowed += (unsigned)__builtin_popcountl(mask[i]);
  return allowed;
}
#else
static unsigned allowed_processors(void) { return 0; }
#endif

unsigned ripstop_team_processors(void) {
  unsigned allowed = allowed_processors();
  if (allowed) return allowed;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}
