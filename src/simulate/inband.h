/* inband.h - control packets: docs/model.md, "Control packets". */
#ifndef SIMULATE_INBAND_H
#define SIMULATE_INBAND_H

#include "route/event_queue.h"
#include "simulate/state.h"

/* Takes the hooks, where the plan has control packets. The event queue keeps the messages. */
int inband_open(run *r, ripstop_event_queue *event_queue, ripstop_error *err);
/* A message enters the FIFO of an output port. */
void inband_send(run *r, uint32_t port, uint32_t message);
/* The link of the port has failed: the messages in its FIFO are lost. Those that have left it run to their end. */
void inband_lose(run *r, uint32_t port);
/* Messages in FIFOs, on links and in queues. 0 without control packets. */
size_t inband_under_candidate(const run *r);

#endif
