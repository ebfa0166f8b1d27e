/* bound_packets.c - packets are bound to an output VC when they enter a switch, and wait there for its link.
 *
 * There is no crossbar and no request: a hop is a head that arrives, the choice of one of its candidates, a place in
 * the FIFO of that output VC, and the link that takes it. The packet's space stays that of the input queue by which it
 * came, and is given back when the packet has left by the link. With a shared memory (shared_memory.c) a packet needs
 * space there instead, once it is bound, and may be lost or cut to its header. Headers have a FIFO for each port, which
 * the link serves first.
 *
 * The switches' rows of shape.queue stay EMPTY: a row only has the packets that enter in this cycle (`slot`, the first
 * of a list) and knows whose space they take. NICs work as in core.c.
 *
 * Invariants between two cycles
 *   - No packet enters: each is in the FIFO of one output VC, or its link has taken it.
 *   - bound_port.units is the sum of the port's FIFOs, with that of headers. Its `waiting` has the channels whose FIFO
 *     is not empty.
 *   - If packets wait for a port whose link is busy, a wake-up is posted for the cycle in which the link is free; with
 *     a memory for each busy link. Otherwise the first packet of each of its FIFOs waits for space, or the port is in
 * its node's `ready` set. */
#include "simulate/bound_packets.h"

#include "ripstop/plugin/method.h"
#include "simulate/arbiters/requests.h"
#include "simulate/choose.h"
#include "simulate/congestion_marks.h"
#include "simulate/core.h"
#include "simulate/run_result.h"
#include "simulate/slow.h"

#include "base/no_heap.h"

/* Sets of a switch's node, in the place of those that requests need. Input queues with packets that enter; local
 * output ports whose link may take a packet. */
static uint64_t *entering(const sim_node *n) { return dirty_queues(n); }
static uint64_t *ready(const sim_node *n) { return busy_queues(n); }

static void mark_ready(part *t, uint32_t port) {
  const output *out = &t->shape.output[port];
  ready(&t->shape.node[out->node])[out->local / 64] |= bit(out->local);
  wake_node(t, out->node);
}

/* ------------------------------------------------------------------ leaving */

/* The space of a packet of an input queue is free at cycle `free`. */
static void give_back(part *t, const queue *q, uint32_t flits, uint32_t free) {
  const shape *s = &t->shape;
  if (s->unlimited) return;
  const sim_event space = make_event(SPACE, q->upstream, (uint32_t)units(s, flits));
  if (SELDOM(q->feeder != t->number))
    post_out(t, q->feeder, free + s->credit, space), t->wheel.posted++; /* SPACE counts where it is sent */
  else if (SELDOM(s->rate))
    post_distant(t, free + s->credit, SPACE, q->upstream, space.detail);
  else
    post(t, free + s->credit, SPACE, q->upstream, space.detail);
}

/* The packet is lost already. Its flits leave the switch from this cycle on. */
static void discard(part *t, const queue *q, uint32_t packet_index) {
  t->bound->packet[packet_index].cut = false;
  give_back(t, q, t->packet[packet_index].flits, t->now + t->packet[packet_index].flits);
  if (t->bound->packet[packet_index].stored) memory_free(t, q, t->packet[packet_index].flits);
  free_packet(t, packet_index);
}

/* ------------------------------------------------------------------ links */

/* Packets wait for a link that is busy until this cycle. */
static void wake_later(part *t, uint32_t port, uint32_t cycle) {
  bound_port *p = &t->bound->port[port];
  if (p->wake == cycle) return;
  p->wake = cycle;
  if (SELDOM(t->shape.rate))
    post_distant(t, cycle, LINK_FREE, port, 0);
  else
    post(t, cycle, LINK_FREE, port, 0);
}

/* The memory of the packet that the link has sent is free. */
static void free_carried(part *t, uint32_t port) {
  const bound_carried *c = &t->bound->carried[port];
  t->bound->memory->egress[port * t->shape.channels + c->channel] -= c->flits;
  memory_free(t, &t->shape.queue[c->queue], c->flits);
}

static void on_link_free(part *t, uint32_t port, uint32_t detail) {
  (void)detail;
  if (SELDOM(t->bound->memory)) free_carried(t, port);
  mark_ready(t, port);
}

