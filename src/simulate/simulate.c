/* simulate.c - the public calls that run a simulation from options to values. look.c has the calls that inspect one. */
#include "simulate/run_result.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "faults/schedule.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "route/result.h"
#include "simulate/change.h"
#include "simulate/core.h"
#include "simulate/open.h"
#include "simulate/pairs.h"
#include "simulate/reconfiguration.h"
#include "simulate/threads.h"

ripstop_answer ripstop_simulate_applies(const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                                        ripstop_error *err) {
  RIPSTOP_GUARD(err, RIPSTOP_ERROR);
  return stop_applies(&scenario->reconfiguration, plan, err);
}

bool ripstop_simulate_routes(const ripstop_plan *plan, const ripstop_simulate_settings *scenario) {
  return !plan->method->proto || scenario->measure.affected;
}

uint32_t ripstop_simulate_threads(const ripstop_plan *plan, const ripstop_simulate_settings *scenario) {
  return threads_at_work(scenario, threads_parts_of(plan, scenario));
}

/* Queues of links between switches that make another thread worthwhile. Measured (docs/speed.md): with two threads a
 * 16-ary 2-tree (256 queues per thread) took 1.45 times as long as with one; torus:16x16 with three VCs (1,536 per
 * thread) took 0.63 times as long. */
enum { WORTH_QUEUES = 1024 };

uint32_t ripstop_simulate_worth(const ripstop_plan *plan, uint32_t threads) {
  const uint64_t most = threads_queues(plan) / WORTH_QUEUES;
  if (threads > most) threads = (uint32_t)most;
  return threads ? threads : 1;
}

int ripstop_simulate_check(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  err->text[0] = '\0';
  run *r = run_new(plan, scenario, err);
  if (!r) return -1;
  run_free(r);
  return 0;
}

/* ------------------------------------------------------------------ the simulation object */

static ripstop_simulation *open_simulation(const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                                           ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  err->text[0] = '\0';
  if (ripstop_simulate_routes(plan, scenario) && ripstop_plan_check_tables(plan, err)) return NULL;
  run *r = run_new(plan, scenario, err);
  if (!r) return NULL;
  r->bytes = ripstop_arena_bytes(r->arena);
  if (pairs_decide(r, err) == 0) return r;
  run_free(r);
  return NULL;
}

ripstop_simulation *ripstop_simulate_open(const ripstop_plan *plan, const ripstop_simulate_settings *settings,
                                          ripstop_error *err) {
  const ripstop_simulate_settings defaults = ripstop_simulate_defaults();
  return plan ? open_simulation(plan, settings ? settings : &defaults, err) : NULL;
}

int ripstop_simulate_run(ripstop_simulation *sim, uint64_t until, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  double start = ripstop_thread_seconds();
  engine_run(sim, until < UINT32_MAX ? (uint32_t)until : UINT32_MAX);
  sim->seconds += ripstop_thread_seconds() - start;
  sim->keeps_own = sim->own_view != NULL;
  return run_failed(sim) ? run_report(sim, err) : 0;
}

int ripstop_simulate_change(ripstop_simulation *sim, const ripstop_change *change, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (!ripstop_change_is_known(sim->fabric, change))
    return ripstop_fail(err, "change: part %u does not exist", change->id);
  if (change->rate) return ripstop_fail(err, "change: rates are possible in the schedule only");
  if (run_ended(sim)) return ripstop_fail(err, "change: the run has ended");
  change_at(sim, change, sim->part->now);
  return 0;
}

static const char *witness_of(const run *r, ripstop_verdict verdict) {
  if (verdict == RIPSTOP_DEADLOCKED) return r->witness;
  return verdict == RIPSTOP_LOSSY ? run_first_loss(r)->text : NULL;
}

int ripstop_simulate_result_into(const ripstop_simulation *sim, ripstop_run_result *result, ripstop_error *err) {
  *result = (ripstop_run_result){0};
  RIPSTOP_GUARD(err, -1);
  if (run_failed(sim)) return run_report(sim, err);
  ripstop_run_result made = {.cycles = sim->part->now,
                             .events = run_events(sim),
                             .bytes = sim->bytes,
                             .seconds = sim->seconds,
                             .threads = sim->threads,
                             .arena = ripstop_arena_new()};
  if (measure_result(sim, &made, err)) {
    ripstop_run_result_free(&made);
    return -1;
  }
  const char *witness = witness_of(sim, made.verdict);
  made.witness = witness ? ripstop_arena_text(made.arena, witness) : NULL;
  *result = made;
  return 0;
}

