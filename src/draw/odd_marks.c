/* odd_marks.c - what stands out of a drawing: oddities in red, dashed where a cable is missing; parts whose failure
 * disconnects others; the worst of the others. A cable is a line, a switch a ring, or a border within a box of several;
 * each has a title that says what it is, and the first of them numbers, for a list beside the drawing.
 *
 * Where switches share boxes, several cables may lie between the same two: their lines are bowed one after the other,
 * so that each can be seen. */
#include <inttypes.h>
#include <string.h>

#include "draw/drawing.h"
#include "draw/escape.h"
#include "fabric/inner.h"
#include "recognise/odd_rows.h"

typedef draw_point point;

enum { ODDS_NUMBERED = 40, PARTING = 10, WORST = 3 };

bool picture_is_host_cable(const picture *o, uint32_t part) {
  const ripstop_faults *set = &o->set[part];
  return set->links == 1 && set->switches == 0 && set->link[0] < o->fabric->link_ends;
}

/* ------------------------------------------------------------------ which */

typedef struct marking {
  picture *o;
  picture_mark *list;
  uint32_t numbers;
} marking;

static void add_odds(marking *m, const ripstop_odds *odds) {
  ripstop_names *names = ripstop_names_new(m->o->fabric);
  uint32_t node[2];
  for (uint32_t i = 0; odds && i < odds->count; i++) {
    const ripstop_odd *odd = &odds->list[i];
    unsigned found = 0;
    for (uint32_t k = 0; k < odd->places && !found; k++) found = ripstop_odd_switches(names, odd->where[k], node);
    if (!found) continue;
    m->list[m->o->marks++] =
        (picture_mark){.odd = odd, .number = m->o->parts && m->numbers < ODDS_NUMBERED ? ++m->numbers : 0};
  }
  ripstop_names_free(names);
}

static bool same_effect(const ripstop_what_if *a, const ripstop_what_if *b) {
  return a->disconnected == b->disconnected && a->credit_loop == b->credit_loop && a->on_it == b->on_it &&
         a->worst == b->worst;
}

/* They are in order. */
static void add_parts(marking *m) {
  const picture *o = m->o;
  uint32_t parting = 0, worst = 0, last = RIPSTOP_NONE;
  for (uint32_t i = 0; i < o->parts; i++)
    if (!picture_is_host_cable(o, o->order[i])) last = o->order[i];
  for (uint32_t i = 0; i < o->parts && worst < WORST; i++) {
    const uint32_t part = o->order[i];
    const ripstop_what_if *e = &o->effect[part];
    const bool parts = e->disconnected > e->own;
    if (picture_is_host_cable(o, part) || (parts && parting == PARTING)) continue;
    if (!parts && same_effect(e, &o->effect[last])) break;
    parts ? parting++ : worst++;
    m->list[m->o->marks++] = (picture_mark){.number = ++m->numbers, .part = part, .parts = parts};
  }
}

void picture_find_marks(ripstop_arena *arena, picture *o) {
  const uint32_t odds = (o->told ? o->told->count : 0) + o->recognised->odd.count;
  marking m = {.o = o, .list = RIPSTOP_ARRAY(arena, odds + PARTING + WORST, picture_mark)};
  add_odds(&m, o->told);
  add_odds(&m, &o->recognised->odd);
  add_parts(&m);
  o->mark = m.list;
}

/* ------------------------------------------------------------------ how they are drawn */

typedef struct marks {
  const drawing *d;
  ripstop_names *names;
  uint16_t *lines; /* [spots][spots]: drawn already; the same: frames of a box. Of a drawing with boxes */
  point *number;
  uint32_t numbers;
} marks;

/* Counts the marks in the same place before this one. */
static unsigned next_of(marks *m, uint32_t a, uint32_t b) {
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  return m->lines ? m->lines[(size_t)low * m->d->layout.spots + high]++ : 0;
}

/* "<path d='...'", the attributes of which go on. Returns where its number stands. */
static point open_line(marks *m, uint32_t a, uint32_t b, unsigned before) {
  enum { BOWS = 12 }; /* later ones lie on these */
  const drawing *d = m->d;
  const point from = d->layout.at[a], to = d->layout.at[b];
  const unsigned step = (before % BOWS + 1) / 2;
  const double bow = draw_bow(d, from, to) + 0.05 * step * (before % 2 ? 1 : -1);
  draw_candidate(d, from, to, bow);
  return (point){(from.x + to.x + bow * (to.y - from.y)) / 2, (from.y + to.y - bow * (to.x - from.x)) / 2};
}

static point open_ring(marks *m, uint32_t s, unsigned before) {
  enum { FRAMES = 4 };
  const drawing *d = m->d;
  const point at = d->layout.at[s];
  const double beyond = 3 + 3 * (before % FRAMES), w = d->width + 2 * beyond, h = d->height + 2 * beyond;
  if (d->gathered)
    ripstop_text_add(d->out, "<path d='M%.1f %.1fh%.3gv%.3gh%.3gz'", at.x - w / 2, at.y - h / 2, w, h, -w);
  else
    ripstop_text_add(d->out, "<circle cx='%.1f' cy='%.1f' r='8'", at.x, at.y);
  return (point){at.x + 14, at.y - h / 2 - 10};
}

