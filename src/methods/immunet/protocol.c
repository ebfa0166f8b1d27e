/* protocol.c - immunet's routers as state machines.
 *
 * Invariants. An emergency has a number, its EPL, t * routers + the router that called it. It is greater than all that
 * the router has seen, and unique. A router follows the greatest EPL that it receives. It stalls its packets and those
 * of its NICs until each neighbour has answered for the same EPL, as child (ACK) or not (EMERG). So routers that route
 * agree with all neighbours on the tree, and the last emergency of a component ends with one tree in it. */
#include <assert.h>
#include <string.h>

#include "methods/immunet/immunet.h"

/* ------------------------------------------------------------------ memory */

uint64_t ripstop_immunet_state_bytes(const config *c, uint32_t routers, uint32_t ports) {
  uint64_t a_router = sizeof(uint64_t) + sizeof(uint32_t) + 1, early = sizeof(uint32_t);
  return sizeof(memory) + routers * a_router + ports * (sizeof(uint64_t) + routers * early) +
         control_room(c, routers, ports) * sizeof(control);
}

size_t ripstop_immunet_state_size(const ripstop_plan *p, uint32_t node) {
  return (size_t)ripstop_immunet_state_bytes(p->config, ((const tables *)p->data)->routers,
                                             ripstop_node_ports(p->fabric, node));
}

arrays ripstop_immunet_open_memory(const ripstop_plan *p, uint32_t node, const void *state) {
  size_t routers = ((const tables *)p->data)->routers, ports = ripstop_node_ports(p->fabric, node);
  arrays a = {.m = (memory *)state};
  a.nearer = (uint64_t *)(a.m + 1);
  a.early = a.nearer + routers;
  a.distance = (uint32_t *)(a.early + ports);
  a.early_distance = a.distance + routers;
  a.waiting = (control *)(a.early_distance + ports * routers);
  a.entry = (uint8_t *)(a.waiting + control_room(p->config, (uint32_t)routers, (uint32_t)ports));
  return a;
}

/* A router during one step. */
typedef struct agent {
  const ripstop_plan *plan;
  const config *c;
  uint32_t node, router, routers, ports;
  arrays a;
  uint64_t cycle;
  ripstop_actions *actions;
  bool changed;              /* its candidates changed */
  bool by_safe, by_distance; /* a control packet of this kind changed them */
  bool starts;               /* it has no tables of an earlier time */
} agent;

/* A timer's number is that of its emergency, which a later one invalidates, and a bit for its purpose. */
#define FORGET_TIMER (UINT32_C(1) << 31)
#define MODULE_TIMER (UINT32_C(1) << 30)
#define OWN_TIMER    (UINT32_C(1) << 29)
#define WAIT_TIMER   (UINT32_C(1) << 28)
#define ALL_TIMERS   (FORGET_TIMER | MODULE_TIMER | OWN_TIMER | WAIT_TIMER)

static uint32_t timer_of(const memory *m) { return (uint32_t)m->epl & ~ALL_TIMERS; }

/* The counts of Table 1: safe-table packets where they are made, adaptive-table packets on each link. */
enum { COUNT_EMERGENCY, COUNT_ACK, COUNT_SAFE, COUNT_SAFE_ON, COUNT_ADAPTIVE };
const char *const ripstop_immunet_kinds[] = {
    [COUNT_EMERGENCY] = "emergency",     [COUNT_ACK] = "ack",
    [COUNT_SAFE] = "safe-table",         [COUNT_SAFE_ON] = "safe-table-forwarded",
    [COUNT_ADAPTIVE] = "adaptive-table", NULL};

/* ------------------------------------------------------------------ control packets */

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

/* `router` is in the branch at `port`. */
static void on_safe(agent *g, uint32_t port, uint32_t router) {
  g->by_safe |= g->a.entry[router] != port;
  g->a.entry[router] = (uint8_t)port;
  send_control(g, parent_port(g->a.m), (message){.kind = SAFE, .router = router});
}

