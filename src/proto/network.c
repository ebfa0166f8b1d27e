/* network.c - the virtual network: protocol state machines, messages and virtual time, nothing else.
 *
 * Pending steps are in an event queue (route/event queue.h); the schedule's changes of a cycle go before it. A message
 * that occupies its link (`flits` above 0) starts when earlier ones have left, which is known when it is sent. If its
 * link fails before that, the time on the link becomes free again. If messages are lost at random, a random loss
 * keeps its time.
 *
 * Invariants: the event queue holds only events that will happen unless a further change prevents them. So an empty
 * queue and an exhausted schedule mean that the network is quiet. For each port, notified_up has the last state that
 * its switch was notified of, and unfound the change that a switch with probes has yet to detect. */
#include <string.h>

#include "base/memory.h"
#include "faults/schedule.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/plugin/method.h"
#include "route/actions.h"
#include "route/event_queue.h"
#include "route/plan_steps.h"

typedef struct tally { /* effects of one cause */
  ripstop_network_count count;
  bool real;        /* the change had an effect: its part was in another state */
  uint8_t *changed; /* [nodes]: true if the switch's candidates have changed; NULL: not recorded */
} tally;

struct ripstop_network {
  const ripstop_fabric *fabric;
  const ripstop_proto *proto;
  ripstop_network_options options;
  const ripstop_plan *plan; /* the present plan and view: the caller's until the fabric changes, then own */
  const ripstop_view *view;
  ripstop_plan *own_plan; /* NULL: not yet */
  ripstop_view *own_view;
  ripstop_arena *arena;
  uint64_t now;
  size_t next_change, cause; /* the cause of the present step */
  uint8_t **state;           /* [nodes]; NULL for end nodes */
  ripstop_event_queue event_queue;
  uint8_t *notified_up; /* [ports] */
  size_t *unfound[2];   /* [ports]: causes of its last failure and of its last return, until detected; 0: none */
  uint64_t *busy;       /* [ports]: cycle from which the port's link can take the next message with a length */
  uint64_t *latest;     /* [ports]: arrival of the last message */
  uint64_t *position;   /* [ports]: messages so far, for their random numbers */
  tally *tally;         /* [changes + 1] */
  tally all;
  bool broken; /* the protocol's guarantee that did not hold */
};

static uint32_t local_port(const ripstop_network *n, uint32_t port) {
  return port - n->fabric->port_base[n->fabric->port_node[port]];
}

static size_t changes(const ripstop_network *n) { return n->options.schedule ? n->options.schedule->count : 0; }

static uint64_t later(uint64_t cycle, uint64_t delay) {
  return delay < RIPSTOP_NEVER - cycle ? cycle + delay : RIPSTOP_NEVER - 1;
}

static void show(const ripstop_network *n, ripstop_trace_event trace) {
  trace.cycle = n->now;
  trace.plan = n->plan;
  if (n->options.watch && !n->event_queue.settling) n->options.watch(n->options.context, &trace);
}

/* ------------------------------------------------------------------ messages */

/* The cycle in which a message sent now takes its link. */
static uint64_t take_link(ripstop_network *n, uint32_t port, const void *bytes) {
  uint64_t start = n->now;
  uint32_t flits = n->proto->flits && !n->event_queue.settling ? n->proto->flits(n->plan, bytes) : 0;
  if (flits == 0) return start;
  if (n->busy[port] > start) start = n->busy[port];
  n->busy[port] = start + flits;
  return start;
}

/* The cycle in which a message that takes its link at `start` arrives; RIPSTOP_NEVER: it is lost. */
static uint64_t arrival(ripstop_network *n, uint32_t port, const void *bytes, uint64_t start) {
  uint64_t delay = n->options.delay ? n->options.delay : n->proto->delay(n->plan, bytes);
  if (n->event_queue.settling) return later(n->event_queue.clock, delay ? delay : 1);
  uint64_t at = later(start, delay ? delay : 1);
  if (n->options.spread == 0 && n->options.loss <= 0) return at;
  uint32_t random[4];
  ripstop_random_block(n->options.seed, RIPSTOP_RANDOM_NETWORK, port, n->position[port]++, random);
  if (random[1] * 0x1p-32 < n->options.loss) return RIPSTOP_NEVER;
  if (n->options.spread == 0) return at;
  at = later(at, (uint64_t)random[0] * ((uint64_t)n->options.spread + 1) >> 32);
  if (!n->options.reorder && at < n->latest[port]) at = n->latest[port];
  n->latest[port] = at;
  return at;
}

