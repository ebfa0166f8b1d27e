/* test_base_options.c - options are data: defaults, values, ranges, and errors that name the nearest word. */
#include "check.h"
#include "ripstop/plugin/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  int64_t ports;
  double load;
  bool vector;
  int32_t rule;
  const char *path;
} settings;

static const char *const rules[] = {"first", "random", "rotate", NULL};
static const ripstop_option options[] = {
    {"path", RIPSTOP_OPTION_TEXT, offsetof(settings, path), .positional = true, .help = "where it is"},
    {"ports", RIPSTOP_OPTION_INTEGER, offsetof(settings, ports), .min = -3, .max = 64, .fallback = "4",
     .help = "ports"},
    {"load", RIPSTOP_OPTION_REAL, offsetof(settings, load), .min = 0, .max = INFINITY, .fallback = "0.1",
     .help = "flits"},
    {"vector", RIPSTOP_OPTION_FLAG, offsetof(settings, vector), .fallback = "on", .help = "whether"},
    {"rule", RIPSTOP_OPTION_WORD, offsetof(settings, rule), .words = rules, .fallback = "random", .help = "which"},
    {0}};

typedef struct fixture {
  ripstop_arena *arena;
  settings set;
  ripstop_error err;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->arena = ripstop_arena_new();
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  ripstop_arena_free(f->arena);
  free(f);
  return 0;
}

static int parse(fixture *f, const char *text) {
  f->err.text[0] = '\0';
  return ripstop_options_parse(f->arena, "method twist", options, &f->set, text, &f->err);
}

static void fails(fixture *f, const char *text, const char *message) {
  assert_int_equal(parse(f, text), -1);
  assert_string_equal(f->err.text, message);
}

static void prints(const settings *set, const char *expected) {
  ripstop_text out = {0};
  ripstop_options_print(&out, options, set);
  assert_string_equal(out.data, expected);
  ripstop_text_free(&out);
}

static void defaults_fill_what_is_not_given(void **state) {
  fixture *f = *state;
  assert_int_equal(parse(f, "here"), 0);
  assert_string_equal(f->set.path, "here");
  assert_int_equal(f->set.ports, 4);
  assert_true(f->set.load == 0.1 && f->set.vector);
  assert_int_equal(f->set.rule, 1);
  prints(&f->set, "here,ports=4,load=0.1,vector=on,rule=random");
}

static void values_are_read_and_printed_canonically(void **state) {
  fixture *f = *state;
  assert_int_equal(parse(f, "ports=-3,load=1e-1,rule=rotate,path=a b,vector=no"), 0);
  prints(&f->set, "a b,ports=-3,load=0.1,vector=off,rule=rotate");
  assert_int_equal(parse(f, "x,load=0.30000000000000004"), 0);
  prints(&f->set, "x,ports=4,load=0.30000000000000004,vector=on,rule=random");
}

static void printed_text_reads_back(void **state) {
  fixture *f = *state;
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (int i = 0; i < 1000; i++) {
    settings set = {.ports = (int64_t)ripstop_stream_below(&random, 68) - 3,
                    .load = ripstop_stream_unit(&random) * pow(2, ripstop_stream_below(&random, 200)),
                    .vector = ripstop_stream_below(&random, 2),
                    .rule = (int32_t)ripstop_stream_below(&random, 3),
                    .path = "p"};
    ripstop_text text = {0};
    ripstop_options_print(&text, options, &set);
    assert_int_equal(parse(f, text.data), 0);
    assert_true(f->set.ports == set.ports && f->set.load == set.load && f->set.vector == set.vector);
    assert_true(f->set.rule == set.rule);
    ripstop_text_free(&text);
  }
}

static void errors_name_the_owner_and_the_nearest_word(void **state) {
  fixture *f = *state;
  fails(f, "x,prots=3", "method twist: unknown option 'prots'; did you mean 'ports'?");
  fails(f, "x,zzzzzz=3", "method twist: unknown option 'zzzzzz'; known: path, ports, load, vector, rule");
  fails(f, "x,rule=radnom", "method twist: option 'rule': unknown word 'radnom'; did you mean 'random'?");
  fails(f, "x,rule=best", "method twist: option 'rule': unknown word 'best'; known: first, random, rotate");
  fails(f, "x,vector=maybe", "method twist: option 'vector': 'maybe' is neither 'on' nor 'off'");
  fails(f, "x,ports=65", "method twist: option 'ports': 65 is out of range (-3 to 64)");
  fails(f, "x,ports=4x", "method twist: option 'ports': '4x' is not a whole number, -3 to 64");
  fails(f, "x,ports=", "method twist: option 'ports': '' is not a whole number, -3 to 64");
  fails(f, "x,ports=99999999999999999999",
        "method twist: option 'ports': '99999999999999999999' is not a whole number, -3 to 64");
  fails(f, "x,load=-0.5", "method twist: option 'load': -0.5 is out of range (0 or more)");
  fails(f, "x,load=inf", "method twist: option 'load': 'inf' is not a number");
  fails(f, "x,load=1e999", "method twist: option 'load': 1e999 is too large");
  fails(f, "x,y", "method twist: option 'path' is given twice");
  fails(f, "x,ports=1,ports=1", "method twist: option 'ports' is given twice");
  fails(f, "x,,ports=1", "method twist: an option is missing between commas");
  fails(f, "ports=1", "method twist: option 'path' must be given");
  fails(f, NULL, "method twist: option 'path' must be given");
}

