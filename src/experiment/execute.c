/* execute.c - one run, from its fault sample to its outcome.
 *
 * A method that does not apply to a fabric or fault set is an answer like any other; so is an error inside a
 * simulation: both are outcomes with a reason, and the rest of the experiment goes on. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "experiment/axes.h"
#include "experiment/execute.h"
#include "experiment/inner_runs.h"
#include "experiment/run_context.h"
#include "flow/fluid_run.h"
#include "programs/program_run.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/process.h"
#include "simulate/run_result.h"
#include "workload/workload_run.h"

/* ripstop_verdict_words is no constant to C, so its words stand here again; a test compares the two. */
const char *const ripstop_outcome_words[] = {"steady", "saturated", "deadlocked",   "lossy", "does-not-apply",
                                             "error",  "proved",    "disconnected", NULL};
const char *const ripstop_run_kind_words[] = {"simulate", "program", "prove", "workload", NULL};
const char *const ripstop_keep_words[] = {"all", "connected", "tolerated", NULL};

/* ------------------------------------------------------------------ changes and failed parts */

int ripstop_run_schedule(const ripstop_run *run, const ripstop_faults *faults, ripstop_arena *arena,
                         const ripstop_schedule **out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *out = run->schedule;
  if (!run->rule) return 0;
  ripstop_schedule *schedule = RIPSTOP_NEW(arena, ripstop_schedule);
  *out = schedule;
  if (!ripstop_rule_sample(arena, run->fabric, faults, run->rule, run->seed, run->sample, schedule, err)) return 0;
  return ripstop_fail_at(err, "faults.schedule");
}

static bool key_is(const ripstop_run *run, const char *key, const char *text) {
  const char *value = ripstop_run_key(run, key);
  return value && !strcmp(value, text);
}

/* A run of samples of its own, until a value is known well enough. */
static bool gathers_samples(const ripstop_run *run) {
  return !key_is(run, "measure.precision.value", "") && !key_is(run, "traffic.load", AXIS_SATURATION) &&
         key_is(run, "measure.precision.grow", ripstop_grow_words[RIPSTOP_GROW_SAMPLES]);
}

bool ripstop_run_is_sampled(const ripstop_run *run) {
  if (run->kind == RIPSTOP_RUN_PROVE || gathers_samples(run)) return false; /* they have many sets */
  bool set = !run->faults && run->fault_count, schedule = run->rule && !run->rule->process->given;
  return set || schedule || (run->kind == RIPSTOP_RUN_PROGRAM && strcmp(ripstop_run_key(run, "program.faults"), "0"));
}

const char *ripstop_run_broken(const ripstop_run *run, const ripstop_faults *faults, const ripstop_schedule *schedule,
                               ripstop_arena *arena) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_faults_print(&text, run->fabric, faults);
  if (run->rule) {
    if (text.length) ripstop_text_add(&text, " ");
    ripstop_schedule_print(&text, run->fabric, schedule);
  }
  const char *copy = ripstop_arena_text(arena, text.data ? text.data : "");
  return copy;
}

/* ------------------------------------------------------------------ outcomes */

/* Why a simulation failed. */
static int failure(const run_context *context, const ripstop_simulate_settings *scenario) {
  ripstop_error why;
  ripstop_answer answer = context->plan ? ripstop_simulate_applies(context->plan, scenario, &why) : context->answer;
  return answer == RIPSTOP_DOES_NOT_APPLY ? OUTCOME_DOES_NOT_APPLY : OUTCOME_ERROR;
}

static const char not_tolerated[] = "not-tolerated", pairs_lost[] = "pairs.lost";

bool ripstop_value_is_of_plan(const ripstop_run *run, const char *name) {
  ripstop_error ignored;
  const char *spec = run->method;
  const ripstop_method *method = ripstop_method_find(spec, strcspn(spec, ":"), &ignored);
  if (!method || !method->lost_pairs) return false;
  for (size_t i = 0; method->facts && method->fact_names[i]; i++)
    if (!strcmp(method->fact_names[i], name)) return true;
  return !strcmp(name, not_tolerated) || !strcmp(name, pairs_lost);
}

