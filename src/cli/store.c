/* store.c - `ripstop store VERB`: looks after stores as a whole: checks one, merges several, migrates one, exports one.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/experiment.h"
#include "ripstop/kit/store.h"

enum { FROM_MAX = 4096 };

static void print_json(json_t *json) {
  json_dumpf(json, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(json);
}

/* ------------------------------------------------------------------ check */

static bool is_good(const ripstop_store_tally *t) { return !t->doubted && !t->stray; }

static void print_tally(const char *path, const ripstop_store_tally *t) {
  printf("%s: %" PRIu64 " runs, %" PRIu64 " numbers, %" PRIu64 " windows\n", path, t->runs, t->numbers, t->windows);
  for (size_t i = 0; i < RIPSTOP_OUTCOMES; i++)
    if (t->of[i]) printf("  %" PRIu64 " %s\n", t->of[i], ripstop_outcome_words[i]);
  if (t->outdated)
    printf("  %" PRIu64 " of them of another model, or of plug-ins that were edited since: no experiment uses them\n",
           t->outdated);
  if (t->owners) printf("%" PRIu64 " claimed by %" PRIu64 " that do them now\n", t->leases, t->owners);
  if (t->left)
    printf("%" PRIu64 " claimed by processes that are gone, which is no fault: 'ripstop run' does them\n", t->left);
  if (t->doubted)
    printf("%" PRIu64 " do not agree with their digests, first %s; 'ripstop run' does them again\n", t->doubted,
           t->first);
  if (t->stray) printf("%" PRIu64 " rows belong to nothing\n", t->stray);
  puts(is_good(t) ? "good" : "not good");
}

static void print_tally_json(const char *path, const ripstop_store_tally *t) {
  json_t *of = json_object();
  for (size_t i = 0; i < RIPSTOP_OUTCOMES; i++)
    json_object_set_new(of, ripstop_outcome_words[i], json_integer((json_int_t)t->of[i]));
  print_json(json_pack("{s:s, s:b, s:I, s:I, s:I, s:o, s:I, s:I, s:s*, s:I, s:I, s:I, s:I}", "store", path, "good",
                       (int)is_good(t), "runs", (json_int_t)t->runs, "numbers", (json_int_t)t->numbers, "windows",
                       (json_int_t)t->windows, "verdicts", of, "outdated", (json_int_t)t->outdated, "doubted",
                       (json_int_t)t->doubted, "first_doubted", t->doubted ? t->first : NULL, "stray",
                       (json_int_t)t->stray, "claimed", (json_int_t)t->leases, "owners", (json_int_t)t->owners, "left",
                       (json_int_t)t->left));
}

