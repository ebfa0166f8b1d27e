/* groups.c - gates by pairs of groups, found from the cables that are alive; and the ways. */
#include "methods/shared/groups.h"

#include <string.h>

#include "ripstop/plugin/family.h"

const char *const ripstop_groups_losses[] = {[GROUPS_NO_CABLE] = "no cable to the next group",
                                             [GROUPS_NO_LOCAL] = "no link to the router in the group",
                                             [GROUPS_CUT_OFF] = "cut off from its router",
                                             NULL};

/* The group that a port of a router leads to; RIPSTOP_NONE: no other one. */
static uint32_t group_beyond(const ripstop_fabric *f, uint32_t port) {
  uint32_t peer = f->peer[port];
  if (peer == RIPSTOP_NONE || ripstop_is_end(f, f->port_node[peer])) return RIPSTOP_NONE;
  uint32_t to = groups_of(f, f->port_node[peer]);
  return to == groups_of(f, f->port_node[port]) ? RIPSTOP_NONE : to;
}

static void find_gates(ripstop_plan *p, groups *g) {
  const ripstop_fabric *f = p->fabric;
  size_t pairs = (size_t)g->groups * g->groups;
  uint32_t *first = RIPSTOP_ARRAY(p->arena, pairs + 1, uint32_t), *next = RIPSTOP_ARRAY(p->arena, pairs, uint32_t);
  groups_gate *gate = RIPSTOP_ARRAY(p->arena, f->ports, groups_gate);
  for (int turn = 0; turn < 2; turn++) { /* count, then fill */
    for (uint32_t port = f->ends; port < f->ports; port++) {
      uint32_t to = group_beyond(f, port), router = f->port_node[port];
      if (to == RIPSTOP_NONE || !p->view->port_up[port]) continue;
      size_t pair = (size_t)groups_of(f, router) * g->groups + to;
      if (turn == 0)
        first[pair + 1]++;
      else
        gate[next[pair]++] = (groups_gate){.router = router, .port = port};
    }
    for (size_t i = 0; i < pairs && turn == 0; i++) first[i + 1] += first[i];
    memcpy(next, first, pairs * sizeof *next);
  }
  g->first = first;
  g->gate = gate;
}

ripstop_answer ripstop_groups_plan(ripstop_plan *p, uint32_t channels, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  if (strcmp(f->family->name, "dragonfly") != 0) {
    ripstop_fail(err, "%s is for dragonflies, not for %s", p->method->name, f->spec);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  groups *g = RIPSTOP_NEW(p->arena, groups);
  *g = (groups){.groups = groups_of(f, f->nodes - 1) + 1};
  find_gates(p, g);
  p->data = g;
  p->channels = channels;
  uint32_t ports = ripstop_node_ports(f, f->nodes - 1);
  p->ways_max = ports > p->ways_max ? ports : p->ways_max;
  return RIPSTOP_APPLIES;
}

ripstop_answer ripstop_groups_plan_over(ripstop_plan *p, uint32_t channels, ripstop_error *err) {
  ripstop_answer answer = ripstop_groups_plan(p, channels, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  p->draws = ((const groups *)p->data)->groups;
  p->ways_max *= 2;
  if (p->ways_max <= UINT8_MAX) return RIPSTOP_APPLIES;
  ripstop_fail(err, "%s: a router of %s has more than %d ports", p->method->name, p->fabric->spec, UINT8_MAX / 2);
  return RIPSTOP_DOES_NOT_APPLY;
}

/* The port to another router of the group, RIPSTOP_NONE: it is dead. Behind the end nodes' come those to the others, in
 * their order. */
static uint32_t local_port(const ripstop_plan *p, uint32_t node, uint32_t router) {
  const ripstop_fabric *f = p->fabric;
  uint32_t port = f->port_base[node], at = ripstop_coords(f, router)[0];
  while (ripstop_is_end(f, f->port_node[f->peer[port]])) port++;
  port += at - (at > ripstop_coords(f, node)[0]);
  return p->view->port_up[port] ? port - f->port_base[node] : RIPSTOP_NONE;
}

int ripstop_groups_ways(const ripstop_plan *p, const groups *g, const ripstop_head *head, uint32_t to, uint32_t beyond,
                        const ripstop_way *global, const ripstop_way *local, ripstop_way *ways) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t *first = &g->first[groups_of(f, head->node) * g->groups + to];
  uint32_t last = ripstop_end_switch(f, head->destination), before = RIPSTOP_NONE;
  int count = 0;
  for (const groups_gate *gate = g->gate + first[0]; gate < g->gate + first[1]; gate++) {
    bool is_here = gate->router == head->node;
    if (!is_here && (!local || gate->router == before)) continue;
    uint32_t port = is_here ? gate->port - f->port_base[head->node] : local_port(p, head->node, gate->router);
    before = gate->router;
    if (port == RIPSTOP_NONE) continue;
    uint32_t behind = f->port_node[f->peer[gate->port]] != last, links = 1u + !is_here + behind + beyond;
    ways[count] = is_here ? *global : *local;
    ways[count].port = (uint16_t)port;
    ways[count++].weight = (uint16_t)links;
  }
  return count;
}

int ripstop_groups_home(const ripstop_plan *p, const ripstop_head *head, uint8_t channel, ripstop_way *way) {
  const ripstop_fabric *f = p->fabric;
  uint32_t router = ripstop_end_switch(f, head->destination);
  bool is_there = router == head->node;
  uint32_t port = is_there ? ripstop_end_switch_port(f, head->destination) : local_port(p, head->node, router);
  if (port == RIPSTOP_NONE) return -(1 + GROUPS_NO_LOCAL);
  *way = (ripstop_way){.port = (uint16_t)port, .channel = is_there ? 0 : channel, .space = 1, .weight = 1};
  return p->view->port_up[f->port_base[head->node] + port] ? 1 : -(1 + GROUPS_CUT_OFF);
}

int ripstop_groups_send(const ripstop_plan *p, const ripstop_head *head, uint64_t header, ripstop_way *way) {
  *way = (ripstop_way){.header = header, .space = 1};
  return p->view->port_up[p->fabric->port_base[head->node]] ? 1 : -(1 + GROUPS_CUT_OFF);
}
