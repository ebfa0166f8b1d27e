/* test_base_stats.c - quantiles and intervals against tables, closed forms and the distributions they invert.
 *
 * Tabulated values are those of R's qnorm, qt and qbeta. */
#include "base/statistics.h"
#include "check.h"
#include "ripstop/plugin/base.h"

#include <math.h>

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected)))) fail_msg("%.12g is not %.12g", value, expected);
}

static void normal_quantiles_of_the_table(void **state) {
  (void)state;
  near(ripstop_normal_quantile(0.5), 0, 1e-9);
  near(ripstop_normal_quantile(0.9), 1.2815515655446004, 1e-9);
  near(ripstop_normal_quantile(0.975), 1.959963984540054, 1e-9);
  near(ripstop_normal_quantile(0.995), 2.5758293035489004, 1e-9);
  near(ripstop_normal_quantile(0.025), -1.959963984540054, 1e-9);
  near(ripstop_normal_quantile(1e-10), -6.361340902404056, 1e-9);
}

static void t_quantiles_of_the_table(void **state) {
  (void)state;
  near(ripstop_t_quantile(0.975, 2), 4.302652729749464, 1e-9);
  near(ripstop_t_quantile(0.975, 5), 2.5705818356363155, 1e-9);
  near(ripstop_t_quantile(0.975, 9), 2.2621571627409915, 1e-9);
  near(ripstop_t_quantile(0.95, 30), 1.6972608865939574, 1e-9);
  near(ripstop_t_quantile(0.995, 19), 2.860934606449914, 1e-9);
  near(ripstop_t_quantile(0.6, 4), 0.27072229470759846, 1e-9);
}

static void t_with_one_and_two_degrees_has_a_closed_form(void **state) {
  (void)state;
  const double pi = acos(-1);
  for (double p = 0.001; p < 1; p += 0.0173) {
    near(ripstop_t_quantile(p, 1), tan(pi * (p - 0.5)), 1e-9);
    near(ripstop_t_quantile(p, 2), (2 * p - 1) * sqrt(2 / (4 * p * (1 - p))), 1e-9);
  }
}

static void t_tends_to_normal(void **state) {
  (void)state;
  near(ripstop_t_quantile(0.975, 1e7), ripstop_normal_quantile(0.975), 1e-6);
  near(ripstop_t_quantile(0.25, 1e7), ripstop_normal_quantile(0.25), 1e-6);
}

/* The order and number of queries do not matter; 100, 0.5 and 5.5 share places with others. */
static void t_quantiles_do_not_depend_on_those_before(void **state) {
  (void)state;
  static const double freedom[] = {5, 100, 0.5, 5.5, 64, 1e6}, share[] = {0.975, 0.025, 0.6};
  enum { FREEDOMS = 6, SHARES = 3, TIMES = 3 };
  double first[FREEDOMS][SHARES];
  for (int time = 0; time < TIMES; time++)
    for (int f = 0; f < FREEDOMS; f++)
      for (int s = 0; s < SHARES; s++) {
        double now = ripstop_t_quantile(share[s], freedom[f]);
        if (time == 0) first[f][s] = now;
        assert_true(now == first[f][s]);
      }
  near(first[0][0], 2.5705818356363155, 1e-9);
  near(first[0][1], -2.5705818356363155, 1e-9);
  near(first[4][0], 1.9977296543176954, 1e-9);
}

static void quantiles_outside_are_not_numbers(void **state) {
  (void)state;
  assert_true(isnan(ripstop_normal_quantile(0)) && isnan(ripstop_normal_quantile(1)) &&
              isnan(ripstop_normal_quantile(NAN)));
  assert_true(isnan(ripstop_t_quantile(0, 3)) && isnan(ripstop_t_quantile(0.5, 0)) && isnan(ripstop_t_quantile(1, 3)));
}

static void half_width_of_a_mean(void **state) {
  (void)state;
  const double values[] = {1, 2, 3, 4, 5};
  near(ripstop_mean(values, 5), 3, 1e-12);
  near(ripstop_mean_half_width(values, 5, 0.95), 2.7764451051977987 * sqrt(2.5 / 5), 1e-9);
  assert_true(isnan(ripstop_mean(values, 0)));
  assert_true(isnan(ripstop_mean_half_width(values, 1, 0.95)));
}

static void two_values_are_too_few(void **state) {
  (void)state;
  const double values[] = {0.2, 0.3, 0.3};
  assert_true(isinf(ripstop_mean_half_width(values, 2, 0.95)));
  assert_true(isinf(ripstop_mean_half_width(values + 1, 2, 0.95))); /* two equal ones may be equal by accident */
}

/* A first-order autoregressive process of mean 0 and innovations of variance 1/3, uniform from -1 to 1. */
static void fill_series(double *value, size_t count, double correlation, ripstop_stream *random) {
  double now = 0;
  for (int i = 0; i < 200; i++) now = correlation * now + 2 * ripstop_stream_unit(random) - 1;
  for (size_t i = 0; i < count; i++) value[i] = now = correlation * now + 2 * ripstop_stream_unit(random) - 1;
}

