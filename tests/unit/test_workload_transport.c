/* Transports: on an idle fabric and with one lost packet to the cycle as their closed forms say, and under losses of
 * all kinds every packet is handed over once, which the run checks itself and the engine's counts say again.
 *
 * Slow: long simulations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_workload.h"
#include "share.h"
#include "workload/flow.h"

/* ------------------------------------------------------------------ to the cycle: T(s) = L + s - 1 over three links */

enum { LATENCY = 5 }; /* latency of a flit from end node to end node of mesh:2: 3 D + 2 R */

static const setting two = {.fabric = "mesh:2,p=1", .method = "minimal", .seed = 1, .in_queue = 8};

static uint64_t t(uint64_t flits) { return LATENCY + flits - 1; }

/* A message of so many packets from rank 1 to rank 0. */
static ripstop_run_result send_packets(uint64_t packets, uint64_t flits, const char *options, const char *faults) {
  char jobs[64], all[256];
  setting s = two;
  snprintf(jobs, sizeof jobs, "incast:bytes=%u", (unsigned)(packets * flits));
  snprintf(all, sizeof all, "packet=%u,%s", (unsigned)flits, options);
  s.jobs = jobs, s.options = all, s.faults = faults;
  ripstop_run_result r = play(&s);
  assert_true(the_value(&r, "workload.complete") == 1);
  return r;
}

static uint64_t cycles_of(uint64_t packets, uint64_t flits, const char *options, const char *faults) {
  ripstop_run_result r = send_packets(packets, flits, options, faults);
  const double cycles = the_value(&r, "workload.cycles");
  ripstop_run_result_free(&r);
  return (uint64_t)cycles;
}

/* A window of packets each round trip, while that is longer than the window takes to leave. */
static uint64_t window_time(uint64_t packets, uint64_t flits, uint64_t window, uint64_t ack) {
  uint64_t trip = t(flits) + t(ack);
  if (trip < window * flits) trip = window * flits;
  return (packets - 1) / window * trip + (packets - 1) % window * flits + t(flits);
}

static void a_window_limits_the_rate(void **state) {
  (void)state;
  static const uint64_t form[][4] = {{1, 8, 1, 1},   {10, 8, 1, 1},   {10, 8, 2, 1},   {11, 4, 3, 1},   {100, 1, 4, 1},
                                     {20, 16, 1, 9}, {20, 16, 2, 16}, {50, 16, 64, 1}, {64, 32, 16, 2}, {7, 64, 3, 64}};
  static const char *const kinds[] = {"go-back-n", "selective"};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++)
    for (int kind = 0; kind < 2; kind++) {
      char options[128];
      const uint64_t *f = form[i], time = window_time(f[0], f[1], f[2], f[3]);
      snprintf(options, sizeof options, "transport=%s,window=%u,ack=%u", kinds[kind], (unsigned)f[2], (unsigned)f[3]);
      const uint64_t cycles = cycles_of(f[0], f[1], options, NULL);
      if (cycles != time)
        fail_msg("%u packets of %u flits, %s: %u cycles, not %u", (unsigned)f[0], (unsigned)f[1], options,
                 (unsigned)cycles, (unsigned)time);
    }
}

/* The link dies for a cycle while packet k, which is sent in cycle k F, is on it. */
static uint64_t lose_one(uint64_t packets, uint64_t flits, uint64_t k, const char *options, const char *counted) {
  char faults[64];
  const unsigned at = (unsigned)(k * flits + flits / 2 + 3);
  snprintf(faults, sizeof faults, "0--1@%u 0--1+@%u", at, at + 1);
  ripstop_run_result r = send_packets(packets, flits, options, faults);
  assert_true(r.account.lost == 1);
  assert_true(the_value(&r, counted) == 1);
  const uint64_t cycles = (uint64_t)the_value(&r, "workload.cycles");
  ripstop_run_result_free(&r);
  return cycles;
}

