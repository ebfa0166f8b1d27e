/* test_report_counted.c - what a claim counts as: reproduced only if a paper's, read before the runs, and within less
 * than half of the published number. */
#include "check.h"

#include "report/judging.h"
#include "ripstop/kit/papers.h"

static const ripstop_paper paper = {.key = "p"};

static ripstop_counted counted(ripstop_claim claim, ripstop_finding finding) {
  const ripstop_judgement j = {.finding = finding};
  return ripstop_claim_counts_as(&claim, &j);
}

/* A paper's claim of a number that agrees. */
static ripstop_counted about(double published, double tolerance, bool chosen_after) {
  return counted(
      (ripstop_claim){.paper = &paper, .published = published, .tolerance = tolerance, .chosen_after = chosen_after},
      RIPSTOP_REPRODUCED);
}

static void test_tolerance(void **state) {
  (void)state;
  assert_int_equal(about(0.95, 0.01, false), RIPSTOP_COUNTED_REPRODUCED);
  assert_int_equal(about(0.1, 0.0499, false), RIPSTOP_COUNTED_REPRODUCED);
  assert_int_equal(about(0.1, 0.05, false), RIPSTOP_COUNTED_ROUGH);
  assert_int_equal(about(0.3, 0.15, false), RIPSTOP_COUNTED_ROUGH); /* 2 * 0.15 < 0.3 in some roundings */
  assert_int_equal(about(-0.0065, 0.0016, false), RIPSTOP_COUNTED_REPRODUCED);
  assert_int_equal(about(-0.0065, 0.004, false), RIPSTOP_COUNTED_ROUGH);
  assert_int_equal(about(0, 20, false), RIPSTOP_COUNTED_REPRODUCED); /* no part of 0 */
}

static void test_bounds(void **state) {
  (void)state;
  for (ripstop_compare c = RIPSTOP_COMPARE_AT_MOST; c <= RIPSTOP_COMPARE_AT_LEAST; c++)
    assert_int_equal(
        counted((ripstop_claim){.paper = &paper, .published = 1, .tolerance = 1, .compare = c}, RIPSTOP_REPRODUCED),
        RIPSTOP_COUNTED_REPRODUCED);
}

static void test_chosen(void **state) {
  (void)state;
  assert_int_equal(about(1, 0.01, true), RIPSTOP_COUNTED_CHOSEN);
  assert_int_equal(about(1, 0.6, true), RIPSTOP_COUNTED_CHOSEN);
  const ripstop_claim after = {.paper = &paper, .chosen_after = true};
  assert_int_equal(counted(after, RIPSTOP_DIFFERS), RIPSTOP_COUNTED_DIFFERS);
  assert_int_equal(counted(after, RIPSTOP_CANNOT_BE_TOLD), RIPSTOP_COUNTED_OPEN);
  assert_int_equal(counted(after, RIPSTOP_NO_DATA), RIPSTOP_COUNTED_NO_DATA);
}

static void test_own(void **state) {
  (void)state;
  const ripstop_claim own = {.published = 1, .tolerance = 1, .chosen_after = true};
  assert_int_equal(counted(own, RIPSTOP_REPRODUCED), RIPSTOP_COUNTED_HOLDS);
  assert_int_equal(counted(own, RIPSTOP_DIFFERS), RIPSTOP_COUNTED_FAILS);
  assert_int_equal(counted(own, RIPSTOP_CANNOT_BE_TOLD), RIPSTOP_COUNTED_OPEN);
}

/* Two papers' claims and three own ones. */
static void test_tally(void **state) {
  (void)state;
  const ripstop_claim claims[] = {{.paper = &paper, .published = 1},
                                  {.paper = &paper, .cause = RIPSTOP_CAUSE_UNEXPLAINED},
                                  {.chosen_after = true},
                                  {.published = 1},
                                  {.cause = RIPSTOP_CAUSE_TESTED, .tested_by = "a.yaml", .chosen_after = true}};
  const ripstop_finding finding[] = {RIPSTOP_REPRODUCED, RIPSTOP_DIFFERS, RIPSTOP_REPRODUCED, RIPSTOP_REPRODUCED,
                                     RIPSTOP_DIFFERS};
  ripstop_claim_row row[5] = {0};
  for (size_t i = 0; i < 5; i++) {
    row[i].claim = &claims[i], row[i].judgement.finding = finding[i];
    row[i].basis.planned = 4, row[i].basis.runs = i == 3 ? 2 : 4;
  }
  const ripstop_ledger ledger = {.row = row, .rows = 5};
  ripstop_claim_tally papers = ripstop_ledger_tally(&ledger, false), own = ripstop_ledger_tally(&ledger, true);
  assert_int_equal(papers.claims, 2);
  assert_int_equal(papers.counted[RIPSTOP_COUNTED_REPRODUCED], 1);
  assert_int_equal(papers.counted[RIPSTOP_COUNTED_DIFFERS], 1);
  assert_int_equal(papers.cause[RIPSTOP_CAUSE_UNEXPLAINED], 1);
  assert_int_equal(papers.partial, 0);
  assert_int_equal(own.claims, 3);
  assert_int_equal(own.counted[RIPSTOP_COUNTED_HOLDS], 2);
  assert_int_equal(own.held_after, 1);
  assert_int_equal(own.after, 2);
  assert_int_equal(own.counted[RIPSTOP_COUNTED_FAILS], 1);
  assert_int_equal(own.cause[RIPSTOP_CAUSE_TESTED], 1);
  assert_int_equal(own.partial, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tolerance), cmocka_unit_test(test_bounds),
                                     cmocka_unit_test(test_chosen), cmocka_unit_test(test_own),
                                     cmocka_unit_test(test_tally)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
