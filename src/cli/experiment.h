/* experiment.h - what commands about experiments share: the variant that is meant, and files. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "cli/cli.h"
#include "ripstop/kit/report.h"

/* The variant of the experiment that the command line describes. */
typedef struct cli_variant {
  bool quick;
  ripstop_cli_values set;
  uint64_t seed_offset;
} cli_variant;

/* The flags for it but --quick, whose help differs. */
#define CLI_VARIANT_FLAGS(variant)                                                                         \
  CLI_TEXTS("set", "KEY=VALUE", &(variant).set,                                                            \
            "Take VALUE, or a [list, of, them], instead of what the file gives KEY; may be given again."), \
      CLI_INTEGER("seed-offset", "N", &(variant).seed_offset,                                              \
                  "Add N to every seed: the same experiment with other random numbers.")

enum { CLI_FILES_MOST = 1000 }; /* on one command line */

/* It points into `variant`. */
ripstop_variant cli_variant_of(const cli_variant *variant);
/* The flags again, each word after a blank, as a shell reads it. */
void cli_print_variant(ripstop_text *out, const ripstop_variant *variant);
/* One word so. */
void cli_print_word(ripstop_text *out, const char *word);
/* The command that does the runs of the campaign; `file`: its experiment, as it was named. */
void cli_print_run(ripstop_text *out, const ripstop_campaign *campaign, const char *file);

/* 1; 0: there is no such file; -1: the system does not say. */
int cli_is_there(const char *path, ripstop_error *err);
/* A file is complete or as it was (base/output.h). */
int cli_write_file(const char *path, const ripstop_text *text, ripstop_error *err);
/* An experiment's page (ripstop_report_html); a note says that it is without pictures. */
int cli_write_page(const char *path, const ripstop_data *data, const char *command, const char *home,
                   ripstop_error *err);
/* The same for a record, which the command has read. */
int cli_update_file(const char *path, const ripstop_text *text, ripstop_error *err);

/* Notes quantities of the experiment that rounding has changed by more than 1 %. */
void cli_note_rounding(const ripstop_spec *spec);

enum { CLI_EXIT_INTERRUPTED = 130 }; /* by a signal, as shells have it */

/* Prints the cost of the runs that the store lacks (ripstop_campaign_estimate). The exit code. */
int cli_print_cost(ripstop_campaign *campaign, bool json, ripstop_error *err);

#endif
