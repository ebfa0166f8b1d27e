/* core.c - the event loop: packet-level virtual cut-through. Read this file first.
 *
 * docs/model.md has the rules and state.h the data with its invariants. generation.c takes packets from their sources,
 * heads.c gets candidates from methods, choose.h picks one of them, change.c applies faults and repairs, open.c
 * allocates everything. Features that only some runs need are attached by hooks (hooks.h), one file each.
 *
 * A hop is three events (a head arrives, a queue and a link become free, the sender receives credits) and one grant.
 * Work is done only where something may have changed: an event marks the waiting heads that it may have freed as dirty
 * and wakes their node. After the arrivals of the cycle the awake nodes decide, each with its own state alone. Nothing
 * here allocates. */
#include "simulate/core.h"

#include "ripstop/plugin/method.h"
#include "simulate/change.h"
#include "simulate/choose.h"
#include "simulate/live_deadlock.h"
#include "simulate/losses.h"
#include "simulate/pick.h"
#include "simulate/plain.h"
#include "simulate/pools.h"
#include "simulate/shared_memory.h"
#include "simulate/threads.h"

#include "base/no_heap.h"

/* ------------------------------------------------------------------ queues and losses */

void post_out(part *t, uint32_t to, uint32_t cycle, sim_event event) {
  assert(t->wheel.distant.room || wheel_reaches(&t->wheel, t->now, cycle)); /* all wheels have the same size */
  outbox_put(&t->outbox[to], cycle, event);
}

static inline void pop(part *t, queue *q) {
  if (++q->head == t->shape.ring) q->head = 0;
  q->length--;
  q->state = EMPTY;
}

/* A NIC's queue holds one packet and has a crossbar input of its own. */
static inline void empty(part *t, queue *q) {
  q->length = 0;
  q->state = EMPTY;
  busy_queues(&t->shape.node[q->node])[0] &= ~bit(q->number);
}

static void list_loss(part *t, const packet *p, uint32_t node, uint32_t cause) {
  losses_note(t, p->source * t->shape.classes + p->class_, p->number, p->destination, node, cause);
}

void lose(part *t, packet *p, uint32_t node, uint32_t cause) {
  if (p->truncated) return;
  if (SELDOM(t->hook.lost)) t->hook.lost(t, p, cause);
  p->truncated = true;
  t->measure.lost_underway += p->hops > 0;
  measure_lost(&t->measure, t->now, cause, memory_flits_of(t, p));
  if (SELDOM(t->run->losses)) list_loss(t, p, node, cause);
}

/* ------------------------------------------------------------------ arrivals */

static inline void on_arrive(part *t, uint32_t index, uint32_t packet_index) {
  if (SELDOM(t->hook.entering) && t->hook.entering(t, index, packet_index)) return;
  push(t, &t->shape.queue[index], packet_index, t->now - t->shape.pipeline);
}

/* Frees the crossbar input of a queue. Marks as dirty the listed heads that share it and have an open candidate, unless
 * the candidate needs more than one packet's space, and the heads to be discarded. Returns true if there are any. For a
 * node of one word. */
static inline bool free_crossbar_of_one(const sim_node *n, const queue *q) {
  uint64_t *sets = n->sets, marks = 0;
  const uint64_t side = sharers_of(q);
  sets[2] &= ~side;                                          /* busy */
  for (uint64_t set = sets[3] & side; set; set &= set - 1) { /* listed */
    const uint64_t wants = sets[5 + 2 * (uint32_t)__builtin_ctzll(set)];
    if (!wants || wants & ~sets[0]) marks |= set & -set;
  }
  sets[1] |= marks; /* dirty */
  return marks;
}

static inline void free_crossbar(part *t, const sim_node *n, const queue *q) {
  if (USUALLY(n->words == 1) ? free_crossbar_of_one(n, q) : free_crossbar_among_many(n, q)) wake_node(t, q->node);
}

void crossbar_freed(part *t, const sim_node *n, const queue *q) { free_crossbar(t, n, q); }

static inline void interface_left(part *t, uint32_t index) {
  if (SELDOM(t->hook.left_interface)) t->hook.left_interface(t, index);
  take_next(t, index);
}

