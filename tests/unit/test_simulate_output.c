/* test_simulate_output.c - switches whose packets are bound to an output when they enter (switch.queues = output):
 * waiting times in closed form, and what such a switch refuses. tests/differential compares every cycle with a second
 * model. */
#include <math.h>

#include "scene.h"

/* One switch of N ports, packets of one flit, Bernoulli traffic to the N - 1 others: in each cycle each of N - 1 inputs
 * has a packet for an output with probability p / (N - 1). The mean wait is (N - 2) / (N - 1) p / (2 (1 - p)) (Karol,
 * Hluchyj and Morgan 1987, output queueing, with N - 1 in place of N). A packet alone needs 2 D + R = 3 cycles. */
static void waiting_times_are_those_of_output_queues(void **state) {
  static const struct {
    uint32_t ports;
    double load;
  } cases[] = {{2, 0.8}, {4, 0.5}, {4, 0.8}, {8, 0.5}, {8, 0.8}, {16, 0.7}, {16, 0.9}};
  static const char *const queues[] = {"in_queue=unlimited", "in_queue=64"};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < 2; k++) {
      char fabric[32], options[128];
      const double n = cases[i].ports, p = cases[i].load, wait = (n - 2) / (n - 1) * p / (2 * (1 - p));
      snprintf(fabric, sizeof fabric, "kary-ntree:k=%u,n=1", cases[i].ports);
      snprintf(options, sizeof options, "queues=output packet=1 load=%g warmup=5000 cycles=60000 %s", p, queues[k]);
      scene *s = scene_open(fabric, "updown", options);
      ripstop_run_result result = scene_run(s);
      const double mean = ripstop_run_result_value(&result, "latency.mean");
      if (fabs(mean - 3 - wait) > 0.02 + 0.05 * wait)
        fail_msg("%s, load %g, %s: mean latency %g, not %g", fabric, p, queues[k], mean, 3 + wait);
      ripstop_run_result_free(&result);
      scene_close(s);
    }
}

/* Bounded input queues lose no throughput to packets for other outputs: 0.59 with queues = input. */
static void no_packet_blocks_another_output(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=16,n=1", "updown",
                        "queues=output packet=1 load=0.97 in_queue=32 warmup=5000 cycles=20000");
  ripstop_run_result result = scene_run(s);
  assert_true(ripstop_run_result_value(&result, "accepted") > 0.95);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* Every flit of a run in one part and in four, with parts that fail and come back. */
static void parts_change_nothing(void **state) {
  static const char *const options[] = {"", "in_queue=unlimited", "selection=weighted unit=flits in_queue=40",
                                        "link=3 credit=2"};
  (void)state;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    scene_parts_alike("queues=output packet=4 load=0.7 warmup=500 cycles=6000", options[i]);
}

/* Dimension order in a ring without datelines: packets that wait for each other. With datelines there are none,
 * nor without a limit. */
static void deadlocks_are_found(void **state) {
  static const char *const methods[] = {"dor", "dor:dateline=on"}, *const flows[] = {"in_queue=2",
                                                                                     "in_queue=unlimited"};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    scene *s = scene_open("torus:8", methods[i % 2], "queues=output packet=16 load=1 cycles=40000 pattern=tornado");
    scene_set(s, flows[i / 2]);
    ripstop_run_result result = scene_run(s);
    assert_int_equal(result.verdict == RIPSTOP_DEADLOCKED, i == 0);
    if (i == 0) assert_non_null(strstr(result.witness, "out-port"));
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

static void what_it_cannot_do_is_refused(void **state) {
  (void)state;
  scene_is_refused("torus:4x4", "dor:bubble=on", "queues=output", "bubble flow control");
  scene_is_refused("kary-ntree:k=4,n=2", "link-fault-messages", "queues=output", "protocol");
  scene_is_refused("torus:4x4", "dor", "queues=output out_queue=4", "out_queue = 4");
  scene_is_refused("torus:4x4", "dor", "queues=output flow=xonxoff", "credits");
  scene_is_refused("torus:4x4", "dor", "in_queue=unlimited", "in_queue = unlimited");
  scene_is_refused("torus:4x4", "dor", "queues=output in_queue=unlimited flow=xonxoff", "flow");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(waiting_times_are_those_of_output_queues),
                                     cmocka_unit_test(no_packet_blocks_another_output),
                                     cmocka_unit_test(parts_change_nothing), cmocka_unit_test(deadlocks_are_found),
                                     cmocka_unit_test(what_it_cannot_do_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
