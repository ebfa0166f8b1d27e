/* test_careless.c - switches take what others are ready for, or agree on, for what they know themselves, and do not
 * wait for the words that went before. */
#define ORIGINAL ripstop_method_before_careless
#include "mutant.h"
#include "ripstop/plugin/method.h"

static void mutant_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                        ripstop_actions *actions) {
  memory *m = state;
  arrays a = ripstop_valleys_open_memory(p, node, state);
  for (uint32_t port = 0; port < ripstop_node_ports(p->fabric, node); port++) {
    if (a.port[port].ready.version) a.port[port].ready = (vote){.version = m->version};
    if (a.port[port].go.version) a.port[port].go = (vote){.version = m->version};
  }
  ripstop_event changed = *event;
  message said;
  if (event->kind == RIPSTOP_EVENT_MESSAGE) {
    said = *(const message *)event->message;
    if (said.kind == READY || said.kind == GO) said.stamp = m->version;
    said.sent = said.kind == LINKS ? said.sent : 0;
    changed.message = &said;
  }
  ripstop_valleys_step(p, node, state, &changed, actions);
}

MUTANT_PROTO(mutant_step);
const ripstop_method ripstop_method_test_careless = MUTANT("test-careless");
