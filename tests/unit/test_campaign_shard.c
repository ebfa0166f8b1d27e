/* test_campaign_shard.c - parts of an experiment: each run is in one, all have as many, none has all of a kind. */
#include <stdlib.h>
#include <string.h>

#include "campaign/shard.h"
#include "check.h"
#include "opened.h"

enum { LOADS = 6, COUNTS = 3, RUNS = COUNTS * 7 * LOADS };

static const char text[] = "fabric: kary-ntree:k=2,n=2\n"
                           "method: updown\n"
                           "faults: {count: [0, 1, 2], samples: 7}\n"
                           "traffic: {load: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}\n";

static const ripstop_run *list[RUNS];

static int open_parts(void **state) {
  ripstop_runs *runs = open_runs(text);
  assert_int_equal(runs->count, RUNS);
  *state = runs;
  return 0;
}

/* Counts only the first `count` runs. */
static size_t take(const ripstop_runs *runs, unsigned part, unsigned of, size_t count) {
  list_runs(runs, list);
  return ripstop_shard_runs((ripstop_shard){part, of}, list, count);
}

static void each_run_is_in_one_part(void **state) {
  const ripstop_runs *runs = *state;
  unsigned *seen = test_calloc(runs->count, sizeof *seen);
  for (unsigned of = 1; of <= runs->count + 2; of++) {
    for (unsigned part = 1; part <= of; part++) {
      size_t count = take(runs, part, of, runs->count);
      for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || list[i] > list[i - 1]); /* in the experiment's order */
        seen[list[i] - runs->run]++;
      }
    }
    for (size_t i = 0; i < runs->count; i++) assert_int_equal(seen[i], 1), seen[i] = 0;
  }
  test_free(seen);
}

static void parts_are_as_large_as_each_other(void **state) {
  const ripstop_runs *runs = *state;
  for (size_t count = 0; count <= runs->count; count++)
    for (unsigned of = 1; of < 9; of++)
      for (unsigned part = 1; part <= of; part++) {
        size_t has = take(runs, part, of, count);
        assert_in_range(has, count / of, (count + of - 1) / of);
      }
}

static void a_part_stays_the_same(void **state) {
  const ripstop_runs *runs = *state;
  char first[LOADS][RIPSTOP_RUN_ID];
  size_t count = take(runs, 2, 5, runs->count);
  for (size_t i = 0; i < LOADS; i++) memcpy(first[i], list[i]->id, RIPSTOP_RUN_ID);
  assert_int_equal(take(runs, 2, 5, runs->count), count);
  for (size_t i = 0; i < LOADS; i++) assert_string_equal(first[i], list[i]->id);
}

/* The list of loads is as long as there are parts. */
static void no_part_has_one_load_alone(void **state) {
  const ripstop_runs *runs = *state;
  for (unsigned part = 1; part <= LOADS; part++) {
    size_t count = take(runs, part, LOADS, runs->count), different = 0;
    for (size_t i = 1; i < count; i++)
      different += strcmp(ripstop_run_key(list[i], "traffic.load"), ripstop_run_key(list[0], "traffic.load")) != 0;
    assert_in_range(different, count / 2, count - 1);
  }
}

/* The innermost list is as long as there are parts: dealt in order, each part would have one number of faults. */
static void each_part_has_all_fault_counts(void **state) {
  const ripstop_runs *runs = *state;
  for (unsigned part = 1; part <= COUNTS; part++) {
    size_t count = take(runs, part, COUNTS, runs->count), different = 1;
    for (size_t i = 1; i < count; i++) {
      size_t same = 0;
      while (same < i && list[same]->fault_count != list[i]->fault_count) same++;
      different += same == i;
    }
    assert_int_equal(different, COUNTS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_run_is_in_one_part),        cmocka_unit_test(parts_are_as_large_as_each_other),
      cmocka_unit_test(a_part_stays_the_same),          cmocka_unit_test(no_part_has_one_load_alone),
      cmocka_unit_test(each_part_has_all_fault_counts),
  };
  return RUN_GROUP(tests, open_parts, close_group);
}
