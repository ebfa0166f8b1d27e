/* jobs.c - jobs from their text, and the end nodes that each gets: those that no earlier job has. */
#include "workload/jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/registry.h"
#include "workload/trace_file.h"
#include "workload/workload_run.h"

static const char *const place_words[] = {
    [PLACE_PACKED] = "packed", [PLACE_SPREAD] = "spread", [PLACE_RANDOM] = "random",
    [PLACE_RACKS] = "racks",   [PLACE_FILE] = "file",     NULL};

/* ------------------------------------------------------------------ kinds by name */

static ripstop_plugin workload_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_workloads[i]); }
static const ripstop_registry workloads = {"workload", RIPSTOP_WORKLOAD_ABI, workload_at};

const ripstop_workload *ripstop_workload_find(const char *name, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  return ripstop_registry_find(&workloads, name, length, err);
}

static const char **text_option(const job *j, const char *name) {
  for (const ripstop_option *o = j->kind->options; o->name; o++)
    if (!strcmp(o->name, name)) return (const char **)((char *)j->config + o->offset);
  return NULL;
}

int jobs_fail(const job *j, size_t number, ripstop_error *err) {
  const char *const *file = text_option(j, "file");
  return ripstop_fail_at(err, "workload.jobs: job %zu, %s%s%s", number + 1, j->kind->name, file ? " " : "",
                         file ? *file : "");
}

/* With several jobs, names the one that an error is about. With "A; B" says how jobs are joined. */
static int name_job(const char *text, size_t number, size_t of, ripstop_error *err) {
  const size_t length = strlen(err->text);
  if (strchr(text, ';')) snprintf(err->text + length, sizeof err->text - length, "; ' + ' joins jobs: A + B");
  return of > 1 ? ripstop_fail_at(err, "job %zu", number + 1) : -1;
}

/* ------------------------------------------------------------------ texts */

/* Returns the piece of `text` up to `mark`; *rest gets the text after it, NULL: none. */
static const char *cut(ripstop_arena *arena, const char *text, const char *mark, const char **rest) {
  const char *at = strstr(text, mark);
  *rest = at ? at + strlen(mark) : NULL;
  return at ? ripstop_arena_printf(arena, "%.*s", (int)(at - text), text) : text;
}

/* "PATH" or "PATH,hash=HASH" */
static int read_file_place(ripstop_arena *arena, const char *text, job *out, ripstop_error *err) {
  if (!text || !*text) return ripstop_fail(err, "workload.jobs: on file: the path of a file is missing");
  out->places = cut(arena, text, ",hash=", &out->places_hash);
  if (!out->places_hash) out->places_hash = "";
  return 0;
}

/* "RANKS" or "RANKS/SERVER" */
static int read_ranks(ripstop_arena *arena, const char *text, job *out, ripstop_error *err) {
  const char *server;
  uint64_t ranks = 0, size = 0;
  if (ripstop_parse_u64(cut(arena, text, "/", &server), RIPSTOP_FABRIC_MAX_PORTS, &ranks, err))
    return ripstop_fail_at(err, "workload.jobs: the number of ranks in '%.60s'", text);
  if (ranks < 1) return ripstop_fail(err, "workload.jobs: no ranks in '%.60s'", text);
  if (server && ripstop_parse_u64(server, RIPSTOP_FABRIC_MAX_PORTS, &size, err))
    return ripstop_fail_at(err, "workload.jobs: the end nodes of a server in '%.60s'", text);
  if (server && (size < 1 || ranks % size))
    return ripstop_fail(err, "workload.jobs: '%.60s': %llu ranks are not whole servers of %llu", text,
                        (unsigned long long)ranks, (unsigned long long)size);
  out->ranks = (uint32_t)ranks;
  out->server = size > 1 ? (uint32_t)size : 0;
  return 0;
}

