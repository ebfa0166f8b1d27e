/* as_numbers.c - tiers of switches, and their AS numbers by the plan.
 *
 * The tier of a switch is its distance from the switches with end nodes. A pod of a tier is a set of its switches that
 * stay connected without the tiers above. Numbers do not change when a cable fails, so both count all cables. */
#include <string.h>

#include "base/forest.h"
#include "methods/bgp/bgp.h"

/* The switch that a port leads to; RIPSTOP_NONE: none. */
static uint32_t behind(const ripstop_fabric *f, uint32_t port) {
  const uint32_t node = f->peer[port] == RIPSTOP_NONE ? 0 : f->port_node[f->peer[port]];
  return ripstop_is_end(f, node) ? RIPSTOP_NONE : node - f->ends;
}

void bgp_net_tiers(bgp_net *net, const ripstop_fabric *f, ripstop_arena *arena) {
  const uint32_t switches = ripstop_fabric_switches(f);
  uint32_t *queue = RIPSTOP_ARRAY(arena, switches, uint32_t), tail = 0;
  net->tier = RIPSTOP_ARRAY(arena, switches, uint32_t);
  memset(net->tier, 0xFF, switches * sizeof *net->tier);
  for (uint32_t end = 0; end < f->ends; end++) {
    const uint32_t s = ripstop_end_switch(f, end) - f->ends;
    if (net->tier[s] == 0) continue;
    net->tier[s] = 0;
    queue[tail++] = s;
  }
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t s = queue[head], port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
      const uint32_t to = behind(f, port);
      if (to == RIPSTOP_NONE || to == s) continue;
      net->level |= net->tier[to] == net->tier[s];
      if (net->tier[to] != RIPSTOP_NONE) continue;
      net->top = net->tier[to] = net->tier[s] + 1;
      queue[tail++] = to;
    }
}

/* Joins the switches of the tiers up to one. */
static void join_up_to(const bgp_net *net, uint32_t tier, uint32_t *pod) {
  const ripstop_fabric *f = net->graph.fabric;
  for (uint32_t s = 0; s < net->graph.switches; s++)
    for (uint32_t port = f->port_base[f->ends + s]; port < f->port_base[f->ends + s + 1]; port++) {
      const uint32_t to = behind(f, port);
      if (to == RIPSTOP_NONE || net->tier[s] > tier || net->tier[to] > tier) continue;
      ripstop_join(pod, s, to);
    }
}

/* One number for each pod of a tier; `one`: for the whole tier. */
static void share_numbers(bgp_net *net, uint32_t tier, bool one, uint32_t *pod, uint32_t *number) {
  const uint32_t first = net->shared;
  if (!one) join_up_to(net, tier, pod);
  memset(number, 0xFF, net->graph.switches * sizeof *number);
  for (uint32_t s = 0; s < net->graph.switches; s++) {
    uint32_t *of = &number[one ? 0 : ripstop_root(pod, s)];
    if (net->tier[s] != tier) continue;
    if (*of == RIPSTOP_NONE) *of = net->shared++;
    net->as[s] = one ? first : *of;
  }
}

static void number_switches(bgp_net *net, uint32_t plan, ripstop_arena *arena) {
  const uint32_t switches = net->graph.switches;
  uint32_t *pod = ripstop_forest(arena, switches), *number = RIPSTOP_ARRAY(arena, switches, uint32_t);
  net->as = RIPSTOP_ARRAY(arena, switches, uint32_t);
  memset(net->as, 0xFF, switches * sizeof *net->as);
  for (uint32_t tier = 1; plan != BGP_OWN && tier <= net->top; tier++) {
    const bool top = tier == net->top;
    if (top ? plan != BGP_POD : plan != BGP_SPINES) share_numbers(net, tier, top || plan == BGP_TIER, pod, number);
  }
}

void bgp_net_open(bgp_net *net, const ripstop_view *view, const bgp_rules *rules, bool whole, ripstop_arena *arena) {
  *net = (bgp_net){.rules = rules};
  switch_graph_make(&net->graph, view, (switch_graph_kind){.by_port = true, .whole = whole}, arena);
  switch_graph_list_ends(&net->graph, arena);
  bgp_net_tiers(net, view->fabric, arena);
  number_switches(net, rules->plan, arena);
}
