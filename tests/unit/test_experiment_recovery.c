/* test_experiment_recovery.c - how long a fault has an effect, computed from invented windows, and where a run reports
 * it. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "experiment/execute.h"
#include "ripstop/kit/experiment.h"

enum { WINDOW = 100, WINDOWS = 40, CHANGE = 2010 };

/* Windows of 1000 flits, 5 more or less in turns, but for those from `first` on, `count` of them, with `low`. */
static recovery both_of(size_t windows, size_t first, size_t count, uint64_t low, uint64_t change) {
  ripstop_window window[WINDOWS] = {{0}};
  for (size_t i = 0; i < windows; i++) {
    bool is_low = i >= first && i < first + count;
    window[i] = (ripstop_window){.cycle = i * WINDOW, .delivered_flits = is_low ? low : 995 + i % 2 * 10};
  }
  const ripstop_outcome outcome = {.window = window, .windows = windows};
  return execute_recovery(&outcome, change, WINDOW, windows * WINDOW);
}

static double recovery_of(size_t windows, size_t first, size_t count, uint64_t low, uint64_t change) {
  return both_of(windows, first, count, low, change).cycles;
}

static double worst_of(size_t windows, size_t first, size_t count, uint64_t low, uint64_t change) {
  return both_of(windows, first, count, low, change).worst;
}

static void it_ends_with_the_last_low_window(void **state) {
  (void)state;
  assert_true(recovery_of(40, 20, 5, 700, CHANGE) == 25 * WINDOW - CHANGE);
  assert_true(recovery_of(40, 20, 20, 700, CHANGE) == 40 * WINDOW - CHANGE); /* it is not over at the end */
  assert_true(recovery_of(40, 30, 1, 700, CHANGE) == 31 * WINDOW - CHANGE);
  assert_true(recovery_of(40, 20, 5, 990, CHANGE) == 0);  /* no more than chance makes */
  assert_true(recovery_of(40, 20, 5, 1500, CHANGE) == 0); /* more is not less */
}

/* A network that fills has low windows before the change; those are not what is usual. */
static void filling_does_not_count(void **state) {
  (void)state;
  assert_true(recovery_of(40, 0, 10, 100, CHANGE) == 0);
}

static void some_windows_must_be_there(void **state) {
  (void)state;
  assert_true(isnan(recovery_of(40, 20, 5, 700, 7 * WINDOW)));
  assert_false(isnan(recovery_of(40, 20, 5, 700, 8 * WINDOW)));
  assert_true(isnan(recovery_of(20, 20, 0, 0, CHANGE)));
  assert_true(isnan(recovery_of(0, 0, 0, 0, CHANGE)));
}

/* Before the change the mean is 1000 flits. */
static void the_worst_is_the_least_from_the_change_on(void **state) {
  (void)state;
  assert_true(worst_of(40, 20, 5, 700, CHANGE) == 0.7);
  assert_true(worst_of(40, 39, 1, 0, CHANGE) == 0);
  assert_true(worst_of(40, 30, 5, 999, CHANGE) == 0.995);
  assert_true(worst_of(40, 0, 10, 100, CHANGE) == 0.995); /* while it fills */
  assert_true(worst_of(40, 20, 20, 1500, CHANGE) == 1.5);
  assert_true(isnan(worst_of(40, 20, 5, 700, 7 * WINDOW)));
  assert_true(isnan(worst_of(20, 20, 0, 0, CHANGE)));
}

static double value_of(const char *file, const char *name) {
  ripstop_error err = {0};
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", file, strlen(file), NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  ripstop_outcome outcome;
  if (!runs) fail_msg("%s", err.text);
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &outcome), 0);
  const ripstop_value *value = ripstop_outcome_value(&outcome, name);
  double number = value ? value->value : NAN;
  ripstop_outcome_free(&outcome);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  return number;
}

/* Immunet stops injection until its ring is rebuilt. */
static void runs_report_it(void **state) {
  (void)state;
#define STOPS \
  "fabric: torus:4x4\nmethod: immunet\ntraffic: {load: 0.3}\nmeasure: {warmup: 0, cycles: 9000, window: 250}\n"
  double cycles = value_of(STOPS "faults: {schedule: \"0.0/0@3000\"}\n", "fault.recovery");
  assert_true(cycles >= 250 && cycles < 6000);
  double worst = value_of(STOPS "faults: {schedule: \"0.0/0@3000\"}\n", "fault.worst");
  assert_true(worst >= 0 && worst < 0.8);
  assert_true(isnan(value_of(STOPS, "fault.recovery")) && isnan(value_of(STOPS, "fault.worst")));
  assert_true(value_of(STOPS, "channels") == 2);
}

/* The entries are those that `ripstop route --entries` prints; dimension order looks at no header. */
static void proofs_count_tables(void **state) {
  (void)state;
#define PROOF "\nprove: {tables: on}\n"
  static const char dor[] = "fabric: torus:4x4\nmethod: dor" PROOF,
                    up[] = "fabric: kary-ntree:k=2,n=2\nmethod: immunet" PROOF;
  assert_true(value_of(dor, "tables.entries") == 16 * 15 + 16 * 16); /* end nodes for the others, routers for all */
  assert_true(value_of(dor, "header.bits") == 0);
  assert_true(value_of(dor, "channels") == 1);
  assert_true(value_of(up, "header.bits") == 3);
  assert_true(isnan(value_of("fabric: torus:4x4\nmethod: dor\nprove: {sets: 1}\n", "tables.entries")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_ends_with_the_last_low_window),
      cmocka_unit_test(filling_does_not_count),
      cmocka_unit_test(some_windows_must_be_there),
      cmocka_unit_test(the_worst_is_the_least_from_the_change_on),
      cmocka_unit_test(runs_report_it),
      cmocka_unit_test(proofs_count_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
