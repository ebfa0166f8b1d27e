/* place_points.c - sums up steps to places, from one point to all that are certain.
 *
 * A class of edges is known when its dimension and direction are. Those of one point's edges are set; two points that
 * have their places give every further one. A point gets its place from an edge of a known class. It also gets one from
 * two neighbours, if just one free place is beside both. So pieces that lost cables have torn off are put where they
 * were; uncertain points have no place. Cost: for each point in the order in which they come, its edges. */
#include <string.h>

#include "recognise/product.h"

enum { KEY = RIPSTOP_PLACE_DIMS * sizeof(int32_t) };

typedef struct grower {
  ripstop_product *p;
  uint8_t *dim; /* [edges]: of a class, by its first member; RIPSTOP_PLACE_DIMS: not known */
  ripstop_text_table taken;
} grower;

static int32_t *at(const ripstop_product *p, uint32_t v) { return p->at + (size_t)v * RIPSTOP_PLACE_DIMS; }

static bool same_place(const void *p, uint32_t v, const char *text, size_t length) {
  return memcmp(at(p, v), text, length) == 0;
}

/* ------------------------------------------------------------------ classes */

static void learn(grower *g, uint32_t e, uint32_t d, bool up) {
  bool turned;
  uint32_t class = ripstop_product_class(g->p, e, &turned);
  if (g->dim[class] != RIPSTOP_PLACE_DIMS) return;
  g->dim[class] = (uint8_t)d;
  g->p->edge[class].down = up == turned;
}

static bool is_step(const ripstop_product *p, uint32_t e) {
  return p->dim[e] == RIPSTOP_PLACE_DIMS || !p->clique[p->dim[e]];
}

/* The dimension in which two points are one step apart, and in none else; RIPSTOP_PLACE_DIMS: there is none. */
static uint32_t step_between(const ripstop_product *p, uint32_t v, uint32_t w, bool *up) {
  uint32_t found = RIPSTOP_PLACE_DIMS;
  for (uint32_t d = 0; d < p->dims; d++) {
    int32_t apart = at(p, w)[d] - at(p, v)[d];
    if (apart == 0) continue;
    if (found != RIPSTOP_PLACE_DIMS || (apart != 1 && apart != -1)) return RIPSTOP_PLACE_DIMS;
    found = d;
    *up = apart == 1;
  }
  return found;
}

/* Sets the classes of the edges of a point that has a place. */
static void learn_around(grower *g, uint32_t v) {
  ripstop_product *p = g->p;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
    const uint32_t e = p->arc[i].edge, w = p->arc[i].to;
    bool up;
    if (!p->placed[w] || !is_step(p, e)) continue;
    uint32_t d = step_between(p, v, w, &up);
    if (d != RIPSTOP_PLACE_DIMS && !p->clique[d]) learn(g, e, d, up == ripstop_product_is_from(p, e, v));
  }
}

bool ripstop_product_rises(ripstop_product *p, uint32_t e, uint32_t from) {
  bool turned;
  uint32_t class = ripstop_product_class(p, e, &turned);
  return (ripstop_product_is_from(p, e, from) != turned) != p->edge[class].down;
}

/* ------------------------------------------------------------------ points */

static void place(grower *g, uint32_t v, const int32_t *where) {
  ripstop_product *p = g->p;
  for (uint32_t d = 0; d < p->dims; d++)
    if (!p->clique[d]) at(p, v)[d] = where[d];
  p->placed[v] = true;
  if (ripstop_text_table_find(&g->taken, (const char *)at(p, v), KEY, same_place, p) == RIPSTOP_NONE)
    ripstop_text_table_add(&g->taken, (const char *)at(p, v), KEY, v);
  learn_around(g, v);
}

static bool is_taken(const grower *g, const int32_t *where) {
  return ripstop_text_table_find(&g->taken, (const char *)where, KEY, same_place, g->p) != RIPSTOP_NONE;
}

