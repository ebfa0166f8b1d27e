/* test_base_memory.c - the guard: what is generated under it dies when memory runs out, and nothing else does. */
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "scarce.h"

static ripstop_arena *old_arena;
static char *old_block, *kept;
static bool came_back;

/* Takes memory in every way, then more than there is. */
static void take_and_run_out(void *argument) {
  (void)argument;
  ripstop_arena *young = ripstop_arena_new();
  ripstop_text text = {0};
  for (int i = 0; i < 100; i++) ripstop_text_add(&text, "%d ", i);
  char *freed = ripstop_realloc(NULL, 10, 1);
  (void)RIPSTOP_ARRAY(young, 100000, char);
  (void)ripstop_arena_realloc(young, NULL, 7, 1);
  kept = ripstop_arena_realloc(old_arena, kept, 5000, 1);
  memset(kept, 'k', 5000);
  old_block = ripstop_realloc(old_block, 100000, 1);
  ripstop_free(freed);
  (void)ripstop_realloc(NULL, SIZE_MAX / 2, 3);
  came_back = true;
}

static void what_was_generated_dies_and_the_rest_stays(void **state) {
  (void)state;
  ripstop_error err = {0};
  long long before = scarce_live;
  old_arena = ripstop_arena_new();
  old_block = ripstop_realloc(NULL, 4, 1);
  kept = ripstop_arena_realloc(old_arena, NULL, 1, 1);
  memcpy(old_block, "old", 4);
  long long held = scarce_live;
  assert_int_equal(ripstop_try(take_and_run_out, NULL, &err), -1);
  assert_false(came_back);
  assert_true(!strncmp(err.text, "out of memory (", 15));
  assert_int_equal(scarce_live, held);
  assert_string_equal(old_block, "old");
  assert_int_equal(kept[4999], 'k');
  ripstop_free(old_block);
  ripstop_arena_free(old_arena);
  assert_int_equal(scarce_live, before);
}

static void take(void *argument) {
  char **out = argument;
  out[0] = ripstop_realloc(NULL, 8, 1);
  out[1] = (char *)ripstop_arena_new();
  assert_non_null(ripstop_arena_array((ripstop_arena *)out[1], 3, 3));
}

static void after_success_the_caller_has_it(void **state) {
  (void)state;
  char *out[2];
  long long before = scarce_live;
  assert_int_equal(ripstop_try(take, out, NULL), 0);
  assert_int_equal(scarce_live, before + 3);
  ripstop_free(out[0]);
  ripstop_arena_free((ripstop_arena *)out[1]);
  assert_int_equal(scarce_live, before);
}

/* A call of the library inside of another: the outer one fails, and what the inner one had finished goes too. */
static int inner(void) {
  RIPSTOP_GUARD(NULL, -1);
  (void)ripstop_realloc(NULL, 8, 1);
  (void)ripstop_arena_new();
  return 0;
}

static int outer(bool fails, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (inner()) return -2;
  if (fails) scarce_refuse(1);
  if (inner()) return -2;
  return 0;
}

static void calls_inside_have_the_guard_of_the_outermost(void **state) {
  (void)state;
  ripstop_error err = {0};
  long long before = scarce_live;
  assert_int_equal(outer(true, &err), -1);
  scarce_refuse(0);
  assert_int_equal(scarce_live, before);
  assert_true(!strncmp(err.text, "out of memory", 13));
}

static void *young_block;

static void disown_one(void *argument) {
  (void)argument;
  (void)ripstop_realloc(NULL, 8, 1);
  young_block = ripstop_realloc(NULL, 8, 1);
  ripstop_disown(young_block);
  ripstop_out_of_memory();
}

static void try_inside(void *argument) {
  char **out = argument;
  assert_int_equal(ripstop_try(disown_one, NULL, NULL), -1);
  assert_int_equal(ripstop_try(take, out, NULL), 0);
  ripstop_out_of_memory();
}

static void a_try_inside_gives_to_the_outer_one(void **state) {
  (void)state;
  char *out[2];
  long long before = scarce_live;
  assert_int_equal(ripstop_try(try_inside, out, NULL), -1);
  assert_int_equal(scarce_live, before + 1);
  ripstop_free(young_block);
}

