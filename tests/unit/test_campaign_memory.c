/* test_campaign_memory.c - the memory that runs need, beside what the engine says that it took; and what there is,
 * beside limits that are set here. */
#include <string.h>
#include <sys/resource.h>

#include "campaign/cost.h"
#include "check.h"
#include "experiment/inner_runs.h"
#include "route/plan_steps.h"
#include "simulate/run_result.h"

static ripstop_runs *expand(const char *text) {
  ripstop_error err = {0};
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) fail_msg("%s", err.text);
  return runs;
}

/* A tight lower bound: a refusal for lack of memory is right. */
static void the_engine_takes_what_was_said(void **state) {
  (void)state;
  ripstop_runs *runs = expand("fabric: [torus:24x24, \"kary-ntree:k=8,n=3\", \"kns:k=8,n=3\"]\n"
                              "method: [dor, updown]\ntraffic: {load: 0.1, packet: 1}\n"
                              "switch: {in_queue: 1}\nmeasure: {warmup: 0, cycles: 40}\n");
  size_t compared = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    ripstop_error err;
    ripstop_run_result result;
    ripstop_settings settings;
    ripstop_arena *arena = ripstop_arena_new();
    assert_int_equal(ripstop_run_settings(run, arena, &settings), 0);
    ripstop_view *view = ripstop_view_new(run->fabric, NULL);
    ripstop_plan *plan = ripstop_plan_compile(view, run->method, NULL, &err);
    if (plan && ripstop_plan_tables(plan, &err) == RIPSTOP_APPLIES &&
        !ripstop_simulate_into(plan, &settings.simulation, &result, &err)) {
      if (ripstop_run_bytes(run) > result.bytes || 12 * ripstop_run_bytes(run) < result.bytes)
        fail_msg("%s: %zu bytes, said were %llu", run->fabric->spec, result.bytes,
                 (unsigned long long)ripstop_run_bytes(run));
      ripstop_run_result_free(&result);
      compared++;
    }
    ripstop_plan_free(plan);
    ripstop_view_free(view);
    ripstop_arena_free(arena);
  }
  assert_in_range(compared, 2, 6);
  ripstop_spec *spec = (ripstop_spec *)runs->spec;
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

static void the_largest_runs_are_done_at_once(void **state) {
  (void)state;
  ripstop_runs *runs = expand("fabric: [torus:4, torus:9x9, torus:5x5]\nmethod: dor\ntraffic: {load: 0.1}\n");
  const ripstop_run *list[3] = {&runs->run[0], &runs->run[1], &runs->run[2]};
  uint64_t each[3];
  for (size_t i = 0; i < 3; i++) each[i] = ripstop_run_bytes(list[i]);
  assert_true(each[0] > 0 && each[0] < each[2] && each[2] < each[1]);
  assert_int_equal(ripstop_runs_bytes(list, 3, 1), each[1]);
  assert_int_equal(ripstop_runs_bytes(list, 3, 2), each[1] + each[2]);
  assert_int_equal(ripstop_runs_bytes(list, 3, 9), each[0] + each[1] + each[2]);
  ripstop_spec *spec = (ripstop_spec *)runs->spec;
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

static void limits_are_seen(void **state) {
  (void)state;
  struct rlimit before, limit;
  uint64_t there = ripstop_memory_there();
  assert_true(there > 1 << 20 && there < UINT64_MAX);
  assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
  limit = before;
  limit.rlim_cur = 1; /* less than there is already */
  assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
  uint64_t left = ripstop_memory_there();
  assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
  assert_int_equal(left, 0);
  assert_true(ripstop_memory_there() > 1 << 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_engine_takes_what_was_said),
      cmocka_unit_test(the_largest_runs_are_done_at_once),
      cmocka_unit_test(limits_are_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
