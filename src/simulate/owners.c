/* owners.c - checks that each row of the run's packets has one owner: the list of free rows, a slot of a queue, an
 * event that brings it, or its place among in-transit packets (state.h). A duplicated packet, which would be delivered
 * twice, would have two. */
#include "simulate/owners.h"

#include <string.h>

#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/transit.h"

typedef struct search {
  const part *t;
  uint8_t *seen;
  uint32_t found;
  uint32_t doubled; /* a packet in two places, or RIPSTOP_NONE */
} search;

static void find(void *search_, uint32_t index) {
  search *s = search_;
  if (s->seen[index]) s->doubled = index;
  s->seen[index] = 1;
  s->found++;
}

/* A granted packet belongs to the event that brings it, or to an output queue. */
static void find_in_queues(search *s) {
  const part *t = s->t;
  for (uint32_t i = 0; i < t->shape.queues; i++) {
    const queue *q = &t->shape.queue[i];
    packet_walk walk = {0};
    if (q->state == LEAVING) next_packet(t, q, &walk);
    for (const sim_slot *slot; (slot = next_packet(t, q, &walk));) find(s, slot->packet);
  }
}

static void find_in_out_queues(search *s) {
  const out_queues *o = s->t->out_queues;
  for (uint32_t vc = 0; o && vc < o->vcs; vc++) {
    const out_queue *q = &o->queue[vc];
    uint32_t index = q->first;
    if (q->discarded) find(s, q->carried);
    for (uint32_t k = 0; k < q->waiting; k++, index = o->packet[index].next) find(s, index);
  }
}

static void find_in_event(void *search_, uint32_t cycle, const sim_event *ev) {
  (void)cycle;
  search *s = search_;
  if (event_kind_of(*ev) == ARRIVE || event_kind_of(*ev) == DELIVER) find(s, ev->detail);
  if (event_kind_of(*ev) == VANISH) find(s, slot_of(&s->t->shape, &s->t->shape.queue[event_subject(*ev)], 0)->packet);
}

int owners_check(const run *r, uint8_t *seen, ripstop_error *err) {
  const part *t = r->part;
  search s = {.t = t, .seen = seen, .doubled = RIPSTOP_NONE};
  memset(seen, 0, r->packets);
  for (uint32_t p = 0; p < t->shape.parts; p++) {
    const part *own = &r->part[p];
    for (uint32_t i = own->free_packet, left = own->free_packets; left > 0; i = next_free(t, i), left--) find(&s, i);
    for (uint32_t i = 0; i < own->unused_packets; i++) find(&s, own->unused_packet + i);
    wheel_each(&own->wheel, own->now, UINT32_MAX, find_in_event, &s);
  }
  find_in_queues(&s);
  find_in_out_queues(&s);
  if (t->transit_packets) transit_packets_each(t, find, &s);
  if (s.doubled != RIPSTOP_NONE)
    return ripstop_fail(err, "the packet from end node %u to %u, generated in cycle %u, is in two places",
                        t->packet[s.doubled].source, t->packet[s.doubled].destination,
                        t->packet[s.doubled].generated_at);
  if (s.found != r->packets) return ripstop_fail(err, "%u packets are in no place", r->packets - s.found);
  return 0;
}
