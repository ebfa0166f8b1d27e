/* printed.c - the result of immunet's protocol as printed (protocol=printed): a tree, or a failure that describes a
 * ring which does not pass all routers. docs/methods/immunet.md, "Repairs", explains the gaps.
 *
 * Settled trees come from the routers' own state machines, because parents and children depend on the order of
 * messages. */
#include <string.h>

#include "base/local.h"
#include "faults/fault_syntax.h"
#include "methods/shared/router_text.h"
#include "route/actions.h"
#include "route/event_queue.h"

#include "methods/immunet/immunet.h" /* last: its names would collide with the other headers' */

/* ------------------------------------------------------------------ a ring that does not pass all routers */

enum { NAMES = 4 }; /* names of missing routers in a message */

static const memory *memory_at(const ripstop_plan *p, const void *const *state, uint32_t router) {
  return state[p->fabric->ends + router];
}

static void add_cause(ripstop_text *out, const ripstop_plan *p, const memory *root) {
  const ripstop_fabric *f = p->fabric;
  if (root->cause == NO_PORT) return;
  ripstop_text_add(out, ", which called the emergency when ");
  ripstop_part_add_name(out, f, f->port_link[f->port_base[root->node] + root->cause], false);
  ripstop_text_add(out, root->cause_up ? " returned" : " failed");
}

static void add_break(ripstop_text *out, const ripstop_plan *p, const component *c) {
  const ripstop_fabric *f = p->fabric;
  if (c->broken == RIPSTOP_NONE) return;
  ripstop_text_add(out, ": ");
  ripstop_add_router(out, p, f->port_node[c->broken] - p->fabric->ends);
  ripstop_text_add(out, " forwards to ");
  ripstop_add_router(out, p, f->port_node[f->peer[c->broken]] - p->fabric->ends);
  ripstop_text_add(out, ", which is not its neighbour in the tree");
}

static void add_missing(ripstop_text *out, const ripstop_plan *p, const component *c, const members *all) {
  uint32_t missing = all->count - c->routers, named = 0;
  ripstop_text_add(out, "; it passes %u of %u routers, not", c->routers, all->count);
  for (uint32_t i = 0; i < all->count && named < NAMES; i++) {
    if (c->member[all->router[i]]) continue;
    ripstop_text_add(out, named++ ? ", " : " ");
    ripstop_add_router(out, p, all->router[i]);
  }
  if (missing > named) ripstop_text_add(out, " and %u more", missing - named);
}

static int fail_ring(const ripstop_plan *p, const void *const *state, const component *c, const members *all,
                     ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_text_add(&text, "the ring of root ");
  ripstop_add_router(&text, p, c->root - p->fabric->ends);
  add_cause(&text, p, state[c->root]);
  ripstop_text_add(&text, ", is broken");
  add_break(&text, p, c);
  if (c->routers < all->count) add_missing(&text, p, c, all);
  ripstop_fail(err, "%s", text.data);
  return -1;
}

/* The root that all routers should follow. RIPSTOP_NONE: no router is in an emergency, or none is a root. */
static uint32_t find_root(const ripstop_plan *p, const void *const *state, const members *all) {
  uint32_t root = RIPSTOP_NONE;
  uint64_t most = 0;
  for (uint32_t i = 0; i < all->count; i++) {
    const memory *m = memory_at(p, state, all->router[i]);
    if (m->parent != NO_PORT || m->epl <= most) continue;
    most = m->epl;
    root = m->node;
  }
  return root;
}

int ripstop_immunet_check_ring(const ripstop_plan *p, const void *const *state, const members *all,
                               ripstop_error *err) {
  component c = {.root = find_root(p, state, all)};
  if (c.root == RIPSTOP_NONE && (all->count == 1 || ((const tables *)p->data)->healthy)) return 0;
  if (c.root == RIPSTOP_NONE) return ripstop_fail(err, "no router is the root of a ring");
  c.member = ripstop_realloc(NULL, ((const tables *)p->data)->routers, 1);
  ripstop_immunet_find_component(&c, p, state);
  bool good = c.routers == all->count && c.ring == 2 * (all->count - 1);
  int status = good ? 0 : fail_ring(p, state, &c, all, err);
  ripstop_free(c.member);
  return status;
}

/* ------------------------------------------------------------------ the tree of the state machines */

/* Emergencies and ACKs alone decide the tree, so the timers, after which tables are made, need not run. */
typedef struct replay {
  ripstop_event_queue event_queue;
  const ripstop_plan *plan;
  void **state; /* [nodes] */
} replay;

