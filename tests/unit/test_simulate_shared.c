/* test_simulate_shared.c - switches whose ports share one memory (switch.queues = shared): dynamic thresholds in closed
 * form, pauses that lose nothing and leave no link idle, and what such a switch refuses. tests/differential compares
 * every cycle with a second model. */
#include <math.h>

#include "run_workload.h"
#include "scene.h"

/* Packets of a workload: 64 flits of 64 bytes. */
enum { PACKET_FLITS = 64, PACKET_BYTES = 4096 };

static double value(const ripstop_run_result *r, const char *name) { return ripstop_run_result_value(r, name); }

static ripstop_run_result play_on(const char *fabric, const char *jobs, const char *switch_) {
  const setting s = {.fabric = fabric,
                     .method = "updown",
                     .jobs = jobs,
                     .options = "flit=64,packet=4096,retry=4000000,tries=9",
                     .in_queue = 4,
                     .seed = 1};
  return play_with(&s, &(extra){.switch_ = switch_});
}

/* ------------------------------------------------------------------ lossy */

/* N - 1 hosts send b bytes each to one, all at full rate, and the link of that one drains b meanwhile. The queue grows
 * to alpha B / (1 + alpha): there it is alpha times what is free. What is beyond it is lost (Choudhury and Hahne,
 * IEEE/ACM Transactions on Networking 6(2), 1998), and sent again by all at one time, when the queue is empty. */
static double packets_lost(double packets, double senders, double most) {
  double sum = 0;
  while ((packets -= packets / senders + most) > 0) sum += packets;
  return sum;
}

static void one_queue_has_alpha_of_what_is_free(void **state) {
  static const struct {
    uint32_t ports;
    double bytes, alpha;
  } cases[] = {{16, 65536, 1}, {16, 65536, 8}, {8, 131072, 0.5}, {8, 131072, 0.25}, {16, 131072, 2}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char fabric[32], jobs[64], switch_[128];
    const double buffer = 1 << 20, most = cases[i].alpha * buffer / (1 + cases[i].alpha);
    snprintf(fabric, sizeof fabric, "kary-ntree:k=%u,n=1", cases[i].ports);
    snprintf(jobs, sizeof jobs, "incast:bytes=%.0f", cases[i].bytes);
    snprintf(switch_, sizeof switch_, "queues=shared,lossless=off,buffer=16384,alpha=%g", cases[i].alpha);
    ripstop_run_result r = play_on(fabric, jobs, switch_);
    const double senders = cases[i].ports - 1;
    const double lost = packets_lost(senders * cases[i].bytes / PACKET_BYTES, senders, most / PACKET_BYTES);
    if (fabs(value(&r, "lost.buffer") - lost) > 2 + 0.02 * lost)
      fail_msg("%s, alpha %g: %g packets lost, not %g", fabric, cases[i].alpha, value(&r, "lost.buffer"), lost);
    assert_true(value(&r, "message.repeats") == value(&r, "lost.buffer"));
    assert_true(r.verdict == RIPSTOP_STEADY && value(&r, "workload.complete") == 1);
    ripstop_run_result_free(&r);
  }
}

/* Random traffic of one-flit packets to one end node, far beyond its rate: at rest the queue is full, and each packet
 * waits for all of it. */
