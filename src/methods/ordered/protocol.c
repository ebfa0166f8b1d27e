/* protocol.c - the routers of ordered maintain their order and their tables by messages; each is a pure state machine.
 *
 * A place only rises in number, so a router only moves down. The greatest claim that a router has received determines
 * the root. Entries follow the order alone: `reach` comes from below and `alive` from above. So false entries disappear
 * from their origin on, and never count to infinity.
 *
 * Messages may overtake each other: each router numbers its own, and among two about the same subject the later holds.
 * Knowledge of a neighbour ends with its link. */
#include <string.h>

#include "methods/ordered/ordered.h"

/* ------------------------------------------------------------------ memory */

uint64_t ripstop_ordered_state_bytes(uint32_t routers, uint32_t ports) {
  uint64_t rows = (uint64_t)routers + 1;
  return sizeof(memory) + ports * sizeof(neighbour) + rows * (sizeof(row) + 2 * sizeof(uint64_t)) +
         ports * rows * (sizeof(entry) + sizeof(uint32_t));
}

size_t ripstop_ordered_state_size(const ripstop_plan *p, uint32_t node) {
  return (size_t)ripstop_ordered_state_bytes(((const tables *)p->data)->routers, ripstop_node_ports(p->fabric, node));
}

arrays ripstop_ordered_open_memory(const ripstop_plan *p, uint32_t node, const void *state) {
  size_t rows = (size_t)((const tables *)p->data)->routers + 1, ports = ripstop_node_ports(p->fabric, node);
  arrays a = {.m = (memory *)state};
  a.near = (neighbour *)(a.m + 1);
  a.row = (row *)(a.near + ports);
  a.lost_at = (uint64_t *)(a.row + rows);
  a.drop_at = a.lost_at + rows;
  a.received_seq = (uint32_t *)(a.drop_at + rows);
  a.received = (entry *)(a.received_seq + ports * rows);
  return a;
}

/* A router during one step. */
typedef struct agent {
  const ripstop_plan *plan;
  const config *c;
  uint32_t node, router, routers, ports;
  arrays a;
  const ripstop_event *event;
  ripstop_actions *actions;
  uint64_t age;      /* ENTRY: cycles for which the destination has not been alive */
  uint16_t farthest; /* LINK_DOWN of a deputy: the greatest distance that it knew */
  bool is_host;
  bool changed; /* its candidates changed */
} agent;

/* A timer is for the destination of its number, or for stale packets. */
#define STALE_TIMER UINT32_MAX
#define AGE_MAX     1000000000

/* Messages of cycle 0 are settled and take no time. */
static uint64_t hold_of(const agent *g) { return g->event->cycle == 0 ? 1 : (uint64_t)g->c->hold_cycles; }

static entry *received_from(const agent *g, uint32_t port) { return g->a.received + (size_t)port * (g->routers + 1); }

/* ------------------------------------------------------------------ messages
 *
 * A message goes to all ports. On a failed link it is lost. On a link that fails and returns in one cycle it
 * arrives. */

static void send(agent *g, uint64_t ports, message *m) {
  m->seq = ++g->a.m->seq;
  for (; ports; ports &= ports - 1) ripstop_act_send(g->actions, lowest(ports), m);
}

static bool is_safe(const agent *g) { return is_root(g->a.m, g->router) || (g->a.m->up & (g->a.m->up - 1)); }

static void send_rank(agent *g, uint64_t ports, uint8_t flags) {
  const memory *m = g->a.m;
  for (; ports; ports &= ports - 1) {
    uint8_t deputy = m->reported_deputy == lowest(ports) ? IS_DEPUTY : 0;
    uint8_t numbered = m->own.numbering.epoch == m->claim.epoch && m->own.numbering.root == m->claim.root;
    send(g, ports & -ports,
         &(message){.kind = RANK,
                    .flags = (uint8_t)(flags | (is_safe(g) ? IS_SAFE : 0) | deputy | (numbered ? IS_NUMBERED : 0)),
                    .stamp = m->stamp,
                    .place = m->own,
                    .claim = m->claim});
  }
}

static void send_entry(agent *g, uint64_t ports, uint32_t to) {
  const entry *own = &g->a.row[to].own;
  uint64_t age = own->alive ? 0 : g->event->cycle - g->a.lost_at[to];
  send(g, ports,
       &(message){.kind = ENTRY, .destination = to, .entry = *own, .age = age < AGE_MAX ? (uint32_t)age : AGE_MAX});
}