static void one_lost_packet_costs_what_it_should(void **state) {
  (void)state;
  enum { PACKETS = 40, FLITS = 32, TIMEOUT = 5000 };
  const uint64_t k = 7;
  /* The next packet shows that one is missing. When the sender receives this, two packets are in the interface already.
   */
  const uint64_t heard = (k + 1) * FLITS + t(FLITS) + t(1);
  const uint64_t again = (heard + FLITS - 1) / FLITS * FLITS + 2 * FLITS;
  assert_int_equal(lose_one(PACKETS, FLITS, k, "transport=go-back-n,timeout=5000", "transport.naks"),
                   again + (PACKETS - k - 1) * FLITS + t(FLITS));
  /* The others have long come when the time-out brings it again. */
  assert_int_equal(lose_one(PACKETS, FLITS, k, "transport=selective,timeout=5000", "transport.timeouts"),
                   k * FLITS + TIMEOUT + t(FLITS));
  /* Nothing comes behind the last one. */
  const uint64_t last = (PACKETS - 1) * FLITS + TIMEOUT + t(FLITS);
  assert_int_equal(lose_one(PACKETS, FLITS, PACKETS - 1, "transport=go-back-n,timeout=5000", "transport.timeouts"),
                   last);
  assert_int_equal(lose_one(PACKETS, FLITS, PACKETS - 1, "transport=selective,timeout=5000", "transport.timeouts"),
                   last);
}

/* Each of two lost packets has a time-out of its own. It can pass while the other's counts double: then it counts when
 * that packet's answer is there, and is seen in the cycle behind. */
static void two_lost_packets_wait_together(void **state) {
  (void)state;
  enum { PACKETS = 40, FLITS = 32, TIMEOUT = 5000 };
  static const uint64_t lost[][2] = {{7, 8}, {7, 9}, {7, 20}, {0, 1}, {0, 39}, {38, 39}};
  for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
    char faults[128];
    uint64_t at[2], again[2];
    for (int n = 0; n < 2; n++) at[n] = lost[i][n] * FLITS + FLITS / 2 + 3, again[n] = lost[i][n] * FLITS + TIMEOUT;
    if (again[1] < again[0] + t(FLITS) + t(1)) again[1] = again[0] + t(FLITS) + t(1) + 1;
    snprintf(faults, sizeof faults, "0--1@%u 0--1+@%u 0--1@%u 0--1+@%u", (unsigned)at[0], (unsigned)at[0] + 1,
             (unsigned)at[1], (unsigned)at[1] + 1);
    assert_int_equal(cycles_of(PACKETS, FLITS, "transport=selective,timeout=5000", faults), again[1] + t(FLITS));
  }
}

/* The link is down until the time-out has doubled five times; the next loss is seen as soon as one ever is. */
static void an_answer_ends_the_doubling(void **state) {
  (void)state;
  enum { PACKETS = 30, FLITS = 8, TIMEOUT = 100, SENT = 31 * TIMEOUT, LOST = 12 };
  static const char *const kinds[] = {"go-back-n", "selective"};
  const uint64_t trip = t(FLITS) + t(1), lost = SENT + LOST * trip;
  for (int kind = 0; kind < 2; kind++) {
    char options[128], faults[128];
    snprintf(options, sizeof options, "transport=%s,window=1,timeout=%d,backoff=64", kinds[kind], TIMEOUT);
    snprintf(faults, sizeof faults, "0--1@0 0--1+@%u 0--1@%u 0--1+@%u", SENT - 10, (unsigned)(lost + FLITS / 2 + 3),
             (unsigned)(lost + FLITS / 2 + 4));
    assert_int_equal(cycles_of(PACKETS, FLITS, options, faults),
                     lost + TIMEOUT + (PACKETS - 1 - LOST) * trip + t(FLITS));
  }
}

/* A negative acknowledgement brings packets again, each in its flow's turn: from when the interface has become crowded
 * they wait for that longer than a time-out, which counts from when they leave, not from when they left before. */
static void what_waits_to_be_sent_again_has_no_timer(void **state) {
  (void)state;
  enum { ENDS = 16, FLITS = 32 };
  char path[] = "/tmp/ripstop-messages-XXXXXX", jobs[64];
  FILE *file = fdopen(mkstemp(path), "w");
  assert_non_null(file);
  fprintf(file, "0 0 1 %d\n", 30 * FLITS);
  for (int to = 2; to < ENDS; to++) fprintf(file, "130 0 %d %d\n", to, 10 * FLITS);
  assert_int_equal(fclose(file), 0);
  snprintf(jobs, sizeof jobs, "messages:%s", path);
  for (unsigned timeout = 100; timeout <= 400; timeout += 100) {
    char options[128];
    snprintf(options, sizeof options, "transport=go-back-n,packet=%d,timeout=%u", FLITS, timeout);
    const setting s = {"mport-ntree:m=16,n=1", "updown", jobs, options, "end:1@80 end:1+@81", 1, 1, 16};
    ripstop_run_result r = play(&s);
    assert_true(the_value(&r, "workload.complete") == 1);
    assert_true(the_value(&r, "transport.naks") == 1 && r.account.lost == 1);
    if (the_value(&r, "transport.timeouts") != 0)
      fail_msg("timeout=%u: %.0f have passed", timeout, the_value(&r, "transport.timeouts"));
    ripstop_run_result_free(&r);
  }
  remove(path);
}

