/* test_experiment_proofs.c - experiments that prove, and fault sets that are drawn until they are worth keeping.
 *
 * A run that proves says what `ripstop prove` finds on the same sets, which here are simulated one by one as well: the
 * samples of a simulation with the same seed and count are the proof's sets.
 *
 * Slow: many proofs. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "campaign/workers.h"
#include "check.h"
#include "opened.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/protocol.h"
#include "run_texts.h"
#include "stand.h"

enum { SETS = 60 };

static const char proofs[] = "fabric: [\"kns:k=4,n=2\", \"kns:k=3,n=3\"]\n"
                             "method: [\"intermediate-nodes:intermediates=1\", intermediate-nodes]\n"
                             "faults: {count: [0, 3, 7]}\n"
                             "prove: {sets: 60, confidence: 0.95}\n"
                             "seed: 17\n"
                             "figures:\n"
                             "  - {id: all, x: faults.count, y: tolerated, by: [fabric, method]}\n"
                             "  - {id: one, x: faults.count, y: pairs_by_intermediates.1, over: pairs, "
                             "by: [fabric, method]}\n";
static const char simulations[] = "fabric: [\"kns:k=4,n=2\", \"kns:k=3,n=3\"]\n"
                                  "method: [\"intermediate-nodes:intermediates=1\", intermediate-nodes]\n"
                                  "faults: {count: [3, 7], samples: 60}\n"
                                  "traffic: {load: 0.01, packet: 4}\n"
                                  "measure: {warmup: 0, cycles: 20}\n"
                                  "seed: 17\n";

static double value(const ripstop_outcome *outcome, const char *name) { return value_of(outcome, name)->value; }

static bool like(const ripstop_run *a, const ripstop_run *b) {
  static const char *const keys[] = {"fabric", "method", "faults.count"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(ripstop_run_key(a, keys[i]), ripstop_run_key(b, keys[i])) != 0) return false;
  return true;
}

typedef struct sums {
  double tolerated, connected, lost, one, squares; /* counts over sets; over pairs: sums, and the squares of `one` */
} sums;

/* The same sets, one simulation each. */
static sums simulated(const ripstop_runs *runs, const ripstop_run *proof) {
  sums s = {0};
  size_t count = 0;
  for (size_t i = 0; i < runs->count; i++) {
    if (!like(&runs->run[i], proof)) continue;
    ripstop_outcome outcome;
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_error err;
    assert_int_equal(ripstop_run_execute(&runs->run[i], NULL, &outcome), 0);
    double one = value(&outcome, "pairs_by_intermediates.1");
    s.tolerated += value(&outcome, "not-tolerated") == 0;
    s.lost += value(&outcome, "pairs.lost");
    s.one += one, s.squares += one * one;
    ripstop_view *view = ripstop_view_new(runs->run[i].fabric, ripstop_run_faults(&runs->run[i], arena, &err));
    s.connected += ripstop_view_disconnected_pairs(view) == 0;
    ripstop_view_free(view);
    ripstop_arena_free(arena);
    ripstop_outcome_free(&outcome);
    count++;
  }
  assert_int_equal(count, SETS);
  return s;
}

static void proof_says_what_simulations_say(void **state) {
  (void)state;
  ripstop_runs *runs = open_runs(proofs), *others = open_runs(simulations);
  assert_int_equal(runs->count, 12);
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    ripstop_outcome outcome;
    assert_string_equal(ripstop_run_key(run, "kind"), "prove");
    assert_null(ripstop_run_key(run, "traffic.load"));
    assert_int_equal(ripstop_run_execute(run, NULL, &outcome), 0);
    assert_string_equal(outcome.verdict, "proved");
    assert_true(value(&outcome, "sets") == (run->fault_count ? SETS : 1));
    if (run->fault_count == 0) {
      assert_true(value(&outcome, "tolerated") == 1 && isnan(value_of(&outcome, "tolerated")->half));
    } else {
      sums s = simulated(others, run);
      ripstop_interval i95 = ripstop_clopper_pearson((uint64_t)s.tolerated, SETS, 0.95);
      double share = s.tolerated / SETS, half = fmax(share - i95.low, i95.high - share);
      double variance = (s.squares - s.one * s.one / SETS) / (SETS - 1);
      assert_true(value(&outcome, "tolerated") == share);
      assert_float_equal(value(&outcome, "not-tolerated"), 1 - share, 1e-12);
      assert_float_equal(value_of(&outcome, "tolerated")->half, half, 1e-12);
      assert_true(value(&outcome, "connected") == s.connected / SETS);
      assert_float_equal(value(&outcome, "tolerated.connected"), s.tolerated / s.connected, 1e-12);
      assert_float_equal(value(&outcome, "pairs.lost"), s.lost / SETS, 1e-9);
      assert_float_equal(value(&outcome, "pairs_by_intermediates.1"), s.one / SETS, 1e-9);
      assert_float_equal(value_of(&outcome, "pairs_by_intermediates.1")->half,
                         ripstop_t_quantile(0.975, SETS - 1) * sqrt(variance / SETS), 1e-9);
    }
    ripstop_outcome_free(&outcome);
  }
  close_runs(runs);
  close_runs(others);
}

