/* outlook_draw.c - where switches stand follows from what was recognised; one line for all cables between two of them.
 * Cables that go round or over switches of their row are bowed.
 *
 * A deadlock is a row of arrows with numbers, each a queue that waits for the next. Oddities come last, on top: a cable
 * that is there in red, one that is missing in red dashes, a switch in a red ring; each has a title that says what it
 * is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/outlook.h"

typedef struct point {
  double x, y;
} point;

typedef struct drawing {
  const outlook *o;
  ripstop_text *out;
  ripstop_names *names;
  point *at; /* [switches] */
  uint32_t switches;
  double width, height;
  double unit; /* between neighbours of a row; 0: there are no rows */
} drawing;

enum { MARGIN = 30, ROOM = 940, LEVELS_APART = 190, LEAST_APART = 9 };

/* ------------------------------------------------------------------ where switches stand */

static const uint16_t *place_of(const drawing *d, uint32_t s) {
  return d->o->recognised->place + (size_t)s * d->o->recognised->dims;
}

static void place_ring(drawing *d, uint32_t first, uint32_t count, point centre, double radius) {
  for (uint32_t i = 0; i < count; i++) {
    double angle = 2 * M_PI * i / count - M_PI / 2;
    d->at[first + i] = (point){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
  }
}

static void place_all_in_a_ring(drawing *d) {
  double radius = d->switches * LEAST_APART / (2 * M_PI);
  if (radius < ROOM / 2.6) radius = ROOM / 2.6;
  d->width = d->height = 2 * (radius + MARGIN);
  place_ring(d, 0, d->switches, (point){radius + MARGIN, radius + MARGIN}, radius);
}

typedef struct standing {
  uint32_t level, block, s;
} standing;

static int by_level(const void *a, const void *b) {
  const standing *x = a, *y = b;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  if (x->block != y->block) return x->block < y->block ? -1 : 1;
  return x->s < y->s ? -1 : x->s > y->s;
}

static void place_levels(drawing *d, ripstop_arena *arena) {
  standing *list = RIPSTOP_ARRAY(arena, d->switches, standing);
  uint32_t most = 0, top = 0;
  for (uint32_t s = 0; s < d->switches; s++) list[s] = (standing){place_of(d, s)[0], place_of(d, s)[1], s};
  qsort(list, d->switches, sizeof *list, by_level);
  for (uint32_t i = 0, k; i < d->switches; i = k) {
    for (k = i; k < d->switches && list[k].level == list[i].level;) k++;
    if (k - i > most) most = k - i;
    if (list[i].level > top) top = list[i].level;
  }
  double room = most * LEAST_APART > ROOM ? most * LEAST_APART : ROOM;
  d->width = room + 2 * MARGIN;
  d->height = 2 * MARGIN + top * room * LEVELS_APART / ROOM;
  for (uint32_t i = 0, k; i < d->switches; i = k) {
    for (k = i; k < d->switches && list[k].level == list[i].level;) k++;
    for (uint32_t n = i; n < k; n++)
      d->at[list[n].s] = (point){MARGIN + room * (n - i + 0.5) / (k - i),
                                 d->height - MARGIN - list[i].level * room * LEVELS_APART / ROOM};
  }
}

/* The last coordinates are columns and rows of a sheet; those before them go by sheets, to the right and down. */
static void place_sheets(drawing *d) {
  uint32_t dims = d->o->recognised->dims, size[RIPSTOP_PLACE_DIMS] = {0};
  double most[2] = {1, 1};
  for (uint32_t s = 0; s < d->switches; s++)
    for (uint32_t i = 0; i < dims; i++)
      if (place_of(d, s)[i] >= size[i]) size[i] = place_of(d, s)[i] + 1u;
  for (uint32_t s = 0; s < d->switches; s++) {
    double at[2] = {0, 0}, stride[2] = {1, 1};
    for (uint32_t i = dims; i-- > 0;) {
      unsigned axis = (dims - 1 - i) % 2;
      at[axis] += place_of(d, s)[i] * stride[axis];
      stride[axis] *= size[i] + 1;
    }
    for (unsigned axis = 0; axis < 2; axis++) most[axis] = fmax(most[axis], at[axis]);
    d->at[s] = (point){at[0], at[1]};
  }
  double unit = fmax(LEAST_APART * 1.6, fmin(90, ROOM / most[0]));
  d->unit = unit;
  for (uint32_t s = 0; s < d->switches; s++) d->at[s] = (point){MARGIN + unit * d->at[s].x, MARGIN + unit * d->at[s].y};
  d->width = fmax(ROOM / 2.0, unit * most[0]) + 2 * MARGIN;
  d->height = unit * most[1] + 2 * MARGIN;
}

/* The reach of the neighbours that have a place. */
typedef struct span {
  double left, right, top, bottom, x, y;
  uint32_t count;
} span;

static span span_of(const drawing *d, uint32_t node, const bool *placed) {
  const ripstop_fabric *f = d->o->fabric;
  span s = {.left = INFINITY, .right = -INFINITY, .top = INFINITY, .bottom = -INFINITY};
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    if (f->peer[port] == RIPSTOP_NONE || f->port_node[f->peer[port]] < f->ends) continue;
    uint32_t other = f->port_node[f->peer[port]] - f->ends;
    if (!placed[other]) continue;
    const point at = d->at[other];
    s.left = fmin(s.left, at.x), s.right = fmax(s.right, at.x);
    s.top = fmin(s.top, at.y), s.bottom = fmax(s.bottom, at.y);
    s.x += at.x, s.y += at.y, s.count++;
  }
  return s;
}

