/* test_tight.c - packets enter a ring that has room for one of them only. */
#define ORIGINAL rs_method_before_tight
#include "mutant.h"

static int mutant_ways(const rs_plan *p, const void *state, const rs_head *head, rs_way *way) {
  int count = ways(p, state, head, way);
  for (int i = 0; i < count; i++)
    if (way[i].channel == SAFE_CHANNEL) way[i].space = 1;
  return count;
}

MUTANT_PROTO(step, mutant_ways);
const rs_method rs_method_test_tight = MUTANT("test-tight");
