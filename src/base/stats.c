/* stats.c - quantiles and confidence intervals.
 *
 * Everything but the normal quantile goes through one function, the regularized incomplete beta function I_x(a, b),
 * and its inverse by bisection: Student's t and the binomial distribution are beta distributions in other coordinates
 * (Abramowitz & Stegun 26.5.24, 26.5.27). Bisection runs until the ends are neighbouring doubles, which costs ten
 * microseconds and has no bad cases. Many runs compute the same few quantiles of Student's t repeatedly, in more time
 * than small runs need for their packets: each thread caches the quantiles that it has computed. */
#include "base/statistics.h"
#include "ripstop/plugin/base.h"

#include <float.h>
#include <math.h>

/* Lentz's continued fraction for I_x(a, b), Numerical Recipes 6.4; x <= (a + 1) / (a + b + 2). It converges in
 * O(sqrt(max(a, b))) steps. */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300; /* instead of a denominator of 0 */
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  if (fabs(d) < tiny) d = tiny;
  d = 1 / d;
  double fraction = d;
  double m = 0;
  do {
    m++;
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (int half = 0; half < 2; half++) {
      double term = half ? odd : even;
      d = 1 + term * d;
      if (fabs(d) < tiny) d = tiny;
      c = 1 + term / c;
      if (fabs(c) < tiny) c = tiny;
      d = 1 / d;
      fraction *= c * d;
    }
  } while (fabs(c * d - 1) > 2 * DBL_EPSILON);
  return fraction;
}

/* lgamma() writes a global for the sign, which threads would share. */
static double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

/* I_x(a, b) for a, b > 0 and 0 <= x <= 1. */
static double beta_cdf(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
  if (x <= (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The middle of an interval in which `below` changes from true to false, narrowed to neighbouring doubles. */
typedef bool below_fn(double x, const double *parameters);

static double bisect(below_fn *below, const double *parameters, double low, double high) {
  for (;;) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    if (below(middle, parameters))
      low = middle;
    else
      high = middle;
  }
}

static bool beta_below(double x, const double *parameters) {
  return beta_cdf(parameters[0], parameters[1], x) < parameters[2];
}

static double beta_quantile(double a, double b, double p) { return bisect(beta_below, (double[]){a, b, p}, 0, 1); }

/* Upper tails only: there erfc keeps its relative precision. */
static bool normal_tail_above(double x, const double *tail) { return erfc(x * sqrt(0.5)) / 2 > *tail; }

double ripstop_normal_quantile(double p) {
  const double far = 40; /* beyond it the tail is no longer a double */
  if (!(p > 0 && p < 1)) return NAN;
  double tail = p < 0.5 ? p : 1 - p;
  double x = bisect(normal_tail_above, &tail, 0, far);
  return p < 0.5 ? -x : x;
}

/* With T Student's t, B = freedom / (freedom + T^2) has the distribution Beta(freedom / 2, 1 / 2), and 1 - B the
 * mirrored one; whichever is small is inverted, so that nothing cancels. */
static double find_t_quantile(double p, double freedom) {
  double tails = 2 * (p < 0.5 ? p : 1 - p); /* both together */
  double ratio;                             /* T^2 / freedom */
  if (tails < 0.5) {
    double b = beta_quantile(freedom / 2, 0.5, tails);
    ratio = (1 - b) / b;
  } else {
    double rest = beta_quantile(0.5, freedom / 2, 1 - tails);
    ratio = rest / (1 - rest);
  }
  double t = sqrt(freedom * ratio);
  return p < 0.5 ? -t : t;
}

/* Each of the lowest degrees of freedom has an entry, all others share the first. The last quantile computed stays. */
enum { KNOWN = 64 };
typedef struct known {
  double p, freedom, quantile;
} known;

double ripstop_t_quantile(double p, double freedom) {
  static _Thread_local known table[KNOWN];
  if (!(p > 0 && p < 1 && freedom > 0)) return NAN;
  known *k = &table[freedom < KNOWN ? (size_t)freedom : 0];
  if (k->p != p || k->freedom != freedom) *k = (known){p, freedom, find_t_quantile(p, freedom)};
  return k->quantile;
}

double ripstop_mean(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return count ? sum / (double)count : NAN;
}

static double sum_of_squares(const double *values, size_t count, double centre) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) squares += (values[i] - centre) * (values[i] - centre);
  return squares;
}

