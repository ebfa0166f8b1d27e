/* agents.c - endpoint agents: end nodes that answer what they receive (docs/model.md, "End nodes that answer").
 *
 * While the engine works it only notes what happens to packets. The calls follow at the end of the arrivals, sorted, so
 * that no agent can observe the order in which the engine worked. A loss that a call or a decision causes is reported
 * in the next cycle: an agent that immediately resends a lost packet does not hold up time.
 *
 * Invariants: an agent's stream has a box of packets that wait in the NIC. The stream's source shows the first packet
 * of the box and has its number; packet i of the box has a number higher by i. With an empty box, the source's
 * generation time is "never". The boxes of the end nodes of a switch that is down are empty. */
#include "simulate/agents.h"

#include <string.h>

#include "base/binary_heap.h"
#include "base/growing.h"
#include "base/sort.h"
#include "faults/schedule.h"
#include "simulate/change.h"
#include "simulate/congestion_marks.h"
#include "simulate/core.h"
#include "simulate/losses.h"
#include "simulate/run_result.h"
#include "simulate/shared_memory.h"

enum { LONGEST_AGENT_PACKET = 4096 }; /* flits; the limit of random sources */

typedef struct agent_packet { /* waits in its NIC */
  uint64_t tag, message;
  uint32_t destination, generated_at;
  uint16_t flits;
  bool quiet;
} agent_packet;

typedef struct box { /* the packets of a stream, as a ring */
  agent_packet *at;
  uint32_t first, count, room; /* room: 0 or a power of two */
} box;

typedef struct note { /* a packet was delivered, taken or lost */
  ripstop_agent_packet agent_packet;
  uint32_t number;         /* in its stream */
  uint32_t injected, hops; /* a delivered packet's, from its row */
  uint8_t marks;
} note;

typedef struct notes {
  note *at;
  size_t count, room;
} notes;

typedef enum note_kind { DELIVERED, TAKEN, LOST, NOTE_KINDS } note_kind;

typedef struct note_lists {
  notes of[NOTE_KINDS];
} note_lists;

typedef struct alarm {
  uint64_t cycle, order, number;
  uint32_t agent;
} alarm;

/* One agent, as the engine knows it. */
struct ripstop_agent_context {
  run *r;
  const ripstop_agent *agent;
};

struct agents {
  run *r;
  ripstop_agent_context *agent_context; /* [config->agents] */
  uint32_t *agent;                      /* the agent of the end node, or RIPSTOP_NONE */
  uint32_t unassigned;                  /* end nodes without an agent */
  box *box;                             /* [streams] */
  uint64_t *tag;                        /* [packets] */
  uint64_t *message;                    /* [packets]; NULL: the selection function needs none */
  uint8_t *quiet;                       /* [packets] */
  note_lists turn, *noted;              /* lists of the present turn; [parts]: since the last turn */
  ripstop_sort_key *key;                /* [keys]: scratch */
  size_t keys;
  alarm *alarm; /* a heap by (cycle, order) */
  size_t alarms, room;
  uint64_t order;
  uint64_t ahead;                                  /* first cycle for which an alarm can be set */
  bool event[RIPSTOP_RECONFIGURATION_RESUMED + 1]; /* events of static reconfiguration since the last turn */
  const note *arriving;                            /* the note whose `delivered` call is running; NULL: none */
};

bool has_agent(const run *r, uint32_t end) { return r->agents && r->agents->agent[end] != RIPSTOP_NONE; }

uint64_t agents_message(const part *t, const packet *p) {
  return has_agent(t->run, p->source) ? t->run->agents->message[p - t->packet] : p->number;
}

/* ------------------------------------------------------------------ boxes */

static agent_packet *agent_packet_at(const box *b, uint32_t i) { return &b->at[(b->first + i) & (b->room - 1)]; }

static void put_agent_packet(run *r, box *b, agent_packet l) {
  if (b->count == b->room) {
    uint32_t room = RIPSTOP_MORE_ROOM(b->room);
    agent_packet *more = ripstop_arena_realloc(r->arena, NULL, room, sizeof *more);
    for (uint32_t i = 0; i < b->count; i++) more[i] = *agent_packet_at(b, i);
    ripstop_free(b->at);
    *b = (box){.at = more, .count = b->count, .room = room};
  }
  *agent_packet_at(b, b->count++) = l;
}