static int check(int argc, char **argv) {
  bool json = false;
  const char *path;
  const ripstop_flag flags[] = {CLI_SWITCH("json", &json, "Print JSON."), {0}};
  const ripstop_usage usage = {.command = "store check",
                               .arguments = "DB",
                               .summary = "Reads all of a store and checks whether it can be believed.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags};
  ripstop_error err;
  ripstop_store_tally tally;
  int status = ripstop_cli_parse(&usage, argc, argv, &path, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_READ, &err);
  if (!store || ripstop_store_check(store, &tally, &err)) {
    status = ripstop_cli_fail(&err);
  } else {
    (json ? print_tally_json : print_tally)(path, &tally);
    status = is_good(&tally) ? RIPSTOP_EXIT_OK : RIPSTOP_EXIT_FAILED;
  }
  ripstop_store_close(store);
  return status;
}

/* ------------------------------------------------------------------ merge */

static bool is_same_file(const char *a, const char *b) {
  struct stat one, two;
  return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* A store that is open is not opened once more to be read: SQLite would leave its log then. As ripstop_store_merge. */
static int merge_one(ripstop_store *into, const char *path, ripstop_store_merger *sums, ripstop_error *err) {
  ripstop_store *from = ripstop_store_open(path, RIPSTOP_STORE_READ, err);
  int status = from ? ripstop_store_merge(into, from, sums, err) : -1;
  ripstop_store_close(from);
  return status;
}

/* The faults of the runs of one of them. */
static void report_merger(const char *into, const char *from, const ripstop_store_merger *m) {
  if (m->conflicts)
    fprintf(stderr, "ripstop: %" PRIu64 " runs of %s have another outcome in %s, first %s; those of %s stay\n",
            m->conflicts, from, into, m->conflict, into);
  if (m->doubted)
    fprintf(stderr, "ripstop: %" PRIu64 " runs of %s do not agree with their digests, first %s; they are left out\n",
            m->doubted, from, m->doubt);
}

static void add(ripstop_store_merger *all, const ripstop_store_merger *one) {
  all->added += one->added, all->there += one->there;
  all->conflicts += one->conflicts, all->doubted += one->doubted;
}

/* All of them into the first; 1: that was opened for reading, and some run is missing there. */
static int merge_each(const char **path, unsigned count, ripstop_store_mode mode, ripstop_store_merger *sums,
                      ripstop_error *err) {
  ripstop_error other;
  ripstop_store *into = ripstop_store_open(path[0], mode, err);
  int status = into ? 0 : -1;
  memset(sums, 0, count * sizeof *sums);
  for (unsigned i = 1; i < count && !status; i++) status = merge_one(into, path[i], &sums[i], err);
  return ripstop_store_end(into, status ? &other : err) ? -1 : status;
}

/* A store that has all of it already stays as it is, to the byte. */
static int merge_needed(const char **path, unsigned count, ripstop_store_merger *sums, ripstop_error *err) {
  for (unsigned i = 1; i < count; i++)
    if (is_same_file(path[0], path[i])) return ripstop_fail(err, "store %s cannot be merged into itself", path[i]);
  int status = cli_is_there(path[0], err);
  if (status > 0) status = merge_each(path, count, RIPSTOP_STORE_READ, sums, err) ? 0 : 1;
  return status > 0 ? 0 : merge_each(path, count, RIPSTOP_STORE_WRITE, sums, err);
}

static int print_merger(const char **path, unsigned count, const ripstop_store_merger *sums, bool json) {
  ripstop_store_merger all = {0};
  for (unsigned i = 1; i < count; i++) add(&all, &sums[i]);
  if (json)
    print_json(json_pack("{s:s, s:I, s:I, s:I, s:I}", "store", path[0], "added", (json_int_t)all.added, "there",
                         (json_int_t)all.there, "conflicts", (json_int_t)all.conflicts, "doubted",
                         (json_int_t)all.doubted));
  else
    printf("%s: %" PRIu64 " runs added, %" PRIu64 " were there\n", path[0], all.added, all.there);
  return all.conflicts || all.doubted ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

static int merge_all(const char **path, unsigned count, bool json, ripstop_error *err) {
  ripstop_store_merger *sums = ripstop_realloc(NULL, count, sizeof *sums);
  memset(sums, 0, count * sizeof *sums); /* they are printed after every error */
  int status = merge_needed(path, count, sums, err);
  for (unsigned i = 1; i < count; i++) report_merger(path[0], path[i], &sums[i]);
  status = status ? ripstop_cli_fail(err) : print_merger(path, count, sums, json);
  ripstop_free(sums);
  return status;
}

static int merge(int argc, char **argv) {
  bool json = false;
  const char *path[FROM_MAX];
  const ripstop_flag flags[] = {CLI_SWITCH("json", &json, "Print JSON."), {0}};
  const ripstop_usage usage = {.command = "store merge",
                               .arguments = "INTO FROM...",
                               .summary = "Adds the runs of other stores to one, which is made when it is not there.",
                               .at_least = 2,
                               .at_most = FROM_MAX,
                               .flags = flags};
  unsigned count;
  ripstop_error err;
  int status = ripstop_cli_parse(&usage, argc, argv, path, &count);
  return status == RIPSTOP_CLI_GO_ON ? merge_all(path, count, json, &err) : status;
}

/* ------------------------------------------------------------------ migrate */

static void print_migration(const char *path, const ripstop_store_migration *m, bool dry) {
  uint64_t again = 0;
  for (size_t i = 0; i < m->reasons; i++) again += m->again[i].runs;
  printf("%s: %" PRIu64 " runs, %" PRIu64 " %s\n", path, m->runs, m->renamed, dry ? "to be renamed" : "renamed");
  if (m->current) printf("  %" PRIu64 " had their names of today already\n", m->current);
  if (m->repeated) printf("  %" PRIu64 " were there under their names of today too\n", m->repeated);
  if (again) printf("%" PRIu64 " must be done again ('ripstop run'); they stay in the store, unused:\n", again);
  for (size_t i = 0; i < m->reasons; i++) printf("  %" PRIu64 " of %s\n", m->again[i].runs, m->again[i].why);
}

static void print_migration_json(const char *path, const ripstop_store_migration *m) {
  json_t *again = json_array();
  for (size_t i = 0; i < m->reasons; i++)
    json_array_append_new(again, json_pack("{s:s, s:I}", "why", m->again[i].why, "runs", (json_int_t)m->again[i].runs));
  print_json(json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "store", path, "runs", (json_int_t)m->runs, "renamed",
                       (json_int_t)m->renamed, "current", (json_int_t)m->current, "repeated", (json_int_t)m->repeated,
                       "doubted", (json_int_t)m->doubted, "again", again));
}

/* A store without runs of earlier versions stays as it is, to the byte. */
static int migrate_needed(const char *path, bool dry, ripstop_arena *arena, ripstop_store_migration *m,
                          ripstop_error *err) {
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_READ, err);
  int status = store ? ripstop_store_migrate(store, arena, m, err) : -1;
  ripstop_store_close(store);
  if (status || dry || !(m->renamed || m->repeated)) return status;
  store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, err);
  status = store ? ripstop_store_migrate(store, arena, m, err) : -1;
  ripstop_error other;
  return ripstop_store_end(store, status ? &other : err) ? -1 : status;
}

