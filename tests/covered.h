/* covered.h - how often intervals of one run hold the truth: runs of two fabrics below, near and above saturation, for
 * the test of intervals (tests/unit/test_simulate_intervals.c) and the record (tests/bench/coverage.c). */
#ifndef RIPSTOP_TESTS_COVERED_H
#define RIPSTOP_TESTS_COVERED_H

#include <math.h>

#include "scene.h"
#include "simulate/run_result.h"

enum { COVERED_LOADS = 5, COVERED_VALUES = 5, COVERED_WARMUP = 3000 };

typedef struct covered_fabric {
  const char *fabric, *method;
  double load[COVERED_LOADS]; /* flits per end node and cycle; the fourth is about where it saturates */
} covered_fabric;

static const covered_fabric covered_fabrics[] = {
    {"kary-ntree:k=4,n=3", "misroute", {0.3, 0.5, 0.55, 0.6, 0.7}},
    {"torus:8x8", "dor:bubble=on", {0.2, 0.4, 0.5, 0.55, 0.7}},
};
enum { COVERED_FABRICS = sizeof covered_fabrics / sizeof *covered_fabrics };

static const char *const covered_values[COVERED_VALUES] = {"accepted", "network-latency.mean", "latency.mean",
                                                           "latency.p50", "latency.p99"};

/* One value of a run, and half the width of its interval. */
typedef struct covered_value {
  double value, half;
} covered_value;

static inline void covered_run(size_t fabric, size_t load, int64_t cycles, uint64_t seed,
                               covered_value out[COVERED_VALUES]) {
  const covered_fabric *f = &covered_fabrics[fabric];
  scene *s = scene_open(f->fabric, f->method, "");
  ripstop_run_result result;
  ripstop_error err;
  s->sim.traffic.load = f->load[load];
  s->sim.measure.warmup = "3000";
  s->sim.measure.cycles = cycles;
  s->sim.seed = seed;
  s->sim.on_delivery = NULL;
  if (scene_simulate(s, &result, &err)) fail_msg("%s", err.text);
  for (size_t v = 0; v < COVERED_VALUES; v++)
    for (size_t i = 0; i < result.values; i++)
      if (!strcmp(result.value[i].name, covered_values[v]))
        out[v] = (covered_value){result.value[i].value, result.value[i].half};
  ripstop_run_result_free(&result);
  scene_close(s);
}

#endif
