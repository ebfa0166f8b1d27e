/* path_balance.c - shortest paths, spread evenly by a greedy choice.
 *
 * The first host of each leaf comes first, then the second of each, and so on, so that the hosts of a leaf do not fill
 * the same cables in a row. For an address, switches choose the farthest first: then the paths that a switch forwards
 * are known when it chooses. It takes the channel that would carry the fewest paths for its rate, then the one with the
 * fewest addresses, then the lowest port.
 *
 * Distances from a leaf serve all its hosts. Time for each address: the channels of all switches. */
#include "tables/path_balance.h"

#include <string.h>

#include "base/memory.h"
#include "tables/addresses.h"
#include "tables/switch_graph.h"

struct path_balance {
  const ripstop_capacity *capacity;
  const ripstop_forwarding *like;
  ripstop_arena *arena;
  switch_graph net;
  double *cost;                       /* [channels]: of a path, 1 at the highest rate */
  uint32_t *leaf, leaves;             /* switches with end nodes that have an address */
  uint32_t *first, *address;          /* [leaves + 1], [addresses]: those of each leaf */
  uint32_t most;                      /* addresses of a leaf */
  uint32_t *distance, *order, *found; /* [leaves * switches], [leaves]: switches by distance, and how many */
  uint64_t *load;                     /* [channels] */
  uint32_t *turn;                     /* [channels]: addresses that use it */
  uint64_t *flow;                     /* [switches]: paths to the present address; 0 between two */
  uint16_t *port;                     /* [addresses * switches] */
};

/* ------------------------------------------------------------------ rows for all sets of failed cables */

static uint32_t home_of(const path_balance *b, uint32_t address) { return b->net.home[b->like->node[address]]; }

static void list_leaves(path_balance *b) {
  const uint32_t ends = ripstop_forwarding_ends(b->like);
  b->first = RIPSTOP_ARRAY(b->arena, (size_t)b->net.switches + 1, uint32_t);
  b->leaf = RIPSTOP_ARRAY(b->arena, b->net.switches, uint32_t);
  b->address = RIPSTOP_ARRAY(b->arena, ends, uint32_t);
  uint32_t *count = RIPSTOP_ARRAY(b->arena, b->net.switches, uint32_t), *at = b->net.queue;
  for (uint32_t a = 0; a < ends; a++)
    if (home_of(b, a) != RIPSTOP_NONE) count[home_of(b, a)]++;
  for (uint32_t s = 0; s < b->net.switches; s++) {
    if (count[s] == 0) continue;
    at[s] = b->first[b->leaves];
    b->first[b->leaves + 1] = at[s] + count[s];
    b->leaf[b->leaves++] = s;
    if (count[s] > b->most) b->most = count[s];
  }
  for (uint32_t a = 0; a < ends; a++)
    if (home_of(b, a) != RIPSTOP_NONE) b->address[at[home_of(b, a)]++] = a;
}

path_balance *path_balance_new(ripstop_arena *arena, const ripstop_view *view, const ripstop_capacity *capacity,
                               const ripstop_forwarding *like) {
  path_balance *b = RIPSTOP_NEW(arena, path_balance);
  *b = (path_balance){.capacity = capacity, .like = like, .arena = arena};
  switch_graph_make(&b->net, view, (switch_graph_kind){.whole = true, .by_port = true}, arena);
  const size_t switches = b->net.switches, channels = b->net.channels;
  list_leaves(b);
  b->cost = RIPSTOP_ARRAY(arena, channels, double);
  for (uint32_t c = 0; c < channels; c++) {
    const uint64_t rate = capacity->rate[view->fabric->port_link[b->net.port[c]]];
    b->cost[c] = rate ? (double)capacity->fastest / (double)rate : 0; /* 0: it has failed, and is never chosen */
  }
  b->distance = RIPSTOP_ARRAY(arena, b->leaves * switches, uint32_t);
  b->order = RIPSTOP_ARRAY(arena, b->leaves * switches, uint32_t);
  b->found = RIPSTOP_ARRAY(arena, b->leaves, uint32_t);
  b->load = RIPSTOP_ARRAY(arena, channels, uint64_t);
  b->turn = RIPSTOP_ARRAY(arena, channels, uint32_t);
  b->flow = RIPSTOP_ARRAY(arena, switches, uint64_t);
  b->port = RIPSTOP_ARRAY(arena, (size_t)ripstop_forwarding_ends(like) * switches, uint16_t);
  return b;
}

