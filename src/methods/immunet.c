/* immunet.c - "Immunet: A Cheap and Robust Fault-Tolerant Packet Routing Mechanism" (paper 004): adaptive bubble
 * routing whose switches, after any faults, agree on a new safe network and new tables while packets wait in their
 * queues. docs/methods/immunet.md explains the method, the readings and the repairs.
 *
 * Channel 0 is the safe network, the others are adaptive and minimal. The safe network of a healthy torus is dimension
 * order, each ring of a dimension kept from filling by a bubble. Elsewhere it is one ring under the same rule: the tour
 * of a spanning tree, which passes each of its links once in each direction; what comes in by one tree port goes out by
 * the next lower one, cyclically (the paper's SS table is the set of tree ports). Channel 0 of links outside the tree
 * is adaptive too.
 *
 * The file has two independent constructions of trees and tables:
 *   settled tables  `plan`: searches from each router over what is alive; this is what `route` uses and what is proved
 *   protocol        the switches' state machines
 * and one of the ways that follow from them (`tour_ways`, `torus_ways`). In every run `check` holds what the switches
 * have found out against searches over what is left.
 *
 * Invariants of the protocol. An emergency has a number, its EPL, t * routers + the router that called it, greater than
 * all that the router has seen, so no two are equal. A router follows the greatest it hears of; it keeps its packets
 * and its interface's back until each neighbour has answered for the same EPL, as child (ACK) or not (EMERG). So
 * routers that route agree with all neighbours on the tree, and the last emergency of a component ends with one tree in
 * it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/torus.h"
#include "fabric/tree.h"
#include "ripstop/plugin/method.h"

typedef enum { INJECT_ONE, INJECT_TWO, INJECT_ONE_ADAPTIVE, INJECT_TWO_ADAPTIVE } inject_rule;

typedef struct config {
  int64_t adaptive, changes;
  int32_t inject;
  int64_t emergency_cycles, ack_cycles, control_cycles, control_flits, drain_cycles, forget_cycles;
} config;

enum { SAFE_CHANNEL = 0, CHANGES_BITS = 6, CHANGES_MAX = (1 << CHANGES_BITS) - 1 };

static const char *const inject_words[] = {[INJECT_ONE] = "one",
                                           [INJECT_TWO] = "two",
                                           [INJECT_ONE_ADAPTIVE] = "one-adaptive",
                                           [INJECT_TWO_ADAPTIVE] = "two-adaptive",
                                           NULL};
static const ripstop_option options[] = {
    {.name = "adaptive",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, adaptive),
     .min = 1,
     .max = 4,
     .fallback = "1",
     .help = "adaptive channels, beside the safe one"},
    {.name = "changes",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, changes),
     .min = 0,
     .max = CHANGES_MAX,
     .fallback = "4",
     .help = "times that a packet may leave the ring for an adaptive channel; then it stays in it to its end"},
    {.name = "inject",
     .type = RIPSTOP_OPTION_WORD,
     .offset = offsetof(config, inject),
     .words = inject_words,
     .fallback = "two",
     .help = "free places that a new packet needs in an adaptive queue; -adaptive: it may not enter the safe network"},
    {.name = "emergency_cycles",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, emergency_cycles),
     .min = 1,
     .max = 1e9,
     .fallback = "100",
     .help = "cycles in which a router handles an emergency and passes it on"},
    {.name = "ack_cycles",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, ack_cycles),
     .min = 1,
     .max = 1e9,
     .fallback = "5",
     .help = "cycles until the parent has the acknowledgement of an emergency"},
    {.name = "control_cycles",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, control_cycles),
     .min = 1,
     .max = 1e9,
     .fallback = "1000",
     .help = "cycles in which a router handles a control packet and passes it on"},
    {.name = "control_flits",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, control_flits),
     .min = 0,
     .max = 1023,
     .fallback = "3",
     .help = "flits of a message, which holds its link against packets; 0: messages have a channel of their own"},
    {.name = "drain_cycles",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, drain_cycles),
     .min = 0,
     .max = 1e9,
     .fallback = "1000",
     .help = "cycles after an emergency in which network interfaces take packets out of a ring that does not move"},
    {.name = "forget_cycles",
     .type = RIPSTOP_OPTION_INTEGER,
     .offset = offsetof(config, forget_cycles),
     .min = 0,
     .max = 1e9,
     .fallback = "0",
     .help = "cycles after an emergency from which on packets to routers not heard of are dropped at once; 0: never"},
    {0}};

enum { NO_PATH, END_CUT_OFF, CUT_OFF };
static const char *const losses[] = {
    [NO_PATH] = "no path is left", [END_CUT_OFF] = "destination cut off", [CUT_OFF] = "source cut off", NULL};

/* ------------------------------------------------------------------ sets of ports */

enum { PORTS_MAX = 64 };
#define NO_PORT    UINT8_MAX
#define MEMORY_MAX ((uint64_t)1 << 30) /* bytes of the plan's tables, and of all routers' states */

static inline uint64_t bit(uint32_t port) { return UINT64_C(1) << port; }
static inline uint32_t lowest(uint64_t ports) { return (uint32_t)__builtin_ctzll(ports); }
static inline uint32_t topmost(uint64_t ports) { return 63u - (uint32_t)__builtin_clzll(ports); }

/* The port by which the tour leaves a router that it has entered by tree port `in`. */
static inline uint32_t tour_next(uint64_t tree, uint32_t in) {
  uint64_t lower = tree & (bit(in) - 1);
  return topmost(lower ? lower : tree);
}

static bool leads_to_router(const ripstop_fabric *f, uint32_t port) {
  return f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]);
}

static bool leads_to_end(const ripstop_fabric *f, uint32_t port) {
  return f->peer[port] != RIPSTOP_NONE && ripstop_is_end(f, f->port_node[f->peer[port]]);
}

/* ------------------------------------------------------------------ the plan */

typedef struct tables {
  ripstop_torus torus;
  bool is_torus, healthy; /* a torus none of whose links between routers is dead */
  uint32_t routers;       /* router number = switch node - ends */
  uint64_t *tree;         /* [routers]: ports of tree links */
  uint64_t *nearer;       /* [routers * routers]: at a router, the ports that lead nearer to another; 0: no way there */
  uint8_t *entry;         /* [routers * routers]: at a router, the tree port that enters the ring for another */
} tables;

/* What a router knows of the way to one destination, after faults. */
typedef struct knowledge {
  uint64_t tree, nearer;
  uint32_t entry; /* RIPSTOP_NONE: there is no ring */
} knowledge;

