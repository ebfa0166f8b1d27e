/* execute.c - one run, from its fault sample to its outcome.
 *
 * A method that does not apply to a fabric or fault set is an answer like any other; so is an error inside a
 * simulation: both are outcomes with a reason, and the rest of the experiment goes on. */
#include <math.h>
#include <string.h>

#include "experiment/execute.h"
#include "ripstop/prove.h"

/* rs_verdict_words is no constant to C, so its words stand here again; a test compares the two. */
const char *const rs_outcome_words[] = {"steady",         "saturated", "deadlocked", "disconnected",
                                        "does-not-apply", "error",     "proved",     NULL};
const char *const rs_run_kind_words[] = {"simulate", "program", "prove", NULL};
const char *const rs_keep_words[] = {"all", "connected", "tolerated", NULL};

/* ------------------------------------------------------------------ the fault set */

/* Pairs that can be lost, counted where the method can do that, else walked. */
static bool is_tolerated(const rs_view *view, const char *method) {
  rs_error unused;
  rs_plan *plan = rs_plan_open(view, method, NULL, &unused);
  bool tolerated = false;
  if (plan && plan->method->lost_pairs) {
    tolerated = plan->method->lost_pairs(plan) == 0;
  } else if (plan) {
    rs_prover *prover = rs_prover_new(view->fabric);
    rs_proof proof;
    tolerated = !rs_prove(prover, plan, &proof, &unused) && proof.tolerated;
    rs_prover_free(prover);
  }
  rs_plan_free(plan);
  return tolerated;
}

static bool is_kept(const rs_run *run, const rs_faults *faults) {
  if (run->keep == RS_KEEP_ALL) return true;
  rs_view *view = rs_view_new(run->simulation.fabric, faults);
  bool kept = run->keep == RS_KEEP_CONNECTED ? rs_view_disconnected_pairs(view) == 0
                                             : is_tolerated(view, run->simulation.method);
  rs_view_free(view);
  return kept;
}

/* Bits of a sampler's index: the count, the draw, the sample. The first draw's index is that of experiments without
 * `keep`. */
enum { COUNT_SHIFT = 32, DRAW_SHIFT = 20 };
_Static_assert(RS_RUNS_MAX <= 1u << DRAW_SHIFT && RS_DRAWS_MAX <= 1u << (COUNT_SHIFT - DRAW_SHIFT), "they fit");

/* How many draws were refused before goes to `refused`. */
static const rs_faults *draw(const rs_run *run, rs_arena *arena, uint32_t *refused, rs_error *err) {
  rs_faults *faults = RS_NEW(arena, rs_faults);
  for (*refused = 0; *refused < RS_DRAWS_MAX; ++*refused) {
    uint64_t index = (uint64_t)run->fault_count << COUNT_SHIFT | (uint64_t)*refused << DRAW_SHIFT | run->sample;
    if (run->fault_count &&
        rs_faults_sample(arena, run->simulation.fabric, run->scope, run->fault_count, run->seed, index, faults, err))
      return NULL;
    if (!run->fault_count || is_kept(run, faults)) return faults;
  }
  rs_fail(err, "none of %d drawn sets of %u dead parts is %s", RS_DRAWS_MAX, run->fault_count,
          rs_keep_words[run->keep]);
  return NULL;
}

const rs_faults *rs_run_faults(const rs_run *run, rs_arena *arena, rs_error *err) {
  uint32_t refused;
  return run->simulation.faults ? run->simulation.faults : draw(run, arena, &refused, err);
}

int rs_run_schedule(const rs_run *run, const rs_faults *faults, rs_arena *arena, const rs_schedule **out,
                    rs_error *err) {
  *out = run->simulation.schedule;
  if (!run->draw) return 0;
  rs_schedule *schedule = RS_NEW(arena, rs_schedule);
  *out = schedule;
  if (!rs_schedule_draw(arena, run->simulation.fabric, faults, run->draw, run->seed, run->sample, schedule, err))
    return 0;
  return rs_fail_at(err, "faults.schedule");
}

