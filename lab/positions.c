/* positions.c - positions of nodes on the page: switches as in all pictures of fabrics (draw/layout.h), by the
 * coordinates of the family; end nodes beside their switch, or in trees in a level of their own. The drawing has height
 * 1. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "draw/layout.h"
#include "fabric/digits.h"
#include "lab/scene.h"
#include "ripstop/plugin/family.h"

typedef draw_point point;

typedef struct drawing {
  const ripstop_fabric *fabric;
  ripstop_arena *arena;
  point *at;      /* [nodes] */
  point *outward; /* [nodes]: for a switch, the offset of its nearest end node; zero: end nodes have positions of their
                   * own */
  double unit;    /* distance between neighbours of a sheet; 0: links are straight */
} drawing;

/* ------------------------------------------------------------------ switches */

/* The distance of each node from the nearest end node. A switch that no link leads to takes the largest distance. */
static void find_levels(const drawing *d, draw_deadlocked *list) {
  const ripstop_fabric *f = d->fabric;
  uint32_t *queue = RIPSTOP_ARRAY(d->arena, f->nodes, uint32_t), count = f->ends;
  for (uint32_t v = 0; v < f->nodes; v++) list[v] = (draw_deadlocked){v < f->ends ? 0 : RIPSTOP_NONE, 0, v};
  for (uint32_t v = 0; v < f->ends; v++) queue[v] = v;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t port = f->port_base[queue[i]]; port < f->port_base[queue[i] + 1]; port++) {
      uint32_t next = f->peer[port] == RIPSTOP_NONE ? queue[i] : f->port_node[f->peer[port]];
      if (list[next].level != RIPSTOP_NONE) continue;
      list[next].level = list[queue[i]].level + 1;
      queue[count++] = next;
    }
  for (uint32_t v = 0; v < f->nodes; v++)
    if (list[v].level == RIPSTOP_NONE) list[v].level = list[queue[count - 1]].level;
}

static void place_levels(drawing *d) {
  static const double width = 1.8;
  const uint32_t nodes = d->fabric->nodes;
  draw_deadlocked *list = RIPSTOP_ARRAY(d->arena, nodes, draw_deadlocked);
  uint32_t *slot = RIPSTOP_ARRAY(d->arena, nodes, uint32_t);
  find_levels(d, list);
  draw_sort_levels(list, nodes, slot);
  draw_levels(d->arena, d->at, list, nodes, slot, width, 1.0 / fmax(1, list[nodes - 1].level));
}

/* The first `dims` coordinates of each switch. Families order coordinates from the least significant on. */
static draw_places read_places(const drawing *d, uint32_t dims) {
  const ripstop_fabric *f = d->fabric;
  const uint32_t switches = ripstop_fabric_switches(f);
  uint16_t *place = RIPSTOP_ARRAY(d->arena, (size_t)switches * dims, uint16_t);
  for (uint32_t s = 0; s < switches; s++)
    for (uint32_t i = 0; i < dims; i++) place[s * dims + i] = ripstop_coords(f, f->ends + s)[dims - 1 - i];
  return (draw_places){switches, dims, place};
}

static void place_sheets(drawing *d, uint32_t dims, bool lines) {
  const ripstop_fabric *f = d->fabric;
  const draw_places places = read_places(d, dims);
  draw_sheets(d->at + f->ends, &places, !lines);
  if (lines) draw_line_switches(d->arena, d->at + f->ends, f, &places, 0.9, 0.4);
  for (uint32_t v = f->ends; v < f->nodes; v++) d->outward[v] = (point){0.3, 0.3};
  d->unit = 1;
}

static void place_torus(drawing *d) { place_sheets(d, d->fabric->coords, false); }

/* The last coordinate numbers the end node, or for a switch of a KNS the dimension of its line. */
static void place_grid(drawing *d) { place_sheets(d, d->fabric->coords - 1, false); }
static void place_kns(drawing *d) { place_sheets(d, d->fabric->coords - 1, true); }

static void place_ring(drawing *d) {
  const ripstop_fabric *f = d->fabric;
  const uint32_t count = ripstop_fabric_switches(f);
  draw_ring(d->at + f->ends, count, (point){0, 0}, 1);
  draw_ring(d->outward + f->ends, count, (point){0, 0}, 0.12);
}

/* The group is the last coordinate but one; the last numbers the end node. Switches of a group keep their order. */
static void place_groups(drawing *d) {
  const ripstop_fabric *f = d->fabric;
  const uint32_t switches = ripstop_fabric_switches(f);
  uint16_t *place = RIPSTOP_ARRAY(d->arena, 2 * (size_t)switches, uint16_t);
  uint16_t *placed = RIPSTOP_ARRAY(d->arena, UINT16_MAX + 1, uint16_t);
  for (uint32_t s = 0; s < switches; s++) {
    place[2 * s] = ripstop_coords(f, f->ends + s)[f->coords - 2];
    place[2 * s + 1] = placed[place[2 * s]]++;
  }
  const draw_places places = {switches, 2, place};
  draw_groups g = draw_count_groups(&places);
  g.large = 1, g.small = fmin(0.42, 2.2 / g.groups);
  draw_place_groups(d->at + f->ends, &places, &g);
  for (uint32_t s = 0; s < switches; s++) {
    const point centre = draw_on_ring((point){0, 0}, g.large, 2 * M_PI * place[2 * s] / g.groups);
    d->outward[f->ends + s] = (point){(d->at[f->ends + s].x - centre.x) / 3, (d->at[f->ends + s].y - centre.y) / 3};
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

/* The number of a link among the parallel cables between its two nodes, from 0. */
static uint32_t twin_of(const ripstop_fabric *f, uint32_t link) {
  uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1), before = 0;
  for (uint32_t port = f->port_base[a]; port < f->port_base[a + 1]; port++)
    before += f->port_link[port] < link && f->port_node[f->peer[port]] == b;
  return before;
}

/* Links of a sheet that do not connect neighbours bend around the nodes between. */
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

/* The box around all nodes and the middles of all links. */
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

/* Moves the box to the origin and scales it to height 1. Returns the width. */
static double scale(drawing *d, const float *bend) {
  box all = measure(d, bend);
  double width = fmax(all.most.x - all.least.x, 1e-3), height = fmax(all.most.y - all.least.y, 1e-3);
  if (height < width / 4) { /* a row of nodes: add space above and below */
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
      {"torus", place_torus},       {"mesh", place_grid},          {"hyperx", place_grid}, {"kns", place_kns},
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
