/* goal.c - reads GOAL.
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
#include "workload/goal.h"

#include <string.h>

#include "base/memory.h"

enum { PROCESSORS = 255, SHOWN = 60 }; /* SHOWN: bytes of a line that messages quote */

typedef struct name { /* a label of the present rank */
  const char *at;
  uint32_t length, task;
  uint32_t rank;  /* + 1; entries of other ranks count as free */
  uint32_t again; /* line of its second operation; 0: none */
} name;

typedef struct reader {
  ripstop_tasks *tasks;
  const char *at, *end;
  uint32_t line, ranks, rank;
  name *names; /* a hash table */
  uint32_t room, used;
  ripstop_arena *arena; /* its own */
  ripstop_error *err;
} reader;

/* ------------------------------------------------------------------ mistakes */

static int at_line(const reader *r) { return ripstop_fail_at(r->err, "line %u", r->line); }

static int not_understood(const reader *r, const char *what) {
  int length = 0;
  while (length < SHOWN && r->at + length < r->end && r->at[length] != '\n' && r->at[length] != '\r') length++;
  if (r->at == r->end)
    ripstop_fail(r->err, "%s: the file ends", what);
  else
    ripstop_fail(r->err, "%s: '%.*s'", what, length, r->at);
  return at_line(r);
}

/* ------------------------------------------------------------------ tokens and numbers */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void skip_blanks(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

/* Length of the identifier at this place; 0: none. */
static size_t identifier(const reader *r) {
  const char *at = r->at;
  if (at == r->end || !is_letter(*at)) return 0;
  while (at < r->end && (is_letter(*at) || is_digit(*at) || *at == '_')) at++;
  return (size_t)(at - r->at);
}

static bool starts(const reader *r, const char *word) {
  size_t length = strlen(word);
  return (size_t)(r->end - r->at) >= length && !memcmp(r->at, word, length);
}

/* Takes a word, even with a number directly after it, and the blanks around it. */
static bool take(reader *r, const char *word) {
  skip_blanks(r);
  if (!starts(r, word)) return false;
  r->at += strlen(word);
  skip_blanks(r);
  return true;
}

static bool is_word(const reader *r, size_t length, const char *word) {
  return length == strlen(word) && !memcmp(r->at, word, length);
}

static int take_number(reader *r, const char *what, uint64_t most, uint64_t *out) {
  const char *start = r->at;
  uint64_t n = 0;
  bool large = false;
  for (; r->at < r->end && is_digit(*r->at); r->at++) {
    uint64_t digit = (uint64_t)(*r->at - '0');
    large = large || n > (UINT64_MAX - digit) / 10;
    n = n * 10 + digit;
  }
  int length = (int)(r->at - start < SHOWN ? r->at - start : SHOWN);
  if (length == 0) return not_understood(r, "a number must stand here");
  if (large || n > most) {
    ripstop_fail(r->err, "%s %.*s is larger than %llu", what, length, start, (unsigned long long)most);
    return at_line(r);
  }
  skip_blanks(r);
  *out = n;
  return 0;
}

/* Takes the end of a line. */
static int take_end(reader *r) {
  skip_blanks(r);
  if (r->end - r->at >= 2 && r->at[0] == '\r' && r->at[1] == '\n') r->at++;
  if (r->at == r->end || *r->at != '\n') return not_understood(r, "the line should end here");
  r->at++;
  r->line++;
  return 0;
}

static int take_comment(reader *r) {
  uint32_t first = r->line;
  if (r->at[1] == '/') {
    while (r->at < r->end && *r->at != '\n') r->at++;
    return 0;
  }
  for (r->at += 2; r->end - r->at >= 2; r->at++) {
    if (starts(r, "*/")) {
      r->at += 2;
      return 0;
    }
    r->line += *r->at == '\n';
  }
  return ripstop_fail(r->err, "line %u: a comment without end", first);
}

/* Takes blanks, ends of lines and comments. */
static int skip(reader *r) {
  for (;;) {
    skip_blanks(r);
    if (starts(r, "\n") || starts(r, "\r\n")) {
      r->at += *r->at == '\r' ? 2 : 1;
      r->line++;
    } else if (!starts(r, "//") && !starts(r, "/*")) {
      return 0;
    } else if (take_comment(r)) {
      return -1;
    }
  }
}

/* ------------------------------------------------------------------ labels */

/* The entry of a label, or the free entry for it. */
static name *place_of(const reader *r, const char *at, uint32_t length) {
  uint32_t hash = 2166136261u; /* Fowler-Noll-Vo */
  for (uint32_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)at[i]) * 16777619u;
  for (uint32_t i = hash & (r->room - 1);; i = (i + 1) & (r->room - 1)) {
    name *n = &r->names[i];
    if (n->rank != r->rank + 1 || (n->length == length && !memcmp(n->at, at, length))) return n;
  }
}

