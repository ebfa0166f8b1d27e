/* goal_trace.c - reads GOAL; goal_binary.c does its binary form.
 *
 *   file      = { comment | NL | "num_ranks" INT | rank }
 *   rank      = "rank" INT "{" { statement } "}"                    "{" on the same line; ranks 0 .. n-1 in order
 *   statement = [IDENT ":"] op | IDENT ("requires"|"irequires") IDENT NL | comment | NL
 *   op        = "send" INT "b" "to" INT tail | "recv" INT "b" "from" (INT|"-1") tail | "calc" INT ["cpu" INT] NL
 *   tail      = ["tag" (INT|"-1")] ["cpu" INT] ["nic" INT] NL
 *   comment   = "//"... | "/ *"..."* /", where a statement may begin
 *
 * Blanks and tabs may separate tokens, and are optional between a number and a word. Text after the last rank is
 * ignored. A label belongs to its rank and is defined before use. Two operations may have one label, as in
 * handwritten traces whose labels are not used (LogGOPSim reads them); a line that refers to such a label is
 * refused. */
#include "formats/traces/goal_trace.h"

#include <inttypes.h>

#include "base/growing.h"
#include "formats/traces/goal_binary.h"

enum { PROCESSORS = 255, SHOWN = 60 }; /* SHOWN: bytes of a line that messages quote */

/* ------------------------------------------------------------------ mistakes */

static int at_line(const goal_trace *t) { return ripstop_fail_at(t->err, "line %u", t->line); }

static int shown_of(piece p) { return piece_length(p) < SHOWN ? (int)piece_length(p) : SHOWN; }

static int not_understood(const goal_trace *t, const char *what) {
  piece line = t->rest;
  for (const char *c = line.at; c < line.end; c++)
    if (*c == '\n' || *c == '\r') line.end = c;
  if (t->rest.at == t->rest.end)
    ripstop_fail(t->err, "%s: the file ends", what);
  else
    ripstop_fail(t->err, "%s: '%.*s'", what, shown_of(line), line.at);
  return at_line(t);
}

/* ------------------------------------------------------------------ tokens and numbers */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static void skip_blanks(goal_trace *t) {
  while (t->rest.at < t->rest.end && is_blank(*t->rest.at)) t->rest.at++;
}

/* The identifier at this place; empty: none. */
static piece identifier(const goal_trace *t) {
  piece p = {t->rest.at, t->rest.at};
  if (p.at == t->rest.end || !is_letter(*p.at)) return p;
  while (p.end < t->rest.end && (is_letter(*p.end) || piece_digit(*p.end) < 10 || *p.end == '_')) p.end++;
  return p;
}

/* Takes a word, even with a number directly after it, and the blanks around it. */
static bool take(goal_trace *t, const char *word) {
  skip_blanks(t);
  if (!piece_take(&t->rest, word)) return false;
  skip_blanks(t);
  return true;
}

static int take_number(goal_trace *t, const char *what, uint64_t most, uint64_t *out) {
  piece digits = {t->rest.at, t->rest.at};
  while (digits.end < t->rest.end && piece_digit(*digits.end) < 10) digits.end++;
  if (digits.at == digits.end) return not_understood(t, "a number must stand here");
  piece number = digits;
  t->rest.at = digits.end;
  if (!piece_number(&number, 10, out) || *out > most) {
    ripstop_fail(t->err, "%s %.*s is larger than %" PRIu64, what, shown_of(digits), digits.at, most);
    return at_line(t);
  }
  skip_blanks(t);
  return 0;
}

/* Takes the end of a line; false: something else is next. */
static bool take_line_end(goal_trace *t) {
  if (!piece_take(&t->rest, "\r\n") && !piece_take_char(&t->rest, '\n')) return false;
  t->line++;
  return true;
}

static int take_end(goal_trace *t) {
  skip_blanks(t);
  return take_line_end(t) ? 0 : not_understood(t, "the line should end here");
}

/* Takes blanks, ends of lines and comments. */
static int skip(goal_trace *t) {
  for (;;) {
    const uint32_t first = t->line;
    skip_blanks(t);
    if (take_line_end(t)) continue;
    if (piece_begins(t->rest, "//")) {
      while (t->rest.at < t->rest.end && *t->rest.at != '\n') t->rest.at++;
    } else if (!piece_take(&t->rest, "/*")) {
      return 0;
    } else {
      while (t->rest.at < t->rest.end && !piece_begins(t->rest, "*/")) t->line += *t->rest.at++ == '\n';
      if (!piece_take(&t->rest, "*/")) return ripstop_fail(t->err, "line %u: a comment without end", first);
    }
  }
}

/* ------------------------------------------------------------------ labels */

