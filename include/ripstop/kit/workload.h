/* workload.h - messages above packets: jobs whose ranks compute, send and receive on a fabric with broken parts
 * (docs/workloads.md). Whether a job did what it was to do is checked in the run that timed it. */
#ifndef RIPSTOP_KIT_WORKLOAD_H
#define RIPSTOP_KIT_WORKLOAD_H

#include "ripstop/kit/simulation.h"

RIPSTOP_BEGIN

/* Controls the rates at which flows of a transport send (docs/workloads.md, "Congestion"). */
typedef enum ripstop_congestion_kind {
  RIPSTOP_CONGESTION_NONE,
  RIPSTOP_CONGESTION_DCQCN,
  RIPSTOP_CONGESTION_WINDOW
} ripstop_congestion_kind;
typedef struct ripstop_congestion {
  int32_t kind;       /* ripstop_congestion_kind; the rest is for those that are not none */
  int64_t kmin, kmax; /* ripstop_marks */
  double pmax;
  /* dcqcn: cycles from a notification to the next of a flow, at least; of the timer of alpha; of that of the rate;
   * flits of the byte counter; how often these count before the rate rises beyond what it was */
  int64_t notify, decay, rise, rise_flits, stages;
  double gain;                   /* g, for alpha */
  double additive, hyper, least; /* flits a cycle */
} ripstop_congestion;

/* The window limits the numbers of packets that are sent and not acknowledged, which a receiver puts in order, or how
 * many there are, at receivers that take any order. */
typedef enum ripstop_arrival_order { RIPSTOP_ORDER_WINDOW, RIPSTOP_ORDER_ANY } ripstop_arrival_order;

#define RIPSTOP_WORKLOAD_CYCLES_MAX 2000000000 /* the most of workload.limit, and its default */

/* The jobs, and how messages become packets; keys of `workload:`. */
typedef struct ripstop_workload_config {
  const char *jobs;  /* "goal:file=x.goal", "goal:file=x.goal on packed:16 at 1000 + ..." */
  int64_t flit;      /* bytes of a flit */
  int64_t packet;    /* bytes of a message that a packet carries at most */
  int64_t header;    /* flits that a packet has beside them */
  int64_t retry;     /* cycles from the loss of a packet until its sender sends it again; without a transport */
  int64_t tries;     /* how often a packet is sent again, or a time-out passes in a row, before the run is given up */
  int64_t limit;     /* cycles after which a run that has not come to its end is given up; in the flow model the most
                        is no limit */
  bool ranks;        /* each rank's time is a value */
  double tick;       /* nanoseconds of a cycle, for traces that count them (goal's calc); 0: they count cycles */
  int32_t transport; /* ripstop_transport; the rest is for those that are not none */
  int64_t window;    /* packets that are sent to an end node and not acknowledged, at most */
  /* Cycles from when a packet begins to leave its network interface until it counts as lost. RIPSTOP_UNLIMITED: by
   * measured round trips, and at least timeout_min, RIPSTOP_UNLIMITED: by the size of the fabric (round_trip.h). */
  int64_t timeout, timeout_min;
  int32_t order;     /* ripstop_arrival_order: what the window limits */
  bool pull;         /* trim: beyond a first window, senders send what receivers request (pulls.h) */
  int64_t backoff;   /* the time-out grows twofold each time it passes in a row, to at most so many times itself */
  int64_t ack;       /* flits of an acknowledgement */
  int32_t ack_class; /* ripstop_acks: a class of their own, or that of data */
  /* With static reconfiguration: cycles of work between checkpoints of all jobs, 0 or RIPSTOP_CHECKPOINT_LEAST and
   * more; to write one; from when the network goes on until the jobs do, from the last one. 0: nothing is repeated. */
  int64_t checkpoint, checkpoint_cost, restart_cost;
  ripstop_congestion congestion;
} ripstop_workload_config;
extern const ripstop_option ripstop_workload_options[];

enum { RIPSTOP_JOBS_MAX = 64, RIPSTOP_CHECKPOINT_LEAST = 256 };

RIPSTOP_END

#endif
