/* test_lossy.c - a test's method for rings: of 32 packets one is lost at its source, and the others choose their
 * direction at random, so that they overtake each other. */
#include "promises.h"
#include "ripstop/plugin/method.h"

enum { DROPPED, FAILED_LINK };
enum { DRAWS = 32 };
static const char *const losses[] = {[DROPPED] = "dropped", [FAILED_LINK] = "failed link", NULL};
static const ripstop_option options[] = {{0}};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  p->random_headers = DRAWS;
  return RIPSTOP_APPLIES;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *ways) {
  const ripstop_fabric *f = p->fabric;
  const bool first = ripstop_is_end(f, head->node), last = ripstop_end_switch(f, head->destination) == head->node;
  const uint32_t port = first ? 0 : last ? ripstop_end_switch_port(f, head->destination) : (uint32_t)head->header % 2;
  if (first && head->header == 0) return -(1 + DROPPED);
  *ways = (ripstop_candidate){.port = (uint16_t)port, .space = 1, .header = head->header};
  return p->view->port_up[f->port_base[head->node] + port] ? 1 : -(1 + FAILED_LINK);
}

const ripstop_method ripstop_method_test_lossy = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "test-lossy",
    .summary = "rings: a random bit decides the direction, and whether a packet is lost",
    .source = "a test",
    .options = options,
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = promise_nothing,
};
