/* test_childless.c - routers take acknowledgements for answers of neighbours that are not their children. */
#define ORIGINAL rs_method_before_childless
#include "mutant.h"

static void mutant_step(const rs_plan *p, uint32_t node, void *state, const rs_event *event, rs_actions *actions) {
  rs_event changed = *event;
  message m;
  if (event->kind == RS_EVENT_MESSAGE) {
    m = *(const message *)event->message;
    if (m.kind == ACK) m.kind = EMERG;
    changed.message = &m;
  }
  step(p, node, state, &changed, actions);
}

MUTANT_PROTO(mutant_step, ways);
const rs_method rs_method_test_childless = MUTANT("test-childless");
