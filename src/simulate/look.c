/* look.c - inspection of a simulation between two cycles. Nothing here changes the simulation. Packets that are
 * generated and not yet taken are counted incrementally from the last inspection, because beyond saturation their
 * number grows with time. */
#include "base/memory.h"
#include "simulate/agents.h"
#include "simulate/bound_packets.h"
#include "simulate/control.h"
#include "simulate/core.h"
#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/reconfiguration.h"
#include "simulate/slow.h"

uint64_t ripstop_simulate_now(const ripstop_simulation *sim) { return sim->part->now; }

const ripstop_view *ripstop_simulate_view(const ripstop_simulation *sim) { return sim->view; }

static const char *present_witness(const run *r) {
  if (r->deadlocked) return r->witness;
  const first_loss *first = run_first_loss(r);
  return first->cycle == RIPSTOP_NONE ? NULL : first->text;
}

/* False: no memory; the caller counts from scratch. */
static bool keep_seen(run *r) {
  if (r->seen) return true;
  RIPSTOP_GUARD(NULL, false);
  r->seen = RIPSTOP_ARRAY(r->arena, r->shape->streams, ripstop_source);
  return true;
}

static uint64_t count_from_scratch(const run *r, uint32_t stream) {
  uint64_t count = 0;
  for (ripstop_source s = r->part->source[stream]; s.generated_at < r->part->now; next_generation(r->part, stream, &s))
    count++;
  return count;
}

/* Packets of random sources are numbered without gaps. `seen` falls behind where the engine has skipped packets. */
static uint64_t count_further(const run *r, uint32_t stream) {
  const ripstop_source *first = &r->part->source[stream];
  ripstop_source *seen = &r->seen[stream];
  if (seen->number <= first->number) *seen = *first;
  while (seen->generated_at < r->part->now) next_generation(r->part, stream, seen);
  return seen->number - first->number;
}

/* Packets that were generated and wait for their NIC. */
static uint64_t count_ungenerated(const run *r, uint32_t stream) {
  if (!r->view->node_up[ripstop_end_switch(r->fabric, stream / r->shape->classes)]) return 0;
  return r->part->hook.next_generation || !keep_seen((run *)r) ? count_from_scratch(r, stream)
                                                               : count_further(r, stream);
}

static uint64_t count_all_ungenerated(const run *r) {
  uint64_t count = 0;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++) count += count_ungenerated(r, stream);
  return count;
}

static ripstop_account look_account(const run *r) {
  return r->goods ? agents_account(r) : account_of(r, count_all_ungenerated(r));
}

void ripstop_simulate_look(const ripstop_simulation *sim, ripstop_look *out) {
  *out = (ripstop_look){.end = sim->end,
                        .ended = run_ended(sim),
                        .deadlocked = sim->deadlocked,
                        .phase = sim->stop ? (ripstop_phase)sim->stop->phase : RIPSTOP_PHASE_RUNNING,
                        .witness = present_witness(sim),
                        .account = look_account(sim),
                        .hops = run_hops(sim),
                        .events = run_events(sim)};
}

/* ------------------------------------------------------------------ queues */

/* An input queue, an output queue, or packets bound to an output VC. */
typedef struct place {
  const queue *in;
  const out_queue *out;
  const bound_fifo *bound; /* packets that wait for an output VC */
  uint32_t vc;             /* the one of `out` or `bound` */
} place;

static bool find_in(const run *r, uint32_t port, uint32_t channel, place *at) {
  const shape *s = r->shape;
  bool interface = port < r->fabric->ends;
  if (port >= r->fabric->ports || channel >= (interface ? s->classes : s->channels)) return false;
  at->in = &s->queue[interface ? port * s->classes + channel : queue_of_port(s, port, channel)];
  return true;
}

static bool find_out(const run *r, uint32_t port, uint32_t channel, place *at) {
  const out_queues *o = r->part->out_queues;
  const bound *b = r->part->bound;
  if ((!o && !b) || port < r->fabric->ends || port >= r->fabric->ports || channel >= r->shape->channels) return false;
  at->vc = port * r->shape->channels + channel;
  if (o) at->out = &o->queue[at->vc];
  if (b) at->bound = &b->fifo[at->vc];
  return true;
}

static bool find(const run *r, ripstop_side side, uint32_t port, uint32_t channel, place *at) {
  *at = (place){0};
  return side == RIPSTOP_SIDE_IN ? find_in(r, port, channel, at) : find_out(r, port, channel, at);
}

static uint32_t length_of(const run *r, const place *at) {
  uint32_t count = 0;
  packet_walk walk = {0};
  if (at->bound) return bound_count(r, at->vc);
  while (at->in && next_packet(r->part, at->in, &walk)) count++;
  if (at->in) return count;
  return at->out ? at->out->waiting + at->out->leaving : 0;
}

/* In an output queue the i-th packet, behind the leaving one. */
static uint32_t next_in_out_queue(const part *t, const out_queue *q, packet_walk *walk, uint32_t i) {
  if (i == 0 && q->leaving) return q->carried;
  return walk->bound = i == q->leaving ? q->first : t->out_queues->packet[walk->bound].next;
}