/* Sent in the cycles 0, 100, 100 + 200, and so on, until the link is back. */
static void timeouts_back_off(void **state) {
  (void)state;
  static const char *const kinds[] = {"go-back-n", "selective"};
  for (int kind = 0; kind < 2; kind++)
    for (uint64_t most = 1; most <= 16; most *= 4)
      for (uint64_t back = 50; back < 6000; back += 1777) {
        char options[128], faults[64];
        snprintf(options, sizeof options, "transport=%s,timeout=100,backoff=%u", kinds[kind], (unsigned)most);
        snprintf(faults, sizeof faults, "0--1@0 0--1+@%u", (unsigned)back);
        uint64_t sent = 0;
        for (uint64_t times = 1; sent + 1 < back; times = times < most ? 2 * times : times) sent += 100 * times;
        assert_int_equal(cycles_of(1, 8, options, faults), sent + t(8));
      }
}

/* ------------------------------------------------------------------ nothing is lost: nothing is repeated */

static const char *const loss_free_jobs[] = {"incast:bytes=32768", "alltoall:bytes=4096"};

/* Every organisation of a switch, with cables at full rate and with one at a quarter of it, from the first cycle or
 * from later on. An incast makes round trips grow a hundredfold from one packet to the next. */
static void what_is_not_lost_is_not_repeated(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method, *slow;
  } fabrics[] = {{"kary-ntree:k=4,n=2", "updown", "0/0/4~0.25@0 end:0.3~0.25@0"},
                 {"kary-ntree:k=16,n=1", "updown", "end:0~0.25@3000"},
                 {"torus:4x4", "dor:dateline=on", "0.0/0~0.25@0"},
                 {"dragonfly:a=4,p=2,h=2", "minimal", ""}};
  static const char *const switches[] = {"queues=input", "queues=voq,speedup=2,in_queue=16,out_queue=8",
                                         "queues=output,in_queue=unlimited", "queues=output,selection=random"};
  static const char *const transports[] = {"transport=selective", "transport=selective,order=any", "transport=trim"};
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < 4; k++)
      for (int slow = 0; slow < 2; slow++) {
        const size_t job = (i + k + (size_t)slow) % 2;
        char options[128];
        snprintf(options, sizeof options, "packet=64,%s", transports[(i + k) % 3]);
        const setting s = {.fabric = fabrics[i].fabric,
                           .method = fabrics[i].method,
                           .jobs = loss_free_jobs[job],
                           .options = options,
                           .faults = slow ? fabrics[i].slow : "",
                           .seed = 1,
                           .in_queue = 4};
        ripstop_run_result r = play_with(&s, &(extra){.switch_ = switches[k]});
        assert_true(the_value(&r, "workload.complete") == 1);
        if (the_value(&r, "message.repeats") != 0 || the_value(&r, "transport.timeouts") != 0)
          fail_msg("%s, %s, %s, %s: %g repeats", s.fabric, switches[k], s.jobs, options,
                   the_value(&r, "message.repeats"));
        ripstop_run_result_free(&r);
      }
}

/* A memory of 16 packets drops most of the windows of 15 senders. Every dropped packet is sent again, and no other. */
static void what_is_dropped_is_repeated_once(void **state) {
  (void)state;
  static const char *const kinds[] = {"transport=selective", "transport=selective,order=any", "transport=trim",
                                      "transport=selective,congestion=window"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char options[128];
    snprintf(options, sizeof options, "packet=64,timeout_min=20000,%s", kinds[i]);
    const setting s = {"kary-ntree:k=16,n=1", "updown", "incast:bytes=8192", options, "", 1, 1, 4};
    ripstop_run_result r = play_with(&s, &(extra){.switch_ = "queues=shared,lossless=off,buffer=1024"});
    assert_true(the_value(&r, "workload.complete") == 1);
    if (the_value(&r, "lost.buffer") < 5 || the_value(&r, "message.repeats") != the_value(&r, "lost.buffer"))
      fail_msg("%s: %g repeats, %g dropped", options, the_value(&r, "message.repeats"), the_value(&r, "lost.buffer"));
    ripstop_run_result_free(&r);
  }
}

/* Cumulative acknowledgements, and a negative one at a gap: where packets of a flow stay in order (ecmp) nothing is
 * sent twice, and where each takes a route of its own most are, while receivers that take any order need nothing again.
 */
