/* broken-loss.c - loses packets under some choices: the first switch may send a packet anywhere, with a mark in its
 * header, and a switch that is not the last discards marked packets. */
#include "nearer.h"
#include "ripstop/plugin/method.h"

enum { MARKED = NEARER_CUT_OFF + 1 };
static const char *const losses[] = {NEARER_LOSSES, [MARKED] = "marked", NULL};

static int route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  if (head->header && !nearer_arrived(plan, head)) return -(1 + MARKED);
  bool first =
      head->in_port != RIPSTOP_NONE && head->node == ripstop_end_switch(plan->fabric, head->source) && !head->header;
  if (!first || nearer_arrived(plan, head)) return nearer_candidates(plan, head, candidates);
  int count = nearer_anywhere(plan, head, candidates);
  for (int i = 0; i < count; i++) {
    const ripstop_fabric *f = plan->fabric;
    uint32_t next = f->port_node[f->peer[f->port_base[head->node] + candidates[i].port]];
    candidates[i].header = nearer_distance(plan, head, next) > nearer_distance(plan, head, head->node);
  }
  return count;
}

const ripstop_method ripstop_method_broken_loss = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-loss",
    .summary = "loses packets under some choices",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = nearer_plan,
    .route = route,
    .guarantees = nearer_guarantees,
    .by_source = true,
};
