/* live_deadlock.c - searches the buffers of a running simulation for deadlock. Exact; no time-outs.
 *
 * It computes the greatest set of stuck queues. It starts with all queues whose head waits and has candidates. It drops
 * a queue if a candidate of its head leads to an end node, to a queue that will have enough space once everything that
 * moves has moved, or to a queue outside the set; and repeats until nothing changes. The queues that remain can only
 * wait for each other, forever.
 *
 * An end node can never accept another in-transit packet when stuck in-transit packets in its NIC take all its space.
 *
 * While the protocol is busy, the engine does not search. A head that a quiet protocol stalls is stuck like the others:
 * the message that it waits for will never be sent.
 *
 * Space: a packet counts in its queue or while it travels there. Space whose credits still travel counts as free. With
 * output queues a stuck input queue waits for output queues, and an output queue for the next input queue. Packets in
 * output queues without a bound count as travelling.
 *
 * Cost: O(queues x candidates) per sweep. Few sweeps are needed, because the first one drops what moves. */
#include "simulate/live_deadlock.h"

#include <string.h>

#include "base/local.h"
#include "ripstop/plugin/method.h"
#include "simulate/bound_packets.h"
#include "simulate/change.h"
#include "simulate/onoff.h"
#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/pools.h"
#include "simulate/run_result.h"
#include "simulate/transit.h"

typedef struct search {
  run *r;
  uint8_t *stuck;     /* [queues] */
  uint8_t *out_stuck; /* [output VCs], with output queues */
  int32_t *incoming;  /* [queues]: units that travel to it */
} search;

/* Packets can wait in output queues forever. Those in queues without a bound have their space behind the link. */
static bool waits_in_out_queues(const run *r) { return r->part->out_queues && !r->part->out_queues->unlimited; }

static uint32_t queue_beyond(const run *r, uint32_t vc) {
  return queue_of_port(r->shape, r->fabric->peer[vc / r->shape->channels], vc % r->shape->channels);
}

static bool leads_to_end(const run *r, uint32_t port) {
  return is_interface(r->shape, r->fabric->port_node[r->fabric->peer[port]]);
}

/* Units of the packets that are in a queue or travel to it. */
static int32_t units_in_queue(const search *s, uint32_t index) {
  const run *r = s->r;
  const queue *q = &r->shape->queue[index];
  int32_t sum = s->incoming[index];
  packet_walk walk = {0};
  for (const sim_slot *slot; (slot = next_packet(r->part, q, &walk));)
    sum += units_of(r->shape, &r->part->packet[slot->packet]);
  return sum;
}

/* With a pool: stuck queues of the port keep what they have of it. */
static int32_t room_in_pool(const search *s, uint32_t index) {
  const shape *own = s->r->shape;
  const struct pools *p = own->pools;
  const uint32_t first = index - own->queue[index].channel;
  int32_t left = p->size + left_of_reserve(p, units_in_queue(s, index));
  for (uint32_t i = first; i < first + own->channels; i++)
    if (s->stuck[i]) left -= beyond_reserve(p, units_in_queue(s, i));
  return left;
}

/* Units of a stuck queue that will be free when all packets that can leave have left. */
static int32_t room_in_queue(const search *s, uint32_t index) {
  const run *r = s->r;
  if (r->shape->pools) return room_in_pool(s, index);
  const int32_t left = r->shape->capacity - units_in_queue(s, index);
  /* XON is sent only when xon units are free */
  const words *w = r->part->words;
  if (w && w->xoff_sent[index] && left < w->xon) return 0;
  return left;
}

static uint32_t end_beyond(const run *r, uint32_t vc) {
  return r->fabric->port_node[r->fabric->peer[vc / r->shape->channels]];
}

/* True if stuck in-transit packets take all the space of an end node. In-transit packets that travel to it can still
 * move. */
static bool transit_packets_stay(const search *s, uint32_t end) {
  const run *r = s->r;
  uint32_t staying = 0;
  for (uint32_t stream = end * r->shape->classes; stream < (end + 1) * r->shape->classes; stream++)
    if (s->stuck[stream]) staying += transit_packets_resting(r->part, stream);
  return staying >= transit_packets_room(r->part);
}

/* True if the queue behind an output VC can never accept the packet while the stuck queues stay. */
static bool is_shut(const search *s, uint32_t vc, const packet *p, uint32_t space) {
  const run *r = s->r;
  uint32_t next = queue_beyond(r, vc);
  return s->stuck[next] && room_in_queue(s, next) < units_needed(r->shape, p->flits, space);
}