static void go_back_n_needs_order(void **state) {
  (void)state;
  enum { ENDS = 16, BYTES = 32768, PACKET = 64 };
  static const struct {
    const char *selection, *transport;
    bool repeats;
  } cases[] = {{"ecmp", "go-back-n", false},
               {"random", "go-back-n", true},
               {"random", "selective", false},
               {"random", "selective,order=any", false}};
  char path[] = "/tmp/ripstop-messages-XXXXXX", jobs[64];
  double cycles[4];
  FILE *file = fdopen(mkstemp(path), "w");
  assert_non_null(file);
  for (int from = 0; from < ENDS; from++) fprintf(file, "0 %d %d %d\n", from, (from + 5) % ENDS, BYTES);
  assert_int_equal(fclose(file), 0);
  snprintf(jobs, sizeof jobs, "messages:%s", path);
  for (size_t i = 0; i < 4; i++) {
    char switch_[64], options[64];
    snprintf(switch_, sizeof switch_, "queues=output,in_queue=16,selection=%s", cases[i].selection);
    snprintf(options, sizeof options, "packet=%d,transport=%s", PACKET, cases[i].transport);
    const setting s = {"kary-ntree:k=4,n=2", "updown", jobs, options, "", 1, 1, 16};
    ripstop_run_result r = play_with(&s, &(extra){.switch_ = switch_});
    assert_true(the_value(&r, "workload.complete") == 1);
    const double repeats = the_value(&r, "message.repeats"), packets = ENDS * BYTES / (double)PACKET;
    if (cases[i].repeats ? repeats < packets : repeats != 0)
      fail_msg("%s, %s: %g repeats of %g packets", cases[i].selection, cases[i].transport, repeats, packets);
    cycles[i] = the_value(&r, "workload.cycles");
    ripstop_run_result_free(&r);
  }
  remove(path);
  if (cycles[1] < 3 * cycles[2] || cycles[3] > cycles[2])
    fail_msg("%g, %g, %g, %g cycles", cycles[0], cycles[1], cycles[2], cycles[3]);
}

/* ------------------------------------------------------------------ the order of packets at receivers */

/* Packet k is lost. A receiver that orders its packets stops the sender a window behind it until the time-out has
 * brought it; one that takes any order does not, and the link carries one packet more than without a loss. */
static void a_receiver_of_any_order_stops_nothing(void **state) {
  (void)state;
  enum { PACKETS = 400, FLITS = 32, WINDOW = 64, TIMEOUT = 5000 };
  for (uint64_t k = 0; k < 200; k += 37) {
    assert_int_equal(lose_one(PACKETS, FLITS, k, "transport=selective,timeout=5000,order=any", "transport.timeouts"),
                     PACKETS * FLITS + t(FLITS));
    /* the answer to the repeat opens the window: all but the WINDOW packets from k on are left */
    const uint64_t open = k * FLITS + TIMEOUT + t(FLITS) + t(1);
    assert_int_equal(lose_one(PACKETS, FLITS, k, "transport=selective,timeout=5000", "transport.timeouts"),
                     open + (PACKETS - k - WINDOW - 1) * FLITS + t(FLITS));
  }
}

/* Measured time-outs notice one loss in a flow that goes on: a packet that left a time-out later is answered. */
static void a_flow_that_goes_on_notices_a_loss(void **state) {
  (void)state;
  enum { PACKETS = 4000, FLITS = 32 };
  for (uint64_t k = 0; k < 500; k += 99) {
    const uint64_t cycles =
        lose_one(PACKETS, FLITS, k, "transport=selective,timeout_min=3000,order=any", "transport.timeouts");
    assert_int_equal(cycles, PACKETS * FLITS + t(FLITS));
  }
}

/* Two end nodes send to each other, and acknowledge each packet by one as long. So acknowledgements hold each link for
 * half of the time. Their NICs are not stalled, so the clock of time-outs goes on: the second alarm notices the loss,
 * while data still goes. */
static void acknowledgements_stop_no_clock(void **state) {
  (void)state;
  enum { PACKETS = 110, FLITS = 32, REPEATS = 8 };
  setting s = two;
  s.jobs = "alltoall:bytes=3520"; /* PACKETS * FLITS */
  s.options = "packet=32,transport=selective,order=any,ack=32,timeout_min=3000";
  s.faults = "0--1@500 0--1+@501";
  ripstop_run_result r = play(&s);
  assert_true(the_value(&r, "workload.complete") == 1 && r.account.lost > 0);
  assert_true(the_value(&r, "transport.timeouts") > 0 && the_value(&r, "message.repeats") <= REPEATS);
  assert_true(the_value(&r, "workload.cycles") < (2 * PACKETS + REPEATS) * FLITS + 2 * t(FLITS));
  ripstop_run_result_free(&r);
}

