/* broken-turns.c - bubble rings on a torus without dimension order: a packet turns from any ring into any other, with
 * space for two packets each time. No ring fills, but rings wait for each other. */
#include "fabric/torus.h"
#include "nearer.h"

static const char *const losses[] = {NEARER_LOSSES, NULL};

static int route(const rs_plan *plan, const rs_head *head, rs_way *ways) {
  int count = nearer_ways(plan, head, ways);
  bool at_switch = head->in_port != RS_NONE;
  for (int i = 0; i < count && at_switch; i++) {
    bool goes_on = (head->in_port ^ 1) == ways[i].port;
    uint32_t port = plan->fabric->port_base[head->node] + ways[i].port;
    bool ring = !rs_is_end(plan->fabric, plan->fabric->port_node[plan->fabric->peer[port]]);
    if (ring && !goes_on) ways[i].space = 2;
  }
  return count;
}

static rs_answer plan(rs_plan *p, rs_error *err) {
  rs_torus torus;
  return rs_torus_from(p->fabric, &torus) ? nearer_plan(p, err) : RS_DOES_NOT_APPLY;
}

const rs_method rs_method_broken_turns = {
    .abi = RS_METHOD_ABI,
    .name = "broken-turns",
    .summary = "bubble rings without dimension order",
    .source = "a test",
    .options = nearer_options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .claims = nearer_claims,
};