/* Sends everything to a neighbour that knows nothing of this router. */
static void send_all(agent *g, uint32_t port, uint8_t flags) {
  g->a.m->met |= bit(port);
  send_rank(g, bit(port), flags);
  for (uint32_t to = 0; to <= g->routers; to++)
    if (g->a.row[to].own.alive) send_entry(g, bit(port), to);
}

/* ------------------------------------------------------------------ tables */

static void note_change(agent *g) {
  memory *m = g->a.m;
  g->changed = true;
  m->settled = false;
  m->changed_at = g->event->cycle;
  if (!m->watching) ripstop_act_timer(g->actions, STALE_TIMER, (uint64_t)g->c->hold_cycles);
  m->watching = true;
}

static bool is_same_row(const row *a, const row *b) {
  return a->nearer == b->nearer && a->up == b->up && a->down == b->down && is_same_entry(&a->own, &b->own);
}

static bool has_end_nodes(const agent *g, uint32_t to) {
  const ripstop_fabric *f = g->plan->fabric;
  for (uint32_t port = f->port_base[f->ends + to]; to < g->routers && port < f->port_base[f->ends + to + 1]; port++)
    if (leads_to_end(f, port)) return true;
  return false;
}

/* A row's timers: this bit marks the one for `hopes`. */
#define HOPE_TIMER (UINT32_C(1) << 31)

/* From now on packets to the destination wait until it is given up: `hold` cycles after the reporting router lost it,
 * but not before half of that time has passed here, in which better entries may arrive. */
static void lose_destination(agent *g, uint32_t to) {
  uint64_t now = g->event->cycle, hold = hold_of(g), age = g->age < now ? g->age : now;
  g->a.lost_at[to] = now - age;
  g->a.drop_at[to] = now + (age < hold / 2 ? hold - age : hold - hold / 2);
  if (has_end_nodes(g, to)) ripstop_act_timer(g->actions, to, g->a.drop_at[to] - now);
}

static row find_row(const agent *g, uint32_t to, bool is_host, bool hopes) {
  return ripstop_ordered_row(&(row_inputs){.known = g->a.m->known,
                                           .up = g->a.m->up,
                                           .near = g->a.received + to,
                                           .stride = g->routers + 1,
                                           .routers = g->routers,
                                           .here = is_host && (to == g->router || to == g->routers),
                                           .hopes = hopes});
}

/* A deputy that becomes the root has lost its candidates up, and waits for entries from the farthest routers. */
static uint64_t grace_of(const agent *g, const row *old) {
  uint64_t hops = old->own.reach ? 0 : g->farthest;
  return (uint64_t)g->c->grace_cycles + hops * (uint64_t)g->c->entry_cycles;
}

/* A router that loses its last route down while none leads up may regain one in a moment, by another neighbour. So may
 * a router that has become the root and has no router above it any more. A report would stop packets all over the
 * network, so it is sent only if that does not happen. */
static bool may_hope(agent *g, const row *old, const row *new, uint32_t to) {
  bool had = old->own.reach || (has_candidate(old) && is_root(g->a.m, g->router));
  if (has_candidate(new)) return false;
  if (old->hopes || !had || g->event->cycle == 0 || g->c->grace_cycles == 0) return old->hopes;
  ripstop_act_timer(g->actions, to | HOPE_TIMER, grace_of(g, old));
  return true;
}

static void take_row(agent *g, uint32_t to, row new) {
  row *old = &g->a.row[to];
  new.gone = old->gone && !has_candidate(&new);
  bool is_same = is_same_row(old, &new), is_lost = has_candidate(old) && !has_candidate(&new);
  bool is_update = !is_same_entry(&old->own, &new.own);
  *old = new;
  if (is_same) return;
  note_change(g);
  if (is_lost) lose_destination(g, to);
  if (is_update) send_entry(g, g->a.m->wired, to);
}

static void make_row(agent *g, uint32_t to) {
  row new = find_row(g, to, g->is_host, false);
  bool hopes = may_hope(g, &g->a.row[to], &new, to);
  if (hopes) new = find_row(g, to, g->is_host, true);
  new.hopes = hopes;
  take_row(g, to, new);
}

static void make_rows(agent *g) {
  for (uint32_t to = 0; to <= g->routers; to++) make_row(g, to);
}

/* ------------------------------------------------------------------ the order */

static void find_up(agent *g) {
  memory *m = g->a.m;
  m->up = 0;
  for (uint64_t ports = m->known; ports; ports &= ports - 1)
    if (is_above(&g->a.near[lowest(ports)].place, &m->own)) m->up |= ports & -ports;
}

static void take_claim(agent *g, claim new) {
  g->a.m->claim = new;
  g->a.m->deputy = NO_PORT;
  g->a.m->inserted = g->a.m->inserted_in_all = 0;
}