/* By a cable of a known class, or of a clique, whose coordinates are there already. */
static bool place_by_class(grower *g, uint32_t v) {
  ripstop_product *p = g->p;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
    const uint32_t e = p->arc[i].edge, w = p->arc[i].to;
    int32_t where[RIPSTOP_PLACE_DIMS];
    bool turned;
    uint32_t class = ripstop_product_class(p, e, &turned);
    if (!p->placed[w] || (is_step(p, e) && g->dim[class] == RIPSTOP_PLACE_DIMS)) continue;
    memcpy(where, at(p, w), sizeof where);
    if (is_step(p, e)) where[g->dim[class]] += ripstop_product_rises(p, e, w) ? 1 : -1;
    place(g, v, where);
    return true;
  }
  return false;
}

/* The free place beside two others: between them, or at a corner. False: there is none, or two. */
static bool place_beside(grower *g, uint32_t v, const int32_t *a, const int32_t *b) {
  const ripstop_product *p = g->p;
  int32_t where[RIPSTOP_PLACE_DIMS], found[RIPSTOP_PLACE_DIMS];
  uint32_t dims[2], differ = 0, places = 0;
  for (uint32_t d = 0; d < p->dims; d++) {
    int32_t apart = b[d] > a[d] ? b[d] - a[d] : a[d] - b[d];
    if (apart == 0) continue;
    if (apart > 2 || differ == 2 || (apart == 2 && differ > 0)) return false;
    dims[differ++] = d;
    if (apart == 2) dims[differ++] = d;
  }
  if (differ != 2) return false;
  for (unsigned i = 0; i < (dims[0] == dims[1] ? 1 : 2); i++) {
    memcpy(where, a, sizeof where);
    where[dims[i]] += b[dims[i]] > a[dims[i]] ? 1 : -1;
    if (is_taken(g, where)) continue;
    memcpy(found, where, sizeof found);
    places++;
  }
  if (places == 1) place(g, v, found);
  return places == 1;
}

static bool place_by_two(grower *g, uint32_t v) {
  ripstop_product *p = g->p;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++)
    for (uint32_t j = p->first[v]; j < i; j++)
      if (p->placed[p->arc[i].to] && p->placed[p->arc[j].to] &&
          place_beside(g, v, at(p, p->arc[i].to), at(p, p->arc[j].to)))
        return true;
  return false;
}

/* Beside a point that has all its other places taken. */
static bool place_last(grower *g, uint32_t v) {
  const ripstop_product *p = g->p;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
    int32_t where[RIPSTOP_PLACE_DIMS], found[RIPSTOP_PLACE_DIMS];
    uint32_t places = 0;
    if (!p->placed[p->arc[i].to]) continue;
    memcpy(where, at(p, p->arc[i].to), sizeof where);
    for (uint32_t k = 0; k < 2 * p->dims; k++) {
      where[k / 2] += k % 2 ? 1 : -1;
      if (!is_taken(g, where)) memcpy(found, where, sizeof found), places++;
      where[k / 2] -= k % 2 ? 1 : -1;
    }
    if (places != 1) continue;
    place(g, v, found);
    return true;
  }
  return false;
}

static bool place_all(grower *g, bool (*one)(grower *, uint32_t)) {
  bool any = false;
  for (uint32_t v = 0; v < g->p->points; v++)
    if (!g->p->placed[v] && one(g, v)) any = true;
  return any;
}

/* ------------------------------------------------------------------ the first point */

/* The piece that most edges of a point are in, and how many. */
static uint32_t piece_at(ripstop_product *p, uint32_t v, uint32_t *most) {
  uint32_t best = RIPSTOP_NONE;
  *most = 0;
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
    uint32_t times = 0, piece = ripstop_product_piece(p, p->arc[i].edge);
    for (uint32_t k = p->first[v]; k < p->first[v + 1] && p->dim[p->arc[i].edge] != RIPSTOP_PLACE_DIMS; k++)
      times += p->dim[p->arc[k].edge] != RIPSTOP_PLACE_DIMS && ripstop_product_piece(p, p->arc[k].edge) == piece;
    if (times > *most) best = piece, *most = times;
  }
  return best;
}

