/* depend_paths.c - the paths of packets in the dependency graph, counted. */
#include "tables/depend.h"

/* True if packets from two end nodes of one switch for an address share their whole path and its VLs. */
static bool alike(const ripstop_forwarding *tables, uint32_t end, uint32_t other, uint32_t address) {
  return !tables->lane &&
         ripstop_forwarding_level(tables, end, address) == ripstop_forwarding_level(tables, other, address);
}

/* Adds `weight` (modulo 2^32) to each edge of the path of one end node's packets, whether it arrives or not. */
static void put_path(depend *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end,
                     uint32_t address, uint32_t weight) {
  const switch_graph *c = g->net;
  const ripstop_fabric *f = c->fabric;
  uint32_t s = ripstop_end_switch(f, end) - f->ends, in = ripstop_end_switch_port(f, end), from = RIPSTOP_NONE;
  uint32_t level = ripstop_forwarding_level(tables, end, address), channel;
  g->walk++;
  while ((channel = switch_graph_onward(c, view, tables, address, s)) != RIPSTOP_NONE) {
    uint32_t vertex = depend_vertex(g, tables, s, channel, in, level);
    if (vertex == RIPSTOP_NONE) return;
    if (from != RIPSTOP_NONE) depend_put(g, from, vertex, weight);
    if (g->seen[vertex] == g->walk) return;
    g->seen[vertex] = g->walk;
    from = vertex;
    s = g->row[vertex].s;
    in = g->row[vertex].in;
  }
}

bool depend_path_makes(const depend *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t end,
                       uint32_t address, uint32_t from, uint32_t to) {
  const switch_graph *c = g->net;
  const ripstop_fabric *f = c->fabric;
  uint32_t s = ripstop_end_switch(f, end) - f->ends, in = ripstop_end_switch_port(f, end), before = RIPSTOP_NONE;
  uint32_t level = ripstop_forwarding_level(tables, end, address), channel;
  bool made = false;
  for (uint32_t left = c->switches; left > 0 && !made; left--) {
    if ((channel = switch_graph_onward(c, view, tables, address, s)) == RIPSTOP_NONE) return false;
    uint32_t vertex = depend_vertex(g, tables, s, channel, in, level);
    if (vertex == RIPSTOP_NONE) return false;
    made = before == from && vertex == to;
    before = vertex;
    s = g->row[vertex].s;
    in = g->row[vertex].in;
  }
  return made;
}

/* ------------------------------------------------------------------ packets of many end nodes together */

/* Adds the paths of the end nodes of a switch, one kind after another. */
static void add_each(depend *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t s,
                     uint32_t address, bool back) {
  const switch_graph *c = g->net;
  uint32_t first = RIPSTOP_NONE, weight = 0;
  for (uint32_t i = c->end_first[s]; i < c->end_first[s + 1]; i++) {
    uint32_t end = c->end[i];
    if (end == tables->node[address] || !view->port_up[c->fabric->port_base[end]]) continue;
    if (weight > 0 && !alike(tables, first, end, address)) {
      put_path(g, view, tables, first, address, back ? 0 - weight : weight);
      weight = 0;
    }
    if (weight++ == 0) first = end;
  }
  if (weight > 0) put_path(g, view, tables, first, address, back ? 0 - weight : weight);
}

/* Appends the switches on the path from one on, unless they are in the order already. */
static void find_stops(depend *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t s,
                       uint32_t address) {
  const switch_graph *c = g->net;
  while (g->stop[s].walk != g->walk) {
    uint32_t channel = switch_graph_onward(c, view, tables, address, s);
    g->stop[s] = (depend_stop){.channel = channel, .walk = g->walk};
    g->order[g->stops++] = s;
    if (channel == RIPSTOP_NONE) return;
    s = c->to[channel];
  }
}

/* Starts the paths of the end nodes of a switch on a service level. Returns all their service levels. */
static uint32_t begin_paths(depend *g, const ripstop_view *view, const ripstop_forwarding *tables, uint32_t s,
                            uint32_t address, uint32_t level) {
  const switch_graph *c = g->net;
  uint32_t levels = 0;
  for (uint32_t i = c->end_first[s]; i < c->end_first[s + 1]; i++) {
    uint32_t end = c->end[i], own = ripstop_forwarding_level(tables, end, address);
    if (end == tables->node[address] || !view->port_up[c->fabric->port_base[end]]) continue;
    levels |= 1u << own;
    g->stop[s].paths += own == level;
  }
  return levels;
}

/* Packets that pass a depend_stop wait for the channel of the next one. */
static void add_stop(depend *g, const depend_stop *here, uint32_t paths, uint32_t lane, bool back) {
  const depend_stop *next = &g->stop[g->net->to[here->channel]];
  if (paths == 0 || next->channel == RIPSTOP_NONE) return;
  depend_put(g, here->channel * g->lanes + lane, next->channel * g->lanes + lane, back ? 0 - paths : paths);
}

/* Stops that no other leads to pass on their paths; the remaining ones are loops, where each path counts once. */
static void pass_on(depend *g, uint32_t lane, bool back) {
  const uint32_t *to = g->net->to;
  uint32_t done = 0;
  for (uint32_t i = 0; i < g->stops; i++)
    if (g->stop[g->order[i]].channel != RIPSTOP_NONE) g->stop[to[g->stop[g->order[i]].channel]].into++;
  for (uint32_t i = 0; i < g->stops; i++)
    if (g->stop[g->order[i]].into == 0) g->ready[done++] = g->order[i];
  for (uint32_t i = 0; i < done; i++) {
    const depend_stop *here = &g->stop[g->ready[i]];
    if (here->channel == RIPSTOP_NONE) continue;
    depend_stop *next = &g->stop[to[here->channel]];
    add_stop(g, here, here->paths, lane, back);
    next->paths += here->paths;
    if (--next->into == 0) g->ready[done++] = to[here->channel];
  }
}

static void go_round(depend *g, uint32_t lane, bool back) {
  const uint32_t *to = g->net->to;
  for (uint32_t i = 0; i < g->stops; i++) {
    depend_stop *first = &g->stop[g->order[i]], *stop = first;
    uint32_t paths = 0;
    if (first->into == 0) continue;
    do paths += stop->paths;
    while ((stop = &g->stop[to[stop->channel]]) != first);
    do {
      add_stop(g, stop, paths, lane, back);
      stop->into = 0;
    } while ((stop = &g->stop[to[stop->channel]]) != first);
  }
}

void depend_paths(depend *g, const ripstop_view *view, const ripstop_forwarding *tables, const uint32_t *switches,
                  uint32_t count, uint32_t address, bool back) {
  uint32_t levels = tables->lane ? 0 : 1;
  for (uint32_t i = 0; i < count && tables->lane; i++) add_each(g, view, tables, switches[i], address, back);
  for (uint32_t level = 0; levels >> level; level++) {
    uint32_t lane = level % tables->lanes;
    if (level > 0 && !(levels >> level & 1)) continue;
    g->walk++;
    g->stops = 0;
    for (uint32_t i = 0; i < count; i++) find_stops(g, view, tables, switches[i], address);
    for (uint32_t i = 0; i < count; i++) levels |= begin_paths(g, view, tables, switches[i], address, level);
    pass_on(g, lane, back);
    go_round(g, lane, back);
  }
}
