/* inband.c - messages of a protocol that travel as packets of virtual channel 0 and share its queues with data packets.
 *
 * A message is a control packet from the FIFO of an output port to the control module of the next switch. Its packet
 * row is truncated from the start, so no measurement, loss or search counts it. The row's header is the message, and
 * its source is RIPSTOP_NONE.
 *
 * The FIFO of a port is an input queue of its switch that no link feeds: queue `channels` of the port. It holds the
 * first message only; the others wait in a list. Its head has one candidate, virtual channel 0 of that port, or is
 * STALLED. In the next switch the packet waits in the queue of virtual channel 0 without candidates, like any truncated
 * packet, so that the switch discards it; then the module takes it in.
 *
 * Invariants: a module takes in one packet at a time. A control packet that waits for a free module is WAITING and
 * listed, and the end of each discard at its switch marks it dirty. All rows come from one list, so the run has one
 * part. */
#include "simulate/inband.h"

#include "ripstop/plugin/method.h"
#include "simulate/control.h"
#include "simulate/core.h"

struct inband {
  ripstop_event_queue *event_queue;
  uint32_t *first, *last; /* [ports]: messages behind the FIFO's head; RIPSTOP_NONE: none */
  uint32_t *busy;         /* [nodes]: the module is busy until this cycle */
  size_t waiting;         /* messages in the lists */
  size_t under_way;       /* these, and messages in packets that no module has taken in */
};

static queue *fifo_of(const part *t, uint32_t port) {
  return &t->shape.queue[queue_of_port(&t->shape, port, t->shape.channels)];
}

/* ------------------------------------------------------------------ the FIFOs */

/* Moves the first message of the list into the FIFO. */
static void fill(part *t, uint32_t port) {
  struct inband *in = t->run->inband;
  queue *q = fifo_of(t, port);
  uint32_t message = in->first[port];
  if (q->state != EMPTY || message == RIPSTOP_NONE) return;
  in->first[port] = in->event_queue->envelope[message].next;
  in->waiting--;
  uint32_t index = take_packet(t);
  t->packet[index] = (packet){.header = message,
                              .source = RIPSTOP_NONE,
                              .truncated = 1,
                              .generated_at = t->now,
                              .injected = t->now,
                              .flits = (uint16_t)t->run->plan->control_flits};
  push(t, q, index, t->now);
}

void inband_send(run *r, uint32_t port, uint32_t message) {
  struct inband *in = r->inband;
  in->event_queue->envelope[message].next = RIPSTOP_NONE;
  if (in->first[port] == RIPSTOP_NONE)
    in->first[port] = message;
  else
    in->event_queue->envelope[in->last[port]].next = message;
  in->last[port] = message;
  in->waiting++;
  in->under_way++;
  fill(r->part, port);
}

static void fill_node(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  if (t->run->inband->waiting == 0 || is_interface(&t->shape, v)) return;
  for (uint32_t port = n->port; port < n->port + n->ports; port++) fill(t, port);
}

/* Drops a head that has no grant yet. */
static void lose_head(part *t, queue *q) {
  if (!is_waiting(q)) return;
  uint32_t index = t->shape.slot[q->slot + q->head].packet;
  ripstop_event_queue_drop(t->run->inband->event_queue, (uint32_t)t->packet[index].header);
  t->run->inband->under_way--;
  free_packet(t, index);
  drop_candidates(t, q);
  if (++q->head == t->shape.ring) q->head = 0;
  q->length = 0;
  q->state = EMPTY;
}

void inband_lose(run *r, uint32_t port) {
  struct inband *in = r->inband;
  if (is_interface(r->shape, r->fabric->port_node[port])) return;
  for (uint32_t message = in->first[port]; message != RIPSTOP_NONE; in->waiting--, in->under_way--) {
    uint32_t next = in->event_queue->envelope[message].next;
    ripstop_event_queue_drop(in->event_queue, message);
    message = next;
  }
  in->first[port] = RIPSTOP_NONE;
  lose_head(r->part, fifo_of(r->part, port));
}

