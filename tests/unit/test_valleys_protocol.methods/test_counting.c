/* test_counting.c - switches count the words that come by a link, whichever these are: a later one makes up for an
 * earlier one that is still to come. */
#define ORIGINAL ripstop_method_before_counting
#include "mutant.h"
#include "ripstop/plugin/method.h"

static void mutant_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                        ripstop_actions *actions) {
  ripstop_event changed = *event;
  message said;
  if (event->kind == RIPSTOP_EVENT_MESSAGE) {
    said = *(const message *)event->message;
    const port_memory *at = &ripstop_valleys_open_memory(p, node, state).port[event->port];
    if (said.kind == LINKS && said.first == at->from) said.sent = at->received + 1;
    changed.message = &said;
  }
  ripstop_valleys_step(p, node, state, &changed, actions);
}

MUTANT_PROTO(mutant_step);
const ripstop_method ripstop_method_test_counting = MUTANT("test-counting");
