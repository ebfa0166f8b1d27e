/* start.c - keys of channels, from which channel orders begin (mend_order_begin).
 *
 * A spanning tree: up to the root, then down. Its turns alone connect all pairs, and no turns of a tree close a
 * cycle.
 * Dimension order (tori, meshes, HyperX, KNS): channels of the first dimension, then of the next. A ring is cut at a
 * switch that no packet of the VC passes along the ring, so its channels have an order, too. Each VC cuts it
 * elsewhere.
 *
 * In a KNS one place of each dimension, the hub, leaves room for detours. Channels to the hub come before those of
 * all lower dimensions there, and channels from it after them. All of dimension order stays allowed. A packet that
 * meets a failed cable of one dimension goes to the hub of a higher one first, and starts again there. Crossbars do
 * the same, since no lower dimension remains at them. */
#include "mend/start.h"

#include <string.h>

static bool is(const ripstop_recognised *shape, const char *family) { return strcmp(shape->family, family) == 0; }

static uint32_t place_of(const mend_starts *s, uint32_t v, uint32_t d) {
  return s->shape->place[(size_t)v * s->shape->dims + d];
}

bool mend_starts_axes(const mend_starts *s) {
  return is(s->shape, "torus") || is(s->shape, "mesh") || is(s->shape, "hyperx") || is(s->shape, "kns");
}

bool mend_starts_lines(const mend_starts *s) { return is(s->shape, "kns"); }

/* The only dimension in which two places differ; RIPSTOP_PLACE_DIMS: they differ in none or in several. */
static uint32_t axis_between(const mend_starts *s, uint32_t a, uint32_t b) {
  uint32_t axis = RIPSTOP_PLACE_DIMS, differ = 0;
  for (uint32_t d = 0; d < s->shape->dims; d++)
    if (place_of(s, a, d) != place_of(s, b, d)) axis = d, differ++;
  return differ == 1 ? axis : RIPSTOP_PLACE_DIMS;
}

/* Lines of a KNS are the switches without end nodes; their dimension is the one in which two of their routers
 * differ. */
static void find_lines(mend_starts *s) {
  const switch_graph *net = s->net;
  for (uint32_t v = 0; v < net->switches; v++) {
    if (net->hosts[v]) continue;
    uint32_t first = net->out_first[v];
    for (uint32_t i = first + 1; s->line_dim[v] == RIPSTOP_PLACE_DIMS && i < net->out_first[v + 1]; i++)
      s->line_dim[v] = (uint8_t)axis_between(s, net->to[net->out[first]], net->to[net->out[i]]);
  }
}

void mend_starts_make(mend_starts *s, const switch_graph *net, const ripstop_recognised *shape, ripstop_stream *random,
                      ripstop_arena *arena) {
  *s = (mend_starts){.net = net, .shape = shape, .random = random};
  s->key = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  s->distance = RIPSTOP_ARRAY(arena, 2 * (size_t)net->switches, uint32_t);
  s->line_dim = RIPSTOP_ARRAY(arena, net->switches, uint8_t);
  memset(s->line_dim, RIPSTOP_PLACE_DIMS, net->switches);
  if (!mend_starts_axes(s)) return;
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t d = 0; d < shape->dims; d++)
      if (place_of(s, v, d) != UINT16_MAX && place_of(s, v, d) >= s->size[d]) s->size[d] = place_of(s, v, d) + 1;
  if (is(shape, "kns")) find_lines(s);
}

/* ------------------------------------------------------------------ trees */

/* Computes distances from a root in its component. Returns the farthest switch. */
static uint32_t search(mend_starts *s, uint32_t root) {
  uint32_t *queue = s->distance + s->net->switches;
  return queue[switch_graph_search(s->net, root, s->distance, queue) - 1];
}

static void forget(mend_starts *s, uint32_t part) {
  for (uint32_t v = 0; v < s->net->switches; v++)
    if (s->net->part[v] == part) s->distance[v] = RIPSTOP_NONE;
}

