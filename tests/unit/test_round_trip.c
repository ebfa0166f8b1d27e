/* Measured round trips: RFC 6298 in exact numbers, the bound below which no time-out is, and flows on an idle fabric to
 * the cycle. */
#include <math.h>

#include "run_workload.h"
#include "workload/round_trip.h"

/* ------------------------------------------------------------------ the estimator */

/* RFC 6298, 2.2 and 2.3, in real numbers: the scaled integers lose less than a cycle of SRTT and, with the gain of 1/4,
 * less than four units of 4 RTTVAR. */
static void it_is_that_of_rfc_6298(void **state) {
  (void)state;
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (int run = 0; run < 200; run++) {
    round_trip r = {0};
    double mean = 0, deviation = 0;
    assert_int_equal(round_trip_timeout(&r, 777), 777);
    const uint32_t size = 10u << ripstop_stream_below(&random, 18);
    for (int i = 0; i < 100; i++) {
      const uint32_t trip = size + ripstop_stream_below(&random, 1 + size * (uint32_t)(run % 5));
      deviation = i ? 0.75 * deviation + 0.25 * fabs(mean - trip) : trip / 2.;
      mean = i ? 0.875 * mean + 0.125 * trip : trip;
      round_trip_add(&r, trip);
      const double exact = mean + fmax(1, 4 * deviation);
      assert_true(fabs((double)round_trip_timeout(&r, 1) - exact) < 8);
      assert_int_equal(round_trip_timeout(&r, UINT64_C(1) << 40), UINT64_C(1) << 40);
    }
  }
}

static void the_first_trip_counts_three_times(void **state) {
  (void)state;
  for (uint64_t trip = 1; trip < 1000000; trip = 3 * trip + 1) {
    round_trip r = {0};
    round_trip_add(&r, trip);
    assert_int_equal(round_trip_timeout(&r, 1), 3 * trip);
  }
}

/* ------------------------------------------------------------------ the bound */

typedef struct bounds {
  uint64_t cycles;
  uint32_t packets; /* in a first window, with acknowledgements of a flit */
} bounds;

static bounds bounds_of(const char *fabric, const char *schedule, int64_t link, uint64_t window, uint32_t flits,
                        bool stores) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_simulate_settings settings = {.seed = 1};
  ripstop_fabric *f = open_fabric(fabric);
  ripstop_names *names = ripstop_names_new(f);
  ripstop_schedule changes;
  if (ripstop_schedule_parse(arena, names, schedule, strlen(schedule), &changes, &err)) fail_msg("%s", err.text);
  ripstop_options_defaults(arena, ripstop_switch_options, &settings.switch_);
  settings.switch_.link = link;
  settings.switch_.forward = stores ? RIPSTOP_FORWARD_STORE : RIPSTOP_FORWARD_CUT_THROUGH;
  settings.schedule = &changes;
  stand on = stand_on(f, "minimal", NULL);
  const bounds all = {round_trip_bound(on.plan, &settings, window, flits),
                      round_trip_packets(on.plan, &settings, flits, 1)};
  stand_close(&on);
  ripstop_names_free(names);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
  return all;
}

static uint64_t bound_of(const char *fabric, const char *schedule, int64_t link, uint64_t window, uint32_t flits) {
  return bounds_of(fabric, schedule, link, window, flits, false).cycles;
}

static void the_bound_is_two_windows_of_every_end_node(void **state) {
  (void)state;
  /* mesh:2 with an end node each: the paths have 3 links, and the bound takes 2 (3 - 1) of them there and back */
  assert_int_equal(bound_of("mesh:2,p=1", "", 1, 64, 32), 2 * 2 * 64 * 32 + 2 * 4 * (1 + 1 + 32));
  assert_int_equal(bound_of("mesh:2,p=1", "", 1000, 1, 1), 2 * 2 * 1 * 1 + 2 * 4 * (1000 + 1 + 1));
  assert_int_equal(bound_of("mesh:2,p=1", "0--1~0.25@500", 1, 64, 32), 2 * 2 * 64 * 128 + 2 * 4 * (1 + 1 + 128));
  assert_int_equal(bound_of("torus:4x4", "", 1, 65536, 4096), ROUND_TRIP_MOST);
}

static void a_first_window_fills_a_path_and_a_queue(void **state) {
  (void)state;
  assert_int_equal(bounds_of("mesh:2,p=1", "", 1, 64, 1, false).packets, 2 * 4 * (1 + 1) + 1 + 1 + 8);
  assert_int_equal(bounds_of("mesh:2,p=1", "", 1, 64, 64, false).packets, 2 + 8);
  assert_int_equal(bounds_of("mesh:2,p=1", "", 99, 64, 8, false).packets, (2 * 4 * (99 + 1) + 9 + 7) / 8 + 8);
  assert_int_equal(bounds_of("mesh:2,p=1", "", 99, 64, 8, true).packets, (2 * 4 * (99 + 1) + 4 * 7 + 9 + 7) / 8 + 8);
  assert_int_equal(bounds_of("mesh:2,p=1", "", 99, 64, 8, true).cycles, 2 * 2 * 64 * 8 + 2 * 4 * (99 + 1 + 8) + 4 * 7);
}

