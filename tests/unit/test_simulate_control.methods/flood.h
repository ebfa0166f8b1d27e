/* flood.h - a small link-state protocol for the test of control messages: a switch that sees a link of its own change
 * tells all its neighbours, who tell theirs; packets take the shortest ways around the links that their switch knows to
 * be dead. On request every switch also sends a message through all its ports again and again, and sets timers out of
 * order.
 *
 * Each method file of this folder is one length of message. */
#ifndef TESTS_FLOOD_H
#define TESTS_FLOOD_H

#include "flood_log.h"
#include "ripstop/plan.h"

typedef struct flood_config {
  int64_t delay, beat, timers;
} flood_config;

typedef struct flood_message {
  uint64_t marker; /* so that a message wants to be aligned */
  uint32_t link;   /* RS_NONE: a beat, which says nothing */
  uint32_t changes;
} flood_message;

typedef struct flood_state {
  uint32_t changes[FLOOD_LINKS]; /* of a link, as far as is known; odd: it is dead */
} flood_state;

static const rs_option flood_options[] = {{.name = "delay",
                                           .type = RS_OPTION_INTEGER,
                                           .offset = offsetof(flood_config, delay),
                                           .min = 0,
                                           .max = 1000,
                                           .fallback = "5",
                                           .help = "cycles for a hop"},
                                          {.name = "beat",
                                           .type = RS_OPTION_INTEGER,
                                           .offset = offsetof(flood_config, beat),
                                           .min = 0,
                                           .max = 10000,
                                           .fallback = "0",
                                           .help = "cycles between two beats; 0: none"},
                                          {.name = "timers",
                                           .type = RS_OPTION_INTEGER,
                                           .offset = offsetof(flood_config, timers),
                                           .min = 0,
                                           .max = 10000,
                                           .fallback = "0",
                                           .help = "when timers 2, 0 and 1 run out, counted from the start"},
                                          {0}};

static const char *const flood_losses[] = {"no way known", NULL};

static rs_answer flood_plan(rs_plan *plan, rs_error *err) {
  (void)err;
  if (plan->fabric->nodes > FLOOD_NODES || plan->fabric->links > FLOOD_LINKS) return RS_DOES_NOT_APPLY;
  for (uint32_t v = 0; v < plan->fabric->nodes; v++)
    if (rs_node_ports(plan->fabric, v) > plan->ways_max) plan->ways_max = rs_node_ports(plan->fabric, v);
  return RS_APPLIES;
}

/* Shortest ways over the links that `changes` (NULL: nothing is known) does not call dead. */
static int flood_find(const rs_plan *plan, const uint32_t *changes, const rs_head *head, rs_way *ways) {
  const rs_fabric *f = plan->fabric;
  uint16_t distance[FLOOD_NODES], queue[FLOOD_NODES];
  uint32_t first = 0, last = 0;
  for (uint32_t v = 0; v < f->nodes; v++) distance[v] = UINT16_MAX;
  distance[head->destination] = 0;
  queue[last++] = (uint16_t)head->destination;
  while (first < last) {
    uint32_t v = queue[first++];
    for (uint32_t p = f->port_base[v]; p < f->port_base[v + 1]; p++) {
      if (f->peer[p] == RS_NONE || (changes && changes[f->port_link[p]] % 2)) continue;
      uint32_t to = f->port_node[f->peer[p]];
      if (distance[to] != UINT16_MAX) continue;
      distance[to] = (uint16_t)(distance[v] + 1);
      queue[last++] = (uint16_t)to;
    }
  }
  int count = 0;
  for (uint32_t i = 0; i < rs_node_ports(f, head->node); i++) {
    uint32_t p = f->port_base[head->node] + i;
    if (!plan->view->port_up[p] || (changes && changes[f->port_link[p]] % 2)) continue;
    if (distance[f->port_node[f->peer[p]]] < distance[head->node])
      ways[count++] = (rs_way){.port = (uint16_t)i, .space = 1};
  }
  return count ? count : -1;
}

static int flood_route(const rs_plan *plan, const rs_head *head, rs_way *ways) {
  return flood_find(plan, NULL, head, ways);
}

