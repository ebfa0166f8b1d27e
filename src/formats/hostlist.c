/* hostlist.c - see hostlist.h. */
#include "formats/hostlist.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/piece.h"

typedef struct reader {
  hostlist *out;
  ripstop_arena *arena;
  ripstop_error *err;
} reader;

static int add_name(reader *r, const char *name) {
  hostlist *out = r->out;
  if (*name == '\0') return ripstop_fail(r->err, "a host without a name");
  if (out->names == HOSTLIST_HOSTS_MAX) return ripstop_fail(r->err, "more than %d hosts", HOSTLIST_HOSTS_MAX);
  RIPSTOP_GROW_IN(r->arena, out->name, out->names, out->names_room);
  out->name[out->names++] = name;
  return 0;
}

static int expand(reader *r, const char *before, piece rest);

/* "08" or "08-12": the names with each of these numbers, and what is behind the brackets. */
static int expand_range(reader *r, const char *before, piece range, piece behind) {
  uint64_t from, to;
  piece p = piece_trimmed(range);
  const char *start = p.at;
  if (!piece_number(&p, 10, &from))
    return ripstop_fail(r->err, "'%.*s' in brackets is no number", (int)piece_length(range), range.at);
  const int width = (int)(p.at - start);
  to = from;
  if (piece_take_char(&p, '-') && !piece_number(&p, 10, &to)) p.at = start;
  if (p.at != p.end || to < from || to - from >= HOSTLIST_HOSTS_MAX || width > 18)
    return ripstop_fail(r->err, "'%.*s' in brackets is no range, such as 1-8 or 01-08", (int)piece_length(range),
                        range.at);
  for (uint64_t n = from; n <= to; n++)
    if (expand(r, ripstop_arena_printf(r->arena, "%s%0*llu", before, width, (unsigned long long)n), behind)) return -1;
  return 0;
}

/* The names that `rest` stands for, behind the text `before`. */
static int expand(reader *r, const char *before, piece rest) {
  const char *open = memchr(rest.at, '[', piece_length(rest));
  const char *close = open ? memchr(open, ']', (size_t)(rest.end - open)) : NULL;
  const int length = (int)((open ? open : rest.end) - rest.at);
  const char *name = ripstop_arena_printf(r->arena, "%s%.*s", before, length, rest.at);
  if (!open) return add_name(r, name);
  if (!close) return ripstop_fail(r->err, "'%.*s': a bracket that nothing closes", (int)piece_length(rest), rest.at);
  piece inside = {open + 1, close};
  const piece behind = {close + 1, rest.end};
  do {
    const char *comma = memchr(inside.at, ',', piece_length(inside));
    const piece range = {inside.at, comma ? comma : inside.end};
    if (expand_range(r, name, range, behind)) return -1;
    inside.at = comma ? comma + 1 : NULL;
  } while (inside.at);
  return 0;
}

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && strchr(" \t\r\n", *at)) at++;
  return at;
}

/* The next item, up to a comma, a blank or an end of line outside of brackets. False: the list is at its end. */
static bool next_item(piece *list, piece *item) {
  unsigned depth = 0;
  if (!list->at) return false;
  const char *const start = skip_blanks(list->at, list->end), *at = start;
  for (; at < list->end && (depth > 0 || !strchr(", \t\r\n", *at)); at++)
    depth = *at == '[' ? depth + 1 : *at == ']' && depth ? depth - 1 : depth;
  *item = (piece){start, at};
  at = skip_blanks(at, list->end);
  const bool comma = at < list->end && *at == ',';
  list->at = comma ? at + 1 : at < list->end ? at : NULL;
  return true;
}

/* A set for the item, or the set of the plain item before it. Plain items get their text at the end. */
static int add_set(reader *r, piece item, bool plain, bool again) {
  hostlist *out = r->out;
  if (again) return 0;
  if (out->sets == HOSTLIST_SETS_MAX) return ripstop_fail(r->err, "more than %d sets of hosts", HOSTLIST_SETS_MAX);
  RIPSTOP_GROW_IN(r->arena, out->set, out->sets, out->sets_room);
  out->set[out->sets++] =
      (hostlist_set){.text = plain ? NULL : ripstop_arena_printf(r->arena, "%.*s", (int)piece_length(item), item.at),
                     .first = out->names};
  return 0;
}

/* Joins the names of the sets of plain items. */
static void join_plain(const reader *r) {
  const hostlist *out = r->out;
  for (uint32_t i = 0; i < out->sets; i++) {
    hostlist_set *set = &out->set[i];
    RIPSTOP_LOCAL_TEXT(text);
    if (set->text) continue;
    for (uint32_t k = 0; k < set->count; k++) ripstop_text_add(&text, "%s%s", k ? "," : "", out->name[set->first + k]);
    set->text = ripstop_arena_text(r->arena, text.data);
  }
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int check_twice(const reader *r) {
  const hostlist *out = r->out;
  const char **sorted = RIPSTOP_ARRAY(r->arena, (size_t)out->names + 1, const char *);
  memcpy(sorted, out->name, out->names * sizeof *sorted);
  qsort(sorted, out->names, sizeof *sorted, by_name);
  for (uint32_t i = 1; i < out->names; i++)
    if (strcmp(sorted[i - 1], sorted[i]) == 0) return ripstop_fail(r->err, "'%s' is listed twice", sorted[i]);
  return 0;
}

/* Every bracket of an item multiplies its names. */
static int check_brackets(const reader *r, piece item) {
  enum { BRACKETS_MAX = 4 };
  unsigned brackets = 0;
  for (const char *at = item.at; at < item.end; at++) brackets += *at == '[';
  return brackets <= BRACKETS_MAX ? 0 : ripstop_fail(r->err, "more than %d brackets in a name", BRACKETS_MAX);
}

int hostlist_read(hostlist *out, ripstop_arena *arena, const char *text, ripstop_error *err) {
  reader r = {out, arena, err};
  piece list = piece_of(text), item;
  bool plain = false;
  *out = (hostlist){0};
  while (next_item(&list, &item)) {
    const bool brackets = memchr(item.at, '[', piece_length(item)) != NULL;
    if (check_brackets(&r, item) || add_set(&r, item, !brackets, plain && !brackets) || expand(&r, "", item)) return -1;
    out->set[out->sets - 1].count = out->names - out->set[out->sets - 1].first;
    plain = !brackets;
  }
  join_plain(&r);
  return check_twice(&r);
}
