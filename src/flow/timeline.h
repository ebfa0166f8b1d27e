/* timeline.h - jobs in the flow model, from their first to their last event.
 *
 *   timeline.c       events in the order of time; what happens at one time happens in a fixed order
 *   fluid_tasks.c    tasks begin and end (the rules of workload/job_runner.c, with real numbers as times)
 *   sending.c        which messages of a sender are active together, and which wait (flow.nic)
 *   fluid_changes.c  links and switches fail, slow down and return; new plans
 *
 * The order at one time: last flits leave; changes of the fabric; new plans; arrivals and ends of computations;
 * messages begin; rates. Times within a tolerance of the first one are one time, so that rounding does not separate
 * what happens together. The tolerance is 1e-9 of the time, but above 1e6 cycles at most 1e-3 cycles, or 1e-12 of the
 * time: a thousand steps of a ring must not each move by the latency of a link. */
#ifndef FLOW_TIMELINE_H
#define FLOW_TIMELINE_H

#include "base/histogram.h"
#include "flow/fluid.h"
#include "flow/stream_paths.h"
#include "workload/held.h"
#include "workload/job_runner.h"
#include "workload/turns.h"
#include "workload/workload_run.h"

/* A message that is ready to be sent, active, or on its last links. */
typedef struct message {
  uint32_t job, task, pair;
  uint32_t next;        /* in the list of those that wait or stand still; RIPSTOP_NONE: the last */
  uint32_t left, right; /* in the heap of the pair's active messages */
  double ready;
  uint64_t flits;
  double volume; /* flits; of one that stands still those that are left */
  double target; /* active: stream.served at its end */
} message;

typedef struct message_list {
  uint32_t first, last; /* RIPSTOP_NONE: it is empty */
} message_list;

/* The data of a stream beside its rate. Pairs and streams have the same numbers. */
typedef struct pair {
  uint32_t source, destination;
  uint32_t top;          /* the active message that ends first; RIPSTOP_NONE: none is active */
  message_list standing; /* messages that begun and stand still, until a plan has a path for them */
  uint32_t links;        /* length of its paths; 0: it has none */
  uint64_t delays;       /* cycles on the links of its longest path */
} pair;

/* A sender in the sense of flow.nic: an end node, or a pair. */
typedef struct sender {
  message_list waiting; /* by the time at which they became ready, then by job and task */
  bool busy;            /* a message of it has begun, and its last flit has not left */
} sender;

typedef struct task_state {
  uint32_t waits; /* unfinished tasks before it */
  bool begun, done;
  bool there; /* send: its message has arrived */
} task_state;

typedef struct task_list {
  uint32_t *task;
  size_t count, room;
} task_list;

typedef struct job_state {
  const job *job;
  task_state *task;       /* [tasks] */
  uint32_t *pair;         /* [tasks]: of each send */
  double **free_;         /* [ranks]: from when on each of its processors is free; NULL: it has not computed */
  double *ended;          /* [ranks]: the rank's last event */
  task_list *came, *asks; /* [ranks]: messages and receives without a match, the oldest first */
  turns *turns;           /* NULL: no task takes one */
  held *words;
  uint32_t left; /* tasks that are not done */
  uint32_t *step_left;
  double *step_end;
  double last;
  double *completion; /* [sends]: of the messages that have arrived */
  uint32_t sends, arrived;
  double slowdowns;
  ripstop_message_record *record; /* [tasks]; NULL: not kept */
} job_state;

typedef enum event_kind { EVENT_ARRIVE, EVENT_END, EVENT_BEGIN, EVENT_JOB } event_kind;
typedef struct event {
  double when;
  uint32_t kind, job, task; /* order of events of one time */
  uint32_t message;         /* ARRIVE */
} event;

typedef struct ready_task {
  uint32_t job, task;
} ready_task;

typedef struct timeline {
  const ripstop_fluid_config *config;
  const ripstop_workload_run *run;
  stage_wires wires;
  fluid fluid;
  stream_paths paths;
  job_state *job;
  uint32_t jobs;
  pair *pair;
  uint32_t pairs;
  ripstop_fluid_nic nic; /* never AUTO */
  sender *sender;        /* [end nodes], or [pairs]; NULL: share */
  message *message;
  size_t message_room;
  uint32_t messages, spare; /* a list of unused ones */
  event *event;
  size_t events, event_room;
  sender **freed; /* [senders]: last flits have left in this round */
  size_t frees;
  ready_task *ready; /* entries from `next` on have not begun */
  size_t readies, ready_room, next;
  uint32_t *sending; /* messages that became ready in this round */
  size_t sendings, sending_room;
  /* Changes of the fabric. */
  ripstop_view *view;
  const ripstop_plan *first_plan;
  ripstop_plan *plan;          /* the run's own, after the first change */
  size_t changed, planned;     /* changes of the schedule that have happened, and that plans have followed */
  bool stale;                  /* parts failed or returned since the last plan */
  bool broken;                 /* parts failed since the last plan */
  uint32_t *affected;          /* [pairs], for changes */
  uint64_t left;               /* tasks of all jobs that are not done */
  uint64_t happened;           /* events, for people */
  ripstop_histogram *slowdown; /* hundredths */
  uint64_t payload;
  bool has_turns; /* some job's tasks take turns */
  bool given_up, mixed;
  struct {
    uint32_t job, send, receive;
  } odd;
  double *at; /* [ats]: flow.at, ascending */
  ripstop_channel_loads *loads;
  size_t ats, kept;
  ripstop_error *err; /* the reason of a failure */
  ripstop_arena *arena;
} timeline;

/* timeline.c. -1: the run failed; the error says why. */
int timeline_run(timeline *t);
void timeline_post(timeline *t, event e);
bool timeline_is_now(const timeline *t, double when);

/* fluid_tasks.c */
void fluid_tasks_open(timeline *t, const job *all);
void fluid_tasks_start_job(timeline *t, uint32_t number);
void fluid_tasks_happen(timeline *t, const event *e);
/* Begins what is ready, until nothing is. */
void fluid_tasks_go_on(timeline *t);
/* A send is done: its message begins to leave. */
void fluid_tasks_left(timeline *t, uint32_t owner, uint32_t number);

/* sending.c */
void sending_open(timeline *t, ripstop_fluid_nic nic);
void sending_ready(timeline *t, uint32_t owner, uint32_t number);
/* Queues messages that became ready, and begins those that can; false: there were none. */
bool sending_go_on(timeline *t);
/* The last flit of the first message of a stream leaves now. */
void sending_last_flit(timeline *t, uint32_t pair);
/* All messages of a pair stand still; those that stand still go on, if there is a path. */
void sending_stop(timeline *t, uint32_t pair);
void sending_resume(timeline *t, uint32_t pair);
void sending_drop(timeline *t, uint32_t message);
bool sending_stands(const timeline *t); /* some message stands still */

/* fluid_changes.c */
int fluid_changes_open(timeline *t, const ripstop_plan *plan);
double fluid_changes_next(const timeline *t); /* the next change, or plan; INFINITY: none */
int fluid_changes_happen(timeline *t, double limit);
void fluid_changes_close(timeline *t);
/* True if the path of a pair crosses a part that has failed, or there is none. */
bool fluid_changes_block(const timeline *t, uint32_t pair);

#endif
