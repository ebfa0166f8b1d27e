/* Programs on the simulated network: right results on every routing method that carries their packets, through links
 * that die and come back, with faults drawn while they run; and times that the ideal network bounds from below. */
#include <math.h>
#include <string.h>

#include "ideal_net.h"
#include "programs/program_run.h"
#include "ripstop/kit/programs.h"
#include "ripstop/plugin/kernel.h"
#include "stand.h"

typedef struct stage {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  const char *method;
  ripstop_names *names;
  ripstop_schedule schedule;
  ripstop_program program;
} stage;

static stage stage_open(const char *fabric, const char *method, const char *options) {
  stage s = {.arena = ripstop_arena_new(), .method = method};
  ripstop_error err;
  if (!(s.fabric = ripstop_fabric_open(fabric, &err))) fail_msg("%s", err.text);
  s.names = ripstop_names_new(s.fabric);
  s.program.simulation = (ripstop_simulate_settings){.seed = 1};
  ripstop_options_defaults(s.arena, ripstop_switch_options, &s.program.simulation.switch_);
  ripstop_options_defaults(s.arena, ripstop_measure_options, &s.program.simulation.measure);
  const char *all = ripstop_arena_printf(s.arena, "kernel=x%s%s", *options ? "," : "", options);
  if (ripstop_options_parse(s.arena, "program", ripstop_program_options, &s.program.config, all, &err))
    fail_msg("%s", err.text);
  return s;
}

static void stage_close(stage *s) {
  ripstop_names_free(s->names);
  ripstop_fabric_free(s->fabric);
  ripstop_arena_free(s->arena);
}

static ripstop_run_result stage_run(stage *s, const char *kernel) {
  ripstop_run_result result;
  ripstop_error err;
  s->program.config.kernel = kernel;
  stand run_setup = stand_on(s->fabric, s->method, NULL);
  if (ripstop_program_run(run_setup.plan, &s->program, &result, &err)) fail_msg("%s: %s", kernel, err.text);
  stand_close(&run_setup);
  return result;
}

static int stage_check(const stage *s, ripstop_error *err) {
  stand run_setup = stand_on(s->fabric, s->method, NULL);
  int status = ripstop_program_check(run_setup.plan, &s->program, err);
  stand_close(&run_setup);
  return status;
}

static const char *small(stage *s, const ripstop_kernel *kernel) {
  return ripstop_arena_printf(s->arena, "%s:%s", kernel->name, kernel->small);
}

static double value(const ripstop_run_result *r, const char *name) {
  double v = ripstop_run_result_value(r, name);
  if (isnan(v)) fail_msg("there is no %s", name);
  return v;
}

/* ------------------------------------------------------------------ right everywhere */

