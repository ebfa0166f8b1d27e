/* test_simulate_intervals.c - intervals of one run: how often they hold the truth below, near and above saturation, how
 * wide they are, where there is none and why. Seeds are fixed.
 *
 * The truth is what tests/bench/coverage.c measured with other runs: the mean over 100 seeds of runs of the same
 * warm-up and length, and their standard deviation. */
#include <math.h>

#include "base/histogram.h"
#include "covered.h"
#include "share.h"

enum { SEEDS = 25, FIRST_SEED = 5001, LONG = 40000, SHORT = 6000 };

typedef struct truth {
  double mean, deviation;
} truth;

/* Runs of 40,000 cycles: [fabric][load][value]. */
static const truth truths[COVERED_FABRICS][COVERED_LOADS][COVERED_VALUES] = {
    {
        {{0.30007, 0.00151}, {33.358, 0.141}, {36.57, 0.166}, {32.27, 0.446}, {88.89, 1.25}},
        {{0.50018, 0.00177}, {60.299, 1.1}, {67.806, 1.14}, {56.02, 0.71}, {226.12, 10.6}},
        {{0.55003, 0.00185}, {104.3, 7.53}, {113.49, 7.63}, {88.45, 4.94}, {428.42, 35.8}},
        {{0.57476, 0.00216}, {344.86, 10.1}, {1060.9, 119}, {799.34, 139}, {3808.4, 422}},
        {{0.57599, 0.00239}, {380.46, 1.37}, {4101.9, 124}, {3979.8, 171}, {9181.7, 465}},
    },
    {
        {{0.2, 0.0013}, {33.668, 0.154}, {35.54, 0.172}, {31.78, 0.416}, {82.48, 1.11}},
        {{0.40019, 0.00175}, {57.531, 0.562}, {62.729, 0.638}, {53.88, 0.518}, {185.08, 4.41}},
        {{0.50008, 0.00178}, {106.48, 2.89}, {132.68, 6.82}, {100.11, 2.99}, {590.26, 64.7}},
        {{0.54074, 0.00205}, {186.62, 4.26}, {618.2, 70.6}, {407.86, 55.7}, {2876.4, 419}},
        {{0.54751, 0.00214}, {222.15, 0.83}, {5024, 102}, {4888.9, 129}, {11393, 336}},
    },
};

typedef struct count {
  size_t given, covered;
  double width; /* sum of half widths over 1.96 deviations */
} count;

static void add(count *c, const covered_value *v, const truth *t) {
  if (!isfinite(v->half)) return;
  c->given++;
  c->covered += fabs(v->value - t->mean) <= v->half;
  c->width += v->half / 1.96 / t->deviation;
}

/* Loads of covered_fabrics: below saturation, and the one just above. Two of covered_values have rules of their own. */
enum { STEADY_LOADS = 3, FILLING = 3, NETWORK = 1, MEDIAN = 3 };

/* Others at each load: with one seed all loads have the same traffic, more or less of it. */
static uint64_t first_seed(size_t fabric, size_t load) { return FIRST_SEED + 1000 * (fabric * COVERED_LOADS + load); }

/* If intervals cover with 90 % each, 18 or fewer of 25 do in 1 of 100 samples (binomial law); fewer in proportion.
 * Below saturation at least 20 of 25 runs have one. The mean width of 25 has an error of 6 % or so beside that of 100,
 * which is 1.38 or less, and for p50 1.51. */
static void look_at_a_load(size_t fabric, size_t load, const count *at) {
  for (size_t v = 0; v < COVERED_VALUES; v++) {
    const double width = at[v].given ? at[v].width / (double)at[v].given : 0;
    print_message("load %g %s: %zu of %zu, width %.2f\n", covered_fabrics[fabric].load[load], covered_values[v],
                  at[v].covered, at[v].given, width);
    if (at[v].given >= SEEDS / 2) assert_true((double)at[v].covered > 0.72 * (double)at[v].given);
    if (load < STEADY_LOADS) assert_true(at[v].given >= 20 && width <= (v == MEDIAN ? 1.75 : 1.6));
    if (load == FILLING && v > 0) assert_true(at[v].given <= 1);
    if (load >= STEADY_LOADS && v > NETWORK) assert_int_equal(at[v].given, 0); /* since generation */
    if (load > FILLING && v == NETWORK) assert_true(at[v].given >= 20 && width <= 1.6);
  }
}

static void look(size_t fabric, size_t load, count all[COVERED_VALUES], count steady[COVERED_VALUES]) {
  covered_value run[COVERED_VALUES];
  count at[COVERED_VALUES] = {{0}};
  for (uint64_t i = 0; i < SEEDS; i++) {
    covered_run(fabric, load, LONG, first_seed(fabric, load) + i, run);
    for (size_t v = 0; v < COVERED_VALUES; v++) {
      add(&all[v], &run[v], &truths[fabric][load][v]);
      add(&at[v], &run[v], &truths[fabric][load][v]);
      if (load < STEADY_LOADS) add(&steady[v], &run[v], &truths[fabric][load][v]);
    }
  }
  look_at_a_load(fabric, load, at);
}

