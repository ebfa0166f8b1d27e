/* test_swaps.c - the mesh that changes its order, by tables alone. */
#include "swaps.h"

static const ripstop_option options[] = {{0}};

const ripstop_method ripstop_method_test_swaps = {.abi = RIPSTOP_METHOD_ABI,
                                                  .name = "test-swaps",
                                                  .summary = "dimension order, the other one with failed links",
                                                  .source = "tests",
                                                  .options = options,
                                                  .losses = swaps_losses,
                                                  .plan = swaps_plan,
                                                  .route = swaps_route,
                                                  .guarantees = promise_nothing};
