/* paranoid.c - proofs of the plans of a run: that of its fault set, and the one after each change of its schedule.
 *
 * A proof covers all possible decisions, a run only those that it made: a refuted plan may well simulate without
 * trouble. Plans that do not apply are reported by the run. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "experiment/inner_runs.h"
#include "experiment/run_context.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "route/plan_steps.h"

/* Counts the plans of a run, and the plans of which something is refuted. */
typedef struct verdicts {
  unsigned plans, refuted, lossy, deadlocking, livelocking;
} verdicts;

static int prove_plan(ripstop_prover *prover, const ripstop_plan *plan, verdicts *v, ripstop_error *err) {
  ripstop_proof proof;
  if (ripstop_prover_prove(prover, plan, &proof, err)) return -1;
  v->plans++;
  v->refuted += !(proof.tolerated && proof.deadlock_free && proof.livelock_free);
  v->lossy += !proof.tolerated;
  v->deadlocking += !proof.deadlock_free;
  v->livelocking += !proof.livelock_free;
  return 0;
}

const char *ripstop_run_plans(const ripstop_run *run, ripstop_arena *arena) {
  const ripstop_schedule *schedule = run->schedule;
  bool drawn = run->fault_count > 0 && !run->faults;
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "%s\n%s\n", run->fabric->spec, run->method);
  if (drawn)
    ripstop_text_add(&text, "%u %s, %s", run->fault_count, ripstop_scope_name(run->scope),
                     ripstop_keep_words[run->keep]);
  else if (run->faults)
    ripstop_faults_print(&text, run->fabric, run->faults);
  ripstop_text_add(&text, "\n");
  if (run->rule)
    ripstop_text_add(&text, "%s", run->rule->spec);
  else if (schedule)
    ripstop_schedule_print(&text, run->fabric, schedule);
  if (drawn || run->rule) ripstop_text_add(&text, "\n%" PRIu64 " %u", run->seed, run->sample);
  const char *name = ripstop_arena_text(arena, text.data);
  return name;
}

/* Changes of one cycle make one plan, as in the engine. */
static int prove_changes(ripstop_prover *prover, ripstop_plan *plan, ripstop_view *view,
                         const ripstop_schedule *schedule, verdicts *v, ripstop_error *err) {
  for (size_t i = 0; schedule && i < schedule->count;) {
    uint64_t cycle = schedule->change[i].cycle;
    for (; i < schedule->count && schedule->change[i].cycle == cycle; i++)
      ripstop_view_apply(view, &schedule->change[i]);
    if (ripstop_plan_recompile(plan, err) != RIPSTOP_APPLIES || ripstop_plan_tables(plan, err) != RIPSTOP_APPLIES)
      return 0;
    if (prove_plan(prover, plan, v, err)) return -1;
  }
  return 0;
}

static int prove_plans(const ripstop_run *run, run_context *context, const ripstop_schedule *schedule, verdicts *v,
                       ripstop_error *err) {
  if (!context_tables(context, run->routes)) return 0;
  ripstop_prover *prover = ripstop_prover_new(context->fabric);
  context->plan->binding = ripstop_own_binding(context->plan->method);
  int status = prove_plan(prover, context->plan, v, err);
  if (!status) status = prove_changes(prover, context->plan, context->view, schedule, v, err);
  ripstop_prover_free(prover);
  return status;
}

/* -1: `why` says what is wrong with a plan or with what would have to be drawn. */
static int prove_run(const ripstop_run *run, verdicts *v, ripstop_outcome *out, ripstop_error *why) {
  const ripstop_schedule *schedule = NULL;
  run_context context;
  if (context_of_run(&context, run, out->arena, why)) return -1;
  int status = ripstop_run_schedule(run, context.faults, out->arena, &schedule, why);
  if (!status) {
    out->faults = ripstop_run_broken(run, context.faults, schedule, out->arena);
    status = prove_plans(run, &context, schedule, v, why);
  }
  context_close(&context);
  return status;
}

static void keep(const verdicts *v, ripstop_outcome *out) {
  const ripstop_value all[] = {{"plans", "plans", v->plans, NAN},
                               {"refuted", "plans", v->refuted, NAN},
                               {"lossy", "plans", v->lossy, NAN},
                               {"deadlocking", "plans", v->deadlocking, NAN},
                               {"livelocking", "plans", v->livelocking, NAN}};
  out->values = sizeof all / sizeof *all;
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, out->values, ripstop_value);
  memcpy(value, all, sizeof all);
  out->value = value;
}

int ripstop_run_prove(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out) {
  RIPSTOP_GUARD(NULL, -1);
  verdicts v = {0};
  ripstop_error why;
  (void)stop; /* a proof is short beside a simulation */
  *out = (ripstop_outcome){.faults = "", .arena = ripstop_arena_new()};
  if (run->kind == RIPSTOP_RUN_PROVE) {
    keep(&v, out);
    return 0;
  }
  if (prove_run(run, &v, out, &why)) {
    out->verdict = "error";
    out->reason = ripstop_arena_text(out->arena, why.text);
  }
  keep(&v, out);
  return 0;
}
