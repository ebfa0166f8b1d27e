/* experiment.h - what `run` and `report` share: an experiment, its runs and its store. */
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
/* What the store has of the runs. */
int cli_load(cli_experiment *e, ripstop_error *err);
void cli_close(cli_experiment *e);
/* FOLDER/NAME + suffix, for the experiment's file NAME.yaml. Memory from the experiment's arena. */
const char *cli_beside(cli_experiment *e, const char *file, const char *suffix);

enum { CLI_EXIT_INTERRUPTED = 130 }; /* by a signal, as shells have it */

/* Proves the plans of all runs and tells what is refuted. RIPSTOP_EXIT_FAILED: a plan breaks a rule of method.h. */
int cli_prove(const cli_experiment *e, unsigned threads, const atomic_int *stop);

#endif
