/* control.c - protocol state machines on the simulated links.
 *
 * Things to do are on an event queue (route/event queue.h). Messages that occupy their link wait in a queue per port
 * until it is free; where the plan has control packets they travel as such instead (inband.c).
 *
 * A switch that starts, at cycle 0 or when it comes back, takes its ports for healthy, as far as START tells, and then
 * gets LINK_DOWN for those that are not. From then on it is told of each change of a port once: of a link that fails
 * and comes back in one cycle it hears both.
 *
 * Invariant: a message is in one place, the waiting queue of the port that sends it or the event queue. What a link or
 * a switch takes with it stays on the event queue until its time comes, and is known by its order: see `cut` and
 * `generated`.
 *
 * Heads are asked, and messages that wait take their links, by the parts of the run, which may work side by side; all
 * else is for one thread. So a part looks at states and changes none, and keeps what it has sent for itself until
 * somebody collects it; `waiting` is its own too.
 *
 * A change costs what it touches: only switches that take a step, or have a port that changes, and network interfaces
 * ask for their candidates again. So the candidates of a switch depend on its state, its own ports and the head alone.
 */
#include "simulate/control.h"
#include "ripstop/plugin/method.h"

#include <string.h>

#include "base/growing.h"
#include "route/actions.h"
#include "route/event_queue.h"
#include "simulate/core.h"
#include "simulate/inband.h"
#include "simulate/outqueues.h"
#include "simulate/promises.h"
#include "simulate/slow.h"

/* Of a part. */
typedef struct mail {
  uint32_t waiting;  /* messages, for links of its nodes */
  ripstop_due *sent; /* not on the event queue yet */
  size_t count, room;
} mail;

struct control {
  const ripstop_proto *proto;
  uint8_t **state; /* [nodes]; NULL for end nodes */
  ripstop_event_queue event_queue;
  uint32_t *first, *last; /* [ports]: waiting messages */
  mail *mail;             /* [parts] */
  uint8_t *told_up;       /* [ports]: what the port's switch has been told last */
  uint64_t *cut;          /* [ports]: messages that it sent are lost if their order is below this */
  uint64_t *generated_at; /* [nodes]: so are events and timers of an earlier life */
  uint64_t *renewed;      /* [nodes]: the cycle of its last new candidates; UINT64_MAX: none */
  uint64_t sent;          /* messages, for the measures */
  uint64_t kind_sent[RIPSTOP_MESSAGE_KINDS_MAX];
  uint64_t kind_last[RIPSTOP_MESSAGE_KINDS_MAX]; /* the cycle of the last one */
  uint64_t kind_news[RIPSTOP_MESSAGE_KINDS_MAX]; /* the cycle of the last new candidates that one brought; 0: none */
  uint64_t change, news; /* cycles of the last change of the fabric, and of the last new candidates since then */
  bool changed;          /* there has been one */
  bool changing;         /* the changes of a cycle are at work: heads ask when they are over */
  int64_t *room;         /* [queues of a switch], for steps that are told of them; else NULL */
  uint8_t *concerned;    /* [nodes]: switches that will ask then */
  uint32_t *concern, concerns;
};

/* ------------------------------------------------------------------ messages */

static ripstop_envelope *envelope_of(struct control *c, uint32_t message) { return &c->event_queue.envelope[message]; }

/* The message takes the link in cycle `now`. */
static ripstop_due start_message(const run *r, uint32_t port, uint32_t message, uint64_t now) {
  struct control *c = r->control;
  uint32_t peer = r->fabric->peer[port], node = r->fabric->port_node[peer];
  uint64_t delay = c->proto->delay(r->plan, ripstop_event_queue_message(&c->event_queue, message));
  return (ripstop_due){.cycle = now + (delay ? delay : 1),
                       .order = envelope_of(c, message)->order,
                       .node = node,
                       .number = peer - r->fabric->port_base[node],
                       .kind = RIPSTOP_EVENT_MESSAGE,
                       .message = message};
}

static void mail_message(part *t, ripstop_due due) {
  mail *m = &t->run->control->mail[t->number];
  RIPSTOP_GROW_IN(t->more, m->sent, m->count, m->room);
  m->sent[m->count++] = due;
}

void control_taken_in(part *t, uint32_t port, uint32_t message, uint64_t cycle) {
  envelope_of(t->run->control, message)->start = cycle;
  mail_message(t, start_message(t->run, port, message, cycle));
}

