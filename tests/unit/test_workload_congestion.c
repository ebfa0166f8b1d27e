/* Congestion control: rates against a second construction that counts every cycle, fair shares where switches alone are
 * not fair, short queues, room for those who have nothing to do with it, and full rate for a flow alone. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run_workload.h"
#include "workload/rate.h"

/* ------------------------------------------------------------------ DCQCN, cycle by cycle */

/* The paper's version: two timers that run and a counter, checked in every cycle. It is limited forever. */
typedef struct slow_rate {
  double rate, target, alpha;
  int64_t decay_left, rise_left, flits; /* cycles, flits */
  int64_t times, counts;
  bool heard;
} slow_rate;

static void rise(slow_rate *r, const ripstop_congestion *c) {
  const int64_t most = r->times > r->counts ? r->times : r->counts, least = r->times + r->counts - most;
  if (most >= c->stages) r->target += least > c->stages ? (double)(least - c->stages) * c->hyper : c->additive;
  r->target = fmin(r->target, 1);
  r->rate = (r->rate + r->target) / 2;
}

static void pass_cycle(slow_rate *r, const ripstop_congestion *c) {
  if (r->heard && --r->decay_left == 0) {
    r->alpha *= 1 - c->gain;
    r->decay_left = c->decay;
  }
  if (r->heard && --r->rise_left == 0) {
    r->times++;
    r->rise_left = c->rise;
    rise(r, c);
  }
}

static void hear(slow_rate *r, const ripstop_congestion *c) {
  r->target = r->rate;
  r->rate = fmax(r->rate * (1 - r->alpha / 2), c->least);
  r->alpha = (1 - c->gain) * r->alpha + c->gain;
  r->decay_left = c->decay, r->rise_left = c->rise;
  r->times = r->counts = r->flits = 0;
  r->heard = true;
}

static void send_flits(slow_rate *r, const ripstop_congestion *c, int64_t flits) {
  if (!r->heard) return;
  for (r->flits += flits; r->flits >= c->rise_flits; r->flits -= c->rise_flits) {
    r->counts++;
    rise(r, c);
  }
}

static bool is_near(double a, double b) { return fabs(a - b) <= 1e-9; }

static void rates_go_as_the_paper_has_them(void **state) {
  (void)state;
  uint32_t free = 0, hyper = 0;
  for (uint64_t number = 0; number < 40; number++) {
    ripstop_stream random = ripstop_stream_open(number, RIPSTOP_RANDOM_TEST, 11);
    const ripstop_workload_config config = {.window = 64,
                                            .congestion = {.kind = RIPSTOP_CONGESTION_DCQCN,
                                                           .decay = 1 + ripstop_stream_below(&random, 60),
                                                           .rise = 1 + ripstop_stream_below(&random, 60),
                                                           .rise_flits = 1 + ripstop_stream_below(&random, 100),
                                                           .stages = 1 + ripstop_stream_below(&random, 5),
                                                           .gain = 0.0625,
                                                           .additive = number % 4 ? 0.002 : 1,
                                                           .hyper = number % 3 * 0.01,
                                                           .least = 0.01}};
    const ripstop_congestion *c = &config.congestion;
    rate r = rate_open(&config);
    slow_rate s = {.rate = 1, .target = 1, .alpha = 1};
    for (uint32_t cycle = 1; cycle < 6000; cycle++) {
      pass_cycle(&s, c);
      if (ripstop_stream_below(&random, 40) == 0) {
        const double opens = fmax(r.open, cycle) + 4 / s.rate;
        const bool limited = r.limited;
        rate_sends(&r, &config, cycle, 4);
        assert_true(!limited || is_near(r.open, opens));
        send_flits(&s, c, 4);
      } else if (ripstop_stream_below(&random, 900) == 0) {
        hear(&s, c);
        rate_notified(&r, &config, cycle);
      } else {
        continue;
      }
      hyper += s.times > c->stages && s.counts > c->stages;
      free += s.heard && !r.limited;
      assert_true(is_near(r.now, s.rate) && is_near(r.target, s.target));
      assert_true(!r.limited || is_near(r.alpha, s.alpha)); /* else it is brought up to date by what limits it */
    }
  }
  assert_true(free > 0 && hyper > 0);
}

