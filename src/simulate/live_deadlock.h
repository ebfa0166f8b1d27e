/* live_deadlock.h - searches the buffers of a running simulation for deadlock. */
#ifndef SIMULATE_LIVE_DEADLOCK_H
#define SIMULATE_LIVE_DEADLOCK_H

#include "simulate/state.h"

/* True if some queues can only wait for each other; then r->witness describes them and r->stuck marks them. */
bool find_deadlock(run *r);
/* The same at the end of a cycle of the loop; false while a coming event may release the queues. */
bool show_deadlock_packets(run *r);
void count_incoming(run *r); /* writes r->incoming: units that travel to each queue */
/* Describes the lost head of this queue for the report. */
void describe_loss(const part *t, const queue *q, const packet *p, first_loss *out);

#endif
