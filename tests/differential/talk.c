/* talk.c - the protocol that runs in the switches, and its messages on the links (docs/model.md, "Control messages").
 *
 * What is due is one list, looked through in every cycle: messages that fly, timers that run, link changes of which a
 * switch is to be notified. A message that occupies its link waits in a list of its port before. */
#include "things.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "route/actions.h"

typedef struct item {
  uint64_t cycle, order; /* when it is due; of sending or setting */
  uint32_t node, number; /* whose step it is; local port, timer */
  ripstop_event_kind kind;
  uint32_t port;  /* the fabric's port of the message's sender; RIPSTOP_NONE */
  uint32_t flits; /* length of a message that waits */
  void *message;  /* the list's own */
} item;

typedef struct items {
  item *at;
  size_t count, room;
} items;

/* A control packet that no module has taken in. */
typedef struct carried {
  uint32_t packet, port; /* port: the sender's, in the fabric */
  bool gone;             /* lost with its link */
  uint64_t order;
  void *message;
} carried;

struct talk {
  const ripstop_proto *proto;
  uint8_t **state; /* [nodes]; NULL: an end node */
  items due;
  items *waiting; /* [ports] */
  carried *carried;
  size_t carrieds, carried_room;
  uint64_t order;
  uint64_t clock; /* clock of the step at hand */
  bool settling;
};

static void add(items *list, item it) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 64;
    list->at = ripstop_realloc(list->at, list->room, sizeof it);
  }
  list->at[list->count++] = it;
}

static item take(items *list, size_t i) {
  item it = list->at[i];
  memmove(&list->at[i], &list->at[i + 1], (--list->count - i) * sizeof it);
  return it;
}

static void drop(items *list, size_t i) {
  item it = take(list, i);
  ripstop_free(it.message);
}

/* ------------------------------------------------------------------ actions of a step */

static void fly(model *m, item it, uint64_t later) {
  struct talk *t = m->talk;
  uint64_t delay = t->proto->delay(m->plan, it.message);
  it.cycle = t->clock + (delay ? delay : 1) + later;
  add(&t->due, it);
}

/* ------------------------------------------------------------------ control packets */

bool slow_is_fifo(const model *m, uint32_t v, uint32_t queue) {
  return !ripstop_is_end(m->fabric, v) && queue % m->stride == m->channels;
}

static uint32_t fifo_of(const model *m, uint32_t port) {
  return (port - m->fabric->port_base[m->fabric->port_node[port]]) * m->stride + m->channels;
}

static void carry(model *m, uint32_t port, const item *it) {
  struct talk *t = m->talk;
  if (t->carrieds == t->carried_room) {
    t->carried_room = t->carried_room ? 2 * t->carried_room : 64;
    t->carried = ripstop_realloc(t->carried, t->carried_room, sizeof *t->carried);
  }
  slow_must(m, it->flits == m->plan->control_flits, "a control packet of another length");
  uint32_t packet = slow_bear(m, 0, 0, 0, (uint16_t)it->flits);
  m->packet[packet].control = true;
  m->packet[packet].serial = MODEL_NEVER;
  m->packet[packet].tag = t->carrieds;
  t->carried[t->carrieds++] = (carried){.packet = packet, .port = port, .order = it->order, .message = it->message};
  for (uint16_t i = 0; i < it->flits; i++)
    slow_enter(m, m->fabric->port_node[port], fifo_of(m, port), (flit){.packet = packet, .number = i});
}

int slow_control_candidates(const model *m, uint32_t v, uint32_t queue, ripstop_candidate *candidates) {
  uint32_t port = queue / m->stride;
  if (!slow_is_fifo(m, v, queue)) return 0;
  uint8_t space = m->talk->proto->control_space(m->plan, m->talk->state[v], port);
  candidates[0] = (ripstop_candidate){.port = (uint16_t)port, .space = space & 3};
  return space > 0;
}

