/* stream_paths.c - shares of channels from a plan's candidates.
 *
 *   one       follows the plan's forwarding table
 *   hash      at each switch takes one of the candidates, by a hash of the pair and the switch
 *   spray     divides what reaches a switch equally over its candidates
 *   adaptive  divides it in proportion to the capacity behind each candidate, up to the destination
 *
 * Divisions happen hop by hop, as in switches: where candidates lead to unequal numbers of paths, paths get unequal
 * shares. */
#include "flow/stream_paths.h"

#include "base/growing.h"
#include "base/mix.h"
#include "ripstop/kit/judge.h"
#include "ripstop/plugin/forwarding.h"

#define TABLE_ENTRIES UINT64_C(100000000) /* most entries of a method's tables */

void paths_open(stream_paths *p, const ripstop_fluid_config *config, uint64_t link, const ripstop_view *view,
                ripstop_arena *arena) {
  *p = (stream_paths){.config = config, .link = link, .view = view, .arena = arena};
  const size_t nodes = (size_t)view->fabric->nodes + 1;
  if (config->paths == RIPSTOP_FLUID_ONE) return;
  graph_open(&p->graph, view->fabric, arena);
  p->amount = RIPSTOP_ARRAY(arena, nodes, double);
  p->behind = RIPSTOP_ARRAY(arena, nodes, double);
  p->longest = RIPSTOP_ARRAY(arena, nodes, uint64_t);
}

void paths_close(stream_paths *p) { ripstop_forwarding_free(p->tables); }

/* The address of each end node: its first one. */
static const uint32_t *addresses(stream_paths *p) {
  uint32_t *address = RIPSTOP_ARRAY(p->arena, p->view->fabric->ends, uint32_t);
  for (uint32_t i = ripstop_forwarding_ends(p->tables); i-- > 0;) address[p->tables->node[i]] = i;
  return address;
}

int paths_plan(stream_paths *p, const ripstop_plan *plan, ripstop_error *err) {
  ripstop_answer answer;
  p->plan = plan;
  p->graph_switch = RIPSTOP_NONE;
  p->graph.before = p->graph.graphs;
  if (p->config->paths != RIPSTOP_FLUID_ONE) return 0;
  ripstop_forwarding_free(p->tables);
  p->tables = ripstop_forwarding_of_plan(plan, TABLE_ENTRIES, &answer, err);
  if (!p->tables) return ripstop_fail_at(err, "flow.paths = one needs a forwarding table");
  if (!p->address) p->address = addresses(p);
  return 0;
}

/* ------------------------------------------------------------------ a path */

static void add(stream_paths *p, uint32_t port, double share) {
  if (p->count == p->room) {
    size_t channels = p->room, shares = p->room;
    RIPSTOP_ROOM_IN(p->arena, p->channel, (size_t)p->count + 1, channels);
    RIPSTOP_ROOM_IN(p->arena, p->share, (size_t)p->count + 1, shares);
    p->room = (uint32_t)channels;
  }
  p->channel[p->count] = port;
  p->share[p->count++] = share;
}

static uint64_t delay_of(const stream_paths *p, uint32_t port) {
  const ripstop_fabric *f = p->view->fabric;
  const uint32_t link = f->port_link[port];
  return f->delay && f->delay[link] ? f->delay[link] : p->link;
}

static double rate_of(const stream_paths *p, uint32_t port) {
  return ripstop_view_rate(p->view, p->view->fabric->port_link[port]) / (double)RIPSTOP_RATE_FULL;
}

static uint32_t next_node(const stream_paths *p, uint32_t port) {
  return p->view->fabric->port_node[p->view->fabric->peer[port]];
}

/* ------------------------------------------------------------------ by tables */

static int fail_hops(const stream_paths *p, uint32_t node, const char *what, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->view->fabric, node, name);
  return ripstop_fail(err, "flow.paths = one: the table of method %s at switch %s %s", p->plan->method->name, name,
                      what);
}

static int follow_tables(stream_paths *p, uint32_t source, uint32_t destination, ripstop_error *err) {
  const ripstop_fabric *f = p->view->fabric;
  const uint32_t address = p->address[destination];
  uint32_t port = f->port_base[source];
  p->delays = delay_of(p, port);
  add(p, port, 1);
  for (uint32_t node; (node = next_node(p, port)) != destination;) {
    const ripstop_next_hop hop = ripstop_forwarding_hop(p->tables, address, node, 0);
    if (p->count > f->nodes) return fail_hops(p, node, "leads packets in a cycle", err);
    if (ripstop_forwarding_hop(p->tables, address, node, 1).port != RIPSTOP_NO_PORT)
      return fail_hops(p, node, "has several next hops", err);
    if (hop.port >= ripstop_node_ports(f, node) || !p->view->port_up[f->port_base[node] + hop.port]) {
      p->count = 0;
      return 0;
    }
    port = f->port_base[node] + hop.port;
    p->delays += delay_of(p, port);
    add(p, port, 1);
  }
  p->links = p->count;
  return 0;
}

/* ------------------------------------------------------------------ by candidates */

