/* papers.h - what `claims` and `book` share. */
#ifndef CLI_PAPERS_H
#define CLI_PAPERS_H

#include "cli/experiment.h"
#include "cli/run_events.h"
#include "ripstop/kit/papers.h"

/* ripstop_record_read; notes on standard error that a record has no digests. */
ripstop_record *cli_read_record(const char *path, ripstop_error *err);
/* Settings whose campaigns print their events; `events` must stay. */
ripstop_papers_settings cli_papers_settings(cli_run_events *events);
/* ripstop_cli_parse for a command about papers, and what `variant` says, to the settings; `argument` has
 * room for CLI_FILES_MOST. RIPSTOP_CLI_GO_ON, or the exit code. */
int cli_parse_papers(const ripstop_usage *usage, int argc, char **argv, const cli_variant *variant,
                     const char **argument, unsigned *count, ripstop_papers_settings *settings);
/* ripstop_papers_collect. The exit code; errors are printed. */
int cli_collect_papers(ripstop_papers *papers, ripstop_error *err);

#endif
