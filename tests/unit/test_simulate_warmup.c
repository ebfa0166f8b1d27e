/* test_simulate_warmup.c - when a run has settled: series that are made up, and a fabric that takes its time.
 *
 * Slow: long simulations. */
#include "simulate/warmup.h"

#include <math.h>

#include "ripstop/plugin/base.h"
#include "scene.h"

enum { SHORTEST = 1600, USUAL = 10000, FIRST = 12800 }; /* FIRST: look from USUAL on */

/* Packets delivered in a block, and inside at its end, when so many cycles are over. */
typedef struct series {
  double (*delivered)(double cycle), (*inside)(double cycle);
  double noise; /* relative to the mean */
} series;

/* Near enough to a normal deviate: the sum of twelve uniform ones. */
static double deviate(ripstop_stream *random) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += ripstop_stream_unit(random);
  return sum;
}

/* After how many cycles it has settled; 0: never. */
static uint64_t settles(const series *s, uint64_t cycles, uint64_t seed) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_stream random = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 0);
  warmup_watch w;
  warmup_open(&w, arena, cycles);
  uint64_t sum = 0, now = 0, found = 0;
  while (!found && now < WARMUP_LONGEST) {
    now += WARMUP_BLOCK;
    sum += (uint64_t)lround(s->delivered((double)now) * (1 + s->noise * deviate(&random)));
    uint64_t inside = (uint64_t)lround(s->inside((double)now) * (1 + s->noise * deviate(&random)));
    if (warmup_add(&w, sum, inside)) found = now;
  }
  ripstop_arena_free(arena);
  return found;
}

static double thousand(double cycle) { return (void)cycle, 1000; }
static double nothing(double cycle) { return (void)cycle, 0; }
static double two_in_a_thousand(double cycle) { return cycle <= 1200 ? 10000 : 10020; }
static double a_bit_more(double cycle) { return cycle <= 1200 ? 10000 : 10021; }
static double growing(double cycle) { return cycle; }
/* A tenth too much at first, of which a third is left after 10,000 cycles. */
static double slow(double cycle) { return 1000 * (1 + 0.1 * exp(-cycle / 10000)); }

static void what_stands_still_has_settled_at_the_first_look(void **state) {
  (void)state;
  assert_int_equal(settles(&(series){thousand, thousand, 0}, SHORTEST, 1), SHORTEST);
  assert_int_equal(settles(&(series){nothing, nothing, 0}, SHORTEST, 1), SHORTEST);
  assert_int_equal(settles(&(series){nothing, nothing, 0}, SHORTEST + 1, 1), 2 * SHORTEST);
  assert_int_equal(settles(&(series){nothing, nothing, 0}, USUAL, 1), FIRST);
  assert_int_equal(settles(&(series){nothing, nothing, 0}, 1000000, 1), FIRST); /* enough for any */
}

/* The quarters of 1,600 cycles are those from 800 and from 1,200 on: 10,000 and 10,020, a mean of 10,010, or 10,021.
 * The second half of 3,200 cycles has nothing of the step any more. */
static void two_in_a_thousand_are_steady_and_more_are_not(void **state) {
  (void)state;
  assert_int_equal(settles(&(series){two_in_a_thousand, thousand, 0}, 1, 1), SHORTEST);
  assert_int_equal(settles(&(series){thousand, two_in_a_thousand, 0}, 1, 1), SHORTEST);
  assert_int_equal(settles(&(series){a_bit_more, thousand, 0}, 1, 1), 2 * SHORTEST);
  assert_int_equal(settles(&(series){thousand, a_bit_more, 0}, 1, 1), 2 * SHORTEST);
}

/* Nine of ten looks (of two series) do not take noise for a drift; the others need one or two more. */
static void noise_is_no_drift(void **state) {
  (void)state;
  int at_once = 0;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    uint64_t end = settles(&(series){thousand, thousand, 0.2}, USUAL, seed);
    assert_true(end >= FIRST && end <= 3 * FIRST);
    at_once += end == FIRST;
  }
  assert_in_range(at_once, 80, 98);
}

/* Neighbouring thousands of cycles differ by less than 1 % from the start, and that is their noise. */
static void a_slow_drift_is_seen(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    uint64_t end = settles(&(series){slow, thousand, 0.01}, USUAL, seed);
    assert_true(end >= FIRST);
    assert_true(slow((double)end) - slow((double)end + USUAL) < 20); /* blocks of the 100 at the start */
  }
}

static void what_grows_never_settles(void **state) {
  (void)state;
  assert_int_equal(settles(&(series){growing, thousand, 0}, 1000, 1), 0);
  assert_int_equal(settles(&(series){thousand, growing, 0}, 1000, 1), 0);
}

static const ripstop_value *find(const ripstop_run_result *result, const char *name) {
  for (size_t i = 0; i < result->values; i++)
    if (!strcmp(result->value[i].name, name)) return &result->value[i];
  fail_msg("no value %s", name);
  return NULL;
}

static ripstop_run_result run_broken(const char *measure) {
  scene *s = scene_open("kns:k=10,n=3", "intermediate-nodes", "load=0.7 in_queue=4 out_queue=4 pipeline=4");
  ripstop_error err;
  if (ripstop_faults_sample(s->arena, s->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, 150, 2017, 0, &s->faults, &err))
    fail_msg("%s", err.text);
  scene_set(s, measure);
  ripstop_run_result result = scene_run(s);
  scene_close(s);
  return result;
}

/* A three-dimensional KNS fabric with 5 % of its links failed, beyond saturation: throughput falls for more than ten
 * thousand cycles. Measured from cycle 2,000 on it falls by more than its interval, and the run says so. */
static void the_drift_of_a_broken_fabric_is_seen(void **state) {
  (void)state;
  ripstop_run_result early = run_broken("warmup=2000 cycles=6000"), late = run_broken("warmup=auto cycles=10000");
  const ripstop_value *drift = find(&early, "accepted.drift");
  assert_true(drift->value < -drift->half);
  assert_true(ripstop_run_result_value(&late, "warmup") > FIRST);
  ripstop_run_result_free(&early);
  ripstop_run_result_free(&late);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_stands_still_has_settled_at_the_first_look),
                                     cmocka_unit_test(two_in_a_thousand_are_steady_and_more_are_not),
                                     cmocka_unit_test(noise_is_no_drift),
                                     cmocka_unit_test(a_slow_drift_is_seen),
                                     cmocka_unit_test(what_grows_never_settles),
                                     cmocka_unit_test(the_drift_of_a_broken_fabric_is_seen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