static void show(ripstop_source *source, const agent_packet *l) {
  source->generated_at = l ? l->generated_at : RIPSTOP_NEVER;
  if (!l) return;
  source->destination = l->destination;
  source->flits = l->flits;
}

/* Moves a stream's position, or a copy of it, to the next packet: ripstop_source_next for both kinds of sources. */
static void next_agent_packet(const part *t, uint32_t stream, ripstop_source *source) {
  if (!has_agent(t->run, stream / t->shape.classes)) {
    ripstop_source_next(t->run->sources, source_stream(t->run, stream), source);
    return;
  }
  const box *b = &t->run->agents->box[stream];
  source->number++;
  uint32_t i = source->number - t->source[stream].number;
  show(source, i < b->count ? agent_packet_at(b, i) : NULL);
}

/* Moves the first packet of the stream's box into this row of packets. */
static void take_agent_packet(part *t, uint32_t stream, uint32_t packet_index) {
  if (!has_agent(t->run, stream / t->shape.classes)) return;
  box *b = &t->run->agents->box[stream];
  const agent_packet *l = agent_packet_at(b, 0);
  t->run->agents->tag[packet_index] = l->tag;
  t->run->agents->quiet[packet_index] = l->quiet;
  if (t->run->agents->message) t->run->agents->message[packet_index] = l->message;
  marks_clear(t->run, packet_index);
  b->first++;
  b->count--;
}

/* ------------------------------------------------------------------ notes */

static void add_note(part *t, note_kind w, note one) {
  notes *n = &t->run->agents->noted[t->number].of[w];
  RIPSTOP_GROW_IN(t->more, n->at, n->count, n->room);
  n->at[n->count++] = one;
}

static note note_of(const part *t, const packet *p) {
  return (note){.agent_packet = {.source = p->source,
                                 .destination = p->destination,
                                 .class_ = p->class_,
                                 .flits = memory_flits_of(t, p),
                                 .tag = t->run->agents->tag[p - t->packet],
                                 .quiet = t->run->agents->quiet[p - t->packet],
                                 .marked = marks_has(t->run, (uint32_t)(p - t->packet))},
                .number = p->number,
                .injected = p->injected,
                .hops = p->hops,
                .marks = p->marks};
}

static void note_delivery(part *t, const packet *p) {
  if (has_agent(t->run, p->source) && has_agent(t->run, p->destination)) add_note(t, DELIVERED, note_of(t, p));
}

static void note_taken(part *t, const packet *p) {
  if (has_agent(t->run, p->source) && !t->run->agents->quiet[p - t->packet]) add_note(t, TAKEN, note_of(t, p));
}

static void note_loss(part *t, const packet *p, uint32_t cause) {
  if (!has_agent(t->run, p->source)) return;
  note n = note_of(t, p);
  n.agent_packet.cut = cause == RIPSTOP_LOST_TRIMMED && has_agent(t->run, p->destination);
  if (n.agent_packet.cut) { /* the receiver gets the header */
    add_note(t, DELIVERED, n);
    return;
  }
  n.agent_packet.informs = t->run->plan->informs && cause >= RIPSTOP_LOST_METHOD ? p->hops : 0;
  add_note(t, LOST, n);
}

/* Counts a packet as generated and lost before it got a row. */
static void lose_agent_packet(run *r, uint32_t stream, const agent_packet *l, uint32_t cause) {
  measure_generated(&r->part->measure, l->generated_at, l->flits);
  measure_lost(&r->part->measure, r->part->now, cause, l->flits);
  const uint32_t number = r->part->source[stream].number++;
  if (r->losses) losses_note(r->part, stream, number, l->destination, stream / r->shape->classes, cause);
  add_note(r->part, LOST,
           (note){.agent_packet = {.source = stream / r->shape->classes,
                                   .destination = l->destination,
                                   .class_ = stream % r->shape->classes,
                                   .flits = l->flits,
                                   .tag = l->tag,
                                   .quiet = l->quiet},
                  .number = number});
}

bool agents_silence(part *t, uint32_t stream, uint32_t cause) {
  if (!has_agent(t->run, stream / t->shape.classes)) return false;
  box *b = &t->run->agents->box[stream];
  for (uint32_t i = 0; i < b->count; i++) lose_agent_packet(t->run, stream, agent_packet_at(b, i), cause);
  b->count = 0;
  show(&t->source[stream], NULL);
  return true;
}

