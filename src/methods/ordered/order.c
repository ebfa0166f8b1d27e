/* order.c - the order of the routers: their first places, and the new place of a router without a router above it. */
#include <string.h>

#include "base/local.h"
#include "fabric/torus.h"
#include "methods/ordered/ordered.h"

/* Numbers routers breadth first from `root`, over all wired links, from `count` on. */
static uint32_t number_from(const ripstop_fabric *f, tables *t, uint32_t root, uint32_t count, uint32_t *queue) {
  uint32_t next = count;
  t->first[root].value = count * PLACE_STEP;
  queue[count++] = root;
  for (; next < count; next++)
    for (uint32_t port = f->port_base[f->ends + queue[next]]; port < f->port_base[f->ends + queue[next] + 1]; port++) {
      uint32_t to = leads_to_router(f, port) ? f->port_node[f->peer[port]] - f->ends : root;
      if (t->first[to].value != UINT64_MAX) continue;
      t->first[to].value = count * PLACE_STEP;
      t->root[to] = root;
      queue[count++] = to;
    }
  return count;
}

void ripstop_ordered_first_places(const ripstop_plan *p, tables *t) {
  ripstop_torus torus;
  bool is_torus = ripstop_torus_from(p->fabric, &torus);
  uint32_t *queue = RIPSTOP_ARRAY(p->arena, t->routers, uint32_t), count = 0;
  t->first = RIPSTOP_ARRAY(p->arena, t->routers, place);
  t->root = RIPSTOP_ARRAY(p->arena, t->routers, uint32_t);
  for (uint32_t router = 0; router < t->routers; router++)
    t->first[router] = (place){.value = is_torus ? router * PLACE_STEP : UINT64_MAX, .router = router};
  for (uint32_t router = t->routers; router-- > 0;)
    if (t->first[router].value == UINT64_MAX) {
      t->root[router] = router;
      count = number_from(p->fabric, t, router, count, queue);
    }
}

/* ------------------------------------------------------------------ knowledge before any change */

static bool has_interface(const ripstop_fabric *f, uint32_t router) {
  for (uint32_t port = f->port_base[f->ends + router]; port < f->port_base[f->ends + router + 1]; port++)
    if (leads_to_end(f, port)) return true;
  return false;
}

/* Hops from a router over wired links, on all routes or downwards alone; FAR: none. */
static void search(const ripstop_fabric *f, const tables *t, uint32_t from, bool down, uint32_t *queue,
                   uint16_t *hops) {
  uint32_t count = 0;
  memset(hops, 0xff, t->routers * sizeof *hops);
  hops[from] = 0;
  queue[count++] = from;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t port = f->port_base[f->ends + queue[i]]; port < f->port_base[f->ends + queue[i] + 1]; port++) {
      uint32_t to = leads_to_router(f, port) ? f->port_node[f->peer[port]] - f->ends : from;
      if (hops[to] != FAR || (down && is_above(&t->first[to], &t->first[queue[i]]))) continue;
      hops[to] = (uint16_t)(hops[queue[i]] + 1);
      queue[count++] = to;
    }
}

void ripstop_ordered_first_entries(const ripstop_plan *p, uint32_t router, entry *out) {
  const tables *t = p->data;
  RIPSTOP_LOCAL_ARENA(arena);
  uint32_t *queue = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  uint16_t *hops = RIPSTOP_ARRAY(arena, t->routers, uint16_t), *below = RIPSTOP_ARRAY(arena, t->routers, uint16_t);
  entry any = {.distance = FAR};
  search(p->fabric, t, router, false, queue, hops);
  search(p->fabric, t, router, true, queue, below);
  for (uint32_t to = 0; to < t->routers; to++) {
    out[to] = (entry){.distance = FAR};
    if (!has_interface(p->fabric, to) || hops[to] == FAR) continue;
    out[to] = (entry){.distance = hops[to], .reach = below[to] != FAR, .alive = true};
    if (hops[to] < any.distance) any.distance = hops[to];
    any.reach |= out[to].reach;
    any.alive = true;
  }
  out[t->routers] = any;
}

/* ------------------------------------------------------------------ another place */

bool ripstop_ordered_insert(const neighbour *near, uint64_t known, uint32_t router, place *out) {
  const neighbour *best = NULL;
  for (; known; known &= known - 1) {
    const neighbour *n = &near[lowest(known)];
    if (n->safe && (!best || is_above(&n->place, &best->place))) best = n;
  }
  if (!best) return false;
  *out = (place){.numbering = best->place.numbering, .value = best->place.value + 1, .router = router};
  return true;
}
