/* settle.c - computes immunet's trees and tables by searches over the links that are up, with global knowledge: `route`
 * and the proofs use them. The protocol's routers compute the same by messages. */
#include <string.h>

#include "methods/immunet/immunet.h"

static uint32_t router_at(const ripstop_fabric *f, uint32_t port) { return f->port_node[f->peer[port]] - f->ends; }

uint32_t ripstop_immunet_find_distances(search *x, uint32_t to) {
  const ripstop_fabric *f = x->plan->fabric;
  uint32_t found = 0;
  memset(x->distance, 0xff, x->t->routers * sizeof *x->distance);
  if (!x->plan->view->node_up[f->ends + to]) return 0;
  x->distance[to] = 0;
  x->queue[found++] = to;
  for (uint32_t i = 0; i < found; i++) {
    uint32_t at = x->queue[i];
    for (uint32_t port = f->port_base[f->ends + at]; port < f->port_base[f->ends + at + 1]; port++) {
      if (!x->plan->view->port_up[port] || !leads_to_router(f, port)) continue;
      uint32_t next = router_at(f, port);
      if (x->distance[next] != RIPSTOP_NONE) continue;
      x->distance[next] = x->distance[at] + 1;
      x->queue[found++] = next;
    }
  }
  return found;
}

uint64_t ripstop_immunet_ports_nearer(const search *x, uint32_t router) {
  const ripstop_fabric *f = x->plan->fabric;
  uint64_t ports = 0;
  if (x->distance[router] == RIPSTOP_NONE) return 0;
  uint32_t first = f->port_base[f->ends + router];
  for (uint32_t port = first; port < f->port_base[f->ends + router + 1]; port++)
    if (x->plan->view->port_up[port] && leads_to_router(f, port) &&
        x->distance[router_at(f, port)] == x->distance[router] - 1)
      ports |= bit(port - first);
  return ports;
}

/* Builds the tree of a component: breadth first from `root`, each router below the nearer one at its lowest port. */
static void grow_tree(search *x, uint32_t root) {
  const ripstop_fabric *f = x->plan->fabric;
  tables *t = x->t;
  uint32_t found = ripstop_immunet_find_distances(x, root);
  for (uint32_t i = 1; i < found; i++) {
    uint32_t child = x->queue[i], up = lowest(ripstop_immunet_ports_nearer(x, child)),
             port = f->port_base[f->ends + child] + up;
    uint32_t parent = router_at(f, port), down = f->peer[port] - f->port_base[f->ends + parent];
    t->tree[child] |= bit(up);
    t->tree[parent] |= bit(down);
    for (uint32_t to = 0; to < t->routers; to++) t->entry[(size_t)child * t->routers + to] = (uint8_t)up;
  }
  for (uint32_t i = found; i-- > 1;) { /* routers below the child are below its parent's port to it */
    uint32_t child = x->queue[i], port = f->port_base[f->ends + child] + lowest(ripstop_immunet_ports_nearer(x, child));
    uint8_t down = (uint8_t)(f->peer[port] - f->port_base[f->port_node[f->peer[port]]]);
    uint32_t parent = router_at(f, port);
    const uint8_t *below = t->entry + (size_t)child * t->routers;
    uint8_t *entry = t->entry + (size_t)parent * t->routers, up = (uint8_t)(port - f->port_base[f->ends + child]);
    for (uint32_t to = 0; to < t->routers; to++)
      if (to == child || below[to] != up) entry[to] = down;
  }
}

static search open_search(const ripstop_plan *p, tables *t) {
  return (search){.plan = p,
                  .t = t,
                  .distance = RIPSTOP_ARRAY(p->arena, t->routers, uint32_t),
                  .queue = RIPSTOP_ARRAY(p->arena, t->routers, uint32_t)};
}

/* Fills distances to `to` and the ports nearer to it. True if it has the highest number of its component. */
static bool settle_row(search *x, uint32_t to) {
  uint32_t found = ripstop_immunet_find_distances(x, to);
  bool highest = found > 0;
  for (uint32_t i = 0; i < found; i++) {
    highest &= x->queue[i] <= to;
    x->t->nearer[(size_t)x->queue[i] * x->t->routers + to] = ripstop_immunet_ports_nearer(x, x->queue[i]);
  }
  return highest;
}

static void open_tables(const ripstop_plan *p, tables *t) {
  t->tree = RIPSTOP_ARRAY(p->arena, t->routers, uint64_t);
  t->nearer = RIPSTOP_ARRAY(p->arena, (size_t)t->routers * t->routers, uint64_t);
  t->entry = RIPSTOP_ARRAY(p->arena, (size_t)t->routers * t->routers, uint8_t);
}

void ripstop_immunet_settle(ripstop_plan *p, tables *t) {
  search x = open_search(p, t);
  open_tables(p, t);
  for (uint32_t to = t->routers; to-- > 0;)
    if (settle_row(&x, to)) grow_tree(&x, to);
}

void ripstop_immunet_settle_adaptive(ripstop_plan *p, tables *t) {
  search x = open_search(p, t);
  open_tables(p, t);
  for (uint32_t to = 0; to < t->routers; to++) settle_row(&x, to);
}
