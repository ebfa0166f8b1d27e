/* test_immunet_safe.c - immunet's control packets as packets of the safe network (immunet:control_path=safe): what they
 * cost on an idle network, beside the numbers of an independent program, what load does to them, that none is lost or
 * stands forever, and which options go together. tests/differential has their timing.
 *
 * Slow: long simulations. */
#include <math.h>

#include "overload.h"

enum { HISTORIES = 28 };

#define SAFE  "immunet:control_path=safe,control_flits=16"
#define QUICK "immunet:control_path=safe,emergency_cycles=10,ack_cycles=3,control_cycles=40,drain_cycles=200"

static scene *open_scene(const char *fabric, const char *method, const char *load, const char *schedule) {
  scene *s = scene_open(fabric, method, "packet=16 in_queue=4 escape=exhausted cycles=40000");
  scene_set(s, load);
  scene_schedule(s, schedule);
  return s;
}

static ripstop_run_result run_scene(const char *fabric, const char *method, const char *load, const char *schedule) {
  scene *s = open_scene(fabric, method, load, schedule);
  ripstop_run_result result = scene_run(s);
  scene_close(s);
  return result;
}

/* ------------------------------------------------------------------ an idle network */

static void assert_near(double found, double wanted) {
  if (fabs(found / wanted - 1) > 0.03) fail_msg("%g, where another program has %g", found, wanted);
}

/* A packet simulator that shares nothing with this one gave these: the packets on each link, the last shorter distance
 * that a router receives, and the last change of an adaptive table. */
typedef struct costs {
  double packets, last, settling;
} costs;

static void assert_idle(const char *fabric, const char *schedule, costs wanted) {
  ripstop_run_result result = run_scene(fabric, SAFE, "load=0.0001", schedule);
  double adaptive = ripstop_run_result_value(&result, "control.settling.adaptive-table"),
         safe = ripstop_run_result_value(&result, "control.settling.safe-table");
  assert_near(ripstop_run_result_value(&result, "control.adaptive-table"), wanted.packets);
  assert_near(ripstop_run_result_value(&result, "control.last.adaptive-table"), wanted.last);
  assert_near(adaptive, wanted.settling);
  assert_true(ripstop_run_result_value(&result, "control.settling") == fmax(adaptive, safe));
  ripstop_run_result_free(&result);
}

/* Links of both dimensions, and those that close their rings: which end has the higher number decides the root. */
static void idle_costs_are_another_programs(void **state) {
  static const char *const small[] = {"3.3/0@2000", "6.1/1@2100", "5.2/1@2000", "1.7/0@2000", "7.4/1@2000"};
  static const char *const large[] = {"3.3/0@2000", "12.7/1@2500", "9.2/1@2000", "4.15/0@2000", "15.8/1@2000"};
  (void)state;
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    assert_idle("torus:8x8", small[i], (costs){12224, 9157, 9269});
    assert_idle("torus:16x16", large[i], (costs){199396, 20029, 21050});
  }
}

/* A model that moves the control packets of an idle network cycle by cycle, written separately from this engine: the
 * last shorter distance, the last change of an adaptive table and the last entry of a safe table. */
typedef struct modelled {
  const char *link, *order;
  double last, adaptive, safe;
} modelled;

static void assert_modelled(const modelled *m) {
  char method[128];
  snprintf(method, sizeof method, SAFE ",order=%s", m->order);
  ripstop_run_result result = run_scene("torus:8x8", method, "load=0.0001", m->link);
  const struct {
    const char *name;
    double wanted;
  } value[] = {{"control.last.adaptive-table", m->last},
               {"control.settling.adaptive-table", m->adaptive},
               {"control.settling.safe-table", m->safe}};
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
    double found = ripstop_run_result_value(&result, value[i].name);
    if (fabs(found / value[i].wanted - 1) > 0.003)
      fail_msg("%s, %s, %s: %g, where the model has %g", m->link, m->order, value[i].name, found, value[i].wanted);
  }
  ripstop_run_result_free(&result);
}

static void idle_cycles_are_a_models(void **state) {
  static const modelled all[] = {
      {"3.3/0@2000", "arrival", 9212, 9308, 9324}, {"3.3/1@2000", "arrival", 9244, 9388, 9436},
      {"0.7/0@2000", "arrival", 9260, 9352, 9276}, {"7.3/1@2000", "arrival", 9260, 9356, 9420},
      {"3.3/0@2000", "port", 9144, 9224, 9356},    {"3.3/1@2000", "port", 9176, 9256, 9244},
      {"0.7/0@2000", "port", 9160, 9240, 9372},    {"7.3/1@2000", "port", 9176, 9256, 9420}};
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) assert_modelled(&all[i]);
}

/* When the table module takes time, a timer ends what a packet began. */
static void a_module_says_what_changed(void **state) {
  (void)state;
  ripstop_run_result result = run_scene("torus:4x4", SAFE ",control_handling=50", "load=0.0001", "1.1/0@2000");
  double adaptive = ripstop_run_result_value(&result, "control.settling.adaptive-table");
  assert_true(adaptive > ripstop_run_result_value(&result, "control.last.adaptive-table"));
  assert_true(ripstop_run_result_value(&result, "control.settling") ==
              fmax(adaptive, ripstop_run_result_value(&result, "control.settling.safe-table")));
  assert_true(isnan(ripstop_run_result_value(&result, "control.settling.emergency")));
  ripstop_run_result_free(&result);
}

