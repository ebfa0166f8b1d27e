/* test_hasty.c - packets that come into the first router by its first port are given up. */
#define ORIGINAL ripstop_method_before_hasty
#include "mutant.h"
#include "ripstop/plugin/method.h"

static int mutant_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                             ripstop_candidate *candidate) {
  int count = ripstop_immunet_protocol_candidates(p, state, head, candidate);
  bool here = head->node == p->fabric->ends && head->in_port == 0;
  return count > 0 && here ? -(1 + NO_PATH) : count;
}

MUTANT_PROTO(ripstop_immunet_step, mutant_candidates);
const ripstop_method ripstop_method_test_hasty = MUTANT("test-hasty");
