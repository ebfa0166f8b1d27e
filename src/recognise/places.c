/* places.c - gives the points of a product their coordinates (product.c says how). */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "base/sort.h"
#include "recognise/product.h"

/* Numbers the layers of a dimension of cliques: what edges of other dimensions join. Points that lost too many cables
 * hang together in layers of less than half the usual size: they have no place yet. */
void ripstop_product_layers(ripstop_product *p, uint32_t d) {
  uint32_t *parent = ripstop_forest(p->arena, p->points), *size = RIPSTOP_ARRAY(p->arena, p->points, uint32_t);
  uint32_t *sizes = RIPSTOP_ARRAY(p->arena, p->points, uint32_t);
  int32_t *number = RIPSTOP_ARRAY(p->arena, p->points, int32_t), next = 0;
  for (uint32_t e = 0; e < p->edges; e++)
    if (p->dim[e] != d && p->dim[e] != RIPSTOP_PLACE_DIMS) ripstop_join(parent, p->edge[e].a, p->edge[e].b);
  for (uint32_t v = 0; v < p->points; v++) size[ripstop_root(parent, v)]++;
  for (uint32_t v = 0; v < p->points; v++) sizes[v] = size[ripstop_root(parent, v)];
  qsort(sizes, p->points, sizeof *sizes, ripstop_by_u32);
  for (uint32_t v = 0; v < p->points; v++) {
    uint32_t root = ripstop_root(parent, v);
    if (root == v) number[v] = 2 * size[v] >= sizes[p->points / 2] ? next++ : RIPSTOP_HOMELESS;
    p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d] = number[root];
  }
  p->size[d] = next;
}

/* Classes that squares join: of these it is certain whether their dimensions are the same. */
static void find_pieces(ripstop_product *p) {
  p->piece = ripstop_forest(p->arena, p->edges);
  for (uint32_t i = 0; i < p->corners; i++) ripstop_join(p->piece, p->corner[i].one, p->corner[i].two);
}

uint32_t ripstop_product_piece(ripstop_product *p, uint32_t e) {
  bool turned;
  return p->corners > 0 ? ripstop_root(p->piece, ripstop_product_class(p, e, &turned)) : RIPSTOP_NONE;
}

/* Gives the steps of a dimension one direction: at a point with two of them one leads in and one leads out. */
static void direct(ripstop_product *p) {
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++) {
      uint32_t found = RIPSTOP_NONE;
      if (p->clique[d] || ripstop_product_degree_in(p, v, d) != 2) continue;
      for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
        uint32_t e = p->arc[i].edge;
        if (p->dim[e] != d) continue;
        if (found != RIPSTOP_NONE && ripstop_product_piece(p, found) == ripstop_product_piece(p, e))
          ripstop_product_join(p, found, e, ripstop_product_is_from(p, found, v) == ripstop_product_is_from(p, e, v));
        found = e;
      }
    }
}

/* The place to which a step along an arc leads. */
static void step(ripstop_product *p, uint32_t v, const ripstop_arc *to, int32_t *out) {
  uint32_t d = p->dim[to->edge];
  memcpy(out, p->at + (size_t)v * RIPSTOP_PLACE_DIMS, RIPSTOP_PLACE_DIMS * sizeof *out);
  if (d == RIPSTOP_PLACE_DIMS || p->clique[d]) return;
  out[d] += ripstop_product_rises(p, to->edge, v) ? 1 : -1;
}

/* Cables that the edges of a dimension usually are. */
uint32_t ripstop_product_twins(const ripstop_product *p, uint32_t d) {
  uint32_t times[8] = {0}, best = 1;
  for (uint32_t e = 0; e < p->edges; e++) {
    uint32_t cables = recognised_between(p->net, p->point[p->edge[e].a], p->point[p->edge[e].b]);
    if (p->dim[e] == d && cables < 8) times[cables]++;
  }
  for (uint32_t i = 2; i < 8; i++)
    if (times[i] > times[best]) best = i;
  return best;
}

enum { GAPS_MAX = 4096 };

/* The size of a ring: by how much the two ends of an edge most often differ beyond the step; a line has no such edge.
 */
