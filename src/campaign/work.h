/* work.h - a call of ripstop_work: the list, what has been taken from it, and what has come of it. */
#ifndef RIPSTOP_CAMPAIGN_WORK_H
#define RIPSTOP_CAMPAIGN_WORK_H

#include "ripstop/kit/campaign.h"

typedef struct ripstop_task {
  const ripstop_run *const *run;
  size_t count, done; /* runs: of the list, those with an outcome */
  atomic_size_t next; /* of the list; beyond its end there is nothing */
  const ripstop_workers *workers;
  ripstop_execute execute;
  bool ended;    /* `done` wants no more */
  double ticked; /* when the caller's `tick` was called, seconds */
} ripstop_task;

/* The next run, or NULL: there is none, or the work is stopped. Any thread. */
const ripstop_run *task_fetch(ripstop_task *t);
/* Does it with so many threads inside. -1: stopped, without an outcome. Any thread. */
int task_execute(const ripstop_task *t, const ripstop_run *run, unsigned inside, ripstop_outcome *out);
/* Whether more are wanted. The caller's thread. */
bool task_take(ripstop_task *t, const ripstop_run *run, const ripstop_outcome *outcome);

/* The caller's `tick`, but a few times a second at most. */
void task_tick(ripstop_task *t);

/* ------------------------------------------------------------------ with other ranks (spread.c) */

/* Rank 0: takes what the others bring, and gives them more. */
void spread_serve(ripstop_task *t);
/* Rank 0: goes on with it until all of them have nothing any more, or the work is stopped or ended. */
void spread_finish(ripstop_task *t);
/* Any other rank: does what it is given until there is nothing any more. -1: stopped before. */
int spread_help(ripstop_task *t);

#endif
