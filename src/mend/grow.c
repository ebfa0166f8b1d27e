/* grow.c - in-trees by Dijkstra's algorithm on pointers. A settled switch has the set of VCs in which its whole path
 * is allowed. A path over it needs a turn that is allowed in one of these.
 *
 * A switch can be stuck although paths exist, when the pointers of its neighbours forbid all its turns. Then a path
 * in one VC is searched for over channels, ignoring pointers. The pointers on that path are fixed, and Dijkstra's
 * algorithm starts again. */
#include "mend/grow.h"

#include <math.h>
#include <string.h>

enum { TRIES = 60, FEW = 8192 };
#define NEW_TURN 40 /* price of a turn that is not required yet, from the last to the first channel */

static uint32_t words(const mend_grow *g) { return (g->orders->net->channels + 63) / 64; }

void mend_grow_make(mend_grow *g, mend_orders *orders, ripstop_stream *random, ripstop_arena *arena) {
  const switch_graph *net = orders->net;
  *g = (mend_grow){.orders = orders, .random = random, .tries = TRIES, .searches = TRIES};
  g->next = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  g->mask = RIPSTOP_ARRAY(arena, net->switches, uint8_t);
  g->distance = RIPSTOP_ARRAY(arena, net->switches, double);
  g->fixed = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  g->hops = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  g->queue = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  g->cost = RIPSTOP_ARRAY(arena, net->channels, double);
  g->parent = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  g->settled = RIPSTOP_ARRAY(arena, net->channels + net->switches, uint8_t);
  g->banned = RIPSTOP_ARRAY(arena, net->turns, uint8_t);
  g->heap.entry = RIPSTOP_ARRAY(arena, (size_t)net->channels + net->turns + 1, mend_heap_entry);
}

void mend_grow_look_ahead(mend_grow *g, ripstop_arena *arena) {
  uint32_t channels = g->orders->net->channels;
  if (channels > FEW) return;
  g->after = RIPSTOP_ARRAY(arena, (size_t)channels * words(g), uint64_t);
  g->added = RIPSTOP_ARRAY(arena, channels, uint32_t);
}

/* ------------------------------------------------------------------ Dijkstra's algorithm on pointers */

static void relax(mend_grow *g, uint32_t s, uint32_t c, bool root) {
  const switch_graph *net = g->orders->net;
  uint32_t from = net->from[c];
  if (g->settled[from] || (g->fixed[from] != RIPSTOP_NONE && g->fixed[from] != c)) return;
  uint8_t mask = root ? g->mask[s] : g->mask[s] & g->turns[switch_graph_turn(net, c, g->next[s])];
  double distance = g->distance[s] + g->price[c];
  if (!mask || distance >= g->distance[from]) return;
  g->distance[from] = distance;
  g->next[from] = c;
  g->mask[from] = mask;
  mend_heap_push(&g->heap, distance, from);
}

static void spread(mend_grow *g, uint32_t to, unsigned lanes) {
  const switch_graph *net = g->orders->net;
  for (uint32_t s = 0; s < net->switches; s++) {
    g->distance[s] = INFINITY;
    g->next[s] = RIPSTOP_NONE;
    g->settled[s] = g->mask[s] = 0;
  }
  g->distance[to] = 0;
  g->mask[to] = (uint8_t)lanes;
  g->heap.count = 0;
  mend_heap_push(&g->heap, 0, to);
  while (g->heap.count) {
    uint32_t s = mend_heap_pop(&g->heap).id;
    if (g->settled[s]) continue;
    g->settled[s] = 1;
    for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) relax(g, s, net->out[i] ^ 1, s == to);
  }
}

/* ------------------------------------------------------------------ a path over channels, from one switch in one VC */

typedef struct candidate {
  uint32_t from, to, lane;
  bool extend;
  double hop; /* least cost of each hop */
} candidate;

/* Lists channels by their places, the last one first, in a scratch list. */
static const uint32_t *from_last(const mend_grow *g, uint32_t lane) {
  const uint32_t channels = g->orders->net->channels;
  for (uint32_t c = 0; c < channels; c++) g->parent[channels - 1 - g->orders->place[lane][c]] = c;
  return g->parent;
}

