/* trial.c - what only the simulator knows to be wrong with a run, found before the first one is done.
 *
 * Seeds and loads are numbers within their ranges: one of each stands for all. Faults do not matter: a method that does
 * not apply is an answer, which the run itself gives. */
#include "experiment/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiment/axes.h"
#include "experiment/execute.h"
#include "experiment/inner_runs.h"
#include "flow/fluid_run.h"
#include "programs/program_run.h"
#include "simulate/warmup.h"
#include "workload/workload_run.h"

enum { TRIES = 16, WORD = 64 }; /* TRIES: draws after which a schedule is taken for one that cannot be drawn */

/* ------------------------------------------------------------------ lines of the file */

/* "switch.in_queue ..." and "arbiter weighted: ...", which is a switch.arbiter. */
static bool is_about_key(const char *message, const char *key) {
  const char *dot = strrchr(key, '.'), *name = dot ? dot + 1 : key;
  size_t length = strlen(name);
  return !strncmp(message, key, strlen(key)) || (!strncmp(message, name, length) && message[length] == ' ');
}

/* Any other key that the message names: "measure.cycles = 10 is less than measure.batches = 20". */
static bool is_named_in(const char *message, const char *key) {
  size_t length = strlen(key);
  for (const char *at = strstr(message, key); at; at = strstr(at + 1, key))
    if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_.-", at[length]) || !at[length]) return true;
  return false;
}

static bool is_about_section(const char *message, const char *key) { return !strncmp(message, key, strcspn(key, ".")); }

/* The line of the axis's value; 0: none, it is a default. */
static int line_at(const trial *t, const ripstop_axis *axis, uint64_t place) {
  for (size_t i = 0; i < t->product->digits; i++)
    if (t->product->digit[i].axis == axis) return digit_setting(&t->product->digit[i], place)->line;
  return axis->count ? axis->setting[0].line : 0;
}

static int line_of(const trial *t, const char *message, uint64_t place) {
  const ripstop_spec *spec = t->product->spec;
  bool (*const is_about[])(const char *, const char *) = {is_about_key, is_named_in, is_about_section};
  for (size_t w = 0; w < sizeof is_about / sizeof *is_about; w++)
    for (size_t i = 0; i < spec->axes; i++) {
      const ripstop_axis *axis = &spec->axis[i];
      if (is_about[w](message, axis->key) && line_at(t, axis, place)) return line_at(t, axis, place);
    }
  return line_at(t, ripstop_spec_axis(spec, "method"), place);
}

/* ------------------------------------------------------------------ a try */

/* The run of a place, whatever its faults. */
typedef struct attempt {
  const char *method;
  ripstop_settings settings;
} attempt;

/* The context without faults. Consecutive places of one method share it. */
static void stand_on(trial *t, const char *method) {
  if (t->context.fabric == t->cases->fabric && t->method == method) return;
  context_close(&t->context);
  context_open(&t->context, t->cases->fabric, NULL);
  t->method = method;
}

typedef struct checking {
  trial *t;
  const attempt *a;
  ripstop_error *err;
  int status;
} checking;

static void compile_now(void *argument) {
  const checking *c = argument;
  context_plan(&c->t->context, c->a->method);
}

static void check_now(void *argument) {
  checking *c = argument;
  const ripstop_plan *plan = c->t->context.plan;
  const ripstop_simulate_settings *simulation = &c->a->settings.simulation;
  const ripstop_run_kind kind = c->t->product->spec->kind;
  ripstop_program program = {.config = c->a->settings.program, .simulation = *simulation};
  ripstop_workload_run workload = {.config = c->a->settings.workload, .simulation = *simulation};
  const ripstop_fluid_config *fluid = &c->a->settings.fluid;
  const bool flow = kind == RIPSTOP_RUN_WORKLOAD && fluid->model == RIPSTOP_MODEL_FLOW;
  c->status = flow                           ? fluid_check(plan, &workload, fluid, c->err)
              : kind == RIPSTOP_RUN_PROGRAM  ? ripstop_program_check(plan, &program, c->err)
              : kind == RIPSTOP_RUN_WORKLOAD ? ripstop_workload_check(plan, &workload, c->err)
                                             : ripstop_traffic_check(plan, simulation, c->err);
}