static void claim_root(agent *g) { take_claim(g, (claim){g->a.m->claim.epoch + 1, g->router + 1}); }

/* A few times in a row, and not forever under one claim. */
static bool may_insert(agent *g) {
  memory *m = g->a.m;
  if (g->event->cycle - m->inserted_at >= (uint64_t)g->c->hold_cycles) m->inserted = 0;
  return m->inserted < INSERTIONS && m->inserted_in_all < INSERTIONS_IN_ALL;
}

/* A router other than the root without a router above it takes a place below a neighbour that can spare it, or becomes
 * the root and starts a new numbering. */
static void find_candidate_up(agent *g) {
  memory *m = g->a.m;
  if (m->up || !m->known || is_root(m, g->router)) return;
  if (may_insert(g) && ripstop_ordered_insert(g->a.near, m->known, g->router, &m->own)) {
    m->inserted++;
    m->inserted_in_all++;
    m->inserted_at = g->event->cycle;
  } else {
    claim_root(g);
    m->own = (place){.numbering = m->claim, .router = g->router};
  }
  find_up(g);
}

/* The root's highest neighbour replaces it when the link between them fails: the lowest port to it. */
static uint8_t find_deputy(const agent *g) {
  const memory *m = g->a.m;
  uint32_t best = NO_PORT;
  if (!is_root(m, g->router)) return NO_PORT;
  for (uint64_t ports = m->known; ports; ports &= ports - 1)
    if (best == NO_PORT || is_above(&g->a.near[lowest(ports)].place, &g->a.near[best].place)) best = lowest(ports);
  return (uint8_t)best;
}

/* Reports this router's place to neighbours that do not know it. */
static void report_place(agent *g) {
  memory *m = g->a.m;
  uint8_t deputy = find_deputy(g);
  uint64_t ports = 0;
  if (memcmp(&m->own, &m->reported_place, sizeof m->own) != 0 ||
      memcmp(&m->claim, &m->reported_claim, sizeof m->claim) != 0 || m->reported_safe != is_safe(g))
    ports = m->wired;
  if (deputy != m->reported_deputy)
    ports |= (deputy == NO_PORT ? 0 : bit(deputy)) | (m->reported_deputy == NO_PORT ? 0 : bit(m->reported_deputy));
  m->reported_place = m->own;
  m->reported_claim = m->claim;
  m->reported_safe = is_safe(g);
  m->reported_deputy = deputy;
  send_rank(g, ports, 0);
}

/* Called when the neighbours or their places have changed. */
static void repair_order(agent *g) {
  uint64_t up = g->a.m->up;
  find_up(g);
  find_candidate_up(g);
  bool moved = memcmp(&g->a.m->own, &g->a.m->reported_place, sizeof g->a.m->own) != 0;
  g->a.m->stamp += moved;
  if (moved || up != g->a.m->up) note_change(g);
  report_place(g);
  make_rows(g);
}

/* ------------------------------------------------------------------ events */

static void forget(agent *g, uint32_t port) {
  g->a.m->known &= ~bit(port);
  g->a.m->met &= ~bit(port);
  g->a.near[port] = (neighbour){0};
  if (g->a.m->deputy == port) g->a.m->deputy = NO_PORT;
  for (uint32_t to = 0; to <= g->routers; to++) {
    received_from(g, port)[to] = (entry){.distance = FAR};
    g->a.received_seq[(size_t)port * (g->routers + 1) + to] = 0;
  }
}

/* The port to the root, if this router would be the root's deputy. */
static uint8_t first_deputy(const agent *g) {
  const ripstop_fabric *f = g->plan->fabric;
  const tables *t = g->plan->data;
  uint32_t root = f->ends + t->root[g->router], best = RIPSTOP_NONE;
  for (uint32_t port = f->port_base[root]; port < f->port_base[root + 1]; port++)
    if (leads_to_router(f, port) &&
        (best == RIPSTOP_NONE ||
         is_above(&t->first[f->port_node[f->peer[port]] - f->ends], &t->first[f->port_node[f->peer[best]] - f->ends])))
      best = port;
  bool is_own = best != RIPSTOP_NONE && f->port_node[f->peer[best]] == g->node;
  return is_own ? (uint8_t)(f->peer[best] - f->port_base[g->node]) : NO_PORT;
}

