/* standing.c - a deadlock that was proved, put into the engine: its queues full, its packets at their heads, no
 * sources. If the proof is right, nothing ever moves, and the search of the live buffers finds exactly these queues. */
#include <string.h>

#include "ripstop/plugin/method.h"
#include "simulate/control.h"
#include "simulate/state.h"

/* What a protocol may take to fall silent before the queues are filled, and in what steps that is looked at. */
enum { SETTLING_STEP = 1000, SETTLING_STEPS = 1000 };
/* Packets of one source that are tried for one that settles on a way into the set. */
enum { NUMBERS_TRIED = 100000 };
/* As traffic.classes; its end is as long as there are classes. */
static const char equal_classes[] = "1/1/1/1/1/1/1/1";
static_assert(sizeof equal_classes == 2 * RIPSTOP_CLASSES_MAX, "a share and a separator for each class");

static uint32_t index_of(const engine *e, const ripstop_standing *s) {
  return queue_of_port(e, e->fabric->peer[s->port], s->channel);
}

static int check_standing(const engine *e, const ripstop_standing *s, ripstop_error *err) {
  const ripstop_fabric *f = e->fabric;
  bool fits = s->port < f->ports && e->view->port_up[s->port] && s->port >= f->ends &&
              !is_interface(e, f->port_node[f->peer[s->port]]) && s->channel < e->channels;
  if (!fits || s->source >= f->ends || s->destination >= f->ends)
    return ripstop_fail(err, "port %u, channel %u is no living queue between switches, or its packet has no end nodes",
                        s->port, s->channel);
  if (s->class_ >= e->classes)
    return ripstop_fail(err, "class %u: there are classes 0 to %u", s->class_, e->classes - 1);
  return 0;
}

static uint32_t new_packet(engine *e, const ripstop_standing *s) {
  uint32_t index = e->free_packet[--e->free_packets];
  e->packet[index] = (packet){.header = s->header,
                              .source = s->source,
                              .destination = s->destination,
                              .born = e->now,
                              .injected = e->now,
                              .flits = (uint16_t)e->shortest,
                              .class_ = s->class_};
  return index;
}

static void fill_queue(engine *e, const ripstop_standing *s) {
  uint32_t index = index_of(e, s);
  queue *q = &e->queue[index];
  uint32_t lane = s->port * e->channels + s->channel;
  int32_t held = (int32_t)e->ring * units(e, e->shortest);
  for (uint32_t i = 0; i < e->ring; i++)
    e->slot[q->slot + i] = (sim_slot){.packet = new_packet(e, s), .arrived = e->now};
  q->head = 0;
  q->length = (uint16_t)e->ring;
  q->state = WAITING;
  if (e->credits) {
    e->space[lane] -= held;
    return;
  }
  e->held[index] = held;
  e->told_off[index] = 1;
  e->space[lane] = 0;
}

/* The packets behind those of a full input queue have taken the hop already: they stand there with the same header. */
static void fill_out_queue(engine *e, const ripstop_standing *s) {
  uint32_t lane = s->port * e->channels + s->channel;
  out_queue *o = &e->out_queue[lane];
  for (uint32_t i = 0; i < e->out_slots; i++)
    e->out_slot[o->slot + i] = (sim_slot){.packet = new_packet(e, s), .arrived = e->now};
  o->head = 0;
  o->length = e->out_slots;
  e->out_space[lane] -= (int32_t)e->out_slots * units(e, e->shortest);
  e->link_dirty[s->port] = 1;
  wake_node(e, e->fabric->port_node[s->port]);
}

static bool waits_for_full(const engine *e, const queue *q) {
  const ripstop_way *way = &e->way[(size_t)(q - e->queue) * e->ways_max];
  uint32_t port = e->node[q->node].port + way->port;
  if (is_interface(e, e->fabric->port_node[e->fabric->peer[port]])) return false;
  return e->queue[queue_of_port(e, e->fabric->peer[port], way->channel)].length > 0;
}

/* Where packets settle early the tie rule decides by the packet's number at its source: one is found whose way leads
 * into the set. */
