/* threads.h - one run in several parts, which one thread works on or several. */
#ifndef SIMULATE_THREADS_H
#define SIMULATE_THREADS_H

#include "simulate/state.h"

/* How many parts a run may have, 1 to `wished`: each has a switch with end nodes. */
uint32_t threads_parts(const ripstop_fabric *fabric, uint32_t wished);
/* How many a run of this scenario has. */
uint32_t threads_parts_of(const ripstop_plan *plan, const ripstop_scenario *scenario);
/* How many threads work on its parts, if the system gives them: each has one. */
uint32_t threads_at_work(const ripstop_scenario *scenario, uint32_t parts);
/* Queues of links between switches: what a run has to do grows with them. */
uint64_t threads_queues(const ripstop_plan *plan);
/* Whose each node is: [nodes]. An end node is its switch's part's. */
uint8_t *threads_divide(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t parts);
/* Cycles after which parts have to meet. */
uint32_t threads_window(const shape *s);
/* Free packets, beyond all that can be in use at once, so that each part has some for what is generated in a window. */
uint64_t threads_spare(const shape *s);
/* Outboxes, once all else of the parts is laid out. */
void threads_open(run *r);

/* Runs the cycles before `until`, or until the run ends: the parts in threads_at_work threads, or as many as the system
 * gives, and in the calling one alone what has to be done for all parts. */
void threads_run(run *r, uint32_t until);
/* After a cycle of all parts: events of other parts' nodes go there, and every part has free packets for the next. */
void threads_exchange(run *r);

#endif
