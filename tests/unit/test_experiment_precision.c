/* test_experiment_precision.c - runs that go on until a value is known well enough: what they are runs of, that their
 * intervals cover the truth although they were looked at again and again, and what is refused. Seeds are fixed. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "check.h"
#include "experiment/inner_runs.h"
#include "opened.h"
#include "ripstop/kit/experiment.h"

#define PLAIN(cycles, precision)                                                                                   \
  "fabric: torus:4x4\nmethod: minimal-adaptive\ntraffic: {load: 0.25, packet: 4}\nseed: [1, 2, 3, 4, 5, 6, 7, 8, " \
  "9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, "    \
  "36, 37, 38, 39, 40]\nmeasure: {warmup: 500, cycles: " cycles precision "}\n"

static ripstop_outcome outcome_of(const ripstop_runs *b, size_t run) {
  ripstop_outcome o;
  assert_int_equal(ripstop_run_execute(&b->run[run], NULL, &o), 0);
  return o;
}

/* Its numbers are those of a plain run of the length at which it ended. */
static void a_run_ends_at_a_look_and_is_a_plain_one(void **state) {
  (void)state;
  ripstop_runs *b = open_runs(PLAIN("500", ", precision: {value: accepted, relative: 0.02}"));
  ripstop_outcome o = outcome_of(b, 0);
  const ripstop_value *accepted = value_of(&o, "accepted");
  assert_true(value_of(&o, "precision.reached")->value == 1);
  assert_true(accepted->half <= 0.02 * accepted->value);
  int looks = (int)value_of(&o, "precision.looks")->value;
  assert_in_range(looks, 2, 7);
  char text[sizeof PLAIN("1000000", "")];
  snprintf(text, sizeof text, PLAIN("%d", ""), 500 << (looks - 1));
  ripstop_runs *plain = open_runs(text);
  ripstop_outcome p = outcome_of(plain, 0);
  assert_true(value_of(&p, "accepted")->value == accepted->value);
  assert_true(value_of(&p, "latency.p99")->value == value_of(&o, "latency.p99")->value);
  assert_true(value_of(&p, "accepted")->half < accepted->half); /* which was looked at once */
  assert_true(value_of(&o, "run.cycles")->value == 500 + 500 * pow(2, looks - 1));
  ripstop_outcome_free(&o);
  ripstop_outcome_free(&p);
  close_runs(plain);
  close_runs(b);
}

static void what_cannot_be_reached_is_reported(void **state) {
  (void)state;
  ripstop_runs *b = open_runs(PLAIN("500", ", precision: {value: accepted, absolute: 1e-6, most: 1500}"));
  ripstop_outcome o = outcome_of(b, 0);
  assert_true(value_of(&o, "precision.reached")->value == 0);
  assert_true(value_of(&o, "precision.looks")->value == 3); /* 500, 1000, 1500 */
  assert_true(value_of(&o, "run.cycles")->value == 500 + 1500);
  ripstop_outcome_free(&o);
  close_runs(b);
}

/* The truth is the offered load. Stopping at an interval that is narrow by chance would make it miss more often. */
static void intervals_cover_however_often_was_looked(void **state) {
  (void)state;
  ripstop_runs *b = open_runs(PLAIN("400", ", precision: {value: accepted, relative: 0.05}"));
  unsigned covered = 0, early = 0;
  for (size_t i = 0; i < b->count; i++) {
    ripstop_outcome o = outcome_of(b, i);
    const ripstop_value *v = value_of(&o, "accepted");
    covered += fabs(v->value - 0.25) <= v->half;
    early += value_of(&o, "precision.looks")->value < 7;
    assert_true(value_of(&o, "precision.reached")->value == 1 && v->half <= 0.05 * v->value);
    ripstop_outcome_free(&o);
  }
  print_message("%u of %zu intervals cover\n", covered, b->count);
  assert_true(early == b->count);
  if (covered < 36) fail_msg("%u of %zu intervals cover", covered, b->count);
  close_runs(b);
}

#define BROKEN \
  "fabric: kary-ntree:k=4,n=2\nmethod: updown\ntraffic: {load: 0.3, packet: 4}\nmeasure: {warmup: 100, cycles: 400"

