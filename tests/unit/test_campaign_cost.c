/* test_campaign_cost.c - long runs first, by what others took: values that were seen, seen in part, and never. */
#include <math.h>
#include <string.h>

#include "campaign/cost.h"
#include "check.h"
#include "opened.h"

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

/* Marks the runs of sample 0 with loads up to `load` as known and leaves the others to be sorted. Returns the number of
 * the others. */
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
  list[count] = &runs->run[0]; /* behind the list: not for the sort */
  assert_int_equal(ripstop_long_first(known, knowns, list, count), 0);
  assert_ptr_equal(list[count], &runs->run[0]);
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
  assert_int_equal(ripstop_long_first(NULL, 0, list, count), 0);
  for (size_t i = 1; i < count; i++) assert_true(list[i - 1] < list[i]);
  for (size_t i = 0; i < 9; i++) known[i] = (ripstop_cost){&runs->run[i], 2.5};
  ripstop_long_first(known, 9, list, count);
  for (size_t i = 1; i < count; i++) assert_true(list[i - 1] < list[i]);
}

/* ------------------------------------------------------------------ seconds */

static double guessed(const ripstop_guess *guess, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += guess[i].seconds;
  return sum;
}

/* Two samples of all settings are known, the third takes what these took; half of the fault sets double the time. */
static void the_same_settings_take_the_same(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_guess guess[RUNS_MAX];
  size_t count = 0, knowns = 0;
  for (size_t i = 0; i < runs->count; i++)
    if (runs->run[i].sample < 2)
      known[knowns++] = (ripstop_cost){&runs->run[i], seconds_of(&runs->run[i]) * (1 + runs->run[i].sample)};
    else
      list[count++] = &runs->run[i];
  assert_int_equal(ripstop_guess_costs(known, knowns, list, count, guess), 0);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(guess[i].by, RIPSTOP_GUESS_SETTINGS);
    assert_float_equal(guess[i].seconds, 1.5 * seconds_of(list[i]), 1e-9);
  }
}

/* The long runs have never been seen at the highest load, nor has the highest load but in the short ones. */
static void times_multiply(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_guess guess[RUNS_MAX];
  size_t count = 0, knowns = 0;
  for (size_t i = 0; i < runs->count; i++) {
    bool is_long = number(&runs->run[i], "measure.cycles") > 1000,
         is_high = number(&runs->run[i], "traffic.load") > 0.3;
    if (is_long && is_high)
      list[count++] = &runs->run[i];
    else
      known[knowns++] = (ripstop_cost){&runs->run[i], seconds_of(&runs->run[i])};
  }
  assert_int_equal(ripstop_guess_costs(known, knowns, list, count, guess), 0);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(guess[i].by, RIPSTOP_GUESS_METHOD);
    assert_in_range(1e6 * guess[i].seconds, 1e6 * seconds_of(list[i]) / 3, 1e6 * seconds_of(list[i]) * 3);
  }
}

/* Loads and cycles that always come together are not counted twice: what is known is explained as it is. */
static void what_comes_together_counts_once(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_guess guess[RUNS_MAX];
  size_t count = 0, knowns = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    int load = (int)(10 * number(run, "traffic.load") + 0.5), cycles = (int)number(run, "measure.cycles");
    bool together = (load == 1 && cycles == 100) || (load == 2 && cycles == 1000) || (load == 4 && cycles == 10000);
    if (together && run->fault_count == 0)
      known[knowns++] = (ripstop_cost){run, seconds_of(run)};
    else if (together)
      list[count++] = run;
  }
  assert_int_equal(ripstop_guess_costs(known, knowns, list, count, guess), 0);
  for (size_t i = 0; i < count; i++)
    assert_float_equal(guess[i].seconds, seconds_of(list[i]), 1e-3 * seconds_of(list[i]));
}