/* Whatever the correlation, of 1000 intervals 90 of 100 or more hold the truth; the plain t interval would hold it 74
 * and 53 times of 100 where it is 0.5 and 0.75. 200 values are merged to 25. */
static void intervals_of_batches_cover(void **state) {
  (void)state;
  static const struct {
    double correlation;
    size_t count, least;
  } cases[] = {{0, 20, 930}, {0.25, 20, 920}, {0.5, 20, 900}, {0.75, 200, 920}, {0.9, 400, 920}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    ripstop_stream random = ripstop_stream_open(c + 1, RIPSTOP_RANDOM_TEST, 0);
    size_t covered = 0, given = 0;
    for (int i = 0; i < 1000; i++) {
      double value[400];
      fill_series(value, cases[c].count, cases[c].correlation, &random);
      double mean = ripstop_mean(value, cases[c].count);
      double half = ripstop_batches_half_width(value, cases[c].count, mean, 0.95);
      given += isfinite(half), covered += fabs(mean) <= half;
    }
    print_message("correlation %g: %zu given, %zu of 1000 cover\n", cases[c].correlation, given, covered);
    assert_true(covered >= cases[c].least && given >= 950);
  }
}

static void batches_that_report_nothing(void **state) {
  (void)state;
  double value[20];
  for (int i = 0; i < 20; i++) value[i] = i; /* one long rise */
  assert_true(isinf(ripstop_batches_half_width(value, 20, 9.5, 0.95)));
  for (int i = 0; i < 20; i++) value[i] = i - 9.5; /* these are residuals: a correlation of 0.9 leaves them */
  near(ripstop_residuals_half_width(value, 20, 0.95), ripstop_mean_half_width(value, 20, 0.95) * sqrt(19), 1e-12);
  assert_true(isinf(ripstop_residuals_half_width(value, RIPSTOP_BATCHES_LEAST - 1, 0.95)));
  for (int i = 0; i < 20; i++) value[i] = i % 3 == 0; /* mostly negative correlation: no less than independent ones */
  near(ripstop_batches_half_width(value, 20, ripstop_mean(value, 20), 0.95), ripstop_mean_half_width(value, 20, 0.95),
       1e-12);
  assert_true(isinf(ripstop_batches_half_width(value, RIPSTOP_BATCHES_LEAST - 1, 0.3, 0.95)));
  assert_true(isinf(ripstop_sections_half_width(value, RIPSTOP_BATCHES_LEAST - 1, 0.3, 0.95)));
  for (int i = 0; i < 20; i++) value[i] = 6.49 + (i < 10 ? 0 : 8.9e-16); /* rounding is no correlation */
  assert_true(ripstop_batches_half_width(value, 20, 6.49, 0.95) == 0);
  assert_true(ripstop_sections_half_width(value, 20, 6.49, 0.95) == 0);
  for (int i = 0; i < 20; i++) value[i] = i % 3 == 0;
  near(ripstop_sections_half_width(value, 18, ripstop_mean(value, 18), 0.95), /* 11 degrees of freedom, not 17 */
       ripstop_mean_half_width(value, 18, 0.95) * 2.2009851600916 / 2.1098155778331, 1e-9);
  assert_true(isnan(ripstop_batches_half_width(value, 1, 0, 0.95)));
}

static void wilson_of_the_table(void **state) {
  (void)state;
  ripstop_interval i =
      ripstop_wilson(81, 263, 0.95); /* Newcombe, Statistics in Medicine 17 (1998), table I, method 3 */
  near(i.low, 0.2553, 5e-5);
  near(i.high, 0.3662, 5e-5);
  i = ripstop_wilson(0, 20, 0.95);
  near(i.low, 0, 0);
  near(i.high, 0.1611, 5e-5);
}

static void clopper_pearson_of_the_table(void **state) {
  (void)state;
  ripstop_interval i = ripstop_clopper_pearson(81, 263, 0.95); /* Newcombe, method 5 */
  near(i.low, 0.2527, 5e-5);
  near(i.high, 0.3676, 5e-5);
  i = ripstop_clopper_pearson(15, 148, 0.95);
  near(i.low, 0.0578, 5e-5);
  near(i.high, 0.1617, 5e-5);
}

/* Binomial probabilities summed one by one: the interval's ends are where a tail is exactly (1 - confidence) / 2. */
static double at_most(uint64_t successes, uint64_t trials, double p) {
  double sum = 0;
  double n = (double)trials;
  for (uint64_t k = 0; k <= successes; k++) {
    double hits = (double)k;
    sum += exp(lgamma(n + 1) - lgamma(hits + 1) - lgamma(n - hits + 1) + hits * log(p) + (n - hits) * log1p(-p));
  }
  return sum;
}