static void find_size(ripstop_product *p, uint32_t d) {
  const uint32_t gaps = p->points < GAPS_MAX - 2 ? p->points + 2 : GAPS_MAX; /* coordinates are sums of steps */
  uint32_t *times = RIPSTOP_ARRAY(p->arena, gaps, uint32_t), best = 0, all = 0;
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (uint32_t e = 0; e < p->edges; e++) {
    int32_t there[RIPSTOP_PLACE_DIMS];
    if (p->dim[e] != d || !p->placed[p->edge[e].a] || !p->placed[p->edge[e].b]) continue;
    step(p, p->edge[e].a, &(ripstop_arc){p->edge[e].b, e}, there);
    int32_t gap = there[d] - p->at[(size_t)p->edge[e].b * RIPSTOP_PLACE_DIMS + d];
    gap = gap < 0 ? -gap : gap;
    if ((uint32_t)gap < gaps) times[gap]++;
    all++;
  }
  for (uint32_t gap = 3; gap < gaps; gap++)
    if (times[gap] > times[best] || best == 0) best = times[gap] > 0 ? gap : best;
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t c = p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
    if (!p->placed[v]) continue;
    if (c < low) low = c;
    if (c > high) high = c;
  }
  p->ring[d] = best > 0 && 4 * (uint64_t)times[best] * best >= all;
  p->size[d] = p->ring[d] ? (int32_t)best : high - low + 1;
  if (p->size[d] == 2 && ripstop_product_twins(p, d) == 2) p->ring[d] = true; /* two cables: one in each direction */
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t *c = &p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
    *c = (*c - low) % p->size[d];
  }
}

/* Every point goes where most of its neighbours see it; a ring closes modulo its size. */
static void vote(ripstop_product *p) {
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++) {
      int32_t seen[64], best;
      uint32_t count = 0, most = 0, own = 0;
      if (p->clique[d]) continue;
      for (uint32_t i = p->first[v]; i < p->first[v + 1] && count < 64; i++) {
        const ripstop_arc back = {v, p->arc[i].edge};
        int32_t there[RIPSTOP_PLACE_DIMS];
        if (p->dim[back.edge] == RIPSTOP_PLACE_DIMS || !p->placed[p->arc[i].to]) continue;
        step(p, p->arc[i].to, &back, there);
        seen[count++] = p->ring[d] ? (there[d] + p->size[d]) % p->size[d] : there[d];
      }
      best = p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
      for (uint32_t i = 0; i < count; i++) {
        uint32_t times = 0;
        for (uint32_t j = 0; j < count; j++) times += seen[j] == seen[i];
        if (seen[i] == p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d]) own = times;
        if (times > most) best = seen[i], most = times;
      }
      if (most > own) p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d] = best;
      if (count > 0) p->placed[v] = true;
    }
}

/* Joins the dimension `b` to `a` before it: two lines of two are a ring of four, in the order 00, 01, 11, 10. */
static void join_dims(ripstop_product *p, uint32_t a, uint32_t b) {
  uint32_t behind = p->dims - b - 1;
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t *at = p->at + (size_t)v * RIPSTOP_PLACE_DIMS;
    if (at[a] != RIPSTOP_HOMELESS && at[b] != RIPSTOP_HOMELESS) at[a] = at[a] == 0 ? at[b] : 3 - at[b];
    memmove(at + b, at + b + 1, behind * sizeof *at);
  }
  memmove(p->size + b, p->size + b + 1, behind * sizeof *p->size);
  memmove(p->ring + b, p->ring + b + 1, behind * sizeof *p->ring);
  memmove(p->clique + b, p->clique + b + 1, behind * sizeof *p->clique);
  for (uint32_t e = 0; e < p->edges; e++)
    p->dim[e] = p->dim[e] == b                                    ? (uint8_t)a
                : p->dim[e] > b && p->dim[e] < RIPSTOP_PLACE_DIMS ? (uint8_t)(p->dim[e] - 1)
                                                                  : p->dim[e];
  p->size[a] = 4;
  p->ring[a] = true;
  p->dims--;
}

static bool is_pair(const ripstop_product *p, uint32_t d) { return p->size[d] == 2 && !p->ring[d]; }

void ripstop_product_join_rings(ripstop_product *p) {
  uint32_t cliques = 0, pairs = 0;
  for (uint32_t d = 0; d < p->dims; d++) {
    cliques += p->clique[d] && p->size[d] > 2;
    pairs += is_pair(p, d);
  }
  if (cliques > 0 || pairs % 2 != 0) return; /* an odd hypercube stays a mesh of twos */
  for (uint32_t a = 0; a < p->dims; a++)
    for (uint32_t b = a + 1; b < p->dims && is_pair(p, a); b++)
      if (is_pair(p, b)) join_dims(p, a, b);
}

