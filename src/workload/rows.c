/* rows.c - reads rows of numbers, in one pass. */
#include "workload/rows.h"

#include <string.h>

#include "base/growing.h"
#include "workload/trace_file.h"

enum { SHOWN = 40 };

typedef struct scan {
  const char *at, *end;
  uint32_t line;
  bool titled; /* a title was read, of which there is at most one, before all numbers */
  size_t room, row_room;
  rows *out;
  ripstop_arena *arena;
} scan;

static void add_number(scan *s, uint64_t number) {
  rows *out = s->out;
  RIPSTOP_GROW_IN(s->arena, out->number, out->numbers, s->room);
  out->number[out->numbers++] = number;
}

static void add_row(scan *s, size_t first) {
  rows *out = s->out;
  if (out->count + 1 >= s->row_room) {
    s->row_room = s->row_room ? 2 * s->row_room : 64;
    out->first = ripstop_arena_realloc(s->arena, out->first, s->row_room + 1, sizeof *out->first);
    out->line = ripstop_arena_realloc(s->arena, out->line, s->row_room, sizeof *out->line);
  }
  out->first[out->count] = first;
  out->line[out->count++] = s->line;
  out->first[out->count] = out->numbers;
}

static bool is_gap(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static int refuse(const scan *s, ripstop_error *err) {
  int length = 0;
  while (length < SHOWN && s->at + length < s->end && s->at[length] != '\n') length++;
  return ripstop_fail(err, "line %u: a whole number below 2^63 should stand here: '%.*s'", s->line, length, s->at);
}

static int take_number(scan *s, ripstop_error *err) {
  const char *start = s->at;
  uint64_t n = 0;
  for (; s->at < s->end && is_digit(*s->at); s->at++) {
    const uint64_t digit = (uint64_t)(*s->at - '0');
    if (n > (INT64_MAX - digit) / 10) {
      s->at = start;
      return refuse(s, err);
    }
    n = 10 * n + digit;
  }
  if (s->at == start || (s->at < s->end && !is_gap(*s->at) && *s->at != '\n' && *s->at != '#')) return refuse(s, err);
  add_number(s, n);
  return 0;
}

static void skip_line(scan *s) {
  while (s->at < s->end && *s->at != '\n') s->at++;
}

/* A title begins with a packet, and none of its fields begins with a digit: "O,0,1,64" is a damaged row. */
static bool is_title(const scan *s) {
  if (!is_letter(*s->at)) return false;
  for (const char *c = s->at + 1; c < s->end && *c != '\n' && *c != '#'; c++)
    if (is_digit(*c) && is_gap(c[-1])) return false;
  return true;
}

static int take_row(scan *s, ripstop_error *err) {
  const size_t first = s->out->numbers;
  if (!s->titled && s->out->count == 0 && is_title(s)) {
    s->titled = true;
    skip_line(s);
  }
  while (s->at < s->end && *s->at != '\n') {
    if (is_gap(*s->at))
      s->at++;
    else if (*s->at == '#')
      skip_line(s);
    else if (take_number(s, err))
      return -1;
  }
  if (s->out->numbers > first) add_row(s, first);
  return 0;
}

int rows_from_text(ripstop_arena *arena, const char *text, size_t length, rows *out, ripstop_error *err) {
  scan s = {.at = text, .end = text + length, .line = 1, .out = out, .arena = arena};
  *out = (rows){.count = 0};
  if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) s.at += 3; /* a byte-order mark */
  for (; s.at < s.end; s.at++, s.line++) {                        /* after the end of a line */
    if (take_row(&s, err)) return -1;
    if (s.at == s.end) break;
  }
  return 0;
}

int rows_read(ripstop_arena *arena, const char *path, rows *out, ripstop_error *err) {
  const char *text;
  size_t length;
  if (trace_file_read(arena, path, "", &text, &length, err)) return -1;
  return rows_from_text(arena, text, length, out, err);
}