/* Another part sends into this queue. */
static inline bool is_fed_by_other_part(const part *t, const queue *q) { return q->feeder != t->number; }

/* Returns credits for a packet that has left a switch's queue. */
static inline void give_back(part *t, const queue *q) {
  const shape *s = &t->shape;
  if (SELDOM(t->hook.stalled))
    t->hook.stalled(t, index_of(s, q), -units(s, q->flits));
  else if (SELDOM(is_fed_by_other_part(t, q)))
    t->wheel.posted += q->feeder != FED_BY_CONTROL; /* send_credits did it */
  else
    post(t, t->now + s->credit, SPACE, q->upstream, (uint32_t)units(s, q->flits));
}

/* Sends credits to another part as soon as the cycle in which the space becomes free is known, so that the parts need
 * not synchronise for it (threads.c). */
static __attribute__((noinline)) void send_credits(part *t, const queue *q, uint32_t free) {
  const shape *s = &t->shape;
  if (t->hook.stalled || q->feeder == FED_BY_CONTROL) return;
  post_out(t, q->feeder, free + s->credit, make_event(SPACE, q->upstream, (uint32_t)units(s, q->flits)));
}

/* The next packet of the queue becomes its head; heads that share its crossbar input may go on. */
static inline void queue_left(part *t, queue *q) {
  const sim_node *n = &t->shape.node[q->node];
  give_back(t, q);
  if (q->length) become_head(t, q);
  free_crossbar(t, n, q);
}

static inline __attribute__((always_inline)) void on_leave(part *t, uint32_t index, uint32_t out_port) {
  queue *q = &t->shape.queue[index];
  if (SELDOM(is_interface(&t->shape, q->node))) {
    empty(t, q);
    wake_output(t, &t->shape.output[out_port]);
    interface_left(t, index);
    return;
  }
  pop(t, q);
  queue_left(t, q);
  wake_output(t, &t->shape.output[out_port]);
  if (SELDOM(t->hook.output_freed)) t->hook.output_freed(t, q->node);
}

static void on_vanish(part *t, uint32_t index) {
  queue *q = &t->shape.queue[index];
  free_packet(t, t->shape.slot[q->slot + q->head].packet);
  if (SELDOM(t->hook.vanished)) t->hook.vanished(t, q->node);
  if (is_interface(&t->shape, q->node)) {
    empty(t, q);
    interface_left(t, index);
    return;
  }
  pop(t, q);
  queue_left(t, q);
}

static inline void on_space(part *t, uint32_t vc, int32_t units) {
  const shape *s = &t->shape;
  const int32_t before = s->space[vc];
  s->space[vc] = before + units;
  if (before >= s->ample_space) return;
  uint32_t port = port_of_vc(s, vc);
  const output *out = &s->output[port];
  if (SELDOM(t->hook.link_woken) && !is_interface(s, out->node)) {
    t->hook.link_woken(t, port);
    return;
  }
  const sim_node *n = &s->node[out->node];
  if (out->busy <= t->now && open_vcs(n, vc - n->port * s->channels, 1)) wake_node(t, out->node);
}

/* The same with a pool: all channels of the port get what comes back to it. */
static void on_pooled_space(part *t, uint32_t vc, int32_t units) {
  const shape *s = &t->shape;
  const uint32_t port = port_of_vc(s, vc);
  s->space[vc] += units;
  pools_note(s, port, vc - port * s->channels, -units);
  wake_link(t, port);
}

static void break_delivery(part *t, const packet *p, uint32_t end) {
  ripstop_error *err = run_fail(t->run, end, p->class_);
  if (err)
    ripstop_fail(err, "method %s: a packet from end node %u to %u reached end node %u", t->run->plan->method->name,
                 p->source, p->destination, end);
}

static inline void on_deliver(part *t, uint32_t end, uint32_t packet_index) {
  packet *p = &t->packet[packet_index];
  if (p->destination != end && t->hook.misdelivered) {
    t->hook.misdelivered(t, end, packet_index);
    return;
  }
  if (p->destination != end) {
    break_delivery(t, p, end);
  } else if (SELDOM(t->hook.header_delivered) && t->hook.header_delivered(t, p)) {
    /* it was counted as lost */
  } else if (!p->truncated) {
    measure_delivered(&t->measure, p, t->now);
    for (uint32_t i = 0; t->hook.delivered[i]; i++) t->hook.delivered[i](t, p);
  }
  free_packet(t, packet_index);
}

