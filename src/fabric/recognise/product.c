/* product.c - tori, meshes and HyperX, which are products of rings, lines and cliques, and KNS, whose routers are a
 * product of cliques when each line is seen as one.
 *
 * Dimensions. Where two neighbours of a switch are not neighbours and have just one other common neighbour, the four
 * are a square: its opposite sides lie in one dimension, its adjacent ones in two. So do the sides of a triangle of a
 * clique lie in one. Edges that must lie in one dimension are a class; classes are put into dimensions so that as few
 * squares as possible have both sides in one. A ring of four is the product of two lines of two, and is put together
 * again afterwards.
 *
 * Coordinates. In a dimension of cliques two switches have the same one when edges of other dimensions join them. In
 * rings and lines every edge is a step, whose direction its class tells, and the coordinate is a sum of steps; the size
 * of a ring is by how much two ways to one switch differ. Then every switch takes the place that most of its neighbours
 * give it. Lost cables leave all that as it is, as long as most of a class is there. Cost: the sum of the squares of
 * degrees. */
#include <stdlib.h>
#include <string.h>

#include "fabric/recognise/net.h"

enum { DIMS = RIPSTOP_PLACE_DIMS, WORK_MAX = 1 << 29, HOMELESS = -1 };

typedef struct edge {
  uint32_t a, b; /* points, a < b */
  uint32_t line; /* of a KNS; else RIPSTOP_NONE */
  uint32_t parent;
  bool turned; /* against the parent: a class has a direction */
  uint32_t triangles;
} edge;

typedef struct arc {
  uint32_t to, edge;
} arc;

typedef struct square {
  uint32_t one, two; /* edges that meet in a corner */
} square;

typedef struct product {
  const ripstop_net *net;
  ripstop_arena *arena;
  uint32_t points, edges, edges_room;
  uint32_t *point; /* [points]: the switch */
  edge *edge;
  uint32_t *first; /* [points + 1] */
  arc *arc;
  square *corner;
  uint32_t corners, corners_room;
  uint32_t dims;
  uint8_t *dim; /* [edges]; DIMS: none */
  bool clique[DIMS], ring[DIMS];
  int32_t size[DIMS];
  int32_t *at; /* [points * DIMS] */
  bool *placed;
} product;

/* ------------------------------------------------------------------ the graph of points */

static void add_edge(product *p, uint32_t a, uint32_t b, uint32_t line) {
  if (p->edges == p->edges_room) {
    p->edges_room = p->edges_room == 0 ? 256 : 2 * p->edges_room;
    p->edge = ripstop_arena_realloc(p->arena, p->edge, p->edges_room, sizeof *p->edge);
  }
  p->edge[p->edges] = (edge){.a = a < b ? a : b, .b = a < b ? b : a, .line = line, .parent = p->edges};
  p->edges++;
}

static int by_target(const void *a, const void *b) {
  uint32_t x = ((const arc *)a)->to, y = ((const arc *)b)->to;
  return x < y ? -1 : x > y;
}

static void list_arcs(product *p) {
  uint32_t *fill = RIPSTOP_ARRAY(p->arena, p->points + 1, uint32_t);
  p->first = RIPSTOP_ARRAY(p->arena, p->points + 1, uint32_t);
  p->arc = RIPSTOP_ARRAY(p->arena, 2 * (size_t)p->edges + 1, arc);
  for (uint32_t e = 0; e < p->edges; e++) p->first[p->edge[e].a + 1]++, p->first[p->edge[e].b + 1]++;
  for (uint32_t v = 0; v < p->points; v++) fill[v + 1] = p->first[v + 1] += p->first[v];
  memcpy(fill, p->first, (p->points + 1) * sizeof *fill);
  for (uint32_t e = 0; e < p->edges; e++) {
    p->arc[fill[p->edge[e].a]++] = (arc){p->edge[e].b, e};
    p->arc[fill[p->edge[e].b]++] = (arc){p->edge[e].a, e};
  }
  for (uint32_t v = 0; v < p->points; v++)
    qsort(p->arc + p->first[v], p->first[v + 1] - p->first[v], sizeof *p->arc, by_target);
}

static uint32_t degree(const product *p, uint32_t v) { return p->first[v + 1] - p->first[v]; }

