/* test_greedy.c - switches go on permitting turns that the new set of allowed turns lacks until all agree on it. */
#define ORIGINAL ripstop_method_before_greedy
#include "mutant.h"
#include "ripstop/plugin/method.h"

static void mutant_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                        ripstop_actions *actions) {
  arrays a = ripstop_valleys_open_memory(p, node, state);
  uint64_t before[PORTS_MAX] = {0};
  uint32_t ports = ripstop_node_ports(p->fabric, node);
  for (uint32_t port = 0; port < ports; port++) before[port] = a.permitted[port];
  ripstop_valleys_step(p, node, state, event, actions);
  for (uint32_t port = 0; port < ports && !a.m->agreed; port++) a.permitted[port] |= before[port];
}

MUTANT_PROTO(mutant_step);
const ripstop_method ripstop_method_test_greedy = MUTANT("test-greedy");
