/* test_turns_source.c - turns.h by class and source. */
#include "turns.h"

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) {
  return route_turns(p, head, head->source, ways);
}

const rs_method rs_method_test_turns_source = {.abi = RS_METHOD_ABI,
                                               .name = "test-turns-source",
                                               .summary = "one way round a ring by class and source, for tests",
                                               .source = "none",
                                               .options = options,
                                               .config_size = sizeof(config),
                                               .losses = losses,
                                               .by_source = true,
                                               .plan = plan,
                                               .route = route,
                                               .claims = claims};
