/* protocol.c - the switches of valleys as state machines. Each reports which of its own links are up, and forwards
 * other switches' reports, so all know all links. A switch whose knowledge grows immediately restricts itself to the
 * turns that follow from it. Then all agree, along a spanning tree that follows from the same knowledge: each switch
 * reports READY when all below it are; when the root has READY from all it sends GO, and then switches permit all
 * allowed turns. docs/methods/valleys.md proves that no cycle of permitted turns exists at any moment.
 *
 * Messages of a link may overtake each other: LINKS are numbered, and READY and GO wait for all LINKS sent before them.
 * A switch that starts requests everything that its neighbours know; a neighbour may have started, too, and sends a
 * request in turn. */
#include <string.h>

#include "methods/valleys/valleys.h"

/* ------------------------------------------------------------------ memory */

enum { ALIGNED = 8 };

static size_t aligned(size_t bytes) { return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED; }

uint64_t ripstop_valleys_state_bytes(const chart *c, uint32_t switch_) {
  size_t ports = ports_of(c, switch_);
  return sizeof(memory) + c->switches * sizeof(report) + ports * (sizeof(port_memory) + 2 * sizeof(uint64_t)) +
         aligned(ports * (c->leaves + 1) * sizeof(int16_t)) + aligned(c->leaves);
}

size_t ripstop_valleys_state_size(const ripstop_plan *p, uint32_t node) {
  return (size_t)ripstop_valleys_state_bytes(chart_of(p), node - p->fabric->ends);
}

arrays ripstop_valleys_open_memory(const ripstop_plan *p, uint32_t node, const void *state) {
  const chart *c = chart_of(p);
  size_t ports = ripstop_node_ports(p->fabric, node);
  arrays a = {.m = (memory *)state};
  a.report = (report *)(a.m + 1);
  a.port = (port_memory *)(a.report + c->switches);
  a.turn = (uint64_t *)(a.port + ports);
  a.permitted = a.turn + ports;
  a.left = (int16_t *)(a.permitted + ports);
  a.connected = (uint8_t *)a.left + aligned(ports * (c->leaves + 1) * sizeof(int16_t));
  return a;
}

/* A switch during one step. */
typedef struct agent {
  const ripstop_plan *plan;
  const config *c;
  const chart *chart;
  uint32_t switch_, ports;
  uint64_t wired; /* ports to switches */
  arrays a;
  const ripstop_event *event;
  ripstop_actions *actions;
  bool changed; /* its candidates changed */
} agent;

/* ------------------------------------------------------------------ messages */

static void send_report(agent *g, uint64_t ports, uint32_t of) {
  message m = {.kind = LINKS, .switch_ = of, .stamp = g->a.report[of].stamp, .ports = g->a.report[of].ports};
  for (ports &= g->a.m->met; ports; ports &= ports - 1) {
    m.first = g->a.port[lowest(ports)].first;
    m.sent = ++g->a.port[lowest(ports)].sent;
    ripstop_act_send(g->actions, lowest(ports), &m);
  }
}

static void request(agent *g, uint64_t ports) {
  message m = {.kind = REQUEST};
  for (; ports; ports &= ports - 1) ripstop_act_send(g->actions, lowest(ports), &m);
}

static void send_vote(agent *g, uint64_t ports, message_kind kind) {
  for (; ports; ports &= ports - 1) {
    message m = {.kind = kind, .stamp = g->a.m->version, .sent = g->a.port[lowest(ports)].sent};
    ripstop_act_send(g->actions, lowest(ports), &m);
  }
}

/* ------------------------------------------------------------------ agreement */

/* The vote is of this incarnation of the link: votes of an earlier one may have been forgotten. */
static bool holds(const agent *g, const vote *v, uint32_t port) {
  const port_memory *at = &g->a.port[port];
  return v->version == g->a.m->version && v->sent >= at->from && has_received(at, v->sent);
}

static bool all_below_ready(const agent *g) {
  for (uint64_t ports = g->a.m->children; ports; ports &= ports - 1)
    if (!holds(g, &g->a.port[lowest(ports)].ready, lowest(ports))) return false;
  return true;
}

static void permit_all(agent *g) {
  memcpy(g->a.permitted, g->a.turn, g->ports * sizeof *g->a.permitted);
  g->a.m->agreed = g->changed = true;
  send_vote(g, g->a.m->children, GO);
}

static void agree(agent *g) {
  memory *m = g->a.m;
  bool is_root = m->parent == NO_PORT;
  uint64_t beside = m->children | (is_root ? 0 : bit(m->parent));
  if (beside & ~m->met) return;
  if (!m->reported_ready && all_below_ready(g)) {
    m->reported_ready = true;
    if (!is_root) send_vote(g, bit(m->parent), READY);
  }
  if (m->reported_ready && !m->agreed && (is_root || holds(g, &g->a.port[m->parent].go, m->parent))) permit_all(g);
}

/* ------------------------------------------------------------------ knowledge */