static int migrate(int argc, char **argv) {
  bool json = false, dry = false;
  const char *path;
  const ripstop_flag flags[] = {
      CLI_SWITCH("dry-run", &dry, "Only print what would be renamed."), CLI_SWITCH("json", &json, "Print JSON."), {0}};
  const ripstop_usage usage = {
      .command = "store migrate",
      .arguments = "DB",
      .summary = "Gives runs of earlier versions their names of today, and lists those that must be done again.",
      .at_least = 1,
      .at_most = 1,
      .flags = flags};
  ripstop_error err;
  ripstop_store_migration migration;
  int status = ripstop_cli_parse(&usage, argc, argv, &path, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_arena *arena = ripstop_arena_new();
  if (migrate_needed(path, dry, arena, &migration, &err)) {
    status = ripstop_cli_fail(&err);
  } else {
    if (json)
      print_migration_json(path, &migration);
    else
      print_migration(path, &migration, dry);
    if (migration.doubted)
      fprintf(stderr, "ripstop: %" PRIu64 " runs of %s do not agree with their digests, first %s; they are left\n",
              migration.doubted, path, migration.doubt);
    status = migration.doubted ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
  }
  ripstop_arena_free(arena);
  return status;
}

/* ------------------------------------------------------------------ export */

static void print_columns_json(const ripstop_store_columns *columns) {
  json_t *all = json_array();
  for (size_t i = 0; i < columns->count; i++) {
    const ripstop_store_column *c = &columns->column[i];
    json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s*, s:s}", "column", c->head, "kind",
                                         ripstop_column_kind_words[c->kind], "name", c->name, "unit", c->unit, "type",
                                         c->type));
  }
  print_json(all);
}

