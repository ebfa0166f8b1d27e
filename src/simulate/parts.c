/* parts.c - lays out the parts of a run: each part's wheel, with space for all events that can be pending at once, and
 * the packets and streams that they share. */
#include "simulate/parts.h"

#include <string.h>

#include "simulate/agents.h"
#include "simulate/bound_packets.h"
#include "simulate/congestion_marks.h"
#include "simulate/core.h"
#include "simulate/outqueues.h"
#include "simulate/pools.h"
#include "simulate/promises.h"
#include "simulate/slow.h"
#include "simulate/threads.h"

void *aligned_rows(ripstop_arena *arena, size_t bytes, size_t alignment) {
  uint8_t *memory = ripstop_arena_array(arena, bytes + alignment, 1);
  return memory + (alignment - (uintptr_t)memory % alignment) % alignment;
}

/* Most packets that can travel to an end node. */
static uint32_t leaving_to(const shape *s, uint32_t end) {
  return ceil_div(reach_of(s, s->fabric->port_base[end]) + s->longest, s->shortest) + 1 + s->places;
}

uint64_t most_leaving(const shape *s) {
  uint64_t sum = 0;
  for (uint32_t end = 0; end < s->ends; end++) sum += leaving_to(s, end);
  return sum;
}

/* Most packets on a port's link and in the pipeline behind it. On a very long link flow control lets no more start than
 * the queues hold. */
static uint64_t arriving_over(const shape *s, uint32_t port) {
  const uint64_t by_time =
      ceil_div(reach_of(s, port) + s->pipeline + longest_wait_for_tail(s), s->shortest) + UINT64_C(1) + s->places;
  const uint64_t by_space = (uint64_t)s->stride * s->ring + s->places;
  return s->is_long && !s->unlimited && by_space < by_time ? by_space : by_time;
}

/* A part's share of the fabric. */
typedef struct share {
  uint32_t nodes, ends, ports;
  uint64_t arriving, leaving; /* most packets on links and in pipelines, to any node and to end nodes */
} share;

static void share_out(const shape *s, share *own) {
  for (uint32_t v = 0; v < s->fabric->nodes; v++) {
    share *its = &own[s->owner[v]];
    its->nodes++;
    its->ends += is_interface(s, v);
    its->ports += ripstop_node_ports(s->fabric, v);
    its->leaving += is_interface(s, v) ? leaving_to(s, v) : 0;
    for (uint32_t port = s->fabric->port_base[v]; port < s->fabric->port_base[v + 1]; port++)
      its->arriving += arriving_over(s, port);
  }
}

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The most events that can be pending at once, by kind: see wheel.h. */
static uint64_t most_events(const run *r, const part *t, const share *own) {
  const shape *s = &t->shape;
  uint64_t sides = r->config->switch_.crossbar == RIPSTOP_CROSSBAR_QUEUES ? s->channels : 1; /* each input port's */
  sides += s->stride - s->channels;
  uint64_t per_port = sides /* LEAVE, CROSSED or VANISH */
                      + 2 * sides *
                            (ceil_div(s->credit * ceil_div(s->quarters, 4), s->shortest) + 1 +
                             ceil_div(s->quarters, 4)) /* SPACE or WORD */
                      + 3;                             /* OUT_LEAVE or two OPEN, MESSAGE_LEAVE */
  if (t->bound) per_port += bound_events(r);
  return per_port * own->ports + own->arriving + own->leaving /* ARRIVE, DELIVER */
         + 2 * (uint64_t)t->streams                           /* LEAVE, GENERATION */
         + (uint64_t)own->ends * r->plan->transit_packets     /* ROOM */
         + 1;                                                 /* GATHER */
}

/* The most buckets that can have events at once, in a wheel of this size. */
static uint64_t most_buckets(const run *r, uint32_t size) {
  const shape *s = r->shape;
  const uint64_t ahead = 3 * (uint64_t)slow_most(r) + (s->is_long ? size : s->far) + s->pipeline +
                         longest_wait_for_tail(s)                    /* ARRIVE */
                         + 2 * (uint64_t)s->longest + s->credit + 3; /* LEAVE, and SPACE, which other parts send at the
                                                                      * grant */
  return size + lesser(ahead, (uint64_t)RARE * size);
}

/* The wheel covers the longest delay of links at full rate, unless a link is very long. */
static uint32_t size_of_wheel(const run *r) {
  const shape *s = r->shape;
  const uint32_t far = s->is_long ? 0 : s->far;
  const uint64_t longest_delay =
      (uint64_t)longest_on_links(r) + far + s->pipeline + longest_wait_for_tail(s) + s->credit + 1;
  uint32_t size = 2048;
  while (size <= longest_delay) size *= 2;
  return size;
}

