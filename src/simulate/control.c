/* control.c - protocol state machines on the simulated links.
 *
 * Things to do are kept in a heap ordered by (cycle, node, kind, port or timer, order of sending), so that the steps of
 * a cycle have one order whatever happened before. Messages that occupy their link wait in a queue per port until it is
 * free.
 *
 * A switch that starts, at cycle 0 or when it comes back, takes its ports for healthy, as far as START tells, and then
 * gets LINK_DOWN for those that are not. From then on it is told of each change of a port once: of a link that fails
 * and comes back in one cycle it hears both.
 *
 * Invariant: a message is in one place, the waiting queue of the port that sends it or the heap. */
#include "simulate/control.h"
#include "ripstop/plugin/method.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "route/actions.h"
#include "simulate/watch.h"

typedef struct item { /* of the heap */
  uint64_t cycle, order;
  uint32_t node, number; /* port or timer */
  ripstop_event_kind kind;
  uint32_t message; /* or RIPSTOP_NONE */
  bool dropped;     /* a message on a link that has died; what a switch waited for before it died */
} item;

typedef struct envelope { /* of a message */
  uint64_t order;         /* of sending */
  uint32_t next;          /* free list, and queues of waiting messages */
  uint32_t flits;
} envelope;

enum { MESSAGE_BYTES = 256, MESSAGE_FLITS = 1023 }; /* at most */
enum { SETTLING_STEPS = 1 << 28 };

struct control {
  const ripstop_proto *proto;
  uint8_t **state; /* [nodes]; NULL for end nodes */
  item *heap;
  size_t items, room;
  uint8_t *message; /* [messages * message_size] */
  envelope *envelope;
  uint32_t messages, free;
  uint32_t *first, *last; /* [ports]: waiting messages */
  uint32_t waiting;       /* how many there are */
  uint8_t *told_up;       /* [ports]: what the port's switch has been told last */
  uint64_t order;
  uint64_t sent; /* messages, for the measures */
  uint64_t kind_sent[RIPSTOP_MESSAGE_KINDS_MAX];
  uint64_t change, news; /* cycles of the last change of the fabric, and of the last new ways since then */
  bool changed;          /* there has been one */
  bool settling;         /* before cycle 0, see settle */
  uint64_t clock;        /* then: when the step at hand happens */
};

/* ------------------------------------------------------------------ heap */

/* A node's link events go first, whichever they are; then messages; then timers. */
static int rank(ripstop_event_kind kind) { return kind == RIPSTOP_EVENT_TIMER ? 2 : kind == RIPSTOP_EVENT_MESSAGE; }

static bool before(const item *a, const item *b) {
  if (a->cycle != b->cycle) return a->cycle < b->cycle;
  if (a->node != b->node) return a->node < b->node;
  if (rank(a->kind) != rank(b->kind)) return rank(a->kind) < rank(b->kind);
  if (a->number != b->number) return a->number < b->number;
  return a->order < b->order;
}

/* With its order, which rises with c->order. */
static void put(struct control *c, item it) {
  if (c->items == c->room) {
    c->room = c->room ? 2 * c->room : 1024;
    c->heap = ripstop_realloc(c->heap, c->room, sizeof *c->heap);
  }
  size_t i = c->items++;
  for (; i > 0 && before(&it, &c->heap[(i - 1) / 2]); i = (i - 1) / 2) c->heap[i] = c->heap[(i - 1) / 2];
  c->heap[i] = it;
}

static item take(struct control *c) {
  item top = c->heap[0], last = c->heap[--c->items];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < c->items; i = child) {
    if (child + 1 < c->items && before(&c->heap[child + 1], &c->heap[child])) child++;
    if (!before(&c->heap[child], &last)) break;
    c->heap[i] = c->heap[child];
  }
  if (c->items) c->heap[i] = last;
  return top;
}

/* ------------------------------------------------------------------ messages */

