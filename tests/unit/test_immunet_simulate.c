/* test_immunet_simulate.c - immunet under traffic beyond saturation, while links and routers fail and return: only what
 * was on a failing link or in a failing router is lost, nothing arrives twice, nothing stands still, and the throughput
 * comes back. That the account of the packets balances is the engine's own check. */
#include <math.h>

#include "scene.h"

enum { HISTORIES = 42, CHANGES_MAX = 12, CYCLES = 12000 };

/* Quick enough for several emergencies in a short run. */
#define QUICK "immunet:emergency_cycles=10,ack_cycles=3,control_cycles=40,drain_cycles=200"

static double value(const ripstop_result *result, const char *name) {
  double v = ripstop_result_value(result, name);
  return isnan(v) ? 0 : v;
}

static int compare_packets(const void *a, const void *b) {
  const delivery *x = a, *y = b;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  return (x->packet > y->packet) - (x->packet < y->packet);
}

static void assert_nothing_twice(scene *s) {
  qsort(s->delivered, s->deliveries, sizeof *s->delivered, compare_packets);
  for (size_t i = 1; i < s->deliveries; i++)
    if (compare_packets(&s->delivered[i - 1], &s->delivered[i]) == 0)
      fail_msg("packet %llu of %u came twice", (unsigned long long)s->delivered[i].packet, s->delivered[i].source);
}

static double delivered_between(const ripstop_result *result, uint64_t from, uint64_t end) {
  double flits = 0;
  for (size_t i = 0; i < result->windows; i++)
    if (result->window[i].cycle >= from && result->window[i].cycle < end)
      flits += (double)result->window[i].delivered_flits;
  return flits / (double)(end - from);
}

/* ------------------------------------------------------------------ random histories */

/* Switches without end nodes too. */
static bool is_in_one_piece(const ripstop_view *view) {
  uint32_t *component = ripstop_realloc(NULL, view->fabric->nodes, sizeof *component);
  bool one = true;
  ripstop_view_components(view, component);
  for (uint32_t v = 0; v < view->fabric->nodes; v++) one &= component[v] == component[0];
  ripstop_free(component);
  return one;
}

/* Links fail, and return, at any time in the first two thirds; what is left is always connected. */
static uint32_t draw_links(const scene *s, ripstop_stream *random, ripstop_change *change) {
  const ripstop_fabric *f = s->fabric;
  ripstop_view *view = ripstop_view_new(f, NULL);
  uint32_t count = 0, wanted = 1 + ripstop_stream_below(random, CHANGES_MAX);
  uint64_t cycle = 500;
  for (uint32_t tries = 0; count < wanted && tries < 100; tries++) {
    uint32_t link = f->link_ends + ripstop_stream_below(random, f->links - f->link_ends);
    bool up = !view->link_up[link];
    ripstop_view_set_link(view, link, up);
    if (!is_in_one_piece(view)) {
      ripstop_view_set_link(view, link, !up);
      continue;
    }
    change[count++] = (ripstop_change){.cycle = cycle, .id = link, .up = up};
    cycle += ripstop_stream_below(random, 2 * CYCLES / 3 / CHANGES_MAX);
  }
  ripstop_view_free(view);
  return count;
}

static void run_history(uint32_t number, const char *method) {
  static const char *const fabrics[] = {"torus:4x4",
                                        "torus:3x3",
                                        "torus:6",
                                        "kary-ntree:k=2,n=3",
                                        "torus:2x3x2",
                                        "torus:5x4",
                                        "graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges"};
  static const char *const switches[] = {"in_queue=2 packet=4", "in_queue=3 packet=1",
                                         "in_queue=40 unit=flits packet=3:0.8/19:0.2"};
  ripstop_stream random = ripstop_stream_open(9, RIPSTOP_RANDOM_TEST, number);
  ripstop_change change[CHANGES_MAX];
  scene *s = scene_open(fabrics[number % 7], method, "load=1 cycles=12000 window=1000 check=200");
  scene_set(s, switches[number % 3]);
  s->sim.seed = number;
  s->schedule = (ripstop_schedule){.count = draw_links(s, &random, change), .change = change};
  s->sim.schedule = &s->schedule;
  ripstop_result result = scene_run(s);
  if (result.verdict == RIPSTOP_DEADLOCKED) fail_msg("history %u on %s: %s", number, s->fabric->spec, result.witness);
  if (value(&result, "lost.link died") != (double)result.account.lost)
    fail_msg("history %u on %s: %llu packets lost, not all with their links", number, s->fabric->spec,
             (unsigned long long)result.account.lost);
  if (delivered_between(&result, CYCLES - 1000, CYCLES) == 0) fail_msg("history %u: nothing moves", number);
  assert_nothing_twice(s);
  ripstop_result_free(&result);
  scene_close(s);
}