/* Loses the packets that wait in a NIC: the head of its queue and the packets behind it. */
static void withdraw(part *t, uint32_t end) {
  const shape *s = &t->shape;
  for (uint32_t stream = end * s->classes; stream < (end + 1) * s->classes; stream++) {
    queue *q = &s->queue[stream];
    if (is_waiting(q)) lose(t, head_of(t, q), end, RIPSTOP_LOST_DRAIN);
    reload_head(t, q);
    agents_silence(t, stream, RIPSTOP_LOST_DRAIN);
  }
}

void agents_react(run *r, ripstop_reconfiguration_event event) {
  struct agents *all = r->agents;
  if (!all) return;
  all->event[event] = true;
  for (uint32_t end = 0; event == RIPSTOP_RECONFIGURATION_STOPPED && end < r->fabric->ends; end++)
    if (has_agent(r, end) && all->agent_context[all->agent[end]].agent->reacts) withdraw(part_of(r, end), end);
}

/* ------------------------------------------------------------------ calls */

/* Calls are sorted by these keys. */
static uint64_t by_receiver(const note *n) { return n->agent_packet.destination; }
static uint64_t by_sender(const note *n) {
  return ((uint64_t)n->agent_packet.source * RIPSTOP_CLASSES_MAX + n->agent_packet.class_) << 32 | n->number;
}

static void call_one(struct agents *all, note_kind w, const ripstop_agent_packet *l) {
  ripstop_agent_context *agent_context = &all->agent_context[all->agent[w == DELIVERED ? l->destination : l->source]];
  const ripstop_agent *p = agent_context->agent;
  void (*call)(void *, ripstop_agent_context *, const ripstop_agent_packet *) = w == DELIVERED ? p->delivered
                                                                                : w == TAKEN   ? p->taken
                                                                                               : p->lost;
  if (!call || run_failed(all->r)) return;
  call(p->context, agent_context, l);
}

static void call_all(struct agents *all, note_kind w, uint64_t (*order)(const note *)) {
  notes *n = &all->turn.of[w];
  if (n->count > all->keys) {
    all->keys = n->room;
    all->key = ripstop_arena_realloc(all->r->arena, all->key, all->keys, sizeof *all->key);
  }
  for (size_t i = 0; i < n->count; i++) all->key[i] = (ripstop_sort_key){order(&n->at[i]), i};
  ripstop_sort_keys(all->key, n->count);
  for (size_t i = 0; i < n->count; i++) {
    const note *one = &n->at[all->key[i].of];
    all->arriving = w == DELIVERED ? one : NULL;
    call_one(all, w, &one->agent_packet);
  }
  all->arriving = NULL;
  n->count = 0;
}