static void not_for_this_fabric(void **state) {
  (void)state;
  ripstop_runs *runs =
      open_runs("fabric: torus:4x4\nmethod: intermediate-nodes\nfaults: {count: 1}\nprove: {sets: 5}\n");
  ripstop_outcome outcome;
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &outcome), 0);
  assert_string_equal(outcome.verdict, "does-not-apply");
  assert_non_null(outcome.reason);
  ripstop_outcome_free(&outcome);
  close_runs(runs);
}

static void it_can_be_stopped(void **state) {
  (void)state;
  ripstop_runs *runs =
      open_runs("fabric: kns:k=4,n=2\nmethod: intermediate-nodes\nfaults: {count: 5}\nprove: {sets: 100000000}\n"
                "seed: 3\n");
  atomic_int stop = 1;
  ripstop_outcome outcome;
  assert_int_equal(ripstop_run_execute(&runs->run[0], &stop, &outcome), -1);
  close_runs(runs);
}

/* ------------------------------------------------------------------ keep */

static const char kept[] = "fabric: kns:k=4,n=2\n"
                           "method: [\"intermediate-nodes:intermediates=1\", dor]\n"
                           "faults: {count: [0, 5], samples: 40, keep: [all, connected, tolerated]}\n"
                           "traffic: {load: 0.01, packet: 4}\n"
                           "measure: {warmup: 0, cycles: 20}\n"
                           "seed: 17\n";

/* True if a proof of the run's set, walked state by state, finds it worth keeping. */
static bool deserves(const ripstop_run *run, const ripstop_faults *faults) {
  ripstop_error err;
  ripstop_proof proof;
  ripstop_view *view = ripstop_view_new(run->fabric, faults);
  ripstop_plan *plan = stand_plan(view, run->method, NULL, &err);
  ripstop_prover *prover = ripstop_prover_new(run->fabric);
  assert_int_equal(ripstop_prover_prove(prover, plan, &proof, &err), 0);
  bool good = run->keep == RIPSTOP_KEEP_ALL || (run->keep == RIPSTOP_KEEP_CONNECTED && !proof.disconnected_pairs) ||
              (run->keep == RIPSTOP_KEEP_TOLERATED && proof.tolerated);
  ripstop_prover_free(prover);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return good;
}

static void only_good_sets_are_kept(void **state) {
  (void)state;
  char text[sizeof kept];
  memcpy(text, kept, sizeof kept);
  memcpy(strstr(text, ", dor"), "     ", 5);
  ripstop_runs *runs = open_runs(text);
  size_t refused[3] = {0}, all_refused = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_error err;
    const ripstop_faults *faults = ripstop_run_faults(run, arena, &err), *again = ripstop_run_faults(run, arena, &err);
    assert_non_null(faults);
    assert_int_equal(faults->links, run->fault_count);
    if (faults->links) assert_memory_equal(faults->link, again->link, faults->links * sizeof *faults->link);
    assert_true(deserves(run, faults));
    ripstop_outcome outcome;
    assert_int_equal(ripstop_run_execute(run, NULL, &outcome), 0);
    if (run->keep == RIPSTOP_KEEP_ALL)
      all_refused += value(&outcome, "not-tolerated") != 0;
    else
      refused[run->keep] += value(&outcome, "faults.refused") > 0;
    if (run->keep == RIPSTOP_KEEP_TOLERATED) assert_true(value(&outcome, "not-tolerated") == 0);
    ripstop_outcome_free(&outcome);
    ripstop_arena_free(arena);
  }
  assert_true(refused[RIPSTOP_KEEP_CONNECTED] > 0 && refused[RIPSTOP_KEEP_TOLERATED] > refused[RIPSTOP_KEEP_CONNECTED]);
  assert_int_equal(refused[RIPSTOP_KEEP_TOLERATED], all_refused); /* the first sample is that of runs that keep all */
  close_runs(runs);
}

