/* gossip.h - a protocol for the differential test: switches notify all others of failed links, and route around those
 * that they know of. They notice late, keep packets back while they are busy, and send through failed links that they
 * do not know of; its only use is to exercise the rules. Each method file of this folder has one variant of the start:
 * settled or not, with interfaces that query it or not. */
#ifndef DIFFERENTIAL_GOSSIP_H
#define DIFFERENTIAL_GOSSIP_H

#include "gossip_log.h"
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct config {
  int64_t delay, flits, late, hold, beat, packet, first, order;
} config;

enum { NODES = 512, LINKS = 1024, BEAT = LINKS, OPEN };

typedef struct message {
  uint32_t link;    /* RIPSTOP_NONE: a beat, which says nothing */
  uint32_t changes; /* changes of the link; odd: it is down */
} message;

typedef struct state {
  uint32_t changes[LINKS]; /* changes known so far */
  uint32_t shut;           /* timers that run until packets may go on */
} state;

#define NUMBER(name_, max_, help_)                                                                              \
  {                                                                                                             \
    .name = #name_, .type = RIPSTOP_OPTION_INTEGER, .offset = offsetof(config, name_), .min = 0, .max = (max_), \
    .fallback = "0", .help = (help_)                                                                            \
  }
static const ripstop_option options[] = {
    NUMBER(delay, 1000, "cycles for a hop, and a few more by the messages received"),
    NUMBER(flits, 100, "of a message; of some less or none"),
    NUMBER(late, 1000, "cycles until a switch notices a change of a link"),
    NUMBER(hold, 1000, "cycles in which it keeps packets back after an update"),
    NUMBER(beat, 1000, "cycles between two empty messages; 0: none"),
    NUMBER(packet, 100, "flits of a message that travels as a packet; 0: none does"),
    NUMBER(first, 1, "such a packet goes before all others"),
    NUMBER(order, 2, "in which modules take them in"),
    {0}};
static const char *const losses[] = {"no candidate known", NULL};

static ripstop_answer plan(ripstop_plan *p, ripstop_error *err) {
  if (p->fabric->nodes > NODES || p->fabric->links > LINKS) {
    ripstop_fail(err, "the test's fabric is too big");
    return RIPSTOP_DOES_NOT_APPLY;
  }
  p->channels = 2;
  p->control_flits = (uint32_t)((const config *)p->config)->packet;
  p->control_first = ((const config *)p->config)->first;
  p->control_order = (ripstop_control_order)((const config *)p->config)->order;
  p->bubble = p->control_flits > 0;
  for (uint32_t v = 0; v < p->fabric->nodes; v++)
    if (2 * ripstop_node_ports(p->fabric, v) > p->candidates_max)
      p->candidates_max = 2 * ripstop_node_ports(p->fabric, v);
  return RIPSTOP_APPLIES;
}

/* Shortest candidates over the links that `changes` does not count as down (NULL: over those that are up); the channel
 * counts the packet's hops as far as there are channels. */
static int find(const ripstop_plan *p, const uint32_t *changes, const ripstop_head *head,
                ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  uint16_t distance[NODES], queue[NODES];
  uint32_t first = 0, last = 0;
  for (uint32_t v = 0; v < f->nodes; v++) distance[v] = UINT16_MAX;
  distance[head->destination] = 0;
  queue[last++] = (uint16_t)head->destination;
  while (first < last) {
    uint32_t v = queue[first++];
    for (uint32_t port = f->port_base[v]; port < f->port_base[v + 1]; port++) {
      if (f->peer[port] == RIPSTOP_NONE || (changes && changes[f->port_link[port]] % 2)) continue;
      uint32_t to = f->port_node[f->peer[port]];
      if (distance[to] != UINT16_MAX) continue;
      distance[to] = (uint16_t)(distance[v] + 1);
      queue[last++] = (uint16_t)to;
    }
  }
  int count = 0;
  for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++) {
    uint32_t port = f->port_base[head->node] + i;
    if (f->peer[port] == RIPSTOP_NONE || (changes ? changes[f->port_link[port]] % 2 : !p->view->port_up[port]))
      continue;
    if (distance[f->port_node[f->peer[port]]] >= distance[head->node]) continue;
    candidates[count++] = (ripstop_candidate){
        .header = head->header + 1, .port = (uint16_t)i, .channel = head->header > 2, .rank = i % 2, .space = 1};
  }
  return count ? count : -1;
}

static int route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  return find(p, NULL, head, candidates);
}

static int candidates(const ripstop_plan *p, const void *of, const ripstop_head *head, ripstop_candidate *candidate) {
  const state *s = of;
  if (s->shut && head->destination % 2) return 0;
  return find(p, s->changes, head, candidate);
}

