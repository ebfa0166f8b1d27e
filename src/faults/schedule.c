/* schedule.c - when parts fail, return and become slow: words like "0/2.1/3@5000", "0/2.1/3+@9000" and
 * "0/2.1/3~0.25@9500". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/piece.h"
#include "fabric/inner.h"
#include "faults/fault_syntax.h"
#include "faults/schedule.h"

#define LATEST_CYCLE ((uint64_t)INT64_MAX) /* so that every store and every sum can hold it */

typedef struct item {
  ripstop_change change;
  size_t order; /* position in the text */
  uint32_t line;
} item;

typedef struct reader {
  const ripstop_names *names;
  const char *path; /* NULL: not from a file */
  item *item;
  size_t count, room;
} reader;

/* The changes of a word, as far as they are known. */
typedef struct adding {
  reader *reader;
  uint64_t cycle;
  uint32_t line;
  bool up;
} adding;

static int fail_at_line(const reader *r, uint32_t line, ripstop_error *err) {
  return r->path != NULL ? ripstop_fail_at(err, "%s:%u", r->path, line) : ripstop_fail_at(err, "line %u", line);
}

/* The number after '@'. */
static int parse_cycle(const char *text, size_t length, uint64_t *cycle, ripstop_error *err) {
  char digits[32]; /* longer than any 64-bit number */
  if (length >= sizeof digits) return ripstop_fail(err, "the cycle has too many digits");
  return piece_copy((piece){text, text + length}, digits, sizeof digits)
             ? ripstop_parse_u64(digits, LATEST_CYCLE, cycle, err)
             : ripstop_fail(err, "the cycle is not a number");
}

static void add_item(void *to, uint32_t id, bool is_switch) {
  adding *a = to;
  reader *r = a->reader;
  RIPSTOP_GROW(r->item, r->count, r->room);
  r->item[r->count] = (item){
      .change = {.cycle = a->cycle, .id = id, .is_switch = is_switch, .up = a->up}, .order = r->count, .line = a->line};
  r->count++;
}

/* A word that names several parts is a change of each. */
static int parse_word(adding *a, const char *text, size_t length, ripstop_error *err) {
  const size_t before = a->reader->count;
  uint16_t rate;
  const char *at = ripstop_word_mark(text, length, '@');
  if (at == NULL)
    return ripstop_fail(err, "'%.*s' has no @CYCLE, which every part of a schedule needs", ripstop_word_shown(length),
                        text);
  size_t name = (size_t)(at - text);
  if (parse_cycle(at + 1, length - name - 1, &a->cycle, err) != 0)
    return ripstop_fail_at(err, "'%.*s'", ripstop_word_shown(length), text);
  a->up = name > 0 && text[name - 1] == '+';
  if (ripstop_part_find_all(a->reader->names, text, name - a->up, add_item, a, &rate, err)) return -1;
  if (a->up && rate) return ripstop_fail(err, "'%.*s' is either repaired or slow", ripstop_word_shown(length), text);
  for (size_t i = before; i < a->reader->count && rate; i++) {
    a->reader->item[i].change.rate = rate;
    a->reader->item[i].change.up = true;
  }
  return 0;
}

static int read_items(reader *r, const char *text, size_t length, ripstop_error *err) {
  ripstop_words words = {.at = text, .end = text + length, .line = 1};
  const char *word;
  size_t count;
  while (ripstop_words_next(&words, &word, &count)) {
    adding a = {.reader = r, .line = words.line};
    if (parse_word(&a, word, count, err) != 0) return fail_at_line(r, words.line, err);
  }
  return 0;
}

static int by_time(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->change.cycle != y->change.cycle) return x->change.cycle < y->change.cycle ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int refuse_change(const ripstop_fabric *fabric, const ripstop_change *change, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(name);
  ripstop_part_add_name(&name, fabric, change->id, change->is_switch);
  ripstop_part_add_rate(&name, change->rate);
  ripstop_fail(err,
               change->rate ? "'%s' at cycle %" PRIu64 ": it has this rate already"
               : change->up ? "'%s' is repaired at cycle %" PRIu64 " while it is up"
                            : "'%s' fails at cycle %" PRIu64 " while it is down already",
               name.data, change->cycle);
  return -1;
}

static int refuse(const reader *r, const item *i, ripstop_error *err) {
  refuse_change(ripstop_names_fabric(r->names), &i->change, err);
  return fail_at_line(r, i->line, err);
}

/* The known state of each part, links, then nodes: UNKNOWN, DOWN, or up at a rate. */
enum { UNKNOWN = UINT16_MAX, DOWN = 0 };

static uint16_t *new_states(const ripstop_fabric *fabric, uint16_t state) {
  size_t parts = (size_t)fabric->links + fabric->nodes;
  uint16_t *states = ripstop_realloc(NULL, parts, sizeof *states);
  for (size_t i = 0; i < parts; i++) states[i] = state;
  return states;
}

