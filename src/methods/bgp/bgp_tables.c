/* bgp_tables.c - the entries of all switches, and the classes in which packets go on.
 *
 * A class is a service level, and the virtual lane of that number. At a turn from down to up a packet gets the next
 * one. The number behind the last class is a lossy virtual lane: packets there never wait, and may be dropped. `route`
 * counts them as lost (bgp.c). */
#include "base/local.h"
#include "base/sort.h"
#include "methods/bgp/bgp.h"

typedef struct maker {
  const bgp_net *net;
  ripstop_forwarding *tables;
  bgp_paths paths;
  uint32_t *channel; /* the next hops of an entry */
  ripstop_next_hop *hop;
  uint32_t *end, ends; /* addresses of the present switch */
} maker;

/* ------------------------------------------------------------------ entries */

static int by_neighbour(const void *graph, const void *a, const void *b) {
  const switch_graph *g = graph;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (g->to[x] != g->to[y]) return g->to[x] < g->to[y] ? -1 : 1;
  return (x > y) - (x < y);
}

/* If there are too many, the neighbours with the lowest numbers are taken. Then those whose cable is down are left out:
 * a switch does not replace them by itself. */
static uint32_t find_hops(maker *m, uint32_t s) {
  const switch_graph *g = &m->net->graph;
  uint32_t count = 0, up = 0;
  for (uint32_t c = g->out_first[s]; c < g->out_first[s + 1]; c++)
    if (bgp_paths_uses(&m->paths, c)) m->channel[count++] = c;
  if (count > m->net->rules->most) {
    ripstop_sort(m->channel, count, sizeof *m->channel, by_neighbour, g);
    count = m->net->rules->most;
  }
  for (uint32_t i = 0; i < count; i++)
    if (switch_graph_up(g, m->channel[i])) m->hop[up++] = (ripstop_next_hop){g->local[m->channel[i]], 1};
  return up;
}

static int set_entries(maker *m, uint32_t s, ripstop_error *err) {
  const uint32_t node = m->tables->fabric->ends + s, count = find_hops(m, s);
  if (ripstop_forwarding_set_hops(m->tables, m->end[0], node, m->hop, count, err)) return -1;
  for (uint32_t i = 1; i < m->ends; i++)
    ripstop_forwarding_set(m->tables, m->end[i], node, ripstop_forwarding_port(m->tables, m->end[0], node));
  return 0;
}

/* The end nodes of a switch, with or without those whose link is down. */
static void list_ends(maker *m, uint32_t s, bool down) {
  const switch_graph *g = &m->net->graph;
  m->ends = 0;
  for (uint32_t i = g->end_first[s]; i < g->end_first[s + 1]; i++)
    if (down || g->view->port_up[g->fabric->port_base[g->end[i]]]) m->end[m->ends++] = g->end[i];
}

static int set_all(maker *m, bool down, ripstop_error *err) {
  const ripstop_fabric *f = m->tables->fabric;
  for (uint32_t to = 0; to < m->net->graph.switches; to++) {
    ripstop_task_progress("paths of BGP", to, m->net->graph.switches);
    list_ends(m, to, down);
    if (!m->ends) continue;
    bgp_paths_find(&m->paths, to);
    for (uint32_t i = 1; i < m->paths.routed; i++)
      if (set_entries(m, m->paths.order[i], err)) return -1;
    for (uint32_t i = 0; i < m->ends; i++)
      ripstop_forwarding_set(m->tables, m->end[i], f->ends + to, (uint16_t)ripstop_end_switch_port(f, m->end[i]));
  }
  return 0;
}

/* ------------------------------------------------------------------ classes */

/* A port that leads to a higher tier. */
static bool is_up(const bgp_net *net, uint32_t s, uint32_t port) {
  const ripstop_fabric *f = net->graph.fabric;
  const uint32_t at = f->port_base[f->ends + s] + port,
                 node = f->peer[at] == RIPSTOP_NONE ? 0 : f->port_node[f->peer[at]];
  return !ripstop_is_end(f, node) && net->tier[node - f->ends] > net->tier[s];
}

/* The class of a packet of class `now` behind a switch. */
static uint8_t class_behind(const bgp_rules *rules, uint32_t now, bool turns) {
  const uint32_t next = now + (turns && now < rules->classes);
  return (uint8_t)(next < rules->classes || rules->leaves ? next : now);
}

static void set_classes(const bgp_net *net, ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  const uint32_t switches = net->graph.switches;
  size_t cells = 0;
  t->lanes = bgp_lanes(net->rules);
  t->drops = net->rules->leaves ? (uint16_t)(1u << net->rules->classes) : 0;
  t->lane_first = RIPSTOP_ARRAY(t->arena, switches, size_t);
  for (uint32_t s = 0; s < switches; s++) {
    const size_t ports = ripstop_node_ports(f, f->ends + s);
    t->lane_first[s] = cells;
    cells += ports * ports * RIPSTOP_LEVELS;
  }
  t->lane = RIPSTOP_ARRAY(t->arena, cells, uint8_t);
  t->next_level = RIPSTOP_ARRAY(t->arena, cells, uint8_t);
  for (uint32_t s = 0; s < switches; s++) {
    const uint32_t ports = ripstop_node_ports(f, f->ends + s);
    for (size_t i = 0; i < (size_t)ports * ports * RIPSTOP_LEVELS; i++) {
      const size_t turn = i / RIPSTOP_LEVELS;
      const bool turns = is_up(net, s, (uint32_t)(turn / ports)) && is_up(net, s, (uint32_t)(turn % ports));
      const uint8_t next = class_behind(net->rules, i % RIPSTOP_LEVELS, turns);
      t->lane[t->lane_first[s] + i] = next < t->lanes ? next : RIPSTOP_LANES; /* no packet has such a level */
      t->next_level[t->lane_first[s] + i] = next;
    }
  }
}

ripstop_forwarding *bgp_tables_make(const bgp_net *net, bool down, ripstop_arena *arena, ripstop_error *err) {
  const ripstop_fabric *f = net->graph.fabric;
  RIPSTOP_LOCAL_ARENA(scratch);
  uint32_t *node = RIPSTOP_ARRAY(scratch, f->ends, uint32_t);
  for (uint32_t end = 0; end < f->ends; end++) node[end] = end;
  maker m = {.net = net, .tables = ripstop_forwarding_in(arena, f, node, f->ends)};
  m.channel = RIPSTOP_ARRAY(scratch, net->graph.channels, uint32_t);
  m.hop = RIPSTOP_ARRAY(scratch, net->graph.channels, ripstop_next_hop);
  m.end = node;
  bgp_paths_open(&m.paths, net, scratch);
  if (bgp_has_classes(net->rules)) set_classes(net, m.tables);
  return set_all(&m, down, err) ? NULL : m.tables;
}