/* The edge between two points, or RIPSTOP_NONE. */
static uint32_t edge_between(const product *p, uint32_t a, uint32_t b) {
  const arc key = {.to = b};
  const arc *found = bsearch(&key, p->arc + p->first[a], degree(p, a), sizeof key, by_target);
  return found != NULL ? found->edge : RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ classes of edges */

/* The class of an edge by its first member; *turned: whether the edge is directed against that. */
static uint32_t class_of(product *p, uint32_t e, bool *turned) {
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

static void join(product *p, uint32_t one, uint32_t two, bool turned) {
  bool turn_one, turn_two;
  uint32_t a = class_of(p, one, &turn_one), b = class_of(p, two, &turn_two);
  if (a == b) return;
  uint32_t root = a < b ? a : b, other = a < b ? b : a;
  p->edge[other].parent = root;
  p->edge[other].turned = turn_one ^ turn_two ^ turned;
}

static void add_corner(product *p, uint32_t one, uint32_t two) {
  if (p->corners == p->corners_room) {
    p->corners_room = p->corners_room == 0 ? 1024 : 2 * p->corners_room;
    p->corner = ripstop_arena_realloc(p->arena, p->corner, p->corners_room, sizeof *p->corner);
  }
  p->corner[p->corners++] = (square){one, two};
}

/* Whether an edge leads from the point to the greater of its ends. */
static bool is_from(const product *p, uint32_t e, uint32_t v) { return p->edge[e].a == v; }

/* v - u - x - w - v */
static void add_square(product *p, const arc *u, const arc *w, uint32_t v, uint32_t x) {
  uint32_t ux = edge_between(p, u->to, x), wx = edge_between(p, w->to, x);
  join(p, u->edge, wx, is_from(p, u->edge, v) != is_from(p, wx, w->to));
  join(p, w->edge, ux, is_from(p, w->edge, v) != is_from(p, ux, u->to));
  add_corner(p, u->edge, w->edge);
  add_corner(p, ux, wx);
  add_corner(p, u->edge, ux);
  add_corner(p, w->edge, wx);
}

/* The squares with a corner at v, each found at two of its corners only. */
static void find_squares(product *p, uint32_t v, uint32_t *times, arc **via) {
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++)
    for (uint32_t u = p->arc[i].to, j = p->first[u]; j < p->first[u + 1]; j++) {
      uint32_t x = p->arc[j].to;
      if (times[x] < 2) via[2 * (size_t)x + times[x]] = &p->arc[i];
      times[x]++;
    }
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++)
    for (uint32_t u = p->arc[i].to, j = p->first[u]; j < p->first[u + 1]; j++) {
      uint32_t x = p->arc[j].to;
      const arc *const *ways = (const arc *const *)&via[2 * (size_t)x];
      if (times[x] == 2 && v < x && edge_between(p, v, x) == RIPSTOP_NONE &&
          edge_between(p, ways[0]->to, ways[1]->to) == RIPSTOP_NONE)
        add_square(p, ways[0], ways[1], v, x);
      times[x] = 0;
    }
}

static void count_triangles(product *p, uint8_t *mark, uint32_t *most) {
  for (uint32_t v = 0; v < p->points; v++) {
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) mark[p->arc[i].to] = 1;
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++)
      for (uint32_t u = p->arc[i].to, j = p->first[u]; v < u && j < p->first[u + 1]; j++)
        p->edge[p->arc[i].edge].triangles += mark[p->arc[j].to];
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) mark[p->arc[i].to] = 0;
  }
  for (uint32_t e = 0; e < p->edges; e++)
    if (p->edge[e].triangles > *most) *most = p->edge[e].triangles;
}

/* Edges of one point whose other ends are joined, where all three are in many triangles: one clique. Of a clique of
 * three, which is a ring too, one leads in and one leads out. */
static void join_triangles(product *p, uint32_t least) {
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
      if (p->edge[p->arc[i].edge].triangles < least) continue;
      for (uint32_t j = i + 1; j < p->first[v + 1]; j++) {
        if (p->edge[p->arc[j].edge].triangles < least) continue;
        uint32_t third = edge_between(p, p->arc[i].to, p->arc[j].to);
        if (third != RIPSTOP_NONE && p->edge[third].triangles >= least)
          join(p, p->arc[i].edge, p->arc[j].edge, is_from(p, p->arc[i].edge, v) == is_from(p, p->arc[j].edge, v));
      }
    }
}

/* The cliques of a KNS are known. */
static void join_lines(product *p) {
  for (uint32_t e = 1; e < p->edges; e++)
    if (p->edge[e].line != RIPSTOP_NONE && p->edge[e].line == p->edge[e - 1].line) join(p, e - 1, e, false);
}

static bool find_classes(product *p) {
  uint64_t work = 0;
  for (uint32_t v = 0; v < p->points; v++) work += (uint64_t)degree(p, v) * degree(p, v);
  if (work > WORK_MAX) return false;
  uint32_t *times = RIPSTOP_ARRAY(p->arena, p->points, uint32_t), most = 0;
  arc **via = RIPSTOP_ARRAY(p->arena, 2 * (size_t)p->points, arc *);
  count_triangles(p, RIPSTOP_ARRAY(p->arena, p->points, uint8_t), &most);
  join_lines(p);
  if (most > 0 && (p->edges == 0 || p->edge[0].line == RIPSTOP_NONE)) join_triangles(p, most / 2 > 0 ? most / 2 : 1);
  for (uint32_t v = 0; v < p->points; v++) find_squares(p, v, times, via);
  return true;
}

/* ------------------------------------------------------------------ dimensions */

static int by_first(const void *a_, const void *b_) {
  const square *a = a_, *b = b_;
  if (a->one != b->one) return a->one < b->one ? -1 : 1;
  return a->two < b->two ? -1 : a->two > b->two;
}

/* Corners as pairs of classes, both ways round, sorted. */
static void class_corners(product *p) {
  square *both = RIPSTOP_ARRAY(p->arena, 2 * (size_t)p->corners + 1, square);
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->corners; i++) {
    bool turned;
    uint32_t one = class_of(p, p->corner[i].one, &turned), two = class_of(p, p->corner[i].two, &turned);
    if (one == two) continue;
    both[count++] = (square){one, two};
    both[count++] = (square){two, one};
  }
  qsort(both, count, sizeof *both, by_first);
  p->corner = both;
  p->corners = count;
}

