/* test_ordered_simulate.c - ordered under traffic beyond saturation, while links and routers fail and return: only what
 * was on a failing link or in a failing router is lost, nothing arrives twice, nothing stands still, and the throughput
 * hardly falls. That the account of the packets balances is the engine's own check. */
#include "overload.h"

enum { HISTORIES = 42 };

/* Quick enough for several repairs in a short run. */
#define QUICK "ordered:rank_cycles=10,entry_cycles=40,hold_cycles=4000"

static void only_what_was_on_failing_links_is_lost(void **state) {
  (void)state;
  for (uint32_t number = 0; number < HISTORIES; number++) overload_history(number, QUICK);
}

/* Every packet that could become a guest finds no room: what stands in the way of others is dropped in the end. */
static void without_guests_nothing_deadlocks(void **state) {
  (void)state;
  ripstop_stream random = ripstop_stream_open(10, RIPSTOP_RANDOM_TEST, 0);
  ripstop_change change[OVERLOAD_CHANGES];
  for (uint32_t number = 0; number < 12; number++) {
    scene *s = scene_open(number % 2 ? "torus:4x4" : "torus:5x4", QUICK ",guests=0",
                          "load=1 packet=4 in_queue=2 cycles=12000 window=1000 check=200");
    s->schedule = (ripstop_schedule){.count = draw_links(s, &random, change), .change = change};
    ripstop_result result = scene_run(s);
    if (result.verdict == RIPSTOP_DEADLOCKED) fail_msg("%u: %s", number, result.witness);
    assert_true(delivered_between(&result, 11000, 12000) > 0);
    assert_true(value(&result, "lost.link died") + value(&result, "lost.no room for guests") ==
                (double)result.account.lost);
    ripstop_result_free(&result);
    scene_close(s);
  }
}

/* ------------------------------------------------------------------ stories */

/* One link dies beyond saturation, another near the root: the others go on. */
static void throughput_hardly_falls(void **state) {
  (void)state;
  static const char *const dying[] = {"3.3/0@5000", "0.0/1@5000"};
  for (uint32_t i = 0; i < 2; i++) {
    scene *s = scene_open("torus:8x8", "ordered", "load=1 packet=16 in_queue=4 cycles=16000 window=200");
    scene_schedule(s, dying[i]);
    ripstop_result result = scene_run(s);
    double before = delivered_between(&result, 3000, 5000);
    assert_true(before > 64 * 0.65);
    for (uint64_t cycle = 5000; cycle < 15000; cycle += 1000)
      assert_true(delivered_between(&result, cycle, cycle + 1000) > 0.9 * before);
    assert_true(value(&result, "lost.link died") == (double)result.account.lost);
    assert_nothing_twice(s);
    ripstop_result_free(&result);
    scene_close(s);
  }
}

/* Two routers die, the root first, and return. Packets to them are given up; then they get through again. */
static void routers_die_and_return(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", QUICK, "load=0.1 packet=4 in_queue=4 cycles=24000 window=500");
  scene_schedule(s, "switch:0.0@3000 switch:2.2@3000 switch:0.0+@12000 switch:2.2+@12500");
  ripstop_result result = scene_run(s);
  double known =
      value(&result, "lost.link died") + value(&result, "lost.switch died") + value(&result, "lost.no path is left");
  assert_true(known == (double)result.account.lost);
  assert_int_equal(lost_between(&result, 0, 3000), 0);
  assert_true(value(&result, "lost.no path is left") > 50);
  assert_int_equal(lost_between(&result, 18000, 24000), 0);
  uint64_t to_root = 0;
  for (size_t i = 0; i < s->deliveries; i++) to_root += s->delivered[i].at > 18000 && s->delivered[i].destination == 0;
  assert_true(to_root > 30);
  assert_nothing_twice(s);
  ripstop_result_free(&result);
  scene_close(s);
}

/* A fabric in two parts: each goes on alone. */
static void parts_go_on_alone(void **state) {
  (void)state;
  scene *s = scene_open("torus:6", QUICK, "load=0.1 packet=4 in_queue=4 cycles=20000 window=500");
  scene_schedule(s, "0/0@3000 3/0@3100 0/0+@14000");
  ripstop_result result = scene_run(s);
  uint64_t within = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->born < 4000 || d->at >= 14000) continue;
    bool from = d->source >= 1 && d->source <= 3, to = d->destination >= 1 && d->destination <= 3;
    assert_int_equal(from, to);
    within++;
  }
  assert_true(within > 100);
  assert_int_equal(lost_between(&result, 16000, 20000), 0);
  assert_nothing_twice(s);
  ripstop_result_free(&result);
  scene_close(s);
}

static void rows_are_the_same_on_any_number_of_threads(void **state) {
  (void)state;
  double sums[2][3];
  for (uint32_t i = 0; i < 2; i++) {
    scene *s = scene_open("torus:6x6", QUICK, "load=1 packet=4 in_queue=2 cycles=3000 window=500");
    s->sim.threads = i ? 3 : 1;
    scene_schedule(s, "0.0/0@500 1.1/0@600 0.0/0+@1500 switch:2.2@1700");
    ripstop_result result = scene_run(s);
    sums[i][0] = (double)result.account.delivered;
    sums[i][1] = (double)result.account.lost;
    sums[i][2] = value(&result, "control.messages");
    ripstop_result_free(&result);
    scene_close(s);
  }
  for (uint32_t k = 0; k < 3; k++) assert_true(sums[0][k] == sums[1][k] && sums[0][k] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_was_on_failing_links_is_lost),
                                     cmocka_unit_test(without_guests_nothing_deadlocks),
                                     cmocka_unit_test(throughput_hardly_falls),
                                     cmocka_unit_test(routers_die_and_return),
                                     cmocka_unit_test(parts_go_on_alone),
                                     cmocka_unit_test(rows_are_the_same_on_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