/* The middle of a longest path that two searches find, or a random switch. */
static uint32_t root_of(mend_starts *s, uint32_t part, bool centre) {
  const switch_graph *net = s->net;
  uint32_t members = 0, pick;
  if (!centre) {
    for (uint32_t v = 0; v < net->switches; v++) members += net->part[v] == part;
    pick = ripstop_stream_below(s->random, members);
    for (uint32_t v = 0;; v++)
      if (net->part[v] == part && pick-- == 0) return v;
  }
  forget(s, part);
  uint32_t one = search(s, part);
  forget(s, part);
  uint32_t other = search(s, one), half = s->distance[other] / 2;
  while (s->distance[other] > half)
    for (uint32_t i = net->out_first[other];; i++)
      if (s->distance[net->to[net->out[i]]] < s->distance[other]) {
        other = net->to[net->out[i]];
        break;
      }
  return other;
}

/* True for the first channel of a switch that leads nearer to the root; the tree uses it. */
static bool is_tree_up(const mend_starts *s, uint32_t c) {
  const switch_graph *net = s->net;
  uint32_t v = net->from[c];
  for (uint32_t i = net->out_first[v]; i < net->out_first[v + 1]; i++)
    if (s->distance[net->to[net->out[i]]] < s->distance[v]) return net->out[i] == c;
  return false;
}

/* Tree channels: up by falling distance, down by rising distance; all others are between them. */
static void tree_lane(mend_starts *s, mend_orders *orders, uint32_t lane) {
  const switch_graph *net = s->net;
  memset(s->distance, 0xFF, net->switches * sizeof *s->distance);
  for (uint32_t v = 0; v < net->switches; v++) {
    if (net->part[v] != v) continue;
    uint32_t root = root_of(s, v, lane == 0);
    forget(s, v);
    search(s, root);
  }
  uint32_t middle = net->switches;
  for (uint32_t c = 0; c < net->channels; c++) {
    uint32_t a = s->distance[net->from[c]], b = s->distance[net->to[c]];
    s->key[c] = is_tree_up(s, c) ? middle - a : is_tree_up(s, c ^ 1) ? middle + b : middle;
  }
  mend_order_begin(orders, lane, s->key, false);
  for (uint32_t c = 0; c < net->channels; c++)
    for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++)
      if (s->key[c] != middle && s->key[net->out[i]] != middle && !switch_graph_goes_back(net, c, net->out[i]))
        mend_order_add(orders, lane, c, net->out[i]);
}

static void open_lane(mend_starts *s, mend_orders *orders, uint32_t lane) {
  for (uint32_t c = 0; c < s->net->channels; c++) s->key[c] = ripstop_stream_u32(s->random);
  mend_order_begin(orders, lane, s->key, false);
}

/* ------------------------------------------------------------------ dimensions */

typedef struct axes {
  uint32_t lane, lanes, turn; /* turn: the dimension that comes first */
  /* The places of the VC's destinations in each dimension; all of them if the VC serves all. */
  uint32_t low[RIPSTOP_PLACE_DIMS], high[RIPSTOP_PLACE_DIMS];
  uint32_t hub[RIPSTOP_PLACE_DIMS]; /* in a KNS: a place of each dimension */
} axes;

static void find_range(const mend_starts *s, axes *a) {
  for (uint32_t d = 0; d < s->shape->dims; d++) {
    a->low[d] = s->share ? s->size[d] : 0;
    a->high[d] = s->share || !s->size[d] ? 0 : s->size[d] - 1;
  }
  for (uint32_t v = 0; s->share && v < s->net->switches; v++)
    for (uint32_t d = 0; s->share[v] == a->lane && d < s->shape->dims; d++) {
      uint32_t place = place_of(s, v, d);
      if (place < a->low[d]) a->low[d] = place;
      if (place < s->size[d] && place > a->high[d]) a->high[d] = place;
    }
}

static uint32_t live_cables(const mend_starts *s, uint32_t d, uint32_t place) {
  uint32_t cables = 0;
  for (uint32_t v = 0; v < s->net->switches; v++)
    if (s->line_dim[v] == RIPSTOP_PLACE_DIMS && place_of(s, v, d) == place) cables += switch_graph_outs(s->net, v);
  return cables;
}

/* VCs take the places with the most live cables in turn. */
static uint32_t hub_of(const mend_starts *s, uint32_t d, uint32_t turn) {
  uint32_t hub = 0, before = UINT32_MAX;
  for (uint32_t i = 0; i <= turn % s->size[d]; i++) {
    uint32_t most = 0, last = hub;
    for (uint32_t place = 0; place < s->size[d]; place++) {
      uint32_t cables = live_cables(s, d, place);
      bool left = cables < before || (cables == before && place > last);
      if (left && cables > most) most = cables, hub = place;
    }
    before = most;
  }
  return hub;
}