static uint16_t *state_of(const ripstop_fabric *fabric, uint16_t *states, const ripstop_change *change) {
  return &states[change->id + (change->is_switch ? fabric->links : 0)];
}

static uint16_t state_after(const ripstop_change *change) {
  return !change->up ? DOWN : change->rate ? change->rate : RIPSTOP_RATE_FULL;
}

/* Every change of a part must change it; its first state follows from the fault set. */
static int check_turns(const reader *r, ripstop_error *err) {
  const ripstop_fabric *fabric = ripstop_names_fabric(r->names);
  uint16_t *states = new_states(fabric, UNKNOWN);
  int status = 0;
  for (size_t i = 0; i < r->count && status == 0; i++) {
    const ripstop_change *change = &r->item[i].change;
    uint16_t *state = state_of(fabric, states, change), next = state_after(change);
    if (*state == next) status = refuse(r, &r->item[i], err);
    *state = next;
  }
  ripstop_free(states);
  return status;
}

int ripstop_schedule_check(const ripstop_schedule *schedule, const ripstop_fabric *fabric, const ripstop_faults *faults,
                           ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  uint16_t *states = new_states(fabric, RIPSTOP_RATE_FULL);
  int status = 0;
  for (uint32_t i = 0; faults && i < faults->links; i++) states[faults->link[i]] = DOWN;
  for (uint32_t i = 0; faults && i < faults->switches; i++) states[fabric->links + faults->switch_[i]] = DOWN;
  for (uint32_t i = 0; faults && i < faults->slows; i++) states[faults->slow[i].link] = faults->slow[i].rate;
  for (size_t i = 0; i < schedule->count && status == 0; i++) {
    const ripstop_change *change = &schedule->change[i];
    uint16_t *state = state_of(fabric, states, change), next = state_after(change);
    if (change->up && *state == next) status = refuse_change(fabric, change, err);
    *state = next;
  }
  ripstop_free(states);
  return status;
}

bool ripstop_change_is_known(const ripstop_fabric *f, const ripstop_change *change) {
  return change->is_switch ? change->id >= f->ends && change->id < f->nodes : change->id < f->links;
}

static bool is_rate(const ripstop_change *c) {
  return !c->rate || (!c->is_switch && c->up && c->rate >= RIPSTOP_RATE_LEAST && c->rate <= RIPSTOP_RATE_FULL);
}

int ripstop_schedule_fits(const ripstop_schedule *schedule, const ripstop_fabric *fabric, ripstop_error *err) {
  for (size_t i = 0; i < schedule->count; i++) {
    const ripstop_change *c = &schedule->change[i];
    if (!ripstop_change_is_known(fabric, c) || (i > 0 && c->cycle < schedule->change[i - 1].cycle))
      return ripstop_fail(err, "schedule: change %zu names no part of this fabric or is out of order", i);
    if (!is_rate(c))
      return ripstop_fail(err, "schedule: change %zu has a rate of %u: links that are up have %d to %d thousandths", i,
                          c->rate, RIPSTOP_RATE_LEAST, RIPSTOP_RATE_FULL);
  }
  return 0;
}

static int parse(ripstop_arena *arena, const ripstop_names *names, const char *path, const char *text, size_t length,
                 ripstop_schedule *out, ripstop_error *err) {
  reader r = {.names = names, .path = path};
  int status = read_items(&r, text, length, err);
  if (status == 0 && r.count > 0) qsort(r.item, r.count, sizeof *r.item, by_time);
  if (status == 0) status = check_turns(&r, err);
  if (status == 0) {
    ripstop_change *change = RIPSTOP_ARRAY(arena, r.count, ripstop_change);
    for (size_t i = 0; i < r.count; i++) change[i] = r.item[i].change;
    *out = (ripstop_schedule){.count = r.count, .change = change};
  }
  ripstop_free(r.item);
  return status;
}

int ripstop_schedule_parse(ripstop_arena *arena, const ripstop_names *names, const char *text, size_t length,
                           ripstop_schedule *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  return parse(arena, names, NULL, text, length, out, err);
}

int ripstop_schedule_read(ripstop_arena *arena, const ripstop_names *names, const char *path, ripstop_schedule *out,
                          ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  char *text = NULL;
  size_t length = 0;
  int status = ripstop_read_file(scratch, path, RIPSTOP_FAULTS_FILE_LIMIT, &text, &length, err);
  if (status == 0) status = parse(arena, names, path, text, length, out, err);
  ripstop_arena_free(scratch);
  return status;
}

void ripstop_schedule_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_schedule *schedule) {
  ripstop_text_add_bytes(out, "", 0);
  for (size_t i = 0; i < schedule->count; i++) {
    const ripstop_change *change = &schedule->change[i];
    if (i > 0) ripstop_text_add(out, " ");
    ripstop_part_add_name(out, fabric, change->id, change->is_switch);
    ripstop_part_add_rate(out, change->rate);
    ripstop_text_add(out, "%s@%" PRIu64, change->up && !change->rate ? "+" : "", change->cycle);
  }
}