/* ------------------------------------------------------------------ one set of failed cables */

static void find_distances(path_balance *b, uint32_t leaf) {
  const switch_graph *net = &b->net;
  uint32_t *distance = b->distance + (size_t)leaf * net->switches, *order = b->order + (size_t)leaf * net->switches;
  uint32_t tail = 0;
  memset(distance, 0xFF, net->switches * sizeof *distance);
  distance[order[tail++] = b->leaf[leaf]] = 0;
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t s = order[head], c = net->out_first[s]; c < net->out_first[s + 1]; c++) {
      if (distance[net->to[c]] != RIPSTOP_NONE || !switch_graph_up(net, c)) continue;
      distance[net->to[c]] = distance[s] + 1;
      order[tail++] = net->to[c];
    }
  b->found[leaf] = tail;
}

/* The channel from a switch towards a leaf; there is one. */
static uint32_t choose(const path_balance *b, const uint32_t *distance, uint32_t s, uint64_t flow) {
  const switch_graph *net = &b->net;
  uint32_t best = RIPSTOP_NONE;
  double least = 0;
  for (uint32_t c = net->out_first[s]; c < net->out_first[s + 1]; c++) {
    if (distance[net->to[c]] + 1 != distance[s] || !switch_graph_up(net, c)) continue;
    const double use = (double)(b->load[c] + flow) * b->cost[c];
    if (best != RIPSTOP_NONE && (use > least || (use == least && b->turn[c] >= b->turn[best]))) continue;
    best = c;
    least = use;
  }
  return best;
}

/* Adds the paths to an address of a leaf. Returns a port above its limit. */
static uint32_t add_address(path_balance *b, uint32_t leaf, uint32_t address, const uint64_t *limit) {
  const switch_graph *net = &b->net;
  const uint32_t *distance = b->distance + (size_t)leaf * net->switches;
  const uint32_t *order = b->order + (size_t)leaf * net->switches;
  uint16_t *port = b->port + (size_t)address * net->switches;
  uint32_t over = RIPSTOP_NONE;
  for (uint32_t s = 0; s < net->switches; s++) port[s] = RIPSTOP_NO_PORT, b->flow[s] = net->hosts[s];
  port[order[0]] = (uint16_t)ripstop_end_switch_port(net->fabric, b->like->node[address]);
  for (uint32_t i = b->found[leaf]; i-- > 1 && over == RIPSTOP_NONE;) {
    const uint32_t s = order[i], c = choose(b, distance, s, b->flow[s]);
    port[s] = net->local[c];
    b->load[c] += b->flow[s];
    b->flow[net->to[c]] += b->flow[s];
    b->turn[c]++;
    if (b->load[c] > limit[net->port[c]]) over = net->port[c];
  }
  return over;
}

uint32_t path_balance_make(path_balance *b, const uint64_t *limit) {
  uint32_t over = RIPSTOP_NONE;
  memset(b->load, 0, b->net.channels * sizeof *b->load);
  memset(b->turn, 0, b->net.channels * sizeof *b->turn);
  for (uint32_t i = 0; i < b->leaves; i++) find_distances(b, i);
  for (uint32_t k = 0; k < b->most; k++)
    for (uint32_t i = 0; i < b->leaves && over == RIPSTOP_NONE; i++)
      if (b->first[i] + k < b->first[i + 1]) over = add_address(b, i, b->address[b->first[i] + k], limit);
  return over;
}

void path_balance_loads(const path_balance *b, uint64_t *load) {
  memset(load, 0, b->net.fabric->ports * sizeof *load);
  for (uint32_t c = 0; c < b->net.channels; c++) load[b->net.port[c]] = b->load[c];
}

ripstop_forwarding *path_balance_tables(ripstop_arena *arena, const path_balance *b) {
  ripstop_forwarding *out = ripstop_forwarding_copy(arena, b->like);
  const size_t row = b->net.switches;
  for (uint32_t i = 0; i < b->first[b->leaves]; i++)
    memcpy(out->port + b->address[i] * row, b->port + b->address[i] * row, row * sizeof *out->port);
  return out;
}

uint64_t path_balance_work(const path_balance *b) { return (uint64_t)b->first[b->leaves] * b->net.channels; }
