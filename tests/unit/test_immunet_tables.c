/* test_immunet_tables.c - adaptive tables that keep their rows in a new emergency until the first distance for them
 * (immunet:tables=stale): what moves while they are made, and that packets to routers that are lost still end.
 *
 * Slow: long simulations. */
#include "overload.h"

enum { HISTORIES = 21 };

#define QUICK "immunet:tables=stale,emergency_cycles=10,ack_cycles=3,control_cycles=40,drain_cycles=200"

/* Flits per cycle and end node in the worst thousand cycles after the routers have agreed on a ring. */
static double worst_while_made(const char *fabric, const char *method, uint64_t until) {
  scene *s = scene_open(fabric, method, "load=1 packet=16 in_queue=4 escape=exhausted window=1000");
  char cycles[32];
  snprintf(cycles, sizeof cycles, "cycles=%u", (unsigned)until);
  scene_set(s, cycles);
  scene_schedule(s, "3.3/0@10000");
  ripstop_run_result result = scene_run(s);
  double worst = INFINITY;
  for (size_t i = 0; i < result.windows; i++) {
    double flits = (double)result.window[i].delivered_flits / 1000 / s->fabric->ends;
    if (result.window[i].cycle >= 13000 && flits < worst) worst = flits;
  }
  ripstop_run_result_free(&result);
  scene_close(s);
  return worst;
}

/* An independent program has .02 to .04 and .43 on the 8 x 8 torus, .02 and .29 on the 16 x 16 torus. */
static void old_rows_carry_packets_meanwhile(void **state) {
  (void)state;
  assert_true(worst_while_made("torus:8x8", "immunet", 20000) < 0.08);
  assert_true(worst_while_made("torus:8x8", "immunet:tables=stale", 20000) > 0.3);
  assert_true(worst_while_made("torus:16x16", "immunet", 16000) < 0.04);
  assert_true(worst_while_made("torus:16x16", "immunet:tables=stale", 16000) > 0.2);
}

static void only_what_was_on_failing_links_is_lost(void **state) {
  (void)state;
  uint32_t histories = history_count(HISTORIES);
  for (uint32_t number = 0; number < histories; number++)
    overload_history(number, number % 2 ? QUICK ",control_path=safe" : QUICK);
}

/* Old rows lead to a router that is down: its packets come to the ring in the end, and after a tour they are dropped.
 */
static void packets_to_lost_routers_end(void **state) {
  (void)state;
  static const char *const cause[] = {"link died", "switch died", "no path is left", "source cut off",
                                      "destination cut off"};
  for (uint32_t number = 0; number < history_count(HISTORIES); number++) {
    ripstop_stream random = ripstop_stream_open(11, RIPSTOP_RANDOM_TEST, number);
    ripstop_change change[OVERLOAD_CHANGES];
    scene *s = scene_open(number % 2 ? "torus:4x4" : "torus:5x3", QUICK, "load=0.2 packet=4 in_queue=4 cycles=12000");
    scene_set(s, "window=1000 check=200");
    s->schedule = (ripstop_schedule){.count = draw_parts(s, &random, change), .change = change};
    s->sim.schedule = &s->schedule;
    assert_ends_well(s, number, cause, sizeof cause / sizeof *cause);
    scene_close(s);
  }
}

/* One router is down and has no path: its packets are dropped after a tour, and do not follow old rows forever. */
static void a_failed_router_fills_nothing(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", QUICK, "load=0.1 packet=4 in_queue=4 cycles=20000 window=500");
  scene_schedule(s, "switch:1.1@3000 2.2/0@4000");
  ripstop_run_result result = scene_run(s);
  assert_true(value(&result, "lost.no path is left") > 200);
  assert_true(result.account.in_flight < 200);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(old_rows_carry_packets_meanwhile),
      cmocka_unit_test(only_what_was_on_failing_links_is_lost),
      cmocka_unit_test(packets_to_lost_routers_end),
      cmocka_unit_test(a_failed_router_fills_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
