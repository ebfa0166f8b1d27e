/* campaign.h - does the runs of an experiment that its store does not have: finds them, says what they cost, claims and
 * does them, stores what comes of them and reports progress. `ripstop run` is this and what it prints.
 *
 *   ripstop_campaign_settings settings = ripstop_campaign_defaults("links.yaml");
 *   ripstop_campaign *campaign = ripstop_campaign_open(&settings, &err);
 *   int status = campaign ? ripstop_campaign_run(campaign, &err) : -1;
 *   ripstop_campaign_close(campaign);
 *
 * Finished runs stay in the store whatever ends a campaign early (an interrupt, a kill, a full disk), and the next
 * campaign on that store continues there. Several processes may do one experiment at once: one of them does each run
 * (store.h, "owners"). Ranks of mpirun, and parts, share the work of one experiment as well (docs/many-machines.md).
 * The rows of an experiment are the same however it is done. */
#ifndef RIPSTOP_KIT_CAMPAIGN_H
#define RIPSTOP_KIT_CAMPAIGN_H

#include "ripstop/kit/store.h"

RIPSTOP_BEGIN

/* ------------------------------------------------------------------ ranks
 * Processes that do one campaign together. Rank 0 owns what comes of it; the others do runs for it. All call, in this
 * order: open, join (ripstop_campaign_open does), then ripstop_campaign_run or ripstop_ranks_gather as often as rank 0
 * does, end. */

typedef struct ripstop_ranks ripstop_ranks;

/* Joins the ranks where the environment says that this process is one of several, which loads MPI; elsewhere `out` gets
 * NULL. -1: it is, and they cannot work together; `err` says why on the first of them, and is empty on the others, so
 * that it is printed once. */
int ripstop_ranks_open(ripstop_ranks **out, ripstop_error *err);
/* For commands that are one process's: 0 where this one is alone. -1: it is one of several; `err` says so on the first.
 */
int ripstop_ranks_none(const char *command, ripstop_error *err);
unsigned ripstop_ranks_own(const ripstop_ranks *ranks);   /* 0 owns */
unsigned ripstop_ranks_count(const ripstop_ranks *ranks); /* at least 2 */
/* This rank's share of its machine's processors, at least 1. */
unsigned ripstop_ranks_share(const ripstop_ranks *ranks);

/* The callbacks by which all ranks read the same inputs, rank 0 before the others, and describe what they read. */
typedef struct ripstop_joint {
  int (*read)(void *context, bool first, ripstop_error *err); /* `first`: on rank 0 */
  void (*describe)(const void *context, ripstop_text *out);   /* all that the work depends on */
  void *context;
} ripstop_joint;
/* Reads on all ranks, the others from rank 0's files, which they need not have themselves. -1: some rank could not, or
 * they differ; `err` says what on rank 0, and is empty on the others. `rounds`: how many rounds of work follow, calls
 * of ripstop_ranks_gather or campaigns' (ripstop_campaign_settings.prove is one of its own). */
int ripstop_ranks_join(ripstop_ranks *ranks, const ripstop_joint *joint, unsigned rounds, ripstop_error *err);
/* For work by other functions than ripstop_campaign_run: until the present call of the library ends, this rank reads
 * the files that rank 0 read when they joined. */
void ripstop_ranks_enter(ripstop_ranks *ranks);
/* All ranks give their bytes, and on rank 0 `each` is called with those of every rank, its own first. -1: `each` has
 * failed, or `stop` was set before all had come. */
int ripstop_ranks_gather(ripstop_ranks *ranks, const ripstop_text *own, const atomic_int *stop,
                         int (*each)(void *context, unsigned rank, const ripstop_text *bytes), void *context);
/* Leaves the ranks and frees. If not all rounds came to their end, others may still be at work: then all ranks end at
 * once, with this exit code, and this does not return. So it is the last that is called. NULL is fine. */
void ripstop_ranks_end(ripstop_ranks *ranks, int status);

