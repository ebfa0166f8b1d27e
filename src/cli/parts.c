/* parts.c - counts add up, of the first examples that with the smallest number is the first of all, and lines of sets
 * are put into the order of their numbers: what is printed then is what one process would have printed. */
#include "cli/parts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/proofs.h"

/* ------------------------------------------------------------------ writing */

static void add_line(ripstop_text *out, json_t *line) {
  json_dump_callback(line, ripstop_json_add, out, JSON_COMPACT);
  ripstop_text_add(out, "\n");
  json_decref(line);
}

void part_begin(ripstop_text *out, const char *asked, uint32_t part, uint32_t parts) {
  add_line(out, json_pack("{s:s, s:I, s:I}", "asked", asked, "part", (json_int_t)part, "parts", (json_int_t)parts));
}

void part_add(ripstop_text *out, const char *kind, uint64_t number, const char *text) {
  add_line(out, json_pack("{s:I, s:s}", kind, (json_int_t)number, "text", text));
}

static void list_counts(ripstop_counts_of_sets *c, uint64_t **list) {
  uint64_t *const all[] = {&c->sets, &c->tolerated, &c->deadlocked, &c->livelocked, &c->not_applicable, &c->safe};
  memcpy(list, all, sizeof all);
}

static void list_sums(ripstop_tally *t, uint64_t **list) {
  list[0] = &t->proofs;
  list_counts(&t->all, list + 1);
  list_counts(&t->connected, list + 7);
  uint64_t *const paths[] = {&t->paths.pairs, &t->paths.minimum, &t->paths.shortest, &t->paths.longest};
  memcpy(list + 13, paths, sizeof paths);
}

static void list_maxima(ripstop_tally *t, uint32_t **list) {
  ripstop_paths *p = &t->paths;
  uint32_t *const all[] = {&p->max_minimum, &p->max_shortest, &p->max_longest, &p->max_extra_shortest,
                           &p->max_extra_longest};
  memcpy(list, all, sizeof all);
}

enum { SUMS = 17, MAXIMA = 5 };

void part_end(ripstop_text *out, const ripstop_tally *tally) {
  ripstop_tally t = *tally;
  uint64_t *sum[SUMS];
  uint32_t *maximum[MAXIMA];
  json_t *sums = json_array(), *maxima = json_array();
  list_sums(&t, sum);
  list_maxima(&t, maximum);
  for (size_t i = 0; i < SUMS; i++) json_array_append_new(sums, json_integer((json_int_t)*sum[i]));
  for (size_t i = 0; i < MAXIMA; i++) json_array_append_new(maxima, json_integer(*maximum[i]));
  add_line(out, json_pack("{s:b, s:o, s:o}", "counted", t.counted, "sums", sums, "maxima", maxima));
}

/* ------------------------------------------------------------------ reading */

static int add_tally(ripstop_tally *to, const json_t *line) {
  uint64_t *sum[SUMS];
  uint32_t *maximum[MAXIMA];
  const json_t *sums = json_object_get(line, "sums"), *maxima = json_object_get(line, "maxima");
  if (json_array_size(sums) != SUMS || json_array_size(maxima) != MAXIMA) return -1;
  list_sums(to, sum);
  list_maxima(to, maximum);
  for (size_t i = 0; i < SUMS; i++) *sum[i] += (uint64_t)json_integer_value(json_array_get(sums, i));
  for (size_t i = 0; i < MAXIMA; i++) {
    uint32_t value = (uint32_t)json_integer_value(json_array_get(maxima, i));
    if (value > *maximum[i]) *maximum[i] = value;
  }
  to->counted |= json_is_true(json_object_get(line, "counted"));
  return 0;
}

static void keep_first(parts_line *first, parts_line line) {
  if (!first->text || line.number < first->number) *first = line;
}