static inline void on_generation(part *t, uint32_t stream) {
  t->generation_posted[stream] = 0;
  if (t->shape.queue[stream].state == EMPTY) take_next(t, stream);
}

/* Kinds too rare for a bucket of their own. */
static void on_rare_event(part *t, sim_event ev) {
  const event_kind kind = event_kind_of(ev);
  if (kind == DELIVER)
    on_deliver(t, event_subject(ev), ev.detail);
  else if (kind == GENERATION)
    on_generation(t, event_subject(ev));
  else if (kind == VANISH)
    on_vanish(t, event_subject(ev));
  else
    t->hook.event[kind - FEATURE_EVENTS](t, event_subject(ev), ev.detail);
}

static inline __attribute__((always_inline)) void on_event(part *t, uint32_t number, sim_event ev) {
  if (number == ARRIVE)
    on_arrive(t, event_subject(ev), ev.detail);
  else if (number == LEAVE)
    on_leave(t, event_subject(ev), ev.detail);
  else if (number == SPACE)
    on_space(t, event_subject(ev), (int32_t)ev.detail);
  else
    on_rare_event(t, ev);
}

/* Prefetches what the next event of a bucket reads first. A small fabric fits the second-level cache but not the first.
 * fetch.h does it for large ones. */
static inline __attribute__((always_inline)) void prefetch_event(const part *t, uint32_t number,
                                                                 const sim_event *next) {
  if (number != ARRIVE && number != LEAVE) return;
  const queue *q = &t->shape.queue[event_subject(*next)];
  if (number == ARRIVE) __builtin_prefetch(q);
  if (number == LEAVE && q->length > 1) __builtin_prefetch(&t->packet[slot_of(&t->shape, q, 1)->packet]);
}

/* Processes one bucket. */
static inline __attribute__((always_inline)) void arrivals_in(part *t, uint32_t number) {
  wheel *w = &t->wheel;
  for (sim_event *end = wheel_take(w, t->now, number); end;) {
    chunk *c = chunk_before(end);
    if (SELDOM(t->hook.fetch_events[number])) t->hook.fetch_events[number](t, c->event, end);
    for (const sim_event *event = c->event; event < end; event++) {
      prefetch_event(t, number, event + 1 < end ? event + 1 : event);
      on_event(t, number, *event);
    }
    end = wheel_drop(w, c);
  }
}

static __attribute__((noinline)) void pooled_spaces(part *t) {
  wheel *w = &t->wheel;
  for (sim_event *end = wheel_take(w, t->now, SPACE); end;) {
    chunk *c = chunk_before(end);
    for (const sim_event *event = c->event; event < end; event++)
      on_pooled_space(t, event_subject(*event), (int32_t)event->detail);
    end = wheel_drop(w, c);
  }
}

void arrivals(part *t) {
  arrivals_in(t, RARE); /* first: of an in-transit packet that arrives and a packet that leaves the same NIC, the NIC
                         * must see the arrival first */
  arrivals_in(t, ARRIVE);
  arrivals_in(t, LEAVE);
  if (SELDOM(t->shape.pools != NULL))
    pooled_spaces(t);
  else
    arrivals_in(t, SPACE);
  if (SELDOM(t->hook.all_here)) t->hook.all_here(t);
}

/* ------------------------------------------------------------------ grants */

/* Properties of the links: all with one delay, not very long, and at full rate; any delays; or some of them slow, too.
 * A constant at each call, so that a grant does only what its links need. */
typedef enum link_kinds { ALIKE, UNALIKE, SLOW } link_kinds;

/* Posts an event for the node beyond this output port. */
static inline __attribute__((always_inline)) void post_arrival(part *t, uint32_t port, uint32_t cycle, event_kind kind,
                                                               uint32_t subject, uint32_t packet_index,
                                                               link_kinds links) {
  if (links != ALIKE && !is_in_other_part(t, port))
    post_distant(t, cycle, kind, subject, packet_index);
  else
    post_beyond(t, port, cycle, kind, subject, packet_index);
}

