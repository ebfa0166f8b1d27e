/* changes.c - which faults and repairs a time series marks: those that all of its runs have, as far as a picture has
 * room for them. The page gives the number of all others. A random schedule is computed again, unless it
 * depends on a random fault set, or there are too many runs: then it counts as none that runs have in common. Time:
 * changes of all different schedules x their logarithm, and runs x marks. */
#include <stdlib.h>

#include "experiment/inner_runs.h"
#include "report/plot.h"

enum { MARKS_MAX = 12, DRAWN_MAX = 1000 }; /* marks that can be told apart; runs of which schedules are drawn */

static int by_cycle(const void *a, const void *b) {
  const uint64_t one = ((const ripstop_change *)a)->cycle, other = ((const ripstop_change *)b)->cycle;
  return (one > other) - (one < other);
}

static const ripstop_schedule *schedule_of(ripstop_arena *arena, const ripstop_run *run, bool draw) {
  const ripstop_schedule *schedule = NULL;
  ripstop_error none;
  if (!run->rule) return run->schedule;
  bool fails = !draw || run->fault_count || ripstop_run_schedule(run, run->faults, arena, &schedule, &none);
  return fails ? NULL : schedule;
}

static const ripstop_schedule **schedules_of(ripstop_arena *arena, const ripstop_run *const *run, size_t runs) {
  const ripstop_schedule **schedule = RIPSTOP_ARRAY(arena, runs, const ripstop_schedule *);
  for (size_t i = 0; i < runs; i++) schedule[i] = schedule_of(arena, run[i], runs <= DRAWN_MAX);
  return schedule;
}

/* The same happens at the same time, to whatever part. */
static bool has(const ripstop_schedule *schedule, const ripstop_change *like) {
  size_t low = 0, high = schedule ? schedule->count : 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (schedule->change[middle].cycle < like->cycle)
      low = middle + 1;
    else
      high = middle;
  }
  for (; schedule && low < schedule->count && schedule->change[low].cycle == like->cycle; low++)
    if (schedule->change[low].up == like->up && !schedule->change[low].rate == !like->rate) return true;
  return false;
}

static bool all_have(const ripstop_schedule *const *of, size_t runs, const ripstop_change *change) {
  for (size_t i = 0; i < runs; i++)
    if ((!i || of[i] != of[i - 1]) && !has(of[i], change)) return false;
  return true;
}

/* The changes of all runs by cycle, without those of a schedule that the run before has too. */
static ripstop_change *all_changes(ripstop_arena *arena, const ripstop_schedule *const *of, size_t runs,
                                   size_t *count) {
  ripstop_change *all = NULL;
  size_t room = 0;
  *count = 0;
  for (size_t i = 0; i < runs; i++) {
    const ripstop_schedule *schedule = of[i];
    if (!schedule || (i && schedule == of[i - 1])) continue;
    if (*count + schedule->count > room) {
      room = 2 * (*count + schedule->count);
      all = ripstop_arena_realloc(arena, all, room, sizeof *all);
    }
    for (size_t c = 0; c < schedule->count; c++) all[(*count)++] = schedule->change[c];
  }
  if (*count) qsort(all, *count, sizeof *all, by_cycle);
  return all;
}

void plot_mark_changes(ripstop_arena *arena, ripstop_plot *plot, const ripstop_run *const *run, size_t runs) {
  size_t count, next;
  const ripstop_schedule **of = schedules_of(arena, run, runs);
  const ripstop_change *all = all_changes(arena, of, runs, &count);
  ripstop_change *mark = RIPSTOP_ARRAY(arena, MARKS_MAX, ripstop_change);
  plot->mark = mark;
  for (size_t from = 0; from < count; from = next) {
    size_t common = from;
    for (next = from; next < count && all[next].cycle == all[from].cycle;) next++;
    while (plot->marks < MARKS_MAX && common < next && !all_have(of, runs, &all[common])) common++;
    if (plot->marks < MARKS_MAX && common < next)
      mark[plot->marks++] = all[common];
    else
      plot->unmarked++;
  }
}
