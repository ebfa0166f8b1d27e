/* late.c - changes that a given schedule has after the end of all its runs.
 *
 * The author of a schedule, or of a recorded trace, means all of it; a random one ends where its options say. Changes
 * after the longest possible end are refused before any run. This file reports those that an automatic warm-up which
 * ended early, or --quick, has left out, and the rest of a trace. */
#include <inttypes.h>
#include <string.h>

#include "base/local.h"
#include "experiment/inner_runs.h"
#include "report/plot.h"
#include "ripstop/plugin/process.h"

static bool is_given(const ripstop_run *run) { return run->rule ? run->rule->process->given : run->schedule != NULL; }

/* The cycles of a run that came to its end; 0: it is not done, or did not. */
static uint64_t cycles_of(const ripstop_outcome *outcome) {
  if (!outcome || !strcmp(outcome->verdict, ripstop_verdict_words[RIPSTOP_DEADLOCKED])) return 0;
  const ripstop_value *cycles = ripstop_outcome_value(outcome, "run.cycles");
  return cycles ? (uint64_t)cycles->value : 0;
}

/* The longest of the runs with this schedule; NULL: none is done, or it is drawn. */
static const ripstop_run *longest(const ripstop_data *data, const ripstop_setting *schedule, uint64_t *cycles) {
  const ripstop_run *found = NULL;
  *cycles = 0;
  for (size_t i = 0; i < data->runs->count; i++) {
    const ripstop_run *run = &data->runs->run[i];
    uint64_t own = cycles_of(data->outcome[i]);
    if (own <= *cycles || !is_given(run)) continue;
    if (!ripstop_runs_is(data->runs, schedule, ripstop_run_key(run, "faults.schedule"))) continue;
    found = run, *cycles = own;
  }
  return found;
}

void plot_print_late(ripstop_text *out, const ripstop_data *data, const ripstop_setting *setting) {
  uint64_t cycles;
  const ripstop_run *run = longest(data, setting, &cycles);
  if (!run) return;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_error never; /* the run has had both */
  const ripstop_schedule *schedule = NULL;
  const ripstop_faults *faults = ripstop_run_faults(run, arena, &never);
  size_t late = 0;
  if (faults && !ripstop_run_schedule(run, faults, arena, &schedule, &never) && schedule)
    for (size_t i = 0; i < schedule->count; i++) late += schedule->change[i].cycle >= cycles;
  if (late)
    ripstop_text_add(out, "%s: %zu of %zu changes come after cycle %" PRIu64 ", the last of its runs, and never happen",
                     setting->written, late, schedule->count, cycles - 1);
}
