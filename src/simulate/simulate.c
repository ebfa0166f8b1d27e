/* simulate.c - one simulation from options to numbers. */
#include "ripstop/simulate.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "ripstop/plugin/method.h"
#include "simulate/core.h"
#include "simulate/open.h"
#include "simulate/pairs.h"
#include "simulate/reaction.h"

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

static int run_to_end(run *r, ripstop_result *result, ripstop_error *err) {
  result->bytes = ripstop_arena_bytes(r->arena);
  if (pairs_decide(r, err)) return -1;
  double start = processor_seconds();
  engine_run(r, UINT32_MAX);
  result->seconds = processor_seconds() - start;
  if (run_failed(r)) return run_report(r, err);
  result->cycles = r->part->now;
  result->events = r->part->wheel.posted;
  if (measure_result(&r->part->measure, r, result, err)) return -1;
  if (result->verdict == RIPSTOP_DEADLOCKED)
    result->witness = ripstop_arena_text(result->arena, r->witness);
  else if (result->verdict == RIPSTOP_DISCONNECTED)
    result->witness = ripstop_arena_text(result->arena, r->part->first_loss.text);
  return 0;
}

ripstop_answer ripstop_simulate_applies(const ripstop_plan *plan, const ripstop_scenario *scenario,
                                        ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  return stop_applies(&scenario->reaction, plan, err);
}

bool ripstop_simulate_routes(const ripstop_plan *plan, const ripstop_scenario *scenario) {
  return !plan->method->proto || scenario->measure.affected;
}

int ripstop_simulate_check(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  err->text[0] = '\0';
  if (check_schedule(plan->fabric, scenario->schedule, err)) return -1;
  run *r = run_new(plan, scenario, err);
  if (!r) return -1;
  run_free(r);
  return 0;
}

int ripstop_simulate(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_result *result,
                     ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *result = (ripstop_result){0};
  err->text[0] = '\0';
  if (ripstop_simulate_routes(plan, scenario) && ripstop_plan_check_tables(plan, err)) return -1;
  run *r = check_schedule(plan->fabric, scenario->schedule, err) ? NULL : run_new(plan, scenario, err);
  if (!r) return -1;
  result->arena = ripstop_arena_new();
  int status = run_to_end(r, result, err);
  run_free(r);
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
