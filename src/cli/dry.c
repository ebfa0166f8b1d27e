/* dry.c - `ripstop run --dry-run`: what the runs that are missing would cost. Nothing is made or written.
 *
 * The store's own history tells (campaign/cost.c). Without any, a speed of the engine is assumed, and said. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/team.h"
#include "cli/cli.h"
#include "cli/experiment.h"
#include "cli/json.h"

enum { ASSUMED_BYTES = 1600 }; /* of a stored run */

/* ------------------------------------------------------------------ cost */

/* The runs that are not stored come to `missing`, what the others took to `known`. */
static int sort_out(const cli_experiment *e, ripstop_cost *known, size_t *knowns, const ripstop_run **missing,
                    size_t *count, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  int status = 0;
  for (size_t i = 0; i < e->owns && status >= 0; i++) {
    ripstop_outcome outcome;
    status = e->store ? ripstop_store_get(e->store, e->own[i]->id, arena, &outcome, err) : 0;
    if (status == 1)
      known[(*knowns)++] = (ripstop_cost){e->own[i], outcome.seconds};
    else
      missing[(*count)++] = e->own[i];
    ripstop_arena_clear(arena);
  }
  ripstop_arena_free(arena);
  return status < 0 ? -1 : 0;
}

typedef struct estimate {
  size_t on[RIPSTOP_GUESSES]; /* runs */
  double seconds, most;       /* of a processor, but for those of which nobody knows: at least, and at most */
} estimate;

static estimate sum_up(ripstop_arena *arena, const ripstop_cost *known, size_t knowns,
                       const ripstop_run *const *missing, size_t count) {
  estimate sum = {0};
  ripstop_guess *guess = RIPSTOP_ARRAY(arena, count, ripstop_guess);
  if (ripstop_guess_costs(known, knowns, missing, count, guess)) return (estimate){.on[RIPSTOP_GUESS_NONE] = count};
  for (size_t i = 0; i < count; i++) sum.on[guess[i].by]++, sum.seconds += guess[i].seconds, sum.most += guess[i].most;
  return sum;
}

/* Of runs of which nobody knows anything no sum is told: 0 seconds would be taken for one. */
static void print_cost(const estimate *sum, size_t count, unsigned workers) {
  static const char *const words[RIPSTOP_GUESSES] = {[RIPSTOP_GUESS_SETTINGS] = "by stored runs of the same settings",
                                                     [RIPSTOP_GUESS_METHOD] =
                                                         "by stored runs of the same fabric and method",
                                                     [RIPSTOP_GUESS_ALL] = "by all stored runs"};
  size_t assumed = sum->on[RIPSTOP_GUESS_ASSUMED], unknown = sum->on[RIPSTOP_GUESS_NONE];
  if (unknown == count) {
    printf("cost: nobody knows: none of the %zu runs is like one that is stored, or has a length of its own\nend: not "
           "known\n",
           count);
    return;
  }
  const bool open = sum->most > sum->seconds;
  printf("cost: %.2f ", sum->seconds);
  if (open) printf("to %.2f ", sum->most);
  printf("s of a processor");
  for (int by = RIPSTOP_GUESS_SETTINGS; by >= RIPSTOP_GUESS_ALL; by--)
    if (sum->on[by]) printf(", %zu runs %s", sum->on[by], words[by]);
  if (assumed) printf(", %zu runs at an assumed %d end nodes x cycles a second", assumed, RIPSTOP_ASSUMED_SPEED);
  if (unknown) printf(", and %zu runs of which nobody knows", unknown);
  printf("\nend: in %.2f ", sum->seconds / workers);
  if (open) printf("to %.2f ", sum->most / workers);
  printf("s with %u worker%s%s\n", workers, workers == 1 ? "" : "s", unknown ? ", or later" : "");
}

/* Runs that go on until something is known are several simulations each: at least and at most, of all. */
static ripstop_looks count_looks(const ripstop_run *const *missing, size_t count) {
  ripstop_looks all = {{0, 0}, {0}};
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; i < count; i++) {
    ripstop_settings settings;
    ripstop_looks looks = {{1, 1}, {0}};
    if (missing[i]->kind != RIPSTOP_RUN_PROVE && !ripstop_run_settings(missing[i], arena, &settings))
      ripstop_settings_looks(&settings, &looks);
    for (unsigned k = 0; k < 2; k++) all.simulations[k] += looks.simulations[k];
    ripstop_arena_clear(arena);
  }
  ripstop_arena_free(arena);
  return all;
}

/* ------------------------------------------------------------------ memory and disk */

