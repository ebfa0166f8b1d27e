/* classes.c - finds which edges of a product lie in one dimension (product.c says by which squares). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/sort.h"
#include "recognise/product.h"

enum { WORK_MAX = 1 << 26 }; /* pairs of edges to look at; as many squares, at most, take 2 GiB */

/* ------------------------------------------------------------------ the graph of points */

void ripstop_product_edge(ripstop_product *p, uint32_t a, uint32_t b, uint32_t line) {
  RIPSTOP_GROW_IN(p->arena, p->edge, p->edges, p->edges_room);
  p->edge[p->edges] = (ripstop_edge){.a = a < b ? a : b, .b = a < b ? b : a, .line = line, .parent = p->edges};
  p->edges++;
}

static int by_target(const void *a, const void *b) {
  uint32_t x = ((const ripstop_arc *)a)->to, y = ((const ripstop_arc *)b)->to;
  return x < y ? -1 : x > y;
}

void ripstop_product_arcs(ripstop_product *p) {
  uint32_t *fill = RIPSTOP_ARRAY(p->arena, p->points + 1, uint32_t);
  p->first = RIPSTOP_ARRAY(p->arena, p->points + 1, uint32_t);
  p->arc = RIPSTOP_ARRAY(p->arena, 2 * (size_t)p->edges + 1, ripstop_arc);
  for (uint32_t e = 0; e < p->edges; e++) p->first[p->edge[e].a + 1]++, p->first[p->edge[e].b + 1]++;
  for (uint32_t v = 0; v < p->points; v++) fill[v + 1] = p->first[v + 1] += p->first[v];
  memcpy(fill, p->first, (p->points + 1) * sizeof *fill);
  for (uint32_t e = 0; e < p->edges; e++) {
    p->arc[fill[p->edge[e].a]++] = (ripstop_arc){p->edge[e].b, e};
    p->arc[fill[p->edge[e].b]++] = (ripstop_arc){p->edge[e].a, e};
  }
  for (uint32_t v = 0; v < p->points; v++)
    qsort(p->arc + p->first[v], p->first[v + 1] - p->first[v], sizeof *p->arc, by_target);
}

