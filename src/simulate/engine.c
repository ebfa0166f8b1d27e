/* engine.c - the event loop: packet-level virtual cut-through. Read this first; state.h has the data and its
 * invariants, docs/model.md the rules, change.c what happens when parts fail, build.c where everything is allocated.
 *
 * A hop is three events (a head arrives, a queue and a link are free, the sender learns of the space) and one grant.
 * Work is done only where something may have changed: an event marks the waiting heads that it may have freed as dirty
 * and wakes their node; after the arrivals of the cycle the awake nodes decide, each with its own state alone. Nothing
 * here allocates. */
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/method.h"
#include "simulate/control.h"
#include "simulate/fetch.h"
#include "simulate/guests.h"
#include "simulate/players.h"
#include "simulate/state.h"
#include "simulate/watch.h"

#include "base/no_heap.h"

/* ------------------------------------------------------------------ waking */

void wake_node(engine *e, uint32_t v) {
  if (e->node[v].awake) return;
  e->node[v].awake = 1;
  e->active[e->active_count++] = v;
}

void wake_queue(engine *e, queue *q) {
  e->bits[e->node[q->node].dirty + q->number / 64] |= bit(q->number);
  wake_node(e, q->node);
}

static inline uint64_t lanes_of(const engine *e, uint32_t local) {
  return ((UINT64_C(1) << e->channels) - 1) << (local * e->channels & 63);
}

/* All heads that want an output. */
static inline void wake_output(engine *e, uint32_t v, uint32_t local) {
  const sim_node *n = &e->node[v];
  const uint64_t *want = &e->bits[n->want + local * n->words];
  uint64_t *dirty = &e->bits[n->dirty], any = 0;
  *shut_lanes(e, n) &= ~lanes_of(e, local);
  for (uint32_t i = 0; i < n->words; i++) {
    dirty[i] |= want[i];
    any |= want[i];
  }
  if (any) wake_node(e, v);
}

/* ------------------------------------------------------------------ heads and their ways */

static void break_rule(engine *e, const queue *q, const char *what, unsigned number) {
  char name[RIPSTOP_NAME_MAX];
  if (e->failed) return;
  ripstop_node_name(e->fabric, q->node, name);
  ripstop_fail(e->err, "method %s: at %s it answers with %s %u", e->plan->method->name, name, what, number);
  e->failed = true;
}

static inline int32_t units_needed(const engine *e, const queue *q, uint32_t space) {
  if (space == 1) return units(e, q->flits);
  return space == GUEST ? END_SPACE + 1 : units(e, q->flits) + units(e, e->longest);
}

/* A way through a dead port is a method's mistake, but for a switch whose protocol has not found out yet. */
static bool is_alive(const engine *e, const queue *q, uint32_t port) {
  return e->view->port_up[port] || (e->control && !is_interface(e, q->node) && e->fabric->peer[port] != RIPSTOP_NONE);
}

/* The rules of method.h for one way, and whether the next queue can ever have the space that it asks for. */
static bool check_way(engine *e, const queue *q, const ripstop_way *way) {
  const sim_node *n = &e->node[q->node];
  if (way->port >= n->ports) return break_rule(e, q, "a port that does not exist, port", way->port), false;
  if (!is_alive(e, q, n->port + way->port)) return break_rule(e, q, "a dead port, port", way->port), false;
  if (way->channel >= e->channels)
    return break_rule(e, q, "a channel that does not exist, channel", way->channel), false;
  if (way->space < 1 || way->space > 2) return break_rule(e, q, "a demand for space of", way->space), false;
  if (way->space == 1) return true;
  if (!e->credits || e->out_queues)
    return break_rule(e, q, "bubble flow control, which needs credits and no output queues: space", way->space), false;
  if (units_needed(e, q, way->space) > e->capacity)
    return break_rule(e, q, "bubble flow control, for which switch.in_queue is too small:", (unsigned)e->capacity),
           false;
  return true;
}

