/* htsim_matrix.c - reads connection matrices of htsim:
 *
 *   head = Nodes N | Connections C | Triggers T | Failures F       up to the first line of the body; "#" lines here
 * alone flow = SRC "->" DST { id I | start TIME | trigger J | size BYTES | send_done_trigger J | recv_done_trigger J |
 * prio P } trig = trigger id J ( oneshot | multishot | barrier count K )   before or behind the flows that use it
 *
 * Numbers are exact: htsim reads a start through a 32-bit floating-point number. Failures, `addon` and `msg` are
 * refused, and so are flows without a size or with size 0, which htsim never ends. */
#include "formats/traces/htsim_matrix.h"

#include <stdlib.h>

#include "base/growing.h"
#include "formats/traces/trace_words.h"

enum { ID_MOST = INT32_MAX, SMALL = 1000, MICRO = 6, PRIO = 2000000 };
#define SIZE_MOST INT32_MAX

typedef struct reader {
  htsim_matrix *out;
  ripstop_arena *arena;
  trace_lines lines;
  unsigned scale;                           /* a start is in 10^scale picoseconds */
  uint32_t connections, triggers, failures; /* counts in the head */
  unsigned head;                            /* a bit for each word of the head that stood there */
  uint32_t flow_room, trigger_room;
  uint32_t prio, prio_line; /* the first flow has it; line 0: there is no flow */
  uint32_t fraction;        /* the line of a start that is not whole; 0: none */
  bool large;               /* some start is 1000 or more */
  ripstop_error *err;
} reader;

static int at_line(const reader *r, uint32_t line) { return ripstop_fail_at(r->err, "line %u", line); }

/* ------------------------------------------------------------------ words and their values */

static int take_value(const reader *r, piece *line, const char *key, uint32_t most, uint32_t *out) {
  const piece word = piece_next_word(line);
  if (piece_is_count(word, most, out)) return 0;
  if (word.at == word.end)
    ripstop_fail(r->err, "%s is the last word, and a number must follow", key);
  else
    ripstop_fail(r->err, "%s '%.*s': a whole number up to %u must stand here", key, trace_shown(word), word.at, most);
  return at_line(r, r->lines.number);
}

