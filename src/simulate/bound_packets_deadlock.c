/* bound_packets_deadlock.c - the search for deadlock (live_deadlock.c) in switches whose packets are bound to an output
 * VC.
 *
 * A FIFO is stuck if its first packet waits for space in an input queue beyond the link, and the packets of stuck FIFOs
 * there leave too little of it. A NIC's head is stuck if that holds for all its candidates. The search starts with all
 * FIFOs that have packets and all NICs that wait, and drops what can move until nothing changes. A packet that its link
 * has taken will leave, and so may every packet that travels or is in a FIFO outside the set.
 *
 * With pauses of a shared memory the input queue beyond the link never resumes if all its packets are in stuck FIFOs
 * and none travels there: the pause ends when one of its packets leaves. */
#include <string.h>

#include "base/local.h"
#include "simulate/bound_packets.h"
#include "simulate/live_deadlock.h"
#include "simulate/pools.h"
#include "simulate/slow.h"

typedef struct search {
  run *r;
  const bound *b;
  uint8_t *stuck, *out_stuck; /* NICs' queues; output VCs */
  int32_t *staying;           /* [queues]: units of packets in stuck FIFOs that take an input queue's space */
} search;

/* The input queue beyond an output VC; RIPSTOP_NONE: an end node. */
static uint32_t queue_beyond(const search *s, uint32_t vc) {
  const shape *own = s->r->shape;
  const output *out = &own->output[port_of_vc(own, vc)];
  return out->to_end ? RIPSTOP_NONE : out->next + vc % own->channels;
}

/* The sender of an output VC is paused forever, if the stuck FIFOs are stuck. */
static bool stays_paused(const search *s, uint32_t vc, uint32_t next) {
  const shared_memory *m = s->b->memory;
  return m->pause[vc].words && memory_is_paused(m, next) && !m->arriving[next] &&
         s->staying[next] == m->ingress[next - m->streams].flits;
}

/* Units of an input queue that stuck FIFOs leave free. */
static int32_t room_in_queue(const search *s, uint32_t index) {
  const shape *own = s->r->shape;
  const struct pools *p = own->pools;
  if (!p) return own->capacity - s->staying[index];
  const uint32_t first = index - own->queue[index].channel;
  int32_t left = p->size + left_of_reserve(p, s->staying[index]);
  for (uint32_t i = first; i < first + own->channels; i++) left -= beyond_reserve(p, s->staying[i]);
  return left;
}

static bool is_full(const search *s, uint32_t vc, uint32_t flits) {
  const uint32_t next = queue_beyond(s, vc);
  if (next == RIPSTOP_NONE) return false;
  if (s->b->memory) return stays_paused(s, vc, next);
  return room_in_queue(s, next) < units(s->r->shape, flits);
}

static void count_staying(search *s) {
  const shape *own = s->r->shape;
  memset(s->staying, 0, own->queues * sizeof *s->staying);
  for (uint32_t vc = own->fabric->ends * own->channels; vc < own->fabric->ports * own->channels; vc++)
    for (uint32_t i = s->out_stuck[vc] ? s->b->fifo[vc].first : RIPSTOP_NONE; i != RIPSTOP_NONE;
         i = s->b->packet[i].next)
      s->staying[s->b->packet[i].queue] += units(own, s->b->packet[i].flits);
}

static bool nic_is_stuck(const search *s, const queue *q) {
  const shape *own = s->r->shape;
  for (const bundle *b = &q->candidates; b; b = b->next)
    for (uint64_t set = b->vcs; set; set &= set - 1)
      if (!is_full(s, own->node[q->node].port * own->channels + first_vc(b, set), q->flits)) return false;
  return true;
}

/* Returns true if something was dropped. */
static bool drop(search *s) {
  const shape *own = s->r->shape;
  bool dropped = false;
  for (uint32_t vc = own->fabric->ends * own->channels; vc < own->fabric->ports * own->channels; vc++)
    if (s->out_stuck[vc] && !is_full(s, vc, s->b->packet[s->b->fifo[vc].first].flits)) {
      s->out_stuck[vc] = 0;
      dropped = true;
    }
  for (uint32_t i = 0; i < own->streams; i++)
    if (s->stuck[i] && !nic_is_stuck(s, &own->queue[i])) {
      s->stuck[i] = 0;
      dropped = true;
    }
  return dropped;
}

