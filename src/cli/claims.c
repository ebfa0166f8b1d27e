/* claims.c - `ripstop claims FILE...`: what papers claim, what was measured, and what comes of it, over many
 * experiments.
 *
 * Reads the stores that are there, and of what they do not have a record; with --quick the quick runs that they do not
 * have are done first. Exit code 1 when an author's finding is the opposite of what all runs of an experiment say, or
 * when a claim differs and has no key `cause`. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/ledger.h"

/* What the command line says, and what came of it. */
typedef struct request {
  const char *record_path, *compare_path;
  bool json, markdown;
  cli_ledger ledger;
} request;

/* ------------------------------------------------------------------ records */

/* A record is of the seeds that it was begun with. */
static int use_offset_of(request *r, ripstop_error *err) {
  cli_ledger *l = &r->ledger;
  uint64_t offset = ripstop_record_seed_offset(l->record);
  if (l->variant.seed_offset && l->variant.seed_offset != offset)
    return ripstop_fail(err, "%s is a record with --seed-offset %" PRIu64 ", not %" PRIu64, r->record_path, offset,
                        l->variant.seed_offset);
  l->variant.seed_offset = offset;
  return 0;
}

static int open_records(request *r, ripstop_error *err) {
  cli_ledger *l = &r->ledger;
  if (r->record_path || r->compare_path) l->by_name = "a record";
  if (r->compare_path && !(l->other = cli_read_record(r->compare_path, err))) return -1;
  if (!r->record_path) return 0;
  int there = cli_is_there(r->record_path, err);
  if (there <= 0) return there;
  if (!(l->record = cli_read_record(r->record_path, err))) return -1;
  return use_offset_of(r, err);
}

/* An entry whose experiment is not there would be lost. */
static int write_record(const request *r, const ripstop_ledger *all, ripstop_error *err) {
  const ripstop_record *record = r->ledger.record;
  const char *stranger = record ? ripstop_record_stranger(record, all) : NULL;
  ripstop_text text = {0};
  if (!r->record_path) return 0;
  if (stranger)
    return ripstop_fail(err,
                        "%s has claims of '%s', which is not among the experiments given: name it too, or take its "
                        "entries out",
                        r->record_path, stranger);
  if (record) ripstop_record_lost(stderr, record, all);
  int status = ripstop_ledger_json(&text, all, err);
  if (!status) status = cli_update_file(r->record_path, &text, err);
  ripstop_text_free(&text);
  return status;
}

static int print_json(const ripstop_ledger *all, ripstop_error *err) {
  ripstop_text text = {0};
  int status = ripstop_ledger_json(&text, all, err);
  if (!status) fputs(text.data, stdout);
  ripstop_text_free(&text);
  return status;
}

static int print(const request *r, const ripstop_ledger *all, ripstop_error *err) {
  if (!r->ledger.other && r->json) return print_json(all, err);
  if (r->ledger.other)
    ripstop_record_compare(stdout, r->ledger.other, all);
  else
    (r->markdown ? ripstop_ledger_markdown : ripstop_ledger_text)(stdout, all);
  return 0;
}

static int finish(const request *r, ripstop_error *err) {
  ripstop_ledger all = cli_ledger_all(&r->ledger);
  if (write_record(r, &all, err) || print(r, &all, err)) return ripstop_cli_fail(err);
  return r->ledger.contradictions || r->ledger.uncaused ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

/* ------------------------------------------------------------------ the command */

static int show(request *r, const char *const *argument, unsigned count, ripstop_error *err) {
  cli_names files = {0};
  int status;
  if (open_records(r, err) || cli_find_experiments(&files, argument, count, err))
    status = ripstop_cli_fail(err);
  else
    status = cli_ledger_make(&r->ledger, &files, err);
  if (status == RIPSTOP_EXIT_OK) status = finish(r, err);
  cli_ledger_free(&r->ledger);
  cli_free_names(&files);
  return status;
}

int ripstop_cmd_claims(int argc, char **argv) {
  request r = {.ledger.what = RIPSTOP_LOAD_TABLES};
  cli_variant given = {0};
  const char *workers = NULL, *argument[CLI_FILES_MOST];
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
       .text = &r.ledger.store},
      {.name = "workers",
       .value = "N",
       .help = "With --quick do N runs at a time; default: one for each processor.",
       .text = &workers},
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
  int status = ripstop_cli_parse(&usage, argc, argv, argument, &count);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (given.quick && ripstop_ranks_none("claims --quick", &err))
    return err.text[0] ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
  if (cli_read_threads("claims", "workers", workers, &r.ledger.workers, &err) ||
      cli_read_variant("claims", &given, &r.ledger.variant, &err))
    return ripstop_cli_fail(&err);
  return show(&r, argument, count, &err);
}
