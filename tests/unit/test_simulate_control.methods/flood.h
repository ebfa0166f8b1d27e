/* flood.h - a small link-state protocol for the test of control messages: a switch that sees a link of its own change
 * notifies all its neighbours, which notify theirs; packets take the shortest routes around the links that their switch
 * knows to be down. On request every switch also sends a message through all its ports again and again, and sets timers
 * out of order. Each method file of this folder is one length of message. */
#ifndef TESTS_FLOOD_H
#define TESTS_FLOOD_H

#include "flood_log.h"
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct flood_config {
  int64_t delay, beat, timers;
} flood_config;

typedef struct flood_message {
  uint64_t marker; /* so that a message wants to be aligned */
  uint32_t link;   /* RIPSTOP_NONE: a beat, which says nothing */
  uint32_t changes;
} flood_message;

typedef struct flood_state {
  uint32_t changes[FLOOD_LINKS]; /* known changes of a link; odd: it is down */
} flood_state;

static const ripstop_option flood_options[] = {{.name = "delay",
                                                .type = RIPSTOP_OPTION_INTEGER,
                                                .offset = offsetof(flood_config, delay),
                                                .min = 0,
                                                .max = 1000,
                                                .fallback = "5",
                                                .help = "cycles for a hop"},
                                               {.name = "beat",
                                                .type = RIPSTOP_OPTION_INTEGER,
                                                .offset = offsetof(flood_config, beat),
                                                .min = 0,
                                                .max = 10000,
                                                .fallback = "0",
                                                .help = "cycles between two beats; 0: none"},
                                               {.name = "timers",
                                                .type = RIPSTOP_OPTION_INTEGER,
                                                .offset = offsetof(flood_config, timers),
                                                .min = 0,
                                                .max = 10000,
                                                .fallback = "0",
                                                .help = "when timers 2, 0 and 1 run out, counted from the start"},
                                               {0}};

static const char *const flood_losses[] = {"no candidate known", NULL};

static ripstop_answer flood_plan(ripstop_plan *plan, ripstop_error *err) {
  (void)err;
  if (plan->fabric->nodes > FLOOD_NODES || plan->fabric->links > FLOOD_LINKS) return RIPSTOP_DOES_NOT_APPLY;
  for (uint32_t v = 0; v < plan->fabric->nodes; v++)
    if (ripstop_node_ports(plan->fabric, v) > plan->candidates_max)
      plan->candidates_max = ripstop_node_ports(plan->fabric, v);
  return RIPSTOP_APPLIES;
}

/* Shortest routes over the links that are up by `changes` (NULL: nothing is known). */
static int flood_find(const ripstop_plan *plan, const uint32_t *changes, const ripstop_head *head,
                      ripstop_candidate *candidates) {
  const ripstop_fabric *f = plan->fabric;
  uint16_t distance[FLOOD_NODES], queue[FLOOD_NODES];
  uint32_t first = 0, last = 0;
  for (uint32_t v = 0; v < f->nodes; v++) distance[v] = UINT16_MAX;
  distance[head->destination] = 0;
  queue[last++] = (uint16_t)head->destination;
  while (first < last) {
    uint32_t v = queue[first++];
    for (uint32_t p = f->port_base[v]; p < f->port_base[v + 1]; p++) {
      if (f->peer[p] == RIPSTOP_NONE || (changes && changes[f->port_link[p]] % 2)) continue;
      uint32_t to = f->port_node[f->peer[p]];
      if (distance[to] != UINT16_MAX) continue;
      distance[to] = (uint16_t)(distance[v] + 1);
      queue[last++] = (uint16_t)to;
    }
  }
  int count = 0;
  for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++) {
    uint32_t p = f->port_base[head->node] + i;
    if (!plan->view->port_up[p] || (changes && changes[f->port_link[p]] % 2)) continue;
    if (distance[f->port_node[f->peer[p]]] < distance[head->node])
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)i, .space = 1};
  }
  return count ? count : -1;
}

static int flood_route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidates) {
  return flood_find(plan, NULL, head, candidates);
}

static int flood_candidates(const ripstop_plan *plan, const void *state, const ripstop_head *head,
                            ripstop_candidate *candidates) {
  return flood_find(plan, ((const flood_state *)state)->changes, head, candidates);
}