/* The link takes the first packet of a FIFO of the port, of so many flits. */
static inline __attribute__((always_inline)) void take(part *t, uint32_t port, uint32_t channel, bound_fifo *f,
                                                       uint32_t flits) {
  const shape *s = &t->shape;
  bound *b = t->bound;
  const uint32_t index = f->first;
  const bound_packet *w = &b->packet[index];
  packet *p = &t->packet[index];
  const uint32_t cycles = SELDOM(s->rate) ? slow_cycles(s, port, flits) : flits;
  if (SELDOM(t->run->marks)) marks_note(t, index, f->units);
  f->first = w->next;
  f->units -= units(s, flits);
  b->port[port].units -= units(s, flits);
  p->header = w->header;
  p->marks |= w->marks;
  s->output[port].busy = t->now + cycles;
  if (SELDOM(b->carried))
    b->carried[port] = (bound_carried){serial_of(s, p),  index, w->queue, w->arrived, w->stored ? w->flits : 0,
                                       (uint8_t)channel, w->cut};
  give_back(t, &s->queue[w->queue], flits, t->now + cycles);
  if (b->port[port].units || SELDOM(b->memory)) wake_later(t, port, t->now + cycles);
  if (SELDOM(s->rate))
    send_slowly(t, port, channel, index, cycles - flits);
  else
    send_packet(t, port, channel, index);
}

/* One of the channels in the set `request`, of arbiters that keep more than a turn. */
static __attribute__((noinline)) uint32_t arbitrate_with_state(part *t, uint32_t port, const uint64_t *request) {
  static const uint64_t none;
  const shape *s = &t->shape;
  ripstop_requests requests = {
      .bits = request, .words = 1, .channel = t->request_channel, .flits = t->request_flits, .enters = &none};
  return s->arbiter->pick(s->arbiter_config, s->arbiter_state + port * s->arbiter_step, &requests);
}

static inline uint32_t arbitrate(part *t, uint32_t port, const uint64_t *request) {
  const shape *s = &t->shape;
  if (s->channels == 1) return 0;
  if (SELDOM(!s->turns)) return arbitrate_with_state(t, port, request);
  const uint32_t winner =
      ripstop_request_at_or_after(&(ripstop_requests){.bits = request, .words = 1}, s->output[port].turn);
  s->output[port].turn = winner + 1;
  return winner;
}

static __attribute__((noinline)) void take_header(part *t, uint32_t port) {
  bound_fifo *f = &t->bound->header[port];
  take(t, port, t->bound->packet[f->first].channel, f, 1);
}

static inline void take_data(part *t, uint32_t port, uint32_t channel) {
  bound_fifo *f = &t->bound->fifo[port * t->shape.channels + channel];
  take(t, port, channel, f, t->bound->packet[f->first].flits);
  if (f->first == RIPSTOP_NONE) t->bound->port[port].waiting &= ~(1u << channel);
}

/* A free link takes a packet if one can be sent. */
static inline void serve(part *t, uint32_t port) {
  const shape *s = &t->shape;
  const uint32_t first = port * s->channels;
  uint64_t request = 0;
  if (s->output[port].busy > t->now || !t->bound->port[port].units) return;
  if (SELDOM(t->bound->header) && t->bound->header[port].first != RIPSTOP_NONE) {
    take_header(t, port);
    return;
  }
  for (uint32_t set = t->bound->port[port].waiting; set; set &= set - 1) {
    const uint32_t c = (uint32_t)__builtin_ctz(set);
    const uint16_t flits = t->bound->packet[t->bound->fifo[first + c].first].flits;
    if (s->space[first + c] < units(s, flits)) continue;
    request |= bit(c);
    if (USUALLY(!s->weighs)) continue;
    t->request_channel[c] = s->channel_of_plan[c];
    t->request_flits[c] = flits;
  }
  if (request) take_data(t, port, arbitrate(t, port, &request));
}

/* ------------------------------------------------------------------ the choice of a candidate */

/* A packet could leave by an output VC later than others, when its link is free, or now. */
typedef enum prospect { LATER, WHEN_FREE, NOW } prospect;