/* The message at `it` is lost with its link; `port` is the sender. */
static void lose(ripstop_network *n, const ripstop_due *it, uint32_t port) {
  n->tally[it->cause].count.lost++;
  n->all.count.lost++;
  show(n, (ripstop_trace_event){.kind = RIPSTOP_SAW_LOST,
                                .cause = it->cause,
                                .node = n->fabric->port_node[port],
                                .port = local_port(n, port),
                                .peer = it->node,
                                .message = ripstop_event_queue_message(&n->event_queue, it->message)});
  ripstop_event_queue_drop(&n->event_queue, it->message);
}

/* The argument of a filter of the event queue. */
typedef struct subject {
  ripstop_network *network;
  uint32_t id;
} subject;

static bool is_not_on_link(void *argument, const ripstop_due *it) {
  const subject *s = argument;
  ripstop_network *n = s->network;
  if (it->kind != RIPSTOP_EVENT_MESSAGE) return true;
  uint32_t port = n->fabric->port_base[it->node] + it->number;
  if (n->fabric->port_link[port] != s->id) return true;
  uint32_t sender = n->fabric->peer[port];
  uint64_t start = n->event_queue.envelope[it->message].start;
  /* a message that has not started frees its time on the link; one that has started keeps it */
  if (start >= n->now && start < n->busy[sender]) n->busy[sender] = start;
  lose(n, it, sender);
  return false;
}

static bool is_not_own(void *argument, const ripstop_due *it) {
  return it->node != ((const subject *)argument)->id || it->kind == RIPSTOP_EVENT_MESSAGE;
}

static void filter(ripstop_network *n, bool (*stays)(void *subject, const ripstop_due *it), uint32_t id) {
  ripstop_event_queue_filter(&n->event_queue, stays, &(subject){n, id});
}

/* ------------------------------------------------------------------ actions */

static void act_send(ripstop_actions *a, uint32_t local, const void *bytes) {
  ripstop_network *n = a->runner;
  const ripstop_fabric *f = n->fabric;
  uint32_t port = f->port_base[a->node] + local;
  if (local >= ripstop_node_ports(f, a->node) || !n->view->port_up[port]) return;
  uint32_t peer = f->peer[port], to = f->port_node[peer];
  if (ripstop_is_end(f, to)) return;
  uint64_t start = take_link(n, port, bytes), at = arrival(n, port, bytes, start);
  bool lost = at == RIPSTOP_NEVER;
  n->tally[n->cause].count.sent++;
  n->tally[n->cause].count.lost += lost;
  n->all.count.sent++;
  n->all.count.lost += lost;
  show(n, (ripstop_trace_event){.kind = RIPSTOP_SAW_SENT,
                                .cause = n->cause,
                                .node = a->node,
                                .port = local,
                                .peer = to,
                                .arrives = at,
                                .message = bytes});
  if (lost) return;
  uint32_t message = ripstop_event_queue_keep(&n->event_queue, bytes);
  n->event_queue.envelope[message].start = start;
  ripstop_event_queue_put(&n->event_queue, (ripstop_due){.cycle = at,
                                                         .order = n->event_queue.envelope[message].order,
                                                         .cause = n->cause,
                                                         .node = to,
                                                         .number = local_port(n, peer),
                                                         .kind = RIPSTOP_EVENT_MESSAGE,
                                                         .message = message});
}

static void act_timer(ripstop_actions *a, uint32_t timer, uint64_t delay) {
  ripstop_network *n = a->runner;
  ripstop_event_queue_schedule(&n->event_queue, (ripstop_due){.cycle = later(n->now, delay ? delay : 1),
                                                              .cause = n->cause,
                                                              .node = a->node,
                                                              .number = timer,
                                                              .kind = RIPSTOP_EVENT_TIMER});
}

static void count_change(ripstop_network *n, tally *t, uint32_t node) {
  if (!t->changed) t->changed = RIPSTOP_ARRAY(n->arena, n->fabric->nodes, uint8_t);
  t->count.switches += !t->changed[node];
  t->changed[node] = 1;
  t->count.last_change = n->now;
}

static void act_candidates_changed(ripstop_actions *a) {
  ripstop_network *n = a->runner;
  count_change(n, &n->tally[n->cause], a->node);
  count_change(n, &n->all, a->node);
  show(n, (ripstop_trace_event){.kind = RIPSTOP_SAW_CANDIDATES,
                                .cause = n->cause,
                                .node = a->node,
                                .port = RIPSTOP_NONE,
                                .peer = RIPSTOP_NONE});
}

