/* fluid_run.c - opens the jobs and their pairs, runs them, and collects the result. */
#include "flow/fluid_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/sort.h"
#include "flow/fluid_values.h"
#include "flow/timeline.h"
#include "ripstop/plugin/method.h"
#include "workload/ideal.h"

typedef struct scene {
  const ripstop_plan *plan;
  ripstop_workload_run run;
  job *job;
  size_t jobs;
  timeline time;
  ripstop_arena *arena;
} scene;

/* ------------------------------------------------------------------ refusals */

static int check_measure(const ripstop_measure_config *m, ripstop_error *err) {
  const char *key = m->window     ? "window"
                    : m->affected ? "affected"
                    : m->spread   ? "spread"
                    : m->reorder  ? "reorder"
                    : m->links    ? "links"
                                  : NULL;
  return key ? ripstop_fail(err, "measure.%s: model: flow has no such values", key) : 0;
}

static int check_config(const ripstop_workload_run *run, ripstop_error *err) {
  const ripstop_workload_config *c = &run->config;
  const ripstop_simulate_settings *s = &run->simulation;
  if (s->traffic.load > 0) return ripstop_fail(err, "traffic.load: model: flow has no random packets beside jobs");
  if (c->checkpoint) return ripstop_fail(err, "workload.checkpoint: model: flow has no checkpoints");
  if (s->reconfiguration.model != RIPSTOP_RECONFIGURATION_DYNAMIC)
    return ripstop_fail(err, "reaction.model: model: flow takes dynamic alone");
  return check_measure(&s->measure, err);
}

static int check_plan(const ripstop_plan *plan, ripstop_error *err) {
  if (plan->classes == 1) return 0;
  return ripstop_fail(err, "method %s routes %u traffic classes apart, and model: flow has one", plan->method->name,
                      plan->classes);
}

/* ------------------------------------------------------------------ flow.at */

static int read_times(timeline *t, const char *text, ripstop_error *err) {
  size_t most = 1;
  for (const char *c = text; *c; c++) most += *c == ',';
  t->at = RIPSTOP_ARRAY(t->arena, most, double);
  t->loads = RIPSTOP_ARRAY(t->arena, most, ripstop_channel_loads);
  while (*text) {
    const size_t length = strcspn(text, ",");
    const char *one = ripstop_arena_printf(t->arena, "%.*s", (int)length, text);
    double when;
    if (ripstop_parse_real(one, &when, err) || !(when >= 0))
      return ripstop_fail(err, "flow.at: '%s' is no time in cycles, such as 1000 or 2.5", one);
    t->at[t->ats++] = when;
    text += length + (text[length] == ',');
  }
  if (t->ats) qsort(t->at, t->ats, sizeof *t->at, ripstop_by_real);
  return 0;
}

/* ------------------------------------------------------------------ pairs */

/* A set of ordered pairs of end nodes: open addressing, with the number + 1 of each. */
typedef struct pair_set {
  pair *pair;
  size_t room;
  uint32_t pairs, *at, mask;
  ripstop_arena *arena; /* holds `at` */
} pair_set;

static uint32_t *place_of(const pair_set *s, uint32_t source, uint32_t destination) {
  for (uint32_t at = (uint32_t)ripstop_mix_pair(source, destination) & s->mask;; at = (at + 1) & s->mask) {
    const pair *p = s->at[at] ? &s->pair[s->at[at] - 1] : NULL;
    if (!p || (p->source == source && p->destination == destination)) return &s->at[at];
  }
}

static void number_all(pair_set *s, uint32_t size) {
  s->mask = size - 1;
  s->at = RIPSTOP_ARRAY(s->arena, size, uint32_t);
  for (uint32_t i = 0; i < s->pairs; i++) *place_of(s, s->pair[i].source, s->pair[i].destination) = i + 1;
}

static void add_pair(scene *s, pair_set *set, uint32_t source, uint32_t destination) {
  uint32_t *at = place_of(set, source, destination);
  if (*at) return;
  RIPSTOP_GROW_IN(s->arena, set->pair, set->pairs, set->room);
  set->pair[set->pairs++] = (pair){.source = source, .destination = destination};
  *at = set->pairs;
  if (2 * set->pairs > set->mask) number_all(set, 2 * (set->mask + 1));
}

/* Pairs to one destination, and of sources of one switch, follow each other: stream_paths.c is quicker so. */
static int by_ends(const void *context, const void *a, const void *b) {
  const ripstop_fabric *f = context;
  const pair *x = a, *y = b;
  if (x->destination != y->destination) return x->destination < y->destination ? -1 : 1;
  const uint32_t own = ripstop_end_switch(f, x->source), other = ripstop_end_switch(f, y->source);
  if (own != other) return own < other ? -1 : 1;
  return (x->source > y->source) - (x->source < y->source);
}

