/* plan_return.c - compares tables with a plan, entry by entry, and copies some entries of it. */
#include "mend/plan_return.h"

#include <string.h>

#include "base/local.h"
#include "base/memory.h"

/* The node that a switch's port leads to; RIPSTOP_NONE: the port does not exist, or its link is down. */
static uint32_t next_node(const ripstop_view *view, uint32_t node, uint16_t port) {
  const ripstop_fabric *f = view->fabric;
  if (port >= ripstop_node_ports(f, node) || !view->port_up[f->port_base[node] + port]) return RIPSTOP_NONE;
  uint32_t peer = f->peer[f->port_base[node] + port];
  return peer == RIPSTOP_NONE ? RIPSTOP_NONE : f->port_node[peer];
}

static bool counts(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *t, uint32_t address,
                   uint32_t node) {
  return present[t->node[address]] && view->node_up[node] && t->node[address] != node;
}

bool plan_return_serves(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *plan,
                        const ripstop_forwarding *tables) {
  const ripstop_fabric *f = view->fabric;
  bool serves = plan->addresses == tables->addresses &&
                memcmp(plan->node, tables->node, tables->addresses * sizeof *plan->node) == 0;
  for (uint32_t a = 0; serves && a < plan->addresses; a++)
    for (uint32_t node = f->ends; serves && node < f->nodes; node++)
      serves = !counts(view, present, plan, a, node) ||
               next_node(view, node, ripstop_forwarding_port(plan, a, node)) != RIPSTOP_NONE;
  return serves;
}

/* True if packets to the address may keep their VL. */
static bool same_levels(const ripstop_forwarding *x, const ripstop_forwarding *y, uint32_t address) {
  bool same = x->lanes == y->lanes;
  for (uint32_t end = 0; same && end < x->fabric->ends; end++) {
    if (end != x->node[address])
      same = ripstop_forwarding_level(x, end, address) == ripstop_forwarding_level(y, end, address);
    if (x->level_shared && y->level_shared && end > 0) break; /* one other source stands for all */
  }
  return same;
}

uint64_t plan_return_left(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *plan,
                          const ripstop_forwarding *tables) {
  const ripstop_fabric *f = view->fabric;
  uint64_t left = 0;
  for (uint32_t a = 0; a < plan->addresses; a++) {
    left += !same_levels(plan, tables, a);
    for (uint32_t node = f->ends; node < f->nodes; node++)
      left += counts(view, present, plan, a, node) &&
              ripstop_forwarding_port(plan, a, node) != ripstop_forwarding_port(tables, a, node);
  }
  return left;
}

enum { OLD, FOLLOWS, MOVED };

/* Lets switches follow the plan to one destination, those that are next to it first. */
static uint64_t step_to(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *plan,
                        ripstop_forwarding *tables, uint32_t a, uint64_t most, uint8_t *state) {
  const ripstop_fabric *f = view->fabric;
  uint64_t moved = 0;
  memset(state, OLD, f->nodes);
  state[plan->node[a]] = FOLLOWS;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t node = f->ends; node < f->nodes; node++) {
      uint16_t port = ripstop_forwarding_port(plan, a, node);
      uint32_t next = next_node(view, node, port);
      bool moves = port != ripstop_forwarding_port(tables, a, node);
      if (state[node] != OLD || !counts(view, present, plan, a, node)) continue;
      if (next == RIPSTOP_NONE || state[next] != FOLLOWS || (moves && moved == most)) continue;
      if (moves) ripstop_forwarding_set(tables, a, node, port);
      moved += moves;
      state[node] = moves ? MOVED : FOLLOWS;
      more = true;
    }
  }
  return moved;
}

void plan_return_copy(const ripstop_forwarding *plan, ripstop_forwarding *tables) {
  size_t entries = (size_t)plan->addresses * ripstop_fabric_switches(plan->fabric);
  size_t levels = (size_t)ripstop_forwarding_level_rows(plan) * plan->addresses;
  memcpy(tables->port, plan->port, entries * sizeof *plan->port);
  if (ripstop_forwarding_level_rows(plan) != ripstop_forwarding_level_rows(tables))
    tables->level = plan->level ? RIPSTOP_ARRAY(tables->arena, levels, uint8_t) : NULL;
  if (plan->level) memcpy(tables->level, plan->level, levels);
  tables->level_shared = plan->level_shared;
  tables->lanes = plan->lanes;
}

uint64_t plan_return_step(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *plan,
                          ripstop_forwarding *tables, uint64_t most) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint8_t *state = RIPSTOP_ARRAY(scratch, view->fabric->nodes, uint8_t);
  uint64_t moved = 0;
  for (uint32_t a = 0; moved < most && a < plan->addresses; a++)
    if (present[plan->node[a]] && same_levels(plan, tables, a))
      moved += step_to(view, present, plan, tables, a, most - moved, state);
  return moved;
}
