/* test_experiment_older.c - runs of older versions that have to be done again, and why; tests/cli/store_migrate.sh has
 * those that only have new names. */
#include <string.h>

#include "check.h"
#include "experiment/older_run.h"
#include "ripstop/plugin/base.h"

static const char tail[] = "source=0123456789abcdef\nswitch.choice=space\n";

static void has_reason(const char *head, const char *reason) {
  ripstop_arena *arena = ripstop_arena_new();
  const char *now = NULL, *why = NULL;
  assert_int_equal(ripstop_older_run(arena, ripstop_arena_printf(arena, "%s%s", head, tail), &now, &why), OLDER_AGAIN);
  assert_string_equal(why, reason);
  assert_null(now);
  ripstop_arena_free(arena);
}

static void older_models_have_other_numbers(void **state) {
  (void)state;
  has_reason("fabric=torus:3x3\nmethod=dor\nmodel=1\n", "model 1: this version's model 2.2 has other numbers");
  has_reason("fabric=torus:3x3\nmethod=dor\n", "model unknown: this version's model 2.2 has other numbers");
}

static void older_models_of_the_same_number_have_other_intervals(void **state) {
  (void)state;
  has_reason("fabric=torus:3x3\nmethod=dor\nmodel=2\n", "model 2: this version's model 2.2 has other intervals");
  has_reason("fabric=torus:3x3\nmethod=dor\nmodel=2.1\n", "model 2.1: this version's model 2.2 has other intervals");
}

static void sources_of_no_known_version_are_not_believed(void **state) {
  (void)state;
  has_reason("fabric=torus:3x3\nmethod=dor:bubble=on\nmodel=2.2\n", "method dor: sources of no known version");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(older_models_have_other_numbers),
      cmocka_unit_test(older_models_of_the_same_number_have_other_intervals),
      cmocka_unit_test(sources_of_no_known_version_are_not_believed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