/* ------------------------------------------------------------------ windows */

static void time_outs_halve_a_window_once_a_round_trip(void **state) {
  (void)state;
  const ripstop_workload_config config = {.window = 64, .congestion = {.kind = RIPSTOP_CONGESTION_WINDOW}};
  rate r = rate_open(&config);
  rate_answered(&r, &config, 63, 62, 63, false);
  assert_int_equal(rate_window(&r, &config), 64);
  /* Packets 63 to 126 are in transit. */
  for (uint32_t lost = 63; lost < 127; lost += 9) rate_expired(&r, &config, lost, 127);
  assert_int_equal(rate_window(&r, &config), 32);
  rate_answered(&r, &config, 0, 100, 127, true);
  assert_int_equal(rate_window(&r, &config), 32);
  rate_expired(&r, &config, 127, 140);
  assert_int_equal(rate_window(&r, &config), 16);
}

/* ------------------------------------------------------------------ flows that end: who got how much */

static const char fast[] = "transport=selective,packet=16,kmin=2,kmax=8,notify=200,decay=220,rise=200,rise_flits=10000,"
                           "gain=0.0625,additive=0.01,hyper=0.05,ranks=on,congestion=%s";

enum { BYTES = 16000, FLOWS_MAX = 16 };

/* A message of each pair, and at its end an empty one back, which gives the sender's rank the time. */
static void write_flows(const uint32_t (*flow)[2], uint32_t count) {
  FILE *file = fopen("flows", "w");
  assert_non_null(file);
  for (uint32_t i = 0; i < count; i++) fprintf(file, "0 %u %u %d\n", flow[i][0], flow[i][1], BYTES);
  for (uint32_t i = 0; i < count; i++) fprintf(file, "0 %u %u 0 %u\n", flow[i][1], flow[i][0], i + 1);
  assert_int_equal(fclose(file), 0);
}

typedef struct outcome {
  double share[FLOWS_MAX]; /* flits a cycle of each flow */
  double latency;          /* number of packets in the network: queues, by Little's law */
} outcome;

static outcome run_flows(const char *fabric, const char *method, const uint32_t (*flow)[2], uint32_t count,
                         const char *congestion, uint64_t seed) {
  char options[512], rank[64];
  outcome out;
  write_flows(flow, count);
  snprintf(options, sizeof options, fast, congestion);
  const setting s = {fabric, method, "messages:flows", options, NULL, seed, 1, 16};
  ripstop_run_result r = play(&s);
  assert_true(the_value(&r, "workload.complete") == 1);
  for (uint32_t i = 0; i < count; i++) {
    snprintf(rank, sizeof rank, "job.1.rank.%u.cycles", flow[i][0]);
    out.share[i] = BYTES / the_value(&r, rank);
  }
  out.latency = the_value(&r, "network-latency.mean");
  ripstop_run_result_free(&r);
  return out;
}

/* Jain's index: 1 where all have the same, 1 / n where one has all. */
static double jain(const double *share, uint32_t count) {
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < count; i++) sum += share[i], squares += share[i] * share[i];
  return sum * sum / (count * squares);
}

enum { SEEDS = 5 };

/* The lower end of the 95 % interval of some draws. */
static double lower_end(const double *x) {
  static const double student = 2.776; /* Student's t for 4 degrees */
  double mean = 0, variance = 0;
  for (int i = 0; i < SEEDS; i++) mean += x[i] / SEEDS;
  for (int i = 0; i < SEEDS; i++) variance += (x[i] - mean) * (x[i] - mean) / (SEEDS - 1);
  return mean - student * sqrt(variance / SEEDS);
}

/* Three senders in a row to the end node before them: each switch takes from its own and from those behind it in turn.
 * So the first gets half, and the others, a quarter each, share the link when it is done: they end at 2 B and 3 B. With
 * DCQCN all end together. */
