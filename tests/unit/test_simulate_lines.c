/* test_simulate_lines.c - lines of waiting packets (switch.queues: voq): what they carry beside closed forms, what they
 * are with one line, threads, and deadlock. The differential test compares each delivery with a model of flits. */
#include "scene.h"

typedef struct switch_case {
  const char *fabric;
  double fifo; /* capacity of a switch of so many ports with one queue for each port, uniform traffic to the others */
} switch_case;

/* Saturation of N x N switches with FIFO input queues without traffic to oneself: the Markov chain of the heads. With N
 * = 3 each head has two destinations: 0.75 as of 2 x 2 with both (Karol, Hluchyj and Morgan 1987). */
static void lines_have_no_head_of_line_blocking(void **state) {
  (void)state;
  static const switch_case cases[] = {
      {"kary-ntree:k=3,n=1", 0.75}, {"kary-ntree:k=4,n=1", 0.690}, {"kary-ntree:k=5,n=1", 0.661}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double fifo =
        scene_accepted(cases[i].fabric, "updown", "", "packet=1 in_queue=40 load=1 warmup=2000 cycles=20000");
    const double voq = scene_accepted(cases[i].fabric, "updown", "",
                                      "packet=1 in_queue=1000 load=0.95 queues=voq warmup=2000 cycles=20000");
    if (fifo < cases[i].fifo - 0.012 || fifo > cases[i].fifo + 0.012) fail_msg("%s: FIFO %g", cases[i].fabric, fifo);
    if (voq < 0.94 || voq > 0.96) fail_msg("%s: voq %g of 0.95", cases[i].fabric, voq);
  }
}

static bool same_deliveries(const scene *a, const scene *b) {
  return a->deliveries == b->deliveries && !memcmp(a->delivered, b->delivered, a->deliveries * sizeof *a->delivered);
}

/* The order of outputs does not matter because each crossbar input has one queue. */
static void one_line_is_a_queue(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"kary-ntree:k=4,n=2", "updown"}, {"torus:4x4", "dor:dateline=on"}, {"torus:4x4", "minimal-adaptive"}};
  static const char options[] = "load=0.7 packet=3 crossbar=queues in_queue=6 cycles=2000";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene *input = scene_open(cases[i][0], cases[i][1], options), *voq = scene_open(cases[i][0], cases[i][1], options);
    scene_set(voq, "queues=voq:lines=1");
    ripstop_run_result one = scene_run(input), other = scene_run(voq);
    assert_true(one.account.delivered > 1000);
    if (!same_deliveries(input, voq)) fail_msg("%s %s: one line is not a queue", cases[i][0], cases[i][1]);
    assert_true(ripstop_run_result_value(&other, "voq.full") > 0);
    scene_set(voq, "queues=voq");
    ripstop_run_result_free(&other);
    other = scene_run(voq);
    assert_true(ripstop_run_result_value(&other, "voq.full") == 0);
    assert_false(same_deliveries(input, voq));
    ripstop_run_result_free(&one);
    ripstop_run_result_free(&other);
    scene_close(input);
    scene_close(voq);
  }
}

/* Faults and repairs take packets out of the middle of lines. */
static void parts_do_not_matter(void **state) {
  (void)state;
  static const char *const queues[] = {
      "queues=voq",           "queues=voq:lines=2",      "queues=voq out_queue=3",
      "queues=voq speedup=2", "speedup=1.5 out_queue=2", "queues=voq speedup=3.25 unit=flits in_queue=20 out_queue=12"};
  for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
    scene *s = scene_open("torus:6x6", "valiant", "load=0.6 packet=4 in_queue=5 cycles=2000");
    scene_set(s, queues[i]);
    scene_schedule(s, "0.0/0@500 switch:2.2@600 0.0/0+@900 switch:2.2+@950");
    ripstop_run_result one = scene_run(s);
    s->sim.parts = 4;
    ripstop_run_result several = scene_run(s);
    several.bytes = one.bytes;
    assert_true(one.account.lost > 0 && one.account.delivered > 1000);
    if (!results_are_equal(&one, &several)) fail_msg("%s: parts matter", queues[i]);
    ripstop_run_result_free(&one);
    ripstop_run_result_free(&several);
    scene_close(s);
  }
}

