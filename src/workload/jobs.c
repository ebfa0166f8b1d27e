/* jobs.c - jobs as their text says them, and the end nodes that each gets: those that no job before it has. */
#include "workload/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/registry.h"

static const char *const place_words[] = {
    [PLACE_PACKED] = "packed", [PLACE_SPREAD] = "spread", [PLACE_RANDOM] = "random", [PLACE_RACKS] = "racks", NULL};
enum { DRAW_PLACES = 3 }; /* a random stream beside those of programs */

/* ------------------------------------------------------------------ kinds by name */

static ripstop_plugin workload_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_workloads[i]); }
static const ripstop_registry workloads = {"workload", RIPSTOP_WORKLOAD_ABI, workload_at};

const ripstop_workload *ripstop_workload_find(const char *name, size_t length, ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  return ripstop_registry_find(&workloads, name, length, err);
}

int jobs_fail(const job *j, ripstop_error *err) {
  return ripstop_fail_at(err, "workload %.*s", (int)strcspn(j->text, ","), j->text);
}

/* ------------------------------------------------------------------ texts */

/* The piece of `text` up to `mark`, and what is behind it, NULL: nothing. */
static const char *cut(ripstop_arena *arena, const char *text, const char *mark, const char **rest) {
  const char *at = strstr(text, mark);
  *rest = at ? at + strlen(mark) : NULL;
  return at ? ripstop_arena_printf(arena, "%.*s", (int)(at - text), text) : text;
}

static int read_place(const char *text, job *out, ripstop_error *err) {
  const char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  uint64_t ranks = 0;
  for (out->place = 0; place_words[out->place]; out->place++)
    if (strlen(place_words[out->place]) == length && !memcmp(place_words[out->place], text, length)) break;
  if (!place_words[out->place]) {
    const char *near = ripstop_nearest_word(text, place_words);
    return ripstop_fail(err, "workload.jobs: there is no placement '%.60s'; %s%s", text,
                        near ? "did you mean " : "it is packed, spread, random or racks", near ? near : "");
  }
  if (colon && ripstop_parse_u64(colon + 1, RIPSTOP_FABRIC_MAX_PORTS, &ranks, err))
    return ripstop_fail_at(err, "workload.jobs: the number of ranks in '%.60s'", text);
  if (colon && ranks < 1) return ripstop_fail(err, "workload.jobs: no ranks in '%.60s'", text);
  out->ranks = (uint32_t)ranks;
  return 0;
}

static int read_job(ripstop_arena *arena, const char *text, job *out, ripstop_error *err) {
  const char *place, *at;
  *out = (job){.place = PLACE_PACKED};
  const char *front = cut(arena, text, " at ", &at);
  const char *spec = cut(arena, front, " on ", &place);
  if (at && ripstop_parse_u64(at, UINT32_MAX, &out->at, err)) return ripstop_fail_at(err, "workload.jobs: at");
  if (place && read_place(place, out, err)) return -1;
  out->text = spec;
  out->kind = ripstop_registry_open(&workloads, arena, spec, &out->config, err);
  return out->kind ? 0 : -1;
}

int jobs_read(ripstop_arena *arena, const char *text, job **out, size_t *count, ripstop_error *err) {
  static const char plus[] = " + ";
  size_t most = 1;
  for (const char *at = text; (at = strstr(at, plus)); at += sizeof plus - 1) most++;
  if (most > RIPSTOP_JOBS_MAX)
    return ripstop_fail(err, "workload.jobs: %zu jobs; there are at most %d", most, RIPSTOP_JOBS_MAX);
  *out = RIPSTOP_ARRAY(arena, most, job);
  for (*count = 0; text; ++*count)
    if (read_job(arena, cut(arena, text, plus, &text), &(*out)[*count], err)) return -1;
  return 0;
}

/* ------------------------------------------------------------------ as runs name them */

static const char **text_option(const job *j, const char *name) {
  for (const ripstop_option *o = j->kind->options; o->name; o++)
    if (!strcmp(o->name, name)) return (const char **)((char *)j->config + o->offset);
  return NULL;
}

static void print_job(ripstop_text *out, const job *j) {
  ripstop_text options = {0};
  ripstop_options_print(&options, j->kind->options, j->config);
  ripstop_text_add(out, "%s%s%s", j->kind->name, options.length ? ":" : "", options.data ? options.data : "");
  ripstop_text_free(&options);
  if (j->place != PLACE_PACKED || j->ranks) ripstop_text_add(out, " on %s", place_words[j->place]);
  if (j->ranks) ripstop_text_add(out, ":%u", j->ranks);
  if (j->at) ripstop_text_add(out, " at %llu", (unsigned long long)j->at);
}

static int hash_file(ripstop_arena *arena, const char *path, const char **hash, ripstop_error *err) {
  enum { DIGITS = 16 };
  char *bytes, found[RIPSTOP_HASH];
  size_t length;
  ripstop_arena *scratch = ripstop_arena_new();
  int status = ripstop_read_file(scratch, path, SIZE_MAX, &bytes, &length, err);
  if (!status) {
    ripstop_hash(bytes, length, found);
    found[DIGITS] = '\0';
    if (**hash && strcmp(*hash, found) != 0)
      status = ripstop_fail(err, "%s: it has the hash %s, not %.64s", path, found, *hash);
    *hash = ripstop_arena_text(arena, found);
  }
  ripstop_arena_free(scratch);
  return status;
}

