/* test_experiment_saturation.c - the load at which a network saturates, found by bisection, beside arithmetic: a ring
 * of neighbours with two places a queue carries L flits in L + D + R + K cycles (tests/unit/test_bounds.c), the link
 * into a hot end node one flit a cycle. Seeds are fixed. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "ripstop/kit/experiment.h"

/* Every run's interval must cover the truth and be as narrow as requested. All checks of a run together err in at most
 * 5 of 100 cases, and the runs here are few. */
static void covers(const char *text, double truth, double relative) {
  ripstop_runs *b = open_runs(text);
  for (size_t i = 0; i < b->count; i++) {
    ripstop_outcome o;
    assert_int_equal(ripstop_run_execute(&b->run[i], NULL, &o), 0);
    const ripstop_value *load = value_of(&o, "saturation.load");
    print_message("%.4f: %.4f +- %.4f, accepted %.4f, %g probes\n", truth, load->value, load->half,
                  value_of(&o, "saturation.accepted")->value, value_of(&o, "saturation.probes")->value);
    assert_true(value_of(&o, "saturation.found")->value == 1);
    assert_true(fabs(load->value - truth) <= load->half);
    assert_true(load->half <= 1.001 * relative * load->value);
    ripstop_outcome_free(&o);
  }
  close_runs(b);
}

static void a_ring_saturates_at_its_loop(void **state) {
  (void)state;
  covers("fabric: torus:6\nmethod: dor:bubble=on\nseed: [1, 2, 3, 4]\n"
         "traffic: {load: saturation, pattern: neighbour, packet: 16, process: periodic}\n"
         "switch: {in_queue: 2, link: 1, pipeline: 1, credit: 1}\nmeasure: {warmup: 2000, cycles: 6000}\n",
         16.0 / 19, 0.02);
}

static void chance_widens_no_promise(void **state) {
  (void)state;
  covers("fabric: torus:6\nmethod: dor:bubble=on\nseed: [1, 2, 3, 4, 5, 6]\n"
         "traffic: {load: saturation, pattern: neighbour, packet: 4}\n"
         "switch: {in_queue: 2, link: 3, pipeline: 2, credit: 5}\n"
         "measure: {warmup: 2000, cycles: 16000, precision: {value: saturation.load, relative: 0.05}}\n",
         4.0 / 14, 0.05);
}

static void a_hot_end_node_saturates_at_its_link(void **state) {
  (void)state;
  covers("fabric: kary-ntree:k=4,n=2\nmethod: updown\nseed: [1, 2]\n"
         "traffic: {load: saturation, pattern: 'hotspot:end=0,share=1', packet: 4}\n"
         "measure: {warmup: 4000, cycles: 20000, precision: {value: saturation.load, relative: 0.04}}\n",
         1.0 / 15, 0.04);
}

/* Neighbours with enough places fill every link: no load is above. */
static void what_carries_everything_is_reported(void **state) {
  (void)state;
  ripstop_runs *b = open_runs("fabric: torus:6\nmethod: dor:bubble=on\n"
                              "traffic: {load: saturation, pattern: neighbour, packet: 16, process: periodic}\n"
                              "switch: {in_queue: 4}\nmeasure: {warmup: 2000, cycles: 4000}\n");
  ripstop_outcome o;
  assert_int_equal(ripstop_run_execute(&b->run[0], NULL, &o), 0);
  assert_true(value_of(&o, "saturation.load")->value == 1 && isnan(value_of(&o, "saturation.load")->half));
  assert_true(value_of(&o, "saturation.found")->value == 0);
  assert_in_range(value_of(&o, "saturation.probes")->value, 1, 5);
  ripstop_outcome_free(&o);
  close_runs(b);
}

