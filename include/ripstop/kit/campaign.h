/* campaign.h - many runs: on the threads of this process, on the ranks that mpirun or srun has started, and which of
 * them are a part's when machines share them without talking to each other (docs/experiments.md, "Many machines"). */
#ifndef RIPSTOP_KIT_CAMPAIGN_H
#define RIPSTOP_KIT_CAMPAIGN_H

#include "ripstop/kit/experiment.h"

RIPSTOP_BEGIN

/* ------------------------------------------------------------------ ranks
 * Processes that do one campaign together. Rank 0 owns what comes of it; the others do runs for it. All call, in this
 * order: open, begin, agree, ripstop_work or ripstop_ranks_gather as often as rank 0 does, end. */

typedef struct ripstop_ranks ripstop_ranks;

/* Joins the ranks where the environment says that this process is one of several, which loads MPI; elsewhere `out` gets
 * NULL. -1: it is, and they cannot work together; `err` says why on the first of them, so that it is told once. */
int ripstop_ranks_open(ripstop_ranks **out, ripstop_error *err);
/* For commands that are one process's: 0 where this one is alone. -1: it is one of several; `err` says so on the first.
 */
int ripstop_ranks_none(const char *command, ripstop_error *err);
unsigned ripstop_ranks_own(const ripstop_ranks *ranks);   /* 0 owns */
unsigned ripstop_ranks_count(const ripstop_ranks *ranks); /* at least 2 */
/* On rank 0: how many ranks, this one too, have work now. */
unsigned ripstop_ranks_busy(const ripstop_ranks *ranks);
/* On rank 0: makes a record of all files that are read from here on, as ripstop_ranks_begin needs it. */
void ripstop_ranks_record(ripstop_ranks *ranks);
/* Rank 0 says whether there is something to do, and sends the record; the others wait for it, and from then on read the
 * files that are in it. Whether there is something to do. */
bool ripstop_ranks_begin(ripstop_ranks *ranks, bool work);
/* Whether all ranks are about to do the same: `has` tells all that it depends on; NULL: this rank cannot, and `err`
 * says why. -1: on rank 0 `err` names the first that differs and how; on the others it says nothing. `rounds`: how many
 * calls of ripstop_work and ripstop_ranks_gather follow. */
int ripstop_ranks_agree(ripstop_ranks *ranks, const char *has, unsigned rounds, ripstop_error *err);
/* What an experiment's runs are, for it. */
void ripstop_runs_describe(const ripstop_runs *runs, ripstop_text *out);
/* This rank's share of its machine's processors, at least 1. */
unsigned ripstop_ranks_share(const ripstop_ranks *ranks);
/* All ranks give their bytes, and on rank 0 `each` is called with those of every rank, its own first. -1: `each` has
 * failed, or `stop` was set before all had come. */
int ripstop_ranks_gather(ripstop_ranks *ranks, const ripstop_text *own, const atomic_int *stop,
                         int (*each)(void *context, unsigned rank, const ripstop_text *bytes), void *context);
/* Leaves the ranks and frees. If not all of those calls came to their end, others may still be at work: then all ranks
 * end at once, with this exit code, and this does not return. So it is the last that is called. NULL is fine. */
void ripstop_ranks_end(ripstop_ranks *ranks, int status);

/* ------------------------------------------------------------------ workers */

/* Whose a run is that others may do too. */
typedef enum ripstop_claimed {
  RIPSTOP_CLAIM_GRANTED, /* this process's */
  RIPSTOP_CLAIM_OTHERS,  /* somebody else's just now; asked for again from time to time */
  RIPSTOP_CLAIM_STORED   /* nobody's any more: it is done */
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

/* Executes the runs. Returns 0 when all are done, by whomever, 1 when stopped before, -1 when `claim` or `done` ended
 * it. Outcomes depend on the run alone, never on who does it. On ranks but 0 the list is not looked at, and nothing is
 * called. */
int ripstop_work(const ripstop_run *const *run, size_t count, const ripstop_workers *workers);

/* ------------------------------------------------------------------ memory */

/* Bytes that the engine takes for the run at least, its fabric and plan not counted; 0 where that cannot be told. */
uint64_t ripstop_run_bytes(const ripstop_run *run);
/* The same of the largest runs, so many of them at once. */
uint64_t ripstop_runs_bytes(const ripstop_run *const *run, size_t count, unsigned at_once);
/* Bytes that this process can still have: what the system has to give, or less by its limits (RLIMIT_AS, RLIMIT_DATA)
 * and those of its control group. UINT64_MAX: that cannot be told. */
uint64_t ripstop_memory_there(void);

/* ------------------------------------------------------------------ costs */

/* How long a run took: ripstop_outcome.seconds. */
typedef struct ripstop_cost {
  const ripstop_run *run;
  double seconds;
} ripstop_cost;

/* Sorts runs such that those come first that are likely to take longest, to judge by others of the same experiment;
 * those that seem alike, and all where none are known, stay in their order.
 * -1: no memory, and nothing was sorted. */
int ripstop_long_first(const ripstop_cost *known, size_t knowns, const ripstop_run **run, size_t count);

/* What a guess rests on, the best that there is. */
typedef enum ripstop_guess_by {
  RIPSTOP_GUESS_NONE,     /* nothing: nobody knows */
  RIPSTOP_GUESS_ASSUMED,  /* no run is known: RIPSTOP_ASSUMED_SPEED */
  RIPSTOP_GUESS_ALL,      /* runs of other fabrics or methods */
  RIPSTOP_GUESS_METHOD,   /* of the same */
  RIPSTOP_GUESS_SETTINGS, /* of the same settings with other fault samples: their mean */
  RIPSTOP_GUESSES
} ripstop_guess_by;

typedef struct ripstop_guess {
  double seconds; /* of a processor; 0 by nothing */
  double most;    /* the same, but where it is assumed of a run that goes on until something is known: `seconds` is then
                     the least */
  ripstop_guess_by by;
} ripstop_guess;

enum { RIPSTOP_ASSUMED_SPEED = 20000000 }; /* end nodes times cycles, a second */

/* How long runs are likely to take, to judge by others of the same experiment. -1: no memory. */
int ripstop_guess_costs(const ripstop_cost *known, size_t knowns, const ripstop_run *const *run, size_t count,
                        ripstop_guess *out);

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