static int refuse_word(const reader *r, piece word, const char *const *known, const char *what) {
  char text[TRACE_SHOWN + 1];
  snprintf(text, sizeof text, "%.*s", trace_shown(word), word.at);
  const char *near = ripstop_nearest_word(text, known);
  ripstop_fail(r->err, "'%s' is no word of %s%s%s%s", text, what, near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
  return at_line(r, r->lines.number);
}

static int refuse_twice(const reader *r, const char *key) {
  ripstop_fail(r->err, "%s stands twice", key);
  return at_line(r, r->lines.number);
}

/* ------------------------------------------------------------------ flows */

static const char *const flow_words[] = {"id",   "start", "trigger", "size", "send_done_trigger", "recv_done_trigger",
                                         "prio", "addon", "msg",     NULL};
enum { ID, START, TRIGGER, SIZE, SEND_DONE, RECV_DONE, PRIORITY, ADDON, MSG, FLOW_WORDS };

static int take_start(reader *r, piece *line, htsim_flow *f) {
  const piece word = piece_next_word(line);
  uint64_t whole;
  bool more;
  if (!trace_decimal(word, r->scale, &f->start, &f->more) || !trace_decimal(word, 0, &whole, &more)) {
    ripstop_fail(r->err, "start '%.*s': a number of at most 2^63 picoseconds must stand here", trace_shown(word),
                 word.at);
    return at_line(r, r->lines.number);
  }
  if (more && !r->fraction) r->fraction = r->lines.number;
  r->large |= whole >= SMALL;
  return 0;
}

static int take_prio(reader *r, piece *line, uint32_t *out) { return take_value(r, line, "prio", ID_MOST, out); }

static int take_word(reader *r, piece *line, int key, htsim_flow *f, uint32_t *prio) {
  uint32_t *const ids[] = {
      [ID] = &f->id, [TRIGGER] = &f->trigger, [SEND_DONE] = &f->send_done, [RECV_DONE] = &f->recv_done};
  uint32_t value = 0;
  if (key == START) return take_start(r, line, f);
  if (key == PRIORITY) return take_prio(r, line, prio);
  if (key == ADDON || key == MSG) {
    ripstop_fail(r->err, "'%s' is not modelled", flow_words[key]);
    return at_line(r, r->lines.number);
  }
  if (take_value(r, line, flow_words[key], key == SIZE ? SIZE_MOST : ID_MOST, &value)) return -1;
  if (value == 0) {
    ripstop_fail(r->err, key == SIZE ? "size 0 is a flow without an end" : "%s 0: numbers count from 1",
                 flow_words[key]);
    return at_line(r, r->lines.number);
  }
  if (key == SIZE)
    f->bytes = value;
  else
    *ids[key] = value;
  return 0;
}

/* "3->5" */
static int take_ends(const reader *r, piece word, htsim_flow *f) {
  const piece all = word;
  if (!piece_count(&word, ID_MOST, &f->source) || !piece_take(&word, "->") ||
      !piece_count(&word, ID_MOST, &f->destination) || word.at < word.end)
    ripstop_fail(r->err, "'%.*s': a flow begins with SOURCE->DESTINATION", trace_shown(all), all.at);
  else if (f->source >= r->out->nodes || f->destination >= r->out->nodes)
    ripstop_fail(r->err, "there is no node %u, only 0 to %u", f->source >= r->out->nodes ? f->source : f->destination,
                 r->out->nodes - 1);
  else if (f->source == f->destination)
    ripstop_fail(r->err, "node %u cannot send to itself", f->source);
  else
    return 0;
  return at_line(r, r->lines.number);
}

static int check_flow(reader *r, const htsim_flow *f, unsigned seen, uint32_t prio) {
  const bool starts = seen & 1u << START, waits = seen & 1u << TRIGGER;
  if (starts && waits)
    ripstop_fail(r->err, "both start and trigger; a flow has one of them");
  else if (!starts && !waits)
    ripstop_fail(r->err, "neither start nor trigger; a flow has one of them");
  else if (!(seen & 1u << SIZE))
    ripstop_fail(r->err, "the flow has no size");
  else if (waits && !f->id)
    ripstop_fail(r->err, "a flow with a trigger needs an id");
  else if (r->prio_line && prio != r->prio)
    ripstop_fail(r->err, "prio %u, but %u in line %u; priorities are not modelled, all must be the same", prio, r->prio,
                 r->prio_line);
  else {
    r->prio = prio;
    if (!r->prio_line) r->prio_line = r->lines.number;
    return 0;
  }
  return at_line(r, r->lines.number);
}

/* Triggers are numbers of the file here. */
static int read_flow(reader *r, piece line) {
  htsim_flow f = {.line = r->lines.number};
  uint32_t prio = PRIO;
  unsigned seen = 0;
  if (take_ends(r, piece_next_word(&line), &f)) return -1;
  for (piece word = piece_next_word(&line); word.at < word.end; word = piece_next_word(&line)) {
    const int key = trace_find_word(word, flow_words);
    if (key < 0) return refuse_word(r, word, flow_words, "a flow");
    if (seen & 1u << key) return refuse_twice(r, flow_words[key]);
    seen |= 1u << key;
    if (take_word(r, &line, key, &f, &prio)) return -1;
  }
  if (check_flow(r, &f, seen, prio)) return -1;
  RIPSTOP_GROW_IN(r->arena, r->out->flow, r->out->flows, r->flow_room);
  r->out->flow[r->out->flows++] = f;
  return 0;
}

/* ------------------------------------------------------------------ triggers */

static const char *const trigger_words[] = {
    [HTSIM_ONESHOT] = "oneshot", [HTSIM_MULTISHOT] = "multishot", [HTSIM_BARRIER] = "barrier", "id", "count", NULL};
enum { TRIGGER_ID = HTSIM_BARRIER + 1, TRIGGER_COUNT };

static int check_trigger(const reader *r, const htsim_trigger *t, unsigned seen) {
  const unsigned shots = seen & ((1u << TRIGGER_ID) - 1);
  if (!(seen & 1u << TRIGGER_ID) || t->id == 0)
    ripstop_fail(r->err, "a trigger needs an id above 0");
  else if (shots == 0 || (shots & (shots - 1)) != 0)
    ripstop_fail(r->err, "trigger %u must be one of oneshot, multishot and barrier", t->id);
  else if (t->shot == HTSIM_BARRIER && t->count == 0)
    ripstop_fail(r->err, "trigger %u is a barrier, which needs a count", t->id);
  else
    return 0;
  return at_line(r, r->lines.number);
}

static int read_trigger(reader *r, piece line) {
  htsim_trigger t = {.line = r->lines.number};
  unsigned seen = 0;
  for (piece word = piece_next_word(&line); word.at < word.end; word = piece_next_word(&line)) {
    const int key = trace_find_word(word, trigger_words);
    if (key < 0) return refuse_word(r, word, trigger_words, "a trigger");
    if (seen & 1u << key) return refuse_twice(r, trigger_words[key]);
    seen |= 1u << key;
    if (key == TRIGGER_ID || key == TRIGGER_COUNT) {
      uint32_t *out = key == TRIGGER_ID ? &t.id : &t.count;
      if (take_value(r, &line, trigger_words[key], ID_MOST, out)) return -1;
    } else {
      t.shot = (htsim_shot)key;
    }
  }
  if (check_trigger(r, &t, seen)) return -1;
  RIPSTOP_GROW_IN(r->arena, r->out->trigger, r->out->triggers, r->trigger_room);
  r->out->trigger[r->out->triggers++] = t;
  return 0;
}

/* ------------------------------------------------------------------ lines */

/* 1: the body begins with this line. */
static int read_head(reader *r, piece line) {
  static const char *const known[] = {"Nodes", "Connections", "Triggers", "Failures", NULL};
  uint32_t *const out[] = {&r->out->nodes, &r->connections, &r->triggers, &r->failures};
  const piece word = piece_next_word(&line);
  if (piece_find(word, "->") || piece_is(word, "trigger") || piece_is(word, "failure")) return 1;
  const int key = trace_find_word(word, known);
  if (key < 0) return refuse_word(r, word, known, "the head");
  if (r->head & 1u << key) return refuse_twice(r, known[key]);
  r->head |= 1u << key;
  return take_value(r, &line, known[key], ID_MOST, out[key]);
}

static int read_body(reader *r, piece line) {
  static const char *const known[] = {"trigger", "failure", NULL};
  piece rest = line;
  const piece word = piece_next_word(&rest);
  if (piece_find(word, "->")) return read_flow(r, line);
  if (piece_is(word, "trigger")) return read_trigger(r, rest);
  if (!piece_is(word, "failure")) return refuse_word(r, word, known, "the body, whose lines are flows and triggers");
  ripstop_fail(r->err, "failures are no part of a job; name failed links with --faults");
  return at_line(r, r->lines.number);
}

static int read_lines(reader *r) {
  bool body = false;
  while (trace_next_line(&r->lines, !body)) {
    int status = body ? 1 : read_head(r, r->lines.line);
    if (status < 0) return -1;
    if (status && !body && !r->out->nodes)
      return ripstop_fail(r->err, "line %u: Nodes must stand before the first flow", r->lines.number);
    body |= status > 0;
    if (body && read_body(r, r->lines.line)) return -1;
  }
  return 0;
}

/* ------------------------------------------------------------------ checks */

static int check_counts(const reader *r) {
  const struct {
    const char *name;
    uint32_t head, body;
  } count[] = {{"Connections", r->connections, r->out->flows},
               {"Triggers", r->triggers, r->out->triggers},
               {"Failures", r->failures, 0}};
  if (!r->out->nodes) return ripstop_fail(r->err, "Nodes is missing");
  for (unsigned i = 0; i < sizeof count / sizeof *count; i++)
    if (count[i].head != count[i].body)
      return ripstop_fail(r->err, "%s is %u, but %u are there", count[i].name, count[i].head, count[i].body);
  return 0;
}

/* A number of the file, and what has it. */
typedef struct numbered {
  uint32_t id, index, line;
} numbered;

static int by_id(const void *a, const void *b) {
  const numbered *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

static int sort_ids(const reader *r, numbered *list, uint32_t count, const char *what) {
  qsort(list, count, sizeof *list, by_id);
  for (uint32_t i = 1; i < count; i++)
    if (list[i].id == list[i - 1].id) {
      ripstop_fail(r->err, "two %s have the id %u, the first in line %u", what, list[i].id, list[i - 1].line);
      return at_line(r, list[i].line);
    }
  return 0;
}

static int check_flow_ids(const reader *r) {
  numbered *list = RIPSTOP_ARRAY(r->arena, r->out->flows + 1, numbered);
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->out->flows; i++)
    if (r->out->flow[i].id) list[count++] = (numbered){r->out->flow[i].id, i, r->out->flow[i].line};
  return sort_ids(r, list, count, "flows");
}

/* Replaces a number of the file by an index. */
static int resolve(const reader *r, const numbered *list, uint32_t line, uint32_t *trigger) {
  uint32_t low = 0, high = r->out->triggers;
  if (*trigger == 0) {
    *trigger = RIPSTOP_NONE;
    return 0;
  }
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (list[middle].id < *trigger)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == r->out->triggers || list[low].id != *trigger) {
    ripstop_fail(r->err, "there is no line 'trigger id %u'", *trigger);
    return at_line(r, line);
  }
  *trigger = list[low].index;
  return 0;
}