static void find_places(ripstop_product *p) {
  p->at = RIPSTOP_ARRAY(p->arena, (size_t)p->points * RIPSTOP_PLACE_DIMS, int32_t);
  p->placed = RIPSTOP_ARRAY(p->arena, p->points, bool);
  find_pieces(p);
  direct(p);
  for (uint32_t d = 0; d < p->dims; d++)
    if (p->clique[d]) ripstop_product_layers(p, d);
  ripstop_product_grow(p);
  for (uint32_t d = 0; d < p->dims; d++)
    if (!p->clique[d]) find_size(p, d);
  for (unsigned round = 0; round < 3; round++) vote(p);
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims && !p->placed[v]; d++)
      p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d] = RIPSTOP_HOMELESS;
}

/* ------------------------------------------------------------------ order and names */

/* The usual difference between the numbers of an edge's ends in a dimension: the dimension that runs fastest comes
 * last. */
static uint64_t stride(const ripstop_product *p, uint32_t d) {
  uint64_t least = UINT64_MAX;
  for (uint32_t e = 0; e < p->edges; e++)
    if (p->dim[e] == d && p->point[p->edge[e].b] - p->point[p->edge[e].a] < least)
      least = p->point[p->edge[e].b] - p->point[p->edge[e].a];
  return least;
}