static bool rings_before(const alarm *a, const alarm *b) {
  return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

RIPSTOP_HEAP(alarm, alarm, rings_before)

static void ring(struct agents *all) {
  alarm it = alarm_take(all->alarm, &all->alarms);
  ripstop_agent_context *agent_context = &all->agent_context[it.agent];
  agent_context->agent->alarm(agent_context->agent->context, agent_context, it.number);
}

static void start(run *r) {
  struct agents *all = r->agents;
  for (uint32_t i = 0; i < r->config->agents; i++) {
    ripstop_agent_context *agent_context = &all->agent_context[i];
    if (agent_context->agent->start && !run_failed(r))
      agent_context->agent->start(agent_context->agent->context, agent_context);
  }
  all->ahead = 1;
}

/* Moves the notes of all parts into the lists of this turn. With one part the two lists swap. Losses that the calls
 * cause are reported in the next turn. */
static void collect(run *r, note_kind w) {
  notes *turn = &r->agents->turn.of[w];
  for (uint32_t i = 0; i < r->shape->parts; i++) {
    notes *own = &r->agents->noted[i].of[w];
    if (own->count == 0) continue;
    if (r->shape->parts == 1) {
      const notes spare = *turn;
      *turn = *own;
      *own = spare;
      return;
    }
    RIPSTOP_ROOM_IN(r->arena, turn->at, turn->count + own->count, turn->room);
    memcpy(&turn->at[turn->count], own->at, own->count * sizeof *own->at);
    turn->count += own->count;
    own->count = 0;
  }
}

static bool rings(const run *r) { return r->agents->alarms && r->agents->alarm[0].cycle <= r->part->now; }

static uint64_t next_turn(const run *r) {
  size_t count = 0;
  for (uint32_t i = 0; i < r->shape->parts; i++)
    for (int w = 0; w < NOTE_KINDS; w++) count += r->agents->noted[i].of[w].count;
  for (size_t i = 0; i < sizeof r->agents->event; i++) count += r->agents->event[i];
  if (count) return r->part->now;
  return r->agents->alarms ? r->agents->alarm[0].cycle : UINT64_MAX;
}

static void report(struct agents *all, ripstop_reconfiguration_event event) {
  if (!all->event[event]) return;
  all->event[event] = false;
  for (uint32_t i = 0; i < all->r->config->agents; i++) {
    ripstop_agent_context *agent_context = &all->agent_context[i];
    if (agent_context->agent->reacts && !run_failed(all->r))
      agent_context->agent->reacts(agent_context->agent->context, agent_context, event);
  }
}

static void take_turn(run *r) {
  struct agents *all = r->agents;
  for (note_kind w = DELIVERED; w < NOTE_KINDS; w++) collect(r, w);
  all->ahead = (uint64_t)r->part->now + 1;
  report(all, RIPSTOP_RECONFIGURATION_FAILED);
  report(all, RIPSTOP_RECONFIGURATION_STOPPED);
  call_all(all, DELIVERED, by_receiver);
  call_all(all, TAKEN, by_sender);
  call_all(all, LOST, by_sender);
  report(all, RIPSTOP_RECONFIGURATION_RESUMED);
  while (rings(r) && !run_failed(r)) ring(all);
}

/* ------------------------------------------------------------------ calls by agents */

uint64_t ripstop_agent_now(const ripstop_agent_context *agent_context) { return agent_context->r->part->now; }

static bool is_up(const run *r, uint32_t end) { return r->view->node_up[ripstop_end_switch(r->fabric, end)]; }

bool ripstop_agent_is_up(const ripstop_agent_context *agent_context, uint32_t end) {
  const run *r = agent_context->r;
  return end < r->fabric->ends && is_up(r, end);
}

static int refuse(const run *r, const char *what, uint64_t number, ripstop_error *err) {
  return ripstop_fail(err, "agents: cycle %u: %s %llu", r->part->now, what, (unsigned long long)number);
}

static int check_agent_packet(const ripstop_agent_context *agent_context, const ripstop_agent_packet *l,
                              ripstop_error *err) {
  const run *r = agent_context->r;
  const ripstop_agent *p = agent_context->agent;
  if (l->source >= r->fabric->ends || &r->agents->agent_context[r->agents->agent[l->source]] != agent_context)
    return refuse(r, "the agent sends a packet from an end node that is not its own: end node", l->source, err);
  if (l->destination >= r->fabric->ends)
    return refuse(r, "the agent sends a packet to an end node that does not exist: end node", l->destination, err);
  if (l->source == l->destination)
    return refuse(r, "the agent sends a packet to its own source: end node", l->source, err);
  if (l->class_ >= p->classes)
    return refuse(r, "the agent sends a packet of a class that it did not announce: class", l->class_, err);
  if (l->flits < p->shortest || l->flits > p->longest)
    return refuse(r, "the agent sends a packet with a length that it did not announce: flits", l->flits, err);
  return 0;
}

static int post_agent_packet(const ripstop_agent_context *agent_context, const ripstop_agent_packet *sent,
                             ripstop_error *err) {
  run *r = agent_context->r;
  if (check_agent_packet(agent_context, sent, err)) return -1;
  uint32_t stream = sent->source * r->shape->classes + sent->class_;
  box *b = &r->agents->box[stream];
  agent_packet l = {.tag = sent->tag,
                    .message = sent->message,
                    .destination = sent->destination,
                    .generated_at = r->part->now,
                    .flits = (uint16_t)sent->flits,
                    .quiet = sent->quiet};
  if (!is_up(r, sent->source)) {
    lose_agent_packet(r, stream, &l, RIPSTOP_LOST_SWITCH);
    return 0;
  }
  put_agent_packet(r, b, l);
  if (b->count == 1) show(&r->part->source[stream], &l);
  if (r->shape->queue[stream].state == EMPTY) take_next(part_of(r, sent->source), stream);
  return 0;
}

void ripstop_agent_send(ripstop_agent_context *agent_context, const ripstop_agent_packet *sent) {
  ripstop_error err;
  if (!run_failed(agent_context->r) && post_agent_packet(agent_context, sent, &err))
    run_give_up(agent_context->r, &err);
}

static int generate(const ripstop_agent_context *agent_context, uint32_t flits, ripstop_error *err) {
  run *r = agent_context->r;
  if (!r->goods) return refuse(r, "an agent without an account counts a packet: flits", flits, err);
  measure_generated(r->goods, r->part->now, flits);
  return 0;
}

void ripstop_agent_generated(ripstop_agent_context *agent_context, uint32_t flits) {
  ripstop_error err;
  if (!run_failed(agent_context->r) && generate(agent_context, flits, &err)) run_give_up(agent_context->r, &err);
}

static int receive(const ripstop_agent_context *agent_context, uint64_t generated_at, ripstop_error *err) {
  run *r = agent_context->r;
  const note *n = r->agents->arriving;
  if (!r->goods || !n || generated_at > r->part->now)
    return refuse(r, "an agent counts a received packet outside of its delivery call: generated in cycle", generated_at,
                  err);
  const packet p = {.source = n->agent_packet.source,
                    .destination = n->agent_packet.destination,
                    .generated_at = (uint32_t)generated_at,
                    .injected = n->injected,
                    .flits = (uint16_t)n->agent_packet.flits,
                    .hops = (uint16_t)n->hops,
                    .marks = n->marks};
  measure_delivered(r->goods, &p, r->part->now);
  return 0;
}

void ripstop_agent_received(ripstop_agent_context *agent_context, uint64_t generated_at) {
  ripstop_error err;
  if (!run_failed(agent_context->r) && receive(agent_context, generated_at, &err)) run_give_up(agent_context->r, &err);
}

static int set_alarm(const ripstop_agent_context *agent_context, uint64_t cycle, uint64_t number, ripstop_error *err) {
  struct agents *all = agent_context->r->agents;
  if (cycle < all->ahead || !agent_context->agent->alarm)
    return refuse(agent_context->r, "an agent without an alarm call, or too late, sets an alarm: for cycle", cycle,
                  err);
  RIPSTOP_GROW_IN(agent_context->r->arena, all->alarm, all->alarms, all->room);
  alarm_up(all->alarm, all->alarms++,
           (alarm){.cycle = cycle,
                   .order = all->order++,
                   .number = number,
                   .agent = (uint32_t)(agent_context - all->agent_context)});
  return 0;
}

void ripstop_agent_alarm(ripstop_agent_context *agent_context, uint64_t cycle, uint64_t number) {
  ripstop_error err;
  if (!run_failed(agent_context->r) && set_alarm(agent_context, cycle, number, &err))
    run_give_up(agent_context->r, &err);
}

static int request_change(const ripstop_agent_context *agent_context, const ripstop_change *change,
                          ripstop_error *err) {
  run *r = agent_context->r;
  const ripstop_view *v = r->view;
  if (!ripstop_change_is_known(r->fabric, change) || change->rate ||
      change->up == (change->is_switch ? v->node_up[change->id] : v->link_up[change->id]))
    return refuse(r, "an agent changes a part that does not exist or is in that state already: part", change->id, err);
  change_at(r, change, r->part->now + 1);
  return 0;
}

void ripstop_agent_change(ripstop_agent_context *agent_context, const ripstop_change *change) {
  ripstop_error err;
  if (request_change(agent_context, change, &err)) run_give_up(agent_context->r, &err);
}

void ripstop_agent_finish(ripstop_agent_context *agent_context) {
  agent_context->r->end = agent_context->r->part->now + 1;
  agent_context->r->finished = true;
}

/* ------------------------------------------------------------------ opening */

static int check_agent(const ripstop_agent *p, ripstop_error *err) {
  if (p->classes == 0 || p->classes > RIPSTOP_CLASSES_MAX)
    return ripstop_fail(err, "agents: %u classes; at least 1 and at most %d are possible", p->classes,
                        RIPSTOP_CLASSES_MAX);
  if (p->shortest == 0 || p->shortest > p->longest || p->longest > LONGEST_AGENT_PACKET)
    return ripstop_fail(err, "agents: packets of %u to %u flits; packets have 1 to %d flits", p->shortest, p->longest,
                        LONGEST_AGENT_PACKET);
  if (p->account && p->end)
    return ripstop_fail(err, "agents: an agent with an account needs all end nodes (end: NULL)");
  return 0;
}

/* Gives an end node to agent `number`. */
static int give_end(struct agents *all, uint32_t end, uint32_t number, ripstop_error *err) {
  if (end >= all->r->fabric->ends) return ripstop_fail(err, "agents: end node %u does not exist", end);
  if (all->agent[end] != RIPSTOP_NONE) return ripstop_fail(err, "agents: end node %u has two agents", end);
  all->agent[end] = number;
  all->unassigned--;
  return 0;
}

static int give_ends(struct agents *all, const ripstop_agent *p, uint32_t number, ripstop_error *err) {
  for (uint32_t i = 0; i < (p->end ? p->ends : all->r->fabric->ends); i++)
    if (give_end(all, p->end ? p->end[i] : i, number, err)) return -1;
  return 0;
}

int agents_read(run *r, ripstop_error *err) {
  uint32_t count = r->config->agents, ends = r->fabric->ends;
  if (count == 0) return 0;
  struct agents *all = r->agents = RIPSTOP_NEW(r->arena, struct agents);
  ripstop_agent *agent = RIPSTOP_ARRAY(r->arena, count, ripstop_agent);
  memcpy(agent, r->config->agent, count * sizeof *agent);
  all->r = r;
  all->unassigned = ends;
  all->agent_context = RIPSTOP_ARRAY(r->arena, count, ripstop_agent_context);
  all->agent = RIPSTOP_ARRAY(r->arena, ends, uint32_t);
  for (uint32_t end = 0; end < ends; end++) all->agent[end] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < count; i++) {
    if (check_agent(&agent[i], err) || give_ends(all, &agent[i], i, err)) return -1;
    agent[i].end = NULL; /* the caller owns the list; all->agent has its content */
    all->agent_context[i] = (ripstop_agent_context){.r = r, .agent = &agent[i]};
  }
  return 0;
}

