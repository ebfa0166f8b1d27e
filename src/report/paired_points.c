/* paired_points.c - points against points, pairs compared as pairs.
 *
 * Runs of the same sample and seed have the same faults and the same traffic, so what they have in common is in both
 * numbers and drops out of their quotient or difference: paired, a change of 4.11 +- 0.95 % may be one of
 * 4.11 +- 0.25 %. What comes of pairs has samples again, of which it is the mean, so that sums and quotients of such
 * numbers are paired too. A quotient's are its first-order ones: Q + (a_i - Q b_i) / mean b. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "report/plot.h"

static const ripstop_estimate nothing = {NAN, NAN, NAN};

static const char *set_of(const ripstop_point *point, size_t i) { return ripstop_run_key(point->of[i], "faults.set"); }

/* Given sets share sample and seed: the same one in each pair, or one in each point. */
static bool same_sets(const ripstop_point *a, const ripstop_point *b) {
  bool same = true, alone = true;
  for (size_t i = 0; i < a->runs && (same || alone); i++) {
    same &= !strcmp(set_of(a, i), set_of(b, i));
    alone &= !strcmp(set_of(a, i), set_of(a, 0)) && !strcmp(set_of(b, i), set_of(b, 0));
  }
  return same || alone;
}

static bool same_runs(const ripstop_point *a, const ripstop_point *b) {
  bool same = a->runs == b->runs && a->runs > 1 && a->sample && b->sample;
  for (size_t i = 0; same && i < a->runs; i++)
    same = a->of[i]->sample == b->of[i]->sample && a->of[i]->seed == b->of[i]->seed;
  return same && same_sets(a, b);
}

static bool are_pairs(const ripstop_point *a, const ripstop_point *b) {
  return !a->share && !b->share && same_runs(a, b);
}

ripstop_estimate plot_at_confidence(const ripstop_point *point, double confidence) {
  ripstop_estimate e = point->y;
  if (point->share && e.low < e.high) {
    ripstop_interval w = ripstop_wilson((uint64_t)(e.mean * (double)point->runs + 0.5), point->runs, confidence);
    return (ripstop_estimate){e.mean, w.low, w.high};
  }
  if (confidence == point->confidence || !(e.low < e.high)) return e;
  double wider = ripstop_t_quantile((1 + confidence) / 2, point->freedom) /
                 ripstop_t_quantile((1 + point->confidence) / 2, point->freedom);
  const double low = point->within + (e.mean - e.low - point->within) * wider;
  const double high = point->within + (e.high - e.mean - point->within) * wider;
  return (ripstop_estimate){e.mean, e.mean - low, e.mean + high};
}

/* ------------------------------------------------------------------ points made of points */

/* Pairs that all give exactly 0, such as losses that never came, show no spread, which is no certainty. They are then
 * taken as points that know nothing of each other: a point of zeros has a bound. */
static bool have_spread(const double *sample, size_t count, double within) {
  bool some = within > 0;
  for (size_t i = 0; i < count; i++) some |= sample[i] != 0;
  return some;
}

/* The mean of samples that belong to `like`'s runs, each of them right within so much. */
static ripstop_point mean_of(const double *sample, const ripstop_point *like, double mean, double within) {
  double half = ripstop_mean_half_width(sample, like->runs, like->confidence) + within;
  return (ripstop_point){.runs = like->runs,
                         .y = {mean, mean - half, mean + half},
                         .sample = sample,
                         .of = like->of,
                         .within = within,
                         .confidence = like->confidence,
                         .freedom = (double)(like->runs - 1)};
}

/* For points whose samples are independent. */
static ripstop_point without_pairs(ripstop_estimate e, const ripstop_point *a, const ripstop_point *b) {
  return (ripstop_point){.runs = a->runs < b->runs ? a->runs : b->runs,
                         .y = e,
                         .confidence = a->confidence,
                         .freedom = fmin(a->freedom, b->freedom)};
}

/* The longer arm: an interval that ends where the value's range does has a short one. */
static double half_of(ripstop_estimate e) { return fmax(e.high - e.mean, e.mean - e.low); }

/* Scales a half width, which may be infinite: 0 times infinity is 0. */
static double times(double factor, double half) { return factor == 0 ? 0 : fabs(factor) * half; }

