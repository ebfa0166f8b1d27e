/* estimate.c - what the runs that are missing would cost: nothing is made or written.
 *
 * Seconds are guessed from the store's own history (cost.c). Without any, a speed of the engine is assumed. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/team.h"
#include "campaign/todo.h"
#include "experiment/inner_runs.h"
#include "route/plan_steps.h"
#include "simulate/run_result.h"
#include "store/kept_runs.h"

enum { ASSUMED_BYTES = 1600 }; /* a stored run's disk space */

typedef struct estimate {
  ripstop_campaign *campaign;
  ripstop_campaign_cost *out;
  campaign_todo todo;
} estimate;

static void count_slow(estimate *e) {
  for (size_t i = 0; i < e->out->to_do; i++) {
    if (!ripstop_run_has_slow_links(e->todo.missing[i])) continue;
    if (!e->out->slow++) e->out->slow_queue = ripstop_run_key(e->todo.missing[i], "switch.slow_queue");
  }
}

/* Runs that go on until something is known are several simulations each. */
static void count_simulations(estimate *e) {
  RIPSTOP_LOCAL_ARENA(scratch);
  for (size_t i = 0; i < e->out->to_do; i++) {
    ripstop_settings settings;
    ripstop_looks looks = {{1, 1}, {0}};
    if (e->todo.missing[i]->kind != RIPSTOP_RUN_PROVE && !ripstop_run_settings(e->todo.missing[i], scratch, &settings))
      ripstop_settings_looks(&settings, &looks);
    for (unsigned k = 0; k < 2; k++) e->out->simulations[k] += looks.simulations[k];
    ripstop_arena_clear(scratch);
  }
}

static void guess_seconds(estimate *e) {
  ripstop_campaign_cost *out = e->out;
  ripstop_guess *guess = RIPSTOP_ARRAY(e->campaign->arena, out->to_do, ripstop_guess);
  if (ripstop_guess_costs(e->todo.known, e->todo.knowns, e->todo.missing, out->to_do, guess)) {
    out->by[RIPSTOP_GUESS_NONE] = out->to_do;
    return;
  }
  for (size_t i = 0; i < out->to_do; i++)
    out->by[guess[i].by]++, out->seconds[0] += guess[i].seconds, out->seconds[1] += guess[i].most;
}

/* ------------------------------------------------------------------ memory and disk */

/* Only faults that make links slow change how much memory the engine needs. */
static ripstop_view *view_of(const ripstop_run *run, ripstop_arena *arena, ripstop_simulate_settings *scenario) {
  ripstop_error ignored;
  if (!ripstop_run_has_slow_links(run)) return ripstop_view_new(run->fabric, NULL);
  if (ripstop_run_schedule(run, run->faults, arena, &scenario->schedule, &ignored)) scenario->schedule = NULL;
  return ripstop_view_new(run->fabric, run->faults);
}

static double bytes_of_simulation(ripstop_plan *plan, const ripstop_simulate_settings *scenario) {
  ripstop_error ignored;
  ripstop_run_result result;
  double bytes = 0;
  if (ripstop_simulate_routes(plan, scenario) && ripstop_plan_tables(plan, &ignored) != RIPSTOP_APPLIES) return 0;
  ripstop_simulation *sim = ripstop_simulate_open(plan, scenario, &ignored);
  if (sim && !ripstop_simulate_result_into(sim, &result, &ignored)) {
    bytes = (double)result.bytes;
    ripstop_run_result_free(&result);
  }
  ripstop_simulate_close(sim);
  return bytes;
}

/* Memory that a simulation of the run needs; 0: it is none, or does not apply. */
static double engine_bytes(const ripstop_run *run) {
  ripstop_error ignored;
  ripstop_settings settings;
  if (run->kind != RIPSTOP_RUN_SIMULATE) return 0;
  RIPSTOP_LOCAL_ARENA(arena);
  const bool ready = !ripstop_run_settings(run, arena, &settings);
  ripstop_view *view = ready ? view_of(run, arena, &settings.simulation) : NULL;
  ripstop_plan *plan = view ? ripstop_plan_compile(view, run->routes, NULL, &ignored) : NULL;
  const double bytes = plan ? bytes_of_simulation(plan, &settings.simulation) : 0;
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return bytes;
}

/* By fabric and method, and whether links are slow. */
static const char *plan_of(const ripstop_run *run, ripstop_arena *arena) {
  return ripstop_arena_printf(arena, "%s\n%s\n%d", run->fabric->spec, run->method, ripstop_run_has_slow_links(run));
}

/* The most that the first run of some plan needs. */
static double most_bytes(const estimate *e) {
  ripstop_arena *arena = e->campaign->arena;
  double most = 0;
  const ripstop_run **run = RIPSTOP_ARRAY(arena, e->out->to_do, const ripstop_run *);
  memcpy(run, e->todo.missing, e->out->to_do * sizeof(void *));
  const size_t plans = campaign_distinct(arena, plan_of, run, e->out->to_do);
  for (size_t i = 0; i < plans; i++) most = fmax(most, engine_bytes(run[i]));
  return most;
}

static void find_run_bytes(const estimate *e) {
  const ripstop_campaign *c = e->campaign;
  struct stat about;
  ripstop_error ignored;
  int64_t all = c->store ? ripstop_store_count(c->store, &ignored) : 0;
  e->out->run_bytes_known = e->out->stored && all > 0 && !stat(c->store_path, &about);
  e->out->run_bytes = e->out->run_bytes_known ? (double)about.st_size / (double)all : ASSUMED_BYTES;
}

int ripstop_campaign_estimate(ripstop_campaign *c, ripstop_campaign_cost *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const unsigned workers = c->settings.workers ? c->settings.workers : ripstop_team_processors();
  estimate e = {.campaign = c, .out = out};
  *out = (ripstop_campaign_cost){.runs = c->owns};
  if (campaign_find_todo(c, &e.todo, err)) return -1;
  out->to_do = e.todo.count, out->stored = c->owns - e.todo.count;
  if (!out->to_do) return 0;
  out->workers = workers < out->to_do ? workers : (unsigned)out->to_do;
  count_slow(&e);
  count_simulations(&e);
  guess_seconds(&e);
  out->engine_bytes = most_bytes(&e);
  find_run_bytes(&e);
  return 0;
}
