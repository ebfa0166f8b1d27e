/* paranoid.c - proofs of the plans of a run: that of its fault set, and the one after each change of its schedule.
 *
 * A proof says what can happen under some choices, a run what happened under the ones it made: a refuted plan may well
 * simulate without trouble. Plans that do not apply are left to the run to tell. */
#include <math.h>
#include <string.h>

#include "ripstop/experiment.h"
#include "ripstop/prove.h"

/* How many plans of a run, and of how many of them something is refuted. */
typedef struct verdicts {
  unsigned plans, refuted, lossy, deadlocking, livelocking;
} verdicts;

static int prove_plan(rs_prover *prover, const rs_plan *plan, verdicts *v, rs_error *err) {
  rs_proof proof;
  if (rs_prove(prover, plan, &proof, err)) return -1;
  v->plans++;
  v->refuted += !(proof.tolerated && proof.deadlock_free && proof.livelock_free);
  v->lossy += !proof.tolerated;
  v->deadlocking += !proof.deadlock_free;
  v->livelocking += !proof.livelock_free;
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

static int prove_plans(const rs_simulation *s, const rs_faults *faults, const rs_schedule *schedule, verdicts *v,
                       rs_error *err) {
  int status = 0;
  rs_view *view = rs_view_new(s->fabric, faults);
  rs_plan *plan = rs_plan_open(view, s->method, NULL, err);
  rs_prover *prover = rs_prover_new(s->fabric);
  if (plan && !(status = prove_plan(prover, plan, v, err)))
    status = prove_changes(prover, plan, view, schedule, v, err);
  rs_prover_free(prover);
  rs_plan_free(plan);
  rs_view_free(view);
  return status;
}

static void keep(const verdicts *v, rs_outcome *out) {
  const rs_value all[] = {{"plans", "plans", v->plans, NAN},
                          {"refuted", "plans", v->refuted, NAN},
                          {"lossy", "plans", v->lossy, NAN},
                          {"deadlocking", "plans", v->deadlocking, NAN},
                          {"livelocking", "plans", v->livelocking, NAN}};
  out->values = sizeof all / sizeof *all;
  rs_value *value = RS_ARRAY(out->arena, out->values, rs_value);
  memcpy(value, all, sizeof all);
  out->value = value;
}

int rs_run_prove(const rs_run *run, const atomic_int *stop, rs_outcome *out) {
  verdicts v = {0};
  rs_error why;
  (void)stop; /* a proof is short beside a simulation */
  *out = (rs_outcome){.faults = "", .arena = rs_arena_new()};
  if (run->kind == RS_RUN_PROVE) {
    keep(&v, out);
    return 0;
  }
  const rs_schedule *schedule = NULL;
  const rs_faults *faults = rs_run_faults(run, out->arena, &why);
  bool drawn = faults && !rs_run_schedule(run, faults, out->arena, &schedule, &why);
  if (drawn) out->faults = rs_run_broken(run, faults, schedule, out->arena);
  if (!drawn || prove_plans(&run->simulation, faults, schedule, &v, &why)) {
    out->verdict = "error";
    out->reason = rs_arena_text(out->arena, why.text);
  }
  keep(&v, out);
  return 0;
}
