/* build.c - checks a simulation's options and lays out the engine's arrays, all of the memory that it will ever use. */
#include <string.h>

#include "base/registry.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/method.h"
#include "simulate/control.h"
#include "simulate/guests.h"
#include "simulate/pairs.h"
#include "simulate/players.h"
#include "simulate/state.h"

/* Memory of one simulation that is certainly a mistake. */
#define MOST_SLOTS   (UINT64_C(1) << 29)
#define MOST_WINDOWS INT64_C(10000000)
#define MOST_CYCLES  INT64_C(2000000000)

enum { LINE = 64 };      /* bytes of a cache line */
enum { FAR = 16 << 20 }; /* bytes from which asking ahead (fetch.h) pays: tori lose at 6 MiB and win at 20 */

/* An array that starts at a cache line. */
static void *at_line(ripstop_arena *arena, size_t count, size_t size) {
  uint8_t *memory = ripstop_arena_array(arena, count * size + LINE, 1);
  return memory + (LINE - (uintptr_t)memory % LINE) % LINE;
}
#define ROWS(arena, count, type) ((type *)at_line((arena), (count), sizeof(type)))

static uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* ------------------------------------------------------------------ options */

static int check_range(const char *group, const ripstop_option *options, const void *config, ripstop_error *err) {
  for (const ripstop_option *o = options; o->name; o++) {
    const void *at = (const char *)config + o->offset;
    double value = 0;
    if (o->type == RIPSTOP_OPTION_INTEGER)
      value = (double)*(const int64_t *)at;
    else if (o->type == RIPSTOP_OPTION_REAL)
      value = *(const double *)at;
    else if (o->type == RIPSTOP_OPTION_TEXT && *(const char *const *)at == NULL)
      return ripstop_fail(err, "%s.%s is not given", group, o->name);
    else
      continue;
    if (!(value >= o->min && value <= o->max))
      return ripstop_fail(err, "%s.%s = %g is outside %g .. %g", group, o->name, value, o->min, o->max);
  }
  return 0;
}

static int check_options(const ripstop_scenario *s, ripstop_error *err) {
  if (check_range("switch", ripstop_switch_options, &s->switch_, err)) return -1;
  if (!s->players && check_range("traffic", ripstop_traffic_options, &s->traffic, err)) return -1;
  if (check_range("measure", ripstop_measure_options, &s->measure, err)) return -1;
  if (check_range("reaction", ripstop_reaction_options, &s->reaction, err)) return -1;
  if (s->schedule)
    for (size_t i = 0; i < s->schedule->count; i++)
      if (s->schedule->change[i].cycle > (uint64_t)MOST_CYCLES)
        return ripstop_fail(err, "schedule: cycle %llu is beyond the longest run",
                            (unsigned long long)s->schedule->change[i].cycle);
  return 0;
}

static int read_warmup(const engine *e, uint64_t *cycles, bool *automatic, ripstop_error *err) {
  const char *text = e->config->measure.warmup;
  *automatic = strcmp(text, "auto") == 0;
  *cycles = MEASURE_LONGEST_WARMUP;
  if (*automatic) return 0;
  if (ripstop_parse_u64(text, (uint64_t)MOST_CYCLES, cycles, err)) return ripstop_fail_at(err, "measure.warmup");
  return 0;
}

/* ------------------------------------------------------------------ flow control */