/* ------------------------------------------------------------------ to the cycle: T(s) = L + s - 1 over three links */

enum { LATENCY = 5, FLITS = 32, PACKETS = 40, TRIP = LATENCY + FLITS - 1 + LATENCY };

static uint64_t cycles_of(const char *options, const char *faults, double repeats, double timeouts) {
  char jobs[64];
  snprintf(jobs, sizeof jobs, "incast:bytes=%d", PACKETS * FLITS);
  const setting s = {.fabric = "mesh:2,p=1",
                     .method = "minimal",
                     .seed = 1,
                     .in_queue = 8,
                     .jobs = jobs,
                     .options = options,
                     .faults = faults};
  ripstop_run_result r = play(&s);
  assert_true(the_value(&r, "workload.complete") == 1);
  if (the_value(&r, "message.repeats") != repeats || the_value(&r, "transport.timeouts") != timeouts)
    fail_msg("%s, %s: %g repeats, %g time-outs", options, faults, the_value(&r, "message.repeats"),
             the_value(&r, "transport.timeouts"));
  const uint64_t cycles = (uint64_t)the_value(&r, "workload.cycles");
  ripstop_run_result_free(&r);
  return cycles;
}

enum { LEAST = TRIP + 20 };

/* SRTT + 4 RTTVAR after so many round trips of the same length. */
static uint64_t timeout_after(uint64_t trips) {
  uint64_t deviation4 = 2 * TRIP;
  for (uint64_t i = 1; i < trips; i++) deviation4 -= deviation4 / 4;
  return TRIP + deviation4 > LEAST ? TRIP + deviation4 : LEAST;
}

/* With a window of one packet each answer is a round trip. Packet k is lost on the link between the switches. The first
 * packets wait for the measured time, later ones, when the deviation is small, for the least one. */
static void a_lost_packet_waits_for_the_measured_time(void **state) {
  (void)state;
  static const char *const kinds[] = {"go-back-n", "selective"};
  assert_true(timeout_after(1) == 3 * TRIP && timeout_after(20) == LEAST);
  for (uint64_t k = 1; k < PACKETS; k++)
    for (int kind = 0; kind < 2; kind++) {
      char options[128], faults[64];
      const unsigned at = (unsigned)(k * TRIP + FLITS / 2 + 3);
      snprintf(options, sizeof options, "transport=%s,packet=%d,window=1,timeout_min=%d", kinds[kind], FLITS, LEAST);
      snprintf(faults, sizeof faults, "0--1@%u 0--1+@%u", at, at + 1);
      assert_int_equal(cycles_of(options, faults, 1, 1),
                       k * TRIP + timeout_after(k) + (PACKETS - 1 - k) * TRIP + LATENCY + FLITS - 1);
    }
}

/* Packet k is lost three times: its time-outs double. Its answer measures nothing (Karn), so when packet k + 1 is lost,
 * too, the next time-out doubles once more. The one after that has a measured time-out again. */
static void a_repeat_measures_nothing(void **state) {
  (void)state;
  enum { K = 3, HALF = FLITS / 2 + 3 };
  const uint64_t timeout = timeout_after(K), again = K * TRIP + 7 * timeout, next = again + TRIP;
  const uint64_t third = next + 8 * timeout + TRIP, fourth = third + TRIP;
  const uint64_t lost[] = {K * TRIP, K * TRIP + timeout, K * TRIP + 3 * timeout, next, fourth};
  char faults[512], options[128];
  size_t used = 0;
  for (int i = 0; i < 5; i++)
    used += (size_t)snprintf(faults + used, sizeof faults - used, "0--1@%u 0--1+@%u ", (unsigned)lost[i] + HALF,
                             (unsigned)lost[i] + HALF + 1);
  faults[used - 1] = 0;
  snprintf(options, sizeof options, "transport=selective,packet=%d,window=1,timeout_min=%d", FLITS, LEAST);
  assert_int_equal(cycles_of(options, faults, 5, 5),
                   fourth + timeout_after(K + 1) + (PACKETS - K - 4) * TRIP + LATENCY + FLITS - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_that_of_rfc_6298),
                                     cmocka_unit_test(the_first_trip_counts_three_times),
                                     cmocka_unit_test(the_bound_is_two_windows_of_every_end_node),
                                     cmocka_unit_test(a_first_window_fills_a_path_and_a_queue),
                                     cmocka_unit_test(a_lost_packet_waits_for_the_measured_time),
                                     cmocka_unit_test(a_repeat_measures_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
