/* core.c - the event loop: packet-level virtual cut-through. Read this first; state.h has the data and its invariants,
 * docs/model.md the rules, births.c takes packets from their sources, heads.c asks methods for ways, choose.h chooses
 * among them, change.c says what happens when parts fail, open.c where everything is allocated. What not every run
 * needs hangs on hooks (hooks.h), a file for each.
 *
 * A hop is three events (a head arrives, a queue and a link are free, the sender learns of the space) and one grant.
 * Work is done only where something may have changed: an event marks the waiting heads that it may have freed as dirty
 * and wakes their node; after the arrivals of the cycle the awake nodes decide, each with its own state alone. Nothing
 * here allocates. */
#include "simulate/core.h"

#include "ripstop/plugin/method.h"
#include "simulate/change.h"
#include "simulate/choose.h"
#include "simulate/deadlock.h"
#include "simulate/threads.h"

#include "base/no_heap.h"

/* ------------------------------------------------------------------ queues and losses */

static void pop(part *t, queue *q) {
  if (++q->head == t->shape.ring) q->head = 0;
  q->length--;
  q->state = EMPTY;
}

void lose(part *t, packet *p, uint32_t cause) {
  if (p->truncated) return;
  if (t->hook.lost) t->hook.lost(t, p);
  p->truncated = true;
  t->measure.lost_underway += p->hops > 0;
  measure_lost(&t->measure, t->now, cause, p->flits);
}

/* ------------------------------------------------------------------ arrivals */

static inline void on_arrive(part *t, uint32_t index, uint32_t packet_index) {
  if (t->hook.held) t->hook.held(t, index, units_of(&t->shape, &t->packet[packet_index]));
  push(t, &t->shape.queue[index], packet_index, t->now - t->shape.pipeline);
}

/* The crossbar side of an input port is free: heads of its other channels may go. */
static inline void wake_side(part *t, const queue *q) {
  const queue *first = q - q->channel;
  for (uint32_t c = 0; c < t->shape.channels; c++)
    if (first[c].state == WAITING) wake_queue(t, &first[c]);
}

static inline void interface_left(part *t, uint32_t index) {
  if (t->hook.left_interface) t->hook.left_interface(t, index);
  take_next(t, index);
}

/* The units of a packet that has left a switch's queue are free. */
static inline void give_back(part *t, const queue *q) {
  const shape *s = &t->shape;
  if (t->hook.held)
    t->hook.held(t, index_of(s, q), -units(s, q->flits));
  else
    post_beyond(t, s->node[q->node].port + q->in_port, t->now + s->credit, SPACE, q->upstream,
                (uint32_t)units(s, q->flits));
}

/* The queue's next packet and those of its port's other channels go on. */
static inline void queue_left(part *t, queue *q) {
  give_back(t, q);
  if (q->length) become_head(t, q);
  if (t->shape.channels > 1) wake_side(t, q);
}

static inline void on_leave(part *t, uint32_t index, uint32_t out_port) {
  queue *q = &t->shape.queue[index];
  pop(t, q);
  if (is_interface(&t->shape, q->node)) {
    wake_output(t, q->node, 0);
    interface_left(t, index);
    return;
  }
  queue_left(t, q);
  wake_output(t, q->node, t->shape.output[out_port].local);
  if (t->hook.output_freed) t->hook.output_freed(t, q->node);
}

static void on_vanish(part *t, uint32_t index) {
  queue *q = &t->shape.queue[index];
  free_packet(t, t->shape.slot[q->slot + q->head].packet);
  pop(t, q);
  if (is_interface(&t->shape, q->node))
    interface_left(t, index);
  else
    queue_left(t, q);
}

static inline void on_space(part *t, uint32_t lane, int32_t units) {
  t->shape.space[lane] += units;
  wake_link(t, lane / t->shape.channels);
}

static void break_delivery(part *t, const packet *p, uint32_t end) {
  ripstop_error *err = run_fail(t->run, end, p->class_);
  if (err)
    ripstop_fail(err, "method %s: a packet from end node %u to %u came to %u", t->run->plan->method->name, p->source,
                 p->destination, end);
}

static inline void on_deliver(part *t, uint32_t end, uint32_t packet_index) {
  packet *p = &t->packet[packet_index];
  if (p->destination != end && t->hook.stranger) {
    t->hook.stranger(t, end, packet_index);
    return;
  }
  if (p->destination != end) {
    break_delivery(t, p, end);
  } else if (!p->truncated) {
    measure_delivered(&t->measure, p, t->now);
    for (uint32_t i = 0; t->hook.delivered[i]; i++) t->hook.delivered[i](t, p);
  }
  free_packet(t, packet_index);
}

