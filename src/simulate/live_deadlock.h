/* live_deadlock.h - is there a deadlock in the live buffers? */
#ifndef SIMULATE_LIVE_DEADLOCK_H
#define SIMULATE_LIVE_DEADLOCK_H

#include "simulate/state.h"

/* Searches; true with r->witness written and r->stuck marked when a set of queues can only wait for each other. */
bool find_deadlock(run *r);
/* The same at the end of a cycle of the loop: not while something is about to happen that may free what stands. */
bool show_deadlock_packets(run *r);
void count_incoming(run *r); /* writes r->incoming: units on their way to each queue */
/* The head of this queue has no way on: for people. */
void describe_loss(const part *t, const queue *q, first_loss *out);

#endif