/* With RIPSTOP_SHARE=N every N-th load of both fabrics is looked at, by itself: of six one that fills, and one above.
 */
static bool is_in_share(size_t fabric, size_t load) {
  const size_t share = share_of_cases();
  return (fabric * COVERED_LOADS + load) % share == share / 2;
}

/* At least 90 % of the intervals that are given hold the truth; below saturation nine of ten runs of 40,000 cycles or
 * more have one for each value, at most 1.5 times as wide as the spread over seeds requires. */
static void intervals_hold_the_truth(void **state) {
  (void)state;
  for (size_t f = 0; f < COVERED_FABRICS; f++) {
    count all[COVERED_VALUES] = {{0}}, steady[COVERED_VALUES] = {{0}};
    for (size_t l = 0; l < COVERED_LOADS; l++)
      if (is_in_share(f, l)) look(f, l, all, steady);
    for (size_t v = 0; v < COVERED_VALUES && share_of_cases() == 1; v++) {
      const double covers = (double)all[v].covered / (double)all[v].given;
      const double given = (double)steady[v].given / (3.0 * SEEDS), width = steady[v].width / (double)steady[v].given;
      print_message("%s %s: %zu of %zu cover, %.0f %% given, width %.2f\n", covered_fabrics[f].fabric,
                    covered_values[v], all[v].covered, all[v].given, 100 * given, width);
      assert_true(covers >= 0.9);
      assert_true(given >= 0.9);
      assert_true(width <= 1.5);
    }
  }
}

/* 6,000 cycles near saturation: the throughput has an interval, latencies have none. */
static void short_runs_near_saturation_have_none(void **state) {
  (void)state;
  for (size_t f = 0; f < COVERED_FABRICS; f++)
    for (size_t l = 1; l < COVERED_LOADS; l++)
      for (uint64_t i = 0; i < SEEDS; i += share_of_cases()) {
        covered_value run[COVERED_VALUES];
        covered_run(f, l, SHORT, first_seed(f, l) + i, run);
        for (size_t v = 1; v < COVERED_VALUES; v++) assert_true(isinf(run[v].half));
      }
}

static const ripstop_value *find(const ripstop_run_result *result, const char *name) {
  for (size_t i = 0; i < result->values; i++)
    if (!strcmp(result->value[i].name, name)) return &result->value[i];
  fail_msg("no value %s", name);
  return NULL;
}

/* No packet of 10,000 or so was misrouted or lost: at most so many in a hundred are (Clopper and Pearson). */
static void zeros_have_a_bound(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=4,n=2", "misroute", "load=0.2 warmup=500 cycles=20000");
  ripstop_run_result result = scene_run(s);
  const ripstop_value *up = find(&result, "misrouted-up.accepted"), *lost = find(&result, "lost.share");
  double packets = find(&result, "packets")->value, all = find(&result, "accepted")->value;
  assert_true(up->value == 0 && lost->value == 0);
  assert_true(fabs(up->half / all * packets - 3.6889) < 0.01);
  assert_true(fabs(lost->half * (double)result.account.generated - 3.6889) < 0.01);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* One packet at a time: each takes the same cycles, and no batch differs from another. Zero would be too certain: the
 * interval goes to the middle between this whole number and its neighbours. */
static void quantiles_that_agree_have_half_a_cycle(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=2,n=1", "updown", "load=0.05 packet=4 process=periodic warmup=0 cycles=20000");
  ripstop_run_result result = scene_run(s);
  const ripstop_value *p50 = find(&result, "latency.p50"), *p99 = find(&result, "latency.p99");
  assert_true(p50->value == find(&result, "latency.max")->value && p99->value == p50->value);
  assert_true(p50->half == 0.5 && p99->half == 0.5);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void same_reason(const ripstop_run_result *result, const char *name, const char *why) {
  assert_string_equal(ripstop_value_without_interval(find(result, name), ripstop_verdict_words[result->verdict]), why);
}

/* A run that is too short, and one that is saturated, for as long as you like. */
static void runs_say_why_there_is_none(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "dor:bubble=on", "load=0.3 warmup=500 cycles=2000");
  ripstop_run_result result = scene_run(s);
  same_reason(&result, "accepted", "");
  same_reason(&result, "latency.mean", "run too short for an interval");
  same_reason(&result, "network-latency.mean", "run too short for an interval");
  ripstop_run_result_free(&result);
  scene_set(s, "load=1 cycles=40000");
  result = scene_run(s);
  assert_int_equal(result.verdict, RIPSTOP_SATURATED);
  same_reason(&result, "accepted", "");
  same_reason(&result, "network-latency.mean", "");
  same_reason(&result, "latency.p99", "saturated: latency grows with the run");
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_hold_the_truth), cmocka_unit_test(short_runs_near_saturation_have_none),
      cmocka_unit_test(zeros_have_a_bound), cmocka_unit_test(quantiles_that_agree_have_half_a_cycle),
      cmocka_unit_test(runs_say_why_there_is_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