static int check_flow(engine *e, ripstop_error *err) {
  const ripstop_switch_config *s = &e->config->switch_;
  int32_t largest = e->unit_flits ? (int32_t)e->longest : 1;
  e->capacity = (int32_t)s->in_queue;
  e->out_capacity = (int32_t)s->out_queue;
  if (e->capacity < largest || (e->out_queues && e->out_capacity < largest))
    return ripstop_fail(err, "switch: a queue of %d flits does not hold a packet of %u",
                        e->capacity < largest ? e->capacity : e->out_capacity, e->longest);
  if (e->credits) return 0;
  uint32_t underway = ceil_div(e->link + e->pipeline + e->credit - 1, e->shortest);
  int64_t least = (int64_t)(1 + underway) * largest;
  int64_t xoff = s->xoff ? s->xoff : least, xon = s->xon ? s->xon : xoff;
  if (xoff < least)
    return ripstop_fail(err, "switch.xoff = %lld loses packets: with these delays at least %lld must be free",
                        (long long)xoff, (long long)least);
  if (xon < xoff) return ripstop_fail(err, "switch.xon = %lld is below xoff = %lld", (long long)xon, (long long)xoff);
  if (e->capacity < xon)
    return ripstop_fail(err, "switch.in_queue = %d is too small for XON/XOFF: xon = %lld", e->capacity, (long long)xon);
  e->xoff = (int32_t)xoff;
  e->xon = (int32_t)xon;
  return 0;
}

/* ------------------------------------------------------------------ arbiters */

static ripstop_plugin arbiter_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_arbiters[i]); }
static const ripstop_registry arbiters = {"switch.arbiter", RIPSTOP_ARBITER_ABI, arbiter_at};

static uint8_t *arbiter_states(engine *e, const ripstop_arbiter *arbiter, const void *config, size_t *bytes) {
  *bytes = (arbiter->state_size(config, e->channels) + 7) / 8 * 8;
  uint8_t *states = ripstop_arena_array(e->arena, e->fabric->ports, *bytes);
  for (uint32_t port = 0; port < e->fabric->ports; port++) arbiter->init(config, e->channels, states + port * *bytes);
  return states;
}

static int open_arbiters(engine *e, ripstop_error *err) {
  void *config;
  e->arbiter = ripstop_registry_open(&arbiters, e->arena, e->config->switch_.arbiter, &config, err);
  if (!e->arbiter) return -1;
  if (e->arbiter->check && e->arbiter->check(config, e->channels, err)) return -1;
  e->arbiter_config = config;
  e->arbiter_state = arbiter_states(e, e->arbiter, config, &e->arbiter_bytes);
  if (!e->out_queues) return 0;
  e->crossbar_state = arbiter_states(e, e->arbiter, config, &e->arbiter_bytes);
  return 0;
}

/* ------------------------------------------------------------------ arrays */

static void lay_node(engine *e, uint32_t v, uint64_t *bits) {
  const ripstop_fabric *f = e->fabric;
  sim_node *n = &e->node[v];
  n->port = f->port_base[v];
  n->ports = ripstop_node_ports(f, v);
  n->queue = is_interface(e, v) ? v * e->classes : queue_of_port(e, n->port, 0);
  n->queues = is_interface(e, v) ? e->classes : n->ports * e->channels;
  n->words = ceil_div(n->queues, 64);
  n->dirty = (uint32_t)*bits + 1;
  n->want = n->dirty + n->words;
  uint64_t size = 1 + (uint64_t)n->words * (1 + n->ports), unit = is_interface(e, v) ? LINE / 16 : LINE / 8;
  *bits += (size + unit - 1) / unit * unit; /* half lines or whole ones */
}

static void lay_queues(engine *e) {
  const ripstop_fabric *f = e->fabric;
  uint32_t slot = 0;
  for (uint32_t v = 0; v < f->nodes; v++) {
    const sim_node *n = &e->node[v];
    bool interface = is_interface(e, v);
    for (uint32_t i = 0; i < n->queues; i++) {
      queue *q = &e->queue[n->queue + i];
      uint32_t port = interface ? 0 : i / e->channels, channel = interface ? 0 : i % e->channels;
      uint32_t peer = interface ? RIPSTOP_NONE : f->peer[n->port + port];
      *q = (queue){.node = v,
                   .upstream = peer == RIPSTOP_NONE ? 0 : peer * e->channels + channel,
                   .slot = slot,
                   .number = (uint16_t)i,
                   .in_port = (uint16_t)(interface ? i : port),
                   .last_port = NO_PORT,
                   .channel = (uint8_t)channel};
      slot += e->ring;
    }
  }
}

