/* bound.c - lower bounds. Paths out of a set of switches share the channels out of it; and all paths together are at
 * least as long as shortest ones. */
#include "mend/bound.h"

#include <string.h>

enum { LITTLE = 256 }; /* a part of the bound */

static uint64_t share(uint64_t paths, uint64_t channels) { return channels ? (paths + channels - 1) / channels : 0; }

typedef struct part {
  uint64_t hosts, channels, hops;
} part;

static void count_parts(const mend_net *net, part *parts) {
  for (uint32_t s = 0; s < net->switches; s++) {
    if (net->part[s] == RIPSTOP_NONE) continue;
    parts[net->part[s]].hosts += net->hosts[s];
    parts[net->part[s]].channels += mend_outs(net, s);
  }
}

/* Hops of shortest ways from all end nodes to those of a switch. */
static uint64_t hops_to(const mend_net *net, uint32_t to, uint32_t *distance, uint32_t *queue) {
  uint64_t hops = 0;
  memset(distance, 0xFF, net->switches * sizeof *distance);
  for (uint32_t i = mend_net_search(net, to, distance, queue); i-- > 0;)
    hops += (uint64_t)distance[queue[i]] * net->hosts[queue[i]];
  return hops * net->hosts[to];
}

uint64_t mend_bound_simple(const mend_net *net, ripstop_arena *scratch) {
  part *parts = RIPSTOP_ARRAY(scratch, net->switches, part);
  uint32_t *distance = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  uint32_t *queue = RIPSTOP_ARRAY(scratch, net->switches, uint32_t);
  uint64_t bound = 0;
  count_parts(net, parts);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (net->part[s] == RIPSTOP_NONE) continue;
    part *p = &parts[net->part[s]];
    uint64_t own = share(net->hosts[s] * (p->hosts - net->hosts[s]), mend_outs(net, s));
    if (own > bound) bound = own;
    if (net->hosts[s]) p->hops += hops_to(net, s, distance, queue);
  }
  for (uint32_t s = 0; s < net->switches; s++)
    if (share(parts[s].hops, parts[s].channels) > bound) bound = share(parts[s].hops, parts[s].channels);
  return bound;
}

uint64_t mend_bound_enough(const mend_net *net, ripstop_arena *scratch) {
  uint64_t bound = mend_bound_simple(net, scratch);
  return bound + bound / LITTLE;
}
