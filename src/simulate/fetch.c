/* fetch.c - asking memory for what the next events and decisions will touch, before it is needed.
 *
 * An engine that is larger than the processor's caches would spend most of its time waiting, once for every row that a
 * hop touches. But a cycle's work is known beforehand: these functions go over a batch of it a few times, each time
 * asking for the rows that the last one has found, so that the waits of a whole batch pass at once. Hints only: nothing
 * is changed and results cannot depend on them. In an engine that fits the caches they cost more than they save, so
 * the hooks are left empty there. */
#include "simulate/fetch.h"

enum { FAR = 16 << 20 }; /* bytes from which it pays: tori lose at 6 MiB and win at 20 */

/* gcc takes a function that only asks ahead for one without effect, and drops calls of it that it has not inlined. */
#define FETCHING     static inline __attribute__((always_inline)) void
#define FETCH(place) __builtin_prefetch(&(place))
#define FETCH_LINE   64  /* bytes */
enum { NEIGHBOURS = 2 }; /* ports whose outputs share a line */

FETCHING fetch_bytes(const void *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += FETCH_LINE) __builtin_prefetch((const char *)from + at);
}

/* The packet behind the head, which is leaving. */
static inline const packet *second_of(const part *t, const queue *q) {
  return &t->packet[slot_of(&t->shape, q, 1)->packet];
}

/* A node's sets, but those of single lanes and queues. */
FETCHING fetch_sets(const sim_node *n) { fetch_bytes(n->sets, 4u * n->words * sizeof *n->sets); }

/* What waking the heads that want an output looks at. */
FETCHING fetch_wanting(const part *t, const output *out) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[out->node];
  FETCH(*n->sets);
  FETCH(*wanting(n, out->local * s->channels));
}

/* What the ways of a new head are kept in, if it has to wait, and what methods read: which of the node's ports are up.
 * To ask for the sets of all lanes that it may want is to ask for too much. */
FETCHING fetch_new_head(const part *t, const queue *q) {
  const sim_node *n = &t->shape.node[q->node];
  const uint8_t *up = &t->run->view->port_up[n->port];
  fetch_sets(n);
  FETCH(*wanted(n, q->number));
  FETCH(*up);
  FETCH(up[n->ports - 1]);
}

/* Methods look up the coordinates of the end node that it goes to. */
FETCHING fetch_goal(const part *t, const packet *p) {
  const ripstop_fabric *f = t->shape.fabric;
  if (f->coords) FETCH(f->coord[(size_t)p->destination * f->coords]);
}

/* Discards are too few to look out for. */
static void fetch_arrivals(const part *t, const sim_event *first, const sim_event *end) {
  for (const sim_event *event = first; event < end; event++) {
    const event_kind kind = event_kind_of(*event);
    const uint32_t subject = event_subject(*event);
    if (kind == ARRIVE || kind == LEAVE) FETCH(t->shape.queue[subject]);
    if (kind == LEAVE) {
      FETCH(t->shape.output[event->detail]);
      FETCH(t->shape.room[event->detail * t->shape.channels]);
    }
    if (kind == ARRIVE || kind == DELIVER) FETCH(t->packet[event->detail]);
    if (kind == SPACE) {
      FETCH(t->shape.space[subject]);
      FETCH(t->shape.output[subject / t->shape.channels]);
    }
  }
  for (const sim_event *event = first; event < end; event++) {
    const event_kind kind = event_kind_of(*event);
    const uint32_t subject = event_subject(*event);
    if (kind == ARRIVE || kind == LEAVE) {
      const queue *q = &t->shape.queue[subject];
      FETCH(t->shape.node[q->node]);
      FETCH(t->shape.fabric->port_base[q->node]);
      FETCH(t->shape.slot[q->slot + q->head]);
      if (kind == LEAVE && subject < t->shape.streams) FETCH(t->source[subject]);
      if (kind == LEAVE) fetch_bytes(q - q->channel, t->shape.channels * sizeof *q);
    }
    if (kind == SPACE) FETCH(t->shape.node[t->shape.output[subject / t->shape.channels].node]);
  }
  for (const sim_event *event = first; event < end; event++) {
    const event_kind kind = event_kind_of(*event);
    const uint32_t subject = event_subject(*event);
    if (kind == ARRIVE && t->shape.queue[subject].length == 0) fetch_new_head(t, &t->shape.queue[subject]);
    if (kind == LEAVE && t->shape.queue[subject].length > 1) {
      fetch_new_head(t, &t->shape.queue[subject]);
      FETCH(*second_of(t, &t->shape.queue[subject]));
    }
    if (kind == LEAVE) fetch_wanting(t, &t->shape.output[event->detail]);
    if (kind == SPACE) fetch_wanting(t, &t->shape.output[subject / t->shape.channels]);
  }
  for (const sim_event *event = first; event < end; event++) {
    const event_kind kind = event_kind_of(*event);
    if (kind != ARRIVE && kind != LEAVE) continue;
    const queue *q = &t->shape.queue[event_subject(*event)];
    if (kind == ARRIVE && q->length == 0) fetch_goal(t, &t->packet[event->detail]);
    if (kind == LEAVE && q->length > 1) fetch_goal(t, second_of(t, q));
  }
}

/* What the head of a queue needs to choose a way and to be granted it, but for the packet. Many ways are neighbouring
 * lanes, whose rows share lines. */
FETCHING fetch_outputs(const part *t, const sim_node *n, uint32_t index) {
  const shape *s = &t->shape;
  const queue *q = &s->queue[index];
  const uint64_t open = q->ways.lanes & ~shut_lanes(n)[q->ways.word];
  FETCH(s->slot[q->slot + q->head]);
  if (q->ways.next) FETCH(*q->ways.next);
  if (!open) return;
  uint32_t first = port_of_lane(s, first_lane(&q->ways, open));
  uint32_t last = port_of_lane(s, 64u * q->ways.word + 63 - (uint32_t)__builtin_clzll(open));
  for (uint32_t port = n->port + first; port <= n->port + last; port += NEIGHBOURS) {
    FETCH(s->output[port]);
    FETCH(s->space[port * s->channels]);
  }
}

/* Of nodes with more than 64 queues the first 64: enough for a hint. */
static void fetch_decisions(const part *t, const uint32_t *node, uint32_t count) {
  enum { NODES, SETS, QUEUES, OUTPUTS, PACKETS, STEPS };
  for (int step = 0; step < STEPS; step++)
    for (uint32_t i = 0; i < count; i++) {
      const sim_node *n = &t->shape.node[node[i]];
      if (step == NODES) FETCH(*n);
      if (step == SETS) fetch_sets(n);
      if (step <= SETS) continue;
      for (uint64_t set = *dirty_queues(n); set; set &= set - 1) {
        uint32_t index = n->queue + (uint32_t)__builtin_ctzll(set);
        if (step == QUEUES) {
          FETCH(t->shape.queue[index]);
          FETCH(*wanted(n, index - n->queue));
        } else if (step == OUTPUTS)
          fetch_outputs(t, n, index);
        else
          FETCH(*head_of(t, &t->shape.queue[index]));
      }
    }
}

void fetch_open(run *r) {
  if (ripstop_arena_bytes(r->arena) < FAR) return;
  r->part->hook.fetch_events = fetch_arrivals;
  r->part->hook.fetch_nodes = fetch_decisions;
}
