/* broken-turns.c - bubble rings on a torus without dimension order: a packet turns from any ring into any other, with
 * space for two packets each time. No ring fills, but rings wait for each other. */
#include "fabric/torus.h"
#include "nearer.h"
#include "ripstop/plugin/method.h"

static const char *const losses[] = {NEARER_LOSSES, NULL};

static int route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  int count = nearer_candidates(plan, head, candidates);
  bool at_switch = head->in_port != RIPSTOP_NONE;
  for (int i = 0; i < count && at_switch; i++) {
    bool goes_on = (head->in_port ^ 1) == candidates[i].port;
    uint32_t port = plan->fabric->port_base[head->node] + candidates[i].port;
    bool ring = !ripstop_is_end(plan->fabric, plan->fabric->port_node[plan->fabric->peer[port]]);
    if (ring && !goes_on) candidates[i].space = 2;
  }
  return count;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  ripstop_torus torus;
  p->bubble = true;
  return ripstop_torus_from(p->fabric, &torus) ? nearer_plan(p, err) : RIPSTOP_DOES_NOT_APPLY;
}

const ripstop_method ripstop_method_broken_turns = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "broken-turns",
    .summary = "bubble rings without dimension order",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = nearer_guarantees,
};