bool agents_count(const run *r) { return r->agents && r->agents->agent_context[0].agent->account; }

ripstop_account agents_account(const run *r) {
  const ripstop_agent *p = r->agents->agent_context[0].agent;
  ripstop_account a = {.generated = r->goods->generated, .delivered = r->goods->delivered};
  p->account(p->context, &a);
  return a;
}

bool agents_leave_some(const run *r) { return !r->agents || r->agents->unassigned > 0; }

void agents_widen(const run *r, shape *s) {
  for (uint32_t i = 0; i < r->config->agents; i++) {
    const ripstop_agent *p = r->agents->agent_context[i].agent;
    if (p->classes > s->classes) s->classes = p->classes;
    s->urgent |= p->urgent;
    if (p->shortest < s->shortest || s->shortest == 0) s->shortest = p->shortest;
    if (p->longest > s->longest) s->longest = p->longest;
  }
}

static void take_hooks(hooks *hook) {
  hook->next_generation = next_agent_packet;
  hook->taken = take_agent_packet;
  hook->injected = note_taken;
  hook->delivered[0] = note_delivery;
  hook->lost = note_loss;
  hook_cycle(hook->started, start);
  hook_arrived(hook, take_turn, next_turn);
}

void agents_grow(run *r, uint32_t before) {
  struct agents *all = r->agents;
  if (!all) return;
  uint64_t *tag = RIPSTOP_ARRAY(r->arena, r->packets, uint64_t);
  uint8_t *quiet = RIPSTOP_ARRAY(r->arena, r->packets, uint8_t);
  memcpy(tag, all->tag, before * sizeof *tag);
  memcpy(quiet, all->quiet, before * sizeof *quiet);
  all->tag = tag;
  all->quiet = quiet;
  if (!all->message) return;
  uint64_t *message = RIPSTOP_ARRAY(r->arena, r->packets, uint64_t);
  memcpy(message, all->message, before * sizeof *message);
  all->message = message;
}

void agents_open(run *r) {
  struct agents *all = r->agents;
  if (!all) return;
  all->box = RIPSTOP_ARRAY(r->arena, r->shape->streams, box);
  all->tag = RIPSTOP_ARRAY(r->arena, r->packets, uint64_t);
  all->quiet = RIPSTOP_ARRAY(r->arena, r->packets, uint8_t);
  if (r->shape->needs_message) all->message = RIPSTOP_ARRAY(r->arena, r->packets, uint64_t);
  all->noted = RIPSTOP_ARRAY(r->arena, r->shape->parts, note_lists);
  take_hooks(&r->part->hook);
}
