/* experiment.c - what `run`, `report` and `claims` share: an experiment, its runs and its store. */
#include "cli/experiment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"

int cli_read_variant(const char *command, const cli_variant *variant, ripstop_variant *out, ripstop_error *err) {
  *out = (ripstop_variant){.quick = variant->quick, .sets = variant->set.count, .set = variant->set.value};
  if (variant->seed_offset && ripstop_parse_u64(variant->seed_offset, UINT64_MAX, &out->seed_offset, err))
    return ripstop_fail_at(err, "%s: --seed-offset", command);
  return 0;
}

void cli_print_word(ripstop_text *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (*word && !word[strspn(word, plain)]) {
    ripstop_text_add(out, " %s", word);
    return;
  }
  ripstop_text_add(out, " '");
  for (; *word; word++) {
    if (*word == '\'')
      ripstop_text_add(out, "'\\''");
    else
      ripstop_text_add_bytes(out, word, 1);
  }
  ripstop_text_add(out, "'");
}

void cli_print_variant(ripstop_text *out, const ripstop_variant *variant) {
  if (variant->quick) ripstop_text_add(out, " --quick");
  for (size_t i = 0; i < variant->sets; i++) {
    ripstop_text_add(out, " --set");
    cli_print_word(out, variant->set[i]);
  }
  if (variant->seed_offset) ripstop_text_add(out, " --seed-offset %llu", (unsigned long long)variant->seed_offset);
}

const char *cli_out(cli_experiment *e, const char *name, const char *suffix) {
  return ripstop_arena_printf(e->arena, "out/%s%s", name, suffix);
}

static int write_text(const char *path, const ripstop_text *text, ripstop_output_kind kind, ripstop_error *err) {
  ripstop_output file;
  if (ripstop_output_begin(&file, path, kind, err)) return -1;
  fwrite(text->data, 1, text->length, file.stream);
  return ripstop_output_end(&file, err);
}

int cli_write_file(const char *path, const ripstop_text *text, ripstop_error *err) {
  return write_text(path, text, RIPSTOP_OUTPUT_NEW, err);
}

int cli_update_file(const char *path, const ripstop_text *text, ripstop_error *err) {
  return write_text(path, text, RIPSTOP_OUTPUT_UPDATE, err);
}

const ripstop_shard cli_whole = {1, 1};

/* Another experiment's store can be used if that stands beside this one. */
static int check_neighbour(cli_experiment *e, ripstop_error *err) {
  const ripstop_spec *spec = e->spec;
  const char *slash = strrchr(spec->file, '/'), *name = strrchr(spec->store, '/');
  if (!strcmp(spec->store, spec->name)) return 0;
  const char *path = ripstop_arena_printf(e->arena, "%.*s%s.yaml", slash ? (int)(slash - spec->file) + 1 : 0,
                                          spec->file, name ? name + 1 : spec->store);
  const int there = cli_is_there(path, err);
  if (there) return there > 0 ? 0 : -1;
  return ripstop_fail(err, "%s:%d: store: there is no experiment %s", spec->file, spec->store_line, path);
}

static int read_spec(cli_experiment *e, const char *file, const ripstop_variant *variant, ripstop_error *err) {
  *e = (cli_experiment){.arena = ripstop_arena_new(), .shard = cli_whole};
  if (!(e->spec = ripstop_spec_read(file, variant, err))) return -1;
  return check_neighbour(e, err);
}

int cli_open_runs(cli_experiment *e, const char *file, const ripstop_variant *variant, ripstop_error *err) {
  if (read_spec(e, file, variant, err)) return -1;
  return (e->runs = ripstop_expand(e->spec, err)) ? 0 : -1;
}

/* Rows are there only of runs that were possible. */
static int open_rows(cli_experiment *e, const char *file, const ripstop_variant *variant, ripstop_error *err) {
  if (read_spec(e, file, variant, err)) return -1;
  return (e->runs = ripstop_expand_untried(e->spec, err)) ? 0 : -1;
}

/* A part has a store of its own. */
static void name_store(cli_experiment *e, const char *store) {
  const char *suffix = ".db";
  if (e->shard.of > 1) suffix = ripstop_arena_printf(e->arena, ".%u-of-%u.db", e->shard.part, e->shard.of);
  e->store_path = store ? store : cli_out(e, e->spec->store, suffix);
}