static bool has_hosts(const ripstop_fabric *f, uint32_t node) {
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && f->port_node[f->peer[port]] < f->ends) return true;
  return false;
}

/* The switches of a KNS's lines stand behind the end of their row or column; those of further dimensions, and of lines
 * that are trees themselves, beside the middle of their neighbours. */
static void place_line(drawing *d, uint32_t s, span to) {
  const double beside = 0.6 * d->unit;
  if (to.top == to.bottom && to.left < to.right)
    d->at[s] = (point){to.right + beside, to.top};
  else if (to.left == to.right && to.top < to.bottom)
    d->at[s] = (point){to.left, to.bottom + beside};
  else
    d->at[s] = (point){to.x / to.count + beside / 2, to.y / to.count + beside / 2};
}

static void place_kns(drawing *d, ripstop_arena *arena) {
  const ripstop_fabric *f = d->o->fabric;
  bool *placed = RIPSTOP_ARRAY(arena, d->switches, bool);
  place_sheets(d);
  for (uint32_t s = 0; s < d->switches; s++) placed[s] = has_hosts(f, f->ends + s);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t s = 0; s < d->switches; s++) {
      span to = span_of(d, f->ends + s, placed);
      if (placed[s] || !to.count) continue;
      place_line(d, s, to);
      placed[s] = more = true;
    }
  }
  for (uint32_t s = 0; s < d->switches; s++) {
    d->width = fmax(d->width, d->at[s].x + MARGIN);
    d->height = fmax(d->height, d->at[s].y + MARGIN);
  }
}

static void place_groups(drawing *d) {
  uint32_t groups = 0, most = 0;
  for (uint32_t s = 0; s < d->switches; s++) {
    if (place_of(d, s)[0] >= groups) groups = place_of(d, s)[0] + 1u;
    if (place_of(d, s)[1] >= most) most = place_of(d, s)[1] + 1u;
  }
  double small = fmax(14, most * LEAST_APART / (2 * M_PI)), large = fmax(ROOM / 2.6, groups * small * 2.6 / (2 * M_PI));
  d->width = d->height = 2 * (large + small + MARGIN);
  for (uint32_t s = 0; s < d->switches; s++) {
    double turn = 2 * M_PI * place_of(d, s)[0] / groups, own = turn + 2 * M_PI * place_of(d, s)[1] / most;
    d->at[s] = (point){d->width / 2 + large * cos(turn) + small * cos(own),
                       d->height / 2 + large * sin(turn) + small * sin(own)};
  }
}

static void place_switches(drawing *d, ripstop_arena *arena) {
  const ripstop_recognised *r = d->o->recognised;
  d->at = RIPSTOP_ARRAY(arena, d->switches, point);
  if (!strcmp(r->family, "fat tree") && r->dims >= 2)
    place_levels(d, arena);
  else if (!strcmp(r->family, "dragonfly") && r->dims >= 2)
    place_groups(d);
  else if (r->dims >= 2 && !strcmp(r->family, "kns"))
    place_kns(d, arena);
  else if (r->dims >= 2)
    place_sheets(d);
  else
    place_all_in_a_ring(d);
}

/* ------------------------------------------------------------------ marks */

static void add_node(const drawing *d, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  const char *text = d->o->text[node];
  ripstop_node_name(d->o->fabric, node, name);
  report_escape(d->out, *text ? text : name);
}

/* A way from one to the other, with its middle aside by a share of its length. */
static void draw_way(const drawing *d, point from, point to, double bow) {
  ripstop_text_add(d->out, "<path d='M%.1f %.1f", from.x, from.y);
  if (bow != 0)
    ripstop_text_add(d->out, "Q%.1f %.1f", (from.x + to.x) / 2 + bow * (to.y - from.y),
                     (from.y + to.y) / 2 - bow * (to.x - from.x));
  ripstop_text_add(d->out, "%s%.1f %.1f'", bow != 0 ? " " : "L", to.x, to.y);
}

