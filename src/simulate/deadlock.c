/* deadlock.c - is there a deadlock in the live buffers? Exact, never by time-out.
 *
 * The greatest set of stuck queues: start from all queues whose head waits and has ways. A queue is not stuck when one
 * of its head's ways leads to an end node, or to a queue that has enough room for it once all that moves has moved, or
 * to a queue that is not stuck; drop such queues until none is left to drop. What remains can only wait for itself, for
 * ever.
 *
 * An end node has no room for one more guest for ever when guests that are stuck in its interface take all of it.
 *
 * Nobody searches while the protocol is busy. A head that a silent protocol holds is stuck like the others: it waits
 * for a message that nobody will send.
 *
 * Room counts what is in a queue or on its way into it. Space that is still being reported to the sender counts
 * as room. With output queues a stuck input queue waits for output queues, and an output queue for the next input
 * queue.
 *
 * Cost: O(queues x ways) per sweep; few sweeps are needed, since what moves is dropped in the first. */
#include <string.h>

#include "ripstop/plugin/method.h"
#include "simulate/guests.h"
#include "simulate/state.h"

typedef struct search {
  engine *e;
  uint8_t *stuck;     /* [queues] */
  uint8_t *out_stuck; /* [lanes], with output queues */
  int32_t *incoming;  /* [queues]: units on their way */
} search;

static uint32_t queue_beyond(const engine *e, uint32_t lane) {
  return queue_of_port(e, e->fabric->peer[lane / e->channels], lane % e->channels);
}

static bool leads_to_end(const engine *e, uint32_t port) {
  return is_interface(e, e->fabric->port_node[e->fabric->peer[port]]);
}

/* Units of a queue that nothing holds but packets that stay. */
static int32_t room_in_queue(const search *s, uint32_t index) {
  const engine *e = s->e;
  const queue *q = &e->queue[index];
  int32_t left = e->capacity - s->incoming[index];
  for (uint32_t i = 0; i < q->length; i++) {
    uint32_t at = q->head + i;
    if (at >= e->ring) at -= e->ring;
    left -= units_of(e, &e->packet[e->slot[q->slot + at].packet]);
  }
  /* XON comes back only when xon units are free */
  if (!e->credits && e->told_off[index] && left < e->xon) return 0;
  return left;
}

static int32_t room_in_out_queue(const engine *e, uint32_t lane) { return e->out_space[lane]; }

static int32_t units_needed(const engine *e, const packet *p, uint32_t space) {
  return units_of(e, p) + (space > 1 ? (e->unit_flits ? (int32_t)e->longest : 1) * (int32_t)(space - 1) : 0);
}

static uint32_t end_beyond(const engine *e, uint32_t lane) {
  return e->fabric->port_node[e->fabric->peer[lane / e->channels]];
}

/* Whether stuck guests take all the room of an end node. Those on their way to it still move. */
static bool guests_stay(const search *s, uint32_t end) {
  const engine *e = s->e;
  uint32_t staying = 0;
  for (uint32_t stream = end * e->classes; stream < (end + 1) * e->classes; stream++)
    if (s->stuck[stream]) staying += guests_resting(e, stream);
  return staying >= guests_room(e);
}

/* Whether the queue that a lane leads to can never take the packet while the stuck stay. */
static bool shut(const search *s, uint32_t lane, const packet *p, uint32_t space, bool crossbar) {
  const engine *e = s->e;
  if (crossbar) return s->out_stuck[lane] && room_in_out_queue(e, lane) < units_of(e, p);
  if (leads_to_end(e, lane / e->channels)) return space == GUEST && guests_stay(s, end_beyond(e, lane));
  uint32_t next = queue_beyond(e, lane);
  return s->stuck[next] && room_in_queue(s, next) < units_needed(e, p, space);
}

static bool queue_is_stuck(const search *s, uint32_t index) {
  const engine *e = s->e;
  const queue *q = &e->queue[index];
  const ripstop_way *way = &e->way[(size_t)index * e->ways_max];
  const packet *p = head_of(e, q);
  if (q->state == HELD) return true;
  bool crossbar = e->out_queues && !is_interface(e, q->node);
  for (uint32_t i = 0; i < q->ways; i++) {
    uint32_t lane = (e->node[q->node].port + way[i].port) * e->channels + way[i].channel;
    if (!shut(s, lane, p, way[i].space, crossbar)) return false;
  }
  return true;
}

static bool out_queue_is_stuck(const search *s, uint32_t lane) {
  const engine *e = s->e;
  const out_queue *o = &e->out_queue[lane];
  const packet *p = &e->packet[e->out_slot[o->slot + o->head].packet & ~OUT_DISCARDED];
  return !p->truncated && shut(s, lane, p, 1, false);
}

void count_incoming(engine *e) {
  const wheel *w = &e->wheel;
  memset(e->incoming, 0, e->queues * sizeof *e->incoming);
  for (uint32_t b = 0; b <= w->mask; b++)
    for (uint32_t index = w->bucket[b]; index != RIPSTOP_NONE; index = w->chunk[index].next)
      for (uint32_t i = 0; i < w->chunk[index].count; i++) {
        const sim_event *ev = &w->chunk[index].event[i];
        if ((event_kind)ev->kind == ARRIVE) e->incoming[ev->subject] += units_of(e, &e->packet[ev->detail]);
      }
}

