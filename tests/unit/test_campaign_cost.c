/* test_campaign_cost.c - long runs first, by what others took: values that were seen, seen in part, and never. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/campaign.h"

enum { RUNS_MAX = 100 };

static const char text[] = "fabric: kary-ntree:k=2,n=2\n"
                           "method: updown\n"
                           "faults: {count: [0, 1], samples: 3}\n"
                           "traffic: {load: [0.1, 0.2, 0.4]}\n"
                           "measure: {cycles: [100, 1000, 10000]}\n";

typedef struct experiment {
  ripstop_spec *spec;
  ripstop_runs *runs;
  const ripstop_run *list[RUNS_MAX];
  ripstop_cost known[RUNS_MAX];
} experiment;

static int open_experiment(void **state) {
  ripstop_error err;
  experiment *e = test_calloc(1, sizeof *e);
  e->spec = ripstop_spec_read_memory("x.yaml", text, strlen(text), NULL, &err);
  e->runs = e->spec ? ripstop_expand(e->spec, &err) : NULL;
  if (!e->runs || e->runs->count > RUNS_MAX) return -1;
  *state = e;
  return 0;
}

static int close_experiment(void **state) {
  experiment *e = *state;
  ripstop_runs_free(e->runs);
  ripstop_spec_free(e->spec);
  test_free(e);
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
static size_t split(experiment *e, double load, size_t *knowns) {
  size_t count = 0;
  *knowns = 0;
  for (size_t i = 0; i < e->runs->count; i++) {
    const ripstop_run *run = &e->runs->run[i];
    if (run->sample == 0 && number(run, "traffic.load") <= load)
      e->known[(*knowns)++] = (ripstop_cost){run, seconds_of(run)};
    else
      e->list[count++] = run;
  }
  return count;
}

static void long_runs_come_first(void **state) {
  experiment *e = *state;
  size_t knowns, count = split(e, 1, &knowns);
  ripstop_long_first(e->known, knowns, e->list, count);
  for (size_t i = 1; i < count; i++) {
    double before = seconds_of(e->list[i - 1]), now = seconds_of(e->list[i]);
    assert_true(before > now * (1 - 1e-9));
    if (fabs(before - now) < 1e-12) assert_true(e->list[i - 1] < e->list[i]);
  }
}

/* Nothing is known of the highest load; cycles still sort. */
static void what_was_never_seen_adds_nothing(void **state) {
  experiment *e = *state;
  size_t knowns, count = split(e, 0.2, &knowns), seen = 0;
  ripstop_long_first(e->known, knowns, e->list, count);
  double before = INFINITY;
  for (size_t i = 0; i < count; i++) {
    if (number(e->list[i], "traffic.load") < 0.3) continue;
    assert_true(number(e->list[i], "measure.cycles") <= before);
    before = number(e->list[i], "measure.cycles");
    seen++;
  }
  assert_int_equal(seen, 2 * 3 * 3);
}

static void without_history_the_order_stays(void **state) {
  experiment *e = *state;
  size_t knowns, count = split(e, 0, &knowns);
  assert_int_equal(knowns, 0);
  ripstop_long_first(NULL, 0, e->list, count);
  for (size_t i = 1; i < count; i++) assert_true(e->list[i - 1] < e->list[i]);
  for (size_t i = 0; i < 9; i++) e->known[i] = (ripstop_cost){&e->runs->run[i], 2.5};
  ripstop_long_first(e->known, 9, e->list, count);
  for (size_t i = 1; i < count; i++) assert_true(e->list[i - 1] < e->list[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_runs_come_first),
      cmocka_unit_test(what_was_never_seen_adds_nothing),
      cmocka_unit_test(without_history_the_order_stays),
  };
  return cmocka_run_group_tests(tests, open_experiment, close_experiment);
}
