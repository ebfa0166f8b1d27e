/* test_base_text.c - errors, arenas, texts, numbers, nearest words, files and bit sets. */
#include "base/bits.h"
#include "check.h"
#include "ripstop/plugin/base.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void errors_are_one_clean_line(void **state) {
  (void)state;
  ripstop_error err;
  assert_int_equal(ripstop_fail(&err, "'%s' is bad", "a\nb\033[2J\x7f"), -1);
  assert_string_equal(err.text, "'a?b?[2J?' is bad");
  assert_int_equal(ripstop_fail_at(&err, "%s:%d", "file", 3), -1);
  assert_string_equal(err.text, "file:3: 'a?b?[2J?' is bad");
  ripstop_fail(&err, "again: %s", err.text);
  assert_string_equal(err.text, "again: file:3: 'a?b?[2J?' is bad");
  char longer[2 * sizeof err.text];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  ripstop_fail(&err, "%s", longer);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

/* Whom to blame: the machine, or what was given. */
static void errors_know_whose_they_are(void **state) {
  (void)state;
  ripstop_error err;
  assert_int_equal(ripstop_fail_system(&err, ENOSPC, "store %s", "x"), -1);
  assert_string_equal(err.text, "store x: No space left on device");
  assert_true(err.machine);
  ripstop_fail_at(&err, "a.yaml");
  assert_string_equal(err.text, "a.yaml: store x: No space left on device");
  assert_true(err.machine);
  ripstop_fail_system(&err, ENOENT, "x");
  assert_string_equal(err.text, "x: No such file or directory");
  assert_false(err.machine);
  ripstop_fail_system(&err, ENOMEM, "x");
  assert_string_equal(err.text, "x: out of memory");
  assert_true(err.machine);
  ripstop_fail(&err, "bad");
  assert_false(err.machine);
  ripstop_fail_system(&err, 0, "x");
  assert_string_equal(err.text, "x: Input/output error");
  assert_true(err.machine);
}

/* One that is small enough to wait in the stream's buffer until it is closed, and one that is not. */
static void files_arrive_or_are_reported(void **state) {
  (void)state;
  for (size_t bytes = 1; bytes < 100000; bytes *= 300) {
    ripstop_error err;
    FILE *file = fopen("/dev/full", "w");
    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++) putc('x', file);
    assert_int_equal(ripstop_close_file(file, "/dev/full", &err), -1);
    assert_string_equal(err.text, "/dev/full: No space left on device");
    assert_true(err.machine);
    file = fopen("/dev/null", "w");
    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++) putc('x', file);
    assert_int_equal(ripstop_close_file(file, "/dev/null", &err), 0);
  }
}

static void arenas_give_zeroed_aligned_memory_apart(void **state) {
  (void)state;
  enum { OBJECTS = 2000 };
  ripstop_arena *arena = ripstop_arena_new();
  unsigned char *object[OBJECTS];
  size_t size[OBJECTS], total = 0;
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (size_t i = 0; i < OBJECTS; i++) {
    size[i] = ripstop_stream_below(&random, i % 50 ? 100 : 20000);
    object[i] = ripstop_arena_array(arena, size[i], 1);
    total += size[i];
    assert_int_equal((uintptr_t)object[i] % alignof(max_align_t), 0);
    for (size_t j = 0; j < size[i]; j++) assert_int_equal(object[i][j], 0);
    memset(object[i], (int)(i % 255) + 1, size[i]);
  }
  for (size_t i = 0; i < OBJECTS; i++)
    for (size_t j = 0; j < size[i]; j++) assert_int_equal(object[i][j], i % 255 + 1);
  assert_true(ripstop_arena_bytes(arena) >= total);
  assert_string_equal(ripstop_arena_text(arena, "cloth"), "cloth");
  assert_string_equal(ripstop_arena_printf(arena, "%d of %s", 3, "them"), "3 of them");
  assert_non_null(ripstop_arena_array(arena, 0, 8));
  ripstop_arena_free(arena);
  ripstop_arena_free(NULL);
}

static void cleared_arenas_give_zeroed_memory_again(void **state) {
  (void)state;
  enum { ROUNDS = 12, LARGE = 4 << 20 };
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_arena_clear(arena);
  for (size_t round = 0; round < ROUNDS; round++) {
    unsigned char *grown = ripstop_arena_realloc(arena, NULL, 10, 1);
    for (size_t i = 0; i < 60; i++) {
      size_t size = 1 + i * i * (round % 5);
      unsigned char *object = ripstop_arena_array(arena, size, 1);
      for (size_t j = 0; j < size; j++) assert_int_equal(object[j], 0);
      memset(object, 0xff, size);
      if (i == 30) grown = ripstop_arena_realloc(arena, grown, 100000, 1);
    }
    if (round == ROUNDS / 2) memset(ripstop_arena_array(arena, LARGE, 1), 0xff, LARGE);
    ripstop_arena_clear(arena);
    assert_true(ripstop_arena_bytes(arena) < LARGE);
  }
  ripstop_arena_free(arena);
}

static void texts_grow(void **state) {
  (void)state;
  ripstop_text text = {0};
  char expected[4000] = "";
  for (int i = 0; i < 500; i++) {
    ripstop_text_add(&text, "%d,", i);
    size_t length = strlen(expected);
    snprintf(expected + length, sizeof expected - length, "%d,", i);
  }
  ripstop_text_add_bytes(&text, "abc", 2);
  ripstop_text_add_bytes(&text, NULL, 0);
  assert_int_equal(text.length, strlen(expected) + 2);
  assert_memory_equal(text.data, expected, strlen(expected));
  assert_string_equal(text.data + strlen(expected), "ab");
  ripstop_text_free(&text);
  assert_null(text.data);
}

