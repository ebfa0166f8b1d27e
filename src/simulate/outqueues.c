/* outqueues.c - queues between crossbar and link.
 *
 * A link is tried only when something may have changed: a packet can be sent for the first time, the link becomes free,
 * or there is space behind it. A link that is busy, or has no packet, is not tried.
 *
 * A packet that enters a queue without a bound takes its space behind the link at once (`reserve`), as it does without
 * output queues. So these queues never hold more packets than fit behind their links, and heads wait for the same space
 * as without them.
 *
 * Invariant: if a port has a packet that its link could take, the port is in its node's set `dirty`, or in `entered`
 * (the packet entered in this cycle, into a queue with a bound), or its link is busy, or the packet waits for space and
 * the event that ends the wait marks the port (link_woken). A node with a member of either set is awake. */
#include "simulate/outqueues.h"

#include "simulate/arbiters/requests.h"
#include "simulate/core.h"
#include "simulate/parts.h"
#include "simulate/pools.h"
#include "simulate/slow.h"

/* ------------------------------------------------------------------ entering and leaving */

static inline void add_port(const part *t, uint64_t *set, const output *out) {
  set[(size_t)out->node * t->out_queues->words + out->local / 64] |= bit(out->local);
}

/* Something has changed for the link of a port. The end of a packet on it marks it too. */
static void mark_link(part *t, uint32_t port) {
  const out_link *link = &t->out_queues->link[port];
  const output *out = &t->shape.output[port];
  if (!link->waiting || link->busy > t->now) return;
  add_port(t, t->out_queues->dirty, out);
  wake_node(t, out->node);
}

/* Takes space behind a link before the link takes the packet; gives it back with units below 0. */
static void reserve(const part *t, uint32_t vc, int32_t units) {
  const shape *s = &t->shape;
  const uint32_t port = port_of_vc(s, vc);
  if (s->output[port].to_end) return;
  s->space[vc] -= units;
  if (s->pools) pools_note(s, port, vc - port * s->channels, units);
}

/* The packet can be sent from the next cycle on; from a queue without a bound at once, in the decisions that follow. */
static void enter(part *t, uint32_t vc, uint32_t packet_index) {
  out_queues *o = t->out_queues;
  out_queue *q = &o->queue[vc];
  const uint32_t port = port_of_vc(&t->shape, vc);
  const output *out = &t->shape.output[port];
  out_link *link = &o->link[port];
  *(q->waiting++ ? &o->packet[q->last].next : &q->first) = packet_index;
  q->last = packet_index;
  const int32_t taken = units_of(&t->shape, &t->packet[packet_index]);
  o->packet[packet_index].entered = t->now;
  q->units += taken;
  link->waiting |= 1u << (vc - port * t->shape.channels);
  if (!o->unlimited) t->shape.room[vc] -= taken;
  if (o->unlimited) {
    reserve(t, vc, taken);
    add_port(t, o->dirty, out);
    return;
  }
  if (link->busy > t->now + 1) return;
  add_port(t, o->entered, out);
  wake_node(t, out->node);
}

/* There is space behind the link of a port whose queues have no bound. */
static void reopen(part *t, uint32_t port) { wake_output(t, &t->shape.output[port]); }

/* Heads that waited for the crossbar's output alone are woken when that becomes free. */
static void on_out_leave(part *t, uint32_t vc, uint32_t detail) {
  (void)detail;
  const shape *s = &t->shape;
  out_queues *o = t->out_queues;
  out_queue *q = &o->queue[vc];
  const uint32_t port = port_of_vc(s, vc);
  const int32_t before = s->room[vc];
  if (!o->unlimited) s->room[vc] = before + units(s, q->flits);
  if (q->discarded) free_packet(t, q->carried);
  q->leaving = q->discarded = false;
  if (q->waiting) o->link[port].waiting |= 1u << (vc - port * s->channels);
  if (!o->unlimited && before < units(s, s->longest)) wake_output(t, &s->output[port]);
  mark_link(t, port);
  if (SELDOM(t->hook.output_freed)) t->hook.output_freed(t, s->output[port].node);
}

/* ------------------------------------------------------------------ links */

