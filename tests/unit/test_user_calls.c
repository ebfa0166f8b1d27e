/* test_user_calls.c - the calls of ripstop/ripstop.h with the smallest inputs that their headers permit: NULL in place
 * of an object gives NULL, NULL or zero in settings stands for a default, and a value outside its range is an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ripstop/ripstop.h"

static ripstop_plan *open_plan(void) {
  ripstop_error err;
  ripstop_plan *plan = ripstop_plan_of("kary-ntree:k=2,n=2", NULL, "updown", &err);
  if (!plan) fail_msg("%s", err.text);
  return plan;
}

static void null_objects_give_null(void **state) {
  (void)state;
  ripstop_error err = {.text = "of the call that failed"};
  assert_null(ripstop_names_new(NULL));
  assert_null(ripstop_simulate_open(NULL, NULL, &err));
  assert_null(ripstop_simulate_result(NULL, &err));
  assert_null(ripstop_simulate(NULL, NULL, &err));
  assert_null(ripstop_prove(NULL, NULL, &err));
  assert_null(ripstop_prove_sets(NULL, "updown", NULL, &err));
  assert_int_equal(ripstop_result_verdict(NULL), RIPSTOP_NO_VERDICT);
  assert_string_equal(err.text, "of the call that failed");
}

static void no_settings_are_the_defaults(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_plan *plan = open_plan();
  ripstop_simulation *sim = ripstop_simulate_open(plan, NULL, &err);
  assert_non_null(sim);
  assert_int_equal(ripstop_simulate_run(sim, UINT64_MAX, &err), 0);
  ripstop_result *piecewise = ripstop_simulate_result(sim, &err), *at_once = ripstop_simulate(plan, NULL, &err);
  assert_true(ripstop_result_value(at_once, "accepted") > 0);
  assert_true(ripstop_result_value(piecewise, "accepted") == ripstop_result_value(at_once, "accepted"));
  assert_string_equal(ripstop_result_text(at_once, "verdict"), "steady");
  assert_int_equal(ripstop_result_verdict(at_once), RIPSTOP_STEADY);
  ripstop_result_free(piecewise);
  ripstop_result_free(at_once);
  ripstop_simulate_close(sim);
  ripstop_plan_free(plan);
}

static void versions_agree(void **state) {
  (void)state;
  assert_string_equal(ripstop_version(), RIPSTOP_VERSION);
}

static void no_threads_are_one(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_plan *plan = open_plan();
  ripstop_prove_settings none = {0};
  ripstop_result *proof = ripstop_prove(plan, &none, &err), *usual = ripstop_prove(plan, NULL, &err);
  assert_true(ripstop_result_value(proof, "tolerated") == 1);
  assert_int_equal(ripstop_result_verdict(proof), RIPSTOP_NO_VERDICT);
  assert_true(ripstop_result_value(proof, "states") == ripstop_result_value(usual, "states"));
  ripstop_result_free(proof);
  ripstop_result_free(usual);
  ripstop_plan_free(plan);
}

static void settings_of_sets_are_checked(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("kary-ntree:k=2,n=2", &err);
  ripstop_prove_sets_settings s = ripstop_prove_sets_defaults();
  ripstop_result *usual = ripstop_prove_sets(fabric, "updown", &s, &err);
  s.scope = NULL;
  s.threads = 0;
  ripstop_result *same = ripstop_prove_sets(fabric, "updown", &s, &err);
  assert_true(ripstop_result_value(usual, "tolerated") >= 0);
  assert_true(ripstop_result_value(same, "tolerated") == ripstop_result_value(usual, "tolerated"));
  s.confidence = 95;
  assert_null(ripstop_prove_sets(fabric, "updown", &s, &err));
  assert_string_equal(err.text, "confidence = 95 is outside 0.5 .. 1");
  ripstop_result_free(usual);
  ripstop_result_free(same);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_objects_give_null),
      cmocka_unit_test(no_settings_are_the_defaults),
      cmocka_unit_test(versions_agree),
      cmocka_unit_test(no_threads_are_one),
      cmocka_unit_test(settings_of_sets_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
