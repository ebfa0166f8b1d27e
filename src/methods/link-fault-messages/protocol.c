/* protocol.c - the switches of link-fault-messages as state machines. A switch stores what arrives at each port,
 * computes everything else from that, and sends the difference to what it last sent. Facts received from above are
 * never sent up again, so a withdrawal cannot chase its own echo, and the final state depends on the present faults
 * alone, independent of their history and the order of messages.
 *
 * With poll > 0 a switch updates its own table immediately, and reports its own ports at the next poll. With relay=poll
 * it also forwards reports of other switches at the next poll. */
#include <string.h>

#include "methods/link-fault-messages/link-fault-messages.h"

/* ------------------------------------------------------------------ memory */

enum { FROM_ABOVE, FROM_BELOW, DERIVED, SCRATCH };

static uint32_t slots_of(const shape *s, const config *c, uint32_t level) {
  if (level == s->top) return 0;
  return c->capacity && c->capacity < s->positions[level] ? (uint32_t)c->capacity : s->positions[level];
}

static size_t bytes_of(const shape *s, const config *c, uint32_t level, uint32_t ports) {
  return sizeof(memory) + ((size_t)2 * ports + SCRATCH) * s->words * sizeof(uint64_t) +
         slots_of(s, c, level) * sizeof(table_entry) + ports * sizeof(port_memory) + s->half;
}

uint64_t ripstop_lfm_protocol_bytes(const shape *s, const config *c) {
  uint64_t bytes = 0;
  for (uint32_t level = 0; level <= s->top; level++)
    bytes += s->count[level] * (uint64_t)bytes_of(s, c, level, level == s->top ? s->tree.top_ports : 2 * s->half);
  return bytes;
}

size_t ripstop_lfm_state_size(const ripstop_plan *p, uint32_t node) {
  const shape *s = shape_of(p);
  return bytes_of(s, p->config, ripstop_tree_level(&s->tree, node), ripstop_node_ports(p->fabric, node));
}

arrays ripstop_lfm_open_memory(const shape *s, const config *c, uint32_t level, uint32_t ports, const void *state) {
  arrays a = {.m = (memory *)state};
  a.received = (uint64_t *)(a.m + 1);
  a.reported = a.received + (size_t)ports * s->words;
  a.scratch = a.reported + (size_t)ports * s->words;
  a.entry = (table_entry *)(a.scratch + (size_t)SCRATCH * s->words);
  a.port = (port_memory *)(a.entry + slots_of(s, c, level));
  a.level = (uint8_t *)(a.port + ports);
  return a;
}

/* A switch during one step. */
typedef struct agent {
  const ripstop_plan *plan;
  const shape *s;
  const config *c;
  uint32_t node, level, number, ports, downs;
  bool leaf; /* its down ports lead to end nodes */
  arrays a;
  const ripstop_event *event;
  ripstop_actions *actions;
  bool changed; /* its candidates changed */
} agent;

static bool linked(const agent *g, uint32_t port) { return !g->leaf || port >= g->downs; }

/* The number of the link at a port. */
static uint32_t fact_at(const agent *g, uint32_t port) {
  return g->plan->fabric->port_link[g->plan->fabric->port_base[g->node] + port] - g->plan->fabric->link_ends;
}

static uint64_t *received_at(const agent *g, uint32_t port) { return g->a.received + (size_t)port * g->s->words; }
static uint64_t *reported_at(const agent *g, uint32_t port) { return g->a.reported + (size_t)port * g->s->words; }

static void add_fact(uint64_t *set, uint32_t fact) { set[fact / 64] |= UINT64_C(1) << (fact & 63); }

/* `half` facts of one switch. */
static uint64_t entry_bits(const shape *s, const uint64_t *set, uint32_t fact) {
  uint64_t bits = set[fact / 64] >> (fact & 63);
  if ((fact & 63) && (fact & 63) + s->half > 64) bits |= set[fact / 64 + 1] << (64 - (fact & 63));
  return bits & s->all;
}

