/* collect.c - finds experiments and judges their claims.
 *
 * Experiments are read before any of them is opened, so that a mistake in the last ends it before the first has done a
 * run. Of the many runs of an experiment only the findings stay in memory. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "papers/ledger.h"
#include "report/judging.h"

enum { DEPTH_MAX = 16 }; /* folders below each other */

typedef struct experiment {
  const char *file;
  bool itself; /* the file was named, not a folder above it */
  ripstop_spec *spec;
} experiment;

struct ripstop_papers {
  ripstop_papers_settings settings;
  ripstop_arena *arena;
  experiment *experiment;
  size_t count, room;
  const ripstop_spec **spec;   /* [count] */
  ripstop_claim_row *row;      /* [ledger.rows], with room for all claims */
  const ripstop_paper **paper; /* [ledger.papers], with room for all papers */
  ripstop_ledger ledger;
};

/* ------------------------------------------------------------------ which files */

static void add_file(ripstop_papers *p, const char *path, bool itself) {
  RIPSTOP_GROW(p->experiment, p->count, p->room);
  p->experiment[p->count++] = (experiment){.file = ripstop_arena_text(p->arena, path), .itself = itself};
}

static int by_file(const void *a, const void *b) {
  return strcmp(((const experiment *)a)->file, ((const experiment *)b)->file);
}

/* The file of papers lies among the experiments, but is not one. */
static bool is_experiment(const char *name) {
  const size_t length = strlen(name);
  return length > 5 && !strcmp(name + length - 5, ".yaml") && strcmp(name, "papers.yaml") != 0;
}

static int add_folder(ripstop_papers *p, const char *path, int depth, ripstop_error *err);