void drop_ways(engine *e, queue *q) {
  const sim_node *n = &e->node[q->node];
  const ripstop_way *way = &e->way[(size_t)(q - e->queue) * e->ways_max];
  for (uint32_t i = 0; i < q->ways; i++) e->bits[n->want + way[i].port * n->words + q->number / 64] &= ~bit(q->number);
  q->ways = 0;
}

/* Which of n equal ways: docs/model.md, tie rule. */
static inline uint32_t break_tie(const engine *e, const packet *p, uint32_t n) {
  uint32_t word[4];
  ripstop_random_block(e->seed, RIPSTOP_RANDOM_CHOICE, serial_of(e, p), p->hops, word);
  return (uint32_t)((uint64_t)word[0] * n >> 32);
}

/* Leaves one way of lowest rank. */
static uint32_t bind_early(const engine *e, const packet *p, ripstop_way *way, uint32_t ways) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < ways; i++)
    if (way[i].rank < way[best].rank) best = i;
  uint8_t rank = way[best].rank;
  uint32_t equal = 0;
  for (uint32_t i = 0; i < ways; i++) equal += way[i].rank == rank;
  uint32_t pick = equal > 1 ? break_tie(e, p, equal) : 0;
  for (uint32_t i = 0; i < ways; i++)
    if (way[i].rank == rank && pick-- == 0) {
      way[0] = way[i];
      break;
    }
  return 1;
}

enum { ALL_DEAD = -1000 }; /* as a number of ways */

/* A plan that is older than the view may know of ways that are no more: they are left out. */
static int route_stale(const engine *e, const ripstop_head *head, ripstop_way *way) {
  const sim_node *n = &e->node[head->node];
  int ways = ripstop_route(e->plan, head, way), left = 0;
  if (ways <= 0 || ways > (int)e->ways_max) return ways;
  for (int i = 0; i < ways; i++)
    if (way[i].port >= n->ports || e->view->port_up[n->port + way[i].port]) way[left++] = way[i];
  return left ? left : ALL_DEAD;
}

/* The answer is that there are no ways: the packet is lost, or the protocol holds it. */
static void accept_none(engine *e, queue *q, int answer) {
  if (answer == 0 && e->control && control_routes(e, q->node))
    q->state = HELD;
  else if (answer == 0)
    break_rule(e, q, "a number of ways out of range:", 0);
  else if (-answer <= (int)e->measure.losses)
    q->loss = (uint8_t)(RIPSTOP_LOST_METHOD - answer - 1);
  else if (answer == ALL_DEAD)
    q->loss = RIPSTOP_LOST_LINK;
  else
    break_rule(e, q, "a loss that it does not name, number", (unsigned)-answer);
}

void load_ways(engine *e, queue *q) {
  const packet *p = head_of(e, q);
  const sim_node *n = &e->node[q->node];
  ripstop_way *way = &e->way[(size_t)(q - e->queue) * e->ways_max];
  q->state = WAITING;
  q->ways = 0;
  q->flits = p->flits;
  if (p->truncated) return;
  ripstop_head head = {.node = q->node,
                       .in_port = is_interface(e, q->node) ? RIPSTOP_NONE : q->in_port,
                       .source = p->source,
                       .destination = p->destination,
                       .header = p->header,
                       .channel = q->channel,
                       .class_ = p->class_};
  int ways = e->control      ? control_route(e, &head, way)
             : e->stop.stale ? route_stale(e, &head, way)
                             : ripstop_route(e->plan, &head, way);
  if (ways <= 0) {
    accept_none(e, q, ways);
    return;
  }
  if (ways > (int)e->ways_max) break_rule(e, q, "a number of ways out of range:", (unsigned)ways);
  for (int i = 0; i < ways && !e->failed; i++) check_way(e, q, &way[i]);
  if (e->failed) return;
  if (e->guests) guests_mark(e, q, way, (uint32_t)ways);
  q->ways = (uint8_t)(e->choose_early && ways > 1 ? bind_early(e, p, way, (uint32_t)ways) : (uint32_t)ways);
  for (uint32_t i = 0; i < q->ways; i++) e->bits[n->want + way[i].port * n->words + q->number / 64] |= bit(q->number);
}

static inline void become_head(engine *e, queue *q) {
  load_ways(e, q);
  wake_queue(e, q);
}

