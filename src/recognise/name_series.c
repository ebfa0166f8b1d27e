/* name_series.c - finds the one number in which most names differ. */
#include "recognise/name_series.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"

enum { DIGITS_MAX = 9 };

/* One number of a name, and what stands around it. */
typedef struct slot {
  const char *before, *after;
  uint32_t name, number, digits;
  bool zeros; /* the number begins with one */
} slot;

static int by_surroundings(const void *a_, const void *b_) {
  const slot *a = a_, *b = b_;
  int order = strcmp(a->before, b->before);
  if (order == 0) order = strcmp(a->after, b->after);
  if (order == 0 && a->number != b->number) order = a->number < b->number ? -1 : 1;
  if (order == 0) order = a->name < b->name ? -1 : a->name > b->name;
  return order;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads the number at a place of a name; false: it is too long. */
static bool read_slot(ripstop_arena *arena, const char *name, const char *at, slot *out) {
  const size_t digits = strspn(at, "0123456789");
  if (digits > DIGITS_MAX) return false;
  *out = (slot){.before = ripstop_arena_printf(arena, "%.*s", (int)(at - name), name),
                .after = at + digits,
                .number = (uint32_t)strtoul(at, NULL, 10),
                .digits = (uint32_t)digits,
                .zeros = at[0] == '0' && digits > 1};
  return true;
}

typedef struct slots {
  slot *list;
  uint32_t count, room;
} slots;

static void add_slots(ripstop_arena *arena, slots *s, const char *name, uint32_t index) {
  for (const char *c = name; *c != '\0'; c++) {
    slot one;
    if (!is_digit(*c) || (c > name && is_digit(c[-1])) || !read_slot(arena, name, c, &one)) continue;
    one.name = index;
    RIPSTOP_GROW_IN(arena, s->list, s->count, s->room);
    s->list[s->count++] = one;
  }
}

static bool same_surroundings(const slot *a, const slot *b) {
  return strcmp(a->before, b->before) == 0 && strcmp(a->after, b->after) == 0;
}

static void fill(ripstop_arena *arena, const slot *list, uint32_t count, uint32_t names, name_series *out) {
  uint32_t *number = RIPSTOP_ARRAY(arena, names, uint32_t);
  bool zeros = false;
  for (uint32_t i = 0; i < names; i++) number[i] = RIPSTOP_NONE;
  *out = (name_series){.before = list[0].before, .after = list[0].after, .number = number, .members = count};
  out->least = list[0].number;
  out->most = list[count - 1].number;
  for (uint32_t i = 0; i < count; i++) {
    number[list[i].name] = list[i].number;
    zeros |= list[i].zeros;
  }
  out->digits = zeros ? list[0].digits : 0;
}

bool name_series_find(ripstop_arena *arena, const char *const *name, uint32_t count, name_series *out) {
  slots s = {0};
  uint32_t best = 0, members = 1;
  for (uint32_t i = 0; i < count; i++) add_slots(arena, &s, name[i], i);
  if (s.count > 0) qsort(s.list, s.count, sizeof *s.list, by_surroundings);
  for (uint32_t i = 0, j; i < s.count; i = j) {
    bool twice = false;
    for (j = i + 1; j < s.count && same_surroundings(&s.list[i], &s.list[j]); j++)
      twice |= s.list[j].number == s.list[j - 1].number;
    if (!twice && j - i > members) best = i, members = j - i;
  }
  if (members < 2) return false;
  fill(arena, s.list + best, members, count, out);
  return true;
}

const char *name_series_name(ripstop_arena *arena, const name_series *s, uint32_t number) {
  return ripstop_arena_printf(arena, "%s%0*u%s", s->before, (int)s->digits, number, s->after);
}

bool name_series_continues(const name_series *s, const char *name) {
  const size_t before = strlen(s->before), after = strlen(s->after), all = strlen(name);
  if (all <= before + after || strncmp(name, s->before, before) != 0) return false;
  if (strcmp(name + all - after, s->after) != 0) return false;
  return strspn(name + before, "0123456789") == all - before - after;
}

const char *name_series_short(ripstop_arena *arena, const char *description) {
  if (strncmp(description, "MF0;", 4) != 0) return description;
  const char *name = description + 4, *colon = strchr(name, ':');
  return colon != NULL ? ripstop_arena_printf(arena, "%.*s", (int)(colon - name), name) : name;
}
