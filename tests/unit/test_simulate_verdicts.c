/* test_simulate_verdicts.c - how runs end: steady, saturated, disconnected with an example, deadlocked with a cycle of
 * queues that can be followed by hand; parts that fail and come back with packets in transit, and the packets lost by
 * it. */
#include <math.h>

#include "scene.h"

static ripstop_run_result run(const char *fabric, const char *method, const char *options, const char *faults,
                              ripstop_verdict verdict) {
  scene *s = scene_open(fabric, method, options);
  scene_break(s, faults);
  ripstop_run_result result = scene_run(s);
  if (result.verdict != verdict)
    fail_msg("%s %s %s: %s, not %s", fabric, method, options, ripstop_verdict_words[result.verdict],
             ripstop_verdict_words[verdict]);
  scene_close(s);
  return result;
}

static void check(const char *fabric, const char *method, const char *options, const char *faults,
                  ripstop_verdict verdict) {
  ripstop_run_result result = run(fabric, method, options, faults, verdict);
  assert_int_equal(result.witness != NULL, verdict == RIPSTOP_DEADLOCKED || verdict == RIPSTOP_LOSSY);
  ripstop_run_result_free(&result);
}

static void light_load_is_steady_and_heavy_load_saturates(void **state) {
  (void)state;
  check("kary-ntree:k=4,n=2", "updown", "load=0.3 cycles=3000 warmup=500", "", RIPSTOP_STEADY);
  check("kary-ntree:k=4,n=2", "updown", "load=0 cycles=300", "", RIPSTOP_STEADY);
  check("torus:4x4", "dor:dateline=on", "load=0.2 cycles=3000 warmup=500", "", RIPSTOP_STEADY);
  check("torus:4x4", "dor:dateline=on", "load=1 cycles=3000 warmup=500", "", RIPSTOP_SATURATED);
  check("kary-ntree:k=2,n=3", "updown", "load=0.9 cycles=3000 pattern=hotspot:end=0,share=1", "", RIPSTOP_SATURATED);
  /* a load that is carried exactly is steady */
  check("kary-ntree:k=2,n=1", "updown", "load=1 process=periodic cycles=3000", "", RIPSTOP_STEADY);
}

static void a_packet_without_a_candidate_is_shown(void **state) {
  (void)state;
  ripstop_run_result r = run("kary-ntree:k=2,n=2", "updown", "load=0.5", "0/0/2", RIPSTOP_LOSSY);
  const char *at;
  assert_non_null(strstr(r.witness, "the one down link is dead"));
  assert_non_null(strstr(r.witness, " at 1/0 in cycle ")); /* the top switch above the failed link */
  at = strstr(r.witness, "->");
  assert_true(at && at[1 + 1] == '0'); /* to an end node 0.x, below switch 0/0 */
  assert_true(ripstop_run_result_value(&r, "lost.the one down link is dead") == (double)r.account.lost);
  ripstop_run_result_free(&r);
  r = run("kary-ntree:k=2,n=2", "updown", "load=0.5", "0/0/2 0/0/3", RIPSTOP_LOSSY);
  assert_true(ripstop_run_result_value(&r, "lost.no healthy up link") > 0);
  ripstop_run_result_free(&r);
}

/* "Q holds A->B, waits for Q'; Q' holds .., waits for ..": each waits for the next, the last for the first. Returns how
 * many queues the cycle has. */
static uint32_t follow_witness(const char *witness) {
  char copy[8192], *part, *rest, *first = NULL, *before = NULL;
  uint32_t queues = 0;
  assert_true(strlen(witness) < sizeof copy);
  snprintf(copy, sizeof copy, "%s", witness);
  for (part = strtok_r(copy, ";", &rest); part; part = strtok_r(NULL, ";", &rest), queues++) {
    while (*part == ' ') part++;
    char *holds = strstr(part, " holds "), *waits = strstr(part, ", waits for ");
    assert_true(holds && waits && holds < waits && strstr(holds, "->") && strstr(holds, "->") < waits);
    *holds = '\0';
    if (before) assert_string_equal(before, part);
    if (!first) first = part;
    before = waits + strlen(", waits for ");
  }
  assert_non_null(first);
  assert_string_equal(before, first);
  return queues;
}

static void check_deadlock(const char *fabric, const char *method, const char *options, const char *faults) {
  ripstop_run_result r = run(fabric, method, options, faults, RIPSTOP_DEADLOCKED);
  assert_true(follow_witness(r.witness) >= 2);
  assert_true(r.account.in_flight > 0);
  ripstop_run_result_free(&r);
}

#define THREE_TOPS "0/0/3 0/1/4 0/2/5" /* each top switch of the 3-ary 2-tree lacks another bottom switch */

static void misrouting_beyond_its_guarantee_deadlocks(void **state) {
  (void)state;
  check_deadlock("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=20000", THREE_TOPS);
  check_deadlock("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=20000 packet=1", THREE_TOPS);
  check_deadlock("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=20000 in_queue=2 selection=random", THREE_TOPS);
  check_deadlock("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=20000 out_queue=2", THREE_TOPS);
  check_deadlock("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=20000 flow=xonxoff in_queue=6", THREE_TOPS);
  check_deadlock("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=20000 packet=2:1/5:1 unit=flits in_queue=11",
                 THREE_TOPS);
}