/* The last one takes its place. */
static carried take_carried(model *m, uint32_t packet) {
  struct talk *t = m->talk;
  const size_t place = m->packet[packet].tag;
  const carried c = t->carried[place];
  slow_must(m, c.packet == packet, "a control packet is where it was put");
  t->carried[place] = t->carried[--t->carrieds];
  m->packet[t->carried[place].packet].tag = place;
  return c;
}

/* The tail has gone into the module in this cycle. */
void slow_control_is_in(model *m, uint32_t v, uint32_t packet) {
  struct talk *t = m->talk;
  carried c = take_carried(m, packet);
  m->node[v].module_busy = false;
  if (c.gone) {
    ripstop_free(c.message);
    return;
  }
  uint32_t peer = m->fabric->peer[c.port];
  uint64_t delay = t->proto->delay(m->plan, c.message);
  add(&t->due, (item){.cycle = m->now + 1 + (delay ? delay : 1),
                      .order = c.order,
                      .node = v,
                      .number = peer - m->fabric->port_base[v],
                      .kind = RIPSTOP_EVENT_MESSAGE,
                      .port = c.port,
                      .message = c.message});
}

/* The link of a port has failed. What is in its FIFO and not granted is gone, and of the rest no step will come. */
static void lose_carried(model *m, uint32_t port) {
  struct talk *t = m->talk;
  uint32_t v = m->fabric->port_node[port];
  if (ripstop_is_end(m->fabric, v) || m->stride == m->channels) return;
  node *n = &m->node[v];
  input *q = &n->queue[fifo_of(m, port)];
  uint32_t granted = n->side[q->side].busy ? slow_line_front(&q->line).packet : RIPSTOP_NONE;
  while (q->line.count && slow_line_back(&q->line).packet != granted) {
    uint32_t packet = slow_line_back(&q->line).packet;
    while (q->line.count && slow_line_back(&q->line).packet == packet) q->line.count--;
    q->stalled -= slow_units(m, packet);
    ripstop_free(take_carried(m, packet).message);
  }
  for (size_t i = 0; i < t->carrieds; i++) t->carried[i].gone |= t->carried[i].port == port;
}

/* ------------------------------------------------------------------ messages of a step */

/* Through a port without a living link, or to an end node, nothing is sent. */
static void on_send(ripstop_actions *a, uint32_t local, const void *message) {
  model *m = a->runner;
  struct talk *t = m->talk;
  uint32_t port = m->fabric->port_base[a->node] + local;
  if (local >= ripstop_node_ports(m->fabric, a->node) || !m->view->port_up[port]) return;
  uint32_t peer = m->fabric->peer[port], to = m->fabric->port_node[peer];
  if (ripstop_is_end(m->fabric, to)) return;
  item it = {.order = t->order++,
             .node = to,
             .number = peer - m->fabric->port_base[to],
             .kind = RIPSTOP_EVENT_MESSAGE,
             .port = port,
             .flits = t->proto->flits ? t->proto->flits(m->plan, message) : 0,
             .message = ripstop_realloc(NULL, t->proto->message_size, 1)};
  memcpy(it.message, message, t->proto->message_size);
  if (!t->settling) m->messages++;
  if (it.flits == 0 || t->settling)
    fly(m, it, 0);
  else if (m->plan->control_flits)
    carry(m, port, &it);
  else
    add(&t->waiting[port], it);
}

static void on_timer(ripstop_actions *a, uint32_t timer, uint64_t delay) {
  model *m = a->runner;
  add(&m->talk->due, (item){.cycle = m->now + (delay ? delay : 1),
                            .order = m->talk->order++,
                            .node = a->node,
                            .number = timer,
                            .kind = RIPSTOP_EVENT_TIMER,
                            .port = RIPSTOP_NONE});
}

/* All heads are routed again in every cycle. */
static void on_candidates_changed(ripstop_actions *a) { (void)a; }

