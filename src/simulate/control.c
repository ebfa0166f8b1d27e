/* control.c - protocol state machines on the simulated links.
 *
 * Events wait in an event queue (route/event_queue.h). Messages that occupy their link wait in a list per port until
 * the link is free. If the plan has control packets, messages travel as packets instead (inband.c).
 *
 * A switch that starts, at cycle 0 or when it returns, assumes healthy ports as far as START says. It then receives
 * LINK_DOWN for each failed port, and from then on one event per change of a port. A link that fails and returns in one
 * cycle causes both events.
 *
 * Invariant: a message is in one place, the list of the port that sends it or the event queue. Events that a failed
 * link or switch cancels stay in the event queue until their cycle, where their order identifies them: see `cut` and
 * `generated_at`.
 *
 * Threads: the parts of a run load heads and start waiting messages, possibly in parallel; one thread does everything
 * else. A part therefore reads states without changing them, keeps what it sent in its own outbox until
 * collect_outgoing, and has its own `waiting`.
 *
 * A change costs what it touches: only switches that took a step or have a changed port, and NICs, reload candidates.
 * So the candidates of a switch may depend on its state, its own ports and the head alone. */
#include "simulate/control.h"
#include "ripstop/plugin/method.h"

#include <string.h>

#include "base/growing.h"
#include "route/actions.h"
#include "route/event_queue.h"
#include "simulate/core.h"
#include "simulate/inband.h"
#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/port_load.h"
#include "simulate/promises.h"
#include "simulate/run_result.h"
#include "simulate/slow.h"

/* Messages of one part. */
typedef struct outgoing {
  uint32_t waiting;  /* messages that wait for links of the part's nodes */
  ripstop_due *sent; /* not on the event queue yet */
  size_t count, room;
} outgoing;

struct control {
  const ripstop_proto *proto;
  uint8_t **state; /* [nodes]; NULL for end nodes */
  ripstop_event_queue event_queue;
  uint32_t *first, *last; /* [ports]: waiting messages */
  outgoing *outgoing;     /* [parts] */
  uint8_t *reported_up;   /* [ports]: the state last reported to the port's switch */
  uint64_t *cut;          /* [ports]: messages it sent with an order below this are lost */
  uint64_t *generated_at; /* [nodes]: the same for events and timers of an earlier incarnation */
  uint64_t *renewed;      /* [nodes]: the cycle of the switch's last new candidates; UINT64_MAX: none */
  uint64_t sent;          /* messages, for the measurements */
  uint64_t kind_sent[RIPSTOP_MESSAGE_KINDS_MAX];
  uint64_t kind_last[RIPSTOP_MESSAGE_KINDS_MAX];    /* [kinds]: the cycle of the last message */
  uint64_t kind_renewed[RIPSTOP_MESSAGE_KINDS_MAX]; /* [kinds]: the last cycle in which a message brought new
                                                     * candidates; 0: none */
  uint64_t change, renewal; /* cycles of the last change of the fabric, and of the last new candidates since then */
  bool changed;             /* a change has happened */
  bool changing;            /* the changes of a cycle are being applied: heads reload afterwards */
  int64_t *room;            /* [queues of a switch]: for protocols that read free space; else NULL */
  int64_t *load;            /* [ports of a switch]: for protocols that read the load of ports; else NULL */
  uint8_t *concerned;       /* [nodes]: switches that reload afterwards */
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

static void post_message(part *t, ripstop_due due) {
  outgoing *m = &t->run->control->outgoing[t->number];
  RIPSTOP_GROW_IN(t->more, m->sent, m->count, m->room);
  m->sent[m->count++] = due;
}

void control_taken_in(part *t, uint32_t port, uint32_t message, uint64_t cycle) {
  envelope_of(t->run->control, message)->start = cycle;
  post_message(t, start_message(t->run, port, message, cycle));
}

/* The event queue restores the order. */
static void collect_outgoing(run *r) {
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    outgoing *m = &r->control->outgoing[i];
    while (m->count > 0) ripstop_event_queue_put(&r->control->event_queue, m->sent[--m->count]);
  }
}

/* Starts waiting messages of this node on links that are free. */
static void send_waiting(part *t, uint32_t v) {
  run *r = t->run;
  struct control *c = r->control;
  const sim_node *n = &t->shape.node[v];
  outgoing *m = &c->outgoing[t->number];
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
    post_message(t, start_message(r, port, message, (uint64_t)t->now + cycles - flits));
  }
}