static uint32_t find_stuck(search *s) {
  engine *e = s->e;
  uint32_t lanes = e->out_queues ? e->fabric->ports * e->channels : 0, left = 0;
  for (uint32_t i = 0; i < e->queues; i++) {
    const queue *q = &e->queue[i];
    left += s->stuck[i] = q->state == HELD || (q->state == WAITING && q->ways > 0);
  }
  for (uint32_t lane = 0; lane < lanes; lane++)
    s->out_stuck[lane] = e->out_queue[lane].length > 0 && !e->out_queue[lane].leaving;
  if (!left) return 0;
  count_incoming(e);
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (uint32_t i = 0; i < e->queues; i++)
      if (s->stuck[i] && !queue_is_stuck(s, i)) {
        s->stuck[i] = 0;
        left--;
        dropped = true;
      }
    for (uint32_t lane = 0; lane < lanes; lane++)
      if (s->out_stuck[lane] && !out_queue_is_stuck(s, lane)) {
        s->out_stuck[lane] = 0;
        dropped = true;
      }
  }
  return left;
}

/* ------------------------------------------------------------------ for people */

static void print_queue(const engine *e, ripstop_text *out, uint32_t index) {
  const queue *q = &e->queue[index];
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(e->fabric, q->node, name);
  if (is_interface(e, q->node))
    ripstop_text_add(out, "source %s class %u", name, q->number);
  else
    ripstop_text_add(out, "%s in-port %u channel %u", name, q->in_port, q->channel);
}

static void print_packet(const engine *e, ripstop_text *out, const packet *p) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(e->fabric, p->source, from);
  ripstop_node_name(e->fabric, p->destination, to);
  ripstop_text_add(out, "%s->%s", from, to);
}

/* A queue that this stuck queue waits for; through an output queue that is stuck too. For room among guests it waits
 * for one of theirs. */
static uint32_t waits_for(const search *s, uint32_t index) {
  const engine *e = s->e;
  const queue *q = &e->queue[index];
  const ripstop_way *way = &e->way[(size_t)index * e->ways_max];
  uint32_t lane = (e->node[q->node].port + way->port) * e->channels + way->channel;
  if (!leads_to_end(e, lane / e->channels)) return queue_beyond(e, lane);
  uint32_t stream = end_beyond(e, lane) * e->classes;
  while (guests_resting(e, stream) == 0) stream++;
  return stream;
}

static void print_cycle(search *s) {
  engine *e = s->e;
  uint8_t *seen = RIPSTOP_ARRAY(e->arena, e->queues, uint8_t);
  uint32_t at = 0, count = 0;
  while (!s->stuck[at] || is_interface(e, e->queue[at].node)) at++;
  while (!seen[at]) {
    seen[at] = 1;
    at = waits_for(s, at);
  }
  ripstop_text text = {0};
  for (uint32_t start = at, first = 1; first || at != start; first = 0, count++) {
    if (count) ripstop_text_add(&text, "; ");
    print_queue(e, &text, at);
    ripstop_text_add(&text, " holds ");
    print_packet(e, &text, head_of(e, &e->queue[at]));
    ripstop_text_add(&text, ", waits for ");
    at = waits_for(s, at);
    print_queue(e, &text, at);
  }
  e->witness = ripstop_arena_text(e->arena, text.data);
  ripstop_text_free(&text);
}

/* Whether a head is held; then it is the witness. */
static bool print_held(engine *e) {
  uint32_t at = 0;
  while (at < e->queues && e->queue[at].state != HELD) at++;
  if (at == e->queues) return false;
  ripstop_text text = {0};
  print_queue(e, &text, at);
  ripstop_text_add(&text, " holds ");
  print_packet(e, &text, head_of(e, &e->queue[at]));
  ripstop_text_add(&text, ", kept back by a protocol that has fallen silent");
  e->witness = ripstop_arena_text(e->arena, text.data);
  ripstop_text_free(&text);
  return true;
}

bool find_deadlock(engine *e) {
  size_t lanes = e->out_queues ? (size_t)e->fabric->ports * e->channels : 0;
  search s = {.e = e, .stuck = e->stuck, .out_stuck = e->out_stuck, .incoming = e->incoming};
  memset(s.stuck, 0, e->queues * sizeof *s.stuck);
  memset(s.out_stuck, 0, lanes * sizeof *s.out_stuck);
  bool found = find_stuck(&s) > 0;
  if (found && !print_held(e)) print_cycle(&s);
  return found;
}

void describe_loss(engine *e, const queue *q) {
  char at[RIPSTOP_NAME_MAX];
  ripstop_text text = {0};
  ripstop_node_name(e->fabric, q->node, at);
  ripstop_text_add(&text, "packet ");
  print_packet(e, &text, head_of(e, q));
  ripstop_text_add(&text, " at %s in cycle %u: %s", at, e->now, e->plan->method->losses[q->loss - RIPSTOP_LOST_METHOD]);
  snprintf(e->loss_text, sizeof e->loss_text, "%s", text.data);
  e->witness = e->loss_text;
  ripstop_text_free(&text);
}
