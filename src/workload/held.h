/* held.h - the words that the ranks of a job hold: data in small, which messages carry, so that a run shows whether a
 * collective did what it was to do. */
#ifndef WORKLOAD_HELD_H
#define WORKLOAD_HELD_H

#include "workload/tasks.h"

typedef struct held held;

/* NULL: the job has none; all below do nothing then. */
held *held_open(const ripstop_workload *kind, const void *config, const ripstop_tasks *tasks, ripstop_arena *arena);
void held_leave(held *w, const ripstop_tasks *tasks, uint32_t send);  /* its words are those of now */
void held_arrive(held *w, const ripstop_tasks *tasks, uint32_t send); /* they go into the receiver's */
bool held_is_right(const held *w, const ripstop_workload *kind, const void *config, const ripstop_tasks *tasks);

/* The words of `from`, of the same job, while no message is in flight. */
void held_copy(held *to, const held *from, const ripstop_tasks *tasks);

/* For kinds: a value of each rank and word, such that sums tell who has been added, and how often; and the sum of those
 * of ranks 0 .. ranks-1. */
uint64_t held_own(uint32_t rank, uint32_t word);
uint64_t held_sum(uint32_t ranks, uint32_t word);

#endif