static void on_gather(part *t, uint32_t subject, uint32_t detail) {
  (void)subject;
  (void)detail;
  wheel_gather(&t->wheel, t->now);
}

/* Rows of the second level, which only slow and very long links need: ARRIVE, DELIVER, LEAVE, OUT_LEAVE, OPEN and
 * MESSAGE_LEAVE may be distant. */
static uint64_t most_distant(const run *r, const part *t, const share *own) {
  const shape *s = &t->shape;
  if (!s->rate && !s->is_long) return 0;
  const uint64_t of_bound = t->bound ? bound_events(r) : 0; /* SPACE, LINK_FREE */
  return own->arriving + own->leaving + t->streams + (uint64_t)own->ports * (s->stride + 4 + of_bound);
}

static void lay_distant(run *r, part *t, distant_row *row, uint64_t rows) {
  enum { SPANS_MOST = 256 };
  const uint32_t size = t->wheel.mask + 1;
  const uint64_t ahead = 3 * (uint64_t)slow_most(r) + r->shape->far;
  uint32_t spans = 4;
  if (!rows) return;
  while (spans < SPANS_MOST && (uint64_t)spans * (size / 2) < ahead + size) spans *= 2;
  r->part->hook.event[GATHER - FEATURE_EVENTS] = on_gather;
  wheel_open_distant(&t->wheel, row, (uint32_t)rows, RIPSTOP_ARRAY(r->arena, spans, uint32_t), spans);
}

/* Chunks: a bucket has at most one chunk that is not full. Every chunk has an event, except one whose events are being
 * processed. */
static void lay_wheel(run *r, part *t, const share *own) {
  const uint32_t size = size_of_wheel(r);
  const uint64_t events = most_events(r, t, own), rows = most_distant(r, t, own);
  const uint64_t chunks = lesser(events, events / CHUNK_EVENTS + most_buckets(r, size)) + 1;
  chunk *memory = aligned_rows(r->arena, chunks * sizeof(chunk) + rows * sizeof(distant_row), CHUNK_BYTES);
  wheel_open(&t->wheel, size, ripstop_arena_array(r->arena, size, sizeof *t->wheel.cycle), memory, (uint32_t)chunks);
  lay_distant(r, t, (distant_row *)(memory + chunks), rows);
}

/* Most packets in the input queues of switches. */
static uint64_t most_in_queues(const run *r) {
  const shape *s = r->shape;
  if (!s->pools) return (uint64_t)(s->queues - s->streams) * s->ring;
  const uint64_t each = (uint64_t)r->config->switch_.in_queue / (s->unit_flits ? s->shortest : 1);
  return each * (s->fabric->ports - s->ends);
}

/* Allocates rows for all packets that can be in use. With several parts each part gets some more per stream to begin
 * with (threads.c), and the first part gets all others. */
static void lay_packets(run *r) {
  const shape *s = r->shape;
  const out_queues *o = r->part->out_queues;
  uint64_t slots = s->streams + most_in_queues(r);
  uint64_t out_slots = o ? (uint64_t)o->vcs * o->slots : 0;
  uint64_t transit_packets = (uint64_t)s->fabric->ends * r->plan->transit_packets, spare = threads_spare(s);
  r->packets =
      (uint32_t)(slots + out_slots + most_leaving(s) + s->streams + transit_packets + spare); /* fits: check_sizes */
  packet *packets = ROWS(r->arena, r->packets, packet);
  bound_lay(r);
  out_queues_lay(r);
  uint32_t next = r->packets;
  for (uint32_t i = s->parts; i-- > 0;) {
    part *t = &r->part[i];
    t->packet = packets;
    t->unused_packets = i ? (uint32_t)(spare / s->streams) * t->streams : next;
    t->unused_packet = next -= t->unused_packets;
  }
}

/* Copies rows to a larger array. */
static void *more_rows(run *r, const void *from, uint32_t before, size_t size) {
  void *to = aligned_rows(r->arena, (size_t)r->packets * size, LINE);
  memcpy(to, from, (size_t)before * size);
  return to;
}

/* Half as many rows again. The last part has those that never were in use: account_of relies on their order. */
static void grow_rows(run *r) {
  const uint32_t before = r->packets;
  part *last = &r->part[r->shape->parts - 1];
  bound *b = r->part->bound;
  out_queues *o = r->part->out_queues;
  while (last->unused_packets) {
    last->unused_packets--;
    free_packet(last, last->unused_packet++);
  }
  r->packets += before / 2 + 1;
  packet *rows = more_rows(r, last->packet, before, sizeof *rows);
  for (uint32_t i = 0; i < r->shape->parts; i++) r->part[i].packet = rows;
  if (b) b->packet = more_rows(r, b->packet, before, sizeof *b->packet);
  if (o) o->packet = more_rows(r, o->packet, before, sizeof *o->packet);
  agents_grow(r, before);
  marks_grow(r, before);
  watch_grow(r);
  last->unused_packet = before;
  last->unused_packets = r->packets - before;
}

