/* product.h - points, edges in classes, dimensions and places of products of rings, lines and cliques.
 *
 * classes.c finds the dimensions, place_points.c and places.c the coordinates. product.c makes a model of them, and
 * kns_lines.c one of the lines between. */
#ifndef RIPSTOP_RECOGNISE_PRODUCT_H
#define RIPSTOP_RECOGNISE_PRODUCT_H

#include "base/text_table.h"
#include "recognise/recognised_graph.h"

enum { RIPSTOP_HOMELESS = -1 }; /* coordinate of a point without a place */

typedef struct ripstop_edge {
  uint32_t a, b; /* points, a < b */
  uint32_t line; /* in a KNS; else RIPSTOP_NONE */
  uint32_t parent;
  bool turned; /* against the parent: a class has a direction */
  bool down;   /* in a class's first member: where that leads from its lower point */
  uint32_t triangles;
} ripstop_edge;

typedef struct ripstop_arc {
  uint32_t to, edge;
} ripstop_arc;

typedef struct ripstop_corner {
  uint32_t one, two; /* edges that meet in a corner */
} ripstop_corner;

typedef struct ripstop_product {
  const recognised_graph *net;
  ripstop_arena *arena;
  uint32_t points, edges, edges_room;
  uint32_t *point; /* [points]: the switch */
  ripstop_edge *edge;
  uint32_t *first; /* [points + 1] */
  ripstop_arc *arc;
  ripstop_corner *corner;
  uint32_t corners, corners_room;
  uint32_t *times; /* [corners]: how many corners of these classes there are, once edges are in classes */
  bool too_large;  /* to look at all squares */
  uint32_t *piece; /* [edges]: the piece of a class, by its first member; a forest (recognised_root) */
  uint32_t dims;
  uint8_t *dim; /* [edges]; RIPSTOP_PLACE_DIMS: none */
  bool clique[RIPSTOP_PLACE_DIMS], ring[RIPSTOP_PLACE_DIMS];
  int32_t size[RIPSTOP_PLACE_DIMS];
  int32_t *at; /* [points * RIPSTOP_PLACE_DIMS] */
  bool *placed;
} ripstop_product;

static inline uint32_t ripstop_product_degree(const ripstop_product *p, uint32_t v) {
  return p->first[v + 1] - p->first[v];
}
/* True if an edge leads from the point to the greater of its ends. */
static inline bool ripstop_product_is_from(const ripstop_product *p, uint32_t e, uint32_t v) {
  return p->edge[e].a == v;
}
/* The role of an end of a cable in a dimension, from a coordinate to another. */
static inline uint64_t ripstop_product_role(uint32_t d, int32_t from, int32_t to) {
  return (uint64_t)(d + 1) << 48 | (uint64_t)(uint32_t)from << 24 | (uint32_t)to;
}

/* ------------------------------------------------------------------ classes.c */

void ripstop_product_edge(ripstop_product *p, uint32_t a, uint32_t b, uint32_t line);
/* When all edges are there. */
void ripstop_product_arcs(ripstop_product *p);
/* The class of an edge by its first member; *turned: whether the edge is directed against that. */
uint32_t ripstop_product_class(ripstop_product *p, uint32_t e, bool *turned);
void ripstop_product_join(ripstop_product *p, uint32_t one, uint32_t two, bool turned);
/* False: too many edges to look at all squares. */
bool ripstop_product_classes(ripstop_product *p);
void ripstop_product_dims(ripstop_product *p);
/* The number of edges of a dimension that a point has. */
uint32_t ripstop_product_degree_in(const ripstop_product *p, uint32_t v, uint32_t d);

/* ------------------------------------------------------------------ grow.c */

/* Sums up steps from one point to all whose places are certain, and finds the dimensions of classes again; the
 * coordinates in dimensions of cliques are there already. */
void ripstop_product_grow(ripstop_product *p);
/* True if an edge, from the point, leads up in its dimension. */
bool ripstop_product_rises(ripstop_product *p, uint32_t e, uint32_t from);

/* The piece of an edge: classes that squares join, of which it is certain whether their dimensions are the same;
 * RIPSTOP_NONE: there is no square. */
uint32_t ripstop_product_piece(ripstop_product *p, uint32_t e);

/* ------------------------------------------------------------------ places.c */

/* Classes, dimensions and coordinates, one after another; false: it is no product. */
bool ripstop_product_settle(ripstop_product *p);
void ripstop_product_layers(ripstop_product *p, uint32_t d);
void ripstop_product_order(ripstop_product *p);
void ripstop_product_join_rings(ripstop_product *p);
void ripstop_product_turn(ripstop_product *p);
/* Points by their place, mixed radix; RIPSTOP_NONE: none. False: too many points have no place of their own. */
bool ripstop_product_grid(ripstop_product *p, uint32_t **grid, uint64_t *cells);
uint32_t ripstop_product_twins(const ripstop_product *p, uint32_t d);
/* "8x8" */
const char *ripstop_product_sizes(const ripstop_product *p, ripstop_arena *arena);
void ripstop_product_set_places(const ripstop_product *p, ripstop_model *m);

#endif
