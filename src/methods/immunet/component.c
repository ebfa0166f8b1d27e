/* component.c - a component of the network according to its routers' states: the routers on the ring of one root. */
#include <string.h>

#include "methods/immunet/immunet.h"

/* A router's distance to another and its minimal ports, also before any emergency. */
uint32_t ripstop_immunet_known_distance(const ripstop_plan *p, const arrays *a, uint32_t to, uint64_t *nearer) {
  const tables *t = p->data;
  uint32_t node = a->m->node, hops = 0;
  if (a->m->epl != 0) {
    *nearer = a->distance[to] < t->routers ? a->nearer[to] : 0;
    return a->distance[to];
  }
  *nearer = 0;
  for (uint32_t d = 0; d < t->torus.dimensions; d++) {
    uint32_t up = ripstop_torus_up(&t->torus, d, node, p->fabric->ends + to), down = t->torus.size[d] - up;
    if (up == 0) continue;
    hops += up < down ? up : down;
    *nearer |= (up <= down ? bit(2 * d) : 0) | (down <= up ? bit(2 * d + 1) : 0);
  }
  return hops;
}

static void add_member(component *c, const ripstop_plan *p, const void *const *state, uint32_t node) {
  const memory *m = state[node];
  uint32_t routers = ((const tables *)p->data)->routers;
  arrays a = ripstop_immunet_open_memory(p, node, m);
  uint64_t nearer;
  if (c->member[node - p->fabric->ends]) return;
  c->member[node - p->fabric->ends] = 1;
  c->routers++;
  c->links += (uint64_t)__builtin_popcountll(m->alive); /* counted from both ends */
  c->safe_sent += m->safe_sent;
  c->distance_sent += m->distance_sent;
  for (uint32_t to = 0; to < routers; to++) {
    uint32_t distance = ripstop_immunet_known_distance(p, &a, to, &nearer);
    if (distance == routers) continue;
    c->distances += distance;
    if (distance > c->diameter) c->diameter = distance;
  }
}

/* Walks around the ring from its root. If it does not close, its length is 0 and `broken` is the port at which it
 * ends. */
static void walk_ring(component *c, const ripstop_plan *p, const void *const *state) {
  const ripstop_fabric *f = p->fabric;
  uint64_t tree = tree_ports(state[c->root]);
  uint32_t node = c->root, most = 2 * f->ports;
  add_member(c, p, state, node);
  if (!tree) return;
  uint32_t first = topmost(tree), out = first;
  do {
    uint32_t in = f->peer[f->port_base[node] + out];
    node = f->port_node[in];
    if (!state[node] || !(tree_ports(state[node]) & bit(in - f->port_base[node])) || c->ring++ == most) {
      c->ring = 0;
      c->broken = f->peer[in];
      return;
    }
    add_member(c, p, state, node);
    out = tour_next(tree_ports(state[node]), in - f->port_base[node]);
  } while (node != c->root || out != first);
}

void ripstop_immunet_find_component(component *c, const ripstop_plan *p, const void *const *state) {
  const ripstop_fabric *f = p->fabric;
  memset(c->member, 0, f->nodes - f->ends);
  c->broken = RIPSTOP_NONE;
  if (c->root != RIPSTOP_NONE) walk_ring(c, p, state);
  for (uint32_t v = f->ends; v < f->nodes && c->root == RIPSTOP_NONE; v++)
    if (state[v] && ((const memory *)state[v])->epl == 0) add_member(c, p, state, v);
}
