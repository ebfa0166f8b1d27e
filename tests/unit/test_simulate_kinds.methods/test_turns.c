/* test_turns.c - turns.h by class alone. */
#include "turns.h"

static int route(const rs_plan *p, const rs_head *head, rs_way *ways) { return route_turns(p, head, 0, ways); }

const rs_method rs_method_test_turns = {.abi = RS_METHOD_ABI,
                                        .name = "test-turns",
                                        .summary = "one way round a ring by class, for tests",
                                        .source = "none",
                                        .options = options,
                                        .config_size = sizeof(config),
                                        .losses = losses,
                                        .plan = plan,
                                        .route = route,
                                        .claims = claims};