void ask_anew(engine *e, queue *q) {
  if (!is_waiting(q)) return;
  drop_ways(e, q);
  become_head(e, q);
}

static inline void push(engine *e, queue *q, uint32_t packet_index, uint32_t arrived) {
  uint32_t at = q->head + q->length;
  if (at >= e->ring) at -= e->ring;
  e->slot[q->slot + at] = (sim_slot){.packet = packet_index, .arrived = arrived};
  if (q->length++ == 0) become_head(e, q);
}

/* ------------------------------------------------------------------ sources and losses */

static inline void post(engine *e, uint32_t cycle, event_kind kind, uint32_t subject, uint32_t detail) {
  wheel_post(&e->wheel, cycle, kind, subject, detail);
}

static void take_from_source(engine *e, uint32_t stream) {
  ripstop_source *source = &e->source[stream];
  if (source->born >= e->end || !e->view->node_up[ripstop_end_switch(e->fabric, stream / e->classes)]) return;
  if (source->born > e->now) {
    if (e->birth_posted[stream]) return;
    e->birth_posted[stream] = 1;
    uint32_t wait = (uint32_t)source->born - e->now;
    post(e, e->now + (wait > e->wheel.mask ? e->wheel.mask : wait), BIRTH, stream, 0);
    return;
  }
  uint32_t index = e->free_packet[--e->free_packets];
  e->packet[index] = (packet){.source = stream / e->classes,
                              .destination = source->destination,
                              .number = source->number,
                              .born = (uint32_t)source->born,
                              .flits = source->flits,
                              .class_ = (uint8_t)(stream % e->classes)};
  measure_born(&e->measure, (uint32_t)source->born, source->flits);
  if (e->play)
    players_take(e, stream, index);
  else
    ripstop_source_next(e->sources, stream, source);
  push(e, &e->queue[stream], index, e->now);
}

void take_next(engine *e, uint32_t stream) {
  uint32_t before = e->guests ? guests_next(e, stream) : RIPSTOP_NONE;
  if (before != RIPSTOP_NONE)
    push(e, &e->queue[stream], before, e->now);
  else
    take_from_source(e, stream);
}

void next_birth(const engine *e, uint32_t stream, ripstop_source *source) {
  if (e->play)
    players_next(e, stream, source);
  else
    ripstop_source_next(e->sources, stream, source);
}

void lose(engine *e, packet *p, uint32_t cause) {
  if (p->truncated) return;
  if (e->play) players_lost(e, p);
  p->truncated = true;
  e->measure.lost_underway += p->hops > 0;
  measure_lost(&e->measure, e->now, cause);
}

/* ------------------------------------------------------------------ arrivals */

static inline void touch(engine *e, uint32_t index, int32_t units) {
  e->held[index] += units;
  if (e->is_touched[index]) return;
  e->is_touched[index] = 1;
  e->touched[e->touched_count++] = index;
}

static inline void on_arrive(engine *e, uint32_t index, uint32_t packet_index) {
  if (!e->credits) touch(e, index, units_of(e, &e->packet[packet_index]));
  push(e, &e->queue[index], packet_index, e->now - e->pipeline);
}

/* The crossbar side of an input port is free: heads of its other channels may go. */
static inline void wake_side(engine *e, const queue *q) {
  queue *first = (queue *)q - q->channel;
  for (uint32_t c = 0; c < e->channels; c++)
    if (first[c].state == WAITING) wake_queue(e, &first[c]);
}

static inline void on_free(engine *e, uint32_t index, uint32_t out_port) {
  queue *q = &e->queue[index];
  uint32_t packet_index = e->slot[q->slot + q->head].packet;
  if (++q->head == e->ring) q->head = 0;
  q->length--;
  q->state = EMPTY;
  if (is_interface(e, q->node)) {
    if (out_port == RIPSTOP_NONE) free_packet(e, packet_index);
    if (out_port != RIPSTOP_NONE) wake_output(e, q->node, 0);
    if (e->guests) guests_left(e, index);
    take_next(e, index);
    return;
  }
  if (e->credits)
    post(e, e->now + e->credit, SPACE, q->upstream, (uint32_t)units(e, q->flits));
  else
    touch(e, index, -units(e, q->flits));
  if (out_port == RIPSTOP_NONE) free_packet(e, packet_index);
  if (q->length) become_head(e, q);
  if (e->channels > 1) wake_side(e, q);
  if (out_port == RIPSTOP_NONE) return;
  wake_output(e, q->node, e->output[out_port].local);
  if (e->control) wake_node(e, q->node); /* a message may wait for the link */
}

