/* check.c - the guarantees of immunet for a quiet network: compares what the routers have computed with searches over
 * the links that are up, as for settled tables, and checks the bubbles of the rings. */
#include <string.h>

#include "base/local.h"
#include "methods/immunet/immunet.h"
#include "methods/shared/router_text.h"

/* Searches over the links that are up, as for settled tables, to compare with the routers' states. */
typedef struct audit {
  search search;
  const void *const *state;
  uint32_t *member; /* [members]: the routers of the present component */
  uint32_t members;
  uint32_t root;   /* node */
  uint8_t *seen;   /* [routers] */
  uint8_t *branch; /* [routers]: the safe table that each router should have for one destination */
  ripstop_error *err;
} audit;

static const memory *memory_of(const audit *x, uint32_t router) {
  return x->state[x->search.plan->fabric->ends + router];
}

static int broken(const audit *x, uint32_t router, const char *what) {
  return ripstop_router_fails(x->search.plan, "router", router, what, x->err);
}

/* The router at the other end of a port, and the port there. */
static uint32_t across(const audit *x, uint32_t router, uint32_t port, uint32_t *there) {
  const ripstop_fabric *f = x->search.plan->fabric;
  uint32_t peer = f->peer[f->port_base[f->ends + router] + port];
  *there = peer - f->port_base[f->port_node[peer]];
  return f->port_node[peer] - f->ends;
}

/* The router is in no emergency, its last one was that of its component's first router, and it agrees with its parent
 * and its children about their relation. */
static int check_router(const audit *x, uint32_t router) {
  const memory *m = memory_of(x, router);
  uint32_t there;
  if (m->open) return broken(x, router, "waits for an answer that will not come");
  if (m->epl != memory_of(x, x->member[0])->epl) return broken(x, router, "is not in its component's last emergency");
  if (m->parent != NO_PORT) {
    uint32_t parent = across(x, router, m->parent, &there);
    if (!(m->alive & bit(m->parent)) || !(memory_of(x, parent)->children & bit(there)))
      return broken(x, router, "is no child of its parent");
  }
  for (uint64_t ports = m->children; ports; ports &= ports - 1) {
    if (!(m->alive & bit(lowest(ports)))) return broken(x, router, "has a child behind a failed link");
    uint32_t child = across(x, router, lowest(ports), &there);
    if (memory_of(x, child)->parent != there) return broken(x, router, "is not the parent of its child");
  }
  return 0;
}

/* There is one tree, and its tour passes all routers of the component and has the right length. */
static int check_tree(audit *x) {
  const ripstop_plan *p = x->search.plan;
  x->root = RIPSTOP_NONE;
  for (uint32_t i = 0; i < x->members; i++) {
    if (check_router(x, x->member[i])) return -1;
    if (memory_of(x, x->member[i])->parent != NO_PORT) continue;
    if (x->root != RIPSTOP_NONE) return broken(x, x->member[i], "is a second root of its component");
    x->root = p->fabric->ends + x->member[i];
  }
  if (x->root == RIPSTOP_NONE) return broken(x, x->member[0], "is in a component without a root");
  component c = {.root = x->root, .member = x->seen};
  ripstop_immunet_find_component(&c, p, x->state);
  if (c.routers != x->members || c.ring != 2 * (x->members - 1))
    return broken(x, x->root - p->fabric->ends,
                  "is the root of a ring that does not pass all routers of its component");
  return 0;
}

/* Distances and minimal ports to `to` in all routers of the component, whether or not `to` belongs to it. */
static int check_distances(audit *x, uint32_t to) {
  const ripstop_plan *p = x->search.plan;
  ripstop_immunet_find_distances(&x->search, to);
  for (uint32_t i = 0; i < x->members; i++) {
    uint32_t router = x->member[i], distance = x->search.distance[router];
    arrays a = ripstop_immunet_open_memory(p, p->fabric->ends + router, memory_of(x, router));
    if (a.distance[to] != (distance == RIPSTOP_NONE ? x->search.t->routers : distance))
      return broken(x, router, "has a wrong distance in its table");
    bool stale = ((const config *)p->config)->tables == TABLES_STALE;
    if (distance == RIPSTOP_NONE && stale) continue; /* an old row stays */
    if (a.nearer[to] != (distance == 0 ? 0 : ripstop_immunet_ports_nearer(&x->search, router)))
      return broken(x, router, "has wrong minimal ports in its table");
  }
  return 0;
}

/* Safe tables for a router of the component: at the routers above it the branch that contains it, elsewhere the
 * parent. */
static int check_branches(audit *x, uint32_t to) {
  const ripstop_plan *p = x->search.plan;
  memset(x->branch, NO_PORT, x->search.t->routers);
  for (uint32_t at = to, there; memory_of(x, at)->parent != NO_PORT;) {
    at = across(x, at, memory_of(x, at)->parent, &there);
    x->branch[at] = (uint8_t)there;
  }
  for (uint32_t i = 0; i < x->members; i++) {
    uint32_t router = x->member[i];
    if (ripstop_immunet_open_memory(p, p->fabric->ends + router, memory_of(x, router)).entry[to] != x->branch[router])
      return broken(x, router, "has a wrong branch in its safe table");
  }
  return 0;
}

static int check_tables(audit *x) {
  for (uint32_t to = 0; to < x->search.t->routers; to++)
    if (check_distances(x, to)) return -1;
  for (uint32_t i = 0; i < x->members; i++)
    if (check_branches(x, x->member[i])) return -1;
  return 0;
}