static inline void on_birth(part *t, uint32_t stream) {
  t->birth_posted[stream] = 0;
  if (t->shape.queue[stream].state == EMPTY) take_next(t, stream);
}

static inline void on_event(part *t, sim_event ev) {
  switch (ev.kind) {
  case ARRIVE:
    on_arrive(t, ev.subject, ev.detail);
    break;
  case LEAVE:
    on_leave(t, ev.subject, ev.detail);
    break;
  case VANISH:
    on_vanish(t, ev.subject);
    break;
  case SPACE:
    on_space(t, ev.subject, (int32_t)ev.detail);
    break;
  case DELIVER:
    on_deliver(t, ev.subject, ev.detail);
    break;
  case BIRTH:
    on_birth(t, ev.subject);
    break;
  default:
    t->hook.event[ev.kind - FEATURE_EVENTS](t, ev.subject, ev.detail);
  }
}

void arrivals(part *t) {
  wheel *w = &t->wheel;
  uint32_t index = w->bucket[t->now & w->mask];
  w->bucket[t->now & w->mask] = RIPSTOP_NONE;
  while (index != RIPSTOP_NONE) {
    chunk *c = &w->chunk[index];
    if (t->hook.fetch_events) t->hook.fetch_events(t, c);
    for (uint32_t i = 0; i < c->count; i++) on_event(t, c->event[i]);
    uint32_t next = c->next;
    c->next = w->free;
    w->free = index;
    index = next;
  }
}

/* ------------------------------------------------------------------ grants */

/* A packet takes a link in this cycle: it will be at the other end, `later` cycles later than by a link at full rate.
 */
static inline void send(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint32_t later) {
  const shape *s = &t->shape;
  packet *p = &t->packet[packet_index];
  const output *out = &s->output[port];
  p->hops++;
  if (t->hook.sending) t->hook.sending(t, port, p);
  t->measure.link_flits[port] += p->flits;
  if (out->to_end) {
    if (p->destination != out->next && t->hook.visiting) t->hook.visiting(t, port);
    post_beyond(t, port, t->now + s->link + p->flits - 1 + later, DELIVER, out->next, packet_index);
    return;
  }
  if (!is_interface(s, out->node)) t->measure.hops++;
  if (s->credits) s->space[port * s->channels + channel] -= units_of(s, p);
  post_beyond(t, port, t->now + s->link + s->pipeline + later, ARRIVE, out->next + channel, packet_index);
}

void send_packet(part *t, uint32_t port, uint32_t channel, uint32_t packet_index, uint32_t later) {
  send(t, port, channel, packet_index, later);
}

static inline void note_injection(part *t, packet *p) {
  p->injected = t->now;
  measure_injected(&t->measure, t->now);
  if (t->hook.injected) t->hook.injected(t, p);
}

static inline __attribute__((always_inline)) void grant_for(part *t, queue *q, const ripstop_way *granted,
                                                            uint32_t later) {
  const shape *s = &t->shape;
  uint32_t packet_index = s->slot[q->slot + q->head].packet;
  packet *p = &t->packet[packet_index];
  ripstop_way way = *granted;
  uint32_t port = s->node[q->node].port + way.port, until = t->now + p->flits + later;
  drop_ways(t, q);
  q->state = LEAVING;
  q->last_port = way.port;
  *side_busy(q) = until;
  s->output[port].busy = until;
  p->header = way.header;
  p->marks |= way.marks;
  post(t, until, LEAVE, index_of(s, q), port);
  if (is_interface(s, q->node)) {
    if (p->hops == 0) note_injection(t, p); /* else: a packet that was here for a while only */
  } else if (t->hook.granted) {
    t->hook.granted(t, port * s->channels + way.channel, packet_index);
    return;
  }
  send(t, port, way.channel, packet_index, later);
}

/* Apart, so that the grant that every run needs keeps nothing in mind for this one. */
static __attribute__((noinline)) void grant_paced(part *t, queue *q, const ripstop_way *way) {
  grant_for(t, q, way, t->hook.pace(t, q, way->port));
}

static inline void grant(part *t, queue *q, const ripstop_way *way) {
  if (t->hook.pace)
    grant_paced(t, q, way);
  else
    grant_for(t, q, way, 0);
}

/* The witness of lost packets is the first by (cycle, node, queue), in whatever order they come. */
static void note_loss(part *t, const queue *q, const packet *p) {
  first_loss *first = &t->first_loss;
  if (t->hook.no_way && !t->hook.no_way(t, q, p)) return;
  t->measure.disconnected++;
  if (first->cycle < t->now || (first->cycle == t->now && first->queue < index_of(&t->shape, q))) return;
  describe_loss(t, q, first);
}

