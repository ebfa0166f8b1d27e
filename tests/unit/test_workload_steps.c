/* The steps of a job: what each takes, and how long after a fault they are as fast as before it. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/experiment.h"

/* Two ranks on a switch compute for 50 cycles and give each other 100 flits, ten times: 50 + 102 cycles each. */
enum { STEPS = 10, STEP = 50 + 102 };

static ripstop_outcome run_jobs(const char *schedule, const char *jobs) {
  char text[512];
  ripstop_error err = {0};
  ripstop_outcome out;
  snprintf(text, sizeof text,
           "fabric: \"mport-ntree:m=16,n=1\"\nmethod: updown\nswitch: {in_queue: 64}\nfaults: {schedule: \"%s\"}\n"
           "workload: \"%s\"\n",
           schedule, jobs);
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) fail_msg("%s", err.text);
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &out), 0);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  return out;
}

static ripstop_outcome run_with(const char *schedule) {
  char jobs[128];
  snprintf(jobs, sizeof jobs, "incast:bytes=1 on packed:2 + stencil:grid=2,bytes=100,compute=50,steps=%d at 1000",
           STEPS);
  return run_jobs(schedule, jobs);
}

static const ripstop_value *find(const ripstop_outcome *out, const char *name) {
  for (size_t i = 0; i < out->values; i++)
    if (!strcmp(out->value[i].name, name)) return &out->value[i];
  return NULL;
}

static double value_of(const ripstop_outcome *out, const char *name) {
  const ripstop_value *value = find(out, name);
  assert_non_null(value);
  return value->value;
}

static void steps_have_times(void **state) {
  (void)state;
  static const char *const each[] = {"job.2.step.mean", "job.2.step.p50", "job.2.step.p99", "job.2.step.max"};
  ripstop_outcome out = run_with("");
  assert_true(value_of(&out, "job.2.steps") == STEPS);
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) assert_true(value_of(&out, each[i]) == STEP);
  assert_true(isnan(value_of(&out, "job.2.recovery")));
  assert_null(find(&out, "job.1.steps"));
  ripstop_outcome_free(&out);
}

/* The link of the third end node, a rank of the second job, at half its rate: two steps have ended. */
static void recovery_ends_with_the_last_slow_step(void **state) {
  (void)state;
  enum { CHANGE = 1000 + 2 * STEP + 20, BACK = CHANGE + 400 };
  char schedule[100];
  snprintf(schedule, sizeof schedule, "end:2~0.5@%d end:2+@%d", CHANGE, BACK);
  ripstop_outcome out = run_with(schedule);
  const double recovery = value_of(&out, "job.2.recovery"), last = 1000 + value_of(&out, "job.2.cycles");
  assert_true(value_of(&out, "job.2.step.p50") == STEP && value_of(&out, "job.2.step.max") > 1.5 * STEP);
  assert_true(CHANGE + recovery >= BACK && CHANGE + recovery < BACK + 2 * STEP);
  assert_true(fmod(last - (CHANGE + recovery), STEP) == 0); /* and the steps behind it are as before */
  ripstop_outcome_free(&out);
}

static void what_does_not_end_has_no_recovery(void **state) {
  (void)state;
  ripstop_outcome slow = run_with("end:2~0.5@1400"), early = run_with("end:2~0.5@100 end:2+@1100");
  ripstop_outcome late = run_with("end:2~0.5@1000000"), dead = run_with("end:2@1400");
  assert_true(isnan(value_of(&slow, "job.2.recovery")));
  assert_true(isnan(value_of(&early, "job.2.recovery"))); /* no step to compare with */
  assert_true(value_of(&late, "job.2.recovery") == 0);
  assert_true(isnan(value_of(&dead, "job.2.recovery")) && value_of(&dead, "job.2.steps") < STEPS);
  ripstop_outcome_free(&slow);
  ripstop_outcome_free(&early);
  ripstop_outcome_free(&late);
  ripstop_outcome_free(&dead);
}

/* A rank alone waits for no other. */
static void steps_without_tasks_take_no_time(void **state) {
  (void)state;
  ripstop_outcome out = run_jobs("end:2~0.5@100", "barrier:repeat=3 on packed:1 at 500");
  assert_true(value_of(&out, "job.1.steps") == 3);
  assert_true(value_of(&out, "job.1.step.mean") == 0 && value_of(&out, "job.1.step.max") == 0);
  assert_true(isnan(value_of(&out, "job.1.recovery"))); /* none ended before the change */
  ripstop_outcome_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_have_times), cmocka_unit_test(recovery_ends_with_the_last_slow_step),
      cmocka_unit_test(what_does_not_end_has_no_recovery), cmocka_unit_test(steps_without_tasks_take_no_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