typedef struct search {
  const ripstop_plan *plan;
  tables *t;
  uint32_t *distance, *queue; /* [routers] */
} search;

static uint32_t router_at(const ripstop_fabric *f, uint32_t port) { return f->port_node[f->peer[port]] - f->ends; }

/* Distances of all routers to `to` over what is alive. Returns how many have one; they are in x->queue, near ones
 * first. */
static uint32_t find_distances(search *x, uint32_t to) {
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

static uint64_t ports_nearer(const search *x, uint32_t router) {
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

/* The tree of a component: breadth first from `root`, each router below the nearer one at its lowest port. */
static void grow_tree(search *x, uint32_t root) {
  const ripstop_fabric *f = x->plan->fabric;
  tables *t = x->t;
  uint32_t found = find_distances(x, root);
  for (uint32_t i = 1; i < found; i++) {
    uint32_t child = x->queue[i], up = lowest(ports_nearer(x, child)), port = f->port_base[f->ends + child] + up;
    uint32_t parent = router_at(f, port), down = f->peer[port] - f->port_base[f->ends + parent];
    t->tree[child] |= bit(up);
    t->tree[parent] |= bit(down);
    for (uint32_t to = 0; to < t->routers; to++) t->entry[(size_t)child * t->routers + to] = (uint8_t)up;
  }
  for (uint32_t i = found; i-- > 1;) { /* whatever is below the child is below its parent's port to it */
    uint32_t child = x->queue[i], port = f->port_base[f->ends + child] + lowest(ports_nearer(x, child));
    uint8_t down = (uint8_t)(f->peer[port] - f->port_base[f->port_node[f->peer[port]]]);
    uint32_t parent = router_at(f, port);
    const uint8_t *below = t->entry + (size_t)child * t->routers;
    uint8_t *entry = t->entry + (size_t)parent * t->routers, up = (uint8_t)(port - f->port_base[f->ends + child]);
    for (uint32_t to = 0; to < t->routers; to++)
      if (to == child || below[to] != up) entry[to] = down;
  }
}

static void settle(ripstop_plan *p, tables *t) {
  search x = {.plan = p, .t = t};
  x.distance = RIPSTOP_ARRAY(p->arena, t->routers, uint32_t);
  x.queue = RIPSTOP_ARRAY(p->arena, t->routers, uint32_t);
  t->tree = RIPSTOP_ARRAY(p->arena, t->routers, uint64_t);
  t->nearer = RIPSTOP_ARRAY(p->arena, (size_t)t->routers * t->routers, uint64_t);
  t->entry = RIPSTOP_ARRAY(p->arena, (size_t)t->routers * t->routers, uint8_t);
  for (uint32_t to = t->routers; to-- > 0;) {
    uint32_t found = find_distances(&x, to);
    bool root = true; /* the highest number of its component */
    for (uint32_t i = 0; i < found; i++) {
      root &= x.queue[i] <= to;
      t->nearer[(size_t)x.queue[i] * t->routers + to] = ports_nearer(&x, x.queue[i]);
    }
    if (root) grow_tree(&x, to);
  }
}

static bool all_alive(const ripstop_plan *p) {
  for (uint32_t port = p->fabric->port_base[p->fabric->ends]; port < p->fabric->ports; port++)
    if (leads_to_router(p->fabric, port) && !p->view->port_up[port]) return false;
  return true;
}

static uint64_t protocol_bytes(uint32_t routers, uint32_t ports);

/* One way into the ring and one to the interface, beside those of all ports. */
static uint32_t most_ways(const ripstop_plan *p) {
  uint32_t most = 0;
  for (uint32_t v = p->fabric->ends; v < p->fabric->nodes; v++)
    if (ripstop_node_ports(p->fabric, v) > most) most = ripstop_node_ports(p->fabric, v);
  return most > PORTS_MAX ? UINT32_MAX : most * p->channels + 2;
}

static ripstop_answer check_size(const ripstop_plan *p, uint32_t routers, ripstop_error *err) {
  const ripstop_fabric *f = p->fabric;
  uint64_t bytes = (uint64_t)routers * routers * (sizeof(uint64_t) + 1), states = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++) states += protocol_bytes(routers, ripstop_node_ports(f, v));
  if (most_ways(p) > UINT8_MAX) {
    ripstop_fail(err, "immunet: a router of %s has more ports than there is room for with %u channels", f->spec,
                 p->channels);
    return RIPSTOP_DOES_NOT_APPLY;
  }
  if (bytes <= MEMORY_MAX && states <= MEMORY_MAX) return RIPSTOP_APPLIES;
  ripstop_fail(err, "immunet: the tables of %s take more than 1 GiB", f->spec);
  return RIPSTOP_DOES_NOT_APPLY;
}

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  const config *c = p->config;
  tables *t = RIPSTOP_NEW(p->arena, tables);
  t->routers = ripstop_fabric_switches(p->fabric);
  p->channels = (uint32_t)c->adaptive + 1;
  if (check_size(p, t->routers, err) != RIPSTOP_APPLIES) return RIPSTOP_DOES_NOT_APPLY;
  t->is_torus = ripstop_torus_from(p->fabric, &t->torus);
  t->healthy = t->is_torus && all_alive(p);
  if (!t->healthy) settle(p, t);
  p->data = t;
  p->ways_max = most_ways(p);
  p->guests = c->drain_cycles > 0 && p->fabric->links > p->fabric->link_ends;
  return RIPSTOP_APPLIES;
}

/* ------------------------------------------------------------------ the ways on that follow from it */

static bool is_injected(const ripstop_plan *p, const ripstop_head *head) {
  return leads_to_end(p->fabric, p->fabric->port_base[head->node] + head->in_port);
}

/* Free places that a head needs in an adaptive queue. */
static uint8_t adaptive_space(const ripstop_plan *p, const ripstop_head *head) {
  inject_rule rule = (inject_rule)((const config *)p->config)->inject;
  return (rule == INJECT_TWO || rule == INJECT_TWO_ADAPTIVE) && is_injected(p, head) ? 2 : 1;
}

static bool may_enter_safe(const ripstop_plan *p, const ripstop_head *head) {
  inject_rule rule = (inject_rule)((const config *)p->config)->inject;
  return rule == INJECT_ONE || rule == INJECT_TWO || !is_injected(p, head);
}