static void discard(part *t, queue *q) {
  packet *p = head_of(t, q);
  if (!p->truncated) {
    note_loss(t, q, p);
    lose(t, p, *loss_of(&t->shape, q));
  }
  q->state = LEAVING;
  *side_busy(q) = t->now + p->flits;
  post(t, t->now + p->flits, VANISH, index_of(&t->shape, q), 0);
}

/* ------------------------------------------------------------------ rounds */

/* Discards come first; what is left in `candidate` wants an output. */
static bool take_candidates(part *t, const sim_node *n) {
  const shape *s = &t->shape;
  uint64_t any = 0;
  for (uint32_t w = 0; w < n->words; w++) {
    uint64_t set = s->bits[n->dirty + w], keep = set;
    s->bits[n->dirty + w] = 0;
    for (; set; set &= set - 1) {
      uint32_t number = 64 * w + (uint32_t)__builtin_ctzll(set);
      queue *q = &s->queue[n->queue + number];
      if (q->state == WAITING && q->ways) continue;
      keep &= ~bit(number);
      if (q->state == WAITING && *side_busy(q) <= t->now) discard(t, q);
    }
    t->candidate[w] = keep;
    any |= keep;
  }
  return any != 0;
}

/* Every candidate whose input side is free requests an open way; those that cannot are no candidates any more. */
static bool collect_requests(part *t, const sim_node *n) {
  const shape *s = &t->shape;
  bool any = false;
  for (uint32_t w = 0; w < n->words; w++)
    for (uint64_t set = t->candidate[w]; set; set &= set - 1) {
      uint32_t number = 64 * w + (uint32_t)__builtin_ctzll(set);
      queue *q = &s->queue[n->queue + number];
      int chosen = *side_busy(q) > t->now ? -1 : choose_way(t, q, n);
      if (chosen < 0) {
        t->candidate[w] &= ~bit(number);
        continue;
      }
      const ripstop_way *way = &ways_of(s, q)[chosen];
      t->request[way->port * n->words + w] |= bit(number);
      t->requested[way->port / 64] |= bit(way->port);
      t->request_way[number] = (uint8_t)chosen;
      t->request_channel[number] = way->channel;
      t->request_flits[number] = q->flits;
      any = true;
    }
  return any;
}

static uint32_t ask_arbiter(const part *t, const sim_node *n, uint32_t local, const ripstop_requests *requests) {
  const shape *s = &t->shape;
  size_t port = n->port + local;
  return s->arbiter->pick(s->arbiter_config, s->arbiter_state + port * s->arbiter_bytes, requests);
}

static void serve_output(part *t, const sim_node *n, uint32_t local) {
  const shape *s = &t->shape;
  uint64_t *request = &t->request[local * n->words], any = 0;
  for (uint32_t w = 0; w < n->words; w++) {
    for (uint64_t set = request[w]; set; set &= set - 1) {
      uint32_t number = 64 * w + (uint32_t)__builtin_ctzll(set);
      if (*side_busy(&s->queue[n->queue + number]) > t->now) request[w] &= ~bit(number);
    }
    any |= request[w];
  }
  if (any) {
    ripstop_requests requests = {.bits = request,
                                 .words = n->words,
                                 .channel = t->request_channel,
                                 .flits = t->request_flits,
                                 .enters = entering(s, n)};
    uint32_t winner = ask_arbiter(t, n, local, &requests);
    queue *q = &s->queue[n->queue + winner];
    grant(t, q, &ways_of(s, q)[t->request_way[winner]]);
    t->candidate[winner / 64] &= ~bit(winner);
  }
  for (uint32_t w = 0; w < n->words; w++) request[w] = 0;
}

static void serve_outputs(part *t, const sim_node *n) {
  for (uint32_t w = 0; w <= (n->ports - 1) / 64; w++) {
    uint64_t set = t->requested[w];
    t->requested[w] = 0;
    for (; set; set &= set - 1) serve_output(t, n, 64 * w + (uint32_t)__builtin_ctzll(set));
  }
}

/* The usual case, one head in a node of at most 64 queues: the rounds, without their tables. */
static inline __attribute__((always_inline)) void decide_one(part *t, const sim_node *n, uint64_t dirty) {
  const shape *s = &t->shape;
  uint32_t number = (uint32_t)__builtin_ctzll(dirty);
  queue *q = &s->queue[n->queue + number];
  s->bits[n->dirty] = 0;
  if (q->state != WAITING || *side_busy(q) > t->now) return;
  if (q->ways == 0) {
    discard(t, q);
    return;
  }
  int chosen = choose_way(t, q, n);
  if (chosen < 0) return;
  const ripstop_way *way = &ways_of(s, q)[chosen];
  t->request_channel[number] = way->channel;
  t->request_flits[number] = q->flits;
  ask_arbiter(t, n, way->port,
              &(ripstop_requests){.bits = &dirty,
                                  .words = 1,
                                  .channel = t->request_channel,
                                  .flits = t->request_flits,
                                  .enters = entering(s, n)});
  grant(t, q, way);
}