const char *rs_run_broken(const rs_run *run, const rs_faults *faults, const rs_schedule *schedule, rs_arena *arena) {
  rs_text text = {0};
  rs_faults_print(&text, run->simulation.fabric, faults);
  if (run->draw) {
    if (text.length) rs_text_add(&text, " ");
    rs_schedule_print(&text, run->simulation.fabric, schedule);
  }
  const char *copy = rs_arena_text(arena, text.data ? text.data : "");
  rs_text_free(&text);
  return copy;
}

/* ------------------------------------------------------------------ outcomes */

/* Why a simulation failed. */
static int failure(const rs_simulation *simulation) {
  rs_error why;
  return rs_simulate_applies(simulation, &why) == RS_DOES_NOT_APPLY ? OUTCOME_DOES_NOT_APPLY : OUTCOME_ERROR;
}

static const rs_value *copy_values(const rs_result *result, rs_arena *arena, size_t *count) {
  const rs_account *a = &result->account;
  const rs_value more[] = {{"account.generated", "packets", (double)a->generated, NAN},
                           {"account.delivered", "packets", (double)a->delivered, NAN},
                           {"account.in-flight", "packets", (double)a->in_flight, NAN},
                           {"account.waiting", "packets", (double)a->waiting, NAN},
                           {"account.lost", "packets", (double)a->lost, NAN},
                           {"run.cycles", "cycles", (double)result->cycles, NAN},
                           {"run.hops", "links", (double)result->hops, NAN}};
  size_t extra = sizeof more / sizeof *more;
  rs_value *value = RS_ARRAY(arena, result->values + extra, rs_value);
  for (size_t i = 0; i < result->values + extra; i++) {
    value[i] = i < result->values ? result->value[i] : more[i - result->values];
    value[i].name = rs_arena_text(arena, value[i].name);
    value[i].unit = rs_arena_text(arena, value[i].unit);
  }
  *count = result->values + extra;
  return value;
}

static const char not_tolerated[] = "not-tolerated", pairs_lost[] = "pairs.lost";

bool rs_value_is_of_plan(const rs_run *run, const char *name) {
  rs_error ignored;
  const char *spec = run->simulation.method;
  const rs_method *method = rs_method_find(spec, strcspn(spec, ":"), &ignored);
  if (!method || !method->lost_pairs) return false;
  for (size_t i = 0; method->facts && method->fact_names[i]; i++)
    if (!strcmp(method->fact_names[i], name)) return true;
  return !strcmp(name, not_tolerated) || !strcmp(name, pairs_lost);
}

/* Behind a run's numbers come those of the plan for its fault set, where the method can tell them without a walk:
 * `not-tolerated` (1 when some pair is lost), `pairs.lost`, and the method's own facts. */
static void add_plan_values(const rs_simulation *simulation, rs_outcome *out) {
  rs_error err;
  rs_view *view = rs_view_new(simulation->fabric, simulation->faults);
  rs_plan *plan = rs_plan_open(view, simulation->method, NULL, &err);
  const rs_method *method = plan ? plan->method : NULL;
  if (method && method->lost_pairs) {
    uint64_t lost = method->lost_pairs(plan), fact[RS_FACTS_MAX];
    size_t facts = 0;
    if (method->facts) method->facts(plan, fact);
    while (method->facts && method->fact_names[facts]) facts++;
    rs_value *value = RS_ARRAY(out->arena, out->values + 2 + facts, rs_value);
    if (out->values) memcpy(value, out->value, out->values * sizeof *value);
    value[out->values++] = (rs_value){not_tolerated, "0 or 1", lost > 0, NAN};
    value[out->values++] = (rs_value){pairs_lost, "pairs", (double)lost, NAN};
    for (size_t i = 0; i < facts; i++)
      if (fact[i] != RS_FACT_NONE)
        value[out->values++] = (rs_value){rs_arena_text(out->arena, method->fact_names[i]), "", (double)fact[i], NAN};
    out->value = value;
  }
  rs_plan_free(plan);
  rs_view_free(view);
}

