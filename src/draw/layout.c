/* layout.c - places by coordinates. Nothing here knows a size in pixels, so that pictures of any scale share it. */
#include "draw/layout.h"

#include <math.h>
#include <stdlib.h>

#include "fabric/digits.h"
#include "ripstop/plugin/base.h"

typedef draw_point point;

/* ------------------------------------------------------------------ rings */

point draw_on_ring(point centre, double radius, double angle) {
  return (point){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
}

void draw_ring(point *at, uint32_t count, point centre, double radius) {
  for (uint32_t i = 0; i < count; i++) at[i] = draw_on_ring(centre, radius, 2 * M_PI * i / count - M_PI / 2);
}

/* ------------------------------------------------------------------ levels */

static int by_level(const void *a, const void *b) {
  const draw_deadlocked *x = a, *y = b;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

uint32_t draw_sort_levels(draw_deadlocked *list, uint32_t count, uint32_t *slot) {
  uint32_t most = 0, before = 0;
  qsort(list, count, sizeof *list, by_level);
  for (uint32_t i = 0; i < count; i++) {
    before = i && list[i].level == list[i - 1].level ? before + 1 : 0;
    slot[list[i].node] = before;
    if (before >= most) most = before + 1;
  }
  return most;
}

void draw_levels(ripstop_arena *arena, point *at, const draw_deadlocked *list, uint32_t count, const uint32_t *slot,
                 double width, double gap) {
  uint32_t *slots = RIPSTOP_ARRAY(arena, count ? list[count - 1].level + 1 : 0, uint32_t);
  for (uint32_t i = 0; i < count; i++)
    if (slot[list[i].node] >= slots[list[i].level]) slots[list[i].level] = slot[list[i].node] + 1;
  for (uint32_t i = 0; i < count; i++)
    at[list[i].node] = (point){width * (slot[list[i].node] + 0.5) / slots[list[i].level], -(list[i].level * gap)};
}

/* ------------------------------------------------------------------ rows and columns */

static const uint16_t *place_of(const draw_places *p, uint32_t s) { return p->place + (size_t)s * p->dims; }

static uint32_t size_of(const draw_places *p, uint32_t dim) {
  uint32_t size = 0;
  for (uint32_t s = 0; s < p->switches; s++)
    if (place_of(p, s)[dim] >= size) size = place_of(p, s)[dim] + 1u;
  return size;
}

static point on_sheet(const uint16_t *place, const uint32_t *size, uint32_t dims, bool wraps) {
  double at[2] = {0, 0}, stride[2] = {1, 1};
  for (uint32_t i = dims; i-- > 0;) {
    unsigned axis = (dims - 1 - i) % 2;
    if (wraps && dims == 3 && i == 0) {
      const uint32_t columns = (uint32_t)ceil(sqrt(size[0] * (size[1] + 1.0) / (size[2] + 1.0)));
      const uint32_t row = place[0] / columns;
      at[0] += (place[0] - row * columns) * stride[0];
      at[1] += row * stride[1];
      break;
    }
    at[axis] += place[i] * stride[axis];
    stride[axis] *= size[i] + 1;
  }
  return (point){at[0], at[1]};
}

void draw_sheets(point *at, const draw_places *p, bool wraps) {
  uint32_t size[RIPSTOP_DIGITS_MAX] = {0};
  for (uint32_t i = 0; i < p->dims; i++) size[i] = size_of(p, i);
  for (uint32_t s = 0; s < p->switches; s++) at[s] = on_sheet(place_of(p, s), size, p->dims, wraps);
}

/* ------------------------------------------------------------------ lines of a KNS */

bool draw_has_hosts(const ripstop_fabric *f, uint32_t node) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && f->port_node[f->peer[port]] < f->ends) return true;
  return false;
}

/* The reach of the neighbours that have a place, and one of them. */
typedef struct span {
  double left, right, top, bottom, x, y;
  uint32_t count, first;
} span;

static void widen(span *s, uint32_t other, point at) {
  if (!s->count++) s->first = other;
  s->left = fmin(s->left, at.x), s->right = fmax(s->right, at.x);
  s->top = fmin(s->top, at.y), s->bottom = fmax(s->bottom, at.y);
  s->x += at.x, s->y += at.y;
}

/* The switch behind a port that has a place; RIPSTOP_NONE: there is none. */
static uint32_t placed_behind(const ripstop_fabric *f, uint32_t port, const bool *placed) {
  const uint32_t other = f->peer[port] == RIPSTOP_NONE ? 0 : f->port_node[f->peer[port]];
  return other >= f->ends && placed[other - f->ends] ? other - f->ends : RIPSTOP_NONE;
}

static span span_of(const ripstop_fabric *f, uint32_t node, const point *at, const bool *placed) {
  span s = {.left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY};
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    const uint32_t other = placed_behind(f, port, placed);
    if (other != RIPSTOP_NONE) widen(&s, other, at[other]);
  }
  return s;
}

/* The number of pairs of dimensions, rows and columns first, below the one in which the line's routers differ. */
static uint32_t rank_of(const ripstop_fabric *f, const draw_places *p, uint32_t node, uint32_t first,
                        const bool *placed) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    const uint32_t other = placed_behind(f, port, placed);
    if (other == RIPSTOP_NONE || !draw_has_hosts(f, f->ends + other)) continue;
    for (uint32_t i = 0; i < p->dims; i++)
      if (place_of(p, other)[i] != place_of(p, first)[i]) return (p->dims - 1 - i) / 2;
  }
  return 0;
}

bool draw_line_switch(point *at, const ripstop_fabric *f, const draw_places *p, uint32_t s, const bool *placed,
                      double beside, double aside) {
  const span to = span_of(f, f->ends + s, at, placed);
  if (!to.count) return false;
  const bool routers = draw_has_hosts(f, f->ends + to.first);
  const double off = routers ? aside * rank_of(f, p, f->ends + s, to.first, placed) : 0;
  if (to.top == to.bottom && to.left < to.right)
    at[s] = (point){to.right + beside, to.top - off};
  else if (to.left == to.right && to.top < to.bottom)
    at[s] = (point){to.left - off, to.bottom + beside};
  else
    at[s] = (point){to.x / to.count + beside / 2, to.y / to.count + beside / 2};
  return true;
}

void draw_line_switches(ripstop_arena *arena, point *at, const ripstop_fabric *f, const draw_places *p, double beside,
                        double aside) {
  bool *placed = RIPSTOP_ARRAY(arena, p->switches, bool);
  for (uint32_t s = 0; s < p->switches; s++) placed[s] = draw_has_hosts(f, f->ends + s);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t s = 0; s < p->switches; s++)
      if (!placed[s] && draw_line_switch(at, f, p, s, placed, beside, aside)) placed[s] = more = true;
  }
}

/* ------------------------------------------------------------------ groups */

draw_groups draw_count_groups(const draw_places *p) { return (draw_groups){size_of(p, 0), size_of(p, 1), 0, 0}; }

void draw_place_groups(point *at, const draw_places *p, const draw_groups *g) {
  for (uint32_t s = 0; s < p->switches; s++) {
    const double turn = 2 * M_PI * place_of(p, s)[0] / g->groups, own = turn + 2 * M_PI * place_of(p, s)[1] / g->most;
    at[s] = draw_on_ring(draw_on_ring((point){0, 0}, g->large, turn), g->small, own);
  }
}
