/* test_turns_source.c - turns.h by class and source. */
#include "ripstop/plugin/method.h"
#include "turns.h"

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  return route_turns(p, head, head->source, candidates);
}

const ripstop_method ripstop_method_test_turns_source = {.abi = RIPSTOP_METHOD_ABI,
                                                         .name = "test-turns-source",
                                                         .summary =
                                                             "one direction of a ring by class and source, for tests",
                                                         .source = "none",
                                                         .options = options,
                                                         .config_size = sizeof(config),
                                                         .losses = losses,
                                                         .by_source = true,
                                                         .plan = plan,
                                                         .route = route,
                                                         .guarantees = promise_nothing};