/* The dimension with the fewest squares that a class would have both sides of; a new one when all have some. */
static uint8_t best_dim(const product *p, uint32_t from, uint32_t to, const uint8_t *dim_of, bool may_be_new) {
  uint32_t conflicts[DIMS] = {0}, best = 0;
  for (uint32_t i = from; i < to; i++)
    if (dim_of[p->corner[i].two] < DIMS) conflicts[dim_of[p->corner[i].two]]++;
  for (uint32_t d = 1; d < p->dims; d++)
    if (conflicts[d] < conflicts[best]) best = d;
  if (may_be_new && (p->dims == 0 || 20 * conflicts[best] > to - from) && p->dims < DIMS) return (uint8_t)p->dims;
  return (uint8_t)best;
}

typedef struct class {
  uint32_t root, from, to; /* its corners */
} class;

static int by_corners(const void *a_, const void *b_) {
  const class *a = a_, *b = b_;
  uint32_t x = a->to - a->from, y = b->to - b->from;
  if (x != y) return x > y ? -1 : 1;
  return a->root < b->root ? -1 : a->root > b->root;
}

/* Puts classes into dimensions, those with most squares first, and moves them until nothing gets better. */
static void find_dims(product *p) {
  class_corners(p);
  class *list = RIPSTOP_ARRAY(p->arena, p->corners + 1, class);
  uint8_t *dim_of = memset(RIPSTOP_ARRAY(p->arena, p->edges + 1, uint8_t), DIMS, p->edges);
  uint32_t count = 0;
  for (uint32_t i = 0, j; i < p->corners; i = j) {
    for (j = i; j < p->corners && p->corner[j].one == p->corner[i].one;) j++;
    list[count++] = (class){p->corner[i].one, i, j};
  }
  qsort(list, count, sizeof *list, by_corners);
  for (unsigned round = 0; round < 6; round++)
    for (uint32_t i = 0; i < count; i++) {
      uint8_t dim = best_dim(p, list[i].from, list[i].to, dim_of, round == 0);
      dim_of[list[i].root] = dim;
      if (dim == p->dims) p->dims++;
    }
  p->dim = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint8_t);
  for (uint32_t e = 0; e < p->edges; e++) {
    bool turned;
    p->dim[e] = count > 0 ? dim_of[class_of(p, e, &turned)] : 0; /* without any square: one dimension */
  }
  if (count == 0) p->dims = 1;
}

/* How many edges of a dimension a point has. */
static uint32_t degree_in(const product *p, uint32_t v, uint32_t d) {
  uint32_t count = 0;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) count += p->dim[p->arc[i].edge] == d;
  return count;
}

static void find_kinds(product *p) {
  for (uint32_t d = 0; d < p->dims; d++) {
    uint32_t wide = 0;
    for (uint32_t v = 0; v < p->points; v++) wide += degree_in(p, v, d) > 2;
    p->clique[d] = 4 * wide > p->points;
  }
}

/* ------------------------------------------------------------------ coordinates */

static uint32_t root_of(uint32_t *parent, uint32_t v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Numbers the layers of a dimension of cliques: what edges of other dimensions join. Points that lost too many cables
 * hang together in layers of less than half the usual size: they have no place yet. */
static void find_layers(product *p, uint32_t d) {
  uint32_t *parent = RIPSTOP_ARRAY(p->arena, p->points, uint32_t), *size = RIPSTOP_ARRAY(p->arena, p->points, uint32_t);
  uint32_t *sizes = RIPSTOP_ARRAY(p->arena, p->points, uint32_t);
  int32_t *number = RIPSTOP_ARRAY(p->arena, p->points, int32_t), next = 0;
  for (uint32_t v = 0; v < p->points; v++) parent[v] = v;
  for (uint32_t e = 0; e < p->edges; e++) {
    uint32_t a = root_of(parent, p->edge[e].a), b = root_of(parent, p->edge[e].b);
    if (p->dim[e] == d || p->dim[e] == DIMS || a == b) continue;
    parent[a < b ? b : a] = a < b ? a : b;
  }
  for (uint32_t v = 0; v < p->points; v++) size[root_of(parent, v)]++;
  for (uint32_t v = 0; v < p->points; v++) sizes[v] = size[root_of(parent, v)];
  qsort(sizes, p->points, sizeof *sizes, by_size);
  for (uint32_t v = 0; v < p->points; v++) {
    uint32_t root = root_of(parent, v);
    if (root == v) number[v] = 2 * size[v] >= sizes[p->points / 2] ? next++ : HOMELESS;
    p->at[(size_t)v * DIMS + d] = number[root];
  }
  p->size[d] = next;
}

/* Gives the steps of a dimension one direction: at a point with two of them one leads in and one leads out. */
static void direct(product *p) {
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++) {
      uint32_t found = RIPSTOP_NONE;
      if (p->clique[d] || degree_in(p, v, d) != 2) continue;
      for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
        uint32_t e = p->arc[i].edge;
        if (p->dim[e] != d) continue;
        if (found != RIPSTOP_NONE) join(p, found, e, is_from(p, found, v) == is_from(p, e, v));
        found = e;
      }
    }
}

/* Where a step along an arc leads from a place. */
static void step(product *p, uint32_t v, const arc *to, int32_t *out) {
  uint32_t d = p->dim[to->edge];
  bool turned;
  memcpy(out, p->at + (size_t)v * DIMS, DIMS * sizeof *out);
  if (d == DIMS || p->clique[d]) return;
  class_of(p, to->edge, &turned);
  out[d] += is_from(p, to->edge, v) != turned ? 1 : -1;
}