static void lay_lanes(engine *e) {
  const ripstop_fabric *f = e->fabric;
  for (uint32_t port = 0; port < f->ports; port++) {
    uint32_t peer = f->peer[port], v = f->port_node[port];
    bool to_end = peer != RIPSTOP_NONE && is_interface(e, f->port_node[peer]);
    e->output[port] = (output){.node = v, .local = (uint16_t)(port - f->port_base[v]), .to_end = to_end};
    if (peer != RIPSTOP_NONE) e->output[port].next = to_end ? f->port_node[peer] : queue_of_port(e, peer, 0);
    for (uint32_t c = 0; c < e->channels; c++)
      e->space[port * e->channels + c] = to_end && e->plan->guests ? END_SPACE + (int32_t)e->plan->guests
                                         : to_end || !e->credits   ? INT32_MAX
                                                                   : e->capacity;
  }
}

static void lay_out_queues(engine *e) {
  uint32_t lanes = e->fabric->ports * e->channels;
  e->out_slots = (uint16_t)(e->unit_flits ? (uint32_t)e->out_capacity / e->shortest : (uint32_t)e->out_capacity);
  e->out_queue = RIPSTOP_ARRAY(e->arena, lanes, out_queue);
  e->out_slot = RIPSTOP_ARRAY(e->arena, (size_t)lanes * e->out_slots, sim_slot);
  e->out_space = RIPSTOP_ARRAY(e->arena, lanes, int32_t);
  e->link_busy = RIPSTOP_ARRAY(e->arena, e->fabric->ports, uint32_t);
  e->link_dirty = RIPSTOP_ARRAY(e->arena, e->fabric->ports, uint8_t);
  for (uint32_t lane = 0; lane < lanes; lane++) {
    e->out_queue[lane].slot = lane * e->out_slots;
    e->out_space[lane] = e->out_capacity;
  }
}

/* All events that can be pending at once, by kind: see wheel.h. */
static void lay_wheel(engine *e) {
  const ripstop_fabric *f = e->fabric;
  uint64_t longest_delay = (uint64_t)e->longest + e->link + e->pipeline + e->credit + 1;
  uint32_t size = 2048;
  while (size <= longest_delay) size *= 2;
  uint64_t per_port = 1                                                  /* FREE */
                      + ceil_div(e->link + e->pipeline, e->shortest) + 1 /* ARRIVE */
                      + 2 * (ceil_div(e->credit, e->shortest) + 2)       /* SPACE or WORD */
                      + 2;                                               /* LINK_FREE of a packet and a message */
  uint64_t events = per_port * f->ports +
                    (uint64_t)f->ends * (ceil_div(e->link + e->longest, e->shortest) + 1) /* DELIVER */
                    + 2 * (uint64_t)e->streams                                            /* FREE, BIRTH */
                    + (uint64_t)f->ends * e->plan->guests;                                /* ROOM */
  uint32_t chunks = (uint32_t)(events / CHUNK_EVENTS + 1) + size;
  e->wheel.mask = size - 1;
  e->wheel.bucket = RIPSTOP_ARRAY(e->arena, size, uint32_t);
  e->wheel.chunk = ROWS(e->arena, chunks, chunk);
  for (uint32_t i = 0; i < size; i++) e->wheel.bucket[i] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < chunks; i++) e->wheel.chunk[i].next = i + 1 < chunks ? i + 1 : RIPSTOP_NONE;
}

static void lay_packets(engine *e, uint64_t slots) {
  uint64_t out_slots = e->out_queues ? (uint64_t)e->fabric->ports * e->channels * e->out_slots : 0;
  uint64_t leaving = (uint64_t)e->fabric->ends * (ceil_div(e->link + e->longest, e->shortest) + 1);
  uint64_t guests = (uint64_t)e->fabric->ends * e->plan->guests;
  e->packets = (uint32_t)(slots + out_slots + leaving + e->streams + guests); /* below OUT_DISCARDED: MOST_SLOTS */
  e->packet = ROWS(e->arena, e->packets, packet);
  e->free_packet = RIPSTOP_ARRAY(e->arena, e->packets, uint32_t);
  for (uint32_t i = 0; i < e->packets; i++) e->free_packet[i] = e->packets - 1 - i;
  e->free_packets = e->packets;
}