/* With the defaults: near saturation a probe of the shortest length has too wide an interval, the longest decides. */
static void defaults_are_enough(void **state) {
  (void)state;
  ripstop_runs *b = open_runs("fabric: kary-ntree:k=4,n=2\nmethod: misroute\nseed: [1, 2, 3, 4]\n"
                              "traffic: {load: saturation}\n");
  for (size_t i = 0; i < b->count; i++) {
    ripstop_outcome o;
    assert_int_equal(ripstop_run_execute(&b->run[i], NULL, &o), 0);
    const ripstop_value *load = value_of(&o, "saturation.load");
    print_message("%.4f +- %.4f, %g probes\n", load->value, load->half, value_of(&o, "saturation.probes")->value);
    assert_true(value_of(&o, "saturation.found")->value == 1);
    assert_true(load->half <= 0.0201 * load->value);
    ripstop_outcome_free(&o);
  }
  close_runs(b);
}

/* Runs too short to tell 1 from what is carried: a wide interval, and no claim. */
static void what_cannot_be_told_is_wide(void **state) {
  (void)state;
  ripstop_runs *b = open_runs("fabric: torus:4x4\nmethod: minimal-adaptive\ntraffic: {load: saturation}\n"
                              "measure: {warmup: auto, cycles: 125}\n");
  ripstop_outcome o;
  assert_int_equal(ripstop_run_execute(&b->run[0], NULL, &o), 0);
  const ripstop_value *load = value_of(&o, "saturation.load");
  print_message("%.4f +- %.4f\n", load->value, load->half);
  assert_true(value_of(&o, "saturation.found")->value == 0);
  assert_true(load->half > 0.02 * load->value && load->value + load->half == 1);
  ripstop_outcome_free(&o);
  close_runs(b);
}

/* It may stand beside numbers, whose runs keep their names. */
static void it_stands_beside_numbers(void **state) {
  (void)state;
  ripstop_runs *b = open_runs("fabric: torus:4\nmethod: dor:bubble=on\ntraffic: {load: [0.1, saturation]}\n");
  ripstop_runs *goal = open_runs("fabric: torus:4\nmethod: dor:bubble=on\ntraffic: {load: [0.1, saturation]}\n"
                                 "measure: {precision: {value: saturation.load, relative: 0.3}, cycles: 2000}\n");
  ripstop_outcome o;
  assert_int_equal(ripstop_run_execute(&goal->run[0], NULL, &o), 0);
  assert_string_equal(o.verdict, "steady"); /* at a given load there is none to search for */
  ripstop_outcome_free(&o);
  close_runs(goal);
  ripstop_runs *plain = open_runs("fabric: torus:4\nmethod: dor:bubble=on\ntraffic: {load: 0.1}\n");
  assert_int_equal(b->count, 2);
  assert_string_equal(b->run[0].id, plain->run[0].id);
  assert_string_equal(ripstop_run_key(&b->run[0], "traffic.load"), "0.1");
  assert_string_equal(ripstop_run_key(&b->run[1], "traffic.load"), "saturation");
  close_runs(b);
  close_runs(plain);
}

static void mistakes_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"fabric: torus:4\nmethod: dor\ntraffic: {load: saturatoin}\n",
       "x.yaml:3: traffic.load 'saturatoin' is unknown; did you mean 'saturation'?"},
      {"fabric: torus:4\nmethod: dor\ntraffic: {load: 3}\n", "x.yaml:3: traffic: option 'load': 3 is out of range"},
      {"fabric: torus:4\nmethod: dor\ntraffic: {load: 0.1}\nmeasure: {precision: {value: saturation.load, "
       "relative: 0.1}}\n",
       "x.yaml:4: measure.precision.value: saturation.load goes with traffic.load: saturation"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    assert_null(ripstop_spec_read_memory("x.yaml", cases[i].text, strlen(cases[i].text), NULL, &err));
    if (strncmp(err.text, cases[i].message, strlen(cases[i].message)) != 0)
      fail_msg("'%s', not '%s'", err.text, cases[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ring_saturates_at_its_loop),
                                     cmocka_unit_test(chance_widens_no_promise),
                                     cmocka_unit_test(a_hot_end_node_saturates_at_its_link),
                                     cmocka_unit_test(what_carries_everything_is_reported),
                                     cmocka_unit_test(defaults_are_enough),
                                     cmocka_unit_test(what_cannot_be_told_is_wide),
                                     cmocka_unit_test(it_stands_beside_numbers),
                                     cmocka_unit_test(mistakes_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