/* Something may have opened the way onto a link: space beyond it, or the link itself. */
static inline void wake_link(engine *e, uint32_t port) {
  const output *out = &e->output[port];
  if (e->out_queues && !is_interface(e, out->node)) {
    e->link_dirty[port] = 1;
    wake_node(e, out->node);
  } else if (out->busy <= e->now) {
    wake_output(e, out->node, out->local);
  }
}

static inline void on_space(engine *e, uint32_t lane, int32_t units) {
  e->space[lane] += units;
  wake_link(e, lane / e->channels);
}

static void break_delivery(engine *e, const packet *p, uint32_t end) {
  if (e->failed) return;
  ripstop_fail(e->err, "method %s: a packet from end node %u to %u came to %u", e->plan->method->name, p->source,
               p->destination, end);
  e->failed = true;
}

static void tell_delivery(engine *e, const packet *p) {
  const ripstop_scenario *s = e->config;
  if (e->play) players_delivered(e, p);
  if (s->on_delivery) s->on_delivery(s->context, serial_of(e, p), p->source, p->destination, p->born, e->now);
}

static inline void on_deliver(engine *e, uint32_t end, uint32_t packet_index) {
  packet *p = &e->packet[packet_index];
  if (p->destination != end) {
    if (e->guests)
      guests_arrive(e, end, packet_index);
    else
      break_delivery(e, p, end);
    return;
  }
  if (!p->truncated) {
    measure_delivered(&e->measure, p, e->now);
    if (e->watched) tell_delivery(e, p);
  }
  free_packet(e, packet_index);
}

static void on_room(engine *e, uint32_t port) {
  guests_make_room(e, port);
  wake_link(e, port);
}

static inline void on_birth(engine *e, uint32_t stream) {
  e->birth_posted[stream] = 0;
  if (e->queue[stream].state == EMPTY) take_next(e, stream);
}

static void on_link_free(engine *e, uint32_t lane, bool control_message) {
  uint32_t port = lane / e->channels;
  if (control_message) wake_node(e, e->fabric->port_node[port]); /* another message may wait */
  if (!control_message) {
    out_queue *o = &e->out_queue[lane];
    sim_slot *s = &e->out_slot[o->slot + o->head];
    e->out_space[lane] += units(e, o->flits);
    if (s->packet & OUT_DISCARDED) free_packet(e, s->packet & ~OUT_DISCARDED);
    if (++o->head == e->out_slots) o->head = 0;
    o->length--;
    o->leaving = false;
    wake_output(e, e->output[port].node, e->output[port].local);
  }
  wake_link(e, port);
}

/* XON/XOFF words of this cycle: after all arrivals, so that their order does not matter. */
static void send_words(engine *e) {
  for (uint32_t i = 0; i < e->touched_count; i++) {
    uint32_t index = e->touched[i];
    int32_t left = e->capacity - e->held[index];
    e->is_touched[index] = 0;
    if (e->told_off[index] ? left < e->xon : left >= e->xoff) continue;
    e->told_off[index] = !e->told_off[index];
    post(e, e->now + e->credit, WORD, e->queue[index].upstream, !e->told_off[index]);
  }
  e->touched_count = 0;
}

static void on_word(engine *e, uint32_t lane, bool on) {
  e->space[lane] = on ? INT32_MAX : 0;
  if (on) wake_link(e, lane / e->channels);
}

