/* deadlocked.c - puts a proved deadlock into the engine: its queues are full, its packets are their heads, and there
 * are no sources. If the proof is right, nothing ever moves, and the deadlock search of the engine finds exactly these
 * queues. */
#include <string.h>

#include "base/memory.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "simulate/control.h"
#include "simulate/core.h"
#include "simulate/onoff.h"
#include "simulate/open.h"
#include "simulate/outqueues.h"
#include "simulate/packet_lines.h"
#include "simulate/run_result.h"

/* A protocol may take this long to become quiet before the queues are filled: cycles of a step, and steps. */
enum { SETTLING_STEP = 1000, SETTLING_STEPS = 1000 };
/* Packet numbers to try until a packet settles on a candidate inside the set. */
enum { NUMBERS_TRIED = 100000 };
/* For traffic.classes; a suffix serves fewer classes. */
static const char equal_classes[] = "1/1/1/1/1/1/1/1";
static_assert(sizeof equal_classes == 2 * RIPSTOP_CLASSES_MAX, "a share and a separator for each class");

/* The i-th of the queues that stand for a channel of the plan (switch.vcs). All of them are filled. */
static uint32_t queue_index(const run *r, const ripstop_deadlocked_packet *s, uint32_t i) {
  return queue_of_port(r->shape, r->fabric->peer[s->port], s->channel * r->shape->vcs + i);
}

static int check_deadlocked(const run *r, const ripstop_deadlocked_packet *s, ripstop_error *err) {
  const ripstop_fabric *f = r->fabric;
  bool fits = s->port < f->ports && r->view->port_up[s->port] && s->port >= f->ends &&
              !is_interface(r->shape, f->port_node[f->peer[s->port]]) && s->channel < r->shape->plan_channels;
  if (!fits || s->source >= f->ends || s->destination >= f->ends)
    return ripstop_fail(err,
                        "port %u, virtual channel %u: not an input queue of a link that is up between switches, or its "
                        "packet has no end nodes",
                        s->port, s->channel);
  if (s->class_ >= r->shape->classes)
    return ripstop_fail(err, "class %u does not exist: classes are 0 to %u", s->class_, r->shape->classes - 1);
  return 0;
}

static uint32_t new_packet(run *r, const ripstop_deadlocked_packet *s) {
  uint32_t index = take_packet(r->part);
  r->part->packet[index] = (packet){.header = s->header,
                                    .source = s->source,
                                    .destination = s->destination,
                                    .generated_at = r->part->now,
                                    .injected = r->part->now,
                                    .flits = (uint16_t)r->shape->shortest,
                                    .class_ = s->class_};
  return index;
}

/* One packet fills the queue's row until load_head knows its number. */
static void fill_lines(run *r, queue *q, const ripstop_deadlocked_packet *s) {
  r->shape->slot[q->slot] = (sim_slot){.packet = new_packet(r, s), .arrived = r->part->now};
  q->head = 0;
  q->length = 1;
}

/* Output queues without a bound are empty before a full input queue. */
static bool fills_out_queues(const run *r) { return r->part->out_queues && !r->part->out_queues->unlimited; }

static void fill_slots(run *r, queue *q, const ripstop_deadlocked_packet *s) {
  for (uint32_t i = 0; i < r->shape->ring; i++)
    r->shape->slot[q->slot + i] = (sim_slot){.packet = new_packet(r, s), .arrived = r->part->now};
  q->head = 0;
  q->length = (uint16_t)r->shape->ring;
  q->state = WAITING;
}

static void fill_queue(run *r, const ripstop_deadlocked_packet *s, uint32_t i) {
  uint32_t index = queue_index(r, s, i);
  queue *q = &r->shape->queue[index];
  uint32_t vc = s->port * r->shape->channels + q->channel;
  int32_t stalled = (int32_t)r->shape->ring * units(r->shape, r->shape->shortest);
  if (has_lines(r->part, q))
    fill_lines(r, q, s);
  else
    fill_slots(r, q, s);
  if (r->shape->credits) {
    r->shape->space[vc] -= stalled;
    if (!fills_out_queues(r) && r->shape->space[vc] <= 0) shut_vc(r->shape, vc);
    return;
  }
  r->part->words->stalled[index] = stalled;
  r->part->words->xoff_sent[index] = 1;
  r->shape->space[vc] = 0;
  if (!r->part->out_queues) shut_vc(r->shape, vc);
}

/* Fills the output queue before a full input queue. Its packets have taken the hop already, so they have the same
 * header. */
static void fill_out_queue(run *r, const ripstop_deadlocked_packet *s, uint32_t i) {
  const uint32_t channel = s->channel * r->shape->vcs + i, vc = s->port * r->shape->channels + channel;
  const out_queues *o = r->part->out_queues;
  for (uint32_t at = 0; at < o->slots; at++) r->part->hook.granted(r->part, vc, new_packet(r, s));
  if (r->shape->room[vc] <= 0) shut_vc(r->shape, vc);
}

static bool waits_for_full(const run *r, const queue *q) {
  const shape *s = r->shape;
  uint32_t vc = s->node[q->node].port * s->channels + first_vc(&q->candidates, q->candidates.vcs);
  uint32_t peer = r->fabric->peer[port_of_vc(s, vc)];
  if (is_interface(s, r->fabric->port_node[peer])) return false;
  const queue *next = &s->queue[queue_of_port(s, peer, vc % s->channels)];
  return next->length > 0 || (has_lines(r->part, next) && lines_of(r->part, next));
}

