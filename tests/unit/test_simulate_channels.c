/* test_simulate_channels.c - several virtual channels for each of the method's (switch.vcs), and pools of space for a
 * port (switch.buffers): equalities with runs without them, order, deadlock, parts, and what is refused. The
 * differential test compares each delivery with a model of flits. */
#include <math.h>

#include "scene.h"

static bool same_deliveries(const scene *a, const scene *b) {
  return a->deliveries == b->deliveries && !memcmp(a->delivered, b->delivered, a->deliveries * sizeof *a->delivered);
}

/* Runs one scenario with two sets of options; both deliver something. */
static bool are_equal(const char *fabric, const char *method, const char *common, const char *one, const char *other) {
  scene *a = scene_open(fabric, method, common), *b = scene_open(fabric, method, common);
  scene_set(a, one);
  scene_set(b, other);
  ripstop_run_result of_a = scene_run(a), of_b = scene_run(b);
  const bool same = same_deliveries(a, b);
  assert_true(of_a.account.delivered > 500 && of_b.account.delivered > 500);
  ripstop_run_result_free(&of_a);
  ripstop_run_result_free(&of_b);
  scene_close(a);
  scene_close(b);
  return same;
}

/* With nothing beside the reserves a pool is empty, and each channel has a packet's space of its own. */
static void reserves_alone_are_queues(void **state) {
  (void)state;
  static const char *const organisations[] = {"queues=input", "queues=voq", "queues=output", "out_queue=3"};
  static const char common[] = "load=0.8 packet=3 cycles=1500";
  for (size_t i = 0; i < sizeof organisations / sizeof *organisations; i++) {
    char options[100];
    snprintf(options, sizeof options, "%s %s", common, organisations[i]);
    assert_true(are_equal("torus:4x4", "dor:dateline=on", options, "in_queue=1", "in_queue=2 buffers=port"));
    assert_true(
        are_equal("torus:4x4", "dor:dateline=on", options, "in_queue=1 vcs=3", "in_queue=6 buffers=port vcs=3"));
    assert_false(
        are_equal("torus:4x4", "dor:dateline=on", options, "in_queue=1 vcs=3", "in_queue=7 buffers=port vcs=3"));
  }
  assert_true(are_equal("torus:4x4", "dor:dateline=on", common, "in_queue=1 vcs=3",
                        "unit=flits in_queue=18 buffers=port vcs=3"));
}

