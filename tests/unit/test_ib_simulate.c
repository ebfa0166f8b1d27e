/* test_ib_simulate.c - a real fabric under a simulation: a cable below the usual speed holds packets up just as a slow
 * link of a fault set does, and ports without a cable change nothing. */
#include <stdio.h>
#include <unistd.h>

#include "scene.h"

static const char example[] = RIPSTOP_SOURCE_DIR "/examples/operators/monday.txt";
static const char options[] = "load=0.4 packet=8 pattern=uniform cycles=3000";

/* The example with its 1X cable at full width, in a file of this test's own. */
static void write_repaired(const char *path) {
  char line[1000];
  FILE *from = fopen(example, "r"), *to = fopen(path, "w");
  if (from == NULL || to == NULL) fail_msg("%s or %s cannot be opened", example, path);
  while (fgets(line, sizeof line, from) != NULL) {
    char *slow = strstr(line, " 1xEDR");
    if (slow != NULL) slow[1] = '4';
    fputs(line, to);
  }
  fclose(from);
  fclose(to);
}

static bool same_deliveries(const scene *a, const scene *b) {
  bool same = a->deliveries == b->deliveries;
  for (size_t i = 0; same && i < a->deliveries; i++)
    same = a->delivered[i].packet == b->delivered[i].packet && a->delivered[i].at == b->delivered[i].at;
  return same;
}

static void slow_cables_are_simulated_at_their_rate(void **state) {
  (void)state;
  char path[] = "repaired-XXXXXX";
  int file = mkstemp(path);
  if (file < 0) fail_msg("no file");
  close(file);
  write_repaired(path);
  char spec[64];
  snprintf(spec, sizeof spec, "ib:%s", path);
  scene *slow = scene_open(example, "valiant", options), *fast = scene_open(spec, "valiant", options);
  ripstop_run_result of_slow = scene_run(slow), of_fast = scene_run(fast);
  assert_true(of_slow.account.delivered > 1000);
  assert_false(same_deliveries(slow, fast));
  ripstop_run_result_free(&of_fast);
  scene_break(fast, "\"leaf-03\"/P33~0.25");
  of_fast = scene_run(fast);
  assert_true(same_deliveries(slow, fast));
  ripstop_run_result_free(&of_fast);
  ripstop_run_result_free(&of_slow);
  scene_close(slow);
  scene_close(fast);
  unlink(path);
}

static void cables_die_and_return_by_name(void **state) {
  (void)state;
  scene *s = scene_open(example, "valiant", options);
  scene_schedule(s, "\"leaf-01\"/P29@500 \"leaf-01\"/P29+@1500 switch:spine-2@700");
  ripstop_run_result result = scene_run(s);
  assert_true(result.account.delivered > 1000);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slow_cables_are_simulated_at_their_rate),
      cmocka_unit_test(cables_die_and_return_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
