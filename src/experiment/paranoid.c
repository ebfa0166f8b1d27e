/* paranoid.c - a run whose plans are all proved before it is simulated: the plan of its fault set, and the one after
 * each change of its schedule.
 *
 * The numbers of the simulation are what they are without this; the verdicts of the proofs come behind them. A proof
 * says what can happen under some choices, the run what happened under the ones it made: a refuted plan may well
 * simulate without trouble. Plans that do not apply are left to the run to tell. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ripstop/experiment.h"
#include "ripstop/prove.h"

/* What holds of all plans of a run. */
typedef struct verdicts {
  uint64_t plans;
  bool tolerated, deadlock_free, livelock_free;
} verdicts;

static int prove_plan(rs_prover *prover, const rs_plan *plan, verdicts *v, rs_error *err) {
  rs_proof proof;
  if (rs_prove(prover, plan, &proof, err)) return -1;
  v->plans++;
  v->tolerated &= proof.tolerated;
  v->deadlock_free &= proof.deadlock_free;
  v->livelock_free &= proof.livelock_free;
  return 0;
}

/* Changes of one cycle make one plan, as in the engine. */
static int prove_changes(rs_prover *prover, rs_plan *plan, rs_view *view, const rs_schedule *schedule, verdicts *v,
                         rs_error *err) {
  for (size_t i = 0; schedule && i < schedule->count;) {
    uint64_t cycle = schedule->change[i].cycle;
    for (; i < schedule->count && schedule->change[i].cycle == cycle; i++) rs_view_apply(view, &schedule->change[i]);
    if (rs_plan_update(plan, err) != RS_APPLIES) return 0;
    if (prove_plan(prover, plan, v, err)) return -1;
  }
  return 0;
}

static int prove_run(const rs_run *run, verdicts *v, rs_error *err) {
  const rs_simulation *s = &run->simulation;
  rs_arena *arena = rs_arena_new();
  const rs_faults *faults = rs_run_faults(run, arena, err);
  *v = (verdicts){.tolerated = true, .deadlock_free = true, .livelock_free = true};
  int status = 0;
  if (faults) {
    rs_view *view = rs_view_new(s->fabric, faults);
    rs_plan *plan = rs_plan_open(view, s->method, NULL, err);
    rs_prover *prover = rs_prover_new(s->fabric);
    if (plan && !(status = prove_plan(prover, plan, v, err)))
      status = prove_changes(prover, plan, view, s->schedule, v, err);
    rs_prover_free(prover);
    rs_plan_free(plan);
    rs_view_free(view);
  }
  rs_arena_free(arena);
  return status;
}

static void add_verdicts(const verdicts *v, rs_outcome *out) {
  const rs_value more[] = {{"proved.plans", "plans", (double)v->plans, NAN},
                           {"proved.tolerated", "0 or 1", v->tolerated, NAN},
                           {"proved.deadlock_free", "0 or 1", v->deadlock_free, NAN},
                           {"proved.livelock_free", "0 or 1", v->livelock_free, NAN}};
  size_t extra = sizeof more / sizeof *more;
  rs_value *value = RS_ARRAY(out->arena, out->values + extra, rs_value);
  if (out->values) memcpy(value, out->value, out->values * sizeof *value);
  memcpy(value + out->values, more, sizeof more);
  out->value = value;
  out->values += extra;
}

int rs_run_execute_paranoid(const rs_run *run, const atomic_int *stop, rs_outcome *out) {
  verdicts v;
  rs_error err;
  if (prove_run(run, &v, &err)) {
    *out = (rs_outcome){.verdict = "error", .faults = "", .arena = rs_arena_new()};
    out->reason = rs_arena_text(out->arena, err.text);
    return 0;
  }
  if (rs_run_execute(run, stop, out)) return -1;
  if (v.plans && out->values) add_verdicts(&v, out);
  return 0;
}
