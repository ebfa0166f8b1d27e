/* simulate.c - one simulation from options to numbers. */
#include "ripstop/simulate.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "simulate/control.h"
#include "simulate/state.h"

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int check_schedule(const rs_fabric *fabric, const rs_schedule *schedule, rs_error *err) {
  for (size_t i = 0; schedule && i < schedule->count; i++) {
    const rs_change *c = &schedule->change[i];
    bool known = c->is_switch ? c->id >= fabric->ends && c->id < fabric->nodes : c->id < fabric->links;
    if (!known || (i > 0 && c->cycle < schedule->change[i - 1].cycle))
      return rs_fail(err, "schedule: change %zu names no part of this fabric or is out of order", i);
  }
  return 0;
}

static int run(engine *e, rs_result *result, rs_error *err) {
  if (engine_build(e, err)) return -1;
  result->bytes = rs_arena_bytes(e->arena);
  double start = processor_seconds();
  engine_run(e);
  result->seconds = processor_seconds() - start;
  if (e->failed) return -1;
  result->cycles = e->now;
  result->events = e->wheel.posted;
  if (measure_result(&e->measure, e, result, err)) return -1;
  bool told = result->verdict == RS_DEADLOCKED || result->verdict == RS_DISCONNECTED;
  result->witness = told && e->witness ? rs_arena_text(e->arena, e->witness) : NULL;
  return 0;
}

int rs_simulate(const rs_simulation *simulation, rs_result *result, rs_error *err) {
  err->text[0] = '\0';
  *result = (rs_result){0};
  if (check_schedule(simulation->fabric, simulation->schedule, err)) return -1;
  rs_arena *arena = rs_arena_new();
  engine *e = RS_NEW(arena, engine);
  e->config = simulation;
  e->fabric = simulation->fabric;
  e->arena = arena;
  e->err = err;
  e->view = rs_view_new(simulation->fabric, simulation->faults);
  e->plan = rs_plan_open(e->view, simulation->method, NULL, err);
  int status = e->plan ? run(e, result, err) : -1;
  control_close(e);
  rs_plan_free(e->plan);
  rs_view_free(e->view);
  result->arena = arena;
  if (status) rs_result_free(result);
  return status;
}

void rs_result_free(rs_result *result) {
  rs_arena_free(result->arena);
  *result = (rs_result){0};
}

double rs_result_value(const rs_result *result, const char *name) {
  for (size_t i = 0; i < result->values; i++)
    if (strcmp(result->value[i].name, name) == 0) return result->value[i].value;
  return NAN;
}
