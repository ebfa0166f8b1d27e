/* ranks.c - `mpirun ripstop run FILE`: rank 0 does as always, and lets the others do runs for it (campaign.h).
 *
 * Nobody but rank 0 needs the experiment's file, those that it names, or a place for the store, and nobody else speaks.
 */
#include "cli/experiment.h"

static int open_first(cli_experiment *e, ripstop_ranks *ranks, const char *file, const ripstop_variant *variant,
                      const char *store, ripstop_error *err) {
  ripstop_ranks_record(ranks);
  bool opened = !cli_open_part(e, file, variant, store, cli_whole, err);
  return ripstop_ranks_begin(ranks, opened) ? RIPSTOP_CLI_GO_ON : ripstop_cli_fail(err);
}

/* What cannot be expanded here is told by rank 0. */
static int open_other(cli_experiment *e, ripstop_ranks *ranks, const char *file, const ripstop_variant *variant,
                      ripstop_error *err) {
  *e = (cli_experiment){0};
  if (!ripstop_ranks_begin(ranks, false)) return RIPSTOP_EXIT_OK;
  cli_open_runs(e, file, variant, err);
  return RIPSTOP_CLI_GO_ON;
}

int cli_open_ranks(cli_experiment *e, ripstop_ranks *ranks, const char *file, const ripstop_variant *variant,
                   const char *store, unsigned rounds, ripstop_error *err) {
  bool first = ripstop_ranks_own(ranks) == 0;
  int status = first ? open_first(e, ranks, file, variant, store, err) : open_other(e, ranks, file, variant, err);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  e->ranks = ranks;
  if (!ripstop_ranks_agree(ranks, e->runs, rounds, err)) return RIPSTOP_CLI_GO_ON;
  return first ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK;
}

int cli_help_ranks(cli_experiment *e, const cli_workers *workers, bool paranoid, const atomic_int *stop) {
  ripstop_workers w = {.threads = workers->runs, .stop = stop, .ranks = e->ranks, .runs = e->runs};
  if (paranoid) {
    w.execute = ripstop_run_prove;
    if (ripstop_work(NULL, 0, &w)) return CLI_EXIT_INTERRUPTED;
  }
  w.execute = ripstop_run_execute;
  return ripstop_work(NULL, 0, &w) ? CLI_EXIT_INTERRUPTED : RIPSTOP_EXIT_OK;
}
