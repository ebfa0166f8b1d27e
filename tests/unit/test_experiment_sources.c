/* test_experiment_sources.c - a run is another when the source of a plug-in that it uses is, and the same whatever
 * happens to the others. The table of sources here stands in the place of the library's. */
#include <string.h>

#include "base/sources.h"
#include "check.h"
#include "opened.h"
#include "ripstop/kit/experiment.h"
#include "run_texts.h"

enum { FAMILY, UPDOWN, MISROUTE, PROCESS, PATTERN, ARBITER, SELECTION, KERNEL, UNUSED, PARTS };
static char hash[PARTS][17];

const ripstop_source ripstop_sources[] = {
    {"family", "kary-ntree", hash[FAMILY]},  {"method", "updown", hash[UPDOWN]},
    {"method", "misroute", hash[MISROUTE]},  {"process", "flap", hash[PROCESS]},
    {"pattern", "uniform", hash[PATTERN]},   {"arbiter", "weighted", hash[ARBITER]},
    {"selection", "space", hash[SELECTION]}, {"kernel", "fft", hash[KERNEL]},
    {"family", "updown", hash[UNUSED]},      {0}};

static void write_sources(int edited) {
  for (int i = 0; i < PARTS; i++) snprintf(hash[i], sizeof hash[i], "%015d%d", i, i == edited);
}

/* Counts the runs that have another name when this source was edited. */
static size_t renamed(const char *text, int edited) {
  write_sources(-1);
  ripstop_runs *before = open_runs(text);
  write_sources(edited);
  ripstop_runs *after = open_runs(text);
  size_t count = 0;
  for (size_t i = 0; i < before->count; i++) count += strcmp(before->run[i].id, after->run[i].id) != 0;
  close_runs(before);
  close_runs(after);
  return count;
}

static const char simulated[] =
    "fabric: kary-ntree:k=4,n=2\nmethod: [updown, misroute]\n"
    "faults: {schedule: ['', 'flap:count=1,up=100,down=100,until=900']}\n"
    "switch: {arbiter: [round-robin, 'weighted:shares=2']}\ntraffic: {load: [0.1, 0.2]}\nmeasure: {cycles: 1000}\n";

/* For each source, `want` gives the number of runs that get another name. */
static void check_renamed(const char *text, const size_t want[PARTS]) {
  assert_int_equal(renamed(text, -1), 0);
  for (int part = 0; part < PARTS; part++) assert_int_equal(renamed(text, part), want[part]);
}

static void runs_follow_the_sources_that_they_use(void **state) {
  (void)state;
  check_renamed(
      simulated,
      (const size_t[PARTS]){
          [FAMILY] = 16, [UPDOWN] = 8, [MISROUTE] = 8, [PROCESS] = 8, [PATTERN] = 16, [ARBITER] = 8, [SELECTION] = 16});
}

static void programs_and_proofs_do_too(void **state) {
  (void)state;
  check_renamed("fabric: kary-ntree:k=4,n=2\nmethod: updown\nprogram: {kernel: fft}\n",
                (const size_t[PARTS]){[FAMILY] = 1, [UPDOWN] = 1, [SELECTION] = 1, [KERNEL] = 1});
  check_renamed("fabric: kary-ntree:k=4,n=2\nmethod: updown\nfaults: {count: 1}\nprove: {sets: 10}\n",
                (const size_t[PARTS]){[FAMILY] = 1, [UPDOWN] = 1});
}

/* Between two kinds of plug-ins hashes are not taken for each other; round-robin is not in the table. */
static void what_is_not_in_the_table_is_unknown(void **state) {
  (void)state;
  assert_string_equal(ripstop_source_hash("arbiter", "round-robin"), "unknown");
  assert_string_equal(ripstop_source_hash("method", "up"), "unknown");
  assert_string_equal(ripstop_source_hash("method", "kary-ntree"), "unknown");
  assert_ptr_equal(ripstop_source_hash("method", "misroute:vector=on"), hash[MISROUTE]);
}

/* The line is in the settings of the stored run, and is no key for figures. */
static void the_source_is_reported(void **state) {
  (void)state;
  write_sources(-1);
  ripstop_runs *runs = open_runs(simulated);
  for (size_t i = 0; i < runs->count; i++) {
    const char *line = strstr(canonical_of(&runs->run[i]), "\nsource=");
    assert_non_null(line);
    assert_int_equal(strcspn(line + strlen("\nsource="), "\n"), 16);
    assert_null(ripstop_run_key(&runs->run[i], "source"));
  }
  close_runs(runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_follow_the_sources_that_they_use),
      cmocka_unit_test(programs_and_proofs_do_too),
      cmocka_unit_test(what_is_not_in_the_table_is_unknown),
      cmocka_unit_test(the_source_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