void parts_grow(run *r) {
  const shape *s = r->shape;
  uint64_t left = 0, needed = 3 * (uint64_t)threads_generations(s) * s->streams;
  if (!s->unlimited && !(r->part->out_queues && r->part->out_queues->unlimited)) return;
  for (uint32_t i = 0; i < s->parts; i++) left += free_rows(&r->part[i]);
  if (left < needed) grow_rows(r);
}

static void lay_scratch(run *r, part *t, uint32_t nodes, extremes most) {
  uint32_t queues = 64 * most.words > RIPSTOP_CHANNELS_MAX ? 64 * most.words : RIPSTOP_CHANNELS_MAX;
  t->active = RIPSTOP_ARRAY(r->arena, nodes, uint32_t);
  t->active_next = RIPSTOP_ARRAY(r->arena, nodes, uint32_t);
  t->contender = RIPSTOP_ARRAY(r->arena, most.words, uint64_t);
  t->fresh = RIPSTOP_ARRAY(r->arena, most.words, uint64_t);
  t->discarded = RIPSTOP_ARRAY(r->arena, most.words, uint64_t);
  t->request = RIPSTOP_ARRAY(r->arena, (size_t)most.words * most.ports, uint64_t);
  t->requested = RIPSTOP_ARRAY(r->arena, ceil_div(most.ports, 64), uint64_t);
  t->request_channel = RIPSTOP_ARRAY(r->arena, queues, uint8_t);
  t->request_flits = RIPSTOP_ARRAY(r->arena, queues, uint16_t);
  t->requests = (ripstop_requests){.channel = t->request_channel, .flits = t->request_flits};
  t->head_request = RIPSTOP_ARRAY(r->arena, queues, head_request);
  t->candidate = RIPSTOP_ARRAY(r->arena, t->shape.candidates_max, ripstop_candidate);
}

/* See bundles.c. */
static void lay_bundles(run *r, part *t) {
  t->more = ripstop_arena_new();
  if (t->shape.candidates_max == 1) return;
  t->unused_bundles = t->queues;
  t->unused = ROWS(r->arena, t->unused_bundles, bundle);
}

static void lay_streams(run *r) {
  const shape *s = r->shape;
  ripstop_source *source = RIPSTOP_ARRAY(r->arena, s->streams, ripstop_source);
  uint8_t *generation_posted = RIPSTOP_ARRAY(r->arena, s->streams, uint8_t);
  if (r->sources) ripstop_sources_end(r->sources, r->end);
  for (uint32_t stream = 0; stream < s->streams; stream++) {
    uint32_t number = has_agent(r, stream / s->classes) ? RIPSTOP_NONE : source_stream(r, stream);
    source[stream].generated_at = RIPSTOP_NEVER;
    if (number != RIPSTOP_NONE) ripstop_source_open(r->sources, number, &source[stream]);
  }
  for (uint32_t i = 0; i < s->parts; i++) r->part[i].source = source, r->part[i].generation_posted = generation_posted;
}

/* Lays out what a part has of its own, on the rows that all parts share. */
static void lay_part(run *r, uint32_t number, const share *own, extremes most) {
  part *t = &r->part[number];
  if (number) t->shape = r->part->shape;
  t->run = r;
  t->number = number;
  t->streams = own->ends * t->shape.classes;
  t->queues = t->streams + (own->ports - own->ends) * t->shape.stride;
  lay_wheel(r, t, own);
  lay_bundles(r, t);
  lay_scratch(r, t, own->nodes, most);
}

static void lay_search(run *r) {
  r->stuck = RIPSTOP_ARRAY(r->arena, r->shape->queues, uint8_t);
  const size_t vcs = (size_t)r->fabric->ports * r->shape->channels;
  r->out_stuck = RIPSTOP_ARRAY(r->arena, r->part->out_queues || r->part->bound ? vcs : 1, uint8_t);
  r->incoming = RIPSTOP_ARRAY(r->arena, r->shape->queues, int32_t);
}

void parts_lay(run *r, extremes most) {
  share *own = RIPSTOP_ARRAY(r->arena, r->shape->parts, share);
  share_out(r->shape, own);
  for (uint32_t i = 0; i < r->shape->parts; i++) lay_part(r, i, &own[i], most);
  lay_packets(r);
  lay_streams(r);
  lay_search(r);
}
