/* dry.c - `ripstop run --dry-run`: what the runs that are missing would cost. Nothing is made or written.
 *
 * The store's own history tells: the mean of stored runs with the same settings but another fault sample, else of the
 * same fabric and method, else of all. Without any, a speed of the engine is assumed, and said. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/team.h"
#include "cli/cli.h"
#include "cli/experiment.h"

static const double ASSUMED_SPEED = 20e6; /* end nodes times cycles, a second */
enum { ASSUMED_BYTES = 1600 };            /* of a stored run */

/* ------------------------------------------------------------------ history */

/* A run's: those before in the sorted list sum to `before` seconds. */
typedef struct past {
  const ripstop_run *run;
  double seconds, before;
} past;

typedef struct history {
  past *past; /* [count + 1], by fabric, method and place */
  size_t count;
} history;

enum { BY_NOTHING, BY_METHOD, BY_PLACE, LEVELS };

static int order(const void *a, const void *b) { return (a > b) - (a < b); }

static int compare(const ripstop_run *a, const ripstop_run *b, int level) {
  int fabric = order(a->fabric, b->fabric), method = order(a->method, b->method);
  if (level == BY_NOTHING) return 0;
  if (fabric || method || level == BY_METHOD) return fabric ? fabric : method;
  return (a->place > b->place) - (a->place < b->place);
}

static int by_place(const void *a, const void *b) {
  return compare(((const past *)a)->run, ((const past *)b)->run, BY_PLACE);
}

