/* many_sets.c - one proof for each of many fault sets, by several threads, reported in the order of the sets.
 *
 * Sets are numbered. A thread of the team (base/team.h) takes the next number, makes the set and proves it with a
 * view, a plan and a prover of its own, which it reuses for all its sets. The caller's thread takes the results in
 * the order of the numbers, and it alone counts and decides when enough is known. So the results do not depend on the
 * number of threads or on scheduling.
 *
 * If there are fewer sets than threads, the threads share the destinations of each proof instead. */
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/team.h"
#include "prove/proof.h"
#include "prove/prover.h"
#include "prove/symmetry.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "tables/versions.h"

enum { WINDOW = 1024 };     /* sets in progress or not yet taken */
enum { JUDGE_EVERY = 100 }; /* random sets between two checks of the interval; also the least number of sets */

const char *const ripstop_interval_words[] = {"clopper-pearson", "wilson", NULL};

/* ------------------------------------------------------------------ the fault sets */

/* One set before it is made, and its result until its turn. */
typedef struct job {
  uint64_t number, weight;
  bool failed;
  ripstop_set_proof proof; /* without pointers */
  ripstop_text text;
  ripstop_error err;
  uint32_t part[]; /* RIPSTOP_SETS_ALL: [count]; else the set follows from the number */
} job;

typedef struct feed {
  const ripstop_many *many;
  uint64_t next, end; /* RIPSTOP_SETS_ALL: `over` marks the end */
  bool over;
  ripstop_symmetry *symmetry; /* NULL: every combination */
  ripstop_orbits orbits;
  ripstop_combinations all;
  ripstop_arena *arena;
} feed;

static bool is_switch_links(const ripstop_fault_scope *scope) { return !scope || scope == RIPSTOP_FAULTS_SWITCH_LINKS; }

/* Symmetries are those of all links between switches. */
static int start_all(feed *f, ripstop_error *err) {
  const ripstop_many *m = f->many;
  uint32_t population = ripstop_faults_population(m->fabric, m->scope);
  if (m->symmetry && !m->mixed && is_switch_links(m->scope) && m->count <= RIPSTOP_ORBIT_FAULTS) {
    ripstop_view *view = ripstop_view_new(m->fabric, NULL);
    ripstop_plan *plan = ripstop_plan_compile(view, m->method, NULL, err);
    if (plan) f->symmetry = ripstop_symmetry_for(plan);
    ripstop_plan_free(plan);
    ripstop_view_free(view);
    if (f->symmetry) return ripstop_orbits_first(&f->orbits, f->symmetry, m->count, err);
  }
  ripstop_combinations_first(f->arena, population, m->count, &f->all);
  return 0;
}

static int start_feed(feed *f, const ripstop_many *m, ripstop_error *err) {
  *f = (feed){.many = m, .arena = ripstop_arena_new(), .end = m->kind == RIPSTOP_SETS_SAMPLED ? m->samples : m->givens};
  if (m->kind == RIPSTOP_SETS_GIVEN) return 0;
  uint32_t population = ripstop_faults_population(m->fabric, m->scope);
  if (m->count > population)
    return ripstop_fail(err, "%u faults requested, but %s has only %u parts of the kind '%s'", m->count,
                        m->fabric->spec, population, ripstop_scope_name(m->scope));
  if (m->kind == RIPSTOP_SETS_SAMPLED) return 0;
  f->end = UINT64_MAX;
  return start_all(f, err);
}

static void end_feed(feed *f) {
  ripstop_symmetry_free(f->symmetry);
  ripstop_arena_free(f->arena);
}