/* The facts of a level that lie in a word. */
static uint64_t level_part(const shape *s, uint32_t level, uint32_t word) {
  uint32_t first = s->fact[level], end = level < s->top ? first + s->count[level] * s->half : first;
  if (first >= 64 * (word + 1) || end <= 64 * word) return 0;
  return part(first, end - first, word);
}

/* ------------------------------------------------------------------ received and sent facts */

table_entry *ripstop_lfm_find_entry(const arrays *a, uint32_t position) {
  for (uint32_t i = 0; i < a->m->entries; i++)
    if (a->entry[i].position == position) return &a->entry[i];
  return NULL;
}

/* The entry that the table should have for a position. */
static uint64_t bits_of(const agent *g, uint32_t position) {
  const shape *s = g->s;
  uint32_t twins = s->twins[g->level], number = position * twins + g->number % twins;
  return entry_bits(s, g->a.scratch + (size_t)FROM_ABOVE * s->words, s->fact[g->level] + number * s->half);
}

/* Updates the table: entries keep their order; a new one needs a free slot. */
static void update_table(agent *g) {
  arrays *a = &g->a;
  uint32_t kept = 0, slots = slots_of(g->s, g->c, g->level);
  for (uint32_t i = 0; i < a->m->entries; i++) {
    table_entry now = {.bits = bits_of(g, a->entry[i].position), .position = a->entry[i].position};
    g->changed |= now.bits != a->entry[i].bits;
    if (now.bits) a->entry[kept++] = now;
  }
  a->m->entries = kept;
  for (uint32_t position = 0; position < g->s->positions[g->level] && a->m->entries < slots; position++) {
    uint64_t bits = bits_of(g, position);
    if (!bits || ripstop_lfm_find_entry(a, position)) continue;
    a->entry[a->m->entries++] = (table_entry){.bits = bits, .position = position};
    g->changed = true;
  }
}

static void update_ports(agent *g) {
  uint64_t flagged = 0;
  for (uint32_t k = 0; g->level < g->s->top && k < g->s->half; k++) {
    const port_memory *port = &g->a.port[g->s->half + k];
    uint8_t level = port->dead ? (uint8_t)g->level : port->received;
    g->changed |= level != g->a.level[k];
    g->a.level[k] = level;
    if (level != NO_LEVEL) flagged |= UINT64_C(1) << k;
  }
  g->a.m->flagged = flagged;
}

static ups present_ups(const arrays *a) { return (ups){.flagged = a->m->flagged, .level = a->level}; }

/* Messages count this port as failed. */
static bool reported_down(const agent *g, uint32_t port) {
  return g->c->poll ? g->a.port[port].polled : g->a.port[port].dead;
}

/* The states of up ports as messages count them. `level` has HALF_MAX. */
static ups reported_ups(const agent *g, uint8_t *level) {
  ups out = {.level = level};
  for (uint32_t k = 0; k < g->s->half; k++) {
    uint32_t port = g->s->half + k;
    level[k] = reported_down(g, port) ? (uint8_t)g->level : g->a.port[port].received;
    if (level[k] != NO_LEVEL) out.flagged |= UINT64_C(1) << k;
  }
  return out;
}

/* Cases 2 and 3: the down links of each switch that cannot be reached from here. */
static void derive(agent *g, uint64_t *out) {
  const shape *s = g->s;
  if (g->leaf || g->level == s->top) return;
  uint8_t levels[HALF_MAX];
  ups u = reported_ups(g, levels);
  uint32_t below = g->level - 1, own = g->number / s->twins[below] % s->half;
  for (uint32_t i = 0; i < g->a.m->entries; i++) {
    const table_entry *e = &g->a.entry[i];
    if (!unreachable(s, g->c, &u, e->bits, meet(s, g->level, g->number / s->twins[g->level], e->position))) continue;
    uint32_t named = e->position * s->twins[g->level] + g->number % s->twins[g->level];
    for (uint32_t j = 0; j < s->half; j++)
      add_fact(out, s->fact[below] + (named - own * s->twins[below] + j * s->twins[below]) * s->half + own);
  }
}