/* The event queue has an order of its own. */
static void collect_mail(run *r) {
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    mail *m = &r->control->mail[i];
    while (m->count > 0) ripstop_event_queue_put(&r->control->event_queue, m->sent[--m->count]);
  }
}

/* Messages that wait for a free link of this node take it. */
static void send_waiting(part *t, uint32_t v) {
  run *r = t->run;
  struct control *c = r->control;
  const sim_node *n = &t->shape.node[v];
  mail *m = &c->mail[t->number];
  if (is_interface(&t->shape, v) || m->waiting == 0) return;
  for (uint32_t port = n->port; port < n->port + n->ports; port++) {
    uint32_t message = c->first[port];
    if (message == RIPSTOP_NONE || !slow_yields(t, port) || *link_busy(t, port) > t->now) continue;
    uint32_t flits = envelope_of(c, message)->flits, cycles = cycles_on_link(&t->shape, port, flits);
    uint32_t until = t->now + cycles;
    c->first[port] = envelope_of(c, message)->next;
    m->waiting--;
    *link_busy(t, port) = until;
    if (!t->out_queues) shut_output(n, port - n->port, t->shape.channels);
    post_distant(t, until, MESSAGE_LEAVE, port, 0);
    envelope_of(c, message)->start = t->now;
    mail_message(t, start_message(r, port, message, (uint64_t)t->now + cycles - flits));
  }
}

/* ------------------------------------------------------------------ actions */

static void refuse(run *r, uint32_t node, uint32_t flits) {
  ripstop_error *err = run_fail(r, node, 0);
  if (!err) return;
  if (flits > MESSAGE_FLITS)
    ripstop_fail(err, "method %s: messages of at most %d flits", r->plan->method->name, MESSAGE_FLITS);
  else
    ripstop_fail(err, "method %s: a control packet of %u flits, where its plan has %u", r->plan->method->name, flits,
                 r->plan->control_flits);
}

static void count_kind(struct control *c, uint32_t kind, uint64_t now) {
  c->kind_sent[kind]++;
  c->kind_last[kind] = now;
}

static void act_send(ripstop_actions *a, uint32_t local, const void *bytes) {
  run *r = a->runner;
  struct control *c = r->control;
  uint32_t port = r->fabric->port_base[a->node] + local;
  if (local >= ripstop_node_ports(r->fabric, a->node) || !r->view->port_up[port]) return;
  if (is_interface(r->shape, r->fabric->port_node[r->fabric->peer[port]])) return;
  uint32_t flits = c->proto->flits ? c->proto->flits(r->plan, bytes) : 0;
  if (flits > MESSAGE_FLITS || (r->inband && flits && flits != r->plan->control_flits)) refuse(r, a->node, flits);
  uint32_t message = ripstop_event_queue_keep(&c->event_queue, bytes);
  envelope_of(c, message)->flits = flits;
  c->sent++;
  if (c->proto->kinds) count_kind(c, c->proto->kind(r->plan, bytes), r->part->now);
  if (flits == 0 || c->event_queue.settling || run_failed(r)) {
    envelope_of(c, message)->start = r->part->now;
    ripstop_event_queue_put(
        &c->event_queue,
        start_message(r, port, message, c->event_queue.settling ? c->event_queue.clock : r->part->now));
    return;
  }
  if (r->inband) {
    inband_send(r, port, message);
    return;
  }
  if (c->first[port] == RIPSTOP_NONE)
    c->first[port] = message;
  else
    envelope_of(c, c->last[port])->next = message;
  c->last[port] = message;
  c->mail[r->shape->owner[a->node]].waiting++;
  wake_node(part_of(r, a->node), a->node);
}

static void put(struct control *c, ripstop_due due) {
  due.order = ripstop_event_queue_order(&c->event_queue);
  due.message = RIPSTOP_NONE;
  ripstop_event_queue_put(&c->event_queue, due);
}

static void act_timer(ripstop_actions *a, uint32_t timer, uint64_t delay) {
  run *r = a->runner;
  put(r->control,
      (ripstop_due){
          .cycle = r->part->now + (delay ? delay : 1), .node = a->node, .number = timer, .kind = RIPSTOP_EVENT_TIMER});
}

static void ask_node(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  for (uint32_t i = 0; i < n->queues; i++) ask_anew(t, &t->shape.queue[n->queue + i]);
}

