/* test_cli_words.c - `ripstop help WORD` knows every value that runs of an experiment can have. */
#include "../../src/cli/help_words.c"

#include "check.h"
#include "experiment/inner_runs.h"

/* The runs have every kind, and their methods together report every count and every cause of loss. */
static const char *const files[] = {
    "fabric: torus:4x4\nmethod: [immunet, minimal-adaptive, dor, mend]\ntraffic: {load: 0.2, classes: 0.5/0.5}\n",
    "fabric: kary-ntree:k=4,n=2\nmethod: [link-fault-messages, misroute, uturn, updown]\ntraffic: {load: 0.2}\n",
    "fabric: kns:k=4,n=2\nmethod: intermediate-nodes\nprove: {sets: 10}\n",
    "fabric: torus:4x4\nmethod: immunet\nprogram: {kernel: \"fft:points=256\"}\n",
    "fabric: torus:4x4\nmethod: dor\nworkload: {jobs: \"allreduce:bytes=4096 on spread:8 + barrier on spread:4\"}\n",
};

static void every_value_is_reported(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(files); i++) {
    ripstop_error err = {0};
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", files[i], strlen(files[i]), NULL, &err);
    if (!spec) fail_msg("%s", err.text);
    for (const char *const *word = ripstop_spec_values(spec, arena); *word; word++)
      if (!cli_report_word(*word)) fail_msg("'%s' is not documented", *word);
    ripstop_spec_free(spec);
    ripstop_arena_free(arena);
  }
}

/* Every word that help lists for an option, and every name that it lists for a text. */
static bool values_are_reported(void *context, const entry *e) {
  (void)context;
  for (const ripstop_option *o = e->options; o && o->name; o++)
    for (const char *const *w = o->words; o->type == RIPSTOP_OPTION_WORD && *w; w++)
      if (!cli_report_word(*w)) fail_msg("'%s' of %s.%s is not documented", *w, e->name, o->name);
  return false;
}

static void every_value_of_an_option_is_reported(void **state) {
  (void)state;
  each_entry(values_are_reported, NULL);
  for (size_t i = 0; ripstop_selections[i]; i++) assert_true(cli_report_word(ripstop_selections[i]->name));
  const ripstop_fault_scope *const scopes[] = {RIPSTOP_FAULTS_SWITCH_LINKS, RIPSTOP_FAULTS_ALL_LINKS,
                                               RIPSTOP_FAULTS_SWITCHES};
  for (size_t i = 0; i < COUNT(scopes); i++) assert_true(cli_report_word(ripstop_scope_name(scopes[i])));
  assert_true(cli_report_word("saturation"));
  for (size_t i = 0; ripstop_switches[i]; i++) assert_true(cli_report_word(ripstop_switches[i]->name));
  for (size_t i = 0; ripstop_arbiters[i]; i++) assert_true(cli_report_word(ripstop_arbiters[i]->name));
}

static void other_words_are_not(void **state) {
  (void)state;
  static const char *const unknown[] = {"job.1.nothing", "job..cycles", "job.1", "control.nothing", "message.nothing"};
  for (size_t i = 0; i < COUNT(unknown); i++) assert_false(cli_report_word(unknown[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_is_reported),
                                     cmocka_unit_test(every_value_of_an_option_is_reported),
                                     cmocka_unit_test(other_words_are_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
