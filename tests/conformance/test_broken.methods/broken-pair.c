/* broken-pair.c - never delivers what end node 1 sends to end node 2. */
#include "nearer.h"

enum { HATED = NEARER_CUT_OFF + 1 };
static const char *const losses[] = {NEARER_LOSSES, [HATED] = "not from this one to that one", NULL};

static int route(const rs_plan *plan, const rs_head *head, rs_way *ways) {
  if (head->source == 1 && head->destination == 2 && nearer_arrived(plan, head)) return -(1 + HATED);
  return nearer_ways(plan, head, ways);
}

const rs_method rs_method_broken_pair = {
    .abi = RS_METHOD_ABI,
    .name = "broken-pair",
    .summary = "never delivers one pair",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = nearer_plan,
    .route = route,
    .claims = nearer_claims,
    .by_source = true,
};
