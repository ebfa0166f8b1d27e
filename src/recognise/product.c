/* product.c - recognises tori, meshes and HyperX, which are products of rings, lines and cliques, and KNS, whose
 * routers are a product of cliques if each line counts as one.
 *
 * Dimensions. Where two neighbours of a switch are not neighbours and have just one other common neighbour, the four
 * are a square: its opposite sides lie in one dimension, its adjacent ones in two. So do the sides of a triangle of a
 * clique lie in one. Edges that must lie in one dimension are a class; classes are put into dimensions so that as few
 * squares as possible have both sides in one. A ring of four is the product of two lines of two, and is put together
 * again afterwards.
 *
 * Coordinates. In a dimension of cliques two switches have the same one when edges of other dimensions join them. In
 * rings and lines every edge is a step, its class has the direction, and the coordinate is a sum of steps. The size of
 * a ring is the difference of two paths to one switch. Then every switch takes the place that most of its neighbours
 * give it. Lost cables change none of this, as long as most of a class is there. Cost: the sum of the squares of
 * degrees. */
#include <string.h>

#include "recognise/product.h"

static const char *family_of(const ripstop_product *p) {
  uint32_t rings = 0, cliques = 0, lines = 0;
  for (uint32_t d = 0; d < p->dims; d++) cliques += p->clique[d];
  for (uint32_t d = 0; d < p->dims; d++) {
    bool small = cliques > 0 && p->size[d] <= 3; /* two or three switches are a clique as well */
    rings += p->ring[d] && !p->clique[d] && !small;
    lines += !p->ring[d] && !p->clique[d] && !small;
  }
  if (cliques > 0) return rings + lines == 0 ? "hyperx" : "product";
  return lines == 0 ? "torus" : rings == 0 ? "mesh" : "torus and mesh";
}

/* The point whose coordinate d is `c` and that is like v otherwise. */
static uint32_t moved(const ripstop_product *p, const uint32_t *grid, uint32_t v, uint32_t d, int32_t c) {
  uint64_t cell = 0;
  for (uint32_t k = 0; k < p->dims; k++)
    cell = cell * (uint64_t)p->size[k] + (uint64_t)(k == d ? c : p->at[(size_t)v * RIPSTOP_PLACE_DIMS + k]);
  return grid[cell];
}

static void want_step(const ripstop_product *p, ripstop_model *m, uint32_t v, uint32_t w, uint32_t d, int32_t to,
                      uint32_t twins) {
  int32_t from = p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
  for (uint32_t k = 0; k < twins; k++) {
    bool clique = p->clique[d];
    ripstop_model_want(m, p->arena, p->point[v], p->point[w],
                       clique ? ripstop_product_role(d, from, to) : ripstop_product_role(d, 0, 1),
                       clique ? ripstop_product_role(d, to, from) : ripstop_product_role(d, 1, 0));
  }
}

static void want_dim(const ripstop_product *p, ripstop_model *m, const uint32_t *grid, uint32_t d) {
  uint32_t twins = p->ring[d] && p->size[d] == 2 ? 1 : ripstop_product_twins(p, d);
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t c = p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
    if (c == RIPSTOP_HOMELESS) continue;
    int32_t last = p->clique[d] ? p->size[d] - 1 : c + 1;
    for (int32_t to = c + 1; to <= last; to++) {
      if (to >= p->size[d] && !p->ring[d]) continue;
      uint32_t w = moved(p, grid, v, d, to % p->size[d]);
      if (w != RIPSTOP_NONE && w != v) want_step(p, m, v, w, d, to, twins);
    }
  }
}

/* A clique alone: its points in any order. */
static void number_alone(ripstop_product *p) {
  if (p->dims != 1 || !p->clique[0]) return;
  for (uint32_t v = 0; v < p->points; v++) p->at[(size_t)v * RIPSTOP_PLACE_DIMS] = (int32_t)v, p->placed[v] = true;
  p->size[0] = (int32_t)p->points;
}

/* The program's own family with these numbers; NULL: switches have different numbers of hosts, or cables are parallel.
 */
static const char *own_spec(const ripstop_product *p, const ripstop_model *m) {
  const recognised_graph *net = p->net;
  if (strcmp(m->family, "torus") == 0) return ripstop_arena_printf(p->arena, "torus:%s", m->shape);
  if (strcmp(m->family, "mesh") != 0 && strcmp(m->family, "hyperx") != 0) return NULL;
  for (uint32_t v = 1; v < net->switches; v++)
    if (net->hosts[v] != net->hosts[0]) return NULL;
  for (uint32_t d = 0; d < p->dims; d++)
    if (ripstop_product_twins(p, d) != 1) return NULL;
  return net->hosts[0] ? ripstop_arena_printf(p->arena, "%s:%s,p=%u", m->family, m->shape, net->hosts[0]) : NULL;
}

/* Far more cables than there are, in cliques: nothing that fits. */
static bool wants_too_many(const ripstop_product *p, uint64_t cells) {
  enum { TIMES = 4 };
  uint64_t all = 0;
  for (uint32_t d = 0; d < p->dims; d++) all += p->clique[d] ? cells * (uint64_t)(p->size[d] - 1) / 2 : cells;
  return all > TIMES * ((uint64_t)p->net->cables + p->points);
}

/* Any dense graph is a part of a clique: a lone one is recognised if four of five of its edges are there. */
static bool is_lone_clique_with_gaps(const ripstop_product *p) {
  return p->dims == 1 && p->clique[0] && 5 * (uint64_t)p->edges < 2 * (uint64_t)p->points * (p->points - 1);
}

static uint64_t count_empty(const uint32_t *grid, uint64_t cells) {
  uint64_t empty = 0;
  for (uint64_t cell = 0; cell < cells; cell++) empty += grid[cell] == RIPSTOP_NONE;
  return empty;
}

bool ripstop_model_product(const recognised_graph *net, ripstop_model *m) {
  ripstop_product p = {.net = net, .arena = net->arena, .points = net->switches};
  p.point = RIPSTOP_ARRAY(p.arena, p.points, uint32_t);
  for (uint32_t v = 0; v < p.points; v++) p.point[v] = v;
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      if (v < net->near[i].node) ripstop_product_edge(&p, v, net->near[i].node, RIPSTOP_NONE);
  ripstop_product_arcs(&p);
  uint32_t *grid;
  uint64_t cells;
  bool settled = ripstop_product_settle(&p);
  m->too_large = p.too_large;
  if (!settled) return false;
  if (is_lone_clique_with_gaps(&p)) return false;
  number_alone(&p);
  ripstop_product_order(&p);
  ripstop_product_join_rings(&p);
  ripstop_product_turn(&p);
  if (!ripstop_product_grid(&p, &grid, &cells) || wants_too_many(&p, cells)) return false;
  for (uint32_t d = 0; d < p.dims; d++) want_dim(&p, m, grid, d);
  ripstop_product_set_places(&p, m);
  m->family = family_of(&p);
  m->shape = ripstop_product_sizes(&p, p.arena);
  m->loose = cells != p.points;
  m->empty = count_empty(grid, cells);
  m->homeless = (uint32_t)(p.points + m->empty - cells);
  if (!m->loose) m->spec = own_spec(&p, m);
  if (m->empty > 0)
    m->shape =
        ripstop_arena_printf(p.arena, "%s without %u place%s", m->shape, (unsigned)m->empty, m->empty == 1 ? "" : "s");
  return true;
}