/* An equal distance adds a candidate and needs no update to the neighbours. */
static void on_distance(agent *g, uint32_t port, uint32_t router, uint32_t distance) {
  uint32_t *known = &g->a.distance[router];
  if (distance > *known) return;
  g->by_distance |= distance < *known || !(g->a.nearer[router] & bit(port));
  if (distance == *known) {
    g->a.nearer[router] |= bit(port);
    return;
  }
  *known = distance;
  g->a.nearer[router] = bit(port);
  send_control(g, g->a.m->alive & ~bit(port), (message){.kind = DISTANCE, .router = router, .distance = distance});
}

static void handle(agent *g, const control *packet) {
  if (packet->kind == SAFE)
    on_safe(g, packet->port, packet->router);
  else
    on_distance(g, packet->port, packet->router, packet->distance + 1);
}

/* The free table module takes the next packet and is busy with it. */
static void serve(agent *g) {
  memory *m = g->a.m;
  m->busy = m->waiting > 0;
  if (!m->busy) return;
  control next = ripstop_immunet_unqueue(&g->a, (control_order)g->c->order);
  handle(g, &next);
  ripstop_act_timer(g->actions, timer_of(m) | MODULE_TIMER, (uint64_t)g->c->control_handling);
}

/* Messages of cycle 0 are settled and take no time. A packet that does not fit the queue is handled immediately; the
 * queue is far longer than needed. */
static void take(agent *g, const control *packet) {
  if (g->cycle == 0 || !ripstop_immunet_queue(&g->a, control_room(g->c, g->routers, g->ports), packet))
    handle(g, packet);
  else if (!g->a.m->busy)
    serve(g);
}

/* Keeps a distance of an emergency that has not arrived here yet, from a router that still waits for this one's answer:
 * the least for each port and router. (Safe-table packets go to parents, which are never behind.) */
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
      if (early[router] != RIPSTOP_NONE)
        take(g, &(control){.kind = DISTANCE, .port = (uint8_t)port, .router = router, .distance = early[router]});
  }
}

static void on_control(agent *g, uint32_t port, const message *m) {
  if (m->epl > g->a.m->epl && m->kind == DISTANCE) keep_early(g, port, m);
  if (m->epl != g->a.m->epl) return;
  take(g, &(control){.kind = m->kind, .port = (uint8_t)port, .router = m->router, .distance = m->distance});
}

/* ------------------------------------------------------------------ emergencies */

/* Sends the router's own control packets, which announce it to the others. */
static void send_own(agent *g) {
  send_control(g, parent_port(g->a.m), (message){.kind = SAFE, .own = 1, .router = g->router});
  send_control(g, g->a.m->alive, (message){.kind = DISTANCE, .own = 1, .router = g->router});
}

/* Control packets that travel as packets wait here until they are made; others wait on their first hop
 * (ripstop_immunet_delay). */
static void make_own(agent *g) {
  if (g->c->control_path == PATH_SAFE && own_cycles(g->c) && g->cycle > 0)
    ripstop_act_timer(g->actions, timer_of(g->a.m) | OWN_TIMER, own_cycles(g->c));
  else
    send_own(g);
}

/* When all neighbours have answered: packets move again, at least by the ring, and the tables are made. */
static void end_emergency(agent *g) {
  memory *m = g->a.m;
  if (m->open) return;
  g->changed = true;
  make_own(g);
  if (g->c->forget_cycles) ripstop_act_timer(g->actions, timer_of(m) | FORGET_TIMER, (uint64_t)g->c->forget_cycles);
  if (!g->c->drain_cycles || !tree_ports(m)) return;
  m->draining = true;
  ripstop_act_timer(g->actions, timer_of(m), (uint64_t)g->c->drain_cycles);
}

/* tables=stale: the part of a row of the adaptive table, or of a healthy torus's, that stays. Rows of lost routers stay
 * permanently. Old rows form no cycle: if one leads from a router to its neighbour, the neighbour's row is of the same
 * emergency with a shorter distance, or of a later one. */