static void find_after(mend_grow *g, uint32_t lane) {
  const switch_graph *net = g->orders->net;
  const uint32_t *list = from_last(g, lane);
  memset(g->after, 0, (size_t)net->channels * words(g) * sizeof *g->after);
  for (uint32_t k = 0; k < net->channels; k++) {
    uint32_t c = list[k];
    uint64_t *after = g->after + (size_t)c * words(g);
    after[c / 64] |= UINT64_C(1) << c % 64;
    for (uint32_t i = net->out_first[net->to[c]]; i < net->out_first[net->to[c] + 1]; i++) {
      const uint64_t *more = g->after + (size_t)net->out[i] * words(g);
      if (!(g->orders->required[switch_graph_turn(net, c, net->out[i])] >> lane & 1)) continue;
      for (uint32_t w = 0; w < words(g); w++) after[w] |= more[w];
    }
  }
}

static bool leads_to(const mend_grow *g, uint32_t c, uint32_t d) {
  return g->after[(size_t)c * words(g) + d / 64] >> d % 64 & 1;
}

/* True if the path from channel c on passes switch s. */
static bool passes(const mend_grow *g, uint32_t c, uint32_t s) {
  for (; c != RIPSTOP_NONE; c = g->parent[c])
    if (g->orders->net->to[c] == s) return true;
  return false;
}

/* The farther a new turn leads back in the order, the more likely it closes a cycle. */
static double turn_cost(const mend_grow *g, const candidate *w, uint32_t b, uint32_t after) {
  const uint32_t *place = g->orders->place[w->lane];
  uint32_t turn = switch_graph_turn(g->orders->net, b, after);
  if (g->turns[turn] >> w->lane & 1) return 0;
  if (!w->extend || g->banned[turn] >> w->lane & 1 || (g->after && leads_to(g, after, b))) return INFINITY;
  return 1 + (place[b] > place[after] ? NEW_TURN * (double)(place[b] - place[after]) / g->orders->net->channels : 0);
}

static void reach(mend_grow *g, const candidate *w, uint32_t b, uint32_t after) {
  const switch_graph *net = g->orders->net;
  uint32_t s = net->from[b];
  bool last = after == RIPSTOP_NONE;
  double cost = g->price[b] + (last ? 0 : g->cost[after] + turn_cost(g, w, b, after));
  if (cost >= g->cost[b] || (g->fixed[s] != RIPSTOP_NONE && g->fixed[s] != b)) return;
  if (s == w->to || (!last && passes(g, after, s))) return;
  g->cost[b] = cost;
  g->parent[b] = after;
  mend_heap_push(&g->heap, cost + g->hops[s] * w->hop, b);
}

/* Returns the first channel of the path; RIPSTOP_NONE: there is none. A*: each state counts the least cost of the
 * remaining hops, so that few channels that lead elsewhere are looked at. */
static uint32_t search(mend_grow *g, const candidate *w) {
  const switch_graph *net = g->orders->net;
  for (uint32_t c = 0; c < net->channels; c++) g->cost[c] = INFINITY;
  memset(g->settled, 0, net->channels);
  g->heap.count = 0;
  for (uint32_t i = net->out_first[w->to]; i < net->out_first[w->to + 1]; i++)
    reach(g, w, net->out[i] ^ 1, RIPSTOP_NONE);
  while (g->heap.count) {
    uint32_t c = mend_heap_pop(&g->heap).id, s = net->from[c];
    if (s == w->from) return c;
    if (g->settled[c]) continue;
    g->settled[c] = 1;
    for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++)
      if (!g->settled[net->out[i] ^ 1]) reach(g, w, net->out[i] ^ 1, c);
  }
  return RIPSTOP_NONE;
}

/* Makes those turns of the path required that are not yet. False: one of them closes a cycle, and is banned. */
static bool harden(mend_grow *g, const candidate *w, uint32_t first) {
  uint32_t added = 0;
  for (uint32_t c = first; g->parent[c] != RIPSTOP_NONE; c = g->parent[c]) {
    uint32_t turn = switch_graph_turn(g->orders->net, c, g->parent[c]);
    if (g->turns[turn] >> w->lane & 1) continue;
    if (mend_order_add(g->orders, w->lane, c, g->parent[c])) {
      if (g->after) g->added[added++] = turn;
      continue;
    }
    g->banned[turn] |= (uint8_t)(1u << w->lane);
    while (added > 0) g->orders->required[g->added[--added]] &= (uint8_t) ~(1u << w->lane);
    return false;
  }
  return true;
}

