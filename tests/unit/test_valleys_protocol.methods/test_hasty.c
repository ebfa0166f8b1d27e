/* test_hasty.c - switches permit all their allowed turns at once, and wait for no other switch. */
#define ORIGINAL ripstop_method_before_hasty
#include "mutant.h"
#include "ripstop/plugin/method.h"

static void mutant_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                        ripstop_actions *actions) {
  ripstop_valleys_step(p, node, state, event, actions);
  arrays a = ripstop_valleys_open_memory(p, node, state);
  for (uint32_t port = 0; port < ripstop_node_ports(p->fabric, node); port++) a.permitted[port] = a.turn[port];
}

MUTANT_PROTO(mutant_step);
const ripstop_method ripstop_method_test_hasty = MUTANT("test-hasty");
