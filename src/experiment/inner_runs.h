/* inner_runs.h - what the modules above experiments need of runs and outcomes beside ripstop/kit/experiment.h. */
#ifndef EXPERIMENT_INNER_RUNS_H
#define EXPERIMENT_INNER_RUNS_H

#include "ripstop/kit/experiment.h"

RIPSTOP_BEGIN

/* True if some link of the fabric, or of the run's faults, is slow or may become so: then switch.slow_queue counts. */
bool ripstop_run_has_slow_links(const ripstop_run *run);
/* Strings from the arena or the runs. -1: out of memory. */
int ripstop_run_settings(const ripstop_run *run, ripstop_arena *arena, ripstop_settings *out);
void ripstop_settings_looks(const ripstop_settings *settings, ripstop_looks *out);
/* True if a run of this canonical text is of this program's model, and its plug-ins have their present source: else no
 * experiment needs it. */
bool ripstop_canonical_is_current(const char *canonical);
/* True if the run can have such a value: there are no values of faults while it runs without a schedule, and none of a
 * transport without one. */
bool ripstop_run_may_have(const ripstop_run *run, const char *value);
/* True if a value is a number of the plan for the run's fault set, the same for any traffic and seed. */
bool ripstop_value_is_of_plan(const ripstop_run *run, const char *name);
/* Upper bound for the mean of a value of this unit if each of `count` runs gave 0; NAN: no bound. The mean of a share
 * or a flow, at most 1, is at most the share of runs with more than 0: Clopper and Pearson's bound. For counts it is
 * Poisson's law for none in `count` runs, the "rule of three". */
double ripstop_zeros_at_most(const char *unit, size_t count, double confidence);
/* Proves the plans that a run uses (prove.h) instead of simulating it: that of its fault set, and the one after each
 * change of its schedule. The outcome is for showing, not for storing: its values are the numbers of plans, of those
 * refuted in any way, and of those under which packets can be lost, wait forever or loop ("plans", "refuted",
 * "lossy", "deadlocking", "livelocking"). Its verdict is NULL, or "error" with a reason when a plan breaks a rule of
 * method.h. Never -1: a proof that has begun is not stopped. A run that is a proof itself has no plans. */
int ripstop_run_prove(const ripstop_run *run, const atomic_int *stop, ripstop_outcome *out);
/* A text on which those plans depend: runs with equal texts use the same plans. Memory from the arena. */
const char *ripstop_run_plans(const ripstop_run *run, ripstop_arena *arena);
const ripstop_faults *ripstop_run_faults(const ripstop_run *run, ripstop_arena *arena, ripstop_error *err);
/* The same for its schedule: 0, and NULL in `out` when nothing changes. `faults`: the run's. */
int ripstop_run_schedule(const ripstop_run *run, const ripstop_faults *faults, ripstop_arena *arena,
                         const ripstop_schedule **out, ripstop_error *err);
/* True if some failures are random, so that other samples and seeds have other faults. */
bool ripstop_run_is_sampled(const ripstop_run *run);
/* The failed parts, and behind them the random failures while it runs; "" for neither. */
const char *ripstop_run_broken(const ripstop_run *run, const ripstop_faults *faults, const ripstop_schedule *schedule,
                               ripstop_arena *arena);
/* True if the figure shows this run, now that it has an outcome. */
bool ripstop_figure_shows(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run,
                          const ripstop_outcome *outcome);
/* True if the figure takes its value y from this run, so that the run should have it. */
bool ripstop_figure_wants(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_run *run,
                          const ripstop_outcome *outcome);
/* 0, or -1 and what is odd when an outcome has values but not the one that the figure wants. */
int ripstop_figure_check(const ripstop_runs *runs, const ripstop_figure *figure, const ripstop_outcome *outcome,
                         ripstop_error *err);
/* The names of all values that its runs can have (ripstop_outcome.value), NULL-terminated. Memory from the arena. */
const char *const *ripstop_spec_values(const ripstop_spec *spec, ripstop_arena *arena);
/* The same without the check against the simulator, which can take seconds: for those who only look for rows. */
ripstop_runs *ripstop_expand_untried(const ripstop_spec *spec, ripstop_error *err);
/* Adds its canonical text: "key=value\n" for every key, "model=N\n" among them, but for ripstop_axis.silent; and
 * "source=HASH\n" of the plug-ins that it uses, which is no key. */
void ripstop_run_canonical(const ripstop_run *run, ripstop_text *out);
/* Its keys, sorted by name; all runs of an experiment have the same. */
size_t ripstop_run_keys(const ripstop_run *run);
ripstop_key ripstop_run_key_at(const ripstop_run *run, size_t k);

RIPSTOP_END

#endif