/* The run of an experiment with one, in the flow model: its plan and its jobs take as long as all the rest, so it finds
 * itself what is wrong with them. */
static bool is_single_flow(const trial *t, const attempt *a) {
  return t->product->spec->kind == RIPSTOP_RUN_WORKLOAD && a->settings.fluid.model == RIPSTOP_MODEL_FLOW &&
         t->product->count == 1;
}

static int check_flow_alone(const attempt *a, ripstop_error *err) {
  const ripstop_workload_run workload = {.config = a->settings.workload, .simulation = a->settings.simulation};
  return fluid_check_keys(&workload, &a->settings.fluid, err);
}

/* A run that is too big for the memory is checked when it is done, and ends alone. */
static int check(trial *t, const attempt *a, ripstop_error *err) {
  checking c = {.t = t, .a = a, .err = err};
  if (is_single_flow(t, a)) return check_flow_alone(a, err);
  if (t->product->spec->kind == RIPSTOP_RUN_PROVE) return 0; /* a method that does not apply is an answer */
  stand_on(t, a->method);
  if (ripstop_try(compile_now, &c, NULL)) { /* apart from the check, which does not take the plan back with it */
    context_close(&t->context);
    return 0;
  }
  if (!t->context.plan) return ripstop_fail(err, "%s", t->context.why.text);
  return ripstop_try(check_now, &c, NULL) ? 0 : c.status;
}

/* Once a check has failed. */
static bool does_not_apply(const trial *t, const attempt *a) {
  ripstop_error unused;
  const ripstop_plan *plan = t->context.plan;
  ripstop_answer answer = plan ? ripstop_simulate_applies(plan, &a->settings.simulation, &unused) : t->context.answer;
  return answer == RIPSTOP_DOES_NOT_APPLY;
}

/* A time series of one point that no run fills was meant to be another. */
static int check_window(const trial *t, const attempt *a, uint64_t place) {
  int64_t window = a->settings.simulation.measure.window;
  if ((uint64_t)window <= t->end) return 0;
  return reader_fail(t->reader, line_at(t, ripstop_spec_axis(t->product->spec, "measure.window"), place),
                     "measure.window = %lld is longer than any run, of %llu cycles at most", (long long)window,
                     (unsigned long long)t->end);
}

static uint64_t shortest_packet(const char *sizes) {
  uint64_t least = UINT64_MAX;
  for (const char *at = sizes; at; at = strchr(at, '/')) {
    at += *at == '/';
    const uint64_t flits = strtoull(at, NULL, 10);
    if (flits < least) least = flits;
  }
  return least;
}

/* Runs in which nothing can arrive were meant to be others, unless they are about the fault sets alone. */
static int check_packet(const trial *t, const attempt *a, uint64_t place) {
  const char *sizes = a->settings.simulation.traffic.packet;
  const ripstop_spec *spec = t->product->spec;
  bool wanted = false;
  for (size_t i = 0; i < spec->figures; i++) wanted |= reader_is_of_packets(spec->figure[i].y);
  if (!wanted || t->end == UINT64_MAX || shortest_packet(sizes) < t->end) return 0;
  return reader_fail(t->reader, line_at(t, ripstop_spec_axis(t->product->spec, "traffic.packet"), place),
                     "traffic.packet = %s: no packet can arrive in any run, of %llu cycles at most", sizes,
                     (unsigned long long)t->end);
}

/* All written changes must happen. Of a process, at least one must, unless its cycles are random. */
static int check_end(const trial *t, const schedule_case *one, ripstop_error *why) {
  uint64_t first = 0;
  ripstop_run run = {.fabric = t->cases->fabric, .schedule = one->schedule, .rule = one->rule};
  for (; run.sample < (one->rule ? TRIES : 1); run.sample++) {
    const ripstop_schedule *drawn = NULL;
    if (ripstop_run_schedule(&run, NULL, t->scratch, &drawn, why)) continue;
    if (!drawn || !drawn->count) return 0;
    uint64_t cycle = drawn->change[one->rule ? 0 : drawn->count - 1].cycle;
    if (cycle < t->end || (first && cycle != first)) return 0;
    first = cycle;
  }
  return ripstop_fail(why, "%s in cycle %llu would never happen: all runs end before cycle %llu",
                      one->rule ? "the first change" : "the change", (unsigned long long)first,
                      (unsigned long long)t->end);
}

