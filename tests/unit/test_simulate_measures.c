/* test_simulate_measures.c - measured numbers against what is known of them: a queue with a formula, intervals that
 * cover the truth as often as they say, hot spots, links that carry what the patterns send over them. */
#include <math.h>

#include "base/statistics.h"
#include "ripstop/kit/fabrics.h"
#include "scene.h"

static const ripstop_value *value(const ripstop_run_result *r, const char *name) {
  for (size_t i = 0; i < r->values; i++)
    if (strcmp(r->value[i].name, name) == 0) return &r->value[i];
  fail_msg("no value %s", name);
  return NULL;
}

enum { RUNS = 60 };

/* Two end nodes on a switch: each network interface is a queue with one server, and nothing else holds packets up.
 * Arrivals: one in a cycle with probability p; service: L cycles. The mean wait in such a Geo/D/1 queue is
 * p L (L - 1) / 2 (1 - p L). */
static void a_queue_waits_as_its_formula_says(void **state) {
  (void)state;
  const double load = 0.6, length = 8, p = load / length;
  const double wait = p * length * (length - 1) / (2 * (1 - load)), truth = 2 + 1 + length - 1 + wait;
  scene *s = scene_open("kary-ntree:k=2,n=1", "updown", "packet=8 load=0.6 warmup=2000 cycles=16000");
  double mean[RUNS], covered[2] = {0};
  for (int run = 0; run < RUNS; run++) {
    s->sim.seed = (uint64_t)run + 1;
    ripstop_run_result r = scene_run(s);
    const ripstop_value *latency = value(&r, "latency.mean"), *accepted = value(&r, "accepted");
    assert_int_equal(r.verdict, RIPSTOP_STEADY);
    assert_string_equal(latency->unit, "cycles");
    mean[run] = latency->value;
    covered[0] += fabs(latency->value - truth) <= latency->half;
    covered[1] += fabs(accepted->value - load) <= accepted->half;
    ripstop_run_result_free(&r);
  }
  double half = ripstop_mean_half_width(mean, RUNS, 0.999), all = ripstop_mean(mean, RUNS);
  if (fabs(all - truth) > half) fail_msg("latency %g +- %g, expected %g", all, half, truth);
  assert_true(half < 0.05 * truth);
  /* 51 or more of 60 intervals at 95 % cover the truth in 999 of 1000 tries; they need not be so wide that all do */
  for (int i = 0; i < 2; i++)
    if (covered[i] < 51) fail_msg("%g of %d intervals cover the truth", covered[i], RUNS);
  scene_close(s);
}

/* Intervals of a whole network: accepted covers the offered load, and halves shrink with their confidence. */
static void intervals_cover_the_offered_load(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "minimal-adaptive", "packet=4 load=0.25 warmup=500 cycles=4000");
  double covered = 0;
  for (int run = 0; run < RUNS; run++) {
    s->sim.seed = (uint64_t)run + 100;
    scene_set(s, "confidence=0.95");
    ripstop_run_result r = scene_run(s);
    scene_set(s, "confidence=0.5");
    ripstop_run_result narrow = scene_run(s);
    covered += fabs(value(&r, "accepted")->value - 0.25) <= value(&r, "accepted")->half;
    assert_true(value(&narrow, "accepted")->half < 0.5 * value(&r, "accepted")->half);
    assert_true(value(&narrow, "accepted")->value == value(&r, "accepted")->value);
    ripstop_run_result_free(&r);
    ripstop_run_result_free(&narrow);
  }
  if (covered < 51) fail_msg("%g of %d intervals cover the load", covered, RUNS);
  scene_close(s);
}

