/* guests.c - packets for others in network interfaces.
 *
 * Invariant: for each end node, plan->guests = the room that its switch knows of + guests on the link to it + guests in
 * its interface, the one that is leaving included + room that the switch will learn of (ROOM events). */
#include "simulate/guests.h"
#include "ripstop/plugin/method.h"

#include "simulate/control.h"

struct guests {
  uint32_t room;          /* of each end node */
  uint32_t *first, *last; /* [streams]: guests that wait behind the head, in order of arrival; RIPSTOP_NONE: none */
  uint32_t *next;         /* [packets]: of such a list */
  uint32_t *own;    /* [streams]: an own packet that a guest has pushed from the head of its queue, or RIPSTOP_NONE */
  uint8_t *at_head; /* [streams]: the head of the queue is a guest, or was until it left */
};

int guests_check(const engine *e, ripstop_error *err) {
  if (e->plan->guests == 0) return 0;
  if (!e->credits || e->out_queues)
    return ripstop_fail(err, "method %s: guests in network interfaces need credits and no output queues",
                        e->plan->method->name);
  if (e->plan->guests > GUESTS_MAX)
    return ripstop_fail(err, "method %s: %u guests for each network interface; at most %d", e->plan->method->name,
                        e->plan->guests, GUESTS_MAX);
  return 0;
}

void guests_open(engine *e) {
  if (e->plan->guests == 0) return;
  struct guests *g = e->guests = RIPSTOP_NEW(e->arena, struct guests);
  g->room = e->plan->guests;
  g->first = RIPSTOP_ARRAY(e->arena, e->streams, uint32_t);
  g->last = RIPSTOP_ARRAY(e->arena, e->streams, uint32_t);
  g->own = RIPSTOP_ARRAY(e->arena, e->streams, uint32_t);
  g->next = RIPSTOP_ARRAY(e->arena, e->packets, uint32_t);
  g->at_head = RIPSTOP_ARRAY(e->arena, e->streams, uint8_t);
  for (uint32_t stream = 0; stream < e->streams; stream++) g->first[stream] = g->own[stream] = RIPSTOP_NONE;
}

uint32_t guests_room(const engine *e) { return e->guests ? e->guests->room : 0; }

/* ------------------------------------------------------------------ at the switch */

void guests_mark(const engine *e, const queue *q, ripstop_way *way, uint32_t ways) {
  const packet *p = head_of(e, q);
  for (uint32_t i = 0; i < ways; i++) {
    const output *out = &e->output[e->node[q->node].port + way[i].port];
    if (out->to_end && out->next != p->destination) way[i].space = GUEST;
  }
}

static void change_room(engine *e, uint32_t port, int32_t by) {
  for (uint32_t c = 0; c < e->channels; c++) e->space[port * e->channels + c] += by;
}

void guests_expect(engine *e, uint32_t port) { change_room(e, port, -1); }

void guests_make_room(engine *e, uint32_t port) { change_room(e, port, 1); }

/* A guest has gone: its switch will know. */
static void give_room(engine *e, uint32_t end) {
  wheel_post(&e->wheel, e->now + e->credit, ROOM, e->fabric->peer[e->fabric->port_base[end]], 0);
}

/* ------------------------------------------------------------------ in the interface */

static void add_guest(struct guests *g, uint32_t stream, uint32_t packet_index) {
  g->next[packet_index] = RIPSTOP_NONE;
  if (g->first[stream] == RIPSTOP_NONE)
    g->first[stream] = packet_index;
  else
    g->next[g->last[stream]] = packet_index;
  g->last[stream] = packet_index;
}

void guests_arrive(engine *e, uint32_t end, uint32_t packet_index) {
  struct guests *g = e->guests;
  const packet *p = &e->packet[packet_index];
  uint32_t stream = end * e->classes + p->class_;
  queue *q = &e->queue[stream];
  if (p->truncated) {
    free_packet(e, packet_index);
    give_room(e, end);
    return;
  }
  if (is_waiting(q) && !g->at_head[stream]) {
    g->own[stream] = e->slot[q->slot + q->head].packet;
    drop_ways(e, q);
    q->state = EMPTY;
    q->length = 0;
  }
  add_guest(g, stream, packet_index);
  if (q->state == EMPTY) take_next(e, stream);
}

uint32_t guests_next(engine *e, uint32_t stream) {
  struct guests *g = e->guests;
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

void guests_left(engine *e, uint32_t stream) {
  if (e->guests->at_head[stream]) give_room(e, stream / e->classes);
}

void guests_silence(engine *e, uint32_t stream) {
  struct guests *g = e->guests;
  for (uint32_t i = g->first[stream]; i != RIPSTOP_NONE; i = g->next[i]) {
    lose(e, &e->packet[i], RIPSTOP_LOST_SWITCH);
    free_packet(e, i);
    give_room(e, stream / e->classes);
  }
  g->first[stream] = RIPSTOP_NONE;
  if (g->own[stream] == RIPSTOP_NONE) return;
  lose(e, &e->packet[g->own[stream]], RIPSTOP_LOST_SWITCH);
  free_packet(e, g->own[stream]);
  g->own[stream] = RIPSTOP_NONE;
}

/* ------------------------------------------------------------------ asking */

bool guests_hold_back(const engine *e, uint32_t stream) { return e->guests->own[stream] != RIPSTOP_NONE; }

uint32_t guests_resting(const engine *e, uint32_t stream) {
  const struct guests *g = e->guests;
  uint32_t count = g->at_head[stream] && is_waiting(&e->queue[stream]);
  for (uint32_t i = g->first[stream]; i != RIPSTOP_NONE; i = g->next[i]) count++;
  return count;
}

void guests_each(const engine *e, void (*act)(void *context, uint32_t packet_index), void *context) {
  const struct guests *g = e->guests;
  for (uint32_t stream = 0; stream < e->streams; stream++) {
    for (uint32_t i = g->first[stream]; i != RIPSTOP_NONE; i = g->next[i]) act(context, i);
    if (g->own[stream] != RIPSTOP_NONE) act(context, g->own[stream]);
  }
}
