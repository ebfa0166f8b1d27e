/* fetch.c - asking memory for what the next events and decisions will touch, before it is needed.
 *
 * An engine that is larger than the processor's caches would spend most of its time waiting, once for every row that a
 * hop touches. But a cycle's work is known beforehand: these functions go over a batch of it a few times, each time
 * asking for the rows that the last one has found, so that the waits of a whole batch pass at once. Hints only: nothing
 * is changed and results cannot depend on them. In an engine that fits the caches they cost more than they save, so
 * the hooks are left empty there. */
#include "simulate/fetch.h"

enum { FAR = 8 << 20 }; /* bytes from which it pays: tori lose at 6 MiB and win at 9 */

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

/* What waking the heads that want an output looks at, where there are heads that wait. */
FETCHING fetch_wanting(const part *t, const output *out) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[out->node];
  if (*listed_queues(n)) FETCH(*wanting(n, out->local * s->channels));
}

/* What methods read for a new head: which of the node's ports are up, and the coordinates of the end node that it goes
 * to. */
FETCHING fetch_ports(const part *t, const sim_node *n) {
  const uint8_t *up = &t->run->view->port_up[n->port];
  FETCH(*up);
  FETCH(up[n->ports - 1]);
}

FETCHING fetch_goal(const part *t, uint32_t destination) {
  const ripstop_fabric *f = t->shape.fabric;
  if (f->coords) FETCH(f->coord[(size_t)destination * f->coords]);
}

/* Where it goes in its ring. */
static inline const sim_slot *next_slot(const shape *s, const queue *q) {
  uint32_t at = q->head + q->length;
  return &s->slot[q->slot + (at < s->ring ? at : at - s->ring)];
}

/* A head comes to a queue, and is at once the one that goes on if that is empty. */
static void fetch_arrivals(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  for (const sim_event *event = first; event < end; event++) {
    FETCH(s->queue[event_subject(*event)]);
    FETCH(t->packet[event->detail]);
  }
  for (const sim_event *event = first; event < end; event++) {
    const queue *q = &s->queue[event_subject(*event)];
    FETCH(*next_slot(s, q));
    if (q->length) continue;
    FETCH(s->node[q->node]);
    FETCH(s->fabric->port_base[q->node]);
    fetch_goal(t, t->packet[event->detail].destination);
  }
  for (const sim_event *event = first; event < end; event++) {
    const queue *q = &s->queue[event_subject(*event)];
    if (q->length) continue;
    const sim_node *n = &s->node[q->node];
    fetch_sets(n);
    fetch_ports(t, n);
  }
}

/* A packet has left a queue, whose next one goes on, and a link, which others may want. */
static void fetch_leaves(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  for (const sim_event *event = first; event < end; event++) {
    FETCH(s->queue[event_subject(*event)]);
    FETCH(s->output[event->detail]);
    FETCH(s->room[event->detail * s->channels]);
  }
  for (const sim_event *event = first; event < end; event++) {
    const queue *q = &s->queue[event_subject(*event)];
    FETCH(s->node[q->node]);
    if (event_subject(*event) < s->streams) FETCH(t->source[event_subject(*event)]);
    if (q->length < 2) continue;
    FETCH(slot_of(s, q, 1)->packet);
    FETCH(s->fabric->port_base[q->node]);
  }
  for (const sim_event *event = first; event < end; event++) {
    const queue *q = &s->queue[event_subject(*event)];
    const sim_node *n = &s->node[q->node];
    fetch_sets(n);
    if (q->length < 2) continue;
    FETCH(*second_of(t, q));
    fetch_ports(t, n);
  }
  for (const sim_event *event = first; event < end; event++) {
    const queue *q = &s->queue[event_subject(*event)];
    fetch_wanting(t, &s->output[event->detail]);
    if (q->length > 1) fetch_goal(t, second_of(t, q)->destination);
  }
}

/* There is room behind a lane: of which little had been there where somebody may have waited for it. */
static void fetch_space(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  for (const sim_event *event = first; event < end; event++) FETCH(s->space[event_subject(*event)]);
  enum { OUTPUTS, NODES, SETS, HEADS, STEPS };
  for (int step = 0; step < STEPS; step++)
    for (const sim_event *event = first; event < end; event++) {
      if (s->space[event_subject(*event)] >= s->ample_space) continue;
      const output *out = &s->output[port_of_lane(s, event_subject(*event))];
      if (step == OUTPUTS) FETCH(*out);
      if (step == NODES) FETCH(s->node[out->node]);
      if (step == SETS) fetch_sets(&s->node[out->node]);
      if (step == HEADS) fetch_wanting(t, out);
    }
}

/* Packets that are delivered, and end nodes that may take the next one of a stream. */
static void fetch_rare(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  enum { STREAMS, NODES, SETS, STEPS };
  for (int step = 0; step < STEPS; step++)
    for (const sim_event *event = first; event < end; event++) {
      const uint32_t subject = event_subject(*event);
      if (step == STREAMS && event_kind_of(*event) == DELIVER) FETCH(t->packet[event->detail]);
      if (event_kind_of(*event) != BIRTH) continue;
      const queue *q = &s->queue[subject];
      if (step == STREAMS) {
        FETCH(*q);
        FETCH(t->source[subject]);
        FETCH(t->birth_posted[subject]);
      } else if (step == NODES) {
        FETCH(s->node[q->node]);
        FETCH(s->fabric->port_base[q->node]);
        FETCH(s->slot[q->slot]);
      } else {
        fetch_sets(&s->node[q->node]);
        fetch_ports(t, &s->node[q->node]);
        fetch_goal(t, t->source[subject].destination);
      }
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

/* Of nodes with more than 64 queues the first 64: enough for a hint. The nodes and their sets have been asked for by
 * what woke them. */
static void fetch_decisions(const part *t, const uint32_t *node, uint32_t count) {
  enum { QUEUES, OUTPUTS, PACKETS, STEPS };
  for (int step = 0; step < STEPS; step++)
    for (uint32_t i = 0; i < count; i++) {
      const sim_node *n = &t->shape.node[node[i]];
      const bool listed = *listed_queues(n);
      for (uint64_t set = *dirty_queues(n); set; set &= set - 1) {
        uint32_t index = n->queue + (uint32_t)__builtin_ctzll(set);
        if (step == QUEUES) {
          FETCH(t->shape.queue[index]);
          if (listed) FETCH(*wanted(n, index - n->queue));
        } else if (step == OUTPUTS)
          fetch_outputs(t, n, index);
        else
          FETCH(*head_of(t, &t->shape.queue[index]));
      }
    }
}

void fetch_open(run *r) {
  if (ripstop_arena_bytes(r->arena) < FAR) return;
  r->part->hook.fetch_events[RARE] = fetch_rare;
  r->part->hook.fetch_events[ARRIVE] = fetch_arrivals;
  r->part->hook.fetch_events[LEAVE] = fetch_leaves;
  r->part->hook.fetch_events[SPACE] = fetch_space;
  r->part->hook.fetch_nodes = fetch_decisions;
}
