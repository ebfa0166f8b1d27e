/* broken-livelock.c - circulates forever under some choices: any link that is up may be taken until the last switch.
 */
#include "nearer.h"
#include "ripstop/plugin/method.h"

static const char *const losses[] = {NEARER_LOSSES, NULL};

static int route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  if (head->in_port == RIPSTOP_NONE || nearer_arrived(plan, head)) return nearer_candidates(plan, head, candidates);
  return nearer_anywhere(plan, head, candidates);
}

const ripstop_method ripstop_method_broken_livelock = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-livelock",
    .summary = "circulates forever under some choices",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = nearer_plan,
    .route = route,
    .guarantees = nearer_guarantees,
};