static bool next_of_all(feed *f, job *out) {
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

/* The next set of this part. */
static bool next_set(feed *f, job *out) {
  const ripstop_many *m = f->many;
  while (next_of_all(f, out))
    if (!m->parts || out->number % m->parts == m->part - 1) return true;
  return false;
}

/* ------------------------------------------------------------------ one set */

/* A call of ripstop_prove_many. */
typedef struct task {
  const ripstop_many *many;
  feed feed;
  unsigned inner_threads; /* for each proof */
  ripstop_tally *tally;
  ripstop_error *err;
  bool enough; /* the interval is narrow enough */
  int status;  /* 1: `done` wants no more; -1: a failure */
} task;

typedef struct worker {
  const task *task;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
  ripstop_faults faults; /* faults of the view */
  ripstop_arena *arena;  /* memory of these */
  /* With ripstop_many.mixed: the view before any set, and the versions of the present set. */
  ripstop_view *view_before;
  ripstop_plan *plan_before;
  ripstop_versions *versions;
  ripstop_versions *last; /* if the first write fails: the versions of the last one */
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
  case RIPSTOP_SETS_SAMPLED: /* the same sets as in experiments (execute.c) */
    return m->count ? ripstop_faults_sample(arena, m->fabric, m->scope, m->count, m->seed,
                                            (uint64_t)m->count << 32 | j->number, out, err)
                    : 0;
  }
  return 0;
}

/* Applies the job's set to the worker's view. */
static int break_parts(worker *w, const job *j, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults faults = {0};
  if (make_set(w->task->many, j, arena, &faults, err)) {
    ripstop_arena_free(arena);
    return -1;
  }
  ripstop_view_set_faults(w->view, &w->faults, true);
  ripstop_view_set_faults(w->view, &faults, false);
  ripstop_arena_free(w->arena);
  w->arena = arena;
  w->faults = faults;
  return 0;
}

static ripstop_answer compile(worker *w, ripstop_error *err) {
  ripstop_answer answer;
  if (w->plan)
    answer = ripstop_plan_recompile(w->plan, err);
  else
    w->plan = ripstop_plan_compile(w->view, w->task->many->method, &answer, err);
  if (w->plan) w->plan->switch_ = w->task->many->switch_;
  if (w->plan) w->plan->switch_channels = w->task->many->switch_channels;
  if (w->plan) w->plan->binding = w->task->many->binding;
  return answer == RIPSTOP_APPLIES ? ripstop_plan_tables(w->plan, err) : answer;
}

/* Delivery only, by the method's own count. Pairs without a path count as lost. */
static void count_pairs(const ripstop_plan *plan, ripstop_proof *out) {
  uint64_t ends = plan->fabric->ends;
  *out = (ripstop_proof){.pairs = ends * (ends - 1), .lost_pairs_some_choice = plan->method->lost_pairs(plan)};
  out->tolerated = out->lost_pairs_some_choice == 0;
  if (!out->tolerated) out->disconnected_pairs = ripstop_view_disconnected_pairs(plan->view);
}

/* ------------------------------------------------------------------ transient states */

static ripstop_answer compile_before(worker *w, ripstop_error *err) {
  ripstop_answer answer;
  const ripstop_many *m = w->task->many;
  if (w->plan_before) return RIPSTOP_APPLIES;
  if (!w->view_before) w->view_before = ripstop_view_new(m->fabric, m->mixed->before);
  w->plan_before = ripstop_plan_compile(w->view_before, m->method, &answer, err);
  return answer == RIPSTOP_APPLIES ? ripstop_plan_tables(w->plan_before, err) : answer;
}

static uint32_t count_orders(const worker *w) {
  const ripstop_mixed *mixed = w->task->many->mixed;
  return w->plan->method->proto ? mixed->orders : mixed->two_writes ? 2 : 1;
}

/* True if the last proof is of the first of two writes. */
static bool is_first_write(const worker *w, const ripstop_set_proof *p) {
  return !w->plan->method->proto && p->orders < count_orders(w);
}

/* Candidates that the first of two writes removes are no failure. */
static bool fails(const worker *w, const ripstop_set_proof *p) {
  return !p->proof.deadlock_free || !p->proof.livelock_free ||
         (p->proof.lost_pairs_some_choice > p->proof.disconnected_pairs && !is_first_write(w, p));
}