/* Effects of this step count for the change of the link, not for the probe that detected it. If the link did not
 * change, and counts as failed because messages were lost, the cause is the step's own. */
static void act_link_found(ripstop_actions *a, uint32_t local, bool up) {
  ripstop_network *n = a->runner;
  if (local >= ripstop_node_ports(n->fabric, a->node)) return;
  size_t *change = &n->unfound[up][n->fabric->port_base[a->node] + local];
  if (*change) n->cause = *change;
  *change = 0;
}

/* ------------------------------------------------------------------ steps */

static void step(ripstop_network *n, uint32_t node, const ripstop_event *event, size_t cause) {
  bool at_port = event->kind != RIPSTOP_EVENT_START && event->kind != RIPSTOP_EVENT_TIMER;
  uint32_t port = at_port ? n->fabric->port_base[node] + event->port : RIPSTOP_NONE;
  ripstop_actions actions = {.runner = n,
                             .node = node,
                             .send = act_send,
                             .timer = act_timer,
                             .candidates_changed = act_candidates_changed,
                             .link_found = act_link_found};
  n->cause = cause;
  show(n, (ripstop_trace_event){.kind = RIPSTOP_SAW_STEP,
                                .cause = cause,
                                .node = node,
                                .port = at_port ? event->port : RIPSTOP_NONE,
                                .peer = at_port ? n->fabric->port_node[n->fabric->peer[port]] : RIPSTOP_NONE,
                                .event = event,
                                .message = event->message});
  n->proto->step(n->plan, node, n->state[node], event, &actions);
}

static void do_due(void *network, const ripstop_due *it) {
  ripstop_network *n = network;
  ripstop_message copy;
  ripstop_event event = ripstop_event_queue_event(&n->event_queue, it, n->now, &copy);
  if (it->kind == RIPSTOP_EVENT_MESSAGE) {
    n->tally[it->cause].count.arrived++;
    n->tally[it->cause].count.last_arrival = n->now;
    n->all.count.arrived++;
    n->all.count.last_arrival = n->now;
  }
  step(n, it->node, &event, it->cause);
}

/* ------------------------------------------------------------------ changes */

/* Notifies a switch of the change of one of its ports in this cycle, unless it knows. A failed switch is not
 * notified. */
static void tell(ripstop_network *n, uint32_t port, bool up, size_t cause) {
  uint32_t node = n->fabric->port_node[port];
  if (ripstop_is_end(n->fabric, node) || !n->view->node_up[node]) return;
  if ((bool)n->notified_up[port] == up || (up && !n->view->port_up[port])) return;
  n->notified_up[port] = up;
  n->unfound[up][port] = cause;
  ripstop_event_queue_schedule(&n->event_queue,
                               (ripstop_due){.cycle = n->now,
                                             .cause = cause,
                                             .node = node,
                                             .number = local_port(n, port),
                                             .kind = up ? RIPSTOP_EVENT_LINK_UP : RIPSTOP_EVENT_LINK_DOWN});
}

static void change_link(ripstop_network *n, uint32_t link, bool up, size_t cause) {
  if (!up) filter(n, is_not_on_link, link);
  for (unsigned side = 0; side < 2; side++) {
    uint32_t port = n->fabric->link_port[2 * (size_t)link + side];
    if (!up) n->latest[port] = 0;
    tell(n, port, up, cause);
  }
}

/* A switch starts, without state of an earlier incarnation. */
static void start(ripstop_network *n, uint32_t node, size_t cause) {
  const ripstop_fabric *f = n->fabric;
  filter(n, is_not_own, node);
  memset(n->state[node], 0, n->proto->state_size(n->plan, node));
  step(n, node, &(ripstop_event){.kind = RIPSTOP_EVENT_START, .cycle = n->now}, cause);
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
    n->notified_up[port] = true;
    n->unfound[false][port] = n->unfound[true][port] = 0;
    if (f->port_link[port] != RIPSTOP_NONE && !n->view->port_up[port]) tell(n, port, false, cause);
  }
}

static void report_change(ripstop_network *n, const ripstop_change *change, size_t cause) {
  const ripstop_fabric *f = n->fabric;
  show(n, (ripstop_trace_event){.kind = RIPSTOP_SAW_CHANGE,
                                .cause = cause,
                                .node = RIPSTOP_NONE,
                                .port = RIPSTOP_NONE,
                                .peer = RIPSTOP_NONE,
                                .change = change});
  if (!n->tally[cause].real) return;
  if (!change->is_switch) {
    change_link(n, change->id, change->up, cause);
    return;
  }
  for (uint32_t port = f->port_base[change->id]; port < f->port_base[change->id + 1]; port++)
    if (f->port_link[port] != RIPSTOP_NONE) change_link(n, f->port_link[port], change->up, cause);
  if (!n->view->node_up[change->id])
    filter(n, is_not_own, change->id);
  else if (change->up)
    start(n, change->id, cause);
}

