/* fetch.c - prefetches the memory that the next events and decisions will touch.
 *
 * An engine larger than the processor's caches would spend most of its time waiting for memory, once for every row that
 * a hop touches. But the work of a cycle is known beforehand. These functions pass over a batch of it several times;
 * each pass prefetches the rows that the previous pass found, so that the waits of a whole batch overlap. They change
 * nothing, so results cannot depend on them. In an engine that fits the caches they cost more than they save; then the
 * hooks stay empty. */
#include "simulate/fetch.h"

enum { FAR = 8 << 20 }; /* bytes of the arena from which it pays: tori lose at 6 MiB and win at 9 */

/* gcc takes a function that only prefetches for one without effect, and drops calls that it has not inlined. */
#define FETCHING     static inline __attribute__((always_inline)) void
#define FETCH(place) __builtin_prefetch(&(place))
#define FETCH_LINE   64  /* bytes */
enum { NEIGHBOURS = 2 }; /* ports whose outputs share a line */

FETCHING fetch_bytes(const void *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += FETCH_LINE) __builtin_prefetch((const char *)from + at);
}

/* Prefetches a node's sets except those of single output VCs and queues: one line in most nodes. */
FETCHING fetch_sets(const sim_node *n) {
  FETCH(*n->sets);
  if (n->words > 2) fetch_bytes(n->sets, 4u * n->words * sizeof *n->sets);
}

/* Prefetches what methods read for a new head: the up flags of the node's ports, and the destination's coordinates. */
FETCHING fetch_ports(const part *t, const sim_node *n) {
  const uint8_t *up = &t->run->view->port_up[n->port];
  FETCH(*up);
  FETCH(up[n->ports - 1]);
}

FETCHING fetch_goal(const part *t, uint32_t destination) {
  const ripstop_fabric *f = t->shape.fabric;
  if (f->coords) FETCH(f->coord[(size_t)destination * f->coords]);
}

/* ARRIVE: a head enters a queue; if the queue is empty, the head may go on in this cycle. */
static void fetch_arrivals(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  const sim_node *node[CHUNK_EVENTS];
  uint32_t heads = 0;
  for (const sim_event *event = first; event < end; event++) {
    FETCH(s->queue[event_subject(*event)]);
    FETCH(t->packet[event->detail]);
  }
  for (const sim_event *event = first; event < end; event++) {
    const queue *q = &s->queue[event_subject(*event)];
    FETCH(*slot_of(s, q, q->length));
    if (q->length) continue;
    node[heads] = &s->node[q->node];
    FETCH(*node[heads++]);
    FETCH(s->fabric->port_base[q->node]);
    fetch_goal(t, t->packet[event->detail].destination);
  }
  for (uint32_t i = 0; i < heads; i++) {
    fetch_sets(node[i]);
    fetch_ports(t, node[i]);
  }
}

/* LEAVE: a packet has left a queue, whose next packet becomes its head, and a link that others may want. */
static void fetch_leaves(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  const sim_slot *slot[CHUNK_EVENTS]; /* the next packet's; NULL: none */
  const sim_node *node[CHUNK_EVENTS];
  const uint32_t events = (uint32_t)(end - first);
  for (uint32_t i = 0; i < events; i++) {
    FETCH(s->queue[event_subject(first[i])]);
    FETCH(s->output[first[i].detail]);
    FETCH(s->room[first[i].detail * s->channels]);
  }
  for (uint32_t i = 0; i < events; i++) {
    const queue *q = &s->queue[event_subject(first[i])];
    node[i] = &s->node[q->node];
    slot[i] = q->length > 1 ? slot_of(s, q, 1) : NULL;
    FETCH(*node[i]);
    if (event_subject(first[i]) < s->streams) FETCH(t->source[event_subject(first[i])]);
    if (!slot[i]) continue;
    FETCH(*slot[i]);
    FETCH(s->fabric->port_base[q->node]);
  }
  for (uint32_t i = 0; i < events; i++) {
    fetch_sets(node[i]);
    if (!slot[i]) continue;
    FETCH(t->packet[slot[i]->packet]);
    fetch_ports(t, node[i]);
  }
  for (uint32_t i = 0; i < events; i++) {
    if (*listed_queues(node[i])) FETCH(*wanting(node[i], s->output[first[i].detail].local * s->channels));
    if (slot[i]) fetch_goal(t, t->packet[slot[i]->packet].destination);
  }
}