static int read_place(ripstop_arena *arena, const char *text, job *out, ripstop_error *err) {
  const char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  for (out->place = 0; place_words[out->place]; out->place++)
    if (strlen(place_words[out->place]) == length && !memcmp(place_words[out->place], text, length)) break;
  if (!place_words[out->place]) {
    const char *near = ripstop_nearest_word(text, place_words);
    return ripstop_fail(err, "workload.jobs: there is no placement '%.60s'; %s%s", text,
                        near ? "did you mean " : "it is packed, spread, random, racks or file", near ? near : "");
  }
  if (out->place == PLACE_FILE) return read_file_place(arena, colon ? colon + 1 : NULL, out, err);
  return colon ? read_ranks(arena, colon + 1, out, err) : 0;
}

static int read_class(const char *text, job *out, ripstop_error *err) {
  uint64_t number = 0;
  if (ripstop_parse_u64(text, RIPSTOP_CLASSES_MAX, &number, err) || !number)
    return ripstop_fail(err, "workload.jobs: class '%.60s': it is a number from 1 to %d", text, RIPSTOP_CLASSES_MAX);
  out->class_ = (uint32_t)number;
  return 0;
}

static int read_job(ripstop_arena *arena, const char *text, job *out, ripstop_error *err) {
  const char *place, *at, *number;
  *out = (job){.place = PLACE_PACKED};
  const char *timed = cut(arena, text, " class ", &number);
  const char *front = cut(arena, timed, " at ", &at);
  const char *spec = cut(arena, front, " on ", &place);
  if (at && ripstop_parse_u64(at, UINT32_MAX, &out->at, err)) return ripstop_fail_at(err, "workload.jobs: at");
  if (place && read_place(arena, place, out, err)) return -1;
  if (number && read_class(number, out, err)) return -1;
  out->kind = ripstop_registry_open(&workloads, arena, spec, &out->config, err);
  return out->kind ? 0 : -1;
}

int jobs_read(ripstop_arena *arena, const char *text, job **out, size_t *count, ripstop_error *err) {
  const char *const all = text;
  static const char plus[] = " + ";
  size_t most = 1;
  for (const char *at = text; (at = strstr(at, plus)); at += sizeof plus - 1) most++;
  if (most > RIPSTOP_JOBS_MAX)
    return ripstop_fail(err, "workload.jobs: %zu jobs; there are at most %d", most, RIPSTOP_JOBS_MAX);
  *out = RIPSTOP_ARRAY(arena, most, job);
  for (*count = 0; text; ++*count)
    if (read_job(arena, cut(arena, text, plus, &text), &(*out)[*count], err)) return name_job(all, *count, most, err);
  return 0;
}

/* ------------------------------------------------------------------ names in runs */

static void print_job(ripstop_text *out, const job *j) {
  ripstop_text options = {0};
  ripstop_options_print(&options, j->kind->options, j->config);
  ripstop_text_add(out, "%s%s%s", j->kind->name, options.length ? ":" : "", options.data ? options.data : "");
  ripstop_text_free(&options);
  if (j->place != PLACE_PACKED || j->ranks) ripstop_text_add(out, " on %s", place_words[j->place]);
  if (j->place == PLACE_FILE) ripstop_text_add(out, ":%s,hash=%s", j->places, j->places_hash);
  if (j->ranks) ripstop_text_add(out, ":%u", j->ranks);
  if (j->server) ripstop_text_add(out, "/%u", j->server);
  if (j->at) ripstop_text_add(out, " at %llu", (unsigned long long)j->at);
  if (j->class_) ripstop_text_add(out, " class %u", j->class_);
}

static int hash_one(const char *path, char *out, ripstop_error *err) {
  char *bytes;
  size_t length;
  RIPSTOP_LOCAL_ARENA(scratch);
  if (ripstop_read_file(scratch, path, SIZE_MAX, &bytes, &length, err)) return -1;
  ripstop_hash(bytes, length, out);
  return 0;
}

/* A file for each rank: the hash of all hashes. */
static int hash_parts(const trace_parts *parts, char *out, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  char *all = RIPSTOP_ARRAY(scratch, (size_t)parts->count * RIPSTOP_HASH, char);
  for (uint32_t i = 0; i < parts->count; i++)
    if (hash_one(parts->path[i], all + (size_t)i * RIPSTOP_HASH, err)) return -1;
  ripstop_hash(all, (size_t)parts->count * RIPSTOP_HASH, out);
  return 0;
}