/* ------------------------------------------------------------------ progress */

/* The state of a campaign. */
typedef struct ripstop_campaign_progress {
  size_t runs;         /* in the campaign's part of the experiment, each once */
  size_t stored;       /* runs that were in the store when it began */
  size_t to_do;        /* the others */
  size_t done, others; /* runs to do that this process did; that other processes on the store did */
  size_t precise,
      imprecise; /* runs done that reached their goal of precision (measure.precision), and that missed it */
  size_t verdict[RIPSTOP_OUTCOMES];   /* runs done by verdict, in the order of ripstop_outcome_words */
  unsigned workers, threads;          /* runs at a time in this process; threads for each, at most */
  unsigned busy;                      /* ranks that have work now; 0 without ranks */
  double seconds, seconds_left;       /* by the clock: since it began; NAN: not known */
  const ripstop_store_owner *awaited; /* all runs that are left are this one's; NULL: some are not claimed by others */
  double proved, refuted, broken;     /* plans (ripstop_campaign_settings.prove); runs with a plan that breaks a rule */
} ripstop_campaign_progress;

typedef enum ripstop_campaign_event_kind {
  RIPSTOP_CAMPAIGN_STARTED, /* it is known what there is to do */
  RIPSTOP_CAMPAIGN_GOES_ON, /* every ripstop_campaign_settings.every seconds */
  RIPSTOP_CAMPAIGN_WAITS,   /* about once a second while all runs that are left are another process's */
  RIPSTOP_CAMPAIGN_RAN,     /* a run was done and stored: `run`, `outcome` */
  RIPSTOP_CAMPAIGN_WARNS,   /* something that its user should know: `text`, a line without its end */
  RIPSTOP_CAMPAIGN_PROVED,  /* a finding about a plan, or in the end how many there were: `text` */
  RIPSTOP_CAMPAIGN_ENDED    /* the campaign is over: `result` is what ripstop_campaign_run returns, `text` its error or
                               NULL */
} ripstop_campaign_event_kind;

typedef struct ripstop_campaign ripstop_campaign;

typedef struct ripstop_campaign_event {
  ripstop_campaign_event_kind kind;
  const ripstop_campaign *campaign;
  const ripstop_campaign_progress *progress;
  const ripstop_run *run;
  const ripstop_outcome *outcome;
  const char *text;
  int result;
} ripstop_campaign_event;

/* ------------------------------------------------------------------ campaigns */

/* One of several parts of an experiment, each of which a process of its own does. */
typedef struct ripstop_shard {
  unsigned part, of; /* 1 <= part <= of */
} ripstop_shard;

typedef enum ripstop_campaign_mode {
  RIPSTOP_CAMPAIGN_RUN,      /* to do runs; the store is made where there is none */
  RIPSTOP_CAMPAIGN_ESTIMATE, /* to say what that costs; the store is read where there is one, and nothing is written */
  RIPSTOP_CAMPAIGN_READ,     /* to read rows: runs are not tried against the simulator; the store must be there */
  RIPSTOP_CAMPAIGN_READ_ANY, /* the same; where `store` is NULL there may be none */
  RIPSTOP_CAMPAIGN_CHECK     /* to know that the file is one that can be run: without a store */
} ripstop_campaign_mode;

/* Texts and pointers must stay until the campaign is closed. */
typedef struct ripstop_campaign_settings {
  const char *file;         /* the experiment's; "-": standard input */
  ripstop_variant variant;  /* in what it is to differ from the file */
  const ripstop_spec *spec; /* NULL; or the experiment as it was read: `file` and `variant` do not count then */
  const char *store;        /* NULL: out/NAME.db, of a part out/NAME.PART-of-PARTS.db */
  ripstop_campaign_mode mode;
  ripstop_shard shard;
  unsigned workers;       /* runs at a time; 0: one for each processor */
  unsigned threads;       /* for each run, as far as it is worth them; 0: one, or all processors for a single run */
  bool prove;             /* proves the plans of all its runs first, stored ones too (docs/prove.md) */
  ripstop_ranks *ranks;   /* NULL: this process alone */
  const atomic_int *stop; /* NULL: cannot be stopped */
  double every;           /* seconds between two RIPSTOP_CAMPAIGN_GOES_ON */
  /* Called in the caller's thread with every event; NULL: events are dropped. */
  void (*progress)(void *context, const ripstop_campaign_event *event);
  void *context;
} ripstop_campaign_settings;