/* The adaptive channels of the ports, channel 0 too where it is not safe. */
static int adaptive_ways(const ripstop_plan *p, uint64_t ports, uint64_t safe, ripstop_way like, ripstop_way *ways) {
  int count = 0;
  for (; ports; ports &= ports - 1) {
    like.port = (uint16_t)lowest(ports);
    like.channel = safe & bit(like.port) ? SAFE_CHANNEL + 1 : SAFE_CHANNEL;
    for (; like.channel < p->channels; like.channel++) ways[count++] = like;
  }
  return count;
}

static int torus_ways(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const ripstop_torus *torus = &((const tables *)p->data)->torus;
  uint64_t ports = 0;
  uint32_t first = RIPSTOP_NONE; /* the port of dimension order */
  for (uint32_t d = 0; d < torus->dimensions; d++) {
    uint32_t up = ripstop_torus_up(torus, d, head->node, head->destination);
    if (up == 0) continue;
    uint32_t port = ripstop_torus_port(torus, d, up);
    if (first == RIPSTOP_NONE) first = port;
    ports |= bit(port);
    if (2 * up == torus->size[d]) ports |= bit(port + 1);
  }
  int count = adaptive_ways(p, ports, UINT64_MAX, (ripstop_way){.space = adaptive_space(p, head)}, ways);
  bool goes_on = (head->in_port ^ 1) == first && head->channel == SAFE_CHANNEL;
  if (may_enter_safe(p, head))
    ways[count++] =
        (ripstop_way){.port = (uint16_t)first, .channel = SAFE_CHANNEL, .rank = 1, .space = goes_on ? 1 : 2};
  return count;
}

static bool is_in_ring(const knowledge *k, const ripstop_head *head) {
  return head->channel == SAFE_CHANNEL && (k->tree & bit(head->in_port));
}

/* The header's low bits count how often the packet has left the ring. A packet on channel 0 of a link that is not on
 * the ring is an adaptive one. */
static int tour_ways(const ripstop_plan *p, const ripstop_head *head, const knowledge *k, ripstop_way *ways) {
  const config *c = p->config;
  bool in_ring = is_in_ring(k, head);
  int count = 0;
  if (!in_ring || (head->header & CHANGES_MAX) < (uint64_t)c->changes) {
    ripstop_way like = {.header = head->header + in_ring, .space = adaptive_space(p, head)};
    count = adaptive_ways(p, k->nearer, k->tree, like, ways);
  }
  if (in_ring)
    ways[count++] = (ripstop_way){.header = head->header,
                                  .port = (uint16_t)tour_next(k->tree, head->in_port),
                                  .channel = SAFE_CHANNEL,
                                  .rank = 1,
                                  .space = 1};
  else if (k->entry != RIPSTOP_NONE && (count == 0 || may_enter_safe(p, head)))
    ways[count++] = (ripstop_way){
        .header = head->header, .port = (uint16_t)k->entry, .channel = SAFE_CHANNEL, .rank = 1, .space = 2};
  return count;
}

/* To a network interface or from one: 1 or a loss; 0: the way leads to another router. */
static int end_ways(const ripstop_plan *p, const ripstop_head *head, ripstop_way *way) {
  const ripstop_fabric *f = p->fabric;
  const uint8_t *up = p->view->port_up;
  *way = (ripstop_way){.header = head->header, .channel = (uint8_t)(p->channels - 1), .space = 1};
  if (ripstop_is_end(f, head->node)) return up[f->port_base[head->node]] ? 1 : -(1 + CUT_OFF);
  if (ripstop_end_switch(f, head->destination) != head->node) return 0;
  way->port = (uint16_t)ripstop_end_switch_port(f, head->destination);
  return up[f->port_base[head->node] + way->port] ? 1 : -(1 + END_CUT_OFF);
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_way *ways) {
  const ripstop_fabric *f = p->fabric;
  const tables *t = p->data;
  int count = end_ways(p, head, ways);
  if (count) return count;
  if (t->healthy) return torus_ways(p, head, ways);
  size_t router = head->node - f->ends, to = ripstop_end_switch(f, head->destination) - f->ends,
         place = router * t->routers + to;
  if (!t->nearer[place]) return -(1 + NO_PATH);
  return tour_ways(p, head, &(knowledge){.tree = t->tree[router], .nearer = t->nearer[place], .entry = t->entry[place]},
                   ways);
}

/* ------------------------------------------------------------------ the protocol: messages and memory */

typedef enum { EMERG, ACK, SAFE, DISTANCE } message_kind;

typedef struct message {
  uint8_t kind;
  uint8_t own;       /* the sender begins with it, and has its own handling of it still before it */
  uint8_t zero[2];   /* this and zero_too: no byte of a message is left to chance */
  uint32_t router;   /* SAFE, DISTANCE: whose */
  uint32_t distance; /* DISTANCE: from the sender to it */
  uint32_t zero_too;
  uint64_t epl;
} message;

/* A router's state, followed by its arrays. EPL 0: there has been no emergency. While `open` is not empty it is in one.
 */
typedef struct memory {
  uint64_t epl, t;
  uint64_t alive;                    /* ports to routers */
  uint64_t open;                     /* those whose router has not answered yet */
  uint64_t children;                 /* ports */
  uint64_t safe_sent, distance_sent; /* control packets sent in this emergency */
  uint32_t node;
  uint8_t parent; /* port; NO_PORT: it is the root */
  bool draining;
  bool complete; /* whoever is not in the tables is lost */
} memory;

typedef struct arrays {
  memory *m;
  uint64_t *nearer;         /* [routers]: the adaptive table */
  uint64_t *early;          /* [ports]: EPL of distances that came before their emergency; 0: none */
  uint32_t *distance;       /* [routers]; number of routers: unknown */
  uint32_t *early_distance; /* [ports * routers] */
  uint8_t *entry;           /* [routers]: the safe table; NO_PORT: to the parent */
} arrays;

static uint64_t protocol_bytes(uint32_t routers, uint32_t ports) {
  uint64_t a_router = sizeof(uint64_t) + sizeof(uint32_t) + 1, early = sizeof(uint32_t);
  return sizeof(memory) + routers * a_router + ports * (sizeof(uint64_t) + routers * early);
}

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  return (size_t)protocol_bytes(((const tables *)p->data)->routers, ripstop_node_ports(p->fabric, node));
}

