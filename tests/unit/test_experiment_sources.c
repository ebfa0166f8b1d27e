/* test_experiment_sources.c - a run is another when the source of a plug-in that it uses is, and the same whatever
 * happens to the others. The table of sources here stands in the place of the library's. */
#include <string.h>

#include "base/sources.h"
#include "check.h"
#include "ripstop/kit/experiment.h"
#include "run_texts.h"

enum { FAMILY, UPDOWN, MISROUTE, PROCESS, PATTERN, ARBITER, CHOICE, KERNEL, UNUSED, PARTS };
static char hash[PARTS][17];

const ripstop_source ripstop_sources[] = {
    {"family", "kary-ntree", hash[FAMILY]}, {"method", "updown", hash[UPDOWN]},
    {"method", "misroute", hash[MISROUTE]}, {"process", "flap", hash[PROCESS]},
    {"pattern", "uniform", hash[PATTERN]},  {"arbiter", "weighted", hash[ARBITER]},
    {"choice", "space", hash[CHOICE]},      {"kernel", "fft", hash[KERNEL]},
    {"family", "updown", hash[UNUSED]},     {0}};

static void write_sources(int edited) {
  for (int i = 0; i < PARTS; i++) snprintf(hash[i], sizeof hash[i], "%015d%d", i, i == edited);
}

static ripstop_runs *expand(ripstop_spec **spec, const char *text) {
  ripstop_error err = {0};
  *spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  ripstop_runs *runs = *spec ? ripstop_expand(*spec, &err) : NULL;
  if (!runs) fail_msg("%s", err.text);
  return runs;
}

/* How many of the runs have another name when this source was edited. */
static size_t renamed(const char *text, int edited) {
  ripstop_spec *spec, *same;
  write_sources(-1);
  ripstop_runs *before = expand(&spec, text);
  write_sources(edited);
  ripstop_runs *after = expand(&same, text);
  size_t count = 0;
  for (size_t i = 0; i < before->count; i++) count += strcmp(before->run[i].id, after->run[i].id) != 0;
  ripstop_runs_free(before), ripstop_runs_free(after);
  ripstop_spec_free(spec), ripstop_spec_free(same);
  return count;
}

static const char simulated[] =
    "fabric: kary-ntree:k=4,n=2\nmethod: [updown, misroute]\n"
    "faults: {schedule: ['', 'flap:count=1,up=100,down=100,until=900']}\n"
    "switch: {arbiter: [round-robin, 'weighted:shares=2']}\ntraffic: {load: [0.1, 0.2]}\nmeasure: {cycles: 1000}\n";

static void runs_follow_the_sources_that_they_use(void **state) {
  (void)state;
  assert_int_equal(renamed(simulated, -1), 0);
  assert_int_equal(renamed(simulated, FAMILY), 16);
  assert_int_equal(renamed(simulated, UPDOWN), 8);
  assert_int_equal(renamed(simulated, MISROUTE), 8);
  assert_int_equal(renamed(simulated, PROCESS), 8);
  assert_int_equal(renamed(simulated, PATTERN), 16);
  assert_int_equal(renamed(simulated, ARBITER), 8);
  assert_int_equal(renamed(simulated, CHOICE), 16);
  assert_int_equal(renamed(simulated, KERNEL), 0);
  assert_int_equal(renamed(simulated, UNUSED), 0);
}

static void programs_and_proofs_do_too(void **state) {
  (void)state;
  static const char program[] = "fabric: kary-ntree:k=4,n=2\nmethod: updown\nprogram: {kernel: fft}\n",
                    proof[] = "fabric: kary-ntree:k=4,n=2\nmethod: updown\nfaults: {count: 1}\nprove: {sets: 10}\n";
  assert_int_equal(renamed(program, KERNEL), 1);
  assert_int_equal(renamed(program, UPDOWN), 1);
  assert_int_equal(renamed(program, MISROUTE), 0);
  assert_int_equal(renamed(proof, UPDOWN), 1);
  assert_int_equal(renamed(proof, FAMILY), 1);
  assert_int_equal(renamed(proof, KERNEL), 0);
}

/* Between two kinds of plug-ins hashes are not taken for each other; round-robin is not in the table. */
static void what_is_not_in_the_table_is_unknown(void **state) {
  (void)state;
  assert_string_equal(ripstop_source_hash("arbiter", "round-robin"), "unknown");
  assert_string_equal(ripstop_source_hash("method", "up"), "unknown");
  assert_string_equal(ripstop_source_hash("method", "kary-ntree"), "unknown");
  assert_ptr_equal(ripstop_source_hash("method", "misroute:vector=on"), hash[MISROUTE]);
}

/* The line is in the settings of the stored run, and no key that experiments could ask for. */
static void the_source_is_told(void **state) {
  (void)state;
  ripstop_spec *spec;
  write_sources(-1);
  ripstop_runs *runs = expand(&spec, simulated);
  for (size_t i = 0; i < runs->count; i++) {
    const char *line = strstr(canonical_of(&runs->run[i]), "\nsource=");
    assert_non_null(line);
    assert_int_equal(strcspn(line + strlen("\nsource="), "\n"), 16);
    assert_null(ripstop_run_key(&runs->run[i], "source"));
  }
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_follow_the_sources_that_they_use),
      cmocka_unit_test(programs_and_proofs_do_too),
      cmocka_unit_test(what_is_not_in_the_table_is_unknown),
      cmocka_unit_test(the_source_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
