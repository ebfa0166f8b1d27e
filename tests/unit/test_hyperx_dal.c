/* test_hyperx_dal.c - the method `hyperx-dal`: no deadlock with its escape, how far packets go, and the throughput of
 * permutations that minimal routes carry worst. */
#include "conformance/trial.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

/* At most a detour in each dimension, on two channels. */
static void no_deadlock_and_twice_the_dimensions(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t hops; /* end links included */
  } known[] = {
      {"hyperx:3x3", 6}, {"hyperx:2x2x2", 5}, {"hyperx:3x2,k=1x2,p=2", 5}, {"hyperx:4x4,p=2", 6}, {"hyperx:5", 4}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    trial *t = trial_open(known[i].fabric, "hyperx-dal", "");
    if (!t->proved) fail_msg("%s: %s", known[i].fabric, t->err.text);
    assert_true(t->proof.tolerated && t->proof.deadlock_free && t->proof.livelock_free);
    assert_int_equal(t->plan->channels, 2);
    if (t->proof.max_hops != known[i].hops) fail_msg("%s: %u hops", known[i].fabric, t->proof.max_hops);
    trial_close(t);
  }
}

/* The number of links behind each candidate is its weight. The minimal candidates use the escape too, in dimension
 * order, after the others. */
static void candidates_are_straight_or_once_aside(void **state) {
  (void)state;
  trial *t = trial_open("hyperx:4x4", "hyperx-dal", "");
  ripstop_candidate candidate[32];
  ripstop_head head = {.node = t->fabric->ends, .in_port = 0, .source = 0, .destination = 15};
  assert_int_equal(ripstop_route(t->plan, &head, candidate), 7); /* 2 dimensions x 3 ports, and the escape */
  uint32_t straight = 0, aside = 0;
  for (int i = 0; i < 7; i++) {
    bool escape = candidate[i].channel == 0;
    assert_int_equal(candidate[i].rank, escape);
    assert_int_equal(candidate[i].weight, candidate[i].header ? 3 : 2);
    straight += !candidate[i].header && !escape;
    aside += candidate[i].header != 0;
  }
  assert_int_equal(straight, 2);
  assert_int_equal(aside, 4);
  head.header = 3; /* both spent */
  assert_int_equal(ripstop_route(t->plan, &head, candidate), 3);
  trial_close(t);
}

static double accepted(const char *method, const char *options) {
  scene *s = scene_open("hyperx:4x4,p=4", method, "selection=weighted in_queue=8 warmup=1000 cycles=3000");
  scene_set(s, options);
  ripstop_run_result r = scene_run(s);
  double value = ripstop_run_result_value(&r, "accepted");
  ripstop_run_result_free(&r);
  scene_close(s);
  return value;
}

/* Against tornado and reverse, minimal routes carry 1/4; no method carries more than 3/4. */
static void permutations_go_aside(void **state) {
  (void)state;
  static const char *const patterns[] = {"pattern=tornado load=0.8", "pattern=reverse load=0.8"};
  for (size_t i = 0; i < 2; i++) {
    double minimal = accepted("minimal", patterns[i]), dal = accepted("hyperx-dal", patterns[i]);
    if (minimal > 1.01 / 4) fail_msg("minimal %g of 1/4", minimal);
    if (dal < 1.4 * minimal || dal > 0.75) fail_msg("dal %g, minimal %g", dal, minimal);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_deadlock_and_twice_the_dimensions),
                                     cmocka_unit_test(candidates_are_straight_or_once_aside),
                                     cmocka_unit_test(permutations_go_aside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
