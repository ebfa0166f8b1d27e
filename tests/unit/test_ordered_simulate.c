/* test_ordered_simulate.c - ordered under traffic beyond saturation, while links and routers fail and return: only what
 * was on a failing link or in a failing router is lost, nothing arrives twice, nothing stands still, and the throughput
 * hardly falls. That the account of the packets balances is the engine's own check.
 *
 * Slow: long simulations. */
#include "overload.h"

enum { HISTORIES = 42, FULL_HISTORIES = 16 }; /* tools/ordered-histories.sh runs more */

/* Quick enough for several repairs in a short run. */
#define QUICK "ordered:rank_cycles=10,entry_cycles=40,hold_cycles=4000"

static void only_what_was_on_failing_links_is_lost(void **state) {
  (void)state;
  uint32_t histories = history_count(HISTORIES);
  for (uint32_t number = 0; number < histories; number++) overload_history(number, QUICK);
}

/* Every packet that could become an in-transit packet finds no room, or hardly any: what stands in the way of others is
 * dropped in the end, with links that fail alone (then nothing else is lost) and with routers that fail and come back.
 */
static void full_history(uint32_t number) {
  static const char *const fabrics[] = {"torus:5x4", "torus:4x4", "kary-ntree:k=2,n=3", "kns:k=3,n=2"};
  static const char *const causes[] = {"link died",       "no room for guests",  "switch died",
                                       "no path is left", "destination cut off", "source cut off"};
  ripstop_stream random = ripstop_stream_open(10, RIPSTOP_RANDOM_TEST, number);
  ripstop_change change[OVERLOAD_CHANGES];
  scene *s = scene_open(fabrics[number % 4], number / 4 % 2 ? QUICK ",guests=1" : QUICK ",guests=0",
                        "load=1 packet=4 in_queue=2 cycles=12000 window=1000 check=200");
  bool links_alone = number / 8 % 2;
  uint32_t count = links_alone ? draw_links(s, &random, change) : draw_parts(s, &random, change);
  s->schedule = (ripstop_schedule){.count = count, .change = change};
  assert_ends_well(s, number, causes, links_alone ? 2 : sizeof causes / sizeof *causes);
  scene_close(s);
}

static void without_transit_packets_nothing_deadlocks(void **state) {
  (void)state;
  uint32_t histories = history_count(FULL_HISTORIES);
  for (uint32_t number = 0; number < histories; number++) full_history(number);
}

/* ------------------------------------------------------------------ stories */

/* One link dies beyond saturation, or one of the root's: the others go on. Over 0.0/0 the root reaches its deputy,
 * which is the root then, and reaches the old one, and all that was below that alone, by updates from all round the
 * row. */
static void throughput_hardly_falls(void **state) {
  (void)state;
  static const char *const dying[] = {"3.3/0@5000", "0.0/1@5000", "0.0/0@5000"};
  for (uint32_t i = 0; i < 3; i++) {
    scene *s = scene_open("torus:8x8", "ordered", "load=1 packet=16 in_queue=4 cycles=16000 window=200");
    scene_schedule(s, dying[i]);
    ripstop_run_result result = scene_run(s);
    double before = delivered_between(&result, 3000, 5000);
    assert_true(before > 64 * 0.65);
    for (uint64_t cycle = 5000; cycle < 15000; cycle += 1000)
      assert_true(delivered_between(&result, cycle, cycle + 1000) > 0.9 * before);
    assert_true(value(&result, "lost.link died") == (double)result.account.lost);
    assert_nothing_twice(s);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

/* Adaptive queues jam under any load that is great enough, and the escape resolves that, as long as new packets leave
 * it to those that are in the network. With these links down, throughput fell to a quarter when they did not. */
static void jams_resolve(void **state) {
  (void)state;
  scene *s = scene_open("torus:16x16", "ordered", "load=1 packet=16 in_queue=4 cycles=12000 window=500");
  scene_schedule(s, "10.3/1@0 4.10/0@0 6.7/0@0 1.15/0@0 5.15/0@0 6.10/0@0 2.15/0@0 5.3/0@0 5.13/0@0 4.4/1@0 12.0/1@0 "
                    "10.2/0@0");
  ripstop_run_result result = scene_run(s);
  assert_true(delivered_between(&result, 8000, 12000) > 256 * 0.3);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Two routers die, the root first, and return. Packets to them are given up; then they get through again. */
static void routers_die_and_return(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", QUICK, "load=0.1 packet=4 in_queue=4 cycles=24000 window=500");
  scene_schedule(s, "switch:0.0@3000 switch:2.2@3000 switch:0.0+@12000 switch:2.2+@12500");
  ripstop_run_result result = scene_run(s);
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
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* A fabric in two parts: each goes on alone. */
static void parts_go_on_alone(void **state) {
  (void)state;
  scene *s = scene_open("torus:6", QUICK, "load=0.1 packet=4 in_queue=4 cycles=20000 window=500");
  scene_schedule(s, "0/0@3000 3/0@3100 0/0+@14000");
  ripstop_run_result result = scene_run(s);
  uint64_t within = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->generated_at < 4000 || d->at >= 14000) continue;
    bool from = d->source >= 1 && d->source <= 3, to = d->destination >= 1 && d->destination <= 3;
    assert_int_equal(from, to);
    within++;
  }
  assert_true(within > 100);
  assert_int_equal(lost_between(&result, 16000, 20000), 0);
  assert_nothing_twice(s);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_was_on_failing_links_is_lost),
                                     cmocka_unit_test(without_transit_packets_nothing_deadlocks),
                                     cmocka_unit_test(throughput_hardly_falls),
                                     cmocka_unit_test(jams_resolve),
                                     cmocka_unit_test(routers_die_and_return),
                                     cmocka_unit_test(parts_go_on_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
