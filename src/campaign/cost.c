/* cost.c - how long runs are likely to take, from those that were done before: so that the long ones are begun first,
 * that no worker is left alone with one at the end, and that the time that is left can be shown.
 *
 * Runs with the same settings but another fault sample take what those took. For others times multiply: twice the
 * cycles at three times the load is six times the work. So the logarithm of a run's time is taken for the mean of all,
 * and for each key in turn what runs with this value of it lie above or below what the keys before it leave to be
 * explained. A value that no run had adds nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/cost.h"
#include "experiment/inner_runs.h"

#define GRAIN 0.01        /* a hundredth more or less is nothing: the runs are alike */
enum { FIT_MOST = 4096 }; /* runs from which the effects of keys are estimated */

/* The mean by which runs with one value of a key exceed the mean of all. */
typedef struct effect {
  const char *value;
  double sum;
  size_t count;
} effect;

static int by_value(const void *a, const void *b) {
  return strcmp(((const effect *)a)->value, ((const effect *)b)->value);
}

/* Merges equal values; returns how many there are. */
static size_t merge(effect *of, size_t count) {
  size_t kept = 0;
  qsort(of, count, sizeof *of, by_value);
  for (size_t i = 0; i < count; i++)
    if (kept && !strcmp(of[kept - 1].value, of[i].value))
      of[kept - 1].sum += of[i].sum, of[kept - 1].count++;
    else
      of[kept++] = of[i];
  return kept;
}

typedef struct estimate {
  const ripstop_run *run;
  double log_seconds; /* less the mean of all */
  size_t place;
} estimate;

static int longest_first(const void *a, const void *b) {
  const estimate *one = a, *two = b;
  if (one->log_seconds != two->log_seconds) return one->log_seconds > two->log_seconds ? -1 : 1;
  return one->place < two->place ? -1 : 1;
}

static double least(double seconds) { return seconds > 1e-6 ? seconds : 1e-6; }

static bool is_same(const ripstop_cost *known, size_t knowns, size_t key) {
  const char *first = ripstop_run_key_at(known[0].run, key).value;
  for (size_t i = 1; i < knowns; i++)
    if (strcmp(first, ripstop_run_key_at(known[i].run, key).value) != 0) return false;
  return true;
}

static double effect_of(const effect *of, size_t values, const ripstop_run *run, size_t key) {
  const effect wanted = {.value = ripstop_run_key_at(run, key).value};
  const effect *found = bsearch(&wanted, of, values, sizeof *of, by_value);
  return found ? found->sum / (double)found->count : 0;
}

/* Adds the effect of a key to the estimates, and removes it from the residuals of the known runs. */
static void add_key(const ripstop_cost *known, double *left, size_t knowns, size_t key, effect *of, estimate *list,
                    size_t count) {
  if (is_same(known, knowns, key)) return;
  for (size_t i = 0; i < knowns; i++) of[i] = (effect){ripstop_run_key_at(known[i].run, key).value, left[i], 1};
  size_t values = merge(of, knowns);
  for (size_t i = 0; i < knowns; i++) left[i] -= effect_of(of, values, known[i].run, key);
  for (size_t i = 0; i < count; i++) list[i].log_seconds += effect_of(of, values, list[i].run, key);
}

/* Estimates all of the list; returns what the exponential of 0 stands for, in seconds: such that the known runs
 * together would have been estimated right. */
static double fit(ripstop_arena *arena, const ripstop_cost *known, size_t knowns, estimate *list, size_t count) {
  double *left = RIPSTOP_ARRAY(arena, knowns, double), mean = 0, seconds = 0, explained = 0;
  effect *of = RIPSTOP_ARRAY(arena, knowns, effect);
  for (size_t i = 0; i < knowns; i++) mean += log(least(known[i].seconds)) / (double)knowns;
  for (size_t i = 0; i < knowns; i++) left[i] = log(least(known[i].seconds)) - mean;
  for (size_t key = 0; key < ripstop_run_keys(known[0].run); key++) add_key(known, left, knowns, key, of, list, count);
  for (size_t i = 0; i < knowns; i++) {
    seconds += least(known[i].seconds);
    explained += exp(log(least(known[i].seconds)) - mean - left[i]);
  }
  return seconds / explained;
}

static estimate *make_list(ripstop_arena *arena, const ripstop_run *const *run, size_t count) {
  estimate *list = RIPSTOP_ARRAY(arena, count, estimate);
  for (size_t i = 0; i < count; i++) list[i] = (estimate){.run = run[i], .place = i};
  return list;
}

int ripstop_long_first(const ripstop_cost *known, size_t knowns, const ripstop_run **run, size_t count) {
  RIPSTOP_GUARD(NULL, -1);
  if (!knowns || !count) return 0;
  ripstop_arena *arena = ripstop_arena_new();
  estimate *list = make_list(arena, run, count);
  fit(arena, known, knowns, list, count);
  for (size_t i = 0; i < count; i++) list[i].log_seconds = rint(list[i].log_seconds / GRAIN);
  qsort(list, count, sizeof *list, longest_first);
  for (size_t i = 0; i < count; i++) run[i] = list[i].run;
  ripstop_arena_free(arena);
  return 0;
}