static void act_send(ripstop_actions *a, uint32_t local, const void *bytes) {
  replay *g = a->runner;
  const ripstop_fabric *f = g->plan->fabric;
  uint32_t port = f->port_base[a->node] + local, peer = f->peer[port];
  if (!g->plan->view->port_up[port]) return;
  uint32_t place = ripstop_event_queue_keep(&g->event_queue, bytes);
  ripstop_event_queue_put(&g->event_queue,
                          (ripstop_due){.cycle = g->event_queue.clock + ripstop_immunet_delay(g->plan, bytes),
                                        .order = g->event_queue.envelope[place].order,
                                        .node = f->port_node[peer],
                                        .number = peer - f->port_base[f->port_node[peer]],
                                        .kind = RIPSTOP_EVENT_MESSAGE,
                                        .message = place});
}

static void act_timer(ripstop_actions *a, uint32_t timer, uint64_t delay) { (void)a, (void)timer, (void)delay; }
static void act_candidates_changed(ripstop_actions *a) { (void)a; }

static void take_step(replay *g, uint32_t node, const ripstop_event *event) {
  ripstop_actions actions = {
      .runner = g, .node = node, .send = act_send, .timer = act_timer, .candidates_changed = act_candidates_changed};
  ripstop_immunet_step(g->plan, node, g->state[node], event, &actions);
}

static void do_due(void *runner, const ripstop_due *it) {
  replay *g = runner;
  ripstop_message copy;
  ripstop_event event = ripstop_event_queue_event(&g->event_queue, it, 0, &copy);
  take_step(g, it->node, &event);
}

/* Starts a router and notifies it of its failed ports. */
static void start(replay *g, uint32_t node) {
  const ripstop_fabric *f = g->plan->fabric;
  take_step(g, node, &(ripstop_event){.kind = RIPSTOP_EVENT_START});
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (f->port_link[port] != RIPSTOP_NONE && !g->plan->view->port_up[port])
      ripstop_event_queue_put(&g->event_queue, (ripstop_due){.order = ripstop_event_queue_order(&g->event_queue),
                                                             .node = node,
                                                             .number = port - f->port_base[node],
                                                             .kind = RIPSTOP_EVENT_LINK_DOWN,
                                                             .message = RIPSTOP_NONE});
}

static int run(replay *g, ripstop_arena *arena, ripstop_error *err) {
  const ripstop_plan *p = g->plan;
  const ripstop_fabric *f = p->fabric;
  g->state = RIPSTOP_ARRAY(arena, f->nodes, void *);
  if (ripstop_event_queue_open(&g->event_queue, arena, p, err)) return -1;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (p->view->node_up[v]) g->state[v] = ripstop_arena_array(arena, 1, ripstop_immunet_state_size(p, v) + 1);
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (p->view->node_up[v]) start(g, v);
  return ripstop_event_queue_settle(&g->event_queue, do_due, g, p, err);
}

/* Checks each component. */
static int check_rings(const replay *g, tables *t, ripstop_arena *arena, ripstop_error *err) {
  search x = {.plan = g->plan, .t = t};
  uint8_t *done = RIPSTOP_ARRAY(arena, t->routers, uint8_t);
  x.distance = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  x.queue = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  for (uint32_t router = 0; router < t->routers; router++) {
    members all = {.router = x.queue};
    if (done[router] || !g->state[g->plan->fabric->ends + router]) continue;
    all.count = ripstop_immunet_find_distances(&x, router);
    for (uint32_t i = 0; i < all.count; i++) done[all.router[i]] = 1;
    if (ripstop_immunet_check_ring(g->plan, (const void *const *)g->state, &all, err)) return -1;
  }
  return 0;
}

/* Enters, at all routers above `to`, the branch that contains it. */
static void enter_branches(const replay *g, tables *t, uint32_t to) {
  const ripstop_fabric *f = g->plan->fabric;
  const memory *m = g->state[f->ends + to];
  for (uint32_t hops = 0; m && m->parent != NO_PORT && hops < t->routers; hops++) {
    uint32_t there = f->peer[f->port_base[m->node] + m->parent], above = f->port_node[there];
    t->entry[(size_t)(above - f->ends) * t->routers + to] = (uint8_t)(there - f->port_base[above]);
    m = g->state[above];
  }
}

static void take_tree(const replay *g, tables *t) {
  for (uint32_t router = 0; router < t->routers; router++) {
    const memory *m = g->state[g->plan->fabric->ends + router];
    if (!m) continue;
    t->tree[router] = tree_ports(m);
    memset(t->entry + (size_t)router * t->routers, m->parent, t->routers);
  }
  for (uint32_t to = 0; to < t->routers; to++) enter_branches(g, t, to);
}

int ripstop_immunet_settle_printed(ripstop_plan *p, tables *t, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(arena);
  replay g = {.plan = p};
  int status = run(&g, arena, err);
  if (!status) status = check_rings(&g, t, arena, err);
  if (!status) {
    ripstop_immunet_settle_adaptive(p, t);
    take_tree(&g, t);
  } else {
    ripstop_fail_at(err, "immunet");
  }
  return status;
}