/* The caller posts OUT_LEAVE. */
static inline void begin_leaving(part *t, uint32_t port, uint32_t channel, uint16_t flits, uint32_t cycles,
                                 bool discarded) {
  out_queue *q = &t->out_queues->queue[port * t->shape.channels + channel];
  out_link *link = &t->out_queues->link[port];
  q->carried = q->first;
  q->first = t->out_queues->packet[q->first].next;
  q->waiting--;
  q->units -= units(&t->shape, flits);
  q->flits = flits;
  q->leaving = true;
  q->discarded = discarded;
  link->busy = t->now + cycles;
  link->waiting &= ~(1u << channel);
}

static inline void leave(part *t, uint32_t port, uint32_t channel, uint16_t flits, bool discarded) {
  begin_leaving(t, port, channel, flits, flits, discarded);
  post(t, t->now + flits, OUT_LEAVE, port * t->shape.channels + channel, 0);
}

static void leave_slowly(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint16_t flits) {
  const uint32_t cycles = slow_cycles(&t->shape, port, flits);
  begin_leaving(t, port, channel, flits, cycles, false);
  post_distant(t, t->now + cycles, OUT_LEAVE, port * t->shape.channels + channel, 0);
  send_slowly(t, port, channel, packet_index, cycles - flits);
}

/* One of the virtual channels that request the link of a port. */
static inline uint32_t pick_channel(part *t, uint32_t port, uint64_t request) {
  const shape *s = &t->shape;
  static const uint64_t none;
  ripstop_requests requests = {
      .bits = &request, .words = 1, .channel = t->request_channel, .flits = t->request_flits, .enters = &none};
  void *state = t->out_queues->link_state + (size_t)port * s->arbiter_bytes;
  if (SELDOM(!s->turns)) return s->arbiter->pick(s->arbiter_config, state, &requests);
  uint32_t *turn = state, winner = ripstop_request_at_or_after(&requests, *turn);
  *turn = winner + 1;
  return winner;
}

/* Puts the first packet of one of the port's virtual channels on the link; truncated packets first. */
static void serve_link(part *t, uint32_t port) {
  const shape *s = &t->shape;
  const out_queues *o = t->out_queues;
  const out_link *link = &o->link[port];
  const uint32_t first = port * s->channels;
  uint64_t request = 0;
  if (link->busy > t->now) return;
  for (uint32_t set = link->waiting; set; set &= set - 1) {
    const uint32_t c = (uint32_t)__builtin_ctz(set);
    const uint32_t index = o->queue[first + c].first;
    if (o->packet[index].entered >= t->now && !o->unlimited) continue;
    const packet *p = &t->packet[index];
    if (SELDOM(p->truncated)) {
      if (o->unlimited) reserve(t, first + c, -units_of(s, p));
      leave(t, port, c, p->flits, true);
      if (o->unlimited) reopen(t, port);
      return;
    }
    if (!o->unlimited && s->space[first + c] < units_of(s, p)) continue;
    request |= bit(c);
    if (USUALLY(!s->weighs)) continue;
    t->request_channel[c] = s->channel_of_plan[c];
    t->request_flits[c] = p->flits;
  }
  if (!request) return;
  const uint32_t c = pick_channel(t, port, request), packet_index = o->queue[first + c].first;
  const uint16_t flits = t->packet[packet_index].flits;
  if (o->unlimited) reserve(t, first + c, -units(s, flits)); /* sending takes it again */
  if (SELDOM(s->rate)) {
    leave_slowly(t, port, c, packet_index, flits);
    return;
  }
  leave(t, port, c, flits, false);
  send_packet(t, port, c, packet_index);
}

static void serve_links(part *t, const sim_node *n) {
  const out_queues *o = t->out_queues;
  const size_t first = (size_t)(n - t->shape.node) * o->words;
  for (uint32_t w = 0; w < o->words; w++) {
    uint64_t set = o->dirty[first + w];
    o->dirty[first + w] = o->entered[first + w];
    o->entered[first + w] = 0;
    for (; set; set &= set - 1) serve_link(t, n->port + 64 * w + (uint32_t)__builtin_ctzll(set));
  }
}

/* ------------------------------------------------------------------ for other features */

void out_queues_lose(part *t, uint32_t port, uint32_t cause) {
  const out_queues *o = t->out_queues;
  if (!o || is_interface(&t->shape, t->shape.output[port].node)) return;
  for (uint32_t vc = port * t->shape.channels; vc < (port + 1) * t->shape.channels; vc++) {
    uint32_t index = o->queue[vc].first;
    for (uint32_t i = 0; i < o->queue[vc].waiting; i++, index = o->packet[index].next)
      lose(t, &t->packet[index], t->shape.output[port].node, cause);
  }
}