/* Sums up steps from the first point; dimensions of cliques have their numbers already. */
static void sum_steps(product *p) {
  uint32_t *queue = RIPSTOP_ARRAY(p->arena, p->points, uint32_t), head = 0, tail = 0;
  for (uint32_t start = 0; start < p->points; start++) {
    if (p->placed[start]) continue;
    if (start > 0 && degree(p, start) > 0 && tail > 0) continue; /* another part: nothing tells where it stands */
    p->placed[start] = true;
    for (queue[tail++] = start; head < tail; head++) {
      uint32_t v = queue[head];
      for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
        uint32_t w = p->arc[i].to, d = p->dim[p->arc[i].edge];
        int32_t there[DIMS];
        if (p->placed[w] || d == DIMS) continue;
        step(p, v, &p->arc[i], there);
        for (uint32_t k = 0; k < p->dims; k++)
          if (!p->clique[k]) p->at[(size_t)w * DIMS + k] = there[k];
        p->placed[w] = true;
        queue[tail++] = w;
      }
    }
    break;
  }
}

/* Cables that the edges of a dimension usually are. */
static uint32_t usual_twins(const product *p, uint32_t d) {
  uint32_t times[8] = {0}, best = 1;
  for (uint32_t e = 0; e < p->edges; e++) {
    uint32_t cables = ripstop_net_between(p->net, p->point[p->edge[e].a], p->point[p->edge[e].b]);
    if (p->dim[e] == d && cables < 8) times[cables]++;
  }
  for (uint32_t i = 2; i < 8; i++)
    if (times[i] > times[best]) best = i;
  return best;
}

enum { GAPS_MAX = 4096 };

/* The size of a ring: by how much the two ends of an edge most often differ beyond the step; a line has no such edge.
 */
static void find_size(product *p, uint32_t d) {
  uint32_t *times = RIPSTOP_ARRAY(p->arena, GAPS_MAX, uint32_t), best = 0, all = 0;
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (uint32_t e = 0; e < p->edges; e++) {
    int32_t there[DIMS];
    if (p->dim[e] != d || !p->placed[p->edge[e].a] || !p->placed[p->edge[e].b]) continue;
    step(p, p->edge[e].a, &(arc){p->edge[e].b, e}, there);
    int32_t gap = there[d] - p->at[(size_t)p->edge[e].b * DIMS + d];
    gap = gap < 0 ? -gap : gap;
    if (gap < GAPS_MAX) times[gap]++;
    all++;
  }
  for (uint32_t gap = 3; gap < GAPS_MAX; gap++)
    if (times[gap] > times[best] || best == 0) best = times[gap] > 0 ? gap : best;
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t c = p->at[(size_t)v * DIMS + d];
    if (!p->placed[v]) continue;
    if (c < low) low = c;
    if (c > high) high = c;
  }
  p->ring[d] = best > 0 && 4 * (uint64_t)times[best] * best >= all;
  p->size[d] = p->ring[d] ? (int32_t)best : high - low + 1;
  if (p->size[d] == 2 && usual_twins(p, d) == 2) p->ring[d] = true; /* two cables: one each way round */
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t *c = &p->at[(size_t)v * DIMS + d];
    *c = (*c - low) % p->size[d];
  }
}

/* Every point goes where most of its neighbours see it; a ring closes modulo its size. */
static void vote(product *p) {
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++) {
      int32_t seen[64], best;
      uint32_t count = 0, most = 0, own = 0;
      if (p->clique[d]) continue;
      for (uint32_t i = p->first[v]; i < p->first[v + 1] && count < 64; i++) {
        const arc back = {v, p->arc[i].edge};
        int32_t there[DIMS];
        if (p->dim[back.edge] == DIMS || !p->placed[p->arc[i].to]) continue;
        step(p, p->arc[i].to, &back, there);
        seen[count++] = p->ring[d] ? (there[d] + p->size[d]) % p->size[d] : there[d];
      }
      best = p->at[(size_t)v * DIMS + d];
      for (uint32_t i = 0; i < count; i++) {
        uint32_t times = 0;
        for (uint32_t j = 0; j < count; j++) times += seen[j] == seen[i];
        if (seen[i] == p->at[(size_t)v * DIMS + d]) own = times;
        if (times > most) best = seen[i], most = times;
      }
      if (most > own) p->at[(size_t)v * DIMS + d] = best;
      if (count > 0) p->placed[v] = true;
    }
}

/* Joins the dimension `b` to `a` before it: two lines of two are a ring of four, in the order 00, 01, 11, 10. */
static void join_dims(product *p, uint32_t a, uint32_t b) {
  uint32_t behind = p->dims - b - 1;
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t *at = p->at + (size_t)v * DIMS;
    at[a] = at[a] == 0 ? at[b] : 3 - at[b];
    memmove(at + b, at + b + 1, behind * sizeof *at);
  }
  memmove(p->size + b, p->size + b + 1, behind * sizeof *p->size);
  memmove(p->ring + b, p->ring + b + 1, behind * sizeof *p->ring);
  memmove(p->clique + b, p->clique + b + 1, behind * sizeof *p->clique);
  for (uint32_t e = 0; e < p->edges; e++)
    p->dim[e] = p->dim[e] == b ? (uint8_t)a : p->dim[e] > b && p->dim[e] < DIMS ? (uint8_t)(p->dim[e] - 1) : p->dim[e];
  p->size[a] = 4;
  p->ring[a] = true;
  p->dims--;
}

static bool is_pair(const product *p, uint32_t d) { return p->size[d] == 2 && !p->ring[d]; }