/* How many come before the run, or with `equal` before what comes behind it. */
static size_t before(const history *h, const ripstop_run *run, int level, bool equal) {
  size_t low = 0, high = h->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int side = compare(h->past[middle].run, run, level);
    if (side < 0 || (equal && side == 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The level that knows it, and what a run took there; -1: there is no history. */
static int look_up(const history *h, const ripstop_run *run, double *seconds) {
  for (int level = BY_PLACE; level >= BY_NOTHING; level--) {
    size_t from = before(h, run, level, false), to = before(h, run, level, true);
    if (from == to) continue;
    *seconds = (h->past[to].before - h->past[from].before) / (double)(to - from);
    return level;
  }
  return -1;
}

/* The runs that are not stored come to `missing`, the others into the history. */
static int sort_out(const cli_experiment *e, history *h, const ripstop_run **missing, size_t *count,
                    ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  int status = 0;
  for (size_t i = 0; i < e->owns && status >= 0; i++) {
    ripstop_outcome outcome;
    status = e->store ? ripstop_store_get(e->store, e->own[i]->id, arena, &outcome, err) : 0;
    if (status == 1)
      h->past[h->count++] = (past){.run = e->own[i], .seconds = outcome.seconds};
    else
      missing[(*count)++] = e->own[i];
    ripstop_arena_clear(arena);
  }
  ripstop_arena_free(arena);
  qsort(h->past, h->count, sizeof *h->past, by_place);
  for (size_t i = 0; i < h->count; i++) h->past[i + 1].before = h->past[i].before + h->past[i].seconds;
  return status < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------ cost */

typedef struct estimate {
  size_t known[LEVELS], assumed, unknown; /* runs */
  double seconds;                         /* of a processor, but for the unknown */
} estimate;

static double assumed_seconds(const ripstop_run *run) {
  ripstop_error ignored;
  double measured, warmup;
  if (run->kind != RIPSTOP_RUN_SIMULATE ||
      ripstop_parse_real(ripstop_run_key(run, "measure.cycles"), &measured, &ignored))
    return NAN;
  bool automatic = ripstop_parse_real(ripstop_run_key(run, "measure.warmup"), &warmup, &ignored) != 0;
  return run->fabric->ends * (measured + (automatic ? measured : warmup)) / ASSUMED_SPEED;
}

static void add(estimate *sum, const history *h, const ripstop_run *run) {
  double seconds;
  int level = look_up(h, run, &seconds);
  if (level < 0) seconds = assumed_seconds(run);
  if (level >= 0)
    sum->known[level]++;
  else if (isnan(seconds))
    sum->unknown++;
  else
    sum->assumed++;
  if (!isnan(seconds)) sum->seconds += seconds;
}

static void print_cost(const estimate *sum, unsigned workers) {
  static const char *const words[LEVELS] = {[BY_PLACE] = "by stored runs of the same settings",
                                            [BY_METHOD] = "by stored runs of the same fabric and method",
                                            [BY_NOTHING] = "by all stored runs"};
  printf("cost: %.2f s of a processor", sum->seconds);
  for (int level = BY_PLACE; level >= BY_NOTHING; level--)
    if (sum->known[level]) printf(", %zu runs %s", sum->known[level], words[level]);
  if (sum->assumed) printf(", %zu runs at an assumed %.0f end nodes x cycles a second", sum->assumed, ASSUMED_SPEED);
  if (sum->unknown) printf(", and %zu runs of which nobody knows", sum->unknown);
  printf("\nend: in %.2f s with %u worker%s%s\n", sum->seconds / workers, workers, workers == 1 ? "" : "s",
         sum->unknown ? ", or later" : "");
}

/* ------------------------------------------------------------------ memory and disk */

/* What a simulation of the run would ask for, without its faults; 0: it is none, or does not apply. */
static double engine_bytes(const ripstop_run *run) {
  ripstop_error ignored;
  ripstop_settings settings;
  ripstop_result result;
  ripstop_simulation *sim = NULL;
  double bytes = 0;
  if (run->kind != RIPSTOP_RUN_SIMULATE) return 0;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_view *view = ripstop_view_new(run->fabric, NULL);
  ripstop_plan *plan = view ? ripstop_plan_open(view, run->method, NULL, &ignored) : NULL;
  bool ready =
      plan && !ripstop_run_settings(run, arena, &settings) &&
      (!ripstop_simulate_routes(plan, &settings.simulation) || ripstop_plan_tables(plan, &ignored) == RIPSTOP_APPLIES);
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

/* Of the largest: the first run of each fabric and method. */
static double most_bytes(const cli_experiment *e, const ripstop_run **missing, size_t count) {
  double most = 0;
  history seen = {.past = RIPSTOP_ARRAY(e->arena, count + 1, past)};
  for (size_t i = 0; i < count; i++) seen.past[i].run = missing[i];
  qsort(seen.past, count, sizeof *seen.past, by_place);
  for (size_t i = 0; i < count; i++)
    if (!i || compare(seen.past[i].run, seen.past[i - 1].run, BY_METHOD))
      most = fmax(most, engine_bytes(seen.past[i].run));
  return most;
}

static void print_disk(const cli_experiment *e, size_t stored, size_t count) {
  struct stat about;
  ripstop_error ignored;
  int64_t all = e->store ? ripstop_store_count(e->store, &ignored) : 0;
  bool known = stored && all > 0 && !stat(e->store_path, &about);
  double each = known ? (double)about.st_size / (double)all : ASSUMED_BYTES;
  printf("disk: %.2f MB more, %.0f bytes a run %s\n", each * (double)count / 1e6, each,
         known ? "as in the store" : "assumed");
}

int cli_dry_run(cli_experiment *e, const cli_workers *w, ripstop_error *err) {
  history h = {.past = RIPSTOP_ARRAY(e->arena, e->owns + 1, past)};
  const ripstop_run **missing = RIPSTOP_ARRAY(e->arena, e->owns, const ripstop_run *);
  size_t count = 0;
  estimate sum = {0};
  if (sort_out(e, &h, missing, &count, err)) return ripstop_cli_fail(err);
  unsigned workers = w->runs ? w->runs : ripstop_team_processors();
  if (workers > count) workers = count ? (unsigned)count : 1;
  for (size_t i = 0; i < count; i++) add(&sum, &h, missing[i]);
  printf("%s: %zu runs, %zu of them in %s already, %zu to do\n", e->spec->file, e->owns, h.count, e->store_path, count);
  if (!count) return RIPSTOP_EXIT_OK;
  print_cost(&sum, workers);
  double most = most_bytes(e, missing, count);
  printf("memory: %.2f MB for the engine of the largest run, %.2f MB for %u at a time\n", most / 1e6,
         most * workers / 1e6, workers);
  print_disk(e, h.count, count);
  return RIPSTOP_EXIT_OK;
}
