/* test_simulate_outage.c - what the first change costs: fault.stall, fault.stall.before and fault.until-good.
 *
 * The stage is two switches with an end node each and two links between them. A packet of L = 4 flits that is granted
 * its interface's link in cycle t is delivered in t+8 (D = R = 1).
 * Each end node gives generation to one every 80 cycles, so one is delivered at each every 80 cycles. */
#include <math.h>

#include "scene.h"

enum { PERIOD = 80, UNDERWAY = 8 };

static const char one[] = "mesh:2", two[] = "torus:2";

static scene *open_stage(const char *fabric, const char *options) {
  scene *s =
      scene_open(fabric, fabric == one ? "shortest-table" : "dor", "load=0.05 packet=4 process=periodic cycles=4000");
  scene_set(s, options);
  return s;
}

static double value(const ripstop_run_result *r, const char *name) { return ripstop_run_result_value(r, name); }

static void assert_value(const ripstop_run_result *r, const char *name, double expected) {
  if (value(r, name) != expected) fail_msg("%s is %g, expected %g", name, value(r, name), expected);
}

/* The first generation of an end node, found from its first delivery. */
static uint64_t phase_of(const scene *s, uint32_t source) {
  for (size_t i = 0; i < s->deliveries; i++)
    if (s->delivered[i].source == source) return s->delivered[i].generated_at;
  fail_msg("nothing of end node %u", source);
  return 0;
}

static double longest_wait(const scene *s, uint64_t from, uint64_t until) {
  uint64_t last[2] = {from, from}, longest = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->at < from || d->at >= until) continue;
    if (from == 0 && last[d->destination] == 0) last[d->destination] = d->at;
    if (d->at - last[d->destination] > longest) longest = d->at - last[d->destination];
    last[d->destination] = d->at;
  }
  return (double)longest;
}

static void nothing_is_reported_without_a_change(void **state) {
  (void)state;
  scene *s = open_stage(two, "");
  ripstop_run_result r = scene_run(s);
  assert_true(isnan(value(&r, "fault.stall")));
  assert_true(isnan(value(&r, "fault.until-good")));
  ripstop_run_result_free(&r);
  scene_schedule(s, "0/0@5000");
  r = scene_run(s);
  assert_true(isnan(value(&r, "fault.stall")));
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* All packets use link 0/0. It is down from 1000 to 2000: packets generated meanwhile are lost then, 12 or 13 of each
 * end node, and so are those on it. The wait lasts from the last packet before to the first after. */
static void a_failed_link_that_returns(void **state) {
  (void)state;
  scene *s = open_stage(one, "");
  ripstop_run_result r = scene_run(s);
  uint64_t phase[2] = {phase_of(s, 0), phase_of(s, 1)};
  ripstop_run_result_free(&r);
  scene_schedule(s, "0--1@1000 0--1+@2000");
  r = scene_run(s);
  uint64_t stall = 0, good = 0;
  for (int i = 0; i < 2; i++) {
    uint64_t birth = phase[i], first, last = 0;
    while (birth + UNDERWAY < 1000) birth += PERIOD; /* the first that may be lost: on the link, or before it */
    uint64_t from = birth - PERIOD + UNDERWAY > 1000 ? birth - PERIOD + UNDERWAY : 1000;
    for (; birth < 2000; birth += PERIOD) last = birth;
    first = birth + UNDERWAY;
    if (first - from > stall) stall = first - from;
    if (last + 1 - 1000 > good) good = last + 1 - 1000;
  }
  assert_value(&r, "fault.stall", (double)stall);
  assert_value(&r, "fault.stall", longest_wait(s, 1000, 4000));
  assert_value(&r, "fault.stall.before", PERIOD);
  assert_value(&r, "fault.until-good", (double)good);
  assert_true(value(&r, "lost") >= 24 && value(&r, "lost") <= 26);
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* It stays down: packets are lost to the end, and no outage ends. */
static void what_is_never_good_has_no_time(void **state) {
  (void)state;
  scene *s = open_stage(one, "");
  scene_schedule(s, "0--1@1000");
  ripstop_run_result r = scene_run(s);
  assert_true(value(&r, "lost") > 70);
  assert_true(isnan(value(&r, "fault.until-good")));
  assert_value(&r, "fault.stall.before", PERIOD);
  assert_value(&r, "fault.stall", longest_wait(s, 1000, 4000));
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* An unused link fails. The network, which has no packet in transit in cycle 1100, is stopped then, computes for 200
 * cycles and resumes for 70: packets generated meanwhile are sent in 1370. */
static void a_stop_is_an_outage_of_everybody(void **state) {
  (void)state;
  scene *s = open_stage(two, "model=static detect=100 recompute=200 resume=70");
  scene_schedule(s, "1/0@1000");
  ripstop_run_result r = scene_run(s);
  double draining = value(&r, "stopped.draining");
  assert_value(&r, "lost", 0);
  assert_value(&r, "fault.until-good", 100 + draining + 200 + 70);
  assert_value(&r, "fault.stall", longest_wait(s, 1000, 4000));
  assert_true(value(&r, "fault.stall") >= 270 + UNDERWAY && value(&r, "fault.stall") <= 270 + UNDERWAY + PERIOD);
  assert_value(&r, "fault.stall.before", longest_wait(s, 0, 1000));
  ripstop_run_result_free(&r);
  scene_schedule(s, "1/0@3900");
  r = scene_run(s);
  assert_true(isnan(value(&r, "fault.until-good"))); /* it stands still when the run ends */
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* An unused link fails and nothing is stopped: all is good at once. */
static void what_hurts_nobody_is_good_at_once(void **state) {
  (void)state;
  scene *s = open_stage(two, "");
  scene_schedule(s, "1/0@1000");
  ripstop_run_result r = scene_run(s);
  assert_value(&r, "fault.until-good", 0);
  assert_value(&r, "fault.stall", PERIOD);
  ripstop_run_result_free(&r);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_reported_without_a_change), cmocka_unit_test(a_failed_link_that_returns),
      cmocka_unit_test(what_is_never_good_has_no_time),       cmocka_unit_test(a_stop_is_an_outage_of_everybody),
      cmocka_unit_test(what_hurts_nobody_is_good_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
