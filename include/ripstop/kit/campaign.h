/* campaign.h - many runs: on the threads of this process, and which of them are a part's when machines share them
 * without talking to each other (docs/experiments.md, "Many machines"). */
#ifndef RIPSTOP_KIT_CAMPAIGN_H
#define RIPSTOP_KIT_CAMPAIGN_H

#include "ripstop/kit/experiment.h"

RIPSTOP_BEGIN

/* ------------------------------------------------------------------ workers */

typedef struct ripstop_workers {
  unsigned threads;        /* 0: one for every processor that is online */
  unsigned inside;         /* threads for each run, but one for 1,024 end nodes at most; 0 is 1 */
  ripstop_execute execute; /* NULL: ripstop_run_execute */
  const atomic_int *stop;  /* NULL: cannot be stopped */
  /* Called in the caller's thread with every outcome, in the order in which they are ready; non-zero ends the work. */
  int (*done)(void *context, const ripstop_run *run, const ripstop_outcome *outcome);
  /* Called in the caller's thread a few times a second; may be NULL. */
  void (*tick)(void *context);
  void *context;
} ripstop_workers;

/* Executes the runs. Returns 0 when all are done, 1 when stopped before, -1 when `done` ended it. Outcomes depend on
 * the run alone, never on the number of threads. */
int ripstop_work(const ripstop_run *const *run, size_t count, const ripstop_workers *workers);

/* ------------------------------------------------------------------ parts */

/* One of several parts of an experiment, each of which a process of its own does. */
typedef struct ripstop_shard {
  unsigned part, of; /* 1 <= part <= of */
} ripstop_shard;

/* Leaves those of the runs in the list that are the part's, in their order, and returns how many they are. The list is
 * that of all runs of the experiment, each once. Each run is in one part; which, depends on `of`, on the runs' names
 * and on their order alone. Of any beginning of the list no part has two runs more than another. */
size_t ripstop_shard_runs(ripstop_shard shard, const ripstop_run **run, size_t count);

RIPSTOP_END

#endif
