/* experiment.h - what `run`, `report` and `claims` share: an experiment, its runs and its store. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "cli/cli.h"
#include "ripstop/kit/campaign.h"
#include "ripstop/kit/report.h"
#include "ripstop/kit/store.h"

/* What the command line says of the variant that is meant. */
typedef struct cli_variant {
  bool quick;
  ripstop_cli_values set;
  const char *seed_offset;
} cli_variant;

/* The flags for it but --quick, whose help differs. */
#define CLI_VARIANT_FLAGS(variant)                                                                        \
  {.name = "set",                                                                                         \
   .value = "KEY=VALUE",                                                                                  \
   .help = "Take VALUE, or a [list, of, them], instead of what the file gives KEY; may be given again.",  \
   .values = &(variant).set},                                                                             \
  {                                                                                                       \
    .name = "seed-offset", .value = "N", .help = "Add N to every seed: the same experiment, drawn anew.", \
    .text = &(variant).seed_offset                                                                        \
  }

enum { CLI_FILES_MOST = 1000 }; /* of one command line */

/* `out` points into `variant`. */
int cli_read_variant(const char *command, const cli_variant *variant, ripstop_variant *out, ripstop_error *err);
/* The flags again, each word after a blank, as a shell reads it. */
void cli_print_variant(ripstop_text *out, const ripstop_variant *variant);
/* One word so. */
void cli_print_word(ripstop_text *out, const char *word);

typedef struct cli_experiment {
  ripstop_spec *spec;
  ripstop_runs *runs;
  ripstop_store *store;
  const char *store_path;
  const ripstop_run **own; /* [owns]: the runs of the part, each once; after cli_open_part */
  size_t owns;
  ripstop_shard shard;
  ripstop_ranks *ranks;            /* NULL: this process alone */
  const ripstop_outcome **outcome; /* [runs->count], after cli_load */
  ripstop_arena *arena;
} cli_experiment;

/* Reads the file and expands it. */
int cli_open_runs(cli_experiment *e, const char *file, const ripstop_variant *variant, ripstop_error *err);
/* Of that what rows need: no run is tried. Opens the store for reading: the given one, or out/NAME.db, NAME being
 * spec->store. */
int cli_open(cli_experiment *e, const char *file, const ripstop_variant *variant, const char *store,
             ripstop_error *err);
/* The same without one, e->store NULL, where there is no out/NAME.db. */
int cli_open_if_there(cli_experiment *e, const char *file, const ripstop_variant *variant, const char *store,
                      ripstop_error *err);
/* The same to do the runs of a part: the store is made where there is none, and is out/NAME.PART-of-PARTS.db where
 * there are several parts and none is given. `dry`: it is read where there is one, else e->store stays NULL. */
int cli_open_part(cli_experiment *e, const char *file, const ripstop_variant *variant, const char *store,
                  ripstop_shard shard, bool dry, ripstop_error *err);
extern const ripstop_shard cli_whole; /* the only part */
/* Of runs that are stored, but not believed (RIPSTOP_STORE_DOUBTED): the store, how many of how many, the first. */
#define CLI_DOUBTED "store %s: %zu of %zu runs do not agree with their digests, first %s; "
/* What will be looked at of the outcomes: the text's tables and claims, a page too, or anything. */
typedef enum cli_look { CLI_LOOK_TABLES, CLI_LOOK_PAGE, CLI_LOOK_ALL } cli_look;
/* What the store has of the runs, as far as it will be looked at; nothing without a store. Names and units of values
 * are the store's. An error when it has some that are not believed. */
int cli_load(cli_experiment *e, cli_look look, ripstop_error *err);
typedef struct cli_workers {
  unsigned runs;   /* at a time; 0: one for each processor */
  unsigned inside; /* threads for each; 0: one, or for a single large run one for each processor */
  bool json;       /* events on standard output instead of lines on standard error (pace.h) */
} cli_workers;
/* Does those of the own runs that the store does not have, and tells of it; the exit code. */
int cli_run(cli_experiment *e, const cli_workers *workers, ripstop_error *err);
/* Tells what that would cost; nothing is made or written. Wants an experiment that was opened dry. */
int cli_dry_run(cli_experiment *e, const cli_workers *workers, ripstop_error *err);
void cli_close(cli_experiment *e);
/* The same after runs were put into the store: the exit code, other than 0 if they are not there. */
int cli_end(cli_experiment *e);
/* out/NAME + suffix. Memory from the experiment's arena. */
const char *cli_out(cli_experiment *e, const char *name, const char *suffix);

/* 1; 0: there is no such file; -1: nobody can tell. */
int cli_is_there(const char *path, ripstop_error *err);
/* A file is complete or as it was (base/output.h). */
int cli_write_file(const char *path, const ripstop_text *text, ripstop_error *err);
/* The same for a record, which the command has read. */
int cli_update_file(const char *path, const ripstop_text *text, ripstop_error *err);

enum { CLI_EXIT_INTERRUPTED = 130 }; /* by a signal, as shells have it */

/* The number that a flag names; 0 when `text` is NULL. */
int cli_read_threads(const char *command, const char *flag, const char *text, unsigned *out, ripstop_error *err);

/* Notes on standard error that slow links hold up inputs, if they do in some run. */
void cli_note_slow_links(const ripstop_run *const *run, size_t count);

/* Proves the plans of the own runs and tells what is refuted. RIPSTOP_EXIT_FAILED: a plan breaks a rule of method.h. */
int cli_prove(const cli_experiment *e, unsigned threads, const atomic_int *stop);

/* ranks.c: commands in one of several processes that mpirun or srun has started. */

/* What all ranks read, rank 0 before the others, and what it was, for comparison (ripstop_ranks_agree). */
typedef struct cli_joint {
  int (*read)(void *context, bool first, ripstop_error *err);
  void (*describe)(const void *context, ripstop_text *out);
  void *context;
} cli_joint;
/* RIPSTOP_CLI_GO_ON, or the exit code: what had to be told was told. */
int cli_join_ranks(ripstop_ranks *ranks, const cli_joint *joint, unsigned rounds, ripstop_error *err);

/* cli_open_part of the whole on all ranks, with rank 0's files; only rank 0 opens the store. `rounds`: of ripstop_work,
 * to come. RIPSTOP_CLI_GO_ON, or the exit code: what had to be told was told. */
int cli_open_ranks(cli_experiment *e, ripstop_ranks *ranks, const char *file, const ripstop_variant *variant,
                   const char *store, unsigned rounds, ripstop_error *err);
/* What a rank that is not rank 0 does then; the exit code. */
int cli_help_ranks(cli_experiment *e, const cli_workers *workers, bool paranoid, const atomic_int *stop);

#endif
