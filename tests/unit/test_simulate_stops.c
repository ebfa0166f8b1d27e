/* test_simulate_stops.c - the static fault model, cycle by cycle (docs/model.md, "Stops").
 *
 * The stage is two switches with an end node each and two links between them, of which packets use the first: 0/0. A
 * packet of L = 4 flits that is granted its interface's link in cycle t is on the link between the switches from t+2
 * to t+6 and delivered in t+8 (D = R = 1). */
#include "scene.h"

enum { FLITS = 4, UNDERWAY = 8 };

static double value(const ripstop_run_result *r, const char *name) {
  double v = ripstop_run_result_value(r, name);
  if (v != v) fail_msg("no value %s", name);
  return v;
}

static void assert_value(const ripstop_run_result *r, const char *name, double expected) {
  if (value(r, name) != expected) fail_msg("%s is %g, expected %g", name, value(r, name), expected);
}

static scene *open_stage(const char *options) {
  scene *s = scene_open("torus:2", "test-central", "load=0.05 packet=4 process=periodic model=static cycles=4000");
  scene_set(s, options);
  return s;
}

/* When the network interface sent it: packets of one end node do not wait for another's. */
static uint64_t sent_at(const delivery *d) { return d->at - UNDERWAY; }

/* Packets are delivered in time before the stop, stalled during it, and then leave in line: from `resumed` on one every
 * 4 cycles. */
static void assert_held(const scene *s, uint64_t stopped, uint64_t resumed) {
  uint64_t free[2] = {0, 0};
  uint32_t waited = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    uint64_t sent = d->generated_at > free[d->source] ? d->generated_at : free[d->source];
    if (sent >= stopped && sent < resumed) sent = resumed;
    waited += sent == resumed && d->generated_at < resumed;
    assert_int_equal(sent_at(d), sent);
    free[d->source] = sent + FLITS;
  }
  assert_int_equal(waited, 2); /* the first of each end node */
}

static void assert_stops(const ripstop_run_result *r, double stops, double detecting, double draining, double computing,
                         double resuming) {
  assert_value(r, "stops", stops);
  assert_value(r, "stops.detecting", detecting);
  assert_value(r, "stopped.draining", draining);
  assert_value(r, "stopped.computing", computing);
  assert_value(r, "stopped.resuming", resuming);
  assert_value(r, "stopped", draining + computing + resuming);
}

/* The first cycle from `stopped` on that begins with no packet in transit. */
static uint64_t empty_at(const scene *s, uint64_t stopped) {
  uint64_t empty = stopped;
  for (size_t i = 0; i < s->deliveries; i++)
    if (sent_at(&s->delivered[i]) < stopped && s->delivered[i].at >= empty) empty = s->delivered[i].at + 1;
  return empty;
}

/* An unused link fails: nothing is lost, but every end node waits for all parts of the stop. */
static void a_stop_takes_the_time_of_its_parts(void **state) {
  (void)state;
  scene *s = open_stage("detect=30 recompute=200 resume=70 window=100");
  uint32_t drained = 0;
  for (uint32_t change = 1000; change < 1080; change++) { /* the period of the generations */
    char schedule[32];
    snprintf(schedule, sizeof schedule, "1/0@%u", change);
    scene_schedule(s, schedule);
    ripstop_run_result r = scene_run(s);
    uint64_t stopped = change + 30, empty = empty_at(s, stopped);
    assert_held(s, stopped, empty + 270);
    assert_stops(&r, 1, 30, (double)(empty - stopped), 200, 70);
    assert_value(&r, "lost", 0);
    assert_value(&r, "lost.drained", 0);
    assert_int_equal(r.verdict, RIPSTOP_STEADY);
    for (size_t w = 12; w < 13; w++) assert_int_equal(r.window[w].injected, 0);
    for (size_t w = 0; w < r.windows; w++) assert_true(r.window[w].generated > 0);
    drained += empty > stopped;
    ripstop_run_result_free(&r);
  }
  assert_in_range(drained, 10, 30); /* some stops found the network empty, others did not */
  scene_close(s);
}

