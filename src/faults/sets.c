/* sets.c - fault sets as lines of text. */
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/piece.h"
#include "base/sort.h"
#include "fabric/inner.h"
#include "faults/fault_syntax.h"

/* Numbers that are being collected. */
typedef struct pile {
  uint32_t *id;
  uint32_t count, room;
} pile;

static void pile_add(pile *p, uint32_t id) {
  RIPSTOP_GROW(p->id, p->count, p->room);
  p->id[p->count++] = id;
}

/* Sorts; a number that occurs twice is an error. */
static int pile_sort(const pile *p, const ripstop_fabric *fabric, bool is_switch, ripstop_error *err) {
  if (p->count > 0) qsort(p->id, p->count, sizeof *p->id, ripstop_by_u32);
  for (uint32_t i = 1; i < p->count; i++) {
    if (p->id[i - 1] != p->id[i]) continue;
    RIPSTOP_LOCAL_TEXT(name);
    ripstop_part_add_name(&name, fabric, p->id[i], is_switch);
    ripstop_fail(err, "'%s' is named twice", name.data);
    return -1;
  }
  return 0;
}

static const uint32_t *pile_keep(ripstop_arena *arena, const pile *p) {
  uint32_t *kept = RIPSTOP_ARRAY(arena, p->count, uint32_t);
  if (p->count > 0) memcpy(kept, p->id, p->count * sizeof *kept);
  return kept;
}

/* The parts of a line: failed links, failed switches, slow links (with their rates by link). */
typedef struct gathered {
  pile links, switches, slow, rates;
} gathered;

/* The parts of one word. */
typedef struct found_parts {
  pile links, switches;
} found_parts;

static void note(void *to, uint32_t id, bool is_switch) {
  found_parts *parts = to;
  pile_add(is_switch ? &parts->switches : &parts->links, id);
}

static void pile_move(pile *to, pile *from) {
  for (uint32_t i = 0; i < from->count; i++) pile_add(to, from->id[i]);
  ripstop_free(from->id);
}

static int gather(const ripstop_names *names, const char *line, size_t length, gathered *g, ripstop_error *err) {
  ripstop_words words = {.at = line, .end = line + length, .line = 1};
  const char *text;
  size_t count;
  while (ripstop_words_next(&words, &text, &count)) {
    found_parts parts = {0};
    uint16_t rate = 0;
    if (ripstop_word_mark(text, count, '@') != NULL)
      return ripstop_fail(err, "'%.*s': only schedules carry @CYCLE, a fault set does not", ripstop_word_shown(count),
                          text);
    if (ripstop_part_find_all(names, text, count, note, &parts, &rate, err) != 0) return -1;
    for (uint32_t i = 0; rate && i < parts.links.count; i++) pile_add(&g->rates, rate);
    pile_move(rate ? &g->slow : &g->links, &parts.links);
    pile_move(&g->switches, &parts.switches);
  }
  return 0;
}

static int by_link(const void *a, const void *b) {
  const ripstop_slow_link *x = a, *y = b;
  return x->link < y->link ? -1 : x->link > y->link;
}

static const ripstop_slow_link *keep_slow(ripstop_arena *arena, const gathered *g) {
  ripstop_slow_link *slow = RIPSTOP_ARRAY(arena, g->slow.count, ripstop_slow_link);
  for (uint32_t i = 0; i < g->slow.count; i++)
    slow[i] = (ripstop_slow_link){.link = g->slow.id[i], .rate = (uint16_t)g->rates.id[i]};
  if (g->slow.count) qsort(slow, g->slow.count, sizeof *slow, by_link);
  return slow;
}

/* Refuses duplicates, and a link both failed and slow: checks the lists of links as one. */
static int check_once(const gathered *g, const ripstop_fabric *fabric, ripstop_error *err) {
  pile all = {0};
  for (uint32_t i = 0; i < g->links.count; i++) pile_add(&all, g->links.id[i]);
  for (uint32_t i = 0; i < g->slow.count; i++) pile_add(&all, g->slow.id[i]);
  bool wrong = pile_sort(&all, fabric, false, err) || pile_sort(&g->switches, fabric, true, err);
  ripstop_free(all.id);
  return wrong || pile_sort(&g->links, fabric, false, err) ? -1 : 0;
}

int ripstop_faults_parse(ripstop_arena *arena, const ripstop_names *names, const char *line, size_t length,
                         ripstop_faults *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  gathered g = {0};
  int status = gather(names, line, length, &g, err);
  if (status == 0) status = check_once(&g, ripstop_names_fabric(names), err);
  if (status == 0)
    *out = (ripstop_faults){.links = g.links.count,
                            .switches = g.switches.count,
                            .slows = g.slow.count,
                            .link = pile_keep(arena, &g.links),
                            .switch_ = pile_keep(arena, &g.switches),
                            .slow = keep_slow(arena, &g)};
  ripstop_free(g.links.id);
  ripstop_free(g.switches.id);
  ripstop_free(g.slow.id);
  ripstop_free(g.rates.id);
  return status;
}

/* A line with only a comment. */
static bool is_comment(piece line) {
  piece_skip_blanks(&line);
  return piece_begins(line, "#");
}

typedef struct sets {
  ripstop_faults *set;
  size_t count, room;
} sets;

static int read_sets(ripstop_arena *arena, const ripstop_names *names, const char *path, piece text, sets *out,
                     ripstop_error *err) {
  piece line;
  for (uint32_t number = 1; piece_next_line(&text, &line); number++) {
    if (is_comment(line)) continue;
    RIPSTOP_GROW(out->set, out->count, out->room);
    if (ripstop_faults_parse(arena, names, line.at, piece_length(line), &out->set[out->count], err) != 0)
      return ripstop_fail_at(err, "%s:%u", path, number);
    out->count++;
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
  if (status == 0) status = read_sets(arena, names, path, (piece){text, text + length}, &read, err);
  if (status == 0) {
    *out = RIPSTOP_ARRAY(arena, read.count, ripstop_faults);
    if (read.count > 0) memcpy(*out, read.set, read.count * sizeof **out);
    *count = read.count;
  }
  ripstop_free(read.set);
  ripstop_arena_free(scratch);
  return status;
}

static void add_part(ripstop_text *out, const ripstop_fabric *fabric, uint32_t id, bool is_switch, uint16_t rate) {
  if (out->length) ripstop_text_add(out, " ");
  ripstop_part_add_name(out, fabric, id, is_switch);
  ripstop_part_add_rate(out, rate);
}

void ripstop_faults_print(ripstop_text *out, const ripstop_fabric *fabric, const ripstop_faults *faults) {
  RIPSTOP_LOCAL_TEXT(words);
  for (uint32_t i = 0; i < faults->links; i++) add_part(&words, fabric, faults->link[i], false, 0);
  for (uint32_t i = 0; i < faults->switches; i++) add_part(&words, fabric, faults->switch_[i], true, 0);
  for (uint32_t i = 0; i < faults->slows; i++)
    add_part(&words, fabric, faults->slow[i].link, false, faults->slow[i].rate);
  out->cut |= words.cut;
  ripstop_text_add_bytes(out, words.data ? words.data : "", words.length);
}
