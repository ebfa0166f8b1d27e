/* unbroken.c - a test's method: straight to the destination's switch and on, which applies to a single switch whose
 * links are all up. */
#include "promises.h"
#include "ripstop/plugin/method.h"

static const ripstop_option options[] = {{0}};
static const char *const losses[] = {"failed link", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  if (!p->view->failed_links) return RIPSTOP_APPLIES;
  ripstop_fail(err, "unbroken: %u links are down", p->view->failed_links);
  return RIPSTOP_DOES_NOT_APPLY;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  bool at_source = head->node < f->ends;
  uint32_t port = at_source ? f->port_base[head->node] : f->peer[f->port_base[head->destination]];
  if (!p->view->port_up[port]) return -1;
  candidates[0] = (ripstop_candidate){.port = (uint16_t)(port - f->port_base[head->node]), .space = 1};
  return 1;
}

const ripstop_method ripstop_method_unbroken = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "unbroken",
    .summary = "one switch, no faults",
    .source = "a test",
    .options = options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = promise_nothing,
};
