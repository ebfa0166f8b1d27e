/* run_context.h - what a run needs: its fabric, its fault set, the view with these faults, and the plan of its method
 * for that view. Opened once for each run and shared by the sampler of fault sets, the simulator, the prover and the
 * plan's own numbers.
 *
 * Invariant: what is open is closed by context_close, after which all is zero. */
#ifndef EXPERIMENT_CONTEXT_H
#define EXPERIMENT_CONTEXT_H

#include "ripstop/kit/experiment.h"

typedef struct run_context {
  const ripstop_fabric *fabric;
  const ripstop_faults *faults; /* NULL: no part has failed */
  uint32_t refused;             /* fault sets that were drawn before and not kept */
  ripstop_view *view;
  ripstop_plan *plan;    /* NULL: not compiled yet, or `answer` is another than that it applies */
  ripstop_answer answer; /* once compiled */
  ripstop_error why;     /* unless it applies */
} run_context;

void context_open(run_context *context, const ripstop_fabric *fabric, const ripstop_faults *faults);
/* The plan, compiled by the first call; NULL: context->answer and context->why have the reason. One method for each
 * context. */
const ripstop_plan *context_plan(run_context *context, const char *method);
/* The same with its tables (ripstop_plan_tables). */
const ripstop_plan *context_tables(run_context *context, const char *method);
void context_close(run_context *context);

/* The context of a run, with a random fault set where it has one (ripstop_run_faults). Memory of the fault set from the
 * arena, or the run's. -1 with an error, and nothing is open. */
int context_of_run(run_context *context, const ripstop_run *run, ripstop_arena *arena, ripstop_error *err);

#endif
