/* workload.h - messages above packets: jobs whose ranks compute, send and receive on a fabric with broken parts
 * (docs/workloads.md). Whether a job did what it was to do is checked in the run that timed it. */
#ifndef RIPSTOP_KIT_WORKLOAD_H
#define RIPSTOP_KIT_WORKLOAD_H

#include "ripstop/simulate.h"

RIPSTOP_BEGIN

/* How fast flows of a transport send (docs/workloads.md, "Congestion"). */
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
  double gain;                   /* of alpha: g */
  double additive, hyper, least; /* flits a cycle */
} ripstop_congestion;

/* What runs and how messages become packets; keys of `workload:`. */
typedef struct ripstop_workload_config {
  const char *jobs;  /* "goal:file=x.goal", "goal:file=x.goal on packed:16 at 1000 + ..." */
  int64_t flit;      /* bytes of a flit */
  int64_t packet;    /* bytes of a message that a packet carries at most */
  int64_t header;    /* flits that a packet has beside them */
  int64_t retry;     /* cycles from the loss of a packet until its sender sends it again; without a transport */
  int64_t tries;     /* how often a packet is sent again, or a time-out passes in a row, before the run is given up */
  int64_t limit;     /* cycles after which a run that has not come to its end is given up */
  bool ranks;        /* each rank's time is a value */
  int32_t transport; /* ripstop_transport; the rest is for those that are not none */
  int64_t window;    /* packets that are sent to an end node and not acknowledged, at most */
  int64_t timeout;   /* cycles from when a packet begins to leave its network interface until it counts as lost */
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

typedef struct ripstop_workload_run {
  ripstop_workload_config config;
  /* Of these the schedule, the switch, the traffic of end nodes without a job, measure.window, measure.check, the
   * reaction, the seed and `stop` count; all else is the workload's. */
  ripstop_scenario simulation;
} ripstop_workload_run;

/* All checks that ripstop_workload_agent makes before the first cycle: that every message that is received is sent,
 * too, and that no tasks wait for each other. */
int ripstop_workload_check(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_error *err);
/* As ripstop_simulate; the values of the workload come before those of the network:
 *   workload.complete  0 or 1  every job did what it was to do
 *   workload.cycles    cycles  from cycle 0 to the end of the last job; none when one did not come to its end
 *   workload.ideal-cycles, job.N.cycles, message.completion.mean, message.slowdown.mean, ... (docs/workloads.md) */
int ripstop_workload_agent(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_result *result,
                           ripstop_error *err);

/* The same as a handle (ripstop_simulation): opened, its simulation run, changed and looked at, asked for its result,
 * and closed. The plan, and what `run` points to, must outlive it. NULL on error. */
typedef struct ripstop_jobs ripstop_jobs;
ripstop_jobs *ripstop_jobs_open(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_error *err);
ripstop_simulation *ripstop_jobs_simulation(const ripstop_jobs *jobs); /* of the jobs, which close it */
/* As ripstop_simulate_result. What counts from the first fault (job.N.recovery) knows those of the schedule alone. -1
 * also where the jobs have gone wrong. */
int ripstop_jobs_result(const ripstop_jobs *jobs, ripstop_result *result, ripstop_error *err);
void ripstop_jobs_close(ripstop_jobs *jobs); /* NULL is fine */

/* Random traffic whose lost packets a transport sends again (ripstop_traffic_config.transport). As
 * ripstop_simulate_check and ripstop_simulate, which it calls where the transport is none; the scenario has no agents.
 * Results count packets: each from its generation to its first delivery. Beside them:
 *   transport.repeats, transport.timeouts, ...  what it took (docs/traffic.md, "A transport")
 *   transport.lost                     packets  losses of all packets: first ones, repeats and answers
 * The verdict is "lossy" if a packet can never be delivered. */
int ripstop_traffic_check(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err);
int ripstop_traffic_run(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_result *result,
                        ripstop_error *err);

/* `jobs` with every option, defaults included, as it names runs, and as it opens files that lie beside `beside` (NULL:
 * in the present folder). Reads the files, to hash them. */
int ripstop_workload_beside(ripstop_arena *arena, const char *jobs, const char *beside, const char **named,
                            const char **opened, ripstop_error *err);

RIPSTOP_END

#endif