static void shares_are_fair(void **state) {
  (void)state;
  static const uint32_t flow[][2] = {{1, 0}, {2, 0}, {3, 0}};
  const double expected[] = {1. / 2, 1. / 3, 1. / 3};
  const outcome unfair = run_flows("mesh:4,p=1", "minimal", flow, 3, "none", 1);
  double index[SEEDS];
  for (int i = 0; i < 3; i++) assert_true(fabs(unfair.share[i] - expected[i]) < 0.01);
  for (int i = 0; i < SEEDS; i++) {
    const outcome o = run_flows("mesh:4,p=1", "minimal", flow, 3, "dcqcn", (uint64_t)i);
    index[i] = jain(o.share, 3);
    assert_true(o.latency < unfair.latency / 5);
  }
  assert_true(lower_end(index) > 0.985 && jain(unfair.share, 3) < 0.965);
}

/* Six of two leaves send to one, and a seventh to another leaf. With neither rates nor windows it ends with the others,
 * as its packets stand behind theirs: a little more than a sixth of its link. */
static void the_others_go_on(void **state) {
  (void)state;
  enum { INCAST = 6, FLOWS = INCAST + 1 };
  static const uint32_t flow[FLOWS][2] = {{4, 0}, {5, 0}, {6, 0}, {8, 0}, {9, 0}, {10, 0}, {11, 12}};
  static const char *const kinds[] = {"dcqcn", "window"};
  const outcome without = run_flows("kary-ntree:k=4,n=2", "updown", flow, FLOWS, "none", 1);
  assert_true(without.share[INCAST] < 0.2);
  for (int kind = 0; kind < 2; kind++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      const outcome o = run_flows("kary-ntree:k=4,n=2", "updown", flow, FLOWS, kinds[kind], seed);
      assert_true(o.share[INCAST] > 3 * without.share[INCAST]);
      assert_true(o.latency < without.latency / 5);
      assert_true(jain(o.share, INCAST) > 0.98);
      for (int i = 0; i < INCAST; i++) assert_true(o.share[i] > 0.8 / INCAST);
    }
}

/* A flow without rivals gets no marks: with rates it is as fast as the link, but that the message back leaves behind
 * the last acknowledgement, and not before it; with a window that opens one round trip by the other soon. */
static void who_is_alone_keeps_the_link(void **state) {
  (void)state;
  static const uint32_t flow[][2] = {{1, 0}};
  const outcome none = run_flows("mesh:4,p=1", "minimal", flow, 1, "none", 1);
  assert_true(none.share[0] > 0.99);
  assert_true(
      is_near(BYTES / run_flows("mesh:4,p=1", "minimal", flow, 1, "dcqcn", 1).share[0], BYTES / none.share[0] + 1));
  assert_true(run_flows("mesh:4,p=1", "minimal", flow, 1, "window", 1).share[0] > 0.99);
}

/* Four end nodes of one switch send to a fifth, through a memory that all ports share. DCQCN holds the queue of that
 * output by its own length: no packet is lost and none paused, though the memory has room for less than the windows.
 * Each gets a quarter of the link, and a packet waits for kmin to kmax flits in the mean. Without rates the windows
 * fill the memory. */
static void rates_hold_queues_of_shared_memories(void **state) {
  (void)state;
  enum { FLOWS = 4, KMIN = 64, KMAX = 256 };
  static const uint32_t flow[FLOWS][2] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
  static const char *const kinds[] = {"none", "dcqcn"};
  static const char *const memories[] = {"queues=shared,buffer=2048,lossless=off,alpha=16",
                                         "queues=shared,buffer=4096"};
  write_flows(flow, FLOWS);
  for (int memory = 0; memory < 2; memory++)
    for (int kind = 0; kind < 2; kind++) {
      char options[512], rank[64];
      double share[FLOWS];
      snprintf(options, sizeof options,
               "transport=selective,packet=16,window=64,kmin=%d,kmax=%d,notify=200,decay=220,rise=200,rise_flits=10000,"
               "gain=0.0625,additive=0.01,hyper=0.05,ranks=on,congestion=%s",
               KMIN, KMAX, kinds[kind]);
      const setting s = {"kary-ntree:k=5,n=1", "updown", "messages:flows", options, NULL, 1, 1, 16};
      ripstop_run_result r = play_with(&s, &(extra){.switch_ = memories[memory]});
      /* half of the packets are acknowledgements, which take 3 cycles; data take 18 and what they wait */
      const double wait = 2 * the_value(&r, "network-latency.mean") - 3 - 18,
                   excess = the_value(&r, memory == 0 ? "lost.buffer" : "pauses");
      for (int i = 0; i < FLOWS; i++) {
        snprintf(rank, sizeof rank, "job.1.rank.%u.cycles", flow[i][0]);
        share[i] = BYTES / the_value(&r, rank);
      }
      if (kind == 1) {
        assert_true(excess == 0);
        assert_true(wait > KMIN && wait < KMAX);
        assert_true(jain(share, FLOWS) > 0.98 && share[0] > 0.9 / FLOWS);
      } else {
        assert_true(excess > 0);
      }
      ripstop_run_result_free(&r);
    }
}