static void make_room(reader *r) {
  if (r->room && 2 * r->used < r->room) return;
  const name *old = r->names; /* the arena keeps the old table */
  uint32_t count = r->room;
  r->room = count ? 2 * count : 256;
  r->names = RIPSTOP_ARRAY(r->arena, r->room, name);
  for (uint32_t i = 0; i < count; i++)
    if (old[i].rank == r->rank + 1) *place_of(r, old[i].at, old[i].length) = old[i];
}

static void define(reader *r, const char *at, uint32_t length, uint32_t task, uint32_t line) {
  make_room(r);
  name *n = place_of(r, at, length);
  if (n->rank == r->rank + 1) {
    if (!n->again) n->again = line;
    return;
  }
  *n = (name){.at = at, .length = length, .task = task, .rank = r->rank + 1};
  r->used++;
}

static int look_up(reader *r, uint32_t *task) {
  uint32_t length = (uint32_t)identifier(r);
  if (!length) return not_understood(r, "a label must stand here");
  make_room(r);
  const name *n = place_of(r, r->at, length);
  if (n->rank != r->rank + 1) {
    ripstop_fail(r->err, "no task of rank %u before this line has the label '%.*s'", r->rank,
                 (int)(length < SHOWN ? length : SHOWN), r->at);
    return at_line(r);
  }
  if (n->again)
    return ripstop_fail(r->err, "line %u: the label '%.*s' is defined twice, and line %u uses it", n->again,
                        (int)(length < SHOWN ? length : SHOWN), r->at, r->line);
  *task = n->task;
  r->at += length;
  return 0;
}

/* ------------------------------------------------------------------ operations */

typedef struct message {
  uint64_t bytes, peer, tag, processor;
} message;

/* -1 in the file stands for any. */
static int take_or_any(reader *r, const char *what, uint64_t *out) {
  if (!starts(r, "-1")) return take_number(r, what, UINT32_MAX - 1, out);
  take(r, "-1");
  *out = RIPSTOP_ANY;
  return 0;
}

static int take_processor(reader *r, uint64_t *processor) {
  *processor = 0;
  return take(r, "cpu") ? take_number(r, "cpu", PROCESSORS, processor) : 0;
}

static int take_tail(reader *r, message *m) {
  uint64_t interface;
  if (take(r, "tag") && take_or_any(r, "tag", &m->tag)) return -1;
  if (take_processor(r, &m->processor)) return -1;
  return take(r, "nic") ? take_number(r, "nic", PROCESSORS, &interface) : 0;
}

static int check_peer(const reader *r, uint64_t peer) {
  if (peer == r->rank)
    ripstop_fail(r->err, "rank %u cannot send to itself", r->rank);
  else if (peer != RIPSTOP_ANY && peer >= r->ranks)
    ripstop_fail(r->err, "there is no rank %llu, only 0 to %u", (unsigned long long)peer, r->ranks - 1);
  else
    return 0;
  return at_line(r);
}

static int take_message(reader *r, bool sends, message *m) {
  *m = (message){0};
  if (take_number(r, "bytes", INT64_MAX, &m->bytes)) return -1;
  if (!take(r, "b")) return not_understood(r, "'b' must stand behind the number of bytes");
  if (!take(r, sends ? "to" : "from"))
    return not_understood(r, sends ? "a send goes 'to' a rank" : "a recv comes 'from' a rank");
  if (sends ? take_number(r, "rank", UINT32_MAX - 1, &m->peer) : take_or_any(r, "rank", &m->peer)) return -1;
  return check_peer(r, m->peer) || take_tail(r, m) ? -1 : 0;
}

static int take_calc(reader *r, uint32_t *task) {
  uint64_t cycles, processor;
  if (take_number(r, "cycles", INT64_MAX, &cycles) || take_processor(r, &processor)) return -1;
  *task = ripstop_tasks_compute(r->tasks, r->rank, cycles);
  ripstop_tasks_processor(r->tasks, *task, (uint8_t)processor);
  return 0;
}

