/* trees.c - switches that no other sends to are removed, one layer after the other (Kahn's order); the rest are
 * loops. Backwards along that order each switch finds where its packets end. Where entries have several next hops,
 * the order is found from its end: a switch follows when all that it leads to are known, and the rest can loop. */
#include "tables/trees.h"

#include <string.h>

#include "base/memory.h"

void trees_count_sources(const ripstop_view *view, uint32_t *sources) {
  const ripstop_fabric *f = view->fabric;
  memset(sources, 0, ripstop_fabric_switches(f) * sizeof *sources);
  for (uint32_t end = 0; end < f->ends; end++)
    sources[ripstop_end_switch(f, end) - f->ends] += view->port_up[f->port_base[end]];
}

void trees_open(trees *t, ripstop_arena *arena, const ripstop_view *view) {
  uint32_t switches = ripstop_fabric_switches(view->fabric);
  *t = (trees){.view = view, .fabric = view->fabric, .switches = switches, .unit = 1, .arena = arena};
  uint32_t **const words[] = {&t->sources, &t->next, &t->port, &t->hops, &t->order, &t->into};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) *words[i] = RIPSTOP_ARRAY(arena, switches, uint32_t);
  t->leads = RIPSTOP_ARRAY(arena, switches, uint8_t);
  t->fate = RIPSTOP_ARRAY(arena, switches, uint8_t);
  trees_count_sources(view, t->sources);
  for (uint32_t s = 0; s < switches; s++) t->alive += t->sources[s];
}

static void look_up(trees *t, const ripstop_forwarding *tables, uint32_t s) {
  const ripstop_fabric *f = t->fabric;
  uint32_t node = f->ends + s, local = ripstop_forwarding_port(tables, t->address, node);
  t->leads[s] = TREE_DEAD_END;
  if (local >= ripstop_node_ports(f, node)) return;
  uint32_t port = f->port_base[node] + local;
  if (!t->view->port_up[port]) return;
  uint32_t other = f->port_node[f->peer[port]];
  t->port[s] = port;
  t->leads[s] = other == t->target ? TREE_HOME : ripstop_is_end(f, other) ? TREE_ASTRAY : TREE_GOES_ON;
  if (t->leads[s] == TREE_GOES_ON) t->next[s] = other - f->ends;
}

static void peel(trees *t) {
  uint32_t count = 0;
  memset(t->into, 0, t->switches * sizeof *t->into);
  for (uint32_t s = 0; s < t->switches; s++)
    if (t->leads[s] == TREE_GOES_ON) t->into[t->next[s]]++;
  for (uint32_t s = 0; s < t->switches; s++)
    if (!t->into[s]) t->order[count++] = s;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t s = t->order[i];
    if (t->leads[s] == TREE_GOES_ON && --t->into[t->next[s]] == 0) t->order[count++] = t->next[s];
  }
  t->peeled = count;
}

static void find_fates(trees *t) {
  for (uint32_t s = 0; s < t->switches; s++) {
    t->fate[s] = t->into[s] ? TREE_LOOP : t->leads[s];
    t->hops[s] = 0;
  }
  for (uint32_t i = t->peeled; i-- > 0;) {
    uint32_t s = t->order[i];
    if (t->leads[s] != TREE_GOES_ON) continue;
    t->fate[s] = t->fate[t->next[s]];
    t->hops[s] = t->hops[t->next[s]] + 1;
  }
}

/* ------------------------------------------------------------------ several next hops */

enum { UNIT = 720720 }; /* divisible by 1 to 16 */

static tree_sets *open_sets(const trees *t) {
  uint32_t switches = t->switches, ports = t->fabric->ports;
  tree_sets *q = RIPSTOP_NEW(t->arena, tree_sets);
  q->first = RIPSTOP_ARRAY(t->arena, (size_t)switches + 1, uint32_t);
  q->all = RIPSTOP_ARRAY(t->arena, switches, uint32_t);
  q->in_first = RIPSTOP_ARRAY(t->arena, (size_t)switches + 2, uint32_t);
  uint32_t **const rows[] = {&q->port, &q->next, &q->weight, &q->sum, &q->in};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = RIPSTOP_ARRAY(t->arena, (size_t)ports + 1, uint32_t);
  return q;
}

/* Finds the effect of a next hop on packets, its port, and the switch to which it leads on. */
static tree_fate lead_of(const trees *t, uint32_t s, uint16_t local, uint32_t *port, uint32_t *next) {
  const ripstop_fabric *f = t->fabric;
  *port = f->port_base[f->ends + s] + local;
  if (local >= ripstop_node_ports(f, f->ends + s) || !t->view->port_up[*port]) return TREE_DEAD_END;
  uint32_t other = f->port_node[f->peer[*port]];
  *next = other - f->ends;
  return other == t->target ? TREE_HOME : ripstop_is_end(f, other) ? TREE_ASTRAY : TREE_GOES_ON;
}

/* The fate of a switch so far is the worst of its next hops'. */
static void worsen(trees *t, uint32_t s, uint8_t fate) {
  if (fate > t->fate[s]) t->fate[s] = fate;
}