static arrays open_memory(const ripstop_plan *p, uint32_t node, const void *state) {
  size_t routers = ((const tables *)p->data)->routers, ports = ripstop_node_ports(p->fabric, node);
  arrays a = {.m = (memory *)state};
  a.nearer = (uint64_t *)(a.m + 1);
  a.early = a.nearer + routers;
  a.distance = (uint32_t *)(a.early + ports);
  a.early_distance = a.distance + routers;
  a.entry = (uint8_t *)(a.early_distance + ports * routers);
  return a;
}

static uint64_t tree_ports(const memory *m) { return m->children | (m->parent == NO_PORT ? 0 : bit(m->parent)); }

/* A router in one step. */
typedef struct agent {
  const ripstop_plan *plan;
  const config *c;
  uint32_t node, router, routers, ports;
  arrays a;
  ripstop_actions *actions;
  bool changed; /* its ways have */
} agent;

/* ------------------------------------------------------------------ the protocol: control packets */

static void send(agent *g, uint64_t ports, message m) {
  m.epl = g->a.m->epl;
  for (; ports; ports &= ports - 1) ripstop_act_send(g->actions, lowest(ports), &m);
}

static void send_control(agent *g, uint64_t ports, message m) {
  uint32_t count = (uint32_t)__builtin_popcountll(ports);
  if (m.kind == SAFE)
    g->a.m->safe_sent += count;
  else
    g->a.m->distance_sent += count;
  send(g, ports, m);
}

static uint64_t parent_port(const memory *m) { return m->parent == NO_PORT ? 0 : bit(m->parent); }

/* `router` is in the branch at `port`. */
static void on_safe(agent *g, uint32_t port, uint32_t router) {
  g->changed |= g->a.entry[router] != port;
  g->a.entry[router] = (uint8_t)port;
  send_control(g, parent_port(g->a.m), (message){.kind = SAFE, .router = router});
}

/* An equal distance adds a way, and is no news to the neighbours. */
static void on_distance(agent *g, uint32_t port, uint32_t router, uint32_t distance) {
  uint32_t *known = &g->a.distance[router];
  if (distance > *known) return;
  g->changed |= distance < *known || !(g->a.nearer[router] & bit(port));
  if (distance == *known) {
    g->a.nearer[router] |= bit(port);
    return;
  }
  *known = distance;
  g->a.nearer[router] = bit(port);
  send_control(g, g->a.m->alive & ~bit(port), (message){.kind = DISTANCE, .router = router, .distance = distance});
}

/* A distance of an emergency that has not got here yet, from a router that still waits for this one's answer: the
 * least is kept for each port and router. (Safe-table packets go to parents, which are never behind.) */
static void keep_early(agent *g, uint32_t port, const message *m) {
  uint32_t *early = g->a.early_distance + (size_t)port * g->routers;
  if (m->epl < g->a.early[port]) return;
  if (m->epl > g->a.early[port]) memset(early, 0xff, g->routers * sizeof *early);
  g->a.early[port] = m->epl;
  if (m->distance < early[m->router]) early[m->router] = m->distance;
}

static void handle_early(agent *g) {
  for (uint32_t port = 0; port < g->ports; port++) {
    const uint32_t *early = g->a.early_distance + (size_t)port * g->routers;
    if (g->a.early[port] != g->a.m->epl) continue;
    g->a.early[port] = 0;
    for (uint32_t router = 0; router < g->routers; router++)
      if (early[router] != RIPSTOP_NONE) on_distance(g, port, router, early[router] + 1);
  }
}

static void on_control(agent *g, uint32_t port, const message *m) {
  if (m->epl > g->a.m->epl && m->kind == DISTANCE) keep_early(g, port, m);
  if (m->epl != g->a.m->epl) return;
  if (m->kind == SAFE)
    on_safe(g, port, m->router);
  else
    on_distance(g, port, m->router, m->distance + 1);
}

/* ------------------------------------------------------------------ the protocol: emergencies */

/* A timer's number is that of its emergency, which a later one makes void, and a bit that says what it is for. */
#define FORGET_TIMER (UINT32_C(1) << 31)

static uint32_t timer_of(const memory *m) { return (uint32_t)m->epl & ~FORGET_TIMER; }

/* All neighbours have answered: packets move again, by the ring at least, and the tables are made. */
static void end_emergency(agent *g) {
  memory *m = g->a.m;
  if (m->open) return;
  g->changed = true;
  send_control(g, parent_port(m), (message){.kind = SAFE, .own = 1, .router = g->router});
  send_control(g, m->alive, (message){.kind = DISTANCE, .own = 1, .router = g->router});
  if (g->c->forget_cycles) ripstop_act_timer(g->actions, timer_of(m) | FORGET_TIMER, (uint64_t)g->c->forget_cycles);
  if (!g->c->drain_cycles || !tree_ports(m)) return;
  m->draining = true;
  ripstop_act_timer(g->actions, timer_of(m), (uint64_t)g->c->drain_cycles);
}

/* The router takes part in emergency `epl`, of which it has heard by a port, or which it calls itself (NO_PORT). */
static void join(agent *g, uint64_t epl, uint8_t parent) {
  memory *m = g->a.m;
  m->epl = epl;
  if (epl / g->routers + 1 > m->t) m->t = epl / g->routers + 1;
  m->parent = parent;
  m->children = 0;
  m->open = m->alive & ~parent_port(m);
  m->draining = m->complete = false;
  m->safe_sent = m->distance_sent = 0;
  for (uint32_t router = 0; router < g->routers; router++) {
    g->a.nearer[router] = 0;
    g->a.distance[router] = router == g->router ? 0 : g->routers;
    g->a.entry[router] = NO_PORT;
  }
  g->changed = true;
  send(g, parent_port(m), (message){.kind = ACK});
  send(g, m->open, (message){.kind = EMERG, .own = parent == NO_PORT});
  end_emergency(g);
  handle_early(g);
}

static void call_emergency(agent *g) { join(g, g->a.m->t * g->routers + g->router, NO_PORT); }

static void on_answer(agent *g, uint32_t port, const message *m) {
  memory *own = g->a.m;
  if (m->epl != own->epl || !(own->open & bit(port))) return;
  own->open &= ~bit(port);
  if (m->kind == ACK) own->children |= bit(port);
  end_emergency(g);
}

/* ------------------------------------------------------------------ the protocol: events */

static void on_start(agent *g, uint64_t cycle) {
  const ripstop_fabric *f = g->plan->fabric;
  const tables *t = g->plan->data;
  memory *m = g->a.m;
  m->node = g->node;
  m->t = 1;
  m->parent = NO_PORT;
  for (uint32_t port = 0; port < g->ports; port++)
    if (leads_to_router(f, f->port_base[g->node] + port)) m->alive |= bit(port);
  if (!t->is_torus || cycle > 0) call_emergency(g); /* no safe network is known before */
}