/* Cables of a row that are longer than from neighbour to neighbour would hide behind others. */
static bool passes_others(const drawing *d, point from, point to) {
  double along = fmax(fabs(from.x - to.x), fabs(from.y - to.y)),
         across = fmin(fabs(from.x - to.x), fabs(from.y - to.y));
  return d->unit > 0 && along > 1.5 * d->unit && across < 0.1 * d->unit;
}

static void draw_line(const drawing *d, uint32_t a, uint32_t b) {
  const point from = d->at[a - d->o->fabric->ends], to = d->at[b - d->o->fabric->ends];
  draw_way(d, from, to, passes_others(d, from, to) ? 0.14 : 0);
}

/* Every two switches with a live cable between them, once. */
static void draw_cables(const drawing *d, ripstop_arena *arena) {
  const ripstop_fabric *f = d->o->fabric;
  uint32_t *seen = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  double faint = fmax(0.15, fmin(1, 400.0 / (f->links - f->link_ends + 1)));
  ripstop_text_add(d->out, "<g stroke='#8a949e' stroke-width='0.8' opacity='%.2f'>\n", faint);
  for (uint32_t node = f->ends; node < f->nodes; node++)
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
      uint32_t other = d->o->view->port_up[port] ? f->port_node[f->peer[port]] : 0;
      if (other <= node || seen[other] == node) continue;
      seen[other] = node;
      draw_line(d, node, other);
      ripstop_text_add(d->out, "/>\n");
    }
  ripstop_text_add(d->out, "</g>\n");
}

static void draw_safe(const drawing *d) {
  const ripstop_fabric *f = d->o->fabric;
  ripstop_text_add(d->out, "<g stroke='#00684a' stroke-width='1.2' opacity='0.6'>\n");
  for (uint32_t i = 0; d->o->safe && i < d->o->safe->links; i++) {
    draw_line(d, ripstop_link_node(f, d->o->safe->link[i], 0), ripstop_link_node(f, d->o->safe->link[i], 1));
    ripstop_text_add(d->out, "/>\n");
  }
  ripstop_text_add(d->out, "</g>\n");
}

/* Grey: without hosts; blue: with; orange: with less to send on than other leaves. */
static void draw_switches(const drawing *d, ripstop_arena *arena) {
  const outlook *o = d->o;
  const char **fill = RIPSTOP_ARRAY(arena, d->switches, const char *);
  const ripstop_leaf *usual = o->leaves ? &o->leaf[o->leaves / 2] : NULL;
  for (uint32_t i = 0; i < o->leaves; i++) {
    bool weak = o->leaf[i].have * usual->need < usual->have * o->leaf[i].need;
    fill[o->leaf[i].node - o->fabric->ends] = weak ? "#e69f00" : "#0072b2";
  }
  for (uint32_t s = 0; s < d->switches; s++) {
    ripstop_text_add(d->out, "<rect x='%.1f' y='%.1f' width='7' height='7' fill='%s'><title>", d->at[s].x - 3.5,
                     d->at[s].y - 3.5, fill[s] ? fill[s] : "#5b6773");
    add_node(d, o->fabric->ends + s);
    ripstop_text_add(d->out, "</title></rect>\n");
  }
}

/* What is dead: cables in grey dashes, switches crossed out. */
static void draw_dead(const drawing *d) {
  const ripstop_fabric *f = d->o->fabric;
  char name[RIPSTOP_NAME_MAX];
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
    if (d->o->view->link_up[link] || a < f->ends || b < f->ends) continue;
    draw_line(d, a, b);
    ripstop_link_name(f, link, name);
    ripstop_text_add(d->out, " stroke='#555' stroke-width='1.4' stroke-dasharray='2 4'><title>dead: ");
    report_escape(d->out, name);
    ripstop_text_add(d->out, "</title></path>\n");
  }
  for (uint32_t s = 0; s < d->switches; s++) {
    const point at = d->at[s];
    if (d->o->view->node_up[f->ends + s]) continue;
    ripstop_text_add(d->out, "<path d='M%.1f %.1fl12 12m0 -12l-12 12' stroke='#555' stroke-width='1.8'/>\n", at.x - 6,
                     at.y - 6);
  }
}

/* An arrow into the switch where the packet waits, aside so that the one the other way does not hide it; what comes
 * from an end node is a ring. Those of the cycle have numbers. */