/* ------------------------------------------------------------------ actions */

static void refuse(run *r, uint32_t node, uint32_t flits) {
  ripstop_error *err = run_fail(r, node, 0);
  if (!err) return;
  if (flits > MESSAGE_FLITS)
    ripstop_fail(err, "method %s: a protocol message is longer than %d flits", r->plan->method->name, MESSAGE_FLITS);
  else
    ripstop_fail(err, "method %s: a control packet has %u flits; its plan says %u", r->plan->method->name, flits,
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
  c->outgoing[r->shape->owner[a->node]].waiting++;
  wake_node(part_of(r, a->node), a->node);
}

static void act_timer(ripstop_actions *a, uint32_t timer, uint64_t delay) {
  run *r = a->runner;
  ripstop_event_queue_schedule(&r->control->event_queue, (ripstop_due){.cycle = r->part->now + (delay ? delay : 1),
                                                                       .node = a->node,
                                                                       .number = timer,
                                                                       .kind = RIPSTOP_EVENT_TIMER});
}

static void reload_node(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  for (uint32_t i = 0; i < n->queues; i++) reload_head(t, &t->shape.queue[n->queue + i]);
}

/* Reloads the heads of a switch, and of its end nodes if their candidates come from its state; all are of one part. */
static void reload_switch(run *r, uint32_t v) {
  const ripstop_fabric *f = r->fabric;
  part *t = part_of(r, v);
  reload_node(t, v);
  for (uint32_t port = f->port_base[v]; r->control->proto->interfaces && port < f->port_base[v + 1]; port++)
    if (f->peer[port] != RIPSTOP_NONE && is_interface(&t->shape, f->port_node[f->peer[port]]))
      reload_node(t, f->port_node[f->peer[port]]);
}

static void concern(struct control *c, uint32_t node) {
  if (c->concerned[node]) return;
  c->concerned[node] = 1;
  c->concern[c->concerns++] = node;
}

static void act_candidates_changed(ripstop_actions *a) {
  run *r = a->runner;
  r->control->renewal = r->control->renewed[a->node] = r->part->now;
  if (!r->control->changing) reload_switch(r, a->node);
}

static void act_changed_by(ripstop_actions *a, uint32_t kind) {
  run *r = a->runner;
  r->control->kind_renewed[kind] = r->part->now;
}

/* Free units of the switch's input queues, by channel of the plan: of all queues that stand for it together. */
static const int64_t *free_units_of(const run *r, uint32_t node) {
  const part *t = r->part;
  const shape *s = &t->shape;
  const sim_node *n = &s->node[node];
  int64_t *room = r->control->room;
  for (uint32_t i = 0; i < n->ports * s->plan_channels; i++) room[i] = (int64_t)s->vcs * s->capacity;
  for (const queue *q = &s->queue[n->queue]; q < &s->queue[n->queue + n->queues]; q++) {
    if (q->channel == s->channels) continue; /* control packets that wait to be sent */
    int64_t *own = &room[q->in_port * s->plan_channels + q->plan_channel];
    packet_walk walk = {0};
    for (const sim_slot *slot; (slot = next_packet(t, q, &walk));) *own -= units_of(s, &t->packet[slot->packet]);
  }
  return room;
}

static void step(run *r, uint32_t node, const ripstop_event *event) {
  ripstop_actions actions = {.runner = r,
                             .node = node,
                             .send = act_send,
                             .timer = act_timer,
                             .candidates_changed = act_candidates_changed,
                             .changed_by = act_changed_by};
  ripstop_event full = *event;
  if (r->control->room)
    full.free_space = free_units_of(r, node), full.capacity = (int64_t)r->shape->vcs * r->shape->capacity;
  if ((full.load = r->control->load)) port_loads_of_node(part_of(r, node), &r->shape->node[node], r->control->load);
  concern(r->control, node);
  r->control->proto->step(r->plan, node, r->control->state[node], &full, &actions);
  watch_step(r);
}

/* ------------------------------------------------------------------ calls by the engine */

/* True if the protocol, not the plan, provides the candidates of a node's heads. */
static bool has_candidates(const part *t, uint32_t node) {
  return !is_interface(&t->shape, node) || t->run->control->proto->interfaces;
}

/* The candidates of a head from its switch's state. If there are none, the head is stalled until the state changes. */
static int candidates_now(part *t, queue *q, const ripstop_head *head, ripstop_candidate *candidate) {
  const run *r = t->run;
  uint32_t v = is_interface(r->shape, head->node) ? ripstop_end_switch(r->fabric, head->node) : head->node;
  bool by_protocol = has_candidates(t, head->node);
  int candidates = by_protocol ? r->control->proto->candidates(r->plan, r->control->state[v], head, candidate)
                               : ripstop_route(r->plan, head, candidate);
  if (candidates == 0 && by_protocol) q->state = STALLED;
  if (candidates == 0 && !by_protocol) break_rule(t, q, "a number of candidates out of range:", 0);
  return candidates;
}

/* A switch may use a failed link until its protocol is notified. */
static bool may_be_down(const part *t, const queue *q, uint32_t port) {
  return !is_interface(&t->shape, q->node) && t->shape.fabric->peer[port] != RIPSTOP_NONE;
}

static void lose_on_failed_link(part *t, uint32_t port, packet *p) {
  if (!t->run->view->port_up[port]) lose(t, p, t->shape.fabric->port_node[port], RIPSTOP_LOST_LINK);
}

/* A message may wait for the link. */
static void wake_sender(part *t, uint32_t node) { wake_node(t, node); }

static void on_message_leave(part *t, uint32_t port, uint32_t detail) {
  (void)detail;
  wake_node(t, t->shape.output[port].node);
  wake_link(t, port);
}

/* The message was lost with its link, or the event belongs to an earlier incarnation of its switch. */
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
  collect_outgoing(r);
  while (a->items && a->heap[0].cycle <= r->part->now) {
    ripstop_due it = ripstop_event_queue_take(a);
    do_due(r, &it);
  }
}

