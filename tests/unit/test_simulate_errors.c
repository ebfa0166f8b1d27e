/* test_simulate_errors.c - every input that a simulation refuses, once: one line that names the option, what is wrong
 * and where there is one the nearest valid word; and the limits themselves, which it takes. */
#include <math.h>

#include "scene.h"

static void expect(scene *s, const char *text) {
  ripstop_run_result result;
  ripstop_error err = {0};
  if (scene_simulate(s, &result, &err) == 0) fail_msg("not refused: %s", text);
  if (!strstr(err.text, text)) fail_msg("'%s' does not say '%s'", err.text, text);
  assert_null(strchr(err.text, '\n'));
  assert_null(result.arena);
  scene_close(s);
}

static scene *torus(void) { return scene_open("torus:4x4", "dor", "load=0.1 cycles=200"); }

/* Runs `change` on a fresh scene `s`, which must then be refused with this text. */
#define REFUSED(text, change) \
  do {                        \
    scene *s = torus();       \
    change;                   \
    expect(s, text);          \
  } while (0)

static void options_out_of_range(void **state) {
  (void)state;
  REFUSED("switch.in_queue = 0 is outside 1 .. 1e+09", s->sim.switch_.in_queue = 0);
  REFUSED("switch.in_queue = 2e+09", s->sim.switch_.in_queue = 2000000000);
  REFUSED("switch.out_queue = -1", s->sim.switch_.out_queue = -1);
  REFUSED("switch.pipeline = 30001", s->sim.switch_.pipeline = 30001);
  REFUSED("switch.link = 0", s->sim.switch_.link = 0);
  REFUSED("switch.credit = 0", s->sim.switch_.credit = 0);
  REFUSED("switch.xoff = -5", s->sim.switch_.xoff = -5);
  REFUSED("switch.unit: 7 is not the number of a word", s->sim.switch_.unit = 7);
  REFUSED("switch.unit: 2 is not the number of a word", s->sim.switch_.unit = RIPSTOP_UNIT_FLITS + 1);
  REFUSED("switch.flow: -1 is not the number of a word", s->sim.switch_.flow = -1);
  REFUSED("reaction.model: 5 is not the number of a word", s->sim.reconfiguration.model = 5);
  REFUSED("reaction.drain: 2 is not the number of a word", s->sim.reconfiguration.drain = RIPSTOP_DRAIN_DISCARD + 1);
  REFUSED("switch.arbiter is not given", s->sim.switch_.arbiter = NULL);
  REFUSED("switch.queues is not given", s->sim.switch_.queues = NULL);
  REFUSED("traffic.load = 1.5 is outside 0 .. 1", s->sim.traffic.load = 1.5);
  REFUSED("traffic.load", s->sim.traffic.load = (double)NAN);
  REFUSED("traffic.pattern is not given", s->sim.traffic.pattern = NULL);
  REFUSED("measure.cycles = 0", s->sim.measure.cycles = 0);
  REFUSED("measure.batches = 19 is outside 20 .. 1000", s->sim.measure.batches = 19);
  REFUSED("measure.confidence = 1", s->sim.measure.confidence = 1);
  REFUSED("measure.check = 0", s->sim.measure.check = 0);
  REFUSED("measure.warmup", s->sim.measure.warmup = "soon");
  REFUSED("measure.warmup", s->sim.measure.warmup = "-1");
  REFUSED("a run of 2000000001 cycles is too long",
          (s->sim.measure.warmup = "1999999801", s->sim.measure.cycles = 200));
  REFUSED("measure.cycles = 10 is less than measure.batches = 20", s->sim.measure.cycles = 10);
}

