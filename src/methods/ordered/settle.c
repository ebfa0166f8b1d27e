/* settle.c - computes ordered's places and tables for a view with global knowledge: `route` and the proofs use them,
 * and the protocol's routers are compared with them. Distances come from a search; `reach` comes up the order from
 * below and `alive` down from above, so one pass over the routers by their places finds each. */
#include <string.h>

#include "methods/ordered/ordered.h"

/* ------------------------------------------------------------------ a view */

uint64_t ripstop_ordered_live(const ripstop_plan *p, uint32_t router) {
  return ports_to(p->fabric, p->fabric->ends + router, TO_ROUTERS, p->view->port_up);
}

uint64_t ripstop_ordered_up(const ripstop_plan *p, const place *of, uint32_t router, uint64_t live) {
  uint64_t up = 0;
  for (; live; live &= live - 1)
    if (is_above(&of[router_behind(p->fabric, router, lowest(live))], &of[router])) up |= live & -live;
  return up;
}

bool ripstop_ordered_is_host(const ripstop_plan *p, uint32_t router) {
  return ports_to(p->fabric, p->fabric->ends + router, TO_ENDS, p->view->port_up) != 0;
}

/* ------------------------------------------------------------------ entries and rows */

row ripstop_ordered_row(const row_inputs *o) {
  row r = {.own = {.distance = o->here ? 0 : FAR, .reach = o->here, .alive = o->here}};
  uint32_t least = FAR;
  for (uint64_t ports = o->known; ports; ports &= ports - 1) {
    const entry *e = &o->near[(size_t)lowest(ports) * o->stride];
    uint64_t port = ports & -ports;
    if (o->up & port ? e->alive : e->reach) *(o->up & port ? &r.up : &r.down) |= port;
    if (e->distance < least) least = e->distance;
  }
  r.own.reach |= r.down != 0;
  r.own.alive |= has_candidate(&r) || o->hopes;
  if (!o->here && r.own.alive && least + 1 < o->routers) r.own.distance = (uint16_t)(least + 1);
  for (uint64_t ports = r.own.distance == FAR ? 0 : o->known; ports; ports &= ports - 1)
    if (o->near[(size_t)lowest(ports) * o->stride].distance < r.own.distance) r.nearer |= ports & -ports;
  return r;
}

/* ------------------------------------------------------------------ a survey */

/* Insertion sort: places are nearly sorted. */
static void insert(place *sorted, uint32_t count, const place *new) {
  for (; count > 0 && is_above(new, &sorted[count - 1]); count--) sorted[count] = sorted[count - 1];
  sorted[count] = *new;
}

void ripstop_ordered_survey_open(survey *x, const ripstop_plan *p, const place *of, ripstop_arena *arena) {
  *x = (survey){.plan = p, .routers = ripstop_fabric_switches(p->fabric), .place = of};
  x->sorted = RIPSTOP_ARRAY(arena, x->routers, place);
  x->queue = RIPSTOP_ARRAY(arena, x->routers, uint32_t);
  x->live = RIPSTOP_ARRAY(arena, x->routers, uint64_t);
  x->up = RIPSTOP_ARRAY(arena, x->routers, uint64_t);
  x->entry = RIPSTOP_ARRAY(arena, x->routers, entry);
  for (uint32_t router = 0; router < x->routers; router++) {
    insert(x->sorted, router, &of[router]);
    x->live[router] = ripstop_ordered_live(p, router);
    x->up[router] = ripstop_ordered_up(p, of, router, x->live[router]);
  }
}

static bool is_destination(const survey *x, uint32_t router, uint32_t to) {
  return (router == to || to == x->routers) && x->plan->view->node_up[x->plan->fabric->ends + router] &&
         ripstop_ordered_is_host(x->plan, router);
}

/* The entry of a router behind one of these ports has the flag. */
static bool any_says(const survey *x, uint32_t router, uint64_t ports, bool of_reach) {
  for (; ports; ports &= ports - 1) {
    const entry *e = &x->entry[router_behind(x->plan->fabric, router, lowest(ports))];
    if (of_reach ? e->reach : e->alive) return true;
  }
  return false;
}

static void search_distances(survey *x, uint32_t found) {
  for (uint32_t i = 0; i < found; i++)
    for (uint64_t ports = x->live[x->queue[i]]; ports; ports &= ports - 1) {
      entry *next = &x->entry[router_behind(x->plan->fabric, x->queue[i], lowest(ports))];
      if (next->distance != FAR) continue;
      next->distance = (uint16_t)(x->entry[x->queue[i]].distance + 1);
      x->queue[found++] = (uint32_t)(next - x->entry);
    }
}

void ripstop_ordered_survey(survey *x, uint32_t to) {
  uint32_t found = 0;
  for (uint32_t i = x->routers; i-- > 0;) { /* from below */
    uint32_t router = x->sorted[i].router;
    bool here = is_destination(x, router, to);
    x->entry[router] = (entry){.distance = here ? 0 : FAR,
                               .reach = here || any_says(x, router, x->live[router] & ~x->up[router], true)};
    if (here) x->queue[found++] = router;
  }
  for (uint32_t i = 0; i < x->routers; i++) { /* from above */
    uint32_t router = x->sorted[i].router;
    x->entry[router].alive = x->entry[router].reach || any_says(x, router, x->up[router], false);
  }
  search_distances(x, found);
}

