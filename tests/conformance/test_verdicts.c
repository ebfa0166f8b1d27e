/* test_verdicts.c - the verdict on deadlock does not depend on how it was reached: for every method that has forwarding
 * tables, on small fabrics with random faults, what the channel dependency graph and ripstop_plan_deadlock say is what
 * the proof over all states says. It names methods only for their options. */
#include <inttypes.h>

#include "check.h"
#include "prove/proof.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"

static const char *const fabric_specs[] = {"kary-ntree:k=2,n=3",
                                           "xgft:m=4,w=1",
                                           "torus:5",
                                           "torus:5x5",
                                           "torus:4x4",
                                           "torus:3x5,p=2",
                                           "kns:k=3,n=2",
                                           "dragonfly:a=2,p=1,h=1",
                                           "hyperx:3x2,k=2",
                                           "graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges",
                                           "ib:" RIPSTOP_SOURCE_DIR "/tests/data/ib/ring.ibnetdiscover"};
static const char *const with_options[] = {"dor:bubble=on",
                                           "dor:dateline=on",
                                           "dor:halfway=parity",
                                           "dor:halfway=parity,bubble=on",
                                           "dor:halfway=parity,dateline=on",
                                           "mend:lanes=2",
                                           "mend:lanes=1",
                                           "mend:lanes=4,sl=pair",
                                           "mend:lanes=2,lmc=1",
                                           "bgp:plan=rfc7938",
                                           "bgp:classes=2",
                                           "bgp:classes=1,beyond=leave",
                                           "bgp:classes=4,repair=local",
                                           "bgp:maximum_paths=1",
                                           NULL};
enum { SETS = 6, LINKS_MAX = 3, LIMIT = 1000000 };

typedef struct tally {
  unsigned cases, of[RIPSTOP_DEADLOCK_DESPITE + 1], lossy, proved;
} tally;

static void compare(const ripstop_plan *plan, const char *method, uint64_t set, ripstop_forwarding *tables, tally *t) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  ripstop_table_verdict judged;
  ripstop_plan_waits waits;
  ripstop_proof proof;
  bool whole = ripstop_forwarding_add_lanes(plan, tables, &err) == RIPSTOP_APPLIES;
  if (ripstop_judge(arena, plan->view, tables, NULL, &judged, &err) ||
      ripstop_plan_deadlock(arena, plan, judged.credit_loop, whole, &waits, &err) ||
      ripstop_prover_prove(prover, plan, &proof, &err))
    fail_msg("%s", err.text);
  if (waits.verdict != proof.deadlock)
    fail_msg("%s on %s, set %" PRIu64 ": %s, by the proof %s", method, plan->fabric->spec, set,
             ripstop_deadlock_words[waits.verdict], ripstop_deadlock_words[proof.deadlock]);
  assert_int_equal(proof.deadlock_free, !ripstop_deadlock_possible(proof.deadlock));
  if (whole) assert_int_equal(judged.credit_loop, ripstop_deadlock_without_bubble(proof.deadlock));
  t->cases++, t->of[proof.deadlock]++;
  t->lossy += !proof.tolerated;
  t->proved += waits.proved;
  ripstop_prover_free(prover);
  ripstop_arena_free(arena);
}

static void compare_on(const ripstop_view *view, const char *method, uint64_t set, tally *t) {
  ripstop_error err;
  ripstop_answer answer = RIPSTOP_APPLIES;
  ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
  if (plan) plan->binding = ripstop_own_binding(plan->method);
  if (plan && ripstop_plan_tables(plan, &err) == RIPSTOP_APPLIES) {
    ripstop_forwarding *tables = ripstop_forwarding_of_plan(plan, LIMIT, &answer, &err);
    if (tables) compare(plan, method, set, tables, t);
    ripstop_forwarding_free(tables);
  }
  ripstop_plan_free(plan);
}

/* The first set is empty; others have failed links, and the last ones a failed switch as well. */
static ripstop_view *draw(const ripstop_fabric *f, uint64_t set) {
  ripstop_stream random = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, set);
  ripstop_view *view = ripstop_view_new(f, NULL);
  const uint32_t links = f->links - f->link_ends;
  for (uint64_t i = 0; links > 0 && i < set && i < LINKS_MAX; i++)
    ripstop_view_set_link(view, f->link_ends + ripstop_stream_below(&random, links), false);
  if (set > LINKS_MAX)
    ripstop_view_set_switch(view, f->ends + ripstop_stream_below(&random, ripstop_fabric_switches(f)), false);
  return view;
}

static void both_analyses_agree(void **state) {
  (void)state;
  tally t = {0};
  for (size_t i = 0; i < sizeof fabric_specs / sizeof *fabric_specs; i++) {
    ripstop_error err;
    ripstop_fabric *fabric = ripstop_fabric_open(fabric_specs[i], &err);
    if (!fabric) fail_msg("%s", err.text);
    for (uint64_t set = 0; set < SETS; set++) {
      ripstop_view *view = draw(fabric, set);
      for (const ripstop_method *const *m = ripstop_methods; *m; m++) compare_on(view, (*m)->name, set, &t);
      for (size_t o = 0; with_options[o]; o++) compare_on(view, with_options[o], set, &t);
      ripstop_view_free(view);
    }
    ripstop_fabric_free(fabric);
  }
  print_message("%u cases: %u impossible, %u drained, %u possible, %u despite; %u lossy, %u proved\n", t.cases, t.of[0],
                t.of[1], t.of[2], t.of[3], t.lossy, t.proved);
  assert_true(t.cases > 300 && t.of[RIPSTOP_DEADLOCK_IMPOSSIBLE] > 100 && t.of[RIPSTOP_DEADLOCK_DRAINED] > 5 &&
              t.of[RIPSTOP_DEADLOCK_POSSIBLE] > 30 && t.lossy > 100 && t.proved > 5);
}

/* Bubble flow control that does not help: the four values, and no others. */
static void a_verdict_is_of_three_findings(void **state) {
  (void)state;
  assert_int_equal(ripstop_deadlock_of(false, false, false), RIPSTOP_DEADLOCK_IMPOSSIBLE);
  assert_int_equal(ripstop_deadlock_of(true, false, false), RIPSTOP_DEADLOCK_IMPOSSIBLE);
  assert_int_equal(ripstop_deadlock_of(false, true, false), RIPSTOP_DEADLOCK_POSSIBLE);
  assert_int_equal(ripstop_deadlock_of(false, true, true), RIPSTOP_DEADLOCK_POSSIBLE);
  assert_int_equal(ripstop_deadlock_of(true, true, false), RIPSTOP_DEADLOCK_DRAINED);
  assert_int_equal(ripstop_deadlock_of(true, true, true), RIPSTOP_DEADLOCK_DESPITE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_analyses_agree),
                                     cmocka_unit_test(a_verdict_is_of_three_findings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