static void join_rings_of_four(product *p) {
  uint32_t cliques = 0;
  for (uint32_t d = 0; d < p->dims; d++) cliques += p->clique[d] && p->size[d] > 2;
  for (uint32_t a = 0; cliques == 0 && a < p->dims; a++)
    for (uint32_t b = a + 1; b < p->dims && is_pair(p, a); b++)
      if (is_pair(p, b)) join_dims(p, a, b);
}

static void find_coordinates(product *p) {
  p->at = RIPSTOP_ARRAY(p->arena, (size_t)p->points * DIMS, int32_t);
  p->placed = RIPSTOP_ARRAY(p->arena, p->points, bool);
  find_kinds(p);
  direct(p);
  for (uint32_t d = 0; d < p->dims; d++)
    if (p->clique[d]) find_layers(p, d);
  sum_steps(p);
  for (uint32_t d = 0; d < p->dims; d++)
    if (!p->clique[d]) find_size(p, d);
  for (unsigned round = 0; round < 3; round++) vote(p);
}

/* ------------------------------------------------------------------ order and names */

/* How far apart in number the ends of a dimension's edges usually are: the dimension that runs fastest comes last. */
static uint64_t stride(const product *p, uint32_t d) {
  uint64_t least = UINT64_MAX;
  for (uint32_t e = 0; e < p->edges; e++)
    if (p->dim[e] == d && p->point[p->edge[e].b] - p->point[p->edge[e].a] < least)
      least = p->point[p->edge[e].b] - p->point[p->edge[e].a];
  return least;
}

static void swap_dims(product *p, uint32_t a, uint32_t b) {
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t *at = p->at + (size_t)v * DIMS, keep = at[a];
    at[a] = at[b];
    at[b] = keep;
  }
  for (uint32_t e = 0; e < p->edges; e++)
    p->dim[e] = p->dim[e] == a ? (uint8_t)b : p->dim[e] == b ? (uint8_t)a : p->dim[e];
  int32_t size = p->size[a];
  bool ring = p->ring[a], clique = p->clique[a];
  p->size[a] = p->size[b], p->ring[a] = p->ring[b], p->clique[a] = p->clique[b];
  p->size[b] = size, p->ring[b] = ring, p->clique[b] = clique;
}

static void order_dims(product *p) {
  for (uint32_t a = 0; a < p->dims; a++)
    for (uint32_t b = a + 1; b < p->dims; b++)
      if (stride(p, b) > stride(p, a)) swap_dims(p, a, b);
}

/* The first point is at 0, and coordinates rise with the numbers of the points where they can. */
static void turn_dims(product *p) {
  for (uint32_t d = 0; d < p->dims; d++) {
    int64_t rise = 0;
    int32_t size = p->size[d];
    if (p->clique[d]) continue;
    for (uint32_t e = 0; e < p->edges; e++) {
      int32_t a = p->at[(size_t)p->edge[e].a * DIMS + d], b = p->at[(size_t)p->edge[e].b * DIMS + d];
      if (p->dim[e] == d) rise += (b - a + size) % size == 1 ? 1 : -1;
    }
    int32_t origin = p->at[d];
    for (uint32_t v = 0; v < p->points; v++) {
      int32_t *c = &p->at[(size_t)v * DIMS + d];
      if (p->ring[d]) *c = (*c - origin + size) % size;
      if (rise < 0 && size > 2) *c = p->ring[d] ? (size - *c) % size : size - 1 - *c;
    }
  }
}

static const char *sizes_of(const product *p, ripstop_arena *arena) {
  ripstop_text text = {0};
  for (uint32_t d = 0; d < p->dims; d++) ripstop_text_add(&text, d == 0 ? "%d" : "x%d", p->size[d]);
  const char *sizes = ripstop_arena_text(arena, text.data);
  ripstop_text_free(&text);
  return sizes;
}

static const char *family_of(const product *p) {
  uint32_t rings = 0, cliques = 0, lines = 0;
  for (uint32_t d = 0; d < p->dims; d++) {
    rings += p->ring[d] && !p->clique[d];
    cliques += p->clique[d];
    lines += !p->ring[d] && !p->clique[d];
  }
  if (cliques > 0) return rings == 0 ? "hyperx" : "product";
  return lines == 0 ? "torus" : rings == 0 ? "mesh" : "torus and mesh";
}

/* ------------------------------------------------------------------ the regular product */

/* The cell of a point; UINT64_MAX: it has none. */
static uint64_t cell_of_point(const product *p, uint32_t v) {
  uint64_t cell = 0;
  for (uint32_t d = 0; d < p->dims; d++) {
    int32_t c = p->at[(size_t)v * DIMS + d];
    if (c < 0 || c >= p->size[d]) return UINT64_MAX;
    cell = cell * (uint64_t)p->size[d] + (uint64_t)c;
  }
  return cell;
}

static void set_cell(product *p, uint32_t v, uint64_t cell) {
  for (uint32_t d = p->dims; d-- > 0; cell /= (uint64_t)p->size[d])
    p->at[(size_t)v * DIMS + d] = cell == UINT64_MAX ? HOMELESS : (int32_t)(cell % (uint64_t)p->size[d]);
}

/* Whether points at two places are joined in the regular product. */
static bool are_beside(const product *p, const int32_t *a, const int32_t *b) {
  uint32_t differ = 0, d = 0;
  for (uint32_t k = 0; k < p->dims; k++)
    if (a[k] != b[k]) differ++, d = k;
  int32_t step = differ == 1 ? (a[d] > b[d] ? a[d] - b[d] : b[d] - a[d]) : 0;
  return differ == 1 && (p->clique[d] || step == 1 || (p->ring[d] && step == p->size[d] - 1));
}

