/* test_lasting.c - switches take votes and agreements from an earlier incarnation of the link for ones of this
 * incarnation. */
#define ORIGINAL ripstop_method_before_lasting
#include "mutant.h"
#include "ripstop/plugin/method.h"

static void renew(vote *v, uint64_t first) {
  if (v->version && v->sent < first) v->sent = first;
}

static void mutant_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                        ripstop_actions *actions) {
  port_memory *at = ripstop_valleys_open_memory(p, node, state).port;
  ripstop_event changed = *event;
  message said;
  if (event->kind == RIPSTOP_EVENT_MESSAGE) {
    said = *(const message *)event->message;
    uint64_t first = at[event->port].from;
    if (said.kind == LINKS && said.first > first) first = said.first;
    if ((said.kind == READY || said.kind == GO) && said.sent < first) said.sent = first;
    renew(&at[event->port].ready, first);
    renew(&at[event->port].go, first);
    changed.message = &said;
  }
  ripstop_valleys_step(p, node, state, &changed, actions);
}

MUTANT_PROTO(mutant_step);
const ripstop_method ripstop_method_test_lasting = MUTANT("test-lasting");