/* A path that is no file may be what names of files for each rank begin with. */
static int hash_file(ripstop_arena *arena, const char *path, const char **hash, ripstop_error *err) {
  enum { DIGITS = 16 };
  char found[RIPSTOP_HASH];
  trace_parts parts = {0};
  RIPSTOP_LOCAL_ARENA(scratch);
  if (access(path, F_OK) != 0 && trace_parts_find(scratch, path, &parts, err) && parts.count) return -1;
  const bool split = parts.count > 0;
  const int status = split ? hash_parts(&parts, found, err) : hash_one(path, found, err);
  if (status) return status;
  found[DIGITS] = '\0';
  const char *given = *hash;
  *hash = ripstop_arena_text(arena, found);
  if (*given && strcmp(given, found) != 0)
    return ripstop_fail(err, "%s: it has the hash %s, not %.64s", path, found, given);
  return 0;
}

/* A file that a job names: its path, its name without folders, and its hash. */
typedef struct named_file {
  const char **path, **hash; /* in the job; NULL: it names none */
  const char *opened, *named;
} named_file;

static int find_file(ripstop_arena *arena, named_file *f, const char *beside, ripstop_error *err) {
  if (!f->path || !f->hash || !*f->path || !**f->path) {
    f->path = NULL;
    return 0;
  }
  const char *slash = beside ? strrchr(beside, '/') : NULL, *path = *f->path;
  if (slash && *path != '/') path = ripstop_arena_printf(arena, "%.*s/%s", (int)(slash - beside), beside, path);
  const char *last = strrchr(path, '/');
  f->opened = path;
  f->named = last ? last + 1 : path;
  return hash_file(arena, path, f->hash, err);
}

/* Adds a job to both texts: with the names of its files, and with their paths. */
static int add_both(ripstop_arena *arena, job *j, const char *beside, ripstop_text *named, ripstop_text *opened,
                    ripstop_error *err) {
  named_file file[] = {{.path = text_option(j, "file"), .hash = text_option(j, "hash")},
                       {.path = text_option(j, "groups"), .hash = text_option(j, "groups_hash")},
                       {.path = &j->places, .hash = &j->places_hash}};
  enum { FILES = sizeof file / sizeof *file };
  for (int i = 0; i < FILES; i++)
    if (find_file(arena, &file[i], beside, err)) return -1;
  for (int i = 0; i < FILES; i++)
    if (file[i].path) *file[i].path = file[i].opened;
  print_job(opened, j);
  for (int i = 0; i < FILES; i++)
    if (file[i].path) *file[i].path = file[i].named;
  print_job(named, j);
  return 0;
}

int ripstop_workload_beside(ripstop_arena *arena, const char *jobs, const char *beside, const char **named,
                            const char **opened, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  job *all;
  size_t count;
  ripstop_text text[2] = {{0}, {0}};
  int status = jobs_read(arena, jobs, &all, &count, err);
  for (size_t i = 0; !status && i < count; i++) {
    if (i) ripstop_text_add(&text[0], " + "), ripstop_text_add(&text[1], " + ");
    status = add_both(arena, &all[i], beside, &text[0], &text[1], err) ? name_job("", i, count, err) : 0;
  }
  if (!status) {
    *named = ripstop_arena_text(arena, text[0].data);
    *opened = ripstop_arena_text(arena, text[1].data);
  }
  ripstop_text_free(&text[0]);
  ripstop_text_free(&text[1]);
  return status;
}

uint32_t jobs_classes(const job *all, size_t count) {
  uint32_t most = 0;
  for (size_t i = 0; i < count; i++)
    if (job_class(&all[i]) > most) most = job_class(&all[i]);
  return most + 1;
}

bool jobs_have_classes(const job *all, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (all[i].class_) return true;
  return false;
}

void jobs_free(job *all, size_t count) {
  for (size_t i = 0; i < count; i++) tasks_free(all[i].tasks);
}
