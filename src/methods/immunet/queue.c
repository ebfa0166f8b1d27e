/* queue.c - control packets that wait for a router's only table module (Figure 8 of the paper), if the module needs
 * time.
 *
 * They wait in order of arrival; the option `order` picks the next one, which the paper leaves open. Except with
 * order=arrival, a longer distance may be handled and forwarded before a shorter one that arrived earlier, and be
 * corrected later: more packets and more time. */
#include <string.h>

#include "methods/immunet/immunet.h"

bool ripstop_immunet_queue(const arrays *a, uint32_t room, const control *packet) {
  if (a->m->waiting >= room) return false;
  a->waiting[a->m->waiting++] = *packet;
  return true;
}

static uint32_t next_of(const arrays *a, control_order order) {
  uint32_t next = 0;
  if (order == ORDER_NEWEST) return a->m->waiting - 1;
  if (order == ORDER_ARRIVAL) return 0;
  for (uint32_t i = 1; i < a->m->waiting; i++)
    if (a->waiting[i].port < a->waiting[next].port) next = i;
  return next;
}

control ripstop_immunet_unqueue(const arrays *a, control_order order) {
  uint32_t next = next_of(a, order);
  control packet = a->waiting[next];
  memmove(&a->waiting[next], &a->waiting[next + 1], (--a->m->waiting - next) * sizeof packet);
  return packet;
}