static void add_set(parts_whole *w, parts_line line) {
  if (w->sets == w->capacity) {
    w->capacity = w->capacity ? 2 * w->capacity : 64;
    w->set = ripstop_realloc(w->set, w->capacity, sizeof *w->set);
  }
  w->set[w->sets++] = line;
}

/* 0: it was a set's; -1: it was none. */
static int add_text(parts_whole *w, const json_t *line) {
  static const char *const kinds[] = {"set", "lost", "deadlock"};
  const char *text = json_string_value(json_object_get(line, "text"));
  for (int kind = 0; kind < 3 && text; kind++) {
    const json_t *number = json_object_get(line, kinds[kind]);
    if (!json_is_integer(number)) continue;
    parts_line found = {(uint64_t)json_integer_value(number), ripstop_arena_text(w->arena, text)};
    if (kind == 0)
      add_set(w, found);
    else
      keep_first(kind == 1 ? &w->lost : &w->deadlock, found);
    return 0;
  }
  return -1;
}

static int add_head(parts_whole *w, const char *name, const json_t *line, const char *asked, ripstop_error *err) {
  const char *theirs = json_string_value(json_object_get(line, "asked"));
  json_int_t part = json_integer_value(json_object_get(line, "part"));
  json_int_t parts = json_integer_value(json_object_get(line, "parts"));
  if (!theirs || part < 1 || part > parts || parts > UINT32_MAX)
    return ripstop_fail(err, "%s is no part that 'ripstop prove --shard' has printed", name);
  if (strcmp(theirs, asked) != 0)
    return ripstop_fail(err, "%s is a part of another question: %.200s; asked is %.200s", name, theirs, asked);
  if (w->parts && w->parts != parts)
    return ripstop_fail(err, "%s is one of %" PRIu64 " parts, the first one of %u", name, (uint64_t)parts, w->parts);
  w->parts = (uint32_t)parts;
  if (!w->seen) w->seen = RIPSTOP_ARRAY(w->arena, w->parts, const char *);
  if (w->seen[part - 1])
    return ripstop_fail(err, "%s is part %" PRIu64 ", and so is %s", name, (uint64_t)part, w->seen[part - 1]);
  w->seen[part - 1] = ripstop_arena_text(w->arena, name);
  return 0;
}

/* The last line is the tally. */
static int add_rest(parts_whole *w, const char *name, const char *at, const char *end, ripstop_error *err) {
  for (bool over = false; !over;) {
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    json_t *line = stop ? json_loadb(at, (size_t)(stop - at), 0, NULL) : NULL;
    over = line && json_object_get(line, "sums");
    int status = !line ? -1 : over ? add_tally(&w->tally, line) : add_text(w, line);
    json_decref(line);
    if (status) return ripstop_fail(err, "%s is damaged or cut off", name);
    at = stop + 1;
  }
  return at == end ? 0 : ripstop_fail(err, "%s goes on behind its end", name);
}

int parts_add(parts_whole *whole, const char *name, const char *bytes, size_t length, const char *asked,
              ripstop_error *err) {
  const char *stop = memchr(bytes, '\n', length);
  json_t *head = stop ? json_loadb(bytes, (size_t)(stop - bytes), 0, NULL) : NULL;
  int status = add_head(whole, name, head, asked, err);
  json_decref(head);
  return status ? -1 : add_rest(whole, name, stop + 1, bytes + length, err);
}

static int by_number(const void *a, const void *b) {
  const parts_line *one = a, *two = b;
  return (one->number > two->number) - (one->number < two->number);
}

int parts_check(parts_whole *whole, ripstop_error *err) {
  for (uint32_t i = 0; i < whole->parts; i++)
    if (!whole->seen[i]) return ripstop_fail(err, "part %u of %u is missing", i + 1, whole->parts);
  if (whole->sets) qsort(whole->set, whole->sets, sizeof *whole->set, by_number);
  return 0;
}

void parts_free(parts_whole *whole) { ripstop_free(whole->set); }
