/* dragonfly_groups.c - cables by pairs of groups, found from the links that are up; and the candidates. */
#include "methods/shared/dragonfly_groups.h"

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

static bool is_whole(const ripstop_fabric *f, const groups *g) {
  for (uint32_t port = f->ends; port < f->ports; port++)
    if (f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]) && !g->up[port]) return false;
  for (uint32_t from = 0; from < g->groups; from++)
    for (uint32_t to = 0; to < g->groups; to++)
      if (from != to && !groups_joined(g, from, to)) return false;
  return true;
}

ripstop_answer ripstop_groups_plan(ripstop_plan *p, uint32_t channels, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  if (strcmp(f->family->name, "dragonfly") != 0)
    return ripstop_does_not_apply(err, "%s is for dragonflies, not for %s", p->method->name, f->spec);
  groups *g = RIPSTOP_NEW(p->arena, groups);
  uint8_t *up = RIPSTOP_ARRAY(p->arena, f->ports, uint8_t);
  memcpy(up, p->view->port_up, f->ports);
  *g = (groups){.groups = groups_of(f, f->nodes - 1) + 1, .up = up};
  find_gates(p, g);
  g->whole = is_whole(f, g);
  p->data = g;
  p->channels = channels;
  uint32_t ports = ripstop_node_ports(f, f->nodes - 1);
  p->candidates_max = ports > p->candidates_max ? ports : p->candidates_max;
  return RIPSTOP_APPLIES;
}

ripstop_answer ripstop_groups_plan_over(ripstop_plan *p, uint32_t channels, ripstop_error *err) {
  ripstop_answer answer = ripstop_groups_plan(p, channels, err);
  if (answer != RIPSTOP_APPLIES) return answer;
  const uint32_t all = ((const groups *)p->data)->groups;
  p->random_headers = all > 3 ? all - 2 : 1;
  p->candidates_max *= 2;
  if (p->candidates_max <= UINT8_MAX) return RIPSTOP_APPLIES;
  return ripstop_does_not_apply(err, "%s: a router of %s has more than %d ports", p->method->name, p->fabric->spec,
                                UINT8_MAX / 2);
}

/* The port to another router of the group, or RIPSTOP_NONE if it is down. These ports follow those of the end nodes, in
 * the routers' order. */
