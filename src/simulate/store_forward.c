/* store_forward.c - switch.forward = store: a packet enters an input queue of a switch when all of it has come.
 *
 * Its arrival is posted for the cycle in which its tail has passed the pipeline (core.c), so everything that begins
 * with an arrival begins then: decisions, lines, bound packets, counts for XON/XOFF. Arrivals over one link keep their
 * order, at most one a cycle: of two packets in a row the tail of the second comes at least a cycle after that of the
 * first. Rows remember when the head came, because a failing link loses the packets that have a flit on it. */
#include "simulate/store_forward.h"

#include "simulate/core.h"

static bool enter(part *t, uint32_t index, uint32_t packet_index) {
  const shape *s = &t->shape;
  const packet *p = &t->packet[packet_index];
  if (SELDOM(t->hook.stalled)) t->hook.stalled(t, index, units_of(s, p));
  push(t, &t->shape.queue[index], packet_index, head_came(s, p, t->now));
  return true;
}

void store_forward_open(run *r) {
  if (r->shape->stores && !r->part->hook.entering) r->part->hook.entering = enter; /* else that calls head_came */
}
