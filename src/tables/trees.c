/* trees.c - switches that no other sends to are removed, one layer after the other (Kahn's order); the rest are
 * loops. Backwards along that order each switch finds where its packets end. */
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
  *t = (trees){.view = view, .fabric = view->fabric, .switches = switches};
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

void trees_look(trees *t, const ripstop_forwarding *tables, uint32_t address) {
  const ripstop_fabric *f = t->fabric;
  t->address = address;
  t->target = tables->node[address];
  bool hangs = ripstop_is_end(f, t->target) && t->view->port_up[f->port_base[t->target]];
  t->own = hangs ? ripstop_end_switch(f, t->target) - f->ends : RIPSTOP_NONE;
  for (uint32_t s = 0; s < t->switches; s++) look_up(t, tables, s);
  peel(t);
  find_fates(t);
}

void trees_flow(const trees *t, uint64_t *flow) {
  for (uint32_t s = 0; s < t->switches; s++) flow[s] = t->fate[s] == TREE_HOME ? trees_sources(t, s) : 0;
  for (uint32_t i = 0; i < t->peeled; i++) {
    uint32_t s = t->order[i];
    if (t->fate[s] == TREE_HOME && t->leads[s] == TREE_GOES_ON) flow[t->next[s]] += flow[s];
  }
}
