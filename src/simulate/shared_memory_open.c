/* shared_memory_open.c - sizes of a switch's shared memory, and what its pauses come to at the end of a run. */
#include <math.h>

#include "ripstop/plugin/method.h"
#include "simulate/bound_packets.h"
#include "simulate/core.h"
#include "simulate/parts.h"
#include "simulate/shared_memory.h"
#include "simulate/slow.h"

/* ------------------------------------------------------------------ sizes */

/* Flits that come by a port after a packet that is beyond the threshold, with it. Let the packet enter at t; it took
 * the link at t - D - R or earlier. The sender knows of the pause in t + D + K. Until then, 2 D + R + K cycles in all,
 * the link sends a flit in each cycle. The last packet that it begins may be a longest one. Another longest packet is
 * there for packets that enter with their last flit, or come over a slow link: they have taken the link earlier. */
static int64_t usual_headroom(const shape *s, uint32_t port) {
  return 2 * (int64_t)reach_of(s, port) + s->pipeline + s->credit + 2 * (int64_t)s->longest;
}

static int64_t headroom_of(const run *r, uint32_t port) {
  const int64_t given = r->config->switch_.headroom;
  return given == RIPSTOP_HEADROOM_AUTO ? usual_headroom(r->shape, port) : given;
}

/* The part of a switch's memory that its ingresses do not share. */
static int64_t kept_of(const run *r, const shared_memory *m, const sim_node *n) {
  const shape *s = r->shape;
  int64_t sum = 0;
  for (uint32_t port = n->port; m->lossless && port < n->port + n->ports; port++)
    if (s->fabric->peer[port] != RIPSTOP_NONE) sum += s->channels * (m->reserve + headroom_of(r, port));
  return sum;
}

/* An unlimited memory is larger than all packets of a run. */
#define MOST_FLITS (INT64_C(1) << 50)

static int lay_pool(const run *r, shared_memory *m, uint32_t v, ripstop_error *err) {
  const int64_t buffer = r->config->switch_.buffer, kept = kept_of(r, m, &r->shape->node[v]);
  char name[RIPSTOP_NAME_MAX];
  m->pool[v].size = buffer == RIPSTOP_UNLIMITED ? MOST_FLITS : buffer - kept;
  if (m->pool[v].size >= 0) return 0;
  ripstop_node_name(r->fabric, v, name);
  return ripstop_fail(err,
                      "switch.buffer = %lld: the reserves and headrooms of the ports of %s are %lld flits; at least "
                      "that, or switch.headroom below %lld",
                      (long long)buffer, name, (long long)kept, (long long)headroom_of(r, r->shape->node[v].port));
}

/* A packet that finds the switch empty must find space. */
static int check_lossy(const run *r, ripstop_error *err) {
  const ripstop_switch_config *config = &r->config->switch_;
  const uint32_t longest = r->shape->longest;
  if (config->buffer < longest)
    return ripstop_fail(err, "switch.buffer = %lld flits does not hold a packet of %u", (long long)config->buffer,
                        longest);
  if (config->alpha * (double)config->buffer < longest)
    return ripstop_fail(err,
                        "switch.alpha = %g: of a switch.buffer of %lld flits a queue may have %g, and a packet has %u: "
                        "no packet would ever pass",
                        config->alpha, (long long)config->buffer, config->alpha * (double)config->buffer, longest);
  return 0;
}

static int lay_memory(run *r, shared_memory *m, ripstop_error *err) {
  const shape *s = r->shape;
  m->alpha = r->config->switch_.alpha;
  m->lossless = r->config->switch_.lossless;
  m->longest = (int32_t)s->longest;
  m->reserve = m->lossless ? m->longest : 0;
  m->streams = s->streams;
  m->pool = RIPSTOP_ARRAY(r->arena, r->fabric->nodes, memory_pool);
  m->ingress = RIPSTOP_ARRAY(r->arena, s->queues - s->streams, memory_ingress);
  m->egress = RIPSTOP_ARRAY(r->arena, (size_t)r->fabric->ports * s->channels, int32_t);
  for (uint32_t v = s->ends; v < r->fabric->nodes; v++)
    if (lay_pool(r, m, v, err)) return -1;
  for (uint32_t i = 0; i < s->queues - s->streams; i++)
    m->ingress[i].most = (int32_t)headroom_of(r, r->fabric->ends + i / s->stride);
  if (m->lossless && r->config->switch_.trim)
    return ripstop_fail(err,
                        "switch.trim = on cuts packets that find no space, and with switch.lossless = on none does");
  return m->lossless ? 0 : check_lossy(r, err);
}

