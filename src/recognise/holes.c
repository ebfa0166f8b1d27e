/* holes.c - recognises a torus, mesh or HyperX without some of its switches: a grid whose places are not all taken.
 *
 * The search is exact. Every switch gets a place of its own, and two switches are joined if, and only if, their places
 * are beside each other. Switches are placed one after another, each beside one that has a place. A place that does not
 * fit is taken back.
 *
 * The greatest number of neighbours says how many dimensions there are: two neighbours in each, and one in a dimension
 * of two places. Rings are tried with every length, lines end where the last switch is, and cliques are tried with all
 * sizes that give as many neighbours. The grid with the fewest places wins. It has CELLS_MAX times as many places as
 * there are switches at most: any graph is a part of a grid that is large enough. Cost: WORK places looked at, at most.
 */
#include <stdlib.h>
#include <string.h>

#include "recognise/recognised_graph.h"

enum { DIMS_MAX = 4, CELLS_MAX = 3, SWITCHES_MAX = 1 << 10, WORK = 1 << 22, TURNS = 64, SHOWN = 8 };

typedef enum kind { LINE, RING, CLIQUE } kind;

typedef struct grid {
  uint32_t dims, size[DIMS_MAX]; /* size of a line: 0 until all switches have places */
  kind kind[DIMS_MAX];
} grid;

typedef struct place {
  int32_t at[DIMS_MAX];
} place;

/* The candidates that are tried for the switch in turn. */
typedef struct frame {
  uint32_t d;                            /* the next dimension to step in */
  int32_t step;                          /* the next coordinate of a clique, or 0 and 1: down and up */
  int32_t low[DIMS_MAX], high[DIMS_MAX]; /* coordinates of the switches before this one */
  int32_t labels[DIMS_MAX];              /* in cliques: coordinates that switches before this one have */
} frame;

typedef struct search {
  const recognised_graph *net;
  ripstop_arena *arena;
  grid grid;
  uint32_t *order, *from; /* [switches]: each one's neighbour that is placed before it */
  place *place;           /* [switches] */
  frame *frame;           /* [switches] */
  uint32_t *table, mask;  /* hash of places; RIPSTOP_NONE: free */
  uint64_t most;          /* places that the grid may have */
  uint64_t work;
} search;

/* ------------------------------------------------------------------ places that are taken */

static uint32_t slot_of(const search *s, const place *p) {
  uint64_t hash = 0;
  for (uint32_t d = 0; d < s->grid.dims; d++) hash = (hash + (uint32_t)p->at[d] + 1) * 0x9e3779b97f4a7c15u;
  uint32_t slot = (uint32_t)(hash >> 32) & s->mask;
  while (s->table[slot] != RIPSTOP_NONE &&
         memcmp(s->place[s->table[slot]].at, p->at, s->grid.dims * sizeof *p->at) != 0)
    slot = (slot + 1) & s->mask;
  return slot;
}

/* The place one step on; false: the line of a HyperX has no such coordinate, or it is the same place. */
static bool step_to(const search *s, const place *from, uint32_t d, int32_t step, place *to) {
  const int32_t size = (int32_t)s->grid.size[d];
  *to = *from;
  if (s->grid.kind[d] == CLIQUE) {
    to->at[d] = step;
    return step != from->at[d];
  }
  to->at[d] += step == 0 ? -1 : 1;
  if (s->grid.kind[d] == RING) to->at[d] = (to->at[d] + size) % size;
  return true;
}

static int32_t steps_of(const search *s, uint32_t d) {
  return s->grid.kind[d] == CLIQUE ? (int32_t)s->grid.size[d] : 2;
}

/* True if the switches beside a place are just those neighbours of v that have places. */
static bool fits(const search *s, uint32_t v, uint32_t placed, const place *p) {
  uint32_t beside = 0;
  for (uint32_t d = 0; d < s->grid.dims; d++)
    for (int32_t step = 0; step < steps_of(s, d); step++) {
      place to;
      if (!step_to(s, p, d, step, &to)) continue;
      const uint32_t w = s->table[slot_of(s, &to)];
      if (w == RIPSTOP_NONE) continue;
      if (recognised_between(s->net, v, w) == 0) return false;
      beside++;
    }
  return beside == placed;
}

/* ------------------------------------------------------------------ one after another */