/* ------------------------------------------------------------------ seconds */

/* A known run's: those before in the sorted list sum to `before` seconds. */
typedef struct past {
  ripstop_cost cost;
  double before;
} past;

typedef struct history {
  past *past; /* [count + 1], by fabric, method and place */
  size_t count;
} history;

static int order(const void *a, const void *b) { return (a > b) - (a < b); }

static int compare(const ripstop_run *a, const ripstop_run *b, ripstop_guess_by by) {
  int fabric = order(a->fabric, b->fabric), method = order(a->method, b->method);
  if (fabric || method || by == RIPSTOP_GUESS_METHOD) return fabric ? fabric : method;
  return (a->place > b->place) - (a->place < b->place);
}

static int by_place(const void *a, const void *b) {
  return compare(((const past *)a)->cost.run, ((const past *)b)->cost.run, RIPSTOP_GUESS_SETTINGS);
}

static history sort_history(ripstop_arena *arena, const ripstop_cost *known, size_t knowns) {
  history h = {.past = RIPSTOP_ARRAY(arena, knowns + 1, past), .count = knowns};
  for (size_t i = 0; i < knowns; i++) h.past[i].cost = known[i];
  qsort(h.past, knowns, sizeof *h.past, by_place);
  for (size_t i = 0; i < knowns; i++) h.past[i + 1].before = h.past[i].before + h.past[i].cost.seconds;
  return h;
}

/* Counts those that come before the run, or with `equal` before what comes behind it. */
static size_t before(const history *h, const ripstop_run *run, ripstop_guess_by by, bool equal) {
  size_t low = 0, high = h->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int side = compare(h->past[middle].cost.run, run, by);
    if (side < 0 || (equal && side == 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Instructions of a hop by those of the preset `plain`, at half load on dragonfly:a=8,p=4,h=4. */
static double price_of(const ripstop_switch_config *s) {
  static const double voq = 1.3, bound = 0.9, speedup = 1.5;
  if (s->speedup > 1) return speedup;
  if (!strncmp(s->queues, "voq", strlen("voq"))) return voq;
  return !strcmp(s->queues, "output") ? bound : 1;
}

static ripstop_guess assume(const ripstop_run *run) {
  ripstop_settings settings;
  ripstop_looks looks;
  if (run->kind != RIPSTOP_RUN_SIMULATE) return (ripstop_guess){.by = RIPSTOP_GUESS_NONE};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_run_settings(run, arena, &settings);
  ripstop_settings_looks(&settings, &looks);
  const double each = price_of(&settings.simulation.switch_) * (double)run->fabric->ends / RIPSTOP_ASSUMED_SPEED;
  ripstop_arena_free(arena);
  return (ripstop_guess){each * looks.cycles[0], each * looks.cycles[1], RIPSTOP_GUESS_ASSUMED};
}

static ripstop_guess known_guess(double seconds, ripstop_guess_by by) { return (ripstop_guess){seconds, seconds, by}; }

static ripstop_guess look_up(const history *h, const estimate *e, double scale) {
  size_t from = before(h, e->run, RIPSTOP_GUESS_SETTINGS, false), to = before(h, e->run, RIPSTOP_GUESS_SETTINGS, true);
  if (from < to)
    return known_guess((h->past[to].before - h->past[from].before) / (double)(to - from), RIPSTOP_GUESS_SETTINGS);
  bool seen = before(h, e->run, RIPSTOP_GUESS_METHOD, false) < before(h, e->run, RIPSTOP_GUESS_METHOD, true);
  return known_guess(scale * exp(e->log_seconds), seen ? RIPSTOP_GUESS_METHOD : RIPSTOP_GUESS_ALL);
}

int ripstop_guess_costs(const ripstop_cost *known, size_t knowns, const ripstop_run *const *run, size_t count,
                        ripstop_guess *out) {
  RIPSTOP_GUARD(NULL, -1);
  for (size_t i = 0; i < count && !knowns; i++) out[i] = assume(run[i]);
  if (!knowns || !count) return 0;
  ripstop_arena *arena = ripstop_arena_new();
  history h = sort_history(arena, known, knowns);
  size_t step = knowns / FIT_MOST + 1, some = 0;
  ripstop_cost *fitted = RIPSTOP_ARRAY(arena, knowns / step + 1, ripstop_cost);
  for (size_t i = 0; i < knowns; i += step) fitted[some++] = known[i];
  estimate *list = make_list(arena, run, count);
  double scale = fit(arena, fitted, some, list, count);
  for (size_t i = 0; i < count; i++) out[i] = look_up(&h, &list[i], scale);
  ripstop_arena_free(arena);
  return 0;
}