static uint32_t local_port(const ripstop_fabric *f, const groups *g, uint32_t node, uint32_t router) {
  uint32_t port = f->port_base[node], at = ripstop_coords(f, router)[0];
  while (ripstop_is_end(f, f->port_node[f->peer[port]])) port++;
  port += at - (at > ripstop_coords(f, node)[0]);
  return g->up[port] ? port - f->port_base[node] : RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ which groups can serve */

/* Two routers of one group are the same, or the link between them is up. */
static bool is_beside(const ripstop_fabric *f, const groups *g, uint32_t node, uint32_t router) {
  return node == router || local_port(f, g, node, router) != RIPSTOP_NONE;
}

/* A packet that enters a group at `node` reaches router `last`, there or by one more cable. */
static bool serves(const ripstop_fabric *f, const groups *g, uint32_t node, uint32_t last) {
  uint32_t here = groups_of(f, node), to = groups_of(f, last);
  if (g->whole) return true;
  if (here == to) return is_beside(f, g, node, last);
  const uint32_t *first = &g->first[here * g->groups + to];
  for (const groups_gate *gate = g->gate + first[0]; gate < g->gate + first[1]; gate++)
    if (is_beside(f, g, node, gate->router) && is_beside(f, g, f->port_node[f->peer[gate->port]], last)) return true;
  return false;
}

/* A packet at `node` reaches router `last` via group `over`. */
static bool serves_over(const ripstop_fabric *f, const groups *g, uint32_t node, uint32_t over, uint32_t last) {
  const uint32_t *first = &g->first[groups_of(f, node) * g->groups + over];
  for (const groups_gate *gate = g->gate + first[0]; gate < g->gate + first[1]; gate++)
    if (is_beside(f, g, node, gate->router) && serves(f, g, f->port_node[f->peer[gate->port]], last)) return true;
  return false;
}

/* The group with this number among those other than two. */
static uint32_t other_group(uint32_t number, uint32_t one, uint32_t two) {
  uint32_t low = one < two ? one : two, high = one < two ? two : one;
  number += number >= low;
  return number + (number >= high);
}

/* Replaces a group that cannot serve: the first that can, from a hash of random number, source and destination on. So
 * the load of a group that a failed link disables spreads over all others. */
static uint32_t other_over(const ripstop_plan *p, const ripstop_head *head, uint32_t from, uint32_t last) {
  const ripstop_fabric *f = p->fabric;
  const groups *g = p->data;
  const uint32_t here = groups_of(f, from), to = groups_of(f, last), others = g->groups - 2;
  uint32_t word[4];
  ripstop_random_block(head->header, RIPSTOP_RANDOM_HEADER, head->node, head->destination, word);
  for (uint32_t i = 0, at = word[0] % others; i < others; i++) {
    uint32_t over = other_group((at + i) % others, here, to);
    if (serves_over(f, g, from, over, last)) return over;
  }
  return RIPSTOP_NONE;
}

uint32_t ripstop_groups_over(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_fabric *f = p->fabric;
  const groups *g = p->data;
  uint32_t from = ripstop_end_switch(f, head->node), last = ripstop_end_switch(f, head->destination);
  uint32_t here = groups_of(f, from), to = groups_of(f, last);
  if (here == to || g->groups < 3) return RIPSTOP_NONE;
  uint32_t over = other_group((uint32_t)head->header, here, to);
  return g->whole || serves_over(f, g, from, over, last) ? over : other_over(p, head, from, last);
}

/* A router has a cable to another group, or there is only one group. */
static bool has_cable(const ripstop_fabric *f, uint32_t node, uint32_t all) {
  bool has = all == 1;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    has |= group_beyond(f, port) != RIPSTOP_NONE;
  return has;
}

void ripstop_groups_guarantees(const ripstop_fabric *f, const void *config, ripstop_guarantees *out) {
  const uint32_t all = groups_of(f, f->nodes - 1) + 1, routers = ripstop_fabric_switches(f) / all;
  bool all_have = true;
  (void)config;
  for (uint32_t node = f->ends; node < f->nodes; node++) all_have &= has_cable(f, node, all);
  *out = (ripstop_guarantees){.tolerates = all_have && (routers >= 3 || (routers == 1 && all >= 3)),
                              .deadlock_free = true};
}

/* ------------------------------------------------------------------ candidates */

int ripstop_groups_candidates(const ripstop_plan *p, const groups *g, const ripstop_head *head, uint32_t to,
                              uint32_t beyond, const ripstop_candidate *global, const ripstop_candidate *local,
                              ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t *first = &g->first[groups_of(f, head->node) * g->groups + to];
  uint32_t last = ripstop_end_switch(f, head->destination), before = RIPSTOP_NONE;
  int count = 0;
  for (const groups_gate *gate = g->gate + first[0]; gate < g->gate + first[1]; gate++) {
    bool is_here = gate->router == head->node;
    if (!is_here && (!local || gate->router == before)) continue;
    uint32_t port = is_here ? gate->port - f->port_base[head->node] : local_port(f, g, head->node, gate->router);
    uint32_t far = f->port_node[f->peer[gate->port]];
    if (port == RIPSTOP_NONE || !serves(f, g, far, last)) continue;
    before = gate->router;
    uint32_t behind = far != last, links = 1u + !is_here + behind + beyond;
    candidates[count] = is_here ? *global : *local;
    candidates[count].port = (uint16_t)port;
    candidates[count++].weight = (uint16_t)links;
  }
  return count;
}

int ripstop_groups_lost(const ripstop_plan *p, const ripstop_head *head, int cause) {
  const bool joined = p->view->port_up[p->fabric->port_base[head->destination]];
  return -(1 + (joined ? cause : GROUPS_CUT_OFF));
}

int ripstop_groups_home(const ripstop_plan *p, const ripstop_head *head, uint8_t channel,
                        ripstop_candidate *candidate) {
  const ripstop_fabric *f = p->fabric;
  uint32_t router = ripstop_end_switch(f, head->destination);
  bool is_there = router == head->node;
  uint32_t port = is_there ? ripstop_end_switch_port(f, head->destination) : local_port(f, p->data, head->node, router);
  if (port == RIPSTOP_NONE) return ripstop_groups_lost(p, head, GROUPS_NO_LOCAL);
  *candidate = (ripstop_candidate){.port = (uint16_t)port, .channel = is_there ? 0 : channel, .space = 1, .weight = 1};
  return p->view->port_up[f->port_base[head->node] + port] ? 1 : -(1 + GROUPS_CUT_OFF);
}

int ripstop_groups_home_round(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  uint32_t router = ripstop_end_switch(f, head->destination), base = f->port_base[head->node];
  int count = ripstop_groups_home(p, head, 0, candidates);
  if (count != -(1 + GROUPS_NO_LOCAL)) return count;
  count = 0;
  for (uint32_t port = base; port < f->port_base[head->node + 1]; port++) {
    uint32_t next = f->peer[port] == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[f->peer[port]];
    if (next == RIPSTOP_NONE || !p->view->port_up[port] || ripstop_is_end(f, next)) continue;
    if (groups_of(f, next) == groups_of(f, router) && is_beside(f, p->data, next, router))
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)(port - base), .space = 1, .weight = 2};
  }
  return count ? count : ripstop_groups_lost(p, head, GROUPS_NO_LOCAL);
}

