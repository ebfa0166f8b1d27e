/* layout.c - where the page draws nodes: trees by levels, tori and other grids as sheets, dragonflies by groups, all
 * other switches in a ring. End nodes stand beside their switch. A drawing is 1 high. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fabric/digits.h"
#include "lab/scene.h"
#include "ripstop/plugin/family.h"

typedef struct point {
  double x, y;
} point;

typedef struct drawing {
  const ripstop_fabric *fabric;
  ripstop_arena *arena;
  point *at;      /* [nodes] */
  point *outward; /* [nodes], of switches: to where their end nodes stand, as far as the nearest one; none: placed */
  double unit;    /* between neighbours of a sheet; 0: links are straight */
} drawing;

/* ------------------------------------------------------------------ levels */

/* How far each node is from the nearest end node. */
static uint32_t *find_levels(const drawing *d, uint32_t *top) {
  const ripstop_fabric *f = d->fabric;
  uint32_t *level = RIPSTOP_ARRAY(d->arena, f->nodes, uint32_t), *queue = RIPSTOP_ARRAY(d->arena, f->nodes, uint32_t);
  uint32_t count = f->ends;
  for (uint32_t v = 0; v < f->nodes; v++) level[v] = v < f->ends ? 0 : RIPSTOP_NONE;
  for (uint32_t v = 0; v < f->ends; v++) queue[v] = v;
  *top = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t port = f->port_base[queue[i]]; port < f->port_base[queue[i] + 1]; port++) {
      uint32_t next = f->peer[port] == RIPSTOP_NONE ? queue[i] : f->port_node[f->peer[port]];
      if (level[next] != RIPSTOP_NONE) continue;
      *top = level[next] = level[queue[i]] + 1;
      queue[count++] = next;
    }
  return level;
}

static void place_levels(drawing *d) {
  static const double width = 1.8;
  const ripstop_fabric *f = d->fabric;
  uint32_t top, *level = find_levels(d, &top);
  uint32_t *count = RIPSTOP_ARRAY(d->arena, top + 1, uint32_t), *placed = RIPSTOP_ARRAY(d->arena, top + 1, uint32_t);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (level[v] <= top) count[level[v]]++;
  for (uint32_t v = 0; v < f->nodes; v++) {
    uint32_t l = level[v] <= top ? level[v] : top; /* of a switch that nothing leads to */
    d->at[v] = (point){width * (placed[l]++ + 0.5) / count[l], 1 - (double)l / (top ? top : 1)};
  }
}

/* ------------------------------------------------------------------ sheets */

/* Digits 0, 2, .. go to the right, 1, 3, .. down; from the third on by whole sheets. */
static point on_sheets(const uint16_t *digit, const uint32_t *size, uint32_t dims) {
  double at[2] = {0, 0}, stride[2] = {1, 1};
  for (uint32_t i = 0; i < dims; i++) {
    at[i % 2] += digit[i] * stride[i % 2];
    stride[i % 2] *= size[i] + 1;
  }
  return (point){at[0], at[1]};
}

static void place_routers(drawing *d, uint32_t first, uint32_t count, uint32_t dims) {
  const ripstop_fabric *f = d->fabric;
  uint32_t size[RIPSTOP_DIGITS_MAX] = {0};
  for (uint32_t v = first; v < first + count; v++)
    for (uint32_t i = 0; i < dims; i++)
      if (ripstop_coords(f, v)[i] >= size[i]) size[i] = ripstop_coords(f, v)[i] + 1u;
  for (uint32_t v = first; v < first + count; v++) {
    d->at[v] = on_sheets(ripstop_coords(f, v), size, dims);
    d->outward[v] = (point){0.3, 0.3};
  }
  d->unit = 1;
}

static void place_grid(drawing *d) {
  const ripstop_fabric *f = d->fabric;
  uint32_t dims = f->coords - (strcmp(f->family->name, "torus") != 0); /* others have an end node's number, too */
  place_routers(d, f->ends, ripstop_fabric_switches(f), dims);
}

/* Routers as a grid; the switches of a line stand behind the last of its routers, those of lines from sheet to sheet
 * aside. */
static void place_kns(drawing *d) {
  const ripstop_fabric *f = d->fabric;
  uint32_t dims = f->coords - 1, routers = 0;
  while (f->ends + routers < f->nodes && ripstop_coords(f, f->ends + routers)[dims] == dims) routers++;
  place_routers(d, f->ends, routers, dims);
  for (uint32_t v = f->ends + routers; v < f->nodes; v++) {
    const uint32_t dim = ripstop_coords(f, v)[dims];
    const double behind = 0.9, aside = -0.4 * (dim - dim % 2) / 2;
    point last = {-1, -1}, step = dim % 2 ? (point){aside, behind} : (point){behind, aside};
    for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) {
      uint32_t next = f->peer[port] == RIPSTOP_NONE ? v : f->port_node[f->peer[port]];
      if (next < v) last = (point){fmax(last.x, d->at[next].x), fmax(last.y, d->at[next].y)};
    }
    d->at[v] = (point){last.x + step.x, last.y + step.y};
  }
}

/* ------------------------------------------------------------------ rings */

