/* switch_graph.c - switches and channels of a view as arrays. */
#include "tables/switch_graph.h"

#include <string.h>

typedef struct maker {
  switch_graph *net;
  ripstop_arena *arena;
  bool whole;
  uint32_t *port;
} maker;

static bool is_channel(const maker *m, uint32_t port) {
  const ripstop_fabric *f = m->net->fabric;
  return f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[port]) &&
         !ripstop_is_end(f, f->port_node[f->peer[port]]) && (m->whole || m->net->view->port_up[port]);
}

static void take_switches(maker *m, const uint32_t *node, uint32_t switches) {
  switch_graph *net = m->net;
  uint32_t all = ripstop_fabric_switches(net->fabric), *index = RIPSTOP_ARRAY(m->arena, all, uint32_t);
  uint32_t *every = RIPSTOP_ARRAY(m->arena, all, uint32_t);
  for (uint32_t s = 0; s < all; s++) every[s] = net->fabric->ends + s;
  memset(index, 0xFF, all * sizeof *index);
  net->node = node ? node : every;
  net->switches = node ? switches : all;
  net->first_port = net->fabric->port_base + net->fabric->ends;
  for (uint32_t s = 0; s < net->switches; s++) index[net->node[s] - net->fabric->ends] = s;
  net->index = index;
}

static void number_by_cable(maker *m) {
  const ripstop_fabric *f = m->net->fabric;
  for (uint32_t link = 0; link < f->links; link++)
    for (uint32_t side = 0; side < 2 && is_channel(m, f->link_port[2 * link]); side++)
      m->port[m->net->channels++] = f->link_port[2 * link + side];
}

static void number_by_port(maker *m) {
  const switch_graph *net = m->net;
  for (uint32_t s = 0; s < net->switches; s++)
    for (uint32_t port = net->fabric->port_base[net->node[s]]; port < net->fabric->port_base[net->node[s] + 1]; port++)
      if (is_channel(m, port)) m->port[m->net->channels++] = port;
}

static void find_channels(maker *m) {
  switch_graph *net = m->net;
  const ripstop_fabric *f = net->fabric;
  size_t channels = net->channels;
  uint32_t *from = RIPSTOP_ARRAY(m->arena, channels, uint32_t), *to = RIPSTOP_ARRAY(m->arena, channels, uint32_t);
  uint32_t *back = RIPSTOP_ARRAY(m->arena, channels, uint32_t);
  uint16_t *local = RIPSTOP_ARRAY(m->arena, channels, uint16_t);
  switch_graph_hop *hop = RIPSTOP_ARRAY(m->arena, f->ports, switch_graph_hop);
  memset(hop, 0xFF, f->ports * sizeof *hop);
  for (uint32_t c = 0; c < net->channels; c++) {
    uint32_t port = m->port[c], node = f->port_node[port];
    from[c] = net->index[node - f->ends];
    to[c] = net->index[f->port_node[f->peer[port]] - f->ends];
    local[c] = (uint16_t)(port - f->port_base[node]);
    hop[port] = (switch_graph_hop){c, to[c]};
  }
  for (uint32_t c = 0; c < net->channels; c++) back[c] = hop[f->peer[m->port[c]]].channel;
  net->from = from;
  net->to = to;
  net->back = back;
  net->port = m->port;
  net->local = local;
  net->hop = hop;
}

static void find_outs(switch_graph *net, ripstop_arena *arena) {
  uint32_t *first = RIPSTOP_ARRAY(arena, net->switches + 1, uint32_t),
           *out = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  uint32_t *slot = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  for (uint32_t c = 0; c < net->channels; c++) slot[c] = first[net->from[c] + 1]++;
  for (uint32_t s = 0; s < net->switches; s++) first[s + 1] += first[s];
  for (uint32_t c = 0; c < net->channels; c++) out[first[net->from[c]] + slot[c]] = c;
  switch_graph_side *side = RIPSTOP_ARRAY(arena, net->channels, switch_graph_side);
  for (uint32_t i = 0; i < net->channels; i++)
    side[i] = (switch_graph_side){out[i], net->to[out[i]], net->local[net->back[out[i]]]};
  net->out_first = first;
  net->out = out;
  net->side = side;
  net->slot = slot;
  uint32_t *turn = RIPSTOP_ARRAY(arena, net->channels, uint32_t);
  for (uint32_t i = 0; i < net->channels; net->turns += switch_graph_outs(net, net->from[out[i++]]))
    turn[out[i]] = net->turns;
  net->turn_first = turn;
}

