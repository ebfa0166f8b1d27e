/* test_tight.c - packets enter a ring that has room for one of them only. */
#define ORIGINAL ripstop_method_before_tight
#include "mutant.h"
#include "ripstop/plugin/method.h"

static int mutant_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                             ripstop_candidate *candidate) {
  int count = ripstop_immunet_protocol_candidates(p, state, head, candidate);
  for (int i = 0; i < count; i++)
    if (candidate[i].channel == SAFE_CHANNEL) candidate[i].space = 1;
  return count;
}

MUTANT_PROTO(ripstop_immunet_step, mutant_candidates);
const ripstop_method ripstop_method_test_tight = MUTANT("test-tight");