static void on_link_down(agent *g, uint32_t port) {
  if (!(g->a.m->alive & bit(port))) return;
  g->a.m->alive &= ~bit(port);
  g->a.early[port] = 0;
  call_emergency(g);
}

static void on_link_up(agent *g, uint32_t port) {
  if (g->a.m->alive & bit(port) || !leads_to_router(g->plan->fabric, g->plan->fabric->port_base[g->node] + port))
    return;
  g->a.m->alive |= bit(port);
  call_emergency(g);
}

/* A message shows that its link lives, whoever notices first. */
static void on_message(agent *g, uint32_t port, const message *m) {
  on_link_up(g, port);
  if (m->kind == SAFE || m->kind == DISTANCE)
    on_control(g, port, m);
  else if (m->kind == EMERG && m->epl > g->a.m->epl)
    join(g, m->epl, (uint8_t)port);
  else
    on_answer(g, port, m);
}

static void on_timer(agent *g, uint32_t timer) {
  memory *m = g->a.m;
  if (m->open || (timer & ~FORGET_TIMER) != timer_of(m)) return;
  if (!(timer & FORGET_TIMER)) {
    g->changed |= m->draining;
    m->draining = false;
    return;
  }
  m->complete = true;
  for (uint32_t router = 0; router < g->routers; router++) g->changed |= g->a.distance[router] == g->routers;
}

static void step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                 ripstop_actions *actions) {
  agent g = {.plan = p,
             .c = p->config,
             .node = node,
             .router = node - p->fabric->ends,
             .routers = ((const tables *)p->data)->routers,
             .ports = ripstop_node_ports(p->fabric, node),
             .a = open_memory(p, node, state),
             .actions = actions};
  switch (event->kind) {
  case RIPSTOP_EVENT_START:
    on_start(&g, event->cycle);
    break;
  case RIPSTOP_EVENT_LINK_DOWN:
    on_link_down(&g, event->port);
    break;
  case RIPSTOP_EVENT_LINK_UP:
    on_link_up(&g, event->port);
    break;
  case RIPSTOP_EVENT_MESSAGE:
    on_message(&g, event->port, event->message);
    break;
  case RIPSTOP_EVENT_TIMER:
    on_timer(&g, event->timer);
    break;
  }
  if (g.changed) ripstop_act_ways_changed(actions);
}

static uint64_t delay(const ripstop_plan *p, const void *message_) {
  const config *c = p->config;
  const message *m = message_;
  if (m->kind == ACK) return (uint64_t)c->ack_cycles;
  return (uint64_t)(m->kind == EMERG ? c->emergency_cycles : c->control_cycles) * (m->own ? 2 : 1);
}

static uint32_t flits(const ripstop_plan *p, const void *message_) {
  (void)message_;
  return (uint32_t)((const config *)p->config)->control_flits;
}

/* What Table 1 counts: safe-table packets where they are made, adaptive-table packets on each link. */
enum { COUNT_EMERGENCY, COUNT_ACK, COUNT_SAFE, COUNT_SAFE_ON, COUNT_ADAPTIVE };
static const char *const kinds[] = {[COUNT_EMERGENCY] = "emergency",     [COUNT_ACK] = "ack",
                                    [COUNT_SAFE] = "safe-table",         [COUNT_SAFE_ON] = "safe-table-forwarded",
                                    [COUNT_ADAPTIVE] = "adaptive-table", NULL};

static uint32_t kind(const ripstop_plan *p, const void *message_) {
  const message *m = message_;
  static const uint8_t counted[] = {
      [EMERG] = COUNT_EMERGENCY, [ACK] = COUNT_ACK, [SAFE] = COUNT_SAFE_ON, [DISTANCE] = COUNT_ADAPTIVE};
  (void)p;
  return m->kind == SAFE && m->own ? COUNT_SAFE : counted[m->kind];
}

/* ------------------------------------------------------------------ the protocol: ways */

/* A packet of whose destination the router has not heard goes round the ring. The header says where it was first sent
 * on, as the port, in which emergency (the low 32 bits of its EPL): once round in the same one and it has no
 * destination that it could come to. */
enum { STAMP_PORT_BITS = 26 };
static_assert(RIPSTOP_FABRIC_MAX_PORTS <= 1u << STAMP_PORT_BITS, "every port of a fabric has its stamp");

static uint64_t stamp_at(const ripstop_plan *p, const memory *m, uint32_t node, uint32_t port) {
  uint64_t place = p->fabric->port_base[node] + port;
  return (m->epl << STAMP_PORT_BITS | place) << CHANGES_BITS;
}

/* False: it has been all the way round. */
static bool stamp(const ripstop_plan *p, const memory *m, const ripstop_head *head, bool in_ring, ripstop_way *way) {
  uint64_t here = stamp_at(p, m, head->node, way->port), epoch = UINT64_MAX << (STAMP_PORT_BITS + CHANGES_BITS);
  bool same = in_ring && (head->header & epoch) == (here & epoch);
  if (same && (head->header & ~(uint64_t)CHANGES_MAX) == here) return false;
  if (!same) way->header = here | (head->header & CHANGES_MAX);
  return true;
}

/* Out of the ring for a while, and into it again when there is room for two. */
static ripstop_way guest_way(const ripstop_plan *p, const ripstop_head *head) {
  const ripstop_fabric *f = p->fabric;
  uint32_t port = f->port_base[head->node];
  while (port < f->port_base[head->node + 1] && !(leads_to_end(f, port) && p->view->port_up[port])) port++;
  return (ripstop_way){.header = head->header,
                       .port = (uint16_t)(port - f->port_base[head->node]),
                       .channel = (uint8_t)(p->channels - 1),
                       .rank = 2,
                       .space = 1};
}