/* A file is whole or as it was. */
static int64_t export_file(ripstop_store *store, const ripstop_store_columns *columns, const char *path,
                           ripstop_error *err) {
  ripstop_output file;
  if (ripstop_output_begin(&file, path, RIPSTOP_OUTPUT_NEW, err)) return -1;
  int64_t doubted = ripstop_store_export(store, columns, file.stream, err);
  if (doubted >= 0) return ripstop_output_end(&file, err) ? -1 : doubted;
  ripstop_output_drop(&file);
  return doubted;
}

static int export_store(ripstop_store *store, const char *from, const char *to, bool json, ripstop_error *err) {
  ripstop_store_columns columns;
  ripstop_arena *arena = ripstop_arena_new();
  int64_t doubted = ripstop_store_columns_of(store, arena, &columns, err);
  if (!doubted && json)
    print_columns_json(&columns);
  else if (!doubted)
    doubted = to ? export_file(store, &columns, to, err) : ripstop_store_export(store, &columns, stdout, err);
  ripstop_arena_free(arena);
  if (doubted < 0) return ripstop_cli_fail(err);
  if (doubted)
    fprintf(stderr, "ripstop: %" PRId64 " runs of %s do not agree with their digests; they are left out\n", doubted,
            from);
  return doubted ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

static int export(int argc, char **argv) {
  bool json = false;
  const char *path, *to = NULL;
  const ripstop_flag flags[] = {
      CLI_TEXT("output", "CSV", &to, "Write the table here.", .letter = 'o', .output = RIPSTOP_FLAG_OUTPUT),
      CLI_SWITCH("json", &json, "Print only the columns and their types, as JSON."),
      {0}};
  const ripstop_usage usage = {.command = "store export",
                               .arguments = "DB",
                               .summary =
                                   "Prints all runs as CSV, a row for each, a column for each setting and value.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags};
  ripstop_error err;
  int status = ripstop_cli_parse(&usage, argc, argv, &path, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_READ, &err);
  status = store ? export_store(store, path, to, json, &err) : ripstop_cli_fail(&err);
  ripstop_store_close(store);
  return status;
}

/* ------------------------------------------------------------------ the command */

static const struct verb {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
} verbs[] = {{"check", check, "read all of a store and check whether it can be believed"},
             {"merge", merge, "add the runs of other stores to one"},
             {"migrate", migrate, "rename the runs of earlier versions"},
             {"export", export, "print all runs as one table"}};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int print_verbs(FILE *file, int status) {
  fprintf(file, "usage: ripstop store VERB [flags] DB...\n\n");
  for (size_t i = 0; i < VERBS; i++) fprintf(file, "  %-8s%s\n", verbs[i].name, verbs[i].summary);
  fprintf(file, "\n'ripstop store VERB --help' explains one.\n");
  return status;
}

/* Each verb says of itself what it takes. */
static int report_verbs(int argc, char **argv) {
  for (size_t i = 0; i < VERBS; i++) verbs[i].run(argc, argv);
  return RIPSTOP_EXIT_OK;
}

int ripstop_cmd_store(int argc, char **argv) {
  const char *words[VERBS + 1] = {NULL};
  ripstop_error err;
  if (ripstop_cli_is_asked()) return report_verbs(argc, argv);
  if (argc < 2) return print_verbs(stderr, RIPSTOP_EXIT_INPUT);
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return print_verbs(stdout, RIPSTOP_EXIT_OK);
  for (size_t i = 0; i < VERBS; i++) {
    if (!strcmp(argv[1], verbs[i].name)) return verbs[i].run(argc - 1, argv + 1);
    words[i] = verbs[i].name;
  }
  const char *nearest = ripstop_nearest_word(argv[1], words);
  ripstop_fail(&err, "store: unknown verb '%.100s'; %s%s%s", argv[1],
               nearest ? "did you mean '" : "'ripstop store --help' lists them", nearest ? nearest : "",
               nearest ? "'?" : "");
  return ripstop_cli_fail(&err);
}
