/* held.h - the words that the ranks of a job hold: small data that messages carry, so that a run shows whether a
 * collective computed the right result. */
#ifndef WORKLOAD_HELD_H
#define WORKLOAD_HELD_H

#include "workload/tasks.h"

typedef struct held held;

/* NULL: the job has none; all functions below then do nothing. */
held *held_open(const ripstop_workload *kind, const void *config, const ripstop_tasks *tasks, ripstop_arena *arena);
void held_leave(held *w, const ripstop_tasks *tasks, uint32_t send);  /* the send carries the words as they are now */
void held_arrive(held *w, const ripstop_tasks *tasks, uint32_t send); /* the receiver gets the words */
bool held_is_right(const held *w, const ripstop_workload *kind, const void *config, const ripstop_tasks *tasks);

/* The words of `from`, of the same job, while no message is in flight. */
void held_copy(held *to, const held *from, const ripstop_tasks *tasks);

/* For kinds: a value of each rank and word, such that a sum shows which ranks have been added, and how often; and the
 * sum of the values of ranks 0 .. ranks-1. */
uint64_t held_own(uint32_t rank, uint32_t word);
uint64_t held_sum(uint32_t ranks, uint32_t word);

#endif
