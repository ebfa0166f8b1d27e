/* drift.h - whether runs were still changing while they were measured. */
#ifndef REPORT_DRIFT_H
#define REPORT_DRIFT_H

#include "ripstop/kit/report.h"

enum { DRIFT_QUANTITIES = 2 }; /* throughput, and latency in the network: all else follows them */

/* One quantity of the runs behind a point. */
typedef struct drift {
  double *level, *change; /* its value, and second half over first minus 1: one for each run that has both */
  size_t count, room;
  double level_half, change_half; /* of the last run, its own */
} drift;

/* Whether a run's value is of its measured cycles; others are of the fault set or of the whole run. */
bool drift_concerns(const ripstop_run *run, const char *value);
/* One more run; one without drifts (a proof, a program, two batches) adds nothing. */
void drift_add(drift d[DRIFT_QUANTITIES], ripstop_arena *arena, const ripstop_outcome *outcome);
/* Some quantity changed by more than its interval and by more than the interval of the change (drift.c). */
bool drift_is_told(const drift d[DRIFT_QUANTITIES], double confidence);
/* The same of one run, by its own intervals. */
bool drift_of_run(const ripstop_outcome *outcome);

#endif