/* The edge between two points, or RIPSTOP_NONE. */
static uint32_t edge_between(const ripstop_product *p, uint32_t a, uint32_t b) {
  const ripstop_arc key = {.to = b};
  const ripstop_arc *found = bsearch(&key, p->arc + p->first[a], ripstop_product_degree(p, a), sizeof key, by_target);
  return found != NULL ? found->edge : RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ classes of edges */

/* The class of an edge by its first member; *turned: whether the edge is directed against that. */
uint32_t ripstop_product_class(ripstop_product *p, uint32_t e, bool *turned) {
  uint32_t root = e;
  bool turn = false;
  for (; p->edge[root].parent != root; root = p->edge[root].parent) turn ^= p->edge[root].turned;
  *turned = turn;
  while (p->edge[e].parent != root && e != root) {
    uint32_t next = p->edge[e].parent;
    bool own = p->edge[e].turned;
    p->edge[e].parent = root;
    p->edge[e].turned = turn;
    turn ^= own;
    e = next;
  }
  return root;
}

void ripstop_product_join(ripstop_product *p, uint32_t one, uint32_t two, bool turned) {
  bool turn_one, turn_two;
  uint32_t a = ripstop_product_class(p, one, &turn_one), b = ripstop_product_class(p, two, &turn_two);
  if (a == b) return;
  uint32_t root = a < b ? a : b, other = a < b ? b : a;
  p->edge[other].parent = root;
  p->edge[other].turned = turn_one ^ turn_two ^ turned;
}

static void add_corner(ripstop_product *p, uint32_t one, uint32_t two) {
  RIPSTOP_GROW_IN(p->arena, p->corner, p->corners, p->corners_room);
  p->corner[p->corners++] = (ripstop_corner){one, two};
}

/* v - u - x - w - v */
static void add_square(ripstop_product *p, const ripstop_arc *u, const ripstop_arc *w, uint32_t v, uint32_t x) {
  uint32_t ux = edge_between(p, u->to, x), wx = edge_between(p, w->to, x);
  ripstop_product_join(p, u->edge, wx, ripstop_product_is_from(p, u->edge, v) != ripstop_product_is_from(p, wx, w->to));
  ripstop_product_join(p, w->edge, ux, ripstop_product_is_from(p, w->edge, v) != ripstop_product_is_from(p, ux, u->to));
  add_corner(p, u->edge, w->edge);
  add_corner(p, ux, wx);
  add_corner(p, u->edge, ux);
  add_corner(p, w->edge, wx);
}

/* True if two points have the two neighbours in common that a square needs, and no third. */
static bool have_two_common(const ripstop_product *p, uint32_t a, uint32_t b) {
  uint32_t i = p->first[a], j = p->first[b], common = 0;
  while (i < p->first[a + 1] && j < p->first[b + 1] && common <= 2) {
    const uint32_t x = p->arc[i].to, y = p->arc[j].to;
    common += x == y;
    i += x <= y;
    j += y <= x;
  }
  return common == 2;
}

/* The squares with a corner at v, each found at two of its corners only. Both diagonals must show it: most squares with
 * an edge that is no part of the product have one diagonal whose ends have more neighbours in common. */
static void find_squares(ripstop_product *p, uint32_t v, uint32_t *times, ripstop_arc **via) {
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++)
    for (uint32_t u = p->arc[i].to, j = p->first[u]; j < p->first[u + 1]; j++) {
      uint32_t x = p->arc[j].to;
      if (times[x] < 2) via[2 * (size_t)x + times[x]] = &p->arc[i];
      times[x]++;
    }
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++)
    for (uint32_t u = p->arc[i].to, j = p->first[u]; j < p->first[u + 1]; j++) {
      uint32_t x = p->arc[j].to;
      const ripstop_arc *const *candidates = (const ripstop_arc *const *)&via[2 * (size_t)x];
      if (times[x] == 2 && v < x && edge_between(p, v, x) == RIPSTOP_NONE &&
          edge_between(p, candidates[0]->to, candidates[1]->to) == RIPSTOP_NONE &&
          have_two_common(p, candidates[0]->to, candidates[1]->to))
        add_square(p, candidates[0], candidates[1], v, x);
      times[x] = 0;
    }
}

/* True if the common neighbours of an edge's ends, or the first of them, are joined like a clique's: a third of their
 * pairs, so that one wrong edge at an end changes nothing. Those of an edge between two cliques are not. */
static bool is_in_clique(const ripstop_product *p, uint32_t e) {
  enum { LOOKED_AT = 8 };
  uint32_t common[LOOKED_AT], count = 0, joined = 0;
  for (uint32_t i = p->first[p->edge[e].a]; i < p->first[p->edge[e].a + 1] && count < LOOKED_AT; i++)
    if (edge_between(p, p->arc[i].to, p->edge[e].b) != RIPSTOP_NONE) common[count++] = p->arc[i].to;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < i; j++) joined += edge_between(p, common[i], common[j]) != RIPSTOP_NONE;
  return 6 * joined >= count * (count - 1);
}

static void count_triangles(ripstop_product *p, uint8_t *mark, uint32_t *most) {
  for (uint32_t v = 0; v < p->points; v++) {
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) mark[p->arc[i].to] = 1;
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++)
      for (uint32_t u = p->arc[i].to, j = p->first[u]; v < u && j < p->first[u + 1]; j++)
        p->edge[p->arc[i].edge].triangles += mark[p->arc[j].to];
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) mark[p->arc[i].to] = 0;
  }
  for (uint32_t e = 0; e < p->edges; e++) {
    if (p->edge[e].triangles > 0 && !is_in_clique(p, e)) p->edge[e].triangles = 0;
    if (p->edge[e].triangles > *most) *most = p->edge[e].triangles;
  }
}

/* Edges of one point whose other ends are joined, where all three are in many triangles: one clique. Of a clique of
 * three, which is a ring too, one leads in and one leads out. */
