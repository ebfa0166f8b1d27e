/* pace.h - how far a campaign is while it goes on: for people a line on standard error that renews itself, for programs
 * events on standard output, a JSON object a line (docs/experiments.md, "Events"). */
#ifndef CLI_PACE_H
#define CLI_PACE_H

#include "cli/experiment.h"

/* What runs are likely to cost, by those that were done; processor seconds. */
typedef struct pace_costs {
  ripstop_cost *known; /* some of the runs that are stored or done */
  size_t knowns;
  uint32_t *place;      /* [runs]: which of the missing a run is */
  bool *over;           /* [missing]: done, by whomever */
  ripstop_guess *guess; /* [missing] */
  double done, left;    /* what the runs that are over were guessed to cost, and the others */
  bool told;            /* the guesses rest on something */
  bool fresh;           /* runs are known that the guesses do not honour */
  size_t skip, seen;    /* of the runs that are done every skip-th is known; how many have come */
  double guessed, took; /* when it was guessed last, and how long that took */
} pace_costs;

typedef struct cli_pace {
  const cli_experiment *experiment;
  const ripstop_run *const *missing;
  size_t total, stored;             /* runs to do now; in the store before */
  size_t done, others;              /* of those to do: done now; done by others who use the store */
  size_t reached, short_;           /* of those done: with a goal of precision that was reached; that was not */
  size_t verdict[RIPSTOP_OUTCOMES]; /* of those done, as ripstop_outcome_words */
  pace_costs costs;
  unsigned workers;            /* how many runs are done at a time, as far as that is known */
  double started, told;        /* seconds by the clock */
  ripstop_store_owner awaited; /* the owner of all runs that are left; owner 0: none */
  double waited, named;        /* seconds by the clock: when that was last so, and last printed */
  bool json, terminal;
} cli_pace;

/* Tells what there is to do: `stored` runs of the experiment are in the store, and what some of these took is `known`,
 * of which it keeps a copy; the list of missing ones must stay. */
void pace_begin(cli_pace *p, const cli_experiment *e, const ripstop_run *const *missing, size_t total,
                const ripstop_cost *known, size_t knowns, const cli_workers *workers);
/* Another process has stored it. */
void pace_other(cli_pace *p, const ripstop_run *run);
/* Nothing is left but runs that this owner has claimed. */
void pace_waiting(cli_pace *p, const ripstop_store_owner *owner);
void pace_run(cli_pace *p, const ripstop_run *run, const ripstop_outcome *outcome);
/* A few times a second: tells how far it is when somebody may want to know. */
void pace_tick(cli_pace *p);
/* `word`: how it ended, "done", "interrupted" or "failed"; `why`: of what failed, else NULL. */
void pace_end(cli_pace *p, const char *word, const char *why);
/* Whether others have worked on a run than so many threads (0: nobody cares); then says how many have, under the line
 * of `p`, which may be NULL. */
bool pace_threads(const cli_pace *p, unsigned wished, const ripstop_outcome *outcome);
/* Standard error's line is empty: something else can be told there. */
void pace_clear(const cli_pace *p);

#endif