/* Samples are those that an experiment with so many has: the same faults and the same traffic. */
static void samples_grow_and_are_those_of_experiments(void **state) {
  (void)state;
  ripstop_runs *b = open_runs(
      BROKEN ", precision: {value: lost.share, relative: 0.2, grow: samples, most: 64}}\nfaults: {count: 2}\n");
  ripstop_runs *plain = open_runs(BROKEN "}\nfaults: {count: 2, samples: 64}\n");
  assert_int_equal(b->count, 1);
  assert_false(ripstop_run_is_sampled(&b->run[0])); /* many sets, not one */
  ripstop_outcome o = outcome_of(b, 0);
  double samples = value_of(&o, "precision.samples")->value, lost[64], latency[64];
  assert_true(samples == 8 || samples == 16 || samples == 32 || samples == 64);
  assert_true(value_of(&o, "precision.reached")->value == 1);
  for (size_t i = 0; i < (size_t)samples; i++) {
    assert_int_equal(plain->run[i].sample, i);
    ripstop_outcome p = outcome_of(plain, i);
    lost[i] = value_of(&p, "lost.share")->value, latency[i] = value_of(&p, "latency.mean")->value;
    ripstop_outcome_free(&p);
  }
  assert_true(value_of(&o, "lost.share")->value == ripstop_mean(lost, (size_t)samples));
  assert_true(value_of(&o, "latency.mean")->value == ripstop_mean(latency, (size_t)samples));
  double half = ripstop_mean_half_width(lost, (size_t)samples, 1 - 0.05 / 4); /* 8, 16, 32, 64: four looks */
  assert_true(fabs(value_of(&o, "lost.share")->half - half) < 1e-15);
  assert_true(half <= 0.2 * value_of(&o, "lost.share")->value);
  assert_string_equal(o.verdict, "lossy");
  ripstop_outcome_free(&o);
  close_runs(b);
  close_runs(plain);
}

static void a_run_without_the_value_is_an_error(void **state) {
  (void)state;
  static const struct {
    const char *precision, *reason;
  } cases[] = {{"link-use.max", "measure.precision: a run has no interval for 'link-use.max'"},
               {"slow-queue", "measure.precision: a run has no value 'slow-queue'"}};
  for (size_t i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text, BROKEN ", precision: {value: %s, relative: 0.1}}\n", cases[i].precision);
    ripstop_runs *b = open_runs(text);
    ripstop_outcome o = outcome_of(b, 0);
    assert_string_equal(o.verdict, "error");
    if (strncmp(o.reason, cases[i].reason, strlen(cases[i].reason)) != 0) fail_msg("%s", o.reason);
    ripstop_outcome_free(&o);
    close_runs(b);
  }
}

/* Runs without a goal keep their old names. */
static void runs_without_a_goal_keep_their_names(void **state) {
  (void)state;
  ripstop_runs *b = open_runs(BROKEN "}\n"),
               *goal = open_runs(BROKEN ", precision: {value: accepted, relative: 0.5}}\n");
  ripstop_text plain = {0}, other = {0};
  ripstop_run_canonical(&b->run[0], &plain);
  ripstop_run_canonical(&goal->run[0], &other);
  assert_null(strstr(plain.data, "precision"));
  assert_non_null(strstr(other.data, "measure.precision.relative=0.5\n"));
  ripstop_text_free(&plain);
  ripstop_text_free(&other);
  assert_string_not_equal(b->run[0].id, goal->run[0].id);
  close_runs(b);
  close_runs(goal);
}

static void mistakes_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {BROKEN ", precision: {value: accepted}}\n", "x.yaml:4: measure.precision: value needs relative or absolute"},
      {BROKEN ", precision: {relative: 0.1}}\n", "x.yaml:4: measure.precision: relative and absolute need a value"},
      {BROKEN ", precision: {value: acepted, relative: 0.1}}\n",
       "x.yaml:4: measure.precision.value: no run has a value 'acepted'; did you mean 'accepted'?"},
      {BROKEN ", precision: {value: stops.detecting, relative: 0.1}}\n",
       "x.yaml:4: measure.precision.value: no run has a value 'stops.detecting' without reaction.model: static"},
      {BROKEN ", precision: {valeu: accepted, relative: 0.1}}\n",
       "x.yaml:4: key 'valeu' is unknown; did you mean 'value'?"},
      {BROKEN ", presision: {value: accepted}}\n", "x.yaml:4: key 'presision' is unknown; did you mean 'precision'?"},
      {BROKEN ", precision: {value: accepted, relative: 0.1, grow: sample}}\n",
       "x.yaml:4: measure.precision: option 'grow': unknown word 'sample'; did you mean 'samples'?"},
      {BROKEN ", precision: {value: accepted, relative: 0.1, grow: samples}}\nfaults: {count: 1, samples: 3}\n",
       "x.yaml:4: measure.precision: grow: samples draws its own; leave out faults.samples"},
      {BROKEN ", precision: 3}\n", "x.yaml:4: measure.precision must be a list of 'key: value'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", cases[i].text, strlen(cases[i].text), NULL, &err);
    assert_null(spec);
    if (strncmp(err.text, cases[i].message, strlen(cases[i].message)) != 0)
      fail_msg("'%s', not '%s'", err.text, cases[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_ends_at_a_look_and_is_a_plain_one),
                                     cmocka_unit_test(what_cannot_be_reached_is_reported),
                                     cmocka_unit_test(intervals_cover_however_often_was_looked),
                                     cmocka_unit_test(samples_grow_and_are_those_of_experiments),
                                     cmocka_unit_test(a_run_without_the_value_is_an_error),
                                     cmocka_unit_test(runs_without_a_goal_keep_their_names),
                                     cmocka_unit_test(mistakes_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