/* Puts a packet on a link in this cycle. It arrives `later` cycles later than over a link at full rate. With
 * switch.forward = store no link is ALIKE. */
static inline __attribute__((always_inline)) void send(part *t, uint32_t port, uint32_t channel, uint32_t packet_index,
                                                       packet *p, uint32_t flits, uint32_t later, link_kinds links) {
  const shape *s = &t->shape;
  const uint32_t link = links != ALIKE && s->reach ? s->reach[port] : s->link;
  output *out = &s->output[port];
  p->hops++;
  if (SELDOM(t->hook.sending)) t->hook.sending(t, port, p);
  out->flits += flits;
  if (SELDOM(out->to_end)) {
    if (p->destination != out->next && t->hook.visiting) t->hook.visiting(t, port);
    post_arrival(t, port, t->now + link + flits - 1 + later, DELIVER, out->next, packet_index, links);
    return;
  }
  if (!is_interface(s, out->node)) t->measure.hops++;
  if (s->credits) s->space[port * s->channels + channel] -= units(s, flits);
  if (links != ALIKE && s->stores) later += flits - 1;
  if (links != ALIKE && SELDOM(s->pools != NULL)) pools_note(s, port, channel, units(s, flits));
  post_arrival(t, port, t->now + link + s->pipeline + later, ARRIVE, out->next + channel, packet_index, links);
}

void send_packet(part *t, uint32_t port, uint32_t channel, uint32_t packet_index) {
  packet *p = &t->packet[packet_index];
  if (SELDOM(t->special_grants))
    send(t, port, channel, packet_index, p, p->flits, 0, UNALIKE);
  else
    send(t, port, channel, packet_index, p, p->flits, 0, ALIKE);
}

void send_slowly(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint32_t later) {
  packet *p = &t->packet[packet_index];
  send(t, port, channel, packet_index, p, p->flits, later, SLOW);
}

static inline void note_injection(part *t, packet *p) {
  p->injected = t->now;
  measure_injected(&t->measure, t->now);
  if (SELDOM(t->hook.injected)) t->hook.injected(t, p);
}

/* Occupies the crossbar input of a queue. */
static inline __attribute__((always_inline)) void take_crossbar(const sim_node *n, const queue *q, uint32_t words) {
  if (words == 1)
    n->sets[2] |= sharers_of(q); /* busy */
  else
    add_sharers(busy_queues(n), words, q);
}

/* `local`: the port of the granted output VC; `words`: words per set of the node. */
static inline __attribute__((always_inline)) void grant_for(part *t, const sim_node *n, queue *q, head_request granted,
                                                            uint32_t local, uint32_t words, stay stays,
                                                            link_kinds links) {
  const shape *s = &t->shape;
  const uint32_t channels = s->channels, channel = granted.vc - local * channels, port = n->port + local;
  const uint32_t packet_index = s->slot[q->slot + q->head].packet;
  packet *p = &t->packet[packet_index];
  const uint32_t flits = q->flits; /* the packet's; reading its row here would miss the cache */
  p->header = granted.candidates->header;
  if (SELDOM(granted.candidates->marks)) p->marks |= granted.candidates->marks;
  drop_candidates_in(t, n, q, words);
  q->state = LEAVING;
  q->last_port = (uint16_t)local;
  take_crossbar(n, q, words);
  s->output[port].busy = t->now + stays.output;
  add_some(shut_vcs(n), words, granted.vc - channel, channels); /* the link is taken */
  if (links == SLOW)
    post_distant(t, t->now + stays.queue, LEAVE, index_of(s, q), port);
  else
    post(t, t->now + stays.queue, LEAVE, index_of(s, q), port);
  if (SELDOM(is_interface(s, q->node))) {
    if (p->hops == 0) note_injection(t, p); /* else it is an in-transit packet */
  } else if (SELDOM(t->hook.granted)) {
    t->hook.granted(t, port * channels + channel, packet_index);
    return;
  }
  send(t, port, channel, packet_index, p, flits, stays.later, links);
}