/* The whole experiment in this process, on all processors, reporting once a second. */
ripstop_campaign_settings ripstop_campaign_defaults(const char *file);
/* Reads the experiment and opens its store; NULL on error. On ranks but 0 there is no store, and `err` stays empty. */
ripstop_campaign *ripstop_campaign_open(const ripstop_campaign_settings *settings, ripstop_error *err);
/* The settings with which it was opened. */
const ripstop_campaign_settings *ripstop_campaign_settings_of(const ripstop_campaign *campaign);
const ripstop_runs *ripstop_campaign_runs(const ripstop_campaign *campaign);
const char *ripstop_campaign_store_path(const ripstop_campaign *campaign); /* there may be no such file */
/* Does the runs that the store does not have. 0: all are done, by whatever process; 1: stopped before; -1: error. */
int ripstop_campaign_run(ripstop_campaign *campaign, ripstop_error *err);
/* Its progress now, or at the end of the last ripstop_campaign_run. */
const ripstop_campaign_progress *ripstop_campaign_state(const ripstop_campaign *campaign);
/* Closes it; NULL is fine. -1: what was stored is not at the store's path (ripstop_store_end). */
int ripstop_campaign_end(ripstop_campaign *campaign, ripstop_error *err);
void ripstop_campaign_close(ripstop_campaign *campaign); /* the same, after an error or where nothing was stored */

/* ------------------------------------------------------------------ cost */

/* The best basis that there is for the guess of a run's cost. */
typedef enum ripstop_guess_by {
  RIPSTOP_GUESS_NONE,     /* nothing: it is not known */
  RIPSTOP_GUESS_ASSUMED,  /* no run is known: RIPSTOP_ASSUMED_SPEED */
  RIPSTOP_GUESS_ALL,      /* stored runs of other fabrics or methods */
  RIPSTOP_GUESS_METHOD,   /* stored runs of the same fabric and method */
  RIPSTOP_GUESS_SETTINGS, /* the mean of stored runs that differ in the fault sample only */
  RIPSTOP_GUESSES
} ripstop_guess_by;
enum { RIPSTOP_ASSUMED_SPEED = 20000000 }; /* end nodes times cycles, a second */

/* The cost of the runs that the store lacks. */
typedef struct ripstop_campaign_cost {
  size_t runs, stored, to_do; /* as in ripstop_campaign_progress; where there is nothing to do the rest is zero */
  size_t slow;                /* runs to do with slow links */
  const char *slow_queue;     /* switch.slow_queue of the first of these; NULL: there is none */
  unsigned workers;           /* runs at a time */
  double simulations[2];      /* at least and at most: ripstop_settings_looks */
  size_t by[RIPSTOP_GUESSES]; /* runs whose seconds are guessed so */
  double seconds[2];          /* processor time, at least and at most; runs without a guess count as nothing */
  double engine_bytes;        /* memory for the largest run; 0: not known before it begins */
  double run_bytes;           /* disk space in the store for each run */
  bool run_bytes_known;       /* from the runs that are stored; else assumed */
} ripstop_campaign_cost;

int ripstop_campaign_estimate(ripstop_campaign *campaign, ripstop_campaign_cost *out, ripstop_error *err);

/* Bytes that this process can still have: what the system has to give, or less by its limits (RLIMIT_AS, RLIMIT_DATA)
 * and those of its control group. UINT64_MAX: that cannot be said. */
uint64_t ripstop_memory_there(void);

RIPSTOP_END

#endif
