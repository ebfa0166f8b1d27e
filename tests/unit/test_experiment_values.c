/* test_experiment_values.c - every value that runs of all kinds have is one of those that figures may use. */
#include <string.h>

#include "check.h"
#include "experiment/inner_runs.h"
#include "ripstop/kit/experiment.h"

static const char *const files[] = {
    "fabric: kary-ntree:k=4,n=2\nmethod: [updown, misroute]\ntraffic: {load: 0.3}\n"
    "faults: {count: [0, 3], keep: connected}\nmeasure: {warmup: 50, cycles: 400, affected: on}\n",
    "fabric: kary-ntree:k=4,n=2\nmethod: uturn\ntraffic: {load: 0.2, classes: 0.5/0.5}\n"
    "faults: {schedule: [\"\", \"0/0/5@100\"]}\nmeasure: {warmup: 50, cycles: 400}\n"
    "reaction: {model: [dynamic, static]}\n",
    "fabric: mport-ntree:m=4,n=3\nmethod: link-fault-messages\ntraffic: {load: 0.2}\n"
    "faults: {schedule: \"random:2,from=100,every=50\"}\nmeasure: {cycles: 400}\n",
    "fabric: torus:4x4\nmethod: [immunet, minimal-adaptive, dor]\ntraffic: {load: 0.2}\n"
    "faults: {schedule: \"switch:1.1@100\"}\nmeasure: {warmup: 50, cycles: 400}\n",
    "fabric: kns:k=4,n=2\nmethod: intermediate-nodes\ntraffic: {load: 0.2}\nfaults: {count: 1}\n"
    "measure: {warmup: 50, cycles: 400}\n",
    "fabric: torus:4x4\nmethod: dor\ntraffic: {load: 0.2, classes: 0.5/0.5}\n"
    "measure: {warmup: 50, cycles: 400, spread: on, affected: on}\n",
    "fabric: torus:4x4\nmethod: immunet\nprogram: {kernel: \"fft:points=256\", faults: [0, 1]}\n",
    "fabric: kary-ntree:k=2,n=3\nmethod: [misroute, link-fault-messages]\nfaults: {count: 2}\nprove: {sets: 10}\n",
    "fabric: kary-ntree:k=2,n=2\nmethod: misroute\nprove: {tables: on}\n",
    "fabric: torus:4x4\nmethod: [immunet, \"immunet:control_path=safe,control_cycles=40\"]\n"
    "traffic: {load: 0.2}\nfaults: {schedule: \"random:1,from=1000\"}\n"
    "measure: {warmup: 0, cycles: 2000, window: 100}\n",
};

static bool is_known(const char *const *known, const char *name) {
  while (*known && strcmp(*known, name) != 0) known++;
  return *known != NULL;
}

static void every_value_is_known(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    ripstop_error err = {0};
    ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", files[i], strlen(files[i]), NULL, &err);
    ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
    if (!runs) fail_msg("%s", err.text);
    const char *const *known = ripstop_spec_values(spec, runs->arena);
    size_t seen = 0;
    for (size_t r = 0; r < runs->count; r++) {
      ripstop_outcome outcome;
      assert_int_equal(ripstop_run_execute(&runs->run[r], NULL, &outcome), 0);
      for (size_t v = 0; v < outcome.values; v++, seen++)
        if (!is_known(known, outcome.value[v].name)) fail_msg("%s: %s", runs->run[r].method, outcome.value[v].name);
      ripstop_outcome_free(&outcome);
    }
    if (!seen) fail_msg("no run of this has a value:\n%s", files[i]);
    ripstop_runs_free(runs);
    ripstop_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_is_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
