/* ledger.c - what `claims` and `book` share: which experiments there are, and what comes of their claims. */
#include "cli/ledger.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run_events.h"

enum { DEPTH_MAX = 16 };

static void add_name(cli_names *list, const char *name, bool itself) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 64;
    list->name = ripstop_realloc(list->name, list->room, sizeof *list->name);
  }
  size_t bytes = strlen(name) + 1;
  char *copy = ripstop_realloc(NULL, bytes, 1);
  memcpy(copy, name, bytes);
  list->name[list->count].text = copy;
  list->name[list->count++].itself = itself;
}

/* Of the texts, with which elements of the list begin. */
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

ripstop_record *cli_read_record(const char *path, ripstop_error *err) {
  ripstop_record *record = ripstop_record_read(path, err);
  const size_t bare = record ? ripstop_record_undigested(record) : 0;
  if (bare)
    ripstop_cli_say(stderr,
                    "ripstop: note: %s: its %zu claims have no digests (written by an older version), so changed "
                    "numbers go undetected; 'ripstop claims --record' adds digests\n",
                    path, bare);
  return record;
}

/* ------------------------------------------------------------------ which files */

/* The file of papers lies among the experiments, but is not one. */
static bool is_experiment(const char *name) {
  size_t length = strlen(name);
  return length > 5 && !strcmp(name + length - 5, ".yaml") && strcmp(name, "papers.yaml") != 0;
}

static int add_folder(cli_names *list, const char *path, int depth, ripstop_error *err);