static void join_triangles(ripstop_product *p, uint32_t least) {
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
      if (p->edge[p->arc[i].edge].triangles < least) continue;
      for (uint32_t j = i + 1; j < p->first[v + 1]; j++) {
        if (p->edge[p->arc[j].edge].triangles < least) continue;
        uint32_t third = edge_between(p, p->arc[i].to, p->arc[j].to);
        if (third != RIPSTOP_NONE && p->edge[third].triangles >= least)
          ripstop_product_join(p, p->arc[i].edge, p->arc[j].edge,
                               ripstop_product_is_from(p, p->arc[i].edge, v) ==
                                   ripstop_product_is_from(p, p->arc[j].edge, v));
      }
    }
}

/* The cliques of a KNS are known. */
static void join_lines(ripstop_product *p) {
  for (uint32_t e = 1; e < p->edges; e++)
    if (p->edge[e].line != RIPSTOP_NONE && p->edge[e].line == p->edge[e - 1].line)
      ripstop_product_join(p, e - 1, e, false);
}

bool ripstop_product_classes(ripstop_product *p) {
  uint64_t work = 0;
  for (uint32_t v = 0; v < p->points; v++)
    work += (uint64_t)ripstop_product_degree(p, v) * ripstop_product_degree(p, v);
  p->too_large = work > WORK_MAX;
  if (p->too_large) return false;
  uint32_t *times = RIPSTOP_ARRAY(p->arena, p->points, uint32_t), most = 0;
  ripstop_arc **via = RIPSTOP_ARRAY(p->arena, 2 * (size_t)p->points, ripstop_arc *);
  count_triangles(p, RIPSTOP_ARRAY(p->arena, p->points, uint8_t), &most);
  join_lines(p);
  if (most > 0 && (p->edges == 0 || p->edge[0].line == RIPSTOP_NONE)) join_triangles(p, most / 2 > 0 ? most / 2 : 1);
  for (uint32_t v = 0; v < p->points; v++) find_squares(p, v, times, via);
  return true;
}

/* ------------------------------------------------------------------ dimensions */

/* [edges]: the class of each. */
static uint32_t *classes_of_edges(ripstop_product *p) {
  uint32_t *class_of = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint32_t);
  bool turned;
  for (uint32_t e = 0; e < p->edges; e++) class_of[e] = ripstop_product_class(p, e, &turned);
  return class_of;
}

/* For each class, the classes of edges that meet its own in corners, one after another as in the list of corners;
 * first[class] is where they begin. */
static uint32_t *list_meetings(const ripstop_product *p, const uint32_t *class_of, uint32_t *first) {
  uint32_t *fill = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint32_t);
  for (uint32_t i = 0; i < p->corners; i++) {
    const uint32_t one = class_of[p->corner[i].one], two = class_of[p->corner[i].two];
    if (one != two) first[one + 1]++, first[two + 1]++;
  }
  for (uint32_t e = 0; e < p->edges; e++) first[e + 1] += first[e];
  memcpy(fill, first, (p->edges + 1) * sizeof *fill);
  uint32_t *met = RIPSTOP_ARRAY(p->arena, first[p->edges] + 1, uint32_t);
  for (uint32_t i = 0; i < p->corners; i++) {
    const uint32_t one = class_of[p->corner[i].one], two = class_of[p->corner[i].two];
    if (one != two) met[fill[one]++] = two, met[fill[two]++] = one;
  }
  return met;
}

/* Turns corners of edges into sorted pairs of classes, in both orders, each pair once with its number. A product
 * has few classes and many corners, so each class is counted by itself. */
