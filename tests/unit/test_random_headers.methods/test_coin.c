/* test_coin.c - a test's method for rings: each packet chooses its direction at random, and keeps to it. */
#include "promises.h"
#include "ripstop/plugin/method.h"

enum { FAILED_LINK };
static const char *const losses[] = {[FAILED_LINK] = "failed link", NULL};
static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  p->random_headers = 2;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  bool first = ripstop_is_end(f, head->node), last = ripstop_end_switch(f, head->destination) == head->node;
  uint32_t port = first ? 0 : last ? ripstop_end_switch_port(f, head->destination) : (uint32_t)head->header - 1;
  *candidates =
      (ripstop_candidate){.port = (uint16_t)port, .space = 1, .header = first ? 1 + head->header : head->header};
  return p->view->port_up[f->port_base[head->node] + port] ? 1 : -(1 + FAILED_LINK);
}

const ripstop_method ripstop_method_test_coin = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "test-coin",
    .summary = "rings: a coin decides the direction",
    .source = "a test",
    .options = options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = promise_nothing,
};
