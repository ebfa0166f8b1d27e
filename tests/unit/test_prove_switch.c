/* test_prove_switch.c - proofs for switches that bind each packet to one candidate when it enters (plugin/switch.h,
 * RIPSTOP_SWITCH_WAITS_ONE) against those of switches in which packets wait for any.
 *
 * Where a method permits one candidate at each head, nothing can be bound and the verdicts agree. Where its freedom
 * from deadlock rests on an escape, binding makes it deadlock (Duato: a head must wait for any of its candidates). Each
 * verdict comes with a certificate, which the checker (plain enumeration, nothing shared with the prover) confirms for
 * its own kind of switch; and a deadlock of bound packets alone is refuted for the other kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "prove/prover.h"
#include "ripstop/plugin/switch.h"

static const ripstop_switch bound = {.name = "bound", .waits = RIPSTOP_SWITCH_WAITS_ONE};

typedef struct verdicts {
  bool any, one; /* free of deadlock */
} verdicts;

/* The certificate of the last proof, as the text of the plan without its switch. */
static ripstop_certificate *certify(ripstop_plan *plan, const ripstop_proof *proof) {
  char *text = NULL;
  size_t length = 0;
  ripstop_error err;
  const ripstop_switch *own = plan->switch_;
  plan->switch_ = NULL;
  FILE *memory = open_memstream(&text, &length);
  assert_non_null(memory);
  assert_int_equal(ripstop_certificate_write(memory, plan, proof), 0);
  fclose(memory);
  plan->switch_ = own;
  ripstop_certificate *certificate = ripstop_certificate_parse("proof", text, length, &err);
  if (!certificate) fail_msg("%s", err.text);
  free(text);
  return certificate;
}

static ripstop_check check_for(const ripstop_certificate *certificate, ripstop_plan *plan, const ripstop_switch *own) {
  ripstop_error err;
  ripstop_text verdict = {0};
  const ripstop_switch *before = plan->switch_;
  plan->switch_ = own;
  const ripstop_check result = ripstop_certificate_check(certificate, plan, &verdict, NULL, &err);
  plan->switch_ = before;
  ripstop_text_free(&verdict);
  return result;
}

/* Proves the plan for this kind of switch. */
static bool prove_for(ripstop_plan *plan, const ripstop_switch *own, ripstop_check *other) {
  ripstop_error err;
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  plan->switch_ = own;
  if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  ripstop_certificate *certificate = certify(plan, &proof);
  assert_int_equal(check_for(certificate, plan, own), RIPSTOP_CONFIRMED);
  *other = check_for(certificate, plan, own ? NULL : &bound);
  const bool is_free = proof.deadlock_free;
  ripstop_certificate_free(certificate);
  ripstop_prover_free(prover);
  return is_free;
}

static verdicts judge(const char *fabric_spec, const char *method) {
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open(fabric_spec, &err);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_open(view, method, NULL, &err);
  if (!plan) fail_msg("%s", err.text);
  ripstop_check any_if_bound, bound_if_any;
  const verdicts v = {prove_for(plan, NULL, &any_if_bound), prove_for(plan, &bound, &bound_if_any)};
  if (!v.any) assert_false(v.one); /* the same packets wait, each for one of the queues */
  if (!v.any) assert_int_equal(any_if_bound, RIPSTOP_CONFIRMED);
  if (v.one) assert_int_equal(bound_if_any, RIPSTOP_CONFIRMED);
  if (v.any && !v.one) assert_int_equal(any_if_bound, RIPSTOP_REFUTED);
  if (v.any && !v.one) assert_int_equal(bound_if_any, RIPSTOP_REFUTED);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  return v;
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
    const verdicts v = judge(cases[i].fabric, cases[i].method);
    assert_int_equal(v.any, cases[i].is_free);
    assert_int_equal(v.one, cases[i].is_free);
  }
}

/* Up and then down has no cycle, whichever candidate a packet is bound to. */
static void trees(void **unused) {
  (void)unused;
  static const char *const fabrics[] = {"kary-ntree:k=3,n=2", "kary-ntree:k=2,n=4", "mport-ntree:m=4,n=3"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    const verdicts v = judge(fabrics[i], "updown");
    assert_true(v.any && v.one);
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
    assert_true(v.any);
    assert_false(v.one);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_candidate_each), cmocka_unit_test(trees),
                                     cmocka_unit_test(escapes_do_not_help)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
