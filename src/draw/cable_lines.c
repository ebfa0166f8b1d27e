/* cable_lines.c - which lines a drawing has for the live cables between switches: one for all between two spots, and
 * where rows and columns are gathered one for all between two sheets, and one for all of a row in which more than two
 * pairs of switches are joined past others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/drawing.h"

typedef draw_point point;

/* ------------------------------------------------------------------ between two spots */

static double hotter(double a, double b) { return isnan(a) ? b : isnan(b) ? a : fmax(a, b); }

typedef struct finding {
  const drawing *d;
  uint32_t *first, *next; /* switches of a spot, + 1; 0 ends a list */
  uint32_t *place, *seen; /* [spots]: where the bundle to it is, and from which spot, + 1 */
  bundle *list;
  uint32_t count;
  const bool *safe; /* [links]: it is of the safe set */
} finding;

static void add_port(const finding *f, bundle *of, uint32_t port) {
  const drawing *d = f->d;
  const double *use = d->o->use;
  of->cables++;
  of->safe += f->safe[d->o->fabric->port_link[port]];
  if (use) of->use = hotter(of->use, hotter(use[port], use[d->o->fabric->peer[port]]));
}

static bundle *bundle_to(finding *f, uint32_t at, uint32_t to) {
  const drawing *d = f->d;
  if (f->seen[to] != at + 1) {
    const uint32_t a = f->first[at] - 1, b = f->first[to] - 1;
    f->seen[to] = at + 1, f->place[to] = f->count;
    f->list[f->count++] = (bundle){.a = a, .b = b, .from = d->layout.at[a], .to = d->layout.at[b], .use = NAN};
    f->list[f->count - 1].bow = draw_bow(d, d->layout.at[a], d->layout.at[b]);
  }
  return &f->list[f->place[to]];
}

/* Cables within a spot make a bundle from it to itself. */
static void find_at(finding *f, uint32_t at) {
  const ripstop_fabric *fabric = f->d->o->fabric;
  for (uint32_t s = f->first[at]; s; s = f->next[s - 1])
    for (uint32_t port = fabric->port_base[fabric->ends + s - 1]; port < fabric->port_base[fabric->ends + s]; port++) {
      const uint32_t peer = fabric->peer[port];
      if (!f->d->o->view->port_up[port] || fabric->port_node[peer] < fabric->ends) continue;
      const uint32_t to = f->d->layout.spot[fabric->port_node[peer] - fabric->ends];
      if (to > at || (to == at && peer > port)) add_port(f, bundle_to(f, at, to), port);
    }
}

/* ------------------------------------------------------------------ sheets and rows */

enum { ALONE, OF_ROW, OF_COLUMN, OF_SHEETS };

typedef struct line {
  uint32_t kind, a, b; /* sheets; of a row or column: sheet, and where it lies in it */
  uint32_t member;     /* its bundle */
} line;

static line line_of(const drawing *d, const bundle *list, uint32_t i) {
  const draw_layout *l = &d->layout;
  const bundle *one = &list[i];
  const uint32_t a = l->sheet[one->a], b = l->sheet[one->b];
  if (a != b) return (line){OF_SHEETS, a < b ? a : b, a < b ? b : a, i};
  const double fine = 5 / l->unit; /* lines of a KNS stand .6 of a unit behind others */
  if (fabs(one->from.y - one->to.y) < 0.1 * l->unit)
    return (line){OF_ROW, a, (uint32_t)lround(fine * (one->from.y - l->frame[a].y)), i};
  if (fabs(one->from.x - one->to.x) < 0.1 * l->unit)
    return (line){OF_COLUMN, a, (uint32_t)lround(fine * (one->from.x - l->frame[a].x)), i};
  return (line){ALONE, i, 0, i};
}