static prospect prospect_of(const part *t, uint32_t vc, uint32_t flits) {
  const shape *s = &t->shape;
  const uint32_t port = port_of_vc(s, vc);
  const int64_t left = (int64_t)s->space[vc] - t->bound->fifo[vc].units;
  if (left < units(s, flits)) return LATER;
  return t->bound->port[port].units || s->output[port].busy > t->now ? WHEN_FREE : NOW;
}

/* Free units behind an output VC as the selection function sees them: those of the next queue, of which only a sender
 * with credits knows, less those that wait for it here. */
static int32_t space_of(const part *t, uint32_t vc) {
  const shape *s = &t->shape;
  const bool known = s->credits && !s->output[port_of_vc(s, vc)].to_end;
  return (known ? s->space[vc] : s->capacity) - t->bound->fifo[vc].units;
}

/* The output VCs of the fabric for which a candidate stands. */
static vc_run run_of(const part *t, const sim_node *n, const packet *p, const ripstop_candidate *c) {
  const vc_run own = vcs_of_candidate(&t->shape, p, c->port, c->channel);
  return (vc_run){n->port * t->shape.channels + own.first, own.count};
}

/* The best prospect of a candidate's output VCs. */
static prospect best_prospect(const part *t, vc_run vcs, uint32_t flits) {
  prospect best = prospect_of(t, vcs.first, flits);
  for (uint32_t vc = vcs.first + 1; vc < vcs.first + vcs.count; vc++)
    if (prospect_of(t, vc, flits) > best) best = prospect_of(t, vc, flits);
  return best;
}

/* The most free units behind a candidate's output VCs. */
static int32_t most_space(const part *t, vc_run vcs) {
  int32_t most = space_of(t, vcs.first);
  for (uint32_t vc = vcs.first + 1; vc < vcs.first + vcs.count; vc++)
    if (space_of(t, vc) > most) most = space_of(t, vc);
  return most;
}

/* The lowest rank with a candidate of at least this prospect; 256: none. */
static uint32_t lowest_rank(const part *t, const sim_node *n, const packet *p, uint32_t candidates, prospect least) {
  uint32_t lowest = UINT8_MAX + 1;
  for (const ripstop_candidate *c = t->candidate; c < t->candidate + candidates; c++)
    if (c->rank < lowest && best_prospect(t, run_of(t, n, p, c), p->flits) >= least) lowest = c->rank;
  return lowest;
}

static void list_candidates(const part *t, const sim_node *n, const packet *p, uint32_t candidates, prospect least,
                            open_list *list) {
  const uint32_t rank = lowest_rank(t, n, p, candidates, least);
  list->count = 0;
  for (const ripstop_candidate *c = t->candidate; c < t->candidate + candidates; c++) {
    const vc_run vcs = run_of(t, n, p, c);
    const uint32_t i = list->count;
    if (c->rank != rank || best_prospect(t, vcs, p->flits) < least) continue;
    const int32_t space = most_space(t, vcs);
    if (t->shape.roomiest && i && space < list->most) continue;
    const uint32_t at = t->shape.roomiest && i && space > list->most ? 0 : i;
    list->most = space;
    list->number[at] = (uint8_t)at;
    list->space[at] = space;
    list->candidate[at] = *c;
    list->count = at + 1;
  }
}

/* The candidate, of several in t->candidate, to which a packet is bound. A selection function that binds does not care
 * which of them could leave soon. */
static __attribute__((noinline)) ripstop_candidate choose(const part *t, const sim_node *n, const queue *q,
                                                          const packet *p, uint32_t candidates) {
  const shape *s = &t->shape;
  open_list list;
  list.count = 0; /* the rest is large */
  for (int least = s->binds ? LATER : s->exhausted ? WHEN_FREE : NOW; !list.count; least--)
    list_candidates(t, n, p, candidates, (prospect)least, &list);
  return list.candidate[list.count == 1 ? 0 : choose_of_list(t, q, p, &list)];
}

