/* test_cli_words.c - `ripstop help WORD` knows every value that runs of an experiment can have. */
#include "../../src/cli/words.c"

#include "check.h"

/* Of all kinds of runs, by methods that count, lose and tell all that methods do. */
static const char *const files[] = {
    "fabric: torus:4x4\nmethod: [immunet, minimal-adaptive, dor, mend]\ntraffic: {load: 0.2, classes: 0.5/0.5}\n",
    "fabric: kary-ntree:k=4,n=2\nmethod: [link-fault-messages, misroute, uturn, updown]\ntraffic: {load: 0.2}\n",
    "fabric: kns:k=4,n=2\nmethod: intermediate-nodes\nprove: {sets: 10}\n",
    "fabric: torus:4x4\nmethod: immunet\nprogram: {kernel: \"fft:points=256\"}\n",
    "fabric: torus:4x4\nmethod: dor\nworkload: {jobs: \"allreduce:bytes=4096 on spread:8 + barrier on spread:4\"}\n",
};

static void every_value_is_told(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(files); i++) {
    ripstop_error err = {0};
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", files[i], strlen(files[i]), NULL, &err);
    if (!spec) fail_msg("%s", err.text);
    for (const char *const *word = ripstop_spec_values(spec, arena); *word; word++)
      if (!cli_tell_word(*word)) fail_msg("'%s' is not told", *word);
    ripstop_spec_free(spec);
    ripstop_arena_free(arena);
  }
}

static void other_words_are_not(void **state) {
  (void)state;
  static const char *const unknown[] = {"job.1.nothing", "job..cycles", "job.1", "control.nothing", "message.nothing"};
  for (size_t i = 0; i < COUNT(unknown); i++) assert_false(cli_tell_word(unknown[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_is_told), cmocka_unit_test(other_words_are_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