static void arrivals(engine *e) {
  wheel *w = &e->wheel;
  uint32_t index = w->bucket[e->now & w->mask];
  w->bucket[e->now & w->mask] = RIPSTOP_NONE;
  while (index != RIPSTOP_NONE) {
    chunk *c = &w->chunk[index];
    if (e->far) fetch_arrivals(e, c);
    for (uint32_t i = 0; i < c->count; i++) {
      sim_event ev = c->event[i];
      switch ((event_kind)ev.kind) {
      case ARRIVE:
        on_arrive(e, ev.subject, ev.detail);
        break;
      case FREE:
        on_free(e, ev.subject, ev.detail);
        break;
      case SPACE:
        on_space(e, ev.subject, (int32_t)ev.detail);
        break;
      case DELIVER:
        on_deliver(e, ev.subject, ev.detail);
        break;
      case BIRTH:
        on_birth(e, ev.subject);
        break;
      case LINK_FREE:
        on_link_free(e, ev.subject, ev.detail);
        break;
      case WORD:
        on_word(e, ev.subject, ev.detail);
        break;
      case ROOM:
        on_room(e, ev.subject);
        break;
      }
    }
    uint32_t next = c->next;
    c->next = w->free;
    w->free = index;
    index = next;
  }
  if (e->touched_count) send_words(e);
}

/* ------------------------------------------------------------------ decisions */

/* Free units in the queue that a way leads to; INT32_MAX where nothing is counted. */
static inline int32_t way_space(const engine *e, uint32_t lane, bool interface) {
  return e->out_queues && !interface ? e->out_space[lane] : e->space[lane];
}

/* The way that this head requests, or -1: none is open. */
static int choose_way(engine *e, const queue *q, const sim_node *n) {
  const ripstop_way *way = &e->way[(size_t)(q - e->queue) * e->ways_max];
  bool interface = is_interface(e, q->node);
  uint64_t shut = *shut_lanes(e, n), known = n->ports * e->channels <= 64 ? UINT64_MAX : 0;
  int best = -1;
  int32_t best_space = 0;
  uint32_t ties = 0;
  uint8_t tied[256];
  for (uint32_t i = 0; i < q->ways; i++) {
    uint32_t lane = way[i].port * e->channels + way[i].channel, port = n->port + way[i].port;
    if (shut & bit(lane)) continue;
    if (best >= 0 && way[i].rank > way[best].rank) continue;
    int32_t space = way_space(e, n->port * e->channels + lane, interface);
    if (e->output[port].busy > e->now || space <= 0) {
      shut |= bit(lane) & known;
      continue;
    }
    if (space < units_needed(e, q, way[i].space)) continue;
    bool better = best < 0 || way[i].rank < way[best].rank || (e->choice == RIPSTOP_CHOICE_SPACE && space > best_space);
    if (better) {
      best = (int)i;
      best_space = space;
      ties = 0;
    } else if (e->choice == RIPSTOP_CHOICE_FIRST || (e->choice == RIPSTOP_CHOICE_SPACE && space < best_space)) {
      continue;
    }
    tied[ties++] = (uint8_t)i;
  }
  *shut_lanes(e, n) = shut;
  if (ties < 2) return best;
  if (e->choice != RIPSTOP_CHOICE_ROTATE) return tied[break_tie(e, head_of(e, q), ties)];
  uint32_t after = q->last_port == NO_PORT ? 0 : q->last_port + 1u, ports = n->ports, nearest = UINT32_MAX;
  for (uint32_t i = 0; i < ties; i++) {
    uint32_t distance = (way[tied[i]].port + ports - after) % ports;
    if (distance >= nearest) continue;
    nearest = distance;
    best = tied[i];
  }
  return best;
}

/* The packet has won `port`'s link at this cycle: it will be at the other end. */
static inline void send(engine *e, uint32_t port, uint32_t channel, uint32_t packet_index) {
  packet *p = &e->packet[packet_index];
  const output *out = &e->output[port];
  p->hops++;
  if (e->control && !e->view->port_up[port]) lose(e, p, RIPSTOP_LOST_LINK); /* its switch does not know yet */
  e->measure.link_flits[port] += p->flits;
  if (out->to_end) {
    if (p->destination != out->next && e->guests) guests_expect(e, port);
    post(e, e->now + e->link + p->flits - 1, DELIVER, out->next, packet_index);
    return;
  }
  if (!is_interface(e, out->node)) e->measure.hops++;
  if (e->credits) e->space[port * e->channels + channel] -= units_of(e, p);
  post(e, e->now + e->link + e->pipeline, ARRIVE, out->next + channel, packet_index);
}

