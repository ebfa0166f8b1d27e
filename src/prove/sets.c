/* sets.c - one proof for each of many fault sets, by several threads, told in the order of the sets.
 *
 * Sets are numbered. A thread takes the next number, makes the set, proves it with a view, a plan and a prover of its
 * own (all three live through all its sets) and puts what comes of it into the ring at number % WINDOW. The caller's
 * thread empties the ring in the order of the numbers, and it alone counts and decides when enough is known; so nothing
 * that is told depends on how many threads there are or how they are scheduled. No thread runs ahead by more than the
 * ring, which bounds the memory.
 *
 * When there are fewer sets than threads, the threads share the destinations of each proof instead. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "prove/prover.h"
#include "ripstop/plugin/method.h"

enum { WINDOW = 1024, THREADS_MAX = 4096 };
enum { JUDGE_EVERY = 100 }; /* drawn sets between two looks at the interval; also the least number of them */

const char *const ripstop_interval_words[] = {"clopper-pearson", "wilson", NULL};

/* ------------------------------------------------------------------ which sets */

/* The next set, before it is made: its parts are not needed where they follow from the number. */
typedef struct job {
  uint64_t number, weight;
  uint32_t *part; /* RIPSTOP_SETS_ALL: [count] */
} job;

typedef struct feed {
  const ripstop_many *many;
  uint64_t next, end; /* RIPSTOP_SETS_ALL: the end is known by `over` */
  bool over;
  ripstop_symmetry *symmetry; /* NULL: every combination */
  ripstop_orbits orbits;
  ripstop_combinations all;
  ripstop_arena *arena;
} feed;

/* Symmetries are those of the links between switches. */
static int start_all(feed *f, ripstop_error *err) {
  const ripstop_many *m = f->many;
  uint32_t population = ripstop_faults_population(m->fabric, m->scope);
  if (m->symmetry && m->scope == RIPSTOP_FAULTS_SWITCH_LINKS && m->count <= RIPSTOP_ORBIT_FAULTS) {
    ripstop_view *view = ripstop_view_new(m->fabric, NULL);
    ripstop_plan *plan = ripstop_plan_open(view, m->method, NULL, err);
    if (plan) f->symmetry = ripstop_symmetry_for(plan);
    ripstop_plan_free(plan);
    ripstop_view_free(view);
    if (f->symmetry) return ripstop_orbits_first(&f->orbits, f->symmetry, m->count, err);
  }
  ripstop_combinations_first(f->arena, population, m->count, &f->all);
  return 0;
}

static int start_feed(feed *f, const ripstop_many *m, ripstop_error *err) {
  *f = (feed){.many = m, .arena = ripstop_arena_new(), .end = m->kind == RIPSTOP_SETS_DRAWN ? m->samples : m->givens};
  if (m->kind == RIPSTOP_SETS_GIVEN) return 0;
  uint32_t population = ripstop_faults_population(m->fabric, m->scope);
  if (m->count > population)
    return ripstop_fail(err, "%u faults asked for, but %s has only %u parts of the kind '%s'", m->count,
                        m->fabric->spec, population, ripstop_fault_scope_words[m->scope]);
  if (m->kind == RIPSTOP_SETS_DRAWN) return 0;
  f->end = UINT64_MAX;
  return start_all(f, err);
}

static void end_feed(feed *f) {
  ripstop_symmetry_free(f->symmetry);
  ripstop_arena_free(f->arena);
}

static bool take(feed *f, job *out) {
  const ripstop_many *m = f->many;
  if (f->over || f->next == f->end) return false;
  out->number = f->next++;
  out->weight = 1;
  if (m->kind != RIPSTOP_SETS_ALL) return true;
  if (f->symmetry) {
    out->weight = f->orbits.sets;
    for (uint32_t i = 0; i < m->count; i++) out->part[i] = f->orbits.link[i] - m->fabric->link_ends;
    f->over = !ripstop_orbits_next(&f->orbits);
  } else {
    if (m->count) memcpy(out->part, f->all.part, m->count * sizeof *out->part);
    f->over = !ripstop_combinations_next(&f->all);
  }
  return true;
}

/* ------------------------------------------------------------------ one set */

/* What is kept of a set until its turn comes. */
typedef struct result {
  bool ready, failed;
  ripstop_set_proof proof; /* without pointers */
  ripstop_text text;
  ripstop_error err;
} result;

