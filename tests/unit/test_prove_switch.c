/* test_prove_switch.c - proofs for the three rules by which a packet waits: for any of its candidates; for one of the
 * lowest rank or those of higher ranks (a selection function binds it); for one candidate (switches bind it when it
 * enters, RIPSTOP_SWITCH_WAITS_ONE).
 *
 * Where a method permits one candidate at each head, nothing can be bound and the verdicts agree. Where its freedom
 * from deadlock rests on an escape, waiting for one candidate makes it deadlock (Duato: a head must wait for any of its
 * candidates), and so does a selection function that binds if the escape has no rank of its own. Each verdict comes
 * with a certificate, which the checker (plain enumeration, nothing shared with the prover) confirms for its own
 * rule. A packet of a later rule waits for fewer queues, so a deadlock of an earlier rule is one of the later rules,
 * and the checker refutes certificates of other verdicts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "prove/prover.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/switch.h"

static const ripstop_switch bound = {.name = "bound", .waits = RIPSTOP_SWITCH_WAITS_ONE};

typedef enum rule { ANY, BOUND, ONE, RULES } rule;
typedef struct verdicts {
  bool is_free[RULES];
} verdicts;

static void wait_as(ripstop_plan *plan, rule own) {
  plan->switch_ = own == ONE ? &bound : NULL;
  plan->binding = own == BOUND ? "ecmp" : NULL;
}

/* The certificate of the last proof, as the text of the plan without its rule. */
static ripstop_certificate *certify(ripstop_plan *plan, const ripstop_proof *proof) {
  char *text = NULL;
  size_t length = 0;
  ripstop_error err;
  wait_as(plan, ANY);
  FILE *memory = open_memstream(&text, &length);
  assert_non_null(memory);
  assert_int_equal(ripstop_certificate_write(memory, plan, proof), 0);
  fclose(memory);
  ripstop_certificate *certificate = ripstop_certificate_parse("proof", text, length, &err);
  if (!certificate) fail_msg("%s", err.text);
  free(text);
  return certificate;
}

static ripstop_check check_for(const ripstop_certificate *certificate, ripstop_plan *plan, rule own) {
  ripstop_error err;
  ripstop_text verdict = {0};
  wait_as(plan, own);
  const ripstop_check result = ripstop_certificate_check(certificate, plan, &verdict, NULL, &err);
  ripstop_text_free(&verdict);
  return result;
}

/* Proves the plan for this rule, and checks the certificate against each other rule. */
static bool prove_for(ripstop_plan *plan, rule own, ripstop_check other[RULES]) {
  ripstop_error err;
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  wait_as(plan, own);
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  ripstop_certificate *certificate = certify(plan, &proof);
  for (int i = 0; i < RULES; i++) other[i] = check_for(certificate, plan, i);
  const bool is_free = proof.deadlock_free;
  ripstop_certificate_free(certificate);
  ripstop_prover_free(prover);
  return is_free;
}

static verdicts judge(const char *fabric_spec, const char *method) {
  ripstop_error err;
  verdicts v;
  ripstop_check other[RULES][RULES];
  ripstop_fabric *fabric = ripstop_fabric_open(fabric_spec, &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_open(view, method, NULL, &err);
  if (!plan) fail_msg("%s", err.text);
  for (int i = 0; i < RULES; i++) v.is_free[i] = prove_for(plan, i, other[i]);
  for (int i = 0; i < RULES; i++)
    for (int k = 0; k < RULES; k++) {
      if (v.is_free[i] != v.is_free[k]) assert_int_equal(other[i][k], RIPSTOP_REFUTED);
      if (v.is_free[i] == v.is_free[k] && (v.is_free[i] ? k <= i : k >= i))
        assert_int_equal(other[i][k], RIPSTOP_CONFIRMED);
      if (k > i && !v.is_free[i]) assert_false(v.is_free[k]);
    }
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  return v;
}

static void expect(const char *fabric, const char *method, bool any, bool with_binding, bool one) {
  const verdicts v = judge(fabric, method);
  if (v.is_free[ANY] != any || v.is_free[BOUND] != with_binding || v.is_free[ONE] != one)
    fail_msg("%s on %s: free %d, %d if bound, %d for one", method, fabric, v.is_free[ANY], v.is_free[BOUND],
             v.is_free[ONE]);
}

static void one_candidate_each(void **unused) {
  (void)unused;
  static const struct {
    const char *fabric, *method;
    bool is_free;
  } cases[] = {
      {"torus:4x4", "dor:dateline=on", true},   {"torus:5x5", "dor", false},          {"torus:6", "dor", false},
      {"torus:3x3x3", "dor:dateline=on", true}, {"torus:4", "dor:dateline=on", true}, {"torus:4x4", "mend", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const bool is_free = cases[i].is_free;
    expect(cases[i].fabric, cases[i].method, is_free, is_free, is_free);
  }
}

/* Up and then down has no cycle, whichever candidate a packet is bound to. */
static void trees(void **unused) {
  (void)unused;
  static const char *const fabrics[] = {"kary-ntree:k=3,n=2", "kary-ntree:k=2,n=4", "mport-ntree:m=4,n=3"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    expect(fabrics[i], "updown", true, true, true);
  }
}

static void escapes_do_not_help(void **unused) {
  (void)unused;
  static const struct {
    const char *fabric, *method;
  } cases[] = {{"torus:4x4", "minimal-adaptive"},
               {"torus:5", "minimal-adaptive"},
               {"torus:5x5", "minimal-adaptive:escape=dateline"},
               {"torus:4x4", "ordered"},
               {"torus:4x4", "immunet"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const verdicts v = judge(cases[i].fabric, cases[i].method);
    assert_true(v.is_free[ANY]);
    assert_false(v.is_free[ONE]);
  }
}

/* A packet that is bound keeps its candidates of higher ranks, and loses the others. test_prove_rings.c finds the same
 * verdicts from all states of such rings. */
static void binding_leaves_higher_ranks(void **unused) {
  (void)unused;
  expect("torus:3", "level:escape=higher", true, true, false);
  expect("torus:3", "level:escape=same", true, false, false);
  expect("torus:5", "level:escape=higher", true, true, false);
  expect("torus:5", "level:escape=same", true, false, false);
  expect("torus:5x5", "minimal-adaptive:escape=dateline", true, true, false);
}

/* The methods that bind by themselves. */
static void methods_that_bind(void **unused) {
  (void)unused;
  uint32_t found = 0;
  for (uint32_t i = 0; ripstop_methods[i]; i++) {
    const ripstop_method *method = ripstop_methods[i];
    const char *own = ripstop_own_binding(method);
    const char *selection = method->selection;
    const bool binds = selection && (strstr(selection, "binds=on") || strcmp(selection, "ecmp") == 0);
    if (binds) assert_string_equal(own, method->selection);
    if (!binds && own) fail_msg("%s: %s", method->name, own);
    found += binds;
  }
  assert_true(found >= 5);
  expect("hyperx:3x3,p=1", "hyperx-dal", true, true, false);
  expect("kns:k=3,n=2", "ugal", true, true, true);
  expect("dragonfly:a=2,p=1,h=1", "dragonfly-ugal", true, true, true);
  expect("dragonfly:a=2,p=1,h=1", "ugal-global", true, true, true);
  expect("dragonfly:a=2,p=1,h=1", "dragonfly-par", true, true, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_candidate_each), cmocka_unit_test(trees), cmocka_unit_test(escapes_do_not_help),
      cmocka_unit_test(binding_leaves_higher_ranks), cmocka_unit_test(methods_that_bind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