/* ------------------------------------------------------------------ switches that inform sources */

/* Both up links of the receiver's switch are down until a cycle. The sender's switch sends a packet up, gets it back,
 * sends it up its other link, gets it back and discards it: five links of D + R = 2 cycles. The loss is reported a
 * cycle later, the source is informed as long again after it as the packet took, and sends in that cycle. */
enum { DISCARD_PERIOD = 5 * 2 + 1 + 5 * 2 };

static ripstop_run_result send_behind_failed_links(const char *method, uint64_t until, const char *options) {
  char faults[96];
  const unsigned at = (unsigned)until;
  snprintf(faults, sizeof faults, "0/0/2@0 0/0/3@0 0/0/2+@%u 0/0/3+@%u", at, at);
  const setting s = {.fabric = "kary-ntree:k=2,n=2",
                     .method = method,
                     .seed = 1,
                     .in_queue = 8,
                     .jobs = "incast:bytes=1 on spread:2",
                     .options = options,
                     .faults = faults};
  return play(&s);
}

static void switches_inform_sources(void **state) {
  (void)state;
  static const char options[] = "transport=selective,timeout=100000,tries=1000";
  for (uint64_t rounds = 1; rounds <= 50; rounds += 7) {
    ripstop_run_result r = send_behind_failed_links("misroute:inform=on", rounds * DISCARD_PERIOD, options);
    assert_true(the_value(&r, "workload.complete") == 1);
    assert_true(the_value(&r, "transport.informed") == (double)rounds);
    assert_true(the_value(&r, "message.repeats") == (double)rounds);
    assert_true(the_value(&r, "transport.timeouts") == 0);
    ripstop_run_result_free(&r);
  }
  ripstop_run_result r = send_behind_failed_links("misroute", 10 * DISCARD_PERIOD, options);
  assert_true(the_value(&r, "message.repeats") == 1 && the_value(&r, "transport.timeouts") == 1);
  assert_true(the_value(&r, "workload.cycles") > 100000);
  ripstop_run_result_free(&r);
}

/* A source that is informed again and again sends the packet again `tries` times. Then its time-outs decide. */
static void an_informed_source_gives_up_by_timeouts(void **state) {
  (void)state;
  static const char *const kinds[] = {"transport=selective,timeout=1000,tries=5",
                                      "transport=go-back-n,timeout=1000,tries=5"};
  for (size_t i = 0; i < 2; i++) {
    ripstop_run_result r = send_behind_failed_links("misroute:inform=on", 1000000, kinds[i]);
    assert_true(the_value(&r, "workload.complete") == 0);
    assert_true(the_value(&r, "transport.informed") == 5);
    assert_true(the_value(&r, "transport.timeouts") == 6);
    assert_true(the_value(&r, "message.repeats") == 5 + 5); /* the sixth time-out ends the run */
    ripstop_run_result_free(&r);
  }
}

typedef struct outcome {
  double cycles, informed, repeats;
} outcome;

/* 1024 packets of 8 flits from one leaf switch to the other; every up link is down in cycles first to last - 1. */
static outcome send_through_burst(const char *method, const char *options, unsigned first, unsigned last) {
  static const char *const links[] = {"0/0/2", "0/0/3", "0/1/2", "0/1/3"};
  char faults[256], all[128];
  size_t used = 0;
  for (size_t i = 0; i < 4; i++)
    used += (size_t)snprintf(faults + used, sizeof faults - used, "%s@%u %s+@%u ", links[i], first, links[i], last);
  faults[used - 1] = 0;
  snprintf(all, sizeof all, "packet=8,timeout=20000,%s", options);
  const setting s = {.fabric = "kary-ntree:k=2,n=2",
                     .method = method,
                     .seed = 1,
                     .in_queue = 8,
                     .jobs = "incast:bytes=8192 on spread:2",
                     .options = all,
                     .faults = faults};
  ripstop_run_result r = play(&s);
  assert_true(the_value(&r, "workload.complete") == 1);
  const bool informs = strstr(method, "inform=on") != NULL;
  const outcome o = {the_value(&r, "workload.cycles"), informs ? the_value(&r, "transport.informed") : 0,
                     the_value(&r, "message.repeats")};
  ripstop_run_result_free(&r);
  return o;
}

/* The burst discards 50 packets of a window of 64, with any limit of repeats. A packet that uses up its repeats waits
 * for its time-out, and the run goes on. Only a notice that makes the source send again counts. */