typedef struct team {
  const ripstop_many *many;
  feed feed;
  pthread_mutex_t lock;   /* of everything below, and of the feed */
  pthread_cond_t news;    /* the result that is awaited is ready, or a thread has left */
  pthread_cond_t room;    /* the ring has room */
  uint64_t told;          /* results before this number have been taken */
  result *ring;           /* [WINDOW] */
  unsigned busy;          /* threads that may still bring results */
  bool ended;             /* no more is wanted */
  bool out_of_memory;     /* a thread was */
  unsigned inner_threads; /* for each proof */
} team;

typedef struct worker {
  team *team;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
  ripstop_faults faults; /* those of the view */
  ripstop_arena *arena;  /* theirs */
} worker;

static int make_set(const ripstop_many *m, const job *j, ripstop_arena *arena, ripstop_faults *out,
                    ripstop_error *err) {
  switch (m->kind) {
  case RIPSTOP_SETS_GIVEN:
    *out = m->given[j->number];
    return 0;
  case RIPSTOP_SETS_ALL:
    ripstop_faults_from_parts(arena, m->fabric, m->scope, j->part, m->count, out);
    return 0;
  case RIPSTOP_SETS_DRAWN: /* the same sets as in experiments (execute.c) */
    return m->count ? ripstop_faults_sample(arena, m->fabric, m->scope, m->count, m->seed,
                                            (uint64_t)m->count << 32 | j->number, out, err)
                    : 0;
  }
  return 0;
}

static void set_parts(ripstop_view *view, const ripstop_faults *faults, bool up) {
  for (uint32_t i = 0; i < faults->links; i++) ripstop_view_set_link(view, faults->link[i], up);
  for (uint32_t i = 0; i < faults->switches; i++) ripstop_view_set_switch(view, faults->switch_[i], up);
}

/* The worker's view gets the job's set. */
static int break_parts(worker *w, const job *j, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults = {0};
  if (make_set(w->team->many, j, arena, &faults, err)) {
    ripstop_arena_free(arena);
    return -1;
  }
  set_parts(w->view, &w->faults, true);
  set_parts(w->view, &faults, false);
  ripstop_arena_free(w->arena);
  w->arena = arena;
  w->faults = faults;
  return 0;
}

static ripstop_answer compile(worker *w, ripstop_error *err) {
  ripstop_answer answer;
  if (w->plan)
    answer = ripstop_plan_update(w->plan, err);
  else
    w->plan = ripstop_plan_open(w->view, w->team->many->method, &answer, err);
  return answer == RIPSTOP_APPLIES ? ripstop_plan_tables(w->plan, err) : answer;
}

/* Delivery alone, by the method's own count. Pairs without a path are among the lost ones. */
static void count_pairs(const ripstop_plan *plan, ripstop_proof *out) {
  uint64_t ends = plan->fabric->ends;
  *out = (ripstop_proof){.pairs = ends * (ends - 1), .lost_pairs_some_choice = plan->method->lost_pairs(plan)};
  out->tolerated = out->lost_pairs_some_choice == 0;
  if (!out->tolerated) out->disconnected_pairs = ripstop_view_disconnected_pairs(plan->view);
}

static int prove_set(worker *w, const job *j, ripstop_set_proof *out, ripstop_error *err) {
  const ripstop_fabric *f = w->team->many->fabric;
  *out = (ripstop_set_proof){.number = j->number, .weight = j->weight};
  if (break_parts(w, j, err)) return -1;
  out->faults = &w->faults;
  ripstop_answer answer = compile(w, err);
  if (answer == RIPSTOP_ERROR) return -1;
  if (answer == RIPSTOP_APPLIES) {
    out->plan = w->plan;
    out->counted = w->team->many->tolerance && w->plan->method->lost_pairs;
    if (out->counted) {
      count_pairs(w->plan, &out->proof);
      return 0;
    }
    return ripstop_prove(w->prover, w->plan, &out->proof, err);
  }
  out->why_not = err->text;
  out->proof.pairs = (uint64_t)f->ends * (f->ends - 1);
  out->proof.disconnected_pairs = ripstop_view_disconnected_pairs(w->view);
  return 0;
}

static int name_set(const ripstop_many *m, const ripstop_faults *faults, ripstop_error *err) {
  ripstop_text text = {0};
  ripstop_faults_print(&text, m->fabric, faults);
  ripstop_fail_at(err, "fault set '%.200s'", text.data);
  ripstop_text_free(&text);
  return -1;
}