static const graph_node *node_behind(const stream_paths *p, uint32_t port) {
  const uint32_t node = next_node(p, port);
  return node == p->graph.destination ? NULL : &p->graph.node[p->graph.at[node] - 1];
}

static uint32_t number_of(const stream_paths *p, const graph_node *n) { return (uint32_t)(n - p->graph.node); }

/* From the last node to the first: the longest path from there, and the capacity of all paths. */
static void look_ahead(stream_paths *p) {
  const candidate_graph *g = &p->graph;
  for (uint32_t i = g->nodes; i-- > 0;) {
    p->longest[i] = 0;
    p->behind[i] = 0;
    for (uint32_t e = g->node[i].first; e < g->node[i].first + g->node[i].edges; e++) {
      const graph_node *next = node_behind(p, g->edge[e]);
      const uint64_t on = delay_of(p, g->edge[e]) + (next ? p->longest[number_of(p, next)] : 0);
      const double rate = rate_of(p, g->edge[e]), most = next ? p->behind[number_of(p, next)] : rate;
      if (on > p->longest[i]) p->longest[i] = on;
      p->behind[i] += rate < most ? rate : most;
    }
  }
}

/* The part of a node's flits that takes an edge. */
static double part_of(const stream_paths *p, const graph_node *n, uint32_t port) {
  if (p->config->paths == RIPSTOP_FLUID_SPRAY) return 1.0 / n->edges;
  const graph_node *next = node_behind(p, port);
  const double rate = rate_of(p, port), most = next ? p->behind[number_of(p, next)] : rate;
  return (rate < most ? rate : most) / p->behind[number_of(p, n)];
}

static void divide(stream_paths *p) {
  const candidate_graph *g = &p->graph;
  for (uint32_t i = 0; i < g->nodes; i++) p->amount[i] = i == 0;
  for (uint32_t i = 0; i < g->nodes; i++)
    for (uint32_t e = g->node[i].first; e < g->node[i].first + g->node[i].edges; e++) {
      const graph_node *next = node_behind(p, g->edge[e]);
      const double share = p->amount[i] * part_of(p, &g->node[i], g->edge[e]);
      add(p, g->edge[e], share);
      if (next) p->amount[number_of(p, next)] += share;
    }
}

static uint64_t mix_in(uint64_t hash, uint64_t number) { return ripstop_mix((hash ^ number) + RIPSTOP_GOLDEN); }

/* Number of the candidate that the pair's packets take at a switch, of `count`. */
static uint32_t choice_of(const stream_paths *p, const ripstop_head *h, uint32_t source, uint32_t count) {
  uint64_t hash = ripstop_mix((uint64_t)p->config->seed + RIPSTOP_GOLDEN);
  hash = mix_in(mix_in(mix_in(hash, source), h->destination), h->node - p->view->fabric->ends);
  return (uint32_t)((hash >> 32) * count >> 32);
}

/* Follows a packet, without a graph. */
static void choose_by_hash(stream_paths *p, uint32_t source, uint32_t destination) {
  ripstop_head h = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  const ripstop_fabric *f = p->view->fabric;
  const uint32_t *port;
  p->delays = 0;
  while (h.node != destination) {
    const uint32_t count = graph_ports(&p->graph, p->plan, &h, &port);
    if (!count || p->count > f->nodes) {
      p->count = 0;
      return;
    }
    const uint32_t out = port[count > 1 && !ripstop_is_end(f, h.node) ? choice_of(p, &h, source, count) : 0];
    p->delays += delay_of(p, out);
    add(p, out, 1);
    h = graph_follow(&p->graph, &h, out);
  }
  p->links = p->count;
}

static int find_graph(stream_paths *p, uint32_t source, uint32_t destination, ripstop_error *err) {
  const uint32_t switch_ = ripstop_end_switch(p->view->fabric, source);
  const bool other = p->graph_switch != switch_ || p->graph.destination != destination || p->plan->method->by_source;
  if (other) graph_begin(&p->graph, p->plan, destination);
  p->graph_switch = RIPSTOP_NONE; /* in case of an error */
  if (graph_add(&p->graph, source, err))
    return ripstop_fail_at(err, "flow.paths = %s", ripstop_fluid_path_words[p->config->paths]);
  p->graph_switch = switch_;
  if (other && !p->graph.loses) look_ahead(p);
  return 0;
}

int paths_find(stream_paths *p, uint32_t source, uint32_t destination, ripstop_error *err) {
  const ripstop_fabric *f = p->view->fabric;
  const uint32_t up = f->port_base[source], down = f->peer[f->port_base[destination]];
  p->count = 0;
  if (!p->view->port_up[up] || !p->view->port_up[down]) return 0;
  if (p->config->paths == RIPSTOP_FLUID_ONE) return follow_tables(p, source, destination, err);
  const bool hash = p->config->paths == RIPSTOP_FLUID_HASH;
  if (!(hash && graph_is_known(&p->graph)) && find_graph(p, source, destination, err)) return -1;
  if (hash) choose_by_hash(p, source, destination);
  if (hash || p->graph.loses) return 0;
  p->delays = delay_of(p, up);
  p->links = p->graph.links;
  add(p, up, 1);
  divide(p);
  p->delays += p->longest[0];
  return 0;
}