static void find_hosts(switch_graph *net) {
  const ripstop_fabric *f = net->fabric;
  memset(net->hosts, 0, net->switches * sizeof *net->hosts);
  for (uint32_t e = 0; e < f->ends; e++) {
    net->home[e] = RIPSTOP_NONE;
    if (!net->view->port_up[f->port_base[e]] || ripstop_is_end(f, ripstop_end_switch(f, e))) continue;
    net->home[e] = net->index[ripstop_end_switch(f, e) - f->ends];
    net->hosts[net->home[e]]++;
  }
}

static void find_parts(switch_graph *net) {
  memset(net->part, 0xFF, net->switches * sizeof *net->part);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (net->part[s] != RIPSTOP_NONE || !net->view->node_up[net->node[s]]) continue;
    uint32_t head = 0, tail = 0;
    net->part[net->queue[tail++] = s] = s;
    for (; head < tail; head++)
      for (uint32_t v = net->queue[head], i = net->out_first[v]; i < net->out_first[v + 1]; i++) {
        uint32_t next = net->to[net->out[i]];
        if (net->part[next] == RIPSTOP_NONE && switch_graph_up(net, net->out[i]))
          net->part[net->queue[tail++] = next] = s;
      }
  }
}

void switch_graph_follow(switch_graph *net) {
  find_hosts(net);
  find_parts(net);
}

bool switch_graph_joined(switch_graph *net, uint32_t from, uint32_t to) {
  uint32_t head = 0, tail = 0;
  net->searches++;
  net->seen[net->queue[tail++] = from] = net->searches;
  for (; head < tail && net->seen[to] != net->searches; head++)
    for (uint32_t s = net->queue[head], i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t next = net->to[net->out[i]];
      if (net->seen[next] != net->searches && switch_graph_up(net, net->out[i]))
        net->seen[net->queue[tail++] = next] = net->searches;
    }
  return net->seen[to] == net->searches;
}

uint32_t switch_graph_search(const switch_graph *net, uint32_t from, uint32_t *distance, uint32_t *queue) {
  uint32_t head = 0, tail = 0;
  distance[queue[tail++] = from] = 0;
  for (; head < tail; head++)
    for (uint32_t s = queue[head], i = net->out_first[s]; i < net->out_first[s + 1]; i++) {
      uint32_t next = net->to[net->out[i]];
      if (distance[next] == RIPSTOP_NONE) distance[queue[tail++] = next] = distance[s] + 1;
    }
  return tail;
}

void switch_graph_make(switch_graph *net, const ripstop_view *view, switch_graph_kind kind, ripstop_arena *arena) {
  const ripstop_fabric *f = view->fabric;
  maker m = {.net = net, .arena = arena, .whole = kind.whole};
  *net = (switch_graph){.view = view, .fabric = f, .addresses = 1};
  take_switches(&m, kind.node, kind.switches);
  m.port = RIPSTOP_ARRAY(arena, 2 * (size_t)(f->links - f->link_ends), uint32_t);
  kind.by_port ? number_by_port(&m) : number_by_cable(&m);
  find_channels(&m);
  find_outs(net, arena);
  net->hosts = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  net->home = RIPSTOP_ARRAY(arena, f->ends, uint32_t);
  net->part = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  net->queue = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  net->seen = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  switch_graph_follow(net);
}

void switch_graph_list_ends(switch_graph *net, ripstop_arena *arena) {
  const ripstop_fabric *f = net->fabric;
  uint32_t *first = RIPSTOP_ARRAY(arena, (size_t)net->switches + 2, uint32_t),
           *end = RIPSTOP_ARRAY(arena, f->ends, uint32_t);
  for (uint32_t e = 0; e < f->ends; e++) first[net->index[ripstop_end_switch(f, e) - f->ends] + 2]++;
  for (uint32_t s = 0; s < net->switches; s++) first[s + 1] += first[s];
  for (uint32_t e = 0; e < f->ends; e++) end[first[net->index[ripstop_end_switch(f, e) - f->ends] + 1]++] = e;
  net->end_first = first;
  net->end = end;
}