/* All packets of a queue are copies of the one in its row, and stand in one line. */
static void line_up(run *r, queue *q) {
  const packet first = *head_of(r->part, q);
  const uint32_t index = r->shape->slot[q->slot].packet;
  drop_candidates(r->part, q);
  q->state = EMPTY;
  q->length = 0;
  for (uint32_t i = 0; i < r->shape->ring; i++) {
    const uint32_t copy = i ? take_packet(r->part) : index;
    r->part->packet[copy] = first;
    lines_add(r->part, q, copy, r->part->now + i);
  }
}

/* If packets settle early, the tie rule decides by the packet's number at its source. Searches a number whose candidate
 * leads into the set. */
static int load_head(run *r, queue *q, ripstop_error *err) {
  packet *p = head_of(r->part, q);
  load_candidates(r->part, q);
  while (r->plan->choose_early && !run_failed(r) && any_candidate(q) && !waits_for_full(r, q)) {
    drop_candidates(r->part, q);
    if (++p->number == NUMBERS_TRIED)
      return ripstop_fail(err, "no packet from end node %u to %u settles on a candidate that leads into the set",
                          p->source, p->destination);
    load_candidates(r->part, q);
  }
  if (has_lines(r->part, q)) line_up(r, q);
  wake_queue(r->part, q);
  return run_failed(r) ? run_report(r, err) : 0;
}

static int load_all(run *r, const ripstop_deadlocked_packet *deadlock_packets, uint32_t count, ripstop_error *err) {
  const uint32_t vcs = r->shape->vcs;
  for (uint32_t i = 0; i < count; i++) {
    if (check_deadlocked(r, &deadlock_packets[i], err)) return -1;
    if (r->shape->queue[queue_index(r, &deadlock_packets[i], 0)].length)
      return ripstop_fail(err, "a queue is listed twice");
    for (uint32_t k = 0; k < vcs; k++) {
      fill_queue(r, &deadlock_packets[i], k);
      if (fills_out_queues(r)) fill_out_queue(r, &deadlock_packets[i], k);
    }
  }
  for (uint32_t i = 0; i < count * vcs; i++)
    if (load_head(r, &r->shape->queue[queue_index(r, &deadlock_packets[i / vcs], i % vcs)], err)) return -1;
  return 0;
}

static int settle(run *r, ripstop_error *err) {
  for (uint32_t step = 0; step < SETTLING_STEPS; step++) {
    if (control_quiet(r)) return 0;
    r->end = r->part->now + SETTLING_STEP;
    engine_run(r, r->end);
    if (run_failed(r)) return run_report(r, err);
  }
  return ripstop_fail(err, "method %s: its protocol does not become quiet", r->plan->method->name);
}

static bool finds_exactly(const run *r, const ripstop_deadlocked_packet *deadlock_packets, uint32_t count) {
  const uint32_t vcs = r->shape->vcs;
  uint32_t stuck = 0, found = 0;
  for (uint32_t i = 0; i < r->shape->queues; i++) stuck += r->stuck[i];
  for (uint32_t i = 0; i < count * vcs; i++) found += r->stuck[queue_index(r, &deadlock_packets[i / vcs], i % vcs)];
  return r->deadlocked && stuck == count * vcs && found == count * vcs;
}

static int stand(run *r, const ripstop_deadlocked_packet *deadlock_packets, uint32_t count, uint64_t cycles,
                 ripstop_standstill *out, ripstop_error *err) {
  if (settle(r, err) || load_all(r, deadlock_packets, count, err)) return -1;
  uint64_t before = r->part->wheel.posted;
  out->packets = r->packets - free_rows(r->part);
  r->end = r->part->now + (uint32_t)cycles;
  engine_run(r, r->end);
  if (run_failed(r)) return run_report(r, err);
  out->events = r->part->wheel.posted - before;
  out->exact = finds_exactly(r, deadlock_packets, count);
  return 0;
}

/* A proved deadlock fills each queue with copies of one packet. */
static int check_switch(const run *r, ripstop_error *err) {
  const ripstop_switch_config *config = &r->config->switch_;
  if (r->part->bound)
    return ripstop_fail(err, "switch.queues = %s: a proved deadlock fills input queues", config->queues);
  if (r->shape->pools)
    return ripstop_fail(err, "switch.buffers = port: a proved deadlock fills queues that have space of their own");
  if (r->shape->vcs > 1 && r->shape->vc == RIPSTOP_VC_HASH)
    return ripstop_fail(err, "switch.vc = hash: copies of one packet fill one of its %u channels", r->shape->vcs);
  return 0;
}

int ripstop_simulate_deadlocked(const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                                const ripstop_deadlocked_packet *deadlock_packets, uint32_t count, uint64_t cycles,
                                ripstop_standstill *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const uint64_t longest = 1000000000;
  err->text[0] = '\0';
  *out = (ripstop_standstill){0};
  if (cycles == 0 || cycles > longest)
    return ripstop_fail(err, "%llu cycles: 1 to 1000000000 are possible", (unsigned long long)cycles);
  if (ripstop_simulate_routes(plan, scenario) && ripstop_plan_check_tables(plan, err)) return -1;
  ripstop_simulate_settings still = *scenario;
  still.schedule = NULL;
  still.agents = 0;
  still.traffic.load = 0;
  still.traffic.classes = &equal_classes[2 * (RIPSTOP_CLASSES_MAX - plan->classes)];
  still.threads = still.parts = 1;
  still.measure.warmup = "0";
  still.measure.cycles = (int64_t)cycles + SETTLING_STEP * SETTLING_STEPS;
  still.measure.window = 0;
  still.measure.affected = false;
  still.reconfiguration = (ripstop_reconfiguration_config){0};
  still.measure.check = (int64_t)longest; /* once, at the end */
  run *r = run_new(plan, &still, err);
  if (!r) return -1;
  int status = check_switch(r, err);
  if (!status) status = stand(r, deadlock_packets, count, cycles, out, err);
  run_free(r);
  return status;
}
