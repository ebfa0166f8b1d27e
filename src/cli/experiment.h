/* experiment.h - what `run`, `report` and `claims` share: an experiment, its runs and its store. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "ripstop/kit/report.h"
#include "ripstop/kit/store.h"

typedef struct cli_experiment {
  ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_store *store;
  const char *store_path;
  const ripstop_outcome **outcome; /* [runs->count], after cli_load */
  ripstop_arena *arena;
} cli_experiment;

/* Reads the file, expands it and opens the store: the given one, or out/NAME.db for FILE's name. */
int cli_open(cli_experiment *e, const char *file, bool quick, const char *store, ripstop_store_mode mode,
             ripstop_error *err);
/* The same without a store, e->store NULL, where there is no such file. */
int cli_open_if_there(cli_experiment *e, const char *file, bool quick, const char *store, ripstop_error *err);
/* What the store has of the runs; nothing without a store. */
int cli_load(cli_experiment *e, ripstop_error *err);
/* Does the runs that the store does not have, and tells of it on standard error; the exit code. */
int cli_run(cli_experiment *e, unsigned threads, ripstop_error *err);
void cli_close(cli_experiment *e);
/* FOLDER/NAME + suffix, for the experiment's file NAME.yaml. Memory from the experiment's arena. */
const char *cli_beside(cli_experiment *e, const char *file, const char *suffix);

enum { CLI_EXIT_INTERRUPTED = 130 }; /* by a signal, as shells have it */

/* How many runs at a time: 0 when `text` is NULL, which is one for each processor. */
int cli_read_workers(const char *command, const char *text, unsigned *out, ripstop_error *err);

/* Proves the plans of all runs and tells what is refuted. RIPSTOP_EXIT_FAILED: a plan breaks a rule of method.h. */
int cli_prove(const cli_experiment *e, unsigned threads, const atomic_int *stop);

#endif