static int resolve_triggers(const reader *r) {
  const htsim_matrix *m = r->out;
  numbered *list = RIPSTOP_ARRAY(r->arena, m->triggers + 1, numbered);
  for (uint32_t i = 0; i < m->triggers; i++) list[i] = (numbered){m->trigger[i].id, i, m->trigger[i].line};
  if (sort_ids(r, list, m->triggers, "triggers")) return -1;
  for (uint32_t i = 0; i < m->flows; i++) {
    htsim_flow *f = &m->flow[i];
    if (resolve(r, list, f->line, &f->trigger) || resolve(r, list, f->line, &f->send_done) ||
        resolve(r, list, f->line, &f->recv_done))
      return -1;
    if (f->trigger != RIPSTOP_NONE) m->trigger[f->trigger].waiting++;
  }
  return 0;
}

/* Every flow that starts ends, so every activation that flows name happens. */
static int fire(const reader *r, uint32_t line, uint32_t trigger) {
  if (trigger == RIPSTOP_NONE) return 0;
  htsim_trigger *t = &r->out->trigger[trigger];
  t->fired++;
  if (t->shot == HTSIM_ONESHOT && t->fired > 1)
    ripstop_fail(r->err, "this flow activates trigger %u a second time, and it is oneshot", t->id);
  else if (t->shot == HTSIM_BARRIER && t->fired > t->count)
    ripstop_fail(r->err, "this flow activates trigger %u, and it is a barrier of %u, which others activate already",
                 t->id, t->count);
  else
    return 0;
  return at_line(r, line);
}