/* The cut of a ring. Packets to at most half of it leave it before they are around: upwards at the highest of these
 * places, downwards at the lowest. Otherwise by the ring's place, so that neighbouring rings are cut elsewhere, and
 * by the VC. */
static uint32_t cut_of(const mend_starts *s, const axes *a, uint32_t v, uint32_t d, bool up) {
  if (a->low[d] <= a->high[d] && 2 * (a->high[d] - a->low[d] + 1) <= s->size[d] + 1) return up ? a->high[d] : a->low[d];
  uint32_t sum = a->lane * s->size[d] / a->lanes;
  for (uint32_t e = 0; e < s->shape->dims; e++)
    if (e != d) sum += place_of(s, v, e);
  return sum % s->size[d];
}

/* The position of a step in a ring that is cut: 0 for the first step after the cut, in either direction. */
static uint32_t step_of(const mend_starts *s, const axes *a, uint32_t from, uint32_t to, uint32_t d) {
  uint32_t size = s->size[d];
  if (size == 0) return 0; /* no switch has a place */
  bool up = place_of(s, to, d) == (place_of(s, from, d) + 1) % size;
  uint32_t cut = cut_of(s, a, from, d, up);
  uint32_t at = (place_of(s, from, d) + size - cut) % size, next = (place_of(s, to, d) + size - cut) % size;
  if (next == (at + 1) % size) return at;
  if (at == (next + 1) % size) return at ? size - at : 0;
  return size;
}

/* The order: dimension by dimension; those before it (`span` keys), to their crossbars, to the hub, those before it
 * once more, from the hub, to all others. */
static uint32_t key_in_lines(const mend_starts *s, const axes *a, uint32_t c) {
  uint32_t from = s->net->from[c], to = s->net->to[c], dims = s->shape->dims, key = 0, span = 0;
  bool up = s->line_dim[from] == RIPSTOP_PLACE_DIMS, passed = false;
  uint32_t router = up ? from : to, line = s->line_dim[up ? to : from];
  for (uint32_t i = 0; i < dims; i++, span = 2 * span + 4) {
    uint32_t d = (i + a->turn) % dims;
    bool hub = place_of(s, router, d) == a->hub[d];
    if (passed && hub) key += span + 2;
    if (d != line) continue;
    key = up ? (hub ? 2 * span + 2 : span) : (hub ? span + 1 : 2 * span + 3);
    passed = true;
  }
  return key;
}

static uint32_t key_of(const mend_starts *s, const axes *a, uint32_t c) {
  if (mend_starts_lines(s)) return key_in_lines(s, a, c);
  uint32_t from = s->net->from[c], to = s->net->to[c], dims = s->shape->dims, most = 2;
  uint32_t d = axis_between(s, from, to), step;
  for (uint32_t e = 0; e < dims; e++)
    if (s->size[e] >= most) most = s->size[e] + 1;
  if (d >= dims) return dims * most;
  step = is(s->shape, "hyperx") ? 0 : step_of(s, a, from, to, d);
  return (d + dims - a->turn) % dims * most + step;
}

static void axes_lane(mend_starts *s, mend_orders *orders, uint32_t lane, bool round) {
  axes a = {.lane = lane, .lanes = orders->lanes, .turn = round ? lane % s->shape->dims : 0};
  find_range(s, &a);
  for (uint32_t d = 0; mend_starts_lines(s) && d < s->shape->dims; d++) a.hub[d] = s->size[d] ? hub_of(s, d, lane) : 0;
  for (uint32_t c = 0; c < s->net->channels; c++) s->key[c] = key_of(s, &a, c);
  mend_order_begin(orders, lane, s->key, !s->share);
}

void mend_start_lane(mend_starts *s, mend_orders *orders, uint32_t lane, mend_start start) {
  if (start == MEND_START_TREE) tree_lane(s, orders, lane);
  if (start == MEND_START_OPEN) open_lane(s, orders, lane);
  if (start == MEND_START_AXES || start == MEND_START_ROUND) axes_lane(s, orders, lane, start == MEND_START_ROUND);
}
