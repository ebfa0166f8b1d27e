/* gate.h - shortest routes whose switches are shut now and then, and then stall their packets. For the test of
 * protocols that hold packets; the two method files differ in whether network interfaces wait too. */
#ifndef TESTS_GATE_H
#define TESTS_GATE_H

#include "fabric/inner.h"
#include "promises.h"
#include "ripstop/plugin/method.h"

typedef struct gate_config {
  int64_t at, shut, open;
  bool beat, again, mute;
} gate_config;

typedef struct gate_state {
  uint32_t node;
  bool shut;
} gate_state;

enum { GATE_SHUT, GATE_OPEN, GATE_BEAT };

static const ripstop_option gate_options[] = {{.name = "at",
                                               .type = RIPSTOP_OPTION_INTEGER,
                                               .offset = offsetof(gate_config, at),
                                               .min = -1,
                                               .max = 1000,
                                               .fallback = "-1",
                                               .help = "which switch, from 0; -1: all"},
                                              {.name = "shut",
                                               .type = RIPSTOP_OPTION_INTEGER,
                                               .offset = offsetof(gate_config, shut),
                                               .min = 0,
                                               .max = 1e6,
                                               .fallback = "0",
                                               .help = "cycles after its start when it shuts; 0: from the start"},
                                              {.name = "open",
                                               .type = RIPSTOP_OPTION_INTEGER,
                                               .offset = offsetof(gate_config, open),
                                               .min = 0,
                                               .max = 1e6,
                                               .fallback = "0",
                                               .help = "cycles after its start when it opens; 0: never"},
                                              {.name = "again",
                                               .type = RIPSTOP_OPTION_FLAG,
                                               .offset = offsetof(gate_config, again),
                                               .fallback = "off",
                                               .help = "and so on indefinitely, each switch in its own time"},
                                              {.name = "beat",
                                               .type = RIPSTOP_OPTION_FLAG,
                                               .offset = offsetof(gate_config, beat),
                                               .fallback = "off",
                                               .help = "a timer that always runs"},
                                              {.name = "mute",
                                               .type = RIPSTOP_OPTION_FLAG,
                                               .offset = offsetof(gate_config, mute),
                                               .fallback = "off",
                                               .help = "the plan has no candidates at all, which it must not"},
                                              {0}};
static const char *const gate_losses[] = {"no candidate", NULL};

static ripstop_answer gate_plan(ripstop_plan *p, ripstop_error *err) {
  (void)err;
  const ripstop_fabric *f = p->fabric;
  uint32_t *distance = RIPSTOP_ARRAY(p->arena, (size_t)f->ends * f->nodes, uint32_t);
  for (uint32_t e = 0; e < f->ends; e++) ripstop_fabric_distances(f, e, distance + (size_t)e * f->nodes);
  for (uint32_t v = 0; v < f->nodes; v++)
    if (ripstop_node_ports(f, v) > p->candidates_max) p->candidates_max = ripstop_node_ports(f, v);
  p->data = distance;
  return RIPSTOP_APPLIES;
}

static int gate_find(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  const ripstop_fabric *f = p->fabric;
  const uint32_t *distance = (const uint32_t *)p->data + (size_t)head->destination * f->nodes;
  int count = 0;
  for (uint32_t i = 0; i < ripstop_node_ports(f, head->node); i++) {
    uint32_t port = f->port_base[head->node] + i;
    if (p->view->port_up[port] && distance[f->port_node[f->peer[port]]] < distance[head->node])
      candidates[count++] = (ripstop_candidate){.port = (uint16_t)i, .space = 1};
  }
  return count ? count : -1;
}

static int gate_route(const ripstop_plan *p, const ripstop_head *head, ripstop_candidate *candidates) {
  return ((const gate_config *)p->config)->mute ? 0 : gate_find(p, head, candidates);
}

static int gate_candidates(const ripstop_plan *p, const void *state, const ripstop_head *head,
                           ripstop_candidate *candidates) {
  return ((const gate_state *)state)->shut ? 0 : gate_find(p, head, candidates);
}

static size_t gate_state_size(const ripstop_plan *p, uint32_t node) {
  (void)p, (void)node;
  return sizeof(gate_state);
}

static void gate_turn(gate_state *s, bool shut, ripstop_actions *actions) {
  s->shut = shut;
  ripstop_act_candidates_changed(actions);
}

static void gate_step(const ripstop_plan *p, uint32_t node, void *state, const ripstop_event *event,
                      ripstop_actions *actions) {
  const gate_config *c = p->config;
  gate_state *s = state;
  bool mine = c->at < 0 || (uint32_t)c->at == node - p->fabric->ends;
  uint64_t phase = c->again ? node % 7 : 0;
  if (event->kind == RIPSTOP_EVENT_START) {
    if (c->beat) ripstop_act_timer(actions, GATE_BEAT, 1);
    if (!mine) return;
    if (c->shut) ripstop_act_timer(actions, GATE_SHUT, (uint64_t)c->shut + phase);
    if (!c->shut) s->shut = true;
    if (c->open) ripstop_act_timer(actions, GATE_OPEN, (uint64_t)c->open + phase);
  } else if (event->kind == RIPSTOP_EVENT_TIMER && event->timer == GATE_BEAT) {
    ripstop_act_timer(actions, GATE_BEAT, 1);
  } else if (event->kind == RIPSTOP_EVENT_TIMER) {
    gate_turn(s, event->timer == GATE_SHUT, actions);
    if (c->again) ripstop_act_timer(actions, event->timer, (uint64_t)c->open + phase);
  }
}

static uint64_t gate_delay(const ripstop_plan *p, const void *message) {
  (void)p, (void)message;
  return 1;
}

static void gate_print(const ripstop_plan *p, const void *message, ripstop_text *out) {
  (void)p, (void)message;
  ripstop_text_add(out, "-");
}

#define GATE_PROTO(too)                                              \
  static const ripstop_proto proto = {.message_size = 1,             \
                                      .state_size = gate_state_size, \
                                      .step = gate_step,             \
                                      .candidates = gate_candidates, \
                                      .interfaces = (too),           \
                                      .delay = gate_delay,           \
                                      .print = gate_print}
#define GATE_METHOD(word)                                                                                         \
  {                                                                                                               \
    .abi = RIPSTOP_METHOD_ABI, .name = (word), .summary = "for tests", .source = "none", .options = gate_options, \
    .config_size = sizeof(gate_config), .losses = gate_losses, .plan = gate_plan, .route = gate_route,            \
    .guarantees = promise_nothing, .proto = &proto                                                                \
  }

#endif
