/* walks.h - a second construction of what ripstop_plan_deliver does, and of the set of queues that can wait for each
 * other forever: depth first, by recursion, with the rules of method.h checked at every head.
 *
 * A state is a packet in an input queue (port and channel) with a header word; RIPSTOP_NONE stands for the destination.
 */
#ifndef RIPSTOP_TESTS_WALKS_H
#define RIPSTOP_TESTS_WALKS_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/method.h"

enum { WALK_BUCKETS = 4096 };

typedef struct walk_state {
  uint64_t header;
  uint32_t queue; /* port that it came in on x channels + channel; the source: its own port x channels */
  uint32_t next;  /* state of the same bucket, or RIPSTOP_NONE */
  uint32_t candidate, candidates;
  uint32_t longest; /* links from here to the destination on the longest walk; 0: no walk gets there */
  enum { WALK_NEW, WALK_OPEN, WALK_DONE } colour;
} walk_state;

typedef struct walker {
  const ripstop_plan *plan;
  uint32_t source, destination;
  uint8_t class_;
  uint32_t first[WALK_BUCKETS]; /* states by queue and header */
  walk_state *state;
  uint32_t states, state_room;
  uint32_t *candidate; /* candidates of all states: a state, or RIPSTOP_NONE */
  uint32_t candidates, candidate_room;
  uint32_t losses;
  ripstop_candidate *asked, *again;
  bool lost, delivered, livelock;
  bool bubbles; /* some candidate required the space of two packets */
} walker;

static inline walker *walker_new(const ripstop_plan *plan) {
  walker *w = calloc(1, sizeof *w);
  w->plan = plan;
  memset(w->first, 0xff, sizeof w->first);
  w->asked = ripstop_realloc(NULL, plan->candidates_max, sizeof *w->asked);
  w->again = ripstop_realloc(NULL, plan->candidates_max, sizeof *w->again);
  while (plan->method->losses && plan->method->losses[w->losses]) w->losses++;
  return w;
}

static inline void walker_free(walker *w) {
  ripstop_free(w->state);
  ripstop_free(w->candidate);
  ripstop_free(w->asked);
  ripstop_free(w->again);
  free(w);
}

static inline ripstop_head walk_head(const walker *w, const walk_state *s) {
  const ripstop_fabric *f = w->plan->fabric;
  uint32_t port = s->queue / w->plan->channels, node = f->port_node[port];
  return (ripstop_head){.node = node,
                        .in_port = ripstop_is_end(f, node) ? RIPSTOP_NONE : port - f->port_base[node],
                        .source = w->source,
                        .destination = w->destination,
                        .header = s->header,
                        .channel = (uint8_t)(s->queue % w->plan->channels),
                        .class_ = w->class_};
}

/* The rules of method.h for what `route` answers. */
static inline void walk_check(const walker *w, const ripstop_head *head, int candidates) {
  const ripstop_plan *p = w->plan;
  const char *name = p->method->name;
  if (candidates == 0 || candidates > (int)p->candidates_max)
    fail_msg("%s: %d candidates of 1 to %u", name, candidates, p->candidates_max);
  if (candidates < 0 && (uint32_t)(-candidates - 1) >= w->losses)
    fail_msg("%s: loss %d has no name", name, -candidates - 1);
  for (int i = 0; i < candidates; i++) {
    const ripstop_candidate *candidate = &w->asked[i];
    uint32_t port = p->fabric->port_base[head->node] + candidate->port;
    if (candidate->port >= ripstop_node_ports(p->fabric, head->node) || !p->view->port_up[port])
      fail_msg("%s: at node %u it permits port %u, which is down or not there", name, head->node, candidate->port);
    if (candidate->channel >= p->channels) fail_msg("%s: channel %u of %u", name, candidate->channel, p->channels);
    if (candidate->space < 1 || candidate->space > 2) fail_msg("%s: space %u", name, candidate->space);
    if (candidate->marks & ~(RIPSTOP_MARK_UP | RIPSTOP_MARK_DOWN)) fail_msg("%s: marks %u", name, candidate->marks);
    uint32_t to = p->fabric->port_node[p->fabric->peer[port]];
    if (ripstop_is_end(p->fabric, to) && to != head->destination)
      fail_msg("%s: a packet to %u is sent to %u", name, head->destination, to);
  }
}

static inline bool same_candidates(const ripstop_candidate *a, const ripstop_candidate *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i].header != b[i].header || a[i].port != b[i].port || a[i].channel != b[i].channel ||
        a[i].rank != b[i].rank || a[i].space != b[i].space || a[i].marks != b[i].marks || a[i].weight != b[i].weight)
      return false;
  return true;
}

