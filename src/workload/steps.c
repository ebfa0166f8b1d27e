/* steps.c - the times of a job's steps. */
#include "workload/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The smallest of them that a share `q` of them does not exceed. */
static double quantile(const double *sorted, uint32_t count, double q) {
  const double place = ceil(q * count) - 1;
  return count ? sorted[place > 0 ? (uint32_t)place : 0] : NAN;
}

/* Cycles of each step; how many are done. */
static uint32_t list_times(const play *p, double *out) {
  uint64_t before = p->job->at;
  uint32_t count = 0;
  for (; count < p->job->tasks->steps && p->step_left[count] == 0; count++) {
    out[count] = (double)(p->step_end[count] - before);
    before = p->step_end[count];
  }
  return count;
}

static uint32_t ended_before(const play *p, uint32_t count, uint64_t cycle) {
  uint32_t n = 0;
  while (n < count && p->step_end[n] < cycle) n++;
  return n;
}

static double recovery(const play *p, const double *time, uint32_t count, uint64_t changed, double *scratch) {
  const uint32_t before = changed == UINT64_MAX ? 0 : ended_before(p, count, changed);
  uint32_t slow = count;
  if (!before || p->left) return NAN;
  memcpy(scratch, time, before * sizeof *time);
  qsort(scratch, before, sizeof *scratch, by_size);
  while (slow > before && time[slow - 1] <= STEPS_SLOW * quantile(scratch, before, 0.5)) slow--;
  if (slow == before) return 0;
  return slow < count ? (double)(p->step_end[slow - 1] - changed) : NAN;
}

step_times steps_of(const play *p, uint64_t changed) {
  ripstop_arena *arena = ripstop_arena_new();
  double *time = RIPSTOP_ARRAY(arena, (size_t)p->job->tasks->steps + 1, double);
  double *sorted = RIPSTOP_ARRAY(arena, (size_t)p->job->tasks->steps + 1, double), sum = 0;
  const uint32_t count = list_times(p, time);
  step_times out = {.count = count, .recovery = recovery(p, time, count, changed, sorted)};
  for (uint32_t i = 0; i < count; i++) sum += sorted[i] = time[i];
  if (count) qsort(sorted, count, sizeof *sorted, by_size);
  out.mean = count ? sum / count : NAN;
  out.p50 = quantile(sorted, count, 0.5);
  out.p99 = quantile(sorted, count, 0.99);
  out.most = quantile(sorted, count, 1);
  ripstop_arena_free(arena);
  return out;
}
