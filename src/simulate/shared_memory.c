/* shared_memory.c - space for the packets of a switch whose ports share one memory: dynamic thresholds (Choudhury and
 * Hahne), tail drop, or pauses for each ingress, which is an input port and virtual channel (PFC).
 *
 * Lossy: an egress queue may grow to alpha times the free memory. Lossless: an ingress may, the rest of what comes
 * until the pause is in force has a headroom of its own, and each ingress a reserve, so that no other packets can take
 * the last space that a packet waits for.
 *
 * Packets enter in decisions. They leave in the arrivals and changes of a cycle, in any order. So XON, which depends on
 * all that have left, is decided when all have. A cycle can send both XON and XOFF of one ingress: the sender counts
 * them, so that their order does not matter.
 *
 * Invariants between two cycles
 *   - The flits of a switch's ingresses are as many as those of its egress queues.
 *   - pool.used is what the ingresses have beyond reserve and headroom, and at most pool.size.
 *   - An ingress has packets in the headroom only while it is paused. */
#include "simulate/shared_memory.h"

#include "ripstop/plugin/method.h"
#include "simulate/bound_packets.h"
#include "simulate/core.h"
#include "simulate/run_result.h"

#include "base/no_heap.h"

static memory_ingress *ingress_of(const part *t, const queue *q) {
  const shared_memory *m = t->bound->memory;
  return &m->ingress[index_of(&t->shape, q) - m->streams];
}

/* ------------------------------------------------------------------ words to the sender */

static void send_word(part *t, const queue *q, bool on) {
  const shape *s = &t->shape;
  const uint32_t port = s->node[q->node].port + q->in_port;
  const uint32_t cycle = t->now + (s->reach ? s->reach[port] : s->link) + s->credit;
  if (SELDOM(s->is_long) && !is_in_other_part(t, port))
    post_distant(t, cycle, WORD, q->upstream, on);
  else
    post_beyond(t, port, cycle, WORD, q->upstream, on);
}

static void pause(part *t, uint32_t vc, memory_pause *p) {
  const shape *s = &t->shape;
  p->count++;
  if (p->words++) return;
  const uint32_t node = s->output[port_of_vc(s, vc)].node;
  p->since = t->now;
  s->space[vc] = 0;
  if (!is_interface(s, node)) return;
  shut_vc(s, vc);
  if (s->exhausted) wake_node(t, node); /* heads may now request candidates of a higher rank */
}

static void resume(part *t, uint32_t vc, memory_pause *p) {
  if (--p->words) return;
  p->cycles += t->now - p->since;
  t->shape.space[vc] = INT32_MAX;
  wake_link(t, port_of_vc(&t->shape, vc));
}

static void on_word(part *t, uint32_t vc, uint32_t on) {
  memory_pause *p = &t->bound->memory->pause[vc];
  if (on)
    resume(t, vc, p);
  else
    pause(t, vc, p);
}

/* ------------------------------------------------------------------ lossless */

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* The pool's part of so many flits outside the headroom. */
static int32_t shared_of(const shared_memory *m, int32_t flits) { return larger(0, flits - m->reserve); }

/* So many flits of an ingress, none of them in the headroom, are below its threshold and have space. */
static bool may_have(const shared_memory *m, const memory_pool *pool, const memory_ingress *in, int32_t flits) {
  const int64_t free = pool->size - pool->used;
  return flits <= m->reserve ||
         (flits <= m->alpha * (double)free && shared_of(m, flits) - shared_of(m, in->flits) <= free);
}

static void overflow(part *t, const queue *q, const memory_ingress *in) {
  ripstop_error *err = run_fail(t->run, q->node, q->number);
  char name[RIPSTOP_NAME_MAX];
  if (!err) return;
  ripstop_node_name(t->shape.fabric, q->node, name);
  ripstop_fail(
      err, "switch.headroom = %d: %s, in-port %u channel %u: %d flits came after the pause was sent; 'auto' is enough",
      in->most, name, q->in_port, q->channel, in->headroom);
}

static void store_lossless(part *t, const queue *q, memory_pool *pool, uint32_t flits) {
  const shared_memory *m = t->bound->memory;
  memory_ingress *in = ingress_of(t, q);
  const int32_t all = in->flits + (int32_t)flits;
  if (!in->paused && may_have(m, pool, in, all)) {
    pool->used += shared_of(m, all) - shared_of(m, in->flits);
  } else {
    if (!in->paused) send_word(t, q, false);
    in->paused = true;
    in->headroom += (int32_t)flits;
    if (in->headroom > in->most) overflow(t, q, in);
  }
  in->flits = all;
}

