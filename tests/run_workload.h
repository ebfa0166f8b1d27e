/* run_workload.h - workloads that tests play: everything that a run stands on, by short texts. */
#ifndef RIPSTOP_TESTS_RUN_WORKLOAD_H
#define RIPSTOP_TESTS_RUN_WORKLOAD_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "ripstop/kit/workload.h"
#include "simulate/run_result.h"
#include "stand.h"
#include "workload/workload_run.h"

/* A workload's run. */
typedef struct setting {
  const char *fabric, *method, *jobs, *options; /* options of the workload */
  const char *faults;                           /* a schedule */
  uint64_t seed;
  uint32_t threads;
  int64_t in_queue;
} setting;

/* Settings that few tests change; NULL or zeros: the default. */
typedef struct extra {
  const char *arbiter;
  const char *switch_; /* "queues=output,in_queue=unlimited"; in_queue is the setting's unless it is here */
  ripstop_reconfiguration_config reconfiguration;
} extra;

static inline void set_switch(ripstop_arena *arena, const char *text, ripstop_switch_config *out) {
  char pair[128], *value;
  ripstop_error err;
  for (; text && *text; text += *text == ',') {
    const size_t length = strcspn(text, ",");
    snprintf(pair, sizeof pair, "%.*s", (int)length, text);
    text += length;
    value = strchr(pair, '=');
    assert_non_null(value);
    *value++ = '\0';
    if (ripstop_options_set(arena, "switch", ripstop_switch_options, out, pair, value, &err)) fail_msg("%s", err.text);
  }
}

static inline ripstop_run_result play_with(const setting *s, const extra *more) {
  ripstop_error err;
  ripstop_run_result result;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_workload_run run = {.simulation = {.seed = s->seed, .threads = s->threads}};
  const char *options = ripstop_arena_printf(arena, "jobs=x,%s", s->options);
  ripstop_options_defaults(arena, ripstop_switch_options, &run.simulation.switch_);
  ripstop_options_defaults(arena, ripstop_measure_options, &run.simulation.measure);
  if (ripstop_options_parse(arena, "workload", ripstop_workload_options, &run.config, options, &err))
    fail_msg("%s", err.text);
  run.simulation.switch_.in_queue = s->in_queue;
  set_switch(arena, more->switch_, &run.simulation.switch_);
  if (more->arbiter) run.simulation.switch_.arbiter = more->arbiter;
  run.simulation.reconfiguration = more->reconfiguration;
  run.config.jobs = s->jobs;
  ripstop_fabric *fabric = open_fabric(s->fabric);
  ripstop_names *names = ripstop_names_new(fabric);
  ripstop_schedule schedule;
  const char *faults = s->faults ? s->faults : "";
  if (ripstop_schedule_parse(arena, names, faults, strlen(faults), &schedule, &err)) fail_msg("%s", err.text);
  run.simulation.schedule = &schedule;
  stand run_setup = stand_on(fabric, s->method, NULL);
  if (ripstop_workload_agent(run_setup.plan, &run, &result, &err))
    fail_msg("%s, %s, %s: %s", s->jobs, s->options, faults, err.text);
  stand_close(&run_setup);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  return result;
}

static inline ripstop_run_result play(const setting *s) { return play_with(s, &(extra){.arbiter = NULL}); }

static inline ripstop_run_result play_by(const setting *s, const char *arbiter) {
  return play_with(s, &(extra){.arbiter = arbiter});
}

static inline ripstop_run_result play_reacting(const setting *s,
                                               const ripstop_reconfiguration_config *reconfiguration) {
  return play_with(s, &(extra){.reconfiguration = *reconfiguration});
}

static inline double the_value(const ripstop_run_result *r, const char *name) {
  const double value = ripstop_run_result_value(r, name);
  if (isnan(value)) fail_msg("no value %s", name);
  return value;
}

static inline bool rows_are_equal(const ripstop_run_result *a, const ripstop_run_result *b) {
  bool equal = a->values == b->values;
  for (size_t i = 0; equal && i < a->values; i++)
    equal = !memcmp(&a->value[i].value, &b->value[i].value, sizeof a->value[i].value);
  return equal;
}

#endif