/* The prover walks a method that cannot count its pairs; a method that is never right is reported. */
static void none_is_good_enough(void **state) {
  (void)state;
  ripstop_runs *runs = open_runs("fabric: torus:3x3\nmethod: dor\nfaults: {count: 3, keep: tolerated}\n"
                                 "traffic: {load: 0.1}\nmeasure: {warmup: 0, cycles: 20}\n");
  ripstop_outcome outcome;
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &outcome), 0);
  assert_string_equal(outcome.verdict, "error");
  assert_string_equal(outcome.reason, "none of 4096 random sets of 3 failed parts is tolerated");
  ripstop_outcome_free(&outcome);
  close_runs(runs);
}

/* Experiments that keep all have the names that they had before there was anything else. */
static void names_stay(void **state) {
  (void)state;
  static const char *const candidates[] = {"", ", keep: all", ", keep: connected"};
  char id[3][RIPSTOP_RUN_ID];
  for (size_t i = 0; i < 3; i++) {
    char text[256];
    snprintf(text, sizeof text, "fabric: torus:4x4\nmethod: dor\nfaults: {count: 1%s}\ntraffic: {load: 0.1}\n",
             candidates[i]);
    ripstop_runs *runs = open_runs(text);
    memcpy(id[i], runs->run[0].id, RIPSTOP_RUN_ID);
    assert_true((strstr(canonical_of(&runs->run[0]), "keep") != NULL) == (i == 2));
    close_runs(runs);
  }
  assert_string_equal(id[0], id[1]);
  assert_string_not_equal(id[0], id[2]);
}

/* The same question with `rare`: what every set says, and the names of plain proofs stay. */
static void rare_failures_are_values(void **state) {
  (void)state;
  static const char rare[] = "fabric: \"kns:k=4,n=2\"\nmethod: intermediate-nodes\nfaults: {count: [0, 1, 3]}\n"
                             "prove: {sets: 400, rare: 2}\n";
  ripstop_runs *runs = open_runs(rare);
  assert_int_equal(runs->count, 3);
  for (size_t i = 0; i < 3; i++) {
    ripstop_outcome o;
    assert_int_equal(ripstop_run_execute(&runs->run[i], NULL, &o), 0);
    assert_string_equal(o.verdict, "proved");
    double share = runs->run[i].fault_count == 3 ? 480.0 / 4960 : 0; /* a share of all sets of three */
    if (fabs(value(&o, "not-tolerated") - share) > 1e-12) fail_msg("%g", value(&o, "not-tolerated"));
    ripstop_outcome_free(&o);
  }
  ripstop_text first = {0}, plain = {0};
  ripstop_run_canonical(&runs->run[0], &first);
  assert_non_null(strstr(first.data, "prove.rare=2\n"));
  close_runs(runs);
  runs = open_runs(proofs);
  ripstop_run_canonical(&runs->run[0], &plain);
  assert_null(strstr(plain.data, "rare"));
  ripstop_text_free(&first);
  ripstop_text_free(&plain);
  close_runs(runs);
}

/* Counts the safe sets of transient states with the prover itself, over the same sets. */
static uint64_t safe_sets(const ripstop_run *run, ripstop_mixed mixed, uint64_t sets, uint64_t *deadlocked) {
  ripstop_error err;
  ripstop_tally tally;
  ripstop_many many = {.fabric = run->fabric,
                       .method = ripstop_run_key(run, "method"),
                       .kind = RIPSTOP_SETS_SAMPLED,
                       .count = run->fault_count,
                       .samples = sets,
                       .seed = run->seed,
                       .confidence = 0.99,
                       .mixed = &mixed,
                       .threads = 1};
  if (ripstop_prove_many(&many, &tally, &err)) fail_msg("%s", err.text);
  *deadlocked = tally.all.deadlocked;
  return tally.all.safe;
}