static inline void enter_out_queue(engine *e, uint32_t lane, uint32_t packet_index) {
  out_queue *o = &e->out_queue[lane];
  uint32_t at = o->head + o->length;
  if (at >= e->out_slots) at -= e->out_slots;
  e->out_slot[o->slot + at] = (sim_slot){.packet = packet_index, .arrived = e->now};
  o->length++;
  e->out_space[lane] -= units_of(e, &e->packet[packet_index]);
}

static void grant(engine *e, queue *q, const ripstop_way *granted) {
  uint32_t packet_index = e->slot[q->slot + q->head].packet;
  packet *p = &e->packet[packet_index];
  ripstop_way way = *granted;
  uint32_t port = e->node[q->node].port + way.port, until = e->now + p->flits;
  drop_ways(e, q);
  q->state = LEAVING;
  q->last_port = way.port;
  *side_busy(q) = until;
  e->output[port].busy = until;
  p->header = way.header;
  p->marks |= way.marks;
  post(e, until, FREE, (uint32_t)(q - e->queue), port);
  if (is_interface(e, q->node)) {
    if (p->hops == 0) { /* no guest */
      p->injected = e->now;
      e->measure.injected++;
      if (e->measure.window) e->measure.window[e->now / (uint32_t)e->measure.config->window].injected++;
    }
  } else if (e->out_queues) {
    enter_out_queue(e, port * e->channels + way.channel, packet_index);
    e->link_dirty[port] = 1;
    wake_node(e, q->node); /* it can be sent from the next cycle on */
    return;
  }
  send(e, port, way.channel, packet_index);
}

static void discard(engine *e, queue *q) {
  packet *p = head_of(e, q);
  if (!p->truncated) {
    if (!e->stop.stale) {
      if (!e->witness) describe_loss(e, q);
      e->measure.disconnected++;
    }
    watch_lost(e, q, p);
    lose(e, p, q->loss);
  }
  q->state = LEAVING;
  *side_busy(q) = e->now + p->flits;
  post(e, e->now + p->flits, FREE, (uint32_t)(q - e->queue), RIPSTOP_NONE);
}

/* Discards come first; what is left in `candidate` wants an output. */
static bool take_candidates(engine *e, const sim_node *n) {
  uint64_t any = 0;
  for (uint32_t w = 0; w < n->words; w++) {
    uint64_t set = e->bits[n->dirty + w], keep = set;
    e->bits[n->dirty + w] = 0;
    for (; set; set &= set - 1) {
      uint32_t number = 64 * w + (uint32_t)__builtin_ctzll(set);
      queue *q = &e->queue[n->queue + number];
      if (q->state == WAITING && q->ways) continue;
      keep &= ~bit(number);
      if (q->state == WAITING && *side_busy(q) <= e->now) discard(e, q);
    }
    e->candidate[w] = keep;
    any |= keep;
  }
  return any != 0;
}

/* One request from every candidate that has an open way; the others drop out. False: nobody asks. */
static bool collect_requests(engine *e, const sim_node *n) {
  bool any = false;
  for (uint32_t w = 0; w < n->words; w++)
    for (uint64_t set = e->candidate[w]; set; set &= set - 1) {
      uint32_t number = 64 * w + (uint32_t)__builtin_ctzll(set);
      queue *q = &e->queue[n->queue + number];
      int chosen = *side_busy(q) > e->now ? -1 : choose_way(e, q, n);
      if (chosen < 0) {
        e->candidate[w] &= ~bit(number);
        continue;
      }
      const ripstop_way *way = &e->way[(size_t)(n->queue + number) * e->ways_max + (uint32_t)chosen];
      e->request[way->port * n->words + w] |= bit(number);
      e->requested[way->port / 64] |= bit(way->port);
      e->request_way[number] = (uint8_t)chosen;
      e->request_channel[number] = way->channel;
      e->request_flits[number] = q->flits;
      any = true;
    }
  return any;
}