static int open_store(cli_experiment *e, const char *store, ripstop_store_mode mode, ripstop_error *err) {
  name_store(e, store);
  return (e->store = ripstop_store_open(e->store_path, mode, err)) ? 0 : -1;
}

int cli_open(cli_experiment *e, const char *file, const ripstop_variant *variant, const char *store,
             ripstop_error *err) {
  if (open_rows(e, file, variant, err)) return -1;
  return open_store(e, store, RIPSTOP_STORE_READ, err);
}

int cli_is_there(const char *path, ripstop_error *err) {
  if (!access(path, F_OK)) return 1;
  return errno == ENOENT ? 0 : ripstop_fail_system(err, errno, "%s", path);
}

static int open_store_if_there(cli_experiment *e, const char *store, ripstop_error *err) {
  name_store(e, store);
  int there = cli_is_there(e->store_path, err);
  return there > 0 ? open_store(e, store, RIPSTOP_STORE_READ, err) : there;
}

int cli_open_if_there(cli_experiment *e, const char *file, const ripstop_variant *variant, const char *store,
                      ripstop_error *err) {
  if (open_rows(e, file, variant, err)) return -1;
  return store ? open_store(e, store, RIPSTOP_STORE_READ, err) : open_store_if_there(e, store, err);
}

typedef struct named {
  const ripstop_run *run;
} named;

static int by_id(const void *a, const void *b) {
  const ripstop_run *one = ((const named *)a)->run, *two = ((const named *)b)->run;
  int order = strcmp(one->id, two->id);
  return order ? order : (one > two) - (one < two);
}

/* Which runs have the name of an earlier one: a fault set that stands twice in a file makes two such runs. */
static bool *find_repeated(const cli_experiment *e) {
  size_t count = e->runs->count;
  bool *repeated = RIPSTOP_ARRAY(e->arena, count, bool);
  named *sorted = RIPSTOP_ARRAY(e->arena, count, named);
  for (size_t i = 0; i < count; i++) sorted[i].run = &e->runs->run[i];
  qsort(sorted, count, sizeof *sorted, by_id);
  for (size_t i = 1; i < count; i++)
    repeated[sorted[i].run - e->runs->run] = !strcmp(sorted[i].run->id, sorted[i - 1].run->id);
  return repeated;
}

static void deal(cli_experiment *e) {
  const bool *repeated = find_repeated(e);
  e->own = RIPSTOP_ARRAY(e->arena, e->runs->count, const ripstop_run *);
  for (size_t i = 0; i < e->runs->count; i++)
    if (!repeated[i]) e->own[e->owns++] = &e->runs->run[i];
  e->owns = ripstop_shard_runs(e->shard, e->own, e->owns);
}

int cli_open_part(cli_experiment *e, const char *file, const ripstop_variant *variant, const char *store,
                  ripstop_shard shard, bool dry, ripstop_error *err) {
  if (cli_open_runs(e, file, variant, err)) return -1;
  e->shard = shard;
  deal(e);
  return dry ? open_store_if_there(e, store, err) : open_store(e, store, RIPSTOP_STORE_WRITE, err);
}

int cli_end(cli_experiment *e) {
  ripstop_error err;
  int status = ripstop_store_end(e->store, &err) ? ripstop_cli_fail(&err) : RIPSTOP_EXIT_OK;
  e->store = NULL;
  cli_close(e);
  return status;
}

void cli_close(cli_experiment *e) {
  ripstop_store_close(e->store);
  ripstop_runs_free(e->runs);
  ripstop_spec_free(e->spec);
  ripstop_arena_free(e->arena);
}

static bool is_zero(const ripstop_run *run, const char *key) {
  const char *value = ripstop_run_key(run, key);
  return value && !strcmp(value, "0");
}

void cli_note_slow_links(const ripstop_run *const *run, size_t count) {
  size_t i = 0;
  while (i < count && !(ripstop_run_has_slow_links(run[i]) && is_zero(run[i], "switch.slow_queue") &&
                        is_zero(run[i], "switch.out_queue")))
    i++;
  if (i == count) return;
  fprintf(stderr, "ripstop: note: switch.slow_queue = 0: a packet for a slow link holds its input for the link's time, "
                  "and other outputs starve\n");
}