/* The heads of a switch, and of its end nodes if they ask it: all of one part. */
static void ask_switch(run *r, uint32_t v) {
  const ripstop_fabric *f = r->fabric;
  part *t = part_of(r, v);
  ask_node(t, v);
  for (uint32_t port = f->port_base[v]; r->control->proto->interfaces && port < f->port_base[v + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && is_interface(&t->shape, f->port_node[f->peer[port]]))
      ask_node(t, f->port_node[f->peer[port]]);
}

static void concern(struct control *c, uint32_t node) {
  if (c->concerned[node]) return;
  c->concerned[node] = 1;
  c->concern[c->concerns++] = node;
}

static void act_candidates_changed(ripstop_actions *a) {
  run *r = a->runner;
  r->control->news = r->control->renewed[a->node] = r->part->now;
  if (!r->control->changing) ask_switch(r, a->node);
}

static void act_changed_by(ripstop_actions *a, uint32_t kind) {
  run *r = a->runner;
  r->control->kind_news[kind] = r->part->now;
}

/* Free units of a switch's own input queues. */
static const int64_t *rooms_of(const run *r, uint32_t node) {
  const part *t = r->part;
  const shape *s = &t->shape;
  const sim_node *n = &s->node[node];
  int64_t *room = r->control->room;
  for (uint32_t i = 0; i < n->queues; i++) {
    const queue *q = &s->queue[n->queue + i];
    if (q->channel == s->channels) continue; /* control packets to be sent */
    *room = s->capacity;
    for (uint32_t k = 0; k < q->length; k++) {
      uint32_t at = q->head + k < s->ring ? q->head + k : q->head + k - s->ring;
      *room -= units_of(s, &t->packet[s->slot[q->slot + at].packet]);
    }
    room++;
  }
  return r->control->room;
}

static void step(run *r, uint32_t node, const ripstop_event *event) {
  ripstop_actions actions = {.runner = r,
                             .node = node,
                             .send = act_send,
                             .timer = act_timer,
                             .candidates_changed = act_candidates_changed,
                             .changed_by = act_changed_by};
  ripstop_event told = *event;
  if (r->control->room) told.room = rooms_of(r, node), told.capacity = r->part->shape.capacity;
  concern(r->control, node);
  r->control->proto->step(r->plan, node, r->control->state[node], &told, &actions);
  watch_step(r);
}

/* ------------------------------------------------------------------ what the engine calls */

/* True if the protocol, not the plan, has the candidates of a node's heads. */
static bool has_candidates(const part *t, uint32_t node) {
  return !is_interface(&t->shape, node) || t->run->control->proto->interfaces;
}

/* The present candidates of a head: from its switch's state. None: it is held until that changes. */
static int candidates_now(part *t, queue *q, const ripstop_head *head, ripstop_candidate *candidate) {
  const run *r = t->run;
  uint32_t v = is_interface(r->shape, head->node) ? ripstop_end_switch(r->fabric, head->node) : head->node;
  bool asks = has_candidates(t, head->node);
  int candidates = asks ? r->control->proto->candidates(r->plan, r->control->state[v], head, candidate)
                        : ripstop_route(r->plan, head, candidate);
  if (candidates == 0 && asks) q->state = STALLED;
  if (candidates == 0 && !asks) break_rule(t, q, "a number of ways out of range:", 0);
  return candidates;
}

/* A switch may take a link for alive as long as the protocol has not found out. */
static bool may_be_dead(const part *t, const queue *q, uint32_t port) {
  return !is_interface(&t->shape, q->node) && t->shape.fabric->peer[port] != RIPSTOP_NONE;
}

static void lose_on_dead_link(part *t, uint32_t port, packet *p) {
  if (!t->run->view->port_up[port]) lose(t, p, t->shape.fabric->port_node[port], RIPSTOP_LOST_LINK);
}

/* A message may wait for the link. */
static void wake_sender(part *t, uint32_t node) { wake_node(t, node); }

static void on_message_leave(part *t, uint32_t port, uint32_t detail) {
  (void)detail;
  wake_node(t, t->shape.output[port].node);
  wake_link(t, port);
}

/* Lost with the link that it was on, or a memory of an earlier life. */
static bool is_void(const run *r, const ripstop_due *it) {
  const struct control *c = r->control;
  if (it->kind != RIPSTOP_EVENT_MESSAGE) return it->order < c->generated_at[it->node];
  return it->order < c->cut[r->fabric->peer[r->fabric->port_base[it->node] + it->number]];
}

static void do_due(void *runner, const ripstop_due *it) {
  run *r = runner;
  ripstop_message copy;
  ripstop_event event = ripstop_event_queue_event(&r->control->event_queue, it, r->part->now, &copy);
  if (!is_void(r, it) && r->view->node_up[it->node]) step(r, it->node, &event);
}

static void step_all(run *r) {
  ripstop_event_queue *a = &r->control->event_queue;
  collect_mail(r);
  while (a->items && a->heap[0].cycle <= r->part->now) {
    ripstop_due it = ripstop_event_queue_take(a);
    do_due(r, &it);
  }
}

static uint64_t next_due(const run *r) {
  const ripstop_event_queue *a = &r->control->event_queue;
  uint64_t next = a->items ? a->heap[0].cycle : UINT64_MAX;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    const mail *m = &r->control->mail[i];
    for (size_t k = 0; k < m->count; k++)
      if (m->sent[k].cycle < next) next = m->sent[k].cycle;
  }
  return next;
}

