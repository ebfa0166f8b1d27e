/* slow.h - links that need more than a cycle for a flit: docs/model.md, "Slow links". */
#ifndef SIMULATE_SLOW_H
#define SIMULATE_SLOW_H

#include "simulate/state.h"

/* Whether some link is slow at the start or will be; then the rates are laid out. Before the wheel is. */
void slow_open(run *r);
/* Flits of the longest that takes a link: a packet, or a message of the method's protocol. */
uint32_t longest_on_links(const run *r);
/* The most cycles by which that takes longer on a slow link than on another; 0: none is slow. */
uint32_t slow_most(const run *r);
/* A link has another rate, or may have. */
void slow_change(run *r, uint32_t link);

/* Cycles for which a message or packet of so many flits has the link of a port. */
uint32_t slow_cycles(const shape *s, uint32_t port, uint32_t flits);
static inline uint32_t cycles_on_link(const shape *s, uint32_t port, uint32_t flits) {
  return s->rate ? slow_cycles(s, port, flits) : flits;
}

#endif
