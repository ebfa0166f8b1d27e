/* test_prove_states.c - the prover numbers states on from destination to destination; a proof in the midst of which the
 * numbers run out is the same as any other, with states that are found by index and with such that are found by hash.
 * And what it does once for all heads at a switch (ripstop_plan.by_node) is what it would do for each. */
#include <string.h>

#include "check.h"
#include "prove/prover.h"
#include "stand.h"

static void prove_from(uint32_t before, const ripstop_plan *plan, ripstop_text *out) {
  ripstop_error err;
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  assert_non_null(prover);
  prover->before = before;
  if (ripstop_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  if (before) assert_true(prover->before < before); /* they ran out */
  ripstop_set_proof set = {.faults = &(ripstop_faults){0}, .weight = 1, .plan = plan, .proof = proof};
  assert_int_equal(ripstop_set_proof_print(out, plan->fabric, &set), 0);
  ripstop_text_add(out, "%llu states\n", (unsigned long long)proof.states);
  ripstop_prover_free(prover);
}

static void run_out(const char *fabric_spec, const char *method) {
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open(fabric_spec, &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_open(view, method, NULL, &err);
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

static void prove_by_node(const char *fabric_spec, const char *method, const char *line) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open(fabric_spec, &err);
  ripstop_faults faults;
  ripstop_names *names = ripstop_names_new(fabric);
  if (ripstop_faults_parse(arena, names, line, strlen(line), &faults, &err)) fail_msg("%s", err.text);
  stand s = stand_on(fabric, method, &faults);
  ripstop_plan plain = *s.plan;
  ripstop_text once = {0}, each = {0};
  assert_true(s.plan->by_node);
  plain.by_node = false;
  prove_from(0, s.plan, &once);
  prove_from(0, &plain, &each);
  assert_string_equal(once.data, each.data);
  ripstop_text_free(&once);
  ripstop_text_free(&each);
  stand_close(&s);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

/* Proofs with and without losses and deadlocks; ties half-way round; headers. */
static void heads_by_node(void **unused) {
  (void)unused;
  prove_by_node("torus:5x5", "dor", "");
  prove_by_node("torus:4x6", "dor:dateline=on", "1.2/0");
  prove_by_node("torus:4x6", "dor:halfway=parity", "switch:2.3");
  prove_by_node("kary-ntree:k=3,n=3", "updown", "0/0.1/4 1/1.1/3");
  prove_by_node("mport-ntree:m=4,n=3", "link-fault-messages", "0/0.1/2");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_by_index), cmocka_unit_test(numbers_by_hash),
                                     cmocka_unit_test(heads_by_node)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
