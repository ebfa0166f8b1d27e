/* ground.c - the ground of a run, and which drawn fault sets may be one. */
#include "experiment/ground.h"
#include "base/memory.h"
#include "ripstop/plugin/method.h"
#include "ripstop/prove.h"

void ground_open(ripstop_ground *ground, const ripstop_fabric *fabric, const ripstop_faults *faults) {
  *ground = (ripstop_ground){.fabric = fabric, .faults = faults, .view = ripstop_view_new(fabric, faults)};
}

const ripstop_plan *ground_plan(ripstop_ground *ground, const char *method) {
  if (!ground->plan && ground->answer == RIPSTOP_APPLIES)
    ground->plan = ripstop_plan_open(ground->view, method, &ground->answer, &ground->why);
  return ground->plan;
}

const ripstop_plan *ground_tables(ripstop_ground *ground, const char *method) {
  if (!ground_plan(ground, method)) return NULL;
  ground->answer = ripstop_plan_tables(ground->plan, &ground->why);
  return ground->answer == RIPSTOP_APPLIES ? ground->plan : NULL;
}

void ground_close(ripstop_ground *ground) {
  ripstop_plan_free(ground->plan);
  ripstop_view_free(ground->view);
  *ground = (ripstop_ground){0};
}

/* ------------------------------------------------------------------ drawn fault sets */

/* Pairs that can be lost, counted where the method can do that, else walked. */
static bool is_tolerated(ripstop_ground *ground, const char *method) {
  ripstop_error unused;
  ripstop_proof proof;
  const ripstop_plan *plan = ground_tables(ground, method);
  if (!plan) return false;
  if (plan->method->lost_pairs) return plan->method->lost_pairs(plan) == 0;
  ripstop_prover *prover = ripstop_prover_new(ground->fabric);
  bool tolerated = !ripstop_prove(prover, plan, &proof, &unused) && proof.tolerated;
  ripstop_prover_free(prover);
  return tolerated;
}

static bool is_kept(const ripstop_run *run, ripstop_ground *ground) {
  if (run->keep == RIPSTOP_KEEP_CONNECTED) return ripstop_view_disconnected_pairs(ground->view) == 0;
  return run->keep == RIPSTOP_KEEP_ALL || is_tolerated(ground, run->routes);
}

/* Bits of a sampler's index: the count, the draw, the sample. The first draw's index is that of experiments without
 * `keep`. */
enum { COUNT_SHIFT = 32, DRAW_SHIFT = 20 };
_Static_assert(RIPSTOP_RUNS_MAX <= 1u << DRAW_SHIFT && RIPSTOP_DRAWS_MAX <= 1u << (COUNT_SHIFT - DRAW_SHIFT),
               "they fit");

static int draw(ripstop_ground *ground, const ripstop_run *run, ripstop_arena *arena, ripstop_error *err) {
  ripstop_faults *faults = RIPSTOP_NEW(arena, ripstop_faults);
  for (uint32_t refused = 0; refused < RIPSTOP_DRAWS_MAX; refused++) {
    uint64_t index = (uint64_t)run->fault_count << COUNT_SHIFT | (uint64_t)refused << DRAW_SHIFT | run->sample;
    if (ripstop_faults_sample(arena, run->fabric, run->scope, run->fault_count, run->seed, index, faults, err))
      return -1;
    ground_open(ground, run->fabric, faults);
    ground->refused = refused;
    if (is_kept(run, ground)) return 0;
    ground_close(ground);
  }
  return ripstop_fail(err, "none of %d drawn sets of %u dead parts is %s", RIPSTOP_DRAWS_MAX, run->fault_count,
                      ripstop_keep_words[run->keep]);
}

int ground_of_run(ripstop_ground *ground, const ripstop_run *run, ripstop_arena *arena, ripstop_error *err) {
  static const ripstop_faults nothing;
  if (!run->faults && run->fault_count) return draw(ground, run, arena, err);
  ground_open(ground, run->fabric, run->faults ? run->faults : &nothing);
  return 0;
}

const ripstop_faults *ripstop_run_faults(const ripstop_run *run, ripstop_arena *arena, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_ground ground;
  if (ground_of_run(&ground, run, arena, err)) return NULL;
  const ripstop_faults *faults = ground.faults;
  ground_close(&ground);
  return faults;
}
