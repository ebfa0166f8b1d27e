/* processor.c - an in-order processor that runs one instruction at a time.
 *
 * A load that misses blocks it until the line arrives. A store without write permission goes into the store buffer,
 * which has one entry per line; the processor blocks when the buffer is full, and a fence blocks until it is empty. So
 * memory is sequentially consistent for programs without data races (release consistency), and without a buffer for all
 * programs.
 *
 * While accesses hit, the processor runs ahead of the network by at most `slack` cycles, which saves a switch of stacks
 * for each. An invalidation may take effect that much late: this changes times slightly, but not coherence. A miss
 * starts at its own tick.
 *
 * A processor that spins on a flag sleeps while its copy of the line has another value there; then it loads the flag
 * again. */
#include <string.h>

#include "programs/machine.h"
#include "ripstop/plugin/kernel.h"

enum { ARRIVALS = 4, WAKEUPS = 2 }; /* children in the two trees of the barrier */

static uint64_t cycles(const ripstop_processor *w, uint64_t count) { return count * w->machine->processor_ticks; }

/* ------------------------------------------------------------------ pausing and resuming */

/* Pauses the processor until the rest of the machine has reached its tick. */
static void wait_for_machine(ripstop_processor *w) {
  machine_event(w->machine, w->clock, EVENT_RUN, w->self);
  fiber_pause(w->fiber);
}

/* Blocks the processor until an event at this node. */
static void block(ripstop_processor *w) {
  ripstop_machine *m = w->machine;
  uint64_t since = m->now > w->clock ? m->now : w->clock;
  w->blocked = true;
  fiber_pause(w->fiber);
  if (w->clock < m->now) w->clock = m->now;
  w->waited += w->clock - since;
}

void processor_wake(ripstop_processor *w) {
  if (!w->blocked) return;
  w->blocked = false;
  machine_event(w->machine, w->machine->now, EVENT_RUN, w->self);
}

static bool far_ahead(const ripstop_processor *w) {
  return w->clock > w->machine->now + cycles(w, (uint64_t)w->machine->config.slack);
}

static void spend(ripstop_processor *w, uint64_t count) { w->clock += cycles(w, count); }

void processor_main(void *processor) {
  ripstop_processor *w = processor;
  w->machine->kernel->run(w, w->machine->state);
  ripstop_fence(w);
}

/* ------------------------------------------------------------------ lines */

static bool is_leaving(const ripstop_processor *w, uint64_t line) {
  for (uint32_t i = 0; i < LEAVING_MAX; i++)
    if (w->leaving[i].co.state != CO_I && w->leaving[i].line == line) return true;
  return false;
}

static leaving *free_leaving(ripstop_processor *w) {
  for (uint32_t i = 0; i < LEAVING_MAX; i++)
    if (w->leaving[i].co.state == CO_I) return &w->leaving[i];
  return NULL;
}

/* An entry for a new line; the line that it replaces is written back. NULL: none is available now. */
static cache_line *make_place(ripstop_processor *w, uint64_t number) {
  ripstop_machine *m = w->machine;
  cache_line *victim = cache_victim(&w->cache, number);
  leaving *leaves = free_leaving(w);
  if (!victim || !leaves) return NULL;
  if (victim->co.state != CO_I) {
    co_message head_request = {.kind = CO_EVICT, .to = (uint8_t)w->self};
    co_out out;
    co_line co = victim->co;
    co_cache_step(&co, m->home[victim->number].node, &head_request, &out);
    machine_send(m, victim->number, &out, cache_bytes(&w->cache, victim), w->clock);
    w->evictions++;
    *leaves = (leaving){.line = victim->number, .co = co};
    memcpy(leaves->bytes, cache_bytes(&w->cache, victim), RIPSTOP_LINE_BYTES);
    cache_drop(&w->cache, victim);
  }
  victim->number = number;
  return victim;
}

/* Sends a request for a line at the present tick. False: no entry is available for it now. */
static bool ask(ripstop_processor *w, cache_line *line, uint64_t number, co_kind kind) {
  ripstop_machine *m = w->machine;
  if (!line && !(line = make_place(w, number))) return false;
  co_message head_request = {.kind = (uint8_t)kind, .to = (uint8_t)w->self};
  co_out out;
  co_cache_step(&line->co, m->home[number].node, &head_request, &out);
  m->broken |= out.wrong;
  w->upgrades += out.message[0].kind == CO_UPGRADE;
  w->misses += out.message[0].kind != CO_UPGRADE;
  w->l1_misses += !cache_touch(&w->cache, line);
  machine_send(m, number, &out, cache_bytes(&w->cache, line), w->clock + cycles(w, (uint64_t)m->config.l2));
  return true;
}