/* Breadth first from the switch with the most neighbours. False: no cables join all. */
static bool list_order(search *s) {
  const recognised_graph *net = s->net;
  uint32_t first = 0, count = 1;
  bool *seen = RIPSTOP_ARRAY(s->arena, net->switches, bool);
  for (uint32_t v = 1; v < net->switches; v++)
    if (recognised_degree(net, v) > recognised_degree(net, first)) first = v;
  s->order[0] = first, seen[first] = true;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = net->first[s->order[k]]; i < net->first[s->order[k] + 1]; i++) {
      const uint32_t w = net->near[i].node;
      if (seen[w]) continue;
      seen[w] = true, s->from[count] = s->order[k], s->order[count++] = w;
    }
  return count == net->switches;
}

/* The next place beside the one before; cliques take their coordinates in order, since these mean nothing. */
static bool next_step(const search *s, frame *f, const place *from, place *to) {
  while (f->d < s->grid.dims) {
    const int32_t steps = steps_of(s, f->d), known = f->labels[f->d];
    const int32_t most = s->grid.kind[f->d] == CLIQUE && known + 1 < steps ? known + 1 : steps;
    if (f->step >= most) {
      f->d++, f->step = 0;
      continue;
    }
    if (step_to(s, from, f->d, f->step++, to)) return true;
  }
  return false;
}

static uint32_t count_placed(const search *s, uint32_t v, const bool *has) {
  uint32_t count = 0;
  for (uint32_t i = s->net->first[v]; i < s->net->first[v + 1]; i++) count += has[s->net->near[i].node];
  return count;
}

static void take(search *s, uint32_t v, const place *p, bool *has) {
  const uint32_t slot = slot_of(s, p);
  s->place[v] = *p;
  s->table[slot] = v;
  has[v] = true;
}

/* The last one that was taken, so that no other's slot depends on it. */
static void take_back(search *s, uint32_t v, bool *has) {
  s->table[slot_of(s, &s->place[v])] = RIPSTOP_NONE;
  has[v] = false;
}

/* True if the grid would have too many places with this one. */
static bool is_far(const search *s, const frame *f, const place *p) {
  uint64_t cells = 1;
  for (uint32_t d = 0; d < s->grid.dims; d++) {
    const int32_t low = p->at[d] < f->low[d] ? p->at[d] : f->low[d],
                  high = p->at[d] > f->high[d] ? p->at[d] : f->high[d];
    cells *= s->grid.kind[d] == LINE ? (uint64_t)(high - low + 1) : s->grid.size[d];
  }
  return cells > s->most;
}

/* Begins the search for a place of the switch k. */
static void begin(search *s, uint32_t k) {
  const place *p = &s->place[s->order[k - 1]];
  frame *f = &s->frame[k];
  *f = s->frame[k - 1];
  f->d = 0, f->step = 0;
  for (uint32_t d = 0; d < s->grid.dims; d++) {
    if (p->at[d] < f->low[d]) f->low[d] = p->at[d];
    if (p->at[d] > f->high[d]) f->high[d] = p->at[d];
    f->labels[d] = f->high[d] + 1;
  }
}

/* Finds a place for the switch k; false: there is none any more. */
static bool place_one(search *s, uint32_t k, bool *has) {
  const uint32_t v = s->order[k], placed = count_placed(s, v, has);
  place to;
  while (s->work > 0 && next_step(s, &s->frame[k], &s->place[s->from[k]], &to)) {
    s->work--;
    if (s->table[slot_of(s, &to)] != RIPSTOP_NONE || is_far(s, &s->frame[k], &to)) continue;
    if (!fits(s, v, placed, &to)) continue;
    take(s, v, &to, has);
    return true;
  }
  return false;
}

/* False: the switches have no such places. */
static bool place_all(search *s) {
  bool *has = RIPSTOP_ARRAY(s->arena, s->net->switches, bool);
  uint32_t k = 1;
  memset(s->table, 0xff, ((size_t)s->mask + 1) * sizeof *s->table);
  s->frame[0] = (frame){0};
  take(s, s->order[0], &(place){0}, has);
  if (s->net->switches > 1) begin(s, 1);
  while (k > 0 && k < s->net->switches) {
    if (!place_one(s, k, has)) {
      if (--k > 0) take_back(s, s->order[k], has);
    } else if (++k < s->net->switches)
      begin(s, k);
  }
  return k > 0;
}

/* ------------------------------------------------------------------ the grid that was found */

