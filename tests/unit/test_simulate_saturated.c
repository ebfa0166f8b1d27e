/* test_simulate_saturated.c - the values `unserved` and `saturated` beside what arithmetic says: a ring of neighbours
 * with two places a queue carries L flits in L + D + R + K cycles, a link into a hot end node one flit a cycle. Seeds
 * are fixed; what is counted over them are errors of the first kind, of the second kind, and intervals that cover. */
#include <math.h>

#include "scene.h"

enum { SEEDS = 60 };

typedef struct found {
  double saturated, unserved, half;
  ripstop_verdict verdict;
} found;

static const ripstop_value *value(const ripstop_run_result *r, const char *name) {
  for (size_t i = 0; i < r->values; i++)
    if (!strcmp(r->value[i].name, name)) return &r->value[i];
  fail_msg("there is no value %s", name);
  return NULL;
}

static found look(scene *s, uint64_t seed) {
  s->sim.seed = seed;
  ripstop_run_result r = scene_run(s);
  const ripstop_value *unserved = value(&r, "unserved");
  found f = {value(&r, "saturated")->value, unserved->value, unserved->half, r.verdict};
  ripstop_run_result_free(&r);
  return f;
}

/* Counts the seeds that are called saturated at that load. */
static unsigned called(scene *s, double load) {
  unsigned count = 0;
  s->sim.traffic.load = load;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) count += look(s, seed).saturated == 1;
  return count;
}

static const double loop = 16.0 / 19; /* the ring's throughput: docs/validation.md, "Bounds" */

static scene *open_ring(void) {
  return scene_open("torus:6", "dor:bubble=on",
                    "pattern=neighbour in_queue=2 packet=16 link=1 pipeline=1 credit=1 warmup=2000 cycles=20000");
}

/* Below what is carried queues come and go for long, and may grow while they are looked at: an interval of 95 % errs on
 * this side in at most 2.5 of 100. */
static void a_ring_saturates_where_arithmetic_says(void **state) {
  (void)state;
  scene *s = open_ring();
  unsigned light = called(s, 0.5), below = called(s, 0.97 * loop), above = called(s, 1.06 * loop);
  if (light) fail_msg("at half the load %u of %d are called saturated", light, SEEDS);
  if (below > 4) fail_msg("3 %% below %u of %d are called saturated", below, SEEDS);
  if (above < SEEDS) fail_msg("6 %% above only %u of %d are called saturated", above, SEEDS);
  scene_close(s);
}

/* 2 of 100 more than is carried: too little for the verdict, which wants more than that. */
static void little_is_enough_if_it_is_certain(void **state) {
  (void)state;
  scene *s = open_ring();
  scene_set(s, "process=periodic");
  s->sim.traffic.load = 1.01 * loop;
  found f = look(s, 1);
  assert_int_equal(f.verdict, RIPSTOP_STEADY);
  assert_true(f.saturated == 1);
  assert_true(fabs(f.unserved - 0.01 * loop) < 0.0005);
  s->sim.traffic.load = 0.999 * loop;
  assert_true(look(s, 1).saturated == 0);
  scene_close(s);
}

static void the_interval_covers_what_is_not_carried(void **state) {
  (void)state;
  scene *s = open_ring();
  unsigned covered = 0;
  double truth = 0.95 - loop;
  s->sim.traffic.load = 0.95;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    found f = look(s, seed);
    covered += fabs(f.unserved - truth) <= f.half;
  }
  if (covered < 52) fail_msg("%u of %d intervals cover the truth", covered, SEEDS);
  scene_close(s);
}

/* All but one send to one end node, whose link carries one flit a cycle. */
static void a_hot_end_node_saturates_at_its_link(void **state) {
  (void)state;
  scene *s =
      scene_open("kary-ntree:k=4,n=2", "updown", "pattern=hotspot:end=0,share=1 packet=4 warmup=4000 cycles=30000");
  unsigned below = called(s, 0.93 / 15), above = called(s, 1.07 / 15);
  if (below > 4) fail_msg("below %u of %d are called saturated", below, SEEDS);
  if (above < SEEDS) fail_msg("above only %u of %d are called saturated", above, SEEDS);
  scene_close(s);
}

/* A lost packet counts as served: a lossy run is saturated by its load and not by its losses, whatever the verdict. */
static void a_lossy_method_saturates_as_others_do(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=4,n=2", "updown", "packet=4 warmup=2000 cycles=8000");
  scene_break(s, "0/0/4 0/1/5");
  static const double loads[] = {0.1, 0.4, 1};
  for (int i = 0; i < 3; i++) {
    s->sim.traffic.load = loads[i];
    found f = look(s, 1);
    assert_int_equal(f.verdict, RIPSTOP_LOSSY);
    assert_true(f.saturated == (loads[i] == 1));
  }
  scene_close(s);
}

/* While the network fills, more is offered than delivered, but the sources do not grow. */
static void filling_is_not_saturation(void **state) {
  (void)state;
  scene *s = scene_open("torus:8x8", "minimal-adaptive", "load=0.3 packet=16 warmup=0 cycles=200 link=40");
  found f = look(s, 1);
  assert_true(f.unserved > f.half);
  assert_true(f.saturated == 0);
  scene_close(s);
}

static void nothing_offered_is_not_saturated(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "minimal-adaptive", "load=0");
  found f = look(s, 1);
  assert_true(f.saturated == 0 && f.unserved == 0);
  scene_close(s);
}

/* Batches of few cycles seem to rise together now and then, and `unserved` has no interval: `saturated` is then 0. */
static void it_is_given_without_an_interval(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=4,n=3", "misroute", "load=0.3 cycles=60");
  unsigned without = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    found f = look(s, seed);
    assert_true(f.saturated == 0 || (f.saturated == 1 && isfinite(f.half)));
    without += isinf(f.half) != 0;
  }
  print_message("%u of %d runs have no interval\n", without, SEEDS);
  assert_true(without > 0);
  scene_close(s);
}

/* However many batches are allowed: a network that fills while it is measured has a drift beyond its interval. */
static void every_number_of_batches_shows_a_drift(void **state) {
  (void)state;
  static const int64_t batches[] = {20, 21, 39, 40, 41, 79, 80, 999, 1000};
  scene *s = scene_open("kary-ntree:k=4,n=3", "misroute", "load=0.9 cycles=10000");
  for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
    s->sim.measure.batches = batches[i];
    ripstop_run_result r = scene_run(s);
    const ripstop_value *drift = value(&r, "latency.drift");
    print_message("%d batches: drift %g +- %g\n", (int)batches[i], drift->value, drift->half);
    assert_true(fabs(drift->value) > drift->half);
    ripstop_run_result_free(&r);
  }
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_saturates_where_arithmetic_says),  cmocka_unit_test(little_is_enough_if_it_is_certain),
      cmocka_unit_test(the_interval_covers_what_is_not_carried), cmocka_unit_test(a_hot_end_node_saturates_at_its_link),
      cmocka_unit_test(a_lossy_method_saturates_as_others_do),   cmocka_unit_test(filling_is_not_saturation),
      cmocka_unit_test(nothing_offered_is_not_saturated),        cmocka_unit_test(it_is_given_without_an_interval),
      cmocka_unit_test(every_number_of_batches_shows_a_drift)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
