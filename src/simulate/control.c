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
 * Invariant: a message is in one place, the waiting queue of the port that sends it or the heap. What a link or a
 * switch takes with it stays in the heap until its time comes, and is known by its order: see `cut` and `born`.
 *
 * A change costs what it touches: only switches that take a step, or have a port that changes, and network interfaces
 * ask for their ways anew. So the ways of a switch depend on its state, its own ports and the head alone. */
#include "simulate/control.h"
#include "ripstop/plugin/method.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "route/actions.h"
#include "simulate/core.h"
#include "simulate/outqueues.h"
#include "simulate/watch.h"

typedef struct item { /* of the heap */
  uint64_t cycle, order;
  uint32_t node, number; /* port or timer */
  ripstop_event_kind kind;
  uint32_t message; /* or RIPSTOP_NONE */
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
  uint64_t *cut;          /* [ports]: messages that it sent are lost if their order is below this */
  uint64_t *born;         /* [nodes]: so are events and timers of an earlier life */
  uint64_t order;
  uint64_t sent; /* messages, for the measures */
  uint64_t kind_sent[RIPSTOP_MESSAGE_KINDS_MAX];
  uint64_t change, news; /* cycles of the last change of the fabric, and of the last new ways since then */
  bool changed;          /* there has been one */
  bool settling;         /* before cycle 0, see settle */
  uint64_t clock;        /* then: when the step at hand happens */
  bool changing;         /* the changes of a cycle are at work: heads ask when they are over */
  uint8_t *concerned;    /* [nodes]: switches that will ask then */
  uint32_t *concern, concerns;
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
static void start_message(run *r, uint32_t port, uint32_t message) {
  struct control *c = r->control;
  uint32_t peer = r->fabric->peer[port], node = r->fabric->port_node[peer];
  uint64_t delay = c->proto->delay(r->plan, message_at(c, message));
  put(c, (item){.cycle = (c->settling ? c->clock : r->part->now) + (delay ? delay : 1),
                .order = c->envelope[message].order,
                .node = node,
                .number = peer - r->fabric->port_base[node],
                .kind = RIPSTOP_EVENT_MESSAGE,
                .message = message});
}

/* Messages that wait for a free link of this node take it. */
static void send_waiting(part *t, uint32_t v) {
  run *r = t->run;
  struct control *c = r->control;
  const sim_node *n = &t->shape.node[v];
  if (is_interface(&t->shape, v) || c->waiting == 0) return;
  for (uint32_t port = n->port; port < n->port + n->ports; port++) {
    uint32_t message = c->first[port];
    if (message == RIPSTOP_NONE || *link_busy(t, port) > t->now) continue;
    uint32_t until = t->now + c->envelope[message].flits;
    c->first[port] = c->envelope[message].next;
    c->waiting--;
    *link_busy(t, port) = until;
    post(t, until, MESSAGE_LEAVE, port, 0);
    start_message(r, port, message);
  }
}

/* ------------------------------------------------------------------ actions */

static void refuse(run *r, uint32_t node) {
  ripstop_error *err = run_fail(r, node, 0);
  if (err)
    ripstop_fail(err, "method %s: messages of at most %d bytes and %d flits", r->plan->method->name, MESSAGE_BYTES,
                 MESSAGE_FLITS);
}

static void act_send(ripstop_actions *a, uint32_t local, const void *bytes) {
  run *r = a->runner;
  struct control *c = r->control;
  uint32_t port = r->fabric->port_base[a->node] + local;
  if (local >= ripstop_node_ports(r->fabric, a->node) || !r->view->port_up[port]) return;
  if (is_interface(r->shape, r->fabric->port_node[r->fabric->peer[port]])) return;
  uint32_t flits = c->proto->flits ? c->proto->flits(r->plan, bytes) : 0;
  if (flits > MESSAGE_FLITS) refuse(r, a->node);
  uint32_t message = new_message(c, bytes, flits);
  c->sent++;
  if (c->proto->kinds) c->kind_sent[c->proto->kind(r->plan, bytes)]++;
  if (flits == 0 || c->settling || run_failed(r)) {
    start_message(r, port, message);
    return;
  }
  if (c->first[port] == RIPSTOP_NONE)
    c->first[port] = message;
  else
    c->envelope[c->last[port]].next = message;
  c->last[port] = message;
  c->waiting++;
  wake_node(r->part, a->node);
}

static void act_timer(ripstop_actions *a, uint32_t timer, uint64_t delay) {
  run *r = a->runner;
  put(r->control, (item){.cycle = r->part->now + (delay ? delay : 1),
                         .order = r->control->order++,
                         .node = a->node,
                         .number = timer,
                         .kind = RIPSTOP_EVENT_TIMER,
                         .message = RIPSTOP_NONE});
}

static void ask_node(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  for (uint32_t i = 0; i < n->queues; i++) ask_anew(t, &t->shape.queue[n->queue + i]);
}

/* The heads of a switch, and of its end nodes if they ask it. */
static void ask_switch(part *t, uint32_t v) {
  const ripstop_fabric *f = t->shape.fabric;
  ask_node(t, v);
  for (uint32_t port = f->port_base[v]; t->run->control->proto->interfaces && port < f->port_base[v + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && is_interface(&t->shape, f->port_node[f->peer[port]]))
      ask_node(t, f->port_node[f->peer[port]]);
}

static void concern(struct control *c, uint32_t node) {
  if (c->concerned[node]) return;
  c->concerned[node] = 1;
  c->concern[c->concerns++] = node;
}

static void act_ways_changed(ripstop_actions *a) {
  run *r = a->runner;
  r->control->news = r->part->now;
  if (!r->control->changing) ask_switch(r->part, a->node);
}

static void step(run *r, uint32_t node, const ripstop_event *event) {
  ripstop_actions actions = {
      .runner = r, .node = node, .send = act_send, .timer = act_timer, .ways_changed = act_ways_changed};
  concern(r->control, node);
  r->control->proto->step(r->plan, node, r->control->state[node], event, &actions);
  watch_step(r);
}

/* ------------------------------------------------------------------ what the engine calls */

/* Whether the protocol, not the plan, has the ways of a node's heads. */
static bool has_ways(const part *t, uint32_t node) {
  return !is_interface(&t->shape, node) || t->run->control->proto->interfaces;
}

/* The present ways of a head: from its switch's state. None: it is held until that changes. */
static int ways_now(part *t, queue *q, const ripstop_head *head, ripstop_way *way) {
  const run *r = t->run;
  uint32_t v = is_interface(r->shape, head->node) ? ripstop_end_switch(r->fabric, head->node) : head->node;
  bool asks = has_ways(t, head->node);
  int ways =
      asks ? r->control->proto->ways(r->plan, r->control->state[v], head, way) : ripstop_route(r->plan, head, way);
  if (ways == 0 && asks) q->state = HELD;
  if (ways == 0 && !asks) break_rule(t, q, "a number of ways out of range:", 0);
  return ways;
}

/* A switch may take a link for alive as long as the protocol has not found out. */
static bool may_be_dead(const part *t, const queue *q, uint32_t port) {
  return !is_interface(&t->shape, q->node) && t->shape.fabric->peer[port] != RIPSTOP_NONE;
}

static void lose_on_dead_link(part *t, uint32_t port, packet *p) {
  if (!t->run->view->port_up[port]) lose(t, p, RIPSTOP_LOST_LINK);
}

/* A message may wait for the link. */
static void wake_sender(part *t, uint32_t node) { wake_node(t, node); }

static void on_message_leave(part *t, uint32_t port, uint32_t detail) {
  (void)detail;
  wake_node(t, t->shape.output[port].node);
  wake_link(t, port);
}

/* Lost with the link that it was on, or a memory of an earlier life. */
static bool is_void(const run *r, const item *it) {
  const struct control *c = r->control;
  if (it->kind != RIPSTOP_EVENT_MESSAGE) return it->order < c->born[it->node];
  return it->order < c->cut[r->fabric->peer[r->fabric->port_base[it->node] + it->number]];
}

static void step_item(run *r, item it) {
  struct control *c = r->control;
  ripstop_event event = {.kind = it.kind, .cycle = r->part->now};
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
  if (!is_void(r, &it) && r->view->node_up[it.node]) step(r, it.node, &event);
}

static void step_all(run *r) {
  while (r->control->items && r->control->heap[0].cycle <= r->part->now) step_item(r, take(r->control));
}

/* Messages on a link that dies, or waiting for it, are lost. */
static void lose_messages(run *r, uint32_t port) {
  struct control *c = r->control;
  c->cut[port] = c->order;
  while (c->first[port] != RIPSTOP_NONE) {
    uint32_t message = c->first[port];
    c->first[port] = c->envelope[message].next;
    c->waiting--;
    free_message(c, message);
  }
}

/* A switch hears of the change of one of its ports in this cycle, unless it knows. */
static void tell(run *r, uint32_t port, bool up) {
  struct control *c = r->control;
  uint32_t node = r->fabric->port_node[port];
  if (is_interface(r->shape, node) || (bool)c->told_up[port] == up || (up && !r->view->port_up[port])) return;
  c->told_up[port] = up;
  put(c, (item){.cycle = r->part->now,
                .order = c->order++,
                .node = node,
                .number = port - r->fabric->port_base[node],
                .kind = up ? RIPSTOP_EVENT_LINK_UP : RIPSTOP_EVENT_LINK_DOWN,
                .message = RIPSTOP_NONE});
}

static void change_link(run *r, uint32_t link, bool up) {
  for (unsigned side = 0; side < 2; side++) {
    uint32_t port = r->fabric->link_port[2 * link + side];
    if (!up) lose_messages(r, port);
    concern(r->control, r->fabric->port_node[port]);
    tell(r, port, up);
  }
}

/* A switch begins, with nothing left of an earlier life. */
static void start(run *r, uint32_t node) {
  struct control *c = r->control;
  const ripstop_fabric *f = r->fabric;
  c->born[node] = c->order;
  memset(c->state[node], 0, c->proto->state_size(r->plan, node));
  ripstop_event event = {.kind = RIPSTOP_EVENT_START, .cycle = r->part->now};
  step(r, node, &event);
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    c->told_up[port] = true;
    if (f->port_link[port] != RIPSTOP_NONE && !r->view->port_up[port]) tell(r, port, false);
  }
}

void control_changes(run *r, const ripstop_change *change, size_t count) {
  const ripstop_fabric *f = r->fabric;
  r->control->changing = true;
  r->control->change = r->control->news = r->part->now;
  r->control->changed = true;
  for (size_t i = 0; i < count; i++) {
    if (!change[i].is_switch) {
      change_link(r, change[i].id, change[i].up);
      continue;
    }
    for (uint32_t port = f->port_base[change[i].id]; port < f->port_base[change[i].id + 1]; port++)
      if (f->port_link[port] != RIPSTOP_NONE) change_link(r, f->port_link[port], change[i].up);
    if (change[i].up && r->view->node_up[change[i].id]) start(r, change[i].id);
  }
  step_all(r); /* the switches know before their packets ask for ways */
}

void control_reload(run *r) {
  struct control *c = r->control;
  c->changing = false;
  for (; c->concerns > 0; c->concerns--) {
    uint32_t node = c->concern[c->concerns - 1];
    c->concerned[node] = 0;
    ask_switch(r->part, node);
  }
  for (uint32_t end = 0; end < r->fabric->ends && !c->proto->interfaces; end++) ask_node(r->part, end);
}

/* What is dead from the start is old news: the steps and messages that follow from it happen before cycle 0, in the
 * order that their delays give; timers wait. -1: the messages do not come to an end. */
static int settle(run *r, ripstop_error *err) {
  struct control *c = r->control;
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
    step_item(r, it);
    steps++;
  }
  bool settled = c->items == 0;
  for (size_t i = 0; i < timers; i++) put(c, timer[i]);
  ripstop_free(timer);
  c->settling = false;
  c->sent = 0;
  memset(c->kind_sent, 0, sizeof c->kind_sent);
  return settled ? 0 : ripstop_fail(err, "method %s: its switches never stop talking", r->plan->method->name);
}