static void clopper_pearson_cuts_the_tails(void **state) {
  (void)state;
  for (uint64_t trials = 1; trials < 400; trials = trials * 2 + 1)
    for (uint64_t successes = 0; successes <= trials; successes += 1 + trials / 7) {
      ripstop_interval i = ripstop_clopper_pearson(successes, trials, 0.99);
      if (successes) near(1 - at_most(successes - 1, trials, i.low), 0.005, 1e-9);
      if (successes < trials) near(at_most(successes, trials, i.high), 0.005, 1e-9);
    }
}

/* The share of the 2^all samples with `drawn` members that have at most `seen` hits, by counting. */
static double share_with_at_most(unsigned seen, unsigned drawn, unsigned all, unsigned hits) {
  unsigned few = 0, sets = 0;
  for (unsigned set = 0; set < 1u << all; set++) {
    if ((unsigned)__builtin_popcount(set) != drawn) continue;
    sets++;
    few += (unsigned)__builtin_popcount(set & ((1u << hits) - 1)) <= seen;
  }
  return (double)few / sets;
}

static void what_is_sampled_once_bounds_what_there_is(void **state) {
  (void)state;
  enum { ALL = 12 };
  for (unsigned drawn = 1; drawn <= ALL; drawn++)
    for (unsigned seen = 0; seen <= drawn; seen++) {
      uint64_t most = ripstop_hits_at_most(seen, drawn, ALL, 0.913);
      assert_in_range(most, seen, ALL - drawn + seen);
      assert_true(most == seen || share_with_at_most(seen, drawn, ALL, (unsigned)most) > 0.087);
      assert_true(most == ALL - drawn + seen || share_with_at_most(seen, drawn, ALL, (unsigned)most + 1) <= 0.087);
    }
  assert_int_equal(ripstop_hits_at_most(3, 1000, 1000, 0.99), 3);
  double of_any = ripstop_clopper_pearson(2, 1000, 0.98).high; /* the population is infinite */
  near((double)ripstop_hits_at_most(2, 1000, 1000000000, 0.99) / 1e9, of_any, 1e-7);
  assert_true((double)ripstop_hits_at_most(2, 1000, 2000, 0.99) / 2000 < of_any);
}

/* Very small and very large terms of the tail: the bound is near that of a normal law, never below the estimate, and 1
 * if every sampled member is a hit. */
static void many_sampled_bound_what_there_is(void **state) {
  (void)state;
  for (uint64_t all = 100; all <= 1000000; all *= 10)
    for (uint64_t drawn = all / 10; drawn < all; drawn += all / 10) {
      assert_int_equal(ripstop_hits_at_most(drawn, drawn, all, 0.95), all);
      for (uint64_t seen = 0; seen < drawn; seen += drawn / 5) {
        double most = (double)ripstop_hits_at_most(seen, drawn, all, 0.95), n = (double)drawn,
               share = most / (double)all;
        double middle = n * share, width = sqrt(middle * (1 - share) * (1 - n / (double)all));
        assert_true(most * n >= (double)seen * (double)all);
        if (width > 30) near(((double)seen + 0.5 - middle) / width, -1.645, 0.02);
      }
    }
}

static void intervals_at_the_ends(void **state) {
  (void)state;
  ripstop_interval all = ripstop_clopper_pearson(1000, 1000, 0.95), none = ripstop_clopper_pearson(0, 1000, 0.95);
  near(all.high, 1, 0);
  near(all.low, pow(0.025, 1 / 1000.0), 1e-9);
  near(none.low, 0, 0);
  near(none.high, 1 - pow(0.025, 1 / 1000.0), 1e-9);
  near(ripstop_wilson(7, 7, 0.95).high, 1, 0);
  near(ripstop_wilson(0, 0, 0.95).low, 0, 0);
  near(ripstop_clopper_pearson(0, 0, 0.95).high, 1, 0);
  near(ripstop_clopper_pearson(0, 100000000, 0.95).high, 3.6888794541e-8, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_quantiles_of_the_table),
      cmocka_unit_test(t_quantiles_of_the_table),
      cmocka_unit_test(t_with_one_and_two_degrees_has_a_closed_form),
      cmocka_unit_test(t_tends_to_normal),
      cmocka_unit_test(t_quantiles_do_not_depend_on_those_before),
      cmocka_unit_test(quantiles_outside_are_not_numbers),
      cmocka_unit_test(half_width_of_a_mean),
      cmocka_unit_test(two_values_are_too_few),
      cmocka_unit_test(intervals_of_batches_cover),
      cmocka_unit_test(batches_that_report_nothing),
      cmocka_unit_test(wilson_of_the_table),
      cmocka_unit_test(clopper_pearson_of_the_table),
      cmocka_unit_test(clopper_pearson_cuts_the_tails),
      cmocka_unit_test(what_is_sampled_once_bounds_what_there_is),
      cmocka_unit_test(many_sampled_bound_what_there_is),
      cmocka_unit_test(intervals_at_the_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