/* Two flits a cycle: both heads of two inputs reach one output in the same cycle, and what waited for the first crosses
 * in the second half of it. */
static void a_fast_crossbar_keeps_outputs_busy(void **state) {
  (void)state;
  static const char *const queues[] = {"queues=input", "queues=voq"};
  static const char common[] = "load=1 in_queue=64 out_queue=64 warmup=2000 cycles=20000";
  for (size_t i = 0; i < 2; i++) {
    char options[200];
    for (uint32_t flits = 1; flits <= 4; flits += 3) {
      snprintf(options, sizeof options, "%s packet=%u speedup=2 %s", common, flits, queues[i]);
      const double fast = scene_accepted("kary-ntree:k=8,n=1", "updown", "", options);
      if (fast < 0.95) fail_msg("%s: %g", options, fast);
    }
  }
}

/* Alone, a packet is not delayed by waiting for its flits: 1 cycle for the link, 1 in the pipeline, 1 in the output
 * queue, 1 for the second link, and its 15 other flits. */
static void a_fast_crossbar_delays_nobody(void **state) {
  (void)state;
  static const char *const speeds[] = {"speedup=1 out_queue=8", "speedup=1.5", "speedup=2", "speedup=7.75"};
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    scene *s = scene_open("kary-ntree:k=4,n=1", "updown", "packet=16 load=0.001 cycles=40000");
    scene_set(s, speeds[i]);
    ripstop_run_result result = scene_run(s);
    assert_true(result.account.delivered > 4);
    assert_int_equal((int)ripstop_run_result_value(&result, "latency.p50"), 19);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

/* UGAL decides for each packet when it becomes the head. If a packet kept the port of the one before it, minimal
 * routing would carry 1 / (a p) = 0.125 of this traffic. */
static void heads_are_bound_one_by_one(void **state) {
  (void)state;
  static const char *const queues[] = {"queues=input", "queues=voq"};
  for (size_t i = 0; i < 2; i++) {
    char options[200];
    snprintf(options, sizeof options, "pattern=group-shift:by=1 load=1 packet=4 in_queue=8 speedup=2 %s", queues[i]);
    const double accepted = scene_accepted("dragonfly:a=4,p=2,h=2,arrangement=absolute", "dragonfly-ugal", "", options);
    if (accepted < 0.4) fail_msg("%s: %g", queues[i], accepted);
  }
}

static ripstop_verdict verdict_of(const char *method, const char *options) {
  return scene_verdict("torus:8", method, "load=1 packet=4 in_queue=2 cycles=20000 check=500", options);
}

/* A ring of full queues stands still whatever the order inside them; a dateline, or an escape, prevents it. */
static void lines_change_no_verdict(void **state) {
  (void)state;
  assert_int_equal(verdict_of("dor", "pattern=tornado queues=voq"), RIPSTOP_DEADLOCKED);
  assert_int_equal(verdict_of("dor:dateline=on", "pattern=tornado queues=voq"), RIPSTOP_SATURATED);
  assert_int_equal(verdict_of("minimal-adaptive", "pattern=tornado queues=voq"), RIPSTOP_SATURATED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_have_no_head_of_line_blocking),
      cmocka_unit_test(one_line_is_a_queue),
      cmocka_unit_test(parts_do_not_matter),
      cmocka_unit_test(a_fast_crossbar_keeps_outputs_busy),
      cmocka_unit_test(a_fast_crossbar_delays_nobody),
      cmocka_unit_test(heads_are_bound_one_by_one),
      cmocka_unit_test(lines_change_no_verdict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