/* In turns with small packets of data, as without dcqcn, acknowledgements and as many notifications would wait until
 * time-outs are over: 401,621 cycles, 3,879 time-outs and 5,084 repeats. */
static void acknowledgements_go_first(void **state) {
  (void)state;
  static const char *const options[] = {"transport=selective,packet=256,timeout=20000,congestion=dcqcn",
                                        "transport=selective,packet=256,timeout=20000,congestion=dcqcn,acks=behind"};
  double cycles[2];
  for (int i = 0; i < 2; i++) {
    const setting s = {"xgft:m=4.4,w=1.2", "minimal", "alltoall:bytes=4096", options[i], NULL, 1, 1, 4};
    ripstop_run_result r = play(&s);
    assert_true(the_value(&r, "workload.complete") == 1);
    assert_true(the_value(&r, "transport.timeouts") == 0 && the_value(&r, "message.repeats") == 0);
    cycles[i] = the_value(&r, "workload.cycles");
    ripstop_run_result_free(&r);
  }
  assert_true(cycles[0] < 1.1 * cycles[1]);
}

/* ------------------------------------------------------------------ notifications */

/* Two flows of 1,000 packets share the last link at full rate: each packet of 16 flits arrives 32 cycles after the one
 * before it of its flow. With the two empty messages back 2,002 packets arrive, all of them marked and acknowledged. */
static void a_flow_is_notified_once_an_interval(void **state) {
  (void)state;
  static const uint32_t flow[][2] = {{1, 0}, {2, 0}};
  static const struct {
    const char *options;
    double notifications;
  } known[] = {{"congestion=dcqcn,notify=1", 2002},
               {"congestion=dcqcn,notify=32", 2002},
               {"congestion=dcqcn,notify=33", 1002}, /* every second packet of the two flows */
               {"congestion=dcqcn,notify=1000000", 4},
               {"congestion=window", 0}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char options[256];
    write_flows(flow, 2);
    snprintf(options, sizeof options, "transport=selective,packet=16,kmin=0,kmax=1,least=1,%s", known[i].options);
    const setting s = {"hyperx:3,p=1", "minimal", "messages:flows", options, NULL, 1, 1, 16};
    ripstop_run_result r = play(&s);
    const double notifications = ripstop_run_result_value(&r, "transport.notifications");
    assert_true(known[i].notifications > 0 ? notifications == known[i].notifications : isnan(notifications));
    assert_true(the_value(&r, "transport.marked") == 2002 && the_value(&r, "transport.acks") == 2002);
    const double on_their_way = 2002 + 2002 + known[i].notifications - the_value(&r, "packets"); /* at the end */
    assert_true(on_their_way >= 0 && on_their_way <= 4);
    ripstop_run_result_free(&r);
  }
}

/* ------------------------------------------------------------------ rows */