static size_t flood_state_size(const ripstop_plan *plan, uint32_t node) {
  (void)plan, (void)node;
  return sizeof(flood_state);
}

static void flood_report(const ripstop_plan *plan, uint32_t node, uint32_t but, const flood_message *message,
                         ripstop_actions *a) {
  for (uint32_t port = 0; port < ripstop_node_ports(plan->fabric, node); port++) {
    uint32_t p = plan->fabric->port_base[node] + port;
    if (port == but || !plan->view->port_up[p]) continue;
    ripstop_act_send(a, port, message);
    flood_sent += !ripstop_is_end(plan->fabric, plan->fabric->port_node[plan->fabric->peer[p]]);
  }
}

static bool flood_learn(flood_state *s, const flood_message *m) {
  if (m->link == RIPSTOP_NONE || m->changes <= s->changes[m->link]) return false;
  s->changes[m->link] = m->changes;
  return true;
}

static void flood_step(const ripstop_plan *plan, uint32_t node, void *state, const ripstop_event *event,
                       ripstop_actions *actions) {
  const flood_config *c = plan->config;
  flood_state *s = state;
  flood_message m = {.link = RIPSTOP_NONE};
  uint32_t from = RIPSTOP_NONE;
  if (event->kind == RIPSTOP_EVENT_START) {
    static const uint32_t timers[] = {2, 0, 1};
    for (int i = 0; i < 3 && c->timers; i++) ripstop_act_timer(actions, timers[i], (uint64_t)c->timers);
    if (c->beat) ripstop_act_timer(actions, FLOOD_BEAT, (uint64_t)c->beat);
  } else if (event->kind == RIPSTOP_EVENT_TIMER && event->timer == FLOOD_BEAT) {
    flood_report(plan, node, RIPSTOP_NONE, &m, actions);
    ripstop_act_timer(actions, FLOOD_BEAT, (uint64_t)c->beat);
  } else if (event->kind == RIPSTOP_EVENT_MESSAGE) {
    m = *(const flood_message *)event->message;
    from = event->port;
  } else if (event->kind != RIPSTOP_EVENT_TIMER) {
    m.link = plan->fabric->port_link[plan->fabric->port_base[node] + event->port];
    m.changes = s->changes[m.link] + 1;
  }
  bool learned = flood_learn(s, &m);
  if (learned) {
    ripstop_act_candidates_changed(actions);
    flood_report(plan, node, from, &m, actions);
  }
  uint32_t number = event->kind == RIPSTOP_EVENT_TIMER ? event->timer : event->port;
  if (flood_records < FLOOD_RECORDS)
    flood_log[flood_records++] = (flood_record){event->cycle, node, number, event->kind, learned};
}

static uint64_t flood_delay(const ripstop_plan *plan, const void *message) {
  (void)message;
  return (uint64_t)((const flood_config *)plan->config)->delay;
}

static void flood_print(const ripstop_plan *plan, const void *message, ripstop_text *out) {
  (void)plan;
  const flood_message *m = message;
  ripstop_text_add(out, "link %u, change %u", m->link, m->changes);
}

/* `length` may be said of the message `m`. */
#define FLOOD_PROTO(bytes, length, candidates_)                                \
  static uint32_t flood_flits(const ripstop_plan *plan, const void *message) { \
    const flood_message *m = message;                                          \
    (void)plan, (void)m;                                                       \
    return (length);                                                           \
  }                                                                            \
  static const ripstop_proto proto = {.message_size = (bytes),                 \
                                      .flits = flood_flits,                    \
                                      .state_size = flood_state_size,          \
                                      .step = flood_step,                      \
                                      .candidates = (candidates_),             \
                                      .delay = flood_delay,                    \
                                      .print = flood_print}
#define FLOOD_METHOD(word)                                                                                         \
  {                                                                                                                \
    .abi = RIPSTOP_METHOD_ABI, .name = (word), .summary = "for tests", .source = "none", .options = flood_options, \
    .config_size = sizeof(flood_config), .losses = flood_losses, .plan = flood_plan, .route = flood_route,         \
    .guarantees = promise_nothing, .proto = &proto                                                                 \
  }

#endif
