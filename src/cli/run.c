/* run.c - `ripstop run FILE`: does the runs of an experiment that its store does not have, and prints the tables.
 *
 * The work is a campaign (kit/campaign.h). Whatever ends it early (Ctrl-C, kill, a full disk), finished runs stay and
 * the same command goes on from there. */
#include <string.h>

#include "cli/cli.h"
#include "cli/experiment.h"
#include "cli/run_events.h"

/* The number of runs that ended with such a verdict; prints it with the first one's reason when there are any. */
static size_t print_verdict(const ripstop_data *data, const char *verdict, const char *what) {
  size_t count = 0;
  const char *reason = "";
  for (size_t i = 0; i < data->runs->count; i++)
    if (data->outcome[i] && !strcmp(data->outcome[i]->verdict, verdict)) {
      if (!count++ && data->outcome[i]->reason) reason = data->outcome[i]->reason;
    }
  if (count)
    fprintf(stderr, "ripstop: %zu of %zu runs %s; the first says: %s\n", count, data->runs->count, what, reason);
  return count;
}

/* A table of some runs would look like one of all. */
static bool are_all_there(const ripstop_campaign *c, const ripstop_data *data) {
  const ripstop_shard shard = ripstop_campaign_settings_of(c)->shard;
  size_t there = 0;
  for (size_t i = 0; i < data->runs->count; i++) there += data->outcome[i] != NULL;
  if (there < data->runs->count)
    ripstop_cli_say(
        stderr,
        "ripstop: part %u of %u is done; %s has %zu of the %zu runs, and tables are printed where all are together\n",
        shard.part, shard.of, ripstop_campaign_store_path(c), there, data->runs->count);
  return there == data->runs->count;
}

/* A run that failed for want of memory is done again by the same command: it is the machine that failed. */
static int code_of_failures(const ripstop_data *data) {
  for (size_t i = 0; i < data->runs->count; i++)
    if (data->outcome[i] && ripstop_outcome_again(data->outcome[i])) return RIPSTOP_EXIT_MACHINE;
  return RIPSTOP_EXIT_FAILED;
}