/* Keeps the most packets that wait or are dropped over all orders. */
static void keep_most(worker *w, ripstop_proof *most, ripstop_proof *now) {
  if (now->dropped_walk) now->dropped_walk = ripstop_arena_text(w->arena, now->dropped_walk);
  if (most->dropped > now->dropped) now->dropped = most->dropped, now->dropped_walk = most->dropped_walk;
  if (most->deadlock_packets > now->deadlock_packets) now->deadlock_packets = most->deadlock_packets;
  *most = *now;
}

static const char *keep_text(worker *w, const char *text) { return text ? ripstop_arena_text(w->arena, text) : NULL; }

static const void *keep_array(worker *w, const void *array, uint32_t count, size_t size) {
  if (!array) return NULL;
  void *copy = ripstop_arena_array(w->arena, count + 1, size);
  return memcpy(copy, array, count * size);
}

/* Copies the description of a failure, which the next proof overwrites. */
static void keep_failure(worker *w, ripstop_proof *p) {
  p->queue = keep_array(w, p->queue, p->queues, sizeof *p->queue);
  p->ring = keep_array(w, p->ring, p->queues, sizeof *p->ring);
  p->livelock_walk = keep_text(w, p->livelock_walk);
  p->dropped_walk = keep_text(w, p->dropped_walk);
}

/* A first write fails. New packets are judged by the last tables in any case. */
static ripstop_answer add_delivery(worker *w, ripstop_proof *first, ripstop_error *err) {
  const ripstop_mixed *mixed = w->task->many->mixed;
  ripstop_proof last;
  ripstop_answer answer;
  keep_failure(w, first);
  ripstop_versions_free(w->last);
  w->last = NULL;
  w->last =
      ripstop_mixed_open(mixed, w->task->many->method, w->plan_before, w->plan, count_orders(w) - 1, &answer, err);
  if (!w->last) return answer;
  ripstop_mixing mixing = {w->last, mixed->in_order, mixed->for_ever};
  if (ripstop_prove_transients(w->prover, &mixing, &last, err)) return RIPSTOP_ERROR;
  first->tolerated = last.tolerated;
  first->lost_pairs_some_choice = last.lost_pairs_some_choice;
  first->lost_pairs_every_choice = last.lost_pairs_every_choice;
  first->lost_destinations = last.lost_destinations;
  first->lost_walk = last.lost_walk;
  first->never_walk = last.never_walk;
  first->paths = last.paths;
  return RIPSTOP_APPLIES;
}