/* Collects what the ports report, from above and from below. Only one up path leads to a switch from below it, so no
 * two down ports report the same fact. Reports of a failed port do not count, unless facts are never withdrawn. */
static void gather(agent *g) {
  uint32_t words = g->s->words;
  uint64_t *above = g->a.scratch + (size_t)FROM_ABOVE * words, *below = g->a.scratch + (size_t)FROM_BELOW * words,
           *derived = g->a.scratch + (size_t)DERIVED * words;
  memset(g->a.scratch, 0, (size_t)SCRATCH * words * sizeof *g->a.scratch);
  for (uint32_t port = 0; port < g->ports; port++) {
    if (!linked(g, port) || (g->a.port[port].dead && g->c->withdraw)) continue;
    const uint64_t *received = received_at(g, port);
    uint64_t *from = port < g->downs ? below : above;
    for (uint32_t w = 0; w < words; w++) from[w] |= received[w];
  }
  update_ports(g);
  if (g->level < g->s->top) update_table(g);
  derive(g, derived);
}

static void send(agent *g, uint32_t port, message m) {
  port_memory *at = &g->a.port[port];
  if (m.kind == FACT || m.kind == LEVEL) at->sent++;
  ripstop_act_send(g->actions, port, &m);
}

static void report_facts(agent *g, uint32_t port, uint32_t word, uint64_t now) {
  uint64_t *reported = reported_at(g, port) + word;
  if (!g->c->withdraw) now |= *reported;
  for (uint64_t change = *reported ^ now; change; change &= change - 1) {
    uint32_t bit = (uint32_t)__builtin_ctzll(change);
    send(g, port, (message){.kind = FACT, .on = now >> bit & 1, .fact = 64 * word + bit});
  }
  *reported = now;
}

/* Sends everything that the neighbour at a port should have and was not sent. */
static void report(agent *g, uint32_t port) {
  const shape *s = g->s;
  bool down = port < g->downs;
  const uint64_t *received = received_at(g, port), *set = g->a.scratch;
  for (uint32_t w = 0; w < s->words; w++) {
    const uint64_t *above = set + w, *below = above + (size_t)FROM_BELOW * s->words,
                   *derived = above + (size_t)DERIVED * s->words;
    uint64_t now = *below;
    if (down) now = (*below & ~received[w]) | (*above & ~level_part(s, g->level, w)) | *derived;
    for (uint32_t x = 0; !g->leaf && x < g->downs; x++)
      if (reported_down(g, x) && x != port && fact_at(g, x) / 64 == w) now |= UINT64_C(1) << (fact_at(g, x) & 63);
    report_facts(g, port, w, now);
  }
  if (!down || g->level == s->top) return;
  uint8_t levels[HALF_MAX];
  ups u = reported_ups(g, levels);
  uint8_t level = u.flagged == s->all ? highest(&u, u.flagged) : NO_LEVEL;
  port_memory *at = &g->a.port[port];
  if (level == at->reported || (!g->c->withdraw && at->reported != NO_LEVEL && level == NO_LEVEL)) return;
  at->reported = level;
  send(g, port, (message){.kind = LEVEL, .level = level});
}

static void report_all(agent *g) {
  for (uint32_t port = 0; port < g->ports; port++)
    if (linked(g, port) && !g->a.port[port].dead) report(g, port);
}

/* ------------------------------------------------------------------ polls of port states */

/* Cycles until the next poll; 0: it is now. All switches poll in cycle 0, when they start. */
static uint64_t until_poll(const agent *g) {
  const uint32_t spread = 2654435761u; /* 2^32 by the golden ratio: offsets of neighbours are far apart */
  uint64_t period = (uint64_t)g->c->poll, now = g->event->cycle;
  uint64_t own = g->c->poll_phase == PHASE_APART ? g->node * spread % period : 0;
  if (now == 0) return 0;
  return (own + period - now % period) % period;
}