static void spend_access(ripstop_processor *w, cache_line *line) {
  bool first = cache_touch(&w->cache, line);
  w->l1_misses += !first;
  spend(w, (uint64_t)(first ? w->machine->config.l1 : w->machine->config.l2));
}

/* ------------------------------------------------------------------ loads */

static uint64_t read_bytes(const uint8_t *bytes, uint32_t offset, uint32_t size) {
  uint64_t value = 0;
  memcpy(&value, bytes + offset, size);
  return value;
}

static uint64_t mask_of(uint32_t offset, uint32_t size) { return ((UINT64_C(1) << size) - 1) << offset; }

static store_entry *find_store(ripstop_processor *w, uint64_t line) {
  for (uint32_t i = 0; w->stores && i <= (uint32_t)w->machine->config.stores; i++)
    if (w->store[i].used && w->store[i].line == line) return &w->store[i];
  return NULL;
}

/* The bytes for a load of a line with pending stores: from the store buffer if it has all of them, from the cached copy
 * if it has none of them and there is a copy; else NULL. */
static const uint8_t *bytes_while_storing(ripstop_processor *w, const cache_line *line, uint64_t mask) {
  const store_entry *entry = find_store(w, line->number);
  if (entry && (entry->mask & mask) == mask) return entry->bytes;
  return co_readable(&line->co) && !(entry && (entry->mask & mask)) ? cache_bytes(&w->cache, line) : NULL;
}

void processor_load_ready(ripstop_processor *w, uint64_t line, const uint8_t *bytes) {
  if (!w->loading || w->address / RIPSTOP_LINE_BYTES != line) return;
  w->value = read_bytes(bytes, w->address % RIPSTOP_LINE_BYTES, sizeof w->value);
  w->loading = false;
}