/* The channel that the packet takes, of those for which its candidate's stands: one with room if there is any. */
static __attribute__((noinline)) uint8_t choose_channel(const part *t, const sim_node *n, const queue *q,
                                                        const packet *p, const ripstop_candidate *c) {
  const shape *s = &t->shape;
  const vc_run vcs = run_of(t, n, p, c);
  int32_t space[RIPSTOP_CHANNELS_MAX];
  uint32_t roomy = 0;
  for (uint32_t i = 0; i < vcs.count; i++) {
    space[i] = space_of(t, vcs.first + i);
    if (prospect_of(t, vcs.first + i, p->flits) > LATER) roomy |= 1u << i;
  }
  const uint32_t set = roomy ? roomy : (1u << vcs.count) - 1;
  const uint32_t channel = vcs.first - (n->port + c->port) * s->channels;
  return (uint8_t)(channel + choose_vc_of(t, q, p, set, space));
}

/* ------------------------------------------------------------------ entering */

/* The candidates that the method has for a packet, each for one port, in t->candidate. Returns their number, or 0 if
 * the packet is lost (loss_of) or the run fails. */
static inline uint32_t route(part *t, queue *q, const packet *p) {
  const ripstop_plan *plan = t->run->plan;
  const sim_node *n = &t->shape.node[q->node];
  const ripstop_head head = {.node = q->node,
                             .in_port = q->in_port,
                             .source = p->source,
                             .destination = p->destination,
                             .header = p->header,
                             .channel = q->plan_channel,
                             .class_ = p->class_};
  int count = SELDOM(t->hook.candidates) ? t->hook.candidates(t, q, &head, t->candidate)
                                         : plan->method->route(plan, &head, t->candidate);
  return USUALLY(count == 1) && is_plain(&t->shape, n, &t->run->view->port_up[n->port], t->candidate) &&
                 t->candidate->channel < t->shape.plan_channels
             ? 1
             : accept_bound(t, q, p, t->candidate, count);
}

/* The packet, of so many flits, takes its place in a FIFO of its candidate's port. The candidate's channel is the one
 * that it takes. */
static inline __attribute__((always_inline)) void join(part *t, const sim_node *n, queue *q, uint32_t index,
                                                       const ripstop_candidate *candidate, bound_fifo *f,
                                                       uint32_t flits) {
  const shape *s = &t->shape;
  bound *b = t->bound;
  bound_packet *w = &b->packet[index];
  const uint32_t port = n->port + candidate->port;
  w->header = candidate->header;
  w->marks = candidate->marks;
  w->next = RIPSTOP_NONE;
  if (f->first == RIPSTOP_NONE)
    f->first = index;
  else
    b->packet[f->last].next = index;
  f->last = index;
  f->units += units(s, flits);
  if (s->output[port].busy <= t->now)
    ready(n)[candidate->port / 64] |= bit(candidate->port);
  else if (!b->port[port].units)
    wake_later(t, port, s->output[port].busy);
  b->port[port].units += units(s, flits);
  q->last_port = candidate->port;
}

/* The packet has a place in the memory, or finds one. One that enters again keeps its place. */
static bool find_space(part *t, const sim_node *n, const queue *q, uint32_t index, const ripstop_candidate *candidate) {
  bound_packet *w = &t->bound->packet[index];
  const uint32_t vc = (n->port + candidate->port) * t->shape.channels + candidate->channel;
  if (w->cut) return false;
  if (w->stored)
    t->bound->memory->egress[vc] += w->flits;
  else
    w->stored = memory_store(t, q, vc, w->flits);
  return w->stored;
}

enum { HEADERS_MOST = 1000 }; /* in the queue of a port */

/* A packet without space is cut to its header, or lost. */
static __attribute__((noinline)) void enter_without_space(part *t, const sim_node *n, queue *q, uint32_t index,
                                                          const ripstop_candidate *candidate) {
  bound_packet *w = &t->bound->packet[index];
  packet *p = &t->packet[index];
  bound_fifo *f = t->bound->header ? &t->bound->header[n->port + candidate->port] : NULL;
  if (!f || f->units >= HEADERS_MOST) {
    lose(t, p, q->node, RIPSTOP_LOST_BUFFER);
    discard(t, q, index);
    return;
  }
  w->cut |= p->flits > 1;
  w->channel = candidate->channel & 63;
  p->flits = 1;
  join(t, n, q, index, candidate, f, 1);
}

