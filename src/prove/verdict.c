/* verdict.c - the verdict on deadlock of a method whose forwarding tables are available.
 *
 * The channel dependency graph of deterministic tables decides with credits: without a cycle nothing waits forever,
 * and along a cycle full queues do. If the graph shows a cycle but does not decide (the method requires bubble flow
 * control, or has virtual channels that the tables do not name), the proof over all states of the plan does. */
#include "base/memory.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"

static int decide_by_proof(ripstop_arena *arena, const ripstop_plan *plan, ripstop_plan_waits *out,
                           ripstop_error *err) {
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  int status = ripstop_prover_prove(prover, plan, &proof, err);
  if (!status) {
    *out = (ripstop_plan_waits){.verdict = proof.deadlock, .proved = true};
    out->queues = proof.deadlock_free ? 0 : proof.queues;
    ripstop_deadlocked_packet *queue = RIPSTOP_ARRAY(arena, out->queues, ripstop_deadlocked_packet);
    for (uint32_t i = 0; i < out->queues; i++) queue[i] = proof.queue[i];
    out->queue = queue;
  }
  ripstop_prover_free(prover);
  return status;
}

int ripstop_plan_deadlock(ripstop_arena *arena, const ripstop_plan *plan, bool loop, bool whole,
                          ripstop_plan_waits *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *out = (ripstop_plan_waits){.verdict = ripstop_deadlock_of_tables(loop)};
  return loop && (plan->bubble || !whole) ? decide_by_proof(arena, plan, out, err) : 0;
}