static int lay_out(engine *e, ripstop_error *err) {
  const ripstop_fabric *f = e->fabric;
  e->ring = e->unit_flits ? (uint32_t)e->capacity / e->shortest : (uint32_t)e->capacity;
  uint64_t queues = e->streams + (uint64_t)(f->ports - f->ends) * e->channels;
  uint64_t slots = queues * e->ring, guests = (uint64_t)f->ends * e->plan->guests;
  uint64_t out = (uint64_t)f->ports * e->channels * (e->out_queues ? (uint64_t)e->out_capacity : 1);
  if (queues >= EVENT_SUBJECTS || (uint64_t)f->ports * e->channels >= EVENT_SUBJECTS || slots > MOST_SLOTS ||
      out > MOST_SLOTS || guests > MOST_SLOTS)
    return ripstop_fail(err, "switch: %llu queues with %llu places are more than one simulation can hold",
                        (unsigned long long)queues, (unsigned long long)(slots + out + guests));
  e->queues = (uint32_t)queues;
  e->node = ROWS(e->arena, f->nodes, sim_node);
  uint64_t bits = 0;
  uint32_t most_ports = 1, most_words = 1;
  for (uint32_t v = 0; v < f->nodes; v++) {
    lay_node(e, v, &bits);
    if (e->node[v].ports > most_ports) most_ports = e->node[v].ports;
    if (e->node[v].words > most_words) most_words = e->node[v].words;
  }
  if (bits > UINT32_MAX || most_words * 64 > UINT16_MAX)
    return ripstop_fail(err, "switch: a switch of %u ports with %u channels is more than one simulation can hold",
                        most_ports, e->channels);
  e->bits = ROWS(e->arena, bits, uint64_t);
  e->queue = ROWS(e->arena, e->queues, queue);
  e->slot = ROWS(e->arena, slots, sim_slot);
  e->way = ROWS(e->arena, (size_t)e->queues * e->ways_max, ripstop_way);
  e->output = ROWS(e->arena, f->ports, output);
  e->space = ROWS(e->arena, (size_t)f->ports * e->channels, int32_t);
  e->active = RIPSTOP_ARRAY(e->arena, f->nodes, uint32_t);
  e->active_next = RIPSTOP_ARRAY(e->arena, f->nodes, uint32_t);
  lay_queues(e);
  lay_lanes(e);
  if (e->out_queues) lay_out_queues(e);
  if (!e->credits) {
    e->held = RIPSTOP_ARRAY(e->arena, e->queues, int32_t);
    e->told_off = RIPSTOP_ARRAY(e->arena, e->queues, uint8_t);
    e->is_touched = RIPSTOP_ARRAY(e->arena, e->queues, uint8_t);
    e->touched = RIPSTOP_ARRAY(e->arena, e->queues, uint32_t);
  }
  e->stuck = RIPSTOP_ARRAY(e->arena, e->queues, uint8_t);
  e->out_stuck = RIPSTOP_ARRAY(e->arena, e->out_queues ? (size_t)f->ports * e->channels : 1, uint8_t);
  e->incoming = RIPSTOP_ARRAY(e->arena, e->queues, int32_t);
  e->candidate = RIPSTOP_ARRAY(e->arena, most_words, uint64_t);
  e->request = RIPSTOP_ARRAY(e->arena, (size_t)most_words * most_ports, uint64_t);
  e->requested = RIPSTOP_ARRAY(e->arena, ceil_div(most_ports, 64), uint64_t);
  uint32_t scratch = 64 * most_words > RIPSTOP_CHANNELS_MAX ? 64 * most_words : RIPSTOP_CHANNELS_MAX;
  e->request_channel = RIPSTOP_ARRAY(e->arena, scratch, uint8_t);
  e->request_flits = RIPSTOP_ARRAY(e->arena, scratch, uint16_t);
  e->request_way = RIPSTOP_ARRAY(e->arena, scratch, uint8_t);
  lay_wheel(e);
  lay_packets(e, slots);
  return 0;
}

