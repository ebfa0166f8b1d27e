/* fetch.h - asking memory for what the next events and decisions will touch, before it is needed.
 *
 * An engine that is larger than the processor's caches would spend most of its time waiting, once for every row that a
 * hop touches. But a cycle's work is known beforehand: these functions go over a batch of it a few times, each time
 * asking for the rows that the last one has found, so that the waits of a whole batch pass at once. Hints only: nothing
 * is changed and results cannot depend on them. In an engine that fits the caches they cost more than they save, so
 * engine.c leaves them out there (engine.far). */
#ifndef SIMULATE_FETCH_H
#define SIMULATE_FETCH_H

#include "simulate/state.h"

enum { FETCH_NODES = 16 }; /* that decide, in one batch: their rows fit the first cache */

/* gcc takes a function that only asks ahead for one without effect, and drops calls of it that it has not inlined. */
#define FETCHING     static inline __attribute__((always_inline)) void
#define FETCH(place) __builtin_prefetch(&(place))
#define FETCH_LINE   64 /* bytes */

FETCHING fetch_bytes(const void *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += FETCH_LINE) __builtin_prefetch((const char *)from + at);
}

static inline const ripstop_way *ways_of(const engine *e, uint32_t index) {
  return &e->way[(size_t)index * e->ways_max];
}

/* The packet behind the head, which is leaving. */
static inline const packet *second_of(const engine *e, const queue *q) {
  uint32_t at = q->head + 1u == e->ring ? 0 : q->head + 1u;
  return &e->packet[e->slot[q->slot + at].packet];
}

/* What waking the heads that want an output looks at. */
FETCHING fetch_wanting(const engine *e, const output *out) {
  const sim_node *n = &e->node[out->node];
  FETCH(*shut_lanes(e, n));
  FETCH(e->bits[n->want + out->local * n->words]);
}

/* What asking for the ways of a new head writes. */
FETCHING fetch_new_head(const engine *e, const queue *q) {
  const sim_node *n = &e->node[q->node];
  fetch_bytes(shut_lanes(e, n), (1 + (size_t)n->words * (1 + n->ports)) * sizeof *e->bits);
  FETCH(*ways_of(e, (uint32_t)(q - e->queue)));
}

FETCHING fetch_arrivals(const engine *e, const chunk *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    sim_event ev = c->event[i];
    if (ev.kind == ARRIVE || ev.kind == FREE) FETCH(e->queue[ev.subject]);
    if (ev.kind == FREE && ev.detail != RIPSTOP_NONE) FETCH(e->output[ev.detail]);
    if (ev.kind == ARRIVE || ev.kind == DELIVER) FETCH(e->packet[ev.detail]);
    if (ev.kind == SPACE) {
      FETCH(e->space[ev.subject]);
      FETCH(e->output[ev.subject / e->channels]);
    }
  }
  for (uint32_t i = 0; i < c->count; i++) {
    sim_event ev = c->event[i];
    if (ev.kind == ARRIVE || ev.kind == FREE) {
      const queue *q = &e->queue[ev.subject];
      FETCH(e->node[q->node]);
      FETCH(e->slot[q->slot + q->head]);
    }
    if (ev.kind == SPACE) FETCH(e->node[e->output[ev.subject / e->channels].node]);
  }
  for (uint32_t i = 0; i < c->count; i++) {
    sim_event ev = c->event[i];
    if (ev.kind == ARRIVE && e->queue[ev.subject].length == 0) fetch_new_head(e, &e->queue[ev.subject]);
    if (ev.kind == FREE && e->queue[ev.subject].length > 1) {
      fetch_new_head(e, &e->queue[ev.subject]);
      FETCH(*second_of(e, &e->queue[ev.subject]));
    }
    if (ev.kind == FREE && ev.detail != RIPSTOP_NONE) fetch_wanting(e, &e->output[ev.detail]);
    if (ev.kind == SPACE) fetch_wanting(e, &e->output[ev.subject / e->channels]);
  }
}

/* What the head of a queue needs to choose a way and to be granted it, but for the packet. Many ways are neighbouring
 * ports, whose rows share lines. */
FETCHING fetch_outputs(const engine *e, const sim_node *n, uint32_t index) {
  const queue *q = &e->queue[index];
  const ripstop_way *way = ways_of(e, index);
  FETCH(e->slot[q->slot + q->head]);
  for (uint32_t i = 0; i < q->ways; i += 1 + q->ways / 8u) {
    uint32_t port = n->port + way[i].port;
    FETCH(e->output[port]);
    FETCH(e->space[port * e->channels]);
    FETCH(e->arbiter_state[port * e->arbiter_bytes]);
    FETCH(e->measure.link_flits[port]);
  }
}

/* Of nodes with more than 64 queues the first 64: enough for a hint. */
FETCHING fetch_decisions(const engine *e, const uint32_t *node, uint32_t count) {
  enum { NODES, SETS, QUEUES, WAYS, OUTPUTS, PACKETS, STEPS };
  for (int step = 0; step < STEPS; step++)
    for (uint32_t i = 0; i < count; i++) {
      const sim_node *n = &e->node[node[i]];
      if (step == NODES) FETCH(*n);
      if (step == SETS) FETCH(*shut_lanes(e, n));
      if (step <= SETS) continue;
      for (uint64_t set = e->bits[n->dirty]; set; set &= set - 1) {
        uint32_t index = n->queue + (uint32_t)__builtin_ctzll(set);
        if (step == QUEUES) {
          FETCH(e->queue[index]);
          FETCH(*ways_of(e, index));
        } else if (step == WAYS) {
          fetch_bytes(ways_of(e, index), e->queue[index].ways * sizeof *e->way);
        } else if (step == OUTPUTS) {
          fetch_outputs(e, n, index);
        } else {
          FETCH(*head_of(e, &e->queue[index]));
        }
      }
    }
}

#endif