static size_t state_size(const ripstop_plan *p, uint32_t node) {
  (void)p, (void)node;
  return sizeof(state);
}

static void tell(const ripstop_plan *p, uint32_t node, uint32_t but, const message *m, ripstop_actions *a) {
  for (uint32_t port = 0; port < ripstop_node_ports(p->fabric, node); port++)
    if (port != but) ripstop_act_send(a, port, m);
}

/* True for a link of the node's own, which needs no message. */
static bool is_own(const ripstop_plan *p, uint32_t node, uint32_t link) {
  return ripstop_link_node(p->fabric, link, 0) == node || ripstop_link_node(p->fabric, link, 1) == node;
}

static void learn(const ripstop_plan *p, uint32_t node, state *s, uint32_t from, const message *m, ripstop_actions *a) {
  if (m->link == RIPSTOP_NONE || m->changes <= s->changes[m->link]) return;
  if (from != RIPSTOP_NONE && is_own(p, node, m->link)) return;
  s->changes[m->link] = m->changes;
  if (((const config *)p->config)->hold) {
    s->shut++;
    ripstop_act_timer(a, OPEN, (uint64_t)((const config *)p->config)->hold);
  }
  ripstop_act_candidates_changed(a);
  tell(p, node, from, m, a);
}

/* A timer of the number of a link: the switch notices that it has changed once more. */
static void step(const ripstop_plan *p, uint32_t node, void *of, const ripstop_event *event, ripstop_actions *a) {
  const config *c = p->config;
  state *s = of;
  message m = {.link = RIPSTOP_NONE};
  bool timer = event->kind == RIPSTOP_EVENT_TIMER;
  gossip_note(node, event->cycle, event->kind, timer ? event->timer : event->port);
  if (event->kind == RIPSTOP_EVENT_START && c->beat) ripstop_act_timer(a, BEAT, (uint64_t)c->beat + node % 3);
  if (timer && event->timer == BEAT) {
    tell(p, node, RIPSTOP_NONE, &m, a);
    ripstop_act_timer(a, BEAT, (uint64_t)c->beat);
  }
  if (timer && event->timer == OPEN && --s->shut == 0) ripstop_act_candidates_changed(a);
  if (timer && event->timer < LINKS) {
    m = (message){.link = event->timer, .changes = s->changes[event->timer] + 1};
    learn(p, node, s, RIPSTOP_NONE, &m, a);
  }
  if (event->kind == RIPSTOP_EVENT_LINK_DOWN || event->kind == RIPSTOP_EVENT_LINK_UP) {
    uint32_t link = p->fabric->port_link[p->fabric->port_base[node] + event->port];
    m = (message){.link = link, .changes = s->changes[link] + 1};
    if (c->late && link >= p->fabric->link_ends) /* interfaces must not send through failed links */
      ripstop_act_timer(a, link, (uint64_t)c->late);
    else
      learn(p, node, s, RIPSTOP_NONE, &m, a);
  }
  if (event->kind == RIPSTOP_EVENT_MESSAGE) learn(p, node, s, event->port, event->message, a);
}

static uint64_t delay(const ripstop_plan *p, const void *m) {
  return (uint64_t)((const config *)p->config)->delay + ((const message *)m)->link % 3;
}

static uint32_t flits(const ripstop_plan *p, const void *m) {
  uint32_t most = (uint32_t)((const config *)p->config)->flits;
  uint32_t drawn = most ? ((const message *)m)->link % (most + 1) : 0;
  return drawn && p->control_flits ? p->control_flits : drawn;
}

/* Stalled while packets are kept back; some ports need room for two. */
static uint8_t control_space(const ripstop_plan *p, const void *of, uint32_t port) {
  (void)p;
  return ((const state *)of)->shut ? 0 : 1 + port % 2;
}

static void print(const ripstop_plan *p, const void *m, ripstop_text *out) {
  (void)p;
  ripstop_text_add(out, "link %u, change %u", ((const message *)m)->link, ((const message *)m)->changes);
}

#define GOSSIP_PROTO(settled_, interfaces_)                            \
  static const ripstop_proto proto = {.message_size = sizeof(message), \
                                      .flits = flits,                  \
                                      .control_space = control_space,  \
                                      .settled = (settled_),           \
                                      .state_size = state_size,        \
                                      .step = step,                    \
                                      .candidates = candidates,        \
                                      .interfaces = (interfaces_),     \
                                      .delay = delay,                  \
                                      .print = print}
#define GOSSIP_METHOD(word)                                                                                       \
  {                                                                                                               \
    .abi = RIPSTOP_METHOD_ABI, .name = (word), .summary = "for tests", .source = "none", .options = options,      \
    .config_size = sizeof(config), .losses = losses, .plan = plan, .route = route, .guarantees = promise_nothing, \
    .proto = &proto                                                                                               \
  }

#endif
