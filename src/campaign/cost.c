/* cost.c - how long runs are likely to take, from those that were done before, so that the long ones are begun first
 * and nobody is left alone with one at the end.
 *
 * Times multiply: twice the cycles at three times the load is six times the work. So the logarithm of a run's time is
 * taken for the mean of all, and for each key what runs with this value of it lie above or below that mean. A value
 * that no run had, the next sample for example, adds nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ripstop/kit/campaign.h"

#define GRAIN 0.01 /* a hundredth more or less is nothing: the runs are alike */

/* What runs with one value of a key lie above the mean of all. */
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
  double log_seconds; /* less the mean of all, in whole GRAINs when all keys are in it */
  size_t place;
} estimate;

static int longest_first(const void *a, const void *b) {
  const estimate *one = a, *two = b;
  if (one->log_seconds != two->log_seconds) return one->log_seconds > two->log_seconds ? -1 : 1;
  return one->place < two->place ? -1 : 1;
}

/* What a key tells. */
static void add_key(const ripstop_cost *known, const double *above, size_t knowns, size_t key, effect *of,
                    estimate *list, size_t count) {
  for (size_t i = 0; i < knowns; i++) of[i] = (effect){ripstop_run_key_at(known[i].run, key).value, above[i], 1};
  size_t values = merge(of, knowns);
  for (size_t i = 0; i < count && values > 1; i++) {
    const effect wanted = {.value = ripstop_run_key_at(list[i].run, key).value};
    const effect *found = bsearch(&wanted, of, values, sizeof *of, by_value);
    if (found) list[i].log_seconds += found->sum / (double)found->count;
  }
}

static double least(double seconds) { return seconds > 1e-6 ? seconds : 1e-6; }

int ripstop_long_first(const ripstop_cost *known, size_t knowns, const ripstop_run **run, size_t count) {
  RIPSTOP_GUARD(NULL, -1);
  if (!knowns || !count) return 0;
  ripstop_arena *arena = ripstop_arena_new();
  double *above = RIPSTOP_ARRAY(arena, knowns, double), mean = 0;
  effect *of = RIPSTOP_ARRAY(arena, knowns, effect);
  estimate *list = RIPSTOP_ARRAY(arena, count, estimate);
  for (size_t i = 0; i < knowns; i++) mean += log(least(known[i].seconds)) / (double)knowns;
  for (size_t i = 0; i < knowns; i++) above[i] = log(least(known[i].seconds)) - mean;
  for (size_t i = 0; i < count; i++) list[i] = (estimate){.run = run[i], .place = i};
  for (size_t key = 0; key < ripstop_run_keys(run[0]); key++) add_key(known, above, knowns, key, of, list, count);
  for (size_t i = 0; i < count; i++) list[i].log_seconds = rint(list[i].log_seconds / GRAIN);
  qsort(list, count, sizeof *list, longest_first);
  for (size_t i = 0; i < count; i++) run[i] = list[i].run;
  ripstop_arena_free(arena);
  return 0;
}