static uint64_t kept_row(const agent *g, uint32_t router) {
  uint64_t ports = g->a.nearer[router];
  if (g->c->tables == TABLES_EMPTY || g->starts || router == g->router) return 0;
  if (g->a.m->epl == 0) ripstop_immunet_known_distance(g->plan, &g->a, router, &ports);
  return ports & g->a.m->alive;
}

static bool is_printed(const agent *g) { return g->c->protocol == PROTOCOL_PRINTED; }

/* In the printed protocol a router counts the emergencies that it takes part in, perhaps fewer than others have seen.
 */
static void count_emergency(const agent *g, uint64_t epl) {
  memory *m = g->a.m;
  assert(g->routers > 0); /* this one */
  if (is_printed(g))
    m->t++;
  else if (epl / g->routers + 1 > m->t)
    m->t = epl / g->routers + 1;
}

/* In the printed protocol a router that is no child does not answer. So a router waits as long as an ACK can take,
 * after its own handling if it has called. */
static void wait_for_acks(agent *g) {
  const memory *m = g->a.m;
  uint64_t own = m->parent == NO_PORT ? (uint64_t)g->c->emergency_cycles : 0;
  if (is_printed(g) && m->open)
    ripstop_act_timer(g->actions, timer_of(m) | WAIT_TIMER,
                      own + (uint64_t)g->c->emergency_cycles + 2 * (uint64_t)g->c->ack_cycles);
}

/* Takes part in emergency `epl`, which arrived by a port, or which the router calls itself (NO_PORT). */
static void join(agent *g, uint64_t epl, uint8_t parent) {
  memory *m = g->a.m;
  for (uint32_t router = 0; router < g->routers; router++) g->a.nearer[router] = kept_row(g, router);
  m->epl = epl;
  count_emergency(g, epl);
  m->parent = parent;
  m->children = 0;
  m->open = m->alive & ~parent_port(m);
  m->draining = m->complete = false;
  m->safe_sent = m->distance_sent = 0;
  m->waiting = 0, m->busy = false;
  for (uint32_t router = 0; router < g->routers; router++) {
    g->a.distance[router] = router == g->router ? 0 : g->routers;
    g->a.entry[router] = NO_PORT;
  }
  g->changed = true;
  send(g, parent_port(m), (message){.kind = ACK});
  send(g, m->open, (message){.kind = EMERG, .own = parent == NO_PORT});
  wait_for_acks(g);
  end_emergency(g);
  handle_early(g);
}

/* Section 5: an EPL has so many bits; all ones means ACK. One that does not fit wraps and is ignored by routers with a
 * greater one; check.c reports it. */
static uint64_t next_epl(agent *g) {
  memory *m = g->a.m;
  uint64_t epl = m->t * g->routers + g->router, ones = UINT64_MAX >> (64 - g->c->epl_bits) % 64;
  if (g->c->epl_bits == 0 || epl < ones) return epl;
  m->wrapped = epl;
  m->t++;
  return epl & ones;
}

/* Called when a port has failed or returned. */
static void call_emergency(agent *g, uint8_t port, bool up) {
  g->a.m->cause = port;
  g->a.m->cause_up = up;
  join(g, next_epl(g), NO_PORT);
}

/* An ACK of the printed protocol has no EPL. */
static void on_printed_answer(agent *g, uint32_t port, const message *m) {
  if (m->kind == ACK) g->a.m->children |= g->a.m->open & bit(port);
}

static void on_answer(agent *g, uint32_t port, const message *m) {
  memory *own = g->a.m;
  if (is_printed(g)) {
    on_printed_answer(g, port, m);
    return;
  }
  if (m->epl != own->epl || !(own->open & bit(port))) return;
  own->open &= ~bit(port);
  if (m->kind == ACK) own->children |= bit(port);
  end_emergency(g);
}

/* ------------------------------------------------------------------ events */