static void poll_ports(agent *g) {
  g->a.m->waiting = false;
  for (uint32_t port = 0; port < g->ports; port++) g->a.port[port].polled = g->a.port[port].dead;
  gather(g);
  report_all(g);
}

static void wait_for_poll(agent *g) {
  if (g->a.m->waiting) return;
  g->a.m->waiting = true;
  ripstop_act_timer(g->actions, 2 * g->ports, until_poll(g));
}

/* Processes another switch's message or a port's own change. */
static void process_update(agent *g) {
  bool relayed = g->event->kind == RIPSTOP_EVENT_MESSAGE && g->c->relay == RELAY_AT_ONCE;
  if (g->c->poll && until_poll(g) == 0) {
    poll_ports(g);
  } else {
    gather(g);
    if (!g->c->poll || relayed) report_all(g);
    if (g->c->poll) wait_for_poll(g);
  }
  if (g->changed) ripstop_act_candidates_changed(g->actions);
}

/* ------------------------------------------------------------------ events */

static void forget_received(agent *g, uint32_t port) {
  if (g->c->withdraw) memset(received_at(g, port), 0, g->s->words * sizeof(uint64_t));
  g->a.port[port].received = NO_LEVEL;
}

static void forget_reported(agent *g, uint32_t port) {
  memset(reported_at(g, port), 0, g->s->words * sizeof(uint64_t));
  g->a.port[port].reported = NO_LEVEL;
}

/* Begins a session: the neighbour forgets the facts received on this link, and gets all facts. Needed only where
 * messages can be lost without notice. */
static void begin_session(agent *g, uint32_t port) {
  port_memory *at = &g->a.port[port];
  forget_reported(g, port);
  at->session = (uint32_t)g->event->cycle;
  at->sent = 0;
  if (g->c->probe) send(g, port, (message){.kind = SYNC, .session = at->session});
}

/* With probes the neighbour may not have noticed the failure. It repeats its facts when it begins a session of its own,
 * so the facts received in the present session are kept until then. */
static void link_down(agent *g, uint32_t port) {
  ripstop_act_link_found(g->actions, port, false);
  g->a.port[port].dead = true;
  g->changed = true;
  if (!g->c->probe) forget_received(g, port);
}

static void link_up(agent *g, uint32_t port) {
  ripstop_act_link_found(g->actions, port, true);
  g->a.port[port].dead = false;
  g->changed = true;
  begin_session(g, port);
}

static void send_probe(agent *g, uint32_t port) {
  port_memory *at = &g->a.port[port];
  at->answered = false;
  send(g, port, (message){.kind = PROBE, .session = at->session, .sent = at->sent});
  ripstop_act_timer(g->actions, port, (uint64_t)g->c->timeout);
}

/* The timer of a port: the time for an answer is over; for timers above the ports' numbers the next probe is due. True:
 * the link was just found failed. */
static bool on_timer(agent *g, uint32_t timer) {
  if (timer == 2 * g->ports) return true; /* a poll */
  uint32_t port = timer % g->ports;
  port_memory *at = &g->a.port[port];
  if (timer >= g->ports) {
    at->tries = 0;
    send_probe(g, port);
    return false;
  }
  if (!at->answered && !at->dead && at->tries < g->c->retries) {
    at->tries++;
    send_probe(g, port);
    return false;
  }
  ripstop_act_timer(g->actions, g->ports + port, (uint64_t)g->c->probe); /* probes continue in any case */
  if (at->answered || at->dead) return false;
  link_down(g, port);
  return true;
}

static void on_probe(agent *g, uint32_t port, const message *m) {
  port_memory *at = &g->a.port[port];
  bool complete = m->session == at->received_session && m->sent == at->received_count;
  send(g, port, (message){.kind = ANSWER, .on = complete});
}

/* True: a link is up again, or the neighbour lacks facts. */
static bool on_answer(agent *g, uint32_t port, const message *m) {
  port_memory *at = &g->a.port[port];
  at->answered = true;
  if (at->dead)
    link_up(g, port);
  else if (!m->on)
    begin_session(g, port);
  else
    return false;
  return true;
}

