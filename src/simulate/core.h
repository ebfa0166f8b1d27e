/* core.h - what the event loop does for features and for itself: waking, events, heads. Small and hot, so in a header.
 */
#ifndef SIMULATE_CORE_H
#define SIMULATE_CORE_H

#include "simulate/state.h"

/* ------------------------------------------------------------------ core.c */

/* Runs the cycles before `until`, or until the run ends. */
void engine_run(run *r, uint32_t until);
/* The two steps of a cycle in which every part minds its own nodes. */
void arrivals(part *t);
void decisions(part *t);
void lose(part *t, packet *p, uint32_t cause);
/* Gives a packet its link, now, for `later` cycles more than it has flits. */
void send_packet(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint32_t later);

/* ------------------------------------------------------------------ births.c */

void take_next(part *t, uint32_t stream); /* the interface takes the next packet of a stream, now or at its birth */

/* ------------------------------------------------------------------ heads.c */

void load_ways(part *t, queue *q); /* asks the method for the ways of a head, which is WAITING or HELD then */
void ask_anew(part *t, queue *q);  /* the same for a head that had ways before, if one waits in this queue */
/* The method has answered with something that it may not. */
void break_rule(part *t, const queue *q, const char *what, unsigned number);

/* ------------------------------------------------------------------ packets */

static inline void free_packet(part *t, uint32_t index) { t->free_packet[t->free_packets++] = index; }

/* As ripstop_source_next, for a copy of t->source[stream]. */
static inline void next_birth(const part *t, uint32_t stream, ripstop_source *source) {
  if (t->hook.next_birth)
    t->hook.next_birth(t, stream, source);
  else
    ripstop_source_next(t->run->sources, stream, source);
}

/* ------------------------------------------------------------------ events */

/* For a node of this part. */
static inline void post(part *t, uint32_t cycle, event_kind kind, uint32_t subject, uint32_t detail) {
  wheel_post(&t->wheel, cycle, (sim_event){.kind = kind, .subject = subject, .detail = detail});
}

/* For the node beyond this output port; it may be another part's. */
static inline void post_beyond(part *t, uint32_t port, uint32_t cycle, event_kind kind, uint32_t subject,
                               uint32_t detail) {
  if (t->outbox[0] && t->shape.output[port].part != t->number)
    outbox_put(&t->outbox[t->now & 1][t->shape.output[port].part], cycle,
               (sim_event){.kind = kind, .subject = subject, .detail = detail});
  else
    post(t, cycle, kind, subject, detail);
}

/* ------------------------------------------------------------------ waking */

static inline void wake_node(part *t, uint32_t v) {
  if (t->shape.node[v].awake) return;
  t->shape.node[v].awake = 1;
  t->active[t->active_count++] = v;
}

static inline void wake_queue(part *t, const queue *q) {
  t->shape.bits[t->shape.node[q->node].dirty + q->number / 64] |= bit(q->number);
  wake_node(t, q->node);
}

/* All heads that want an output. */
static inline void wake_output(part *t, uint32_t v, uint32_t local) {
  const shape *s = &t->shape;
  const sim_node *n = &s->node[v];
  const uint64_t *want = &s->bits[n->want + local * n->words];
  uint64_t *dirty = &s->bits[n->dirty], any = 0;
  *shut_lanes(s, n) &= ~(((UINT64_C(1) << s->channels) - 1) << (local * s->channels & 63));
  for (uint32_t i = 0; i < n->words; i++) {
    dirty[i] |= want[i];
    any |= want[i];
  }
  if (any) wake_node(t, v);
}

/* Something may have opened the way onto a link: space beyond it, or the link itself. */
static inline void wake_link(part *t, uint32_t port) {
  const output *out = &t->shape.output[port];
  if (t->hook.link_woken && !is_interface(&t->shape, out->node))
    t->hook.link_woken(t, port);
  else if (out->busy <= t->now)
    wake_output(t, out->node, out->local);
}

/* ------------------------------------------------------------------ heads */

/* Takes its ways out of `want`. */
static inline void drop_ways(part *t, queue *q) {
  const sim_node *n = &t->shape.node[q->node];
  const ripstop_way *way = ways_of(&t->shape, q);
  uint64_t *want = &t->shape.bits[n->want + q->number / 64], others = ~bit(q->number);
  for (uint32_t i = 0, ways = q->ways; i < ways; i++) want[way[i].port * n->words] &= others;
  q->ways = 0;
}

static inline void become_head(part *t, queue *q) {
  load_ways(t, q);
  wake_queue(t, q);
}

/* A packet enters an input queue. */
static inline void push(part *t, queue *q, uint32_t packet_index, uint32_t arrived) {
  const shape *s = &t->shape;
  uint32_t at = q->head + q->length;
  if (at >= s->ring) at -= s->ring;
  s->slot[q->slot + at] = (sim_slot){.packet = packet_index, .arrived = arrived};
  if (q->length++ == 0) become_head(t, q);
}

#endif
