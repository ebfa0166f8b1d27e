/* test_flood_settled.c - the same with switches that know from the start what is dead. */
#include "unit/test_simulate_control.methods/flood.h"

static uint32_t three(const rs_plan *plan, const void *message) {
  (void)plan, (void)message;
  return 3;
}

static const rs_proto proto = {.message_size = sizeof(flood_message),
                               .flits = three,
                               .settled = true,
                               .state_size = flood_state_size,
                               .step = flood_step,
                               .ways = flood_ways,
                               .delay = flood_delay,
                               .print = flood_print};
const rs_method rs_method_test_flood_settled = FLOOD_METHOD("test-flood-settled");