/* Lines begin at 0 and end where the last switch is. */
static void measure_lines(search *s) {
  for (uint32_t d = 0; d < s->grid.dims; d++) {
    int32_t least = INT32_MAX, most = INT32_MIN;
    if (s->grid.kind[d] != LINE) continue;
    for (uint32_t v = 0; v < s->net->switches; v++) {
      if (s->place[v].at[d] < least) least = s->place[v].at[d];
      if (s->place[v].at[d] > most) most = s->place[v].at[d];
    }
    for (uint32_t v = 0; v < s->net->switches; v++) s->place[v].at[d] -= least;
    s->grid.size[d] = (uint32_t)(most - least + 1);
  }
}

static uint64_t cells_of(const grid *g) {
  uint64_t cells = 1;
  for (uint32_t d = 0; d < g->dims; d++) cells *= g->size[d];
  return cells;
}

/* The dimension in which the ends of a cable differ. */
static uint32_t dim_of(const search *s, const recognised_cable *c) {
  uint32_t d = 0;
  while (s->place[c->a].at[d] == s->place[c->b].at[d]) d++;
  return d;
}

/* True if all neighbours in a dimension have as many cables between them. */
static bool has_even_twins(const search *s) {
  uint32_t twins[DIMS_MAX] = {0};
  for (uint32_t i = 0; i < s->net->cables; i++) {
    const recognised_cable *c = &s->net->cable[i];
    const uint32_t d = dim_of(s, c), cables = recognised_between(s->net, c->a, c->b);
    if (twins[d] == 0) twins[d] = cables;
    if (twins[d] != cables) return false;
  }
  return true;
}

/* True if every coordinate of every dimension has a switch. A ring with a gap is a line, which is a smaller grid. */
static bool has_all_coordinates(const search *s) {
  for (uint32_t d = 0; d < s->grid.dims; d++) {
    uint32_t count = 0;
    bool *seen = RIPSTOP_ARRAY(s->arena, s->grid.size[d] + 1, bool);
    for (uint32_t v = 0; v < s->net->switches; v++) count += !seen[s->place[v].at[d]], seen[s->place[v].at[d]] = true;
    if (count < s->grid.size[d]) return false;
  }
  return true;
}

/* ------------------------------------------------------------------ the grids that are tried */

typedef struct best {
  grid grid;
  place *place;
  uint64_t cells; /* 0: nothing found yet */
} best;

static bool place_within(search *s) {
  const uint64_t share = (uint64_t)TURNS * s->net->switches, given = s->work < share ? s->work : share;
  const uint64_t kept = s->work - given;
  s->work = given;
  const bool all = place_all(s);
  s->work += kept;
  return all;
}

static bool has_lines(const grid *g) {
  bool lines = false;
  for (uint32_t d = 0; d < g->dims; d++) lines |= g->kind[d] == LINE;
  return lines;
}

/* Keeps the grid if it has fewer places than the best one. */
static void keep(search *s, best *b) {
  if (!has_all_coordinates(s) || !has_even_twins(s)) return;
  b->grid = s->grid, b->cells = cells_of(&s->grid);
  memcpy(b->place, s->place, s->net->switches * sizeof *b->place);
}

/* Lines get shorter while they can. */
static void try_grid(search *s, const grid *g, best *b) {
  s->most = b->cells > 0 ? b->cells - 1 : CELLS_MAX * (uint64_t)s->net->switches;
  for (bool lines = true; lines;) {
    s->grid = *g;
    if (!place_within(s)) return;
    measure_lines(s);
    keep(s, b);
    s->most = cells_of(&s->grid) - 1;
    lines = has_lines(g);
  }
}

/* Gives rings all lengths, from the dimension d on; `cells` are those of the dimensions before. */
static void try_lengths(search *s, grid *g, uint32_t d, uint64_t cells, best *b) {
  const uint64_t most = b->cells > 0 ? b->cells : CELLS_MAX * (uint64_t)s->net->switches;
  if (s->work == 0) return;
  if (d == g->dims) {
    try_grid(s, g, b);
    return;
  }
  if (g->kind[d] != RING) {
    try_lengths(s, g, d + 1, cells * 2, b);
    return;
  }
  const bool after_ring = d > 0 && g->kind[d - 1] == RING;
  for (g->size[d] = after_ring ? g->size[d - 1] : 3; cells * g->size[d] <= most; g->size[d]++)
    try_lengths(s, g, d + 1, cells * g->size[d], b);
}

/* Meshes first, then those with more and more rings, the first dimensions; a dimension of two is a line. */
static void try_grids(search *s, uint32_t neighbours, best *b) {
  const uint32_t wide = neighbours / 2, dims = wide + neighbours % 2;
  if (dims < 2 || dims > DIMS_MAX) return;
  for (uint32_t rings = 0; rings <= wide; rings++) {
    grid g = {.dims = dims};
    for (uint32_t d = 0; d < rings; d++) g.kind[d] = RING;
    try_lengths(s, &g, 0, 1, b);
  }
}

