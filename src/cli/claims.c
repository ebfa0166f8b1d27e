/* claims.c - `ripstop claims FILE...`: what papers claim, what was measured, and what comes of it, over many
 * experiments.
 *
 * Reads the stores that are there; with --quick the quick runs that they do not have are done first. Exit code 1 when
 * somebody's finding is the opposite of what all runs of an experiment say. */
#include <dirent.h>
#include <errno.h>
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
    status = ripstop_fail(err, "%s: %s", path.data, strerror(errno));
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
  if (!folder) return ripstop_fail(err, "%s: %s", path, strerror(errno));
  int status = 0;
  for (struct dirent *entry; !status && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') status = add_entry(list, path, entry->d_name, depth, err);
  closedir(folder);
  return status;
}

static int add_argument(names *list, const char *path, ripstop_error *err) {
  struct stat about;
  if (!*path || stat(path, &about)) return ripstop_fail(err, "%s: %s", path, strerror(*path ? errno : ENOENT));
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
  const char *store;
  unsigned threads;
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

static void tell_contradiction(ledger *l, const char *file, const ripstop_claim *claim, const ripstop_judgement *j) {
  if (!j->contradicts) return;
  l->contradictions++;
  fprintf(stderr, "ripstop: %s:%d: claim '%s': finding: %s, but its runs say %s\n", file, claim->line, claim->id,
          ripstop_finding_words[claim->finding], ripstop_finding_words[j->judged]);
}

static void judge_all(ledger *l, const cli_experiment *e) {
  ripstop_data data = {.runs = e->runs, .outcome = e->outcome};
  l->row = ripstop_realloc(l->row, l->rows + e->spec->claims + 1, sizeof *l->row);
  for (size_t i = 0; i < e->spec->claims; i++) {
    const ripstop_claim *claim = &e->spec->claim[i];
    ripstop_judgement j = ripstop_claim_judge(&data, claim);
    l->row[l->rows++] = (ripstop_claim_row){.file = e->spec->file, .claim = claim, .judgement = j};
    tell_contradiction(l, e->spec->file, claim, &j);
  }
}

/* Of the many runs only the findings stay. */
static void forget_runs(cli_experiment *e) {
  cli_experiment only = {.spec = e->spec};
  e->spec = NULL;
  cli_close(e);
  *e = only;
}

static int add_experiment(ledger *l, const char *file, ripstop_error *err) {
  cli_experiment *e = &l->experiment[l->experiments++];
  int status = RIPSTOP_EXIT_OK;
  int bad = l->variant.quick ? cli_open(e, file, &l->variant, l->store, RIPSTOP_STORE_WRITE, err)
                             : cli_open_if_there(e, file, &l->variant, l->store, err);
  if (bad) return ripstop_cli_fail(err);
  add_papers(l, e->spec);
  if (l->variant.quick) status = cli_run(e, l->threads, err);
  if (status != RIPSTOP_EXIT_OK) return status;
  if (cli_load(e, err)) return ripstop_cli_fail(err);
  judge_all(l, e);
  forget_runs(e);
  return RIPSTOP_EXIT_OK;
}

static int print(const ledger *l, bool json, ripstop_error *err) {
  ripstop_ledger all = {.rows = l->rows, .row = l->row, .papers = l->papers, .paper = l->paper};
  if (!json)
    ripstop_ledger_text(stdout, &all);
  else if (ripstop_ledger_json(stdout, &all, err))
    return ripstop_cli_fail(err);
  return l->contradictions ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

static int show(ledger *l, const names *files, bool json, ripstop_error *err) {
  int status = RIPSTOP_EXIT_OK;
  l->experiment = ripstop_realloc(NULL, files->count, sizeof *l->experiment);
  memset(l->experiment, 0, files->count * sizeof *l->experiment);
  for (size_t i = 0; i < files->count && status == RIPSTOP_EXIT_OK; i++)
    status = add_experiment(l, files->name[i], err);
  if (status == RIPSTOP_EXIT_OK) status = print(l, json, err);
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
  bool json = false;
  const char *workers = NULL, *argument[ARGUMENTS_MAX];
  const ripstop_flag flags[] = {
      {.name = "quick", .help = "The quick runs; does those that are not stored yet.", .given = &given.quick},
      CLI_VARIANT_FLAGS(given),
      {.name = "json", .help = "Print JSON.", .given = &json},
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
  if (cli_read_workers("claims", workers, &l.threads, &err) || cli_read_variant("claims", &given, &l.variant, &err) ||
      find_files(&files, argument, count, &err))
    status = ripstop_cli_fail(&err);
  else
    status = show(&l, &files, json, &err);
  for (size_t i = 0; i < files.count; i++) ripstop_free(files.name[i]);
  ripstop_free(files.name);
  return status;
}