/* The crossbar, and a link at full rate, carry one flit per cycle. */
static inline stay usual_stay(const queue *q) { return (stay){.queue = q->flits, .output = q->flits}; }

static void grant_slowly(part *t, const sim_node *n, queue *q, head_request granted, uint32_t local) {
  const stay stays = t->hook.occupancy(t, q, local);
  if (is_fed_by_other_part(t, q)) send_credits(t, q, t->now + stays.queue);
  grant_for(t, n, q, granted, local, n->words, stays, SLOW);
}

/* Not inlined, so that the common grant keeps no registers for it. */
static __attribute__((noinline)) void grant_unalike(part *t, const sim_node *n, queue *q, head_request granted,
                                                    uint32_t local) {
  if (t->hook.leaving) t->hook.leaving(t, q, granted.vc);
  if (t->hook.occupancy) {
    grant_slowly(t, n, q, granted, local);
    return;
  }
  if (is_fed_by_other_part(t, q)) send_credits(t, q, t->now + q->flits);
  grant_for(t, n, q, granted, local, n->words, usual_stay(q), UNALIKE);
}

static inline __attribute__((always_inline)) void grant(part *t, const sim_node *n, queue *q, head_request granted,
                                                        uint32_t local, uint32_t words) {
  if (SELDOM(t->special_grants)) {
    grant_unalike(t, n, q, granted, local);
    return;
  }
  grant_for(t, n, q, granted, local, words, usual_stay(q), ALIKE);
  if (SELDOM(is_fed_by_other_part(t, q))) send_credits(t, q, t->now + q->flits);
}

/* The witness of lost packets is the first by (cycle, node, queue), independent of the order of work. */
void note_no_candidate(part *t, const queue *q, const packet *p) {
  first_loss *first = &t->first_loss;
  if (SELDOM(t->hook.no_candidate) && !t->hook.no_candidate(t, q, p)) return;
  t->measure.disconnected++;
  if (first->cycle < t->now || (first->cycle == t->now && first->queue <= index_of(&t->shape, q))) return;
  describe_loss(t, q, p, first);
}

/* False: the head is a control packet, and the control module takes another one or is busy. */
static bool discard(part *t, const sim_node *n, queue *q) {
  packet *p = head_of(t, q);
  if (SELDOM(t->hook.discarding) && !t->hook.discarding(t, q)) return false;
  if (!p->truncated) {
    note_no_candidate(t, q, p);
    lose(t, p, q->node, loss_of(q));
  }
  drop_candidates(t, q);
  q->state = LEAVING;
  take_crossbar(n, q, n->words);
  post(t, t->now + p->flits, VANISH, index_of(&t->shape, q), 0);
  if (is_fed_by_other_part(t, q)) send_credits(t, q, t->now + p->flits);
  return true;
}

void grant_head(part *t, const sim_node *n, queue *q, head_request granted, uint32_t local) {
  grant(t, n, q, granted, local, n->words);
}

void discard_head(part *t, const sim_node *n, queue *q) { discard(t, n, q); }

/* ------------------------------------------------------------------ rounds */

static inline void describe_request(part *t, const queue *q, head_request wanted, uint32_t local) {
  if (USUALLY(!t->shape.weighs)) return;
  t->request_channel[q->number] = t->shape.channel_of_plan[wanted.vc - local * t->shape.channels];
  t->request_flits[q->number] = q->flits;
}

/* Requests the head's open candidate, if it has one. The head's queue is bit `self` of word `word` in the node's sets.
 * A node of one word has at most 64 ports. */
static inline __attribute__((always_inline)) bool request(part *t, const sim_node *n, const queue *q, uint32_t words,
                                                          uint32_t word, uint64_t self) {
  head_request wanted = choose_candidate(t, q, n);
  if (!wanted.candidates)
    return false; /* NOLINT(*-core.uninitialized.Branch): a selection function returns one of the candidates given */
  const uint32_t local = port_of_vc(&t->shape, wanted.vc);
  t->request[local * words + word] |= self;
  t->requested[words == 1 ? 0 : local / 64] |= bit(local);
  t->head_request[q->number] = wanted;
  describe_request(t, q, wanted, local);
  return true;
}