/* ------------------------------------------------------------------ the witness */

/* A stuck FIFO with a packet of the input queue for which this stuck FIFO waits. */
static uint32_t waits_for(const search *s, uint32_t vc) {
  const shape *own = s->r->shape;
  const uint32_t next = queue_beyond(s, vc);
  const sim_node *n = &own->node[own->queue[next].node];
  for (uint32_t out = n->port * own->channels; out < (n->port + n->ports) * own->channels; out++)
    for (uint32_t i = s->out_stuck[out] ? s->b->fifo[out].first : RIPSTOP_NONE; i != RIPSTOP_NONE;
         i = s->b->packet[i].next)
      if (s->b->packet[i].queue == next) return out;
  return RIPSTOP_NONE; /* not reached: the queue is full of such packets */
}

static void print_fifo(const search *s, ripstop_text *out, uint32_t vc) {
  const shape *own = s->r->shape;
  const output *port = &own->output[port_of_vc(own, vc)];
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(s->r->fabric, port->node, name);
  ripstop_text_add(out, "%s out-port %u channel %u", name, port->local, vc % own->channels);
}

static void print_packet(const search *s, ripstop_text *out, const packet *p) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(s->r->fabric, p->source, from);
  ripstop_node_name(s->r->fabric, p->destination, to);
  ripstop_text_add(out, "%s->%s", from, to);
}

static void print_cycle(search *s) {
  run *r = s->r;
  uint8_t *seen = RIPSTOP_ARRAY(r->arena, (size_t)r->fabric->ports * r->shape->channels, uint8_t);
  uint32_t at = 0;
  while (!s->out_stuck[at]) at++;
  while (!seen[at]) {
    seen[at] = 1;
    at = waits_for(s, at);
  }
  RIPSTOP_LOCAL_TEXT(text);
  const uint32_t start = at;
  do {
    if (text.length) ripstop_text_add(&text, "; ");
    print_fifo(s, &text, at);
    ripstop_text_add(&text, " holds ");
    print_packet(s, &text, &r->part->packet[s->b->fifo[at].first]);
    ripstop_text_add(&text, ", waits for ");
    at = waits_for(s, at);
    print_fifo(s, &text, at);
  } while (at != start);
  r->witness = ripstop_arena_text(r->arena, text.data);
}

static void note_arrival(void *run_, uint32_t due, const sim_event *ev) {
  run *r = run_;
  (void)due;
  if (event_kind_of(*ev) == ARRIVE) r->part->bound->memory->arriving[event_subject(*ev)] = 1;
}

/* Finds the input queues to which packets travel. */
static void find_arriving(run *r) {
  const shape *own = r->shape;
  memset(r->part->bound->memory->arriving, 0, own->queues);
  for (uint32_t i = 0; i < own->parts; i++)
    wheel_each(&r->part[i].wheel, r->part->now, own->far + own->pipeline + slow_most(r) + 1, note_arrival, r);
}

bool bound_find_deadlock(run *r) {
  const shape *own = r->shape;
  search s = {.r = r, .b = r->part->bound, .stuck = r->stuck, .out_stuck = r->out_stuck, .staying = r->incoming};
  const uint32_t vcs = own->fabric->ports * own->channels;
  bool any = false;
  if (own->unlimited && !own->pauses) return false;
  if (own->pauses) find_arriving(r);
  for (uint32_t i = 0; i < own->queues; i++)
    s.stuck[i] = own->queue[i].state == WAITING && any_candidate(&own->queue[i]);
  for (uint32_t vc = 0; vc < vcs; vc++) s.out_stuck[vc] = s.b->fifo[vc].first != RIPSTOP_NONE;
  do count_staying(&s);
  while (drop(&s));
  for (uint32_t vc = 0; vc < vcs; vc++) any |= s.out_stuck[vc];
  if (any) print_cycle(&s);
  return any;
}
