/* ledger.h - what `claims` and `book` share: many experiments, and what comes of their claims. */
#ifndef CLI_LEDGER_H
#define CLI_LEDGER_H

#include "cli/experiment.h"
#include "ripstop/kit/papers.h"

/* Names of files, each on the heap, and whether a file was named itself, not a folder above it. */
typedef struct cli_names {
  struct {
    char *text;
    bool itself;
  } * name;
  size_t count, room;
} cli_names;

/* ripstop_record_read; notes on standard error that a record has no digests. */
ripstop_record *cli_read_record(const char *path, ripstop_error *err);

/* The files named, and all experiments (.yaml but papers.yaml) below the folders named, those of a folder sorted. */
int cli_find_experiments(cli_names *files, const char *const *argument, unsigned count, ripstop_error *err);
void cli_free_names(cli_names *files);

/* All zero but for what is asked for. */
typedef struct cli_ledger {
  ripstop_variant variant; /* quick: those of the quick runs that no store has are done first */
  const char *store;       /* of all of them; NULL: out/NAME.db of each */
  unsigned workers;        /* for quick runs: runs at a time; 0: one for each processor */
  ripstop_load what;       /* will be looked at of the outcomes */
  ripstop_record *record;  /* for what no store has; NULL: none. Freed with the ledger, as the other is */
  ripstop_record *other;   /* that it will be compared with; NULL: none */
  const char *by_name; /* who calls experiments by their names, "a record", so that no two may have one; NULL: nobody */
  const char *taken;   /* a name that no experiment may have; NULL: none */
  /* Optional: is handed each experiment's spec before any run is done. Not 0 ends it all. */
  int (*check)(void *context, const ripstop_spec *spec, ripstop_error *err);
  /* Optional: is handed each experiment, its runs loaded, which are forgotten afterwards. Not 0 ends it all. */
  int (*each)(void *context, const ripstop_campaign *c, const ripstop_data *data, ripstop_error *err);
  void *context;

  ripstop_spec **spec; /* the rows point into them */
  size_t specs;
  ripstop_claim_row *row;
  size_t rows;
  size_t contradictions, uncaused; /* authors whom runs contradict; differences without a cause. Both are reported */
  const ripstop_paper **paper;
  size_t papers;
} cli_ledger;

/* RIPSTOP_EXIT_OK, or the exit code of what has been told. */
int cli_ledger_make(cli_ledger *l, const cli_names *files, ripstop_error *err);
/* Points into the ledger. */
ripstop_ledger cli_ledger_all(const cli_ledger *l);
void cli_ledger_free(cli_ledger *l);

#endif
