/* test_prove_states.c - the prover numbers states on from destination to destination; a proof in the midst of which the
 * numbers run out is the same as any other, with states that are found by index and with such that are found by hash.
 * And what it does once for all heads at a switch (ripstop_plan.by_node) is what it would do for each. */
#include <string.h>

#include "check.h"
#include "prove/prover.h"
#include "stand.h"

static void prove_with(ripstop_prover *prover, const ripstop_plan *plan, ripstop_text *out) {
  ripstop_error err;
  ripstop_proof proof;
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  ripstop_set_proof set = {.faults = &(ripstop_faults){0}, .weight = 1, .plan = plan, .proof = proof};
  assert_int_equal(ripstop_set_proof_print(out, plan->fabric, &set), 0);
  ripstop_text_add(out, "%llu states\n", (unsigned long long)proof.states);
}

static void prove_from(uint32_t before, const ripstop_plan *plan, ripstop_text *out) {
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  assert_non_null(prover);
  prover->before = before;
  prove_with(prover, plan, out);
  if (before) assert_true(prover->before < before); /* they ran out */
  ripstop_prover_free(prover);
}

static void run_out(const char *fabric_spec, const char *method) {
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open(fabric_spec, &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
  if (!plan || ripstop_plan_tables(plan, &err)) fail_msg("%s", err.text);
  ripstop_text fresh = {0}, late = {0};
  prove_from(0, plan, &fresh);
  prove_from(UINT32_MAX / 2 - 1000, plan, &late);
  assert_string_equal(fresh.data, late.data);
  ripstop_text_free(&fresh);
  ripstop_text_free(&late);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

static void numbers_by_index(void **unused) {
  (void)unused;
  run_out("torus:5x5", "dor");
  run_out("kary-ntree:k=3,n=3", "misroute");
}

static void numbers_by_hash(void **unused) {
  (void)unused;
  run_out("kns:k=5,n=2", "intermediate-nodes:lists=all");
}

/* A fabric with faults and a plan that the engine queries by node, and the same plan queried for each head. */
typedef struct pair {
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_arena *arena;
  ripstop_faults faults;
  stand by_node;
  ripstop_plan plain;
} pair;

static void open_pair(pair *p, const char *fabric_spec, const char *method, const char *line) {
  ripstop_error err;
  p->arena = ripstop_arena_new();
  p->fabric = ripstop_fabric_open(fabric_spec, &err);
  p->names = ripstop_names_new(p->fabric);
  if (ripstop_faults_parse(p->arena, p->names, line, strlen(line), &p->faults, &err)) fail_msg("%s", err.text);
  p->by_node = stand_on(p->fabric, method, &p->faults);
  p->plain = *p->by_node.plan;
  assert_true(p->plain.by_node);
  p->plain.by_node = false;
}

static void close_pair(pair *p) {
  stand_close(&p->by_node);
  ripstop_names_free(p->names);
  ripstop_fabric_free(p->fabric);
  ripstop_arena_free(p->arena);
}

static void prove_by_node(const char *fabric_spec, const char *method, const char *line, bool choose_early) {
  pair p;
  open_pair(&p, fabric_spec, method, line);
  assert_int_equal(p.plain.choose_early, choose_early);
  ripstop_text once = {0}, each = {0};
  prove_from(0, p.by_node.plan, &once);
  prove_from(0, &p.plain, &each);
  assert_string_equal(once.data, each.data);
  ripstop_text_free(&once);
  ripstop_text_free(&each);
  close_pair(&p);
}

/* Proofs with and without losses and deadlocks; ties half-way round, early and by parity; headers. */
static void heads_by_node(void **unused) {
  (void)unused;
  prove_by_node("torus:5x5", "dor", "", false);
  prove_by_node("torus:4x6", "dor", "0.0/1", true);
  prove_by_node("torus:4x6", "dor:dateline=on", "1.2/0", true);
  prove_by_node("torus:4x6", "dor:halfway=parity", "switch:2.3", false);
  prove_by_node("kary-ntree:k=3,n=3", "updown", "0/0.1/4 1/1.1/3", false);
  prove_by_node("mport-ntree:m=4,n=3", "link-fault-messages", "0/0.1/2", false);
}

/* One prover over a plan by node, one that is not (which leaves other states under the same numbers), and the first
 * again, also with other faults: what it knew of heads at a switch it must have forgotten. */
static void prove_in_turn(const char *fabric_spec, const char *method, const char *line, const char *other) {
  pair p, q;
  open_pair(&p, fabric_spec, method, line);
  open_pair(&q, fabric_spec, method, other);
  const ripstop_plan *const turn[] = {p.by_node.plan, &q.plain, p.by_node.plan,
                                      q.by_node.plan, &p.plain, q.by_node.plan};
  ripstop_prover *prover = ripstop_prover_new(p.fabric);
  assert_non_null(prover);
  for (size_t i = 0; i < sizeof turn / sizeof *turn; i++) {
    ripstop_text fresh = {0}, again = {0};
    prove_from(0, turn[i], &fresh);
    prove_with(prover, turn[i], &again);
    if (strcmp(fresh.data, again.data)) fail_msg("%s %s, turn %u: another proof", fabric_spec, method, (unsigned)i);
    ripstop_text_free(&fresh);
    ripstop_text_free(&again);
  }
  ripstop_prover_free(prover);
  close_pair(&q);
  close_pair(&p);
}

static void one_prover_after_another_plan(void **unused) {
  (void)unused;
  prove_in_turn("torus:5x5", "dor", "", "1.1/0 2.3/1");
  prove_in_turn("torus:4x6", "dor:dateline=on", "1.2/0", "switch:2.3");
  prove_in_turn("torus:4x6", "dor:halfway=parity", "switch:2.3", "0.0/0");
  prove_in_turn("kary-ntree:k=3,n=3", "updown", "", "0/0.1/4 1/1.1/3");
  prove_in_turn("mport-ntree:m=4,n=3", "link-fault-messages", "0/0.1/2", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_by_index), cmocka_unit_test(numbers_by_hash),
                                     cmocka_unit_test(heads_by_node), cmocka_unit_test(one_prover_after_another_plan)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