int64_t out_queues_waiting(const part *t, uint32_t port) {
  const shape *s = &t->shape;
  const out_queues *o = t->out_queues;
  int64_t sum = 0;
  if (!o || is_interface(s, s->output[port].node)) return 0;
  for (uint32_t vc = port * s->channels; vc < (port + 1) * s->channels; vc++) sum += o->queue[vc].units;
  return sum;
}

int64_t out_queues_length(const part *t, uint32_t port) {
  const shape *s = &t->shape;
  const out_queues *o = t->out_queues;
  int64_t sum = out_queues_waiting(t, port);
  if (!o || is_interface(s, s->output[port].node)) return 0;
  for (uint32_t vc = port * s->channels; vc < (port + 1) * s->channels; vc++)
    sum += o->queue[vc].leaving ? units(s, o->queue[vc].flits) : 0;
  return sum;
}

void out_queues_wake(run *r) {
  const ripstop_fabric *f = r->fabric;
  for (uint32_t port = f->ends; r->part->out_queues && port < f->ports; port++)
    mark_link(part_of(r, f->port_node[port]), port);
}

uint32_t *link_busy(part *t, uint32_t port) {
  return t->out_queues ? &t->out_queues->link[port].busy : &t->shape.output[port].busy;
}

static void take_hooks(hooks *hook, bool unlimited) {
  hook->granted = enter;
  hook->link_woken = unlimited ? reopen : mark_link;
  hook->decided = serve_links;
  hook->event[OUT_LEAVE - FEATURE_EVENTS] = on_out_leave;
}

const char *out_queue_size(const run *r) {
  const int64_t size = r->config->switch_.out_queue;
  return size == RIPSTOP_UNLIMITED ? "unlimited" : ripstop_arena_printf(r->arena, "%lld", (long long)size);
}

void out_queues_lay(run *r) {
  if (r->part->out_queues) r->part->out_queues->packet = ROWS(r->arena, r->packets, out_packet);
}

int out_queues_open(run *r, ripstop_error *err) {
  const ripstop_switch_config *config = &r->config->switch_;
  part *t = r->part;
  const shape *s = &t->shape;
  if (config->out_queue == 0) return 0;
  if (config->out_queue == RIPSTOP_UNLIMITED && !s->credits)
    return ripstop_fail(err, "switch.out_queue = unlimited: packets take their space behind the link when they cross, "
                             "which needs switch.flow = credits");
  out_queues *o = t->out_queues = RIPSTOP_NEW(r->arena, out_queues);
  o->unlimited = config->out_queue == RIPSTOP_UNLIMITED;
  o->capacity = o->unlimited ? INT32_MAX / 2 : (int32_t)config->out_queue;
  o->slots = s->unit_flits ? (uint32_t)o->capacity / s->shortest : (uint32_t)o->capacity;
  if (o->unlimited) o->slots = UNLIMITED_PLACES;
  o->vcs = s->fabric->ports * s->channels;
  o->queue = RIPSTOP_ARRAY(r->arena, o->vcs, out_queue);
  o->link = RIPSTOP_ARRAY(r->arena, s->fabric->ports, out_link);
  for (uint32_t v = s->ends; v < s->fabric->nodes; v++)
    if (ceil_div(s->node[v].ports, 64) > o->words) o->words = ceil_div(s->node[v].ports, 64);
  o->dirty = RIPSTOP_ARRAY(r->arena, (size_t)s->fabric->nodes * o->words, uint64_t);
  o->entered = RIPSTOP_ARRAY(r->arena, (size_t)s->fabric->nodes * o->words, uint64_t);
  o->link_state = new_arbiter_states(r->arena, s);
  take_hooks(&t->hook, o->unlimited);
  if (o->unlimited) return 0; /* heads wait for space behind the links */
  t->shape.room = RIPSTOP_ARRAY(r->arena, o->vcs, int32_t);
  t->shape.room_capacity = o->capacity;
  for (uint32_t vc = 0; vc < o->vcs; vc++) t->shape.room[vc] = o->capacity;
  for (uint32_t v = s->ends; v < s->fabric->nodes; v++) s->node[v].room = &s->room[s->node[v].port * s->channels];
  return 0;
}
