/* opened.h - what tests open by its text; what does not open fails the test with what the opening says. */
#ifndef RIPSTOP_TESTS_OPENED_H
#define RIPSTOP_TESTS_OPENED_H

#include <string.h>

#include "check.h"
#include "ripstop/fabric.h"
#include "ripstop/kit/experiment.h"

/* ------------------------------------------------------------------ fabrics */

static inline ripstop_fabric *open_fabric(const char *spec) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (!fabric) fail_msg("%s: %s", spec, err.text);
  return fabric;
}

/* ------------------------------------------------------------------ experiments */

static inline ripstop_runs *open_variant(const char *text, const ripstop_variant *variant) {
  ripstop_error err = {0};
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), variant, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) fail_msg("%s", err.text);
  return runs;
}

static inline ripstop_runs *open_runs(const char *text) { return open_variant(text, NULL); }

/* With the experiment that they are of. */
static inline void close_runs(ripstop_runs *runs) {
  ripstop_spec *spec = (ripstop_spec *)runs->spec;
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

/* For use as the teardown of a group of tests. */
static inline int close_group(void **state) {
  close_runs(*state);
  return 0;
}

enum { SMALL_RUNS = 48 };

/* For use as the setup of a group of tests: runs of all sorts, each of which takes milliseconds. */
static inline int open_small(void **state) {
  ripstop_runs *runs = open_runs("fabric: kary-ntree:k=2,n=2\n"
                                 "method: [updown, misroute]\n"
                                 "faults: {count: [0, 1, 2], samples: 4}\n"
                                 "traffic: {load: [0.2, 0.9], packet: 4}\n"
                                 "measure: {warmup: 100, cycles: 400, batches: 20, window: 100}\n");
  assert_int_equal(runs->count, SMALL_RUNS);
  *state = runs;
  return 0;
}

/* All of them in their order, as [runs->count]. */
static inline void list_runs(const ripstop_runs *runs, const ripstop_run **list) {
  for (size_t i = 0; i < runs->count; i++) list[i] = &runs->run[i];
}

/* ------------------------------------------------------------------ outcomes */

static inline const ripstop_value *value_of(const ripstop_outcome *o, const char *name) {
  for (size_t i = 0; i < o->values; i++)
    if (!strcmp(o->value[i].name, name)) return &o->value[i];
  fail_msg("there is no value %s; %s", name, o->reason ? o->reason : "");
  return NULL;
}

#endif
