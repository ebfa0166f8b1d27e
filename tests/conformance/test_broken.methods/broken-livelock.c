/* broken-livelock.c - goes round for ever under some choices: any living link may be taken, until the last switch. */
#include "nearer.h"

static const char *const losses[] = {NEARER_LOSSES, NULL};

static int route(const rs_plan *plan, const rs_head *head, rs_way *ways) {
  if (head->in_port == RS_NONE || nearer_arrived(plan, head)) return nearer_ways(plan, head, ways);
  return nearer_anywhere(plan, head, ways);
}

const rs_method rs_method_broken_livelock = {
    .abi = RS_METHOD_ABI,
    .name = "broken-livelock",
    .summary = "goes round for ever under some choices",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = nearer_plan,
    .route = route,
    .claims = nearer_claims,
};