/* SPACE: credits for an output VC. Heads may wait for it only if it had little space before. */
static void fetch_space(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  const output *out[CHUNK_EVENTS];
  uint32_t scarce = 0;
  for (const sim_event *event = first; event < end; event++) FETCH(s->space[event_subject(*event)]);
  if (t->hook.link_woken) { /* it concerns the link alone */
    for (const sim_event *event = first; event < end; event++) FETCH(s->output[port_of_vc(s, event_subject(*event))]);
    return;
  }
  for (const sim_event *event = first; event < end; event++) {
    if (s->space[event_subject(*event)] >= s->ample_space) continue;
    out[scarce] = &s->output[port_of_vc(s, event_subject(*event))];
    FETCH(*out[scarce++]);
  }
  for (uint32_t i = 0; i < scarce; i++) FETCH(s->node[out[i]->node]);
  for (uint32_t i = 0; i < scarce; i++) fetch_sets(&s->node[out[i]->node]);
  for (uint32_t i = 0; i < scarce; i++) {
    const sim_node *n = &s->node[out[i]->node];
    if (*listed_queues(n)) FETCH(*wanting(n, out[i]->local * s->channels));
  }
}

/* RARE: deliveries, and end nodes that may take the next packet of a stream. */
static void fetch_rare(const part *t, const sim_event *first, const sim_event *end) {
  const shape *s = &t->shape;
  uint32_t stream[CHUNK_EVENTS], generations = 0;
  for (const sim_event *event = first; event < end; event++) {
    if (event_kind_of(*event) == DELIVER) FETCH(t->packet[event->detail]);
    if (event_kind_of(*event) != GENERATION) continue;
    stream[generations++] = event_subject(*event);
    FETCH(s->queue[event_subject(*event)]);
    FETCH(t->source[event_subject(*event)]);
    FETCH(t->generation_posted[event_subject(*event)]);
  }
  for (uint32_t i = 0; i < generations; i++) {
    const queue *q = &s->queue[stream[i]];
    FETCH(s->node[q->node]);
    FETCH(s->fabric->port_base[q->node]);
    FETCH(s->slot[q->slot]);
  }
  for (uint32_t i = 0; i < generations; i++) {
    const sim_node *n = &s->node[s->queue[stream[i]].node];
    fetch_sets(n);
    fetch_ports(t, n);
    fetch_goal(t, t->source[stream[i]].destination);
  }
}

/* Prefetches what the head of a queue needs to choose a candidate and be granted it, except its packet. Many candidates
 * are neighbouring output VCs, whose rows share lines. */
FETCHING fetch_outputs(const part *t, const queue *q) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[q->node];
  const uint64_t near = bit(NEIGHBOURS * s->channels) - 1;
  uint64_t open = q->candidates.vcs & ~shut_vcs(n)[q->candidates.word];
  FETCH(s->slot[q->slot + q->head]);
  if (q->candidates.next) FETCH(*q->candidates.next);
  while (open) {
    const uint32_t vc = first_vc(&q->candidates, open), port = n->port + port_of_vc(s, vc);
    FETCH(s->output[port]);
    FETCH(s->space[port * s->channels]);
    open &= ~(near << (vc & 63));
  }
}

/* Nodes with more than 64 queues: the first 64 suffice for a hint. The event that woke a node has prefetched it and its
 * sets. */
static void fetch_decisions(const part *t, const uint32_t *node, uint32_t count) {
  const queue *head[64 * FETCH_NODES];
  uint32_t heads = 0;
  for (uint32_t i = 0; i < count; i++) {
    const sim_node *n = &t->shape.node[node[i]];
    const queue *q = &t->shape.queue[n->queue];
    const bool listed = *listed_queues(n);
    for (uint64_t set = *dirty_queues(n); set; set &= set - 1) {
      const uint32_t number = (uint32_t)__builtin_ctzll(set);
      head[heads++] = &q[number];
      FETCH(q[number]);
      if (listed) FETCH(*wanted(n, number));
    }
  }
  for (uint32_t i = 0; i < heads; i++) fetch_outputs(t, head[i]);
  for (uint32_t i = 0; i < heads; i++) FETCH(*head_of(t, head[i]));
}

void fetch_open(run *r) {
  if (ripstop_arena_bytes(r->arena) < FAR || r->part->bound) return;
  r->part->hook.fetch_events[RARE] = fetch_rare;
  r->part->hook.fetch_events[ARRIVE] = fetch_arrivals;
  r->part->hook.fetch_events[LEAVE] = fetch_leaves;
  r->part->hook.fetch_events[SPACE] = fetch_space;
  r->part->hook.fetch_nodes = fetch_decisions;
}