static void the_length_of_a_queue_is_its_threshold(void **state) {
  static const double alphas[] = {0.5, 1, 4};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    scene *s = scene_open("kary-ntree:k=8,n=1", "updown",
                          "queues=shared lossless=off buffer=1000 packet=1 load=1 pattern=hotspot:end=0,share=1 "
                          "warmup=5000 cycles=5000");
    s->sim.switch_.alpha = alphas[i];
    ripstop_run_result r = scene_run(s);
    const double most = alphas[i] * 1000 / (1 + alphas[i]), usual = value(&r, "latency.p99");
    if (fabs(usual - most) > 3 + 0.01 * most) fail_msg("alpha %g: latency %g, not %g", alphas[i], usual, most);
    assert_true(value(&r, "lost") == value(&r, "lost.buffer") && value(&r, "lost") > 0);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* Every packet without space is cut, and its header, which links take first, arrives. Its sender sends it again:
 * `retry` cycles later, or when a transport requests it. */
static void headers_of_cut_packets_arrive(void **state) {
  static const char *const ends[] = {"retry=4000", "transport=trim"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char options[128];
    snprintf(options, sizeof options, "flit=64,packet=4096,tries=1000,%s", ends[i]);
    const setting s = {.fabric = "kary-ntree:k=16,n=1",
                       .method = "updown",
                       .jobs = "incast:bytes=65536",
                       .options = options,
                       .in_queue = 4,
                       .seed = 1};
    ripstop_run_result r = play_with(&s, &(extra){.switch_ = "queues=shared,lossless=off,trim=on,buffer=2048"});
    assert_true(value(&r, "workload.complete") == 1 && value(&r, "lost.buffer") == 0);
    assert_true(value(&r, "lost.trimmed") > 0 && value(&r, "lost.trimmed") == value(&r, "lost"));
    assert_true(value(&r, i ? "transport.trimmed" : "message.repeats") == value(&r, "lost.trimmed"));
    ripstop_run_result_free(&r);
  }
}

/* ------------------------------------------------------------------ lossless */

/* The receiver's link never idles, and nothing is lost. A sender that always has packets is idle only while it is
 * paused, and the packet that it has begun goes on: so the pauses last as long as the links are idle, and at most a
 * packet longer each. */
static void pauses_lose_nothing_and_leave_no_gap(void **state) {
  static const uint32_t ports[] = {3, 8, 16};
  (void)state;
  for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
    char fabric[32];
    snprintf(fabric, sizeof fabric, "kary-ntree:k=%u,n=1", ports[i]);
    ripstop_run_result r = play_on(fabric, "incast:bytes=1048576", "queues=shared,buffer=16384");
    const double bytes = 1 << 20, senders = ports[i] - 1, work = senders * bytes / 64,
                 cycles = value(&r, "workload.cycles"), pauses = value(&r, "pauses");
    if (cycles < work || cycles > work + 200) fail_msg("%s: %g cycles, not %g", fabric, cycles, work);
    assert_true(value(&r, "lost") == 0 && value(&r, "message.repeats") == 0);
    /* All senders have ended at most a memory earlier than the receiver's link. */
    const double idle = senders * cycles - work, least = idle - senders * (16384 + 200),
                 most = idle + pauses * PACKET_FLITS;
    if (value(&r, "pause.cycles") < least || value(&r, "pause.cycles") > most)
      fail_msg("%s: paused for %g cycles, not %g to %g", fabric, value(&r, "pause.cycles"), least, most);
    assert_true(pauses > senders);
    ripstop_run_result_free(&r);
  }
}

/* A memory without limit is that of output queues without limit, whatever becomes of packets without space. */
static void without_limit_it_is_output_queues(void **state) {
  static const char *const kinds[] = {"queues=output in_queue=unlimited unit=flits", "queues=shared buffer=unlimited",
                                      "queues=shared buffer=unlimited lossless=off"};
  static const char *const names[] = {"accepted", "latency.mean", "latency.max", "hops.mean", "lost", "run.hops"};
  double seen[3][6];
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    scene *s = scene_open("torus:4x4", "minimal-adaptive", "packet=4 load=0.9 warmup=500 cycles=3000");
    scene_set(s, kinds[kind]);
    ripstop_run_result r = scene_run(s);
    for (int i = 0; i < 6; i++) seen[kind][i] = value(&r, names[i]);
    assert_true(kind != 1 || (value(&r, "pauses") == 0 && value(&r, "pause.cycles") == 0));
    assert_true(kind != 2 || value(&r, "lost.buffer") == 0);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
  for (int i = 0; i < 5; i++)
    if (seen[0][i] != seen[1][i] || seen[0][i] != seen[2][i])
      fail_msg("%s: %g %g %g", names[i], seen[0][i], seen[1][i], seen[2][i]);
}

/* The headroom that `auto` has is needed but for its slack: with a packet less some packet finds none. */
static void headroom_is_neither_too_small_nor_far_too_large(void **state) {
  static const char *const delays[] = {"link=1", "link=40 pipeline=7 credit=3", "link=1200"};
  static const int64_t usual[] = {2 + 1 + 1 + 32, 80 + 7 + 3 + 32, 2400 + 1 + 1 + 32};
  (void)state;
  for (size_t i = 0; i < 3; i++)
    for (int less = 0; less < 2; less++) {
      ripstop_error err;
      ripstop_run_result r;
      scene *s = scene_open("kary-ntree:k=4,n=2", "updown",
                            "queues=shared alpha=0.25 packet=16 load=1 pattern=hotspot:end=0,share=1 cycles=40000");
      scene_set(s, delays[i]);
      s->sim.switch_.buffer = 8 * (16 + usual[i]) + 200;
      s->sim.switch_.headroom = less ? usual[i] - 32 : RIPSTOP_HEADROOM_AUTO;
      if (scene_simulate(s, &r, &err) != (less ? -1 : 0)) fail_msg("%s, %d: %s", delays[i], less, err.text);
      if (less && !strstr(err.text, "switch.headroom")) fail_msg("'%s' names no headroom", err.text);
      if (!less) assert_true(value(&r, "pauses") > 0 && value(&r, "lost") == 0);
      if (!less) ripstop_run_result_free(&r);
      scene_close(s);
    }
}

