/* stage.h - jobs on a simulated fabric: messages cut into packets, and each rank's tasks when their time has come. */
#ifndef WORKLOAD_STAGE_H
#define WORKLOAD_STAGE_H

#include "base/histogram.h"
#include "workload/jobs.h"
#include "workload/transport.h"

enum { STAGE_HUNDREDTHS = 100 }; /* of which slowdowns are counted */
enum { STAGE_PROCESSORS = 256 }; /* each rank has so many */

/* Ends and begins of computations and waits, starts of jobs; packets that are sent again; what checkpoints wait for. */
typedef enum alarm_kind { ALARM_END, ALARM_BEGIN, ALARM_JOB, ALARM_AGAIN, ALARM_CHECKPOINT } alarm_kind;

typedef struct act { /* how far a task is */
  uint64_t begun;    /* cycle */
  uint32_t waits;    /* for so many others */
  uint32_t left;     /* of a send: packets that are not there yet; without a transport */
  bool is_begun, is_done;
  bool is_there;   /* of a send: its message is */
  bool is_running; /* the computation has its processor */
} act;

typedef struct waiting {
  uint32_t *task;
  uint32_t count, room;
} waiting;

typedef struct job_messages {   /* the messages of one job */
  ripstop_histogram completion; /* cycles */
  double slowdowns;             /* their sum */
} job_messages;

typedef struct play { /* a job */
  const job *job;
  act *act; /* [tasks] */
  bool started;
  uint64_t *ends;       /* [tasks]: the cycle in which a computation or wait that has begun ends; 0: none. NULL: there
                           are no checkpoints */
  uint64_t *ended;      /* [ranks]: the cycle of the last thing that each did */
  uint64_t **free_;     /* [ranks]: from when on each of its processors is free; NULL: it has not computed */
  struct held *words;   /* what its ranks hold; NULL: nothing */
  waiting *came, *asks; /* [ranks]: messages and receives that have not found each other, the oldest first */
  uint32_t left;        /* tasks that are not done */
  uint32_t *step_left;  /* [steps]: the same of each step */
  uint64_t *step_end;   /* [steps]: the cycle of its last end so far */
  uint64_t cycles;      /* when the last was */
  job_messages *own;    /* NULL: no job has a class */
} play;

typedef struct ready { /* a task that may begin, and since when */
  uint64_t when;
  uint32_t play, task;
} ready;

/* What every message meets, whatever its way. */
typedef struct stage_wires {
  const ripstop_fabric *fabric;
  const ripstop_switch_config *switch_;
  uint64_t shortest; /* cycles on a link between switches */
} stage_wires;

typedef struct stage {
  const ripstop_workload_config *config;
  stage_wires wires;
  play *play;
  uint32_t plays;
  uint32_t classes;     /* traffic classes that the jobs' packets need */
  transport *transport; /* NULL: none, and `again` is used */
  ready *ready;         /* from `next` on they have not begun */
  size_t readies, room, next;
  ripstop_letter *again; /* [agains]: lost packets that are to be sent again; alarms know them by their number */
  size_t agains, again_room;
  uint32_t *spare; /* places in `again` that are free */
  size_t spares, spare_room;
  uint64_t repeats; /* packets sent again */
  uint64_t under_way;
  uint64_t pending;                       /* the computations, waits and unstarted jobs among them */
  uint64_t epoch;                         /* alarms of another one are ignored */
  struct checkpoints *checkpoints;        /* NULL: none */
  ripstop_histogram completion, slowdown; /* of messages: cycles; hundredths */
  double slowdowns;                       /* their sum */
  uint64_t payload;                       /* bytes of all messages that are there */
  bool given_up;                          /* a packet was lost too often */
  bool mixed;                             /* a receive from anybody got a message of another length: */
  struct {
    uint32_t play, send, receive;
  } odd;
  bool stuck; /* nothing is under way, and tasks are left */
  ripstop_arena *arena;
} stage;

/* For checkpoint.c: a job before its start; an alarm's number; what an alarm does when it rings; begins what is ready.
 */
void stage_open_play(const stage *s, play *p, const job *j);
uint64_t stage_alarm(const stage *s, alarm_kind kind, uint32_t number, uint64_t what);
void stage_fire(stage *s, ripstop_play *on, alarm_kind kind, uint32_t number, uint32_t what);
void stage_go_on(stage *s, ripstop_play *on);

/* Copies nothing: all must outlive it. Each send's `links` must be known. */
void stage_open(stage *s, const ripstop_workload_config *config, const ripstop_switch_config *switch_,
                const ripstop_fabric *fabric, const job *all, size_t count, ripstop_arena *arena);
/* The method's switches inform sources of packets that they discard (ripstop_plan.informs). */
void stage_inform(stage *s);
bool stage_informs(const stage *s); /* and there is a transport */
ripstop_player stage_player(stage *s);
bool stage_is_complete(const stage *s); /* every task is done */
bool stage_is_right(const stage *s);    /* and every word is what it is to be */
/* Where nothing changes behind a cycle, what is connected then (transport_know): a run is given up early where
 * something can never arrive. */
void stage_know(stage *s, const uint32_t *part, uint64_t settled);
/* What the first task that is not done waits for, or what can never arrive. */
void stage_tell(const stage *s, ripstop_text *out);
/* Of a `mixed` one: which message was received by whom. */
void stage_tell_odd(const stage *s, ripstop_text *out);

stage_wires stage_wires_of(const ripstop_fabric *fabric, const ripstop_switch_config *switch_);
/* Flits of a message, its packets' headers with them, and its packets. */
uint64_t stage_flits(const ripstop_workload_config *config, uint64_t bytes, uint64_t *packets);
/* Cycles that so many flits need on an end node's link. */
uint64_t stage_pace(const ripstop_fabric *fabric, uint32_t end, uint64_t flits);
/* Cycles of a message of so many flits between two end nodes over so many links, when nothing else moves: at the pace
 * of the slower of their own links, and as if all links between switches were as short as the shortest. */
uint64_t stage_latency(const stage_wires *w, uint32_t from, uint32_t to, uint32_t links, uint64_t flits);

#endif
