/* broken-pair.c - never delivers what end node 1 sends to end node 2. */
#include "nearer.h"
#include "ripstop/plugin/method.h"

enum { HATED = NEARER_CUT_OFF + 1 };
static const char *const losses[] = {NEARER_LOSSES, [HATED] = "not from this one to that one", NULL};

static int route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  if (head->source == 1 && head->destination == 2 && nearer_arrived(plan, head)) return -(1 + HATED);
  return nearer_candidates(plan, head, candidates);
}

const ripstop_method ripstop_method_broken_pair = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-pair",
    .summary = "never delivers one pair",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = nearer_plan,
    .route = route,
    .guarantees = nearer_guarantees,
    .by_source = true,
};