/* A run's numbers end with those of the plan for its fault set, if the method counts them without a walk:
 * `not-tolerated` (1 when some pair is lost), `pairs.lost`, and the method's own facts. */
static void add_plan_values(run_context *context, const char *spec, ripstop_outcome *out) {
  const ripstop_method *method = context->plan->method;
  const ripstop_plan *plan = method->lost_pairs ? context_tables(context, spec) : NULL;
  if (!plan) return;
  uint64_t lost = method->lost_pairs(plan), fact[RIPSTOP_FACTS_MAX];
  size_t facts = 0;
  if (method->facts) method->facts(plan, fact);
  while (method->facts && method->fact_names[facts]) facts++;
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, out->values + 2 + facts, ripstop_value);
  if (out->values) memcpy(value, out->value, out->values * sizeof *value);
  value[out->values++] = (ripstop_value){not_tolerated, "0 or 1", lost > 0, NAN};
  value[out->values++] = (ripstop_value){pairs_lost, "pairs", (double)lost, NAN};
  for (size_t i = 0; i < facts; i++)
    if (fact[i] != RIPSTOP_FACT_NONE)
      value[out->values++] =
          (ripstop_value){ripstop_arena_text(out->arena, method->fact_names[i]), "", (double)fact[i], NAN};
  out->value = value;
}

static void add_value(ripstop_outcome *out, ripstop_value added) {
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, out->values + 1, ripstop_value);
  if (out->values) memcpy(value, out->value, out->values * sizeof *value);
  value[out->values++] = added;
  out->value = value;
}

static void keep_losses(const ripstop_run_result *result, ripstop_outcome *out) {
  ripstop_loss *loss = RIPSTOP_ARRAY(out->arena, result->losses, ripstop_loss);
  if (result->losses) memcpy(loss, result->loss, result->losses * sizeof *loss); /* causes are constant texts */
  out->loss = loss, out->losses = result->losses;
}

static void keep_result(const ripstop_run_result *result, ripstop_outcome *out) {
  out->verdict = ripstop_outcome_words[result->verdict];
  if (result->witness) out->reason = ripstop_arena_text(out->arena, result->witness);
  out->value = ripstop_run_result_all(result, out->arena, &out->values);
  ripstop_window *window = RIPSTOP_ARRAY(out->arena, result->windows, ripstop_window);
  if (result->windows) memcpy(window, result->window, result->windows * sizeof *window);
  out->window = window, out->windows = result->windows;
  keep_losses(result, out);
  out->seconds = result->seconds;
  out->threads = result->threads;
}

/* A wrong result is excused by nothing; that a program has not come to its end, by a network that did not carry its
 * packets. */
static void judge_program(const ripstop_program_config *program, ripstop_verdict network, ripstop_outcome *out) {
  bool done = false, right = false;
  for (size_t i = 0; i < out->values; i++) {
    if (!strcmp(out->value[i].name, "program.done")) done = out->value[i].value != 0;
    if (!strcmp(out->value[i].name, "program.right")) right = out->value[i].value != 0;
  }
  if (right || (!done && (network == RIPSTOP_DEADLOCKED || network == RIPSTOP_LOSSY))) return;
  out->verdict = ripstop_outcome_words[OUTCOME_ERROR];
  out->reason = done ? ripstop_arena_printf(out->arena, "%s came to its end with a wrong result", program->kernel)
                     : ripstop_arena_printf(out->arena, "%s has not come to its end in %lld cycles, program.limit",
                                            program->kernel, (long long)program->limit);
}

/* Jobs that did not come to their end are excused by a network that did not carry their packets. */
static void judge_workload(const ripstop_workload_config *workload, ripstop_verdict network, ripstop_outcome *out) {
  bool complete = false;
  for (size_t i = 0; i < out->values; i++)
    if (!strcmp(out->value[i].name, "workload.complete")) complete = out->value[i].value != 0;
  if (complete || network == RIPSTOP_DEADLOCKED || network == RIPSTOP_LOSSY) return;
  out->verdict = ripstop_outcome_words[OUTCOME_ERROR];
  const bool alone = workload->transport == RIPSTOP_TRANSPORT_NONE;
  const char *waits = out->reason ? out->reason : "";
  out->reason = ripstop_arena_printf(
      out->arena, "the jobs have not come to their end in %lld cycles, workload.limit, or %s %lld times%s%s%s%s",
      (long long)workload->limit, alone ? "a packet was lost" : "the time-out of a flow has passed",
      (long long)workload->tries + 1, alone ? "" : " in a row, more than workload.tries",
      alone ? "" : ", or it can never come there", *waits ? "; " : "", waits);
}

