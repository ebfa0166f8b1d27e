/* steps.c - the times of a job's steps. */
#include "workload/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/sort.h"

/* The smallest value that a share `q` of all values does not exceed. */
static double quantile(const double *sorted, uint32_t count, double q) {
  const double place = ceil(q * count) - 1;
  return count ? sorted[place > 0 ? (uint32_t)place : 0] : NAN;
}

/* The steps that are done. */
typedef struct steps {
  double *end; /* a step without tasks ends with the one before */
  double *time;
  uint32_t count;
} steps;

static steps list_steps(const step_ends *given, ripstop_arena *arena) {
  const uint32_t all = given->steps;
  steps s = {.end = RIPSTOP_ARRAY(arena, (size_t)all + 1, double),
             .time = RIPSTOP_ARRAY(arena, (size_t)all + 1, double)};
  double before = given->start;
  while (s.count < all && given->left[s.count] == 0) {
    s.end[s.count] = given->end[s.count] > before ? given->end[s.count] : before;
    s.time[s.count] = s.end[s.count] - before;
    before = s.end[s.count++];
  }
  return s;
}

static uint32_t ended_before(const steps *s, double cycle) {
  uint32_t n = 0;
  while (n < s->count && s->end[n] < cycle) n++;
  return n;
}

static double recovery(const steps *s, double changed, double *scratch) {
  const uint32_t before = isinf(changed) ? 0 : ended_before(s, changed);
  uint32_t slow = s->count;
  if (!before) return NAN;
  memcpy(scratch, s->time, before * sizeof *scratch);
  qsort(scratch, before, sizeof *scratch, ripstop_by_real);
  while (slow > before && s->time[slow - 1] <= STEPS_SLOW * quantile(scratch, before, 0.5)) slow--;
  if (slow == before) return 0;
  return slow < s->count ? s->end[slow - 1] - changed : NAN;
}

step_times steps_of(const step_ends *given, double changed) {
  RIPSTOP_LOCAL_ARENA(arena);
  const steps s = list_steps(given, arena);
  double *sorted = RIPSTOP_ARRAY(arena, (size_t)s.count + 1, double), sum = 0;
  step_times out = {.count = s.count, .recovery = given->ended ? recovery(&s, changed, sorted) : NAN};
  for (uint32_t i = 0; i < s.count; i++) sum += sorted[i] = s.time[i];
  if (s.count) qsort(sorted, s.count, sizeof *sorted, ripstop_by_real);
  out.mean = s.count ? sum / s.count : NAN;
  out.p50 = quantile(sorted, s.count, 0.5);
  out.p99 = quantile(sorted, s.count, 0.99);
  out.most = quantile(sorted, s.count, 1);
  return out;
}
