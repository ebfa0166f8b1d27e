/* deliver.c - explores every adaptive choice and every random header of one packet: a graph of the states (node, in
 * port, channel, header) that it can reach, visited breadth first, each once. All states are reachable from a start. So
 * the selection function can deliver the packet exactly if one state leads to the destination, and can lose it exactly
 * if one state has no candidate. The states that remain after Kahn's topological order contain a cycle. Cost: one call
 * of `route` per state, O(states + candidates). */
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/memory.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"

typedef struct state {
  ripstop_head head;
  uint32_t first, count; /* its successors in `next` */
  uint32_t into;         /* edges into it that the topological order has not passed */
  uint32_t hops;         /* the longest path to it, in links */
} state;

typedef struct graph {
  const ripstop_plan *plan;
  state *state;
  uint32_t states, room;
  uint32_t *next; /* states; RIPSTOP_NONE: the destination */
  uint32_t nexts, next_room;
  uint32_t *table, mask; /* open addressing over states; RIPSTOP_NONE: empty */
} graph;

static uint64_t hash_head(const ripstop_head *h) {
  uint64_t x =
      h->header * UINT64_C(0x9E3779B97F4A7C15) ^ ((uint64_t)h->node << 32 | (uint64_t)h->in_port << 8 | h->channel);
  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 32;
}

static bool same_head(const ripstop_head *a, const ripstop_head *b) {
  return a->node == b->node && a->in_port == b->in_port && a->channel == b->channel && a->header == b->header;
}

static void grow_table(graph *g) {
  uint32_t size = g->table ? 2 * (g->mask + 1) : 256;
  g->table = ripstop_realloc(g->table, size, sizeof *g->table);
  memset(g->table, 0xff, size * sizeof *g->table);
  g->mask = size - 1;
  for (uint32_t i = 0; i < g->states; i++) {
    uint32_t at = (uint32_t)hash_head(&g->state[i].head) & g->mask;
    while (g->table[at] != RIPSTOP_NONE) at = (at + 1) & g->mask;
    g->table[at] = i;
  }
}

static uint32_t find_or_add(graph *g, const ripstop_head *head) {
  if (!g->table || 2 * g->states > g->mask) grow_table(g);
  uint32_t at = (uint32_t)hash_head(head) & g->mask;
  for (; g->table[at] != RIPSTOP_NONE; at = (at + 1) & g->mask)
    if (same_head(&g->state[g->table[at]].head, head)) return g->table[at];
  RIPSTOP_GROW(g->state, g->states, g->room);
  g->state[g->states] = (state){.head = *head};
  g->table[at] = g->states;
  return g->states++;
}

static void add_next(graph *g, uint32_t target) {
  RIPSTOP_GROW(g->next, g->nexts, g->next_room);
  g->next[g->nexts++] = target;
}

static int follow(graph *g, const ripstop_head *from, const ripstop_candidate *candidate, ripstop_error *err) {
  const ripstop_fabric *f = g->plan->fabric;
  uint32_t port = f->port_base[from->node] + candidate->port;
  if (candidate->port >= ripstop_node_ports(f, from->node) || !g->plan->view->port_up[port] ||
      candidate->channel >= g->plan->channels || candidate->space == 0 || candidate->space > 2) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_node_name(f, from->node, name);
    return ripstop_fail(err,
                        "method %s: at %s it permits port %u, channel %u, space %u, which is down or does not exist",
                        g->plan->method->name, name, candidate->port, candidate->channel, candidate->space);
  }
  uint32_t peer = f->peer[port], node = f->port_node[peer];
  if (ripstop_is_end(f, node) && node != from->destination)
    return ripstop_fail(err, "method %s: it sends a packet for end node %u to end node %u", g->plan->method->name,
                        from->destination, node);
  ripstop_head head = *from;
  head.node = node;
  head.in_port = peer - f->port_base[node];
  head.channel = candidate->channel;
  head.header = candidate->header;
  add_next(g, ripstop_is_end(f, node) ? RIPSTOP_NONE : find_or_add(g, &head));
  return 0;
}

/* Finds longest paths in topological order; returns the number of states in the order. */
static uint32_t order_states(graph *g, uint32_t *max_hops) {
  uint32_t *ready = ripstop_realloc(NULL, g->states, sizeof *ready), head = 0, tail = 0;
  for (uint32_t i = 0; i < g->nexts; i++)
    if (g->next[i] != RIPSTOP_NONE) g->state[g->next[i]].into++;
  for (uint32_t i = 0; i < g->states && i < g->plan->random_headers; i++) /* the states at the source */
    if (g->state[i].into == 0) ready[tail++] = i;
  while (head < tail) {
    const state *s = &g->state[ready[head++]];
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
      if (g->next[i] == RIPSTOP_NONE) {
        if (s->hops + 1 > *max_hops) *max_hops = s->hops + 1;
        continue;
      }
      state *next = &g->state[g->next[i]];
      if (s->hops + 1 > next->hops) next->hops = s->hops + 1;
      if (--next->into == 0) ready[tail++] = g->next[i];
    }
  }
  ripstop_free(ready);
  return tail;
}

int ripstop_plan_deliver(const ripstop_plan *plan, uint32_t source, uint32_t destination, uint32_t limit,
                         ripstop_delivery *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  if (ripstop_plan_check_tables(plan, err)) return -1;
  graph g = {.plan = plan};
  ripstop_candidate *candidate = ripstop_realloc(NULL, plan->candidates_max + 1, sizeof *candidate);
  bool lost = false, delivered = false;
  int result = 0;
  for (uint32_t draw = 0; draw < plan->random_headers && draw <= limit; draw++)
    find_or_add(
        &g, &(ripstop_head){
                .node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination, .header = draw});
  for (uint32_t i = 0; i < g.states && result == 0; i++) {
    ripstop_head head = g.state[i].head;
    int candidates = ripstop_route(plan, &head, candidate);
    g.state[i].first = g.nexts;
    lost |= candidates < 0;
    if (candidates == 0 || candidates > (int)plan->candidates_max)
      result = ripstop_fail(err, "method %s: it permits %d candidates; 1 to %u are allowed", plan->method->name,
                            candidates, plan->candidates_max);
    for (int w = 0; w < candidates && result == 0; w++) {
      result = follow(&g, &head, &candidate[w], err);
      delivered |= result == 0 && g.next[g.nexts - 1] == RIPSTOP_NONE;
    }
    g.state[i].count = g.nexts - g.state[i].first;
    if (g.states > limit)
      result = ripstop_fail(err, "method %s: more than %u states from one source", plan->method->name, limit);
  }
  if (result == 0) {
    *out = (ripstop_delivery){.some_choice = delivered, .states = g.states};
    out->livelock = order_states(&g, &out->max_hops) < g.states;
    out->every_choice = !lost && !out->livelock;
    if (out->livelock) out->max_hops = RIPSTOP_NONE;
  }
  ripstop_free(candidate);
  ripstop_free(g.state);
  ripstop_free(g.next);
  ripstop_free(g.table);
  return result;
}