/* Before any change all routers know the fabric as wired. */
static void know_first(agent *g) {
  const ripstop_fabric *f = g->plan->fabric;
  const tables *t = g->plan->data;
  memory *m = g->a.m;
  m->claim = (claim){.root = t->root[g->router] + 1};
  m->known = m->linked;
  for (uint64_t ports = m->known; ports; ports &= ports - 1) {
    uint32_t port = lowest(ports), other = router_behind(f, g->router, port);
    uint32_t above = 0;
    for (uint32_t i = f->port_base[f->ends + other]; i < f->port_base[f->ends + other + 1]; i++)
      above += leads_to_router(f, i) && is_above(&t->first[f->port_node[f->peer[i]] - f->ends], &t->first[other]);
    g->a.near[port] = (neighbour){.place = t->first[other], .safe = above > 1 || t->root[other] == other};
    ripstop_ordered_first_entries(g->plan, other, received_from(g, port));
  }
  m->deputy = first_deputy(g);
  find_up(g);
  for (uint32_t to = 0; to <= g->routers; to++) {
    g->a.row[to] = find_row(g, to, has_end_nodes(g, g->router), false);
    if (!has_candidate(&g->a.row[to])) lose_destination(g, to);
  }
  m->reported_place = m->own;
  m->reported_claim = m->claim;
  m->reported_safe = is_safe(g);
  m->reported_deputy = find_deputy(g);
}

/* A router that returns knows no neighbour. */
static void know_nothing(agent *g) {
  for (uint32_t to = 0; to <= g->routers; to++) {
    g->a.row[to] = (row){.own = {.distance = FAR}};
    lose_destination(g, to);
  }
  g->a.m->met = g->a.m->linked;
  send_rank(g, g->a.m->linked, 0);
  make_rows(g);
}

static void on_start(agent *g) {
  const tables *t = g->plan->data;
  memory *m = g->a.m;
  m->node = g->node;
  m->own = m->reported_place = t->first[g->router];
  m->deputy = m->reported_deputy = NO_PORT;
  m->linked = m->wired = ports_to(g->plan->fabric, g->node, TO_ROUTERS, NULL);
  m->settled = true;
  m->stamp = g->event->cycle << STAMP_CYCLE;
  for (uint32_t port = 0; port < g->ports; port++) forget(g, port);
  if (g->event->cycle == 0)
    know_first(g);
  else
    know_nothing(g);
}

/* Called when the link of one of the router's NICs has changed. */
static void on_interface(agent *g) {
  make_row(g, g->router);
  make_row(g, g->routers);
}

static uint16_t find_farthest(const agent *g) {
  uint16_t most = 0;
  for (uint32_t to = 0; to <= g->routers; to++) {
    uint16_t distance = g->a.row[to].own.distance;
    if (distance != FAR && distance > most) most = distance;
  }
  return most;
}

static void on_link_down(agent *g, uint32_t port) {
  memory *m = g->a.m;
  bool was_deputy = m->deputy == port;
  if (was_deputy) g->farthest = find_farthest(g);
  m->linked &= ~bit(port);
  forget(g, port);
  find_up(g);
  note_change(g);
  if (was_deputy && !m->up) claim_root(g);
  repair_order(g);
}

static void on_link_up(agent *g, uint32_t port) {
  if (g->a.m->linked & bit(port)) return; /* this router never noticed that the link was down */
  g->a.m->linked |= bit(port);
  forget(g, port);
  send_all(g, port, IS_REQUEST);
}

/* The neighbour has forgotten what routers know at first, and this router noticed no change of the link, because it
 * started after that change. */
static void on_request(agent *g, uint32_t port) {
  for (uint32_t to = 0; to <= g->routers; to++)
    if (g->a.received_seq[(size_t)port * (g->routers + 1) + to] == 0)
      received_from(g, port)[to] = (entry){.distance = FAR};
  make_rows(g);
  send_all(g, port, 0);
}

/* Follows a greater claim. If all routers are numbered again, takes the place after the sender's. */
static void join(agent *g, const message *m) {
  take_claim(g, m->claim);
  if (m->flags & IS_NUMBERED)
    g->a.m->own = (place){.numbering = m->place.numbering, .value = m->place.value + PLACE_STEP, .router = g->router};
}

static void on_rank(agent *g, uint32_t port, const message *m) {
  memory *own = g->a.m;
  neighbour *n = &g->a.near[port];
  if (m->flags & IS_REQUEST && !(own->met & bit(port))) on_request(g, port);
  if (m->seq <= n->seq) return;
  bool was_known = own->known & bit(port), is_update = !was_known || memcmp(&n->place, &m->place, sizeof n->place) != 0;
  *n = (neighbour){.place = m->place, .stamp = m->stamp, .seq = m->seq, .safe = m->flags & IS_SAFE};
  own->known |= bit(port);
  bool is_greater = is_less_claim(&own->claim, &m->claim);
  if (is_greater) join(g, m);
  if (m->flags & IS_DEPUTY)
    own->deputy = (uint8_t)port;
  else if (own->deputy == port)
    own->deputy = NO_PORT;
  if (is_update || is_greater) repair_order(g);
}