int ripstop_groups_send(const ripstop_plan *p, const ripstop_head *head, uint64_t header,
                        ripstop_candidate *candidate) {
  *candidate = (ripstop_candidate){.header = header, .space = 1};
  return p->view->port_up[p->fabric->port_base[head->node]] ? 1 : -(1 + GROUPS_CUT_OFF);
}

/* ------------------------------------------------------------------ minimal, or via a group */

/* Candidates to a group. */
static int to_group(const ripstop_plan *p, const ripstop_head *head, uint32_t to, uint64_t header,
                    ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  uint32_t from = groups_neighbour(p, head);
  bool from_end = ripstop_is_end(f, from), from_local = !from_end && groups_of(f, from) == groups_of(f, head->node);
  uint8_t channel = from_end ? 0 : (uint8_t)(head->channel + !from_local);
  const ripstop_candidate on = {.header = header, .channel = channel, .space = 1};
  return ripstop_groups_candidates(p, p->data, head, to, header ? 2 : 0, &on, from_local ? NULL : &on, candidates);
}

int ripstop_groups_via(const ripstop_plan *p, const ripstop_head *head, bool both, ripstop_candidate *candidates,
                       int *minimal) {
  const ripstop_fabric *f = p->fabric;
  uint32_t here = groups_of(f, head->node), to = groups_of(f, ripstop_end_switch(f, head->destination)),
           from = groups_neighbour(p, head);
  uint64_t header = head->header == here + 1u ? 0 : head->header;
  *minimal = 0;
  if (here == to)
    return *minimal = ripstop_is_end(f, from) ? ripstop_groups_home_round(p, head, candidates)
                                              : ripstop_groups_home(p, head, (uint8_t)(head->channel + 1), candidates);
  if (!header || (both && ripstop_is_end(f, from))) *minimal = to_group(p, head, to, 0, candidates);
  int count = *minimal;
  if (header) count += to_group(p, head, (uint32_t)header - 1, header, candidates + count);
  return count ? count : ripstop_groups_lost(p, head, GROUPS_NO_CABLE);
}

int ripstop_groups_route_via(const ripstop_plan *p, const ripstop_head *head, bool both,
                             ripstop_candidate *candidates) {
  int minimal;
  if (!ripstop_is_end(p->fabric, head->node)) return ripstop_groups_via(p, head, both, candidates, &minimal);
  uint32_t over = ripstop_groups_over(p, head);
  return ripstop_groups_send(p, head, over == RIPSTOP_NONE ? 0 : over + 1u, candidates);
}