/* The i-th packet: the next one of the walk, which begins with i = 0. */
static const packet *packet_of(const run *r, const place *at, packet_walk *walk, uint32_t i) {
  const part *t = r->part;
  uint32_t index;
  if (at->bound)
    index = walk->bound = i ? bound_next(r, at->vc, walk->bound) : bound_first(r, at->vc);
  else if (at->out)
    index = next_in_out_queue(t, at->out, walk, i);
  else
    index = next_packet(t, at->in, walk)->packet;
  return &t->packet[index];
}

static bool is_leaving(const place *at) { return at->in ? at->in->state == LEAVING : at->out && at->out->leaving; }

/* The destination port of a remnant is unknown: a switch may be discarding it. */
static uint32_t port_of(const run *r, const place *at, const packet *p, uint32_t i) {
  if (i > 0 || !is_leaving(at) || p->truncated) return RIPSTOP_NONE;
  return at->in ? r->shape->node[at->in->node].port + at->in->last_port : at->vc / r->shape->channels;
}

static ripstop_queue_state state_of(const run *r, const place *at) {
  if (length_of(r, at) == 0) return RIPSTOP_QUEUE_EMPTY;
  if (is_leaving(at)) return RIPSTOP_QUEUE_LEAVING;
  return at->in && at->in->state == STALLED ? RIPSTOP_QUEUE_STALLED : RIPSTOP_QUEUE_WAITING;
}

static bool is_stuck(const run *r, const place *at) {
  if (!r->deadlocked) return false;
  return at->in ? r->stuck[index_of(r->shape, at->in)] : r->out_stuck[at->vc];
}

int ripstop_simulate_queue(const ripstop_simulation *sim, ripstop_side side, uint32_t port, uint32_t channel,
                           ripstop_queue_look *out) {
  place at;
  if (!find(sim, side, port, channel, &at)) return -1;
  const bool is_sender = at.in && is_interface(sim->shape, at.in->node);
  *out = (ripstop_queue_look){.state = state_of(sim, &at),
                              .packets = length_of(sim, &at),
                              .capacity = at.out ? sim->part->out_queues->capacity : sim->shape->capacity,
                              .ungenerated = is_sender ? count_ungenerated(sim, index_of(sim->shape, at.in)) : 0,
                              .stuck = is_stuck(sim, &at)};
  packet_walk walk = {0};
  for (uint32_t i = 0; i < out->packets; i++) out->units += units_of(sim->shape, packet_of(sim, &at, &walk, i));
  return 0;
}

size_t ripstop_simulate_packets(const ripstop_simulation *sim, ripstop_side side, uint32_t port, uint32_t channel,
                                ripstop_packet_look *out, size_t most) {
  place at;
  size_t count = 0;
  packet_walk walk = {0};
  const size_t all = find(sim, side, port, channel, &at) ? length_of(sim, &at) : 0;
  for (; count < most && count < all; count++) {
    const packet *p = packet_of(sim, &at, &walk, (uint32_t)count);
    out[count] = (ripstop_packet_look){.source = p->source,
                                       .destination = p->destination,
                                       .number = p->number,
                                       .flits = p->flits,
                                       .generated_at = p->generated_at,
                                       .age = sim->part->now - p->generated_at,
                                       .header = p->header,
                                       .hops = p->hops,
                                       .class_ = (uint8_t)p->class_,
                                       .truncated = p->truncated,
                                       .leaving = count == 0 && is_leaving(&at),
                                       .port = port_of(sim, &at, p, (uint32_t)count)};
  }
  return count;
}

/* ------------------------------------------------------------------ links, messages and time */

int ripstop_simulate_link(const ripstop_simulation *sim, uint32_t port, ripstop_link_look *out) {
  const part *t = sim->part;
  if (port >= sim->fabric->ports || sim->fabric->peer[port] == RIPSTOP_NONE) return -1;
  uint32_t until =
      t->out_queues && port >= sim->fabric->ends ? t->out_queues->link[port].busy : sim->shape->output[port].busy;
  if (slow_ends(t, port) > until) until = slow_ends(t, port);
  *out = (ripstop_link_look){.up = sim->view->port_up[port],
                             .busy = until > t->now ? until - t->now : 0,
                             .flits = sim->shape->output[port].flits};
  return 0;
}

size_t ripstop_simulate_messages(const ripstop_simulation *sim, ripstop_message_look *out, size_t most) {
  return control_messages(sim, out, most);
}

uint64_t ripstop_simulate_renewed(const ripstop_simulation *sim, uint32_t node) {
  return node < sim->fabric->nodes ? control_renewed(sim, node) : UINT64_MAX;
}

size_t ripstop_simulate_windows(const ripstop_simulation *sim, ripstop_window *out, size_t most) {
  size_t count = count_windows(sim), written = count < most ? count : most;
  copy_windows(sim, out, written);
  return count;
}