static void options_without_positional_need_names(void **state) {
  fixture *f = *state;
  const ripstop_option *named = options + 1;
  assert_int_equal(ripstop_options_parse(f->arena, "fabric x", named, &f->set, "ports", &f->err), -1);
  assert_string_equal(f->err.text, "fabric x: option 'ports' needs a value, 'ports=...'");
  assert_int_equal(ripstop_options_parse(f->arena, "fabric x", named, &f->set, "port", &f->err), -1);
  assert_string_equal(f->err.text, "fabric x: unknown option 'port'; did you mean 'ports'?");
  assert_int_equal(ripstop_options_parse(f->arena, "method y", named + 4, &f->set, "ports=1", &f->err), -1);
  assert_string_equal(f->err.text, "method y: takes no options, and 'ports' is none");
}

static void a_failed_set_changes_nothing(void **state) {
  fixture *f = *state;
  assert_int_equal(parse(f, "x,ports=7"), 0);
  assert_int_equal(ripstop_options_set(f->arena, "o", options, &f->set, "ports", "700", &f->err), -1);
  assert_int_equal(f->set.ports, 7);
}

static void help_shows_every_option(void **state) {
  (void)state;
  char shown[1024] = "";
  FILE *file = tmpfile();
  assert_non_null(file);
  ripstop_options_help(file, options);
  rewind(file);
  size_t length = fread(shown, 1, sizeof shown - 1, file);
  shown[length] = '\0';
  fclose(file);
  assert_string_equal(shown, "  path=(text), required, the name may be left out\n      where it is\n"
                             "  ports=(whole number -3 to 64), default 4\n      ports\n"
                             "  load=(number 0 or more), default 0.1\n      flits\n"
                             "  vector=(on|off), default on\n      whether\n"
                             "  rule=(first|random|rotate), default random\n      which\n");
}

/* An option added later does not change the texts of runs that leave it at its default. */
static void later_options_are_reported_when_used(void **state) {
  fixture *f = *state;
  static const ripstop_option some[] = {
      {"ports", RIPSTOP_OPTION_INTEGER, offsetof(settings, ports), .min = 0, .max = 9, .fallback = "4", .later = true},
      {"vector", RIPSTOP_OPTION_FLAG, offsetof(settings, vector), .fallback = "on"},
      {"rule", RIPSTOP_OPTION_WORD, offsetof(settings, rule), .words = rules, .fallback = "random", .later = true},
      {0}};
  static const char *const text[][2] = {{"", "vector=on"},
                                        {"rule=random,ports=4", "vector=on"},
                                        {"rule=first", "vector=on,rule=first"},
                                        {"ports=0,vector=off", "ports=0,vector=off"}};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    ripstop_text out = {0};
    assert_int_equal(ripstop_options_parse(f->arena, "some", some, &f->set, text[i][0], &f->err), 0);
    ripstop_options_print(&out, some, &f->set);
    assert_string_equal(out.data, text[i][1]);
    ripstop_text_free(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(defaults_fill_what_is_not_given, setup, teardown),
      cmocka_unit_test_setup_teardown(values_are_read_and_printed_canonically, setup, teardown),
      cmocka_unit_test_setup_teardown(printed_text_reads_back, setup, teardown),
      cmocka_unit_test_setup_teardown(errors_name_the_owner_and_the_nearest_word, setup, teardown),
      cmocka_unit_test_setup_teardown(options_without_positional_need_names, setup, teardown),
      cmocka_unit_test_setup_teardown(a_failed_set_changes_nothing, setup, teardown),
      cmocka_unit_test(help_shows_every_option),
      cmocka_unit_test_setup_teardown(later_options_are_reported_when_used, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