/* All packets between two end nodes have one hash. So they take one channel, and nothing else takes the pool. */
static void a_channel_alone_gets_the_whole_pool(void **state) {
  (void)state;
  static const char common[] = "load=1 packet=4 link=20 cycles=4000 vcs=4 vc=hash";
  assert_true(are_equal("kary-ntree:k=2,n=1", "updown", common, "in_queue=2", "in_queue=5 buffers=port"));
  /* D = 20, R = K = 1: the network interface waits for the space of a packet 20 + 1 + 4 + 1 cycles after its grant, so
   * two packets of 4 flits in 26 cycles are what two places carry. */
  scene *s = scene_open("kary-ntree:k=2,n=1", "updown", common);
  scene_set(s, "in_queue=5 buffers=port warmup=1000");
  ripstop_run_result result = scene_run(s);
  const double accepted = ripstop_run_result_value(&result, "accepted");
  if (accepted < 8 / 26.0 - 0.003 || accepted > 8 / 26.0 + 0.003) fail_msg("accepted %g", accepted);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static double reordered(const char *options) {
  scene *s = scene_open("torus:5x5", "dor:dateline=on", "load=0.7 packet=2 in_queue=4 cycles=4000 reorder=on");
  scene_set(s, options);
  ripstop_run_result result = scene_run(s);
  const double count = ripstop_run_result_value(&result, "reorder.mean");
  assert_true(result.account.delivered > 5000 && !isnan(count));
  ripstop_run_result_free(&result);
  scene_close(s);
  return count;
}

/* Packets of a pair have one path. On several channels of it they overtake each other, unless they are hashed. */
static void a_hash_keeps_order(void **state) {
  (void)state;
  static const char *const organisations[] = {"queues=input", "queues=voq", "queues=output", "speedup=2"};
  for (size_t i = 0; i < sizeof organisations / sizeof *organisations; i++) {
    char options[100];
    snprintf(options, sizeof options, "%s vcs=4 vc=hash", organisations[i]);
    assert_true(reordered(options) == 0);
    snprintf(options, sizeof options, "%s vcs=4 vc=random", organisations[i]);
    assert_true(reordered(options) > 0);
    snprintf(options, sizeof options, "%s vcs=4", organisations[i]);
    assert_true(reordered(options) > 0);
  }
}

static double accepted_of(const char *options) {
  char all[200];
  snprintf(all, sizeof all, "load=1 packet=1 in_queue=16 warmup=1000 cycles=6000 %s", options);
  return scene_accepted("kary-ntree:k=16,n=1", "updown", "", all);
}

/* Heads of more channels block less: between one FIFO for each port, 0.6 here, and all outputs busy. Of the channels
 * the roomiest is the best, and any of them is better than the one of the packet's hash. */
static void more_channels_carry_more(void **state) {
  (void)state;
  const double one = accepted_of(""), two = accepted_of("vcs=2"), eight = accepted_of("vcs=8");
  const double hashed = accepted_of("vcs=8 vc=hash"), random = accepted_of("vcs=8 vc=random");
  if (one > 0.62 || two < one + 0.1 || eight < two + 0.1 || hashed > eight || random < two)
    fail_msg("accepted %g %g %g, by hash %g, at random %g", one, two, eight, hashed, random);
}

static ripstop_verdict verdict_of(const char *method, const char *options) {
  return scene_verdict("torus:8", method, "load=1 packet=4 in_queue=2 cycles=20000 check=500 pattern=tornado", options);
}

/* All channels of a ring fill up. A dateline, a bubble or an escape prevents it, and so does a reserve in a pool. */
static void channels_change_no_verdict(void **state) {
  (void)state;
  static const char *const free[][2] = {{"dor:dateline=on", "vcs=3"},
                                        {"dor:dateline=on", "vcs=3 vc=random queues=voq"},
                                        {"dor:dateline=on", "vcs=2 queues=output"},
                                        {"dor:dateline=on", "vcs=2 buffers=port in_queue=6"},
                                        {"dor:dateline=on", "buffers=port in_queue=5 queues=voq"},
                                        {"dor:dateline=on", "buffers=port in_queue=5 queues=output"},
                                        {"dor:bubble=on", "vcs=2"},
                                        {"dor:bubble=on", "vcs=2 vc=hash"},
                                        {"minimal-adaptive", "vcs=2 buffers=port in_queue=7"}};
  static const char *const stuck[] = {"vcs=2",
                                      "vcs=3 vc=random queues=voq",
                                      "vcs=2 buffers=port in_queue=6",
                                      "vcs=2 buffers=port in_queue=6 queues=voq",
                                      "vcs=2 buffers=port in_queue=6 queues=output",
                                      "vcs=2 out_queue=2"};
  for (size_t i = 0; i < sizeof free / sizeof *free; i++)
    if (verdict_of(free[i][0], free[i][1]) != RIPSTOP_SATURATED) fail_msg("%s %s", free[i][0], free[i][1]);
  for (size_t i = 0; i < sizeof stuck / sizeof *stuck; i++)
    if (verdict_of("dor", stuck[i]) != RIPSTOP_DEADLOCKED) fail_msg("dor %s", stuck[i]);
}

/* A packet needs its space behind the link before it enters an output queue without a bound, as it does without output
 * queues. So the verdicts are those without, also for bubble flow control. */
static void unlimited_output_queues_change_no_verdict(void **state) {
  (void)state;
  assert_int_equal(verdict_of("dor", "vcs=2 out_queue=unlimited"), RIPSTOP_DEADLOCKED);
  assert_int_equal(verdict_of("dor", "speedup=2 out_queue=unlimited"), RIPSTOP_DEADLOCKED);
  assert_int_equal(verdict_of("dor:bubble=on", "out_queue=unlimited"), RIPSTOP_SATURATED);
  assert_int_equal(verdict_of("dor:bubble=on", "speedup=2 out_queue=unlimited"), RIPSTOP_SATURATED);
  assert_int_equal(verdict_of("minimal-adaptive:escape=bubble", "speedup=2 queues=voq out_queue=unlimited"),
                   RIPSTOP_SATURATED);
}

/* Each half of a mesh of 8 x 8 has 32 end nodes, which send 32 of 63 packets to the other half over 8 links. So no
 * switch accepts more than 8 x 63 / 32 / 32 flits for each end node. If output queues took packets that have no space
 * behind the link, packets for the near half would pass those that wait: it would accept .55. */
static void unlimited_output_queues_hold_no_more_than_fits(void **state) {
  (void)state;
  scene *s = scene_open("mesh:8x8", "opensm-dor", "packet=1 load=1 warmup=3000 cycles=6000 unit=flits in_queue=8");
  scene_set(s, "vcs=8 speedup=2 out_queue=unlimited");
  ripstop_run_result result = scene_run(s);
  const double accepted = ripstop_run_result_value(&result, "accepted");
  assert_true(accepted > 0.45 && accepted < 8. * 63 / 32 / 32);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static int latency_alone(const char *options) {
  scene *s = scene_open("kary-ntree:k=4,n=1", "updown", "packet=16 load=0.001 cycles=40000");
  scene_set(s, options);
  ripstop_run_result result = scene_run(s);
  const int latency = (int)ripstop_run_result_value(&result, "latency.p50");
  assert_true(result.account.delivered > 4);
  ripstop_run_result_free(&result);
  scene_close(s);
  return latency;
}

/* 1 cycle for the link, 1 in the pipeline, 1 for the second link and 15 other flits; 1 more in a queue with a bound. */
static void queues_without_a_bound_take_no_time(void **state) {
  (void)state;
  assert_int_equal(latency_alone("out_queue=0"), 18);
  assert_int_equal(latency_alone("out_queue=8"), 19);
  assert_int_equal(latency_alone("out_queue=unlimited"), 18);
  assert_int_equal(latency_alone("speedup=2 out_queue=unlimited"), 18);
}

static void a_whole_packet_fits(void **state) {
  (void)state;
  static const char common[] = "load=0.6 packet=5 cycles=1500 unit=flits";
  assert_true(are_equal("torus:4x4", "dor:dateline=on", common, "in_queue=2 whole=on", "in_queue=5"));
  assert_true(are_equal("torus:4x4", "dor:dateline=on", common, "in_queue=8 whole=on", "in_queue=8"));
}

static void eight_in_all_depend_on_the_method(void **state) {
  (void)state;
  static const char common[] = "load=0.7 packet=2 in_queue=3 cycles=1500";
  assert_true(are_equal("torus:4x4", "dor:dateline=on", common, "vcs=8/channels", "vcs=4"));
  assert_true(are_equal("kary-ntree:k=2,n=3", "updown", common, "vcs=8/channels", "vcs=8"));
}

static void parts_do_not_matter(void **state) {
  (void)state;
  static const char *const switches[] = {"vcs=3",
                                         "vcs=3 vc=random",
                                         "vcs=3 vc=hash crossbar=queues",
                                         "vcs=2 queues=voq speedup=2",
                                         "vcs=2 queues=output",
                                         "vcs=2 queues=output vc=random buffers=port in_queue=12",
                                         "vcs=3 selection=ecmp",
                                         "vcs=2 selection=deal queues=voq",
                                         "vcs=2 selection=space:counts=port buffers=port in_queue=14",
                                         "buffers=port in_queue=9",
                                         "vcs=2 buffers=port unit=flits in_queue=50 queues=voq",
                                         "vcs=2 flow=xonxoff in_queue=12",
                                         "vcs=2 speedup=2 out_queue=unlimited",
                                         "vcs=2 out_queue=unlimited buffers=port in_queue=12"};
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
    scene *s = scene_open("torus:6x6", "valiant", "load=0.6 packet=4 in_queue=5 cycles=2000");
    scene_set(s, switches[i]);
    scene_schedule(s, "0.0/0@500 switch:2.2@600 0.0/0+@900 switch:2.2+@950");
    ripstop_run_result one = scene_run(s);
    s->sim.parts = 4;
    ripstop_run_result several = scene_run(s);
    several.bytes = one.bytes;
    assert_true(one.account.lost > 0 && one.account.delivered > 1000);
    if (!results_are_equal(&one, &several)) fail_msg("%s: parts matter", switches[i]);
    ripstop_run_result_free(&one);
    ripstop_run_result_free(&several);
    scene_close(s);
  }
}

static void refused(const char *fabric, const char *method, const char *options, const char *message) {
  char all[128];
  snprintf(all, sizeof all, "load=0.5 packet=4 %s", options);
  scene_is_refused(fabric, method, all, message);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  refused(
      "torus:4x4", "dor:dateline=on", "vcs=9",
      "switch.vcs = 9: method dor has 2 virtual channels, which makes 18; a link has at most 16, so vcs is at most 8");
  refused("torus:4x4", "immunet:control_path=safe,control_flits=2", "vcs=2",
          "switch.vcs = 2: method immunet sends control packets, which need 1");
  refused("torus:4x4", "dor:dateline=on", "vcs=2 buffers=port in_queue=3",
          "switch.in_queue = 3: with switch.buffers = port each of the 4 virtual channels has a reserve of one longest "
          "packet, 1 "
          "packet, so in_queue is at least 4");
  refused("torus:4x4", "dor:dateline=on", "vcs=2 buffers=port in_queue=15 unit=flits",
          "4 flits, so in_queue is at least 16");
  refused("torus:4x4", "dor:dateline=on", "buffers=port flow=xonxoff in_queue=20", "switch.flow = xonxoff");
  refused("torus:4x4", "dor:dateline=on", "buffers=port queues=output in_queue=unlimited", "leaves nothing to share");
  refused("torus:4x4", "dor:bubble=on", "buffers=port", "bubble flow control");
  refused(
      "torus:4x4", "dor:bubble=on", "out_queue=8",
      "switch.out_queue = 8: method dor has bubble flow control, which counts the space behind a link when a packet "
      "crosses; use unlimited or 0");
  refused("torus:4x4", "dor:dateline=on", "out_queue=unlimited flow=xonxoff in_queue=20",
          "switch.out_queue = unlimited: packets take their space behind the link when they cross");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reserves_alone_are_queues),
      cmocka_unit_test(a_channel_alone_gets_the_whole_pool),
      cmocka_unit_test(a_hash_keeps_order),
      cmocka_unit_test(more_channels_carry_more),
      cmocka_unit_test(channels_change_no_verdict),
      cmocka_unit_test(unlimited_output_queues_change_no_verdict),
      cmocka_unit_test(unlimited_output_queues_hold_no_more_than_fits),
      cmocka_unit_test(queues_without_a_bound_take_no_time),
      cmocka_unit_test(a_whole_packet_fits),
      cmocka_unit_test(eight_in_all_depend_on_the_method),
      cmocka_unit_test(parts_do_not_matter),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