/* Removes the heads that share this queue's crossbar input from the contenders of this cycle. */
static inline __attribute__((always_inline)) void take_input_from_contenders(part *t, const queue *q, uint32_t words) {
  if (words == 1)
    *t->contender &= ~sharers_of(q);
  else
    take_sharers(t->contender, words, q);
}

static __attribute__((noinline, cold)) void discard_all(part *t, const sim_node *n) {
  for (uint32_t w = 0; w < n->words; w++)
    for (uint64_t set = t->discarded[w]; set; set &= set - 1) {
      queue *q = &t->shape.queue[n->queue + 64 * w + (uint32_t)__builtin_ctzll(set)];
      if (busy_queues(n)[w] & set & -set || !discard(t, n, q)) continue;
      take_input_from_contenders(t, q, n->words);
    }
}

/* Requests of the first round: those of heads that an event marked. Discards come first, because a discard occupies a
 * crossbar input, and requests from that input do not count. */
static inline __attribute__((always_inline)) bool first_requests(part *t, const sim_node *n, uint32_t words) {
  bool requests = false, discards = false;
  for (uint32_t w = 0; w < words; w++) {
    uint64_t set = dirty_queues(n)[w], contenders = 0;
    t->fresh[w] = set & ~listed_queues(n)[w];
    dirty_queues(n)[w] = t->discarded[w] = 0;
    for (set &= ~busy_queues(n)[w]; set; set &= set - 1) {
      queue *q = &t->shape.queue[n->queue + 64 * w + (uint32_t)__builtin_ctzll(set)];
      const uint64_t self = set & -set;
      if (q->state != WAITING) continue;
      if (SELDOM(!any_candidate(q))) {
        t->discarded[w] |= self;
        discards = true;
      } else if (request(t, n, q, words, w, self)) {
        contenders |= self;
      }
    }
    t->contender[w] = contenders;
    requests |= contenders != 0;
  }
  if (SELDOM(discards)) discard_all(t, n);
  return requests;
}

/* Requests of later rounds: those of contenders without a grant. A head without an open candidate stops being a
 * contender. */
static inline __attribute__((always_inline)) bool next_requests(part *t, const sim_node *n, uint32_t words) {
  bool requests = false;
  for (uint32_t w = 0; w < words; w++)
    for (uint64_t set = t->contender[w]; set; set &= set - 1) {
      const queue *q = &t->shape.queue[n->queue + 64 * w + (uint32_t)__builtin_ctzll(set)];
      if (request(t, n, q, words, w, set & -set))
        requests = true;
      else
        t->contender[w] &= ~(set & -set);
    }
  return requests;
}

/* Keeps only the request of the highest class at a NIC, whose queues are numbered by class. */
static __attribute__((noinline, cold)) void leave_urgent(const shape *s, const sim_node *n, uint64_t *request) {
  if (is_interface(s, (uint32_t)(n - s->node))) *request = bit(ripstop_log2_64(*request));
}

static inline __attribute__((always_inline)) void serve_output(part *t, const sim_node *n, uint32_t local,
                                                               uint32_t words) {
  uint64_t *request = &t->request[local * words], any = 0;
  for (uint32_t w = 0; w < words; w++) any |= request[w] &= t->contender[w];
  if (any) {
    if (SELDOM(t->shape.urgent) && words == 1) leave_urgent(&t->shape, n, request);
    uint32_t winner = pick_request(t, n, local, request, words);
    queue *q = &t->shape.queue[n->queue + winner];
    grant(t, n, q, t->head_request[winner], local, words);
    take_input_from_contenders(t, q, words);
  }
  for (uint32_t w = 0; w < words; w++) request[w] = 0;
}

static inline __attribute__((always_inline)) void serve_outputs(part *t, const sim_node *n, uint32_t words) {
  for (uint32_t w = 0; w <= (words == 1 ? 0 : (n->ports - 1u) / 64); w++) {
    uint64_t set = t->requested[w];
    t->requested[w] = 0;
    for (; set; set &= set - 1) serve_output(t, n, 64 * w + (uint32_t)__builtin_ctzll(set), words);
  }
}

