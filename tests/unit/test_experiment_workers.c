/* test_experiment_workers.c - a run that proves comes to the same by one worker and by two. */
#include <string.h>

#include "campaign/workers.h"
#include "check.h"
#include "opened.h"

static const char proof[] = "fabric: \"kns:k=4,n=2\"\n"
                            "method: \"intermediate-nodes:intermediates=1\"\n"
                            "faults: {count: 3}\n"
                            "prove: {sets: 60, confidence: 0.95}\n"
                            "seed: 17\n";

static double value(const ripstop_outcome *outcome, const char *name) { return value_of(outcome, name)->value; }

static int count_it(void *context, const ripstop_run *run, const ripstop_outcome *outcome) {
  (void)run;
  *(double *)context += value(outcome, "pairs_by_intermediates.1") + value(outcome, "tolerated");
  return 0;
}

static void workers_change_nothing(void **state) {
  (void)state;
  double sum[2] = {0, 0};
  for (unsigned threads = 1; threads <= 2; threads++) {
    ripstop_runs *runs = open_runs(proof);
    const ripstop_run *one = &runs->run[0];
    ripstop_workers workers = {.threads = threads, .done = count_it, .context = &sum[threads - 1]};
    assert_int_equal(ripstop_work(&one, 1, &workers), 0);
    close_runs(runs);
  }
  assert_true(sum[0] > 0 && sum[0] == sum[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(workers_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
