/* test_childless.c - routers take acknowledgements for answers of neighbours that are not their children. */
#define ORIGINAL ripstop_method_before_childless
#include "mutant.h"
#include "ripstop/plugin/method.h"

static void mutant_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                        ripstop_actions *actions) {
  ripstop_event changed = *event;
  message m;
  if (event->kind == RIPSTOP_EVENT_MESSAGE) {
    m = *(const message *)event->message;
    if (m.kind == ACK) m.kind = EMERG;
    changed.message = &m;
  }
  ripstop_immunet_step(p, node, state, &changed, actions);
}

MUTANT_PROTO(mutant_step, ripstop_immunet_protocol_candidates);
const ripstop_method ripstop_method_test_childless = MUTANT("test-childless");