/* Without a setting: a hundred windows for the whole run. They begin with its first cycle, and there may be a billion
 * before the first that is measured. The length of an automatic warm-up is not known yet, but short. */
static int64_t watched_window(const ripstop_measure_config *measure) {
  enum { PIECES = 100 };
  uint64_t warmup = 0;
  ripstop_error automatic;
  if (ripstop_parse_u64(measure->warmup, INT64_MAX - (uint64_t)measure->cycles, &warmup, &automatic)) warmup = 0;
  return ((int64_t)warmup + measure->cycles) / PIECES + 1;
}

/* Windows are added where there are none: they change no number. */
static int simulate_watched(const ripstop_run *run, const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                            ripstop_run_result *result, ripstop_error *why) {
  ripstop_simulate_settings own = *scenario;
  ripstop_look look = {0};
  if (own.traffic.transport != RIPSTOP_TRANSPORT_NONE)
    return ripstop_fail(why, "traffic with a transport cannot be watched while it runs");
  if (!own.measure.window) own.measure.window = watched_window(&own.measure);
  const uint64_t window = (uint64_t)own.measure.window;
  ripstop_simulation *sim = ripstop_simulate_open(plan, &own, why);
  int status = sim ? 0 : -1;
  while (!status && !look.ended) {
    status = ripstop_simulate_run(sim, ripstop_simulate_now(sim) + window, why);
    if (!status) ripstop_simulate_look(sim, &look);
    if (!status) run->watch(run->watch_context, sim, run->fabric, window);
  }
  if (!status) status = ripstop_simulate_result_into(sim, result, why);
  ripstop_simulate_close(sim);
  return status;
}

/* For runs with windows in which something changes. */
static void add_recovery(const ripstop_simulate_settings *scenario, uint64_t cycles, ripstop_outcome *out) {
  if (!scenario->schedule || !scenario->schedule->count || !scenario->measure.window) return;
  recovery r = execute_recovery(out, scenario->schedule->change[0].cycle, (uint64_t)scenario->measure.window, cycles);
  if (!isnan(r.cycles)) add_value(out, (ripstop_value){"fault.recovery", "cycles", r.cycles, NAN});
  if (!isnan(r.worst)) add_value(out, (ripstop_value){"fault.worst", "", r.worst, NAN});
}

static int simulate(const ripstop_run *run, const ripstop_plan *plan, const ripstop_settings *settings,
                    ripstop_run_result *result, ripstop_error *why) {
  ripstop_simulate_settings scenario = settings->simulation;
  if (run->worth) scenario.threads = ripstop_simulate_worth(plan, scenario.threads);
  ripstop_program program = {.config = settings->program, .simulation = scenario};
  ripstop_workload_run workload = {.config = settings->workload, .simulation = scenario};
  if (run->kind == RIPSTOP_RUN_PROGRAM) return ripstop_program_run(plan, &program, result, why);
  if (run->kind == RIPSTOP_RUN_WORKLOAD) return ripstop_workload_agent(plan, &workload, result, why);
  return run->watch ? simulate_watched(run, plan, &scenario, result, why)
                    : ripstop_traffic_run(plan, &scenario, result, why);
}

/* Like judge_workload for a run with packets. */
static void judge_flow(const ripstop_workload_config *workload, const fluid_result *result, ripstop_outcome *out) {
  const char *waits = result->waits ? result->waits : "";
  out->verdict = ripstop_outcome_words[result->complete       ? 0
                                       : result->disconnected ? OUTCOME_DISCONNECTED
                                                              : OUTCOME_ERROR];
  if (result->disconnected)
    out->reason =
        ripstop_arena_printf(out->arena, "messages have no path, and no later plan gives them one; %s", waits);
  else if (result->given_up)
    out->reason =
        ripstop_arena_printf(out->arena, "the jobs have not come to their end in %lld cycles, workload.limit; %s",
                             (long long)workload->limit, waits);
  else if (!result->complete)
    out->reason = "the jobs came to their end with a wrong result";
}