/* How many of a point's edges the regular product has. */
static uint32_t fit_at(const product *p, uint32_t v, const int32_t *at) {
  uint32_t fits = 0;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
    const int32_t *other = p->at + (size_t)p->arc[i].to * DIMS;
    fits += other[0] != HOMELESS && are_beside(p, at, other);
  }
  return fits;
}

/* Moves a point to the empty cell that most of its edges want it in, when that is more than now. */
static void settle_point(product *p, uint32_t *grid, uint64_t cells, uint32_t v) {
  uint64_t now = cell_of_point(p, v), best = now;
  uint32_t most = now == UINT64_MAX ? 0 : fit_at(p, v, p->at + (size_t)v * DIMS);
  int32_t was[DIMS];
  memcpy(was, p->at + (size_t)v * DIMS, sizeof was);
  for (uint64_t cell = 0; cell < cells; cell++) {
    if (grid[cell] != RIPSTOP_NONE) continue;
    set_cell(p, v, cell);
    uint32_t fits = fit_at(p, v, p->at + (size_t)v * DIMS);
    if (fits > most) best = cell, most = fits;
  }
  memcpy(p->at + (size_t)v * DIMS, was, sizeof was);
  if (best == now) return;
  set_cell(p, v, best);
  if (now != UINT64_MAX && grid[now] == v) grid[now] = RIPSTOP_NONE;
  grid[best] = v;
}

enum { LOST_MAX = 256 };

/* Points without a place, or with few edges that fit, look for a better one among the empty cells. */
static void settle_points(product *p, uint32_t *grid, uint64_t cells) {
  uint32_t lost = 0;
  for (uint32_t v = 0; v < p->points && lost < LOST_MAX; v++) {
    uint64_t cell = cell_of_point(p, v);
    uint32_t fits = cell == UINT64_MAX ? 0 : fit_at(p, v, p->at + (size_t)v * DIMS);
    if (cell != UINT64_MAX && grid[cell] == v && 2 * fits > degree(p, v)) continue;
    settle_point(p, grid, cells, v);
    lost++;
  }
  for (uint32_t v = 0; v < p->points; v++) {
    uint64_t cell = cell_of_point(p, v);
    if (cell == UINT64_MAX || grid[cell] != v) set_cell(p, v, UINT64_MAX);
  }
}

/* Points by their place, mixed radix; RIPSTOP_NONE: nobody. False: too many points have no place of their own. */
static bool find_grid(product *p, uint32_t **grid, uint64_t *cells) {
  *cells = 1;
  for (uint32_t d = 0; d < p->dims; d++) {
    if (p->size[d] < 2 || *cells * (uint64_t)p->size[d] > 4 * (uint64_t)p->points + 64) return false;
    *cells *= (uint64_t)p->size[d];
  }
  *grid = memset(RIPSTOP_ARRAY(p->arena, *cells, uint32_t), 0xff, *cells * sizeof **grid);
  uint32_t homeless = 0;
  for (uint32_t v = 0; v < p->points; v++) {
    uint64_t cell = cell_of_point(p, v);
    if (cell != UINT64_MAX && (*grid)[cell] == RIPSTOP_NONE)
      (*grid)[cell] = v;
    else
      homeless++;
  }
  if (10 * homeless > p->points) return false;
  for (unsigned round = 0; round < 2; round++) settle_points(p, *grid, *cells);
  return true;
}

/* The point whose coordinate d is `c` and that is like v otherwise. */
static uint32_t moved(const product *p, const uint32_t *grid, uint32_t v, uint32_t d, int32_t c) {
  uint64_t cell = 0;
  for (uint32_t k = 0; k < p->dims; k++)
    cell = cell * (uint64_t)p->size[k] + (uint64_t)(k == d ? c : p->at[(size_t)v * DIMS + k]);
  return grid[cell];
}

static uint64_t role(uint32_t d, int32_t from, int32_t to) {
  return (uint64_t)(d + 1) << 48 | (uint64_t)(uint32_t)from << 24 | (uint32_t)to;
}

static void want_step(const product *p, ripstop_model *m, uint32_t v, uint32_t w, uint32_t d, int32_t to,
                      uint32_t twins) {
  int32_t from = p->at[(size_t)v * DIMS + d];
  for (uint32_t k = 0; k < twins; k++) {
    bool clique = p->clique[d];
    ripstop_model_want(m, p->arena, p->point[v], p->point[w], clique ? role(d, from, to) : role(d, 0, 1),
                       clique ? role(d, to, from) : role(d, 1, 0));
  }
}

static void want_dim(const product *p, ripstop_model *m, const uint32_t *grid, uint32_t d) {
  uint32_t twins = p->ring[d] && p->size[d] == 2 ? 1 : usual_twins(p, d);
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t c = p->at[(size_t)v * DIMS + d];
    if (c == HOMELESS) continue;
    int32_t last = p->clique[d] ? p->size[d] - 1 : c + 1;
    for (int32_t to = c + 1; to <= last; to++) {
      if (to >= p->size[d] && !p->ring[d]) continue;
      uint32_t w = moved(p, grid, v, d, to % p->size[d]);
      if (w != RIPSTOP_NONE && w != v) want_step(p, m, v, w, d, to, twins);
    }
  }
}

