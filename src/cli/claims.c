/* claims.c - `ripstop claims FILE...`: what papers claim, what was measured, and what comes of it, over many
 * experiments.
 *
 * Reads the stores that are there, and of what they do not have a record; with --quick the quick runs that they do not
 * have are done first. Exit code 1 when somebody's finding is the opposite of what all runs of an experiment say. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/experiment.h"

enum { ARGUMENTS_MAX = 1000, DEPTH_MAX = 16 };

/* Names of files, each on the heap. */
typedef struct names {
  char **name;
  size_t count, room;
} names;

static void add_name(names *list, const char *name) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 64;
    list->name = ripstop_realloc(list->name, list->room, sizeof *list->name);
  }
  size_t bytes = strlen(name) + 1;
  char *copy = ripstop_realloc(NULL, bytes, 1);
  memcpy(copy, name, bytes);
  list->name[list->count++] = copy;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* ------------------------------------------------------------------ which files */

/* The file of papers lies among the experiments, but is not one. */
static bool is_experiment(const char *name) {
  size_t length = strlen(name);
  return length > 5 && !strcmp(name + length - 5, ".yaml") && strcmp(name, "papers.yaml") != 0;
}

static int add_folder(names *list, const char *path, int depth, ripstop_error *err);

static int add_entry(names *list, const char *folder, const char *name, int depth, ripstop_error *err) {
  ripstop_text path = {0};
  struct stat about;
  int status = 0;
  ripstop_text_add(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
  if (stat(path.data, &about))
    status = ripstop_fail_system(err, errno, "%s", path.data);
  else if (S_ISDIR(about.st_mode))
    status = add_folder(list, path.data, depth + 1, err);
  else if (is_experiment(name))
    add_name(list, path.data);
  ripstop_text_free(&path);
  return status;
}

/* All experiments below a folder; names that begin with a dot are left out. */
static int add_folder(names *list, const char *path, int depth, ripstop_error *err) {
  if (depth > DEPTH_MAX) return ripstop_fail(err, "%s: more than %d folders deep", path, DEPTH_MAX);
  DIR *folder = opendir(path);
  if (!folder) return ripstop_fail_system(err, errno, "%s", path);
  int status = 0;
  for (struct dirent *entry; !status && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') status = add_entry(list, path, entry->d_name, depth, err);
  closedir(folder);
  return status;
}

static int add_argument(names *list, const char *path, ripstop_error *err) {
  struct stat about;
  if (!*path || stat(path, &about)) return ripstop_fail_system(err, *path ? errno : ENOENT, "%s", path);
  size_t before = list->count;
  if (!S_ISDIR(about.st_mode)) {
    add_name(list, path);
    return 0;
  }
  if (add_folder(list, path, 0, err)) return -1;
  if (list->count == before) return ripstop_fail(err, "%s: no experiment (.yaml) in this folder or below", path);
  qsort(list->name + before, list->count - before, sizeof *list->name, by_name);
  return 0;
}

/* ------------------------------------------------------------------ what comes of them */

typedef struct ledger {
  ripstop_variant variant;
  const char *store, *record_path, *compare_path;
  ripstop_record *record; /* NULL: none was asked for, or there is none yet */
  ripstop_record *other;  /* to compare with; NULL: none was asked for */
  bool json, markdown;
  cli_workers workers;
  cli_experiment *experiment; /* their specs, which the rows point into */
  size_t experiments;
  ripstop_claim_row *row;
  size_t rows, contradictions;
  const ripstop_paper **paper;
  size_t papers;
} ledger;

static void add_papers(ledger *l, const ripstop_spec *spec) {
  for (size_t i = 0; i < spec->papers; i++) {
    bool known = false;
    for (size_t j = 0; j < l->papers; j++) known |= !strcmp(l->paper[j]->key, spec->paper[i].key);
    if (known) continue;
    l->paper = ripstop_realloc(l->paper, l->papers + 1, sizeof(void *));
    l->paper[l->papers++] = &spec->paper[i];
  }
}

static void tell_contradiction(ledger *l, const ripstop_claim_row *row) {
  const ripstop_claim *claim = row->claim;
  if (!row->judgement.contradicts) return;
  l->contradictions++;
  fprintf(stderr, "ripstop: %s:%d: claim '%s': finding: %s, but its runs say %s\n", row->spec->file, claim->line,
          claim->id, ripstop_finding_words[claim->finding], ripstop_finding_words[row->judgement.judged]);
}

/* What was measured once, where the store has nothing, or less. */
static void fill_from_record(const ledger *l, ripstop_claim_row *row) {
  size_t runs = row->basis.runs;
  if (l->record && ripstop_record_fill(l->record, row) && runs)
    fprintf(stderr, "ripstop: note: %s:%d: claim '%s': the record has %zu runs of it, the store %zu\n", row->spec->file,
            row->claim->line, row->claim->id, row->basis.runs, runs);
}

/* How far the other record's seeds are from these. */
static uint64_t moved_to(const ledger *l) { return ripstop_record_seed_offset(l->other) - l->variant.seed_offset; }

static void judge_all(ledger *l, const cli_experiment *e) {
  ripstop_data data = {.runs = e->runs, .outcome = e->outcome};
  l->row = ripstop_realloc(l->row, l->rows + e->spec->claims + 1, sizeof *l->row);
  for (size_t i = 0; i < e->spec->claims; i++) {
    ripstop_claim_row *row = &l->row[l->rows++];
    *row = (ripstop_claim_row){.spec = e->spec, .claim = &e->spec->claim[i], .model = RIPSTOP_MODEL_VERSION};
    row->judgement = ripstop_claim_judge(&data, row->claim);
    row->basis = ripstop_claim_basis(&data, row->claim, 0);
    if (l->other) row->there = ripstop_claim_basis(&data, row->claim, moved_to(l));
    fill_from_record(l, row);
    tell_contradiction(l, row);
  }
}

/* Of the many runs only the findings stay. */
static void forget_runs(cli_experiment *e) {
  cli_experiment only = {.spec = e->spec};
  e->spec = NULL;
  cli_close(e);
  *e = only;
}

/* Records call experiments by their names. */
static int check_name(const ledger *l, const ripstop_spec *spec, ripstop_error *err) {
  for (size_t i = 0; (l->record_path || l->compare_path) && i + 1 < l->experiments; i++)
    if (!strcmp(l->experiment[i].spec->name, spec->name))
      return ripstop_fail(err, "%s: %s has the name '%s' too, and a record could not tell them apart", spec->file,
                          l->experiment[i].spec->file, spec->name);
  return 0;
}

static int add_experiment(ledger *l, const char *file, ripstop_error *err) {
  cli_experiment *e = &l->experiment[l->experiments++];
  int status = RIPSTOP_EXIT_OK;
  int bad = l->variant.quick ? cli_open_part(e, file, &l->variant, l->store, cli_whole, false, err)
                             : cli_open_if_there(e, file, &l->variant, l->store, err);
  if (bad) return ripstop_cli_fail(err);
  if (check_name(l, e->spec, err)) return ripstop_cli_fail(err);
  add_papers(l, e->spec);
  if (l->variant.quick) status = cli_run(e, &l->workers, err);
  if (status != RIPSTOP_EXIT_OK) return status;
  if (cli_load(e, CLI_LOOK_TABLES, err)) return ripstop_cli_fail(err);
  judge_all(l, e);
  forget_runs(e);
  return RIPSTOP_EXIT_OK;
}

/* ------------------------------------------------------------------ records */

/* A record is of the seeds that it was begun with. */
static int use_offset_of(ledger *l, ripstop_error *err) {
  uint64_t offset = ripstop_record_seed_offset(l->record);
  if (l->variant.seed_offset && l->variant.seed_offset != offset)
    return ripstop_fail(err, "%s is a record with --seed-offset %" PRIu64 ", not %" PRIu64, l->record_path, offset,
                        l->variant.seed_offset);
  l->variant.seed_offset = offset;
  return 0;
}

static int open_records(ledger *l, ripstop_error *err) {
  if (l->compare_path && !(l->other = ripstop_record_read(l->compare_path, err))) return -1;
  if (!l->record_path) return 0;
  if (l->variant.quick || l->variant.sets)
    return ripstop_fail(err, "claims: --record is of full runs; --quick and --set do not go with it");
  int there = cli_is_there(l->record_path, err);
  if (there <= 0) return there;
  if (!(l->record = ripstop_record_read(l->record_path, err))) return -1;
  return use_offset_of(l, err);
}

/* An entry whose experiment is not there would be lost. */
static int write_record(const ledger *l, const ripstop_ledger *all, ripstop_error *err) {
  const char *stranger = l->record ? ripstop_record_stranger(l->record, all) : NULL;
  ripstop_text text = {0};
  if (!l->record_path) return 0;
  if (stranger)
    return ripstop_fail(err,
                        "%s has claims of '%s', which is not among the experiments given: name it too, or take its "
                        "entries out",
                        l->record_path, stranger);
  if (l->record) ripstop_record_lost(stderr, l->record, all);
  int status = ripstop_ledger_json(&text, all, err);
  if (!status) status = cli_write_file(l->record_path, &text, err);
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

static int print(const ledger *l, const ripstop_ledger *all, ripstop_error *err) {
  if (!l->other && l->json) return print_json(all, err);
  if (l->other)
    ripstop_record_compare(stdout, l->other, all);
  else
    (l->markdown ? ripstop_ledger_markdown : ripstop_ledger_text)(stdout, all);
  return 0;
}

static int finish(const ledger *l, ripstop_error *err) {
  ripstop_ledger all = {.rows = l->rows, .row = l->row, .papers = l->papers, .paper = l->paper};
  all.seed_offset = l->variant.seed_offset;
  if (write_record(l, &all, err) || print(l, &all, err)) return ripstop_cli_fail(err);
  return l->contradictions ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

static int show(ledger *l, const names *files, ripstop_error *err) {
  int status = RIPSTOP_EXIT_OK;
  l->experiment = ripstop_realloc(NULL, files->count, sizeof *l->experiment);
  memset(l->experiment, 0, files->count * sizeof *l->experiment);
  for (size_t i = 0; i < files->count && status == RIPSTOP_EXIT_OK; i++)
    status = add_experiment(l, files->name[i], err);
  if (status == RIPSTOP_EXIT_OK) status = finish(l, err);
  for (size_t i = 0; i < l->experiments; i++) cli_close(&l->experiment[i]);
  ripstop_free(l->experiment);
  ripstop_free(l->row);
  ripstop_free(l->paper);
  return status;
}

/* ------------------------------------------------------------------ the command */

static int find_files(names *files, const char **argument, unsigned count, ripstop_error *err) {
  for (unsigned i = 0; i < count; i++)
    if (add_argument(files, argument[i], err)) return -1;
  return 0;
}

int ripstop_cmd_claims(int argc, char **argv) {
  ledger l = {0};
  cli_variant given = {0};
  const char *workers = NULL, *argument[ARGUMENTS_MAX];
  const ripstop_flag flags[] = {
      {.name = "quick", .help = "The quick runs; does those that are not stored yet.", .given = &given.quick},
      CLI_VARIANT_FLAGS(given),
      {.name = "json", .help = "Print JSON.", .given = &l.json},
      {.name = "markdown", .help = "Print sections of a Markdown page.", .given = &l.markdown},
      {.name = "record",
       .value = "FILE",
       .help = "Take what no store has from this record, and bring it up to date.",
       .text = &l.record_path},
      {.name = "compare",
       .value = "FILE",
       .help = "Print only how the findings of another record differ.",
       .text = &l.compare_path},
      {.name = "store", .value = "DB", .help = "Read all runs from here instead of out/NAME.db.", .text = &l.store},
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
                               .at_most = ARGUMENTS_MAX,
                               .flags = flags};
  unsigned count;
  ripstop_error err = {0};
  names files = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, argument, &count);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  if (given.quick && ripstop_ranks_none("claims --quick", &err))
    return err.text[0] ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
  if (cli_read_threads("claims", "workers", workers, &l.workers.runs, &err) ||
      cli_read_variant("claims", &given, &l.variant, &err) || open_records(&l, &err) ||
      find_files(&files, argument, count, &err))
    status = ripstop_cli_fail(&err);
  else
    status = show(&l, &files, &err);
  ripstop_record_free(l.record);
  ripstop_record_free(l.other);
  for (size_t i = 0; i < files.count; i++) ripstop_free(files.name[i]);
  ripstop_free(files.name);
  return status;
}
