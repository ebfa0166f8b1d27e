/* machine.c - the nodes of the machine and their handling of messages, in order of time.
 *
 * A message between two nodes is a packet of the network; a message of a node to itself arrives at once. A home accepts
 * one message per `occupancy`, does its step, and sends the resulting messages after the latency of the memory or the
 * directory. A cache answers a forward after the latency of the second level. */
#include "programs/machine.h"
#include "base/binary_heap.h"
#include "base/divisor.h"
#include "ripstop/plugin/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"

/* ------------------------------------------------------------------ events: a binary heap by (tick, order) */

static bool earlier(const event *a, const event *b) {
  return a->tick != b->tick ? a->tick < b->tick : a->order < b->order;
}

RIPSTOP_HEAP(event, event, earlier)

void machine_event(ripstop_machine *m, uint64_t tick, event_kind kind, uint32_t what) {
  RIPSTOP_GROW(m->event, m->events, m->event_room);
  event_up(m->event, m->events++, (event){.tick = tick, .order = m->order++, .kind = kind, .what = what});
}

/* ------------------------------------------------------------------ packets */

static uint32_t new_packet(ripstop_machine *m) {
  if (m->free_packet == RIPSTOP_NONE) {
    uint32_t more = m->packets ? m->packets : 1024;
    m->packet = ripstop_realloc(m->packet, m->packets + more, sizeof *m->packet);
    for (uint32_t i = 0; i < more; i++) {
      m->packet[m->packets + i].next = m->free_packet;
      m->free_packet = m->packets + i;
    }
    m->packets += more;
  }
  uint32_t p = m->free_packet;
  m->free_packet = m->packet[p].next;
  m->flying++;
  return p;
}

static void free_packet(ripstop_machine *m, uint32_t p) {
  m->packet[p].next = m->free_packet;
  m->free_packet = p;
  m->flying--;
}

void machine_send(ripstop_machine *m, uint64_t line, const co_out *out, const uint8_t *bytes, uint64_t tick) {
  for (uint32_t i = 0; i < out->count; i++) {
    const co_message *message = &out->message[i];
    uint32_t p = new_packet(m);
    m->packet[p].message = *message;
    m->packet[p].line = line;
    if (co_has_data(message->kind)) memcpy(m->packet[p].bytes, bytes, RIPSTOP_LINE_BYTES);
    machine_event(m, tick, message->from == message->to ? EVENT_ARRIVE : EVENT_SEND, p);
  }
}

/* Sends a packet into the network; `again`: repeats it after a loss. */
static void post(ripstop_machine *m, uint32_t p) {
  const co_message *message = &m->packet[p].message;
  co_class class_ = co_class_of(message->kind);
  ripstop_agent_packet agent_packet = {.source = message->from,
                                       .destination = message->to,
                                       .class_ = class_,
                                       .flits = co_has_data(message->kind) ? RIPSTOP_DATA_FLITS : RIPSTOP_COMMAND_FLITS,
                                       .tag = p};
  m->sent[class_]++;
  m->net.send(m->net.self, &agent_packet);
}

/* ------------------------------------------------------------------ the cache's side of a message */

static leaving *find_leaving(ripstop_processor *w, uint64_t line) {
  for (uint32_t i = 0; i < LEAVING_MAX; i++)
    if (w->leaving[i].co.state != CO_I && w->leaving[i].line == line) return &w->leaving[i];
  return NULL;
}

static void at_cache(ripstop_machine *m, uint32_t p) {
  packet in = m->packet[p];
  free_packet(m, p);
  ripstop_processor *w = &m->processor[in.message.to];
  cache_line *line = cache_find(&w->cache, in.line);
  leaving *leaves = line ? NULL : find_leaving(w, in.line);
  co_line none = {.state = CO_I}; /* neither cached nor leaving: it was evicted earlier */
  co_line *co = line ? &line->co : leaves ? &leaves->co : &none;
  uint8_t *bytes = line ? cache_bytes(&w->cache, line) : leaves ? leaves->bytes : NULL;
  co_out out;
  co_cache_step(co, m->home[in.line].node, &in.message, &out);
  if (out.wrong) {
    m->broken = true;
    return;
  }
  if (out.keep && bytes) memcpy(bytes, in.bytes, RIPSTOP_LINE_BYTES);
  uint64_t delay = co_class_of(in.message.kind) == CO_FORWARD ? (uint64_t)m->config.l2 * m->processor_ticks : 0;
  machine_send(m, in.line, &out, bytes, m->now + delay);
  if (out.ready && co->state == CO_M) processor_store_ready(w, in.line, bytes);
  if (out.ready && co->state != CO_M) processor_load_ready(w, in.line, bytes);
  if (line && line->co.state == CO_I) cache_drop(&w->cache, line);
  processor_wake(w);
}

/* ------------------------------------------------------------------ the home's side */

