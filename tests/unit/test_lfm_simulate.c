/* test_lfm_simulate.c - link-fault-messages under traffic: parts that are down from the start cost nothing; a link that
 * fails costs packets until the switches know; a failed link that no switch detects takes packets and loses them. */
#include <math.h>

#include "scene.h"

static double value(const ripstop_run_result *result, const char *name) {
  double v = ripstop_run_result_value(result, name);
  return isnan(v) ? 0 : v;
}

static double lost_between(const ripstop_run_result *result, uint64_t from, uint64_t end) {
  double lost = 0;
  for (size_t i = 0; i < result->windows; i++)
    if (result->window[i].cycle >= from && result->window[i].cycle < end) lost += (double)result->window[i].lost;
  return lost;
}

/* From cycle 0 on every switch knows, whatever the queues, and with probes too. */
static void failed_from_the_start(void **state) {
  (void)state;
  static const char *const methods[] = {"link-fault-messages", "link-fault-messages:delay=1000",
                                        "link-fault-messages:probe=500", "link-fault-messages:withdraw=off",
                                        "link-fault-messages:message_flits=10"};
  static const char *const switches[] = {"in_queue=2", "in_queue=2 out_queue=2", "in_queue=20 flow=xonxoff"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (size_t j = 0; j < sizeof switches / sizeof *switches; j++) {
      scene *s = scene_open("mport-ntree:m=8,n=2", methods[i], "load=0.5 packet=8 cycles=3000");
      scene_set(s, switches[j]);
      scene_break(s, "0/0/4 0/3/5 0/3/6");
      ripstop_run_result result = scene_run(s);
      assert_int_equal(result.account.lost, 0);
      assert_true(result.account.delivered > 1000);
      assert_int_equal(value(&result, "control.messages") > 0, i == 2);
      ripstop_run_result_free(&result);
      scene_close(s);
    }
}

/* Known at once: after three message delays and the time of a packet in the fabric nothing is lost any more; and
 * nothing after the repair. The same for messages that wait for their links. */
static void a_link_dies_and_returns(void **state) {
  (void)state;
  static const char *const methods[] = {"link-fault-messages:delay=20", "link-fault-messages:delay=20,message_flits=8"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    scene *s = scene_open("mport-ntree:m=4,n=3", methods[i], "load=0.3 packet=4 cycles=9000 window=100 in_queue=4");
    scene_schedule(s, "0/2.1/3@3000 0/2.1/3+@6000");
    ripstop_run_result result = scene_run(s);
    assert_true(lost_between(&result, 3000, 3200) > 0);
    assert_true(lost_between(&result, 3200, 9000) == 0);
    assert_true(lost_between(&result, 0, 3000) == 0);
    assert_true(value(&result, "control.messages") == 30); /* 15 and as many withdrawals */
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

static double accepted(const char *method) {
  scene *s = scene_open("mport-ntree:m=4,n=2", method, "load=1 packet=4 cycles=6000 in_queue=4");
  ripstop_run_result result = scene_run(s);
  double flits = value(&result, "accepted");
  ripstop_run_result_free(&result);
  scene_close(s);
  return flits;
}

/* A probe and an answer of 10 flits in 30 + 10 cycles leave data half of a link; without a length they leave all. */
static void messages_hold_links(void **state) {
  (void)state;
  double alone = accepted("link-fault-messages");
  assert_true(accepted("link-fault-messages:probe=10,timeout=30") == alone);
  double shared = accepted("link-fault-messages:probe=10,timeout=30,message_flits=10");
  assert_true(shared > 0.25 * alone && shared < 0.75 * alone);
}

/* With probes, packets enter the failed link until at the latest 400 + 3 x 60 cycles have passed. */
static void a_link_dies_unseen(void **state) {
  (void)state;
  static const char *const switches[] = {"in_queue=4", "in_queue=4 out_queue=2", "in_queue=20 flow=xonxoff"};
  for (size_t i = 0; i < 3; i++) {
    scene *s = scene_open("mport-ntree:m=4,n=3", "link-fault-messages:delay=20,probe=400,timeout=60",
                          "load=0.3 packet=4 cycles=9000 window=100");
    scene_set(s, switches[i]);
    scene_schedule(s, "0/2.1/3@3010 0/2.1/3+@6010");
    ripstop_run_result result = scene_run(s);
    double seen = value(&result, "lost.link died");
    assert_true(seen > 5);
    assert_true(lost_between(&result, 3100, 3300) > 0);
    assert_true(lost_between(&result, 3900, 9000) == 0);
    assert_true(lost_between(&result, 0, 3000) == 0);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

/* A packet in each cycle on the link or not: with a failed link that is never detected (probes too rare) every packet
 * that takes it is lost and no other, and every packet is accounted for. */
static void nobody_finds_out(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=2,n=2", "link-fault-messages:probe=1000000",
                        "load=0.4 packet=2 cycles=8000 window=1000 in_queue=2");
  scene_schedule(s, "0/0/2@4000");
  ripstop_run_result result = scene_run(s);
  assert_true(value(&result, "lost.link died") == (double)result.account.lost);
  assert_true(lost_between(&result, 7000, 8000) > 0);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(failed_from_the_start), cmocka_unit_test(a_link_dies_and_returns),
                                     cmocka_unit_test(messages_hold_links), cmocka_unit_test(a_link_dies_unseen),
                                     cmocka_unit_test(nobody_finds_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
