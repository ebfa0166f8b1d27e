/* loose.c - channel orders that follow the trees. Once all trees exist, only the turns that they use must go up,
 * which are far fewer than the orders allow. So these alone are required. A branch may move to any channel whose
 * turns close no cycle with them; the order changes for it.
 *
 * Each tree keeps to one VC. Every turn counts the trees that use it. */
#include <math.h>
#include <string.h>

#include "mend/trees.h"

static uint32_t lane_of(const mend_trees *t, uint32_t d) {
  return (uint32_t)__builtin_ctz(t->mask[(size_t)d * t->net->switches + t->home[d]]);
}

/* `on` is RIPSTOP_NONE where the path ends. */
static void use(mend_trees *t, uint32_t lane, uint32_t c, uint32_t on, bool add) {
  if (c == RIPSTOP_NONE || on == RIPSTOP_NONE) return;
  uint32_t turn = switch_graph_turn(t->net, c, on), *used = &t->used[(size_t)turn * t->orders->lanes + lane];
  *used += add ? 1 : 0u - 1;
  if (*used)
    t->orders->required[turn] |= (uint8_t)(1u << lane);
  else
    t->orders->required[turn] &= (uint8_t) ~(1u << lane);
}

static void use_tree(mend_trees *t, const uint16_t *row, uint32_t lane, bool add) {
  for (uint32_t s = 0; s < t->net->switches; s++) {
    if (row[s] == RIPSTOP_NO_PORT) continue;
    switch_graph_hop h = switch_graph_hop_of(t->net, row, s);
    use(t, lane, h.channel, switch_graph_next(t->net, row, h.to), add);
  }
}

void mend_trees_loosen(mend_trees *t, ripstop_arena *arena) {
  uint32_t lanes = t->orders->lanes;
  t->used = RIPSTOP_ARRAY(arena, (size_t)t->net->turns * lanes, uint32_t);
  t->vain = RIPSTOP_ARRAY(arena, t->net->turns, uint8_t);
  t->grown = RIPSTOP_ARRAY(arena, t->net->switches, uint16_t);
  for (size_t i = 0; i < (size_t)t->net->turns * lanes; i++)
    t->used[i] = t->orders->required[i / lanes] >> i % lanes & 1;
  for (uint32_t d = 0; d < t->count; d++) use_tree(t, mend_trees_row(t, d), lane_of(t, d), true);
}

/* A turn that no tree uses yet stays required only until the move is made or given up. */
static bool can_turn(mend_trees *t, uint32_t lane, uint32_t c, uint32_t on) {
  if (c == RIPSTOP_NONE || on == RIPSTOP_NONE) return true;
  uint32_t turn = switch_graph_turn(t->net, c, on);
  if (t->orders->required[turn] >> lane & 1) return true;
  if (t->vain[turn] >> lane & 1 || switch_graph_goes_back(t->net, c, on)) return false;
  if (mend_order_add(t->orders, lane, c, on)) return true;
  t->vain[turn] |= (uint8_t)(1u << lane);
  return false;
}

/* The turns over channel c of switch s: from all switches that send to s, and on from c. */
static void use_all(mend_trees *t, const uint16_t *row, uint32_t lane, uint32_t c, bool add) {
  const switch_graph *net = t->net;
  uint32_t s = net->from[c];
  use(t, lane, c, switch_graph_next(net, row, net->to[c]), add);
  for (const switch_graph_side *side = net->side + net->out_first[s]; side < net->side + net->out_first[s + 1]; side++)
    if (row[side->to] == side->back) use(t, lane, side->out ^ 1, c, add);
}

static bool can_turn_all(mend_trees *t, const uint16_t *row, uint32_t lane, uint32_t c) {
  const switch_graph *net = t->net;
  uint32_t s = net->from[c];
  bool can = can_turn(t, lane, c, switch_graph_next(net, row, net->to[c]));
  for (const switch_graph_side *side = net->side + net->out_first[s]; can && side < net->side + net->out_first[s + 1];
       side++)
    if (row[side->to] == side->back) can = can_turn(t, lane, side->out ^ 1, c);
  return can;
}

static bool is_near_change(const mend_trees *t, uint32_t d, uint32_t s) {
  const switch_graph *net = t->net;
  const uint8_t *changed = t->changed + (size_t)d * net->switches;
  bool near = changed[s];
  for (uint32_t i = net->out_first[s]; !near && i < net->out_first[s + 1]; i++) near = changed[net->to[net->out[i]]];
  return near;
}

