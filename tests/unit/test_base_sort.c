/* test_base_sort.c - the sort in place against the C library's: any count, any order before, elements of any size. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "check.h"
#include "ripstop/base.h"

typedef struct element { /* an odd size */
  char key[2], rest;
} element;

static int by_key(const void *a, const void *b) { return memcmp(a, b, 2); }

static int by_number(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void numbers_come_in_order(void **state) {
  (void)state;
  enum { MOST = 300 };
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t count = 0; count < MOST; count++) {
    uint64_t sorted[MOST], expected[MOST];
    for (uint32_t i = 0; i < MOST; i++) sorted[i] = expected[i] = ripstop_stream_below(&random, 1 + count * 2);
    if (count) qsort(expected, count, sizeof *expected, by_number);
    ripstop_sort_in_place(sorted, count, sizeof *sorted, by_number);
    assert_memory_equal(sorted, expected, sizeof sorted); /* what is behind them, too */
  }
}

/* Each element stays whole. */
static void elements_are_moved_whole(void **state) {
  (void)state;
  enum { COUNT = 200 };
  element at[COUNT];
  for (int i = 0; i < COUNT; i++)
    at[i] = (element){.key = {(char)('z' - i / 26), (char)('z' - i % 26)}, .rest = (char)(i % 100)};
  ripstop_sort_in_place(at, COUNT, sizeof *at, by_key);
  for (int i = 0, was = COUNT - 1; i < COUNT; i++, was--)
    assert_true(at[i].key[0] == 'z' - was / 26 && at[i].key[1] == 'z' - was % 26 && at[i].rest == was % 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_come_in_order),
                                     cmocka_unit_test(elements_are_moved_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