static void queues_that_do_not_fit(void **state) {
  (void)state;
  REFUSED("a queue of 15 flits does not hold a packet of 16", scene_set(s, "unit=flits in_queue=15"));
  REFUSED("a queue of 3 flits does not hold a packet of 16", scene_set(s, "unit=flits in_queue=16 out_queue=3"));
  REFUSED("switch.in_queue = 65536: a queue holds at most 65535 packets, so at most 65535",
          scene_set(s, "in_queue=65536"));
  REFUSED("switch.out_queue = 70000: a queue holds at most 65535 packets, so at most 65535",
          scene_set(s, "out_queue=70000"));
  REFUSED("switch.in_queue = 1048576: a queue holds at most 65535 packets, so at most 1048575",
          scene_set(s, "unit=flits in_queue=1048576"));
  expect(scene_open("torus:100x100,p=54", "dor",
                    "load=0.1 link=1000 packet=1"), /* too many packets on cables to end nodes */
         "are more than one simulation can hold");
  scene *s = scene_open("torus:128x128", "dor", "load=0.1 in_queue=32767 packet=1");
  expect(s, "places are more than one simulation can hold");
}

static void flow_control_that_loses_packets(void **state) {
  (void)state;
  REFUSED("switch.xoff = 1 loses packets: with these delays at least 2 must be free",
          scene_set(s, "flow=xonxoff in_queue=9 xoff=1 packet=2"));
  REFUSED("at least 64 must be free", scene_set(s, "flow=xonxoff in_queue=99 xoff=63 unit=flits link=20 credit=40"));
  REFUSED("switch.xon = 2 is below switch.xoff = 3", scene_set(s, "flow=xonxoff in_queue=9 xoff=3 xon=2"));
  REFUSED("switch.in_queue = 4 is too small for XON/XOFF: at least xon = 5",
          scene_set(s, "flow=xonxoff in_queue=4 xoff=3 xon=5"));
  REFUSED("switch.in_queue = 1 is too small for XON/XOFF: at least xon = 2", scene_set(s, "flow=xonxoff in_queue=1"));
}