static void a_burst_of_losses_ends_no_run(void **state) {
  (void)state;
  static const char *const kinds[] = {"go-back-n", "selective"};
  static const unsigned tries[] = {1, 5, 16, 64};
  for (size_t kind = 0; kind < 2; kind++)
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
      char options[64];
      snprintf(options, sizeof options, "transport=%s,window=64,tries=%u", kinds[kind], tries[i]);
      const outcome on = send_through_burst("misroute:inform=on", options, 300, 700);
      assert_true(on.informed > 0 && on.informed <= on.repeats);
    }
}

/* The packets on the links at cycle 300 are lost without a notice, so go-back-n is notified of packets behind its first
 * one. It goes back to those, and the first that passes brings a negative acknowledgement. Without notices a window
 * that the burst has emptied waits for the time-out. */
static void informed_sources_do_not_wait(void **state) {
  (void)state;
  static const struct {
    const char *options;
    unsigned first, last;
  } cases[] = {{"transport=go-back-n,window=16,tries=5", 300, 700},
               {"transport=go-back-n,window=16,tries=64", 300, 700},
               {"transport=go-back-n,window=16,tries=64", 0, 400},
               {"transport=selective,window=16,tries=64", 0, 400},
               {"transport=selective,window=64,tries=64", 0, 400}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const outcome on = send_through_burst("misroute:inform=on", cases[i].options, cases[i].first, cases[i].last);
    const outcome off = send_through_burst("misroute", cases[i].options, cases[i].first, cases[i].last);
    assert_true(off.cycles > 20000 && on.cycles < 8192 + 500);
  }
  /* A window that outlasts the burst needs no notice; the notices cost it nothing. */
  const char *const wide = "transport=go-back-n,window=64,tries=5";
  assert_true(send_through_burst("misroute:inform=on", wide, 300, 700).cycles <=
              send_through_burst("misroute", wide, 300, 700).cycles);
}

/* ------------------------------------------------------------------ random traffic */

/* Messages are those of the seed under any transport; packets that failing links take are sent again. */
static void random_traffic_is_sent_again(void **state) {
  (void)state;
  static const char *const kinds[] = {"transport=none", "transport=selective,timeout=3000",
                                      "transport=go-back-n,timeout=3000"};
  double messages = 0;
  for (size_t i = 0; i < 3; i++) {
    const setting s = {.fabric = "kary-ntree:k=4,n=2",
                       .method = "updown",
                       .seed = 3,
                       .in_queue = 8,
                       .jobs = "random:every=160,cycles=10000",
                       .options = kinds[i],
                       .faults = "0/0/4@2000 0/0/4+@3000 0/1/5@5000 0/1/5+@5500"};
    ripstop_run_result r = play(&s);
    if (i == 0) messages = the_value(&r, "message.count");
    assert_true(the_value(&r, "workload.complete") == 1);
    assert_true(the_value(&r, "message.count") == messages);
    assert_true(the_value(&r, "message.repeats") >= (double)r.account.lost / 2);
    assert_true(the_value(&r, "message.repeats") > 0);
    assert_true(the_value(&r, "message.completion.max") > 2000); /* from its generation, through the loss */
    ripstop_run_result_free(&r);
  }
  assert_true(fabs(messages - 16 * 10000 / 160.) < 4 * sqrt(16 * 10000 / 160.));
}

/* ------------------------------------------------------------------ giving up */

static void a_run_is_given_up(void **state) {
  (void)state;
  setting s = two;
  s.jobs = "incast:bytes=100", s.options = "transport=selective,timeout=100,backoff=1,tries=7",
  s.faults = "0--1@0 0--1+@5000";
  ripstop_run_result r = play(&s);
  assert_true(the_value(&r, "workload.complete") == 0);
  assert_true(the_value(&r, "message.repeats") == 7);
  assert_true(the_value(&r, "transport.timeouts") == 8);
  ripstop_run_result_free(&r);
}

/* The ideal timer: one packet leaves every 8 cycles and is lost at once or in transit, and again 50 cycles later. */
static void an_ideal_timer_gives_up(void **state) {
  (void)state;
  setting s = two;
  s.jobs = "incast:bytes=8", s.options = "packet=8,retry=50,tries=7", s.faults = "0--1@0 0--1+@5000";
  ripstop_run_result r = play(&s);
  assert_true(the_value(&r, "workload.complete") == 0);
  assert_true(the_value(&r, "message.repeats") == 7);
  ripstop_run_result_free(&r);
}

/* The job does not wait for a message that can never arrive; it waits for one that has arrived, though its answers are
 * lost. */