/* Gives the head of a FIFO its candidate. A control packet in another queue has none, because it is for the module. */
static void offer(part *t, queue *q) {
  const run *r = t->run;
  if (q->channel < t->shape.channels) return;
  uint32_t vc = q->in_port * t->shape.channels;
  uint8_t space = r->plan->method->proto->control_space(r->plan, control_states(r)[q->node], q->in_port);
  if (space == 0) {
    q->state = STALLED;
    return;
  }
  q->candidates = (bundle){.vcs = bit(vc), .header = head_of(t, q)->header, .word = vc / 64, .space = space & 3};
}

/* control_first: grants the FIFOs of a switch, each on the link of its own port. */
static void send_first(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  if (t->run->inband->under_way == 0 || is_interface(&t->shape, v)) return;
  for (uint32_t port = n->port; port < n->port + n->ports; port++) grant_at_once(t, fifo_of(t, port));
}

/* ------------------------------------------------------------------ control modules */

/* The head is a control packet that the module could take in. */
static bool may_be_taken(const part *t, const sim_node *n, const queue *q) {
  return q->state == WAITING && !any_candidate(q) && is_control(head_of(t, q)) &&
         !(busy_queues(n)[q->number / 64] & bit(q->number));
}

static bool goes_before(const part *t, const queue *q, const queue *other) {
  uint32_t came = slot_of(&t->shape, q, 0)->arrived, there = slot_of(&t->shape, other, 0)->arrived;
  switch (t->run->plan->control_order) {
  case RIPSTOP_CONTROL_ARRIVAL:
    return came < there;
  case RIPSTOP_CONTROL_NEWEST:
    return came > there;
  default: /* RIPSTOP_CONTROL_PORT: the lower queue first */
    return false;
  }
}

/* Among equals, the lowest queue. */
static const queue *next_for_module(const part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  const queue *next = NULL;
  for (const queue *q = &t->shape.queue[n->queue]; q < &t->shape.queue[n->queue + n->queues]; q++)
    if (may_be_taken(t, n, q) && (!next || goes_before(t, q, next))) next = q;
  return next;
}

/* The module takes in the head, one flit per cycle. Then the switch handles the message. */
static bool take_in(part *t, queue *q) {
  struct inband *in = t->run->inband;
  const packet *p = head_of(t, q);
  if (!is_control(p)) return true;
  if (in->busy[q->node] > t->now || next_for_module(t, q->node) != q) return false;
  in->busy[q->node] = t->now + p->flits;
  in->under_way--;
  t->measure.hops--; /* only links of data packets count */
  uint32_t port = t->shape.node[q->node].port + q->in_port;
  control_taken_in(t, t->shape.fabric->peer[port], (uint32_t)p->header, (uint64_t)t->now + p->flits);
  return true;
}

/* The module may have become free. */
static void wake_waiting(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  if (is_interface(&t->shape, v)) return;
  for (uint32_t i = 0; i < n->queues; i++)
    if (may_be_taken(t, n, &t->shape.queue[n->queue + i])) wake_queue(t, &t->shape.queue[n->queue + i]);
}

/* ------------------------------------------------------------------ the run */

size_t inband_pending(const run *r) { return r->inband ? r->inband->under_way : 0; }

int inband_open(run *r, ripstop_event_queue *event_queue, ripstop_error *err) {
  if (r->plan->control_flits == 0) return 0;
  if (!r->plan->method->proto->control_space)
    return ripstop_fail(err,
                        "method %s: its plan has control packets (control_flits), but its protocol lacks control_space",
                        r->plan->method->name);
  struct inband *in = r->inband = RIPSTOP_NEW(r->arena, struct inband);
  in->event_queue = event_queue;
  in->first = RIPSTOP_ARRAY(r->arena, r->fabric->ports, uint32_t);
  in->last = RIPSTOP_ARRAY(r->arena, r->fabric->ports, uint32_t);
  in->busy = RIPSTOP_ARRAY(r->arena, r->fabric->nodes, uint32_t);
  for (uint32_t port = 0; port < r->fabric->ports; port++) in->first[port] = RIPSTOP_NONE;
  hooks *hook = &r->part->hook;
  hook->remnant = offer;
  hook->discarding = take_in;
  hook->vanished = wake_waiting;
  hook->output_freed = fill_node;
  hook->deciding = r->plan->control_first ? send_first : NULL;
  return 0;
}
