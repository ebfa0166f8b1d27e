/* test_campaign_pack.c - outcomes and files as bytes: the same bit for bit, and what is cut off is known to be. */
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "campaign/pack.h"
#include "check.h"

static const ripstop_value values[] = {
    {"accepted", "flits/cycle", 0.1, 0.25}, {"latency", "cycles", -0.0, NAN}, {"x", "", INFINITY, 0x1p-1074}};
static const ripstop_window windows[] = {{.cycle = 0, .generated = 7, .latency = NAN},
                                         {.cycle = 1u << 31, .delivered_flits = UINT64_MAX, .latency = 2.5}};
static const ripstop_outcome full = {.verdict = "saturated",
                                     .reason = "why\nnot",
                                     .faults = "0/0.0/2",
                                     .values = 3,
                                     .value = values,
                                     .windows = 2,
                                     .window = windows,
                                     .seconds = 1.5};
static const ripstop_outcome empty = {.faults = ""};

static void same_text(const char *a, const char *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a) assert_string_equal(a, b);
}

static void same_real(double a, double b) { assert_memory_equal(&a, &b, sizeof a); }

static void same_outcome(const ripstop_outcome *a, const ripstop_outcome *b) {
  same_text(a->verdict, b->verdict);
  same_text(a->reason, b->reason);
  same_text(a->faults, b->faults);
  same_real(a->seconds, b->seconds);
  assert_int_equal(a->values, b->values);
  for (size_t i = 0; i < a->values; i++) {
    same_text(a->value[i].name, b->value[i].name);
    same_text(a->value[i].unit, b->value[i].unit);
    same_real(a->value[i].value, b->value[i].value);
    same_real(a->value[i].half, b->value[i].half);
  }
  assert_int_equal(a->windows, b->windows);
  if (a->windows) assert_memory_equal(a->window, b->window, a->windows * sizeof *a->window);
}

static void outcomes_come_back_bit_for_bit(void **state) {
  (void)state;
  const ripstop_outcome *list[] = {&full, &empty, &full};
  ripstop_text message = {0};
  for (size_t i = 0; i < 3; i++) pack_outcome(&message, list[i]);
  unpacking u = unpack(&message);
  for (size_t i = 0; i < 3; i++) {
    ripstop_outcome back;
    unpack_outcome(&u, &back);
    assert_false(u.bad);
    same_outcome(list[i], &back);
    ripstop_outcome_free(&back);
  }
  assert_ptr_equal(u.at, u.end);
  ripstop_text_free(&message);
}

static void verdicts_are_those_of_this_program(void **state) {
  (void)state;
  ripstop_text message = {0};
  ripstop_outcome back;
  pack_outcome(&message, &full);
  unpacking u = unpack(&message);
  unpack_outcome(&u, &back);
  bool found = false;
  for (size_t i = 0; ripstop_outcome_words[i]; i++) found |= back.verdict == ripstop_outcome_words[i];
  assert_true(found);
  ripstop_outcome_free(&back);
  ripstop_text_free(&message);
}

/* A message of its own size for each length, so that a reader beyond its end is seen. */
static void what_is_cut_off_is_bad(void **state) {
  (void)state;
  ripstop_text message = {0};
  pack_outcome(&message, &full);
  for (size_t length = 0; length < message.length; length++) {
    char *part = test_calloc(length + 1, 1);
    memcpy(part, message.data, length);
    unpacking u = {.at = part, .end = part + length};
    ripstop_outcome back;
    unpack_outcome(&u, &back);
    assert_true(u.bad);
    ripstop_outcome_free(&back);
    test_free(part);
  }
  ripstop_text_free(&message);
}

/* ------------------------------------------------------------------ files */

static void a_record_stands_for_the_files(void **state) {
  (void)state;
  static const char path[] = RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges";
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_files record = {0};
  ripstop_guard call;
  ripstop_error err;
  char *first, *again, *nothing;
  size_t length, as_long;
  ripstop_text_begin(&record.content);
  ripstop_guard_begin(&call, true);
  ripstop_guard_course(&(ripstop_course){.files = &record});
  assert_int_equal(ripstop_read_file(arena, path, 1 << 20, &first, &length, &err), 0);
  size_t once = record.content.length;
  assert_int_equal(ripstop_read_file(arena, path, 1 << 20, &first, &length, &err), 0);
  assert_int_equal(record.content.length, once);
  ripstop_guard_end(&call);
  assert_int_equal(ripstop_read_file(arena, RIPSTOP_SOURCE_DIR "/README.md", 1 << 20, &nothing, &as_long, &err), 0);
  assert_int_equal(record.content.length, once);

  record.complete = true;
  ripstop_guard_begin(&call, true);
  ripstop_guard_course(&(ripstop_course){.files = &record});
  assert_int_equal(ripstop_read_file(arena, path, 1 << 20, &again, &as_long, &err), 0);
  assert_int_equal(length, as_long);
  assert_memory_equal(first, again, length + 1);
  assert_int_equal(ripstop_read_file(arena, path, 10, &again, &as_long, &err), -1);
  assert_non_null(strstr(err.text, "larger than 10 bytes"));
  assert_int_equal(ripstop_read_file(arena, RIPSTOP_SOURCE_DIR "/README.md", 1 << 20, &nothing, &as_long, &err), -1);
  assert_non_null(strstr(err.text, "README.md: the first rank has read no such file"));
  ripstop_guard_end(&call);
  ripstop_text_free(&record.content);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_come_back_bit_for_bit),
      cmocka_unit_test(verdicts_are_those_of_this_program),
      cmocka_unit_test(what_is_cut_off_is_bad),
      cmocka_unit_test(a_record_stands_for_the_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