static void on_entry(agent *g, uint32_t port, const message *m) {
  uint32_t *seq = &g->a.received_seq[(size_t)port * (g->routers + 1) + m->destination];
  if (m->seq <= *seq) return;
  *seq = m->seq;
  received_from(g, port)[m->destination] = m->entry;
  g->age = m->entry.alive ? 0 : m->age + (uint64_t)g->c->entry_cycles;
  if (g->a.m->known & bit(port)) make_row(g, m->destination);
}

static void on_message(agent *g, uint32_t port, const message *m) {
  if (!(g->a.m->linked & bit(port))) return;
  if (m->kind == RANK)
    on_rank(g, port, m);
  else
    on_entry(g, port, m);
}

/* A packet may be waiting in a queue that leads down to this router. */
static bool may_hold_stale(const agent *g) {
  for (uint32_t port = 0; g->event->free_space && port < g->ports; port++)
    if (g->event->free_space[(size_t)port * g->plan->channels + ESCAPE_CHANNEL] < g->event->capacity) return true;
  return false;
}

static void on_stale_timer(agent *g) {
  memory *m = g->a.m;
  uint64_t quiet = g->event->cycle - m->changed_at, hold = (uint64_t)g->c->hold_cycles;
  m->watching = quiet < hold;
  if (m->watching)
    ripstop_act_timer(g->actions, STALE_TIMER, hold - quiet);
  else
    m->settled = true;
  g->changed = m->settled && may_hold_stale(g);
}

/* Drops packets to the destination from now on, if its waiting time is over. */
static void give_up(agent *g, uint32_t to) {
  row *r = &g->a.row[to];
  if (has_candidate(r) || r->hopes || r->gone || g->event->cycle < g->a.drop_at[to]) return;
  r->gone = g->changed = true;
}

/* A hope that came true and was lost again may have a timer of its own, which then fires a little early. */
static void on_hope_timer(agent *g, uint32_t to) {
  g->a.row[to].hopes = false;
  take_row(g, to, find_row(g, to, g->is_host, false));
  if (has_end_nodes(g, to)) give_up(g, to);
}

static void on_timer(agent *g, uint32_t timer) {
  if (timer == STALE_TIMER) {
    on_stale_timer(g);
    return;
  }
  if (timer & HOPE_TIMER) {
    on_hope_timer(g, timer & ~HOPE_TIMER);
    return;
  }
  give_up(g, timer);
}

void ripstop_ordered_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                          ripstop_actions *actions) {
  agent g = {.plan = p,
             .c = p->config,
             .node = node,
             .router = node - p->fabric->ends,
             .routers = ((const tables *)p->data)->routers,
             .ports = ripstop_node_ports(p->fabric, node),
             .a = ripstop_ordered_open_memory(p, node, state),
             .event = event,
             .actions = actions};
  g.is_host = ripstop_ordered_is_host(p, g.router);
  bool is_link = event->kind == RIPSTOP_EVENT_LINK_DOWN || event->kind == RIPSTOP_EVENT_LINK_UP;
  if (is_link && !leads_to_router(p->fabric, p->fabric->port_base[node] + event->port))
    on_interface(&g);
  else if (event->kind == RIPSTOP_EVENT_START)
    on_start(&g);
  else if (event->kind == RIPSTOP_EVENT_LINK_DOWN)
    on_link_down(&g, event->port);
  else if (event->kind == RIPSTOP_EVENT_LINK_UP)
    on_link_up(&g, event->port);
  else if (event->kind == RIPSTOP_EVENT_MESSAGE)
    on_message(&g, event->port, event->message);
  else
    on_timer(&g, event->timer);
  if (g.changed) ripstop_act_candidates_changed(actions);
}

uint64_t ripstop_ordered_delay(const ripstop_plan *p, const void *message_) {
  const config *c = p->config;
  return (uint64_t)(((const message *)message_)->kind == RANK ? c->rank_cycles : c->entry_cycles);
}

uint32_t ripstop_ordered_flits(const ripstop_plan *p, const void *message_) {
  (void)message_;
  return (uint32_t)((const config *)p->config)->control_flits;
}

const char *const ripstop_ordered_kinds[] = {[RANK] = "rank", [ENTRY] = "entry", NULL};

uint32_t ripstop_ordered_kind(const ripstop_plan *p, const void *message_) {
  (void)p;
  return ((const message *)message_)->kind;
}