static void rings_deadlock_unless_they_are_cured(void **state) {
  (void)state;
  check_deadlock("torus:8x8", "dor", "load=0.9 cycles=20000", "");
  check_deadlock("torus:8x8", "dor", "load=0.9 cycles=20000 out_queue=1 in_queue=1", "");
  check_deadlock("torus:8x8", "dor", "load=0.9 cycles=20000 flow=xonxoff in_queue=3", "");
  check_deadlock("torus:8x8", "minimal-adaptive:escape=none", "load=0.9 cycles=20000", "");
  check("torus:8x8", "dor:dateline=on", "load=0.9 cycles=6000", "", RIPSTOP_SATURATED);
  check("torus:8x8", "dor:bubble=on", "load=0.9 cycles=6000", "", RIPSTOP_SATURATED);
  check("torus:8x8", "minimal-adaptive", "load=0.9 cycles=6000 in_queue=1", "", RIPSTOP_SATURATED);
  check("torus:8x8", "minimal-adaptive:escape=bubble", "load=0.9 cycles=6000 in_queue=2", "", RIPSTOP_SATURATED);
}

/* Inside the guarantee (3 faults < k = 4), only packets that settle on a candidate too early can deadlock. */
#define EARLY_FAULTS "0/1.0/5 1/2.3/7 1/3.3/4" /* found among samples, as more than half of all sets would be */
static void waiting_packets_must_stay_adaptive(void **state) {
  (void)state;
  const char *options = "load=0.9 cycles=20000 packet=1 in_queue=1 check=500";
  check_deadlock("kary-ntree:k=4,n=3", "misroute:choose=early", options, EARLY_FAULTS);
  check("kary-ntree:k=4,n=3", "misroute", options, EARLY_FAULTS, RIPSTOP_SATURATED);
}

/* A deadlock that a repair may dissolve is none: the verdict waits for the last change. */
static void a_deadlock_is_not_reported_while_repairs_are_to_come(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=8000 packet=1 check=100");
  scene_break(s, THREE_TOPS);
  ripstop_run_result early = scene_run(s);
  assert_int_equal(early.verdict, RIPSTOP_DEADLOCKED);
  assert_true(early.cycles < 4000);
  scene_schedule(s, "switch:1/0@5000 switch:1/0+@6000");
  ripstop_run_result late = scene_run(s);
  assert_true(late.verdict != RIPSTOP_DEADLOCKED || late.cycles > 6000);
  ripstop_run_result_free(&early);
  ripstop_run_result_free(&late);
  scene_schedule(s, "switch:1/0@9000"); /* beyond the end: nothing to wait for */
  ripstop_run_result beyond = scene_run(s);
  assert_int_equal(beyond.verdict, RIPSTOP_DEADLOCKED);
  assert_true(beyond.cycles < 4000);
  ripstop_run_result_free(&beyond);
  scene_close(s);
}

/* Rates are per measured cycle, however few a deadlock left: the offered load stays what it is. */
static void a_run_cut_short_is_divided_by_what_it_measured(void **state) {
  (void)state;
  ripstop_run_result r = run("kary-ntree:k=3,n=2", "misroute", "load=0.9 cycles=80000 warmup=100 packet=1 check=1000",
                             THREE_TOPS, RIPSTOP_DEADLOCKED);
  assert_true(r.cycles < 40000);
  assert_true(fabs(ripstop_run_result_value(&r, "offered") - 0.9) < 0.05);
  ripstop_run_result_free(&r);
}

/* A ring's entry that requires two packets' space of a queue for one would wait forever in an empty fabric. */
static void bubbles_need_room(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_run_result result;
  scene *s = scene_open("torus:4x4", "dor:bubble=on", "load=0.5 in_queue=1");
  assert_int_equal(scene_simulate(s, &result, &err), -1);
  assert_non_null(strstr(err.text, "needs room for two packets"));
  scene_close(s);
}

static ripstop_run_result run_schedule(const char *fabric, const char *method, const char *options,
                                       const char *schedule) {
  scene *s = scene_open(fabric, method, options);
  scene_schedule(s, schedule);
  ripstop_run_result result = scene_run(s);
  scene_close(s);
  return result;
}