static void home_step(ripstop_machine *m, uint32_t p) {
  const packet *in = &m->packet[p];
  uint64_t number = in->line;
  home_line *home = &m->home[number];
  co_out out;
  co_home_step(&home->co, &in->message, &out);
  m->broken |= out.wrong;
  if (out.defer) {
    m->packet[p].next = RIPSTOP_NONE;
    if (home->first == RIPSTOP_NONE)
      home->first = p;
    else
      m->packet[home->last].next = p;
    home->last = p;
    return;
  }
  uint8_t *bytes = m->memory + number * RIPSTOP_LINE_BYTES;
  if (out.keep) memcpy(bytes, in->bytes, RIPSTOP_LINE_BYTES);
  free_packet(m, p);
  bool data = out.count && co_has_data(out.message[0].kind);
  uint64_t cycles = (uint64_t)(data ? m->config.memory : m->config.directory);
  machine_send(m, number, &out, bytes, m->now + cycles * m->processor_ticks);
}

/* Handles the packet, then those that wait for the line, in order, until one makes the line busy. */
static void at_home(ripstop_machine *m, uint32_t p) {
  home_line *home = &m->home[m->packet[p].line];
  home_step(m, p);
  while (home->first != RIPSTOP_NONE && !co_busy(&home->co)) {
    uint32_t first = home->first;
    home->first = m->packet[first].next;
    home_step(m, first);
  }
}

static void arrive(ripstop_machine *m, uint32_t p) {
  const co_message *message = &m->packet[p].message;
  co_class class_ = co_class_of(message->kind);
  if (class_ == CO_FORWARD || class_ == CO_RESPONSE) {
    at_cache(m, p);
    return;
  }
  ripstop_processor *w = &m->processor[message->to];
  uint64_t begin = w->home_free > m->now ? w->home_free : m->now;
  w->home_free = begin + (uint64_t)m->config.occupancy * m->processor_ticks;
  machine_event(m, begin, EVENT_HOME, p);
}

/* ------------------------------------------------------------------ time */

static void run_processor(ripstop_machine *m, ripstop_processor *w) {
  fiber_resume(w->fiber);
  if (!fiber_over(w->fiber)) return;
  m->running--;
  if (w->clock > m->end) m->end = w->clock;
}

static void happen(ripstop_machine *m, const event *e) {
  switch (e->kind) {
  case EVENT_RUN:
    run_processor(m, &m->processor[e->what]);
    break;
  case EVENT_ARRIVE:
    arrive(m, e->what);
    break;
  case EVENT_HOME:
    at_home(m, e->what);
    break;
  default: /* EVENT_SEND */
    post(m, e->what);
  }
}

/* Handles all events up to `tick`, which belongs to the present network cycle. */
static void advance(ripstop_machine *m, uint64_t tick) {
  while (m->events && m->event[0].tick <= tick && !m->broken) {
    event e = event_take(m->event, &m->events);
    m->now = e.tick;
    happen(m, &e);
  }
  m->now = tick;
}

/* Sets the alarm for the next event unless an earlier alarm is set; or ends the run. */
static void look_ahead(ripstop_machine *m) {
  if (m->broken || machine_done(m) || machine_stuck(m)) {
    m->net.finish(m->net.self);
    return;
  }
  if (!m->events) return;
  uint64_t cycle = (m->event[0].tick + m->network_ticks - 1) / m->network_ticks;
  if (cycle >= m->alarm) return;
  m->alarm = cycle;
  m->net.alarm(m->net.self, cycle);
}

static uint64_t present(const ripstop_machine *m) { return m->net.now(m->net.self) * m->network_ticks; }

void machine_delivered(ripstop_machine *m, const ripstop_agent_packet *agent_packet) {
  uint64_t tick = present(m);
  advance(m, tick);
  machine_event(m, tick, EVENT_ARRIVE, (uint32_t)agent_packet->tag);
  advance(m, tick);
  look_ahead(m);
}

void machine_lost(ripstop_machine *m, const ripstop_agent_packet *agent_packet) {
  uint64_t tick = present(m);
  advance(m, tick);
  m->retries++;
  machine_event(m, tick + (uint64_t)m->config.retry * m->processor_ticks, EVENT_SEND, (uint32_t)agent_packet->tag);
  look_ahead(m);
}

void machine_alarm(ripstop_machine *m) {
  uint64_t cycle = m->net.now(m->net.self);
  if (cycle >= m->alarm) m->alarm = UINT64_MAX;
  advance(m, present(m));
  look_ahead(m);
}

/* Processors start in cycle 1; their time counts from there. */
void machine_start(ripstop_machine *m, const net *network) {
  m->net = *network;
  m->alarm = UINT64_MAX;
  m->start = m->end = m->network_ticks;
  for (uint32_t i = 0; i < m->processors; i++) {
    m->processor[i].clock = m->start;
    machine_event(m, m->start, EVENT_RUN, i);
  }
  look_ahead(m);
}

/* ------------------------------------------------------------------ memory */