static int check_pair(const job *j, const task *one, ripstop_error *err) {
  if (j->end[one->rank] != j->end[one->peer]) return 0;
  return ripstop_fail(err, "rank %u sends to itself; model: flow has no such messages", one->rank);
}

/* Calls `then` for each send. */
static int for_each_send(scene *s,
                         int (*then)(scene *s, pair_set *set, size_t owner, uint32_t task, ripstop_error *err),
                         pair_set *set, ripstop_error *err) {
  for (size_t j = 0; j < s->jobs; j++)
    for (uint32_t i = 0; i < s->job[j].tasks->count; i++)
      if (s->job[j].tasks->task[i].kind == TASK_SEND && then(s, set, j, i, err)) return -1;
  return 0;
}

static int find_pair(scene *s, pair_set *set, size_t owner, uint32_t number, ripstop_error *err) {
  const task *one = &s->job[owner].tasks->task[number];
  if (check_pair(&s->job[owner], one, err)) return jobs_fail(&s->job[owner], owner, err);
  add_pair(s, set, s->job[owner].end[one->rank], s->job[owner].end[one->peer]);
  return 0;
}

static int note_pair(scene *s, pair_set *set, size_t owner, uint32_t number, ripstop_error *err) {
  const task *one = &s->job[owner].tasks->task[number];
  (void)err;
  s->time.job[owner].pair[number] = *place_of(set, s->job[owner].end[one->rank], s->job[owner].end[one->peer]) - 1;
  return 0;
}

static int open_pairs(scene *s, ripstop_error *err) {
  enum { FIRST = 1024 };
  RIPSTOP_LOCAL_ARENA(scratch);
  pair_set set = {.arena = scratch};
  number_all(&set, FIRST);
  if (for_each_send(s, find_pair, &set, err)) return -1;
  ripstop_sort(set.pair, set.pairs, sizeof *set.pair, by_ends, s->plan->fabric);
  number_all(&set, set.mask + 1);
  s->time.pair = set.pair;
  s->time.pairs = set.pairs;
  return for_each_send(s, note_pair, &set, err);
}

/* ------------------------------------------------------------------ opening */

static int open_jobs(scene *s, ripstop_error *err) {
  const ripstop_fabric *fabric = s->plan->fabric;
  if (jobs_read(s->arena, s->run.config.jobs, &s->job, &s->jobs, err)) return -1;
  for (size_t i = 0; i < s->jobs; i++) s->job[i].tick = s->run.config.tick;
  uint32_t *busy = RIPSTOP_ARRAY(s->arena, fabric->ends, uint32_t);
  if (jobs_place(s->arena, fabric, s->run.simulation.seed, s->job, s->jobs, busy, err)) return -1;
  const stage_wires wires = stage_wires_of(fabric, &s->run.simulation.switch_, &s->run.config);
  return ideal_links(fabric, s->job, s->jobs, err) || ideal_paths(&s->run.config, &wires, s->job, s->jobs, err);
}

static ripstop_fluid_nic nic_of(const timeline *t) {
  if (t->config->nic != RIPSTOP_FLUID_AUTO) return (ripstop_fluid_nic)t->config->nic;
  return t->run->config.transport == RIPSTOP_TRANSPORT_NONE ? RIPSTOP_FLUID_SERIAL : RIPSTOP_FLUID_PAIRS;
}

/* Entries of sends alone are used. */
static void open_records(timeline *t) {
  for (uint32_t j = 0; j < t->jobs && t->run->simulation.measure.messages; j++) {
    const ripstop_tasks *all = t->job[j].job->tasks;
    const uint32_t *end = t->job[j].job->end;
    t->job[j].record = RIPSTOP_ARRAY(t->arena, (size_t)all->count + 1, ripstop_message_record);
    for (uint32_t i = 0; i < all->count; i++) {
      const task *one = &all->task[i];
      if (one->kind != TASK_SEND) continue;
      t->job[j].record[i] = (ripstop_message_record){
          j, end[one->rank], end[one->peer], one->amount, .start = NAN, .sent = NAN, .finish = NAN};
    }
  }
}

static int open_timeline(scene *s, const ripstop_fluid_config *config, ripstop_error *err) {
  timeline *t = &s->time;
  *t = (timeline){.config = config, .run = &s->run, .jobs = (uint32_t)s->jobs, .err = err, .arena = s->arena};
  if (read_times(t, config->at, err)) return -1;
  t->wires = stage_wires_of(s->plan->fabric, &s->run.simulation.switch_, &s->run.config);
  fluid_tasks_open(t, s->job);
  if (open_pairs(s, err)) return -1;
  open_records(t);
  t->view = ripstop_view_copy(s->plan->view);
  fluid_open(&t->fluid, s->plan->fabric->ports, t->pairs, s->arena);
  paths_open(&t->paths, config, (uint64_t)s->run.simulation.switch_.link, t->view, s->arena);
  sending_open(t, nic_of(t));
  return fluid_changes_open(t, s->plan);
}