static void step(model *m, const item *it) {
  struct talk *t = m->talk;
  ripstop_event event = {.kind = it->kind, .cycle = m->now, .message = it->message};
  ripstop_actions actions = {
      .runner = m, .node = it->node, .send = on_send, .timer = on_timer, .candidates_changed = on_candidates_changed};
  if (it->kind == RIPSTOP_EVENT_TIMER)
    event.timer = it->number;
  else
    event.port = it->number;
  if (it->kind == RIPSTOP_EVENT_START) memset(t->state[it->node], 0, t->proto->state_size(m->plan, it->node));
  if (m->view->node_up[it->node]) t->proto->step(m->plan, it->node, t->state[it->node], &event, &actions);
}

/* ------------------------------------------------------------------ in what order */

static int rank(const item *it) {
  switch (it->kind) {
  case RIPSTOP_EVENT_START:
    return 0;
  case RIPSTOP_EVENT_MESSAGE:
    return 2;
  case RIPSTOP_EVENT_TIMER:
    return 3;
  default:
    return 1;
  }
}

static int in_order(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  if (rank(x) != rank(y)) return rank(x) - rank(y);
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* All steps that are due, of which none makes another due. */
void slow_talk_steps(model *m) {
  struct talk *t = m->talk;
  items now = {0};
  for (size_t i = 0; i < t->due.count;)
    if (t->due.at[i].cycle <= m->now)
      add(&now, take(&t->due, i));
    else
      i++;
  t->clock = m->now;
  if (now.count) qsort(now.at, now.count, sizeof *now.at, in_order);
  for (size_t i = 0; i < now.count; i++) {
    step(m, &now.at[i]);
    ripstop_free(now.at[i].message);
  }
  ripstop_free(now.at);
}

/* Before the first cycle: messages in the order of their delays, until there are none; timers stay. */
static void settle(model *m) {
  struct talk *t = m->talk;
  for (;;) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < t->due.count; i++) {
      const item *it = &t->due.at[i], *best = first == SIZE_MAX ? NULL : &t->due.at[first];
      if (it->kind == RIPSTOP_EVENT_TIMER) continue;
      if (!best || it->cycle < best->cycle || (it->cycle == best->cycle && in_order(it, best) < 0)) first = i;
    }
    if (first == SIZE_MAX) return;
    item it = take(&t->due, first);
    t->clock = it.cycle;
    step(m, &it);
    ripstop_free(it.message);
  }
}

/* ------------------------------------------------------------------ messages and links */

bool slow_talk_waits(const model *m, uint32_t port) { return m->talk && m->talk->waiting[port].count > 0; }

/* A slow queue is emptied first, the link being free in between. */
static bool has_link(const output *o) { return !o->link_busy && o->slow_stalled == 0; }

/* In ascending order of ports, which do not know of each other: a message goes before any packet. */
void slow_talk_links(model *m) {
  struct talk *t = m->talk;
  for (uint32_t port = 0; port < m->fabric->ports; port++) {
    output *o = slow_output_of(m, port);
    if (o->talking && o->talking <= m->now) o->link_busy = false, o->talking = 0;
    if (!has_link(o) || t->waiting[port].count == 0) continue;
    item it = take(&t->waiting[port], 0);
    o->link_busy = true;
    uint64_t cycles = slow_cycles_for(ripstop_view_rate(m->view, m->fabric->port_link[port]), it.flits);
    o->talking = m->now + cycles;
    t->clock = m->now;
    fly(m, it, cycles - it.flits);
  }
}

static void lose_messages(model *m, uint32_t port) {
  struct talk *t = m->talk;
  while (t->waiting[port].count) drop(&t->waiting[port], 0);
  lose_carried(m, port);
  for (size_t i = 0; i < t->due.count;)
    if (t->due.at[i].port == port)
      drop(&t->due, i);
    else
      i++;
}

static void report_switch(model *m, uint32_t v, uint32_t local, ripstop_event_kind kind) {
  add(&m->talk->due,
      (item){
          .cycle = m->now, .order = m->talk->order++, .node = v, .number = local, .kind = kind, .port = RIPSTOP_NONE});
}