static void the_least_that_is_safe_loses_nothing(void **state) {
  (void)state;
  const char *const options[] = {"flow=xonxoff in_queue=2 load=1",
                                 "flow=xonxoff in_queue=9 xoff=9 xon=9 link=30 packet=5",
                                 "flow=xonxoff in_queue=80 unit=flits link=20 credit=40 load=1",
                                 "flow=xonxoff in_queue=102 packet=3:0.5/17:0.5 unit=flits link=2 credit=13 load=1"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    scene *s = torus();
    scene_set(s, options[i]);
    scene_set(s, "cycles=1000");
    ripstop_run_result r = scene_run(s); /* which fails if a queue holds more than it can */
    assert_true(r.account.delivered > 0 && r.account.lost == 0);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

static void words_that_do_not_exist(void **state) {
  (void)state;
  REFUSED("switch.arbiter 'wieghted' is unknown; did you mean 'weighted'?", s->sim.switch_.arbiter = "wieghted");
  REFUSED("switch.queues 'inputs' is unknown; did you mean 'input'?", s->sim.switch_.queues = "inputs");
  REFUSED("input", s->sim.switch_.queues = "input:size=1");
  REFUSED("shares", s->sim.switch_.arbiter = "weighted");
  REFUSED("share", s->sim.switch_.arbiter = "weighted:shares=1/2/3"); /* there is one channel */
  REFUSED("round-robin", s->sim.switch_.arbiter = "round-robin:shares=1");
  REFUSED("process 'poison' is unknown; did you mean 'poisson'?", s->sim.traffic.process = "poison");
  REFUSED("on", s->sim.traffic.process = "on-off:on=0.5");
  REFUSED("bernoulli", s->sim.traffic.process = "bernoulli:on=5");
  REFUSED("pattern 'unifrom' is unknown; did you mean 'uniform'?", s->sim.traffic.pattern = "unifrom");
  REFUSED("end=16", s->sim.traffic.pattern = "hotspot:end=16");
  REFUSED("share", s->sim.traffic.pattern = "hotspot:share=2");
  REFUSED("method 'dro' is unknown", s->method = "dro");
  REFUSED("datelines", s->method = "dor:datelines=on");
  REFUSED("updown is for fat trees, not for torus:4x4", s->method = "updown");
}

static void packets_and_classes(void **state) {
  (void)state;
  REFUSED("traffic: packet: a packet has at least 1 flit", s->sim.traffic.packet = "0");
  REFUSED("traffic: packet", s->sim.traffic.packet = "4097");
  REFUSED("traffic: packet", s->sim.traffic.packet = "");
  REFUSED("traffic: packet", s->sim.traffic.packet = "3:0.8/");
  REFUSED("traffic: packet: share 0 must be above 0", s->sim.traffic.packet = "3:0");
  REFUSED("traffic: packet", s->sim.traffic.packet = "3:x");
  REFUSED("traffic: packet", s->sim.traffic.packet = "three");
  REFUSED("traffic: packet: at most 8 parts", s->sim.traffic.packet = "1/2/3/4/5/6/7/8/9");
  REFUSED("traffic: classes: share -1 must be above 0", s->sim.traffic.classes = "-1");
  REFUSED("traffic: classes: share 2000000 must be above 0 and at most 1000000", s->sim.traffic.classes = "1/2000000");
  REFUSED("traffic: classes", s->sim.traffic.classes = "nan");
  REFUSED("traffic: classes: at most 8 parts", s->sim.traffic.classes = "1/1/1/1/1/1/1/1/1");
  REFUSED("overlong",
          s->sim.traffic.classes = "1111111111111111111111111111111111111111111111111111111111111111111111111111");
}

static void one_end_node_has_nobody_to_talk_to(void **state) {
  (void)state;
  expect(scene_open("kary-ntree:k=1,n=1", "updown", "load=0.1"), "traffic needs at least two end nodes");
}

static void schedules_of_other_fabrics(void **state) {
  (void)state;
  static const ripstop_change no_link = {.cycle = 5, .id = 999}, no_switch = {.cycle = 5, .id = 3, .is_switch = true},
                              late = {.cycle = UINT64_C(3000000000), .id = 20};
  static const ripstop_change backwards[] = {{.cycle = 9, .id = 20}, {.cycle = 5, .id = 21}};
  REFUSED("schedule: change 0 names no part of this fabric", s->schedule = ((ripstop_schedule){1, &no_link}));
  REFUSED("schedule: change 0 names no part of this fabric", s->schedule = ((ripstop_schedule){1, &no_switch}));
  REFUSED("is out of order", s->schedule = ((ripstop_schedule){2, backwards}));
  REFUSED("schedule: cycle 3000000000 is beyond the longest run", s->schedule = ((ripstop_schedule){1, &late}));
}

static const atomic_int stop = 1;
static void a_run_can_be_stopped(void **state) {
  (void)state;
  REFUSED("stopped", (s->sim.stop = &stop, scene_set(s, "cycles=100000")));
}

static void the_limits_themselves_are_taken(void **state) {
  (void)state;
  const char *const options[] = {"packet=4096 in_queue=1 load=1",
                                 "packet=1/2/3/4/5/6/7/8 classes=1/1/1/1/1/1/1/1",
                                 "pipeline=1000 link=1000 credit=1000 cycles=9000 load=0.5",
                                 "pipeline=30000 link=1000000 credit=30000 cycles=9000 load=0.5",
                                 "batches=200 cycles=200",
                                 "in_queue=65535",
                                 "in_queue=1048575 out_queue=1048575 unit=flits packet=16",
                                 "load=0",
                                 "load=1",
                                 "check=1",
                                 "window=1000000000",
                                 "confidence=0.9999 window=1"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    scene *s = torus();
    scene_set(s, options[i]);
    ripstop_run_result r = scene_run(s);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_out_of_range),
                                     cmocka_unit_test(queues_that_do_not_fit),
                                     cmocka_unit_test(flow_control_that_loses_packets),
                                     cmocka_unit_test(the_least_that_is_safe_loses_nothing),
                                     cmocka_unit_test(words_that_do_not_exist),
                                     cmocka_unit_test(packets_and_classes),
                                     cmocka_unit_test(one_end_node_has_nobody_to_talk_to),
                                     cmocka_unit_test(schedules_of_other_fabrics),
                                     cmocka_unit_test(a_run_can_be_stopped),
                                     cmocka_unit_test(the_limits_themselves_are_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
