/* run_context.c - the context of a run, and which random fault sets it accepts. */
#include "experiment/run_context.h"
#include "base/memory.h"
#include "experiment/inner_runs.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"

void context_open(run_context *context, const ripstop_fabric *fabric, const ripstop_faults *faults) {
  *context = (run_context){.fabric = fabric, .faults = faults, .view = ripstop_view_new(fabric, faults)};
}

const ripstop_plan *context_plan(run_context *context, const char *method) {
  if (!context->plan && context->answer == RIPSTOP_APPLIES)
    context->plan = ripstop_plan_compile(context->view, method, &context->answer, &context->why);
  return context->plan;
}

const ripstop_plan *context_tables(run_context *context, const char *method) {
  if (!context_plan(context, method)) return NULL;
  context->answer = ripstop_plan_tables(context->plan, &context->why);
  return context->answer == RIPSTOP_APPLIES ? context->plan : NULL;
}

void context_close(run_context *context) {
  ripstop_plan_free(context->plan);
  ripstop_view_free(context->view);
  *context = (run_context){0};
}

/* ------------------------------------------------------------------ random fault sets */

/* Pairs that can be lost, counted where the method can do that, else walked. */
static bool is_tolerated(run_context *context, const char *method) {
  ripstop_error unused;
  ripstop_proof proof;
  const ripstop_plan *plan = context_tables(context, method);
  if (!plan) return false;
  if (plan->method->lost_pairs) return plan->method->lost_pairs(plan) == 0;
  ripstop_prover *prover = ripstop_prover_new(context->fabric);
  bool tolerated = !ripstop_prover_prove(prover, plan, &proof, &unused) && proof.tolerated;
  ripstop_prover_free(prover);
  return tolerated;
}

static bool is_kept(const ripstop_run *run, run_context *context) {
  if (run->keep == RIPSTOP_KEEP_CONNECTED) return ripstop_view_disconnected_pairs(context->view) == 0;
  return run->keep == RIPSTOP_KEEP_ALL || is_tolerated(context, run->routes);
}

/* Bits of a sampler's index: the count, the attempt, the sample. The first attempt's index is that of experiments
 * without `keep`. */
enum { COUNT_SHIFT = 32, DRAW_SHIFT = 20 };
_Static_assert(RIPSTOP_RUNS_MAX <= 1u << DRAW_SHIFT && RIPSTOP_RESAMPLES_MAX <= 1u << (COUNT_SHIFT - DRAW_SHIFT),
               "they fit");

static int draw(run_context *context, const ripstop_run *run, ripstop_arena *arena, ripstop_error *err) {
  ripstop_faults *faults = RIPSTOP_NEW(arena, ripstop_faults);
  for (uint32_t refused = 0; refused < RIPSTOP_RESAMPLES_MAX; refused++) {
    uint64_t index = (uint64_t)run->fault_count << COUNT_SHIFT | (uint64_t)refused << DRAW_SHIFT | run->sample;
    if (ripstop_faults_sample(arena, run->fabric, run->scope, run->fault_count, run->seed, index, faults, err))
      return -1;
    context_open(context, run->fabric, faults);
    context->refused = refused;
    if (is_kept(run, context)) return 0;
    context_close(context);
  }
  return ripstop_fail(err, "none of %d random sets of %u failed parts is %s", RIPSTOP_RESAMPLES_MAX, run->fault_count,
                      ripstop_keep_words[run->keep]);
}

int context_of_run(run_context *context, const ripstop_run *run, ripstop_arena *arena, ripstop_error *err) {
  static const ripstop_faults nothing;
  if (!run->faults && run->fault_count) return draw(context, run, arena, err);
  context_open(context, run->fabric, run->faults ? run->faults : &nothing);
  return 0;
}

const ripstop_faults *ripstop_run_faults(const ripstop_run *run, ripstop_arena *arena, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  run_context context;
  if (context_of_run(&context, run, arena, err)) return NULL;
  const ripstop_faults *faults = context.faults;
  context_close(&context);
  return faults;
}