ripstop_point plot_quotient(ripstop_arena *arena, const ripstop_point *over, const ripstop_point *under) {
  double value = over->y.mean / under->y.mean;
  if (!isfinite(value)) return without_pairs(nothing, over, under);
  const bool pairs = are_pairs(over, under);
  double *sample = RIPSTOP_ARRAY(arena, over->runs, double);
  for (size_t i = 0; pairs && i < over->runs; i++)
    sample[i] = value + (over->sample[i] - value * under->sample[i]) / under->y.mean;
  const double within = (over->within + fabs(value) * under->within) / fabs(under->y.mean);
  if (pairs && have_spread(sample, over->runs, within)) return mean_of(sample, over, value, within);
  double half = hypot(half_of(over->y), times(value, half_of(under->y))) / fabs(under->y.mean);
  return without_pairs((ripstop_estimate){value, value - half, value + half}, over, under);
}

/* The correlation of two shares over the same runs, with Newcombe's correction for continuity. */
static double correlation(const ripstop_point *a, const ripstop_point *b) {
  double n = (double)a->runs, both = 0, one = a->y.mean * n, other = b->y.mean * n;
  for (size_t i = 0; i < a->runs; i++) both += a->sample[i] * b->sample[i];
  double spread = sqrt(one * (n - one) * other * (n - other));
  double ahead = both * (n - one - other + both) - (one - both) * (other - both);
  if (ahead > 0) ahead = fmax(0, ahead - n / 2);
  return spread > 0 ? ahead / spread : 0;
}

/* From the arms of both intervals; of shares that is method 10 of R. G. Newcombe: "Interval estimation for the
 * difference between independent proportions / improved intervals for ... paired data", Statistics in Medicine 17
 * (1998). */
static ripstop_estimate apart(ripstop_estimate a, ripstop_estimate b, double correlated) {
  double mean = a.mean - b.mean, below = a.mean - a.low, above = b.high - b.mean;
  if (isinf(half_of(a)) || isinf(half_of(b))) return (ripstop_estimate){mean, -INFINITY, INFINITY};
  double low = sqrt(fmax(0, below * below - 2 * correlated * below * above + above * above));
  below = b.mean - b.low, above = a.high - a.mean;
  double high = sqrt(fmax(0, below * below - 2 * correlated * below * above + above * above));
  return (ripstop_estimate){mean, mean - low, mean + high};
}

ripstop_point plot_difference(ripstop_arena *arena, const ripstop_point *a, const ripstop_point *b) {
  double value = a->y.mean - b->y.mean;
  if (isnan(value)) return without_pairs(nothing, a, b);
  const bool pairs = are_pairs(a, b), shares = a->share && b->share && same_runs(a, b);
  double *sample = RIPSTOP_ARRAY(arena, a->runs, double);
  for (size_t i = 0; pairs && i < a->runs; i++) sample[i] = a->sample[i] - b->sample[i];
  const double within = a->within + b->within;
  if (pairs && have_spread(sample, a->runs, within)) return mean_of(sample, a, value, within);
  return without_pairs(apart(a->y, b->y, shares ? correlation(a, b) : 0), a, b);
}

ripstop_point plot_sum(ripstop_arena *arena, const ripstop_point *const *point, const double *weight, size_t count) {
  double value = 0, squares = 0, within = 0, *sample = RIPSTOP_ARRAY(arena, count ? point[0]->runs : 0, double);
  bool pairs = count > 0 && !point[0]->share;
  ripstop_point sum = {.confidence = count ? point[0]->confidence : NAN, .freedom = INFINITY};
  for (size_t i = 0; i < count; i++) {
    double half = times(weight[i], half_of(point[i]->y));
    value += weight[i] * point[i]->y.mean, squares += half * half;
    within += fabs(weight[i]) * point[i]->within;
    pairs &= are_pairs(point[0], point[i]);
    for (size_t k = 0; pairs && k < point[0]->runs; k++) sample[k] += weight[i] * point[i]->sample[k];
    sum.freedom = fmin(sum.freedom, point[i]->freedom);
  }
  if (pairs && have_spread(sample, point[0]->runs, within)) return mean_of(sample, point[0], value, within);
  sum.runs = count ? point[0]->runs : 0;
  sum.y = (ripstop_estimate){value, value - sqrt(squares), value + sqrt(squares)};
  return sum;
}
