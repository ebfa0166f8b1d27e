/* turns.h - turns of a rank, each of one task at a time, the waiting task with the lowest number first: the processors
 * and the network in Chakra traces. Both models of jobs use them.
 *
 * Nothing is granted while tasks still become ready in the present cycle: the caller calls turns_next when all of them
 * have begun. */
#ifndef WORKLOAD_TURNS_H
#define WORKLOAD_TURNS_H

#include "workload/tasks.h"

typedef struct turn {
  uint32_t *task; /* a heap: the waiting ones */
  size_t count, room;
  bool is_taken, is_listed; /* listed: it is in `changed` */
} turn;

typedef struct turns {
  turn *turn;        /* [ranks * TASK_TURNS] */
  uint32_t *changed; /* turns that may be free for a waiting task */
  uint32_t changes, room;
  ripstop_arena *arena;
} turns;

/* NULL if the tasks have none. */
turns *turns_open(ripstop_arena *arena, const ripstop_tasks *tasks);
/* A task that takes a turn is ready; one that gives it back is done. */
void turns_wait(turns *t, const ripstop_tasks *tasks, uint32_t number);
void turns_give(turns *t, const ripstop_tasks *tasks, uint32_t number);
/* The next task that gets its turn; RIPSTOP_NONE: none does. */
uint32_t turns_next(turns *t);

#endif