static int by_line(const void *a, const void *b) {
  const line *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

/* The point where the line from a box's middle to another point leaves the box. */
static point edge_of(const draw_frame *frame, point to) {
  const point middle = {frame->x + frame->width / 2, frame->y + frame->height / 2};
  const double dx = to.x - middle.x, dy = to.y - middle.y;
  const double share = fmin(1, fmin(frame->width / 2 / fmax(1e-9, fabs(dx)), frame->height / 2 / fmax(1e-9, fabs(dy))));
  return (point){middle.x + share * dx, middle.y + share * dy};
}

static point middle_of(const draw_frame *frame) {
  return (point){frame->x + frame->width / 2, frame->y + frame->height / 2};
}

static bundle merge(const drawing *d, const bundle *list, const line *from, uint32_t count) {
  bundle all = list[from->member];
  all.bow = 0, all.cables = 0, all.safe = 0;
  for (uint32_t i = 0; i < count; i++) {
    const bundle *one = &list[from[i].member];
    all.cables += one->cables;
    all.safe += one->safe;
    all.use = hotter(all.use, one->use);
    all.from = (point){fmin(all.from.x, fmin(one->from.x, one->to.x)), fmin(all.from.y, fmin(one->from.y, one->to.y))};
    all.to = (point){fmax(all.to.x, fmax(one->from.x, one->to.x)), fmax(all.to.y, fmax(one->from.y, one->to.y))};
  }
  if (from->kind != OF_SHEETS) return all;
  const draw_frame *a = &d->layout.frame[from->a], *b = &d->layout.frame[from->b];
  all.from = edge_of(a, middle_of(b)), all.to = edge_of(b, middle_of(a));
  return all;
}

/* In place of the bundles between switches. */
static uint32_t gather_lines(drawing *d, ripstop_arena *arena, bundle *list, uint32_t count) {
  enum { WRAPS = 2 };
  line *lines = RIPSTOP_ARRAY(arena, count + 1, line);
  bundle *out = RIPSTOP_ARRAY(arena, count + 1, bundle);
  uint32_t made = 0;
  for (uint32_t i = 0; i < count; i++) lines[i] = line_of(d, list, i);
  qsort(lines, count, sizeof *lines, by_line);
  for (uint32_t i = 0, k; i < count; i = k) {
    uint32_t past = 0;
    for (k = i; k < count && lines[k].kind == lines[i].kind && lines[k].a == lines[i].a && lines[k].b == lines[i].b;
         k++)
      past += list[lines[k].member].bow != 0;
    d->rows = d->rows || (lines[i].kind != OF_SHEETS && past > WRAPS);
    if (lines[i].kind == OF_SHEETS || past > WRAPS)
      out[made++] = merge(d, list, lines + i, k - i);
    else
      for (uint32_t n = i; n < k; n++) out[made++] = list[lines[n].member];
  }
  memcpy(list, out, made * sizeof *list);
  return made;
}

/* ------------------------------------------------------------------ all */

static const bool *find_safe(const picture *o, ripstop_arena *arena) {
  bool *safe = RIPSTOP_ARRAY(arena, o->fabric->links, bool);
  for (uint32_t i = 0; o->safe && i < o->safe->links; i++) safe[o->safe->link[i]] = true;
  return safe;
}

static int by_use(const void *a, const void *b) {
  const bundle *x = a, *y = b;
  const double one = isnan(x->use) ? -1 : x->use, other = isnan(y->use) ? -1 : y->use;
  if (one != other) return one < other ? -1 : 1;
  return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

uint32_t drawing_lines(drawing *d, ripstop_arena *arena, bundle **out) {
  const uint32_t spots = d->layout.spots, *spot = d->layout.spot;
  finding f = {.d = d, .safe = find_safe(d->o, arena)};
  f.first = RIPSTOP_ARRAY(arena, spots, uint32_t), f.next = RIPSTOP_ARRAY(arena, d->switches, uint32_t);
  f.place = RIPSTOP_ARRAY(arena, spots, uint32_t), f.seen = RIPSTOP_ARRAY(arena, spots, uint32_t);
  f.list = RIPSTOP_ARRAY(arena, d->o->fabric->links - d->o->fabric->link_ends + 1, bundle);
  for (uint32_t s = d->switches; s-- > 0;) f.next[s] = f.first[spot[s]], f.first[spot[s]] = s + 1;
  for (uint32_t at = 0; at < spots; at++) find_at(&f, at);
  for (uint32_t i = 0; i < f.count; i++) d->within = d->within || f.list[i].a == f.list[i].b;
  if (d->layout.sheet) f.count = gather_lines(d, arena, f.list, f.count);
  if (d->o->use) qsort(f.list, f.count, sizeof *f.list, by_use);
  *out = f.list;
  return f.count;
}
