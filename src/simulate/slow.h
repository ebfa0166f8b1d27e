/* slow.h - links that need more than a cycle for a flit: docs/model.md, "Slow links". */
#ifndef SIMULATE_SLOW_H
#define SIMULATE_SLOW_H

#include "simulate/state.h"

typedef struct slow_queues slow_queues;

/* Allocates the rates and slow queues, if some link is slow at the start or later. Call it after output queues and
 * before the wheel are allocated. */
void slow_open(run *r);
/* Flits of the longest that takes a link: a packet, or a message of the method's protocol. */
uint32_t longest_on_links(const run *r);
/* The most cycles by which the longest of these arrives later over a slow link than over one at full rate; 0: no link
 * is slow. */
uint32_t slow_most(const run *r);
/* A link has another rate, or may have. */
void slow_change(run *r, uint32_t link);

/* Packets of a slow queue to another switch: with two the link is never idle, and with more of them adaptive methods
 * would commit to a slow link when others are busy for less time. */
enum { SLOW_ON = 2 };
/* Packets of a slow queue to an end node; 0: no link is slow, or there are output queues. */
uint32_t slow_wished(const run *r);
/* The cycle in which the link of a port will have sent what its slow queue holds, which may be over. */
uint32_t slow_ends(const part *t, uint32_t port);
/* Units of the packets there that the link has not begun with. */
int32_t slow_waiting(const part *t, uint32_t port);
/* A control message waits for the link of a port: false: it must wait until the slow queue is empty, and until then the
 * port takes no more packets. */
bool slow_yields(part *t, uint32_t port);

/* Cycles for which a message or packet of so many flits has the link of a port. */
uint32_t slow_cycles(const shape *s, uint32_t port, uint32_t flits);
static inline uint32_t cycles_on_link(const shape *s, uint32_t port, uint32_t flits) {
  return s->rate ? slow_cycles(s, port, flits) : flits;
}

#endif
