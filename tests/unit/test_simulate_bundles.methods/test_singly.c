/* test_singly.c - updown, but it proposes each candidate by itself. */
#include "ripstop/plugin/method.h"

extern const ripstop_method ripstop_method_updown;

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) { return ripstop_method_updown.plan(p, err); }

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  int count = ripstop_method_updown.route(p, head, candidates);
  return count > 0 ? ripstop_candidates_expand(candidates, count, p->candidates_max) : count;
}

static void guarantees(const ripstop_fabric *fabric, const void *config, ripstop_guarantees *out) {
  ripstop_method_updown.guarantees(fabric, config, out);
}

static const char *const losses[] = {"up", "down", "cut off", NULL};
static const ripstop_option options[] = {{0}};

const ripstop_method ripstop_method_test_singly = {.abi = RIPSTOP_METHOD_ABI,
                                                   .name = "test-singly",
                                                   .summary = "updown with each candidate by itself, for tests",
                                                   .source = "none",
                                                   .options = options,
                                                   .losses = losses,
                                                   .plan = plan,
                                                   .route = route,
                                                   .guarantees = guarantees};
