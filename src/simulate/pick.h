/* pick.h - calls the arbiter of an output. Inline, because every hop does it. */
#ifndef SIMULATE_PICK_H
#define SIMULATE_PICK_H

#include "simulate/arbiters/requests.h"
#include "simulate/state.h"

/* Picks one of a node's requests for an output; at least one bit is set. */
static inline uint32_t pick_request(part *t, const sim_node *n, uint32_t local, const uint64_t *bits, uint32_t words) {
  const shape *s = &t->shape;
  size_t port = n->port + local;
  if (USUALLY(words == 1 && s->turns)) {
    uint32_t *turn = &s->output[port].turn,
             winner = ripstop_request_at_or_after(&(ripstop_requests){.bits = bits, .words = 1}, *turn);
    *turn = winner + 1;
    return winner;
  }
  t->requests.bits = bits;
  t->requests.words = words;
  t->requests.enters = s->enters + (size_t)(n - s->node) * s->enters_words;
  return s->arbiter->pick(s->arbiter_config, s->arbiter_state + port * s->arbiter_step, &t->requests);
}

#endif
