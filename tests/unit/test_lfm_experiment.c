/* test_lfm_experiment.c - what an experiment measures of fault sets, `not-tolerated` and `pairs.lost`, is what the
 * prover finds on the same sets: set by set where they are drawn, in number where every one is taken; and which points
 * of figures are exact. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "prove/proof.h"
#include "report/judging.h"
#include "ripstop/kit/experiment.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/report.h"

enum { SAMPLES = 30, SEED = 2010 };

static const char text[] = "fabric: [\"mport-ntree:m=4,n=3\", \"kary-ntree:k=3,n=2\"]\n"
                           "method: [link-fault-messages, \"link-fault-messages:capacity=2\"]\n"
                           "faults: {count: [1, 2, 5, 9], samples: all up to 30}\n"
                           "traffic: {load: 0.01, packet: 8}\n"
                           "measure: {warmup: 0, cycles: 20}\n"
                           "seed: 2010\n";

/* The result of a run, or of a proof. */
typedef struct finding {
  uint64_t sets, not_tolerated;
  uint64_t lost[SAMPLES]; /* pairs; of sampled sets */
} finding;

static double value(const ripstop_outcome *o, const char *name) { return value_of(o, name)->value; }

/* Adds up the runs that have the same fabric, method and number of failed links as `like`. */
static finding measured(const ripstop_runs *runs, const ripstop_run *like) {
  finding found = {0};
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    ripstop_outcome outcome;
    if (run->fabric != like->fabric || run->fault_count != like->fault_count || strcmp(run->method, like->method))
      continue;
    assert_int_equal(ripstop_run_execute(run, NULL, &outcome), 0);
    double not_tolerated = value(&outcome, "not-tolerated"), lost = value(&outcome, "pairs.lost");
    assert_true(not_tolerated == (lost > 0));
    found.sets++;
    found.not_tolerated += not_tolerated > 0;
    if (!run->faults) found.lost[run->sample] = (uint64_t)lost;
    ripstop_outcome_free(&outcome);
  }
  return found;
}

static int note(void *context, const ripstop_set_proof *proof, const ripstop_text *told, const ripstop_tally *so_far) {
  (void)told, (void)so_far;
  finding *found = context;
  found->lost[proof->number] = proof->proof.lost_pairs_some_choice;
  return 0;
}

/* Walks sampled sets, or counts all sets of a size. */
static finding proved(const ripstop_run *like, bool drawn) {
  finding found = {0};
  ripstop_tally tally;
  ripstop_error err;
  ripstop_many many = {.fabric = like->fabric,
                       .method = like->method,
                       .kind = drawn ? RIPSTOP_SETS_SAMPLED : RIPSTOP_SETS_ALL,
                       .count = like->fault_count,
                       .samples = SAMPLES,
                       .seed = SEED,
                       .confidence = 0.99,
                       .tolerance = !drawn,
                       .threads = 1,
                       .done = drawn ? note : NULL,
                       .context = &found};
  if (ripstop_prove_many(&many, &tally, &err)) fail_msg("%s", err.text);
  assert_true(tally.counted == !drawn);
  found.sets = tally.all.sets;
  found.not_tolerated = tally.all.sets - tally.all.tolerated;
  return found;
}

static void experiments_measure_what_is_proved(void **state) {
  (void)state;
  ripstop_runs *runs = open_runs(text);
  uint64_t lossy = 0, points = 0, enumerated = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    bool drawn = !run->faults;
    if (run->sample > 0) continue;
    finding experiment = measured(runs, run), prover = proved(run, drawn);
    if (memcmp(&experiment, &prover, sizeof prover) != 0)
      fail_msg("%s %s, %u failed links: %llu of %llu measured, %llu of %llu proved", run->fabric->spec, run->method,
               run->fault_count, (unsigned long long)experiment.not_tolerated, (unsigned long long)experiment.sets,
               (unsigned long long)prover.not_tolerated, (unsigned long long)prover.sets);
    points += drawn;
    enumerated += !drawn;
    lossy += experiment.not_tolerated > 0 && experiment.not_tolerated < experiment.sets;
  }
  assert_int_equal(points, 2 * (4 + 2));
  assert_int_equal(enumerated, 2 * (9 + 1)); /* one or all nine links of the 3-ary 2-tree */
  assert_true(lossy >= 5);
  close_runs(runs);
}

/* ------------------------------------------------------------------ figures of them */

static const char figures[] =
    "fabric: \"mport-ntree:m=4,n=3\"\n"
    "method: link-fault-messages\n"
    "faults: {count: [0, 1, 2], samples: all up to 40}\n"
    "traffic: {load: 0.3, packet: 8}\n"
    "measure: {warmup: 0, cycles: 20}\n"
    "figures:\n"
    "  - {id: share, x: faults.count, y: not-tolerated}\n"
    "  - {id: pairs, x: faults.count, y: no_shortest_path_pairs}\n"
    "  - {id: packets, x: faults.count, y: packets}\n"
    "  - {id: steady, x: faults.count, y: not-tolerated, where: {verdict: [steady, saturated]}}\n"
    "  - {id: over, x: faults.count, y: max_table_entries, over: run.hops}\n";

static double width(const ripstop_data *data, size_t figure, size_t x) {
  ripstop_arena *arena = ripstop_arena_new();
  const ripstop_plot *plot = ripstop_plot_figure(arena, data, &data->runs->spec->figure[figure]);
  assert_int_equal(plot->xs, 3);
  assert_int_equal(plot->curve[0].point[x].runs, x == 1 ? 32 : 40); /* one link of 32: every set */
  double wide = plot->curve[0].point[x].y.high - plot->curve[0].point[x].y.low;
  ripstop_arena_free(arena);
  return wide;
}

/* A value that depends on the fault set alone is exact if every set was taken. The packets of some cycles are not
 * exact; nor is a value that only some verdicts have, nor one of the runs that happen to be done. */
static void numbers_of_every_set_are_exact(void **state) {
  (void)state;
  ripstop_runs *runs = open_runs(figures);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_outcome *outcome = RIPSTOP_ARRAY(arena, runs->count, ripstop_outcome);
  const ripstop_outcome **known = RIPSTOP_ARRAY(arena, runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < runs->count; i++) {
    assert_int_equal(ripstop_run_execute(&runs->run[i], NULL, &outcome[i]), 0);
    known[i] = &outcome[i];
  }
  ripstop_data data = {.runs = runs, .outcome = known};
  enum { SHARE, PAIRS, PACKETS, STEADY, OVER };
  for (size_t figure = SHARE; figure <= PAIRS; figure++) {
    assert_true(width(&data, figure, 0) == 0); /* healthy, 40 times */
    assert_true(width(&data, figure, 1) == 0);
    assert_true(width(&data, figure, 2) > 0); /* drawn */
  }
  assert_true(width(&data, PACKETS, 0) > 0);
  assert_true(width(&data, STEADY, 1) > 0);
  assert_true(width(&data, OVER, 1) > 0);
  for (size_t i = 0; i < runs->count; i++) /* one of two failed links is yet to be done */
    if (runs->run[i].fault_count == 2 && runs->run[i].sample == 0) known[i] = NULL;
  const ripstop_estimate y = ripstop_plot_figure(arena, &data, &runs->spec->figure[SHARE])->curve[0].point[1].y;
  assert_true(y.mean == 0 && y.high > 0);
  for (size_t i = 0; i < runs->count; i++) ripstop_outcome_free(&outcome[i]);
  ripstop_arena_free(arena);
  close_runs(runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(experiments_measure_what_is_proved),
                                     cmocka_unit_test(numbers_of_every_set_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