/* Compiles the present view. The plan that the network was opened with stays as it is: an own one takes its place. */
static ripstop_answer renew_plan(ripstop_network *n, ripstop_error *err) {
  ripstop_answer answer;
  if (n->own_plan) return ripstop_plan_recompile(n->own_plan, err);
  n->own_plan = ripstop_plan_for(n->plan, n->own_view, &answer, err);
  if (!n->own_plan) return answer;
  ripstop_arena_disown(n->own_plan->arena); /* it stays with the network, even if this call fails */
  ripstop_arena_disown(n->own_plan->keep);
  n->plan = n->own_plan;
  return answer;
}

/* Applies the changes of the cycle. Returns the index after them. */
static size_t apply_changes(ripstop_network *n) {
  const ripstop_change *change = n->options.schedule->change;
  size_t i = n->next_change;
  for (; i < changes(n) && change[i].cycle == n->now; i++) {
    uint32_t epoch = n->own_view->epoch;
    ripstop_view_apply(n->own_view, &change[i]);
    n->tally[i + 1].real = n->own_view->epoch != epoch;
  }
  return i;
}

/* All changes of the cycle: the view and the plan first, then the notifications of the switches. */
static int do_changes(ripstop_network *n, ripstop_error *err) {
  const ripstop_change *change = n->options.schedule->change;
  size_t first = n->next_change;
  if (!n->own_view) {
    n->view = n->own_view = ripstop_view_copy(n->view);
    ripstop_arena_disown(n->own_view->arena); /* likewise */
  }
  size_t last = apply_changes(n);
  if (renew_plan(n, err) != RIPSTOP_APPLIES) return ripstop_fail_at(err, "at cycle %llu", (unsigned long long)n->now);
  n->next_change = last;
  for (size_t i = first; i < last; i++) report_change(n, &change[i], i + 1);
  return 0;
}

/* ------------------------------------------------------------------ guarantees of the protocol */

/* [nodes], the caller's: the present states, NULL for end nodes and failed switches. */
static const void **live_states(const ripstop_network *n) {
  const void **state = ripstop_realloc(NULL, n->fabric->nodes, sizeof *state);
  for (uint32_t v = 0; v < n->fabric->nodes; v++) state[v] = n->view->node_up[v] ? n->state[v] : NULL;
  return state;
}

/* Nothing is guaranteed where messages are lost at random. */
static int check_when_quiet(ripstop_network *n, ripstop_error *err) {
  if (!n->proto->check || n->event_queue.items || n->options.loss > 0) return 0;
  const void **state = live_states(n);
  n->broken = n->proto->check(n->plan, state, NULL, err) != 0;
  ripstop_free(state);
  return n->broken ? ripstop_fail_at(err, "at cycle %llu: method %s", (unsigned long long)n->now, n->plan->method->name)
                   : 0;
}

/* ------------------------------------------------------------------ running */

static uint64_t change_due(const ripstop_network *n) {
  return n->next_change < changes(n) ? n->options.schedule->change[n->next_change].cycle : RIPSTOP_NEVER;
}

uint64_t ripstop_network_due(const ripstop_network *n) {
  uint64_t change = change_due(n);
  return n->event_queue.items && n->event_queue.heap[0].cycle < change ? n->event_queue.heap[0].cycle : change;
}

uint64_t ripstop_network_now(const ripstop_network *n) { return n->now; }

bool ripstop_network_broken(const ripstop_network *n) { return n->broken; }

int ripstop_network_step(ripstop_network *n, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  uint64_t due = ripstop_network_due(n);
  if (due == RIPSTOP_NEVER) return 0;
  n->now = due;
  if (change_due(n) == due) {
    if (do_changes(n, err)) return -1;
  } else {
    ripstop_due it = ripstop_event_queue_take(&n->event_queue);
    do_due(n, &it);
  }
  return check_when_quiet(n, err) ? -1 : 1;
}

int ripstop_network_run(ripstop_network *n, uint64_t limit, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  while (ripstop_network_due(n) < limit) {
    ripstop_task_progress(NULL, 0, 0);
    if (ripstop_network_step(n, err) < 0) return -1;
  }
  return ripstop_network_due(n) == RIPSTOP_NEVER;
}

