/* judging.h - figures as points, and the outcomes of claims and agreements. */
#ifndef REPORT_JUDGING_H
#define REPORT_JUDGING_H

#include "ripstop/kit/report.h"

RIPSTOP_BEGIN

/* The mean over fault samples has a Student t interval (shares, which are verdicts and values of the unit "0 or 1":
 * Wilson's), at the runs' measure.confidence; a point of one run has the run's own. A point of a number that depends on
 * the fault set alone (ripstop_value_is_of_plan) is exact, its interval empty, where every set was taken or given. A
 * ratio, change or difference is paired where both points have the same samples; else its interval adds widths in
 * quadrature. */
const ripstop_plot *ripstop_plot_figure(ripstop_arena *arena, const ripstop_data *data, const ripstop_figure *figure);
/* `about`: the whole interval lies within the tolerance of the published number; undecided if a part of it does;
 * without a tolerance the published number lies inside the interval. `at-most`, `at-least`: the whole interval is on
 * the right side, tolerance allowed; undecided if the bound lies inside. A share for which every run agrees with the
 * bound (0 or 1) is reproduced, however wide its interval. A measurement on one random fault set is undecided.
 */
ripstop_judgement ripstop_claim_judge(const ripstop_data *data, const ripstop_claim *claim);
/* The same for the measurement `before` (its measured, drifts, one_set and lost); `whole`: all requested runs are done.
 */
ripstop_judgement ripstop_claim_judge_again(const ripstop_claim *claim, const ripstop_judgement *before, bool whole);
ripstop_counted ripstop_claim_counts_as(const ripstop_claim *claim, const ripstop_judgement *judgement);
/* The candidates that have data for all terms and goals, in the order of the curves; memory from the arena. */
size_t ripstop_agreement_judge(ripstop_arena *arena, const ripstop_data *data, const ripstop_agreement *agreement,
                               ripstop_judged_curve **out);

RIPSTOP_END

#endif