/* Ports whose links are up according to both ends. */
static uint64_t live_ports(const agent *g, uint32_t switch_) {
  const chart *c = g->chart;
  uint64_t live = 0;
  for (uint64_t ports = g->a.report[switch_].ports; ports; ports &= ports - 1) {
    uint32_t channel = channel_from(c, switch_, lowest(ports));
    if (g->a.report[head_of(c, channel)].ports & bit(head_port(c, channel))) live |= ports & -ports;
  }
  return live;
}

/* Takes the switches to agree with from the tree. With the fixed turns alone a switch agrees with itself. */
static void take_tree(agent *g, const frame *f) {
  const chart *c = g->chart;
  memory *m = g->a.m;
  if (c->keeps_fixed) return;
  m->parent = f->parent[g->switch_];
  m->children = 0;
  for (uint64_t ports = f->live[g->switch_]; ports; ports &= ports - 1) {
    uint32_t channel = channel_from(c, g->switch_, lowest(ports));
    if (f->parent[head_of(c, channel)] == head_port(c, channel)) m->children |= ports & -ports;
  }
}

/* Takes the turns into the switch's own ports, by input port. Turns that are not allowed any more are not permitted any
 * more. */
static void take_turns(agent *g, const frame *f) {
  for (uint32_t port = 0; port < g->ports; port++) {
    bool is_live = f->live[g->switch_] & bit(port);
    g->a.turn[port] = is_live ? f->turn[channel_back(g->chart, channel_from(g->chart, g->switch_, port))] : 0;
    g->a.permitted[port] &= g->a.turn[port];
  }
}

static void make_frame(agent *g) {
  const chart *c = g->chart;
  void *scratch = ripstop_realloc(NULL, ripstop_valleys_frame_bytes(c), 1);
  frame f = ripstop_valleys_open_frame(c, scratch);
  for (uint32_t s = 0; s < c->switches; s++) f.live[s] = live_ports(g, s);
  ripstop_valleys_span(&f, g->switch_);
  ripstop_valleys_build(&f);
  g->a.m->live = f.live[g->switch_];
  g->a.m->kind = (uint8_t)f.kind;
  take_tree(g, &f);
  take_turns(g, &f);
  memcpy(g->a.connected, f.joined, c->leaves);
  for (uint32_t first = 0; first <= c->leaves; first += BATCH) {
    ripstop_valleys_measure(&f, first);
    ripstop_valleys_copy_rows(&f, first, g->switch_, g->a.left);
  }
  ripstop_free(scratch);
}

/* From now on packets without a route wait for more updates. Messages of cycle 0 are settled and take no time. */
static void note_change(agent *g) {
  memory *m = g->a.m;
  g->changed = true;
  if (g->event->cycle == 0 || g->chart->keeps_fixed) return;
  m->calm = m->settled = false;
  m->changed_at = g->event->cycle;
  if (!m->watching) ripstop_act_timer(g->actions, 0, (uint64_t)g->c->hold_cycles);
  m->watching = true;
}

/* Stores a switch's report about itself; true: that changes which links are up. */
static bool store_report(agent *g, uint32_t of, report now) {
  const chart *c = g->chart;
  report *old = &g->a.report[of];
  bool is_other = false;
  for (uint64_t ports = now.ports ^ old->ports; ports; ports &= ports - 1) {
    uint32_t channel = channel_from(c, of, lowest(ports));
    is_other |= (g->a.report[head_of(c, channel)].ports & bit(head_port(c, channel))) != 0;
  }
  g->a.m->version += now.stamp - old->stamp;
  g->a.m->reported_ready = g->a.m->agreed = false;
  *old = now;
  return is_other;
}

static void on_report(agent *g, uint32_t of, report now, uint64_t pass_to) {
  if (store_report(g, of, now)) make_frame(g);
  note_change(g);
  send_report(g, pass_to, of);
}

/* ------------------------------------------------------------------ events */

/* Before any change all switches know the tree as wired, and have agreed on its turns. */
static void know_first(agent *g) {
  for (uint32_t s = 0; s < g->chart->switches; s++)
    store_report(g, s, (report){.stamp = 1, .ports = ripstop_valleys_wired(g->chart, s)});
  make_frame(g);
  memcpy(g->a.permitted, g->a.turn, g->ports * sizeof *g->a.permitted);
  g->a.m->reported_ready = g->a.m->agreed = g->a.m->calm = g->a.m->settled = true;
  g->a.m->met = g->wired;
}

/* A switch's stamps grow from each incarnation to the next: one begins with the cycle, and has fewer than 65,536
 * changes per cycle. */
enum { STAMP_CYCLE = 16 };

/* Forgets the other end's votes, and numbers LINKS from after `least` on: beyond all numbers of this incarnation of the
 * switch and of earlier ones, which had fewer reports per cycle. A number belongs to one incarnation of the link alone,
 * so that a vote of an earlier incarnation never counts in this one (docs/proofs/votes.pml). */