static uint32_t new_message(struct control *c, const void *bytes, uint32_t flits) {
  if (c->free == RIPSTOP_NONE) {
    uint32_t more = c->messages ? 2 * c->messages : 256;
    c->message = ripstop_realloc(c->message, more, c->proto->message_size);
    c->envelope = ripstop_realloc(c->envelope, more, sizeof *c->envelope);
    for (uint32_t i = c->messages; i < more; i++) c->envelope[i].next = i + 1 < more ? i + 1 : RIPSTOP_NONE;
    c->free = c->messages;
    c->messages = more;
  }
  uint32_t index = c->free;
  c->free = c->envelope[index].next;
  c->envelope[index] = (envelope){.order = c->order++, .next = RIPSTOP_NONE, .flits = flits};
  memcpy(c->message + (size_t)index * c->proto->message_size, bytes, c->proto->message_size);
  return index;
}

static void free_message(struct control *c, uint32_t index) {
  c->envelope[index].next = c->free;
  c->free = index;
}

static void *message_at(const struct control *c, uint32_t index) {
  return c->message + (size_t)index * c->proto->message_size;
}

/* The message takes the link now. */
static void start_message(engine *e, uint32_t port, uint32_t message) {
  struct control *c = e->control;
  uint32_t peer = e->fabric->peer[port], node = e->fabric->port_node[peer];
  uint64_t delay = c->proto->delay(e->plan, message_at(c, message));
  put(c, (item){.cycle = (c->settling ? c->clock : e->now) + (delay ? delay : 1),
                .order = c->envelope[message].order,
                .node = node,
                .number = peer - e->fabric->port_base[node],
                .kind = RIPSTOP_EVENT_MESSAGE,
                .message = message});
}

static uint32_t *link_busy(engine *e, uint32_t port) {
  return e->out_queues ? &e->link_busy[port] : &e->output[port].busy;
}

void control_send(engine *e, uint32_t v) {
  struct control *c = e->control;
  if (is_interface(e, v) || c->waiting == 0) return;
  for (uint32_t port = e->node[v].port; port < e->node[v].port + e->node[v].ports; port++) {
    uint32_t message = c->first[port];
    if (message == RIPSTOP_NONE || *link_busy(e, port) > e->now) continue;
    uint32_t until = e->now + c->envelope[message].flits;
    c->first[port] = c->envelope[message].next;
    c->waiting--;
    *link_busy(e, port) = until;
    wheel_post(&e->wheel, until, LINK_FREE, port * e->channels, 1);
    start_message(e, port, message);
  }
}

/* ------------------------------------------------------------------ actions */

static void refuse(engine *e) {
  ripstop_fail(e->err, "method %s: messages of at most %d bytes and %d flits", e->plan->method->name, MESSAGE_BYTES,
               MESSAGE_FLITS);
  e->failed = true;
}

static void act_send(ripstop_actions *a, uint32_t local, const void *bytes) {
  engine *e = a->runner;
  struct control *c = e->control;
  uint32_t port = e->fabric->port_base[a->node] + local;
  if (local >= ripstop_node_ports(e->fabric, a->node) || !e->view->port_up[port]) return;
  if (is_interface(e, e->fabric->port_node[e->fabric->peer[port]])) return;
  uint32_t flits = c->proto->flits ? c->proto->flits(e->plan, bytes) : 0;
  if (flits > MESSAGE_FLITS) refuse(e);
  uint32_t message = new_message(c, bytes, flits);
  c->sent++;
  if (c->proto->kinds) c->kind_sent[c->proto->kind(e->plan, bytes)]++;
  if (flits == 0 || c->settling || e->failed) {
    start_message(e, port, message);
    return;
  }
  if (c->first[port] == RIPSTOP_NONE)
    c->first[port] = message;
  else
    c->envelope[c->last[port]].next = message;
  c->last[port] = message;
  c->waiting++;
  wake_node(e, a->node);
}

static void act_timer(ripstop_actions *a, uint32_t timer, uint64_t delay) {
  engine *e = a->runner;
  put(e->control, (item){.cycle = e->now + (delay ? delay : 1),
                         .order = e->control->order++,
                         .node = a->node,
                         .number = timer,
                         .kind = RIPSTOP_EVENT_TIMER,
                         .message = RIPSTOP_NONE});
}

