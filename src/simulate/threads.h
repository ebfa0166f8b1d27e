/* threads.h - one run in several parts, on which one thread works, or several. */
#ifndef SIMULATE_THREADS_H
#define SIMULATE_THREADS_H

#include "simulate/state.h"

/* The number of parts that a run may have, 1 to `wanted`: each has a switch with end nodes. */
uint32_t threads_parts(const ripstop_fabric *fabric, uint32_t wanted);
/* The number of parts of a run of this scenario. */
uint32_t threads_parts_of(const ripstop_plan *plan, const ripstop_simulate_settings *scenario);
/* The number of threads for its parts, if the system gives them: at most one per part. */
uint32_t threads_at_work(const ripstop_simulate_settings *scenario, uint32_t parts);
/* Queues of links between switches: the work of a run grows with them. */
uint64_t threads_queues(const ripstop_plan *plan);
/* The part of each node: [nodes]. An end node has its switch's part. */
uint8_t *threads_divide(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t parts);
/* Cycles after which parts have to meet. */
uint32_t threads_window(const shape *s);
/* Free packets beyond all that can be in use, so that each part has some for what is generated in a window. */
uint64_t threads_spare(const shape *s);
/* Allocates the outboxes; call it when everything else of the parts is laid out. */
void threads_open(run *r);

/* Runs the cycles before `until`, or until the run ends, in threads_at_work threads or as many as the system gives. The
 * calling thread alone does what concerns all parts. */
void threads_run(run *r, uint32_t until);
/* After a cycle of all parts: moves events to other parts' nodes, and gives every part free packets for the next. */
void threads_exchange(run *r);

/* Packets that each stream can generate until the parts meet again. */
uint32_t threads_generations(const shape *s);

#endif