static void draw_wait(const drawing *d, const outlook_wait *w, uint32_t number) {
  const ripstop_fabric *f = d->o->fabric;
  const point to = d->at[w->to - f->ends];
  const char *colour = number ? "#c1121f" : "#e59aa0";
  if (w->from < f->ends) {
    ripstop_text_add(d->out, "<circle cx='%.1f' cy='%.1f' r='9' stroke='%s' stroke-width='2'><title>", to.x, to.y,
                     colour);
    report_escape(d->out, w->text);
    ripstop_text_add(d->out, "</title></circle>\n");
    return;
  }
  const point from = d->at[w->from - f->ends];
  const double bow = passes_others(d, from, to) ? 0.2 : 0.12, dx = to.x - from.x, dy = to.y - from.y;
  const double length = fmax(1, hypot(dx, dy)), x = (from.x + to.x + bow * dy) / 2, y = (from.y + to.y - bow * dx) / 2;
  draw_way(d, from, to, bow);
  ripstop_text_add(d->out, " stroke='%s' stroke-width='%s'><title>", colour, number ? "2.4" : "1.2");
  report_escape(d->out, w->text);
  ripstop_text_add(d->out, "</title></path>\n<path d='M%.1f %.1fl%.1f %.1fl%.1f %.1fz' fill='%s'/>\n",
                   x + 7 * dx / length, y + 7 * dy / length, -10 * dx / length - 4 * dy / length,
                   -10 * dy / length + 4 * dx / length, 8 * dy / length, -8 * dx / length, colour);
  if (number)
    ripstop_text_add(d->out, "<text x='%.1f' y='%.1f' fill='%s' font-size='11' font-family='sans-serif'>%u</text>\n",
                     x + 10 * dy / length - 3, y - 10 * dx / length + 4, colour, number);
}

static void draw_waits(const drawing *d) {
  if (!d->o->waits) return;
  ripstop_text_add(d->out, "<g opacity='0.45'>\n");
  for (uint32_t i = d->o->cycle; i < d->o->waits; i++) draw_wait(d, &d->o->wait[i], 0);
  ripstop_text_add(d->out, "</g>\n");
  for (uint32_t i = 0; i < d->o->cycle; i++) draw_wait(d, &d->o->wait[i], i + 1);
}

static void draw_place(const drawing *d, const ripstop_odd *odd, const char *place) {
  uint32_t node[2];
  unsigned count = outlook_switches(d->names, place, node);
  bool gone = !strncmp(odd->what, "missing", 7) || !strcmp(odd->what, "unequal planes");
  if (count == 2) {
    draw_line(d, node[0], node[1]);
    ripstop_text_add(d->out, " stroke='#c1121f' stroke-width='1.8'%s", gone ? " stroke-dasharray='5 4'" : "");
  } else if (count == 1) {
    const point at = d->at[node[0] - d->o->fabric->ends];
    ripstop_text_add(d->out, "<circle cx='%.1f' cy='%.1f' r='8' stroke='#c1121f' stroke-width='1.8'", at.x, at.y);
  } else {
    return;
  }
  ripstop_text_add(d->out, "><title>");
  report_escape(d->out, odd->what);
  ripstop_text_add(d->out, " ");
  report_escape(d->out, place);
  ripstop_text_add(d->out, count == 2 ? "</title></path>\n" : "</title></circle>\n");
}

static void draw_odds(const drawing *d, const ripstop_odds *odds) {
  for (uint32_t i = 0; odds && i < odds->count; i++)
    for (uint32_t k = 0; k < odds->list[i].places; k++) draw_place(d, &odds->list[i], odds->list[i].where[k]);
}

void outlook_draw(const outlook *o, ripstop_text *out) {
  ripstop_arena *arena = ripstop_arena_new();
  drawing d = {.o = o, .out = out, .switches = ripstop_fabric_switches(o->fabric)};
  d.names = ripstop_names_new(o->fabric);
  place_switches(&d, arena);
  const double share = o->waits ? 0.11 : 0.08, bows = d.unit > 0 ? share * fmax(d.width, d.height) : 0;
  ripstop_text_add(out,
                   "<svg xmlns='http://www.w3.org/2000/svg' viewBox='%.0f %.0f %.0f %.0f' fill='none' role='img' "
                   "aria-label='%s'>\n",
                   0 - bows, 0 - bows, d.width + 2 * bows, d.height + 2 * bows,
                   o->waits ? "a deadlock in the fabric" : "the fabric");
  draw_cables(&d, arena);
  draw_safe(&d);
  draw_dead(&d);
  draw_switches(&d, arena);
  draw_waits(&d);
  draw_odds(&d, o->told);
  draw_odds(&d, &o->recognised->odd);
  ripstop_text_add(out, "</svg>\n");
  ripstop_names_free(d.names);
  ripstop_arena_free(arena);
}
