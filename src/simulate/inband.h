/* inband.h - control packets: docs/model.md, "Control packets". */
#ifndef SIMULATE_INBAND_H
#define SIMULATE_INBAND_H

#include "route/event_queue.h"
#include "simulate/state.h"

/* Takes the hooks if the plan has control packets. The event queue stores the messages. */
int inband_open(run *r, ripstop_event_queue *event_queue, ripstop_error *err);
/* Appends a message to the FIFO of an output port. */
void inband_send(run *r, uint32_t port, uint32_t message);
/* Loses the messages in the FIFO of a port whose link has failed. Messages that have left it continue. */
void inband_lose(run *r, uint32_t port);
/* Messages in FIFOs, on links and in queues. 0 without control packets. */
size_t inband_pending(const run *r);

#endif