static void set_places(const product *p, ripstop_model *m) {
  m->dims = p->dims;
  m->place = RIPSTOP_ARRAY(p->arena, (size_t)p->net->switches * p->dims, uint16_t);
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++)
      m->place[(size_t)p->point[v] * p->dims + d] = (uint16_t)p->at[(size_t)v * DIMS + d];
}

/* A ring or a clique alone has no squares: the degrees tell which. */
static bool settle(product *p) {
  if (p->points < 2 || !find_classes(p)) return false;
  find_dims(p);
  find_coordinates(p);
  return true;
}

/* A clique alone: its points in any order. */
static void number_alone(product *p) {
  if (p->dims != 1 || !p->clique[0]) return;
  for (uint32_t v = 0; v < p->points; v++) p->at[(size_t)v * DIMS] = (int32_t)v, p->placed[v] = true;
  p->size[0] = (int32_t)p->points;
}

bool ripstop_model_product(const ripstop_net *net, ripstop_model *m) {
  product p = {.net = net, .arena = net->arena, .points = net->switches};
  p.point = RIPSTOP_ARRAY(p.arena, p.points, uint32_t);
  for (uint32_t v = 0; v < p.points; v++) p.point[v] = v;
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      if (v < net->near[i].node) add_edge(&p, v, net->near[i].node, RIPSTOP_NONE);
  list_arcs(&p);
  uint32_t *grid;
  uint64_t cells;
  if (!settle(&p)) return false;
  number_alone(&p);
  order_dims(&p);
  join_rings_of_four(&p);
  turn_dims(&p);
  if (!find_grid(&p, &grid, &cells)) return false;
  for (uint32_t d = 0; d < p.dims; d++) want_dim(&p, m, grid, d);
  set_places(&p, m);
  m->family = family_of(&p);
  m->shape = sizes_of(&p, p.arena);
  if (strcmp(m->family, "torus") == 0 && cells == p.points)
    m->spec = ripstop_arena_printf(p.arena, "torus:%s", m->shape);
  return true;
}

/* ------------------------------------------------------------------ KNS */

/* Lines are what joins switches without hosts; RIPSTOP_NONE for routers. */
static uint32_t find_lines(const ripstop_net *net, uint32_t *line) {
  uint32_t *parent = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), count = 0;
  for (uint32_t v = 0; v < net->switches; v++) parent[v] = v;
  for (uint32_t i = 0; i < net->cables; i++) {
    const ripstop_net_cable *c = &net->cable[i];
    if (net->hosts[c->a] > 0 || net->hosts[c->b] > 0) continue;
    uint32_t a = root_of(parent, c->a), b = root_of(parent, c->b);
    parent[a < b ? b : a] = a < b ? a : b;
  }
  for (uint32_t v = 0; v < net->switches; v++) {
    line[v] = RIPSTOP_NONE;
    if (net->hosts[v] == 0) line[v] = parent[v] == v ? count++ : line[root_of(parent, v)];
  }
  return count;
}

/* The routers of every line, each once, as a list sorted by line: line << 32 | point. */
static uint64_t *find_members(const ripstop_net *net, const uint32_t *line, const uint32_t *point_of, uint32_t *count);

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t *find_members(const ripstop_net *net, const uint32_t *line, const uint32_t *point_of, uint32_t *count) {
  uint64_t *list = RIPSTOP_ARRAY(net->arena, net->cables + 1, uint64_t);
  *count = 0;
  for (uint32_t i = 0; i < net->cables; i++) {
    const ripstop_net_cable *c = &net->cable[i];
    bool turn = line[c->a] != RIPSTOP_NONE;
    uint32_t router = turn ? c->b : c->a, at = turn ? c->a : c->b;
    if (line[router] == RIPSTOP_NONE && line[at] != RIPSTOP_NONE)
      list[(*count)++] = (uint64_t)line[at] << 32 | point_of[router];
  }
  qsort(list, *count, sizeof *list, by_value);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *count; i++)
    if (i == 0 || list[i] != list[i - 1]) list[kept++] = list[i];
  *count = kept;
  return list;
}

/* Edges between all routers of a line. False when lines share many routers, which are no lines then. */
static bool add_line_edges(product *p, const uint64_t *member, uint32_t members) {
  uint64_t work = 0;
  for (uint32_t i = 0, j; i < members; i = j) {
    for (j = i; j < members && member[j] >> 32 == member[i] >> 32;) j++;
    work += (uint64_t)(j - i) * (j - i);
  }
  if (work > 16 * (uint64_t)p->points * 64 + (1 << 20)) return false;
  for (uint32_t i = 0; i < members; i++)
    for (uint32_t j = i + 1; j < members && member[j] >> 32 == member[i] >> 32; j++)
      add_edge(p, (uint32_t)member[i], (uint32_t)member[j], (uint32_t)(member[i] >> 32));
  list_arcs(p);
  uint32_t twice = 0;
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t i = p->first[v] + 1; i < p->first[v + 1]; i++) twice += p->arc[i].to == p->arc[i - 1].to;
  return 20 * twice <= 2 * p->edges;
}

/* The line of dimension d through a place, by the votes of its routers: place without d -> line. */
typedef struct ballot {
  uint64_t cell; /* of the place with coordinate d as 0, and the dimension */
  uint32_t line;
} ballot;