void ripstop_simulate_close(ripstop_simulation *sim) {
  if (sim) run_free(sim);
}

int ripstop_simulate_into(const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                          ripstop_run_result *result, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *result = (ripstop_run_result){0};
  ripstop_simulation *sim = ripstop_simulate_open(plan, scenario, err);
  if (!sim) return -1;
  int status = ripstop_simulate_run(sim, UINT64_MAX, err) || ripstop_simulate_result_into(sim, result, err) ? -1 : 0;
  ripstop_simulate_close(sim);
  return status;
}

const ripstop_value *ripstop_run_result_all(const ripstop_run_result *result, ripstop_arena *arena, size_t *count) {
  const ripstop_account *a = &result->account;
  const ripstop_value more[] = {{"account.generated", "packets", (double)a->generated, NAN},
                                {"account.delivered", "packets", (double)a->delivered, NAN},
                                {"account.in-flight", "packets", (double)a->in_flight, NAN},
                                {"account.waiting", "packets", (double)a->waiting, NAN},
                                {"account.lost", "packets", (double)a->lost, NAN},
                                {"run.cycles", "cycles", (double)result->cycles, NAN},
                                {"run.hops", "links", (double)result->hops, NAN}};
  size_t extra = sizeof more / sizeof *more;
  ripstop_value *value = RIPSTOP_ARRAY(arena, result->values + extra, ripstop_value);
  for (size_t i = 0; i < result->values + extra; i++) {
    value[i] = i < result->values ? result->value[i] : more[i - result->values];
    value[i].name = ripstop_arena_text(arena, value[i].name);
    value[i].unit = ripstop_arena_text(arena, value[i].unit);
  }
  *count = result->values + extra;
  return value;
}

/* ------------------------------------------------------------------ for users */

ripstop_simulate_settings ripstop_simulate_defaults(void) {
  ripstop_simulate_settings s = {.threads = 1, .seed = 1};
  (void)ripstop_options_defaults(NULL, ripstop_switch_options, &s.switch_);
  (void)ripstop_options_defaults(NULL, ripstop_traffic_options, &s.traffic);
  (void)ripstop_options_defaults(NULL, ripstop_measure_options, &s.measure);
  (void)ripstop_options_defaults(NULL, ripstop_reconfiguration_options, &s.reconfiguration);
  s.traffic.load = 0.5;
  return s;
}

ripstop_result *ripstop_simulate_result(const ripstop_simulation *sim, ripstop_error *err) {
  if (!sim) return NULL;
  RIPSTOP_GUARD(err, NULL);
  ripstop_run_result made;
  size_t values;
  if (ripstop_simulate_result_into(sim, &made, err)) return NULL;
  const ripstop_value *value = ripstop_run_result_all(&made, made.arena, &values);
  ripstop_result *result = ripstop_result_in(made.arena, value, values);
  result->verdict = made.verdict;
  ripstop_result_add_text(result, "verdict", ripstop_verdict_words[made.verdict]);
  ripstop_result_add_text(result, "witness", made.witness);
  return result;
}

ripstop_result *ripstop_simulate(const ripstop_plan *plan, const ripstop_simulate_settings *settings,
                                 ripstop_error *err) {
  ripstop_simulation *sim = ripstop_simulate_open(plan, settings, err);
  ripstop_result *result =
      sim && !ripstop_simulate_run(sim, UINT64_MAX, err) ? ripstop_simulate_result(sim, err) : NULL;
  ripstop_simulate_close(sim);
  return result;
}

bool ripstop_simulate_ended(const ripstop_simulation *sim) { return run_ended(sim); }

void ripstop_run_result_free(ripstop_run_result *result) {
  ripstop_arena_free(result->arena);
  *result = (ripstop_run_result){0};
}

double ripstop_run_result_value(const ripstop_run_result *result, const char *name) {
  for (size_t i = 0; i < result->values; i++)
    if (strcmp(result->value[i].name, name) == 0) return result->value[i].value;
  return NAN;
}
