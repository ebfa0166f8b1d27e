/* slow.h - links that need more than a cycle per flit: docs/model.md, "Slow links". */
#ifndef SIMULATE_SLOW_H
#define SIMULATE_SLOW_H

#include "simulate/state.h"

typedef struct slow_queues slow_queues;

/* Allocates the rates and slow queues, if some link is slow at the start or later. Call it after output queues and
 * before the wheel are allocated. */
void slow_open(run *r);
/* Flits of the longest unit that takes a link: a packet, or a message of the method's protocol. */
uint32_t longest_on_links(const run *r);
/* The most cycles by which this unit arrives later over a slow link than over one at full rate; 0: no link is slow. */
uint32_t slow_most(const run *r);
/* Reads the rate of a link again. */
void slow_change(run *r, uint32_t link);

/* Places of a slow queue to another switch. Two keep the link busy. With more, adaptive methods would commit to a slow
 * link when others are busy for less time. */
enum { SLOW_ON = 2 };
/* Places of a slow queue to an end node; 0: no link is slow, or there are output queues. */
uint32_t slow_wanted(const run *r);
/* The cycle in which the link of a port has sent everything in its slow queue; may be in the past. */
uint32_t slow_ends(const part *t, uint32_t port);
/* Units in the slow queue that the link has not begun to send. */
int32_t slow_waiting(const part *t, uint32_t port);
/* Called when a control message waits for the link of a port. False: the slow queue is not empty; the message waits for
 * it, and until then the port accepts no more packets. */
bool slow_yields(part *t, uint32_t port);

/* Cycles that a message or packet of so many flits occupies the link of a port. */
uint32_t slow_cycles(const shape *s, uint32_t port, uint32_t flits);
static inline uint32_t cycles_on_link(const shape *s, uint32_t port, uint32_t flits) {
  return s->rate ? slow_cycles(s, port, flits) : flits;
}

#endif
