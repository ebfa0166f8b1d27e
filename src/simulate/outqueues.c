/* outqueues.c - queues between crossbar and link.
 *
 * Invariant: if a port has a packet that its link could take, the port is dirty, or its link is busy, or the packet
 * waits for space and the event that ends the wait marks the port (link_woken). */
#include "simulate/outqueues.h"

#include "simulate/core.h"
#include "simulate/slow.h"

/* ------------------------------------------------------------------ entering and leaving */

static void mark_link(part *t, uint32_t port) {
  t->out_queues->link_dirty[port] = 1;
  wake_node(t, t->shape.output[port].node);
}

/* The packet can be sent from the next cycle on. */
static void enter(part *t, uint32_t vc, uint32_t packet_index) {
  out_queues *o = t->out_queues;
  out_queue *q = &o->queue[vc];
  uint32_t at = q->head + q->length;
  if (at >= o->slots) at -= o->slots;
  o->slot[q->slot + at] = (sim_slot){.packet = packet_index, .arrived = t->now};
  q->length++;
  t->shape.room[vc] -= units_of(&t->shape, &t->packet[packet_index]);
  mark_link(t, vc / t->shape.channels);
}

static void on_out_leave(part *t, uint32_t vc, uint32_t detail) {
  (void)detail;
  out_queues *o = t->out_queues;
  out_queue *q = &o->queue[vc];
  const output *out = &t->shape.output[vc / t->shape.channels];
  t->shape.room[vc] += units(&t->shape, q->flits);
  if (q->discarded) free_packet(t, *out_slot(o, vc, 0));
  if (++q->head == o->slots) q->head = 0;
  q->length--;
  q->leaving = q->discarded = false;
  wake_output(t, out);
  mark_link(t, vc / t->shape.channels);
}

/* ------------------------------------------------------------------ links */

/* The caller posts OUT_LEAVE. */
static void begin_leaving(part *t, uint32_t vc, uint16_t flits, uint32_t cycles, bool discarded) {
  out_queues *o = t->out_queues;
  o->queue[vc].flits = flits;
  o->queue[vc].leaving = true;
  o->queue[vc].discarded = discarded;
  o->link_busy[vc / t->shape.channels] = t->now + cycles;
}

static void leave(part *t, uint32_t vc, uint16_t flits, bool discarded) {
  begin_leaving(t, vc, flits, flits, discarded);
  post(t, t->now + flits, OUT_LEAVE, vc, 0);
}

static void leave_slowly(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint16_t flits) {
  const uint32_t vc = port * t->shape.channels + channel, cycles = slow_cycles(&t->shape, port, flits);
  begin_leaving(t, vc, flits, cycles, false);
  post_distant(t, t->now + cycles, OUT_LEAVE, vc, 0);
  send_slowly(t, port, channel, packet_index, cycles - flits);
}

/* The first packet of an output VC, if it may leave in this cycle, else NULL. */
static const packet *first_ready(const part *t, uint32_t vc) {
  const out_queues *o = t->out_queues;
  const out_queue *q = &o->queue[vc];
  if (q->length == 0 || q->leaving || o->slot[q->slot + q->head].arrived >= t->now) return NULL;
  return &t->packet[*out_slot(o, vc, 0)];
}

/* Puts the first packet of one of the port's virtual channels on the link; truncated packets first. */
static void serve_link(part *t, uint32_t port) {
  const shape *s = &t->shape;
  out_queues *o = t->out_queues;
  static const uint64_t none;
  uint64_t request = 0;
  uint32_t first_vc_of_port = port * s->channels;
  if (o->link_busy[port] > t->now) return;
  for (uint32_t c = 0; c < s->channels; c++) {
    const packet *p = first_ready(t, first_vc_of_port + c);
    if (p && p->truncated) {
      leave(t, first_vc_of_port + c, p->flits, true);
      return;
    }
    if (!p || s->space[first_vc_of_port + c] < units_of(s, p)) continue;
    request |= bit(c);
    t->request_channel[c] = (uint8_t)c;
    t->request_flits[c] = p->flits;
  }
  if (!request) return;
  ripstop_requests requests = {
      .bits = &request, .words = 1, .channel = t->request_channel, .flits = t->request_flits, .enters = &none};
  uint32_t c = s->arbiter->pick(s->arbiter_config, o->link_state + (size_t)port * s->arbiter_bytes, &requests);
  uint32_t packet_index = *out_slot(o, first_vc_of_port + c, 0);
  uint16_t flits = t->packet[packet_index].flits;
  if (SELDOM(s->rate)) {
    leave_slowly(t, port, c, packet_index, flits);
    return;
  }
  leave(t, first_vc_of_port + c, flits, false);
  send_packet(t, port, c, packet_index);
}