/* Proves one order of messages, or one write, after another, until something fails. */
static ripstop_answer prove_mixed(worker *w, ripstop_set_proof *out, ripstop_error *err) {
  const ripstop_many *m = w->task->many;
  for (out->orders = 0; out->orders < count_orders(w) && !(out->orders && fails(w, out)); out->orders++) {
    ripstop_proof proof;
    ripstop_answer answer;
    ripstop_versions_free(w->versions);
    w->versions = ripstop_mixed_open(m->mixed, m->method, w->plan_before, w->plan, out->orders, &answer, err);
    if (!w->versions) return answer;
    out->mixing = (ripstop_mixing){w->versions, m->mixed->in_order, m->mixed->for_ever};
    if (ripstop_prove_transients(w->prover, &out->mixing, &proof, err)) return RIPSTOP_ERROR;
    keep_most(w, &out->proof, &proof);
  }
  return is_first_write(w, out) ? add_delivery(w, &out->proof, err) : RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ a set */

/* Makes and proves the plan. */
static ripstop_answer prove_plan(worker *w, ripstop_set_proof *out, ripstop_error *err) {
  const ripstop_many *m = w->task->many;
  out->plan = w->plan;
  out->counted = m->tolerance && w->plan->method->lost_pairs;
  if (out->counted) {
    count_pairs(w->plan, &out->proof);
    return RIPSTOP_APPLIES;
  }
  if (m->mixed) return prove_mixed(w, out, err);
  return ripstop_prover_prove(w->prover, w->plan, &out->proof, err) ? RIPSTOP_ERROR : RIPSTOP_APPLIES;
}

static int prove_set(worker *w, const job *j, ripstop_set_proof *out, ripstop_error *err) {
  const ripstop_many *m = w->task->many;
  ripstop_set_proof empty = {
      .number = j->number, .weight = j->weight, .confidence = m->destinations ? m->confidence : 0};
  if (m->mixed) empty.before = m->mixed->before;
  *out = empty;
  if (break_parts(w, j, err)) return -1;
  empty.faults = out->faults = &w->faults;
  ripstop_answer answer = m->mixed ? compile_before(w, err) : RIPSTOP_APPLIES;
  if (answer == RIPSTOP_APPLIES) answer = compile(w, err);
  if (answer == RIPSTOP_APPLIES) answer = prove_plan(w, out, err);
  if (answer != RIPSTOP_DOES_NOT_APPLY) return answer == RIPSTOP_ERROR ? -1 : 0;
  *out = empty;
  out->why_not = err->text;
  out->proof.pairs = (uint64_t)m->fabric->ends * (m->fabric->ends - 1);
  out->proof.disconnected_pairs = ripstop_view_disconnected_pairs(w->view);
  return 0;
}

static int name_set(const ripstop_many *m, const ripstop_faults *faults, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_faults_print(&text, m->fabric, faults);
  ripstop_fail_at(err, "fault set '%.200s'", text.data);
  return -1;
}

/* ------------------------------------------------------------------ callbacks of the team */

static bool stopped(const ripstop_many *m) { return ripstop_stopped(m->stop); }

static void *enter(void *context) {
  const task *t = context;
  worker *w = ripstop_realloc(NULL, 1, sizeof *w);
  *w = (worker){
      .task = t, .view = ripstop_view_new(t->many->fabric, NULL), .prover = ripstop_prover_new(t->many->fabric)};
  ripstop_prover_paths(w->prover, t->many->paths);
  ripstop_prover_dependencies(w->prover, t->many->subfunction);
  if (ripstop_prover_destinations(w->prover, t->many->destinations, t->many->seed)) ripstop_out_of_memory();
  ripstop_prover_sample_headers(w->prover, t->many->random_headers, t->many->seed);
  ripstop_prover_threads(w->prover, t->inner_threads);
  return w;
}

static void leave(void *tools) {
  worker *w = tools;
  ripstop_prover_free(w->prover);
  ripstop_versions_free(w->versions);
  ripstop_versions_free(w->last);
  ripstop_plan_free(w->plan_before);
  ripstop_view_free(w->view_before);
  ripstop_plan_free(w->plan);
  ripstop_view_free(w->view);
  ripstop_arena_free(w->arena);
  ripstop_free(w);
}

static bool fetch(void *context, void *next) {
  task *t = context;
  return !stopped(t->many) && next_set(&t->feed, next);
}

static void work(void *context, void *tools, void *under_way) {
  const ripstop_many *m = ((const task *)context)->many;
  worker *w = tools;
  job *j = under_way;
  ripstop_set_proof *proof = &j->proof;
  ripstop_text text = {0};
  j->failed = prove_set(w, j, proof, &j->err) != 0;
  if (j->failed) {
    name_set(m, &w->faults, &j->err);
    return;
  }
  if (m->tell) m->tell(m->context, proof, &text);
  ripstop_text_free(&j->text);
  ripstop_disown(text.data); /* it outlives this thread */
  j->text = text;
  proof->faults = NULL;
  proof->plan = NULL;
  proof->proof.queue = NULL;
  proof->proof.ring = NULL;
  proof->proof.dropped_walk = NULL;
  proof->proof.dependencies.cycle = NULL;
  proof->proof.dependencies.arc = NULL;
  proof->mixing = (ripstop_mixing){0};
  proof->proof.lost_walk = proof->proof.never_walk = proof->proof.livelock_walk = NULL;
}

static void forget(void *place) { ripstop_text_free(&((job *)place)->text); }

/* ------------------------------------------------------------------ counting */

static void count_in(ripstop_counts_of_sets *c, const ripstop_set_proof *p) {
  c->sets += p->weight;
  if (p->confidence > 0) return;
  if (p->why_not) {
    c->not_applicable += p->weight;
    return;
  }
  c->tolerated += p->proof.tolerated ? p->weight : 0;
  if (p->counted) return;
  c->deadlocked += p->proof.deadlock_free ? 0 : p->weight;
  c->livelocked += p->proof.livelock_free ? 0 : p->weight;
  c->safe += p->proof.tolerated && p->proof.deadlock_free ? p->weight : 0;
  c->cyclic += p->proof.dependencies.cyclic ? p->weight : 0;
  c->starved += p->proof.dependencies.starved ? p->weight : 0;
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
  if (m->kind != RIPSTOP_SETS_SAMPLED) {
    double share = (double)c->tolerated / (double)c->sets;
    return (ripstop_interval){share, share};
  }
  return m->interval == RIPSTOP_WILSON ? ripstop_wilson(c->tolerated, c->sets, m->confidence)
                                       : ripstop_clopper_pearson(c->tolerated, c->sets, m->confidence);
}

static bool narrow_enough(const ripstop_many *m, const ripstop_tally *tally) {
  if (m->kind != RIPSTOP_SETS_SAMPLED || m->half_width <= 0 || tally->proofs % JUDGE_EVERY != 0) return false;
  ripstop_interval i = ripstop_tally_interval(m, tally, m->of_connected);
  return i.high - i.low <= 2 * m->half_width;
}

/* ------------------------------------------------------------------ the whole */

/* True if more sets are wanted. */
static bool take(void *context, void *done) {
  task *t = context;
  const ripstop_many *m = t->many;
  const job *j = done;
  if (j->failed) {
    *t->err = j->err;
    t->status = -1;
    return false;
  }
  count(t->tally, &j->proof);
  if (m->done && m->done(m->context, &j->proof, &j->text, t->tally)) {
    t->status = 1;
    return false;
  }
  t->enough = narrow_enough(m, t->tally);
  return !t->enough;
}

/* Threads that each prove sets of their own. If there are fewer sets than threads, one thread proves them one after
 * another, and the threads share each proof. */
static unsigned share_threads(task *t) {
  const ripstop_many *m = t->many;
  uint64_t sets = m->kind == RIPSTOP_SETS_ALL && m->count ? UINT64_MAX : t->feed.end;
  if (m->kind == RIPSTOP_SETS_ALL && !m->count) sets = 1;
  t->inner_threads = sets < m->threads ? m->threads : 1;
  return sets < m->threads ? 1 : m->threads;
}

/* If the work is stopped, the counts of earlier sets remain valid. */
int ripstop_prove_many(const ripstop_many *many, ripstop_tally *tally, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_course course = {.stop = many->stop};
  task t = {.many = many, .tally = tally, .err = err};
  *tally = (ripstop_tally){0};
  if (start_feed(&t.feed, many, err)) {
    end_feed(&t.feed);
    return -1;
  }
  ripstop_guard_course(&course);
  ripstop_team_work(&(ripstop_duty){.threads = share_threads(&t),
                                    .window = WINDOW,
                                    .job_size = sizeof(job) + many->count * sizeof(uint32_t),
                                    .in_order = true,
                                    .context = &t,
                                    .enter = enter,
                                    .leave = leave,
                                    .fetch = fetch,
                                    .work = work,
                                    .take = take,
                                    .forget = forget});
  end_feed(&t.feed);
  return t.status || t.enough ? t.status : stopped(many);
}