static void act_ways_changed(ripstop_actions *a) {
  engine *e = a->runner;
  const ripstop_fabric *f = e->fabric;
  const sim_node *n = &e->node[a->node];
  e->control->news = e->now;
  for (uint32_t i = 0; i < n->queues; i++) ask_anew(e, &e->queue[n->queue + i]);
  for (uint32_t port = n->port; e->control->proto->interfaces && port < n->port + n->ports; port++) {
    if (f->peer[port] == RIPSTOP_NONE || !is_interface(e, f->port_node[f->peer[port]])) continue;
    const sim_node *end = &e->node[f->port_node[f->peer[port]]];
    for (uint32_t i = 0; i < end->queues; i++) ask_anew(e, &e->queue[end->queue + i]);
  }
}

static void step(engine *e, uint32_t node, const ripstop_event *event) {
  ripstop_actions actions = {
      .runner = e, .node = node, .send = act_send, .timer = act_timer, .ways_changed = act_ways_changed};
  e->control->proto->step(e->plan, node, e->control->state[node], event, &actions);
  watch_step(e);
}

/* ------------------------------------------------------------------ what the engine calls */

bool control_routes(const engine *e, uint32_t node) { return !is_interface(e, node) || e->control->proto->interfaces; }

int control_route(engine *e, const ripstop_head *head, ripstop_way *ways) {
  if (!control_routes(e, head->node)) return ripstop_route(e->plan, head, ways);
  uint32_t v = is_interface(e, head->node) ? ripstop_end_switch(e->fabric, head->node) : head->node;
  return e->control->proto->ways(e->plan, e->control->state[v], head, ways);
}

static void step_item(engine *e, item it) {
  struct control *c = e->control;
  if (it.dropped || !e->view->node_up[it.node]) return;
  ripstop_event event = {.kind = it.kind, .cycle = e->now};
  alignas(max_align_t) uint8_t copy[MESSAGE_BYTES]; /* the step may send, which may move the messages */
  if (it.kind == RIPSTOP_EVENT_TIMER)
    event.timer = it.number;
  else
    event.port = it.number;
  if (it.kind == RIPSTOP_EVENT_MESSAGE) {
    memcpy(copy, message_at(c, it.message), c->proto->message_size);
    free_message(c, it.message);
    event.message = copy;
  }
  step(e, it.node, &event);
}

void control_step(engine *e) {
  while (e->control->items && e->control->heap[0].cycle <= e->now) step_item(e, take(e->control));
}

/* Messages on a link that dies, or waiting for it, are lost. */
static void lose_messages(engine *e, uint32_t port) {
  struct control *c = e->control;
  uint32_t peer = e->fabric->peer[port], node = e->fabric->port_node[peer], local = peer - e->fabric->port_base[node];
  while (c->first[port] != RIPSTOP_NONE) {
    uint32_t message = c->first[port];
    c->first[port] = c->envelope[message].next;
    c->waiting--;
    free_message(c, message);
  }
  for (size_t i = 0; i < c->items; i++) {
    item *it = &c->heap[i];
    if (it->kind != RIPSTOP_EVENT_MESSAGE || it->node != node || it->number != local || it->dropped) continue;
    free_message(c, it->message);
    it->dropped = true;
  }
}

/* A switch hears of the change of one of its ports in this cycle, unless it knows. */
static void tell(engine *e, uint32_t port, bool up) {
  struct control *c = e->control;
  uint32_t node = e->fabric->port_node[port];
  if (is_interface(e, node) || (bool)c->told_up[port] == up || (up && !e->view->port_up[port])) return;
  c->told_up[port] = up;
  put(c, (item){.cycle = e->now,
                .order = c->order++,
                .node = node,
                .number = port - e->fabric->port_base[node],
                .kind = up ? RIPSTOP_EVENT_LINK_UP : RIPSTOP_EVENT_LINK_DOWN,
                .message = RIPSTOP_NONE});
}

static void change_link(engine *e, uint32_t link, bool up) {
  for (unsigned side = 0; side < 2; side++) {
    uint32_t port = e->fabric->link_port[2 * link + side];
    if (!up) lose_messages(e, port);
    tell(e, port, up);
  }
}

