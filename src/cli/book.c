/* book.c - `ripstop book FOLDER -o BOOK`: a page for each experiment, and an index of them and of what papers claim.
 *
 * Reads the stores that are there, and of what they do not have a record; with --quick the quick runs that they do not
 * have are done first. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/papers.h"

typedef struct request {
  const char *folder; /* has the book */
  const char *record_path;
  bool json;
  ripstop_papers_settings settings;
  ripstop_record *record; /* NULL: none */
  ripstop_arena *arena;
  ripstop_book_entry *entry; /* [entries], as the ledger's experiments */
  size_t entries;
} request;

/* ------------------------------------------------------------------ pages */

/* The page's place in the book, and the path back from there. */
static const char *page_of(request *r, const ripstop_spec *spec) {
  return ripstop_arena_printf(r->arena, "%s.html", spec->name);
}

static const char *home_of(request *r, const char *page) {
  const char *home = "index.html";
  for (const char *c = page; *c; c++)
    if (*c == '/') home = ripstop_arena_printf(r->arena, "../%s", home);
  return home;
}

static const char *path_of(request *r, const char *page) {
  return ripstop_arena_printf(r->arena, "%s/%s", r->folder, page);
}

static int write_page(request *r, const ripstop_campaign *c, const ripstop_data *data, const char *page,
                      ripstop_error *err) {
  const char *path = path_of(r, page);
  RIPSTOP_LOCAL_TEXT(command);
  cli_print_run(&command, c, data->runs->spec->file);
  return ripstop_make_folders(path, err) ? -1 : cli_write_page(path, data, command.data, home_of(r, page), err);
}

static int add_entry(void *context, const ripstop_campaign *c, const ripstop_data *data, ripstop_error *err) {
  request *r = context;
  ripstop_book_entry *entry = &r->entry[r->entries++];
  *entry = (ripstop_book_entry){.spec = data->runs->spec, .runs = data->runs->count};
  for (size_t i = 0; i < data->runs->count; i++)
    if (data->outcome[i]) entry->done++, entry->seconds += data->outcome[i]->seconds;
  if (!entry->done) return 0;
  entry->page = page_of(r, entry->spec);
  return write_page(r, c, data, entry->page, err);
}

/* ------------------------------------------------------------------ the index */

static int write_index(request *r, const ripstop_ledger *all, const char *command, ripstop_error *err) {
  const ripstop_book book = {.ledger = all, .entries = r->entries, .entry = r->entry};
  RIPSTOP_LOCAL_TEXT(text);
  int status = ripstop_book_html(&book, command, &text, err);
  const char *path = path_of(r, "index.html");
  if (!status) status = ripstop_make_folders(path, err) ? -1 : cli_write_file(path, &text, err);
  return status;
}

/* The pages written; a page is null if no run is done. */
static void tell(const request *r, const ripstop_ledger *all) {
  if (!r->json) {
    ripstop_cli_say(stdout, "%s/index.html\n", r->folder);
    return;
  }
  json_t *list = json_array();
  for (size_t i = 0; i < r->entries; i++) {
    const ripstop_book_entry *e = &r->entry[i];
    json_array_append_new(list, json_pack("{s:o, s:o, s:I, s:I, s:f}", "file", ripstop_json_text(e->spec->file), "page",
                                          e->page ? ripstop_json_text(e->page) : json_null(), "runs",
                                          (json_int_t)e->runs, "done", (json_int_t)e->done, "seconds", e->seconds));
  }
  ripstop_cli_json_print(json_pack("{s:o, s:s, s:b, s:o}", "folder", ripstop_json_text(r->folder), "index",
                                   "index.html", "contradictions", all->contradictions, "experiments", list));
}

/* ------------------------------------------------------------------ the command */

/* The record says nothing about other runs than its own: they have another basis. */
static int open_record(request *r, ripstop_error *err) {
  if (!r->record_path) return 0;
  if (!(r->record = cli_read_record(r->record_path, err))) return -1;
  uint64_t offset = ripstop_record_seed_offset(r->record);
  if (offset == r->settings.campaign.variant.seed_offset) return 0;
  return ripstop_fail(err, "book: %s is a record with --seed-offset %llu, not %llu", r->record_path,
                      (unsigned long long)offset, (unsigned long long)r->settings.campaign.variant.seed_offset);
}

static bool is_named(const void *context, const char *name) { return !strcmp(context, name); }