static void whole_numbers_are_strict(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "", " 1", "1 ", "-1", "+1", "0x1", "1.0", "18446744073709551616", "99999999999999999999999"};
  ripstop_error err;
  uint64_t value = 77;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(ripstop_parse_u64(wrong[i], UINT64_MAX, &value, &err), -1);
  assert_true(value == 77);
  assert_int_equal(ripstop_parse_u64("18446744073709551615", UINT64_MAX, &value, &err), 0);
  assert_true(value == UINT64_MAX);
  for (uint64_t max = 0; max < 130; max++)
    for (uint64_t i = 0; i < 130; i++) {
      char text[24];
      snprintf(text, sizeof text, "%u", (unsigned)i);
      assert_int_equal(ripstop_parse_u64(text, max, &value, &err), i <= max ? 0 : -1);
      if (i <= max) assert_true(value == i);
    }
}

static void real_numbers_are_strict_and_finite(void **state) {
  (void)state;
  static const char *const wrong[] = {"", " 1", "1 ", "inf", "nan", "0x1p3", "1e", "1e400", "1,5", "e", "-", "--1"};
  ripstop_error err;
  double value = 77;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(ripstop_parse_real(wrong[i], &value, &err), -1);
  assert_true(value == 77);
  assert_int_equal(ripstop_parse_real("-1.25e2", &value, &err), 0);
  assert_true(value == -125);
}

static void nearest_words(void **state) {
  (void)state;
  static const char *const words[] = {"updown", "misroute", "hybrid-dor", "k", NULL};
  static const struct {
    const char *text, *word;
  } cases[] = {{"updwon", "updown"},
               {"Updown", "updown"},
               {"mis_route", "misroute"},
               {"misroutes", "misroute"},
               {"hybrid_dor", "hybrid-dor"},
               {"k", "k"},
               {"K", "k"},
               {"n", NULL},
               {"", NULL},
               {"dragonfly", NULL},
               {"down", "updown"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *got = ripstop_nearest_word(cases[i].text, words);
    if (!cases[i].word)
      assert_null(got);
    else
      assert_string_equal(got ? got : "(none)", cases[i].word);
  }
  char longer[5000];
  memset(longer, 'k', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  assert_null(ripstop_nearest_word(longer, words));
}

static void files_are_read_whole(void **state) {
  (void)state;
  enum { SIZE = 40000 };
  static char written[SIZE];
  for (int i = 0; i < SIZE; i++) written[i] = (char)(i * 7);
  char path[] = "test_base_text.XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, written, SIZE), SIZE);
  close(descriptor);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  char *data;
  size_t length;
  assert_int_equal(ripstop_read_file(arena, path, SIZE, &data, &length, &err), 0);
  assert_int_equal(length, SIZE);
  assert_memory_equal(data, written, SIZE);
  assert_int_equal(data[SIZE], 0);
  assert_int_equal(ripstop_read_file(arena, path, SIZE - 1, &data, &length, &err), -1);
  assert_non_null(strstr(err.text, "larger than 39999 bytes"));
  unlink(path);
  assert_int_equal(ripstop_read_file(arena, path, SIZE, &data, &length, &err), -1);
  assert_non_null(strstr(err.text, "No such file"));
  assert_int_equal(ripstop_read_file(arena, ".", SIZE, &data, &length, &err), -1);
  assert_non_null(strstr(err.text, "directory"));
  ripstop_arena_free(arena);
}

static void bit_sets(void **state) {
  (void)state;
  enum { BITS = 300 };
  uint64_t set[5] = {0};
  assert_int_equal(ripstop_bits_words(BITS), 5);
  assert_int_equal(ripstop_bits_next(set, 5, 0), 320);
  for (size_t i = 0; i < BITS; i += 7) ripstop_bit_set(set, i);
  for (size_t i = 0; i < BITS; i++) assert_int_equal(ripstop_bit_test(set, i), i % 7 == 0);
  assert_int_equal(ripstop_bits_count(set, 5), 43);
  for (size_t i = 0; i < BITS - 7; i++) assert_int_equal(ripstop_bits_next(set, 5, i), (i + 6) / 7 * 7);
  ripstop_bit_clear(set, 294);
  assert_int_equal(ripstop_bits_next(set, 5, 288), 320);
  assert_int_equal(ripstop_bits_next(set, 5, 320), 320);
  assert_int_equal(ripstop_log2_64(UINT64_C(1) << 63 | 1), 63);
  assert_int_equal(ripstop_ctz64(UINT64_C(1) << 63), 63);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_one_clean_line),
      cmocka_unit_test(errors_know_whose_they_are),
      cmocka_unit_test(files_arrive_or_are_reported),
      cmocka_unit_test(arenas_give_zeroed_aligned_memory_apart),
      cmocka_unit_test(cleared_arenas_give_zeroed_memory_again),
      cmocka_unit_test(texts_grow),
      cmocka_unit_test(whole_numbers_are_strict),
      cmocka_unit_test(real_numbers_are_strict_and_finite),
      cmocka_unit_test(nearest_words),
      cmocka_unit_test(files_are_read_whole),
      cmocka_unit_test(bit_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