/* Marks one switch, or a cable between two. */
static void draw_mark(marks *m, const uint32_t *node, unsigned count, const picture_mark *mark, const char *colour,
                      bool dashed, const char *title) {
  const drawing *d = m->d;
  const uint32_t a = node[0] - d->o->fabric->ends, b = node[count - 1] - d->o->fabric->ends;
  const unsigned before = next_of(m, d->layout.spot[a], d->layout.spot[b]);
  const bool line = d->layout.spot[a] != d->layout.spot[b];
  const point at = line ? open_line(m, a, b, before) : open_ring(m, a, before);
  ripstop_text_add(d->out, " stroke='%s' stroke-width='1.8'%s><title>", colour,
                   dashed ? " stroke-dasharray='5 4'" : "");
  draw_escape(d->out, title);
  ripstop_text_add(d->out, line || d->gathered ? "</title></path>\n" : "</title></circle>\n");
  if (mark) draw_number(d, at, colour, mark->number, m->number, &m->numbers);
}

/* True if a place adds nothing to those before it, because its switches are theirs. */
static bool is_told(const marks *m, const ripstop_odd *odd, uint32_t place, const uint32_t *node, unsigned count) {
  for (uint32_t k = 0; k < place; k++) {
    uint32_t before[2];
    const unsigned found = ripstop_odd_switches(m->names, odd->where[k], before);
    unsigned same = 0;
    for (unsigned i = 0; i < count; i++)
      same += (found > 0 && node[i] == before[0]) || (found > 1 && node[i] == before[1]);
    if (same == count) return true;
  }
  return false;
}

static void draw_odd(marks *m, ripstop_arena *arena, const picture_mark *mark) {
  const ripstop_odd *odd = mark->odd;
  const bool gone = !strncmp(odd->what, "missing", 7) || !strcmp(odd->what, "unequal planes");
  bool numbered = mark->number == 0;
  for (uint32_t k = 0; k < odd->places; k++) {
    uint32_t node[2];
    const unsigned count = ripstop_odd_switches(m->names, odd->where[k], node);
    if (!count || is_told(m, odd, k, node, count)) continue;
    draw_mark(m, node, count, numbered ? NULL : mark, ODD_COLOUR, gone && count == 2,
              ripstop_arena_printf(arena, "%s %s", odd->what, odd->where[k]));
    numbered = true;
  }
}

static void draw_part(marks *m, ripstop_arena *arena, const picture_mark *mark) {
  const picture *o = m->d->o;
  const ripstop_faults *set = &o->set[mark->part];
  const char *colour = mark->parts ? PARTING_COLOUR : WORST_COLOUR;
  ripstop_text text = {0};
  picture_mark_text(o, mark, &text);
  const char *title = ripstop_arena_text(arena, text.data);
  ripstop_text_free(&text);
  for (uint32_t i = 0; i < set->links + set->switches; i++) {
    uint32_t node[2], count = 1;
    if (i < set->links) {
      for (unsigned side = 0; side < 2; side++) node[side] = ripstop_link_node(o->fabric, set->link[i], side);
      count = node[0] < o->fabric->ends ? 1 : 2;
      if (count == 1) node[0] = node[1];
    } else {
      node[0] = set->switch_[i - set->links];
    }
    draw_mark(m, node, count, i == 0 ? mark : NULL, colour, false, title);
  }
}

void draw_marks(const drawing *d, ripstop_arena *arena) {
  const size_t spots = d->layout.spots;
  marks m = {.d = d, .names = ripstop_names_new(d->o->fabric)};
  m.number = RIPSTOP_ARRAY(arena, d->o->marks, point);
  if (d->gathered) m.lines = RIPSTOP_ARRAY(arena, spots * spots, uint16_t);
  for (uint32_t i = d->o->marks; i-- > 0;) /* oddities on top */
    d->o->mark[i].odd ? draw_odd(&m, arena, &d->o->mark[i]) : draw_part(&m, arena, &d->o->mark[i]);
  ripstop_names_free(m.names);
}

/* ------------------------------------------------------------------ words */

void picture_mark_text(const picture *o, const picture_mark *mark, ripstop_text *out) {
  if (mark->odd) {
    ripstop_text_add(out, "%s: %s", mark->odd->what, mark->odd->text);
    return;
  }
  const ripstop_what_if *e = &o->effect[mark->part];
  ripstop_text_add(out, "%s%s%s: ", o->name[mark->part], *o->name_told[mark->part] ? " " : "",
                   o->name_told[mark->part]);
  if (mark->parts)
    ripstop_text_add(out, "%" PRIu64 " pairs of working adapters are disconnected", e->disconnected - e->own);
  else
    ripstop_text_add(out, "%" PRIu64 " paths on it; without it %" PRIu64 " on the worst link%s", e->on_it, e->worst,
                     e->credit_loop && !o->before->credit_loop ? ", and a credit loop" : "");
}
