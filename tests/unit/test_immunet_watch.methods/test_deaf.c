/* test_deaf.c - the first router ignores messages about distances to the last one. */
#define ORIGINAL ripstop_method_before_deaf
#include "mutant.h"
#include "ripstop/plugin/method.h"

static void mutant_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                        ripstop_actions *actions) {
  const message *m = event->kind == RIPSTOP_EVENT_MESSAGE ? event->message : NULL;
  if (m && m->kind == DISTANCE && node == p->fabric->ends && m->router == p->fabric->nodes - p->fabric->ends - 1)
    return;
  ripstop_immunet_step(p, node, state, event, actions);
}

MUTANT_PROTO(mutant_step, ripstop_immunet_protocol_candidates);
const ripstop_method ripstop_method_test_deaf = MUTANT("test-deaf");