/* Everything of a job that needs no lock. */
static void do_job(worker *w, const job *j, result *r) {
  const ripstop_many *m = w->team->many;
  ripstop_set_proof *proof = &r->proof;
  ripstop_text text = {0};
  r->failed = prove_set(w, j, proof, &r->err) != 0;
  if (r->failed) {
    name_set(m, &w->faults, &r->err);
    return;
  }
  if (m->tell) m->tell(m->context, proof, &text);
  ripstop_text_free(&r->text);
  ripstop_disown(text.data); /* it outlives this thread */
  r->text = text;
  proof->faults = NULL;
  proof->plan = NULL;
  proof->proof.queue = NULL;
  proof->proof.ring = NULL;
  proof->proof.lost_walk = proof->proof.never_walk = proof->proof.livelock_walk = NULL;
}

/* ------------------------------------------------------------------ threads */

static bool stopped(const ripstop_many *m) { return ripstop_stopped(m->stop); }

static bool take_job(team *t, job *out) {
  bool taken = false;
  pthread_mutex_lock(&t->lock);
  while (!t->ended && t->feed.next >= t->told + WINDOW) pthread_cond_wait(&t->room, &t->lock);
  if (!t->ended && !stopped(t->many)) taken = take(&t->feed, out);
  pthread_mutex_unlock(&t->lock);
  return taken;
}

static void serve(void *argument) {
  team *t = argument;
  const ripstop_many *m = t->many;
  worker w = {.team = t, .view = ripstop_view_new(m->fabric, NULL), .prover = ripstop_prover_new(m->fabric)};
  job j = {.part = ripstop_realloc(NULL, m->count, sizeof *j.part)};
  ripstop_prover_paths(w.prover, m->paths);
  ripstop_prover_threads(w.prover, t->inner_threads);
  while (take_job(t, &j)) {
    result *r = &t->ring[j.number % WINDOW];
    do_job(&w, &j, r);
    pthread_mutex_lock(&t->lock);
    r->ready = true;
    if (j.number == t->told) pthread_cond_signal(&t->news);
    pthread_mutex_unlock(&t->lock);
  }
  ripstop_free(j.part);
  ripstop_prover_free(w.prover);
  ripstop_plan_free(w.plan);
  ripstop_view_free(w.view);
  ripstop_arena_free(w.arena);
}