/* All known runs together are guessed right also where single ones cannot be: one in six takes ten times as long. */
static void the_sum_is_right(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_guess guess[RUNS_MAX];
  size_t count = 0, knowns = 0;
  double all = 0;
  for (size_t i = 0; i < runs->count; i++) {
    if (runs->run[i].fault_count == 1 || number(&runs->run[i], "traffic.load") > 0.3) continue;
    known[knowns] = (ripstop_cost){&runs->run[i], i % 6 ? 1 : 10};
    all += known[knowns++].seconds;
  }
  for (size_t i = 0; i < runs->count; i++)
    if (runs->run[i].fault_count == 1 && number(&runs->run[i], "traffic.load") < 0.3) list[count++] = &runs->run[i];
  assert_int_equal(ripstop_guess_costs(known, knowns, list, count, guess), 0);
  double mean = guessed(guess, count) / (double)count;
  assert_float_equal(mean, all / (double)knowns, 0.1 * mean);
}

/* One run took 1 and then 100 microseconds. No key explains that, so a run with another load is estimated at the mean.
 */
static void what_no_key_explains_takes_the_mean(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_guess guess;
  const ripstop_run *first = &runs->run[0], *other = first;
  while (!strcmp(ripstop_run_key(other, "traffic.load"), ripstop_run_key(first, "traffic.load"))) other++;
  known[0] = (ripstop_cost){first, 1e-6};
  known[1] = (ripstop_cost){first, 1e-4};
  list[0] = other;
  assert_int_equal(ripstop_guess_costs(known, 2, list, 1, &guess), 0);
  assert_float_equal(guess.seconds, 50.5e-6, 1e-9);
}

static void without_history_a_speed_is_assumed(void **state) {
  const ripstop_runs *runs = *state;
  ripstop_guess guess[RUNS_MAX];
  list_runs(runs, list);
  assert_int_equal(ripstop_guess_costs(NULL, 0, list, runs->count, guess), 0);
  for (size_t i = 0; i < runs->count; i++) {
    assert_int_equal(guess[i].by, RIPSTOP_GUESS_ASSUMED);
    assert_true(guess[i].seconds * RIPSTOP_ASSUMED_SPEED >=
                runs->run[i].fabric->ends * number(list[i], "measure.cycles"));
  }
}

/* A hop costs more with virtual output queues and less with packets bound to outputs, which the speed does not say. */
static void a_switch_has_its_price(void **state) {
  (void)state;
  static const struct {
    const char *keys;
    double price;
  } cases[] = {{"preset: plain", 1},
               {"preset: plain, queues: voq", 1.3},
               {"preset: plain, queues: \"voq:lines=4\"", 1.3},
               {"preset: plain, queues: output", 0.9},
               {"preset: plain, queues: shared", 1},
               {"preset: modern", 1.5}};
  double plain = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char file[256];
    ripstop_guess guess;
    snprintf(
        file, sizeof file,
        "fabric: kary-ntree:k=2,n=2\nmethod: updown\nswitch: {%s}\ntraffic: {load: 0.1}\nmeasure: {cycles: 1000}\n",
        cases[i].keys);
    ripstop_runs *runs = open_runs(file);
    list_runs(runs, list);
    assert_int_equal(ripstop_guess_costs(NULL, 0, list, 1, &guess), 0);
    if (i == 0) plain = guess.seconds;
    assert_float_equal(guess.seconds, cases[i].price * plain, 1e-9 * plain);
    close_runs(runs);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_runs_come_first),
      cmocka_unit_test(what_was_never_seen_adds_nothing),
      cmocka_unit_test(without_history_the_order_stays),
      cmocka_unit_test(the_same_settings_take_the_same),
      cmocka_unit_test(times_multiply),
      cmocka_unit_test(what_comes_together_counts_once),
      cmocka_unit_test(the_sum_is_right),
      cmocka_unit_test(what_no_key_explains_takes_the_mean),
      cmocka_unit_test(without_history_a_speed_is_assumed),
      cmocka_unit_test(a_switch_has_its_price),
  };
  return RUN_GROUP(tests, open_grid, close_group);
}