static void keep_flow(const fluid_result *result, ripstop_outcome *out) {
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, result->values, ripstop_value);
  for (size_t i = 0; i < result->values; i++) {
    value[i] = result->value[i];
    value[i].name = ripstop_arena_text(out->arena, value[i].name);
  }
  out->value = value, out->values = result->values;
  ripstop_message_record *message = RIPSTOP_ARRAY(out->arena, result->messages, ripstop_message_record);
  if (result->messages) memcpy(message, result->message, result->messages * sizeof *message);
  out->message = message, out->messages = result->messages;
  ripstop_channel_loads *load = RIPSTOP_ARRAY(out->arena, result->loads, ripstop_channel_loads);
  for (size_t i = 0; i < result->loads; i++) {
    const ripstop_channel_loads *from = &result->load[i];
    uint32_t *port = RIPSTOP_ARRAY(out->arena, from->count, uint32_t);
    double *of = RIPSTOP_ARRAY(out->arena, from->count, double);
    if (from->count)
      memcpy(port, from->port, from->count * sizeof *port), memcpy(of, from->load, from->count * sizeof *of);
    load[i] = (ripstop_channel_loads){from->time, from->count, port, of};
  }
  out->load = load, out->loads = result->loads;
  out->seconds = result->seconds;
}

/* play() in the flow model. */
static int play_flow(const ripstop_run *run, run_context *context, const ripstop_settings *settings,
                     ripstop_outcome *out, ripstop_error *why) {
  const ripstop_workload_run workload = {.config = settings->workload, .simulation = settings->simulation};
  const ripstop_plan *plan = context_plan(context, run->routes);
  if (plan) plan = context_tables(context, run->routes);
  if (!plan) return ripstop_fail(why, "%s", context->why.text);
  fluid_result result;
  if (fluid_run(plan, &workload, &settings->fluid, &result, why)) return -1;
  keep_flow(&result, out);
  judge_flow(&settings->workload, &result, out);
  fluid_result_free(&result);
  if (run->keep != RIPSTOP_KEEP_ALL) add_value(out, (ripstop_value){"faults.refused", "sets", context->refused, NAN});
  return 0;
}

/* 0: `out` has what came of it; -1 with an error. */
static int play(const ripstop_run *run, run_context *context, const ripstop_settings *settings, ripstop_outcome *out,
                ripstop_error *why) {
  ripstop_run_result result;
  const ripstop_simulate_settings *scenario = &settings->simulation;
  const ripstop_plan *plan = context_plan(context, run->routes);
  if (plan && ripstop_simulate_routes(plan, scenario)) plan = context_tables(context, run->routes);
  if (!plan) return ripstop_fail(why, "%s", context->why.text);
  if (simulate(run, plan, settings, &result, why)) return -1;
  keep_result(&result, out);
  if (run->kind == RIPSTOP_RUN_PROGRAM) judge_program(&settings->program, result.verdict, out);
  if (run->kind == RIPSTOP_RUN_WORKLOAD) judge_workload(&settings->workload, result.verdict, out);
  add_value(out, (ripstop_value){"channels", "", plan->channels, NAN});
  add_recovery(scenario, result.cycles, out);
  add_plan_values(context, run->routes, out);
  if (run->keep != RIPSTOP_KEEP_ALL) add_value(out, (ripstop_value){"faults.refused", "sets", context->refused, NAN});
  ripstop_run_result_free(&result);
  return 0;
}

