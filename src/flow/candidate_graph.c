/* candidate_graph.c - breadth-first search over the heads that packets can have, each once. Cost: a call of route for
 * each head, which is one for each port by which a switch of the graph is entered, or for each switch. */
#include "flow/candidate_graph.h"

#include <string.h>

#include "base/growing.h"
#include "base/mix.h"

enum { FIRST_TABLE = 1024, CHECKED = 64 }; /* graphs of a plan in which all heads are checked */

void graph_open(candidate_graph *g, const ripstop_fabric *fabric, ripstop_arena *arena) {
  *g = (candidate_graph){.arena = arena, .mask = FIRST_TABLE - 1};
  g->node = RIPSTOP_ARRAY(arena, (size_t)fabric->nodes + 1, graph_node);
  g->edge = RIPSTOP_ARRAY(arena, (size_t)fabric->ports + 1, uint32_t);
  g->at = RIPSTOP_ARRAY(arena, (size_t)fabric->nodes + 1, uint32_t);
  g->seen = RIPSTOP_ARRAY(arena, (size_t)fabric->nodes + 1, uint32_t);
  g->table = RIPSTOP_ARRAY(arena, FIRST_TABLE, uint32_t);
}

/* ------------------------------------------------------------------ heads */

static uint32_t place_of(const candidate_graph *g, const ripstop_head *h) {
  uint64_t hash = ripstop_mix_pair(h->node, h->in_port) ^ ripstop_mix(h->header * RIPSTOP_GOLDEN + h->channel);
  for (uint32_t at = (uint32_t)(hash ^ h->source) & g->mask;; at = (at + 1) & g->mask) {
    if (!g->table[at]) return at;
    const ripstop_head *o = &g->head[g->table[at] - 1];
    if (o->node == h->node && o->in_port == h->in_port && o->channel == h->channel && o->header == h->header &&
        o->source == h->source)
      return at;
  }
}

static void grow_table(candidate_graph *g) {
  const uint32_t size = 2 * (g->mask + 1);
  g->mask = size - 1;
  g->table = RIPSTOP_ARRAY(g->arena, size, uint32_t);
  for (uint32_t i = 0; i < g->heads; i++) g->table[place_of(g, &g->head[i])] = i + 1;
}

static void add_head(candidate_graph *g, const ripstop_head *h, uint32_t level) {
  if (2 * g->heads > g->mask) grow_table(g);
  const uint32_t at = place_of(g, h);
  if (g->table[at]) return;
  RIPSTOP_GROW_IN(g->arena, g->head, g->heads, g->head_room);
  g->head[g->heads] = *h;
  RIPSTOP_ROOM_IN(g->arena, g->level, (size_t)g->heads + 1, g->level_room);
  g->level[g->heads++] = level;
  g->table[at] = g->heads;
}

/* The model has no virtual channels, so a longer path after a fault must not fail for want of one. Methods count the
 * channels in `route`, and may return a candidate for each. */
static void use_plan(candidate_graph *g, const ripstop_plan *plan) {
  enum { AMPLE = 64 };
  g->ample = *plan;
  g->ample.channels = AMPLE;
  g->ample.candidates_max = plan->candidates_max * AMPLE;
  g->plan = &g->ample;
  if (g->ample.candidates_max <= g->candidate_room) return;
  g->candidate_room = g->ample.candidates_max;
  g->candidate = RIPSTOP_ARRAY(g->arena, g->candidate_room, ripstop_candidate);
  g->port = RIPSTOP_ARRAY(g->arena, g->candidate_room, uint32_t);
}

bool graph_is_known(const candidate_graph *g) { return g->graphs - g->before > CHECKED; }

void graph_begin(candidate_graph *g, const ripstop_plan *plan, uint32_t destination) {
  for (uint32_t i = 0; i < g->nodes; i++) g->at[g->node[i].node] = 0;
  if (2 * g->heads < FIRST_TABLE)
    for (uint32_t i = g->heads; i-- > 0;) g->table[place_of(g, &g->head[i])] = 0;
  else
    memset(g->table, 0, ((size_t)g->mask + 1) * sizeof *g->table);
  g->graphs++;
  g->destination = destination;
  g->nodes = g->edges = g->heads = g->done = g->links = 0;
  g->loses = false;
  use_plan(g, plan);
}

/* ------------------------------------------------------------------ nodes */

/* Ports of the candidates, each once and in order. */
static uint32_t list_ports(candidate_graph *g, const ripstop_head *h, int candidates) {
  const uint32_t base = g->plan->fabric->port_base[h->node];
  uint32_t count = 0;
  for (int i = 0; i < candidates; i++) {
    const uint32_t port = base + g->candidate[i].port;
    uint32_t at = count;
    while (at && g->port[at - 1] > port) at--;
    if (at && g->port[at - 1] == port) continue;
    memmove(&g->port[at + 1], &g->port[at], (count++ - at) * sizeof *g->port);
    g->port[at] = port;
  }
  return count;
}

