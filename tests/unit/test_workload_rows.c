/* test_workload_rows.c - rows of numbers: what stands beside them, and that no damaged row is taken for a title. */
#include <string.h>

#include "check.h"
#include "workload/rows.h"

static int read(ripstop_arena *arena, const char *text, rows *out, ripstop_error *err) {
  return rows_from_text(arena, text, strlen(text), out, err);
}

static void rows_have_titles_comments_and_line_ends(void **state) {
  (void)state;
  static const char *const texts[] = {"time,bytes\n1,2\n3,4\n", "\xef\xbb\xbftime bytes\r\n1 2\r\n3 4",
                                      "# a\n\nTime\n1 2 # b\n\t3,4 \n", "t0,p99 # 1 of 2\n1,2\n3,4\n"};
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rows r;
    ripstop_error err = {0};
    if (read(arena, texts[i], &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.numbers, 4);
    assert_int_equal(r.number[3], 4);
  }
  ripstop_arena_free(arena);
}

/* "O,1" with an O for the zero was a title, and its message was lost. */
static void a_damaged_row_is_no_title(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {{"time,bytes\n0,1\nO,1\n", "line 3: a whole number below 2^63 should stand here: 'O,1'"},
               {"O,0,1,64000\n10,1,0,64\n", "line 1: a whole number below 2^63 should stand here: 'O,0,1,64000'"},
               {"O 5\n", "line 1: a whole number below 2^63 should stand here: 'O 5'"},
               {"\n# a\nO,\t5\n", "line 3: a whole number below 2^63 should stand here: 'O,?5'"},
               {"0,1\ntime,bytes\n", "line 2: a whole number below 2^63 should stand here: 'time,bytes'"},
               {"Nodes 8\nTiers 2\n", "line 1: a whole number below 2^63 should stand here: 'Nodes 8'"},
               {"time,bytes\nTime\n", "line 2: a whole number below 2^63 should stand here: 'Time'"},
               {"0 -1\n", "line 1: a whole number"},
               {"{\n", "line 1: a whole number"}};
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rows r;
    ripstop_error err = {0};
    if (!read(arena, cases[i].text, &r, &err)) fail_msg("accepted: %s", cases[i].text);
    if (!strstr(err.text, cases[i].message)) fail_msg("'%s' does not contain '%s'", err.text, cases[i].message);
  }
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_have_titles_comments_and_line_ends),
      cmocka_unit_test(a_damaged_row_is_no_title),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
