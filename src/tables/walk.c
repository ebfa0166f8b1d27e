/* walk.c - breadth-first search from all sources, each state once. Packets of all sources count as one, unless the
 * method reads the source. Each class is walked if its plan has several. Cost: one call of route a state. */
#include "tables/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "ripstop/plugin/method.h"

static uint64_t hash_head(const ripstop_head *h) {
  uint64_t x = h->header * UINT64_C(0x9E3779B97F4A7C15);
  x ^= ((uint64_t)h->node << 32 | (uint64_t)h->in_port << 8 | h->channel) * UINT64_C(0xC2B2AE3D27D4EB4F);
  x ^= ((uint64_t)h->source << 8 | h->class_) * UINT64_C(0x165667B19E3779F9);
  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 32;
}

static bool same_head(const ripstop_head *a, const ripstop_head *b) {
  return a->node == b->node && a->in_port == b->in_port && a->channel == b->channel && a->header == b->header &&
         a->source == b->source && a->class_ == b->class_;
}

static uint32_t place_of(const walk *w, const ripstop_head *head) {
  uint32_t at = (uint32_t)hash_head(head) & w->mask;
  while (w->table[at] != RIPSTOP_NONE && !same_head(&w->state[w->table[at]].head, head)) at = (at + 1) & w->mask;
  return at;
}

static void grow_table(walk *w) {
  uint32_t size = w->table ? 2 * (w->mask + 1) : 1024;
  w->table = ripstop_realloc(w->table, size, sizeof *w->table);
  memset(w->table, 0xff, size * sizeof *w->table);
  w->mask = size - 1;
  for (uint32_t i = 0; i < w->states; i++) w->table[place_of(w, &w->state[i].head)] = i;
}

static void add(walk *w, const ripstop_head *head) {
  if (!w->table || 2 * w->states > w->mask) grow_table(w);
  uint32_t at = place_of(w, head);
  if (w->table[at] != RIPSTOP_NONE) return;
  RIPSTOP_GROW(w->state, w->states, w->room);
  w->table[at] = w->states;
  w->state[w->states++] = (walk_state){.head = *head};
}

static int break_rule(const walk *w, const ripstop_head *head, const ripstop_candidate *candidate, ripstop_error *err) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(w->plan->fabric, head->node, name);
  return ripstop_fail(
      err, "method %s: at %s it permits port %u, channel %u, which has failed, does not exist or is not allowed",
      w->plan->method->name, name, candidate->port, candidate->channel);
}

/* The head after a hop by this candidate. */
static int follow(walk *w, const ripstop_head *from, const ripstop_candidate *candidate, ripstop_error *err) {
  const ripstop_fabric *f = w->plan->fabric;
  uint32_t port = f->port_base[from->node] + candidate->port;
  if (candidate->port >= ripstop_node_ports(f, from->node) || !w->plan->view->port_up[port] ||
      candidate->channel >= w->plan->channels)
    return break_rule(w, from, candidate, err);
  uint32_t peer = f->peer[port], node = f->port_node[peer];
  if (node == from->destination) return 0;
  if (ripstop_is_end(f, node)) return break_rule(w, from, candidate, err);
  ripstop_head head = *from;
  head.node = node;
  head.in_port = peer - f->port_base[node];
  head.channel = candidate->channel;
  head.header = candidate->header;
  if (!w->plan->method->by_source) head.source = 0;
  add(w, &head);
  return 0;
}

/* Makes room for the candidates of one more state. */
static ripstop_candidate *reserve(walk *w) {
  if (w->candidates + w->plan->candidates_max > w->candidate_room) {
    w->candidate_room = 2 * w->candidate_room + w->plan->candidates_max + 1024;
    w->candidate = ripstop_realloc(w->candidate, w->candidate_room, sizeof *w->candidate);
  }
  return w->candidate + w->candidates;
}

static int expand(walk *w, uint32_t number, ripstop_error *err) {
  const ripstop_method *method = w->plan->method;
  ripstop_head head = w->state[number].head;
  ripstop_candidate *candidate = reserve(w);
  int candidates = ripstop_route(w->plan, &head, candidate);
  if (candidates == 0 || candidates > (int)w->plan->candidates_max)
    return ripstop_fail(err, "method %s: it permits %d candidates; 1 to %u are allowed", method->name, candidates,
                        w->plan->candidates_max);
  walk_state *s = &w->state[number];
  s->first = w->candidates;
  if (candidates < 0) {
    s->loss = (uint8_t)(-candidates - 1);
    return 0;
  }
  s->candidates = (uint16_t)candidates;
  w->candidates += (uint32_t)candidates;
  for (int i = 0; i < candidates; i++)
    if (follow(w, &head, &candidate[i], err)) return -1;
  return 0;
}

static void begin(walk *w) {
  if (w->table) memset(w->table, 0xff, ((size_t)w->mask + 1) * sizeof *w->table);
  w->states = w->candidates = 0;
}

/* Adds a packet of each class and random header. */
static void add_source(walk *w, uint32_t source, uint32_t destination) {
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  for (uint32_t class_ = 0; class_ < w->plan->classes; class_++)
    for (head.class_ = (uint8_t)class_, head.header = 0; head.header < w->plan->random_headers; head.header++)
      add(w, &head);
}

ripstop_answer walk_destination(walk *w, uint32_t destination, ripstop_error *err) {
  begin(w);
  for (uint32_t source = 0; source < w->plan->fabric->ends; source++)
    if (source != destination) add_source(w, source, destination);
  for (uint32_t i = 0; i < w->states; i++) {
    if (expand(w, i, err)) return RIPSTOP_ERROR;
    if (w->states > w->limit) return RIPSTOP_DOES_NOT_APPLY;
  }
  return RIPSTOP_APPLIES;
}

void walk_free(walk *w) {
  ripstop_free(w->state);
  ripstop_free(w->candidate);
  ripstop_free(w->table);
}