/* Cliques of all sizes that give a switch so many neighbours, the dimension d of at most `most`. */
static void try_cliques(search *s, grid *g, uint32_t d, uint32_t most, uint32_t neighbours, best *b) {
  if (neighbours == 0) {
    g->dims = d;
    const uint64_t cells = cells_of(g);
    if (d >= 2 && cells > s->net->switches && cells <= CELLS_MAX * (uint64_t)s->net->switches) try_grid(s, g, b);
    return;
  }
  if (d == DIMS_MAX || s->work == 0) return;
  for (uint32_t size = neighbours + 1 < most ? neighbours + 1 : most; size >= 2; size--) {
    g->kind[d] = CLIQUE, g->size[d] = size;
    try_cliques(s, g, d + 1, size, neighbours - (size - 1), b);
  }
}

/* ------------------------------------------------------------------ the model */

/* The least difference in number of neighbours in a dimension. */
static uint32_t stride_of(const search *s, uint32_t d) {
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < s->net->cables; i++) {
    const recognised_cable *c = &s->net->cable[i];
    if (dim_of(s, c) == d && c->b - c->a < least) least = c->b - c->a;
  }
  return least;
}

static void swap_dims(search *s, uint32_t a, uint32_t b) {
  const uint32_t size = s->grid.size[a];
  const kind of = s->grid.kind[a];
  s->grid.size[a] = s->grid.size[b], s->grid.kind[a] = s->grid.kind[b];
  s->grid.size[b] = size, s->grid.kind[b] = of;
  for (uint32_t v = 0; v < s->net->switches; v++) {
    const int32_t at = s->place[v].at[a];
    s->place[v].at[a] = s->place[v].at[b], s->place[v].at[b] = at;
  }
}

/* The dimension that runs fastest comes last, and coordinates rise with the numbers of switches. */
static void order_dims(search *s) {
  for (uint32_t a = 0; a < s->grid.dims; a++)
    for (uint32_t b = a + 1; b < s->grid.dims; b++)
      if (stride_of(s, b) > stride_of(s, a)) swap_dims(s, a, b);
  for (uint32_t d = 0; d < s->grid.dims; d++) {
    const int32_t last = (int32_t)s->grid.size[d] - 1;
    int64_t rise = 0;
    for (uint32_t i = 0; i < s->net->cables; i++)
      rise += s->place[s->net->cable[i].b].at[d] - s->place[s->net->cable[i].a].at[d];
    for (uint32_t v = 0; v < s->net->switches && rise < 0; v++) s->place[v].at[d] = last - s->place[v].at[d];
  }
}

static const char *family_of(const grid *g) {
  uint32_t rings = 0;
  for (uint32_t d = 0; d < g->dims; d++) rings += g->kind[d] == RING;
  if (g->kind[0] == CLIQUE) return "hyperx";
  return rings == 0 ? "mesh" : rings == g->dims ? "torus" : "torus and mesh";
}

/* "3.1": the place of this number. */
static void add_place(const grid *g, uint64_t cell, ripstop_text *text) {
  uint64_t below = cells_of(g);
  for (uint32_t d = 0; d < g->dims; d++) {
    below /= g->size[d];
    ripstop_text_add(text, d == 0 ? "%u" : ".%u", (unsigned)(cell / below % g->size[d]));
  }
}

/* "8x8 without 2 places: 3.1, 3.2" */
static const char *shape_of(const search *s) {
  const grid *g = &s->grid;
  const uint64_t cells = cells_of(g), empty = cells - s->net->switches;
  ripstop_text text = {0};
  uint32_t shown = 0;
  bool *taken = RIPSTOP_ARRAY(s->arena, cells, bool);
  for (uint32_t v = 0; v < s->net->switches; v++) {
    uint64_t cell = 0;
    for (uint32_t d = 0; d < g->dims; d++) cell = cell * g->size[d] + (uint64_t)s->place[v].at[d];
    taken[cell] = true;
  }
  for (uint32_t d = 0; d < g->dims; d++) ripstop_text_add(&text, d == 0 ? "%u" : "x%u", g->size[d]);
  ripstop_text_add(&text, " without %u place%s", (unsigned)empty, empty == 1 ? "" : "s");
  for (uint64_t cell = 0; cell < cells && shown <= SHOWN; cell++) {
    if (taken[cell]) continue;
    ripstop_text_add(&text, shown == 0 ? ": " : shown < SHOWN ? ", " : ", ...");
    if (shown++ < SHOWN) add_place(g, cell, &text);
  }
  const char *shape = ripstop_arena_text(s->arena, text.data);
  ripstop_text_free(&text);
  return shape;
}