static int take_operation(reader *r, uint32_t *task) {
  message m;
  const uint32_t line = r->line;
  if (take(r, "calc")) {
    if (take_calc(r, task)) return -1;
  } else if (take(r, "send")) {
    if (take_message(r, true, &m)) return -1;
    *task = ripstop_tasks_send(r->tasks, r->rank, (uint32_t)m.peer, m.bytes, (uint32_t)m.tag);
  } else if (take(r, "recv")) {
    if (take_message(r, false, &m)) return -1;
    *task = ripstop_tasks_receive(r->tasks, r->rank, (uint32_t)m.peer, m.bytes, (uint32_t)m.tag);
  } else {
    return not_understood(r, "send, recv or calc must stand here");
  }
  ripstop_tasks_line(r->tasks, *task, line);
  return take_end(r);
}

static int take_labelled(reader *r, size_t length) {
  const char *label = r->at;
  const uint32_t line = r->line;
  uint32_t task = RIPSTOP_NONE;
  r->at += length;
  take(r, ":");
  if (take_operation(r, &task)) return -1;
  define(r, label, (uint32_t)length, task, line);
  return 0;
}

static int take_order(reader *r) {
  uint32_t task, before;
  const char *start = r->at;
  if (look_up(r, &task)) return -1;
  bool parted = r->at < r->end && (*r->at == ' ' || *r->at == '\t');
  skip_blanks(r);
  size_t length = identifier(r);
  bool begins = is_word(r, length, "irequires");
  if (!parted || (!begins && !is_word(r, length, "requires"))) {
    r->at = start;
    return not_understood(r, "neither an operation nor 'requires'");
  }
  r->at += length;
  skip_blanks(r);
  if (look_up(r, &before)) return -1;
  (begins ? ripstop_tasks_after_begin : ripstop_tasks_after)(r->tasks, task, before);
  return take_end(r);
}

/* The byte after an identifier and the blanks that follow it. */
static char behind(const reader *r, size_t length) {
  const char *at = r->at + length;
  while (at < r->end && (*at == ' ' || *at == '\t')) at++;
  return at < r->end ? *at : '\0';
}

static int take_statement(reader *r) {
  uint32_t task;
  size_t length = identifier(r);
  bool operation = is_word(r, length, "send") || is_word(r, length, "recv") || is_word(r, length, "calc");
  if (operation) return take_operation(r, &task);
  if (length && behind(r, length) == ':') return take_labelled(r, length);
  return length ? take_order(r) : not_understood(r, "no statement begins so");
}

/* ------------------------------------------------------------------ ranks */

static int take_rank(reader *r) {
  uint64_t number = 0;
  if (take_number(r, "rank", UINT32_MAX - 1, &number)) return -1;
  if (number != r->rank) {
    ripstop_fail(r->err, "rank %llu where rank %u should stand", (unsigned long long)number, r->rank);
    return at_line(r);
  }
  if (!take(r, "{")) return not_understood(r, "'{' must stand behind the number of the rank");
  for (r->used = 0;;) {
    if (skip(r)) return -1;
    if (r->at == r->end)
      return ripstop_fail(r->err, "line %u: the file ends, and rank %u has no '}'", r->line, r->rank);
    if (*r->at == '}') break;
    if (take_statement(r)) return -1;
  }
  r->at++;
  r->rank++;
  return 0;
}

static int take_count(reader *r) {
  uint64_t number = 0;
  if (r->ranks) return ripstop_fail(r->err, "line %u: num_ranks stands here a second time", r->line);
  if (take_number(r, "num_ranks", UINT32_MAX - 1, &number)) return -1;
  r->ranks = (uint32_t)number;
  return ripstop_tasks_need(r->tasks, r->ranks, r->err) ? at_line(r) : 0;
}

static int take_part(reader *r) {
  size_t length = identifier(r);
  bool count = is_word(r, length, "num_ranks");
  if (!count && !is_word(r, length, "rank"))
    return r->at == r->end
               ? ripstop_fail(r->err, "line %u: the file ends behind %u of %u ranks", r->line, r->rank, r->ranks)
               : not_understood(r, "neither num_ranks nor a rank");
  if (!count && !r->ranks) return ripstop_fail(r->err, "line %u: num_ranks must stand before the ranks", r->line);
  r->at += length;
  skip_blanks(r);
  return count ? take_count(r) : take_rank(r);
}

static int read_file(reader *r) {
  if (skip(r)) return -1;
  if (r->at == r->end) return ripstop_fail(r->err, "line %u: num_ranks is missing", r->line);
  while (!r->ranks || r->rank < r->ranks)
    if (take_part(r) || skip(r)) return -1;
  return 0;
}

int goal_read(ripstop_tasks *tasks, const char *text, size_t length, ripstop_error *err) {
  reader r = {.tasks = tasks, .at = text, .end = text + length, .line = 1, .arena = ripstop_arena_new(), .err = err};
  int status = read_file(&r);
  ripstop_arena_free(r.arena);
  return status;
}
