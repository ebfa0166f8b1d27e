/* binding.h - selection functions that bind a packet to one candidate at each node (RIPSTOP_SELECTION_BINDS). */
#ifndef SIMULATE_BINDING_H
#define SIMULATE_BINDING_H

#include "simulate/state.h"

/* Allocates what the run's selection function needs: states of nodes, scratch for loads, and the lists of heads to
 * bind. `ports`: most of any node. */
void binding_open(run *r, uint32_t ports);
/* A head has its candidates; if the selection function binds, it keeps one of the lowest rank before the decisions of
 * this cycle. */
void binding_note(part *t, queue *q);
/* A packet arrives at a queue with lines. True: the selection function binds, and the packet enters before the
 * decisions of this cycle. */
bool binding_delays(part *t, queue *q, uint32_t packet_index);
/* Around the load of a mixed line's next head: the candidates of the head that left are still there. */
void binding_pops(part *t, const queue *head, bool pops);

#endif