static int load_head(engine *e, queue *q, ripstop_error *err) {
  packet *p = head_of(e, q);
  load_ways(e, q);
  while (e->choose_early && !e->failed && q->ways && !waits_for_full(e, q)) {
    drop_ways(e, q);
    if (++p->number == NUMBERS_TRIED)
      return ripstop_fail(err, "no packet from end node %u to %u settles on a way into the set", p->source,
                          p->destination);
    load_ways(e, q);
  }
  wake_queue(e, q);
  return e->failed ? -1 : 0;
}

static int load_all(engine *e, const ripstop_standing *standing, uint32_t count, ripstop_error *err) {
  for (uint32_t i = 0; i < count; i++) {
    if (check_standing(e, &standing[i], err)) return -1;
    if (e->queue[index_of(e, &standing[i])].length) return ripstop_fail(err, "a queue is named twice");
    fill_queue(e, &standing[i]);
    if (e->out_queues) fill_out_queue(e, &standing[i]);
  }
  for (uint32_t i = 0; i < count; i++)
    if (load_head(e, &e->queue[index_of(e, &standing[i])], err)) return -1;
  return 0;
}

static int settle(engine *e, ripstop_error *err) {
  for (uint32_t step = 0; step < SETTLING_STEPS; step++) {
    if (control_quiet(e)) return 0;
    e->end = e->now + SETTLING_STEP;
    engine_run(e);
    if (e->failed) return -1;
  }
  return ripstop_fail(err, "method %s: its protocol does not fall silent", e->plan->method->name);
}

static bool finds_exactly(const engine *e, const ripstop_standing *standing, uint32_t count) {
  uint32_t stuck = 0, found = 0;
  for (uint32_t i = 0; i < e->queues; i++) stuck += e->stuck[i];
  for (uint32_t i = 0; i < count; i++) found += e->stuck[index_of(e, &standing[i])];
  return e->deadlocked && stuck == count && found == count;
}

static int run(engine *e, const ripstop_standing *standing, uint32_t count, uint64_t cycles, ripstop_standstill *out,
               ripstop_error *err) {
  if (engine_build(e, err) || settle(e, err) || load_all(e, standing, count, err)) return -1;
  uint64_t before = e->wheel.posted;
  out->packets = e->packets - e->free_packets;
  e->end = e->now + (uint32_t)cycles;
  engine_run(e);
  if (e->failed) return -1;
  out->events = e->wheel.posted - before;
  out->exact = finds_exactly(e, standing, count);
  return 0;
}

int ripstop_simulate_standing(const ripstop_plan *plan, const ripstop_scenario *scenario,
                              const ripstop_standing *standing, uint32_t count, uint64_t cycles,
                              ripstop_standstill *out, ripstop_error *err) {
  const uint64_t longest = 1000000000;
  err->text[0] = '\0';
  *out = (ripstop_standstill){0};
  if (cycles == 0 || cycles > longest)
    return ripstop_fail(err, "%llu cycles are none or too many", (unsigned long long)cycles);
  if (ripstop_simulate_routes(plan, scenario) && ripstop_plan_check_tables(plan, err)) return -1;
  ripstop_scenario still = *scenario;
  still.schedule = NULL;
  still.players = NULL;
  still.traffic.load = 0;
  still.traffic.classes = &equal_classes[2 * (RIPSTOP_CLASSES_MAX - plan->classes)];
  still.measure.warmup = "0";
  still.measure.cycles = (int64_t)cycles + SETTLING_STEP * SETTLING_STEPS;
  still.measure.window = 0;
  still.measure.affected = false;
  still.reaction = (ripstop_reaction_config){0};
  still.measure.check = (int64_t)longest; /* once, at the end */
  ripstop_arena *arena = ripstop_arena_new();
  engine *e = RIPSTOP_NEW(arena, engine);
  *e = (engine){.config = &still, .fabric = plan->fabric, .view = plan->view, .plan = plan, .arena = arena, .err = err};
  int status = run(e, standing, count, cycles, out, err);
  control_close(e);
  ripstop_arena_free(arena);
  return status;
}