static uint64_t next_due(const run *r) {
  const ripstop_event_queue *a = &r->control->event_queue;
  uint64_t next = a->items ? a->heap[0].cycle : UINT64_MAX;
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    const outgoing *m = &r->control->outgoing[i];
    for (size_t k = 0; k < m->count; k++)
      if (m->sent[k].cycle < next) next = m->sent[k].cycle;
  }
  return next;
}

/* Loses the messages on a failing link and those that wait for it. */
static void lose_messages(run *r, uint32_t port) {
  struct control *c = r->control;
  c->cut[port] = c->event_queue.order;
  if (r->inband) inband_lose(r, port);
  while (c->first[port] != RIPSTOP_NONE) {
    uint32_t message = c->first[port];
    c->first[port] = envelope_of(c, message)->next;
    c->outgoing[r->shape->owner[r->fabric->port_node[port]]].waiting--;
    ripstop_event_queue_drop(&c->event_queue, message);
  }
}

/* Notifies a switch of a port's change in this cycle, unless it has that state already. */
static void notify(run *r, uint32_t port, bool up) {
  struct control *c = r->control;
  uint32_t node = r->fabric->port_node[port];
  if (is_interface(r->shape, node) || (bool)c->reported_up[port] == up || (up && !r->view->port_up[port])) return;
  c->reported_up[port] = up;
  ripstop_event_queue_schedule(&c->event_queue,
                               (ripstop_due){.cycle = r->part->now,
                                             .node = node,
                                             .number = port - r->fabric->port_base[node],
                                             .kind = up ? RIPSTOP_EVENT_LINK_UP : RIPSTOP_EVENT_LINK_DOWN});
}

static void change_link(run *r, uint32_t link, bool up) {
  for (unsigned side = 0; side < 2; side++) {
    uint32_t port = r->fabric->link_port[2 * link + side];
    if (!up) lose_messages(r, port);
    concern(r->control, r->fabric->port_node[port]);
    notify(r, port, up);
  }
}

/* Starts a switch with empty state. */
static void start(run *r, uint32_t node) {
  struct control *c = r->control;
  const ripstop_fabric *f = r->fabric;
  c->generated_at[node] = c->event_queue.order;
  memset(c->state[node], 0, c->proto->state_size(r->plan, node));
  ripstop_event event = {.kind = RIPSTOP_EVENT_START, .cycle = r->part->now};
  step(r, node, &event);
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    c->reported_up[port] = true;
    if (f->port_link[port] != RIPSTOP_NONE && !r->view->port_up[port]) notify(r, port, false);
  }
}