static void enter(part *t, const sim_node *n, queue *q, uint32_t index) {
  packet *p = &t->packet[index];
  if (USUALLY(!t->bound->packet[index].cut)) t->bound->packet[index].flits = p->flits;
  if (SELDOM(p->truncated)) {
    discard(t, q, index);
    return;
  }
  const uint32_t candidates = route(t, q, p);
  if (SELDOM(candidates == 0)) {
    note_no_candidate(t, q, p);
    lose(t, p, q->node, loss_of(q));
    discard(t, q, index);
    return;
  }
  ripstop_candidate chosen = candidates == 1 ? *t->candidate : choose(t, n, q, p, candidates);
  if (SELDOM(t->shape.vcs > 1)) chosen.channel = choose_channel(t, n, q, p, &chosen);
  if (SELDOM(t->bound->memory) && !find_space(t, n, q, index, &chosen)) {
    enter_without_space(t, n, q, index, &chosen);
    return;
  }
  const uint32_t vc = (n->port + chosen.port) * t->shape.channels + chosen.channel;
  join(t, n, q, index, &chosen, &t->bound->fifo[vc], p->flits);
  t->bound->port[n->port + chosen.port].waiting |= 1u << chosen.channel;
}

/* A head has come: it enters in the decisions of the cycle. */
static bool arrive(part *t, uint32_t index, uint32_t packet_index) {
  queue *q = &t->shape.queue[index];
  bound_packet *w = &t->bound->packet[packet_index];
  w->next = RIPSTOP_NONE;
  w->queue = index;
  w->arrived = head_came(&t->shape, &t->packet[packet_index], t->now);
  w->stored = false;
  if (USUALLY(q->slot == RIPSTOP_NONE)) {
    q->slot = packet_index;
  } else { /* behind packets that enter again, which came earlier */
    uint32_t last = q->slot;
    while (t->bound->packet[last].next != RIPSTOP_NONE) last = t->bound->packet[last].next;
    t->bound->packet[last].next = packet_index;
  }
  wake_queue(t, q);
  return true;
}

static void decide(part *t, const sim_node *n) {
  if (is_interface(&t->shape, (uint32_t)(n - t->shape.node))) {
    if (t->shape.exhausted)
      exhausted_rounds(t, n);
    else
      usual_rounds(t, n);
    return;
  }
  for (uint32_t word = 0; word < n->words; word++) {
    uint64_t set = entering(n)[word];
    entering(n)[word] = 0;
    for (; set; set &= set - 1) {
      queue *q = &t->shape.queue[n->queue + 64 * word + (uint32_t)__builtin_ctzll(set)];
      for (uint32_t index = q->slot, next; index != RIPSTOP_NONE; index = next) {
        next = t->bound->packet[index].next;
        enter(t, n, q, index);
      }
      q->slot = RIPSTOP_NONE;
    }
  }
  for (uint32_t word = 0; word < n->words; word++) {
    uint64_t set = ready(n)[word];
    ready(n)[word] = 0;
    for (; set; set &= set - 1) serve(t, n->port + 64 * word + (uint32_t)__builtin_ctzll(set));
  }
  if (SELDOM(t->bound->memory)) memory_check(t, n);
}

/* ------------------------------------------------------------------ changes of the fabric */

/* The packet enters again in this cycle, in the order in which the packets of its input queue came. */
static void enter_again(part *t, uint32_t index) {
  bound_packet *all = t->bound->packet, *w = &all[index];
  queue *q = &t->shape.queue[w->queue];
  uint32_t *at = &q->slot;
  while (*at != RIPSTOP_NONE && all[*at].arrived < w->arrived) at = &all[*at].next;
  w->next = *at;
  *at = index;
  wake_queue(t, q);
}

/* The candidate of a waiting packet is one of those that it has now. */
static bool is_still_permitted(part *t, uint32_t port, uint32_t vc, uint32_t index) {
  const shape *s = &t->shape;
  bound_packet *w = &t->bound->packet[index];
  queue *q = &s->queue[w->queue];
  const uint32_t local = port - s->node[q->node].port, channel = s->channel_of_plan[vc];
  const uint32_t candidates = route(t, q, &t->packet[index]);
  for (const ripstop_candidate *c = t->candidate; c < t->candidate + candidates; c++)
    if (c->port == local && c->channel == channel && c->header == w->header && c->marks == w->marks) return true;
  return false;
}

