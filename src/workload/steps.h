/* steps.h - what the steps of a job took, and when it was as fast again as before the fabric changed. */
#ifndef WORKLOAD_STEPS_H
#define WORKLOAD_STEPS_H

#include "workload/stage.h"

typedef struct step_times {
  uint32_t count;              /* steps that are done */
  double mean, p50, p99, most; /* cycles; NaN without any */
  double recovery;             /* cycles, see steps_of */
} step_times;

/* A step takes from the end of the one before (the first: from the job's start) to its own end. `changed`: the cycle of
 * the first change, UINT64_MAX: there is none. Slow is a step that takes STEPS_SLOW times the median of those that
 * ended before that. `recovery` goes from the change to the end of the last slow step: 0 when none is, NaN when the
 * job's last step is, when it did not come to its end, or when no step ended before the change. */
#define STEPS_SLOW 1.1
step_times steps_of(const play *p, uint64_t changed);

#endif