static point on_ring(point centre, double radius, double turn) {
  double angle = 2 * M_PI * turn - M_PI / 2;
  return (point){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
}

static void place_ring(drawing *d) {
  const ripstop_fabric *f = d->fabric;
  uint32_t count = ripstop_fabric_switches(f);
  for (uint32_t i = 0; i < count; i++) {
    d->at[f->ends + i] = on_ring((point){0, 0}, 1, (double)i / count);
    d->outward[f->ends + i] = on_ring((point){0, 0}, 0.12, (double)i / count);
  }
}

/* The group is the last coordinate but the number of an end node. Switches of a group stand in their order. */
static void place_groups(drawing *d) {
  const ripstop_fabric *f = d->fabric;
  uint32_t groups = ripstop_coords(f, f->nodes - 1)[f->coords - 2] + 1u, each = ripstop_fabric_switches(f) / groups;
  uint32_t *placed = RIPSTOP_ARRAY(d->arena, groups, uint32_t);
  double small = fmin(0.42, 2.2 / groups);
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    uint32_t group = ripstop_coords(f, v)[f->coords - 2];
    double turn = (double)placed[group]++ / each + (double)group / groups;
    point centre = on_ring((point){0, 0}, 1, (double)group / groups);
    d->at[v] = on_ring(centre, small, turn);
    d->outward[v] = on_ring((point){0, 0}, small / 3, turn);
  }
}

/* ------------------------------------------------------------------ end nodes and links */

static void place_ends(drawing *d) {
  const ripstop_fabric *f = d->fabric;
  uint32_t *count = RIPSTOP_ARRAY(d->arena, f->nodes, uint32_t), *placed = RIPSTOP_ARRAY(d->arena, f->nodes, uint32_t);
  for (uint32_t e = 0; e < f->ends; e++) count[ripstop_end_switch(f, e)]++;
  for (uint32_t e = 0; e < f->ends; e++) {
    uint32_t v = ripstop_end_switch(f, e);
    point out = d->outward[v];
    if (out.x == 0 && out.y == 0) continue;
    double spread = 0.5, turn = spread * (placed[v]++ - (count[v] - 1) / 2.0) * fmin(1, 4.0 / count[v]);
    d->at[e] =
        (point){d->at[v].x + out.x * cos(turn) - out.y * sin(turn), d->at[v].y + out.x * sin(turn) + out.y * cos(turn)};
  }
}

/* Which of the cables between its two nodes a link is, from 0. */
static uint32_t twin_of(const ripstop_fabric *f, uint32_t link) {
  uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1), before = 0;
  for (uint32_t port = f->port_base[a]; port < f->port_base[a + 1]; port++)
    before += f->port_link[port] < link && f->port_node[f->peer[port]] == b;
  return before;
}

/* Links of a sheet that are not between neighbours go round those who stand between. */
static double bend_of(const drawing *d, uint32_t link) {
  static const double round = 0.14, apart = 0.08;
  const ripstop_fabric *f = d->fabric;
  point a = d->at[ripstop_link_node(f, link, 0)], b = d->at[ripstop_link_node(f, link, 1)];
  double bend = d->unit > 0 && hypot(a.x - b.x, a.y - b.y) > 1.01 * d->unit ? round : 0;
  return bend + apart * twin_of(f, link);
}

typedef struct box {
  point least, most;
} box;

static void widen(box *b, point p) {
  b->least = (point){fmin(b->least.x, p.x), fmin(b->least.y, p.y)};
  b->most = (point){fmax(b->most.x, p.x), fmax(b->most.y, p.y)};
}

/* Around all nodes and the middles of all links. */
static box measure(const drawing *d, const float *bend) {
  const ripstop_fabric *f = d->fabric;
  box all = {d->at[0], d->at[0]};
  for (uint32_t v = 0; v < f->nodes; v++) widen(&all, d->at[v]);
  for (uint32_t link = 0; link < f->links; link++) {
    point a = d->at[ripstop_link_node(f, link, 0)], b = d->at[ripstop_link_node(f, link, 1)];
    widen(&all, (point){(a.x + b.x) / 2 + (b.y - a.y) * bend[link], (a.y + b.y) / 2 - (b.x - a.x) * bend[link]});
  }
  return all;
}

/* To the corner, and 1 high. Returns the width. */
static double scale(drawing *d, const float *bend) {
  box all = measure(d, bend);
  double width = fmax(all.most.x - all.least.x, 1e-3), height = fmax(all.most.y - all.least.y, 1e-3);
  if (height < width / 4) { /* a line: room above and below */
    all.least.y -= (width / 4 - height) / 2;
    height = width / 4;
  }
  for (uint32_t v = 0; v < d->fabric->nodes; v++)
    d->at[v] = (point){(d->at[v].x - all.least.x) / height, (d->at[v].y - all.least.y) / height};
  return width / height;
}

static void place(drawing *d) {
  static const struct {
    const char *family;
    void (*place)(drawing *d);
  } known[] = {
      {"kary-ntree", place_levels}, {"mport-ntree", place_levels}, {"xgft", place_levels}, {"rail", place_levels},
      {"torus", place_grid},        {"mesh", place_grid},          {"hyperx", place_grid}, {"kns", place_kns},
      {"dragonfly", place_groups},  {"dragonfly+", place_groups}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].family, d->fabric->family->name)) {
      known[i].place(d);
      return;
    }
  place_ring(d);
}

double lab_layout(const ripstop_fabric *fabric, float *place_out, float *bend) {
  drawing d = {.fabric = fabric, .arena = ripstop_arena_new()};
  d.at = RIPSTOP_ARRAY(d.arena, fabric->nodes, point);
  d.outward = RIPSTOP_ARRAY(d.arena, fabric->nodes, point);
  place(&d);
  place_ends(&d);
  for (uint32_t link = 0; link < fabric->links; link++) bend[link] = (float)bend_of(&d, link);
  double width = scale(&d, bend);
  for (uint32_t v = 0; v < fabric->nodes; v++)
    place_out[2 * v] = (float)d.at[v].x, place_out[2 * v + 1] = (float)d.at[v].y;
  ripstop_arena_free(d.arena);
  return width;
}
