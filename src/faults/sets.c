/* sets.c - fault sets as lines of text. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "faults/words.h"

/* Numbers that are still being gathered. */
typedef struct pile {
  uint32_t *id;
  uint32_t count, room;
} pile;

static void pile_add(pile *p, uint32_t id) {
  if (p->count == p->room) {
    p->room = p->room == 0 ? 16 : 2 * p->room;
    p->id = ripstop_realloc(p->id, p->room, sizeof *p->id);
  }
  p->id[p->count++] = id;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Sorts; a number that is there twice is an error. */
static int pile_sort(const pile *p, const ripstop_fabric *fabric, bool is_switch, ripstop_error *err) {
  if (p->count > 0) qsort(p->id, p->count, sizeof *p->id, by_number);
  for (uint32_t i = 1; i < p->count; i++) {
    if (p->id[i - 1] != p->id[i]) continue;
    ripstop_text name = {0};
    ripstop_part_add_name(&name, fabric, p->id[i], is_switch);
    ripstop_fail(err, "'%s' is named twice", name.data);
    ripstop_text_free(&name);
    return -1;
  }
  return 0;
}

static const uint32_t *pile_keep(ripstop_arena *arena, const pile *p) {
  uint32_t *kept = RIPSTOP_ARRAY(arena, p->count, uint32_t);
  if (p->count > 0) memcpy(kept, p->id, p->count * sizeof *kept);
  return kept;
}

static int gather(const ripstop_names *names, const char *line, size_t length, pile *links, pile *switches,
                  ripstop_error *err) {
  ripstop_words words = {.at = line, .end = line + length, .line = 1};
  const char *text;
  size_t count;
  while (ripstop_words_next(&words, &text, &count)) {
    uint32_t id;
    bool is_switch;
    if (memchr(text, '@', count) != NULL)
      return ripstop_fail(err, "'%.*s': only schedules carry @CYCLE, a fault set does not", ripstop_word_shown(count),
                          text);
    if (ripstop_part_find(names, text, count, &id, &is_switch, err) != 0) return -1;
    pile_add(is_switch ? switches : links, id);
  }
  const ripstop_fabric *fabric = ripstop_names_fabric(names);
  return pile_sort(links, fabric, false, err) == 0 && pile_sort(switches, fabric, true, err) == 0 ? 0 : -1;
}

int ripstop_faults_parse(ripstop_arena *arena, const ripstop_names *names, const char *line, size_t length,
                         ripstop_faults *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  pile links = {0}, switches = {0};
  int status = gather(names, line, length, &links, &switches, err);
  if (status == 0)
    *out = (ripstop_faults){.links = links.count,
                            .switches = switches.count,
                            .link = pile_keep(arena, &links),
                            .switch_ = pile_keep(arena, &switches)};
  ripstop_free(links.id);
  ripstop_free(switches.id);
  return status;
}

/* A line with nothing but a comment. */
static bool is_comment(const char *line, size_t length) {
  size_t i = 0;
  while (i < length && (line[i] == ' ' || line[i] == '\t')) i++;
  return i < length && line[i] == '#';
}

typedef struct sets {
  ripstop_faults *set;
  size_t count, room;
} sets;

static int read_sets(ripstop_arena *arena, const ripstop_names *names, const char *path, const char *at,
                     const char *end, sets *out, ripstop_error *err) {
  for (uint32_t line = 1; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop == NULL ? end : stop) - at);
    if (!is_comment(at, length)) {
      if (out->count == out->room) {
        out->room = out->room == 0 ? 16 : 2 * out->room;
        out->set = ripstop_realloc(out->set, out->room, sizeof *out->set);
      }
      if (ripstop_faults_parse(arena, names, at, length, &out->set[out->count], err) != 0)
        return ripstop_fail_at(err, "%s:%u", path, line);
      out->count++;
    }
    at += length + 1;
  }
  return 0;
}

int ripstop_faults_read(ripstop_arena *arena, const ripstop_names *names, const char *path, ripstop_faults **out,
                        size_t *count, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  char *text = NULL;
  size_t length = 0;
  sets read = {0};
  int status = ripstop_read_file(scratch, path, RIPSTOP_FAULTS_FILE_LIMIT, &text, &length, err);
  if (status == 0) status = read_sets(arena, names, path, text, text + length, &read, err);
  if (status == 0) {
    *out = RIPSTOP_ARRAY(arena, read.count, ripstop_faults);
    if (read.count > 0) memcpy(*out, read.set, read.count * sizeof **out);
    *count = read.count;
  }
  ripstop_free(read.set);
  ripstop_arena_free(scratch);
  return status;
}

void ripstop_faults_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_faults *faults) {
  ripstop_text_add_bytes(out, "", 0);
  for (uint32_t i = 0; i < faults->links + faults->switches; i++) {
    bool is_switch = i >= faults->links;
    if (i > 0) ripstop_text_add(out, " ");
    ripstop_part_add_name(out, fabric, is_switch ? faults->switch_[i - faults->links] : faults->link[i], is_switch);
  }
}