/* Messages on a link that dies, or waiting for it, are lost. */
static void lose_messages(run *r, uint32_t port) {
  struct control *c = r->control;
  c->cut[port] = c->event_queue.order;
  if (r->inband) inband_lose(r, port);
  while (c->first[port] != RIPSTOP_NONE) {
    uint32_t message = c->first[port];
    c->first[port] = envelope_of(c, message)->next;
    c->mail[r->shape->owner[r->fabric->port_node[port]]].waiting--;
    ripstop_event_queue_drop(&c->event_queue, message);
  }
}

/* A switch hears of the change of one of its ports in this cycle, unless it knows. */
static void tell(run *r, uint32_t port, bool up) {
  struct control *c = r->control;
  uint32_t node = r->fabric->port_node[port];
  if (is_interface(r->shape, node) || (bool)c->told_up[port] == up || (up && !r->view->port_up[port])) return;
  c->told_up[port] = up;
  put(c, (ripstop_due){.cycle = r->part->now,
                       .node = node,
                       .number = port - r->fabric->port_base[node],
                       .kind = up ? RIPSTOP_EVENT_LINK_UP : RIPSTOP_EVENT_LINK_DOWN});
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
  c->generated_at[node] = c->event_queue.order;
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
  step_all(r); /* the switches know before their packets ask for candidates */
}

void control_reload(run *r) {
  struct control *c = r->control;
  c->changing = false;
  for (; c->concerns > 0; c->concerns--) {
    uint32_t node = c->concern[c->concerns - 1];
    c->concerned[node] = 0;
    ask_switch(r, node);
  }
  for (uint32_t end = 0; end < r->fabric->ends && !c->proto->interfaces; end++) ask_node(part_of(r, end), end);
}

/* Nobody counts what happens before cycle 0. */
static int settle(run *r, ripstop_error *err) {
  struct control *c = r->control;
  int status = ripstop_event_queue_settle(&c->event_queue, do_due, r, r->plan, err);
  c->sent = 0;
  memset(c->kind_sent, 0, sizeof c->kind_sent);
  return status;
}

static bool is_talking(const run *r) { return !control_quiet(r); }

bool control_quiet(const run *r) {
  const struct control *c = r->control;
  if (!c) return true;
  size_t busy = c->event_queue.items + inband_under_candidate(r);
  for (uint32_t i = 0; i < r->shape->parts; i++) busy += c->mail[i].waiting + c->mail[i].count;
  return busy == 0;
}

uint8_t *const *control_states(const run *r) { return r->control->state; }

uint64_t control_sent(const run *r) { return r->control->sent; }

uint64_t control_sent_of(const run *r, uint32_t kind) { return r->control->kind_sent[kind]; }

uint64_t control_last_of(const run *r, uint32_t kind) {
  const struct control *c = r->control;
  bool since = c->changed && c->kind_sent[kind] && c->kind_last[kind] >= c->change;
  return since ? c->kind_last[kind] - c->change : UINT64_MAX;
}

uint64_t control_settling_of(const run *r, uint32_t kind) {
  const struct control *c = r->control;
  bool since = c->changed && c->kind_news[kind] && c->kind_news[kind] >= c->change;
  return since ? c->kind_news[kind] - c->change : UINT64_MAX;
}