static int add_entry(cli_names *list, const char *folder, const char *name, int depth, ripstop_error *err) {
  ripstop_text path = {0};
  struct stat about;
  int status = 0;
  ripstop_text_add(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
  if (stat(path.data, &about))
    status = ripstop_fail_system(err, errno, "%s", path.data);
  else if (S_ISDIR(about.st_mode))
    status = add_folder(list, path.data, depth + 1, err);
  else if (is_experiment(name))
    add_name(list, path.data, false);
  ripstop_text_free(&path);
  return status;
}

/* All experiments below a folder; names that begin with a dot are left out. */
static int add_folder(cli_names *list, const char *path, int depth, ripstop_error *err) {
  if (depth > DEPTH_MAX) return ripstop_fail(err, "%s: more than %d folders deep", path, DEPTH_MAX);
  DIR *folder = opendir(path);
  if (!folder) return ripstop_fail_system(err, errno, "%s", path);
  int status = 0;
  for (struct dirent *entry; !status && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') status = add_entry(list, path, entry->d_name, depth, err);
  closedir(folder);
  return status;
}

static int add_argument(cli_names *list, const char *path, ripstop_error *err) {
  struct stat about;
  if (!*path || stat(path, &about)) return ripstop_fail_system(err, *path ? errno : ENOENT, "%s", path);
  size_t before = list->count;
  if (!S_ISDIR(about.st_mode)) {
    add_name(list, path, true);
    return 0;
  }
  if (add_folder(list, path, 0, err)) return -1;
  if (list->count == before) return ripstop_fail(err, "%s: no experiment (.yaml) in this folder or below", path);
  qsort(list->name + before, list->count - before, sizeof *list->name, by_name);
  return 0;
}

int cli_find_experiments(cli_names *files, const char *const *argument, unsigned count, ripstop_error *err) {
  for (unsigned i = 0; i < count; i++)
    if (add_argument(files, argument[i], err)) return -1;
  return 0;
}

void cli_free_names(cli_names *files) {
  for (size_t i = 0; i < files->count; i++) ripstop_free(files->name[i].text);
  ripstop_free(files->name);
  *files = (cli_names){0};
}

/* ------------------------------------------------------------------ what comes of them */

static void add_papers(cli_ledger *l, const ripstop_spec *spec) {
  for (size_t i = 0; i < spec->papers; i++) {
    bool known = false;
    for (size_t j = 0; j < l->papers; j++) known |= !strcmp(l->paper[j]->key, spec->paper[i].key);
    if (known) continue;
    l->paper = ripstop_realloc(l->paper, l->papers + 1, sizeof(void *));
    l->paper[l->papers++] = &spec->paper[i];
  }
}

static void tell_contradiction(cli_ledger *l, const ripstop_claim_row *row) {
  const ripstop_claim *claim = row->claim;
  if (!row->judgement.contradicts) return;
  l->contradictions++;
  fprintf(stderr, "ripstop: %s:%d: claim '%s': finding: %s, but its runs say %s\n", row->spec->file, claim->line,
          claim->id, ripstop_finding_words[claim->finding], ripstop_finding_words[row->judgement.judged]);
}

/* The experiment that is said to have tested a cause is there. */
static bool is_tested(const ripstop_claim_row *row) {
  const char *file = row->spec->file, *slash = strrchr(file, '/');
  ripstop_text path = {0};
  struct stat about;
  int folder = slash && *row->claim->tested_by != '/' ? (int)(slash - file) + 1 : 0;
  ripstop_text_add(&path, "%.*s%s", folder, file, row->claim->tested_by);
  bool is_there = !stat(path.data, &about) && S_ISREG(about.st_mode);
  ripstop_text_free(&path);
  return is_there;
}

/* What differs for good has a cause that an experiment has tested, or is said to be unexplained. */
static void tell_cause(cli_ledger *l, const ripstop_claim_row *row) {
  const ripstop_claim *claim = row->claim;
  bool differs = row->judgement.whole && row->judgement.finding == RIPSTOP_DIFFERS;
  bool is_unsaid = differs && claim->cause == RIPSTOP_CAUSE_NOT_SAID;
  bool is_missing = claim->cause == RIPSTOP_CAUSE_TESTED && !is_tested(row);
  if (!is_unsaid && !is_missing) return;
  l->uncaused++;
  fprintf(stderr, "ripstop: %s:%d: claim '%s': ", row->spec->file, claim->line, claim->id);
  if (is_missing)
    fprintf(stderr, "cause: tested-by %s: there is no such file\n", claim->tested_by);
  else
    fputs("its runs differ, and it names no cause; add 'cause: unexplained' or 'cause: tested-by FILE.yaml'\n", stderr);
}

/* Why the record's number stands where the store has runs of the claim as well. */
static void tell_what_differs(const ripstop_claim_row *row, const ripstop_basis *here) {
  fprintf(stderr, "ripstop: note: %s:%d: claim '%s': ", row->spec->file, row->claim->line, row->claim->id);
  if (here->runs < row->basis.runs)
    fprintf(stderr, "the record has %zu runs of it, the store %zu\n", row->basis.runs, here->runs);
  else if (here->others < here->others_asked)
    fprintf(
        stderr,
        "the store has its %zu runs, but only %zu of the %zu others of its figure, with which it may be compared; the "
        "record's number stands\n",
        here->runs, here->others, here->others_asked);
  else
    fprintf(stderr, "its %zu runs in the store give no number; the record's stands\n", here->runs);
}

/* What was measured once, where the store has nothing, or less. */
static void fill_from_record(const cli_ledger *l, ripstop_claim_row *row) {
  const ripstop_basis here = row->basis;
  if (l->record && ripstop_record_fill(l->record, row) && here.runs) tell_what_differs(row, &here);
}

/* How far the other record's seeds are from these. */
static uint64_t moved_to(const cli_ledger *l) { return ripstop_record_seed_offset(l->other) - l->variant.seed_offset; }

static void judge_all(cli_ledger *l, const ripstop_data *data) {
  const ripstop_spec *spec = data->runs->spec;
  l->row = ripstop_realloc(l->row, l->rows + spec->claims + 1, sizeof *l->row);
  for (size_t i = 0; i < spec->claims; i++) {
    ripstop_claim_row *row = &l->row[l->rows++];
    *row = (ripstop_claim_row){.spec = spec, .claim = &spec->claim[i], .model = RIPSTOP_MODEL_VERSION};
    row->judgement = ripstop_claim_judge(data, row->claim);
    row->basis = ripstop_claim_basis(data, row->claim, 0);
    if (l->other) row->there = ripstop_claim_basis(data, row->claim, moved_to(l));
    fill_from_record(l, row);
    tell_contradiction(l, row);
    tell_cause(l, row);
  }
}

/* Whether something stands beside the claims of the experiment that was judged last. */
static bool has_data(const cli_ledger *l, const ripstop_data *data) {
  const size_t claims = data->runs->spec->claims;
  for (size_t i = 0; i < data->runs->count; i++)
    if (data->outcome[i]) return true;
  for (size_t i = l->rows - claims; i < l->rows; i++)
    if (l->row[i].judgement.judged == RIPSTOP_NO_DATA) return false;
  return claims > 0;
}

/* Of what `run` refuses nothing can ever be known, and the reason is the one that `run` gives. To try all runs of all
 * files below a folder takes longer than to read what is stored. */
static int check_possible(const cli_ledger *l, const ripstop_data *data, ripstop_error *err) {
  if (has_data(l, data)) return 0;
  ripstop_runs *runs = ripstop_expand(data->runs->spec, err);
  ripstop_runs_free(runs);
  return runs ? 0 : -1;
}

/* The last of the experiments beside those before it. */
static int check_name(const cli_ledger *l, ripstop_error *err) {
  const size_t last = l->specs - 1;
  const ripstop_spec *spec = l->spec[last];
  if (l->taken && !strcmp(spec->name, l->taken))
    return ripstop_fail(err, "%s: %s has a page '%s' of its own; give the experiment's file another name", spec->file,
                        l->by_name, l->taken);
  for (size_t i = 0; l->by_name && i < last; i++)
    if (!strcmp(l->spec[i]->name, spec->name))
      return ripstop_fail(err, "%s: %s has the name '%s' too, and %s could not tell them apart", spec->file,
                          l->spec[i]->file, spec->name, l->by_name);
  return 0;
}

/* Before any run is done: whether all can be read, and have names that are told apart. */
static int read_all(cli_ledger *l, const cli_names *files, ripstop_error *err) {
  l->spec = ripstop_realloc(NULL, files->count, sizeof(void *));
  for (size_t i = 0; i < files->count; i++) {
    if (!(l->spec[i] = ripstop_spec_read(files->name[i].text, &l->variant, err))) return -1;
    l->specs++;
    if (check_name(l, err)) return -1;
  }
  for (size_t i = 0; l->check && i < l->specs; i++)
    if (l->check(l->context, l->spec[i], err)) return -1;
  return 0;
}

static int add_campaign(cli_ledger *l, ripstop_campaign *c, bool itself, ripstop_error *err) {
  ripstop_data data;
  if (ripstop_report_load(c, l->what, &data, err)) return -1;
  judge_all(l, &data);
  if (itself && check_possible(l, &data, err)) return -1;
  return l->each ? l->each(l->context, c, &data, err) : 0;
}

/* Of the many runs only the findings stay. */
static int add_experiment(cli_ledger *l, const ripstop_spec *spec, bool itself, ripstop_error *err) {
  ripstop_campaign_settings settings = ripstop_campaign_defaults(NULL);
  cli_run_events events;
  settings.spec = spec, settings.store = l->store, settings.workers = l->workers;
  settings.mode = l->variant.quick ? RIPSTOP_CAMPAIGN_RUN : RIPSTOP_CAMPAIGN_READ_ANY;
  cli_print_events(&events, false, &settings);
  ripstop_campaign *c = ripstop_campaign_open(&settings, err);
  if (!c) return ripstop_cli_fail(err);
  add_papers(l, spec);
  int status = l->variant.quick ? cli_run_campaign(c, &events, err) : RIPSTOP_EXIT_OK;
  if (status == RIPSTOP_EXIT_OK && add_campaign(l, c, itself, err)) status = ripstop_cli_fail(err);
  if (status == RIPSTOP_EXIT_OK) return ripstop_campaign_end(c, err) ? ripstop_cli_fail(err) : status;
  ripstop_campaign_close(c);
  return status;
}

int cli_ledger_make(cli_ledger *l, const cli_names *files, ripstop_error *err) {
  int status = RIPSTOP_EXIT_OK;
  if (read_all(l, files, err)) return ripstop_cli_fail(err);
  for (size_t i = 0; i < l->specs && status == RIPSTOP_EXIT_OK; i++)
    status = add_experiment(l, l->spec[i], files->name[i].itself, err);
  return status;
}

ripstop_ledger cli_ledger_all(const cli_ledger *l) {
  return (ripstop_ledger){
      .rows = l->rows, .row = l->row, .papers = l->papers, .paper = l->paper, .seed_offset = l->variant.seed_offset};
}

void cli_ledger_free(cli_ledger *l) {
  for (size_t i = 0; i < l->specs; i++) ripstop_spec_free(l->spec[i]);
  ripstop_free(l->spec);
  ripstop_free(l->row);
  ripstop_free(l->paper);
  ripstop_record_free(l->record);
  ripstop_record_free(l->other);
}
