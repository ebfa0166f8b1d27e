/* test_immunet_simulate.c - immunet under traffic beyond saturation, while links and routers fail and return: only what
 * was on a failing link or in a failing router is lost, nothing arrives twice, nothing stands still, and the throughput
 * comes back. That the account of the packets balances is the engine's own check.
 *
 * Slow: long simulations. */
#include "overload.h"

enum { HISTORIES = 42 };

/* Quick enough for several emergencies in a short run. */
#define QUICK "immunet:emergency_cycles=10,ack_cycles=3,control_cycles=40,drain_cycles=200"

static void only_what_was_on_failing_links_is_lost(void **state) {
  (void)state;
  uint32_t histories = history_count(HISTORIES);
  for (uint32_t number = 0; number < histories; number++) overload_history(number, QUICK);
}

/* ------------------------------------------------------------------ stories */

/* Section 6.1: beyond saturation, one link dies. Injection stops, and starts again at once; the ring alone carries
 * little until the tables are made; then about as much as before, since packets enter the longer ring only when all
 * adaptive queues are full. */
static void throughput_falls_and_returns(void **state) {
  (void)state;
  scene *s =
      scene_open("torus:8x8", "immunet:control_cycles=300", "load=1 packet=16 in_queue=4 cycles=16000 window=200");
  scene_schedule(s, "3.3/0@5000");
  ripstop_run_result result = scene_run(s);
  double before = delivered_between(&result, 3000, 5000), meanwhile = delivered_between(&result, 6000, 7000),
         after = delivered_between(&result, 12000, 16000);
  assert_true(before > 64 * 0.6);
  assert_true(meanwhile < 0.3 * before);
  assert_true(after > 0.95 * before && after < 1.05 * before);
  assert_true(value(&result, "lost.link died") == (double)result.account.lost);
  assert_true(result.account.lost <= 4); /* at most the packets on the two directions of a link */
  assert_nothing_twice(s);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Two routers die, one of them returns. Packets to the failed one are given up after a tour; then those to the other
 * get through again. */
static void routers_die_and_return(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", QUICK, "load=0.1 packet=4 in_queue=4 cycles=20000 window=500");
  scene_schedule(s, "switch:1.1@3000 switch:2.2@3000 switch:1.1+@9000 switch:2.2+@12000");
  ripstop_run_result result = scene_run(s);
  double known =
      value(&result, "lost.link died") + value(&result, "lost.switch died") + value(&result, "lost.no path is left");
  assert_true(known == (double)result.account.lost);
  assert_int_equal(lost_between(&result, 0, 3000), 0);
  assert_true(value(&result, "lost.no path is left") > 100);
  assert_int_equal(lost_between(&result, 14000, 20000), 0);
  uint64_t to_1_1 = 0;
  for (size_t i = 0; i < s->deliveries; i++) to_1_1 += s->delivered[i].at > 14000 && s->delivered[i].destination == 5;
  assert_true(to_1_1 > 50);
  assert_nothing_twice(s);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* A fabric in two parts: each goes on alone. */
static void parts_go_on_alone(void **state) {
  (void)state;
  scene *s = scene_open("torus:6", QUICK, "load=0.1 packet=4 in_queue=4 cycles=12000 window=500");
  scene_schedule(s, "0/0@3000 3/0@3100 0/0+@8000");
  ripstop_run_result result = scene_run(s);
  uint64_t within = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->generated_at < 4000 || d->at >= 8000) continue;
    bool from = d->source >= 1 && d->source <= 3, to = d->destination >= 1 && d->destination <= 3;
    assert_int_equal(from, to);
    within++;
  }
  assert_true(within > 100);
  assert_int_equal(lost_between(&result, 9000, 12000), 0);
  assert_nothing_twice(s);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_was_on_failing_links_is_lost),
                                     cmocka_unit_test(throughput_falls_and_returns),
                                     cmocka_unit_test(routers_die_and_return), cmocka_unit_test(parts_go_on_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