/* Lists the next hops of a switch. Returns where those of the next switch begin. */
static uint32_t list_hops(trees *t, const ripstop_forwarding *tables, uint32_t s, uint32_t at) {
  tree_sets *q = t->sets;
  ripstop_next_hop hop;
  t->fate[s] = TREE_GOES_ON;
  q->all[s] = 0;
  for (uint32_t i = 0;
       (hop = ripstop_forwarding_hop(tables, t->address, t->fabric->ends + s, i)).port != RIPSTOP_NO_PORT; i++) {
    tree_fate lead = lead_of(t, s, hop.port, &q->port[at], &q->next[at]);
    if (lead != TREE_GOES_ON) worsen(t, s, (uint8_t)lead);
    q->weight[at] = hop.weight;
    q->sum[at] = q->all[s];
    q->all[s] += hop.weight;
    at += lead == TREE_GOES_ON;
  }
  if (q->all[s] == 0) t->fate[s] = TREE_DEAD_END;
  return at;
}

static void list_all_hops(trees *t, const ripstop_forwarding *tables) {
  tree_sets *q = t->sets;
  memset(q->in_first, 0, ((size_t)t->switches + 2) * sizeof *q->in_first);
  for (uint32_t s = 0; s < t->switches; s++) q->first[s + 1] = list_hops(t, tables, s, q->first[s]);
  for (uint32_t i = 0; i < q->first[t->switches]; i++) q->in_first[q->next[i] + 2]++;
  for (uint32_t s = 0; s < t->switches; s++) q->in_first[s + 1] += q->in_first[s];
  for (uint32_t s = 0; s < t->switches; s++)
    for (uint32_t i = q->first[s]; i < q->first[s + 1]; i++) q->in[q->in_first[q->next[i] + 1]++] = s;
}

/* Fates and the longest paths, each after those that it depends on. */
static void find_worst_fates(trees *t) {
  const tree_sets *q = t->sets;
  uint32_t count = 0;
  memset(t->hops, 0, t->switches * sizeof *t->hops);
  for (uint32_t s = 0; s < t->switches; s++)
    if ((t->into[s] = q->first[s + 1] - q->first[s]) == 0) t->order[count++] = s;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t s = t->order[i], k = q->in_first[s]; k < q->in_first[s + 1]; k++) {
      uint32_t before = q->in[k];
      worsen(t, before, t->fate[s]);
      if (t->hops[before] <= t->hops[s]) t->hops[before] = t->hops[s] + 1;
      if (--t->into[before] == 0) t->order[count++] = before;
    }
  for (uint32_t s = 0; s < t->switches; s++)
    if (t->into[s]) t->fate[s] = TREE_LOOP;
  t->peeled = count;
}

/* The part of a flow that takes a next hop: rounded so that all parts of a switch add up. */
static uint64_t share_of(const tree_sets *q, uint32_t s, uint32_t hop, uint64_t flow) {
  uint64_t before = flow * q->sum[hop] / q->all[s];
  return flow * (q->sum[hop] + q->weight[hop]) / q->all[s] - before;
}

static void split_flow(const trees *t, uint64_t *flow) {
  const tree_sets *q = t->sets;
  for (uint32_t s = 0; s < t->switches; s++) flow[s] *= t->unit;
  for (uint32_t i = t->peeled; i-- > 0;)
    for (uint32_t s = t->order[i], k = q->first[s]; k < q->first[s + 1]; k++)
      if (t->fate[s] == TREE_HOME) flow[q->next[k]] += share_of(q, s, k, flow[s]);
}

/* ------------------------------------------------------------------ any tables */

void trees_look(trees *t, const ripstop_forwarding *tables, uint32_t address) {
  const ripstop_fabric *f = t->fabric;
  t->address = address;
  t->target = tables->node[address];
  bool hangs = ripstop_is_end(f, t->target) && t->view->port_up[f->port_base[t->target]];
  t->own = hangs ? ripstop_end_switch(f, t->target) - f->ends : RIPSTOP_NONE;
  if (tables->sets) {
    if (!t->sets) t->sets = open_sets(t);
    t->unit = UNIT;
    list_all_hops(t, tables);
    find_worst_fates(t);
    return;
  }
  for (uint32_t s = 0; s < t->switches; s++) look_up(t, tables, s);
  peel(t);
  find_fates(t);
}

void trees_flow(const trees *t, uint64_t *flow) {
  for (uint32_t s = 0; s < t->switches; s++) flow[s] = t->fate[s] == TREE_HOME ? trees_sources(t, s) : 0;
  if (t->sets) {
    split_flow(t, flow);
    return;
  }
  for (uint32_t i = 0; i < t->peeled; i++) {
    uint32_t s = t->order[i];
    if (t->fate[s] == TREE_HOME && t->leads[s] == TREE_GOES_ON) flow[t->next[s]] += flow[s];
  }
}

void trees_add_shares(const trees *t, const uint64_t *flow, uint64_t *load) {
  const tree_sets *q = t->sets;
  for (uint32_t s = 0; s < t->switches; s++)
    for (uint32_t k = q->first[s]; t->fate[s] == TREE_HOME && k < q->first[s + 1]; k++)
      load[q->port[k]] += share_of(q, s, k, flow[s]);
}