static double last_on_square(int flits, int own) {
  char spec[128];
  snprintf(spec, sizeof spec,
           "immunet:control_path=safe,control_cycles=300,emergency_cycles=50,control_flits=%d,own_cycles=%d", flits,
           own);
  ripstop_run_result result = run_scene("torus:2x2", spec, "load=0.0001", "0.0/0@1000");
  double last = ripstop_run_result_value(&result, "control.last.adaptive-table");
  ripstop_run_result_free(&result);
  return last;
}

/* A router pays for its own packets before anything else, and each hop pays for the length of a packet. */
static void a_packet_takes_its_time(void **state) {
  (void)state;
  assert_true(last_on_square(4, 70) - last_on_square(4, 0) == 70);
  assert_true(last_on_square(9, 70) - last_on_square(9, 0) == 70);
  assert_true(last_on_square(9, 0) >= last_on_square(4, 0) + 5);
}

/* Without packets in its way a message has the same effect by its own channel and, taking no time, over the link. */
static void own_is_link_without_flits(void **state) {
  (void)state;
  ripstop_run_result own = run_scene("torus:4x4", "immunet:control_path=own", "load=1", "1.1/0@5000"),
                     link = run_scene("torus:4x4", "immunet:control_flits=0", "load=1", "1.1/0@5000");
  assert_true(results_are_equal(&own, &link));
  assert_true(isnan(ripstop_run_result_value(&own, "control.last.adaptive-table")));
  ripstop_run_result_free(&own);
  ripstop_run_result_free(&link);
}

/* ------------------------------------------------------------------ load */

/* At any load each distance gets everywhere: at least N (2E - (N - 1)) transmissions, and after the last of them
 * silence for the rest of a long run. */
static void assert_done(const char *method, uint64_t seed) {
  scene *s = open_scene("torus:4x4", method, "load=1", "1.1/0@5000 2.0/1@5000 0.3/0@5300");
  s->sim.seed = seed;
  ripstop_run_result result = scene_run(s);
  assert_true(ripstop_run_result_value(&result, "control.adaptive-table") >= 16 * (2 * 29 - 15));
  assert_true(ripstop_run_result_value(&result, "control.settling") < 25000);
  assert_true(value(&result, "lost.link died") == (double)result.account.lost);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void load_delays_and_loses_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    assert_done(SAFE, seed);
    assert_done(SAFE ",control_first=on", seed);
    assert_done(SAFE ",order=port,inject=one", seed);
    assert_done(SAFE ",order=newest,control_first=on", seed);
  }
}

/* Section 6.1: "beyond the saturation point (worst case)". */
static void load_tells_the_readings_apart(void **state) {
  (void)state;
  double cycles[2];
  for (int loaded = 0; loaded < 2; loaded++) {
    ripstop_run_result result =
        run_scene("torus:8x8", SAFE ",control_first=on", loaded ? "load=1" : "load=0.0001", "3.3/0@5000");
    cycles[loaded] = ripstop_run_result_value(&result, "control.last.adaptive-table");
    ripstop_run_result_free(&result);
  }
  assert_true(cycles[1] > cycles[0] && cycles[1] < 1.1 * cycles[0]);
}

static void only_what_was_on_failing_links_is_lost(void **state) {
  (void)state;
  uint32_t histories = history_count(HISTORIES);
  for (uint32_t number = 0; number < histories; number++)
    overload_history(number, number % 2 ? QUICK ",control_first=on" : QUICK);
}

/* This run is one part for any number of threads. */
static void threads_change_nothing(void **state) {
  (void)state;
  overload_on_threads("torus:4x4", QUICK, "1.1/0@500 2.0/1@900 1.1/0+@1500");
}

/* ------------------------------------------------------------------ options */

static void assert_refused(const char *method, const char *options, const char *why) {
  ripstop_error err = {0};
  scene *s = scene_open("torus:4x4", method, options);
  ripstop_view *view = ripstop_view_new(s->fabric, NULL);
  ripstop_answer answer = RIPSTOP_APPLIES;
  ripstop_plan *plan = ripstop_plan_compile(view, method, &answer, &err);
  ripstop_run_result result;
  if (plan && ripstop_simulate_into(plan, &s->sim, &result, &err) == 0)
    fail_msg("%s, %s: is not refused", method, options);
  assert_string_equal(err.text, why);
  assert_true(plan || answer == RIPSTOP_DOES_NOT_APPLY);
  if (plan) ripstop_plan_free(plan);
  ripstop_view_free(view);
  scene_close(s);
}

static void options_that_do_not_go_together(void **state) {
  (void)state;
  assert_refused("immunet:control_path=safe,control_flits=0", "load=0.1",
                 "immunet: control_path=safe needs control_flits of at least 1: a control packet is a packet");
  assert_refused("immunet:control_first=on", "load=0.1",
                 "immunet: control_first=on needs control_path=safe: elsewhere control packets are first");
  assert_refused("immunet:control_path=safe,control_flits=40", "load=0.1 unit=flits in_queue=32 packet=16",
                 "switch.in_queue = 32: with switch.unit = flits a queue of 32 flits does not hold a packet of 40");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idle_costs_are_another_programs), cmocka_unit_test(idle_cycles_are_a_models),
      cmocka_unit_test(a_module_says_what_changed),      cmocka_unit_test(a_packet_takes_its_time),
      cmocka_unit_test(own_is_link_without_flits),       cmocka_unit_test(load_delays_and_loses_nothing),
      cmocka_unit_test(load_tells_the_readings_apart),   cmocka_unit_test(only_what_was_on_failing_links_is_lost),
      cmocka_unit_test(threads_change_nothing),          cmocka_unit_test(options_that_do_not_go_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
