/* transit.c - in-transit packets: a NIC receives a packet for another end node and sends it on.
 *
 * Invariant, for each end node: plan->transit_packets = the free places that its switch knows of + in-transit packets
 * on the link to it + in-transit packets in its NIC, including one that is leaving + free places that the switch will
 * be notified of (ROOM events). */
#include "simulate/transit.h"

#include "ripstop/plugin/method.h"
#include "simulate/core.h"
#include "simulate/outqueues.h"

struct transit_packets {
  uint32_t room; /* places at each end node */
  uint32_t *first,
      *last;      /* [streams]: in-transit packets that wait behind the head, in order of arrival; RIPSTOP_NONE: none */
  uint32_t *next; /* [packets]: of such a list */
  uint32_t *own;  /* [streams]: an own packet that an in-transit packet has displaced from the head of its queue, or
                   * RIPSTOP_NONE */
  uint8_t *at_head; /* [streams]: the head of the queue is an in-transit packet, or was until it left */
};

/* ------------------------------------------------------------------ at the switch */

uint32_t transit_packets_room(const part *t) { return t->transit_packets ? t->transit_packets->room : 0; }

bool is_transit_packet_candidate(const part *t, const queue *q, uint32_t local) {
  const output *out = &t->shape.output[t->shape.node[q->node].port + local];
  return out->to_end && out->next != head_of(t, q)->destination;
}

/* The switch knows of no free place. */
static bool is_full(const part *t, const queue *q, uint32_t local) {
  uint32_t vc = (t->shape.node[q->node].port + local) * t->shape.channels; /* all virtual channels of a port have the
                                                                            * same number */
  return t->shape.space[vc] == END_SPACE && is_transit_packet_candidate(t, q, local);
}

static void change_room(part *t, uint32_t port, int32_t by) {
  for (uint32_t c = 0; c < t->shape.channels; c++) t->shape.space[port * t->shape.channels + c] += by;
}

/* An in-transit packet takes the link and occupies a place. */
static void expect_transit_packet(part *t, uint32_t port) { change_room(t, port, -1); }

static void on_room(part *t, uint32_t port, uint32_t detail) {
  (void)detail;
  change_room(t, port, 1);
  wake_link(t, port);
}

/* An in-transit packet has left: notifies its switch. */
static void give_room(part *t, uint32_t end) {
  const ripstop_fabric *f = t->shape.fabric;
  post_beyond(t, f->port_base[end], t->now + t->shape.credit, ROOM, f->peer[f->port_base[end]], 0);
}

/* ------------------------------------------------------------------ in the NIC */

static void add_transit_packet(struct transit_packets *g, uint32_t stream, uint32_t packet_index) {
  g->next[packet_index] = RIPSTOP_NONE;
  if (g->first[stream] == RIPSTOP_NONE)
    g->first[stream] = packet_index;
  else
    g->next[g->last[stream]] = packet_index;
  g->last[stream] = packet_index;
}

static void take_in(part *t, uint32_t end, uint32_t packet_index) {
  struct transit_packets *g = t->transit_packets;
  const packet *p = &t->packet[packet_index];
  uint32_t stream = end * t->shape.classes + p->class_;
  queue *q = &t->shape.queue[stream];
  if (p->truncated) {
    free_packet(t, packet_index);
    give_room(t, end);
    return;
  }
  if (is_waiting(q) && !g->at_head[stream]) {
    g->own[stream] = t->shape.slot[q->slot + q->head].packet;
    drop_candidates(t, q);
    q->state = EMPTY;
    q->length = 0;
  }
  add_transit_packet(g, stream, packet_index);
  if (q->state == EMPTY) take_next(t, stream);
}

static uint32_t next_transit_packet(part *t, uint32_t stream) {
  struct transit_packets *g = t->transit_packets;
  uint32_t next = g->first[stream];
  g->at_head[stream] = next != RIPSTOP_NONE;
  if (next != RIPSTOP_NONE) {
    g->first[stream] = g->next[next];
    return next;
  }
  next = g->own[stream];
  g->own[stream] = RIPSTOP_NONE;
  return next;
}

static void transit_packet_left(part *t, uint32_t stream) {
  if (t->transit_packets->at_head[stream]) give_room(t, stream / t->shape.classes);
}

