/* test_base_sort.c - the sort in place against the C library's: any count, any order before. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "check.h"
#include "ripstop/base.h"

static int by_number(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Each key stays with what it is of, and what is behind the list is not touched. */
static void check(const uint64_t *key, uint32_t count) {
  ripstop_key *list = calloc(count + 1, sizeof *list);
  uint64_t *expected = calloc(count + 1, sizeof *expected);
  bool *seen = calloc(count + 1, sizeof *seen);
  for (uint32_t i = 0; i < count; i++) list[i] = (ripstop_key){.key = expected[i] = key[i], .of = i};
  list[count] = (ripstop_key){.key = 0, .of = 77};
  qsort(expected, count, sizeof *expected, by_number);
  ripstop_sort_keys(list, count);
  for (uint32_t i = 0; i < count; i++) {
    assert_true(list[i].key == expected[i]);
    assert_true(list[i].of < count && key[list[i].of] == list[i].key);
    assert_false(seen[list[i].of]);
    seen[list[i].of] = true;
  }
  assert_true(list[count].key == 0 && list[count].of == 77);
  free(seen);
  free(expected);
  free(list);
}

static void keys_come_in_order(void **state) {
  (void)state;
  enum { SMALL = 300, MOST = 50000 };
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  uint64_t *key = calloc(MOST, sizeof *key);
  for (uint32_t count = 0; count <= MOST; count = count < SMALL ? count + 1 : count * 3 - 7) {
    for (uint32_t i = 0; i < count; i++)
      key[i] = (uint64_t)ripstop_stream_below(&random, 1 + count * 2) << (count % 2 ? 32 : 0);
    check(key, count);
    for (uint32_t i = 0; i < count; i++) key[i] = count - i;
    check(key, count);
  }
  free(key);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(keys_come_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