static void on_start(agent *g, uint64_t cycle) {
  const tables *t = g->plan->data;
  memory *m = g->a.m;
  m->node = g->node;
  m->t = is_printed(g) ? 0 : 1; /* EPL 0 means that there is no emergency; as printed it is also the first one of router
                                 * 0 */
  m->parent = NO_PORT;
  m->alive = ports_to(g->plan->fabric, g->node, TO_ROUTERS, NULL);
  g->starts = true;
  if (!t->is_torus || cycle > 0) call_emergency(g, NO_PORT, true); /* no safe network exists before */
}

static void on_link_down(agent *g, uint32_t port) {
  if (!(g->a.m->alive & bit(port))) return;
  g->a.m->alive &= ~bit(port);
  g->a.early[port] = 0;
  call_emergency(g, (uint8_t)port, false);
}

static void on_link_up(agent *g, uint32_t port) {
  if (g->a.m->alive & bit(port) || !leads_to_router(g->plan->fabric, g->plan->fabric->port_base[g->node] + port))
    return;
  g->a.m->alive |= bit(port);
  call_emergency(g, (uint8_t)port, true);
}

/* A message shows that its link is up, whichever switch notices first. */
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
  if ((timer & ~ALL_TIMERS) != timer_of(m)) return;
  if (timer & MODULE_TIMER) {
    serve(g);
    return;
  }
  if (timer & WAIT_TIMER) {
    m->open = 0;
    end_emergency(g);
    return;
  }
  if (m->open) return;
  if (timer & OWN_TIMER) {
    send_own(g);
    return;
  }
  if (!(timer & FORGET_TIMER)) {
    g->changed |= m->draining;
    m->draining = false;
    return;
  }
  m->complete = true;
  for (uint32_t router = 0; router < g->routers; router++) g->changed |= g->a.distance[router] == g->routers;
}

static void report_changes(const agent *g) {
  if (g->changed || g->by_safe || g->by_distance) ripstop_act_candidates_changed(g->actions);
  if (g->by_safe) ripstop_act_changed_by(g->actions, COUNT_SAFE);
  if (g->by_distance) ripstop_act_changed_by(g->actions, COUNT_ADAPTIVE);
}

void ripstop_immunet_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                          ripstop_actions *actions) {
  agent g = {.plan = p,
             .c = p->config,
             .node = node,
             .router = node - p->fabric->ends,
             .routers = ((const tables *)p->data)->routers,
             .ports = ripstop_node_ports(p->fabric, node),
             .a = ripstop_immunet_open_memory(p, node, state),
             .cycle = event->cycle,
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
  report_changes(&g);
}

uint64_t ripstop_immunet_delay(const ripstop_plan *p, const void *message_) {
  const config *c = p->config;
  const message *m = message_;
  if (m->kind == ACK) return (uint64_t)c->ack_cycles;
  if (m->kind == EMERG) return (uint64_t)c->emergency_cycles * (m->own ? 2 : 1);
  return (uint64_t)c->control_cycles + (m->own && c->control_path != PATH_SAFE ? own_cycles(c) : 0);
}

uint32_t ripstop_immunet_flits(const ripstop_plan *p, const void *message_) {
  const config *c = p->config;
  const message *m = message_;
  bool is_signal = m->kind == EMERG || m->kind == ACK; /* section 5: they use the links' request lines */
  if (c->control_path == PATH_OWN || (c->control_path == PATH_SAFE && is_signal)) return 0;
  return (uint32_t)c->control_flits;
}

/* To enter the ring a packet needs the bubble. In an emergency packets are stopped, and the ring is unknown. */
uint8_t ripstop_immunet_control_space(const ripstop_plan *p, const void *state, uint32_t port) {
  const memory *m = state;
  (void)p;
  if (m->open) return 0;
  return tree_ports(m) & bit(port) ? 2 : 1;
}

uint32_t ripstop_immunet_kind(const ripstop_plan *p, const void *message_) {
  const message *m = message_;
  static const uint8_t counted[] = {
      [EMERG] = COUNT_EMERGENCY, [ACK] = COUNT_ACK, [SAFE] = COUNT_SAFE_ON, [DISTANCE] = COUNT_ADAPTIVE};
  (void)p;
  return m->kind == SAFE && m->own ? COUNT_SAFE : counted[m->kind];
}