static uint32_t ask_arbiter(engine *e, const sim_node *n, uint32_t local, const ripstop_requests *requests) {
  size_t port = n->port + local;
  uint8_t *states = e->out_queues && port >= e->fabric->ends ? e->crossbar_state : e->arbiter_state;
  return e->arbiter->pick(e->arbiter_config, states + port * e->arbiter_bytes, requests);
}

static void serve_output(engine *e, const sim_node *n, uint32_t local) {
  uint64_t *request = &e->request[local * n->words], any = 0;
  for (uint32_t w = 0; w < n->words; w++) {
    for (uint64_t set = request[w]; set; set &= set - 1) {
      uint32_t number = 64 * w + (uint32_t)__builtin_ctzll(set);
      if (*side_busy(&e->queue[n->queue + number]) > e->now) request[w] &= ~bit(number);
    }
    any |= request[w];
  }
  if (any) {
    ripstop_requests requests = {
        .bits = request, .words = n->words, .channel = e->request_channel, .flits = e->request_flits};
    uint32_t winner = ask_arbiter(e, n, local, &requests);
    queue *q = &e->queue[n->queue + winner];
    grant(e, q, &e->way[(size_t)(n->queue + winner) * e->ways_max + e->request_way[winner]]);
    e->candidate[winner / 64] &= ~bit(winner);
  }
  for (uint32_t w = 0; w < n->words; w++) request[w] = 0;
}

static void serve_outputs(engine *e, const sim_node *n) {
  for (uint32_t w = 0; w <= (n->ports - 1) / 64; w++) {
    uint64_t set = e->requested[w];
    e->requested[w] = 0;
    for (; set; set &= set - 1) serve_output(e, n, 64 * w + (uint32_t)__builtin_ctzll(set));
  }
}

/* With output queues: the link takes the first packet of one of the port's channels. */
static void serve_link(engine *e, uint32_t port) {
  uint64_t request[1] = {0};
  uint32_t lane0 = port * e->channels;
  if (e->link_busy[port] > e->now) return;
  for (uint32_t c = 0; c < e->channels; c++) {
    const out_queue *o = &e->out_queue[lane0 + c];
    if (o->length == 0 || o->leaving) continue;
    sim_slot *s = &e->out_slot[o->slot + o->head];
    const packet *p = &e->packet[s->packet];
    if (s->arrived >= e->now) continue;
    if (p->truncated) {
      e->out_queue[lane0 + c].flits = p->flits;
      e->out_queue[lane0 + c].leaving = true;
      e->link_busy[port] = e->now + p->flits;
      post(e, e->now + p->flits, LINK_FREE, lane0 + c, 0);
      s->packet |= OUT_DISCARDED;
      return;
    }
    if (e->space[lane0 + c] < units_of(e, p)) continue;
    request[0] |= bit(c);
    e->request_channel[c] = (uint8_t)c;
    e->request_flits[c] = p->flits;
  }
  if (!request[0]) return;
  ripstop_requests requests = {.bits = request, .words = 1, .channel = e->request_channel, .flits = e->request_flits};
  uint32_t c = e->arbiter->pick(e->arbiter_config, e->arbiter_state + (size_t)port * e->arbiter_bytes, &requests);
  out_queue *o = &e->out_queue[lane0 + c];
  uint32_t packet_index = e->out_slot[o->slot + o->head].packet;
  o->flits = e->packet[packet_index].flits;
  o->leaving = true;
  e->link_busy[port] = e->now + o->flits;
  post(e, e->link_busy[port], LINK_FREE, lane0 + c, 0);
  send(e, port, c, packet_index);
}

static void serve_links(engine *e, const sim_node *n) {
  for (uint32_t port = n->port; port < n->port + n->ports; port++) {
    if (!e->link_dirty[port]) continue;
    bool entered_now = false;
    for (uint32_t c = 0; c < e->channels; c++) {
      const out_queue *o = &e->out_queue[port * e->channels + c];
      entered_now |= o->length && !o->leaving && e->out_slot[o->slot + o->head].arrived == e->now;
    }
    e->link_dirty[port] = entered_now;
    serve_link(e, port);
  }
}

