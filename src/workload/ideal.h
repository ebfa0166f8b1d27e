/* ideal.h - times that no network on this fabric can beat, for comparison with a run's time. */
#ifndef WORKLOAD_IDEAL_H
#define WORKLOAD_IDEAL_H

#include "workload/job_runner.h"

typedef struct ideal {
  uint64_t path;      /* alpha-beta model: each message takes its latency and its length, and waits for no other */
  uint64_t compute;   /* each processor does one computation at a time */
  uint64_t ports;     /* an end node sends, and receives, at the rate of its link */
  uint64_t bisection; /* traffic from one half of the end nodes to the other shares the links between them */
} ideal;

/* Finds the number of links of each message, over the whole fabric. -1: some message has no path. */
int ideal_links(const ripstop_fabric *fabric, job *all, size_t count, ripstop_error *err);
/* The bound `path` of each job alone, into job.path, by its links. -1: some tasks wait for each other forever. */
int ideal_paths(const ripstop_workload_config *config, const stage_wires *wires, job *all, size_t count,
                ripstop_error *err);
/* Lower bounds of the cycle in which the last job ends. ideal_paths must have succeeded. */
ideal ideal_of(const ripstop_workload_config *config, const stage_wires *wires, const job *all, size_t count);
double ideal_largest(const ideal *i); /* the largest of the four */
#endif