void transit_packets_silence(part *t, uint32_t stream) {
  struct transit_packets *g = t->transit_packets;
  if (!g) return;
  for (uint32_t i = g->first[stream]; i != RIPSTOP_NONE; i = g->next[i]) {
    lose(t, &t->packet[i], stream / t->shape.classes, RIPSTOP_LOST_SWITCH);
    free_packet(t, i);
    give_room(t, stream / t->shape.classes);
  }
  g->first[stream] = RIPSTOP_NONE;
  if (g->own[stream] == RIPSTOP_NONE) return;
  lose(t, &t->packet[g->own[stream]], stream / t->shape.classes, RIPSTOP_LOST_SWITCH);
  free_packet(t, g->own[stream]);
  g->own[stream] = RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ queries */

bool transit_packets_hold_back(const part *t, uint32_t stream) {
  return t->transit_packets->own[stream] != RIPSTOP_NONE;
}

uint32_t transit_packets_resting(const part *t, uint32_t stream) {
  const struct transit_packets *g = t->transit_packets;
  uint32_t count = g->at_head[stream] && is_waiting(&t->shape.queue[stream]);
  for (uint32_t i = g->first[stream]; i != RIPSTOP_NONE; i = g->next[i]) count++;
  return count;
}

void transit_packets_each(const part *t, void (*act)(void *context, uint32_t packet_index), void *context) {
  const struct transit_packets *g = t->transit_packets;
  for (uint32_t stream = 0; stream < t->shape.streams; stream++) {
    for (uint32_t i = g->first[stream]; i != RIPSTOP_NONE; i = g->next[i]) act(context, i);
    if (g->own[stream] != RIPSTOP_NONE) act(context, g->own[stream]);
  }
}

/* ------------------------------------------------------------------ opening */

static int check(const run *r, ripstop_error *err) {
  const char *name = r->plan->method->name;
  if (!r->part->shape.credits)
    return ripstop_fail(err, "switch.flow: method %s has in-transit packets, which need credits", name);
  if (r->part->out_queues)
    return ripstop_fail(
        err,
        "switch.out_queue = %s: method %s has in-transit packets, for which a switch counts the room of "
        "an end node when it grants the link; they need 0",
        out_queue_size(r), name);
  if (r->plan->transit_packets > TRANSIT_PACKETS_MAX)
    return ripstop_fail(err, "method %s: %u in-transit packets for each network interface; at most %d",
                        r->plan->method->name, r->plan->transit_packets, TRANSIT_PACKETS_MAX);
  return 0;
}

static void take_hooks(hooks *hook) {
  hook->shut = is_full;
  hook->visiting = expect_transit_packet;
  hook->misdelivered = take_in;
  hook->before_source = next_transit_packet;
  hook->left_interface = transit_packet_left;
  hook->event[ROOM - FEATURE_EVENTS] = on_room;
}

int transit_packets_open(run *r, ripstop_error *err) {
  part *t = r->part;
  const shape *s = &t->shape;
  if (r->plan->transit_packets == 0) return 0;
  if (check(r, err)) return -1;
  struct transit_packets *g = t->transit_packets = RIPSTOP_NEW(r->arena, struct transit_packets);
  g->room = r->plan->transit_packets;
  g->first = RIPSTOP_ARRAY(r->arena, s->streams, uint32_t);
  g->last = RIPSTOP_ARRAY(r->arena, s->streams, uint32_t);
  g->own = RIPSTOP_ARRAY(r->arena, s->streams, uint32_t);
  g->next = RIPSTOP_ARRAY(r->arena, r->packets, uint32_t);
  g->at_head = RIPSTOP_ARRAY(r->arena, s->streams, uint8_t);
  for (uint32_t stream = 0; stream < s->streams; stream++) g->first[stream] = g->own[stream] = RIPSTOP_NONE;
  for (uint32_t port = s->fabric->ends; port < s->fabric->ports; port++)
    for (uint32_t c = 0; c < s->channels && s->output[port].to_end; c++)
      s->space[port * s->channels + c] = END_SPACE + (int32_t)g->room;
  take_hooks(&t->hook);
  return 0;
}
