/* progress.h - how far a campaign is while it goes on. */
#ifndef RIPSTOP_CAMPAIGN_PROGRESS_H
#define RIPSTOP_CAMPAIGN_PROGRESS_H

#include "campaign/todo.h"

/* Guesses of the cost of runs, from runs that were done; processor seconds. */
typedef struct progress_costs {
  ripstop_cost *known; /* some of the runs that are stored or done */
  size_t knowns;
  uint32_t *place;      /* [runs]: which of the missing a run is */
  bool *over;           /* [missing]: done, by whatever process */
  ripstop_guess *guess; /* [missing] */
  double done, left;    /* the guessed cost of the runs that are over, and of the others */
  bool based;           /* the guesses rest on runs that are known */
  bool fresh;           /* runs are known that the guesses do not use yet */
  size_t skip, seen;    /* every skip-th run that is done is known; `seen` were done */
  double guessed, took; /* when it was guessed last, and how long that took */
} progress_costs;

typedef struct progress {
  ripstop_campaign *campaign;
  const ripstop_run *const *missing;
  progress_costs costs;
  double reported, waited; /* seconds by the clock: the last report, and the last time that others had all runs */
} progress;

/* Reports what there is to do. The list of missing runs must stay. */
void progress_begin(progress *p, ripstop_campaign *c, const campaign_todo *todo);
void progress_ran(progress *p, const ripstop_run *run, const ripstop_outcome *outcome);
/* Another process has stored it. */
void progress_by_other(progress *p, const ripstop_run *run);
/* Nothing is left but runs that this owner has claimed. */
void progress_waits(progress *p, const ripstop_store_owner *owner);
/* A few times a second: reports when it is time to. */
void progress_tick(progress *p);

#endif
