/* simulate.c - one simulation from options to numbers. */
#include "ripstop/simulate.h"
#include "ripstop/plugin/method.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "simulate/control.h"
#include "simulate/pairs.h"
#include "simulate/players.h"
#include "simulate/state.h"

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int check_schedule(const ripstop_fabric *fabric, const ripstop_schedule *schedule, ripstop_error *err) {
  for (size_t i = 0; schedule && i < schedule->count; i++) {
    const ripstop_change *c = &schedule->change[i];
    bool known = c->is_switch ? c->id >= fabric->ends && c->id < fabric->nodes : c->id < fabric->links;
    if (!known || (i > 0 && c->cycle < schedule->change[i - 1].cycle))
      return ripstop_fail(err, "schedule: change %zu names no part of this fabric or is out of order", i);
  }
  return 0;
}

static int run(engine *e, ripstop_result *result, ripstop_error *err) {
  result->bytes = ripstop_arena_bytes(e->arena);
  if (pairs_decide(e, err)) return -1;
  double start = processor_seconds();
  engine_run(e);
  result->seconds = processor_seconds() - start;
  if (e->failed) return -1;
  result->cycles = e->now;
  result->events = e->wheel.posted;
  if (measure_result(&e->measure, e, result, err)) return -1;
  bool told = result->verdict == RIPSTOP_DEADLOCKED || result->verdict == RIPSTOP_DISCONNECTED;
  result->witness = told && e->witness ? ripstop_arena_text(e->arena, e->witness) : NULL;
  return 0;
}

/* All but the arena. */
static void tear_down(engine *e) {
  control_close(e);
  players_close(e);
  ripstop_plan_free(e->own_plan);
  ripstop_view_free(e->own_view);
}

/* Everything up to the first cycle; the engine hangs from its arena. NULL on error. */
static engine *set_up(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err) {
  err->text[0] = '\0';
  if (check_schedule(plan->fabric, scenario->schedule, err)) return NULL;
  ripstop_arena *arena = ripstop_arena_new();
  engine *e = RIPSTOP_NEW(arena, engine);
  *e = (engine){
      .config = scenario, .fabric = plan->fabric, .view = plan->view, .plan = plan, .arena = arena, .err = err};
  if (stop_applies(&scenario->reaction, plan, err) == RIPSTOP_APPLIES && engine_build(e, err) == 0) return e;
  tear_down(e);
  ripstop_arena_free(arena);
  return NULL;
}

ripstop_answer ripstop_simulate_applies(const ripstop_plan *plan, const ripstop_scenario *scenario,
                                        ripstop_error *err) {
  return stop_applies(&scenario->reaction, plan, err);
}

bool ripstop_simulate_routes(const ripstop_plan *plan, const ripstop_scenario *scenario) {
  return !plan->method->proto || scenario->measure.affected;
}

int ripstop_simulate_check(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err) {
  engine *e = set_up(plan, scenario, err);
  if (!e) return -1;
  ripstop_arena *arena = e->arena;
  tear_down(e);
  ripstop_arena_free(arena);
  return 0;
}

int ripstop_simulate(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_result *result,
                     ripstop_error *err) {
  *result = (ripstop_result){0};
  if (ripstop_simulate_routes(plan, scenario) && ripstop_plan_check_tables(plan, err)) return -1;
  engine *e = set_up(plan, scenario, err);
  if (!e) return -1;
  result->arena = e->arena;
  int status = run(e, result, err);
  tear_down(e);
  if (status) ripstop_result_free(result);
  return status;
}

void ripstop_result_free(ripstop_result *result) {
  ripstop_arena_free(result->arena);
  *result = (ripstop_result){0};
}

double ripstop_result_value(const ripstop_result *result, const char *name) {
  for (size_t i = 0; i < result->values; i++)
    if (strcmp(result->value[i].name, name) == 0) return result->value[i].value;
  return NAN;
}