static bool fix_in_lane(mend_grow *g, const candidate *w) {
  if (w->extend && g->after) find_after(g, w->lane);
  uint32_t first = search(g, w);
  for (unsigned i = 0; w->extend && first != RIPSTOP_NONE && !harden(g, w, first); i++)
    first = i < g->searches ? search(g, w) : RIPSTOP_NONE;
  for (uint32_t c = first; c != RIPSTOP_NONE; c = g->parent[c]) g->fixed[g->orders->net->from[c]] = c;
  return first != RIPSTOP_NONE;
}

/* Hops from a switch to all others. Returns the least cost of a hop: the least price, and slightly more, so that
 * among equal paths the one that is nearly complete continues first. */
static double find_hops(mend_grow *g, uint32_t from) {
  const switch_graph *net = g->orders->net;
  double least = INFINITY;
  memset(g->hops, 0xFF, net->switches * sizeof *g->hops);
  switch_graph_search(net, from, g->hops, g->queue);
  for (uint32_t c = 0; c < net->channels; c++)
    if (g->price[c] < least) least = g->price[c];
  return least * (1 + 1e-9);
}

/* Tries the VCs in turn, beginning at a random one. */
static bool fix_candidate(mend_grow *g, uint32_t from, uint32_t to, unsigned lanes, bool extend) {
  uint32_t all = g->orders->lanes, first = ripstop_stream_below(g->random, all);
  double hop = find_hops(g, from);
  if (extend) memset(g->banned, 0, g->orders->net->turns);
  for (uint32_t i = 0; i < all; i++) {
    candidate w = {from, to, (first + i) % all, extend, hop};
    if (lanes >> w.lane & 1 && fix_in_lane(g, &w)) return true;
  }
  return false;
}

static uint32_t stuck(const mend_grow *g, uint32_t to) {
  const switch_graph *net = g->orders->net;
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->part[s] == net->part[to] && !g->mask[s]) return s;
  return RIPSTOP_NONE;
}

static void fix_none(mend_grow *g) {
  size_t bytes = g->orders->net->switches * sizeof *g->fixed;
  if (g->kept)
    memcpy(g->fixed, g->kept, bytes);
  else
    memset(g->fixed, 0xFF, bytes);
}

static bool grow_by_search(mend_grow *g, uint32_t to, unsigned lanes) {
  fix_none(g);
  for (uint32_t i = 0;; i++) {
    spread(g, to, lanes);
    uint32_t s = stuck(g, to);
    if (s == RIPSTOP_NONE) return true;
    if (i == g->tries) return false;
    if (!fix_candidate(g, s, to, lanes, false) && !(g->extend && fix_candidate(g, s, to, lanes, true))) return false;
  }
}

/* True if any open pointer was fixed. */
static bool fix_safe_candidates(mend_grow *g, uint32_t to) {
  const switch_graph *net = g->orders->net;
  bool any = false;
  for (uint32_t s = 0; s < net->switches; s++) {
    if (g->mask[s] || net->part[s] != net->part[to]) continue;
    for (uint32_t v = s; v != to && g->fixed[v] == RIPSTOP_NONE; v = net->to[g->safe[v]]) {
      g->fixed[v] = g->safe[v];
      any = true;
    }
  }
  return any;
}

/* Grows the tree again around the paths that stuck switches have in the safe tree. These paths fit each other but not
 * every channel that was decided on before; then a switch stays stuck. */
static bool grow_by_safe_candidates(mend_grow *g, uint32_t to, unsigned lanes) {
  const switch_graph *net = g->orders->net;
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->part[s] == net->part[to]) lanes &= g->safe_mask[s];
  if (!lanes) return false;
  fix_none(g);
  do spread(g, to, lanes);
  while (fix_safe_candidates(g, to));
  return stuck(g, to) == RIPSTOP_NONE;
}

bool mend_grow_tree(mend_grow *g, uint32_t to, unsigned lanes) {
  return grow_by_search(g, to, lanes) || (g->safe && grow_by_safe_candidates(g, to, lanes));
}