/* A plan that says so answers alike whatever port and channel a head at a switch came in on. */
static inline void walk_ask_elsewhere(walker *w, const ripstop_head *head, int candidates) {
  ripstop_head other = *head;
  if (!w->plan->by_node || ripstop_is_end(w->plan->fabric, head->node)) return;
  for (other.in_port = 0; other.in_port < ripstop_node_ports(w->plan->fabric, head->node); other.in_port++)
    for (other.channel = 0; other.channel < w->plan->channels; other.channel++)
      if (ripstop_route(w->plan, &other, w->again) != candidates || !same_candidates(w->asked, w->again, candidates))
        fail_msg("%s: at node %u it answers differently for port %u, channel %u", w->plan->method->name, head->node,
                 other.in_port, other.channel);
}

/* Calls the method twice: the same head gives the same answer. */
static inline int walk_ask(walker *w, const ripstop_head *head) {
  ripstop_head copy = *head;
  int candidates = ripstop_route(w->plan, head, w->asked);
  int again = ripstop_route(w->plan, &copy, w->again);
  if (again != candidates || !same_candidates(w->asked, w->again, candidates))
    fail_msg("%s: called twice at node %u, it answers differently", w->plan->method->name, head->node);
  walk_ask_elsewhere(w, head, candidates);
  walk_check(w, head, candidates);
  return candidates;
}

static inline uint32_t *walk_bucket(walker *w, uint32_t queue, uint64_t header) {
  uint64_t x = (header + queue * UINT64_C(0x2545F4914F6CDD1D)) * UINT64_C(0x9E3779B97F4A7C15);
  return &w->first[x >> 52 & (WALK_BUCKETS - 1)];
}

static inline uint32_t walk_find(walker *w, uint32_t queue, uint64_t header) {
  uint32_t *first = walk_bucket(w, queue, header);
  for (uint32_t i = *first; i != RIPSTOP_NONE; i = w->state[i].next)
    if (w->state[i].queue == queue && w->state[i].header == header) return i;
  if (w->states == w->state_room) {
    w->state_room = w->state_room ? 2 * w->state_room : 64;
    w->state = ripstop_realloc(w->state, w->state_room, sizeof *w->state);
  }
  w->state[w->states] = (walk_state){.header = header, .queue = queue, .next = *first};
  *first = w->states;
  return w->states++;
}

static inline void walk_from(walker *w, uint32_t at) {
  const ripstop_plan *p = w->plan;
  ripstop_head head = walk_head(w, &w->state[at]);
  int candidates = walk_ask(w, &head);
  w->state[at].colour = WALK_OPEN;
  w->state[at].candidate = w->candidates;
  w->lost |= candidates < 0;
  if (candidates < 0) candidates = 0;
  w->state[at].candidates = (uint32_t)candidates;
  if (w->candidates + (uint32_t)candidates > w->candidate_room) {
    w->candidate_room = 2 * (w->candidates + (uint32_t)candidates);
    w->candidate = ripstop_realloc(w->candidate, w->candidate_room, sizeof *w->candidate);
  }
  uint32_t first = w->candidates;
  w->candidates += (uint32_t)candidates;
  for (int i = 0; i < candidates; i++) {
    uint32_t peer = p->fabric->peer[p->fabric->port_base[head.node] + w->asked[i].port];
    bool end = ripstop_is_end(p->fabric, p->fabric->port_node[peer]);
    w->bubbles |= w->asked[i].space > 1;
    w->delivered |= end;
    w->candidate[first + (uint32_t)i] =
        end ? RIPSTOP_NONE : walk_find(w, peer * p->channels + w->asked[i].channel, w->asked[i].header);
  }
  uint32_t longest = 0;
  for (int i = 0; i < candidates; i++) {
    uint32_t next = w->candidate[first + (uint32_t)i];
    if (next != RIPSTOP_NONE && w->state[next].colour == WALK_NEW) walk_from(w, next);
    if (next != RIPSTOP_NONE && w->state[next].colour == WALK_OPEN) w->livelock = true;
    uint32_t beyond = next == RIPSTOP_NONE ? 0 : w->state[next].longest;
    if ((next == RIPSTOP_NONE || beyond) && beyond + 1 > longest) longest = beyond + 1;
  }
  w->state[at].longest = longest;
  w->state[at].colour = WALK_DONE;
}