/* The headroom becomes empty first. */
static void free_lossless(part *t, const queue *q, memory_pool *pool, memory_ingress *in, int32_t flits) {
  const shared_memory *m = t->bound->memory;
  memory_shrunk *shrunk = &m->shrunk[t->number];
  const int32_t before = in->flits - in->headroom;
  in->flits -= flits;
  in->headroom = larger(0, in->headroom - flits);
  pool->used -= shared_of(m, before) - shared_of(m, in->flits - in->headroom);
  if (!in->paused || in->shrank) return;
  in->shrank = true;
  shrunk->queue[shrunk->count++] = index_of(&t->shape, q);
  wake_node(t, q->node); /* for packets that left in decisions: so that the next cycle is not skipped */
}

/* Ends pauses when all packets that leave in this cycle have left. XON needs space for one more longest packet. */
static void send_words(part *t) {
  const shared_memory *m = t->bound->memory;
  memory_shrunk *shrunk = &m->shrunk[t->number];
  for (uint32_t i = 0; i < shrunk->count; i++) {
    const queue *q = &t->shape.queue[shrunk->queue[i]];
    memory_ingress *in = ingress_of(t, q);
    in->shrank = false;
    if (in->headroom || !may_have(m, &m->pool[q->node], in, in->flits + m->longest)) continue;
    in->paused = false;
    send_word(t, q, true);
  }
  shrunk->count = 0;
}

uint32_t memory_words_left(const part *t) {
  const memory_shrunk *shrunk = t->bound->memory->shrunk; /* NULL: no pauses */
  return shrunk ? shrunk[t->number].count : 0;
}

/* ------------------------------------------------------------------ entering and leaving */

static bool store_lossy(part *t, const queue *q, memory_pool *pool, uint32_t vc, uint32_t flits) {
  const shared_memory *m = t->bound->memory;
  const int64_t free = pool->size - pool->used;
  if (flits > free || (double)m->egress[vc] + flits > m->alpha * (double)free) return false;
  pool->used += flits;
  ingress_of(t, q)->flits += (int32_t)flits;
  return true;
}

bool memory_store(part *t, const queue *q, uint32_t vc, uint32_t flits) {
  const shared_memory *m = t->bound->memory;
  memory_pool *pool = &m->pool[q->node];
  if (m->lossless)
    store_lossless(t, q, pool, flits);
  else if (!store_lossy(t, q, pool, vc, flits))
    return false;
  m->egress[vc] += (int32_t)flits;
  return true;
}

void memory_free(part *t, const queue *q, uint32_t flits) {
  const shared_memory *m = t->bound->memory;
  memory_pool *pool = &m->pool[q->node];
  memory_ingress *in = ingress_of(t, q);
  if (m->lossless) {
    free_lossless(t, q, pool, in, (int32_t)flits);
  } else {
    in->flits -= (int32_t)flits;
    pool->used -= flits;
  }
}

bool memory_is_paused(const shared_memory *m, uint32_t number) { return m->ingress[number - m->streams].paused; }

void memory_check(const part *t, const sim_node *n) {
#ifdef NDEBUG
  (void)t, (void)n;
#else
  const shape *s = &t->shape;
  const shared_memory *m = t->bound->memory;
  int64_t in_all = 0, out_all = 0, used = 0;
  for (const queue *q = &s->queue[n->queue]; q < &s->queue[n->queue + n->queues]; q++) {
    const memory_ingress *in = ingress_of(t, q);
    assert(in->flits >= 0 && in->headroom >= 0 && in->headroom <= in->flits && (in->paused || !in->headroom));
    in_all += in->flits;
    used += shared_of(m, in->flits - in->headroom);
  }
  for (uint32_t vc = n->port * s->channels; vc < (n->port + n->ports) * s->channels; vc++) out_all += m->egress[vc];
  assert(in_all == out_all);
  const memory_pool *pool = &m->pool[n - s->node];
  assert(used == pool->used && used <= pool->size);
#endif
}

/* ------------------------------------------------------------------ headers of packets that were cut */

uint32_t memory_flits_of(const part *t, const packet *p) {
  const bound_packet *w = t->bound && t->bound->header ? &t->bound->packet[p - t->packet] : NULL;
  return w && w->cut ? w->flits : p->flits;
}

/* The header is at its end node, and what was cut off is lost. */
static bool deliver_header(part *t, packet *p) {
  bound_packet *w = &t->bound->packet[p - t->packet];
  if (!w->cut) return false;
  p->flits = w->flits;
  w->cut = false;
  lose(t, p, p->destination, RIPSTOP_LOST_TRIMMED);
  return true;
}

void memory_take_trim_hooks(hooks *hook) { hook->header_delivered = deliver_header; }

void memory_take_hooks(hooks *hook) {
  hook->event[WORD - FEATURE_EVENTS] = on_word;
  hook->all_here = send_words;
}
