/* test_campaign_shard.c - parts of an experiment: each run is in one, all have as many, none has all of a kind. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/campaign.h"

enum { LOADS = 6 };

static const char text[] = "fabric: kary-ntree:k=2,n=2\n"
                           "method: updown\n"
                           "faults: {count: [0, 1, 2], samples: 7}\n"
                           "traffic: {load: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}\n";

typedef struct experiment {
  ripstop_spec *spec;
  ripstop_runs *runs;
  const ripstop_run **list;
} experiment;

static int open_experiment(void **state) {
  ripstop_error err;
  experiment *e = test_calloc(1, sizeof *e);
  e->spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  e->runs = e->spec ? ripstop_expand(e->spec, &err) : NULL;
  if (!e->runs) return -1;
  e->list = test_calloc(e->runs->count, sizeof *e->list);
  *state = e;
  return 0;
}

static int close_experiment(void **state) {
  experiment *e = *state;
  ripstop_runs_free(e->runs);
  ripstop_spec_free(e->spec);
  test_free(e->list);
  test_free(e);
  return 0;
}

/* Of the first `count` runs. */
static size_t take(const experiment *e, unsigned part, unsigned of, size_t count) {
  for (size_t i = 0; i < count; i++) e->list[i] = &e->runs->run[i];
  return ripstop_shard_runs((ripstop_shard){part, of}, e->list, count);
}

static void each_run_is_in_one_part(void **state) {
  const experiment *e = *state;
  unsigned *seen = test_calloc(e->runs->count, sizeof *seen);
  for (unsigned of = 1; of <= e->runs->count + 2; of++) {
    for (unsigned part = 1; part <= of; part++) {
      size_t count = take(e, part, of, e->runs->count);
      for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || e->list[i] > e->list[i - 1]); /* in the experiment's order */
        seen[e->list[i] - e->runs->run]++;
      }
    }
    for (size_t i = 0; i < e->runs->count; i++) assert_int_equal(seen[i], 1), seen[i] = 0;
  }
  test_free(seen);
}

static void parts_are_as_large_as_each_other(void **state) {
  const experiment *e = *state;
  for (size_t count = 0; count <= e->runs->count; count++)
    for (unsigned of = 1; of < 9; of++)
      for (unsigned part = 1; part <= of; part++) {
        size_t has = take(e, part, of, count);
        assert_in_range(has, count / of, (count + of - 1) / of);
      }
}

static void a_part_stays_the_same(void **state) {
  const experiment *e = *state;
  char first[LOADS][RIPSTOP_RUN_ID];
  size_t count = take(e, 2, 5, e->runs->count);
  for (size_t i = 0; i < LOADS; i++) memcpy(first[i], e->list[i]->id, RIPSTOP_RUN_ID);
  assert_int_equal(take(e, 2, 5, e->runs->count), count);
  for (size_t i = 0; i < LOADS; i++) assert_string_equal(first[i], e->list[i]->id);
}

/* The innermost list is as long as there are parts. */
static void no_part_has_one_load_alone(void **state) {
  const experiment *e = *state;
  for (unsigned part = 1; part <= LOADS; part++) {
    size_t count = take(e, part, LOADS, e->runs->count), different = 0;
    for (size_t i = 1; i < count; i++)
      different +=
          strcmp(ripstop_run_key(e->list[i], "traffic.load"), ripstop_run_key(e->list[0], "traffic.load")) != 0;
    assert_in_range(different, count / 2, count - 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_run_is_in_one_part),
      cmocka_unit_test(parts_are_as_large_as_each_other),
      cmocka_unit_test(a_part_stays_the_same),
      cmocka_unit_test(no_part_has_one_load_alone),
  };
  return cmocka_run_group_tests(tests, open_experiment, close_experiment);
}