/* A schedule as a run may have it. Which parts can fail together is random, so one that ends early says little. */
static int try_draw(const trial *t, const schedule_case *one, const ripstop_schedule **out, ripstop_error *why) {
  ripstop_run run = {.fabric = t->cases->fabric, .schedule = one->schedule, .rule = one->rule};
  for (; run.sample < TRIES; run.sample++)
    if (!ripstop_run_schedule(&run, NULL, t->scratch, out, why)) return 0;
  return -1;
}

static int check_precision(const trial *t, const attempt *a, uint64_t place) {
  int64_t first;
  if (!execute_precision_is_short(&a->settings, &first)) return 0;
  return reader_fail(t->reader, line_at(t, ripstop_spec_axis(t->product->spec, "measure.precision.most"), place),
                     "measure.precision.most = %lld is less than the first analysis has, %lld %s",
                     (long long)a->settings.precision.most, (long long)first,
                     ripstop_grow_words[a->settings.precision.grow]);
}

static int try_out(trial *t, uint64_t place) {
  ripstop_error why;
  attempt a = {.method = digit_setting(&t->product->digit[t->product->method], place)->opens};
  product_settings(t->product, place, t->scratch, &a.settings);
  if (check(t, &a, &why))
    return does_not_apply(t, &a) ? 0 : reader_pass(t->reader, line_of(t, why.text, place), &why, "");
  if (check_window(t, &a, place) || check_packet(t, &a, place) || check_precision(t, &a, place)) return -1;
  for (; t->schedules < t->cases->schedules; t->schedules++) {
    const schedule_case *one = &t->cases->schedule[t->schedules];
    if (try_draw(t, one, &a.settings.simulation.schedule, &why)) return reader_pass(t->reader, one->line, &why, "");
    if (check(t, &a, &why)) return reader_fail(t->reader, one->line, "faults.%s", why.text);
    if (check_end(t, one, &why)) return reader_fail(t->reader, one->line, "faults.schedule: %s", why.text);
  }
  return 0;
}

/* ------------------------------------------------------------------ all of them */

/* The first cycle after every simulation, also of those that --quick and --set leave out: a schedule is written for
 * all. The end of programs is unknown, and in proofs no time passes. */
static uint64_t end_of_runs(const ripstop_spec *spec) {
  uint64_t longest[2] = {0};
  if (spec->kind != RIPSTOP_RUN_SIMULATE) return UINT64_MAX;
  static const char *const key[2] = {"measure.warmup", "measure.cycles"};
  for (int k = 0; k < 2; k++) {
    const ripstop_axis *axis = ripstop_spec_axis(spec, key[k]);
    for (size_t i = 0; i < axis->count + axis->full_count; i++) {
      const char *text = i < axis->count ? axis->setting[i].text : axis->full[i - axis->count].text;
      uint64_t cycles = strcmp(text, "auto") ? strtoull(text, NULL, 10) : WARMUP_LONGEST;
      if (cycles > longest[k]) longest[k] = cycles;
    }
  }
  return longest[0] + longest[1];
}

void trial_open(trial *t, const reader *r, const product *p, ripstop_arena *arena) {
  size_t words = (size_t)(p->places / WORD + 1);
  *t = (trial){.reader = r, .product = p, .end = end_of_runs(p->spec), .scratch = ripstop_arena_new()};
  if (p->wanted) t->tried = RIPSTOP_ARRAY(arena, words, uint64_t);
}

void trial_begin(trial *t, const cases *c) {
  t->cases = c, t->schedules = 0;
  if (t->tried) memset(t->tried, 0, (size_t)(t->product->places / WORD + 1) * sizeof *t->tried);
}

/* In a whole product the place that is tried comes by itself. */
static bool is_first(trial *t, uint64_t place) {
  uint64_t own = product_tried(t->product, place), bit = UINT64_C(1) << own % WORD;
  if (!t->tried) return own == place;
  bool first = !(t->tried[own / WORD] & bit);
  t->tried[own / WORD] |= bit;
  return first;
}

int trial_of(trial *t, uint64_t place) {
  if (!is_first(t, place)) return 0;
  int status = try_out(t, place);
  ripstop_arena_clear(t->scratch);
  return status;
}

void trial_close(trial *t) {
  context_close(&t->context);
  ripstop_arena_free(t->scratch);
}
