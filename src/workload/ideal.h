/* ideal.h - times that no network of this fabric can beat: what a run's time is held against. */
#ifndef WORKLOAD_IDEAL_H
#define WORKLOAD_IDEAL_H

#include "workload/stage.h"

typedef struct ideal {
  uint64_t path;      /* alpha-beta: each message takes its latency and its length, and waits for nobody */
  uint64_t compute;   /* each processor does one computation at a time */
  uint64_t ports;     /* an end node sends, and receives, at the rate of its link */
  uint64_t bisection; /* what goes from one half of the end nodes to the other shares the links between them */
} ideal;

/* Finds how far each message goes, over the whole fabric. -1: there is no way for some. */
int ideal_links(const ripstop_fabric *fabric, job *all, size_t count, ripstop_error *err);
/* Lower bounds of the cycle in which the last job ends. Jobs must have been walked without an error. */
ideal ideal_of(const ripstop_workload_config *config, const stage_wires *wires, const job *all, size_t count);
/* Of one job, without others beside it. */
uint64_t ideal_path(const ripstop_workload_config *config, const stage_wires *wires, const job *j);

#endif