static uint32_t started(const htsim_trigger *t) {
  if (t->shot == HTSIM_MULTISHOT) return t->fired < t->waiting ? t->fired : t->waiting;
  return t->fired == (t->shot == HTSIM_BARRIER ? t->count : 1) ? t->waiting : 0;
}

static int check_triggers(const reader *r) {
  const htsim_matrix *m = r->out;
  for (uint32_t i = 0; i < m->flows; i++)
    if (fire(r, m->flow[i].line, m->flow[i].send_done) || fire(r, m->flow[i].line, m->flow[i].recv_done)) return -1;
  for (uint32_t i = 0; i < m->triggers; i++) {
    const htsim_trigger *t = &m->trigger[i];
    if (started(t) == t->waiting) continue;
    ripstop_fail(r->err,
                 "trigger %u%s: %u of the %u flows that wait for it never start, since flows activate it %u times",
                 t->id, t->shot == HTSIM_BARRIER ? " is a barrier" : "", t->waiting - started(t), t->waiting, t->fired);
    return at_line(r, t->line);
  }
  return 0;
}

static int check_unit(const reader *r, htsim_unit unit) {
  if (unit != HTSIM_AUTO || !r->fraction || r->large) return 0;
  ripstop_fail(r->err,
               "every start is below 1000 and this one is not whole: picoseconds, or microseconds as some versions "
               "write them? Say time=ps or time=us");
  return at_line(r, r->fraction);
}

int ripstop_htsim_matrix_read(htsim_matrix *out, ripstop_arena *arena, const char *text, size_t length, htsim_unit unit,
                              ripstop_error *err) {
  reader r = {.out = out,
              .arena = arena,
              .lines = trace_lines_of(text, length),
              .scale = unit == HTSIM_MICROSECONDS ? MICRO : 0,
              .err = err};
  *out = (htsim_matrix){0};
  const bool bad = read_lines(&r) || check_counts(&r) || check_flow_ids(&r) || resolve_triggers(&r) ||
                   check_triggers(&r) || check_unit(&r, unit);
  return bad ? ripstop_fail_at(err, "%s", HTSIM_MATRIX) : 0;
}