static void add_value(rs_outcome *out, rs_value added) {
  rs_value *value = RS_ARRAY(out->arena, out->values + 1, rs_value);
  if (out->values) memcpy(value, out->value, out->values * sizeof *value);
  value[out->values++] = added;
  out->value = value;
}

static void keep_result(const rs_result *result, rs_outcome *out) {
  out->verdict = rs_outcome_words[result->verdict];
  if (result->witness) out->reason = rs_arena_text(out->arena, result->witness);
  out->value = copy_values(result, out->arena, &out->values);
  rs_window *window = RS_ARRAY(out->arena, result->windows, rs_window);
  if (result->windows) memcpy(window, result->window, result->windows * sizeof *window);
  out->window = window, out->windows = result->windows;
  out->seconds = result->seconds;
}

/* A wrong result is excused by nothing; that a program has not come to its end, by a network that did not carry its
 * packets. */
static void judge_program(const rs_program_config *program, rs_verdict network, rs_outcome *out) {
  bool done = false, right = false;
  for (size_t i = 0; i < out->values; i++) {
    if (!strcmp(out->value[i].name, "program.done")) done = out->value[i].value != 0;
    if (!strcmp(out->value[i].name, "program.right")) right = out->value[i].value != 0;
  }
  if (right || (!done && (network == RS_DEADLOCKED || network == RS_DISCONNECTED))) return;
  out->verdict = rs_outcome_words[OUTCOME_ERROR];
  out->reason = done ? rs_arena_printf(out->arena, "%s came to its end with a wrong result", program->kernel)
                     : rs_arena_printf(out->arena, "%s has not come to its end in %lld cycles, program.limit",
                                       program->kernel, (long long)program->limit);
}

int rs_run_execute(const rs_run *run, const atomic_int *stop, rs_outcome *out) {
  rs_error why = {""};
  if (run->kind == RS_RUN_PROVE) return execute_proof(run, stop, out);
  rs_arena *arena = rs_arena_new();
  *out = (rs_outcome){.verdict = rs_outcome_words[OUTCOME_ERROR], .faults = "", .arena = arena};
  rs_simulation simulation = run->simulation;
  simulation.stop = stop;
  uint32_t refused = 0;
  if (!simulation.faults) simulation.faults = draw(run, arena, &refused, &why);
  if (!simulation.faults || rs_run_schedule(run, simulation.faults, arena, &simulation.schedule, &why)) {
    out->reason = rs_arena_text(arena, why.text);
    return 0;
  }
  out->faults = rs_run_broken(run, simulation.faults, simulation.schedule, arena);

  rs_result result;
  rs_program program = {.config = run->program, .simulation = simulation};
  bool is_program = run->kind == RS_RUN_PROGRAM;
  int failed = is_program ? rs_program_run(&program, &result, &why) : rs_simulate(&simulation, &result, &why);
  if (!failed) {
    keep_result(&result, out);
    if (is_program) judge_program(&run->program, result.verdict, out);
    add_plan_values(&simulation, out);
    if (run->keep != RS_KEEP_ALL) add_value(out, (rs_value){"faults.refused", "sets", refused, NAN});
    rs_result_free(&result);
    return 0;
  }
  if (rs_stopped(stop)) {
    rs_outcome_free(out);
    return -1;
  }
  out->verdict = rs_outcome_words[failure(&simulation)];
  out->reason = rs_arena_text(arena, why.text);
  return 0;
}

void rs_outcome_free(rs_outcome *outcome) {
  rs_arena_free(outcome->arena);
  *outcome = (rs_outcome){0};
}