static void lay_pauses(run *r, shared_memory *m) {
  const shape *s = r->shape;
  m->pause = RIPSTOP_ARRAY(r->arena, (size_t)r->fabric->ports * s->channels, memory_pause);
  m->arriving = RIPSTOP_ARRAY(r->arena, s->queues, uint8_t);
  m->shrunk = RIPSTOP_ARRAY(r->arena, s->parts, memory_shrunk);
  uint32_t *count = RIPSTOP_ARRAY(r->arena, s->parts, uint32_t);
  for (uint32_t i = s->streams; i < s->queues; i++) count[s->owner[s->queue[i].node]]++;
  for (uint32_t i = 0; i < s->parts; i++) m->shrunk[i].queue = RIPSTOP_ARRAY(r->arena, count[i], uint32_t);
}

static void open_headers(run *r) {
  bound *b = r->part->bound;
  b->header = RIPSTOP_ARRAY(r->arena, r->fabric->ports, bound_fifo);
  for (uint32_t port = 0; port < r->fabric->ports; port++) b->header[port].first = RIPSTOP_NONE;
  memory_take_trim_hooks(&r->part->hook);
}

int memory_open(run *r, ripstop_error *err) {
  shared_memory *m = r->part->bound->memory = RIPSTOP_NEW(r->arena, shared_memory);
  if (lay_memory(r, m, err)) return -1;
  if (!r->part->bound->carried) r->part->bound->carried = RIPSTOP_ARRAY(r->arena, r->fabric->ports, bound_carried);
  if (r->config->switch_.trim) open_headers(r);
  if (!m->lossless) return 0;
  lay_pauses(r, m);
  memory_take_hooks(&r->part->hook);
  return 0;
}

/* Each XOFF follows a packet that entered, and each XON an XOFF. */
static uint64_t words_in(const run *r, uint64_t cycles) {
  const bound *b = r->part->bound;
  return b && b->memory && b->memory->lossless ? 2 * (ceil_div(cycles, r->shape->shortest) + 2) : 0;
}

uint64_t memory_words(const run *r) { return words_in(r, (uint64_t)r->shape->far + r->shape->credit + slow_most(r)); }

uint32_t memory_words_of_window(const run *r) { return (uint32_t)words_in(r, r->shape->window); }

/* ------------------------------------------------------------------ counts */

void memory_measure(run *r) {
  const bound *b = r->part->bound;
  memory_pause *p = b && b->memory ? b->memory->pause : NULL;
  for (size_t vc = 0; p && vc < (size_t)r->fabric->ports * r->shape->channels; vc++)
    p[vc] = (memory_pause){.words = p[vc].words, .since = r->part->now};
}

bool memory_trims(const run *r) { return r->part->bound && r->part->bound->header; }

bool memory_loses(const run *r) {
  const bound *b = r->part->bound;
  return b && b->memory && !b->memory->lossless;
}

/* The pauses of an output port, all virtual channels together. */
static memory_pause pauses_of(const run *r, uint32_t port) {
  const uint32_t channels = r->shape->channels;
  memory_pause sum = {0};
  for (const memory_pause *p = &r->part->bound->memory->pause[port * channels], *end = p + channels; p < end; p++) {
    sum.count += p->count;
    sum.cycles += p->cycles + (p->words ? r->part->now - p->since : 0);
  }
  return sum;
}

static void add_by_link(values *v, const run *r, uint32_t link, unsigned side, const memory_pause *own) {
  char link_name[RIPSTOP_NAME_MAX], node_name[RIPSTOP_NAME_MAX];
  ripstop_link_name(r->fabric, link, link_name);
  ripstop_node_name(r->fabric, ripstop_link_node(r->fabric, link, 1 - side), node_name);
  values_add(v, ripstop_arena_printf(v->arena, "pauses.%s>%s", link_name, node_name), (double)own->count, NAN);
  values_add(v, ripstop_arena_printf(v->arena, "pause.cycles.%s>%s", link_name, node_name), (double)own->cycles, NAN);
}

void memory_values(const run *r, values *v) {
  const bound *b = r->part->bound;
  const ripstop_fabric *f = r->fabric;
  memory_pause all = {0};
  if (!b || !b->memory || !b->memory->pause) return;
  for (uint32_t link = 0; link < f->links; link++)
    for (unsigned side = 0; side < 2; side++) {
      const memory_pause own = pauses_of(r, f->link_port[2 * (size_t)link + side]);
      all.count += own.count;
      all.cycles += own.cycles;
      if (r->config->measure.links) add_by_link(v, r, link, side, &own);
    }
  values_add(v, "pauses", (double)all.count, NAN);
  values_add(v, "pause.cycles", (double)all.cycles, NAN);
}