void control_changes(run *r, const ripstop_change *change, size_t count) {
  const ripstop_fabric *f = r->fabric;
  r->control->changing = true;
  r->control->change = r->control->renewal = r->part->now;
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
  step_all(r); /* switches process the changes before their heads reload */
}

void control_reload(run *r) {
  struct control *c = r->control;
  c->changing = false;
  for (; c->concerns > 0; c->concerns--) {
    uint32_t node = c->concern[c->concerns - 1];
    c->concerned[node] = 0;
    reload_switch(r, node);
  }
  for (uint32_t end = 0; end < r->fabric->ends && !c->proto->interfaces; end++) reload_node(part_of(r, end), end);
}

/* Messages before cycle 0 are not counted. */
static int settle(run *r, ripstop_error *err) {
  struct control *c = r->control;
  int status = ripstop_event_queue_settle(&c->event_queue, do_due, r, r->plan, err);
  c->sent = 0;
  memset(c->kind_sent, 0, sizeof c->kind_sent);
  return status;
}

static bool has_control_work(const run *r) { return !control_quiet(r); }

bool control_quiet(const run *r) {
  const struct control *c = r->control;
  if (!c) return true;
  size_t busy = c->event_queue.items + inband_pending(r);
  for (uint32_t i = 0; i < r->shape->parts; i++) busy += c->outgoing[i].waiting + c->outgoing[i].count;
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
  bool since = c->changed && c->kind_renewed[kind] && c->kind_renewed[kind] >= c->change;
  return since ? c->kind_renewed[kind] - c->change : UINT64_MAX;
}

uint64_t control_settling(const run *r) {
  const struct control *c = r->control;
  return c->changed ? c->renewal - c->change : UINT64_MAX;
}

/* ------------------------------------------------------------------ inspection */

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
    for (size_t i = 0; i < c->outgoing[p].count; i++)
      count = show_message(r, &c->outgoing[p].sent[i], out, count, most);
  return count;
}

static void take_hooks(hooks *hook) {
  hook->candidates = candidates_now;
  hook->down_candidate = may_be_down;
  hook->sending = lose_on_failed_link;
  hook->output_freed = wake_sender;
  hook->deciding = send_waiting;
  hook->event[MESSAGE_LEAVE - FEATURE_EVENTS] = on_message_leave;
  hook_arrived(hook, step_all, next_due);
  hook->busy[0] = has_control_work;
}

static void lay_out(run *r) {
  struct control *c = r->control;
  const ripstop_fabric *f = r->fabric;
  c->state = RIPSTOP_ARRAY(r->arena, f->nodes, uint8_t *);
  c->outgoing = RIPSTOP_ARRAY(r->arena, r->shape->parts, outgoing);
  c->first = RIPSTOP_ARRAY(r->arena, f->ports, uint32_t);
  c->last = RIPSTOP_ARRAY(r->arena, f->ports, uint32_t);
  c->reported_up = RIPSTOP_ARRAY(r->arena, f->ports, uint8_t);
  c->cut = RIPSTOP_ARRAY(r->arena, f->ports, uint64_t);
  c->generated_at = RIPSTOP_ARRAY(r->arena, f->nodes, uint64_t);
  c->renewed = RIPSTOP_ARRAY(r->arena, f->nodes, uint64_t);
  c->concerned = RIPSTOP_ARRAY(r->arena, f->nodes, uint8_t);
  c->concern = RIPSTOP_ARRAY(r->arena, f->nodes, uint32_t);
  for (uint32_t port = 0; port < f->ports; port++) c->first[port] = RIPSTOP_NONE;
  uint32_t queues = 0, ports = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    const sim_node *n = &r->shape->node[v];
    if (n->queues > queues) queues = n->queues;
    if (n->ports > ports) ports = n->ports;
  }
  if (c->proto->needs_space) c->room = RIPSTOP_ARRAY(r->arena, queues, int64_t);
  if (c->proto->needs_load) c->load = RIPSTOP_ARRAY(r->arena, ports, int64_t);
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
  step_all(r); /* failures from the start: switches process them before their heads load */
  for (uint32_t v = 0; v < f->nodes; v++) c->renewed[v] = UINT64_MAX;
  return run_failed(r) ? run_report(r, err) : 0;
}