static void nobody_waits_for_ever(void **state) {
  (void)state;
  static const char *const kinds[] = {"go-back-n", "selective"};
  for (int kind = 0; kind < 2; kind++) {
    char options[128];
    setting s = two;
    snprintf(options, sizeof options, "transport=%s,timeout=100,backoff=1,tries=7", kinds[kind]);
    s.jobs = "incast:bytes=100", s.options = options, s.faults = "0--1@0";
    ripstop_run_result r = play(&s);
    assert_true(the_value(&r, "workload.complete") == 0);
    assert_true(the_value(&r, "transport.timeouts") == 1 && the_value(&r, "message.repeats") == 0);
    assert_non_null(strstr(r.witness, "job 1: rank 1 sends to rank 0, and these two will never be connected again"));
    ripstop_run_result_free(&r);
    /* the message is there in cycle 8 or so, its answer in transit, and a job that comes later ends by itself */
    const uint64_t alone = cycles_of(1, 8, options, "");
    char faults[64];
    snprintf(faults, sizeof faults, "0--1@%u", (unsigned)alone);
    assert_int_equal(cycles_of(1, 8, options, faults), alone);
  }
}

/* ------------------------------------------------------------------ losses of all kinds */

/* The packets put into the network, counted twice: by the transport and by the engine. Each packet is acknowledged when
 * it is handed over and whenever it comes again. */
static void counts_agree(const ripstop_run_result *r, double packets, const setting *s) {
  const double repeats = the_value(r, "message.repeats"), acks = the_value(r, "transport.acks"),
               naks = the_value(r, "transport.naks");
  if (the_value(r, "workload.complete") != 1) fail_msg("%s, %s, seed %u", s->method, s->options, (unsigned)s->seed);
  assert_true(acks == packets + the_value(r, "transport.duplicates"));
  assert_true(naks <= the_value(r, "transport.refused"));
  assert_true((double)r->account.generated == packets + repeats + acks + naks);
}

static void same_on_threads(const setting *s, const ripstop_run_result *one) {
  setting threaded = *s;
  threaded.threads = 2;
  ripstop_run_result many = play(&threaded);
  assert_true(many.threads > 1);
  if (!rows_are_equal(one, &many)) fail_msg("seed %u: other rows with %u threads", (unsigned)s->seed, threaded.threads);
  ripstop_run_result_free(&many);
}

static const struct {
  const char *fabric, *method, *flapping[3];
} run_setup[] = {{"torus:8", "test-lossy", {NULL}},
                 {"torus:4x4", "minimal-adaptive:escape=bubble", {"0.0/0", "1.1/1", "2.3/0"}},
                 {"torus:4x4", "dor:dateline=on", {"0.0/0", "1.1/1", "2.3/0"}},
                 {"kary-ntree:k=4,n=2", "updown", {"0/0/4", "0/1/5", "0/2/6"}}};

/* Links that are down for a while again and again, at random times by the seed. */
static void flap(char *text, size_t size, const char *const *link, uint64_t seed) {
  ripstop_stream random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 7);
  size_t length = 0;
  text[0] = '\0';
  for (uint32_t i = 0, at = 50; i < 12 && link[0]; i++) {
    const uint32_t until = at + 1 + ripstop_stream_below(&random, 300);
    length += (size_t)snprintf(text + length, size - length, "%s@%u %s+@%u ", link[i % 3], at, link[i % 3], until);
    at += 1 + ripstop_stream_below(&random, 400);
    if (i % 3 == 2) at += 700;
  }
}

/* Every rank sends 160 bytes to each other one, in 8 packets of 20. On the ring queues are so large that its cycle is
 * never full. */
static void every_message_comes_once(void **state) {
  (void)state;
  enum { SEEDS = 24, PACKETS = 8 };
  double lost = 0, duplicates = 0, refused = 0;
  for (uint64_t seed = share_first(share_of_cases()); seed < SEEDS; seed += share_of_cases()) {
    const size_t at = seed % (sizeof run_setup / sizeof *run_setup);
    const double ranks = at == 0 ? 8 : 16;
    char options[160], faults[1024];
    setting s = {run_setup[at].fabric, run_setup[at].method, "alltoall:bytes=160", options, faults, seed, 1,
                 at ? 8 : 500};
    snprintf(options, sizeof options, "transport=%s,packet=20,window=%u,timeout=%u,backoff=4,ack=%u,acks=%s",
             seed / 4 % 2 ? "go-back-n" : "selective", 1u + (unsigned)(seed * 5 % 17), 600u + (unsigned)seed * 20,
             1u + (unsigned)(seed % 3), seed % 5 ? "apart" : "behind");
    flap(faults, sizeof faults, run_setup[at].flapping, seed);
    ripstop_run_result one = play(&s);
    counts_agree(&one, ranks * (ranks - 1) * PACKETS, &s);
    lost += (double)one.account.lost;
    duplicates += the_value(&one, "transport.duplicates");
    refused += the_value(&one, "transport.refused");
    if (seed % 9 == 0) same_on_threads(&s, &one);
    ripstop_run_result_free(&one);
  }
  assert_true(lost > 100 && duplicates > 100 && refused > 100);
}