static void begin_port(agent *g, uint32_t port, uint64_t least) {
  port_memory *at = &g->a.port[port];
  uint64_t first = g->event->cycle << STAMP_CYCLE;
  at->ready = at->go = (vote){0};
  at->first = at->sent = least > first ? least : first;
}

static void on_start(agent *g) {
  g->a.m->node = g->chart->fabric->ends + g->switch_;
  g->a.m->parent = NO_PORT;
  for (uint32_t port = 0; port < g->ports; port++) begin_port(g, port, 0);
  if (g->event->cycle == 0) {
    know_first(g);
    return;
  }
  store_report(g, g->switch_, (report){.stamp = (g->event->cycle << STAMP_CYCLE) + 1, .ports = g->wired});
  make_frame(g);
  note_change(g);
  request(g, g->wired);
}

/* Sends everything that is known here to a neighbour that knows nothing, and requests the same. */
static void meet(agent *g, uint32_t port) {
  if (g->a.m->met & bit(port)) return;
  g->a.m->met |= bit(port);
  request(g, bit(port));
  for (uint32_t s = 0; s < g->chart->switches; s++)
    if (g->a.report[s].stamp) send_report(g, bit(port), s);
}

static void on_link(agent *g, uint32_t port, bool is_up) {
  report now = g->a.report[g->switch_];
  now.stamp++;
  now.ports = is_up ? now.ports | bit(port) : now.ports & ~bit(port);
  begin_port(g, port, g->a.port[port].sent + 1);
  g->a.m->met &= ~bit(port);
  on_report(g, g->switch_, now, g->wired);
  if (is_up) meet(g, port);
}

/* A message of an earlier incarnation of the link may arrive late. */
static void count_links(agent *g, port_memory *at, const message *m) {
  bool lacked = at->received < at->last;
  if (m->first < at->from) return;
  if (m->first > at->from) at->from = at->received = at->last = m->first;
  at->received++;
  if (m->sent > at->last) at->last = m->sent;
  if (lacked && at->received == at->last) g->changed = true; /* packets have waited for it */
}

static void on_message(agent *g, uint32_t port, const message *m) {
  port_memory *at = &g->a.port[port];
  vote v = {.version = m->stamp, .sent = m->sent};
  if (m->kind == REQUEST) meet(g, port);
  if (m->kind == READY && v.version > at->ready.version) at->ready = v;
  if (m->kind == GO && v.version > at->go.version) at->go = v;
  if (m->kind != LINKS) return;
  count_links(g, at, m);
  if (m->stamp > g->a.report[m->switch_].stamp)
    on_report(g, m->switch_, (report){.stamp = m->stamp, .ports = m->ports}, g->wired & ~bit(port));
}

/* A packet waits in one of the switch's queues. */
static bool holds_packets(const agent *g) {
  for (uint32_t port = 0; g->event->free_space && port < g->ports; port++)
    if (g->event->free_space[port] < g->event->capacity) return true;
  return false;
}

static void on_timer(agent *g) {
  memory *m = g->a.m;
  uint64_t quiet = g->event->cycle - m->changed_at, hold = (uint64_t)g->c->hold_cycles;
  uint64_t stale = (uint64_t)g->c->stale_cycles;
  m->calm = quiet >= hold;
  m->settled = m->calm && quiet >= stale;
  m->watching = !m->settled;
  g->changed = m->calm && holds_packets(g);
  if (m->watching) ripstop_act_timer(g->actions, 0, (m->calm ? stale : hold) - quiet);
}

void ripstop_valleys_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                          ripstop_actions *actions) {
  const chart *c = chart_of(p);
  agent g = {.plan = p,
             .c = p->config,
             .chart = c,
             .switch_ = node - p->fabric->ends,
             .ports = ripstop_node_ports(p->fabric, node),
             .wired = ripstop_valleys_wired(c, node - p->fabric->ends),
             .a = ripstop_valleys_open_memory(p, node, state),
             .event = event,
             .actions = actions};
  bool is_link = event->kind == RIPSTOP_EVENT_LINK_DOWN || event->kind == RIPSTOP_EVENT_LINK_UP;
  if (is_link && !(g.wired & bit(event->port)))
    g.changed = true; /* an end node's */
  else if (is_link)
    on_link(&g, event->port, event->kind == RIPSTOP_EVENT_LINK_UP);
  else if (event->kind == RIPSTOP_EVENT_START)
    on_start(&g);
  else if (event->kind == RIPSTOP_EVENT_MESSAGE)
    on_message(&g, event->port, event->message);
  else
    on_timer(&g);
  agree(&g);
  if (g.changed) ripstop_act_candidates_changed(actions);
}

/* ------------------------------------------------------------------ queries */

const char *const ripstop_valleys_kinds[] = {
    [REQUEST] = "ask", [LINKS] = "links", [READY] = "ready", [GO] = "go", NULL};

uint32_t ripstop_valleys_kind(const ripstop_plan *p, const void *message_) {
  (void)p;
  return ((const message *)message_)->kind;
}
