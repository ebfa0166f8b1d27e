/* hands.h - a protocol's switches in the hands of a test: it says which switch notices what, and which message arrives
 * when. Nothing happens by itself. */
#ifndef RIPSTOP_TESTS_HANDS_H
#define RIPSTOP_TESTS_HANDS_H

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/plugin/method.h"
#include "route/actions.h"

enum { HANDS_BYTES = 256, HANDS_MESSAGES = 4096, HANDS_PATIENCE = 100000 };

typedef struct hands_message {
  alignas(max_align_t) uint8_t bytes[HANDS_BYTES];
  uint32_t from, port; /* the sending switch and its local port */
} hands_message;

typedef struct hands {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_arena *arena;
  void **state;  /* [nodes]; NULL: an end node, or down */
  uint8_t *dead; /* [links] */
  hands_message *message;
  size_t messages; /* messages in transit, the oldest first */
} hands;

static inline void hands_send(ripstop_actions *actions, uint32_t port, const void *bytes) {
  hands *h = actions->runner;
  const ripstop_fabric *f = h->fabric;
  assert_true(h->messages < HANDS_MESSAGES);
  if (h->dead[f->port_link[f->port_base[actions->node] + port]]) return;
  hands_message *m = &h->message[h->messages++];
  m->from = actions->node;
  m->port = port;
  memcpy(m->bytes, bytes, h->plan->method->proto->message_size);
}

static inline void hands_timer(ripstop_actions *actions, uint32_t timer, uint64_t delay) {
  (void)actions, (void)timer, (void)delay;
}

static inline void hands_candidates(ripstop_actions *actions) { (void)actions; }

static inline void hands_step(hands *h, uint32_t node, ripstop_event event) {
  ripstop_actions actions = {
      .runner = h, .node = node, .send = hands_send, .timer = hands_timer, .candidates_changed = hands_candidates};
  h->plan->method->proto->step(h->plan, node, h->state[node], &event, &actions);
}

/* Every switch has started. */
static inline hands *hands_open(const char *fabric, const char *method) {
  ripstop_error err;
  hands *h = calloc(1, sizeof *h);
  h->arena = ripstop_arena_new();
  if (!(h->fabric = ripstop_fabric_open(fabric, &err))) fail_msg("%s", err.text);
  h->view = ripstop_view_new(h->fabric, NULL);
  if (!(h->plan = ripstop_plan_compile(h->view, method, NULL, &err))) fail_msg("%s", err.text);
  h->state = RIPSTOP_ARRAY(h->arena, h->fabric->nodes, void *);
  h->dead = RIPSTOP_ARRAY(h->arena, h->fabric->links, uint8_t);
  h->message = RIPSTOP_ARRAY(h->arena, HANDS_MESSAGES, hands_message);
  for (uint32_t v = h->fabric->ends; v < h->fabric->nodes; v++) {
    h->state[v] = ripstop_arena_array(h->arena, 1, h->plan->method->proto->state_size(h->plan, v));
    hands_step(h, v, (ripstop_event){.kind = RIPSTOP_EVENT_START});
  }
  return h;
}

static inline void hands_close(hands *h) {
  ripstop_plan_free(h->plan);
  ripstop_view_free(h->view);
  ripstop_fabric_free(h->fabric);
  ripstop_arena_free(h->arena);
  free(h);
}

/* A switch by its number, and its local port to another. */
static inline uint32_t hands_node(const hands *h, uint32_t number) { return h->fabric->ends + number; }

static inline uint32_t hands_port(const hands *h, uint32_t from, uint32_t to) {
  const ripstop_fabric *f = h->fabric;
  uint32_t first = f->port_base[hands_node(h, from)], port = first;
  while (f->port_node[f->peer[port]] != hands_node(h, to)) port++;
  assert_true(port < f->port_base[hands_node(h, from) + 1]);
  return port - first;
}

/* One switch notices that its link to another is down. Messages in transit on the link are lost, and so are those that
 * the other still sends into it. */
static inline void hands_notice_down(hands *h, uint32_t who, uint32_t other) {
  const ripstop_fabric *f = h->fabric;
  uint32_t port = hands_port(h, who, other), link = f->port_link[f->port_base[hands_node(h, who)] + port];
  size_t kept = 0;
  for (size_t i = 0; i < h->messages; i++) {
    const hands_message *m = &h->message[i];
    if (f->port_link[f->port_base[m->from] + m->port] == link) continue;
    if (kept++ != i) h->message[kept - 1] = *m;
  }
  h->messages = kept;
  h->dead[link] = 1;
  hands_step(h, hands_node(h, who), (ripstop_event){.kind = RIPSTOP_EVENT_LINK_DOWN, .port = port});
}

static inline void hands_deliver_at(hands *h, size_t i) {
  const ripstop_fabric *f = h->fabric;
  hands_message m = h->message[i];
  memmove(h->message + i, h->message + i + 1, (--h->messages - i) * sizeof *h->message);
  uint32_t peer = f->peer[f->port_base[m.from] + m.port], to = f->port_node[peer];
  if (h->state[to])
    hands_step(h, to,
               (ripstop_event){.kind = RIPSTOP_EVENT_MESSAGE, .port = peer - f->port_base[to], .message = m.bytes});
}

static inline void hands_print(const hands *h, const hands_message *m, ripstop_text *out) {
  h->plan->method->proto->print(h->plan, m->bytes, out);
}

/* The index of a message from one switch to another that begins with these words; RIPSTOP_NONE: there is none. */
static inline size_t hands_find(const hands *h, uint32_t from, uint32_t to, const char *words) {
  for (size_t i = 0; i < h->messages; i++) {
    const hands_message *m = &h->message[i];
    if (m->from != hands_node(h, from) || m->port != hands_port(h, from, to)) continue;
    ripstop_text text = {0};
    hands_print(h, m, &text);
    bool same = strncmp(text.data, words, strlen(words)) == 0;
    ripstop_text_free(&text);
    if (same) return i;
  }
  return RIPSTOP_NONE;
}

/* The oldest such message arrives. */
static inline void hands_deliver(hands *h, uint32_t from, uint32_t to, const char *words) {
  size_t i = hands_find(h, from, to, words);
  if (i == RIPSTOP_NONE) fail_msg("no '%s' from %u to %u is in transit", words, from, to);
  hands_deliver_at(h, i);
}

/* All messages in transit arrive, and those that follow from them, the oldest first; but not messages that begin with
 * these words (NULL: all). */
static inline void hands_deliver_all_but(hands *h, const char *words) {
  size_t left = HANDS_PATIENCE;
  for (size_t i = 0; i < h->messages;) {
    ripstop_text text = {0};
    if (left-- == 0) fail_msg("the switches never stop talking");
    hands_print(h, &h->message[i], &text);
    bool waits = words && strncmp(text.data, words, strlen(words)) == 0;
    ripstop_text_free(&text);
    if (waits)
      i++;
    else
      hands_deliver_at(h, i);
  }
}

static inline void hands_deliver_all(hands *h) { hands_deliver_all_but(h, NULL); }

#endif