/* Each word selects the prover's option of that name, and plain proofs keep their names. */
static void transients_are_values(void **state) {
  (void)state;
  static const char text[] =
      "fabric: torus:4x4\nmethod: [ordered, \"immunet:drain_cycles=0\", mend]\nfaults: {count: 1}\n"
      "prove: {sets: 6, mixtures: [any, repaired, two-writes, in-order, for-ever], rare: 0, orders: 2}\nseed: 5\n";
  ripstop_runs *runs = open_runs(text);
  unsigned refused = 0, refuted = 0, proved = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    const char *word = ripstop_run_key(run, "prove.mixtures");
    ripstop_outcome o;
    uint64_t deadlocked;
    assert_int_equal(ripstop_run_execute(run, NULL, &o), 0);
    if (strcmp(o.verdict, "does-not-apply") == 0) {
      refused++;
    } else {
      ripstop_mixed mixed = {.orders = 2,
                             .in_order = !strcmp(word, "in-order"),
                             .for_ever = !strcmp(word, "for-ever"),
                             .two_writes = !strcmp(word, "two-writes"),
                             .repaired = !strcmp(word, "repaired"),
                             .of_protocol = ripstop_network_versions};
      uint64_t safe = safe_sets(run, mixed, 6, &deadlocked);
      assert_true(value(&o, "safe") == (double)safe / 6 && value(&o, "deadlocked") == (double)deadlocked / 6);
      refuted += deadlocked > 0;
      proved += safe == 6;
    }
    ripstop_outcome_free(&o);
  }
  assert_int_equal(refused, 4); /* two words that say nothing of a protocol, two protocols */
  assert_true(refuted >= 2 && proved >= 2);
  close_runs(runs);
  ripstop_text plain = {0};
  runs = open_runs(proofs);
  ripstop_run_canonical(&runs->run[0], &plain);
  assert_null(strstr(plain.data, "mixtures"));
  ripstop_text_free(&plain);
  close_runs(runs);
}

/* With `decide: all` the shares of the same sets, proved here one by one: some deadlock although nothing is lost. */
static void deadlocks_are_values(void **state) {
  (void)state;
  ripstop_runs *runs = open_runs("fabric: kary-ntree:k=2,n=3\nmethod: misroute\nfaults: {count: [1, 3]}\n"
                                 "prove: {sets: 200, decide: all}\nseed: 5\n"
                                 "figures:\n  - {id: f, x: faults.count, y: deadlock.possible}\n");
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_run *run = &runs->run[i];
    ripstop_error err;
    ripstop_tally tally;
    ripstop_outcome outcome;
    const ripstop_many many = {.fabric = run->fabric,
                               .method = run->method,
                               .kind = RIPSTOP_SETS_SAMPLED,
                               .count = run->fault_count,
                               .scope = run->scope,
                               .samples = 200,
                               .seed = 5,
                               .confidence = 0.99,
                               .threads = 1};
    assert_int_equal(ripstop_prove_many(&many, &tally, &err), 0);
    assert_int_equal(ripstop_run_execute(run, NULL, &outcome), 0);
    assert_true(value(&outcome, "deadlock.possible") == (double)tally.all.deadlocked / 200);
    assert_true(value(&outcome, "deadlock.possible.connected") ==
                (double)tally.connected.deadlocked / (double)tally.connected.sets);
    assert_true(value(&outcome, "deadlock.possible.tolerated") ==
                (double)(tally.all.tolerated - tally.all.safe) / (double)tally.all.tolerated);
    assert_true(value(&outcome, "livelock.possible") == 0);
    assert_int_equal(value(&outcome, "deadlock.possible.tolerated") > 0, run->fault_count == 3);
    ripstop_outcome_free(&outcome);
  }
  close_runs(runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(proof_says_what_simulations_say),
      cmocka_unit_test(not_for_this_fabric),
      cmocka_unit_test(it_can_be_stopped),
      cmocka_unit_test(only_good_sets_are_kept),
      cmocka_unit_test(none_is_good_enough),
      cmocka_unit_test(names_stay),
      cmocka_unit_test(rare_failures_are_values),
      cmocka_unit_test(transients_are_values),
      cmocka_unit_test(deadlocks_are_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
