/* place.c - the end nodes that jobs get: those that no earlier job has. */
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "fabric/inner.h"
#include "workload/jobs.h"

enum {
  DRAW_PLACES = 3,
  SHOWN = 40
}; /* a random stream separate from those of programs; characters of a wrong name
    * that messages quote */

/* ------------------------------------------------------------------ by a rule */

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

/* One of each switch in turn: those with the same number at their switch are adjacent. */
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

static void arrange(ripstop_arena *scratch, const ripstop_fabric *fabric, uint64_t seed, const job *j, size_t number,
                    uint32_t *list, uint32_t count, uint32_t ranks) {
  if (j->place == PLACE_RANDOM) shuffle(list, count, ranks, seed, number);
  if (j->place == PLACE_RACKS) deal(scratch, fabric, list, count);
  if (j->place == PLACE_SPREAD)
    for (uint32_t i = 0; i < ranks; i++) list[i] = list[(uint64_t)i * count / ranks];
}

/* Keeps the first end node of each server all of whose end nodes are in the ascending list; returns how many. A server
 * is `size` end nodes, from a multiple of `size` on. */
static uint32_t keep_servers(uint32_t *list, uint32_t count, uint32_t size) {
  uint32_t servers = 0;
  for (uint32_t i = 0; i + size <= count; i++)
    if (list[i] % size == 0 && list[i + size - 1] == list[i] + size - 1) list[servers++] = list[i];
  return servers;
}

/* list[0 .. ranks-1] gets the job's end nodes from the `count` free ones. A rule orders servers as it orders end nodes:
 * each by its first end node, whose switch counts. */
static int choose(ripstop_arena *scratch, const ripstop_fabric *fabric, uint64_t seed, const job *j, size_t number,
                  uint32_t *list, uint32_t count, ripstop_error *err) {
  const uint32_t size = j->server ? j->server : 1, ranks = j->tasks->ranks;
  if (j->place == PLACE_FILE) return 0;
  const uint32_t servers = keep_servers(list, count, size);
  if (ranks / size > servers)
    return ripstop_fail(err, "workload.jobs: job %zu needs %u servers of %u end nodes, and %u are free", number + 1,
                        ranks / size, size, servers);
  arrange(scratch, fabric, seed, j, number, list, servers, ranks / size);
  for (uint32_t i = ranks; i-- > 0;) list[i] = list[i / size] + i % size;
  return 0;
}

/* ------------------------------------------------------------------ from a file */

/* Names or numbers of end nodes, one for each rank; `#` starts a comment. */
typedef struct place_file {
  const char *at, *end;
  uint32_t line, count, room;
  uint32_t *list;
  const ripstop_names *names;
} place_file;

