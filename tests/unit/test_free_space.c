/* test_free_space.c - a protocol that is notified how full its queues are, and what waits for its ports: the numbers
 * equal the packets that have arrived. Four end nodes send a packet of four flits every four cycles, each from a cycle
 * below four on; the switch holds them. */
#include "ripstop/kit/protocol.h"
#include "scene.h"
#include "test_free_space.methods/gauge.h"

#define STAR "kary-ntree:k=4,n=1"
enum { FLITS = 4, LINK = 1, PIPELINE = 2 };

/* Heads that have come to the switch before the arrivals of a cycle are over; the first was generated in cycle
 * `generated`. */
static int64_t come(uint64_t cycle, uint64_t generated_at) {
  uint64_t first = generated_at + LINK + PIPELINE;
  return cycle < first ? 0 : (int64_t)((cycle - first) / FLITS) + 1;
}

/* Runs until all queues are full, and on when the switch opens. */
static void look(const char *queues, int64_t capacity, int64_t units) {
  ripstop_run_result result;
  ripstop_error err;
  scene *s = scene_open(STAR, "test-gauge",
                        "pattern=bit-complement process=periodic load=1 packet=4 link=1 pipeline=2 cycles=300");
  scene_set(s, queues);
  gauges = 0;
  if (scene_simulate(s, &result, &err)) fail_msg("%s", err.text);
  assert_true(gauges > 2 * GAUGE_OPENS / GAUGE_EVERY);
  assert_int_equal(gauge_log[0].cycle, 0);
  for (int i = 0; i < GAUGE_QUEUES; i++) assert_int_equal(gauge_log[0].room[i], capacity);
  for (uint32_t k = 0; k < gauges; k++) {
    const gauge *g = &gauge_log[k];
    assert_true(g->known);
    for (int i = 0; i < GAUGE_QUEUES; i++) {
      int64_t taken = (capacity - g->room[i]) / units, most = capacity / units;
      assert_int_equal(taken * units, capacity - g->room[i]);
      assert_in_range(taken, 0, most);
      if (g->cycle == 0 || g->cycle > GAUGE_OPENS) continue;
      int64_t latest = come(g->cycle, FLITS - 1), earliest = come(g->cycle, 0);
      assert_in_range(taken, latest < most ? latest : most, earliest < most ? earliest : most);
    }
  }
  assert_int_equal(gauge_log[GAUGE_OPENS / GAUGE_EVERY].room[0], 0); /* full when it opens */
  assert_true(result.account.delivered > 0);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void in_packets(void **state) {
  (void)state;
  look("in_queue=8", 8, 1);
}

static void in_flits(void **state) {
  (void)state;
  look("in_queue=32 unit=flits", 32, FLITS);
}

/* Three end nodes send to the fourth alone, whose link takes a packet every four cycles from the opening on: one packet
 * is on it, but in the cycle in which the next one is granted, after the step. Of the others each waits for that port.
 * A queue of one line shows its head, one with lines all. */
static void load_of_ports(const char *queues, bool lines) {
  ripstop_run_result result;
  ripstop_error err;
  scene *s = scene_open(STAR, "test-gauge",
                        "pattern=hotspot:end=0,share=1 process=periodic load=1 packet=4 link=1 pipeline=2 cycles=300");
  scene_set(s, queues);
  gauges = 0;
  if (scene_simulate(s, &result, &err)) fail_msg("%s", err.text);
  uint32_t seen = 0;
  for (uint32_t k = 0; k < gauges; k++) {
    const gauge *g = &gauge_log[k];
    if (g->cycle <= GAUGE_OPENS) /* no packet has a candidate yet */
      for (int i = 0; i < GAUGE_QUEUES; i++) assert_int_equal(g->load[i], 0);
    if (g->cycle <= GAUGE_OPENS + GAUGE_EVERY) continue;
    const int64_t all = 3 * 8 - g->room[1] - g->room[2] - g->room[3];
    const bool on_link = (g->cycle - GAUGE_OPENS) % FLITS != 0;
    assert_int_equal(g->load[0], (lines ? all : 3) - on_link);
    seen++;
  }
  assert_true(seen > 5);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void heads_that_wait(void **state) {
  (void)state;
  load_of_ports("in_queue=8", false);
}

static void lines_that_wait(void **state) {
  (void)state;
  load_of_ports("in_queue=8 queues=voq", true);
}

/* The virtual network has no queues. */
static void nothing_to_report(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open(STAR, &err);
  stand run_setup = stand_on(f, "test-gauge", NULL);
  gauges = 0;
  ripstop_network *n = ripstop_network_open(run_setup.plan, NULL, &err);
  assert_int_equal(ripstop_network_run(n, 1000, &err), 1);
  assert_true(gauges > 2);
  for (uint32_t k = 0; k < gauges; k++) assert_false(gauge_log[k].known);
  ripstop_network_free(n);
  stand_close(&run_setup);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_packets), cmocka_unit_test(in_flits),
                                     cmocka_unit_test(heads_that_wait), cmocka_unit_test(lines_that_wait),
                                     cmocka_unit_test(nothing_to_report)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
