/* work.h - a call of ripstop_work: the list, what has been taken from it, and what has come of it. */
#ifndef RIPSTOP_CAMPAIGN_WORK_H
#define RIPSTOP_CAMPAIGN_WORK_H

#include "campaign/claim.h"

typedef struct ripstop_task {
  claims claims;
  size_t count, done; /* runs: of the list, those with an outcome from here or other ranks */
  const ripstop_workers *workers;
  ripstop_execute execute;
  unsigned threads;  /* that do runs */
  atomic_bool ended; /* `claim` or `done` wants no more */
  double ticked;     /* when the caller's `tick` was called, seconds */
} ripstop_task;

/* The next run; NULL: there is none now, or the work is stopped. Any thread. */
const ripstop_run *task_fetch(ripstop_task *t);
/* True if there may be one later. Any thread. */
bool task_later(const ripstop_task *t);
/* Does it with so many threads inside. -1: stopped, without an outcome. Any thread. */
int task_execute(const ripstop_task *t, const ripstop_run *run, unsigned inside, ripstop_outcome *out);
/* True if more are wanted. The caller's thread. */
bool task_take(ripstop_task *t, const ripstop_run *run, const ripstop_outcome *outcome);

/* Claims what will soon be begun, and calls the caller's `tick`, but that a few times a second at most. The caller's
 * thread, as often as possible. */
void task_tick(ripstop_task *t);

/* ------------------------------------------------------------------ with other ranks (hands.c) */

/* Rank 0: takes what the others bring, and gives them more. */
void spread_serve(ripstop_task *t);
/* Rank 0: goes on with it until all of them have nothing any more, or the work is stopped or ended. */
void spread_finish(ripstop_task *t);
/* Any other rank: does what it is given until there is nothing any more. -1: stopped before. */
int spread_help(ripstop_task *t);

#endif
