/* test_simulate_shares.c - the shares of a link: weighted shares per virtual channel exactly under backlog, fair turns
 * under round-robin, and the unused shares for channels that demand more. Five end nodes around one switch, all sending
 * to end node 0 as fast as they can; every traffic class has a channel of its own. */
#include <math.h>

#include "scene.h"
#include "simulate/source.h"

enum { CYCLES = 20000 };

static ripstop_run_result run_star(scene **out, const char *method, const char *options) {
  scene *s = *out = scene_open("kary-ntree:k=5,n=1", method, "load=1 pattern=hotspot:end=0,share=1 warmup=1000");
  scene_set(s, options);
  s->sim.measure.cycles = CYCLES;
  return scene_run(s);
}

/* Flits of a class that end node 0 got in the measured cycles; the lengths of the packets are drawn once more. */
static double flits_to_hot_end(const scene *s, uint32_t classes, uint32_t class_) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_sources *sources = ripstop_sources_open(arena, s->fabric, &s->sim.traffic, s->sim.seed, &err);
  uint32_t streams = s->fabric->ends * classes;
  uint64_t sum = 0;
  for (uint32_t stream = class_; stream < streams; stream += classes) {
    ripstop_source source;
    ripstop_source_open(sources, stream, &source);
    for (size_t i = 0; i < s->deliveries; i++) { /* a stream's packets to one end node arrive in order */
      const delivery *d = &s->delivered[i];
      if (d->packet % streams != stream || d->destination != 0) continue;
      while (source.number < d->packet / streams) ripstop_source_next(sources, stream, &source);
      assert_int_equal(source.generated_at, d->generated_at);
      if (d->at >= 1000) sum += source.flits;
    }
  }
  ripstop_arena_free(arena);
  return (double)sum;
}

/* The bound of arbiters/weighted.c, with one more packet of each channel for the edges of the interval. */
static void assert_shares(const char *shares, const double *share, uint32_t classes, const char *options) {
  char method[64], all[256];
  scene *s;
  snprintf(method, sizeof method, "test-lanes:channels=%u", classes);
  snprintf(all, sizeof all, "arbiter=weighted:shares=%s %s", shares, options);
  ripstop_run_result result = run_star(&s, method, all);
  double sum = 0, got[RIPSTOP_CLASSES_MAX], packet = 8;
  for (uint32_t c = 0; c < classes; c++) sum += got[c] = flits_to_hot_end(s, classes, c);
  assert_true(fabs(sum - CYCLES) <= 2 * packet); /* the link never idles */
  for (uint32_t c = 0; c < classes; c++)
    for (uint32_t d = 0; d < c; d++)
      if (fabs(got[c] / share[c] - got[d] / share[d]) > 2 * packet / share[c] + 2 * packet / share[d])
        fail_msg("%s: channel %u got %g flits, channel %u %g", all, c, got[c], d, got[d]);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void backlogged_channels_get_their_shares_exactly(void **state) {
  (void)state;
  assert_shares("1/1", (const double[]){1, 1}, 2, "packet=8 classes=1/1");
  assert_shares("1/3", (const double[]){1, 3}, 2, "packet=8 classes=1/1");
  assert_shares("7/2", (const double[]){7, 2}, 2, "packet=8 classes=1/1 flow=xonxoff in_queue=6");
  assert_shares("1/35/54/10", (const double[]){1, 35, 54, 10}, 4, "packet=8 classes=1/1/1/1");
  assert_shares("7/2", (const double[]){7, 2}, 2, "packet=8 classes=1/1 out_queue=4");
}

/* The first class needs 4 x 2 % of the link, less than its share; the second takes what is left. */
static void what_a_channel_leaves_goes_to_the_others(void **state) {
  (void)state;
  scene *s;
  ripstop_run_result result =
      run_star(&s, "test-lanes:channels=2", "packet=8 classes=2/98 arbiter=weighted:shares=9/1 process=poisson");
  double first = flits_to_hot_end(s, 2, 0), second = flits_to_hot_end(s, 2, 1);
  assert_true(fabs(first + second - CYCLES) <= 16);
  assert_true(first > 0.06 * CYCLES && first < 0.10 * CYCLES);
  /* and it does not wait behind the backlog: a full queue of the other class would take thousands of cycles */
  assert_true(ripstop_run_result_value(&result, "class1.network-latency.mean") < 60);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Four channels, two of which demand less than their shares: they get their whole demand, and the other two divide the
 * rest by their shares, exactly, since both always have packets. Demands of the link: 1.6, 0.05, 2.334 and 0.016. */
static void the_division_is_max_min_fair(void **state) {
  (void)state;
  static const double share[] = {1, 35, 54, 10}, wanted[] = {0, 0.05, 0, 0.016};
  scene *s;
  ripstop_run_result result = run_star(&s, "test-lanes:channels=4",
                                       "packet=8 classes=0.4/0.0125/0.5835/0.004 arbiter=weighted:shares=1/35/54/10 "
                                       "process=poisson");
  double got[4], rest = CYCLES, packet = 8;
  for (uint32_t c = 0; c < 4; c++) got[c] = flits_to_hot_end(s, 4, c);
  for (uint32_t c = 1; c < 4; c += 2) {
    rest -= got[c];
    assert_true(fabs(got[c] / CYCLES - wanted[c]) < 0.3 * wanted[c]); /* generations are random */
  }
  assert_true(fabs(got[0] - rest * share[0] / (share[0] + share[2])) <= 4 * packet);
  assert_true(fabs(got[2] - rest * share[2] / (share[0] + share[2])) <= 6 * packet);
  assert_true(ripstop_run_result_value(&result, "class2.network-latency.mean") < 60);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void round_robin_serves_the_senders_in_turn(void **state) {
  (void)state;
  scene *s;
  ripstop_run_result result = run_star(&s, "updown", "packet=8");
  uint32_t got[5] = {0};
  for (size_t i = 0; i < s->deliveries; i++)
    if (s->delivered[i].destination == 0 && s->delivered[i].at >= 1000) got[s->delivered[i].source]++;
  for (uint32_t e = 2; e < 5; e++) assert_in_range(got[e], got[1] - 1, got[1] + 1);
  assert_in_range(got[1] + got[2] + got[3] + got[4], CYCLES / 8 - 1, CYCLES / 8 + 1);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Round-robin takes turns by packets, so long packets get more of the link; shares are of flits. */
static void shares_are_of_flits_not_of_packets(void **state) {
  (void)state;
  scene *s;
  ripstop_run_result result =
      run_star(&s, "test-lanes:channels=2", "packet=2:1/14:1 classes=1/1 arbiter=weighted:shares=1/1");
  double one = flits_to_hot_end(s, 2, 0), two = flits_to_hot_end(s, 2, 1);
  assert_true(one > 0.49 * CYCLES && fabs(one - two) <= 4 * 14);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(backlogged_channels_get_their_shares_exactly),
      cmocka_unit_test(what_a_channel_leaves_goes_to_the_others), cmocka_unit_test(the_division_is_max_min_fair),
      cmocka_unit_test(round_robin_serves_the_senders_in_turn), cmocka_unit_test(shares_are_of_flits_not_of_packets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
