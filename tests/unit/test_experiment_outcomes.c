/* test_experiment_outcomes.c - what runs yield: other numbers for other seeds, the same faults for pairs, and answers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "ripstop/kit/experiment.h"
#include "run_texts.h"

static void another_seed_gives_other_rows(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_run other = runs->run[runs->count - 1];
  ripstop_outcome a, b;
  assert_int_equal(ripstop_run_execute(&other, NULL, &a), 0);
  other.seed++;
  assert_int_equal(ripstop_run_execute(&other, NULL, &b), 0);
  bool same = true;
  for (size_t i = 0; i < a.values && i < b.values; i++) same &= a.value[i].value == b.value[i].value;
  assert_false(same);
  ripstop_outcome_free(&a);
  ripstop_outcome_free(&b);
}

static void paired_runs_have_the_same_faults(void **state) {
  const ripstop_runs *runs = *state;
  char *faults[3][4] = {{NULL}};
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    ripstop_outcome outcome;
    assert_int_equal(ripstop_run_execute(run, NULL, &outcome), 0);
    char **seen = &faults[run->fault_count][run->sample];
    if (*seen)
      assert_string_equal(*seen, outcome.faults);
    else
      *seen = strdup(outcome.faults);
    ripstop_outcome_free(&outcome);
  }
  for (int sample = 0; sample < 4; sample++) assert_string_equal(faults[0][sample], "");
  bool all_the_same = true; /* true if the six sets of two links agree */
  for (int sample = 1; sample < 4; sample++) all_the_same &= !strcmp(faults[2][0], faults[2][sample]);
  assert_false(all_the_same);
  for (int i = 0; i < 12; i++) free(faults[i / 4][i % 4]);
}

static void what_does_not_apply_is_an_outcome(void **state) {
  (void)state;
  static const char torus[] = "fabric: torus:4x4\nmethod: misroute\ntraffic: {load: 0.1}\n";
  ripstop_runs *runs = open_runs(torus);
  ripstop_outcome outcome;
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &outcome), 0);
  assert_string_equal(outcome.verdict, "does-not-apply");
  assert_true(outcome.reason && *outcome.reason);
  assert_int_equal(outcome.values, 0);
  ripstop_outcome_free(&outcome);
  close_runs(runs);
}

/* A protocol cannot be stopped for central computation; a file may compare it with methods that can, all the same. */
static void static_and_distributed_methods_share_a_file(void **state) {
  (void)state;
  static const char file[] = "fabric: kary-ntree:k=2,n=3\nmethod: [misroute, link-fault-messages]\n"
                             "traffic: {load: 0.1}\nmeasure: {warmup: 0, cycles: 500}\n"
                             "faults: {schedule: \"0/0.0/2@200\"}\n"
                             "reaction: {model: [dynamic, static], recompute: 100}\n";
  ripstop_runs *runs = open_runs(file);
  assert_int_equal(runs->count, 4);
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    bool stopped = strcmp(ripstop_run_key(run, "reaction.model"), "static") == 0;
    bool distributed = strncmp(ripstop_run_key(run, "method"), "link", 4) == 0;
    assert_int_equal(settings_of(run)->simulation.reconfiguration.model,
                     stopped ? RIPSTOP_RECONFIGURATION_STATIC : RIPSTOP_RECONFIGURATION_DYNAMIC);
    assert_int_equal(settings_of(run)->simulation.reconfiguration.recompute, 100);
    ripstop_outcome outcome;
    assert_int_equal(ripstop_run_execute(run, NULL, &outcome), 0);
    if (stopped && distributed) {
      assert_string_equal(outcome.verdict, "does-not-apply");
      assert_non_null(strstr(outcome.reason, "reaction.model"));
    } else {
      assert_string_not_equal(outcome.verdict, "error");
    }
    bool counted = false;
    for (size_t v = 0; v < outcome.values; v++) counted |= strcmp(outcome.value[v].name, "stopped.computing") == 0;
    assert_int_equal(counted, stopped && !distributed);
    ripstop_outcome_free(&outcome);
  }
  close_runs(runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_seed_gives_other_rows),
      cmocka_unit_test(paired_runs_have_the_same_faults),
      cmocka_unit_test(what_does_not_apply_is_an_outcome),
      cmocka_unit_test(static_and_distributed_methods_share_a_file),
  };
  return RUN_GROUP(tests, open_small, close_group);
}