/* The usual case, one head in a node of at most 64 queues: the rounds, without their tables. */
static void decide_one(engine *e, const sim_node *n, uint64_t dirty) {
  uint32_t number = (uint32_t)__builtin_ctzll(dirty);
  queue *q = &e->queue[n->queue + number];
  e->bits[n->dirty] = 0;
  if (q->state != WAITING || *side_busy(q) > e->now) return;
  if (q->ways == 0) {
    discard(e, q);
    return;
  }
  int chosen = choose_way(e, q, n);
  if (chosen < 0) return;
  const ripstop_way *way = &e->way[(size_t)(n->queue + number) * e->ways_max + (uint32_t)chosen];
  e->request_channel[number] = way->channel;
  e->request_flits[number] = q->flits;
  ask_arbiter(
      e, n, way->port,
      &(ripstop_requests){.bits = &dirty, .words = 1, .channel = e->request_channel, .flits = e->request_flits});
  grant(e, q, way);
}

static void decide(engine *e, uint32_t v) {
  const sim_node *n = &e->node[v];
  uint64_t dirty = e->bits[n->dirty];
  if (e->control) control_send(e, v);
  if (n->words == 1 && (dirty & (dirty - 1)) == 0) {
    if (dirty) decide_one(e, n, dirty);
  } else if (take_candidates(e, n))
    while (collect_requests(e, n)) serve_outputs(e, n);
  if (e->out_queues && !is_interface(e, v)) serve_links(e, n);
}

/* Network interfaces that are held keep their dirty sets and are woken when they may go on; returns how many nodes are
 * left. */
static uint32_t leave_out_interfaces(const engine *e, uint32_t *node, uint32_t count) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!is_interface(e, node[i])) node[left++] = node[i];
  return left;
}

static void decisions(engine *e) {
  uint32_t count = e->active_count;
  uint32_t *now_active = e->active;
  e->active = e->active_next;
  e->active_next = now_active;
  e->active_count = 0;
  for (uint32_t i = 0; i < count; i++) e->node[now_active[i]].awake = 0;
  if (e->stop.held) count = leave_out_interfaces(e, now_active, count);
  for (uint32_t i = 0; i < count && !e->failed; i++) {
    if (e->far && i % FETCH_NODES == 0)
      fetch_decisions(e, &now_active[i], count - i < FETCH_NODES ? count - i : FETCH_NODES);
    decide(e, now_active[i]);
  }
}

/* ------------------------------------------------------------------ the loop */

enum { STOP_CYCLES = 1024 }; /* between two looks at the flag that stops the run */

static bool changes_ahead(const engine *e) {
  return e->next_change < e->changes && e->change[e->next_change].cycle < e->end;
}

void engine_run(engine *e) {
  uint32_t check = (uint32_t)e->config->measure.check;
  for (uint32_t stream = 0; stream < e->streams; stream++) take_next(e, stream);
  if (e->play) players_start(e);
  for (; e->now < e->end && !e->failed; e->now++) {
    if (e->measure.start == RIPSTOP_NONE) measure_warmup(&e->measure, e);
    if (e->next_change < e->changes && e->change[e->next_change].cycle == e->now) apply_changes(e);
    if (e->stop.phase != RUNNING) stop_step(e);
    arrivals(e);
    if (e->play) players_turn(e);
    if (e->control) control_step(e);
    if (e->measure.start == e->now) measure_begin(&e->measure, e);
    decisions(e);
    if (e->now % STOP_CYCLES == 0 && ripstop_stopped(e->config->stop)) {
      ripstop_fail(e->err, "stopped");
      e->failed = true;
    }
    bool look = (e->now + 1) % check == 0 || e->now + 1 >= e->end;
    watch_look(e, look);
    if (!look) continue;
    if (e->stop.phase == DRAINING) stop_search(e);
    if (e->stop.phase != RUNNING) continue;
    if (!e->failed && !changes_ahead(e) && control_quiet(e) && find_deadlock(e)) {
      e->deadlocked = true;
      e->now++;
      return;
    }
  }
}
