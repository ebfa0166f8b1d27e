/* test_simulate_bundles.c - the engine keeps ways that are alike together. Whether they are, and in which order they
 * come, must change nothing but memory. */
#include <string.h>

#include "scene.h"
#include "simulate/state.h"

enum { CYCLES = 1500 };

static void assert_same(const char *fabric, const char *one, const char *other, const char *settings) {
  ripstop_result result[2];
  const char *const method[2] = {one, other};
  for (int i = 0; i < 2; i++) {
    scene *s = scene_open(fabric, method[i], settings);
    s->sim.measure.cycles = CYCLES;
    result[i] = scene_run(s);
    scene_close(s);
  }
  assert_true(result[0].hops > CYCLES); /* something moved */
  assert_int_equal(result[0].events, result[1].events);
  assert_int_equal(result[0].hops, result[1].hops);
  assert_memory_equal(&result[0].account, &result[1].account, sizeof result[0].account);
  assert_true(
      same_bits(ripstop_result_value(&result[0], "latency.mean"), ripstop_result_value(&result[1], "latency.mean")));
  for (int i = 0; i < 2; i++) ripstop_result_free(&result[i]);
}

/* By every choice, beyond what a part has bundles for from the start. */
static void ways_apart_do_the_same(void **state) {
  (void)state;
  static const char *const choices[] = {"space", "random", "first", "rotate", "weighted"};
  char settings[200];
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    snprintf(settings, sizeof settings, "load=1 packet=4 in_queue=2 choice=%s", choices[i]);
    assert_same("torus:4x4x4", "minimal-adaptive:escape=bubble", "test-apart", settings);
    assert_same("torus:4x4x4", "test-apart:alike=on,back=on", "test-apart:back=on", settings);
  }
}

static void ways_of_many_flits_do_the_same(void **state) {
  (void)state;
  assert_same("torus:4x4x4", "minimal-adaptive:escape=bubble", "test-apart",
              "load=1 packet=5 unit=flits in_queue=13 crossbar=queues");
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
  ripstop_plan *plan = ripstop_plan_open(view, s->method, NULL, &err);
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
      cmocka_unit_test(ways_apart_do_the_same),
      cmocka_unit_test(ways_of_many_flits_do_the_same),
      cmocka_unit_test(bundles_are_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