static bool entered_now(const part *t, uint32_t vc) {
  const out_queues *o = t->out_queues;
  const out_queue *q = &o->queue[vc];
  return q->length && !q->leaving && o->slot[q->slot + q->head].arrived == t->now;
}

static void serve_links(part *t, const sim_node *n) {
  out_queues *o = t->out_queues;
  for (uint32_t port = n->port; port < n->port + n->ports; port++) {
    if (!o->link_dirty[port]) continue;
    bool again = false;
    for (uint32_t c = 0; c < t->shape.channels; c++) again |= entered_now(t, port * t->shape.channels + c);
    o->link_dirty[port] = again;
    serve_link(t, port);
  }
}

/* ------------------------------------------------------------------ for other features */

void out_queues_lose(part *t, uint32_t port, uint32_t cause) {
  const out_queues *o = t->out_queues;
  if (!o || is_interface(&t->shape, t->shape.output[port].node)) return;
  for (uint32_t vc = port * t->shape.channels; vc < (port + 1) * t->shape.channels; vc++)
    for (uint32_t i = o->queue[vc].leaving; i < o->queue[vc].length; i++)
      lose(t, &t->packet[*out_slot(o, vc, i)], t->shape.output[port].node, cause);
}

void out_queues_wake(run *r) {
  const ripstop_fabric *f = r->fabric;
  for (uint32_t port = f->ends; r->part->out_queues && port < f->ports; port++)
    mark_link(part_of(r, f->port_node[port]), port);
}

uint32_t *link_busy(part *t, uint32_t port) {
  return t->out_queues ? &t->out_queues->link_busy[port] : &t->shape.output[port].busy;
}

static void take_hooks(hooks *hook) {
  hook->granted = enter;
  hook->link_woken = mark_link;
  hook->decided = serve_links;
  hook->event[OUT_LEAVE - FEATURE_EVENTS] = on_out_leave;
}

int out_queues_open(run *r, ripstop_error *err) {
  (void)err;
  const ripstop_switch_config *config = &r->config->switch_;
  part *t = r->part;
  const shape *s = &t->shape;
  if (config->out_queue == 0) return 0;
  out_queues *o = t->out_queues = RIPSTOP_NEW(r->arena, out_queues);
  o->capacity = (int32_t)config->out_queue;
  o->slots = (uint16_t)(s->unit_flits ? (uint32_t)o->capacity / s->shortest : (uint32_t)o->capacity);
  o->vcs = s->fabric->ports * s->channels;
  o->queue = RIPSTOP_ARRAY(r->arena, o->vcs, out_queue);
  o->slot = RIPSTOP_ARRAY(r->arena, (size_t)o->vcs * o->slots, sim_slot);
  t->shape.room = RIPSTOP_ARRAY(r->arena, o->vcs, int32_t);
  t->shape.room_capacity = o->capacity;
  o->link_busy = RIPSTOP_ARRAY(r->arena, s->fabric->ports, uint32_t);
  o->link_dirty = RIPSTOP_ARRAY(r->arena, s->fabric->ports, uint8_t);
  o->link_state = new_arbiter_states(r->arena, s);
  for (uint32_t vc = 0; vc < o->vcs; vc++) {
    o->queue[vc].slot = vc * o->slots;
    t->shape.room[vc] = o->capacity;
  }
  for (uint32_t v = s->ends; v < s->fabric->nodes; v++) s->node[v].room = &s->room[s->node[v].port * s->channels];
  take_hooks(&t->hook);
  return 0;
}