static uint64_t load(ripstop_processor *w, uint64_t address, uint32_t size) {
  uint64_t number = address / RIPSTOP_LINE_BYTES;
  uint32_t offset = address % RIPSTOP_LINE_BYTES;
  w->loads++;
  for (;;) {
    if (far_ahead(w)) wait_for_machine(w);
    cache_line *line = cache_find(&w->cache, number);
    const uint8_t *bytes = NULL;
    if (line)
      bytes = co_stable(&line->co) ? cache_bytes(&w->cache, line) : bytes_while_storing(w, line, mask_of(offset, size));
    if (bytes) {
      spend_access(w, line);
      return read_bytes(bytes, offset, size);
    }
    if (w->clock > w->machine->now)
      wait_for_machine(w);
    else if (line || is_leaving(w, number) || !ask(w, NULL, number, CO_LOAD))
      block(w);
    else
      break;
  }
  /* the value is loaded when the line arrives; the whole word must lie within the line */
  uint32_t room = RIPSTOP_LINE_BYTES - (uint32_t)sizeof w->value, from = offset < room ? offset : room;
  w->address = number * RIPSTOP_LINE_BYTES + from;
  for (w->loading = true; w->loading;) block(w);
  uint64_t value = w->value >> 8 * (offset - from);
  return size == sizeof value ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

/* ------------------------------------------------------------------ stores */

static void write_entry(store_entry *entry, uint32_t offset, uint32_t size, const void *value) {
  memcpy(entry->bytes + offset, value, size);
  entry->mask |= mask_of(offset, size);
}

void processor_store_ready(ripstop_processor *w, uint64_t line, uint8_t *bytes) {
  store_entry *entry = find_store(w, line);
  if (!entry) return;
  for (uint32_t i = 0; i < RIPSTOP_LINE_BYTES; i++)
    if (entry->mask >> i & 1) bytes[i] = entry->bytes[i];
  entry->used = false;
  w->stores--;
}

static store_entry *new_entry(ripstop_processor *w, uint64_t line) {
  store_entry *entry = w->store;
  while (entry->used) entry++;
  *entry = (store_entry){.line = line, .used = true};
  w->stores++;
  return entry;
}

static void store(ripstop_processor *w, uint64_t address, uint32_t size, const void *value) {
  uint64_t number = address / RIPSTOP_LINE_BYTES;
  uint32_t offset = address % RIPSTOP_LINE_BYTES, most = (uint32_t)w->machine->config.stores;
  w->stored++;
  for (;;) {
    if (far_ahead(w)) wait_for_machine(w);
    cache_line *line = cache_find(&w->cache, number);
    if (line && co_writable(&line->co)) {
      line->co.state = CO_M;
      memcpy(cache_bytes(&w->cache, line) + offset, value, size);
      spend_access(w, line);
      return;
    }
    store_entry *entry = line ? find_store(w, number) : NULL;
    if (entry) {
      write_entry(entry, offset, size, value);
      spend(w, (uint64_t)w->machine->config.l1);
      return;
    }
    if (w->clock > w->machine->now) {
      wait_for_machine(w);
    } else if (w->stores >= (most ? most : 1) || is_leaving(w, number) || !ask(w, line, number, CO_STORE)) {
      block(w);
    } else {
      write_entry(new_entry(w, number), offset, size, value);
      spend(w, (uint64_t)w->machine->config.l1);
      while (!most && w->stores) block(w);
      return;
    }
  }
}

void ripstop_fence(ripstop_processor *w) {
  while (w->stores) block(w);
}

/* ------------------------------------------------------------------ called by kernels */

uint32_t ripstop_self(const ripstop_processor *w) { return w->self; }
uint32_t ripstop_processor_count(const ripstop_processor *w) { return w->machine->processors; }

double ripstop_load_real(ripstop_processor *w, uint64_t address) {
  uint64_t bits = load(w, address, sizeof bits);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void ripstop_store_real(ripstop_processor *w, uint64_t address, double value) {
  store(w, address, sizeof value, &value);
}

uint32_t ripstop_load_word(ripstop_processor *w, uint64_t address) {
  return (uint32_t)load(w, address, sizeof(uint32_t));
}

void ripstop_store_word(ripstop_processor *w, uint64_t address, uint32_t value) {
  store(w, address, sizeof value, &value);
}

void ripstop_flops(ripstop_processor *w, uint64_t count) { spend(w, count * (uint64_t)w->machine->config.flop); }
void ripstop_ops(ripstop_processor *w, uint64_t count) { spend(w, count * (uint64_t)w->machine->config.op); }

void ripstop_await(ripstop_processor *w, uint64_t address, uint32_t value) {
  while (ripstop_load_word(w, address) != value) {
    if (w->clock > w->machine->now) wait_for_machine(w);
    const cache_line *line;
    while ((line = cache_find(&w->cache, address / RIPSTOP_LINE_BYTES)) && co_readable(&line->co) &&
           read_bytes(cache_bytes(&w->cache, line), address % RIPSTOP_LINE_BYTES, sizeof value) != value)
      block(w);
    if (!line) ripstop_ops(w, 1);
  }
}

/* ------------------------------------------------------------------ barriers
 *
 * The tree barrier of Mellor-Crummey and Scott (1991): each processor waits for four children, sets a flag of its
 * parent, and is woken down a binary tree. Each flag has a line of its own, whose home is the processor that waits for
 * it, and holds the number of the barrier, so no flag is ever reset. */

static uint64_t arrival_flag(const ripstop_machine *m, uint32_t parent, uint32_t child) {
  return m->barriers + ((uint64_t)parent * (ARRIVALS + 1) + child) * RIPSTOP_LINE_BYTES;
}
static uint64_t wakeup_flag(const ripstop_machine *m, uint32_t self) { return arrival_flag(m, self, ARRIVALS); }

void processor_layout_barriers(ripstop_machine *m) {
  m->barriers = ripstop_shared(m, (uint64_t)m->processors * (ARRIVALS + 1) * RIPSTOP_LINE_BYTES);
  for (uint32_t i = 0; i < m->processors; i++)
    ripstop_place(m, arrival_flag(m, i, 0), (uint64_t)(ARRIVALS + 1) * RIPSTOP_LINE_BYTES, i);
}

void ripstop_barrier(ripstop_processor *w) {
  const ripstop_machine *m = w->machine;
  uint32_t self = w->self, episode = ++w->barrier;
  ripstop_fence(w);
  for (uint32_t child = 0; child < ARRIVALS; child++)
    if (ARRIVALS * self + 1 + child < m->processors) ripstop_await(w, arrival_flag(m, self, child), episode);
  if (self) {
    ripstop_store_word(w, arrival_flag(m, (self - 1) / ARRIVALS, (self - 1) % ARRIVALS), episode);
    ripstop_await(w, wakeup_flag(m, self), episode);
  }
  for (uint32_t child = WAKEUPS * self + 1; child <= WAKEUPS * self + WAKEUPS; child++)
    if (child < m->processors) ripstop_store_word(w, wakeup_flag(m, child), episode);
}