static void what_dies_loses_what_is_on_it(void **state) {
  (void)state;
  /* a full link always has a packet on it: exactly those that cross it then */
  ripstop_run_result r = run_schedule(
      "torus:4", "dor", "load=1 packet=10 process=periodic pattern=neighbour cycles=1000 link=3", "0/0@500");
  assert_in_range(ripstop_run_result_value(&r, "lost.link died"), 1, 2);
  assert_true(ripstop_run_result_value(&r, "lost.switch died") == 0);
  assert_int_equal(r.verdict, RIPSTOP_LOSSY);
  ripstop_run_result_free(&r);
  r = run_schedule("kary-ntree:k=4,n=2", "misroute", "load=0.5 cycles=3000", "0/0/4@1000 0/0/4+@1100 0/1/5@1500");
  assert_in_range(ripstop_run_result_value(&r, "lost.link died"), 1, 4);
  assert_true(r.account.lost == ripstop_run_result_value(&r, "lost.link died"));
  assert_int_not_equal(r.verdict, RIPSTOP_LOSSY);
  ripstop_run_result_free(&r);
  /* a leaf switch: its queues, its links, and what waits at its end nodes */
  r = run_schedule("kary-ntree:k=4,n=2", "misroute", "load=0.9 cycles=3000", "switch:0/0@1000");
  assert_true(ripstop_run_result_value(&r, "lost.switch died") > 5);
  assert_true(ripstop_run_result_value(&r, "lost.link died") == 0);
  ripstop_run_result_free(&r);
  /* nothing dies at no load */
  r = run_schedule("kary-ntree:k=4,n=2", "misroute", "load=0 cycles=3000", "switch:0/0@1000 0/1/5@1500");
  assert_int_equal(r.account.generated, 0);
  assert_int_equal(r.verdict, RIPSTOP_STEADY);
  ripstop_run_result_free(&r);
}

/* A switch that fails while it is down changes nothing: packets that its end nodes would have generated are not lost
 * again. */
static void what_has_failed_cannot_fail(void **state) {
  (void)state;
  uint64_t generated[2];
  for (int again = 0; again < 2; again++) {
    scene *s = scene_open("kary-ntree:k=4,n=2", "misroute", "load=0.5 cycles=2000");
    scene_break(s, "switch:0/0");
    scene_schedule(s, again ? "switch:0/0@1000" : "");
    ripstop_run_result r = scene_run(s);
    assert_true(ripstop_run_result_value(&r, "lost.switch died") == 0);
    generated[again] = r.account.generated;
    ripstop_run_result_free(&r);
    scene_close(s);
  }
  assert_int_equal(generated[0], generated[1]);
}

/* End nodes of a failed switch are silent; throughput in a fault-free time before and after is the usual one. */
static void what_comes_back_carries_again(void **state) {
  (void)state;
  const char *options = "load=0.3 cycles=6000 window=1000 packet=4";
  ripstop_run_result r = run_schedule("kary-ntree:k=4,n=2", "misroute", options, "switch:0/2@2000 switch:0/2+@4000");
  double generated_at = 0.3 / 4 * 16 * 1000;
  for (int w = 0; w < 6; w++) {
    double share = w == 2 || w == 3 ? 0.75 : 1;
    assert_true(fabs((double)r.window[w].generated - share * generated_at) < 4 * sqrt(generated_at));
  }
  assert_int_equal(r.verdict, RIPSTOP_LOSSY); /* others send to the dead end nodes */
  assert_true(r.window[0].lost == 0 && r.window[5].lost == 0 && r.window[3].lost > 100);
  assert_true((double)r.window[5].delivered > 0.9 * generated_at);
  ripstop_run_result_free(&r);
}

static void faults_show_in_kinds_of_packets(void **state) {
  (void)state;
  ripstop_run_result healthy =
      run("kary-ntree:k=4,n=3", "misroute", "load=0.2 cycles=2000 warmup=500", "", RIPSTOP_STEADY);
  ripstop_run_result broken =
      run("kary-ntree:k=4,n=3", "misroute", "load=0.2 cycles=2000 warmup=500", "1/0.1/6 1/1.1/6", RIPSTOP_STEADY);
  assert_true(ripstop_run_result_value(&healthy, "undisturbed.packets") ==
              ripstop_run_result_value(&healthy, "packets"));
  assert_true(ripstop_run_result_value(&broken, "misrouted-down.packets") > 5);
  assert_true(ripstop_run_result_value(&broken, "misrouted-down.hops.mean") >
              ripstop_run_result_value(&broken, "undisturbed.hops.mean") + 1);
  assert_true(ripstop_run_result_value(&broken, "misrouted-down.latency.mean") >
              ripstop_run_result_value(&broken, "undisturbed.latency.mean"));
  ripstop_run_result_free(&healthy);
  ripstop_run_result_free(&broken);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(light_load_is_steady_and_heavy_load_saturates),
                                     cmocka_unit_test(a_packet_without_a_candidate_is_shown),
                                     cmocka_unit_test(misrouting_beyond_its_guarantee_deadlocks),
                                     cmocka_unit_test(rings_deadlock_unless_they_are_cured),
                                     cmocka_unit_test(waiting_packets_must_stay_adaptive),
                                     cmocka_unit_test(a_deadlock_is_not_reported_while_repairs_are_to_come),
                                     cmocka_unit_test(a_run_cut_short_is_divided_by_what_it_measured),
                                     cmocka_unit_test(bubbles_need_room),
                                     cmocka_unit_test(what_dies_loses_what_is_on_it),
                                     cmocka_unit_test(what_has_failed_cannot_fail),
                                     cmocka_unit_test(what_comes_back_carries_again),
                                     cmocka_unit_test(faults_show_in_kinds_of_packets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