static bool is_talking(const run *r) { return !control_quiet(r); }

bool control_quiet(const run *r) { return !r->control || (r->control->items == 0 && r->control->waiting == 0); }

uint8_t *const *control_states(const run *r) { return r->control->state; }

uint64_t control_sent(const run *r) { return r->control->sent; }

uint64_t control_sent_of(const run *r, uint32_t kind) { return r->control->kind_sent[kind]; }

uint64_t control_settling(const run *r) {
  const struct control *c = r->control;
  return c->changed ? c->news - c->change : UINT64_MAX;
}

static void take_hooks(hooks *hook) {
  hook->ways = ways_now;
  hook->dead_way = may_be_dead;
  hook->sending = lose_on_dead_link;
  hook->output_freed = wake_sender;
  hook->deciding = send_waiting;
  hook->event[MESSAGE_LEAVE - FEATURE_EVENTS] = on_message_leave;
  hook_cycle(hook->arrived, step_all);
  hook->busy[0] = is_talking;
}

static void lay_out(run *r) {
  struct control *c = r->control;
  const ripstop_fabric *f = r->fabric;
  c->state = RIPSTOP_ARRAY(r->arena, f->nodes, uint8_t *);
  c->first = RIPSTOP_ARRAY(r->arena, f->ports, uint32_t);
  c->last = RIPSTOP_ARRAY(r->arena, f->ports, uint32_t);
  c->told_up = RIPSTOP_ARRAY(r->arena, f->ports, uint8_t);
  c->cut = RIPSTOP_ARRAY(r->arena, f->ports, uint64_t);
  c->born = RIPSTOP_ARRAY(r->arena, f->nodes, uint64_t);
  c->concerned = RIPSTOP_ARRAY(r->arena, f->nodes, uint8_t);
  c->concern = RIPSTOP_ARRAY(r->arena, f->nodes, uint32_t);
  for (uint32_t port = 0; port < f->ports; port++) c->first[port] = RIPSTOP_NONE;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    c->state[v] = ripstop_arena_array(r->arena, 1, c->proto->state_size(r->plan, v) + 1);
}

int control_open(run *r, ripstop_error *err) {
  const ripstop_proto *proto = r->plan->method->proto;
  const ripstop_fabric *f = r->fabric;
  if (!proto) return 0;
  if (proto->message_size > MESSAGE_BYTES)
    return ripstop_fail(err, "method %s: messages of at most %d bytes and %d flits", r->plan->method->name,
                        MESSAGE_BYTES, MESSAGE_FLITS);
  struct control *c = r->control = RIPSTOP_NEW(r->arena, struct control);
  c->proto = proto;
  c->free = RIPSTOP_NONE;
  lay_out(r);
  take_hooks(&r->part->hook);
  watch_open(r);
  c->settling = proto->settled;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (r->view->node_up[v]) start(r, v);
  if (proto->settled && settle(r, err)) return -1;
  return run_failed(r) ? run_report(r, err) : 0;
}

void control_close(run *r) {
  ripstop_free(r->control->heap);
  ripstop_free(r->control->message);
  ripstop_free(r->control->envelope);
}
