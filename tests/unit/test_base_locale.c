/* test_base_locale.c - in a program whose locale has a decimal comma the library reads and writes points, and the
 * program keeps its comma. The locale is made here, so that none need be installed. */
#include "base/locale.h"
#include "check.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  double load;
} settings;

static const ripstop_option options[] = {{"load", RIPSTOP_OPTION_REAL, offsetof(settings, load), .min = 0.25,
                                          .max = 2.5, .fallback = "0.5", .help = "flits"},
                                         {0}};

static const char make_locale[] = "printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\n"
                                  "END LC_NUMERIC\\n' >\"$LOCPATH/source\" && "
                                  "{ localedef -c -i \"$LOCPATH/source\" \"$LOCPATH/comma\" >\"$LOCPATH/log\" 2>&1 || "
                                  "[ -f \"$LOCPATH/comma/LC_NUMERIC\" ] || { cat \"$LOCPATH/log\"; exit 1; }; }";

static int use_a_comma(void **state) {
  static char folder[] = "/tmp/test_base_locale.XXXXXX";
  *state = folder;
  if (!mkdtemp(folder) || setenv("LOCPATH", folder, 1) || system(make_locale)) return -1;
  return setlocale(LC_NUMERIC, "comma") ? 0 : -1;
}

static int clean_up(void **state) {
  (void)state;
  setlocale(LC_ALL, "C");
  return system("rm -r \"$LOCPATH\"");
}

static void the_program_has_its_comma(void) {
  char text[8];
  snprintf(text, sizeof text, "%.1f", 1.5);
  assert_string_equal(text, "1,5");
  assert_true(strtod("1,5", NULL) == 1.5);
}

static void reals_are_read_with_points(void **state) {
  (void)state;
  ripstop_error err;
  double value = 0;
  assert_int_equal(ripstop_parse_real("1.5", &value, &err), 0);
  assert_true(value == 1.5);
  assert_int_equal(ripstop_parse_real("1,5", &value, &err), -1);
  the_program_has_its_comma();
}

static void reals_are_written_with_points(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_text text = {0};
  ripstop_error err;
  settings set;
  ripstop_text_add(&text, "%.2f", 0.75);
  assert_string_equal(text.data, "0.75");
  assert_string_equal(ripstop_arena_printf(arena, "%g", 0.75), "0.75");
  ripstop_fail(&err, "%g", 0.75);
  ripstop_fail_at(&err, "%g", 1.25);
  assert_string_equal(err.text, "1.25: 0.75");
  ripstop_text_free(&text);
  assert_int_equal(ripstop_options_parse(arena, "test", options, &set, "load=1.1", &err), 0);
  ripstop_options_print(&text, options, &set);
  assert_string_equal(text.data, "load=1.1");
  assert_int_equal(ripstop_options_parse(arena, "test", options, &set, "load=3.5", &err), -1);
  assert_non_null(strstr(err.text, "(0.25 to 2.5)"));
  ripstop_text_free(&text);
  ripstop_arena_free(arena);
  the_program_has_its_comma();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reals_are_read_with_points),
                                     cmocka_unit_test(reals_are_written_with_points)};
  return RUN_GROUP(tests, use_a_comma, clean_up);
}
