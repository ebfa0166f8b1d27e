/* test_flood_settled.c - the same with switches that know all failed links from the start. */
#include "ripstop/plugin/method.h"
#include "unit/test_simulate_control.methods/flood.h"

static uint32_t three(const ripstop_plan *plan, const void *message) {
  (void)plan, (void)message;
  return 3;
}

static const ripstop_proto proto = {.message_size = sizeof(flood_message),
                                    .flits = three,
                                    .settled = true,
                                    .state_size = flood_state_size,
                                    .step = flood_step,
                                    .candidates = flood_candidates,
                                    .delay = flood_delay,
                                    .print = flood_print};
const ripstop_method ripstop_method_test_flood_settled = FLOOD_METHOD("test-flood-settled");