/* `squares`: sum of squared differences from the centre. `freedom`: of the t quantile. */
static double t_half_width_at(double squares, size_t count, double confidence, double freedom) {
  return ripstop_t_quantile((1 + confidence) / 2, freedom) * sqrt(squares / (double)(count - 1) / (double)count);
}

static double t_half_width(double squares, size_t count, double confidence) {
  return t_half_width_at(squares, count, confidence, (double)(count - 1));
}

double ripstop_mean_half_width(const double *values, size_t count, double confidence) {
  if (count < 2) return NAN;
  if (count == 2) return INFINITY;
  return t_half_width(sum_of_squares(values, count, ripstop_mean(values, count)), count, confidence);
}

/* ------------------------------------------------------------------ batches of one run
 *
 * Batch means with the adjustment for autocorrelation of N-Skart (Tafazzoli, Steiger and Wilson, "N-Skart: a
 * nonsequential skewness- and autoregression-adjusted batch-means procedure for simulation analysis", IEEE Trans.
 * Automatic Control 56, 2011): few long batches whose means are a first-order autoregressive process with the lag-1
 * correlation c. The variance of their mean is then (1 + c) / (1 - c) times that of independent ones. The estimated
 * correlation of n batches is too low by (1 + 4 c) / n (Marriott and Pope, Biometrika 41, 1954), which is undone.
 *
 * Different from N-Skart: no search for the batch size by a test for randomness. Tests with 10 to 20 batches miss most
 * of the correlation that matters, and where one passes the variance is too small as well: with 160 seeds on two
 * fabrics such intervals covered 76 to 85 % near saturation, the rule here 90 to 99 %. tests/bench/coverage.c measures
 * it. No adjustment for skewness: that of N-Skart made intervals of p99 1.5 to 2.5 times as wide as needed.
 *
 * Quantiles of batches have more outliers than means: the variance s^2 of n values with the excess kurtosis k is as
 * sure as that of n / (1 + k / 2) normal ones (Var s^2 = sigma^4 (2 / (n - 1) + k / n)). Measured on the scale of
 * logarithms k is 0.3 to 1.6 at five of six loads (7 at one): two thirds are left for k = 1. */

enum { BATCHES_MOST = 40 };                 /* more are merged in pairs first */
static const double CORRELATION_MOST = 0.9; /* above it 20 batches are worth one */

static double lag_1(const double *value, size_t count) {
  double mean = ripstop_mean(value, count), products = 0, squares = sum_of_squares(value, count, mean);
  for (size_t i = 1; i < count; i++) products += (value[i] - mean) * (value[i - 1] - mean);
  return squares > 0 ? products / squares : 0;
}

static double correlation_of(const double *value, size_t count) {
  double n = (double)count;
  return fmax(0, (n * lag_1(value, count) + 1) / (n - 4));
}

/* Differences between the kinds of batches. */
typedef struct batch_rule {
  double most;      /* value that stands for a correlation above CORRELATION_MOST; 1, and no bound, if it is not
                     * known */
  double per_value; /* degrees of freedom that a value adds to the estimate of the variance */
} batch_rule;

/* True if the values differ by rounding alone: their correlation is one of rounding errors then. */
static bool all_agree(double squares, size_t count, double centre) {
  const double rounding = 1e-12 * centre;
  return squares <= (double)count * rounding * rounding;
}