static int fail_form(const candidate_graph *g, const ripstop_head *h, ripstop_error *err) {
  char at[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(g->plan->fabric, h->node, at);
  ripstop_node_name(g->plan->fabric, g->destination, to);
  return ripstop_fail(err,
                      "method %s: its output ports at switch %s for end node %s depend on more than these two; model: "
                      "flow needs candidates by switch and destination",
                      g->plan->method->name, at, to);
}

static int fail_length(const candidate_graph *g, const ripstop_head *h, ripstop_error *err) {
  char at[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(g->plan->fabric, h->node, at);
  ripstop_node_name(g->plan->fabric, g->destination, to);
  return ripstop_fail(err,
                      "method %s: paths to end node %s through %s differ in length; model: flow takes shortest paths "
                      "alone",
                      g->plan->method->name, to, at);
}

/* Edges of a node that is new; those of a known one must be the same. */
static int visit(candidate_graph *g, const ripstop_head *h, uint32_t level, uint32_t ports, ripstop_error *err) {
  const uint32_t known = g->at[h->node];
  if (known) {
    const graph_node *n = &g->node[known - 1];
    const bool same = n->edges == ports && !memcmp(&g->edge[n->first], g->port, ports * sizeof *g->port);
    return !same ? fail_form(g, h, err) : n->level != level ? fail_length(g, h, err) : 0;
  }
  g->node[g->nodes++] = (graph_node){.node = h->node, .level = level, .first = g->edges, .edges = ports};
  g->at[h->node] = g->nodes;
  memcpy(&g->edge[g->edges], g->port, ports * sizeof *g->port);
  g->edges += ports;
  return 0;
}

static int follow(candidate_graph *g, const ripstop_head *h, uint32_t level, const ripstop_candidate *c,
                  ripstop_error *err) {
  const ripstop_fabric *f = g->plan->fabric;
  const uint32_t peer = f->peer[f->port_base[h->node] + c->port], node = f->port_node[peer];
  if (node == g->destination) {
    if (g->links && g->links != level + 1) return fail_length(g, h, err);
    g->links = level + 1;
    return 0;
  }
  if (g->at[node] && g->node[g->at[node] - 1].level != level + 1) return fail_length(g, h, err);
  if (graph_is_known(g) && g->seen[node] == (uint32_t)g->graphs) return 0;
  g->seen[node] = (uint32_t)g->graphs;
  add_head(g,
           &(ripstop_head){.node = node,
                           .in_port = peer - f->port_base[node],
                           .source = g->plan->method->by_source ? h->source : 0,
                           .destination = g->destination,
                           .header = c->header,
                           .channel = c->channel},
           level + 1);
  return 0;
}

uint32_t graph_ports(candidate_graph *g, const ripstop_plan *plan, const ripstop_head *head, const uint32_t **port) {
  use_plan(g, plan);
  const int candidates = ripstop_route(g->plan, head, g->candidate);
  g->candidates = candidates > 0 ? (uint32_t)candidates : 0;
  *port = g->port;
  return g->candidates ? list_ports(g, head, candidates) : 0;
}

ripstop_head graph_follow(const candidate_graph *g, const ripstop_head *head, uint32_t port) {
  const ripstop_fabric *f = g->plan->fabric;
  uint32_t i = 0;
  while (f->port_base[head->node] + g->candidate[i].port != port) i++;
  const uint32_t peer = f->peer[port];
  ripstop_head next = *head;
  next.node = f->port_node[peer];
  next.in_port = peer - f->port_base[next.node];
  next.source = g->plan->method->by_source ? head->source : 0;
  next.header = g->candidate[i].header;
  next.channel = g->candidate[i].channel;
  return next;
}

static int expand(candidate_graph *g, uint32_t number, ripstop_error *err) {
  const ripstop_head h = g->head[number];
  const ripstop_fabric *f = g->plan->fabric;
  const int candidates = ripstop_route(g->plan, &h, g->candidate);
  if (candidates <= 0) {
    g->loses = true;
    return 0;
  }
  const uint32_t level = g->level[number];
  if (!ripstop_is_end(f, h.node) && visit(g, &h, level, list_ports(g, &h, candidates), err)) return -1;
  for (int i = 0; i < candidates; i++)
    if (follow(g, &h, level, &g->candidate[i], err)) return -1;
  return 0;
}

int graph_add(candidate_graph *g, uint32_t source, ripstop_error *err) {
  for (uint32_t header = 0; header < g->plan->random_headers; header++)
    add_head(
        g,
        &(ripstop_head){
            .node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = g->destination, .header = header},
        0);
  for (; g->done < g->heads && !g->loses; g->done++)
    if (expand(g, g->done, err)) return -1;
  return 0;
}