static int flood_ways(const rs_plan *plan, const void *state, const rs_head *head, rs_way *ways) {
  return flood_find(plan, ((const flood_state *)state)->changes, head, ways);
}

static size_t flood_state_size(const rs_plan *plan, uint32_t node) {
  (void)plan, (void)node;
  return sizeof(flood_state);
}

static void flood_tell(const rs_plan *plan, uint32_t node, uint32_t but, const flood_message *message, rs_actions *a) {
  for (uint32_t port = 0; port < rs_node_ports(plan->fabric, node); port++) {
    uint32_t p = plan->fabric->port_base[node] + port;
    if (port == but || !plan->view->port_up[p]) continue;
    rs_act_send(a, port, message);
    flood_sent += !rs_is_end(plan->fabric, plan->fabric->port_node[plan->fabric->peer[p]]);
  }
}

static bool flood_learn(flood_state *s, const flood_message *m) {
  if (m->link == RS_NONE || m->changes <= s->changes[m->link]) return false;
  s->changes[m->link] = m->changes;
  return true;
}

static void flood_step(const rs_plan *plan, uint32_t node, void *state, const rs_event *event, rs_actions *actions) {
  const flood_config *c = plan->config;
  flood_state *s = state;
  flood_message m = {.link = RS_NONE};
  uint32_t from = RS_NONE;
  if (event->kind == RS_EVENT_START) {
    static const uint32_t timers[] = {2, 0, 1};
    for (int i = 0; i < 3 && c->timers; i++) rs_act_timer(actions, timers[i], (uint64_t)c->timers);
    if (c->beat) rs_act_timer(actions, FLOOD_BEAT, (uint64_t)c->beat);
  } else if (event->kind == RS_EVENT_TIMER && event->timer == FLOOD_BEAT) {
    flood_tell(plan, node, RS_NONE, &m, actions);
    rs_act_timer(actions, FLOOD_BEAT, (uint64_t)c->beat);
  } else if (event->kind == RS_EVENT_MESSAGE) {
    m = *(const flood_message *)event->message;
    from = event->port;
  } else if (event->kind != RS_EVENT_TIMER) {
    m.link = plan->fabric->port_link[plan->fabric->port_base[node] + event->port];
    m.changes = s->changes[m.link] + 1;
  }
  bool learned = flood_learn(s, &m);
  if (learned) {
    rs_act_ways_changed(actions);
    flood_tell(plan, node, from, &m, actions);
  }
  uint32_t number = event->kind == RS_EVENT_TIMER ? event->timer : event->port;
  if (flood_records < FLOOD_RECORDS)
    flood_log[flood_records++] = (flood_record){event->cycle, node, number, event->kind, learned};
}

static uint64_t flood_delay(const rs_plan *plan, const void *message) {
  (void)message;
  return (uint64_t)((const flood_config *)plan->config)->delay;
}

static void flood_print(const rs_plan *plan, const void *message, rs_text *out) {
  (void)plan;
  const flood_message *m = message;
  rs_text_add(out, "link %u, change %u", m->link, m->changes);
}

static void flood_claims(const rs_fabric *fabric, const void *config, rs_claims *out) {
  (void)fabric, (void)config;
  *out = (rs_claims){0};
}

/* `length` may be said of the message `m`. */
#define FLOOD_PROTO(bytes, length)                                        \
  static uint32_t flood_flits(const rs_plan *plan, const void *message) { \
    const flood_message *m = message;                                     \
    (void)plan, (void)m;                                                  \
    return (length);                                                      \
  }                                                                       \
  static const rs_proto proto = {.message_size = (bytes),                 \
                                 .flits = flood_flits,                    \
                                 .state_size = flood_state_size,          \
                                 .step = flood_step,                      \
                                 .ways = flood_ways,                      \
                                 .delay = flood_delay,                    \
                                 .print = flood_print}
#define FLOOD_METHOD(word)                                                                                    \
  {                                                                                                           \
    .abi = RS_METHOD_ABI, .name = (word), .summary = "for tests", .source = "none", .options = flood_options, \
    .config_size = sizeof(flood_config), .losses = flood_losses, .plan = flood_plan, .route = flood_route,    \
    .claims = flood_claims, .proto = &proto                                                                   \
  }

#endif