/* The bubble: space for one packet, summed over the free space in a ring. A packet that moves on in the ring frees as
 * much behind it as it takes ahead, and a packet that enters leaves that much free; so a ring keeps its bubble. A ring
 * that was full after an emergency has none until it is drained. */
static int check_ring_bubble(const audit *x, const ripstop_watch *watch) {
  const ripstop_fabric *f = x->search.plan->fabric;
  int64_t free_units = 0;
  for (uint32_t i = 0; i < x->members; i++)
    for (uint64_t ports = tree_ports(memory_of(x, x->member[i])); ports; ports &= ports - 1)
      free_units += watch->free_space(watch, f->port_base[f->ends + x->member[i]] + lowest(ports), SAFE_CHANNEL);
  if (x->members > 1 && watch->notes[x->root] && free_units < watch->longest)
    return broken(x, x->root - f->ends, "is the root of a ring that has lost its bubble");
  watch->notes[x->root] = free_units >= watch->longest;
  return 0;
}

/* The ring of a healthy torus through a port: it was empty at first, so it always has a bubble. */
static int check_torus_bubble(const audit *x, const ripstop_watch *watch, uint32_t router, uint32_t port) {
  const ripstop_fabric *f = x->search.plan->fabric;
  int64_t free_units = 0;
  uint32_t at = router, there;
  do {
    if (at < router) return 0; /* checked from there */
    free_units += watch->free_space(watch, f->port_base[f->ends + at] + port, SAFE_CHANNEL);
    at = across(x, at, port, &there);
  } while (at != router);
  return free_units < watch->longest ? broken(x, router, "is on a ring that has lost its bubble") : 0;
}

/* Checks a component before any emergency. */
static int check_healthy(const audit *x, const ripstop_watch *watch) {
  const ripstop_plan *p = x->search.plan;
  const tables *t = p->data;
  if (!t->healthy) return broken(x, x->member[0], "has not been notified of a fault");
  for (uint32_t i = 0; i < x->members; i++) {
    if (memory_of(x, x->member[i])->epl != 0) return broken(x, x->member[i], "is alone in an emergency");
    for (uint32_t port = 0; watch && port < 2 * t->torus.dimensions; port++)
      if (leads_to_router(p->fabric, p->fabric->port_base[p->fabric->ends + x->member[i]] + port) &&
          check_torus_bubble(x, watch, x->member[i], port))
        return -1;
  }
  return 0;
}

/* The router has called more emergencies than its EPL can number. */
static int check_width(const audit *x, uint32_t router) {
  const ripstop_plan *p = x->search.plan;
  const memory *m = memory_of(x, router);
  uint64_t bits = (uint64_t)((const config *)p->config)->epl_bits, ones = UINT64_MAX >> (64 - bits) % 64;
  char name[RIPSTOP_NAME_MAX];
  if (!m || !m->wrapped) return 0;
  ripstop_node_name(p->fabric, p->fabric->ends + router, name);
  return ripstop_fail(x->err,
                      "router %s calls emergency %llu with EPL %llu, which does not fit in %llu bits (all ones is the "
                      "ACK) and wraps to %llu",
                      name, (unsigned long long)(m->wrapped / x->search.t->routers), (unsigned long long)m->wrapped,
                      (unsigned long long)bits, (unsigned long long)(m->wrapped & ones));
}

/* The printed protocol guarantees hardly more than a ring. */
static int check_printed(const audit *x) {
  return ripstop_immunet_check_ring(x->search.plan, x->state, &(members){x->member, x->members}, x->err);
}

static int check_component(audit *x, const ripstop_watch *watch) {
  if (((const config *)x->search.plan->config)->protocol == PROTOCOL_PRINTED) return check_printed(x);
  if (memory_of(x, x->member[0])->epl == 0) return check_healthy(x, watch);
  if (check_tree(x) || ((!watch || watch->fresh) && check_tables(x))) return -1;
  return watch ? check_ring_bubble(x, watch) : 0;
}

/* Checks each component; its first router finds the others. */
static int check_all(audit *x, uint8_t *done, const ripstop_watch *watch) {
  for (uint32_t router = 0; router < x->search.t->routers; router++)
    if (check_width(x, router)) return -1;
  for (uint32_t router = 0; router < x->search.t->routers; router++) {
    if (done[router] || !memory_of(x, router)) continue;
    x->members = ripstop_immunet_find_distances(&x->search, router);
    memcpy(x->member, x->search.queue, x->members * sizeof *x->member);
    for (uint32_t i = 0; i < x->members; i++) done[x->member[i]] = 1;
    if (check_component(x, watch)) return -1;
  }
  if (watch && watch->lost && ((const config *)x->search.plan->config)->protocol != PROTOCOL_PRINTED)
    return ripstop_fail(x->err, "%llu packets lost although a path to their destinations exists",
                        (unsigned long long)watch->lost);
  return 0;
}

int ripstop_immunet_check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch,
                          ripstop_error *err) {
  tables *t = (tables *)p->data; /* find_distances only reads it */
  RIPSTOP_LOCAL_ARENA(arena);
  audit x = {.search = {.plan = p, .t = t}, .state = state, .err = err};
  x.search.distance = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  x.search.queue = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  x.member = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  x.seen = RIPSTOP_ARRAY(arena, t->routers, uint8_t);
  x.branch = RIPSTOP_ARRAY(arena, t->routers, uint8_t);
  return check_all(&x, RIPSTOP_ARRAY(arena, t->routers, uint8_t), watch);
}