static void offered_is_what_was_asked_for(void **state) {
  (void)state;
  const char *const options[] = {"load=0.3 packet=1", "load=0.3 packet=16 process=poisson",
                                 "load=0.9 packet=3:0.8/19:0.2 process=on-off:on=30,off=90",
                                 "load=0.05 packet=7 process=periodic", "load=1 packet=2 classes=3/1"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    scene *s = scene_open("kary-ntree:k=4,n=3", "misroute", options[i]);
    scene_set(s, "warmup=300 cycles=6000");
    ripstop_run_result r = scene_run(s);
    double load = s->sim.traffic.load;
    assert_true(fabs(value(&r, "offered")->value - load) < 0.05 * load);
    if (strstr(options[i], "classes")) {
      double one = value(&r, "class1.accepted")->value, two = value(&r, "class2.accepted")->value;
      assert_true(fabs(one + two - value(&r, "accepted")->value) < 1e-12);
    }
    if (r.verdict == RIPSTOP_STEADY) assert_true(fabs(value(&r, "accepted")->value - load) < 0.05 * load);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static void classes_are_served_in_their_shares(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "minimal-adaptive", "load=0.3 packet=3:0.8/19:0.2 classes=0.40/0.35/0.25");
  scene_set(s, "cycles=20000 warmup=500");
  ripstop_run_result r = scene_run(s);
  const char *const name[] = {"class1.accepted", "class2.accepted", "class3.accepted"};
  const double share[] = {0.40, 0.35, 0.25};
  for (int c = 0; c < 3; c++) assert_true(fabs(value(&r, name[c])->value / (0.3 * share[c]) - 1) < 0.06);
  assert_int_equal(r.verdict, RIPSTOP_STEADY);
  ripstop_run_result_free(&r);
  scene_close(s);
}

static void a_hot_end_gets_its_share(void **state) {
  (void)state;
  scene *s =
      scene_open("kary-ntree:k=4,n=2", "updown", "load=0.1 packet=2 pattern=hotspot:end=5,share=0.25 cycles=8000");
  ripstop_run_result r = scene_run(s);
  double hot = 0, all = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    if (s->delivered[i].source == 5) continue;
    all++;
    hot += s->delivered[i].destination == 5;
  }
  double expected = 0.25 + 0.75 / 15;
  assert_true(all > 4000);
  assert_true(fabs(hot / all - expected) < 4 * sqrt(expected * (1 - expected) / all));
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* A ring with everyone sending one to the right: those links carry the load, the others nothing. */
static void links_carry_what_is_sent_over_them(void **state) {
  (void)state;
  scene *s =
      scene_open("torus:8", "dor", "load=0.5 packet=5 process=periodic pattern=neighbour warmup=100 cycles=5000");
  ripstop_run_result r = scene_run(s);
  assert_true(fabs(value(&r, "link-use.max")->value - 0.5) < 0.002);
  assert_true(fabs(value(&r, "link-use.mean")->value - 0.25) < 0.001);
  assert_true(value(&r, "hops.mean")->value == 1);
  assert_true(r.hops >= r.account.delivered);
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* Uniform traffic on a torus: mean hops as the fabric's own distances say; what all links carry is load times hops. */
static void hops_are_distances(void **state) {
  (void)state;
  const struct {
    const char *fabric, *method;
  } cases[] = {{"torus:4x4", "dor:dateline=on"}, {"kary-ntree:k=3,n=3", "misroute"}, {"mport-ntree:m=4,n=3", "updown"}};
  for (size_t i = 0; i < 3; i++) {
    scene *s = scene_open(cases[i].fabric, cases[i].method, "load=0.2 packet=2 warmup=500 cycles=6000");
    ripstop_run_result r = scene_run(s);
    ripstop_span span;
    ripstop_fabric_span(s->fabric, 1000, &span);
    double hops = value(&r, "hops.mean")->value, channels = 2.0 * (s->fabric->links - s->fabric->link_ends);
    double carried = value(&r, "link-use.mean")->value * channels / s->fabric->ends;
    assert_true(fabs(hops - (span.mean - 2)) < 0.05);
    assert_true(fabs(carried / (value(&r, "accepted")->value * hops) - 1) < 0.01);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static void values_without_packets_are_left_out(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "dor", "load=0 cycles=500");
  ripstop_run_result r = scene_run(s);
  assert_true(isnan(ripstop_run_result_value(&r, "latency.mean")));
  assert_true(ripstop_run_result_value(&r, "accepted") == 0 && ripstop_run_result_value(&r, "packets") == 0);
  assert_true(ripstop_run_result_value(&r, "lost.share") == 0);
  assert_true(isnan(ripstop_run_result_value(&r, "no such value")));
  ripstop_run_result_free(&r);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_queue_waits_as_its_formula_says),
                                     cmocka_unit_test(intervals_cover_the_offered_load),
                                     cmocka_unit_test(offered_is_what_was_asked_for),
                                     cmocka_unit_test(classes_are_served_in_their_shares),
                                     cmocka_unit_test(a_hot_end_gets_its_share),
                                     cmocka_unit_test(links_carry_what_is_sent_over_them),
                                     cmocka_unit_test(hops_are_distances),
                                     cmocka_unit_test(values_without_packets_are_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