static void swap_dims(ripstop_product *p, uint32_t a, uint32_t b) {
  for (uint32_t v = 0; v < p->points; v++) {
    int32_t *at = p->at + (size_t)v * RIPSTOP_PLACE_DIMS, keep = at[a];
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

void ripstop_product_order(ripstop_product *p) {
  for (uint32_t a = 0; a < p->dims; a++)
    for (uint32_t b = a + 1; b < p->dims; b++)
      if (stride(p, b) > stride(p, a)) swap_dims(p, a, b);
}

/* The first point is at 0, and coordinates rise with the numbers of the points where they can. */
void ripstop_product_turn(ripstop_product *p) {
  for (uint32_t d = 0; d < p->dims; d++) {
    int64_t rise = 0;
    int32_t size = p->size[d];
    if (p->clique[d]) continue;
    for (uint32_t e = 0; e < p->edges; e++) {
      int32_t a = p->at[(size_t)p->edge[e].a * RIPSTOP_PLACE_DIMS + d],
              b = p->at[(size_t)p->edge[e].b * RIPSTOP_PLACE_DIMS + d];
      if (p->dim[e] == d) rise += (b - a + size) % size == 1 ? 1 : -1;
    }
    int32_t origin = p->at[d] == RIPSTOP_HOMELESS ? 0 : p->at[d];
    for (uint32_t v = 0; v < p->points; v++) {
      int32_t *c = &p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
      if (*c == RIPSTOP_HOMELESS) continue;
      if (p->ring[d]) *c = (*c - origin + size) % size;
      if (rise < 0 && size > 2) *c = p->ring[d] ? (size - *c) % size : size - 1 - *c;
    }
  }
}

const char *ripstop_product_sizes(const ripstop_product *p, ripstop_arena *arena) {
  RIPSTOP_LOCAL_TEXT(text);
  for (uint32_t d = 0; d < p->dims; d++) ripstop_text_add(&text, d == 0 ? "%d" : "x%d", p->size[d]);
  const char *sizes = ripstop_arena_text(arena, text.data);
  return sizes;
}

/* ------------------------------------------------------------------ a place for every point */

/* The cell of a point; UINT64_MAX: it has none. */
static uint64_t cell_of_point(const ripstop_product *p, uint32_t v) {
  uint64_t cell = 0;
  for (uint32_t d = 0; d < p->dims; d++) {
    int32_t c = p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
    if (c < 0 || c >= p->size[d]) return UINT64_MAX;
    cell = cell * (uint64_t)p->size[d] + (uint64_t)c;
  }
  return cell;
}

static void set_cell(ripstop_product *p, uint32_t v, uint64_t cell) {
  int32_t *at = p->at + (size_t)v * RIPSTOP_PLACE_DIMS;
  const bool homeless = cell == UINT64_MAX; /* in all dimensions at once */
  for (uint32_t d = p->dims; d-- > 0; cell /= (uint64_t)p->size[d])
    at[d] = homeless ? RIPSTOP_HOMELESS : (int32_t)(cell % (uint64_t)p->size[d]);
}

/* True if points at two places are joined in the regular product. */
static bool are_beside(const ripstop_product *p, const int32_t *a, const int32_t *b) {
  uint32_t differ = 0, d = 0;
  for (uint32_t k = 0; k < p->dims; k++)
    if (a[k] != b[k]) differ++, d = k;
  int32_t step = differ == 1 ? (a[d] > b[d] ? a[d] - b[d] : b[d] - a[d]) : 0;
  return differ == 1 && (p->clique[d] || step == 1 || (p->ring[d] && step == p->size[d] - 1));
}

/* Counts a point's edges that the regular product has. */
static uint32_t fit_at(const ripstop_product *p, uint32_t v, const int32_t *at) {
  uint32_t fits = 0;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
    const int32_t *other = p->at + (size_t)p->arc[i].to * RIPSTOP_PLACE_DIMS;
    fits += other[0] != RIPSTOP_HOMELESS && are_beside(p, at, other);
  }
  return fits;
}

/* Moves a point to the empty cell that most of its edges want it in, when that is more than now. */
static void settle_point(ripstop_product *p, uint32_t *grid, uint64_t cells, uint32_t v) {
  uint64_t now = cell_of_point(p, v), best = now;
  uint32_t most = now == UINT64_MAX ? 0 : fit_at(p, v, p->at + (size_t)v * RIPSTOP_PLACE_DIMS);
  int32_t was[RIPSTOP_PLACE_DIMS];
  memcpy(was, p->at + (size_t)v * RIPSTOP_PLACE_DIMS, sizeof was);
  for (uint64_t cell = 0; cell < cells; cell++) {
    if (grid[cell] != RIPSTOP_NONE) continue;
    set_cell(p, v, cell);
    uint32_t fits = fit_at(p, v, p->at + (size_t)v * RIPSTOP_PLACE_DIMS);
    if (fits > most) best = cell, most = fits;
  }
  memcpy(p->at + (size_t)v * RIPSTOP_PLACE_DIMS, was, sizeof was);
  if (best == now) return;
  set_cell(p, v, best);
  if (now != UINT64_MAX && grid[now] == v) grid[now] = RIPSTOP_NONE;
  grid[best] = v;
}

enum { LOST_MAX = 256 };

/* Points without a place, or with few edges that fit, look for a better one among the empty cells. */
static void settle_points(ripstop_product *p, uint32_t *grid, uint64_t cells) {
  uint32_t lost = 0;
  for (uint32_t v = 0; v < p->points && lost < LOST_MAX; v++) {
    uint64_t cell = cell_of_point(p, v);
    uint32_t fits = cell == UINT64_MAX ? 0 : fit_at(p, v, p->at + (size_t)v * RIPSTOP_PLACE_DIMS);
    if (cell != UINT64_MAX && grid[cell] == v && 2 * fits > ripstop_product_degree(p, v)) continue;
    settle_point(p, grid, cells, v);
    lost++;
  }
  for (uint32_t v = 0; v < p->points; v++) {
    uint64_t cell = cell_of_point(p, v);
    if (cell == UINT64_MAX || grid[cell] != v) set_cell(p, v, UINT64_MAX);
  }
}

/* A point that lost all its cables gets the free place, if there is just one. */
static void settle_lonely(ripstop_product *p, uint32_t *grid, uint64_t cells) {
  uint64_t empty = 0, where = 0;
  uint32_t lonely = RIPSTOP_NONE;
  for (uint64_t cell = 0; cell < cells; cell++)
    if (grid[cell] == RIPSTOP_NONE) empty++, where = cell;
  for (uint32_t v = 0; v < p->points && empty == 1; v++)
    if (cell_of_point(p, v) == UINT64_MAX) lonely = v;
  if (lonely == RIPSTOP_NONE) return;
  set_cell(p, lonely, where);
  grid[where] = lonely;
}

/* Points by their place, mixed radix; RIPSTOP_NONE: none. False: too many points have no place of their own. */
bool ripstop_product_grid(ripstop_product *p, uint32_t **grid, uint64_t *cells) {
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
  if (4 * homeless > p->points) return false;
  for (unsigned round = 0; round < 3; round++) settle_points(p, *grid, *cells);
  settle_lonely(p, *grid, *cells);
  return true;
}

/* A ring or a clique alone has no squares: the degrees show which it is. */
bool ripstop_product_settle(ripstop_product *p) {
  if (p->points < 2 || !ripstop_product_classes(p)) return false;
  ripstop_product_dims(p);
  find_places(p);
  return true;
}

void ripstop_product_set_places(const ripstop_product *p, ripstop_model *m) {
  m->dims = p->dims;
  m->place = RIPSTOP_ARRAY(p->arena, (size_t)p->net->switches * p->dims, uint16_t);
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++)
      m->place[(size_t)p->point[v] * p->dims + d] = (uint16_t)p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
}