static double half_width_at(const double *value, size_t count, double centre, double confidence, batch_rule rule) {
  const double squares = sum_of_squares(value, count, centre);
  if (all_agree(squares, count, centre)) return 0;
  const double measured = correlation_of(value, count), c = measured > CORRELATION_MOST ? rule.most : measured;
  return t_half_width_at(squares, count, confidence, rule.per_value * (double)count - 1) * sqrt((1 + c) / (1 - c));
}

static double batches_half_width(const double *value, size_t count, double centre, double confidence, batch_rule rule) {
  double merged[BATCHES_MOST];
  if (count < 2) return NAN;
  size_t each = 1;
  while (count / each > BATCHES_MOST) each *= 2;
  const size_t left = count / each;
  for (size_t i = 0; i < left; i++) merged[i] = ripstop_mean(value + i * each, each);
  if (left < RIPSTOP_BATCHES_LEAST) return INFINITY;
  return half_width_at(merged, left, centre, confidence, rule);
}

double ripstop_batches_half_width(const double *value, size_t count, double centre, double confidence) {
  return batches_half_width(value, count, centre, confidence, (batch_rule){.most = 1, .per_value = 1});
}

double ripstop_sections_half_width(const double *value, size_t count, double centre, double confidence) {
  return batches_half_width(value, count, centre, confidence, (batch_rule){.most = 1, .per_value = 2.0 / 3});
}

double ripstop_residuals_half_width(const double *value, size_t count, double confidence) {
  return batches_half_width(value, count, 0, confidence, (batch_rule){.most = CORRELATION_MOST, .per_value = 1});
}

/* Wilson: "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). */
ripstop_interval ripstop_wilson(uint64_t successes, uint64_t trials, double confidence) {
  if (!trials) return (ripstop_interval){0, 1};
  double n = (double)trials;
  double share = (double)successes / n;
  double z = ripstop_normal_quantile((1 + confidence) / 2);
  double centre = (share + z * z / (2 * n)) / (1 + z * z / n);
  double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return (ripstop_interval){successes ? fmax(0, centre - half) : 0, successes < trials ? fmin(1, centre + half) : 1};
}

/* Clopper & Pearson: "The use of confidence or fiducial limits ...", Biometrika 26 (1934). */
ripstop_interval ripstop_clopper_pearson(uint64_t successes, uint64_t trials, double confidence) {
  double tail = (1 - confidence) / 2;
  double hits = (double)successes, misses = (double)(trials - successes);
  return (ripstop_interval){successes ? beta_quantile(hits, misses + 1, tail) : 0,
                            successes < trials ? beta_quantile(hits + 1, misses, 1 - tail) : 1};
}

static double log_choose(double n, double k) { return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1); }

/* The probability that at most `seen` of the `hits` are among the drawn: the hypergeometric distribution, summed in
 * both directions from its largest term up to there, relative to that term. */
static double sampled_at_most(uint64_t seen, uint64_t drawn, uint64_t all, uint64_t hits) {
  const double n = (double)drawn, others = (double)(all - hits), k = (double)hits;
  const double mode = floor((n + 1) * (k + 1) / ((double)all + 2)), from = fmin((double)seen, mode);
  const double scale = log_choose(k, from) + log_choose(others, n - from) - log_choose((double)all, n);
  double sum = 0, term = 1;
  for (uint64_t hit = (uint64_t)from + 1; term > 0 && hit-- > 0;) {
    const double i = (double)hit;
    sum += term;
    term *= i * (others - n + i) / ((k - i + 1) * (n - i + 1));
  }
  term = 1;
  for (uint64_t hit = (uint64_t)from; term > 0 && hit < seen; hit++) {
    const double i = (double)hit;
    term *= (k - i) * (n - i) / ((i + 1) * (others - n + i + 1));
    sum += term;
  }
  return fmin(sum * exp(scale), 1);
}

uint64_t ripstop_hits_at_most(uint64_t seen, uint64_t drawn, uint64_t all, double confidence) {
  uint64_t low = seen, high = all - drawn + seen; /* the first possible term, and the last */
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (sampled_at_most(seen, drawn, all, middle) > 1 - confidence)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}