/* A switch begins, with nothing left of an earlier life. */
static void start(engine *e, uint32_t node) {
  struct control *c = e->control;
  const ripstop_fabric *f = e->fabric;
  for (size_t i = 0; i < c->items; i++)
    if (c->heap[i].node == node && c->heap[i].kind != RIPSTOP_EVENT_MESSAGE) c->heap[i].dropped = true;
  memset(c->state[node], 0, c->proto->state_size(e->plan, node));
  ripstop_event event = {.kind = RIPSTOP_EVENT_START, .cycle = e->now};
  step(e, node, &event);
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    c->told_up[port] = true;
    if (f->port_link[port] != RIPSTOP_NONE && !e->view->port_up[port]) tell(e, port, false);
  }
}

void control_changes(engine *e, const ripstop_change *change, size_t count) {
  const ripstop_fabric *f = e->fabric;
  e->control->change = e->control->news = e->now;
  e->control->changed = true;
  for (size_t i = 0; i < count; i++) {
    if (!change[i].is_switch) {
      change_link(e, change[i].id, change[i].up);
      continue;
    }
    for (uint32_t port = f->port_base[change[i].id]; port < f->port_base[change[i].id + 1]; port++)
      if (f->port_link[port] != RIPSTOP_NONE) change_link(e, f->port_link[port], change[i].up);
    if (change[i].up && e->view->node_up[change[i].id]) start(e, change[i].id);
  }
  control_step(e); /* the switches know before their packets ask for ways */
}

/* What is dead from the start is old news: the steps and messages that follow from it happen before cycle 0, in the
 * order that their delays give; timers wait. -1: the messages do not come to an end. */
static int settle(engine *e, ripstop_error *err) {
  struct control *c = e->control;
  item *timer = NULL;
  size_t timers = 0, steps = 0;
  while (c->items && steps < SETTLING_STEPS) {
    item it = take(c);
    if (it.kind == RIPSTOP_EVENT_TIMER) {
      timer = ripstop_realloc(timer, timers + 1, sizeof *timer);
      timer[timers++] = it;
      continue;
    }
    c->clock = it.cycle;
    step_item(e, it);
    steps++;
  }
  bool settled = c->items == 0;
  for (size_t i = 0; i < timers; i++) put(c, timer[i]);
  ripstop_free(timer);
  c->settling = false;
  c->sent = 0;
  memset(c->kind_sent, 0, sizeof c->kind_sent);
  return settled ? 0 : ripstop_fail(err, "method %s: its switches never stop talking", e->plan->method->name);
}

bool control_quiet(const engine *e) { return !e->control || (e->control->items == 0 && e->control->waiting == 0); }

uint8_t *const *control_states(const engine *e) { return e->control->state; }

uint64_t control_sent(const engine *e) { return e->control->sent; }

uint64_t control_sent_of(const engine *e, uint32_t kind) { return e->control->kind_sent[kind]; }

uint64_t control_settling(const engine *e) {
  const struct control *c = e->control;
  return c->changed ? c->news - c->change : UINT64_MAX;
}

int control_open(engine *e, ripstop_error *err) {
  const ripstop_proto *proto = e->plan->method->proto;
  const ripstop_fabric *f = e->fabric;
  if (!proto) return 0;
  if (proto->message_size > MESSAGE_BYTES) return refuse(e), -1;
  struct control *c = e->control = RIPSTOP_NEW(e->arena, struct control);
  c->proto = proto;
  c->free = RIPSTOP_NONE;
  c->state = RIPSTOP_ARRAY(e->arena, f->nodes, uint8_t *);
  c->first = RIPSTOP_ARRAY(e->arena, f->ports, uint32_t);
  c->last = RIPSTOP_ARRAY(e->arena, f->ports, uint32_t);
  c->told_up = RIPSTOP_ARRAY(e->arena, f->ports, uint8_t);
  for (uint32_t port = 0; port < f->ports; port++) c->first[port] = RIPSTOP_NONE;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    c->state[v] = ripstop_arena_array(e->arena, 1, proto->state_size(e->plan, v) + 1);
  watch_open(e);
  c->settling = proto->settled;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (e->view->node_up[v]) start(e, v);
  return proto->settled ? settle(e, err) : 0;
}

void control_close(engine *e) {
  if (!e->control) return;
  ripstop_free(e->control->heap);
  ripstop_free(e->control->message);
  ripstop_free(e->control->envelope);
}