/* Adds a job to both texts: with the name of its file, and with its path. */
static int add_both(ripstop_arena *arena, const job *j, const char *beside, ripstop_text *named, ripstop_text *opened,
                    ripstop_error *err) {
  const char **file = text_option(j, "file"), **hash = text_option(j, "hash");
  if (file && hash) {
    const char *slash = beside ? strrchr(beside, '/') : NULL, *path = *file, *last = strrchr(path, '/');
    if (slash && *path != '/') path = ripstop_arena_printf(arena, "%.*s/%s", (int)(slash - beside), beside, path);
    if (hash_file(arena, path, hash, err)) return -1;
    *file = path;
    print_job(opened, j);
    *file = last ? last + 1 : *file;
    if (!last && slash) *file = strrchr(path, '/') + 1;
  } else {
    print_job(opened, j);
  }
  print_job(named, j);
  return 0;
}

int ripstop_workload_beside(ripstop_arena *arena, const char *jobs, const char *beside, const char **named,
                            const char **opened, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  job *all;
  size_t count;
  ripstop_text text[2] = {{0}, {0}};
  if (jobs_read(arena, jobs, &all, &count, err)) return -1;
  for (size_t i = 0; i < count; i++) {
    if (i) ripstop_text_add(&text[0], " + "), ripstop_text_add(&text[1], " + ");
    if (add_both(arena, &all[i], beside, &text[0], &text[1], err)) return -1;
  }
  *named = ripstop_arena_text(arena, text[0].data);
  *opened = ripstop_arena_text(arena, text[1].data);
  ripstop_text_free(&text[0]);
  ripstop_text_free(&text[1]);
  return 0;
}

/* ------------------------------------------------------------------ places */

static uint32_t list_free(const uint32_t *busy, uint32_t ends, uint32_t *out) {
  uint32_t count = 0;
  for (uint32_t end = 0; end < ends; end++)
    if (!busy[end]) out[count++] = end;
  return count;
}

/* The first `ranks` of a shuffle. */
static void shuffle(uint32_t *list, uint32_t count, uint32_t ranks, uint64_t seed, size_t number) {
  ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_PROGRAM, DRAW_PLACES + number);
  for (uint32_t i = 0; i < ranks; i++) {
    uint32_t other = i + ripstop_stream_below(&stream, count - i), kept = list[i];
    list[i] = list[other], list[other] = kept;
  }
}

/* One of each switch in turn: those that have the same number at their switch together. */
static void deal(ripstop_arena *scratch, const ripstop_fabric *fabric, uint32_t *list, uint32_t count) {
  uint32_t *seen = RIPSTOP_ARRAY(scratch, fabric->nodes, uint32_t);
  uint32_t *turn = RIPSTOP_ARRAY(scratch, (size_t)count + 1, uint32_t);
  uint32_t *dealt = RIPSTOP_ARRAY(scratch, count, uint32_t), at = 0;
  for (uint32_t i = 0; i < count; i++) turn[i] = seen[ripstop_end_switch(fabric, list[i])]++;
  for (uint32_t round = 0; at < count; round++)
    for (uint32_t i = 0; i < count; i++)
      if (turn[i] == round) dealt[at++] = list[i];
  memcpy(list, dealt, count * sizeof *list);
}

static void choose(ripstop_arena *scratch, const ripstop_fabric *fabric, uint64_t seed, const job *j, size_t number,
                   uint32_t *list, uint32_t count) {
  uint32_t ranks = j->tasks->ranks;
  if (j->place == PLACE_RANDOM) shuffle(list, count, ranks, seed, number);
  if (j->place == PLACE_RACKS) deal(scratch, fabric, list, count);
  if (j->place == PLACE_SPREAD)
    for (uint32_t i = 0; i < ranks; i++) list[i] = list[(uint64_t)i * count / ranks];
}

static int build(job *j, size_t number, uint32_t left, uint64_t seed, ripstop_error *err) {
  if (!left) return ripstop_fail(err, "workload.jobs: no end node is left for job %zu", number + 1);
  if (j->ranks > left)
    return ripstop_fail(err, "workload.jobs: job %zu has %u ranks, and %u end nodes are left", number + 1, j->ranks,
                        left);
  j->tasks = tasks_new(j->ranks ? j->ranks : left, left, j->ranks > 0, seed);
  if (!j->kind->build(j->tasks, j->config, err) && !tasks_close(j->tasks, err)) return 0;
  return jobs_fail(j, err);
}

static int place_one(ripstop_arena *arena, const ripstop_fabric *fabric, uint64_t seed, job *j, size_t number,
                     uint32_t *busy, ripstop_error *err) {
  ripstop_arena *scratch = ripstop_arena_new();
  uint32_t *list = RIPSTOP_ARRAY(scratch, fabric->ends, uint32_t), left = list_free(busy, fabric->ends, list);
  int status = build(j, number, left, seed, err);
  if (!status) {
    choose(scratch, fabric, seed, j, number, list, left);
    j->end = RIPSTOP_ARRAY(arena, j->tasks->ranks, uint32_t);
    memcpy(j->end, list, j->tasks->ranks * sizeof *list);
    for (uint32_t i = 0; i < j->tasks->ranks; i++) busy[list[i]] = (uint32_t)number + 1;
  }
  ripstop_arena_free(scratch);
  return status;
}

int jobs_place(ripstop_arena *arena, const ripstop_fabric *fabric, uint64_t seed, job *all, size_t count,
               uint32_t *busy, ripstop_error *err) {
  for (size_t i = 0; i < count; i++)
    if (place_one(arena, fabric, seed, &all[i], i, busy, err)) return -1;
  return 0;
}

void jobs_free(job *all, size_t count) {
  for (size_t i = 0; i < count; i++) tasks_free(all[i].tasks);
}
