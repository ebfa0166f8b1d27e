/* test_valleys_simulate.c - valleys under traffic beyond saturation, while links and switches of fat trees fail and
 * return: only what was on a failing link or in a failing switch is lost, nothing arrives twice, nothing stands still.
 * That the account of the packets balances is the engine's own check.
 *
 * Slow: long simulations. */
#include "overload.h"

enum { HISTORIES = 48, FULL_HISTORIES = 16 }; /* tools/valleys-histories.sh runs more */

static const char *const trees[] = {"kary-ntree:k=2,n=3", "mport-ntree:m=4,n=3", "kary-ntree:k=3,n=2",
                                    "kary-ntree:k=2,n=4"};

static void only_what_was_on_failing_links_is_lost(void **state) {
  (void)state;
  uint32_t histories = history_count(HISTORIES);
  for (uint32_t number = 0; number < histories; number++) overload_history_on(trees[number % 4], number, "valleys");
}

/* Switches fail and return too, and no end node takes a packet in: packets that block others are dropped, in the end
 * or, by the fixed turns alone, at once. */
static void full_history(uint32_t number, const char *method) {
  static const char *const causes[] = {"link died",       "switch died",         "no turn is left",
                                       "no path is left", "destination cut off", "source cut off"};
  ripstop_stream random = ripstop_stream_open(12, RIPSTOP_RANDOM_TEST, number);
  ripstop_change change[OVERLOAD_CHANGES];
  scene *s = scene_open(trees[number % 4], method, "load=1 packet=4 in_queue=2 cycles=12000 window=1000 check=200");
  uint32_t count = draw_parts(s, &random, change);
  s->schedule = (ripstop_schedule){.count = count, .change = change};
  assert_ends_well(s, number, causes, sizeof causes / sizeof *causes);
  scene_close(s);
}

static void without_transit_packets_nothing_deadlocks(void **state) {
  (void)state;
  uint32_t histories = history_count(FULL_HISTORIES);
  for (uint32_t number = 0; number < histories; number++) full_history(number, "valleys:guests=0,stale_cycles=1500");
}

static void by_the_fixed_frame_nothing_deadlocks(void **state) {
  (void)state;
  uint32_t histories = history_count(FULL_HISTORIES);
  for (uint32_t number = 0; number < histories; number++) full_history(number, "valleys:frame=fixed");
}

/* ------------------------------------------------------------------ stories */

/* The fixed turns do not serve the rest of the tree: all agree on other turns, and only packets on the failing links
 * are lost. */
static void turns_are_agreed_on_while_packets_wait(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=2,n=3", "valleys", "load=0.2 packet=4 in_queue=4 cycles=20000 window=500");
  scene_schedule(s, "0/0.0/2@5000 0/1.0/3@5200 1/1.0/2@5400");
  ripstop_run_result result = scene_run(s);
  bool met[8][8] = {{false}};
  assert_true(value(&result, "lost.link died") == (double)result.account.lost);
  for (size_t i = 0; i < s->deliveries; i++)
    if (s->delivered[i].generated_at > 6000) met[s->delivered[i].source][s->delivered[i].destination] = true;
  for (uint32_t a = 0; a < 8; a++)
    for (uint32_t b = 0; b < 8; b++) assert_true(met[a][b] == (a != b));
  assert_nothing_twice(s);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* A switch is back before what stood in its queues has drained: what it finds there is no measure of how much they
 * hold. */
static void a_switch_returns_to_full_queues(void **state) {
  (void)state;
  for (uint32_t in_queue = 2; in_queue <= 4; in_queue += 2) {
    char sim[100];
    snprintf(sim, sizeof sim, "load=1 packet=16 in_queue=%u cycles=60000 window=1000", in_queue);
    scene *s = scene_open("kary-ntree:k=2,n=3", "valleys", sim);
    scene_schedule(s, "switch:0/0.0@5000 switch:0/0.0+@5001 0/1.1/2@5002 0/1.1/3@5002");
    ripstop_run_result result = scene_run(s);
    if (result.verdict == RIPSTOP_DEADLOCKED) fail_msg("in_queue=%u: %s", in_queue, result.witness);
    assert_true(delivered_between(&result, 50000, 60000) > 1);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_was_on_failing_links_is_lost),
                                     cmocka_unit_test(without_transit_packets_nothing_deadlocks),
                                     cmocka_unit_test(by_the_fixed_frame_nothing_deadlocks),
                                     cmocka_unit_test(turns_are_agreed_on_while_packets_wait),
                                     cmocka_unit_test(a_switch_returns_to_full_queues)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