/* The same for a candidate of this queue's head. */
static bool candidate_is_shut(const search *s, const queue *q, const bundle *candidate, uint32_t local) {
  const run *r = s->r;
  uint32_t vc = r->shape->node[q->node].port * r->shape->channels + local;
  const packet *p = head_of(r->part, q);
  if (waits_in_out_queues(r) && !is_interface(r->shape, q->node))
    return s->out_stuck[vc] && r->shape->room[vc] < units_of(r->shape, p);
  if (leads_to_end(r, vc / r->shape->channels))
    return r->part->transit_packets && is_transit_packet_candidate(r->part, q, port_of_vc(r->shape, local)) &&
           transit_packets_stay(s, end_beyond(r, vc));
  return is_shut(s, vc, p, candidate->space);
}

static bool head_is_stuck(const search *s, const queue *q) {
  for (const bundle *b = &q->candidates; b; b = b->next)
    for (uint64_t set = b->vcs; set; set &= set - 1)
      if (!candidate_is_shut(s, q, b, first_vc(b, set))) return false;
  return true;
}

/* A queue with lines is stuck if all their heads are. */
static bool queue_is_stuck(const search *s, uint32_t index) {
  const queue *q = &s->r->shape->queue[index];
  if (!has_lines(s->r->part, q)) return head_is_stuck(s, q);
  for (const line *own = lines_of(s->r->part, q); own; own = own->next)
    if (!head_is_stuck(s, &own->head)) return false;
  return true;
}

static bool head_waits(const queue *q) { return q->state == STALLED || (q->state == WAITING && any_candidate(q)); }

/* No packet of the queue is being sent or discarded. */
static bool queue_waits(const run *r, const queue *q) {
  if (!has_lines(r->part, q)) return head_waits(q);
  if (q->state != EMPTY || !lines_of(r->part, q)) return false;
  for (const line *own = lines_of(r->part, q); own; own = own->next)
    if (!head_waits(&own->head)) return false;
  return true;
}

/* The head of a queue that waits; with lines, the one that came first. */
static const queue *waiting_head(const run *r, const queue *q) {
  const line *first = has_lines(r->part, q) ? lines_of(r->part, q) : NULL;
  for (const line *own = first; own; own = own->next)
    if (line_arrived(r->part, own) < line_arrived(r->part, first)) first = own;
  return first ? &first->head : q;
}

/* End nodes accept every packet. */
static bool out_queue_is_stuck(const search *s, uint32_t vc) {
  const part *t = s->r->part;
  const packet *p = &t->packet[t->out_queues->queue[vc].first];
  return !p->truncated && !leads_to_end(s->r, vc / t->shape.channels) && is_shut(s, vc, p, 1);
}

static void add_incoming(void *run_, uint32_t cycle, const sim_event *ev) {
  (void)cycle;
  run *r = run_;
  if (event_kind_of(*ev) == ARRIVE) r->incoming[event_subject(*ev)] += units_of(r->shape, &r->part->packet[ev->detail]);
}

/* Packets in output queues without a bound have their space behind the link. */
static void add_reserved(run *r) {
  const out_queues *o = r->part->out_queues;
  if (!o || !o->unlimited) return;
  for (uint32_t vc = 0; vc < o->vcs; vc++)
    if (o->queue[vc].units && !leads_to_end(r, vc / r->shape->channels))
      r->incoming[queue_beyond(r, vc)] += o->queue[vc].units;
}

void count_incoming(run *r) {
  memset(r->incoming, 0, r->shape->queues * sizeof *r->incoming);
  add_reserved(r);
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    wheel_each(&r->part[i].wheel, r->part->now, UINT32_MAX, add_incoming, r);
  }
}

static uint32_t find_stuck(search *s) {
  run *r = s->r;
  const out_queues *o = r->part->out_queues;
  uint32_t vcs = waits_in_out_queues(r) ? o->vcs : 0, left = 0;
  for (uint32_t i = 0; i < r->shape->queues; i++) {
    left += s->stuck[i] = queue_waits(r, &r->shape->queue[i]);
  }
  for (uint32_t vc = 0; vc < vcs; vc++) s->out_stuck[vc] = o->queue[vc].waiting > 0 && !o->queue[vc].leaving;
  if (!left) return 0;
  count_incoming(r);
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (uint32_t i = 0; i < r->shape->queues; i++)
      if (s->stuck[i] && !queue_is_stuck(s, i)) {
        s->stuck[i] = 0;
        left--;
        dropped = true;
      }
    for (uint32_t vc = 0; vc < vcs; vc++)
      if (s->out_stuck[vc] && !out_queue_is_stuck(s, vc)) {
        s->out_stuck[vc] = 0;
        dropped = true;
      }
  }
  return left;
}

/* ------------------------------------------------------------------ witnesses */

static void print_queue(const run *r, ripstop_text *out, uint32_t index) {
  const queue *q = &r->shape->queue[index];
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(r->fabric, q->node, name);
  if (is_interface(r->shape, q->node))
    ripstop_text_add(out, "source %s class %u", name, q->number);
  else
    ripstop_text_add(out, "%s in-port %u channel %u", name, q->in_port, q->channel);
}