/* ------------------------------------------------------------------ queries */

const ripstop_plan *ripstop_network_plan(const ripstop_network *n) { return n->plan; }

const void *ripstop_network_state(const ripstop_network *n, uint32_t node) { return n->state[node]; }

int ripstop_network_json(const ripstop_network *n, uint32_t node, ripstop_text *out) {
  ripstop_text_begin(out); /* the text is the caller's */
  RIPSTOP_GUARD(NULL, -1);
  if (n->proto->json && n->view->node_up[node])
    n->proto->json(n->plan, n->state[node], out);
  else
    ripstop_text_add(out, "null");
  return out->cut ? -1 : 0;
}

int ripstop_network_report(const ripstop_network *n, bool as_json, ripstop_text *out) {
  ripstop_text_begin(out); /* the text is the caller's */
  RIPSTOP_GUARD(NULL, -1);
  if (!n->proto->report) {
    if (as_json) ripstop_text_add(out, "{}");
    return out->cut ? -1 : 0;
  }
  const void **state = live_states(n);
  n->proto->report(n->plan, state, as_json, out);
  ripstop_free(state);
  return out->cut ? -1 : 0;
}

ripstop_network_count ripstop_network_count_of(const ripstop_network *n, size_t cause) { return n->tally[cause].count; }

ripstop_network_count ripstop_network_count_all(const ripstop_network *n) { return n->all.count; }

/* ------------------------------------------------------------------ opening */

static const ripstop_network_count nothing_yet = {.last_arrival = RIPSTOP_NEVER, .last_change = RIPSTOP_NEVER};

/* Events before cycle 0 are neither traced nor counted. */
static int settle(ripstop_network *n, ripstop_error *err) {
  int status = ripstop_event_queue_settle(&n->event_queue, do_due, n, n->plan, err);
  n->tally[0] = n->all = (tally){.count = nothing_yet};
  return status;
}

static int build(ripstop_network *n, ripstop_error *err) {
  const ripstop_fabric *f = n->fabric;
  if (n->options.schedule && ripstop_schedule_fits(n->options.schedule, f, err)) return -1;
  if (ripstop_event_queue_open(&n->event_queue, n->arena, n->plan, err)) return -1;
  n->state = RIPSTOP_ARRAY(n->arena, f->nodes, uint8_t *);
  n->notified_up = RIPSTOP_ARRAY(n->arena, f->ports, uint8_t);
  for (int up = 0; up < 2; up++) n->unfound[up] = RIPSTOP_ARRAY(n->arena, f->ports, size_t);
  n->busy = RIPSTOP_ARRAY(n->arena, f->ports, uint64_t);
  n->latest = RIPSTOP_ARRAY(n->arena, f->ports, uint64_t);
  n->position = RIPSTOP_ARRAY(n->arena, f->ports, uint64_t);
  n->tally = RIPSTOP_ARRAY(n->arena, changes(n) + 1, tally);
  for (size_t i = 0; i <= changes(n); i++) n->tally[i].count = nothing_yet;
  n->all.count = nothing_yet;
  for (uint32_t v = f->ends; v < f->nodes; v++)
    n->state[v] = ripstop_arena_array(n->arena, 1, n->proto->state_size(n->plan, v) + 1);
  for (uint32_t v = f->ends; v < f->nodes; v++)
    if (n->view->node_up[v]) start(n, v, 0);
  return n->event_queue.settling ? settle(n, err) : 0;
}

static const ripstop_proto *find_proto(const ripstop_plan *plan, ripstop_error *err) {
  const ripstop_proto *proto = plan->method->proto;
  if (!proto) ripstop_fail(err, "method %s has no protocol: its switches exchange no messages", plan->method->name);
  return proto;
}

ripstop_network *ripstop_network_open(const ripstop_plan *plan, const ripstop_network_options *options,
                                      ripstop_error *err) {
  RIPSTOP_GUARD(err, NULL);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_network *n = RIPSTOP_NEW(arena, ripstop_network);
  *n = (ripstop_network){.fabric = plan->fabric, .view = plan->view, .plan = plan, .arena = arena};
  if (options) n->options = *options;
  n->proto = find_proto(plan, err);
  if (n->proto && !build(n, err)) return n;
  ripstop_network_free(n);
  return NULL;
}

void ripstop_network_free(ripstop_network *n) {
  if (!n) return;
  ripstop_arena *arena = n->arena;
  ripstop_plan_free(n->own_plan);
  ripstop_view_free(n->own_view);
  ripstop_arena_free(arena);
}