/* The point with most edges in one piece, of those that nothing was grown to yet; RIPSTOP_NONE: no edge is left. */
static uint32_t best_known(ripstop_product *p, const uint8_t *reached) {
  uint32_t best = RIPSTOP_NONE, most = 0, known;
  for (uint32_t v = 0; v < p->points; v++) {
    if (reached[v]) continue;
    piece_at(p, v, &known);
    if (known > most) best = v, most = known;
  }
  return best;
}

/* Its edges in that piece: one of a dimension leads up, another one down. */
static void begin(grower *g, uint32_t v) {
  ripstop_product *p = g->p;
  bool seen[RIPSTOP_PLACE_DIMS] = {false};
  const int32_t origin[RIPSTOP_PLACE_DIMS] = {0};
  uint32_t known, piece = piece_at(p, v, &known);
  place(g, v, origin);
  for (uint32_t i = p->first[v]; i < p->first[v + 1]; i++) {
    uint32_t e = p->arc[i].edge, d = p->dim[e];
    if (d == RIPSTOP_PLACE_DIMS || p->clique[d] || ripstop_product_piece(p, e) != piece) continue;
    learn(g, e, d, seen[d] != ripstop_product_is_from(p, e, v));
    seen[d] = true;
  }
}

/* A class that is still unknown, and that leads far in one dimension alone, closes its rings. */
static void learn_closing(grower *g, uint32_t e) {
  const ripstop_product *p = g->p;
  const uint32_t a = p->edge[e].a, b = p->edge[e].b;
  uint32_t differ = 0, d = 0;
  if (!p->placed[a] || !p->placed[b] || !is_step(p, e)) return;
  for (uint32_t k = 0; k < p->dims; k++)
    if (at(p, a)[k] != at(p, b)[k]) differ++, d = k;
  if (differ == 1 && !p->clique[d]) learn(g, e, d, at(p, a)[d] > at(p, b)[d]);
}

/* Forgets what was grown before. Returns how many points have a place then. */
static uint32_t grow_from(grower *g, uint32_t seed) {
  ripstop_product *p = g->p;
  bool shapes = true; /* cliques have no places between */
  uint32_t count = 0;
  memset(g->dim, RIPSTOP_PLACE_DIMS, p->edges);
  memset(p->placed, 0, p->points * sizeof *p->placed);
  g->taken = (ripstop_text_table){.arena = p->arena};
  for (uint32_t d = 0; d < p->dims; d++) shapes &= !p->clique[d];
  begin(g, seed);
  while (place_all(g, place_by_class) || (shapes && (place_all(g, place_by_two) || place_all(g, place_last)))) {
  }
  for (uint32_t v = 0; v < p->points; v++) count += p->placed[v];
  return count;
}

enum { SEEDS_MAX = 8 };

/* A seed may be on an island of squares: another one may reach more. */
void ripstop_product_grow(ripstop_product *p) {
  grower g = {.p = p, .dim = RIPSTOP_ARRAY(p->arena, p->edges + 1, uint8_t)};
  uint8_t *reached = RIPSTOP_ARRAY(p->arena, p->points, uint8_t);
  uint32_t best = 0, most = 0, last = RIPSTOP_NONE;
  for (unsigned i = 0; i < SEEDS_MAX && 2 * most <= p->points; i++) {
    uint32_t seed = best_known(p, reached);
    if (seed == RIPSTOP_NONE) break;
    uint32_t count = grow_from(&g, last = seed);
    for (uint32_t v = 0; v < p->points; v++) reached[v] |= p->placed[v];
    if (count > most) best = seed, most = count;
  }
  if (best != last) grow_from(&g, best);
  for (uint32_t e = 0; e < p->edges; e++) learn_closing(&g, e);
  for (uint32_t e = 0; e < p->edges; e++) {
    bool turned;
    if (is_step(p, e)) p->dim[e] = g.dim[ripstop_product_class(p, e, &turned)];
  }
}
