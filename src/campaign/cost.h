/* cost.h - how long runs are likely to take (cost.c), and how much memory they need (footprint.c). */
#ifndef RIPSTOP_CAMPAIGN_COST_H
#define RIPSTOP_CAMPAIGN_COST_H

#include "ripstop/kit/campaign.h"

/* The time that a run took: ripstop_outcome.seconds. */
typedef struct ripstop_cost {
  const ripstop_run *run;
  double seconds;
} ripstop_cost;

/* Sorts runs such that those come first that are likely to take longest, to judge by others of the same experiment;
 * those that seem alike, and all where none are known, stay in their order.
 * -1: no memory, and nothing was sorted. */
int ripstop_long_first(const ripstop_cost *known, size_t knowns, const ripstop_run **run, size_t count);

typedef struct ripstop_guess {
  double seconds; /* processor time; 0 without a basis */
  double most;    /* the same, but where it is assumed of a run that goes on until something is known: `seconds` is then
                     the least */
  ripstop_guess_by by;
} ripstop_guess;

/* The time that runs are likely to take, judged by others of the same experiment. -1: no memory. */
int ripstop_guess_costs(const ripstop_cost *known, size_t knowns, const ripstop_run *const *run, size_t count,
                        ripstop_guess *out);

/* Bytes that the engine takes for the run at least, its fabric and plan not counted; 0 where that cannot be said. */
uint64_t ripstop_run_bytes(const ripstop_run *run);
/* The same of the largest runs, so many of them at once. */
uint64_t ripstop_runs_bytes(const ripstop_run *const *run, size_t count, unsigned at_once);

#endif