static int add_entry(ripstop_papers *p, const char *folder, const char *name, int depth, ripstop_error *err) {
  const char *path =
      ripstop_arena_printf(p->arena, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
  struct stat about;
  if (stat(path, &about)) return ripstop_fail_system(err, errno, "%s", path);
  if (S_ISDIR(about.st_mode)) return add_folder(p, path, depth + 1, err);
  if (is_experiment(name)) add_file(p, path, false);
  return 0;
}

/* All experiments below a folder; names that begin with a dot are left out. */
static int add_folder(ripstop_papers *p, const char *path, int depth, ripstop_error *err) {
  if (depth > DEPTH_MAX) return ripstop_fail(err, "%s: more than %d folders deep", path, DEPTH_MAX);
  DIR *folder = opendir(path);
  if (!folder) return ripstop_fail_system(err, errno, "%s", path);
  int status = 0;
  for (struct dirent *entry; !status && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') status = add_entry(p, path, entry->d_name, depth, err);
  closedir(folder);
  return status;
}

static int add_path(ripstop_papers *p, const char *path, ripstop_error *err) {
  struct stat about;
  const size_t before = p->count;
  if (!*path || stat(path, &about)) return ripstop_fail_system(err, *path ? errno : ENOENT, "%s", path);
  if (!S_ISDIR(about.st_mode)) return add_file(p, path, true), 0;
  if (add_folder(p, path, 0, err)) return -1;
  if (p->count == before) return ripstop_fail(err, "%s: no experiment (.yaml) in this folder or below", path);
  qsort(p->experiment + before, p->count - before, sizeof *p->experiment, by_file);
  return 0;
}

/* ------------------------------------------------------------------ reading them */

/* The last of the experiments beside those before it. */
static int check_name(const ripstop_papers *p, size_t last, ripstop_error *err) {
  const ripstop_papers_settings *s = &p->settings;
  const ripstop_spec *spec = p->spec[last];
  if (s->taken && !strcmp(spec->name, s->taken))
    return ripstop_fail(err, "%s: %s has a page '%s' of its own; give the experiment's file another name", spec->file,
                        s->by_name, s->taken);
  for (size_t i = 0; s->by_name && i < last; i++)
    if (!strcmp(p->spec[i]->name, spec->name))
      return ripstop_fail(err, "%s: %s has the name '%s' too, and %s could not tell them apart", spec->file,
                          p->spec[i]->file, spec->name, s->by_name);
  return 0;
}

static int read_experiments(ripstop_papers *p, ripstop_error *err) {
  p->spec = RIPSTOP_ARRAY(p->arena, p->count, const ripstop_spec *);
  for (size_t i = 0; i < p->count; i++) {
    experiment *e = &p->experiment[i];
    if (!(e->spec = ripstop_spec_read(e->file, &p->settings.campaign.variant, err))) return -1;
    p->spec[i] = e->spec;
    if (check_name(p, i, err)) return -1;
  }
  return 0;
}

/* The whole memory of a ledger, so that ripstop_papers_collect takes none that would be gone if it fails. */
static void make_room(ripstop_papers *p) {
  size_t claims = 0, papers = 0;
  for (size_t i = 0; i < p->count; i++) claims += p->spec[i]->claims, papers += p->spec[i]->papers;
  p->ledger.row = p->row = RIPSTOP_ARRAY(p->arena, claims, ripstop_claim_row);
  p->ledger.paper = p->paper = RIPSTOP_ARRAY(p->arena, papers, const ripstop_paper *);
}

ripstop_papers *ripstop_papers_open(const ripstop_papers_settings *settings, const char *const *path, size_t count,
                                    ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_papers *p = RIPSTOP_NEW(arena, ripstop_papers);
  *p = (ripstop_papers){.settings = *settings, .arena = arena};
  p->ledger.seed_offset = settings->campaign.variant.seed_offset;
  for (size_t i = 0; i < count; i++)
    if (add_path(p, path[i], err)) return ripstop_papers_close(p), NULL;
  if (read_experiments(p, err)) return ripstop_papers_close(p), NULL;
  make_room(p);
  return p;
}

/* ------------------------------------------------------------------ notes on claims */

static void begin_note(const ripstop_papers *p, const ripstop_claim_row *row, const char *kind) {
  fprintf(p->settings.notes, "ripstop: %s%s:%d: claim '%s': ", kind, row->spec->file, row->claim->line, row->claim->id);
}

static void note_contradiction(ripstop_papers *p, const ripstop_claim_row *row) {
  if (!row->judgement.contradicts) return;
  p->ledger.contradictions++;
  begin_note(p, row, "");
  fprintf(p->settings.notes, "finding: %s, but its runs say %s\n", ripstop_finding_words[row->claim->finding],
          ripstop_finding_words[row->judgement.judged]);
}

/* The experiment that is said to have tested a cause is there. */
static bool is_tested(const ripstop_claim_row *row) {
  const char *file = row->spec->file, *slash = strrchr(file, '/');
  RIPSTOP_LOCAL_TEXT(path);
  struct stat about;
  int folder = slash && *row->claim->tested_by != '/' ? (int)(slash - file) + 1 : 0;
  ripstop_text_add(&path, "%.*s%s", folder, file, row->claim->tested_by);
  return !stat(path.data, &about) && S_ISREG(about.st_mode);
}

/* A claim that all runs contradict needs a cause that an experiment has tested, or is said to be unexplained. */
static void note_cause(ripstop_papers *p, const ripstop_claim_row *row) {
  const ripstop_claim *claim = row->claim;
  bool differs = row->judgement.whole && row->judgement.finding == RIPSTOP_DIFFERS;
  bool is_unsaid = differs && claim->cause == RIPSTOP_CAUSE_NOT_SAID;
  bool is_missing = claim->cause == RIPSTOP_CAUSE_TESTED && !is_tested(row);
  if (!is_unsaid && !is_missing) return;
  p->ledger.uncaused++;
  begin_note(p, row, "");
  if (is_missing)
    fprintf(p->settings.notes, "cause: tested-by %s: there is no such file\n", claim->tested_by);
  else
    fputs("its runs differ, and it names no cause; add 'cause: unexplained' or 'cause: tested-by FILE.yaml'\n",
          p->settings.notes);
}

/* Why the record's number stands where the store has runs of the claim as well. */
static void note_record(const ripstop_papers *p, const ripstop_claim_row *row, const ripstop_basis *here) {
  FILE *notes = p->settings.notes;
  begin_note(p, row, "note: ");
  if (here->runs < row->basis.runs)
    fprintf(notes, "the record has %zu runs of it, the store %zu\n", row->basis.runs, here->runs);
  else if (here->others < here->others_planned)
    fprintf(notes,
            "the store has its %zu runs, but only %zu of the %zu others of its figure, with which it may be compared; "
            "the record's number stands\n",
            here->runs, here->others, here->others_planned);
  else
    fprintf(notes, "its %zu runs in the store give no number; the record's stands\n", here->runs);
}

/* ------------------------------------------------------------------ judging */

static void add_papers(ripstop_papers *p, const ripstop_spec *spec) {
  for (size_t i = 0; i < spec->papers; i++) {
    bool known = false;
    for (size_t j = 0; j < p->ledger.papers; j++) known |= !strcmp(p->paper[j]->key, spec->paper[i].key);
    if (!known) p->paper[p->ledger.papers++] = &spec->paper[i];
  }
}

static void judge(ripstop_papers *p, const ripstop_data *data, ripstop_claim_row *row) {
  const ripstop_papers_settings *s = &p->settings;
  row->judgement = ripstop_claim_judge(data, row->claim);
  const ripstop_basis here = row->basis = ripstop_claim_basis(data, row->claim, 0);
  if (s->other)
    row->there = ripstop_claim_basis(data, row->claim, ripstop_record_seed_offset(s->other) - p->ledger.seed_offset);
  if (s->record && ripstop_record_fill(s->record, row) && here.runs) note_record(p, row, &here);
  note_contradiction(p, row);
  note_cause(p, row);
}

static void judge_all(ripstop_papers *p, const ripstop_data *data) {
  const ripstop_spec *spec = data->runs->spec;
  for (size_t i = 0; i < spec->claims; i++) {
    ripstop_claim_row *row = &p->row[p->ledger.rows++];
    *row = (ripstop_claim_row){.spec = spec, .claim = &spec->claim[i], .model = RIPSTOP_MODEL_VERSION};
    judge(p, data, row);
  }
}

/* True if there is a number for some claim of the experiment that was judged last. */
static bool has_data(const ripstop_papers *p, const ripstop_data *data) {
  const size_t claims = data->runs->spec->claims;
  for (size_t i = 0; i < data->runs->count; i++)
    if (data->outcome[i]) return true;
  for (size_t i = p->ledger.rows - claims; i < p->ledger.rows; i++)
    if (p->row[i].judgement.judged == RIPSTOP_NO_DATA) return false;
  return claims > 0;
}

/* An experiment that `run` refuses never gets data, and the reason is the one that `run` gives. To try all runs of all
 * files below a folder takes longer than to read what is stored. */
static int check_possible(const ripstop_papers *p, const ripstop_data *data, ripstop_error *err) {
  if (has_data(p, data)) return 0;
  ripstop_runs *runs = ripstop_expand(data->runs->spec, err);
  ripstop_runs_free(runs);
  return runs ? 0 : -1;
}

static int add_campaign(ripstop_papers *p, ripstop_campaign *c, bool itself, ripstop_error *err) {
  const ripstop_papers_settings *s = &p->settings;
  ripstop_data data;
  if (s->campaign.variant.quick) {
    const int status = ripstop_campaign_run(c, err);
    if (status) return status;
  }
  if (ripstop_report_load(c, s->load, &data, err)) return -1;
  judge_all(p, &data);
  if (itself && check_possible(p, &data, err)) return -1;
  return s->each ? s->each(s->context, c, &data, err) : 0;
}

static int add_experiment(ripstop_papers *p, const experiment *e, ripstop_error *err) {
  ripstop_campaign_settings settings = p->settings.campaign;
  settings.spec = e->spec;
  settings.mode = settings.variant.quick ? RIPSTOP_CAMPAIGN_RUN : RIPSTOP_CAMPAIGN_READ_ANY;
  ripstop_campaign *c = ripstop_campaign_open(&settings, err);
  if (!c) return -1;
  add_papers(p, e->spec);
  const int status = add_campaign(p, c, e->itself, err);
  if (!status) return ripstop_campaign_end(c, err);
  ripstop_campaign_close(c);
  return status;
}

int ripstop_papers_collect(ripstop_papers *p, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  int status = 0;
  for (size_t i = 0; i < p->count && !status; i++) status = add_experiment(p, &p->experiment[i], err);
  return status;
}

size_t ripstop_papers_experiments(const ripstop_papers *p, const ripstop_spec *const **spec) {
  *spec = p->spec;
  return p->count;
}

const ripstop_ledger *ripstop_papers_ledger(const ripstop_papers *p) { return &p->ledger; }

void ripstop_papers_close(ripstop_papers *p) {
  if (!p) return;
  for (size_t i = 0; i < p->count; i++) ripstop_spec_free(p->experiment[i].spec);
  ripstop_free(p->experiment);
  ripstop_arena_free(p->arena);
}