/* Of the run's faults those count that make links slow: only they change how much memory the engine needs. */
static ripstop_view *view_of(const ripstop_run *run, ripstop_arena *arena, ripstop_scenario *scenario) {
  ripstop_error ignored;
  if (!ripstop_run_has_slow_links(run)) return ripstop_view_new(run->fabric, NULL);
  if (ripstop_run_schedule(run, run->faults, arena, &scenario->schedule, &ignored)) scenario->schedule = NULL;
  return ripstop_view_new(run->fabric, run->faults);
}

/* What a simulation of the run would ask for; 0: it is none, or does not apply. */
static double engine_bytes(const ripstop_run *run) {
  ripstop_error ignored;
  ripstop_settings settings;
  ripstop_result result;
  ripstop_simulation *sim = NULL;
  double bytes = 0;
  if (run->kind != RIPSTOP_RUN_SIMULATE) return 0;
  ripstop_arena *arena = ripstop_arena_new();
  bool ready = !ripstop_run_settings(run, arena, &settings);
  ripstop_view *view = ready ? view_of(run, arena, &settings.simulation) : NULL;
  ripstop_plan *plan = view ? ripstop_plan_open(view, run->routes, NULL, &ignored) : NULL;
  ready = plan && (!ripstop_simulate_routes(plan, &settings.simulation) ||
                   ripstop_plan_tables(plan, &ignored) == RIPSTOP_APPLIES);
  if (ready) sim = ripstop_simulate_open(plan, &settings.simulation, &ignored);
  if (sim && !ripstop_simulate_result(sim, &result, &ignored)) {
    bytes = (double)result.bytes;
    ripstop_result_free(&result);
  }
  ripstop_simulate_close(sim);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_arena_free(arena);
  return bytes;
}

typedef struct planned {
  const ripstop_run *run;
} planned;

static bool same_plan(const ripstop_run *one, const ripstop_run *two) {
  return one->fabric == two->fabric && one->method == two->method &&
         ripstop_run_has_slow_links(one) == ripstop_run_has_slow_links(two);
}

static int by_plan(const void *a, const void *b) {
  const ripstop_run *one = ((const planned *)a)->run, *two = ((const planned *)b)->run;
  int fabric = (one->fabric > two->fabric) - (one->fabric < two->fabric);
  int method = (one->method > two->method) - (one->method < two->method);
  int slow = ripstop_run_has_slow_links(one) - ripstop_run_has_slow_links(two);
  return fabric ? fabric : method ? method : slow ? slow : (one > two) - (one < two);
}

/* Of the largest: the first run of each fabric and method, and the first of those with slow links. */
static double most_bytes(const cli_experiment *e, const ripstop_run *const *missing, size_t count) {
  double most = 0;
  planned *sorted = RIPSTOP_ARRAY(e->arena, count, planned);
  for (size_t i = 0; i < count; i++) sorted[i].run = missing[i];
  qsort(sorted, count, sizeof *sorted, by_plan);
  for (size_t i = 0; i < count; i++)
    if (!i || !same_plan(sorted[i].run, sorted[i - 1].run)) most = fmax(most, engine_bytes(sorted[i].run));
  return most;
}

/* Bytes that a stored run takes; whether the store says so, or they are assumed. */
static double bytes_each(const cli_experiment *e, size_t stored, bool *known) {
  struct stat about;
  ripstop_error ignored;
  int64_t all = e->store ? ripstop_store_count(e->store, &ignored) : 0;
  *known = stored && all > 0 && !stat(e->store_path, &about);
  return *known ? (double)about.st_size / (double)all : ASSUMED_BYTES;
}

/* ------------------------------------------------------------------ all of it */

typedef struct outlay {
  size_t stored, missing; /* runs */
  size_t slow;            /* of the missing: with slow links */
  const char *slow_queue; /* switch.slow_queue of the first of them */
  unsigned workers;
  ripstop_looks looks;
  estimate cost;
  double memory, each; /* bytes: of the engine of the largest run, 0: not known; of a stored run */
  bool each_known;
} outlay;

static int find_outlay(cli_experiment *e, const cli_workers *w, outlay *out, ripstop_error *err) {
  ripstop_cost *known = RIPSTOP_ARRAY(e->arena, e->owns, ripstop_cost);
  const ripstop_run **missing = RIPSTOP_ARRAY(e->arena, e->owns, const ripstop_run *);
  *out = (outlay){.workers = w->runs ? w->runs : ripstop_team_processors()};
  if (sort_out(e, known, &out->stored, missing, &out->missing, err)) return -1;
  const size_t count = out->missing;
  for (size_t i = 0; i < count; i++) {
    if (!ripstop_run_has_slow_links(missing[i])) continue;
    if (!out->slow++) out->slow_queue = ripstop_run_key(missing[i], "switch.slow_queue");
  }
  if (out->workers > count) out->workers = count ? (unsigned)count : 1;
  if (!count) return 0;
  out->looks = count_looks(missing, count);
  out->cost = sum_up(e->arena, known, out->stored, missing, count);
  out->memory = most_bytes(e, missing, count);
  out->each = bytes_each(e, out->stored, &out->each_known);
  return 0;
}