/* ------------------------------------------------------------------ packets come from sources or players */

static int read_traffic(engine *e, ripstop_error *err) {
  e->sources = ripstop_sources_open(e->arena, e->fabric, &e->config->traffic, e->config->seed, err);
  if (!e->sources) return ripstop_fail_at(err, "traffic");
  e->classes = ripstop_sources_classes(e->sources);
  e->shortest = ripstop_sources_shortest(e->sources);
  e->longest = ripstop_sources_longest(e->sources);
  return 0;
}

static void open_streams(engine *e) {
  e->source = RIPSTOP_ARRAY(e->arena, e->streams, ripstop_source);
  e->birth_posted = RIPSTOP_ARRAY(e->arena, e->streams, uint8_t);
  e->watched = e->config->players || e->config->on_delivery;
  if (e->config->players) {
    players_open(e);
    return;
  }
  ripstop_sources_end(e->sources, e->end);
  for (uint32_t stream = 0; stream < e->streams; stream++) ripstop_source_open(e->sources, stream, &e->source[stream]);
}

int engine_build(engine *e, ripstop_error *err) {
  const ripstop_scenario *s = e->config;
  const ripstop_switch_config *sw = &s->switch_;
  uint64_t warmup;
  bool automatic;
  if (check_options(s, err) || read_warmup(e, &warmup, &automatic, err)) return -1;
  if (warmup + (uint64_t)s->measure.cycles > (uint64_t)MOST_CYCLES)
    return ripstop_fail(err, "measure: a run of %llu cycles is too long; at most %lld",
                        (unsigned long long)(warmup + (uint64_t)s->measure.cycles), (long long)MOST_CYCLES);
  if (s->measure.batches > s->measure.cycles) return ripstop_fail(err, "measure: more batches than cycles");
  if (s->measure.window && (int64_t)(warmup + (uint64_t)s->measure.cycles) / s->measure.window > MOST_WINDOWS)
    return ripstop_fail(err, "measure.window = %lld gives more than %lld points", (long long)s->measure.window,
                        (long long)MOST_WINDOWS);
  e->link = (uint32_t)sw->link;
  e->pipeline = (uint32_t)sw->pipeline;
  e->credit = (uint32_t)sw->credit;
  e->unit_flits = sw->unit == RIPSTOP_UNIT_FLITS;
  e->credits = sw->flow == RIPSTOP_FLOW_CREDITS;
  e->out_queues = sw->out_queue > 0;
  e->choice = (ripstop_choice)sw->choice;
  e->channels = e->plan->channels;
  e->ways_max = e->plan->ways_max;
  e->choose_early = e->plan->choose_early;
  e->seed = s->seed;
  if (e->ways_max == 0 || e->ways_max > 255 || e->channels == 0 || e->channels > RIPSTOP_CHANNELS_MAX)
    return ripstop_fail(err, "method %s: %u ways and %u channels; a simulation has at most 255 and %d",
                        e->plan->method->name, e->ways_max, e->channels, RIPSTOP_CHANNELS_MAX);
  if (s->players ? players_check(e, err) : read_traffic(e, err)) return -1;
  if (e->plan->classes > 1 && e->classes > e->plan->classes)
    return ripstop_fail(err, "traffic: %u classes, but method %s routes %u", e->classes, e->plan->method->name,
                        e->plan->classes);
  e->streams = e->fabric->ends * e->classes;
  if (check_flow(e, err) || guests_check(e, err) || lay_out(e, err) || open_arbiters(e, err)) return -1;
  e->end = (uint32_t)(warmup + (uint64_t)s->measure.cycles);
  open_streams(e);
  guests_open(e);
  e->changes = s->schedule ? s->schedule->count : 0;
  e->change = s->schedule ? s->schedule->change : NULL;
  measure_open(&e->measure, e, automatic ? RIPSTOP_NONE : (uint32_t)warmup);
  if (pairs_open(e, err)) return -1;
  e->far = ripstop_arena_bytes(e->arena) >= FAR;
  return control_open(e, err);
}
