/* quotient.c - one point over another, pairs compared as pairs.
 *
 * Runs of the same sample and seed have the same faults and the same traffic, so what they have in common is in both
 * numbers and drops out of their quotient: paired, a change of 4.11 +- 0.95 % may be one of 4.11 +- 0.25 %. */
#include <math.h>

#include "report/plot.h"

static const ripstop_estimate nothing = {NAN, NAN, NAN};

/* Estimates that know nothing of each other: their relative widths in quadrature. */
static ripstop_estimate ratio(ripstop_estimate over, ripstop_estimate under) {
  double value = over.mean / under.mean;
  double a = (over.high - over.low) / 2 / over.mean, b = (under.high - under.low) / 2 / under.mean;
  double half = fabs(value) * sqrt(a * a + b * b);
  return isfinite(value) ? (ripstop_estimate){value, value - half, value + half} : nothing;
}

static bool same_samples(const ripstop_point *a, const ripstop_point *b) {
  bool same = a->runs == b->runs && a->runs > 1 && a->sample && b->sample;
  for (size_t i = 0; same && i < a->runs; i++)
    same = a->of[i]->sample == b->of[i]->sample && a->of[i]->simulation.seed == b->of[i]->simulation.seed;
  return same;
}

/* The quotient Q of the means is as uncertain as the mean of a_i - Q b_i over the divisor. */
static ripstop_estimate paired(ripstop_arena *arena, const ripstop_point *a, const ripstop_point *b) {
  double value = a->y.mean / b->y.mean, *rest = RIPSTOP_ARRAY(arena, a->runs, double);
  for (size_t i = 0; i < a->runs; i++) rest[i] = a->sample[i] - value * b->sample[i];
  double half = ripstop_mean_half_width(rest, a->runs, plot_confidence(a->of[0])) / fabs(b->y.mean);
  return isfinite(value) ? (ripstop_estimate){value, value - half, value + half} : nothing;
}

ripstop_estimate plot_quotient(ripstop_arena *arena, const ripstop_point *over, const ripstop_point *under) {
  return same_samples(over, under) ? paired(arena, over, under) : ratio(over->y, under->y);
}
