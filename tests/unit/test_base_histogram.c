/* test_base_histogram.c - the histogram against sorted data. */
#include "base/histogram.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 20000 };

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Numbers of every magnitude up to 2^bits. */
static void draw(uint64_t *values, size_t count, unsigned bits, uint64_t seed) {
  ripstop_stream random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
  for (size_t i = 0; i < count; i++) {
    unsigned used = ripstop_stream_below(&random, bits + 1);
    values[i] = used ? ripstop_stream_u64(&random) >> (64 - used) : 0;
  }
}

static void quantiles_of_sorted_data(void **state) {
  (void)state;
  static uint64_t values[VALUES];
  static const double asked[] = {0, 0.0001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
  for (unsigned bits = 4; bits <= RIPSTOP_HISTOGRAM_BITS; bits += 6) {
    static ripstop_histogram histogram;
    memset(&histogram, 0, sizeof histogram);
    draw(values, VALUES, bits, bits);
    double sum = 0;
    for (size_t i = 0; i < VALUES; i++) {
      ripstop_histogram_add(&histogram, values[i]);
      sum += (double)values[i];
    }
    qsort(values, VALUES, sizeof *values, ascending);
    assert_true(histogram.min == values[0] && histogram.max == values[VALUES - 1]);
    assert_true(fabs(ripstop_histogram_mean(&histogram) - sum / VALUES) <= 1e-9 * sum / VALUES);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
      size_t rank = (size_t)ceil(asked[i] * VALUES);
      double exact = (double)values[rank ? rank - 1 : 0];
      double got = ripstop_histogram_quantile(&histogram, asked[i]);
      assert_true(got >= exact && got <= exact + exact / 128);
      if (exact < 256) assert_true(got == exact);
    }
  }
}

static void every_bucket_is_entered_in_order(void **state) {
  (void)state;
  double last = -1;
  const uint64_t open_end = UINT64_C(255) << 32; /* the last bucket begins here and has no upper end */
  for (uint64_t value = 0; value < open_end; value += 1 + value / 1000) {
    static ripstop_histogram one;
    memset(&one, 0, sizeof one);
    ripstop_histogram_add(&one, value);
    ripstop_histogram_add(&one, UINT64_MAX); /* so that the quantile is not cut to the maximum */
    double upper = ripstop_histogram_quantile(&one, 0.5);
    assert_true(upper >= (double)value && upper <= (double)value * (1 + 1.0 / 128));
    assert_true(upper >= last);
    last = upper;
  }
}

static void merged_is_as_if_recorded_together(void **state) {
  (void)state;
  static uint64_t values[VALUES];
  static ripstop_histogram part[2], merged, together;
  draw(values, VALUES, 30, 7);
  for (size_t i = 0; i < VALUES; i++) {
    ripstop_histogram_add(&part[i % 3 == 0], values[i]);
    ripstop_histogram_add(&together, values[i]);
  }
  ripstop_histogram_merge(&merged, &part[0]);
  ripstop_histogram_merge(&merged, &part[1]);
  assert_memory_equal(&merged, &together, sizeof merged);
}

/* Also the buckets that no quantile shows: every byte. */
static void cleared_is_as_new(void **state) {
  (void)state;
  static ripstop_histogram histogram;
  const ripstop_histogram *fresh = calloc(1, sizeof *fresh);
  static const uint64_t values[] = {0, 255, 256, 1000, UINT64_C(1) << 39, UINT64_MAX};
  enum { COUNT = sizeof values / sizeof *values };
  assert_non_null(fresh);
  for (unsigned set = 0; set < 1u << COUNT; set++) {
    for (unsigned i = 0; i < COUNT; i++)
      if (set >> i & 1) ripstop_histogram_add(&histogram, values[i]);
    ripstop_histogram_clear(&histogram);
    assert_memory_equal(&histogram, fresh, sizeof histogram);
  }
  free((void *)fresh);
}

/* Four packets took 10 cycles and six 11: spread over 9.5 to 10.5 and 10.5 to 11.5, half of all are below 10.5 + 1/6.
 */
static void smooth_quantiles_move_with_the_shares(void **state) {
  (void)state;
  static ripstop_histogram histogram;
  for (int i = 0; i < 10; i++) ripstop_histogram_add(&histogram, i < 4 ? 10 : 11);
  assert_true(fabs(ripstop_histogram_smooth_quantile(&histogram, 0.5) - (10.5 + 1.0 / 6)) < 1e-12);
  assert_true(fabs(ripstop_histogram_smooth_quantile(&histogram, 0.4) - 10.5) < 1e-12);
  assert_true(fabs(ripstop_histogram_smooth_quantile(&histogram, 0.1) - 9.75) < 1e-12);
  assert_true(fabs(ripstop_histogram_smooth_quantile(&histogram, 1) - 11.5) < 1e-12);
  ripstop_histogram_clear(&histogram);
  assert_true(isnan(ripstop_histogram_smooth_quantile(&histogram, 0.5)));
  for (int i = 0; i < 4; i++) ripstop_histogram_add(&histogram, i < 2 ? 1000 : 1003); /* buckets of 4: 1000 to 1003 */
  assert_true(fabs(ripstop_histogram_smooth_quantile(&histogram, 0.25) - 1000.5) < 1e-12);
}

static void empty_and_huge(void **state) {
  (void)state;
  static ripstop_histogram histogram;
  assert_true(isnan(ripstop_histogram_mean(&histogram)) && isnan(ripstop_histogram_quantile(&histogram, 0.5)));
  ripstop_histogram_add(&histogram, UINT64_C(1) << 50);
  assert_true(ripstop_histogram_quantile(&histogram, 0.5) == 0x1p50);
  assert_true(ripstop_histogram_mean(&histogram) == 0x1p50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_of_sorted_data),
      cmocka_unit_test(every_bucket_is_entered_in_order),
      cmocka_unit_test(merged_is_as_if_recorded_together),
      cmocka_unit_test(cleared_is_as_new),
      cmocka_unit_test(smooth_quantiles_move_with_the_shares),
      cmocka_unit_test(empty_and_huge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
