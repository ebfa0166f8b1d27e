/* prove_users.c - proofs for programs: of one plan, and of many fault sets. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "prove/proof.h"
#include "ripstop/plugin/method.h"
#include "route/result.h"

ripstop_prove_settings ripstop_prove_defaults(void) { return (ripstop_prove_settings){.threads = 1, .seed = 1}; }

static void add_mean(ripstop_value *value, size_t *count, const char *name, uint64_t sum, uint64_t pairs) {
  value[(*count)++] = ripstop_proof_value(name, pairs ? (double)sum / (double)pairs : NAN);
}

static void add_paths(ripstop_value *value, size_t *count, const ripstop_paths *p) {
  add_mean(value, count, "paths.minimum_mean", p->minimum, p->pairs);
  add_mean(value, count, "paths.shortest_mean", p->shortest, p->pairs);
  add_mean(value, count, "paths.longest_mean", p->longest, p->pairs);
}

static const char *kept(ripstop_arena *arena, const char *text) {
  return text ? ripstop_arena_text(arena, text) : NULL;
}

static ripstop_result *keep(const ripstop_plan *plan, const ripstop_proof *proof, bool paths) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_value *value = RIPSTOP_ARRAY(arena, RIPSTOP_PROOF_VALUES, ripstop_value);
  size_t values = ripstop_proof_values(proof, plan, value);
  if (paths) add_paths(value, &values, &proof->paths);
  ripstop_result *result = ripstop_result_in(arena, value, values);
  ripstop_result_add_text(result, "verdict", ripstop_deadlock_words[proof->deadlock]);
  ripstop_result_add_text(result, "lost", kept(arena, proof->lost_walk));
  ripstop_result_add_text(result, "never", kept(arena, proof->never_walk));
  ripstop_result_add_text(result, "livelock", kept(arena, proof->livelock_walk));
  return result;
}

static ripstop_result *prove(const ripstop_plan *plan, const ripstop_prove_settings *s, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_proof proof;
  ripstop_plan own = *plan; /* with the method's own selection function, unless the caller says another */
  if (!own.binding) own.binding = ripstop_own_binding(plan->method);
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  ripstop_prover_paths(prover, s->paths);
  int status = ripstop_prover_threads(prover, s->threads ? s->threads : 1) ||
                       ripstop_prover_destinations(prover, s->destinations, s->seed) ||
                       ripstop_prover_prove(prover, &own, &proof, err)
                   ? -1
                   : 0;
  ripstop_result *result = status ? NULL : keep(plan, &proof, s->paths);
  ripstop_prover_free(prover);
  return result;
}

ripstop_result *ripstop_prove(const ripstop_plan *plan, const ripstop_prove_settings *settings, ripstop_error *err) {
  const ripstop_prove_settings defaults = ripstop_prove_defaults();
  return plan ? prove(plan, settings ? settings : &defaults, err) : NULL;
}

/* ------------------------------------------------------------------ many sets */

ripstop_prove_sets_settings ripstop_prove_sets_defaults(void) {
  return (ripstop_prove_sets_settings){
      .scope = "switch-links", .count = 1, .samples = 1000, .seed = 1, .confidence = 0.99, .threads = 1};
}

static ripstop_many many_of(const ripstop_fabric *fabric, const char *method, const ripstop_prove_sets_settings *s) {
  return (ripstop_many){.fabric = fabric,
                        .method = method,
                        .kind = s->samples ? RIPSTOP_SETS_SAMPLED : RIPSTOP_SETS_ALL,
                        .count = s->count,
                        .symmetry = true,
                        .samples = s->samples,
                        .seed = s->seed,
                        .confidence = s->confidence,
                        .tolerance = s->deliver_only,
                        .threads = s->threads ? s->threads : 1,
                        .stop = s->stop};
}

static ripstop_result *keep_sets(const ripstop_many *many, const ripstop_tally *tally) {
  enum { MOST = 10 };
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_value *value = RIPSTOP_ARRAY(arena, MOST, ripstop_value);
  size_t values = ripstop_tally_shares(many, tally, value);
  values += ripstop_tally_waits(many, tally, value + values);
  return ripstop_result_in(arena, value, values);
}

static ripstop_result *prove_sets(const ripstop_fabric *fabric, const char *method,
                                  const ripstop_prove_sets_settings *s, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  if (!(s->confidence >= 0.5 && s->confidence < 1)) {
    ripstop_fail(err, "confidence = %g is outside 0.5 .. 1", s->confidence);
    return NULL;
  }
  ripstop_tally tally;
  ripstop_many many = many_of(fabric, method, s);
  const ripstop_method *found = ripstop_method_find(method, strcspn(method, ":"), err);
  if (!found) return NULL;
  many.binding = ripstop_own_binding(found);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_names *names = ripstop_names_new(fabric);
  int status = ripstop_scope_open(arena, names, s->scope ? s->scope : "switch-links", &many.scope, err);
  if (!status) status = ripstop_prove_many(&many, &tally, err);
  ripstop_names_free(names);
  ripstop_arena_free(arena);
  if (status > 0) ripstop_fail(err, "stopped");
  return status ? NULL : keep_sets(&many, &tally);
}

ripstop_result *ripstop_prove_sets(const ripstop_fabric *fabric, const char *method,
                                   const ripstop_prove_sets_settings *settings, ripstop_error *err) {
  const ripstop_prove_sets_settings defaults = ripstop_prove_sets_defaults();
  return fabric ? prove_sets(fabric, method, settings ? settings : &defaults, err) : NULL;
}