static void scene_open(scene *s, const ripstop_plan *plan, const ripstop_workload_run *run) {
  *s = (scene){.plan = plan, .run = *run, .arena = ripstop_arena_new()};
}

static void scene_close(scene *s) {
  fluid_changes_close(&s->time);
  jobs_free(s->job, s->jobs);
}

int fluid_check_keys(const ripstop_workload_run *run, const ripstop_fluid_config *config, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *arena = ripstop_arena_new();
  int status = check_config(run, err) || read_times(&(timeline){.arena = arena}, config->at, err);
  ripstop_arena_free(arena);
  return status ? -1 : 0;
}

int fluid_check(const ripstop_plan *plan, const ripstop_workload_run *run, const ripstop_fluid_config *config,
                ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  scene s;
  scene_open(&s, plan, run);
  int status = fluid_check_keys(run, config, err) || check_plan(plan, err) || open_jobs(&s, err);
  scene_close(&s);
  ripstop_arena_free(s.arena);
  return status ? -1 : 0;
}

/* ------------------------------------------------------------------ the result */

static bool is_complete(const timeline *t) {
  for (uint32_t i = 0; i < t->jobs; i++) {
    const job_state *j = &t->job[i];
    if (j->left || !held_is_right(j->words, j->job->kind, j->job->config, j->job->tasks)) return false;
  }
  return true;
}

static void keep_messages(const timeline *t, fluid_result *out) {
  size_t most = 0;
  for (uint32_t j = 0; j < t->jobs; j++) most += t->job[j].sends;
  ripstop_message_record *all = RIPSTOP_ARRAY(out->arena, most + 1, ripstop_message_record);
  for (uint32_t j = 0; j < t->jobs; j++)
    for (uint32_t i = 0; t->job[j].record && i < t->job[j].job->tasks->count; i++)
      if (task_is_message(&t->job[j].job->tasks->task[i])) all[out->messages++] = t->job[j].record[i];
  out->message = all;
}

/* The first unfinished task of the first unfinished job. */
static const char *waits_of(const timeline *t, ripstop_arena *arena) {
  RIPSTOP_LOCAL_TEXT(text);
  for (uint32_t i = 0; i < t->jobs && !text.length; i++) {
    const job_state *j = &t->job[i];
    uint32_t first = 0;
    if (!j->left) continue;
    while (j->task[first].done) first++;
    ripstop_text_add(&text, "job %u has %u tasks that are not done, the first: ", i + 1, j->left);
    tasks_name(j->job->tasks, first, &text);
  }
  return text.length ? ripstop_arena_text(arena, text.data) : NULL;
}

static int fail_mixed(const timeline *t, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  const task *all = t->job[t->odd.job].job->tasks->task;
  tasks_name(t->job[t->odd.job].job->tasks, t->odd.receive, &text);
  return ripstop_fail(err, "job %u: a message of %llu bytes is received as one of %llu, %s", t->odd.job + 1,
                      (unsigned long long)all[t->odd.send].amount, (unsigned long long)all[t->odd.receive].amount,
                      text.data);
}

static int collect(const scene *s, fluid_result *out, ripstop_error *err) {
  const timeline *t = &s->time;
  if (t->mixed) return fail_mixed(t, err);
  out->complete = is_complete(t);
  out->given_up = t->given_up;
  out->disconnected = t->left && !t->given_up && sending_stands(t);
  out->waits = waits_of(t, out->arena);
  if (t->left && !t->given_up && !out->disconnected) return ripstop_fail(err, "no event is pending: %s", out->waits);
  fluid_values(t, s->job, out->complete, out->arena, out);
  keep_messages(t, out);
  out->load = t->loads;
  out->loads = t->kept;
  return 0;
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

int fluid_run(const ripstop_plan *plan, const ripstop_workload_run *run, const ripstop_fluid_config *config,
              fluid_result *result, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  scene s;
  scene_open(&s, plan, run);
  *result = (fluid_result){.arena = s.arena};
  int status = check_config(run, err) || check_plan(plan, err) || open_jobs(&s, err) || open_timeline(&s, config, err);
  const double begin = processor_seconds();
  if (!status) status = timeline_run(&s.time);
  result->seconds = processor_seconds() - begin;
  if (!status) status = collect(&s, result, err);
  scene_close(&s);
  if (status) fluid_result_free(result);
  return status ? -1 : 0;
}

void fluid_result_free(fluid_result *result) {
  ripstop_arena_free(result->arena);
  *result = (fluid_result){0};
}
