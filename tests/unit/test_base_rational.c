/* test_base_rational.c - exact fractions against whole numbers with a common denominator, and what does not fit. */
#include <math.h>
#include <string.h>

#include "base/rational.h"
#include "check.h"
#include "ripstop/plugin/base.h"

static void is(rational r, const char *text) {
  char out[RATIONAL_TEXT];
  rational_print(r, out);
  assert_string_equal(out, text);
}

/* Sums of parts of 5040, which all denominators up to 10 divide. */
static void sums_are_exact(void **state) {
  (void)state;
  enum { WHOLE = 5040, SUMS = 2000, TERMS = 12 };
  ripstop_stream random = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, 0);
  for (unsigned i = 0; i < SUMS; i++) {
    rational sum = rational_of(0);
    uint64_t expected = 0;
    for (unsigned k = 0; k < TERMS; k++) {
      const uint64_t up = ripstop_stream_below(&random, 1000), down = 1 + ripstop_stream_below(&random, 10);
      sum = rational_plus(sum, rational_times(rational_of(3), up, down));
      expected += 3 * up * (WHOLE / down);
    }
    const rational r = rational_reduced(sum), other = {expected, WHOLE};
    assert_true(r.num * WHOLE == (rational_wide)expected * r.den);
    assert_false(rational_above(sum, other));
    assert_false(rational_above(other, sum));
    assert_true(rational_above((rational){expected + 1, WHOLE}, sum));
    assert_true(fabs(rational_value(sum) - (double)expected / WHOLE) <= 1e-9 * (double)(expected + 1));
  }
}

static void texts_are_in_lowest_terms(void **state) {
  (void)state;
  is(rational_of(0), "0");
  is((rational){0, 7}, "0");
  is((rational){18, 8}, "9/4");
  is((rational){18, 6}, "3");
  is(rational_times(rational_of(UINT64_MAX), UINT64_MAX, 1), "340282366920938463426481119284349108225");
}

/* Denominators of primes multiply until they do not fit; what cancels out does. */
static void overflow_is_reported(void **state) {
  (void)state;
  static const uint64_t prime[] = {65521, 65519, 65497, 65479, 65449, 65447, 65437, 65423, 65419};
  rational sum = rational_of(0), product = rational_of(1);
  for (unsigned i = 0; i < 9; i++) {
    sum = rational_plus(sum, rational_times(rational_of(1), 1, prime[i]));
    assert_true(rational_fits(sum) == (i < 8));
  }
  assert_true(isnan(rational_value(sum)));
  is(sum, "");
  assert_false(rational_fits(rational_times(rational_plus(sum, rational_of(1)), 2, 3)));
  for (unsigned i = 0; i < 200; i++) product = rational_times(product, prime[i % 9], prime[(i + 1) % 9]);
  is(product, "65521/65497"); /* the first and the last one are left */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_exact), cmocka_unit_test(texts_are_in_lowest_terms),
                                     cmocka_unit_test(overflow_is_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