/* Lists the heads that were tried for the first time and still wait. */
static inline void list_fresh(const part *t, const sim_node *n, uint32_t words) {
  for (uint32_t w = 0; w < words; w++)
    for (uint64_t set = t->fresh[w]; set; set &= set - 1) {
      queue *q = &t->shape.queue[n->queue + 64 * w + (uint32_t)__builtin_ctzll(set)];
      if (q->state == WAITING) list_head(n, q);
    }
}

static inline __attribute__((always_inline)) void decide_rounds(part *t, const sim_node *n, uint32_t words) {
  for (bool requests = first_requests(t, n, words); requests; requests = next_requests(t, n, words))
    serve_outputs(t, n, words);
  list_fresh(t, n, words);
}

/* Serves the requests of queues for the outputs from `from` on, before `to`. */
static inline void serve_queues(part *t, const sim_node *n, uint32_t from, uint32_t to) {
  for (uint32_t local = from; local < to; local++) {
    uint64_t *word = &t->requested[local / 64];
    if (!(*word & bit(local))) continue;
    *word &= ~bit(local);
    serve_output(t, n, local, n->words);
  }
}

/* Serves all outputs, in another order in each cycle. */
static void serve_in_turn(part *t, const sim_node *n) {
  const uint32_t first = first_output(t->now, n->ports);
  serve_queues(t, n, first, n->ports);
  serve_queues(t, n, 0, first);
}

/* With one head to be tried the order of outputs does not matter. */
void turning_rounds(part *t, const sim_node *n) {
  const uint64_t dirty = *dirty_queues(n);
  if (is_interface(&t->shape, (uint32_t)(n - t->shape.node)) || (n->words == 1 && !(dirty & (dirty - 1)))) {
    usual_rounds(t, n);
    return;
  }
  for (bool requests = first_requests(t, n, n->words); requests; requests = next_requests(t, n, n->words))
    serve_in_turn(t, n);
  list_fresh(t, n, n->words);
}

/* switch.escape: exhausted. A grant takes space that other heads wait for, which may then request candidates of a
 * higher rank. So every round tries all waiting heads. */
void exhausted_rounds(part *t, const sim_node *n) {
  bool requests;
  do {
    for (uint32_t w = 0; w < n->words; w++) dirty_queues(n)[w] |= listed_queues(n)[w];
    requests = first_requests(t, n, n->words);
    if (requests) serve_outputs(t, n, n->words);
    list_fresh(t, n, n->words);
  } while (requests);
}

/* The same, with outputs in turn. Apart, so that the code above stays what it is. */
void exhausted_turning_rounds(part *t, const sim_node *n) {
  for (bool requests = true; requests;) {
    for (uint32_t w = 0; w < n->words; w++) dirty_queues(n)[w] |= listed_queues(n)[w];
    requests = first_requests(t, n, n->words);
    if (requests) serve_in_turn(t, n);
    list_fresh(t, n, n->words);
  }
}

void grant_at_once(part *t, queue *q) {
  const sim_node *n = &t->shape.node[q->node];
  if (q->state != WAITING || !any_candidate(q)) return;
  head_request wanted = choose_candidate(t, q, n);
  if (wanted.candidates) grant(t, n, q, wanted, port_of_vc(&t->shape, wanted.vc), n->words);
}

/* Not inlined, so that the usual node keeps its sets in registers. */
static __attribute__((noinline)) void decide_many(part *t, const sim_node *n) { decide_rounds(t, n, n->words); }

/* The usual case, one dirty head in a node of at most 64 queues: the same rounds without the tables of requests. */
static inline __attribute__((always_inline)) void decide_one(part *t, const sim_node *n, uint64_t dirty) {
  queue *q = &t->shape.queue[n->queue + (uint32_t)__builtin_ctzll(dirty)];
  const bool free = !(n->sets[2] & dirty); /* busy */
  *dirty_queues(n) = 0;
  if (q->state != WAITING) return;
  if (SELDOM(free && !any_candidate(q))) {
    if (!discard(t, n, q) && !(*listed_queues(n) & dirty)) list_head(n, q);
    return;
  }
  head_request wanted = free ? choose_candidate(t, q, n) : (head_request){0};
  if (!wanted.candidates) {
    if (!(*listed_queues(n) & dirty)) list_head(n, q);
    return;
  }
  const uint32_t local = port_of_vc(&t->shape, wanted.vc);
  describe_request(t, q, wanted, local);
  pick_request(t, n, local, &dirty, 1);
  grant(t, n, q, wanted, local, 1);
}