static int ways(const ripstop_plan *p, const void *state, const ripstop_head *head_, ripstop_way *ways) {
  const ripstop_fabric *f = p->fabric;
  const memory *m = state;
  int count = end_ways(p, head_, ways);
  if (count < 0 || (count && !ripstop_is_end(f, head_->node))) return count;
  if (m->open) return 0;
  arrays a = open_memory(p, m->node, state);
  uint32_t to = ripstop_end_switch(f, head_->destination) - f->ends;
  if (m->complete && !a.nearer[to] && f->ends + to != m->node) return -(1 + NO_PATH);
  if (count) return count;
  if (m->epl == 0) return torus_ways(p, head_, ways);
  ripstop_head head = *head_;
  knowledge k = {.tree = tree_ports(m), .nearer = a.nearer[to], .entry = a.entry[to]};
  if (!k.tree) return -(1 + NO_PATH);
  if (k.entry == NO_PORT) k.entry = m->parent == NO_PORT ? topmost(k.tree) : m->parent;
  bool in_ring = is_in_ring(&k, &head);
  if (k.nearer) head.header &= CHANGES_MAX;
  count = tour_ways(p, &head, &k, ways);
  if (!k.nearer && !stamp(p, m, &head, in_ring, &ways[0])) return -(1 + NO_PATH);
  if (m->draining && in_ring) {
    ways[count] = guest_way(p, &head);
    count += ways[count].port < ripstop_node_ports(f, head.node);
  }
  return count;
}

/* ------------------------------------------------------------------ the protocol: for people */

static void print(const ripstop_plan *p, const void *message_, ripstop_text *out) {
  const message *m = message_;
  static const char *const words[] = {[EMERG] = "emergency", [ACK] = "ack", [SAFE] = "safe", [DISTANCE] = "distance"};
  char name[RIPSTOP_NAME_MAX];
  ripstop_text_add(out, "%s %llu", words[m->kind], (unsigned long long)m->epl);
  if (m->kind == EMERG || m->kind == ACK) return;
  ripstop_node_name(p->fabric, p->fabric->ends + m->router, name);
  ripstop_text_add(out, " %s", name);
  if (m->kind == DISTANCE) ripstop_text_add(out, " is %u away", m->distance);
}

/* What a router knows of the way to another, also before any emergency. */
static uint32_t known_distance(const ripstop_plan *p, const arrays *a, uint32_t to, uint64_t *nearer) {
  const tables *t = p->data;
  uint32_t node = a->m->node, hops = 0;
  if (a->m->epl != 0) {
    *nearer = a->nearer[to];
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

static uint32_t router_behind(const ripstop_plan *p, uint32_t node, uint32_t port) {
  return p->fabric->port_node[p->fabric->peer[p->fabric->port_base[node] + port]];
}

static void add_name(ripstop_text *out, const ripstop_fabric *f, uint32_t node, const char *before) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, name);
  ripstop_text_add(out, "%s\"%s\"", before, name);
}

/* The routers behind ports, each once. */
static void add_neighbours(ripstop_text *out, const ripstop_plan *p, uint32_t node, uint64_t ports) {
  const char *before = "[";
  for (uint64_t left = ports; left; left &= left - 1) {
    uint32_t neighbour = router_behind(p, node, lowest(left));
    bool again = false;
    for (uint64_t earlier = ports & (bit(lowest(left)) - 1); earlier; earlier &= earlier - 1)
      again |= router_behind(p, node, lowest(earlier)) == neighbour;
    if (again) continue;
    add_name(out, p->fabric, neighbour, before);
    before = ",";
  }
  ripstop_text_add(out, *before == '[' ? "[]" : "]");
}

/* {"epl":13,"emergency":false,"parent":2,"children":[0,1],"entry":[2,0,...],"distances":[0,1,...],
 *  "minimal_ports":[[],["0.1"],...]}: ports; to every router in order the port into the ring, the distance (number of
 * routers: unknown) and the neighbours nearer to it. Without any emergency so far there is no tree. */
static void json(const ripstop_plan *p, const void *state, ripstop_text *out) {
  const memory *m = state;
  uint32_t routers = ((const tables *)p->data)->routers;
  arrays a = open_memory(p, m->node, state);
  uint64_t nearer;
  ripstop_text_add(out, "{\"epl\":%llu,\"emergency\":%s,\"parent\":", (unsigned long long)m->epl,
                   m->open ? "true" : "false");
  ripstop_text_add(out, m->parent == NO_PORT ? "null" : "%u", m->parent);
  ripstop_text_add(out, ",\"children\":[");
  for (uint64_t ports = m->children; ports; ports &= ports - 1)
    ripstop_text_add(out, "%s%u", ports == m->children ? "" : ",", lowest(ports));
  ripstop_text_add(out, "],\"entry\":[");
  for (uint32_t to = 0; to < routers; to++) {
    uint8_t entry = a.entry[to] == NO_PORT ? m->parent : a.entry[to];
    if (to) ripstop_text_add(out, ",");
    ripstop_text_add(out, m->epl == 0 || entry == NO_PORT || p->fabric->ends + to == m->node ? "null" : "%u", entry);
  }
  ripstop_text_add(out, "],\"distances\":[");
  for (uint32_t to = 0; to < routers; to++)
    ripstop_text_add(out, "%s%u", to ? "," : "", known_distance(p, &a, to, &nearer));
  ripstop_text_add(out, "],\"minimal_ports\":[");
  for (uint32_t to = 0; to < routers; to++) {
    known_distance(p, &a, to, &nearer);
    if (to) ripstop_text_add(out, ",");
    add_neighbours(out, p, m->node, nearer);
  }
  ripstop_text_add(out, "]}");
}

/* ------------------------------------------------------------------ the whole network, for people */

/* A component as its ring shows it, or as the routers that have seen no emergency yet. */
typedef struct component {
  uint32_t root; /* node; RIPSTOP_NONE: there is no tree */
  uint32_t routers, ring;
  uint64_t links, distances, safe_sent, distance_sent;
  uint32_t diameter;
  uint8_t *member; /* [routers] */
} component;

static void add_member(component *c, const ripstop_plan *p, const void *const *state, uint32_t node) {
  const memory *m = state[node];
  uint32_t routers = ((const tables *)p->data)->routers;
  arrays a = open_memory(p, node, m);
  uint64_t nearer;
  if (c->member[node - p->fabric->ends]) return;
  c->member[node - p->fabric->ends] = 1;
  c->routers++;
  c->links += (uint64_t)__builtin_popcountll(m->alive); /* from both sides */
  c->safe_sent += m->safe_sent;
  c->distance_sent += m->distance_sent;
  for (uint32_t to = 0; to < routers; to++) {
    uint32_t distance = known_distance(p, &a, to, &nearer);
    if (distance == routers) continue;
    c->distances += distance;
    if (distance > c->diameter) c->diameter = distance;
  }
}

/* Once round the ring from its root on; ring 0 when it does not close. */
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
      return;
    }
    add_member(c, p, state, node);
    out = tour_next(tree_ports(state[node]), in - f->port_base[node]);
  } while (node != c->root || out != first);
}