static bool is_gap(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r' || c == '\n'; }

static void skip_gaps(place_file *f) {
  for (bool comment = false; f->at < f->end && (comment || is_gap(*f->at) || *f->at == '#'); f->at++) {
    comment = *f->at == '#' || (comment && *f->at != '\n');
    f->line += *f->at == '\n';
  }
}

/* The next word; at the end it is empty. */
static const char *next_word(place_file *f, size_t *length) {
  skip_gaps(f);
  const char *start = f->at;
  while (f->at < f->end && !is_gap(*f->at)) f->at++;
  *length = (size_t)(f->at - start);
  return start;
}

/* Links to end nodes have the prefix "end:", and so may end nodes. */
static size_t skip_prefix(const char *word, size_t length) { return length > 4 && !memcmp(word, "end:", 4) ? 4 : 0; }

/* A name takes precedence over a number. */
static uint32_t find_end(const place_file *f, const char *word, size_t length) {
  const size_t before = skip_prefix(word, length);
  const uint32_t ends = ripstop_names_fabric(f->names)->ends;
  uint32_t end = ripstop_names_end(f->names, word + before, length - before);
  char text[SHOWN];
  ripstop_error never;
  uint64_t number;
  if (end != RIPSTOP_NONE || length >= sizeof text) return end;
  memcpy(text, word, length);
  text[length] = '\0';
  return ripstop_parse_u64(text, ends - 1, &number, &never) ? RIPSTOP_NONE : (uint32_t)number;
}

static int report_unknown(const place_file *f, const char *word, size_t length, ripstop_error *err) {
  const int shown = length < SHOWN ? (int)length : SHOWN;
  const ripstop_fabric *fabric = ripstop_names_fabric(f->names);
  const size_t before = skip_prefix(word, length);
  const char *near = ripstop_names_nearest_end(f->names, word + before, length - before);
  if (near)
    return ripstop_fail(err, "line %u: there is no end node '%.*s'; did you mean '%s'?", f->line, shown, word, near);
  char first[RIPSTOP_NAME_MAX];
  ripstop_node_name(fabric, 0, first);
  return ripstop_fail(err,
                      "line %u: there is no end node '%.*s'; they have names, the first '%s', and numbers from 0 to %u",
                      f->line, shown, word, first, fabric->ends - 1);
}

static int take_end(place_file *f, ripstop_arena *scratch, uint32_t *busy, uint32_t number, const char *word,
                    size_t length, ripstop_error *err) {
  const uint32_t end = find_end(f, word, length);
  const int shown = length < SHOWN ? (int)length : SHOWN;
  if (end == RIPSTOP_NONE) return report_unknown(f, word, length, err);
  if (busy[end])
    return ripstop_fail(err, "line %u: end node '%.*s' belongs to job %u already", f->line, shown, word, busy[end]);
  RIPSTOP_GROW_IN(scratch, f->list, f->count, f->room);
  busy[end] = number;
  f->list[f->count++] = end;
  return 0;
}

static int take_ends(place_file *f, ripstop_arena *scratch, uint32_t *busy, uint32_t number, ripstop_error *err) {
  size_t length;
  for (const char *word = next_word(f, &length); length; word = next_word(f, &length))
    if (take_end(f, scratch, busy, number, word, length, err)) return -1;
  return f->count ? 0 : ripstop_fail(err, "no end nodes");
}

int places_from_text(ripstop_arena *arena, const ripstop_names *names, const char *text, size_t length, uint32_t number,
                     uint32_t *busy, uint32_t **list, uint32_t *count, ripstop_error *err) {
  place_file f = {.at = text, .end = text + length, .line = 1, .names = names};
  int status = take_ends(&f, arena, busy, number, err);
  *list = f.list;
  *count = f.count;
  return status;
}

/* *list gets the end nodes of the job's file, and `busy` marks them. */
static int read_places(ripstop_arena *scratch, const ripstop_fabric *fabric, job *j, uint32_t number, uint32_t *busy,
                       uint32_t **list, ripstop_error *err) {
  char *text;
  size_t length;
  if (ripstop_read_file(scratch, j->places, SIZE_MAX, &text, &length, err))
    return ripstop_fail_at(err, "workload.jobs: job %u", number);
  ripstop_names *names = ripstop_names_new(fabric);
  int status = places_from_text(scratch, names, text, length, number, busy, list, &j->ranks, err);
  ripstop_names_free(names);
  return status ? ripstop_fail_at(err, "workload.jobs: job %u: %s", number, j->places) : 0;
}

/* ------------------------------------------------------------------ each job in turn */

static int build(job *j, size_t number, uint32_t left, uint64_t seed, ripstop_error *err) {
  if (!left) return ripstop_fail(err, "workload.jobs: no end node is left for job %zu", number + 1);
  if (j->ranks > left)
    return ripstop_fail(err, "workload.jobs: job %zu has %u ranks, and %u end nodes are left", number + 1, j->ranks,
                        left);
  j->tasks = tasks_new(j->ranks ? j->ranks : left, left, j->ranks > 0, seed);
  j->tasks->tick = j->tick;
  if (!j->kind->build(j->tasks, j->config, err) && !tasks_close(j->tasks, err)) return 0;
  return jobs_fail(j, number, err);
}

static int place_one(ripstop_arena *arena, const ripstop_fabric *fabric, uint64_t seed, job *j, size_t number,
                     uint32_t *busy, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *list = RIPSTOP_ARRAY(scratch, fabric->ends, uint32_t), left = list_free(busy, fabric->ends, list);
  int status = j->place == PLACE_FILE ? read_places(scratch, fabric, j, (uint32_t)number + 1, busy, &list, err) : 0;
  if (!status) status = build(j, number, left, seed, err);
  if (!status) status = choose(scratch, fabric, seed, j, number, list, left, err);
  if (!status) {
    j->end = RIPSTOP_ARRAY(arena, j->tasks->ranks, uint32_t);
    memcpy(j->end, list, j->tasks->ranks * sizeof *list);
    for (uint32_t i = 0; i < j->tasks->ranks; i++) busy[list[i]] = (uint32_t)number + 1;
  }
  return status;
}

int jobs_place(ripstop_arena *arena, const ripstop_fabric *fabric, uint64_t seed, job *all, size_t count,
               uint32_t *busy, ripstop_error *err) {
  for (size_t i = 0; i < count; i++)
    if (place_one(arena, fabric, seed, &all[i], i, busy, err)) return -1;
  return 0;
}