/* The sum over links is the whole; links to the switch of the hot end node are paused, the one from it is not. */
static void pauses_are_told_by_link(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=4,n=1", "updown",
                        "queues=shared buffer=1000 packet=16 load=1 pattern=hotspot:end=0,share=1 links=on "
                        "warmup=1000 cycles=9000");
  ripstop_run_result r = scene_run(s);
  double count = 0, cycles = 0;
  size_t links = 0;
  for (size_t i = 0; i < r.values; i++) {
    if (!strncmp(r.value[i].name, "pauses.", 7)) count += r.value[i].value, links++;
    if (!strncmp(r.value[i].name, "pause.cycles.", 13)) cycles += r.value[i].value;
  }
  assert_int_equal(links, 8);
  assert_true(count > 0 && count == value(&r, "pauses") && cycles == value(&r, "pause.cycles"));
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* ------------------------------------------------------------------ both */

/* Every flit of a run in one part and in four, with parts that fail and come back. */
static void parts_change_nothing(void **state) {
  static const char *const options[] = {
      "lossless=off buffer=300", "lossless=off buffer=300 trim=on",         "lossless=off buffer=300 alpha=0.5 link=3",
      "buffer=700 alpha=0.5",    "buffer=1200 link=5 pipeline=30 credit=2", "buffer=30000 link=1200 alpha=4"};
  (void)state;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    scene_parts_alike("queues=shared packet=4 load=0.8 warmup=500 cycles=6000", options[i]);
}

/* Dimension order in a ring without datelines: switches that pause each other. With datelines there are none, nor where
 * packets are lost. */
static void deadlocks_are_found(void **state) {
  static const char *const methods[] = {"dor", "dor:dateline=on"}, *const kinds[] = {"lossless=on", "lossless=off"};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    scene *s =
        scene_open("torus:8", methods[i % 2], "queues=shared buffer=700 packet=16 load=1 cycles=40000 pattern=tornado");
    scene_set(s, kinds[i / 2]);
    ripstop_run_result result = scene_run(s);
    assert_int_equal(result.verdict == RIPSTOP_DEADLOCKED, i == 0);
    if (i == 0) assert_non_null(strstr(result.witness, "out-port"));
    assert_int_equal(value(&result, "lost") > 0, i / 2);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

static void refused(const char *options, const char *word) { scene_is_refused("torus:4x4", "dor", options, word); }

static void what_it_cannot_do_is_refused(void **state) {
  (void)state;
  refused("queues=shared flow=xonxoff", "switch.flow");
  refused("queues=shared out_queue=4", "out_queue = 4");
  refused("queues=shared buffers=port", "switch.buffers = port");
  refused("queues=shared buffer=100", "switch.buffer = 100");
  refused("queues=shared buffer=15 lossless=off", "does not hold a packet of 16");
  refused("queues=shared buffer=100 alpha=0.1 lossless=off", "switch.alpha = 0.1");
  refused("queues=shared trim=on", "switch.trim = on");
  refused("queues=shared buffer=1000 headroom=400", "switch.headroom below 400");
  refused("queues=shared lossless=off headroom=40", "no sender pauses");
  refused("lossless=off", "switch.lossless needs switch.queues: shared, not input");
  refused("queues=voq trim=on", "switch.trim needs switch.queues: shared, not voq");
  refused("queues=output buffer=1000", "switch.buffer needs");
  refused("alpha=2", "switch.alpha needs");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_queue_has_alpha_of_what_is_free),
                                     cmocka_unit_test(the_length_of_a_queue_is_its_threshold),
                                     cmocka_unit_test(headers_of_cut_packets_arrive),
                                     cmocka_unit_test(pauses_lose_nothing_and_leave_no_gap),
                                     cmocka_unit_test(without_limit_it_is_output_queues),
                                     cmocka_unit_test(headroom_is_neither_too_small_nor_far_too_large),
                                     cmocka_unit_test(pauses_are_told_by_link),
                                     cmocka_unit_test(parts_change_nothing),
                                     cmocka_unit_test(deadlocks_are_found),
                                     cmocka_unit_test(what_it_cannot_do_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
