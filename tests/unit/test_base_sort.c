/* test_base_sort.c - the sort in place against the C library's: any count, any order before. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "check.h"
#include "ripstop/plugin/base.h"

static int by_number(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Each key stays with what it is of, and what is behind the list is not touched. */
static void check(const uint64_t *key, uint32_t count) {
  ripstop_sort_key *list = calloc(count + 1, sizeof *list);
  uint64_t *expected = calloc(count + 1, sizeof *expected);
  bool *seen = calloc(count + 1, sizeof *seen);
  for (uint32_t i = 0; i < count; i++) list[i] = (ripstop_sort_key){.key = expected[i] = key[i], .of = i};
  list[count] = (ripstop_sort_key){.key = 0, .of = 77};
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

/* Numbers by a table of their ranks; what is behind the list is not touched. */
static int by_rank(const void *context, const void *a, const void *b) {
  const uint64_t *rank = context;
  return by_number(&rank[*(const uint32_t *)a], &rank[*(const uint32_t *)b]);
}

static void items_come_in_the_order_of_a_context(void **state) {
  (void)state;
  enum { MOST = 20000 };
  ripstop_stream random = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 1);
  uint64_t *rank = calloc(MOST, sizeof *rank), *expected = calloc(MOST, sizeof *expected);
  uint32_t *list = calloc(MOST + 1, sizeof *list);
  for (uint32_t count = 0; count <= MOST; count = count < 100 ? count + 1 : 3 * count) {
    for (uint32_t i = 0; i < count; i++)
      expected[i] = rank[i] = ripstop_stream_below(&random, 1 + count * 2), list[i] = i;
    list[count] = 77;
    qsort(expected, count, sizeof *expected, by_number);
    ripstop_sort(list, count, sizeof *list, by_rank, rank);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; sum += list[i++]) assert_true(rank[list[i]] == expected[i]);
    assert_true(sum == (uint64_t)count * (count - (count > 0)) / 2);
    assert_int_equal(list[count], 77);
  }
  free(list);
  free(expected);
  free(rank);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(keys_come_in_order),
                                     cmocka_unit_test(items_come_in_the_order_of_a_context)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