static void class_corners(ripstop_product *p) {
  const uint32_t *class_of = classes_of_edges(p);
  uint32_t *first = RIPSTOP_ARRAY(p->arena, (size_t)p->edges + 2, uint32_t), count = 0;
  uint32_t *met = list_meetings(p, class_of, first), all = first[p->edges];
  uint32_t *times = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint32_t);
  p->corner = RIPSTOP_ARRAY(p->arena, all + 1, ripstop_corner);
  p->times = RIPSTOP_ARRAY(p->arena, all + 1, uint32_t);
  for (uint32_t one = 0; one < p->edges; one++) {
    uint32_t *list = met + first[one], kept = 0;
    for (uint32_t i = 0, n = first[one + 1] - first[one]; i < n; i++)
      if (times[list[i]]++ == 0) list[kept++] = list[i];
    if (kept > 1) qsort(list, kept, sizeof *list, ripstop_by_u32);
    for (uint32_t i = 0; i < kept; i++) {
      p->corner[count] = (ripstop_corner){one, list[i]};
      p->times[count++] = times[list[i]];
      times[list[i]] = 0;
    }
  }
  p->corners = count;
}

typedef struct class {
  uint32_t root, from, to; /* its pairs in p->corner */
  uint32_t corners;        /* sum of all */
  uint32_t edges;
} class;

typedef struct dims {
  uint8_t *of;                        /* [edges]: of a class, by its first member; RIPSTOP_PLACE_DIMS: not known */
  uint64_t edges[RIPSTOP_PLACE_DIMS]; /* how many its classes have */
} dims;

/* A class has dimensions of its own when its squares with every other one are more than this share of a product's. */
#define LEAST_SHARE 0.25

/* The squares that a class has with a dimension, as a share of those that a product of so many edges has. In a product,
 * edges E of one dimension and F of another are in E * F / points squares, whatever the sizes are. A square is four
 * corners. */
static double share_of(const ripstop_product *p, const class *c, uint32_t corners, uint64_t edges) {
  return edges > 0 ? (double)corners * p->points / (4.0 * c->edges * (double)edges) : LEAST_SHARE;
}

/* The dimension with the least share of squares that the class would have both sides of; p->dims where a new one has
 * less. */
static uint8_t best_dim(const ripstop_product *p, const class *c, const dims *dim) {
  uint32_t corners[RIPSTOP_PLACE_DIMS] = {0}, best = p->dims;
  double least = p->dims < RIPSTOP_PLACE_DIMS ? LEAST_SHARE : INFINITY;
  for (uint32_t i = c->from; i < c->to; i++)
    if (dim->of[p->corner[i].two] < RIPSTOP_PLACE_DIMS) corners[dim->of[p->corner[i].two]] += p->times[i];
  for (uint32_t d = 0; d < p->dims; d++) {
    const double share = share_of(p, c, corners[d], dim->edges[d]);
    if (share < least || (best == p->dims && share == least)) least = share, best = d;
  }
  return (uint8_t)best;
}

/* Puts a class into the dimension that suits it best, out of the one that it was in. */
static void put_into_dim(ripstop_product *p, const class *c, dims *dim) {
  if (dim->of[c->root] < RIPSTOP_PLACE_DIMS) dim->edges[dim->of[c->root]] -= c->edges;
  const uint8_t best = best_dim(p, c, dim);
  if (best == p->dims) p->dims++;
  dim->of[c->root] = best;
  dim->edges[best] += c->edges;
}

/* A class that waits for its dimension; the one with most corners at classes that have theirs comes first. */
typedef struct waiting {
  uint32_t known, class;
} waiting;

typedef struct heap {
  waiting *list;
  uint32_t count;
} heap;

static bool is_before(const class *list, waiting a, waiting b) {
  if (a.known != b.known) return a.known > b.known;
  const uint32_t x = list[a.class].corners, y = list[b.class].corners;
  return x != y ? x > y : a.class < b.class;
}

static void heap_add(heap *h, const class *list, waiting w) {
  uint32_t at = h->count++;
  for (; at > 0 && is_before(list, w, h->list[(at - 1) / 2]); at = (at - 1) / 2) h->list[at] = h->list[(at - 1) / 2];
  h->list[at] = w;
}

static waiting heap_take(heap *h, const class *list) {
  waiting first = h->list[0], last = h->list[--h->count];
  uint32_t at = 0;
  for (uint32_t child; (child = 2 * at + 1) < h->count; at = child) {
    if (child + 1 < h->count && is_before(list, h->list[child + 1], h->list[child])) child++;
    if (!is_before(list, h->list[child], last)) break;
    h->list[at] = h->list[child];
  }
  h->list[at] = last;
  return first;
}