bool mend_trees_turn_to(mend_trees *t, uint32_t d, uint32_t s, uint32_t c) {
  const uint16_t *row = mend_trees_row(t, d);
  uint32_t lane = lane_of(t, d);
  if (t->changed && is_near_change(t, d, s)) return false;
  bool can = can_turn_all(t, row, lane, c);
  use_all(t, row, lane, c, true);
  use_all(t, row, lane, can ? switch_graph_next(t->net, row, s) : c, false);
  if (can && t->changed) t->changed[(size_t)d * t->net->switches + s] = 1;
  return can;
}

/* ------------------------------------------------------------------ whole trees */

static void push_into(mend_grow *g, uint32_t s) {
  const switch_graph *net = g->orders->net;
  for (uint32_t i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
    uint32_t c = net->out[i] ^ 1;
    if (!g->settled[net->from[c]]) mend_heap_push(&g->heap, g->distance[s] + g->price[c], c);
  }
}

/* Dijkstra's algorithm from the destination over channels: a channel is taken if its turn goes up or can. False: some
 * switch found no path. */
static bool grow_in(mend_trees *t, mend_grow *g, uint32_t to, uint32_t lane) {
  const switch_graph *net = t->net;
  memset(g->next, 0xFF, net->switches * sizeof *g->next);
  memset(g->settled, 0, net->switches);
  g->heap.count = 0;
  g->settled[to] = 1;
  g->distance[to] = 0;
  push_into(g, to);
  while (g->heap.count) {
    mend_heap_entry e = mend_heap_pop(&g->heap);
    uint32_t s = net->from[e.id];
    if (g->settled[s] || !can_turn(t, lane, e.id, g->next[net->to[e.id]])) continue;
    g->settled[s] = 1;
    g->next[s] = e.id;
    g->distance[s] = e.key;
    push_into(g, s);
  }
  bool all = true;
  for (uint32_t s = 0; all && s < net->switches; s++) all = g->settled[s] || net->part[s] != net->part[to];
  return all;
}

/* Grows the tree in the current order, with search for switches that are stuck. */
static bool grow_as_is(mend_trees *t, mend_grow *g, uint32_t to, uint32_t lane) {
  mend_order_mark(t->orders);
  g->turns = t->orders->allow;
  g->safe = NULL;
  return mend_grow_tree(g, to, 1u << lane);
}

static void keep_grown(mend_trees *t, uint32_t d, uint32_t lane) {
  const switch_graph *net = t->net;
  memcpy(mend_trees_row(t, d), t->grown, net->switches * sizeof *t->grown);
  for (uint32_t s = 0; s < net->switches; s++)
    t->mask[(size_t)d * net->switches + s] = (uint8_t)((net->part[s] == net->part[t->home[d]]) << lane);
}

/* The cost of all channels with a tree: the busiest count by far the most, and each path adds a little everywhere. */
static double burden_with(mend_trees *t, const uint16_t *row, double worst) {
  double sum = 0;
  mend_trees_lay(t, row, true);
  for (uint32_t c = 0; c < t->net->channels; c++) {
    double busy = t->load[c] / worst, power = busy * busy;
    power *= power;
    power *= power;
    sum += power * power + 0.02 * busy;
  }
  mend_trees_lay(t, row, false);
  return sum;
}

void mend_trees_regrow(mend_trees *t, mend_grow *g, uint32_t d) {
  double worst = 1 + mend_trees_worst(t);
  double least = burden_with(t, mend_trees_row(t, d), worst);
  for (uint32_t i = 0; i < 2 * t->orders->lanes; i++) {
    uint32_t lane = i / 2;
    bool all = i % 2 ? grow_in(t, g, t->home[d], lane) : grow_as_is(t, g, t->home[d], lane);
    mend_trees_write(t->net, g->next, t->grown);
    use_tree(t, t->grown, lane, true);
    double burden = all ? burden_with(t, t->grown, worst) : INFINITY;
    bool better = burden < least;
    better ? use_tree(t, mend_trees_row(t, d), lane_of(t, d), false) : use_tree(t, t->grown, lane, false);
    if (!better) continue;
    keep_grown(t, d, lane);
    least = burden;
  }
}
