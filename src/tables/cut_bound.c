/* cut_bound.c - lower bounds on the load of the busiest channel. Paths out of a set of switches share the channels out
 * of it, and all paths together are at least as long as shortest ones. */
#include "tables/cut_bound.h"

#include <string.h>

#include "base/forest.h"

enum { LITTLE = 256 }; /* a fraction of the bound */

static uint64_t share(uint64_t paths, uint64_t channels) { return channels ? (paths + channels - 1) / channels : 0; }

/* ------------------------------------------------------------------ cuts */

typedef struct cuts {
  const switch_graph *net;
  uint64_t *members;         /* [switches]: end nodes of a whole component */
  uint64_t *inside, *across; /* [switches], indexed by the root of each remaining component: end nodes, channels out
                              * of it */
  uint32_t *level, *parent, *queue;
} cuts;

/* Distance of each switch from the nearest switch with end nodes. Returns the greatest. */
static uint32_t find_levels(cuts *k) {
  const switch_graph *net = k->net;
  uint32_t head = 0, tail = 0, top = 0;
  memset(k->level, 0xFF, net->switches * sizeof *k->level);
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->hosts[s]) k->level[k->queue[tail++] = s] = 0;
  for (; head < tail; head++)
    for (uint32_t s = k->queue[head], i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t next = net->to[net->out[i]];
      if (k->level[next] != RIPSTOP_NONE) continue;
      top = k->level[next] = k->level[s] + 1;
      k->queue[tail++] = next;
    }
  return top;
}

/* The bound from the components that remain without the switches above a level. */
static uint64_t best_of_level(cuts *k, uint32_t level) {
  const switch_graph *net = k->net;
  uint64_t best = 0;
  memset(k->inside, 0, net->switches * sizeof *k->inside);
  memset(k->across, 0, net->switches * sizeof *k->across);
  for (uint32_t c = 0; c < net->channels; c += 2)
    if (k->level[net->from[c]] <= level && k->level[net->to[c]] <= level)
      k->parent[ripstop_root(k->parent, net->from[c])] = ripstop_root(k->parent, net->to[c]);
  for (uint32_t s = 0; s < net->switches; s++) k->inside[ripstop_root(k->parent, s)] += net->hosts[s];
  for (uint32_t c = 0; c < net->channels; c++)
    if (k->level[net->from[c]] <= level && k->level[net->to[c]] > level)
      k->across[ripstop_root(k->parent, net->from[c])]++;
  for (uint32_t s = 0; s < net->switches; s++) {
    if (!k->inside[s]) continue;
    uint64_t pairs = k->inside[s] * (k->members[net->part[s]] - k->inside[s]);
    uint64_t paths = share(pairs * net->addresses, k->across[s]);
    if (paths > best) best = paths;
  }
  return best;
}

/* Components only grow from level to level, so one union-find serves all levels. */
static uint64_t best_of_parts(cuts *k) {
  uint32_t top = find_levels(k);
  uint64_t best = 0;
  for (uint32_t s = 0; s < k->net->switches; s++) k->parent[s] = s;
  for (uint32_t level = 0; level < top; level++) {
    uint64_t bound = best_of_level(k, level);
    if (bound > best) best = bound;
  }
  return best;
}

uint64_t cut_bound(const switch_graph *net, ripstop_arena *scratch) {
  cuts k = {.net = net};
  uint64_t **const sums[] = {&k.members, &k.inside, &k.across};
  uint32_t **const numbers[] = {&k.level, &k.parent, &k.queue};
  for (unsigned i = 0; i < 3; i++) *sums[i] = RIPSTOP_ARRAY(scratch, net->switches, uint64_t);
  for (unsigned i = 0; i < 3; i++) *numbers[i] = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->part[s] != RIPSTOP_NONE) k.members[net->part[s]] += net->hosts[s];
  uint64_t best = best_of_parts(&k);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (!net->hosts[s]) continue;
    uint64_t pairs = net->hosts[s] * (k.members[net->part[s]] - net->hosts[s]);
    uint64_t own = share(pairs * net->addresses, switch_graph_outs(net, s));
    if (own > best) best = own;
  }
  return best;
}

/* ------------------------------------------------------------------ all channels together */

typedef struct part {
  uint64_t channels, hops;
} part;

static void count_parts(const switch_graph *net, part *parts) {
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->part[s] != RIPSTOP_NONE) parts[net->part[s]].channels += switch_graph_outs(net, s);
}

/* Breadth-first search from up to 64 switches at once, one bit for each. */
typedef struct spread {
  uint32_t root[64]; /* the 64 switches */
  uint32_t roots;
  uint64_t *seen, *front, *reached; /* [switches]; front: reached by the last hop; reached: reached by this hop */
} spread;

static void begin(spread *w, const switch_graph *net) {
  memset(w->seen, 0, net->switches * sizeof *w->seen);
  memset(w->front, 0, net->switches * sizeof *w->front);
  for (uint32_t i = 0; i < w->roots; i++) w->seen[w->root[i]] = w->front[w->root[i]] = UINT64_C(1) << i;
}

/* Makes one more hop. False: nothing new was reached. */
static bool go_on(spread *w, const switch_graph *net) {
  uint64_t any = 0, *front = w->front;
  memset(w->reached, 0, net->switches * sizeof *w->reached);
  for (uint32_t c = 0; c < net->channels; c++) w->reached[net->to[c]] |= w->front[net->from[c]];
  for (uint32_t s = 0; s < net->switches; s++) {
    w->reached[s] &= ~w->seen[s];
    w->seen[s] |= w->reached[s];
    any |= w->reached[s];
  }
  w->front = w->reached;
  w->reached = front;
  return any != 0;
}

/* Adds the hops of shortest paths from the end nodes of these switches to all others. */
static void add_hops(spread *w, const switch_graph *net, part *parts) {
  begin(w, net);
  for (uint64_t hops = 1; go_on(w, net); hops++)
    for (uint32_t s = 0; s < net->switches; s++)
      for (uint64_t left = net->hosts[s] ? w->front[s] : 0; left; left &= left - 1)
        parts[net->part[s]].hops += hops * net->hosts[s] * net->hosts[w->root[__builtin_ctzll(left)]] * net->addresses;
}

uint64_t cut_bound_simple(const switch_graph *net, ripstop_arena *scratch) {
  part *parts = RIPSTOP_ARRAY(scratch, net->switches, part);
  spread w = {0};
  uint64_t **const arrays[] = {&w.seen, &w.front, &w.reached}, bound = cut_bound(net, scratch);
  for (unsigned i = 0; i < 3; i++) *arrays[i] = RIPSTOP_ARRAY(scratch, net->switches, uint64_t);
  count_parts(net, parts);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (net->hosts[s]) w.root[w.roots++] = s;
    if (w.roots < (s + 1 < net->switches ? 64 : 1)) continue;
    add_hops(&w, net, parts);
    w.roots = 0;
  }
  for (uint32_t s = 0; s < net->switches; s++)
    if (share(parts[s].hops, parts[s].channels) > bound) bound = share(parts[s].hops, parts[s].channels);
  return bound;
}

uint64_t cut_bound_enough(const switch_graph *net, ripstop_arena *scratch) {
  uint64_t bound = cut_bound_simple(net, scratch);
  return bound + bound / LITTLE;
}