static void *work(void *argument) {
  team *t = argument;
  bool out_of_memory = ripstop_try(serve, t, NULL) != 0;
  pthread_mutex_lock(&t->lock);
  t->busy--;
  if (out_of_memory) t->out_of_memory = t->ended = true;
  pthread_cond_signal(&t->news);
  if (out_of_memory) pthread_cond_broadcast(&t->room);
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

/* The next result in order; NULL: there is none, and none will come. */
static result *wait_for_result(team *t) {
  result *r = &t->ring[t->told % WINDOW];
  pthread_mutex_lock(&t->lock);
  while (!r->ready && t->busy && !t->out_of_memory) pthread_cond_wait(&t->news, &t->lock);
  bool ready = r->ready;
  pthread_mutex_unlock(&t->lock);
  return ready ? r : NULL;
}

static void pass_result(team *t, result *r) {
  pthread_mutex_lock(&t->lock);
  r->ready = false;
  t->told++;
  pthread_cond_broadcast(&t->room);
  pthread_mutex_unlock(&t->lock);
}

static void end_work(team *t) {
  pthread_mutex_lock(&t->lock);
  t->ended = true;
  pthread_cond_broadcast(&t->room);
  pthread_mutex_unlock(&t->lock);
}

/* ------------------------------------------------------------------ counting */

static void count_in(ripstop_counts_of_sets *c, const ripstop_set_proof *p) {
  c->sets += p->weight;
  if (p->why_not) {
    c->not_applicable += p->weight;
    return;
  }
  c->tolerated += p->proof.tolerated ? p->weight : 0;
  if (p->counted) return;
  c->deadlocked += p->proof.deadlock_free ? 0 : p->weight;
  c->livelocked += p->proof.livelock_free ? 0 : p->weight;
  c->safe += p->proof.tolerated && p->proof.deadlock_free ? p->weight : 0;
}

static void count(ripstop_tally *tally, const ripstop_set_proof *p) {
  tally->proofs++;
  tally->counted |= p->counted;
  count_in(&tally->all, p);
  if (p->proof.disconnected_pairs == 0) count_in(&tally->connected, p);
  add_paths(&tally->paths, &p->proof.paths, p->weight);
}

ripstop_interval ripstop_tally_interval(const ripstop_many *m, const ripstop_tally *tally, bool of_connected) {
  const ripstop_counts_of_sets *c = of_connected ? &tally->connected : &tally->all;
  if (c->sets == 0) return (ripstop_interval){0, 1};
  if (m->kind != RIPSTOP_SETS_DRAWN) {
    double share = (double)c->tolerated / (double)c->sets;
    return (ripstop_interval){share, share};
  }
  return m->interval == RIPSTOP_WILSON ? ripstop_wilson(c->tolerated, c->sets, m->confidence)
                                       : ripstop_clopper_pearson(c->tolerated, c->sets, m->confidence);
}

static bool narrow_enough(const ripstop_many *m, const ripstop_tally *tally) {
  if (m->kind != RIPSTOP_SETS_DRAWN || m->half_width <= 0 || tally->proofs % JUDGE_EVERY != 0) return false;
  ripstop_interval i = ripstop_tally_interval(m, tally, m->of_connected);
  return i.high - i.low <= 2 * m->half_width;
}

/* ------------------------------------------------------------------ all together */

/* What the caller's thread does while the others work. */
typedef struct harvest {
  team *team;
  ripstop_tally *tally;
  ripstop_error *err;
  int status; /* 0: all or enough; 1: ended before; -1: a failure */
} harvest;

static int take_results(team *t, ripstop_tally *tally, ripstop_error *err) {
  const ripstop_many *m = t->many;
  for (result *r; (r = wait_for_result(t)) != NULL; pass_result(t, r)) {
    if (r->failed) {
      *err = r->err;
      return -1;
    }
    count(tally, &r->proof);
    if (m->done && m->done(m->context, &r->proof, &r->text, tally)) return 1;
    if (narrow_enough(m, tally)) return 0;
  }
  return stopped(m) ? 1 : 0;
}

static void reap(void *argument) {
  harvest *h = argument;
  h->status = take_results(h->team, h->tally, h->err);
}

/* Fewer threads than wished for when the system gives no more. */
static unsigned start_threads(team *t, pthread_t *thread, unsigned wished, ripstop_error *err) {
  unsigned started = 0;
  t->busy = wished;
  while (started < wished && !pthread_create(&thread[started], NULL, work, t)) started++;
  pthread_mutex_lock(&t->lock);
  t->busy -= wished - started;
  pthread_mutex_unlock(&t->lock);
  if (!started) ripstop_fail(err, "the system gives no thread: %s", strerror(EAGAIN));
  return started;
}

static unsigned share_threads(team *t) {
  const ripstop_many *m = t->many;
  unsigned threads = m->threads < THREADS_MAX ? m->threads : THREADS_MAX;
  uint64_t sets = m->kind == RIPSTOP_SETS_ALL && m->count ? UINT64_MAX : t->feed.end;
  if (m->kind == RIPSTOP_SETS_ALL && !m->count) sets = 1;
  t->inner_threads = sets < threads ? threads : 1;
  return sets < threads ? 1 : threads;
}

int ripstop_prove_many(const ripstop_many *many, ripstop_tally *tally, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  team t = {.many = many};
  *tally = (ripstop_tally){0};
  if (start_feed(&t.feed, many, err)) {
    end_feed(&t.feed);
    return -1;
  }
  pthread_mutex_init(&t.lock, NULL);
  pthread_cond_init(&t.news, NULL);
  pthread_cond_init(&t.room, NULL);
  t.ring = ripstop_realloc(NULL, WINDOW, sizeof *t.ring);
  memset(t.ring, 0, WINDOW * sizeof *t.ring);
  unsigned threads = share_threads(&t);
  pthread_t *thread = ripstop_realloc(NULL, threads, sizeof *thread);
  unsigned started = start_threads(&t, thread, threads, err);
  harvest h = {.team = &t, .tally = tally, .err = err, .status = -1};
  bool out_of_memory = started && ripstop_try(reap, &h, NULL);
  end_work(&t);
  for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
  for (unsigned i = 0; i < WINDOW; i++) ripstop_text_free(&t.ring[i].text);
  ripstop_free(t.ring);
  ripstop_free(thread);
  pthread_cond_destroy(&t.room);
  pthread_cond_destroy(&t.news);
  pthread_mutex_destroy(&t.lock);
  end_feed(&t.feed);
  if (out_of_memory || t.out_of_memory) ripstop_out_of_memory();
  return h.status;
}
