/* job_runner.h - the job runner: jobs on a simulated fabric. Messages are cut into packets, and each rank's tasks begin
 * when they are ready. */
#ifndef WORKLOAD_JOB_RUNNER_H
#define WORKLOAD_JOB_RUNNER_H

#include "base/histogram.h"
#include "workload/jobs.h"
#include "workload/transport.h"
#include "workload/turns.h"

enum { STAGE_HUNDREDTHS = 100 }; /* unit of slowdowns */
enum { STAGE_PROCESSORS = 256 }; /* each rank has so many */

/* Ends and begins of computations and waits, starts of jobs; packets that are sent again; what checkpoints wait for. */
typedef enum alarm_kind { ALARM_END, ALARM_BEGIN, ALARM_JOB, ALARM_AGAIN, ALARM_CHECKPOINT } alarm_kind;

typedef struct act { /* progress of a task */
  uint64_t begun;    /* cycle */
  uint32_t waits;    /* unfinished tasks before it */
  uint32_t left;     /* send, without a transport: packets that have not arrived */
  bool is_begun, is_done;
  bool is_there;   /* send: its message has arrived */
  bool is_running; /* the computation has its processor */
} act;

typedef struct waiting {
  uint32_t *task;
  uint32_t count, room;
} waiting;

typedef struct job_messages {   /* the messages of one job */
  ripstop_histogram completion; /* cycles */
  double slowdowns;             /* sum of all slowdowns */
} job_messages;

typedef struct job_run { /* a job */
  const job *job;
  act *act; /* [tasks] */
  bool started;
  uint64_t *ends;       /* [tasks]: the cycle in which a computation or wait that has begun ends; 0: none. NULL: there
                           are no checkpoints */
  uint64_t *ended;      /* [ranks]: the cycle of the rank's last event */
  uint64_t **free_;     /* [ranks]: the cycle from which each of its processors is free; NULL: it has not computed */
  turns *turns;         /* NULL: no task takes one */
  struct held *words;   /* the words that its ranks hold; NULL: none */
  waiting *came, *asks; /* [ranks]: messages and receives without a match, the oldest first */
  uint32_t left;        /* tasks that are not done */
  uint32_t *step_left;  /* [steps]: the same for each step */
  uint64_t *step_end;   /* [steps]: the cycle of its last end so far */
  uint64_t cycles;      /* cycle of the last event */
  job_messages *own;    /* NULL: no job has a class */
} job_run;

typedef struct ready { /* a task that may begin, and since when */
  uint64_t when;
  uint32_t job_run, task;
} ready;

/* Delays that every message meets, on any route. */
typedef struct stage_wires {
  const ripstop_fabric *fabric;
  const ripstop_switch_config *switch_;
  uint64_t shortest; /* cycles on the shortest link between switches */
  uint64_t full;     /* flits of a packet that carries as many bytes as packets may */
} stage_wires;

typedef struct stage {
  const ripstop_workload_config *config;
  stage_wires wires;
  job_run *job_run;
  uint32_t plays;
  uint32_t classes;     /* traffic classes that the jobs' packets need */
  transport *transport; /* NULL: none, and `again` is used */
  ready *ready;         /* entries from `next` on have not begun */
  size_t readies, room, next;
  ripstop_agent_packet *again; /* [agains]: lost packets that will be sent again; alarms use the index */
  size_t agains, again_room;
  uint32_t *spare; /* free entries of `again` */
  size_t spares, spare_room;
  uint64_t repeats; /* packets sent again */
  uint64_t in_progress;
  uint64_t pending;                       /* the computations, waits and unstarted jobs among them */
  uint64_t epoch;                         /* alarms of another one are ignored */
  struct checkpoints *checkpoints;        /* NULL: none */
  ripstop_histogram completion, slowdown; /* messages: cycles; hundredths */
  double slowdowns;                       /* sum of all slowdowns */
  uint64_t payload;                       /* bytes of all messages that have arrived */
  bool given_up;                          /* a packet was lost too often */
  bool mixed;                             /* a receive from any source got a message of another length: */
  struct {
    uint32_t job_run, send, receive;
  } odd;
  bool stuck;     /* no event is pending, and tasks are left */
  bool has_turns; /* some job's tasks take turns */
  ripstop_arena *arena;
} stage;

/* For checkpoint.c: a job before its start; an alarm's number; what an alarm does when it rings; begins what is ready.
 */
void stage_open_play(const stage *s, job_run *p, const job *j);
uint64_t stage_alarm(const stage *s, alarm_kind kind, uint32_t number, uint64_t what);
void stage_fire(stage *s, ripstop_agent_context *on, alarm_kind kind, uint32_t number, uint32_t what);
void stage_go_on(stage *s, ripstop_agent_context *on);

/* Copies nothing: all arguments must outlive it. Each send's `links` must be known. */
void stage_open(stage *s, const ripstop_workload_config *config, const ripstop_switch_config *switch_,
                const ripstop_view *view, const job *all, size_t count, ripstop_arena *arena);
/* The method's switches inform sources of packets that they discard (ripstop_plan.informs). */
void stage_inform(stage *s);
/* The shortest time-out of its transport, if round trips decide it. */
void stage_bound(stage *s, uint64_t cycles);
bool stage_informs(const stage *s); /* true if there is a transport, too */
ripstop_agent stage_agent(stage *s);
bool stage_is_complete(const stage *s); /* true if every task is done */
bool stage_is_right(const stage *s);    /* true if every word also has the right value */
/* Gives the connectivity after the cycle `settled`, behind which nothing changes (transport_know): a run is given up
 * early if a message can never arrive. */
void stage_know(stage *s, const uint32_t *part, uint64_t settled);
/* Adds what the first unfinished task waits for, or which message can never arrive. */
void stage_report(const stage *s, ripstop_text *out);
/* If `mixed`: adds which rank received which message. */
void stage_report_odd(const stage *s, ripstop_text *out);

stage_wires stage_wires_of(const ripstop_fabric *fabric, const ripstop_switch_config *switch_,
                           const ripstop_workload_config *config);
/* Flits of a message, including its packets' headers, and its packets. */
/* Flits of a packet that carries as many bytes as packets may. */
uint64_t stage_full(const ripstop_workload_config *config);
uint64_t stage_flits(const ripstop_workload_config *config, uint64_t bytes, uint64_t *packets);
/* Cycles of this many flits on an end node's link. */
uint64_t stage_pace(const ripstop_fabric *fabric, uint32_t end, uint64_t flits);
/* Cycles from a head's arrival at a switch until it leaves, when nothing else moves; for a message of so many flits. */
uint64_t stage_through(const stage_wires *w, uint64_t flits);
/* Cycles of a message between two end nodes over this many links, when nothing else moves: at the rate of the slower
 * of their own links, and as if all links between switches were as short as the shortest. */
uint64_t stage_latency(const stage_wires *w, uint32_t from, uint32_t to, uint32_t links, uint64_t flits);

#endif