/* The selection functions always, other values that methods name for themselves where some method does. */
static bool is_worth_words(const ripstop_spec *spec, const char *key, ripstop_text *used) {
  const bool other = ripstop_spec_own(spec, key, used);
  return other || (used->length && !strcmp(key, "switch.choice"));
}

static void print_own(const ripstop_spec *spec) {
  ripstop_text used = {0};
  for (const char *const *key = ripstop_keys_of_method; *key; key++)
    if (is_worth_words(spec, *key, &used)) ripstop_cli_say(stdout, "%s: %s\n", *key, used.data);
  ripstop_text_free(&used);
}

static void print_outlay(const cli_experiment *e, const outlay *o) {
  ripstop_cli_say(stdout, "%s: %zu runs, %zu of them in %s already, %zu to do\n", e->spec->file, e->owns, o->stored,
                  e->store_path, o->missing);
  if (!o->missing) return;
  if (o->looks.simulations[1] > (double)o->missing)
    printf("simulations: %.0f to %.0f, until measure.precision is reached or a searched load found\n",
           o->looks.simulations[0], o->looks.simulations[1]);
  if (o->slow && o->slow_queue)
    printf("slow links: in %zu runs; switch.slow_queue is %s%s\n", o->slow, o->slow_queue,
           ripstop_spec_axis(e->spec, "switch.slow_queue")->count > 1 ? " in the first" : "");
  print_cost(&o->cost, o->missing, o->workers);
  if (o->memory > 0)
    printf("memory: %.2f MB for the engine of the largest run, %.2f MB for %u at a time\n", o->memory / 1e6,
           o->memory * o->workers / 1e6, o->workers);
  else
    printf("memory: not known before they begin\n");
  print_own(e->spec);
  printf("disk: %.2f MB more, %.0f bytes a run %s\n", o->each * (double)o->missing / 1e6, o->each,
         o->each_known ? "as in the store" : "assumed");
}

/* At least and at most. */
static json_t *json_span(double least, double most) { return json_pack("[f, f]", least, most); }

static void add_own(const ripstop_spec *spec, json_t *out) {
  ripstop_text used = {0};
  for (const char *const *key = ripstop_keys_of_method; *key; key++)
    if (is_worth_words(spec, *key, &used)) json_object_set_new(out, *key, ripstop_cli_json_text(used.data));
  ripstop_text_free(&used);
}

static void print_outlay_json(const cli_experiment *e, const outlay *o) {
  const estimate *cost = &o->cost;
  json_t *out = json_pack("{s:s, s:o, s:o, s:I, s:I, s:I}", "event", "dry-run", "file",
                          ripstop_cli_json_text(e->spec->file), "store", ripstop_cli_json_text(e->store_path), "runs",
                          (json_int_t)e->owns, "stored", (json_int_t)o->stored, "to_do", (json_int_t)o->missing);
  if (o->missing) {
    const size_t unknown = cost->on[RIPSTOP_GUESS_NONE];
    const bool none = unknown == o->missing;
    json_object_update_new(
        out,
        json_pack("{s:i, s:o, s:o, s:o, s:I, s:I, s:o, s:f}", "workers", (int)o->workers, "simulations",
                  json_span(o->looks.simulations[0], o->looks.simulations[1]), "processor_seconds",
                  none ? json_null() : json_span(cost->seconds, cost->most), "clock_seconds",
                  none ? json_null() : json_span(cost->seconds / o->workers, cost->most / o->workers), "assumed_runs",
                  (json_int_t)cost->on[RIPSTOP_GUESS_ASSUMED], "unknown_runs", (json_int_t)unknown, "engine_bytes",
                  o->memory > 0 ? json_real(o->memory) : json_null(), "disk_bytes", o->each * (double)o->missing));
  }
  if (o->missing) add_own(e->spec, out);
  if (o->slow && o->slow_queue)
    json_object_update_new(out,
                           json_pack("{s:I, s:s}", "slow_link_runs", (json_int_t)o->slow, "slow_queue", o->slow_queue));
  ripstop_cli_json_print(out);
}

int cli_dry_run(cli_experiment *e, const cli_workers *w, ripstop_error *err) {
  outlay o;
  if (find_outlay(e, w, &o, err)) return ripstop_cli_fail(err);
  (w->json ? print_outlay_json : print_outlay)(e, &o);
  return RIPSTOP_EXIT_OK;
}
