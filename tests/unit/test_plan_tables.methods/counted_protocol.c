/* counted_protocol.c - counted.h with a protocol that says nothing, and whose switch knows its ports without a table.
 */
#include "counted.h"

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  (void)p, (void)node;
  return 1;
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  (void)p, (void)node, (void)state, (void)event, (void)actions;
}

static int candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                      ripstop_candidate *candidate) {
  const ripstop_fabric *f = p->fabric;
  (void)state;
  return go(p, head, (uint16_t)(f->peer[f->port_base[head->destination]] - f->port_base[head->node]), candidate);
}

static uint64_t delay(const ripstop_plan *p, const void *message) {
  (void)p, (void)message;
  return 1;
}

static void print(const ripstop_plan *p, const void *message, ripstop_text *out) { (void)p, (void)message, (void)out; }

static const ripstop_proto proto = {.message_size = 1,
                                    .state_size = state_size,
                                    .step = step,
                                    .candidates = candidates,
                                    .delay = delay,
                                    .print = print};

const ripstop_method ripstop_method_counted_protocol = {COUNTED("counted-protocol"), .proto = &proto};