/* It has the cables that are there, and no others. */
static void make_model(search *s, ripstop_model *m) {
  const grid *g = &s->grid;
  order_dims(s);
  *m = (ripstop_model){.family = family_of(g), .shape = shape_of(s), .dims = g->dims};
  m->empty = cells_of(g) - s->net->switches;
  m->place = RIPSTOP_ARRAY(s->arena, (size_t)s->net->switches * g->dims, uint16_t);
  for (uint32_t v = 0; v < s->net->switches; v++)
    for (uint32_t d = 0; d < g->dims; d++) m->place[(size_t)v * g->dims + d] = (uint16_t)s->place[v].at[d];
  for (uint32_t i = 0; i < s->net->cables; i++) {
    const recognised_cable *c = &s->net->cable[i];
    const uint64_t d = dim_of(s, c) + 1;
    const bool up = (uint32_t)(s->place[c->a].at[d - 1] + 1) % g->size[d - 1] == (uint32_t)s->place[c->b].at[d - 1];
    ripstop_model_want(m, s->arena, c->a, c->b, 2 * d + up, 2 * d + !up);
  }
  ripstop_model_compare(m, s->net);
}

/* The sides of the rectangle that is empty in a mesh of two dimensions; false: the empty places are no rectangle. */
static bool find_rectangle(const search *s, uint32_t *wide, uint32_t *high) {
  const grid *g = &s->grid;
  const uint64_t empty = cells_of(g) - s->net->switches;
  uint32_t *row = RIPSTOP_ARRAY(s->arena, g->size[0], uint32_t),
           *column = RIPSTOP_ARRAY(s->arena, g->size[1], uint32_t);
  *wide = *high = 0; /* coordinates that lack a switch */
  for (uint32_t v = 0; v < s->net->switches; v++) row[s->place[v].at[0]]++, column[s->place[v].at[1]]++;
  for (uint32_t i = 0; i < g->size[0]; i++) *wide += row[i] < g->size[1];
  for (uint32_t i = 0; i < g->size[1]; i++) *high += column[i] < g->size[0];
  return (uint64_t)*wide * *high == empty;
}

static bool open_search(search *s, const recognised_graph *net) {
  const uint32_t switches = net->switches;
  uint32_t slots = 1;
  if (switches < 5 || switches > SWITCHES_MAX) return false;
  while (slots < 4 * switches) slots *= 2;
  *s = (search){.net = net, .arena = net->arena, .mask = slots - 1, .work = WORK};
  s->order = RIPSTOP_ARRAY(s->arena, switches, uint32_t), s->from = RIPSTOP_ARRAY(s->arena, switches, uint32_t);
  s->place = RIPSTOP_ARRAY(s->arena, switches, place), s->frame = RIPSTOP_ARRAY(s->arena, switches, frame);
  s->table = RIPSTOP_ARRAY(s->arena, slots, uint32_t);
  return list_order(s);
}

bool ripstop_model_holes(const recognised_graph *net, ripstop_model *out) {
  search s;
  if (!open_search(&s, net)) return false;
  const uint32_t neighbours = recognised_degree(net, s.order[0]);
  best b = {.place = RIPSTOP_ARRAY(s.arena, net->switches, place)};
  grid g = {0};
  try_grids(&s, neighbours, &b);
  try_cliques(&s, &g, 0, neighbours, neighbours, &b);
  if (b.cells == 0) return false;
  s.grid = b.grid, s.place = b.place;
  make_model(&s, out);
  return true;
}

bool ripstop_model_rectangle(const recognised_graph *net, ripstop_model *out, bool *bent) {
  search s;
  uint32_t wide, high;
  if (!open_search(&s, net) || recognised_degree(net, s.order[0]) > 4) return false;
  best b = {.place = RIPSTOP_ARRAY(s.arena, net->switches, place)};
  try_grid(&s, &(grid){.dims = 2}, &b);
  if (b.cells == 0) return false;
  s.grid = b.grid, s.place = b.place;
  if (!find_rectangle(&s, &wide, &high)) return false;
  *bent = wide >= 2 && high >= 2;
  make_model(&s, out);
  return true;
}