/* Takes out of a port's FIFO, of one virtual channel or of headers, the packets that are lost or have to enter again.
 */
static void sift(part *t, uint32_t port, bound_fifo *f) {
  const shape *s = &t->shape;
  bound *b = t->bound;
  const bool headers = b->header && f == &b->header[port];
  uint32_t index = f->first, last = RIPSTOP_NONE, next;
  f->first = RIPSTOP_NONE;
  for (; index != RIPSTOP_NONE; index = next) {
    bound_packet *w = &b->packet[index];
    const bool lost = t->packet[index].truncated;
    const uint32_t channel = headers ? w->channel : (uint32_t)(f - b->fifo) % s->channels;
    next = w->next;
    if (!lost && is_still_permitted(t, port, channel, index)) {
      w->next = RIPSTOP_NONE;
      *(last == RIPSTOP_NONE ? &f->first : &b->packet[last].next) = index;
      last = index;
      continue;
    }
    f->units -= units(s, t->packet[index].flits);
    b->port[port].units -= units(s, t->packet[index].flits);
    if (w->stored) b->memory->egress[f - b->fifo] -= w->flits;
    if (lost)
      discard(t, &s->queue[w->queue], index);
    else
      enter_again(t, index);
  }
  f->last = last;
  if (!headers && last == RIPSTOP_NONE) b->port[port].waiting &= ~(1u << (f - b->fifo) % s->channels);
}

void bound_reload(run *r) {
  const ripstop_fabric *f = r->fabric;
  for (uint32_t port = f->ends; r->part->bound && port < f->ports; port++) {
    part *t = part_of(r, f->port_node[port]);
    for (uint32_t c = 0; c < r->shape->channels; c++) sift(t, port, &t->bound->fifo[port * r->shape->channels + c]);
    if (t->bound->header) sift(t, port, &t->bound->header[port]);
    if (t->bound->port[port].units) mark_ready(t, port);
  }
}

/* The link still sends this packet. What it sends of one that the next switch has cut meanwhile belongs to no packet.
 */
static bool still_carries(const part *t, uint32_t port, const bound_carried *c) {
  return t->shape.output[port].busy > t->now && serial_of(&t->shape, &t->packet[c->packet]) == c->serial &&
         t->bound->packet[c->packet].cut == c->cut;
}

/* The packet came by this port. Its last flit leaves the link in the cycle arrived + flits - 1. */
static void lose_if(part *t, uint32_t index, uint32_t queue_index, uint32_t arrived, uint32_t in_port, uint32_t cause,
                    bool all) {
  packet *p = &t->packet[index];
  const queue *q = &t->shape.queue[queue_index];
  if (q->in_port == in_port && (all || t->now <= arrived + p->flits - 1)) lose(t, p, q->node, cause);
}

static void lose_fifo(part *t, const bound_fifo *f, uint32_t in_port, uint32_t cause, bool all) {
  const bound_packet *w = t->bound->packet;
  for (uint32_t i = f->first; i != RIPSTOP_NONE; i = w[i].next)
    lose_if(t, i, w[i].queue, w[i].arrived, in_port, cause, all);
}

void bound_lose(part *t, uint32_t port, uint32_t cause, bool all) {
  const shape *s = &t->shape;
  const bound *b = t->bound;
  if (!b || is_interface(s, s->output[port].node)) return;
  const sim_node *n = &s->node[s->output[port].node];
  for (uint32_t out = n->port; out < n->port + n->ports; out++) {
    const bound_carried *c = &b->carried[out];
    for (uint32_t vc = out * s->channels; vc < (out + 1) * s->channels; vc++)
      lose_fifo(t, &b->fifo[vc], port - n->port, cause, all);
    if (b->header) lose_fifo(t, &b->header[out], port - n->port, cause, all);
    if (still_carries(t, out, c)) lose_if(t, c->packet, c->queue, c->arrived, port - n->port, cause, all);
  }
}

/* ------------------------------------------------------------------ the hooks */

void bound_take_hooks(hooks *hook) {
  hook->entering = arrive;
  hook->rounds = decide;
  hook->link_woken = mark_ready;
  hook->event[LINK_FREE - FEATURE_EVENTS] = on_link_free;
}
