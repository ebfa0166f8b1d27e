/* to_self.c - packets whose destination is their source: they go to their switch on channel 0 and back. Methods are not
 * called for them, because a method routes between two end nodes. */
#include "simulate/to_self.h"

#include "ripstop/plugin/method.h"
#include "simulate/source.h"

#include "base/no_heap.h"
#include "simulate/run_result.h"

static int candidates(part *t, queue *q, const ripstop_head *head, ripstop_candidate *candidate) {
  const run *r = t->run;
  if (head->source != head->destination) return r->plan->method->route(r->plan, head, candidate);
  const uint32_t port = ripstop_is_end(r->fabric, q->node) ? 0 : ripstop_end_switch_port(r->fabric, head->destination);
  *candidate = (ripstop_candidate){.port = (uint16_t)port, .space = 1, .weight = 1};
  if (r->view->port_up[r->fabric->port_base[q->node] + port]) return 1;
  set_loss(q, RIPSTOP_LOST_LINK);
  return 0;
}

int to_self_open(run *r, ripstop_error *err) {
  hooks *hook = &r->part->hook;
  if (!r->sources || !ripstop_sources_to_self(r->sources)) return 0;
  if (hook->candidates)
    return ripstop_fail(err,
                        "traffic.pattern: packets to their own source need a method without a protocol and "
                        "reaction.model=dynamic, not %s",
                        r->plan->method->name);
  hook->candidates = candidates;
  return 0;
}