static void find_component(component *c, const ripstop_plan *p, const void *const *state) {
  const ripstop_fabric *f = p->fabric;
  memset(c->member, 0, f->nodes - f->ends);
  if (c->root != RIPSTOP_NONE) walk_ring(c, p, state);
  for (uint32_t v = f->ends; v < f->nodes && c->root == RIPSTOP_NONE; v++)
    if (state[v] && ((const memory *)state[v])->epl == 0) add_member(c, p, state, v);
}

static void component_json(const component *c, const ripstop_plan *p, const void *const *state, ripstop_text *out) {
  const char *before = "{\"routers\":[";
  for (uint32_t v = p->fabric->ends; v < p->fabric->nodes; v++) {
    if (!c->member[v - p->fabric->ends]) continue;
    add_name(out, p->fabric, v, before);
    before = ",";
  }
  ripstop_text_add(out, "],\"root\":");
  if (c->root == RIPSTOP_NONE)
    ripstop_text_add(out, "null,\"epl\":0,\"ring_length\":null");
  else {
    add_name(out, p->fabric, c->root, "");
    ripstop_text_add(out, ",\"epl\":%llu,\"ring_length\":%u", (unsigned long long)((const memory *)state[c->root])->epl,
                     c->ring);
  }
  ripstop_text_add(out, ",\"links\":%llu,\"distance_sum\":%llu,\"diameter\":%u", (unsigned long long)c->links / 2,
                   (unsigned long long)c->distances, c->diameter);
  ripstop_text_add(out, ",\"safe_packets\":%u,\"safe_transmissions\":%llu,\"adaptive_transmissions\":%llu}",
                   c->root == RIPSTOP_NONE ? 0 : c->routers - 1, (unsigned long long)c->safe_sent,
                   (unsigned long long)c->distance_sent);
}

static void component_text(const component *c, const ripstop_plan *p, ripstop_text *out) {
  char root[RIPSTOP_NAME_MAX];
  if (c->root == RIPSTOP_NONE) {
    ripstop_text_add(out, "%u routers without any fault so far\n", c->routers);
    return;
  }
  ripstop_node_name(p->fabric, c->root, root);
  ripstop_text_add(
      out,
      "%u router%s, root %s: ring of %u hops; for the last tree %u safe-table packet%s over %llu link%s, %llu "
      "adaptive-table packets\n",
      c->routers, c->routers == 1 ? "" : "s", root, c->ring, c->routers - 1, c->routers == 2 ? "" : "s",
      (unsigned long long)c->safe_sent, c->safe_sent == 1 ? "" : "s", (unsigned long long)c->distance_sent);
}

static void report(const ripstop_plan *p, const void *const *state, bool as_json, ripstop_text *out) {
  const ripstop_fabric *f = p->fabric;
  component c = {.member = ripstop_realloc(NULL, f->nodes - f->ends, 1)};
  uint32_t told = 0;
  if (as_json) ripstop_text_add(out, "{\"components\":[");
  for (uint32_t v = f->ends; v <= f->nodes; v++) { /* last: those without an emergency */
    const memory *m = v < f->nodes ? state[v] : NULL;
    if (v < f->nodes && (!m || m->epl == 0 || m->parent != NO_PORT)) continue;
    c = (component){.root = m ? v : RIPSTOP_NONE, .member = c.member};
    find_component(&c, p, state);
    if (c.routers == 0) continue;
    if (as_json && told++) ripstop_text_add(out, ",");
    if (as_json)
      component_json(&c, p, state, out);
    else
      component_text(&c, p, out);
  }
  if (as_json) ripstop_text_add(out, "]}");
  free(c.member);
}

/* ------------------------------------------------------------------ what holds whenever the network is quiet */

/* Searches over what is alive, as for settled tables, beside what the routers have found out. */
typedef struct audit {
  search search;
  const void *const *state;
  uint32_t *member; /* [members]: the routers of the component at hand */
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
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(x->search.plan->fabric, x->search.plan->fabric->ends + router, name);
  return ripstop_fail(x->err, "router %s %s", name, what);
}

/* The router at the other end of a port, and the port there. */
static uint32_t across(const audit *x, uint32_t router, uint32_t port, uint32_t *there) {
  const ripstop_fabric *f = x->search.plan->fabric;
  uint32_t peer = f->peer[f->port_base[f->ends + router] + port];
  *there = peer - f->port_base[f->port_node[peer]];
  return f->port_node[peer] - f->ends;
}

/* Neither in an emergency nor in another one than its component's first router, and of one mind with its parent and its
 * children. */
static int check_router(const audit *x, uint32_t router) {
  const memory *m = memory_of(x, router);
  uint32_t there;
  if (m->open) return broken(x, router, "waits for an answer that nobody sends");
  if (m->epl != memory_of(x, x->member[0])->epl) return broken(x, router, "is not in its component's last emergency");
  if (m->parent != NO_PORT) {
    uint32_t parent = across(x, router, m->parent, &there);
    if (!(m->alive & bit(m->parent)) || !(memory_of(x, parent)->children & bit(there)))
      return broken(x, router, "is no child of its parent");
  }
  for (uint64_t ports = m->children; ports; ports &= ports - 1) {
    if (!(m->alive & bit(lowest(ports)))) return broken(x, router, "has a child behind a dead link");
    uint32_t child = across(x, router, lowest(ports), &there);
    if (memory_of(x, child)->parent != there) return broken(x, router, "is not the parent of its child");
  }
  return 0;
}

/* One tree, and its tour passes all routers of the component and is as long as it must be. */
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
  find_component(&c, p, x->state);
  if (c.routers != x->members || c.ring != 2 * (x->members - 1))
    return broken(x, x->root - p->fabric->ends,
                  "is the root of a ring that does not pass all routers of its component");
  return 0;
}

/* Distances and minimal ports to `to`: of all of the component, whether they are in it or not. */
static int check_distances(audit *x, uint32_t to) {
  const ripstop_plan *p = x->search.plan;
  find_distances(&x->search, to);
  for (uint32_t i = 0; i < x->members; i++) {
    uint32_t router = x->member[i], distance = x->search.distance[router];
    arrays a = open_memory(p, p->fabric->ends + router, memory_of(x, router));
    if (a.distance[to] != (distance == RIPSTOP_NONE ? x->search.t->routers : distance))
      return broken(x, router, "has a wrong distance in its table");
    if (a.nearer[to] != (distance == 0 ? 0 : ports_nearer(&x->search, router)))
      return broken(x, router, "has wrong minimal ports in its table");
  }
  return 0;
}

