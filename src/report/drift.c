/* drift.c - whether runs were still changing while they were measured: then a point shows the transient, and depends on
 * how long it was measured.
 *
 * A run has the change of a quantity from the first half of its measured cycles to the second. Of a point, the mean of
 * these changes over its runs counts, which detects far smaller drifts than any run alone. It must be larger than its
 * own interval (else it may be noise; of a single run, that run's) and than that of the quantity, where there is one
 * (else the point's interval covers it). Figures have many points, so the interval of the change is one that errs
 * STRICTER times less often. */
#include "report/drift.h"

#include <math.h>
#include <string.h>

#include "base/growing.h"
#include "base/statistics.h"
#include "experiment/inner_runs.h"
#include "report/plot.h"

enum { STRICTER = 20 };

static const struct {
  const char *level, *change;
  unsigned drift; /* RIPSTOP_DRIFT_... */
} quantity[DRIFT_QUANTITIES] = {{"accepted", "accepted.drift", RIPSTOP_DRIFT_THROUGHPUT},
                                {"network-latency.mean", "network-latency.drift", RIPSTOP_DRIFT_LATENCY},
                                {"latency.mean", "latency.drift", RIPSTOP_DRIFT_LATENCY}};

/* Values that are counted from a run's first cycle to its last, or depend on its faults. */
static const char *const of_run[] = {"account.",    "control.", "faults.", "precision.", "run.",
                                     "saturation.", "stopped",  "stops",   "warmup",     NULL};

bool drift_concerns(const ripstop_run *run, const char *value) {
  for (size_t i = 0; of_run[i]; i++)
    if (!strncmp(value, of_run[i], strlen(of_run[i]))) return false;
  return !ripstop_value_is_of_plan(run, value);
}

static void add(drift *d, ripstop_arena *arena, const ripstop_value *level, const ripstop_value *change) {
  if (d->count == d->room) {
    size_t room = RIPSTOP_MORE_ROOM(d->room);
    double *more = RIPSTOP_ARRAY(arena, 2 * room, double);
    if (d->count) {
      memcpy(more, d->level, d->count * sizeof *more);
      memcpy(more + room, d->change, d->count * sizeof *more);
    }
    *d = (drift){.level = more, .change = more + room, .count = d->count, .room = room};
  }
  d->level[d->count] = level->value, d->level_half = level->half;
  d->change[d->count++] = change->value, d->change_half = change->half;
}

static bool ends_with(const char *value, const char *end) {
  size_t length = strlen(value), own = strlen(end);
  return length >= own && !strcmp(value + length - own, end);
}

static bool is_throughput(const char *value) {
  return ends_with(value, "accepted") || ends_with(value, "packets") || ends_with(value, "offered") ||
         !strncmp(value, "link-use.", strlen("link-use."));
}

/* Which quantities a value follows, first and end; whatever comes before the name, a class or a kind of packets. */
static void followed(const char *value, int *first, int *end) {
  const char *latency = strstr(value, "latency.");
  bool network = latency && latency != value && latency[-1] == '-';
  *first = latency ? 1 : 0;
  *end = network ? 2 : latency ? DRIFT_QUANTITIES : is_throughput(value) ? 1 : DRIFT_STEADY;
}

bool drift_looks_at(const char *shown, const char *value) {
  int first, end;
  followed(shown, &first, &end);
  for (int q = first; q < end; q++)
    if (!strcmp(quantity[q].level, value) || !strcmp(quantity[q].change, value)) return true;
  return false;
}

void drift_add(drift d[DRIFT_QUANTITIES], ripstop_arena *arena, const ripstop_outcome *outcome, const char *shown) {
  int first, end;
  followed(shown, &first, &end);
  for (int q = first; q < end; q++) {
    const ripstop_value *level = ripstop_outcome_value(outcome, quantity[q].level);
    const ripstop_value *change = ripstop_outcome_value(outcome, quantity[q].change);
    if (level && change) add(&d[q], arena, level, change);
  }
}

static bool is_reported(const drift *d, double confidence) {
  if (!d->count) return false;
  bool many = d->count > 1;
  double level = ripstop_mean(d->level, d->count), change = fabs(ripstop_mean(d->change, d->count));
  double level_half = many ? ripstop_mean_half_width(d->level, d->count, confidence) : d->level_half;
  double strict = 1 - (1 - confidence) / STRICTER;
  double change_half = many ? ripstop_mean_half_width(d->change, d->count, strict) : d->change_half;
  return change > change_half && (isinf(level_half) || change * fabs(level) > level_half);
}

unsigned drift_reported(const drift d[DRIFT_QUANTITIES], double confidence) {
  unsigned told = 0;
  for (int q = 0; q < DRIFT_QUANTITIES; q++)
    if (is_reported(&d[q], confidence)) told |= quantity[q].drift;
  return told;
}

bool drift_of_run(const ripstop_outcome *outcome) {
  for (int q = 0; q < DRIFT_STEADY; q++) {
    const ripstop_value *change = ripstop_outcome_value(outcome, quantity[q].change);
    if (change && fabs(change->value) > change->half) return true;
  }
  return false;
}
