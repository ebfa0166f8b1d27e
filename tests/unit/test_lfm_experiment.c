/* test_lfm_experiment.c - what an experiment measures of fault sets, `not-tolerated` and `pairs.lost`, is what the
 * prover finds on the same sets: set by set where they are drawn, in number where every one is taken. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/experiment.h"
#include "ripstop/prove.h"

enum { SAMPLES = 30, SEED = 2010 };

static const char text[] = "fabric: [\"mport-ntree:m=4,n=3\", \"kary-ntree:k=3,n=2\"]\n"
                           "method: [link-fault-messages, \"link-fault-messages:capacity=2\"]\n"
                           "faults: {count: [1, 2, 5, 9], samples: all up to 30}\n"
                           "traffic: {load: 0.01, packet: 8}\n"
                           "measure: {warmup: 0, cycles: 20}\n"
                           "seed: 2010\n";

/* What a run measured, or the prover proved. */
typedef struct finding {
  uint64_t sets, not_tolerated;
  uint64_t lost[SAMPLES]; /* pairs; of drawn sets */
} finding;

static double value(const rs_outcome *outcome, const char *name) {
  for (size_t i = 0; i < outcome->values; i++)
    if (!strcmp(outcome->value[i].name, name)) return outcome->value[i].value;
  fail_msg("no value %s", name);
  return 0;
}

/* Of the runs that have the same fabric, method and number of dead links as `like`. */
static finding measured(const rs_runs *runs, const rs_run *like) {
  finding found = {0};
  for (size_t i = 0; i < runs->count; i++) {
    const rs_run *run = &runs->run[i];
    rs_outcome outcome;
    if (run->simulation.fabric != like->simulation.fabric || run->fault_count != like->fault_count ||
        strcmp(run->simulation.method, like->simulation.method))
      continue;
    assert_int_equal(rs_run_execute(run, NULL, &outcome), 0);
    double not_tolerated = value(&outcome, "not-tolerated"), lost = value(&outcome, "pairs.lost");
    assert_true(not_tolerated == (lost > 0));
    found.sets++;
    found.not_tolerated += not_tolerated > 0;
    if (!run->simulation.faults) found.lost[run->sample] = (uint64_t)lost;
    rs_outcome_free(&outcome);
  }
  return found;
}

static int note(void *context, const rs_set_proof *proof, const rs_text *told, const rs_tally *so_far) {
  (void)told, (void)so_far;
  finding *found = context;
  found->lost[proof->number] = proof->proof.lost_pairs_some_choice;
  return 0;
}

/* Drawn sets are walked, all sets of a size counted. */
static finding proved(const rs_run *like, bool drawn) {
  finding found = {0};
  rs_tally tally;
  rs_error err;
  rs_many many = {.fabric = like->simulation.fabric,
                  .method = like->simulation.method,
                  .kind = drawn ? RS_SETS_DRAWN : RS_SETS_ALL,
                  .count = like->fault_count,
                  .samples = SAMPLES,
                  .seed = SEED,
                  .confidence = 0.99,
                  .tolerance = !drawn,
                  .threads = 1,
                  .done = drawn ? note : NULL,
                  .context = &found};
  if (rs_prove_many(&many, &tally, &err)) fail_msg("%s", err.text);
  assert_true(tally.counted == !drawn);
  found.sets = tally.all.sets;
  found.not_tolerated = tally.all.sets - tally.all.tolerated;
  return found;
}

static void experiments_measure_what_is_proved(void **state) {
  (void)state;
  rs_error err = {""};
  rs_spec *spec = rs_spec_read_memory("x.yaml", text, strlen(text), false, &err);
  rs_runs *runs = spec ? rs_expand(spec, &err) : NULL;
  if (!runs) {
    fail_msg("%s", err.text);
    return;
  }
  uint64_t lossy = 0, points = 0, enumerated = 0;
  for (size_t i = 0; i < runs->count; i++) {
    const rs_run *run = &runs->run[i];
    bool drawn = !run->simulation.faults;
    if (run->sample > 0) continue;
    finding experiment = measured(runs, run), prover = proved(run, drawn);
    if (memcmp(&experiment, &prover, sizeof prover) != 0)
      fail_msg("%s %s, %u dead links: %llu of %llu measured, %llu of %llu proved", run->simulation.fabric->spec,
               run->simulation.method, run->fault_count, (unsigned long long)experiment.not_tolerated,
               (unsigned long long)experiment.sets, (unsigned long long)prover.not_tolerated,
               (unsigned long long)prover.sets);
    points += drawn;
    enumerated += !drawn;
    lossy += experiment.not_tolerated > 0 && experiment.not_tolerated < experiment.sets;
  }
  assert_int_equal(points, 2 * (4 + 2));
  assert_int_equal(enumerated, 2 * (9 + 1)); /* one or all nine links of the 3-ary 2-tree */
  assert_true(lossy >= 5);
  rs_runs_free(runs);
  rs_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(experiments_measure_what_is_proved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