static bool same_name(const void *trace, uint32_t label, const char *text, size_t length) {
  const piece name = ((const goal_trace *)trace)->label[label].name;
  return piece_length(name) == length && memcmp(name.at, text, length) == 0;
}

static uint32_t find(const goal_trace *t, piece name) {
  return ripstop_text_table_find(&t->names, name.at, piece_length(name), same_name, t);
}

static void define(goal_trace *t, piece name, uint32_t operation, uint32_t line) {
  const uint32_t known = find(t, name);
  if (known != RIPSTOP_NONE) {
    if (!t->label[known].again) t->label[known].again = line;
    return;
  }
  RIPSTOP_GROW_IN(t->arena, t->label, t->labels, t->room);
  ripstop_text_table_add(&t->names, name.at, piece_length(name), t->labels);
  t->label[t->labels++] = (goal_label){.name = name, .operation = operation};
}

static int look_up(goal_trace *t, uint32_t *operation) {
  const piece name = identifier(t);
  if (name.at == name.end) return not_understood(t, "a label must stand here");
  const uint32_t known = find(t, name);
  if (known == RIPSTOP_NONE) {
    ripstop_fail(t->err, "no task of rank %u before this line has the label '%.*s'", t->rank, shown_of(name), name.at);
    return at_line(t);
  }
  if (t->label[known].again)
    return ripstop_fail(t->err, "line %u: the label '%.*s' is defined twice, and line %u uses it",
                        t->label[known].again, shown_of(name), name.at, t->line);
  *operation = t->label[known].operation;
  t->rest.at = name.end;
  return 0;
}

/* ------------------------------------------------------------------ operations */

/* -1 in the file stands for any. */
static int take_or_any(goal_trace *t, const char *what, uint32_t *out) {
  uint64_t number = GOAL_ANY;
  if (!take(t, "-1") && take_number(t, what, UINT32_MAX - 1, &number) != 0) return -1;
  *out = (uint32_t)number;
  return 0;
}

static int take_processor(goal_trace *t, goal_record *out) {
  uint64_t number = 0;
  if (take(t, "cpu") && take_number(t, "cpu", PROCESSORS, &number) != 0) return -1;
  out->processor = (uint8_t)number;
  return 0;
}

static int take_tail(goal_trace *t, goal_record *out) {
  uint64_t interface;
  if (take(t, "tag") && take_or_any(t, "tag", &out->tag) != 0) return -1;
  if (take_processor(t, out) != 0) return -1;
  return take(t, "nic") ? take_number(t, "nic", PROCESSORS, &interface) : 0;
}

static int check_peer(const goal_trace *t, uint32_t peer) {
  if (peer == t->rank)
    ripstop_fail(t->err, "rank %u cannot send to itself", t->rank);
  else if (peer != GOAL_ANY && peer >= t->ranks)
    ripstop_fail(t->err, "there is no rank %u, only 0 to %u", peer, t->ranks - 1);
  else
    return 0;
  return at_line(t);
}

static int take_message(goal_trace *t, goal_record *out) {
  const bool sends = out->kind == GOAL_SEND;
  uint64_t peer;
  if (take_number(t, "bytes", INT64_MAX, &out->amount) != 0) return -1;
  if (!take(t, "b")) return not_understood(t, "'b' must stand behind the number of bytes");
  if (!take(t, sends ? "to" : "from"))
    return not_understood(t, sends ? "a send goes 'to' a rank" : "a recv comes 'from' a rank");
  if (!sends) return take_or_any(t, "rank", &out->peer) || check_peer(t, out->peer) || take_tail(t, out) ? -1 : 0;
  if (take_number(t, "rank", UINT32_MAX - 1, &peer) != 0) return -1;
  out->peer = (uint32_t)peer;
  return check_peer(t, out->peer) || take_tail(t, out) ? -1 : 0;
}

static int take_operation(goal_trace *t, goal_record *out) {
  *out = (goal_record){.kind = take(t, "calc")   ? GOAL_COMPUTE
                               : take(t, "send") ? GOAL_SEND
                               : take(t, "recv") ? GOAL_RECEIVE
                                                 : GOAL_END,
                       .line = t->line,
                       .rank = t->rank,
                       .operation = t->operations};
  if (out->kind == GOAL_END) return not_understood(t, "send, recv or calc must stand here");
  const int status = out->kind == GOAL_COMPUTE
                         ? take_number(t, "cycles", INT64_MAX, &out->amount) || take_processor(t, out)
                         : take_message(t, out);
  t->operations++;
  return status != 0 ? -1 : take_end(t);
}

static int take_labelled(goal_trace *t, piece label, goal_record *out) {
  const uint32_t line = t->line;
  t->rest.at = label.end;
  take(t, ":");
  if (take_operation(t, out) != 0) return -1;
  define(t, label, out->operation, line);
  return 0;
}