/* ------------------------------------------------------------------ the plan's places */

/* A router's knowledge of its neighbours. */
static void read_neighbours(const ripstop_plan *p, const tables *t, const uint8_t *is_root, uint32_t router,
                            uint64_t live, neighbour *near) {
  for (uint64_t ports = live; ports; ports &= ports - 1) {
    uint32_t other = router_behind(p->fabric, router, lowest(ports));
    uint64_t up = ripstop_ordered_up(p, t->place, other, ripstop_ordered_live(p, other));
    near[lowest(ports)] = (neighbour){.place = t->place[other], .safe = is_root[other] || up & (up - 1)};
  }
}

/* Numbers a component again, breadth first from its new root. */
static void renumber(const ripstop_plan *p, tables *t, uint8_t *is_root, uint32_t root, uint32_t *queue) {
  uint32_t count = 0;
  claim numbering = {.epoch = 1, .root = root + 1};
  t->place[root] = (place){.numbering = numbering, .router = root};
  is_root[root] = 1;
  queue[count++] = root;
  for (uint32_t i = 0; i < count; i++)
    for (uint64_t ports = ripstop_ordered_live(p, queue[i]); ports; ports &= ports - 1) {
      uint32_t to = router_behind(p->fabric, queue[i], lowest(ports));
      if (t->place[to].numbering.root == root + 1) continue;
      is_root[to] = 0;
      t->place[to] = (place){.numbering = numbering, .value = t->place[queue[i]].value + PLACE_STEP, .router = to};
      queue[count++] = to;
    }
}

/* The least place of each component, before any router has moved. */
static void choose_roots(const ripstop_plan *p, const tables *t, uint8_t *is_root, uint32_t *queue, uint8_t *seen) {
  for (uint32_t router = 0; router < t->routers; router++) {
    uint32_t count = 0, root = router;
    if (seen[router]) continue;
    seen[router] = 1;
    queue[count++] = router;
    for (uint32_t i = 0; i < count; i++) {
      if (is_above(&t->place[queue[i]], &t->place[root])) root = queue[i];
      for (uint64_t ports = ripstop_ordered_live(p, queue[i]); ports; ports &= ports - 1) {
        uint32_t to = router_behind(p->fabric, queue[i], lowest(ports));
        if (!seen[to]) queue[count++] = to;
        seen[to] = 1;
      }
    }
    is_root[root] = 1;
  }
}

/* One after the other, each router without a router above it takes a place below another, as in the protocol. A router
 * that did so too often starts a new numbering of its component. */
static void find_places(ripstop_plan *p, tables *t) {
  uint32_t *queue = RIPSTOP_ARRAY(p->arena, t->routers, uint32_t);
  uint8_t *is_root = RIPSTOP_ARRAY(p->arena, t->routers, uint8_t);
  uint8_t *tries = RIPSTOP_ARRAY(p->arena, t->routers, uint8_t);
  neighbour near[PORTS_MAX];
  bool moved = true;
  t->place = RIPSTOP_ARRAY(p->arena, t->routers, place);
  memcpy(t->place, t->first, t->routers * sizeof *t->place);
  choose_roots(p, t, is_root, queue, RIPSTOP_ARRAY(p->arena, t->routers, uint8_t));
  while (moved) {
    moved = false;
    for (uint32_t router = 0; router < t->routers; router++) {
      uint64_t live = ripstop_ordered_live(p, router);
      if (!live || is_root[router] || ripstop_ordered_up(p, t->place, router, live)) continue;
      read_neighbours(p, t, is_root, router, live, near);
      moved = true;
      if (tries[router]++ >= INSERTIONS_IN_ALL || !ripstop_ordered_insert(near, live, router, &t->place[router]))
        renumber(p, t, is_root, router, queue);
    }
  }
}

void ripstop_ordered_settle(ripstop_plan *p, tables *t) {
  survey x;
  find_places(p, t);
  ripstop_ordered_survey_open(&x, p, t->place, p->arena);
  t->row = RIPSTOP_ARRAY(p->arena, (size_t)t->routers * (t->routers + 1), row);
  for (uint32_t to = 0; to <= t->routers; to++) {
    ripstop_task_progress("tables of routers", to, (uint64_t)x.routers + 1);
    ripstop_ordered_survey(&x, to);
    for (uint32_t router = 0; router < t->routers; router++) {
      entry near[PORTS_MAX];
      row_inputs o = {.known = x.live[router], .up = x.up[router], .near = near, .stride = 1, .routers = t->routers};
      for (uint64_t ports = o.known; ports; ports &= ports - 1)
        near[lowest(ports)] = x.entry[router_behind(p->fabric, router, lowest(ports))];
      o.here = is_destination(&x, router, to);
      t->row[(size_t)router * (t->routers + 1) + to] = ripstop_ordered_row(&o);
    }
  }
}