/* Every choice of one pair; the states stay readable until the next walk. */
static inline ripstop_delivery walk_pair(walker *w, uint32_t source, uint32_t destination) {
  for (uint32_t i = 0; i < w->states; i++) *walk_bucket(w, w->state[i].queue, w->state[i].header) = RIPSTOP_NONE;
  w->states = w->candidates = 0;
  w->lost = w->delivered = w->livelock = false;
  w->source = source;
  w->destination = destination;
  uint32_t longest = 0;
  for (uint32_t draw = 0; draw < w->plan->random_headers; draw++) {
    uint32_t start = walk_find(w, w->plan->fabric->port_base[source] * w->plan->channels, draw);
    walk_from(w, start);
    if (w->state[start].longest > longest) longest = w->state[start].longest;
  }
  return (ripstop_delivery){.every_choice = !w->lost && !w->livelock,
                            .some_choice = w->delivered,
                            .livelock = w->livelock,
                            .states = w->states,
                            .max_hops = w->livelock ? RIPSTOP_NONE : longest};
}

/* ------------------------------------------------------------------ deadlock
 * The greatest set of queues between switches that can only wait for each other: start from all queues that a packet
 * can be in; drop a queue when whatever packet is at its head can go to the destination or to a dropped queue (one
 * that binds itself early: when all its candidates do); repeat. Not for methods with bubbles, whose rings drain
 * otherwise. */

typedef struct waits {
  const ripstop_plan *plan;
  struct wait {
    uint32_t queue, candidate, candidates;
  } * wait; /* a head that may stand in a queue */
  uint32_t waits, wait_room;
  uint32_t *candidate; /* queues, or RIPSTOP_NONE */
  uint32_t candidates, candidate_room;
} waits;

static inline void waits_add(waits *g, const walker *w) {
  for (uint32_t i = 0; i < w->states; i++) {
    const walk_state *s = &w->state[i];
    uint32_t from = w->plan->fabric->port_node[s->queue / w->plan->channels];
    if (ripstop_is_end(w->plan->fabric, from)) continue; /* at the source */
    if (g->waits == g->wait_room) {
      g->wait_room = g->wait_room ? 2 * g->wait_room : 1024;
      g->wait = ripstop_realloc(g->wait, g->wait_room, sizeof *g->wait);
    }
    if (g->candidates + s->candidates > g->candidate_room) {
      g->candidate_room = 2 * (g->candidates + s->candidates) + 1024;
      g->candidate = ripstop_realloc(g->candidate, g->candidate_room, sizeof *g->candidate);
    }
    if (ripstop_is_end(w->plan->fabric,
                       w->plan->fabric->port_node[w->plan->fabric->peer[s->queue / w->plan->channels]]))
      continue; /* from an end node into the first switch: nothing waits for it */
    g->wait[g->waits++] = (struct wait){.queue = s->queue, .candidate = g->candidates, .candidates = s->candidates};
    for (uint32_t k = 0; k < s->candidates; k++) {
      uint32_t next = w->candidate[s->candidate + k];
      g->candidate[g->candidates++] = next == RIPSTOP_NONE ? RIPSTOP_NONE : w->state[next].queue;
    }
  }
}

static inline bool wait_ends(const waits *g, const struct wait *x, const uint8_t *waiting) {
  uint32_t open = 0;
  for (uint32_t k = 0; k < x->candidates; k++)
    open += g->candidate[x->candidate + k] == RIPSTOP_NONE || !waiting[g->candidate[x->candidate + k]];
  return x->candidates == 0 || (g->plan->choose_early ? open == x->candidates : open > 0);
}

/* Over all pairs; if *bubbles becomes true the number means nothing. */
static inline uint32_t waiting_queues(const ripstop_plan *plan, bool *bubbles) {
  const ripstop_fabric *f = plan->fabric;
  walker *w = walker_new(plan);
  waits g = {.plan = plan};
  for (uint32_t s = 0; s < f->ends; s++)
    for (uint32_t d = 0; d < f->ends; d++)
      for (w->class_ = 0; w->class_ < plan->classes && s != d; w->class_++) {
        walk_pair(w, s, d);
        waits_add(&g, w);
      }
  *bubbles = w->bubbles;
  uint8_t *waiting = calloc((size_t)f->ports * plan->channels, 1);
  uint32_t left = 0;
  for (uint32_t i = 0; i < g.waits; i++) {
    left += !waiting[g.wait[i].queue];
    waiting[g.wait[i].queue] = 1;
  }
  for (bool dropped = true; dropped && left;) { /* a queue is dropped when none of its heads objects */
    uint8_t *stays = calloc((size_t)f->ports * plan->channels, 1);
    uint32_t stay = 0;
    for (uint32_t i = 0; i < g.waits; i++)
      if (waiting[g.wait[i].queue] && !stays[g.wait[i].queue] && !wait_ends(&g, &g.wait[i], waiting)) {
        stays[g.wait[i].queue] = 1;
        stay++;
      }
    dropped = stay < left;
    left = stay;
    free(waiting);
    waiting = stays;
  }
  free(waiting);
  ripstop_free(g.wait);
  ripstop_free(g.candidate);
  walker_free(w);
  return left;
}

#endif