/* The rounds of a node that no hook replaces. */
static inline __attribute__((always_inline)) void decide_usual(part *t, const sim_node *n, uint64_t dirty) {
  if (SELDOM(n->words > 1))
    decide_many(t, n);
  else if (dirty & (dirty - 1))
    decide_rounds(t, n, 1);
  else if (dirty)
    decide_one(t, n, dirty);
}

void usual_rounds(part *t, const sim_node *n) { decide_usual(t, n, *dirty_queues(n)); }

static void decide(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  uint64_t dirty = *dirty_queues(n);
  if (SELDOM(t->hook.deciding)) t->hook.deciding(t, v);
  if (SELDOM(t->hook.rounds))
    t->hook.rounds(t, n);
  else
    decide_usual(t, n, dirty);
  if (SELDOM(t->hook.decided) && !is_interface(&t->shape, v)) t->hook.decided(t, n);
}

/* Prefetches the first head that the next node tries. */
static inline void prefetch_head(const part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  const uint64_t dirty = *dirty_queues(n);
  __builtin_prefetch(&t->shape.queue[n->queue + (dirty ? (uint32_t)__builtin_ctzll(dirty) : 0)]);
}

void decisions(part *t) {
  if (SELDOM(t->hook.before_decisions)) t->hook.before_decisions(t);
  uint32_t count = t->active_count, *now_active = t->active;
  t->decides = true;
  t->active = t->active_next;
  t->active_next = now_active;
  t->active_count = 0;
  for (uint32_t i = 0; i < count; i++) t->shape.node[now_active[i]].awake = 0;
  if (SELDOM(t->hook.deciders)) count = t->hook.deciders(t, now_active, count);
  for (uint32_t i = 0; i < count; i++) {
    if (SELDOM(t->hook.fetch_nodes) && i % FETCH_NODES == 0)
      t->hook.fetch_nodes(t, &now_active[i], count - i < FETCH_NODES ? count - i : FETCH_NODES);
    prefetch_head(t, now_active[i + 1 < count ? i + 1 : i]);
    decide(t, now_active[i]);
  }
  t->decides = false;
}

/* ------------------------------------------------------------------ the loop */

static void begin(run *r) {
  r->begun = true;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++)
    take_next(part_of(r, stream / r->shape->classes), stream);
  call_hooks(r->part->hook.started, r);
}

void begin_cycle(run *r) {
  const hooks *hook = &r->part->hook;
  if (r->part->measure.start == RIPSTOP_NONE) measure_warmup(r);
  measure_close_due(r);
  if (r->next_change < r->changes && r->change[r->next_change].cycle == r->part->now) apply_changes(r);
  call_hooks(hook->changed, r);
  for (uint32_t i = 0; i < r->shape->parts; i++) arrivals(&r->part[i]);
  call_hooks(hook->arrived, r);
}

void end_cycle(run *r) {
  uint32_t now = r->part->now;
  if (r->part->measure.start == now) measure_begin(r);
  bool failed = run_failed(r);
  for (uint32_t i = 0; i < r->shape->parts && !failed; i++) decisions(&r->part[i]);
  threads_exchange(r); /* the rest of the cycle reads no outbox */
  if (now % STOP_CYCLES == 0 && ripstop_stopped(r->config->stop)) run_give_up(r, &(ripstop_error){.text = "stopped"});
  call_hooks(r->part->hook.over, r);
  bool deadlock = is_look(r) && !run_failed(r) && show_deadlock_packets(r);
  for (uint32_t i = 0; i < r->shape->parts; i++) r->part[i].now++;
  r->deadlocked = deadlock;
}

void engine_run(run *r, uint32_t until) {
  if (!r->begun) begin(r);
  if (r->shape->parts > 1) {
    threads_run(r, until);
    return;
  }
  while (r->part->now < until && !run_ended(r)) {
    begin_cycle(r);
    end_cycle(r);
    plain_skip(r, until);
  }
}
