/* tasks.h - what the ranks of a job do, as a graph: tasks, what each comes after, and which send belongs to which
 * receive.
 *
 *   a workload's build      adds tasks and what they come after
 *     -> tasks_close        sends and receives find each other; followers of each task are put in order
 *     -> tasks_walk         whether everything can be done, and how soon at best
 *     -> stage.c            does it on a fabric */
#ifndef WORKLOAD_TASKS_H
#define WORKLOAD_TASKS_H

#include "ripstop/plugin/workload.h"

typedef enum task_kind { TASK_COMPUTE, TASK_WAIT, TASK_SEND, TASK_RECEIVE } task_kind;

typedef struct task {
  uint64_t amount; /* cycles, bytes */
  uint32_t rank;
  uint32_t peer;    /* the other rank of a message; RIPSTOP_ANY: whoever sends */
  uint32_t partner; /* the task at the other end; RIPSTOP_NONE: only the run finds it */
  uint16_t links;   /* of a send: how far it is to the other rank (stage.c); 0: not known */
  uint8_t kind;     /* task_kind */
  uint8_t processor;
} task;

typedef struct label { /* what only sends and receives of files have */
  uint32_t tag, line;
} label;

typedef struct cargo { /* of a send: the words that it carries */
  uint32_t from, to, count, run, stride;
  uint8_t how; /* ripstop_carry */
} cargo;

typedef struct order { /* `after` waits for `before`; the highest bit: for its begin */
  uint32_t before, after;
} order;
#define ORDER_BEGIN (UINT32_C(1) << 31)

struct ripstop_tasks {
  uint32_t ranks, ends; /* ends: as many ranks there can be */
  bool placed;          /* so many ranks were asked for */
  uint64_t seed;
  uint32_t count, room, labels, label_room, orders, order_room, cargos, cargo_room;
  uint32_t words; /* of each rank */
  uint32_t steps, step_room;
  uint32_t *step; /* [steps]: each has the tasks before this one that no step before it has */
  task *task;
  label *label;   /* [labels]; tasks behind them have none */
  cargo *cargo;   /* [cargos]: those of the sends among the first tasks; a `count` of 0: nothing */
  order *order;   /* until they are closed */
  uint32_t *base; /* [count + 1]: the followers of task i are follower[base[i]] .. follower[base[i+1]-1] */
  uint32_t *follower;
  uint32_t *waits;  /* [count]: for how many others each waits at first */
  bool *asks;       /* [ranks]: it receives from any source, or any tag: its receives find their sends in the run */
  uint64_t refused; /* more tasks or orders than there may be were asked for */
  ripstop_arena *arena;
};

ripstop_tasks *tasks_new(uint32_t ranks, uint32_t ends, bool placed, uint64_t seed);
void tasks_free(ripstop_tasks *tasks); /* NULL is fine */

label tasks_label(const ripstop_tasks *tasks, uint32_t number);
/* The step of a task; `steps`: it has none. */
uint32_t tasks_step(const ripstop_tasks *tasks, uint32_t number);
/* Sends find receives, followers are put in order. -1: there are sends without a receive or the other way round, or
 * sizes differ. */
int tasks_close(ripstop_tasks *tasks, ripstop_error *err);

typedef uint64_t (*task_latency)(const void *context, const task *send); /* cycles until the last flit has arrived */
/* Does all tasks without a network, as soon as they can be done: a message takes what `latency` says (NULL: nothing).
 * *last gets the cycle of the last one's end. -1: some tasks wait for each other for ever, and the message tells
 * which. */
int tasks_walk(const ripstop_tasks *tasks, task_latency latency, const void *context, uint64_t *last,
               ripstop_error *err);
/* "rank 3 receives from rank 2 (line 7)" */
void tasks_name(const ripstop_tasks *tasks, uint32_t number, ripstop_text *out);

#endif
