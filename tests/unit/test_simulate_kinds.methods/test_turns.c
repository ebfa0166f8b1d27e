/* test_turns.c - turns.h by class alone. */
#include "ripstop/plugin/method.h"
#include "turns.h"

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  return route_turns(p, head, 0, candidates);
}

const ripstop_method ripstop_method_test_turns = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-turns",
                                                  .summary = "one direction of a ring by class, for tests",
                                                  .source = "none",
                                                  .options = options,
                                                  .config_size = sizeof(config),
                                                  .losses = losses,
                                                  .plan = plan,
                                                  .route = route,
                                                  .guarantees = promise_nothing};