/* Pages may lie in folders of the book, which are not there yet. */
static int check_output(request *r, const char *page, ripstop_error *err) {
  const char *path = path_of(r, page), *last = strrchr(path, '/');
  const char *folder = ripstop_arena_printf(r->arena, "%.*s", (int)(last - path), path);
  return ripstop_output_check_folder(folder, RIPSTOP_OUTPUT_NEW, is_named, last + 1, err);
}

static int check_outputs(request *r, const ripstop_papers *papers, ripstop_error *err) {
  const ripstop_spec *const *spec;
  const size_t count = ripstop_papers_experiments(papers, &spec);
  r->entry = RIPSTOP_ARRAY(r->arena, count, ripstop_book_entry);
  for (size_t i = 0; i < count; i++)
    if (check_output(r, page_of(r, spec[i]), err)) return -1;
  return 0;
}

static int write_book(request *r, ripstop_papers *papers, const char *command, ripstop_error *err) {
  const ripstop_ledger *all = ripstop_papers_ledger(papers);
  const int status = cli_collect_papers(papers, err);
  if (status != RIPSTOP_EXIT_OK) return status;
  if (write_index(r, all, command, err)) return ripstop_cli_fail(err);
  tell(r, all);
  return all->contradictions ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

/* The record that lies in the first folder named: 0, also where there is none. */
static int find_record(request *r, const char *folder, ripstop_error *err) {
  struct stat about;
  if (stat(folder, &about) || !S_ISDIR(about.st_mode)) return 0;
  const char *path = ripstop_arena_printf(r->arena, "%s/claims.json", folder);
  int there = r->record_path || r->settings.campaign.variant.seed_offset ? 0 : cli_is_there(path, err);
  if (there > 0) r->record_path = path;
  return there < 0 ? -1 : 0;
}

static ripstop_papers *open_papers(request *r, const char *const *argument, unsigned count, ripstop_error *err) {
  ripstop_papers_settings *settings = &r->settings;
  if (find_record(r, argument[0], err) || open_record(r, err) || check_output(r, "index.html", err)) return NULL;
  settings->load = RIPSTOP_LOAD_PAGE, settings->by_name = "a book", settings->taken = "index";
  settings->record = r->record, settings->each = add_entry, settings->context = r;
  ripstop_papers *papers = ripstop_papers_open(settings, argument, count, err);
  if (!papers || !check_outputs(r, papers, err)) return papers;
  ripstop_papers_close(papers);
  return NULL;
}

static int make(request *r, const char *const *argument, unsigned count, const char *command, ripstop_error *err) {
  r->arena = ripstop_arena_new();
  ripstop_papers *papers = open_papers(r, argument, count, err);
  const int status = papers ? write_book(r, papers, command, err) : ripstop_cli_fail(err);
  ripstop_papers_close(papers);
  ripstop_record_free(r->record);
  ripstop_arena_free(r->arena);
  return status;
}

int ripstop_cmd_book(int argc, char **argv) {
  cli_run_events events;
  request r = {.folder = "out/book", .settings = cli_papers_settings(&events)};
  cli_variant given = {0};
  const char *argument[CLI_FILES_MOST];
  const ripstop_flag flags[] = {
      CLI_SWITCH("quick", &given.quick, "The quick runs; does those that are not stored yet."),
      CLI_VARIANT_FLAGS(given),
      CLI_TEXT("record", "FILE", &r.record_path,
               "Take what no store has of claims from this record; default: FOLDER/claims.json, if there is one."),
      CLI_TEXT("store", "DB", &r.settings.campaign.store, "Read all runs from here instead of out/NAME.db."),
      CLI_TEXT("output", "FOLDER", &r.folder, "Write the book here instead of out/book.", .letter = 'o'),
      CLI_THREADS("workers", &r.settings.campaign.workers,
                  "With --quick do N runs at a time; default: one for each processor."),
      CLI_SWITCH("json", &r.json, "Print what was written as JSON."),
      {0},
  };
  const ripstop_usage usage = {.command = "book",
                               .arguments = "FILE-OR-FOLDER...",
                               .summary =
                                   "Writes a page for each experiment, and an index of them and of what papers claim.",
                               .at_least = 1,
                               .at_most = CLI_FILES_MOST,
                               .flags = flags};
  unsigned count;
  ripstop_error err = {0};
  RIPSTOP_LOCAL_TEXT(command);
  int status = cli_parse_papers(&usage, argc, argv, &given, argument, &count, &r.settings);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_text_add(&command, "ripstop");
  for (int i = 0; i < argc; i++) cli_print_word(&command, argv[i]);
  return make(&r, argument, count, command.data, &err);
}
