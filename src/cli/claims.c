/* claims.c - `ripstop claims FILE...`: what papers claim, what was measured, and what comes of it, over many
 * experiments.
 *
 * Reads the stores that are there, and of what they do not have a record; with --quick the quick runs that they do not
 * have are done first. Exit code 1 when an author's finding is the opposite of what all runs of an experiment say, or
 * when a claim differs and has no key `cause`. */
#include <inttypes.h>
#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/papers.h"

/* The command line, and the result. */
typedef struct request {
  const char *record_path, *compare_path;
  bool json, markdown;
  ripstop_papers_settings settings;
  ripstop_record *record, *other; /* NULL: none */
} request;

/* ------------------------------------------------------------------ records */

/* A record is of the seeds that it was begun with. */
static int use_offset_of(request *r, ripstop_error *err) {
  ripstop_variant *variant = &r->settings.campaign.variant;
  const uint64_t offset = ripstop_record_seed_offset(r->record);
  if (variant->seed_offset && variant->seed_offset != offset)
    return ripstop_fail(err, "%s is a record with --seed-offset %" PRIu64 ", not %" PRIu64, r->record_path, offset,
                        variant->seed_offset);
  variant->seed_offset = offset;
  return 0;
}

static int open_records(request *r, ripstop_error *err) {
  if (r->record_path || r->compare_path) r->settings.by_name = "a record";
  if (r->compare_path && !(r->other = cli_read_record(r->compare_path, err))) return -1;
  if (!r->record_path) return 0;
  int there = cli_is_there(r->record_path, err);
  if (there <= 0) return there;
  if (!(r->record = cli_read_record(r->record_path, err))) return -1;
  return use_offset_of(r, err);
}

/* An entry whose experiment is not there would be lost. */
static int write_record(const request *r, const ripstop_ledger *all, ripstop_error *err) {
  const ripstop_record *record = r->record;
  const char *stranger = record ? ripstop_record_unknown(record, all) : NULL;
  RIPSTOP_LOCAL_TEXT(text);
  if (!r->record_path) return 0;
  if (stranger)
    return ripstop_fail(err,
                        "%s has claims of '%s', which is not among the experiments given: name it too, or take its "
                        "entries out",
                        r->record_path, stranger);
  if (record) ripstop_record_lost(stderr, record, all);
  int status = ripstop_ledger_json(&text, all, err);
  if (!status) status = cli_update_file(r->record_path, &text, err);
  return status;
}

static int print_json(const ripstop_ledger *all, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  int status = ripstop_ledger_json(&text, all, err);
  if (!status) fputs(text.data, stdout);
  return status;
}

static int print(const request *r, const ripstop_ledger *all, ripstop_error *err) {
  if (!r->other && r->json) return print_json(all, err);
  if (r->other)
    ripstop_record_compare(stdout, r->other, all);
  else
    (r->markdown ? ripstop_ledger_markdown : ripstop_ledger_text)(stdout, all);
  return 0;
}

static int finish(const request *r, const ripstop_ledger *all, ripstop_error *err) {
  if (write_record(r, all, err) || print(r, all, err)) return ripstop_cli_fail(err);
  return all->contradictions || all->uncaused ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

/* ------------------------------------------------------------------ the command */

static int show(request *r, const char *const *argument, unsigned count, ripstop_error *err) {
  ripstop_papers *papers = NULL;
  int status = open_records(r, err);
  r->settings.record = r->record, r->settings.other = r->other;
  if (!status) status = (papers = ripstop_papers_open(&r->settings, argument, count, err)) ? 0 : -1;
  status = status ? ripstop_cli_fail(err) : cli_collect_papers(papers, err);
  if (status == RIPSTOP_EXIT_OK) status = finish(r, ripstop_papers_ledger(papers), err);
  ripstop_papers_close(papers);
  ripstop_record_free(r->record);
  ripstop_record_free(r->other);
  return status;
}

int ripstop_cmd_claims(int argc, char **argv) {
  cli_run_events events;
  request r = {.settings = cli_papers_settings(&events)};
  cli_variant given = {0};
  const char *argument[CLI_FILES_MOST];
  const ripstop_flag flags[] = {
      {.name = "quick", .help = "The quick runs; does those that are not stored yet.", .given = &given.quick},
      CLI_VARIANT_FLAGS(given),
      {.name = "json", .help = "Print JSON.", .given = &r.json},
      {.name = "markdown", .help = "Print sections of a Markdown page.", .given = &r.markdown},
      {.name = "record",
       .value = "FILE",
       .help = "Take what no store has from this record, and bring it up to date.",
       .text = &r.record_path,
       .excludes = "quick set",
       .because = "a record is of full runs",
       .output = RIPSTOP_FLAG_UPDATE},
      {.name = "compare",
       .value = "FILE",
       .help = "Print only how the findings of another record differ.",
       .text = &r.compare_path},
      {.name = "store",
       .value = "DB",
       .help = "Read all runs from here instead of out/NAME.db.",
       .text = &r.settings.campaign.store},
      CLI_THREADS("workers", &r.settings.campaign.workers,
                  "With --quick do N runs at a time; default: one for each processor."),
      {0},
  };
  const ripstop_usage usage = {.command = "claims",
                               .arguments = "FILE-OR-FOLDER...",
                               .summary = "Lists what papers claim, what was measured, and what comes of it.",
                               .at_least = 1,
                               .at_most = CLI_FILES_MOST,
                               .flags = flags};
  unsigned count;
  ripstop_error err = {0};
  int status = cli_parse_papers(&usage, argc, argv, &given, argument, &count, &r.settings);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  return show(&r, argument, count, &err);
}