/* Safe tables for a router of the component: at all above it the branch that it is in, elsewhere the parent. */
static int check_branches(audit *x, uint32_t to) {
  const ripstop_plan *p = x->search.plan;
  memset(x->branch, NO_PORT, x->search.t->routers);
  for (uint32_t at = to, there; memory_of(x, at)->parent != NO_PORT;) {
    at = across(x, at, memory_of(x, at)->parent, &there);
    x->branch[at] = (uint8_t)there;
  }
  for (uint32_t i = 0; i < x->members; i++) {
    uint32_t router = x->member[i];
    if (open_memory(p, p->fabric->ends + router, memory_of(x, router)).entry[to] != x->branch[router])
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

/* The bubble: room for one packet, all that is free in a ring together. What moves on in the ring frees as much behind
 * it as it takes before it, and what enters leaves that much free; so a ring that has its bubble keeps it. One that has
 * come out full of an emergency has none until it is drained. */
static int check_ring_bubble(const audit *x, const ripstop_watch *watch) {
  const ripstop_fabric *f = x->search.plan->fabric;
  int64_t free_units = 0;
  for (uint32_t i = 0; i < x->members; i++)
    for (uint64_t ports = tree_ports(memory_of(x, x->member[i])); ports; ports &= ports - 1)
      free_units += watch->room(watch, f->port_base[f->ends + x->member[i]] + lowest(ports), SAFE_CHANNEL);
  if (x->members > 1 && watch->notes[x->root] && free_units < watch->longest)
    return broken(x, x->root - f->ends, "is the root of a ring that has lost its bubble");
  watch->notes[x->root] = free_units >= watch->longest;
  return 0;
}

/* The ring of a healthy torus through a port: empty at first, so it has a bubble always. */
static int check_torus_bubble(const audit *x, const ripstop_watch *watch, uint32_t router, uint32_t port) {
  const ripstop_fabric *f = x->search.plan->fabric;
  int64_t free_units = 0;
  uint32_t at = router, there;
  do {
    if (at < router) return 0; /* looked at from there */
    free_units += watch->room(watch, f->port_base[f->ends + at] + port, SAFE_CHANNEL);
    at = across(x, at, port, &there);
  } while (at != router);
  return free_units < watch->longest ? broken(x, router, "is on a ring that has lost its bubble") : 0;
}

/* Before any emergency. */
static int check_healthy(const audit *x, const ripstop_watch *watch) {
  const ripstop_plan *p = x->search.plan;
  const tables *t = p->data;
  if (!t->healthy) return broken(x, x->member[0], "has not heard that something is dead");
  for (uint32_t i = 0; i < x->members; i++) {
    if (memory_of(x, x->member[i])->epl != 0) return broken(x, x->member[i], "is alone in an emergency");
    for (uint32_t port = 0; watch && port < 2 * t->torus.dimensions; port++)
      if (leads_to_router(p->fabric, p->fabric->port_base[p->fabric->ends + x->member[i]] + port) &&
          check_torus_bubble(x, watch, x->member[i], port))
        return -1;
  }
  return 0;
}

static int check_component(audit *x, const ripstop_watch *watch) {
  if (memory_of(x, x->member[0])->epl == 0) return check_healthy(x, watch);
  if (check_tree(x) || ((!watch || watch->fresh) && check_tables(x))) return -1;
  return watch ? check_ring_bubble(x, watch) : 0;
}

/* Each component by itself: its first router finds the others. */
static int check_all(audit *x, uint8_t *done, const ripstop_watch *watch) {
  for (uint32_t router = 0; router < x->search.t->routers; router++) {
    if (done[router] || !memory_of(x, router)) continue;
    x->members = find_distances(&x->search, router);
    memcpy(x->member, x->search.queue, x->members * sizeof *x->member);
    for (uint32_t i = 0; i < x->members; i++) done[x->member[i]] = 1;
    if (check_component(x, watch)) return -1;
  }
  if (watch && watch->lost)
    return ripstop_fail(x->err, "%llu packets lost although a way to their destinations is left",
                        (unsigned long long)watch->lost);
  return 0;
}

static int check(const ripstop_plan *p, const void *const *state, const ripstop_watch *watch, ripstop_error *err) {
  tables *t = (tables *)p->data; /* finding distances only reads it */
  ripstop_arena *arena = ripstop_arena_new();
  audit x = {.search = {.plan = p, .t = t}, .state = state, .err = err};
  x.search.distance = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  x.search.queue = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  x.member = RIPSTOP_ARRAY(arena, t->routers, uint32_t);
  x.seen = RIPSTOP_ARRAY(arena, t->routers, uint8_t);
  x.branch = RIPSTOP_ARRAY(arena, t->routers, uint8_t);
  int status = check_all(&x, RIPSTOP_ARRAY(arena, t->routers, uint8_t), watch);
  ripstop_arena_free(arena);
  return status;
}

static const ripstop_proto proto = {
    .message_size = sizeof(message),
    .flits = flits,
    .kinds = kinds,
    .kind = kind,
    .settled = true,
    .interfaces = true,
    .state_size = state_size,
    .step = step,
    .ways = ways,
    .delay = delay,
    .print = print,
    .json = json,
    .report = report,
    .check = check,
};

/* Whatever leaves the fabric in one piece. A torus or a fat tree falls apart with as many dead links as a router has,
 * or a lowest switch upwards, and not with fewer; what another fabric stands is a matter of its shape. */
static void guarantees(const ripstop_fabric *fabric, const void *config_, ripstop_guarantees *out) {
  ripstop_torus torus;
  ripstop_tree tree;
  (void)config_;
  *out = (ripstop_guarantees){.deadlock_free = true};
  if (ripstop_torus_from(fabric, &torus)) out->tolerates = 2 * torus.dimensions - 1;
  if (ripstop_tree_from(fabric, &tree)) out->tolerates = tree.half - 1;
}

const ripstop_method ripstop_method_immunet = {
    .abi = RIPSTOP_METHOD_ABI,
    .name = "immunet",
    .summary = "any fabric: adaptive bubble routing that rebuilds its safe network and tables after any faults",
    .source = "paper 004",
    .options = options,
    .config_size = sizeof(config),
    .losses = losses,
    .plan = plan,
    .route = route,
    .guarantees = guarantees,
    .proto = &proto,
};
