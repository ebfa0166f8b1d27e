/* drift.h - whether runs were still changing while they were measured. */
#ifndef REPORT_DRIFT_H
#define REPORT_DRIFT_H

#include "ripstop/kit/report.h"

/* Throughput, latency in the network, latency from generation. The last grows as long as sources are not served, and so
 * beyond saturation has no steady state: whether a run is one counts the first DRIFT_STEADY alone. */
enum { DRIFT_STEADY = 2, DRIFT_QUANTITIES };

/* One quantity of the runs behind a point. */
typedef struct drift {
  double *level, *change; /* its value, and second half over first minus 1: one for each run that has both */
  size_t count, room;
  double level_half, change_half; /* the last run's own */
} drift;

/* True if this value of a run is needed to judge whether the shown one drifts. */
bool drift_looks_at(const char *shown, const char *value);
/* True if a run's value is of its measured cycles; others are of the fault set or of the whole run. */
bool drift_concerns(const ripstop_run *run, const char *value);
/* One more run; one without drifts (a proof, a program, two batches) adds nothing. `shown`: the value that the point is
 * of, which says whose drifts count: of a throughput its own, of a latency its own and that in the network, which is a
 * part of it; all else follows throughput and latency in the network. */
void drift_add(drift d[DRIFT_QUANTITIES], ripstop_arena *arena, const ripstop_outcome *outcome, const char *shown);
/* RIPSTOP_DRIFT_... of what changed by more than its interval and by more than the interval of the change (drift.c). */
unsigned drift_reported(const drift d[DRIFT_QUANTITIES], double confidence);
/* The same of one run, by its own intervals. */
bool drift_of_run(const ripstop_outcome *outcome);

#endif
