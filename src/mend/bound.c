/* bound.c - lower bounds. Paths out of a set of switches share the channels out of it; and all paths together are at
 * least as long as shortest ones. */
#include "mend/bound.h"

#include <string.h>

enum { LITTLE = 256 }; /* a part of the bound */

static uint64_t share(uint64_t paths, uint64_t channels) { return channels ? (paths + channels - 1) / channels : 0; }

/* ------------------------------------------------------------------ cuts */

typedef struct cuts {
  const mend_net *net;
  uint64_t *members;         /* [switches]: end nodes of a whole part */
  uint64_t *inside, *across; /* [switches]: of what is left joined, by its root: end nodes, channels out of it */
  uint32_t *level, *parent, *queue;
} cuts;

/* How far each switch is from those with end nodes; the greatest. */
static uint32_t find_levels(cuts *k) {
  const mend_net *net = k->net;
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

static uint32_t root(uint32_t *parent, uint32_t s) {
  while (parent[s] != s) s = parent[s] = parent[parent[s]];
  return s;
}

/* Without the switches above a level. */
static uint64_t best_of_level(cuts *k, uint32_t level) {
  const mend_net *net = k->net;
  uint64_t best = 0;
  memset(k->inside, 0, net->switches * sizeof *k->inside);
  memset(k->across, 0, net->switches * sizeof *k->across);
  for (uint32_t c = 0; c < net->channels; c += 2)
    if (k->level[net->from[c]] <= level && k->level[net->to[c]] <= level)
      k->parent[root(k->parent, net->from[c])] = root(k->parent, net->to[c]);
  for (uint32_t s = 0; s < net->switches; s++) k->inside[root(k->parent, s)] += net->hosts[s];
  for (uint32_t c = 0; c < net->channels; c++)
    if (k->level[net->from[c]] <= level && k->level[net->to[c]] > level) k->across[root(k->parent, net->from[c])]++;
  for (uint32_t s = 0; s < net->switches; s++) {
    if (!k->inside[s]) continue;
    uint64_t pairs = k->inside[s] * (k->members[net->part[s]] - k->inside[s]);
    uint64_t paths = share(pairs * net->addresses, k->across[s]);
    if (paths > best) best = paths;
  }
  return best;
}

/* Joins grow from level to level. */
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

uint64_t mend_bound_cuts(const mend_net *net, ripstop_arena *scratch) {
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
    uint64_t own = share(pairs * net->addresses, mend_outs(net, s));
    if (own > best) best = own;
  }
  return best;
}

/* ------------------------------------------------------------------ all channels together */

typedef struct part {
  uint64_t channels, hops;
} part;

static void count_parts(const mend_net *net, part *parts) {
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->part[s] != RIPSTOP_NONE) parts[net->part[s]].channels += mend_outs(net, s);
}

/* Hops of shortest ways from all end nodes to those of a switch. */
static uint64_t hops_to(const mend_net *net, uint32_t to, uint32_t *distance, uint32_t *queue) {
  uint64_t hops = 0;
  memset(distance, 0xFF, net->switches * sizeof *distance);
  for (uint32_t i = mend_net_search(net, to, distance, queue); i-- > 0;)
    hops += (uint64_t)distance[queue[i]] * net->hosts[queue[i]];
  return hops * net->hosts[to] * net->addresses;
}

uint64_t mend_bound_simple(const mend_net *net, ripstop_arena *scratch) {
  part *parts = RIPSTOP_ARRAY(scratch, net->switches, part);
  uint32_t *distance = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  uint32_t *queue = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  uint64_t bound = mend_bound_cuts(net, scratch);
  count_parts(net, parts);
  for (uint32_t s = 0; s < net->switches; s++)
    if (net->hosts[s]) parts[net->part[s]].hops += hops_to(net, s, distance, queue);
  for (uint32_t s = 0; s < net->switches; s++)
    if (share(parts[s].hops, parts[s].channels) > bound) bound = share(parts[s].hops, parts[s].channels);
  return bound;
}

uint64_t mend_bound_enough(const mend_net *net, ripstop_arena *scratch) {
  uint64_t bound = mend_bound_simple(net, scratch);
  return bound + bound / LITTLE;
}
