/* statistics.h - quantiles, means and intervals. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include "ripstop/kit/statistics.h"

RIPSTOP_BEGIN

/* The x that a standard normal variable, or Student's t with `freedom` degrees of freedom (> 0), stays below with
 * probability p. 0 < p < 1; NAN outside. Good to 1e-9 of the value or better. */
double ripstop_normal_quantile(double p);
double ripstop_t_quantile(double p, double freedom);
double ripstop_mean(const double *values, size_t count); /* NAN of none */
/* Half the width of the t interval for the mean of independent values, at a confidence such as 0.95. NAN for fewer than
 * 2 values. INFINITY for 2 that differ: one difference says too little about the spread, and the factor of 12.7 (at
 * 0.95) makes the interval uselessly wide. */
double ripstop_mean_half_width(const double *values, size_t count, double confidence);
/* The same for consecutive batches of one run, which depend on each other: `value[i]` is the value of batch i, and
 * `centre` the estimate for the whole run, the middle of the interval. The interval widens by the correlation of
 * neighbouring batches. NAN for fewer than 2 batches. INFINITY, which means that the run is too short for an interval:
 * fewer than RIPSTOP_BATCHES_LEAST batches, or batches that depend on each other too much. Source: stats.c. */
enum { RIPSTOP_BATCHES_LEAST = 10 };
double ripstop_batches_half_width(const double *value, size_t count, double centre, double confidence);
/* The same for quantiles of batches, which have more outliers: their variance is only as sure as that of two thirds as
 * many normal values. */
double ripstop_sections_half_width(const double *value, size_t count, double centre, double confidence);
/* The same round 0, for what is left of batches beside a line. A bend leaves residuals that seem to depend on each
 * other however clear the line is, so a lag-1 correlation above 0.9 counts as 0.9 and gives no INFINITY. */
double ripstop_residuals_half_width(const double *value, size_t count, double confidence);

/* Intervals for a probability of which `successes` in `trials` were seen. Wilson's score interval is close to its
 * confidence; Clopper and Pearson's is never below it ("exact"), so proofs by sampling quote that one. [0, 1] for no
 * trials. */
ripstop_interval ripstop_wilson(uint64_t successes, uint64_t trials, double confidence);

/* A one-sided exact bound for a sample of `drawn` items without replacement, `seen` of which are of a kind: the largest
 * number of that kind among `all`. If there were more, a sample would have at most `seen` of them with a probability of
 * at most 1 - confidence. */
uint64_t ripstop_hits_at_most(uint64_t seen, uint64_t drawn, uint64_t all, double confidence);

RIPSTOP_END

#endif
