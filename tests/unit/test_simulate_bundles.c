/* test_simulate_bundles.c - the engine bundles candidates that are alike. The bundles, and the order of candidates,
 * change nothing but memory. */
#include <string.h>

#include "ripstop/plugin/method.h"
#include "scene.h"
#include "simulate/state.h"

enum { CYCLES = 1500 };

static void assert_same(const char *fabric, const char *one, const char *other, const char *settings) {
  ripstop_run_result result[2];
  const char *const method[2] = {one, other};
  for (int i = 0; i < 2; i++) {
    scene *s = scene_open(fabric, method[i], settings);
    if (!strstr(settings, "cycles=")) s->sim.measure.cycles = CYCLES;
    result[i] = scene_run(s);
    scene_close(s);
  }
  assert_true(result[0].hops > CYCLES); /* something moved */
  assert_int_equal(result[0].events, result[1].events);
  assert_int_equal(result[0].hops, result[1].hops);
  assert_memory_equal(&result[0].account, &result[1].account, sizeof result[0].account);
  assert_true(same_bits(ripstop_run_result_value(&result[0], "latency.mean"),
                        ripstop_run_result_value(&result[1], "latency.mean")));
  for (int i = 0; i < 2; i++) ripstop_run_result_free(&result[i]);
}

/* By every choice, beyond what a part has bundles for from the start. */
static void candidates_apart_do_the_same(void **state) {
  (void)state;
  static const char *const selections[] = {"space", "random", "first", "rotate", "weighted"};
  char settings[200];
  for (size_t i = 0; i < 2 * sizeof selections / sizeof *selections; i++) {
    snprintf(settings, sizeof settings, "load=1 packet=4 in_queue=2 selection=%s escape=%s", selections[i / 2],
             i % 2 ? "exhausted" : "open");
    assert_same("torus:4x4x4", "minimal-adaptive:escape=bubble", "test-apart", settings);
    assert_same("torus:4x4x4", "test-apart:alike=on,back=on", "test-apart:back=on", settings);
  }
}

static void candidates_of_many_flits_do_the_same(void **state) {
  (void)state;
  assert_same("torus:4x4x4", "minimal-adaptive:escape=bubble", "test-apart",
              "load=1 packet=5 unit=flits in_queue=13 crossbar=queues escape=exhausted");
}

/* Up ports in two or more machine words of a switch's output VCs. */
static void runs_of_ports_do_the_same(void **state) {
  (void)state;
  assert_same("kary-ntree:k=70,n=2", "updown", "test-singly", "load=0.5 packet=8 cycles=100");
  assert_same("kary-ntree:k=4,n=3", "updown", "test-singly", "load=1 packet=4 unit=flits in_queue=8");
}

/* Against one port after the other: any ports, as many as two candidates can name, at any place. */
static void live_ports_in_runs(void **state) {
  (void)state;
  enum { PORTS = 600, CASES = 3000 };
  static uint8_t up[PORTS];
  static ripstop_candidate candidate[PORTS];
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_SELECTION, 0);
  for (int i = 0; i < CASES; i++) {
    uint32_t first = ripstop_stream_below(&random, PORTS), count = ripstop_stream_below(&random, PORTS - first + 1);
    uint32_t rare = 1 + ripstop_stream_below(&random, 400);
    uint32_t live = 0, at = 0;
    for (uint32_t port = 0; port < PORTS; port++) up[port] = ripstop_stream_below(&random, rare) > 0;
    for (uint32_t port = first; port < first + count; port++) live += up[port];
    int runs =
        ripstop_candidates_up(up, first, count, (ripstop_candidate){.header = 7, .rank = 2, .space = 1}, candidate);
    assert_true(runs <= (int)live);
    assert_int_equal(ripstop_candidates_expand(candidate, runs, live), live);
    for (uint32_t port = first; port < first + count; port++) {
      if (!up[port]) continue;
      assert_int_equal(candidate[at].port, port);
      assert_true(candidate[at].header == 7 && candidate[at].rank == 2 && candidate[at].space == 1 &&
                  candidate[at].more == 0);
      at++;
    }
  }
  candidate[0] = (ripstop_candidate){.more = 3};
  assert_int_equal(ripstop_candidates_expand(candidate, 1, 3), 4); /* too many: they stay as they are */
  assert_int_equal(candidate[0].more, 3);
}

/* More bundles than there are queues, in each of several parts, and none is lost: the list and the unused are what was
 * taken. */
static void bundles_are_used_again(void **state) {
  (void)state;
  ripstop_error err;
  scene *s = scene_open("torus:4x4x4", "test-apart:times=10", "load=1 packet=4 in_queue=2");
  s->sim.measure.cycles = CYCLES;
  s->sim.threads = 2;
  s->sim.on_delivery = NULL;
  ripstop_view *view = ripstop_view_new(s->fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, s->method, NULL, &err);
  if (!plan) fail_msg("%s", err.text);
  ripstop_simulation *sim = ripstop_simulate_open(plan, &s->sim, &err);
  if (!sim) fail_msg("%s", err.text);
  size_t at_start[2], later[2];
  assert_int_equal(sim->shape->parts, 2);
  for (int i = 0; i < 2; i++) at_start[i] = ripstop_arena_bytes(sim->part[i].more);
  assert_int_equal(ripstop_simulate_run(sim, 200, &err), 0);
  for (int i = 0; i < 2; i++) later[i] = ripstop_arena_bytes(sim->part[i].more);
  assert_int_equal(ripstop_simulate_run(sim, 400, &err), 0);
  for (int i = 0; i < 2; i++) {
    assert_true(later[i] > at_start[i]);
    assert_int_equal(ripstop_arena_bytes(sim->part[i].more), later[i]);
  }
  ripstop_simulate_close(sim);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(candidates_apart_do_the_same), cmocka_unit_test(candidates_of_many_flits_do_the_same),
      cmocka_unit_test(runs_of_ports_do_the_same),    cmocka_unit_test(live_ports_in_runs),
      cmocka_unit_test(bundles_are_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