static void print_packet(const run *r, ripstop_text *out, const packet *p) {
  char from[RIPSTOP_NAME_MAX], to[RIPSTOP_NAME_MAX];
  ripstop_node_name(r->fabric, p->source, from);
  ripstop_node_name(r->fabric, p->destination, to);
  ripstop_text_add(out, "%s->%s", from, to);
}

/* A queue that this stuck queue waits for, perhaps through a stuck output queue. A queue that waits for in-transit
 * space waits for one of the NIC's queues with in-transit packets. */
static uint32_t waits_for(const search *s, uint32_t index) {
  const run *r = s->r;
  const queue *q = waiting_head(r, &r->shape->queue[index]);
  uint32_t vc = r->shape->node[q->node].port * r->shape->channels + first_vc(&q->candidates, q->candidates.vcs);
  if (!leads_to_end(r, vc / r->shape->channels)) return queue_beyond(r, vc);
  uint32_t stream = end_beyond(r, vc) * r->shape->classes;
  while (transit_packets_resting(r->part, stream) == 0) stream++;
  return stream;
}

static void print_cycle(search *s) {
  run *r = s->r;
  uint8_t *seen = RIPSTOP_ARRAY(r->arena, r->shape->queues, uint8_t);
  uint32_t at = 0, count = 0;
  while (!s->stuck[at] || is_interface(r->shape, r->shape->queue[at].node)) at++;
  while (!seen[at]) {
    seen[at] = 1;
    at = waits_for(s, at);
  }
  RIPSTOP_LOCAL_TEXT(text);
  for (uint32_t start = at, first = 1; first || at != start; first = 0, count++) {
    if (count) ripstop_text_add(&text, "; ");
    print_queue(r, &text, at);
    ripstop_text_add(&text, " holds ");
    print_packet(r, &text, head_of(r->part, waiting_head(r, &r->shape->queue[at])));
    ripstop_text_add(&text, ", waits for ");
    at = waits_for(s, at);
    print_queue(r, &text, at);
  }
  r->witness = ripstop_arena_text(r->arena, text.data);
}

/* The stalled head of a queue, or NULL. */
static const queue *stalled_head(const run *r, const queue *q) {
  const line *own = has_lines(r->part, q) ? lines_of(r->part, q) : NULL;
  while (own && own->head.state != STALLED) own = own->next;
  if (own) return &own->head;
  return q->state == STALLED ? q : NULL;
}

/* If a head is stalled, it becomes the witness; else false. */
static bool print_stalled(run *r) {
  uint32_t at = 0;
  while (at < r->shape->queues && !stalled_head(r, &r->shape->queue[at])) at++;
  if (at == r->shape->queues) return false;
  RIPSTOP_LOCAL_TEXT(text);
  print_queue(r, &text, at);
  ripstop_text_add(&text, " holds ");
  print_packet(r, &text, head_of(r->part, stalled_head(r, &r->shape->queue[at])));
  ripstop_text_add(&text, ", stalled by a protocol that has become quiet");
  r->witness = ripstop_arena_text(r->arena, text.data);
  return true;
}

bool find_deadlock(run *r) {
  if (r->part->bound) return bound_find_deadlock(r);
  size_t vcs = r->part->out_queues ? r->part->out_queues->vcs : 0;
  search s = {.r = r, .stuck = r->stuck, .out_stuck = r->out_stuck, .incoming = r->incoming};
  memset(s.stuck, 0, r->shape->queues * sizeof *s.stuck);
  memset(s.out_stuck, 0, vcs * sizeof *s.out_stuck);
  bool found = find_stuck(&s) > 0;
  if (found && !print_stalled(r)) print_cycle(&s);
  return found;
}

bool show_deadlock_packets(run *r) {
  for (uint32_t i = 0; i < CYCLE_HOOKS && r->part->hook.busy[i]; i++)
    if (r->part->hook.busy[i](r)) return false;
  return !changes_ahead(r) && find_deadlock(r);
}

void describe_loss(const part *t, const queue *q, const packet *p, first_loss *out) {
  const run *r = t->run;
  char at[RIPSTOP_NAME_MAX];
  ripstop_text text = {0};
  ripstop_node_name(r->fabric, q->node, at);
  ripstop_text_add(&text, "packet ");
  print_packet(r, &text, p);
  ripstop_text_add(&text, " at %s in cycle %u: %s", at, t->now,
                   r->plan->method->losses[loss_of(q) - RIPSTOP_LOST_METHOD]);
  snprintf(out->text, sizeof out->text, "%s", text.data);
  ripstop_text_free(&text);
  out->cycle = t->now;
  out->queue = index_of(&t->shape, q);
}