static void find_kinds(ripstop_product *p) {
  for (uint32_t d = 0; d < p->dims; d++) {
    uint32_t wide = 0;
    for (uint32_t v = 0; v < p->points; v++) wide += ripstop_product_degree_in(p, v, d) > 2;
    p->clique[d] = 4 * wide > p->points;
  }
}

/* Each class after those that it has squares with: a piece that lost cables have torn off decides nothing by itself. */
static void choose_dims(ripstop_product *p, const class *list, uint32_t count, dims *dim) {
  uint32_t *known = RIPSTOP_ARRAY(p->arena, count + 1, uint32_t);
  uint32_t *class_of = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint32_t);
  heap h = {.list = RIPSTOP_ARRAY(p->arena, (size_t)p->corners + count + 1, waiting)};
  for (uint32_t i = 0; i < count; i++) {
    class_of[list[i].root] = i;
    heap_add(&h, list, (waiting){0, i});
  }
  while (h.count > 0) {
    const class *c = &list[heap_take(&h, list).class];
    if (dim->of[c->root] != RIPSTOP_PLACE_DIMS) continue;
    put_into_dim(p, c, dim);
    for (uint32_t i = c->from; i < c->to; i++) {
      uint32_t other = class_of[p->corner[i].two];
      if (dim->of[list[other].root] == RIPSTOP_PLACE_DIMS)
        heap_add(&h, list, (waiting){known[other] += p->times[i], other});
    }
  }
}

/* The classes with squares; their corners follow each other. */
static uint32_t list_classes(ripstop_product *p, class *list) {
  uint32_t *edges = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint32_t), count = 0;
  for (uint32_t e = 0; e < p->edges; e++) {
    bool turned;
    edges[ripstop_product_class(p, e, &turned)]++;
  }
  for (uint32_t i = 0, j; i < p->corners; i = j) {
    uint32_t corners = 0;
    for (j = i; j < p->corners && p->corner[j].one == p->corner[i].one; j++) corners += p->times[j];
    list[count++] = (class){p->corner[i].one, i, j, corners, edges[p->corner[i].one]};
  }
  return count;
}

/* Numbers the dimensions that have edges: classes may have left some. */
static void number_dims(ripstop_product *p, dims *dim) {
  uint8_t number[RIPSTOP_PLACE_DIMS + 1], next = 0;
  for (uint32_t d = 0; d < p->dims; d++) number[d] = dim->edges[d] > 0 ? next++ : RIPSTOP_PLACE_DIMS;
  number[RIPSTOP_PLACE_DIMS] = RIPSTOP_PLACE_DIMS;
  for (uint32_t e = 0; e < p->edges; e++) dim->of[e] = number[dim->of[e]];
  p->dims = next;
}

/* Puts classes into dimensions, and moves them until nothing gets better. */
void ripstop_product_dims(ripstop_product *p) {
  class_corners(p);
  class *list = RIPSTOP_ARRAY(p->arena, p->corners + 1, class);
  dims dim = {.of = memset(RIPSTOP_ARRAY(p->arena, p->edges + 1, uint8_t), RIPSTOP_PLACE_DIMS, p->edges)};
  const uint32_t count = list_classes(p, list);
  choose_dims(p, list, count, &dim);
  for (unsigned round = 0; round < 5; round++)
    for (uint32_t i = 0; i < count; i++) put_into_dim(p, &list[i], &dim);
  number_dims(p, &dim);
  p->dim = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint8_t);
  for (uint32_t e = 0; e < p->edges; e++) {
    bool turned;
    p->dim[e] = count > 0 ? dim.of[ripstop_product_class(p, e, &turned)] : 0; /* without any square: one dimension */
  }
  if (count == 0) p->dims = 1;
  find_kinds(p);
}

/* Counts a point's edges in a dimension. */
uint32_t ripstop_product_degree_in(const ripstop_product *p, uint32_t v, uint32_t d) {
  uint32_t count = 0;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) count += p->dim[p->arc[i].edge] == d;
  return count;
}
