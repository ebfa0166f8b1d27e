/* steps.h - the times of a job's steps, and the recovery time after the fabric changed. */
#ifndef WORKLOAD_STEPS_H
#define WORKLOAD_STEPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct step_times {
  uint32_t count;              /* steps that are done */
  double mean, p50, p99, most; /* cycles; NaN without any */
  double recovery;             /* cycles, see steps_of */
} step_times;

/* The steps of a job in a run; times in cycles. */
typedef struct step_ends {
  uint32_t steps;
  const uint32_t *left; /* [steps]: tasks that are not done */
  const double *end;    /* [steps]: the last end of a task so far */
  double start;         /* the job's */
  bool ended;           /* the job did */
} step_ends;

/* A step lasts from the end of the previous one (the first: from the job's start) to its own end. `changed`: the
 * time of the first change, INFINITY: none. A step is slow if it takes STEPS_SLOW times the median of the steps
 * that ended before that. `recovery` lasts from the change to the end of the last slow step. It is 0 if no step is
 * slow. It is NaN if the job's last step is slow, if the job did not end, or if no step ended before the change. */
#define STEPS_SLOW 1.1
step_times steps_of(const step_ends *given, double changed);

#endif
