/* test_campaign_cost.c - long runs first, by what others took: values that were seen, seen in part, and never. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "ripstop/kit/campaign.h"

enum { RUNS_MAX = 100 };

static const char text[] = "fabric: kary-ntree:k=2,n=2\n"
                           "method: updown\n"
                           "faults: {count: [0, 1], samples: 3}\n"
                           "traffic: {load: [0.1, 0.2, 0.4]}\n"
                           "measure: {cycles: [100, 1000, 10000]}\n";

static const ripstop_run *list[RUNS_MAX];
static ripstop_cost known[RUNS_MAX];

static int open_grid(void **state) {
  ripstop_runs *runs = open_runs(text);
  assert_in_range(runs->count, 1, RUNS_MAX);
  *state = runs;
  return 0;
}

static double number(const ripstop_run *run, const char *key) {
  double out;
  ripstop_error err;
  assert_int_equal(ripstop_parse_real(ripstop_run_key(run, key), &out, &err), 0);
  return out;
}

static double seconds_of(const ripstop_run *run) {
  return 1e-6 * number(run, "measure.cycles") * number(run, "traffic.load");
}

/* Those of sample 0 with loads up to `load` are known, the others are to be sorted; returns how many those are. */
static size_t split(ripstop_runs *runs, double load, size_t *knowns) {
  size_t count = 0;
  *knowns = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    if (run->sample == 0 && number(run, "traffic.load") <= load)
      known[(*knowns)++] = (ripstop_cost){run, seconds_of(run)};
    else
      list[count++] = run;
  }
  return count;
}

static void long_runs_come_first(void **state) {
  ripstop_runs *runs = *state;
  size_t knowns, count = split(runs, 1, &knowns);
  ripstop_long_first(known, knowns, list, count);
  for (size_t i = 1; i < count; i++) {
    double before = seconds_of(list[i - 1]), now = seconds_of(list[i]);
    assert_true(before > now * (1 - 1e-9));
    if (fabs(before - now) < 1e-12) assert_true(list[i - 1] < list[i]);
  }
}

/* Nothing is known of the highest load; cycles still sort. */
static void what_was_never_seen_adds_nothing(void **state) {
  ripstop_runs *runs = *state;
  size_t knowns, count = split(runs, 0.2, &knowns), seen = 0;
  ripstop_long_first(known, knowns, list, count);
  double before = INFINITY;
  for (size_t i = 0; i < count; i++) {
    if (number(list[i], "traffic.load") < 0.3) continue;
    assert_true(number(list[i], "measure.cycles") <= before);
    before = number(list[i], "measure.cycles");
    seen++;
  }
  assert_int_equal(seen, 2 * 3 * 3);
}

static void without_history_the_order_stays(void **state) {
  ripstop_runs *runs = *state;
  size_t knowns, count = split(runs, 0, &knowns);
  assert_int_equal(knowns, 0);
  ripstop_long_first(NULL, 0, list, count);
  for (size_t i = 1; i < count; i++) assert_true(list[i - 1] < list[i]);
  for (size_t i = 0; i < 9; i++) known[i] = (ripstop_cost){&runs->run[i], 2.5};
  ripstop_long_first(known, 9, list, count);
  for (size_t i = 1; i < count; i++) assert_true(list[i - 1] < list[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_runs_come_first),
      cmocka_unit_test(what_was_never_seen_adds_nothing),
      cmocka_unit_test(without_history_the_order_stays),
  };
  return cmocka_run_group_tests(tests, open_grid, close_group);
}
