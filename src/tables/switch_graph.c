/* switch_graph.c - the live part of a view as arrays. */
#include "tables/switch_graph.h"

#include <string.h>

static bool between_switches(const ripstop_fabric *f, uint32_t link) {
  uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
  return !ripstop_is_end(f, a) && !ripstop_is_end(f, b) && a != b;
}

static bool is_channel(const ripstop_view *view, uint32_t link, bool whole) {
  return between_switches(view->fabric, link) && (whole || view->port_up[view->fabric->link_port[2 * link]]);
}

static void find_channels(switch_graph *net, bool whole, ripstop_arena *arena) {
  const ripstop_fabric *f = net->view->fabric;
  uint32_t links = 0;
  for (uint32_t link = 0; link < f->links; link++) links += is_channel(net->view, link, whole);
  uint32_t *from = RIPSTOP_ARRAY(arena, 2 * (size_t)links, uint32_t),
           *to = RIPSTOP_ARRAY(arena, 2 * (size_t)links, uint32_t);
  uint32_t *port = RIPSTOP_ARRAY(arena, 2 * (size_t)links, uint32_t), c = 0;
  uint16_t *local = RIPSTOP_ARRAY(arena, 2 * (size_t)links, uint16_t);
  for (uint32_t link = 0; link < f->links; link++) {
    if (!is_channel(net->view, link, whole)) continue;
    for (unsigned side = 0; side < 2; side++, c++) {
      from[c] = to[c ^ 1] = ripstop_link_node(f, link, side) - f->ends;
      port[c] = f->link_port[2 * link + side];
      local[c] = (uint16_t)(port[c] - f->port_base[f->port_node[port[c]]]);
    }
  }
  net->channels = c;
  net->from = from;
  net->to = to;
  net->port = port;
  net->local = local;
}

static void find_hops(switch_graph *net, ripstop_arena *arena) {
  const ripstop_fabric *f = net->view->fabric;
  switch_graph_hop *hop = RIPSTOP_ARRAY(arena, f->ports, switch_graph_hop);
  memset(hop, 0xFF, f->ports * sizeof *hop);
  for (uint32_t c = 0; c < net->channels; c++) hop[net->port[c]] = (switch_graph_hop){c, net->to[c]};
  net->first_port = f->port_base + f->ends;
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
    side[i] = (switch_graph_side){out[i], net->to[out[i]], net->local[out[i] ^ 1]};
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
  const ripstop_fabric *f = net->view->fabric;
  memset(net->hosts, 0, net->switches * sizeof *net->hosts);
  for (uint32_t e = 0; e < f->ends; e++) {
    net->home[e] = RIPSTOP_NONE;
    if (!net->view->port_up[f->port_base[e]] || ripstop_is_end(f, ripstop_end_switch(f, e))) continue;
    net->home[e] = ripstop_end_switch(f, e) - f->ends;
    net->hosts[net->home[e]]++;
  }
}

static void find_parts(switch_graph *net) {
  memset(net->part, 0xFF, net->switches * sizeof *net->part);
  for (uint32_t s = 0; s < net->switches; s++) {
    if (net->part[s] != RIPSTOP_NONE || !net->view->node_up[net->view->fabric->ends + s]) continue;
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

static void make(switch_graph *net, const ripstop_view *view, bool whole, ripstop_arena *arena) {
  *net = (switch_graph){.view = view, .switches = ripstop_fabric_switches(view->fabric), .addresses = 1};
  find_channels(net, whole, arena);
  find_hops(net, arena);
  find_outs(net, arena);
  net->hosts = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  net->home = RIPSTOP_ARRAY(arena, view->fabric->ends, uint32_t);
  net->part = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  net->queue = RIPSTOP_ARRAY(arena, net->switches, uint32_t);
  switch_graph_follow(net);
}

void switch_graph_make(switch_graph *net, const ripstop_view *view, ripstop_arena *arena) {
  make(net, view, false, arena);
}

void switch_graph_make_whole(switch_graph *net, const ripstop_view *view, ripstop_arena *arena) {
  make(net, view, true, arena);
}