/* The link in use fails: until the new plan all packets that come to it are lost, and those on it as well. */
static void packets_are_lost_until_the_new_plan(void **state) {
  (void)state;
  const struct {
    const char *method, *cause;
  } cases[] = {{"test-central", "lost.link died"}, {"test-central:look=on", "lost.port down"}};
  for (int i = 0; i < 2; i++) {
    scene *s = open_stage("detect=600 recompute=100 resume=100");
    s->method = cases[i].method;
    ripstop_run_result whole = scene_run(s);
    size_t all = s->deliveries;
    scene_schedule(s, "0/0@1000");
    ripstop_run_result r = scene_run(s);
    double lost = 0;
    /* granted from 994 (its tail is on the link in 1000) to 1599, of two end nodes with one packet in 80 cycles */
    assert_in_range((uint32_t)value(&r, "lost"), 14, 17);
    for (size_t k = 0; k < s->deliveries; k++)
      assert_false(sent_at(&s->delivered[k]) > 994 && s->delivered[k].at < 1600);
    lost = value(&r, "lost");
    assert_true((double)s->deliveries + lost + (double)(r.account.in_flight + r.account.waiting) ==
                (double)all + (double)(whole.account.in_flight + whole.account.waiting));
    assert_true(value(&r, cases[i].cause) >= lost - 2);
    assert_int_equal(r.verdict, RIPSTOP_STEADY); /* with the new plan no end node is cut off */
    assert_null(r.witness);
    /* the last that are lost: at most 3 cycles after the stop they ask for the link */
    assert_in_range((uint32_t)value(&r, "stopped.draining"), 0, 4);
    ripstop_run_result_free(&whole);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static void a_discard_empties_the_network_at_once(void **state) {
  (void)state;
  scene *s = open_stage("detect=30 recompute=20 resume=7 drain=discard");
  ripstop_run_result healthy = scene_run(s);
  uint64_t underway = 0, stopped = 1033;
  for (size_t i = 0; i < s->deliveries; i++)
    underway += sent_at(&s->delivered[i]) < stopped && s->delivered[i].at >= stopped;
  scene_schedule(s, "1/0@1003");
  ripstop_run_result r = scene_run(s);
  assert_value(&r, "lost.drained", (double)underway);
  assert_value(&r, "lost", (double)underway);
  assert_stops(&r, 1, 30, 0, 20, 7);
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    assert_true(d->at < stopped || sent_at(d) >= stopped + 27);
  }
  ripstop_run_result_free(&healthy);
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* Somewhere in a period there is a packet to discard. */
static void what_was_under_candidate_is_what_is_discarded(void **state) {
  (void)state;
  scene *s = open_stage("drain=discard");
  ripstop_run_result healthy = scene_run(s);
  delivery *before = s->delivered;
  size_t count = s->deliveries;
  s->delivered = NULL;
  s->room = 0;
  uint64_t discarded = 0;
  for (uint32_t change = 1000; change < 1080; change++) {
    char schedule[32];
    snprintf(schedule, sizeof schedule, "1/0@%u", change);
    scene_schedule(s, schedule);
    ripstop_run_result r = scene_run(s);
    uint64_t underway = 0;
    for (size_t i = 0; i < count; i++) underway += sent_at(&before[i]) < change && before[i].at >= change;
    assert_value(&r, "lost.drained", (double)underway);
    assert_stops(&r, 1, 0, 0, 0, 0);
    discarded += underway;
    ripstop_run_result_free(&r);
  }
  assert_int_equal(discarded, 2 * UNDERWAY); /* each of two packets in a period, from the cycle after its grant on */
  ripstop_free(before);
  ripstop_run_result_free(&healthy);
  scene_close(s);
}

/* Changes in every part of the network's stop: detection and draining do not begin again; computation does. */
static void a_further_change_repeats_what_it_must(void **state) {
  (void)state;
  const struct {
    uint64_t second;
    double stops, detecting, computing, resuming;
  } cases[] = {{1049, 1, 50, 200, 100},  /* detecting */
               {1050, 1, 50, 200, 100},  /* the cycle of the stop, before it is looked whether the network is empty */
               {1150, 1, 50, 300, 100},  /* computing: 100 in vain */
               {1250, 1, 50, 400, 100},  /* the cycle of the new plan, which is not compiled */
               {1300, 1, 50, 400, 150},  /* resuming: 50 in vain */
               {1350, 1, 50, 400, 200},  /* the cycle in which the sources go on, which they do not */
               {1351, 2, 100, 400, 200}, /* a new stop */
               {1401, 2, 100, 400, 200}};
  scene *s = open_stage("detect=50 recompute=200 resume=100");
  s->sim.traffic.load = 0; /* empty at once */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char schedule[64];
    snprintf(schedule, sizeof schedule, "1/0@1000 1/0+@%u", (unsigned)cases[i].second);
    scene_schedule(s, schedule);
    ripstop_run_result r = scene_run(s);
    assert_stops(&r, cases[i].stops, cases[i].detecting, 0, cases[i].computing, cases[i].resuming);
    ripstop_run_result_free(&r);
  }
  scene_close(s);
}

/* A second change two cycles after the first: while the last packets are still in transit it prolongs nothing; once the
 * network is empty the computing that has begun is in vain. */
static void a_change_while_draining_prolongs_nothing(void **state) {
  (void)state;
  scene *s = open_stage("recompute=200 resume=70");
  uint32_t draining = 0;
  for (uint32_t change = 1000; change < 1080; change++) {
    char schedule[64];
    snprintf(schedule, sizeof schedule, "1/0@%u 1/0+@%u", change, change + 2);
    scene_schedule(s, schedule);
    ripstop_run_result r = scene_run(s);
    uint64_t empty = empty_at(s, change), vain = empty < change + 2 ? change + 2 - empty : 0;
    assert_held(s, change, empty + vain + 270);
    assert_stops(&r, 1, 0, (double)(empty - change), (double)(200 + vain), 70);
    assert_value(&r, "lost", 0);
    draining += empty > change + 2;
    ripstop_run_result_free(&r);
  }
  assert_in_range(draining, 5, 30);
  scene_close(s);
}

/* Until the new plan, the failed link of a waiting end node is no candidate, in whichever part of the stop it fails:
 * the packets that wait there are lost only at the next decisions of the end nodes. */
static void end_nodes_may_die_in_every_part(void **state) {
  (void)state;
  for (uint32_t cycle = 1000; cycle <= 1400; cycle += 50) {
    scene *s = open_stage("detect=50 recompute=200 resume=100");
    char schedule[64];
    snprintf(schedule, sizeof schedule, "1/0@1000 end:0@%u", cycle);
    scene_schedule(s, schedule);
    ripstop_run_result r = scene_run(s);
    for (size_t i = 0; i < s->deliveries; i++)
      assert_true(s->delivered[i].source == 1 || sent_at(&s->delivered[i]) < cycle);
    assert_true(value(&r, "lost.cut off") > 10);
    assert_value(&r, "stops", cycle > 1350 ? 2 : 1);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* The second of two changes is in the plan, whichever part of the stop it comes in. */
static void the_new_plan_knows_all_changes(void **state) {
  (void)state;
  const char *const schedules[] = {"1/0@500 0/0@1000 1/0+@1020", "1/0@500 0/0@1000 1/0+@1100",
                                   "1/0@500 1/0+@1300 0/0@1000"};
  for (int i = 0; i < 3; i++) {
    scene *s = open_stage("detect=50 recompute=200 resume=100");
    scene_schedule(s, schedules[i]);
    ripstop_run_result r = scene_run(s);
    uint32_t late = 0;
    for (size_t k = 0; k < s->deliveries; k++) late += s->delivered[k].at > 1600;
    assert_true(late > 50);
    assert_int_equal(r.verdict, RIPSTOP_STEADY);
    assert_value(&r, "lost.cut off", 0);
    assert_value(&r, "stops", 2);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* A ring that is deadlocked when the stop comes is emptied at the next search, and that is no verdict. */
static void a_deadlocked_drain_is_given_up(void **state) {
  (void)state;
  scene *s = scene_open("torus:8x2", "dor", "load=1 packet=4 model=static resume=5000 cycles=3000 check=100");
  ripstop_run_result r = scene_run(s);
  assert_int_equal(r.verdict, RIPSTOP_DEADLOCKED);
  assert_true(r.cycles < 1000);
  ripstop_run_result_free(&r);
  scene_schedule(s, "end:0.0@1050"); /* on no ring */
  scene_set(s, "detect=0");
  r = scene_run(s);
  assert_int_not_equal(r.verdict, RIPSTOP_DEADLOCKED);
  assert_stops(&r, 1, 0, 50, 0, 1900);
  assert_value(&r, "stops.deadlocked", 1);
  assert_true(value(&r, "lost.drained") > 8 * 4);
  assert_int_equal(r.account.in_flight, 0);
  ripstop_run_result_free(&r);
  scene_set(s, "resume=0 cycles=1150 check=1100"); /* on again before the next deadlock is found */
  r = scene_run(s);
  assert_int_equal(r.verdict, RIPSTOP_LOSSY);
  assert_value(&r, "stops.deadlocked", 1);
  assert_non_null(strstr(r.witness, "cut off")); /* not what was given up */
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* Whatever the switches are and whatever dies, the account balances (scene_run sees to that), a drain that delivers
 * drops nothing, and one that discards leaves nothing in the network. */
static void accounts_balance_in_every_stop(void **state) {
  (void)state;
  static const char *const fabrics[] = {"torus:4x4", "kary-ntree:k=2,n=3", "kns:k=3,n=2"};
  static const char *const methods[] = {"minimal-adaptive:escape=bubble", "updown", "test-central"};
  static const char *const schedules[] = {"0.0/1@200 switch:2.1@310 0.0/1+@600 switch:2.1+@650 1.1/0@651",
                                          "0/0.1/2@200 switch:1/1.0@310 0/0.1/2+@600 switch:1/1.0+@650 1/0.0/2@651",
                                          "0.0/1@200 switch:2.1@310 0.0/1+@600 switch:2.1+@650 1.1/0@651"};
  static const char *const options[] = {"drain=deliver", "drain=discard", "detect=20 recompute=30 resume=40",
                                        "drain=discard detect=60 recompute=150 resume=3"};
  static const char *const switches[] = {"load=0.3", "load=0.9 packet=3:0.8/19:0.2 in_queue=6",
                                         "load=0.4 link=5 pipeline=3", "load=0.6 unit=flits in_queue=40 classes=1/2"};
  for (int f = 0; f < 3; f++)
    for (size_t o = 0; o < 4; o++)
      for (size_t w = 0; w < 4; w++) {
        scene *s = scene_open(fabrics[f], methods[f], "cycles=1200 model=static packet=8 check=50");
        scene_set(s, options[o]);
        scene_set(s, switches[w]);
        if (f > 0 && w % 2) scene_set(s, "out_queue=40");
        if (f > 0 && w / 2) scene_set(s, "flow=xonxoff in_queue=200");
        scene_schedule(s, schedules[f]);
        ripstop_run_result r = scene_run(s);
        assert_true(value(&r, "stops") >= 1);
        if (strstr(options[o], "discard")) assert_value(&r, "stopped.draining", 0);
        if (!strstr(options[o], "discard") && value(&r, "stops.deadlocked") == 0) assert_value(&r, "lost.drained", 0);
        assert_true(s->deliveries > 100);
        ripstop_run_result_free(&r);
        scene_close(s);
      }
}

/* A part that is down from the start can be repaired. A repair of a part that is up changes nothing, and stops no
 * network. */
static void what_has_failed_from_the_start_can_be_repaired(void **state) {
  (void)state;
  static const char *const models[] = {"model=dynamic", "model=static recompute=100"};
  for (int i = 0; i < 2; i++) {
    uint64_t works = i ? 1100 : 1000;
    scene *s = open_stage(models[i]);
    scene_break(s, "0/0 1/0");
    scene_schedule(s, "0/0+@1000 end:0+@2000");
    ripstop_run_result r = scene_run(s);
    assert_true(s->deliveries >= 2 * (4000 - works) / 80 - 2);
    for (size_t k = 0; k < s->deliveries; k++) assert_true(sent_at(&s->delivered[k]) >= works);
    assert_true(value(&r, "lost.cut off") >= 2 * 900 / 80);
    if (i) assert_stops(&r, 1, 0, 0, 100, 0);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* Without a change nothing is different; and a dynamic run reports nothing about stops. */
static void only_changes_stop_a_network(void **state) {
  (void)state;
  scene *s = open_stage("detect=30 recompute=200 resume=70");
  ripstop_run_result still = scene_run(s);
  assert_stops(&still, 0, 0, 0, 0, 0);
  scene_set(s, "model=dynamic");
  ripstop_run_result dynamic = scene_run(s);
  assert_memory_equal(&still.account, &dynamic.account, sizeof dynamic.account);
  assert_true(same_bits(value(&still, "latency.mean"), value(&dynamic, "latency.mean")));
  for (size_t i = 0; i < dynamic.values; i++) {
    assert_null(strstr(dynamic.value[i].name, "stop"));
    assert_string_not_equal(dynamic.value[i].name, "lost.drained");
  }
  ripstop_run_result_free(&still);
  ripstop_run_result_free(&dynamic);
  scene_close(s);
}

static void protocols_react_themselves(void **state) {
  (void)state;
  ripstop_error err;
  scene *s = scene_open("kary-ntree:k=2,n=3", "link-fault-messages", "load=0.1 model=static");
  assert_int_equal(scene_check(s, &err), -1);
  assert_string_equal(err.text, "reaction.model=static needs a method that is computed centrally; the switches of "
                                "link-fault-messages run a protocol");
  assert_int_equal(scene_applies(s, &err), RIPSTOP_DOES_NOT_APPLY);
  scene_set(s, "model=dynamic");
  assert_int_equal(scene_applies(s, &err), RIPSTOP_APPLIES);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_stop_takes_the_time_of_its_parts),
                                     cmocka_unit_test(packets_are_lost_until_the_new_plan),
                                     cmocka_unit_test(a_discard_empties_the_network_at_once),
                                     cmocka_unit_test(what_was_under_candidate_is_what_is_discarded),
                                     cmocka_unit_test(a_further_change_repeats_what_it_must),
                                     cmocka_unit_test(a_change_while_draining_prolongs_nothing),
                                     cmocka_unit_test(end_nodes_may_die_in_every_part),
                                     cmocka_unit_test(the_new_plan_knows_all_changes),
                                     cmocka_unit_test(a_deadlocked_drain_is_given_up),
                                     cmocka_unit_test(accounts_balance_in_every_stop),
                                     cmocka_unit_test(what_has_failed_from_the_start_can_be_repaired),
                                     cmocka_unit_test(only_changes_stop_a_network),
                                     cmocka_unit_test(protocols_react_themselves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