uint64_t ripstop_shared(ripstop_machine *m, uint64_t bytes) {
  uint64_t first = m->lines, more = (bytes + RIPSTOP_LINE_BYTES - 1) / RIPSTOP_LINE_BYTES;
  m->lines += more;
  m->memory = ripstop_realloc(m->memory, m->lines, RIPSTOP_LINE_BYTES);
  m->home = ripstop_realloc(m->home, m->lines, sizeof *m->home);
  memset(m->memory + first * RIPSTOP_LINE_BYTES, 0, more * RIPSTOP_LINE_BYTES);
  for (uint64_t line = first; line < m->lines; line++)
    m->home[line] = (home_line){.node = (uint8_t)(line % m->processors), .first = RIPSTOP_NONE};
  return first * RIPSTOP_LINE_BYTES;
}

void ripstop_place(ripstop_machine *m, uint64_t address, uint64_t bytes, uint32_t processor) {
  for (uint64_t line = address / RIPSTOP_LINE_BYTES; line * RIPSTOP_LINE_BYTES < address + bytes; line++)
    m->home[line].node = (uint8_t)processor;
}

void ripstop_poke(ripstop_machine *m, uint64_t address, const void *bytes, size_t count) {
  memcpy(m->memory + address, bytes, count);
}

static const uint8_t *last_copy(const ripstop_machine *m, uint64_t line) {
  const home_line *home = &m->home[line];
  const cache_line *copy = home->co.owned ? cache_find(&m->processor[home->co.owner].cache, line) : NULL;
  return copy ? cache_bytes(&m->processor[home->co.owner].cache, copy) : m->memory + line * RIPSTOP_LINE_BYTES;
}

void ripstop_peek(const ripstop_machine *m, uint64_t address, void *bytes, size_t count) {
  uint8_t *out = bytes;
  for (size_t done = 0; done < count;) {
    uint64_t at = address + done, offset = at % RIPSTOP_LINE_BYTES;
    size_t part = RIPSTOP_LINE_BYTES - offset < count - done ? RIPSTOP_LINE_BYTES - offset : count - done;
    memcpy(out + done, last_copy(m, at / RIPSTOP_LINE_BYTES) + offset, part);
    done += part;
  }
}

uint32_t ripstop_processors(const ripstop_machine *m) { return m->processors; }
ripstop_arena *ripstop_machine_arena(ripstop_machine *m) { return m->arena; }

/* ------------------------------------------------------------------ opening and closing */

int machine_open(ripstop_machine *m, const ripstop_program_config *config, uint32_t processors,
                 const ripstop_kernel *kernel, const void *options, uint64_t seed, ripstop_error *err) {
  *m = (ripstop_machine){.config = *config, .processors = processors, .kernel = kernel, .arena = ripstop_arena_new()};
  m->free_packet = RIPSTOP_NONE;
  m->running = processors;
  uint64_t divisor = ripstop_common_divisor((uint64_t)config->clock, (uint64_t)config->router);
  m->processor_ticks = (uint64_t)config->router / divisor;
  m->network_ticks = (uint64_t)config->clock / divisor;
  processor_layout_barriers(m);
  if (kernel->prepare(m, options, seed, &m->state, err)) {
    machine_close(m);
    return -1;
  }
  m->processor = RIPSTOP_ARRAY(m->arena, processors, ripstop_processor);
  for (uint32_t i = 0; i < processors; i++) {
    ripstop_processor *w = &m->processor[i];
    w->machine = m, w->self = i;
    cache_open(&w->cache, m->arena, config);
    w->store = RIPSTOP_ARRAY(m->arena, (size_t)config->stores + 1, store_entry);
    w->fiber = fiber_new(processor_main, w);
  }
  return 0;
}

void machine_close(ripstop_machine *m) {
  for (uint32_t i = 0; m->processor && i < m->processors; i++) fiber_free(m->processor[i].fiber);
  ripstop_free(m->memory);
  ripstop_free(m->home);
  ripstop_free(m->packet);
  ripstop_free(m->event);
  ripstop_arena_free(m->arena);
  *m = (ripstop_machine){0};
}

/* ------------------------------------------------------------------ checks after the end */

bool machine_done(const ripstop_machine *m) { return !m->running && !m->flying && !m->broken; }

bool machine_stuck(const ripstop_machine *m) { return m->running && !m->flying && !m->events; }

double machine_time(const ripstop_machine *m) { return (double)(m->end - m->start) / (double)m->processor_ticks; }

bool machine_agrees(const ripstop_machine *m) {
  for (uint64_t number = 0; number < m->lines; number++) {
    const home_line *home = &m->home[number];
    if (co_busy(&home->co) || home->first != RIPSTOP_NONE) return false;
    for (uint32_t i = 0; i < m->processors; i++) {
      const cache_line *line = cache_find(&m->processor[i].cache, number);
      bool owner = home->co.owned && home->co.owner == i;
      if (line && !co_stable(&line->co)) return false;
      if (owner != (line && co_writable(&line->co))) return false;
      if (!line || owner) continue;
      if (!(home->co.sharers >> i & 1)) return false;
      if (memcmp(cache_bytes(&m->processor[i].cache, line), m->memory + number * RIPSTOP_LINE_BYTES,
                 RIPSTOP_LINE_BYTES))
        return false;
    }
  }
  return true;
}