static void only_what_was_on_failing_links_is_lost(void **state) {
  (void)state;
  for (uint32_t number = 0; number < HISTORIES; number++) run_history(number, QUICK);
}

/* ------------------------------------------------------------------ stories */

static uint64_t lost_between(const ripstop_result *result, uint64_t from, uint64_t end) {
  uint64_t lost = 0;
  for (size_t i = 0; i < result->windows; i++)
    if (result->window[i].cycle >= from && result->window[i].cycle < end) lost += result->window[i].lost;
  return lost;
}

/* Section 6.1: beyond saturation, one link dies. Injection stops, and starts again at once; the ring alone carries
 * little until the tables are made; then less than before, since the ring is longer than those that it replaces. */
static void throughput_falls_and_returns(void **state) {
  (void)state;
  scene *s =
      scene_open("torus:8x8", "immunet:control_cycles=300", "load=1 packet=16 in_queue=4 cycles=16000 window=200");
  scene_schedule(s, "3.3/0@5000");
  ripstop_result result = scene_run(s);
  double before = delivered_between(&result, 3000, 5000), meanwhile = delivered_between(&result, 6000, 7000),
         after = delivered_between(&result, 12000, 16000);
  assert_true(before > 64 * 0.6);
  assert_true(meanwhile < 0.3 * before);
  assert_true(after > 0.8 * before && after < before);
  assert_true(value(&result, "lost.link died") == (double)result.account.lost);
  assert_true(result.account.lost <= 4); /* what two directions of a link can hold */
  assert_nothing_twice(s);
  ripstop_result_free(&result);
  scene_close(s);
}

/* Two routers die, one of them returns. Packets to the dead one are given up after a tour; then those to the other get
 * through again. */
static void routers_die_and_return(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", QUICK, "load=0.1 packet=4 in_queue=4 cycles=20000 window=500");
  scene_schedule(s, "switch:1.1@3000 switch:2.2@3000 switch:1.1+@9000 switch:2.2+@12000");
  ripstop_result result = scene_run(s);
  double known =
      value(&result, "lost.link died") + value(&result, "lost.switch died") + value(&result, "lost.no path is left");
  assert_true(known == (double)result.account.lost);
  assert_int_equal(lost_between(&result, 0, 3000), 0);
  assert_true(value(&result, "lost.no path is left") > 100);
  assert_int_equal(lost_between(&result, 14000, 20000), 0);
  uint64_t to_1_1 = 0;
  for (size_t i = 0; i < s->deliveries; i++) to_1_1 += s->delivered[i].at > 14000 && s->delivered[i].destination == 5;
  assert_true(to_1_1 > 50);
  assert_nothing_twice(s);
  ripstop_result_free(&result);
  scene_close(s);
}

/* A fabric in two parts: each goes on alone. */
static void parts_go_on_alone(void **state) {
  (void)state;
  scene *s = scene_open("torus:6", QUICK, "load=0.1 packet=4 in_queue=4 cycles=12000 window=500");
  scene_schedule(s, "0/0@3000 3/0@3100 0/0+@8000");
  ripstop_result result = scene_run(s);
  uint64_t within = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->born < 4000 || d->at >= 8000) continue;
    bool from = d->source >= 1 && d->source <= 3, to = d->destination >= 1 && d->destination <= 3;
    assert_int_equal(from, to);
    within++;
  }
  assert_true(within > 100);
  assert_int_equal(lost_between(&result, 9000, 12000), 0);
  assert_nothing_twice(s);
  ripstop_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_was_on_failing_links_is_lost),
                                     cmocka_unit_test(throughput_falls_and_returns),
                                     cmocka_unit_test(routers_die_and_return), cmocka_unit_test(parts_go_on_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