/* The check at the end of a run sees each thing that can be wrong with a flow, alone. */
static void each_wrong_sum_is_noticed(void **state) {
  (void)state;
  static const struct {
    flow of;
    bool disordered, right;
  } cases[] = {
      {{.handovers = 3, .end = 3, .cut = 7, .handed = 7, .cut_flits = 48, .handed_flits = 48}, false, true},
      {{.handovers = 3, .end = 3, .cut = 7, .handed = 7, .cut_flits = 48, .handed_flits = 48}, true, false},
      {{.handovers = 2, .end = 3, .cut = 7, .handed = 7, .cut_flits = 48, .handed_flits = 48}, false, false},
      {{.handovers = 3, .end = 3, .cut = 7, .handed = 6, .cut_flits = 48, .handed_flits = 48}, false, false},
      {{.handovers = 3, .end = 3, .cut = 7, .handed = 7, .cut_flits = 48, .handed_flits = 47}, false, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    flow flows[2] = {cases[0].of, cases[i].of}; /* the last of several counts too */
    const transport t = {.flow = flows, .flows = 2, .disordered = cases[i].disordered};
    if (transport_is_right(&t) != cases[i].right) fail_msg("case %zu", i);
  }
}

/* A link waits for credits of two virtual channels in turn. With one turn for both the same queues are served again and
 * again, and some flows get no answer for a time-out. With a turn for each channel none does. docs/traffic.md */
static void a_turn_for_each_channel_starves_no_flow(void **state) {
  (void)state;
  const setting s = {.fabric = "dragonfly:a=4,p=2,h=2",
                     .method = "minimal",
                     .jobs = "incast:bytes=8388608",
                     .options = "transport=selective,flit=64,packet=4096",
                     .in_queue = 4,
                     .seed = 1};
  ripstop_run_result one = play_by(&s, "round-robin"), each = play_by(&s, "weighted:shares=1/1/1");
  assert_true(the_value(&one, "workload.complete") == 1 && the_value(&each, "workload.complete") == 1);
  assert_true(the_value(&one, "transport.timeouts") > 0);
  assert_true(the_value(&each, "transport.timeouts") == 0 && the_value(&each, "transport.duplicates") == 0);
  assert_true(the_value(&each, "workload.cycles") <= the_value(&one, "workload.cycles"));
  ripstop_run_result_free(&one);
  ripstop_run_result_free(&each);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_turn_for_each_channel_starves_no_flow),
                                     cmocka_unit_test(a_window_limits_the_rate),
                                     cmocka_unit_test(one_lost_packet_costs_what_it_should),
                                     cmocka_unit_test(two_lost_packets_wait_together),
                                     cmocka_unit_test(an_answer_ends_the_doubling),
                                     cmocka_unit_test(what_waits_to_be_sent_again_has_no_timer),
                                     cmocka_unit_test(timeouts_back_off),
                                     cmocka_unit_test(what_is_not_lost_is_not_repeated),
                                     cmocka_unit_test(what_is_dropped_is_repeated_once),
                                     cmocka_unit_test(go_back_n_needs_order),
                                     cmocka_unit_test(a_receiver_of_any_order_stops_nothing),
                                     cmocka_unit_test(a_flow_that_goes_on_notices_a_loss),
                                     cmocka_unit_test(acknowledgements_stop_no_clock),
                                     cmocka_unit_test(switches_inform_sources),
                                     cmocka_unit_test(an_informed_source_gives_up_by_timeouts),
                                     cmocka_unit_test(a_burst_of_losses_ends_no_run),
                                     cmocka_unit_test(informed_sources_do_not_wait),
                                     cmocka_unit_test(random_traffic_is_sent_again),
                                     cmocka_unit_test(a_run_is_given_up),
                                     cmocka_unit_test(an_ideal_timer_gives_up),
                                     cmocka_unit_test(nobody_waits_for_ever),
                                     cmocka_unit_test(every_message_comes_once),
                                     cmocka_unit_test(each_wrong_sum_is_noticed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
