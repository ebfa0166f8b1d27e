/* owners.c - each row of e->packet has one owner: the list of free rows, a slot of a queue, an event that brings it, or
 * its place among guests (state.h). A packet that were doubled, and so delivered twice, would have two. */
#include "simulate/owners.h"

#include <string.h>

#include "simulate/guests.h"

typedef struct search {
  const engine *e;
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

/* What has been granted belongs to the event that brings it, or to an output queue. */
static void find_in_queues(search *s) {
  const engine *e = s->e;
  for (uint32_t i = 0; i < e->queues; i++) {
    const queue *q = &e->queue[i];
    for (uint32_t k = q->state == LEAVING; k < q->length; k++)
      find(s, e->slot[q->slot + (q->head + k) % e->ring].packet);
  }
}

static void find_in_out_queues(search *s) {
  const engine *e = s->e;
  for (uint32_t lane = 0; e->out_queues && lane < e->fabric->ports * e->channels; lane++) {
    const out_queue *o = &e->out_queue[lane];
    for (uint32_t k = 0; k < o->length; k++) {
      uint32_t entry = e->out_slot[o->slot + (o->head + k) % e->out_slots].packet;
      bool on_link = k == 0 && o->leaving && !(entry & OUT_DISCARDED);
      if (!on_link) find(s, entry & ~OUT_DISCARDED);
    }
  }
}

static void find_in_events(search *s) {
  const engine *e = s->e;
  for (uint32_t b = 0; b <= e->wheel.mask; b++)
    for (uint32_t i = e->wheel.bucket[b]; i != RIPSTOP_NONE; i = e->wheel.chunk[i].next)
      for (uint32_t k = 0; k < e->wheel.chunk[i].count; k++) {
        const sim_event *ev = &e->wheel.chunk[i].event[k];
        if (ev->kind == ARRIVE || ev->kind == DELIVER) find(s, ev->detail);
        if (ev->kind != FREE || ev->detail != RIPSTOP_NONE) continue; /* else: a head that is being discarded */
        const queue *q = &e->queue[ev->subject];
        find(s, e->slot[q->slot + q->head].packet);
      }
}

int owners_check(const engine *e, uint8_t *seen, ripstop_error *err) {
  search s = {.e = e, .seen = seen, .doubled = RIPSTOP_NONE};
  memset(seen, 0, e->packets);
  for (uint32_t i = 0; i < e->free_packets; i++) find(&s, e->free_packet[i]);
  find_in_queues(&s);
  find_in_out_queues(&s);
  find_in_events(&s);
  if (e->guests) guests_each(e, find, &s);
  if (s.doubled != RIPSTOP_NONE)
    return ripstop_fail(err, "the packet from end node %u to %u, born in cycle %u, is in two places",
                        e->packet[s.doubled].source, e->packet[s.doubled].destination, e->packet[s.doubled].born);
  if (s.found != e->packets) return ripstop_fail(err, "%u packets are nowhere", e->packets - s.found);
  return 0;
}