static void programs_are_right_on_any_network(void **state) {
  (void)state;
  const char *const cases[][2] = {{"torus:4x4", "minimal-adaptive:escape=bubble"},
                                  {"torus:4x4", "dor:dateline=on"},
                                  {"torus:2x2x4", "dor:bubble=on"},
                                  {"kary-ntree:k=2,n=3", "updown"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; ripstop_kernels[k]; k++) {
      stage s = stage_open(cases[i][0], cases[i][1], "");
      ripstop_run_result r = stage_run(&s, small(&s, ripstop_kernels[k]));
      assert_true(value(&r, "program.done") == 1 && value(&r, "program.right") == 1);
      assert_true(value(&r, "program.time") > 0 && value(&r, "program.slowdown") == 1);
      assert_int_equal(r.account.generated, r.account.delivered);
      assert_true(value(&r, "program.requests") + value(&r, "program.forwards") + value(&r, "program.responses") +
                      value(&r, "program.completions") ==
                  (double)r.account.delivered);
      ripstop_run_result_free(&r);
      stage_close(&s);
    }
}

/* The other construction: the same program on a network in which every packet takes the least time that the simulated
 * one ever needs. The result is the same to the last bit, and it is not slower. */
static void an_ideal_network_is_faster(void **state) {
  (void)state;
  for (size_t k = 0; ripstop_kernels[k]; k++) {
    stage s = stage_open("torus:4x4", "minimal-adaptive:escape=bubble", "slack=0");
    ripstop_run_result r = stage_run(&s, small(&s, ripstop_kernels[k]));
    ripstop_machine m;
    ripstop_error err;
    void *own = ripstop_arena_array(s.arena, 1, ripstop_kernels[k]->config_size);
    assert_int_equal(
        ripstop_options_parse(s.arena, "", ripstop_kernels[k]->options, own, ripstop_kernels[k]->small, &err), 0);
    assert_int_equal(machine_open(&m, &s.program.config, 16, ripstop_kernels[k], own, 1, &err), 0);
    ideal_net n = {.latency = 0};
    ideal_run(&n, &m, 1);
    double error = NAN;
    assert_true(machine_done(&m) && m.kernel->check(&m, m.state, &error));
    assert_true(error == value(&r, "program.error"));
    assert_true(machine_time(&m) < value(&r, "program.time"));
    machine_close(&m);
    ripstop_run_result_free(&r);
    stage_close(&s);
  }
}

static void runs_repeat_themselves(void **state) {
  (void)state;
  stage s = stage_open("torus:4x4", "minimal-adaptive:escape=bubble", "");
  s.program.simulation.measure.window = 500;
  ripstop_run_result a = stage_run(&s, "radix:keys=4096,radix=32,bits=10"),
                     b = stage_run(&s, "radix:keys=4096,radix=32,bits=10");
  assert_int_equal(a.values, b.values);
  assert_int_equal(a.windows, b.windows);
  assert_true(a.windows > 10 && a.cycles == b.cycles);
  for (size_t i = 0; i < a.values; i++)
    assert_memory_equal(&a.value[i].value, &b.value[i].value, sizeof a.value[i].value);
  uint64_t flits = 0;
  for (size_t i = 0; i < a.windows; i++) flits += a.window[i].delivered_flits;
  assert_true(flits > 0 && value(&a, "program.peak") > (double)flits / (double)a.cycles);
  uint64_t most = 0;
  for (size_t i = 0; i < a.windows; i++)
    if (a.window[i].delivered_flits > most) most = a.window[i].delivered_flits;
  assert_true(value(&a, "program.peak") == (double)most / 500);
  int64_t cycles = (int64_t)a.cycles, *window = &s.program.simulation.measure.window;
  ripstop_run_result_free(&a);
  ripstop_run_result_free(&b);
  /* the last window may be of a single cycle, in which packets of many arrive */
  for (*window = cycles - 3; *window <= cycles + 1; ++*window) {
    b = stage_run(&s, "radix:keys=4096,radix=32,bits=10");
    assert_true(value(&b, "program.peak") < 1.01 * (double)flits / (double)cycles);
    ripstop_run_result_free(&b);
  }
  stage_close(&s);
}

/* ------------------------------------------------------------------ faults */

/* Links die and come back; what was lost is sent again. */
static void programs_outlive_faults_that_are_repaired(void **state) {
  (void)state;
  for (size_t k = 0; ripstop_kernels[k]; k++) {
    ripstop_error err;
    stage s = stage_open("torus:4x4", "minimal-adaptive:escape=bubble", "retry=300");
    ripstop_text text = {0};
    for (uint32_t i = 0; i < 12; i++)
      ripstop_text_add(&text, "%u.%u/%u@%u %u.%u/%u+@%u ", i % 4, i / 3, i % 2, 1500 + 700 * i, i % 4, i / 3, i % 2,
                       1900 + 700 * i);
    assert_int_equal(ripstop_schedule_parse(s.arena, s.names, text.data, text.length, &s.schedule, &err), 0);
    s.program.simulation.schedule = &s.schedule;
    ripstop_run_result r = stage_run(&s, small(&s, ripstop_kernels[k]));
    assert_true(value(&r, "program.done") == 1 && value(&r, "program.right") == 1);
    assert_true(value(&r, "program.retries") > 0);
    assert_true(value(&r, "program.retries") == (double)r.account.lost);
    ripstop_text_free(&text);
    ripstop_run_result_free(&r);
    stage_close(&s);
  }
}

/* Dimension order has no detour around a failed link: the program is given up at its limit, and is not right. */
static void a_program_that_cannot_go_on_is_given_up(void **state) {
  (void)state;
  stage s = stage_open("torus:4x4", "dor:bubble=on", "faults=1,limit=60000");
  ripstop_run_result r = stage_run(&s, "fft:points=1024");
  assert_true(value(&r, "program.done") == 0 && value(&r, "program.right") == 0);
  assert_true(isnan(ripstop_run_result_value(&r, "program.time")) &&
              isnan(ripstop_run_result_value(&r, "program.slowdown")));
  assert_int_equal(r.cycles, 60000);
  assert_int_equal(r.verdict, RIPSTOP_LOSSY);
  assert_true(r.account.lost > 0);
  ripstop_run_result_free(&r);
  for (int64_t faults = 0; faults < 2; faults++) { /* too short even without */
    s.program.config.faults = faults, s.program.config.limit = 2000;
    r = stage_run(&s, "fft:points=1024");
    assert_true(value(&r, "program.done") == 0 && isnan(ripstop_run_result_value(&r, "program.slowdown")));
    assert_int_equal(r.cycles, 2000);
    ripstop_run_result_free(&r);
  }
  stage_close(&s);
}

/* Faults come when so many packets have been received, never before, and a run repeats itself. The faults of a ring
 * leave it whole but for one link. */
static void faults_are_sampled(void **state) {
  (void)state;
  stage s = stage_open("torus:4x4", "minimal-adaptive:escape=bubble", "faults=2,limit=30000");
  ripstop_run_result a = stage_run(&s, "fft:points=1024"), b = stage_run(&s, "fft:points=1024");
  assert_true(a.account.lost > 0 && a.account.lost == b.account.lost && a.hops == b.hops);
  s.program.simulation.seed = 2;
  ripstop_run_result c = stage_run(&s, "fft:points=1024");
  assert_true(c.hops != a.hops);
  ripstop_run_result_free(&a);
  ripstop_run_result_free(&b);
  ripstop_run_result_free(&c);
  stage_close(&s);

  s = stage_open("torus:8", "dor:bubble=on", "faults=1");
  s.program.config.kernel = "fft:points=1024";
  ripstop_error err;
  if (stage_check(&s, &err)) fail_msg("%s", err.text);
  s.program.config.faults = 2;
  assert_int_equal(stage_check(&s, &err), -1);
  assert_non_null(strstr(err.text, "without cutting it"));
  s.program.config.faults = 1;
  assert_int_equal(ripstop_schedule_parse(s.arena, s.names, "0/0@5", 5, &s.schedule, &err), 0);
  s.program.simulation.schedule = &s.schedule;
  assert_int_equal(stage_check(&s, &err), -1);
  assert_non_null(strstr(err.text, "cannot be combined with a schedule"));
  stage_close(&s);
}

/* ------------------------------------------------------------------ errors */

static void mistakes_are_named(void **state) {
  (void)state;
  const struct {
    const char *fabric, *options, *kernel, *says;
  } cases[] = {{"torus:4x4", "", "fftt", "did you mean 'fft'"},
               {"torus:4x4", "", "sorting", "known: fft, lu, radix"},
               {"torus:4x4", "", "fft:point=4", "did you mean 'points'"},
               {"torus:4x4", "", "fft:points=5", "power of 4"},
               {"torus:4x4", "processors=17", "fft", "program.processors: 17 are more than the 16"},
               {"torus:16x16", "", "fft", "program.processors must be given"},
               {"torus:4x4", "l1_size=1,l1_ways=3", "fft", "program.l1_size"},
               {"torus:4x4", "l2_size=7,l2_ways=5", "fft", "program.l2_size"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err;
    stage s = stage_open(cases[i].fabric, "minimal-adaptive", cases[i].options);
    s.program.config.kernel = cases[i].kernel;
    assert_int_equal(stage_check(&s, &err), -1);
    if (!strstr(err.text, cases[i].says)) fail_msg("%s", err.text);
    stage_close(&s);
  }
  ripstop_arena *arena = ripstop_arena_new();
  const char *canonical;
  ripstop_error err;
  assert_int_equal(ripstop_kernel_canonical(arena, "lu:block=8", &canonical, &err), 0);
  assert_string_equal(canonical, "lu:size=256,block=8");
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(programs_are_right_on_any_network),
                                     cmocka_unit_test(an_ideal_network_is_faster),
                                     cmocka_unit_test(runs_repeat_themselves),
                                     cmocka_unit_test(programs_outlive_faults_that_are_repaired),
                                     cmocka_unit_test(a_program_that_cannot_go_on_is_given_up),
                                     cmocka_unit_test(faults_are_sampled),
                                     cmocka_unit_test(mistakes_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