static int show(ripstop_campaign *c, bool json, ripstop_error *err) {
  const bool is_part = ripstop_campaign_settings_of(c)->shard.of > 1;
  ripstop_data data;
  if (ripstop_report_load(c, RIPSTOP_LOAD_TABLES, &data, err)) return ripstop_cli_fail(err);
  if ((!is_part || are_all_there(c, &data)) && !json) ripstop_report_text(stdout, &data);
  const size_t impossible = print_verdict(&data, "does-not-apply", "were not possible");
  if (print_verdict(&data, "error", "failed")) return code_of_failures(&data);
  return impossible == data.runs->count ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

/* A plan that breaks a rule is reported at once, and by the exit code when all else is done. */
static int run_and_show(ripstop_campaign *c, bool json, ripstop_error *err) {
  const ripstop_ranks *ranks = ripstop_campaign_settings_of(c)->ranks;
  int status = cli_run_campaign(c, err);
  if (status == RIPSTOP_EXIT_OK && !(ranks && ripstop_ranks_own(ranks) > 0)) status = show(c, json, err);
  const bool broken = ripstop_campaign_state(c)->broken > 0;
  return status == RIPSTOP_EXIT_OK && broken ? RIPSTOP_EXIT_FAILED : status;
}

/* ------------------------------------------------------------------ the command */

/* Errors in any file are found before the first run of all. */
static int check_all(const char *const *file, unsigned files, const ripstop_variant *variant, ripstop_error *err) {
  for (unsigned i = 0; i < files; i++) {
    ripstop_campaign_settings check = ripstop_campaign_defaults(file[i]);
    check.mode = RIPSTOP_CAMPAIGN_CHECK, check.variant = *variant;
    if (!strcmp(file[i], "-")) return ripstop_fail(err, "run: standard input goes alone");
    ripstop_campaign *c = ripstop_campaign_open(&check, err);
    ripstop_campaign_close(c);
    if (!c) return -1;
  }
  return 0;
}

/* An error that the first of several ranks prints is none of the others'. */
static int fail_once(const ripstop_error *err) { return err->text[0] ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK; }

static int run_campaign(const ripstop_campaign_settings *settings, bool json, ripstop_error *err) {
  ripstop_campaign *c = ripstop_campaign_open(settings, err);
  if (!c) return fail_once(err);
  const bool dry = settings->mode == RIPSTOP_CAMPAIGN_ESTIMATE;
  if (!settings->ranks || ripstop_ranks_own(settings->ranks) == 0) cli_note_rounding(ripstop_campaign_runs(c)->spec);
  int status = dry ? cli_print_cost(c, json, err) : run_and_show(c, json, err);
  if (status == RIPSTOP_EXIT_OK) return ripstop_campaign_end(c, err) ? ripstop_cli_fail(err) : status;
  ripstop_campaign_close(c);
  return status;
}

/* Ranks share the runs of one whole experiment. */
static int run_file(ripstop_campaign_settings settings, const char *file, bool json, bool alone, bool several) {
  ripstop_error err = {0};
  cli_run_events events;
  int status;
  settings.file = file;
  cli_print_events(&events, json, &settings);
  if (!alone && ripstop_ranks_open(&settings.ranks, &err)) return fail_once(&err);
  if (settings.ranks && several) {
    ripstop_fail(&err, "run: several processes do the runs of one file at a time");
    status = ripstop_cli_fail(&err);
  } else {
    status = run_campaign(&settings, json, &err);
  }
  ripstop_ranks_end(settings.ranks, status);
  return status;
}

int ripstop_cmd_run(int argc, char **argv) {
  ripstop_campaign_settings s = ripstop_campaign_defaults(NULL);
  bool dry = false, json = false, sharded = false;
  cli_variant given = {0};
  const char *file[CLI_FILES_MOST] = {NULL};
  unsigned files = 0;
  const ripstop_flag flags[] = {
      CLI_SWITCH("quick", &given.quick, "Take the values of the file's 'quick:' section."),
      CLI_VARIANT_FLAGS(given),
      CLI_TEXT("store", "DB", &s.store, "Keep the runs here instead of out/NAME.db."),
      CLI_THREADS("workers", &s.workers, "Do N runs at a time; default: one for each processor."),
      CLI_THREADS("threads", &s.threads,
                  "Let up to N threads work on each run; default: 1, on a single run all processors."),
      CLI_SHARD(&s.shard, "Do the runs of the I-th of N parts alone, into out/NAME.I-of-N.db (docs/many-machines.md).",
                .given = &sharded),
      CLI_SWITCH("json", &json, "Print events, a JSON object a line, instead of the tables or of what --dry-run says."),
      CLI_SWITCH("dry-run", &dry, "Print what the runs would cost, and do nothing."),
      CLI_SWITCH("paranoid", &s.prove, "Prove the plans of all runs first (docs/prove.md)."),
      {0},
  };
  const ripstop_usage usage = {
      .command = "run",
      .arguments = "FILE...",
      .summary = "Does the runs of experiments that are not stored yet, and prints their tables. - is standard input.",
      .at_least = 1,
      .at_most = CLI_FILES_MOST,
      .flags = flags};
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, file, &files);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  s.variant = cli_variant_of(&given);
  if (files > 1 && check_all(file, files, &s.variant, &err)) return ripstop_cli_fail(&err);
  if (dry) s.mode = RIPSTOP_CAMPAIGN_ESTIMATE, s.prove = false;
  status = RIPSTOP_EXIT_OK;
  for (unsigned i = 0; i < files && status != CLI_EXIT_INTERRUPTED; i++) {
    if (i && !json) printf("\n");
    int own = run_file(s, file[i], json, sharded || dry, files > 1);
    if (own > status) status = own;
  }
  return status;
}