static void decide(part *t, uint32_t v) {
  const sim_node *n = &t->shape.node[v];
  uint64_t dirty = t->shape.bits[n->dirty];
  if (t->hook.deciding) t->hook.deciding(t, v);
  if (n->words == 1 && (dirty & (dirty - 1)) == 0) {
    if (dirty) decide_one(t, n, dirty);
  } else if (take_candidates(t, n)) {
    while (collect_requests(t, n)) serve_outputs(t, n);
  }
  if (t->hook.decided && !is_interface(&t->shape, v)) t->hook.decided(t, n);
}

void decisions(part *t) {
  uint32_t count = t->active_count, *now_active = t->active;
  t->decides = true;
  t->active = t->active_next;
  t->active_next = now_active;
  t->active_count = 0;
  for (uint32_t i = 0; i < count; i++) t->shape.node[now_active[i]].awake = 0;
  if (t->hook.deciders) count = t->hook.deciders(t, now_active, count);
  for (uint32_t i = 0; i < count; i++) {
    if (t->hook.fetch_nodes && i % FETCH_NODES == 0)
      t->hook.fetch_nodes(t, &now_active[i], count - i < FETCH_NODES ? count - i : FETCH_NODES);
    decide(t, now_active[i]);
  }
  t->decides = false;
}

/* ------------------------------------------------------------------ the loop */

enum { STOP_CYCLES = 1024 }; /* between two looks at the flag that stops the run */

static void begin(run *r) {
  r->begun = true;
  for (uint32_t stream = 0; stream < r->shape->streams; stream++)
    take_next(part_of(r, stream / r->shape->classes), stream);
  call_hooks(r->part->hook.started, r);
}

/* One cycle, with whatever there is to be done in it, by one thread. */
static void run_cycle(run *r) {
  uint32_t now = r->part->now, parts = r->shape->parts;
  const hooks *hook = &r->part->hook;
  if (r->part->measure.start == RIPSTOP_NONE) measure_warmup(r);
  measure_close_due(r);
  if (r->next_change < r->changes && r->change[r->next_change].cycle == now) apply_changes(r);
  call_hooks(hook->changed, r);
  for (uint32_t i = 0; i < parts; i++) arrivals(&r->part[i]);
  call_hooks(hook->arrived, r);
  if (r->part->measure.start == now) measure_begin(r);
  bool failed = run_failed(r);
  for (uint32_t i = 0; i < parts && !failed; i++) decisions(&r->part[i]);
  if (now % STOP_CYCLES == 0 && ripstop_stopped(r->config->stop)) run_give_up(r, &(ripstop_error){.text = "stopped"});
  call_hooks(hook->over, r);
}

/* What outboxes hold goes where it belongs; the clocks go on. */
static void end_cycle(run *r) {
  threads_exchange(r);
  bool deadlock = is_look(r) && !run_failed(r) && deadlock_standing(r);
  for (uint32_t i = 0; i < r->shape->parts; i++) r->part[i].now++;
  r->deadlocked = deadlock;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The first cycle from now on, `until` at most, in which one thread has to do something for all parts. */
static uint32_t next_special(const run *r, uint32_t until) {
  const measure *m = &r->part->measure;
  uint32_t now = r->part->now, check = (uint32_t)r->config->measure.check;
  uint32_t next = least(until, least(r->end - 1, (now / check + 1) * check - 1)); /* searches, is_look */
  next = least(next, (now + STOP_CYCLES - 1) / STOP_CYCLES * STOP_CYCLES);
  if (changes_ahead(r)) next = least(next, (uint32_t)r->change[r->next_change].cycle);
  if (m->start == RIPSTOP_NONE) return least(next, (now + WARMUP_BLOCK - 1) / WARMUP_BLOCK * WARMUP_BLOCK);
  if (now <= m->start) return least(next, m->start);
  return least(next, m->batch_end);
}

void engine_run(run *r, uint32_t until) {
  if (!r->begun) begin(r);
  while (r->part->now < until && !run_ended(r)) {
    uint32_t plain = r->shape->parts > 1 ? next_special(r, until) - r->part->now : 0;
    if (plain > 0) threads_run(r, plain);
    if (r->part->now == until || run_ended(r)) return;
    run_cycle(r);
    end_cycle(r);
  }
}