/* A switch starts again: pending notices and timers of before do not count any more. */
static void begin(model *m, uint32_t v) {
  struct talk *t = m->talk;
  for (size_t i = 0; i < t->due.count;)
    if (t->due.at[i].node == v && t->due.at[i].kind != RIPSTOP_EVENT_MESSAGE)
      drop(&t->due, i);
    else
      i++;
  report_switch(m, v, 0, RIPSTOP_EVENT_START);
  for (uint32_t i = 0; i < ripstop_node_ports(m->fabric, v); i++) {
    uint32_t port = m->fabric->port_base[v] + i;
    if (m->fabric->peer[port] != RIPSTOP_NONE && !m->view->port_up[port])
      report_switch(m, v, i, RIPSTOP_EVENT_LINK_DOWN);
  }
}

void slow_talk_change(model *m, const ripstop_change *change, const uint8_t *port_was_up) {
  for (uint32_t port = 0; port < m->fabric->ports; port++) {
    uint32_t v = m->fabric->port_node[port];
    if (port_was_up[port] == m->view->port_up[port]) continue;
    if (port_was_up[port]) lose_messages(m, port);
    if (change->is_switch && v == change->id) continue;
    if (!ripstop_is_end(m->fabric, v))
      report_switch(m, v, port - m->fabric->port_base[v],
                    port_was_up[port] ? RIPSTOP_EVENT_LINK_DOWN : RIPSTOP_EVENT_LINK_UP);
  }
  if (change->is_switch && change->up) begin(m, change->id);
}

bool slow_talk_is_over(const model *m) {
  if (!m->talk) return true;
  for (uint32_t port = 0; port < m->fabric->ports; port++)
    if (m->talk->waiting[port].count) return false;
  return m->talk->due.count == 0 && m->talk->carrieds == 0;
}

/* ------------------------------------------------------------------ candidates */

bool slow_talk_decides(const model *m, uint32_t v) {
  return m->talk && (!ripstop_is_end(m->fabric, v) || m->talk->proto->interfaces);
}

int slow_talk_candidates(const model *m, const ripstop_head *head, ripstop_candidate *candidates) {
  uint32_t v = ripstop_is_end(m->fabric, head->node) ? ripstop_end_switch(m->fabric, head->node) : head->node;
  return m->talk->proto->candidates(m->plan, m->talk->state[v], head, candidates);
}

/* ------------------------------------------------------------------ the beginning */

/* START comes before the first cycle, with the failed links that the switch sees; a settled protocol sees all. */
void slow_talk_open(model *m) {
  const ripstop_proto *proto = m->plan->method->proto;
  if (!proto) return;
  struct talk *t = m->talk = RIPSTOP_NEW(m->arena, struct talk);
  t->proto = proto;
  t->settling = proto->settled;
  t->state = RIPSTOP_ARRAY(m->arena, m->fabric->nodes, uint8_t *);
  t->waiting = RIPSTOP_ARRAY(m->arena, m->fabric->ports, items);
  for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++)
    t->state[v] = ripstop_arena_array(m->arena, proto->state_size(m->plan, v) + 1, 1);
  for (uint32_t v = m->fabric->ends; v < m->fabric->nodes; v++)
    if (m->view->node_up[v]) begin(m, v);
  if (t->settling) settle(m);
  t->settling = false;
}

void slow_talk_close(model *m) {
  struct talk *t = m->talk;
  if (!t) return;
  while (t->due.count) drop(&t->due, 0);
  for (uint32_t port = 0; port < m->fabric->ports; port++) {
    while (t->waiting[port].count) drop(&t->waiting[port], 0);
    ripstop_free(t->waiting[port].at);
  }
  ripstop_free(t->due.at);
  while (t->carrieds) ripstop_free(t->carried[--t->carrieds].message);
  ripstop_free(t->carried);
}