/* -1: stopped, and there is no outcome. */
static int execute_on(const ripstop_run *run, run_context *context, const ripstop_settings *given,
                      const atomic_int *stop, ripstop_outcome *out) {
  ripstop_error why = {0};
  ripstop_settings settings = *given;
  ripstop_simulate_settings *scenario = &settings.simulation;
  scenario->stop = stop;
  scenario->losses = run->losses;
  if (ripstop_run_schedule(run, context->faults, out->arena, &scenario->schedule, &why)) {
    out->reason = ripstop_arena_text(out->arena, why.text);
    return 0;
  }
  out->faults = ripstop_run_broken(run, context->faults, scenario->schedule, out->arena);
  const bool flow = run->kind == RIPSTOP_RUN_WORKLOAD && settings.fluid.model == RIPSTOP_MODEL_FLOW;
  if (!(flow ? play_flow : play)(run, context, &settings, out, &why)) return 0;
  if (ripstop_stopped(stop)) return -1;
  out->verdict = ripstop_outcome_words[failure(context, scenario)];
  out->reason = ripstop_arena_text(out->arena, why.text);
  return 0;
}

const ripstop_value *ripstop_outcome_value(const ripstop_outcome *outcome, const char *name) {
  for (size_t i = 0; i < outcome->values; i++)
    if (!strcmp(outcome->value[i].name, name)) return &outcome->value[i];
  return NULL;
}

int execute_once(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                 ripstop_outcome *out) {
  ripstop_error why = {0};
  run_context context;
  ripstop_arena *arena = ripstop_arena_new();
  *out = (ripstop_outcome){.verdict = ripstop_outcome_words[OUTCOME_ERROR], .faults = "", .arena = arena};
  if (context_of_run(&context, run, arena, &why)) {
    out->reason = ripstop_arena_text(arena, why.text);
    return 0;
  }
  int status = execute_on(run, &context, settings, stop, out);
  context_close(&context);
  if (status) ripstop_outcome_free(out);
  return status;
}

typedef struct attempt {
  const ripstop_run *run;
  const atomic_int *stop;
  ripstop_outcome *out;
  int status;
} attempt;

static bool has_goal(const ripstop_settings *s) { return *s->precision.value && !execute_seeks_load(s); }

void ripstop_settings_looks(const ripstop_settings *settings, ripstop_looks *out) {
  const ripstop_measure_config *measure = &settings->simulation.measure;
  ripstop_error automatic;
  double warmup;
  if (ripstop_parse_real(measure->warmup, &warmup, &automatic)) warmup = (double)measure->cycles;
  if (settings->saturation)
    execute_saturation_looks(settings, warmup, out);
  else if (has_goal(settings))
    execute_precise_looks(settings, warmup, out);
  else
    *out = (ripstop_looks){{1, 1}, {warmup + (double)measure->cycles, warmup + (double)measure->cycles}};
}

static void execute_any(void *argument) {
  attempt *a = argument;
  const ripstop_run *run = a->run;
  ripstop_settings settings;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_run_settings(run, arena, &settings);
  if (run->kind == RIPSTOP_RUN_PROVE)
    a->status = execute_proof(run, a->stop, a->out);
  else
    a->status = (settings.saturation   ? execute_saturation
                 : has_goal(&settings) ? execute_precisely
                                       : execute_once)(run, &settings, a->stop, a->out);
}

/* The outcome of a run that is too big is allocated before it starts: there may be no memory afterwards. */
int ripstop_run_execute(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out) {
  RIPSTOP_GUARD(NULL, -1);
  const ripstop_course course = {.stop = stop};
  attempt a = {.run = run, .stop = stop, .out = out};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error *why = RIPSTOP_NEW(arena, ripstop_error);
  ripstop_guard_course(&course);
  if (ripstop_try(execute_any, &a, why)) {
    if (ripstop_stopped(stop)) {
      ripstop_arena_free(arena);
      return -1;
    }
    *out = (ripstop_outcome){.verdict = ripstop_outcome_words[OUTCOME_ERROR], .faults = "", .arena = arena};
    out->reason = why->text;
    return 0;
  }
  ripstop_arena_free(arena);
  return a.status;
}

bool ripstop_outcome_again(const ripstop_outcome *outcome) {
  bool is_error = outcome->verdict == ripstop_outcome_words[OUTCOME_ERROR] && outcome->reason;
  return is_error && !strncmp(outcome->reason, RIPSTOP_NO_MEMORY, strlen(RIPSTOP_NO_MEMORY));
}

void ripstop_outcome_free(ripstop_outcome *outcome) {
  ripstop_arena_free(outcome->arena);
  *outcome = (ripstop_outcome){0};
}