static int by_cell(const void *a_, const void *b_) {
  const ballot *a = a_, *b = b_;
  if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

static uint64_t cell_of(const product *p, uint32_t v, uint32_t without) {
  uint64_t cell = without;
  for (uint32_t d = 0; d < p->dims; d++)
    cell = cell * (uint64_t)(p->size[d] + 1) + (uint64_t)(d == without ? 0 : p->at[(size_t)v * DIMS + d]);
  return cell;
}

/* In which dimension a line lies: that of its edges. */
static uint8_t *line_dims(const product *p, uint32_t lines) {
  uint8_t *dim = memset(RIPSTOP_ARRAY(p->arena, lines + 1, uint8_t), DIMS, lines + 1);
  for (uint32_t e = 0; e < p->edges; e++) dim[p->edge[e].line] = p->dim[e];
  return dim;
}

static ballot *count_votes(const product *p, const uint64_t *member, uint32_t members, const uint8_t *dim,
                           uint32_t *count) {
  ballot *votes = RIPSTOP_ARRAY(p->arena, members + 1, ballot);
  *count = 0;
  for (uint32_t i = 0; i < members; i++) {
    uint32_t line = (uint32_t)(member[i] >> 32);
    if (dim[line] < DIMS) votes[(*count)++] = (ballot){cell_of(p, (uint32_t)member[i], dim[line]), line};
  }
  qsort(votes, *count, sizeof *votes, by_cell);
  return votes;
}

/* The line with most votes for a cell; RIPSTOP_NONE: nobody voted. */
static uint32_t winner(const ballot *votes, uint32_t count, uint64_t cell) {
  uint32_t low = 0, high = count, best = RIPSTOP_NONE, most = 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (votes[middle].cell < cell)
      low = middle + 1;
    else
      high = middle;
  }
  for (uint32_t i = low, j; i < count && votes[i].cell == cell; i = j) {
    for (j = i; j < count && votes[j].cell == cell && votes[j].line == votes[i].line;) j++;
    if (j - i > most) best = votes[i].line, most = j - i;
  }
  return best;
}

/* One cable of every router into each of its lines. Inside of lines everything is as it is. */
static void want_lines(const product *p, ripstop_model *m, const uint32_t *line, const ballot *votes, uint32_t count,
                       uint32_t lines) {
  uint32_t *single = memset(RIPSTOP_ARRAY(p->arena, lines, uint32_t), 0xff, lines * sizeof *single);
  for (uint32_t v = p->net->switches; v-- > 0;)
    if (line[v] != RIPSTOP_NONE) single[line[v]] = v;
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++) {
      uint32_t at = winner(votes, count, cell_of(p, v, d)), here = RIPSTOP_NONE;
      if (at == RIPSTOP_NONE || p->at[(size_t)v * DIMS] == HOMELESS) continue;
      for (uint32_t i = p->net->first[p->point[v]]; i < p->net->first[p->point[v] + 1]; i++)
        if (line[p->net->near[i].node] == at) here = p->net->near[i].node;
      ripstop_model_want(m, p->arena, p->point[v], here != RIPSTOP_NONE ? here : single[at], role(d, 0, 0),
                         role(d, 1, p->at[(size_t)v * DIMS + d]));
    }
  for (uint32_t i = 0; i < p->net->cables; i++) {
    const ripstop_net_cable *c = &p->net->cable[i];
    if (line[c->a] != RIPSTOP_NONE && line[c->a] == line[c->b])
      ripstop_model_want(m, p->arena, c->a, c->b, (uint64_t)1 << 62 | i, (uint64_t)1 << 62 | i);
  }
}

static void name_kns(const product *p, ripstop_model *m, uint64_t cells, bool crossbars) {
  bool even = true;
  for (uint32_t d = 1; d < p->dims; d++) even &= p->size[d] == p->size[0];
  uint32_t hosts = p->net->hosts[p->point[0]];
  m->family = "kns";
  m->shape = sizes_of(p, p->arena);
  if (even && crossbars && cells == p->points)
    m->spec = ripstop_arena_printf(p->arena, "kns:k=%d,n=%u%s", p->size[0], p->dims,
                                   hosts != 1 ? ripstop_arena_printf(p->arena, ",c=%u", hosts) : "");
}

bool ripstop_model_kns(const ripstop_net *net, ripstop_model *m) {
  uint32_t *line = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), members, votes_cast;
  uint32_t *point_of = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  uint32_t lines = find_lines(net, line), lines_switches = 0;
  product p = {.net = net, .arena = net->arena};
  p.point = RIPSTOP_ARRAY(p.arena, net->switches, uint32_t);
  for (uint32_t v = 0; v < net->switches; v++)
    if (line[v] == RIPSTOP_NONE) point_of[v] = p.points, p.point[p.points++] = v;
  lines_switches = net->switches - p.points;
  const uint64_t *member = find_members(net, line, point_of, &members);
  uint32_t *grid;
  uint64_t cells;
  if (lines < 2 || !add_line_edges(&p, member, members) || !settle(&p) || p.dims < 2) return false;
  for (uint32_t d = 0; d < p.dims; d++)
    if (!p.clique[d]) p.clique[d] = true, find_layers(&p, d);
  order_dims(&p);
  if (!find_grid(&p, &grid, &cells)) return false;
  const ballot *votes = count_votes(&p, member, members, line_dims(&p, lines), &votes_cast);
  want_lines(&p, m, line, votes, votes_cast, lines);
  set_places(&p, m);
  name_kns(&p, m, cells, lines == lines_switches);
  return true;
}
