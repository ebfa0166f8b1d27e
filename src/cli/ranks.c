/* ranks.c - `mpirun ripstop run` and `prove`: how ranks come to do the same, and what those do that have no store.
 *
 * Nobody but rank 0 needs the experiment's file, those that it names, or a place for the store, and nobody else speaks.
 */
#include "cli/experiment.h"

int cli_join_ranks(ripstop_ranks *ranks, const cli_joint *joint, unsigned rounds, ripstop_error *err) {
  bool first = ripstop_ranks_own(ranks) == 0;
  ripstop_text has = {0};
  if (first) ripstop_ranks_record(ranks);
  int bad = first ? joint->read(joint->context, true, err) : 0;
  if (!ripstop_ranks_begin(ranks, !bad)) return first ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK;
  if (!first) bad = joint->read(joint->context, false, err); /* is told by rank 0 */
  if (!bad) joint->describe(joint->context, &has);
  bool agreed = !ripstop_ranks_agree(ranks, has.data, rounds, err);
  ripstop_text_free(&has);
  return agreed ? RIPSTOP_CLI_GO_ON : first ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK;
}

/* ------------------------------------------------------------------ run */

typedef struct opening {
  cli_experiment *experiment;
  const char *file, *store;
  const ripstop_variant *variant;
} opening;

static int open_here(void *context, bool first, ripstop_error *err) {
  const opening *o = context;
  return first ? cli_open_part(o->experiment, o->file, o->variant, o->store, cli_whole, false, err)
               : cli_open_runs(o->experiment, o->file, o->variant, err);
}

static void describe(const void *context, ripstop_text *out) {
  ripstop_runs_describe(((const opening *)context)->experiment->runs, out);
}

int cli_open_ranks(cli_experiment *e, ripstop_ranks *ranks, const char *file, const ripstop_variant *variant,
                   const char *store, unsigned rounds, ripstop_error *err) {
  opening o = {.experiment = e, .file = file, .store = store, .variant = variant};
  *e = (cli_experiment){0};
  int status = cli_join_ranks(ranks, &(cli_joint){open_here, describe, &o}, rounds, err);
  e->ranks = ranks;
  return status;
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
