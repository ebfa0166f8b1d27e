/* tasks.h - the tasks of a job's ranks as a graph: tasks, which task comes after which, and which send belongs to
 * which receive.
 *
 *   a workload's build      adds tasks and their order
 *     -> tasks_close        matches sends and receives, and sorts the followers of each task
 *     -> tasks_walk         checks that every task can be done, and how soon at best
 *     -> job_runner.c       runs them on a fabric */
#ifndef WORKLOAD_TASKS_H
#define WORKLOAD_TASKS_H

#include "ripstop/plugin/workload.h"

/* TASK_TAKE is done when its rank's turn `processor` is its own, TASK_GIVE gives it back (turns.h). */
typedef enum task_kind { TASK_COMPUTE, TASK_WAIT, TASK_SEND, TASK_RECEIVE, TASK_TAKE, TASK_GIVE } task_kind;
enum { TASK_TURNS = 3 }; /* each rank has so many */

typedef struct task {
  uint64_t amount; /* cycles, bytes */
  uint32_t rank;
  uint32_t peer;     /* the other rank of a message; RIPSTOP_ANY: any source */
  uint32_t partner;  /* the matching task; RIPSTOP_NONE: only the run finds it */
  uint16_t links;    /* send: links to the other rank (job_runner.c); 0: not known */
  uint8_t kind;      /* task_kind */
  uint8_t processor; /* computation: its processor; send: TASK_CONTROL or 0 */
} task;

_Static_assert(sizeof(task) == 24, "large jobs have hundreds of millions");

enum { TASK_CONTROL = 1 }; /* an acknowledgement, which is no message of the job */
static inline bool task_is_control(const task *send) { return send->processor == TASK_CONTROL; }
static inline bool task_is_message(const task *one) { return one->kind == TASK_SEND && !task_is_control(one); }

/* A task that begins when so many of those before it are done. */
typedef struct enough {
  uint32_t task, count;
} enough;

typedef struct label { /* fields that only sends and receives from files have */
  uint32_t tag, line;
} label;

typedef struct cargo { /* send: the words that it carries */
  uint32_t from, to, count, run, stride;
  uint8_t how; /* ripstop_carry */
} cargo;

typedef struct order { /* `after` waits for `before`; highest bit: for its begin */
  uint32_t before, after;
} order;
#define ORDER_BEGIN (UINT32_C(1) << 31)

struct ripstop_tasks {
  uint32_t ranks, ends; /* ends: the most ranks there can be */
  bool placed;          /* the number of ranks was given */
  uint64_t seed;
  const char *place; /* the word for a label's line in messages: "line" unless the job's file has none */
  double tick; /* nanoseconds of a cycle, where a trace has computations in them; 0: a goal trace has them in cycles,
                  others count a nanosecond a cycle */
  uint32_t count, room, labels, label_room, orders, order_room, cargos, cargo_room, enoughs, enough_room;
  uint32_t words; /* words of each rank */
  uint32_t steps, step_room;
  uint32_t *step; /* [steps]: a step has the tasks before this one that no earlier step has */
  task *task;
  label *label;   /* [labels]; later tasks have none */
  cargo *cargo;   /* [cargos]: those of the sends among the first tasks; a `count` of 0: none */
  order *order;   /* until tasks_close */
  enough *enough; /* [enoughs] */
  uint32_t *base; /* [count + 1]: the followers of task i are follower[base[i]] .. follower[base[i+1]-1] */
  uint32_t *follower;
  uint32_t *waits;  /* [count]: the number of tasks that each waits for at first */
  bool turns;       /* some tasks take turns */
  bool *asks;       /* [ranks]: it receives from any source, or any tag: the run matches its receives */
  uint64_t refused; /* tasks or orders beyond the limit were requested */
  ripstop_arena *arena;
};

/* For jobs of other simulators. In a job with these, a task may come after one of another rank, which takes no time. An
 * empty message that values of messages leave out: */
ripstop_message tasks_control(ripstop_tasks *tasks, uint32_t from, uint32_t to);
/* `task` begins when `count` of the tasks that it comes after are done, 1 or more and not more than there are. */
void tasks_enough(ripstop_tasks *tasks, ripstop_task task, uint32_t count);
/* Waits for a turn of its rank, below TASK_TURNS; of those that wait the first that was added goes first. */
ripstop_task tasks_take(ripstop_tasks *tasks, uint32_t rank, uint8_t turn);
ripstop_task tasks_give(ripstop_tasks *tasks, uint32_t rank, uint8_t turn);
/* Whole cycles, at most UINT64_MAX. A division that is off by less than a millionth of a cycle makes no cycle more. */
uint64_t tasks_round_up(double cycles);
/* Picoseconds, and a part of one more, as cycles: rounded up, a cycle is workload.tick nanoseconds, 1 unless given. */
uint64_t tasks_cycles(const ripstop_tasks *tasks, uint64_t picoseconds, bool more);

ripstop_tasks *tasks_new(uint32_t ranks, uint32_t ends, bool placed, uint64_t seed);
void tasks_free(ripstop_tasks *tasks); /* NULL is fine */

label tasks_label(const ripstop_tasks *tasks, uint32_t number);
/* The step of a task; `steps`: none. */
uint32_t tasks_step(const ripstop_tasks *tasks, uint32_t number);
/* Matches sends and receives, and sorts followers. -1: a send or receive has no partner, or sizes differ. */
int tasks_close(ripstop_tasks *tasks, ripstop_error *err);

typedef uint64_t (*task_latency)(const void *context, const task *send); /* cycles until the last flit has arrived */
/* Runs all tasks without a network, as soon as possible: a message takes the time that `latency` returns (NULL:
 * none). *last gets the cycle in which the last task ends. -1: some tasks wait for each other forever; the error
 * names them. */
int tasks_walk(const ripstop_tasks *tasks, task_latency latency, const void *context, uint64_t *last,
               ripstop_error *err);
/* "rank 3 receives from rank 2 (line 7)" */
void tasks_name(const ripstop_tasks *tasks, uint32_t number, ripstop_text *out);

#endif
