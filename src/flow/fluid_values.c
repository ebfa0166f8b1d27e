/* fluid_values.c - values of jobs and messages, by the names that they have in runs with packets. */
#include "flow/fluid_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "workload/ideal.h"
#include "workload/steps.h"

typedef struct values {
  ripstop_value *value;
  size_t count;
  ripstop_arena *arena;
} values;

typedef struct named {
  const char *name, *unit;
  double value;
} named;

static void add(values *v, const char *name, const char *unit, double value) {
  v->value[v->count++] = (ripstop_value){name, unit, value, NAN};
}

static void add_all(values *v, const named *all, size_t count) {
  for (size_t i = 0; i < count; i++) add(v, all[i].name, all[i].unit, all[i].value);
}

static void add_all_of_job(values *v, uint32_t number, const named *all, size_t count) {
  for (size_t i = 0; i < count; i++)
    add(v, ripstop_arena_printf(v->arena, "job.%u.%s", number + 1, all[i].name), all[i].unit, all[i].value);
}

/* ------------------------------------------------------------------ messages */

static double mean(const double *list, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += list[i];
  return count ? sum / (double)count : NAN;
}

/* The smallest value that a share `q` of all values does not exceed. */
static double quantile(const double *sorted, size_t count, double q) {
  const double place = ceil(q * (double)count) - 1;
  return count ? sorted[place > 0 ? (size_t)place : 0] : NAN;
}

/* Completions of all jobs; sorted. */
static double *sorted_completions(const timeline *t, size_t *count) {
  size_t all = 0;
  for (uint32_t i = 0; i < t->jobs; i++) all += t->job[i].arrived;
  double *list = RIPSTOP_ARRAY(t->arena, all + 1, double);
  *count = 0;
  for (uint32_t i = 0; i < t->jobs; i++) {
    if (t->job[i].arrived) memcpy(list + *count, t->job[i].completion, t->job[i].arrived * sizeof *list);
    *count += t->job[i].arrived;
  }
  if (*count) qsort(list, *count, sizeof *list, ripstop_by_real);
  return list;
}

static void add_messages(values *v, const timeline *t) {
  size_t count;
  double slowdowns = 0;
  const double *list = sorted_completions(t, &count);
  for (uint32_t i = 0; i < t->jobs; i++) slowdowns += t->job[i].slowdowns;
  const named all[] = {{"message.count", "messages", (double)count},
                       {"message.bytes", "bytes", (double)t->payload},
                       {"message.completion.mean", "cycles", mean(list, count)},
                       {"message.completion.p50", "cycles", quantile(list, count, 0.5)},
                       {"message.completion.p99", "cycles", quantile(list, count, 0.99)},
                       {"message.completion.p999", "cycles", quantile(list, count, 0.999)},
                       {"message.completion.max", "cycles", quantile(list, count, 1)},
                       {"message.slowdown.mean", "1", count ? slowdowns / (double)count : NAN},
                       {"message.slowdown.p99", "1", ripstop_histogram_quantile(t->slowdown, 0.99) / STAGE_HUNDREDTHS}};
  add_all(v, all, sizeof all / sizeof *all);
}

/* ------------------------------------------------------------------ jobs */

static double first_change(const timeline *t) {
  const ripstop_schedule *schedule = t->run->simulation.schedule;
  return schedule && schedule->count ? (double)schedule->change[0].cycle : INFINITY;
}

static void add_steps(values *v, const timeline *t, uint32_t number) {
  const job_state *j = &t->job[number];
  const uint32_t steps = j->job->tasks->steps;
  if (!steps) return;
  const step_times s =
      steps_of(&(step_ends){steps, j->step_left, j->step_end, (double)j->job->at, !j->left}, first_change(t));
  const named all[] = {{"steps", "steps", s.count},    {"step.mean", "cycles", s.mean},
                       {"step.p50", "cycles", s.p50},  {"step.p99", "cycles", s.p99},
                       {"step.max", "cycles", s.most}, {"recovery", "cycles", s.recovery}};
  add_all_of_job(v, number, all, sizeof all / sizeof *all);
}

