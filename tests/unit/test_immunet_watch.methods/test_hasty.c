/* test_hasty.c - packets that come into the first router by its first port are given up. */
#define ORIGINAL rs_method_before_hasty
#include "mutant.h"

static int mutant_ways(const rs_plan *p, const void *state, const rs_head *head, rs_way *way) {
  int count = ways(p, state, head, way);
  bool here = head->node == p->fabric->ends && head->in_port == 0;
  return count > 0 && here ? -(1 + NO_PATH) : count;
}

MUTANT_PROTO(step, mutant_ways);
const rs_method rs_method_test_hasty = MUTANT("test-hasty");
