/* test_base_piece.c - lines, words and numbers, taken from a piece of a text. */
#include "base/piece.h"
#include "check.h"

static void lines_end_at_a_line_end_or_at_the_end(void **state) {
  (void)state;
  piece text = piece_of_file("\xef\xbb\xbf"
                             "one\n\ntwo",
                             11),
        line;
  assert_true(piece_next_line(&text, &line));
  assert_true(piece_is(line, "one"));
  assert_true(piece_next_line(&text, &line));
  assert_int_equal(piece_length(line), 0);
  assert_true(piece_next_line(&text, &line));
  assert_true(piece_is(line, "two") && line.end == text.end);
  assert_false(piece_next_line(&text, &line));
  text = piece_of("one\n");
  assert_true(piece_next_line(&text, &line) && line.end != text.end);
  assert_false(piece_next_line(&text, &line));
}

static void words_stand_between_blanks(void **state) {
  (void)state;
  piece p = piece_of(" \ta bc\r");
  assert_true(piece_is(piece_next_word(&p), "a"));
  assert_false(piece_take_word(&p, "bd"));
  assert_true(piece_take_word(&p, "b"));
  assert_true(piece_is(piece_next_word(&p), "c"));
  assert_int_equal(piece_length(piece_next_word(&p)), 0);
  assert_true(piece_is(piece_trimmed(piece_of(" a b \r")), "a b"));
  assert_string_equal(piece_find(piece_of("a ==( b"), "==("), "==( b");
  assert_null(piece_find(piece_of("=="), "==("));
}

static void numbers_fit_or_are_refused(void **state) {
  (void)state;
  piece p = piece_of("18446744073709551600 ");
  uint64_t number;
  uint32_t count;
  assert_true(piece_number(&p, 10, &number) && number == UINT64_MAX - 15 && *p.at == ' ');
  p = piece_of("18446744073709551616");
  assert_false(piece_number(&p, 10, &number));
  p = piece_of("fFx");
  assert_true(piece_number(&p, 16, &number) && number == 255 && *p.at == 'x');
  p = piece_of("x");
  assert_false(piece_number(&p, 16, &number) || piece_count(&p, 9, &count));
  p = piece_of("99999999999999999999");
  assert_true(piece_count(&p, 7, &count) && count == 8 && p.at == p.end);
  assert_true(piece_is_count(piece_of("07"), 7, &count) && count == 7);
  assert_false(piece_is_count(piece_of("8"), 7, &count) || piece_is_count(piece_of("7x"), 7, &count) ||
               piece_is_count(piece_of(""), 7, &count));
  assert_true(piece_is_number(piece_of("0123")));
  assert_false(piece_is_number(piece_of("1.5")) || piece_is_number(piece_of("")));
}

static void copies_are_whole(void **state) {
  (void)state;
  char text[4];
  const char zero[] = {'a', '\0', 'b'};
  assert_true(piece_copy(piece_of("abc"), text, sizeof text));
  assert_string_equal(text, "abc");
  assert_false(piece_copy(piece_of("abcd"), text, sizeof text));
  assert_false(piece_copy((piece){zero, zero + sizeof zero}, text, sizeof text));
}

static void rates_have_three_digits(void **state) {
  (void)state;
  uint32_t rate;
  assert_true(piece_thousandths(piece_of("0.25"), &rate) && rate == 250);
  assert_true(piece_thousandths(piece_of("1"), &rate) && rate == 1000);
  assert_true(piece_thousandths(piece_of("-1"), &rate) && rate == 0);
  assert_false(piece_thousandths(piece_of("0.2505"), &rate) || piece_thousandths(piece_of("half"), &rate));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_end_at_a_line_end_or_at_the_end),
      cmocka_unit_test(words_stand_between_blanks),
      cmocka_unit_test(numbers_fit_or_are_refused),
      cmocka_unit_test(copies_are_whole),
      cmocka_unit_test(rates_have_three_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