static void add_messages_of(values *v, const timeline *t, uint32_t number) {
  job_state *j = &t->job[number];
  if (j->arrived) qsort(j->completion, j->arrived, sizeof *j->completion, ripstop_by_real);
  const named all[] = {{"message.count", "messages", j->arrived},
                       {"message.completion.mean", "cycles", mean(j->completion, j->arrived)},
                       {"message.completion.p99", "cycles", quantile(j->completion, j->arrived, 0.99)},
                       {"message.slowdown.mean", "1", j->arrived ? j->slowdowns / j->arrived : NAN}};
  add_all_of_job(v, number, all, sizeof all / sizeof *all);
}

static void add_job(values *v, const timeline *t, const job *all, uint32_t number) {
  const job_state *j = &t->job[number];
  const named own[] = {{"cycles", "cycles", j->left ? NAN : fmax(j->last - (double)j->job->at, 0)},
                       {"ideal-cycles", "cycles", (double)j->job->path}};
  add_all_of_job(v, number, own, sizeof own / sizeof *own);
  add_steps(v, t, number);
  if (jobs_have_classes(all, t->jobs)) add_messages_of(v, t, number);
  for (uint32_t r = 0; t->run->config.ranks && r < j->job->tasks->ranks; r++)
    add(v, ripstop_arena_printf(v->arena, "job.%u.rank.%u.cycles", number + 1, r), "cycles", j->ended[r]);
}

/* ------------------------------------------------------------------ all of them */

static double last_of(const timeline *t) {
  double last = 0;
  for (uint32_t i = 0; i < t->jobs; i++) last = fmax(last, t->job[i].last);
  return last;
}

static double late_changes(const timeline *t) {
  const ripstop_schedule *schedule = t->run->simulation.schedule;
  double late = 0;
  for (size_t i = 0; schedule && i < schedule->count; i++) late += (double)schedule->change[i].cycle > last_of(t);
  return late;
}

static void add_own(values *v, const timeline *t, const job *all, bool complete) {
  const ideal best = ideal_of(&t->run->config, &t->wires, all, t->jobs);
  const named own[] = {{"workload.complete", "0 or 1", complete},
                       {"workload.cycles", "cycles", complete ? last_of(t) : NAN},
                       {"workload.ideal-cycles", "cycles", ideal_largest(&best)},
                       {"workload.ideal.path", "cycles", (double)best.path},
                       {"workload.ideal.compute", "cycles", (double)best.compute},
                       {"workload.ideal.ports", "cycles", (double)best.ports},
                       {"workload.ideal.bisection", "cycles", (double)best.bisection}};
  add_all(v, own, sizeof own / sizeof *own);
}

static void add_flow(values *v, const timeline *t, bool complete) {
  const named own[] = {{"flow.events", "events", (double)t->happened},
                       {"flow.solves", "updates", (double)t->fluid.updates},
                       {"flow.changed", "rates", (double)t->fluid.altered},
                       {"workload.late-changes", "changes", complete ? late_changes(t) : 0}};
  add_all(v, own, sizeof own / sizeof *own);
}

static size_t count_values(const timeline *t) {
  enum { OWN = 40, EACH = 16 };
  size_t count = OWN;
  for (uint32_t i = 0; i < t->jobs; i++) count += EACH + (t->run->config.ranks ? t->job[i].job->tasks->ranks : 0);
  return count;
}

/* add_messages comes before the completions of jobs are sorted, which does not matter to it. */
void fluid_values(const timeline *t, const job *all, bool complete, ripstop_arena *arena, fluid_result *out) {
  values v = {.value = RIPSTOP_ARRAY(arena, count_values(t), ripstop_value), .arena = arena};
  add_own(&v, t, all, complete);
  for (uint32_t i = 0; i < t->jobs; i++) add_job(&v, t, all, i);
  add_messages(&v, t);
  add_flow(&v, t, complete);
  out->value = v.value;
  out->values = v.count;
}