static void rows_are_those_of_one_thread(void **state) {
  (void)state;
  static const char *const kinds[] = {"transport=selective,congestion=dcqcn", "transport=go-back-n,congestion=window"};
  for (int kind = 0; kind < 2; kind++) {
    char options[512];
    snprintf(options, sizeof options,
             "%s,packet=16,kmin=1,kmax=6,pmax=0.5,notify=100,rise=90,decay=80,least=0.05,timeout=2000", kinds[kind]);
    setting s = {
        "torus:4x4", "minimal-adaptive:escape=bubble", "alltoall:bytes=96", options, "0.0/0@200 0.0/0+@300", 4, 1, 8};
    ripstop_run_result one = play(&s);
    s.threads = 2;
    ripstop_run_result two = play(&s);
    assert_true(the_value(&one, "workload.complete") == 1);
    assert_true(the_value(&one, "transport.marked") > 50);
    const double notes = ripstop_run_result_value(&one, "transport.notifications");
    assert_true(kind ? isnan(notes) : notes > 0);
    assert_true(two.threads == 2 && rows_are_equal(&one, &two));
    ripstop_run_result_free(&one);
    ripstop_run_result_free(&two);
  }
}

static void refuse(const char *options, const char *message) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_workload_run run = {.simulation = {.seed = 1}};
  ripstop_options_defaults(arena, ripstop_switch_options, &run.simulation.switch_);
  ripstop_options_defaults(arena, ripstop_measure_options, &run.simulation.measure);
  assert_int_equal(ripstop_options_parse(arena, "workload", ripstop_workload_options, &run.config, options, &err), 0);
  ripstop_fabric *fabric = open_fabric("mesh:2,p=1");
  stand run_setup = stand_on(fabric, "minimal", NULL);
  assert_int_equal(ripstop_workload_check(run_setup.plan, &run, &err), -1);
  assert_non_null(strstr(err.text, message));
  stand_close(&run_setup);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

static void what_does_not_go_together_is_refused(void **state) {
  (void)state;
  refuse("jobs=barrier,congestion=dcqcn", "workload.congestion needs workload.transport");
  refuse("jobs=barrier,congestion=window,transport=selective,kmin=9,kmax=8", "workload.kmin is 9, more than");
}

/* In a folder of its own, where files are written. */
static int enter(void **state) {
  static char folder[] = "/tmp/ripstop-congestion-XXXXXX";
  *state = folder;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
  remove("flows");
  return rmdir(*state);
}

/* Slow start to the threshold, a packet a round trip beyond it; a mark halves both, once for the packets in transit. */
static void windows_halve_and_grow(void **state) {
  (void)state;
  const ripstop_workload_config config = {.window = 32, .congestion.kind = RIPSTOP_CONGESTION_WINDOW};
  static const struct {
    uint32_t packets, number, next;
    bool marked;
    uint32_t window;
  } heard[] = {
      {1, 0, 1, false, 2},   {2, 2, 4, false, 4},    {4, 4, 8, false, 8},  {8, 8, 16, false, 16}, /* doubles */
      {1, 16, 32, true, 8},  {1, 20, 32, true, 8},   /* marks of one round trip: once */
      {8, 32, 40, false, 9}, {9, 40, 50, false, 10}, /* the threshold is 8 now: one more for each window */
      {1, 50, 60, true, 5},  {5, 60, 65, false, 6},  {1, 65, 70, true, 3}, {1, 70, 73, true, 1},
      {1, 73, 74, true, 1}, /* never below a packet */
      {1, 74, 75, false, 2},
  };
  rate r = rate_open(&config);
  assert_int_equal(rate_window(&r, &config), 1);
  for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
    rate_answered(&r, &config, heard[i].packets, heard[i].number, heard[i].next, heard[i].marked);
    if (rate_window(&r, &config) != heard[i].window)
      fail_msg("step %zu: a window of %u, not %u", i, rate_window(&r, &config), heard[i].window);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_go_as_the_paper_has_them),
                                     cmocka_unit_test(windows_halve_and_grow),
                                     cmocka_unit_test(time_outs_halve_a_window_once_a_round_trip),
                                     cmocka_unit_test(shares_are_fair),
                                     cmocka_unit_test(the_others_go_on),
                                     cmocka_unit_test(who_is_alone_keeps_the_link),
                                     cmocka_unit_test(rates_hold_queues_of_shared_memories),
                                     cmocka_unit_test(acknowledgements_go_first),
                                     cmocka_unit_test(a_flow_is_notified_once_an_interval),
                                     cmocka_unit_test(rows_are_those_of_one_thread),
                                     cmocka_unit_test(what_does_not_go_together_is_refused)};
  return RUN_GROUP(tests, enter, leave);
}
