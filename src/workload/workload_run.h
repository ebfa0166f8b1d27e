/* workload_run.h - runs of workloads, and of random traffic with a transport. */
#ifndef WORKLOAD_WORKLOAD_RUN_H
#define WORKLOAD_WORKLOAD_RUN_H

#include "ripstop/kit/workload.h"
#include "simulate/run_result.h"

typedef struct ripstop_workload_run {
  ripstop_workload_config config;
  /* Only the schedule, the switch, the traffic of end nodes without a job, measure.window, measure.check, what a fault
   * leads to, the seed and `stop` count; the workload decides the rest. */
  ripstop_simulate_settings simulation;
} ripstop_workload_run;

/* All checks that ripstop_workload_agent makes before the first cycle: that every message that is received is sent,
 * too, and that no tasks wait for each other. */
int ripstop_workload_check(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_error *err);
/* Runs like ripstop_simulate_into; the values of the workload come before those of the network:
 *   workload.complete  0 or 1  every job did what it was to do
 *   workload.cycles    cycles  from cycle 0 to the end of the last job; none when one did not come to its end
 *   workload.ideal-cycles, job.N.cycles, message.completion.mean, message.slowdown.mean, ... (docs/workloads.md) */
int ripstop_workload_agent(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_run_result *result,
                           ripstop_error *err);

/* The same as a handle (ripstop_simulation): opened, run, changed and inspected, its result read, and closed. The plan,
 * and what `run` points to, must outlive it. NULL on error. */
typedef struct ripstop_jobs ripstop_jobs;
ripstop_jobs *ripstop_jobs_open(const ripstop_plan *plan, const ripstop_workload_run *run, ripstop_error *err);
ripstop_simulation *ripstop_jobs_simulation(const ripstop_jobs *jobs); /* the jobs close it */
/* Like ripstop_simulate_result_into. Values from the first fault on (job.N.recovery) know only the schedule's faults.
 * -1 also where the jobs have gone wrong. */
int ripstop_jobs_result(const ripstop_jobs *jobs, ripstop_run_result *result, ripstop_error *err);
void ripstop_jobs_close(ripstop_jobs *jobs); /* NULL is fine */

/* Random traffic whose lost packets a transport sends again (ripstop_traffic_config.transport). As
 * ripstop_simulate_check and ripstop_simulate_into, which it calls where the transport is none; the scenario has no
 * agents. Results count packets: each from its generation to its first delivery. Beside them: transport.repeats,
 * transport.timeouts, ...  what it took (docs/traffic.md, "A transport") transport.lost                     packets
 * losses of all packets: first ones, repeats and answers The verdict is "lossy" if a packet can never be delivered. */
int ripstop_traffic_check(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_error *err);
int ripstop_traffic_run(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, ripstop_run_result *result,
                        ripstop_error *err);

/* `jobs` with every option, defaults included, as it names runs, and as it opens files that lie beside `beside` (NULL:
 * in the present folder). Reads the files, to hash them. */
int ripstop_workload_beside(ripstop_arena *arena, const char *jobs, const char *beside, const char **named,
                            const char **opened, ripstop_error *err);

#endif