/* True: the switch's knowledge may have changed. */
static bool on_message(agent *g, uint32_t port, const message *m) {
  port_memory *at = &g->a.port[port];
  uint64_t *received = received_at(g, port), bit = UINT64_C(1) << (m->fact & 63);
  switch ((message_kind)m->kind) {
  case FACT:
    at->received_count++;
    if (m->on)
      received[m->fact / 64] |= bit;
    else
      received[m->fact / 64] &= ~bit;
    return true;
  case LEVEL:
    at->received_count++;
    at->received = m->level;
    return true;
  case SYNC:
    at->received_session = m->session;
    at->received_count = 0;
    forget_received(g, port);
    return true;
  case PROBE:
    on_probe(g, port, m);
    return false;
  case ANSWER:
    return on_answer(g, port, m);
  }
  return false;
}

static void on_start(agent *g) {
  g->a.m->starting = true;
  g->a.m->node = g->node;
  for (uint32_t port = 0; port < g->ports; port++) {
    g->a.port[port].received = NO_LEVEL;
    if (!linked(g, port)) continue;
    begin_session(g, port);
    if (g->c->probe) send_probe(g, port);
  }
  update_ports(g);
}

/* With probes a switch finds the state of its links by itself. It is notified only of links that are down at its
 * start. */
void ripstop_lfm_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                      ripstop_actions *actions) {
  const shape *s = shape_of(p);
  uint32_t level = ripstop_tree_level(&s->tree, node), ports = ripstop_node_ports(p->fabric, node);
  agent g = {.plan = p,
             .s = s,
             .c = p->config,
             .node = node,
             .level = level,
             .number = number_of(s, level, node),
             .ports = ports,
             .downs = ports - ripstop_tree_ups(&s->tree, node),
             .leaf = level == 0,
             .a = ripstop_lfm_open_memory(s, p->config, level, ports, state),
             .event = event,
             .actions = actions};
  bool update = false, reported = !g.c->probe || g.a.m->starting;
  if (event->kind == RIPSTOP_EVENT_START) on_start(&g);
  if (event->kind != RIPSTOP_EVENT_START && event->kind != RIPSTOP_EVENT_LINK_DOWN) g.a.m->starting = false;
  if (event->kind == RIPSTOP_EVENT_LINK_DOWN && reported && linked(&g, event->port))
    link_down(&g, event->port), update = true;
  if (event->kind == RIPSTOP_EVENT_LINK_UP && reported && linked(&g, event->port))
    link_up(&g, event->port), update = true;
  if (event->kind == RIPSTOP_EVENT_TIMER) update = on_timer(&g, event->timer);
  if (event->kind == RIPSTOP_EVENT_MESSAGE) update = on_message(&g, event->port, event->message);
  if (update) process_update(&g);
}

/* ------------------------------------------------------------------ queries */

int ripstop_lfm_protocol_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                                    ripstop_candidate *candidate) {
  const shape *s = shape_of(p);
  int down = go_down(p, s, head, candidate);
  if (down < 0 || ripstop_is_end(p->fabric, head->node)) return down;
  uint32_t level = ripstop_tree_level(&s->tree, head->node), ports = ripstop_node_ports(p->fabric, head->node);
  arrays a = ripstop_lfm_open_memory(s, p->config, level, ports, state);
  if (down) {
    bool end_link = level == 0;
    bool up =
        end_link ? p->view->port_up[p->fabric->port_base[head->node] + candidate->port] : !a.port[candidate->port].dead;
    return up ? 1 : -(1 + NO_DOWN);
  }
  ups u = present_ups(&a);
  const table_entry *e = ripstop_lfm_find_entry(&a, position_above(s, level, head->destination));
  return ripstop_lfm_go_up(s, level, number_of(s, level, head->node) / s->twins[level], head->destination, &u,
                           e ? e->bits : 0, candidate);
}