static int take_order(goal_trace *t, goal_record *out) {
  const char *start = t->rest.at;
  *out = (goal_record){.kind = GOAL_ORDER, .line = t->line, .rank = t->rank};
  if (look_up(t, &out->operation) != 0) return -1;
  const bool separate = t->rest.at < t->rest.end && is_blank(*t->rest.at);
  skip_blanks(t);
  const piece word = identifier(t);
  out->begin = piece_is(word, "irequires");
  if (!separate || (!out->begin && !piece_is(word, "requires"))) {
    t->rest.at = start;
    return not_understood(t, "neither an operation nor 'requires'");
  }
  t->rest.at = word.end;
  skip_blanks(t);
  return look_up(t, &out->before) != 0 ? -1 : take_end(t);
}

/* True if an identifier is a label: a colon follows, perhaps behind blanks. */
static bool is_label(const goal_trace *t, piece word) {
  piece behind = {word.end, t->rest.end};
  while (behind.at < behind.end && is_blank(*behind.at)) behind.at++;
  return piece_begins(behind, ":");
}

static int take_statement(goal_trace *t, goal_record *out) {
  const piece word = identifier(t);
  if (word.at == word.end) return not_understood(t, "no statement begins so");
  if (piece_is(word, "send") || piece_is(word, "recv") || piece_is(word, "calc")) return take_operation(t, out);
  return is_label(t, word) ? take_labelled(t, word, out) : take_order(t, out);
}

/* ------------------------------------------------------------------ ranks */

static int begin_rank(goal_trace *t) {
  uint64_t number = 0;
  if (take_number(t, "rank", UINT32_MAX - 1, &number) != 0) return -1;
  if (number != t->rank) {
    ripstop_fail(t->err, "rank %" PRIu64 " where rank %u should stand", number, t->rank);
    return at_line(t);
  }
  if (!take(t, "{")) return not_understood(t, "'{' must stand behind the number of the rank");
  ripstop_arena_free(t->arena);
  t->arena = ripstop_arena_new();
  t->names = (ripstop_text_table){.arena = t->arena};
  t->label = NULL;
  t->labels = t->room = 0;
  t->inside = true;
  return 0;
}

static int take_count(goal_trace *t, goal_record *out) {
  if (t->ranks) return ripstop_fail(t->err, "line %u: num_ranks stands here a second time", t->line);
  *out = (goal_record){.kind = GOAL_RANKS};
  if (take_number(t, "num_ranks", UINT32_MAX - 1, &out->amount) != 0) return -1;
  out->line = t->line;
  t->ranks = (uint32_t)out->amount;
  return 0;
}

/* The number of ranks, or the head of a rank. */
static int take_part(goal_trace *t, goal_record *out) {
  const piece word = identifier(t);
  const bool count = piece_is(word, "num_ranks");
  if (!count && !piece_is(word, "rank"))
    return t->rest.at == t->rest.end
               ? ripstop_fail(t->err, "line %u: the file ends behind %u of %u ranks", t->line, t->rank, t->ranks)
               : not_understood(t, "neither num_ranks nor a rank");
  if (!count && !t->ranks) return ripstop_fail(t->err, "line %u: num_ranks must stand before the ranks", t->line);
  t->rest.at = word.end;
  skip_blanks(t);
  return count ? take_count(t, out) : begin_rank(t);
}

/* A statement, or the end of the rank. */
static int take_inside(goal_trace *t, goal_record *out) {
  if (t->rest.at == t->rest.end)
    return ripstop_fail(t->err, "line %u: the file ends, and rank %u has no '}'", t->line, t->rank);
  if (!piece_take_char(&t->rest, '}')) return take_statement(t, out);
  t->rank++;
  t->inside = false;
  return 0;
}

int ripstop_goal_next(goal_trace *t, goal_record *out) {
  if (t->is_binary) return goal_binary_next(t, out);
  *out = (goal_record){.kind = GOAL_END};
  while (t->inside || !t->ranks || t->rank < t->ranks) {
    if (skip(t) != 0) return -1;
    if (!t->ranks && t->rest.at == t->rest.end) return ripstop_fail(t->err, "line %u: num_ranks is missing", t->line);
    if ((t->inside ? take_inside : take_part)(t, out) != 0) return -1;
    if (out->kind != GOAL_END) return 0;
  }
  return skip(t);
}

void ripstop_goal_open(goal_trace *t, const char *text, size_t length, ripstop_error *err) {
  *t = (goal_trace){.text = {text, text + length},
                    .rest = {text, text + length},
                    .is_binary = goal_binary_is(text, length),
                    .line = 1,
                    .arena = ripstop_arena_new(),
                    .err = err};
}

void ripstop_goal_close(goal_trace *t) { ripstop_arena_free(t->arena); }