uint64_t control_settling(const run *r) {
  const struct control *c = r->control;
  return c->changed ? c->news - c->change : UINT64_MAX;
}

/* ------------------------------------------------------------------ looks */

uint64_t control_renewed(const run *r, uint32_t node) { return r->control ? r->control->renewed[node] : UINT64_MAX; }

static size_t show_message(const run *r, const ripstop_due *it, ripstop_message_look *out, size_t count, size_t most) {
  if (it->kind != RIPSTOP_EVENT_MESSAGE || is_void(r, it)) return count;
  uint32_t port = r->fabric->peer[r->fabric->port_base[it->node] + it->number];
  if (count < most) out[count] = (ripstop_message_look){port, envelope_of(r->control, it->message)->start, it->cycle};
  return count + 1;
}

size_t control_messages(const run *r, ripstop_message_look *out, size_t most) {
  const struct control *c = r->control;
  size_t count = 0;
  if (!c) return 0;
  for (size_t i = 0; i < c->event_queue.items; i++) count = show_message(r, &c->event_queue.heap[i], out, count, most);
  for (uint32_t p = 0; p < r->shape->parts; p++)
    for (size_t i = 0; i < c->mail[p].count; i++) count = show_message(r, &c->mail[p].sent[i], out, count, most);
  return count;
}

static void take_hooks(hooks *hook) {
  hook->candidates = candidates_now;
  hook->dead_candidate = may_be_dead;
  hook->sending = lose_on_dead_link;
  hook->output_freed = wake_sender;
  hook->deciding = send_waiting;
  hook->event[MESSAGE_LEAVE - FEATURE_EVENTS] = on_message_leave;
  hook_arrived(hook, step_all, next_due);
  hook->busy[0] = is_talking;
}

static void lay_out(run *r) {
  struct control *c = r->control;
  const ripstop_fabric *f = r->fabric;
  c->state = RIPSTOP_ARRAY(r->arena, f->nodes, uint8_t *);
  c->mail = RIPSTOP_ARRAY(r->arena, r->shape->parts, mail);
  c->first = RIPSTOP_ARRAY(r->arena, f->ports, uint32_t);
  c->last = RIPSTOP_ARRAY(r->arena, f->ports, uint32_t);
  c->told_up = RIPSTOP_ARRAY(r->arena, f->ports, uint8_t);
  c->cut = RIPSTOP_ARRAY(r->arena, f->ports, uint64_t);
  c->generated_at = RIPSTOP_ARRAY(r->arena, f->nodes, uint64_t);
  c->renewed = RIPSTOP_ARRAY(r->arena, f->nodes, uint64_t);
  c->concerned = RIPSTOP_ARRAY(r->arena, f->nodes, uint8_t);
  c->concern = RIPSTOP_ARRAY(r->arena, f->nodes, uint32_t);
  for (uint32_t port = 0; port < f->ports; port++) c->first[port] = RIPSTOP_NONE;
  uint32_t most = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (r->shape->node[v].queues > most) most = r->shape->node[v].queues;
  if (c->proto->rooms) c->room = RIPSTOP_ARRAY(r->arena, most, int64_t);
  for (uint32_t v = f->ends; v < f->nodes; v++)
    c->state[v] = ripstop_arena_array(r->arena, 1, c->proto->state_size(r->plan, v) + 1);
}

int control_open(run *r, ripstop_error *err) {
  const ripstop_proto *proto = r->plan->method->proto;
  const ripstop_fabric *f = r->fabric;
  if (!proto) return 0;
  struct control *c = RIPSTOP_NEW(r->arena, struct control);
  if (ripstop_event_queue_open(&c->event_queue, r->arena, r->plan, err)) return -1;
  r->control = c;
  c->proto = proto;
  lay_out(r);
  take_hooks(&r->part->hook);
  if (inband_open(r, &c->event_queue, err)) return -1;
  watch_open(r);
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (r->view->node_up[v]) start(r, v);
  if (proto->settled && settle(r, err)) return -1;
  step_all(r); /* what is dead from the start: the switches know before their packets ask for candidates */
  for (uint32_t v = 0; v < f->nodes; v++) c->renewed[v] = UINT64_MAX;
  return run_failed(r) ? run_report(r, err) : 0;
}
