/* workers.h - many runs on the threads of this process and on its ranks (work.c). */
#ifndef RIPSTOP_CAMPAIGN_WORKERS_H
#define RIPSTOP_CAMPAIGN_WORKERS_H

#include "ripstop/kit/campaign.h"

/* Whose a run is that others may do too. */
typedef enum ripstop_claimed {
  RIPSTOP_CLAIM_GRANTED, /* this process's */
  RIPSTOP_CLAIM_OTHERS,  /* another's just now; claimed again from time to time */
  RIPSTOP_CLAIM_STORED   /* none's any more: it is done */
} ripstop_claimed;

typedef struct ripstop_workers {
  unsigned threads;         /* 0: one for every processor that is online */
  unsigned inside;          /* ripstop_run.threads of each run, as far as they are worth it; 0 is 1 */
  ripstop_execute execute;  /* NULL: ripstop_run_execute */
  const atomic_int *stop;   /* NULL: cannot be stopped */
  ripstop_ranks *ranks;     /* NULL: this process alone; `threads` 0 is then this rank's share of its machine */
  const ripstop_runs *runs; /* with `ranks`: what the list is of */
  /* Called in the caller's thread before runs are begun, where others may do them too (store.h): whose each of these
   * is. Non-zero ends the work. NULL: all are this process's. */
  int (*claim)(void *context, const ripstop_run *const *run, size_t count, ripstop_claimed *whose);
  /* Called in the caller's thread with every outcome, in the order in which they are ready; non-zero ends the work. */
  int (*done)(void *context, const ripstop_run *run, const ripstop_outcome *outcome);
  /* Called in the caller's thread a few times a second; may be NULL. */
  void (*tick)(void *context);
  void *context;
} ripstop_workers;

/* Executes the runs. Returns 0 when all are done, by whatever process, 1 when stopped before, -1 when `claim` or `done`
 * ended it. Outcomes depend on the run alone, never on who does it. On ranks but 0 the list is not looked at, and
 * nothing is called. */
int ripstop_work(const ripstop_run *const *run, size_t count, const ripstop_workers *workers);

#endif