static void outside_of_guards_there_is_null(void **state) {
  (void)state;
  ripstop_text text = {0};
  ripstop_text_add(&text, "kept");
  ripstop_arena *arena = ripstop_arena_new();
  scarce_refuse(1);
  assert_null(ripstop_realloc(NULL, 1, 1));
  assert_null(ripstop_arena_new());
  assert_null(ripstop_arena_array(arena, 1, 1));
  assert_null(ripstop_arena_printf(arena, "%d", 1));
  assert_null(ripstop_arena_text(arena, "x"));
  for (int i = 0; i < 100; i++) ripstop_text_add(&text, "%d", i);
  scarce_refuse(0);
  assert_true(text.cut && !strncmp(text.data, "kept0123", 8));
  size_t length = text.length;
  ripstop_text_add_bytes(&text, "", 0);
  assert_int_equal(text.length, length); /* a text with a hole would say something else */
  ripstop_text_free(&text);
  ripstop_arena_free(arena);
}

/* One that begins too late to hold anything as one that breaks off. */
static void options_printed_outside_of_guards_are_cut(void **state) {
  (void)state;
  static const char *const words[] = {"off", "on", NULL};
  static const ripstop_option options[] = {
      {"early", RIPSTOP_OPTION_WORD, 0, .words = words, .fallback = "off", .help = "first"},
      {"late", RIPSTOP_OPTION_WORD, 0, .words = words, .fallback = "off", .help = "second", .later = true},
      {0}};
  int32_t config = 1;
  for (long long at = 1; at <= 4; at++) { /* two options, and a text each */
    ripstop_text text = {0};
    long long before = scarce_live;
    scarce_refuse(at);
    ripstop_options_print(&text, options, &config);
    bool refused = scarce_asked >= at;
    scarce_refuse(0);
    assert_int_equal(refused, at <= 3);
    assert_int_equal(text.cut, refused);
    if (!refused) assert_string_equal(text.data, "early=on,late=on");
    ripstop_text_free(&text);
    assert_int_equal(scarce_live, before);
  }
}

static atomic_int failures;

static void *in_a_thread(void *argument) {
  (void)argument;
  for (int i = 0; i < 1000; i++) {
    char *out[2];
    if (ripstop_try(take, out, NULL)) failures++;
    ripstop_free(out[0]);
    ripstop_arena_free((ripstop_arena *)out[1]);
  }
  return NULL;
}

static void each_thread_has_its_own(void **state) {
  (void)state;
  pthread_t thread[4];
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&thread[i], NULL, in_a_thread, NULL), 0);
  for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
  assert_int_equal(failures, 0);
}

static void fill(ripstop_arena *arena) {
  for (int i = 0; i < 50; i++) memset(RIPSTOP_ARRAY(arena, 1000, char), 1, 1000);
}

/* The arena keeps a chunk for the next objects, which need no more memory. Under the address sanitizer each object has
 * its own chunk. */
#ifdef RIPSTOP_ADDRESS_SANITIZER
enum { KEPT = 0, ASKED = 50 };
#else
enum { KEPT = 1, ASKED = 0 };
#endif

static void an_arena_can_be_emptied(void **state) {
  (void)state;
  long long before = scarce_live;
  ripstop_arena *arena = ripstop_arena_new();
  long long held = scarce_live;
  ripstop_arena_clear(arena);
  assert_int_equal(scarce_live, held);
  for (int i = 0; i < 4; i++) {
    fill(arena);
    (void)ripstop_arena_realloc(arena, NULL, 9, 9);
    ripstop_arena_clear(arena);
    assert_int_equal(scarce_live, held + KEPT);
  }
  scarce_refuse(0);
  fill(arena);
  assert_int_equal(scarce_asked, ASKED);
  (void)RIPSTOP_ARRAY(arena, 4 << 20, char);
  ripstop_arena_clear(arena); /* large chunks are freed */
  assert_int_equal(scarce_live, held);
  const char *fresh = RIPSTOP_ARRAY(arena, 1000, char);
  for (int i = 0; i < 1000; i++) assert_int_equal(fresh[i], 0);
  ripstop_arena_free(arena);
  assert_int_equal(scarce_live, before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_generated_dies_and_the_rest_stays),
      cmocka_unit_test(after_success_the_caller_has_it),
      cmocka_unit_test(calls_inside_have_the_guard_of_the_outermost),
      cmocka_unit_test(a_try_inside_gives_to_the_outer_one),
      cmocka_unit_test(outside_of_guards_there_is_null),
      cmocka_unit_test(options_printed_outside_of_guards_are_cut),
      cmocka_unit_test(each_thread_has_its_own),
      cmocka_unit_test(an_arena_can_be_emptied),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
