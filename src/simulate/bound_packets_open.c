/* bound_packets_open.c - what switches with bound packets need before the first cycle. */
#include "ripstop/plugin/method.h"
#include "simulate/bound_packets.h"
#include "simulate/outqueues.h"
#include "simulate/parts.h"
#include "simulate/slow.h"

static int check(const run *r, ripstop_error *err) {
  const ripstop_switch_config *config = &r->config->switch_;
  const char *name = r->plan->method->name;
  if (config->out_queue)
    return ripstop_fail(
        err, "switch.out_queue = %s: with switch.queues = %s packets wait at their output anyway; it must be 0",
        out_queue_size(r), config->queues);
  if (config->flow != RIPSTOP_FLOW_CREDITS)
    return ripstop_fail(err, "switch.queues = %s needs switch.flow = credits", config->queues);
  if (r->plan->bubble)
    return ripstop_fail(err, "switch.queues = %s: method %s has bubble flow control, which needs input queues",
                        config->queues, name);
  if (r->plan->method->proto)
    return ripstop_fail(err, "switch.queues = %s: the switches of method %s run a protocol, which needs input queues",
                        config->queues, name);
  if (r->plan->transit_packets)
    return ripstop_fail(err, "switch.queues = %s: method %s has in-transit packets, which need input queues",
                        config->queues, name);
  return 0;
}

static bool changes(const run *r) { return r->config->schedule || r->config->agents; }

int bound_open(run *r, ripstop_error *err) {
  const shape *s = r->shape;
  const uint32_t ports = r->fabric->ports, vcs = ports * s->channels;
  if (check(r, err)) return -1;
  bound *b = r->part->bound = RIPSTOP_NEW(r->arena, bound);
  b->fifo = RIPSTOP_ARRAY(r->arena, vcs, bound_fifo);
  b->port = RIPSTOP_ARRAY(r->arena, ports, bound_port);
  if (changes(r)) b->carried = RIPSTOP_ARRAY(r->arena, ports, bound_carried);
  for (uint32_t vc = 0; vc < vcs; vc++) b->fifo[vc].first = RIPSTOP_NONE;
  for (uint32_t i = s->streams; i < s->queues; i++) s->queue[i].slot = RIPSTOP_NONE;
  bound_take_hooks(&r->part->hook);
  return 0;
}

/* Packets of an input port whose space a change can free at once. */
static uint32_t lost_at_once(const run *r) { return changes(r) ? r->shape->ring * r->shape->channels : 0; }

uint64_t bound_events(const run *r) {
  const shape *s = r->shape;
  const uint64_t taken = ceil_div(s->longest + slow_most(r) + s->credit, s->shortest) + 2;
  return 2 * taken          /* SPACE: of packets that a link took; of packets that were discarded */
         + 2                /* LINK_FREE */
         + memory_words(r)  /* WORD */
         + lost_at_once(r); /* SPACE */
}

uint32_t bound_credits(const run *r, uint32_t port) {
  const shape *s = r->shape;
  return s->window * s->node[s->fabric->port_node[port]].ports + lost_at_once(r) + memory_words_of_window(r);
}

void bound_lay(run *r) {
  if (r->part->bound) r->part->bound->packet = ROWS(r->arena, r->packets, bound_packet);
}

/* ------------------------------------------------------------------ inspection */

/* The first header of a virtual channel in the list that begins with a header; RIPSTOP_NONE: there is none. */
static uint32_t find_header(const bound *b, uint32_t index, uint32_t channel) {
  while (index != RIPSTOP_NONE && b->packet[index].channel != channel) index = b->packet[index].next;
  return index;
}

/* With a queue of headers all packets without space in the memory are in it. */
static bool is_header(const bound *b, uint32_t index) { return b->header && !b->packet[index].stored; }

uint32_t bound_first(const run *r, uint32_t vc) {
  const bound *b = r->part->bound;
  const uint32_t channels = r->shape->channels;
  const uint32_t header = b->header ? find_header(b, b->header[vc / channels].first, vc % channels) : RIPSTOP_NONE;
  return header != RIPSTOP_NONE ? header : b->fifo[vc].first;
}

uint32_t bound_next(const run *r, uint32_t vc, uint32_t index) {
  const bound *b = r->part->bound;
  if (!is_header(b, index)) return b->packet[index].next;
  const uint32_t header = find_header(b, b->packet[index].next, vc % r->shape->channels);
  return header != RIPSTOP_NONE ? header : b->fifo[vc].first;
}

uint32_t bound_count(const run *r, uint32_t vc) {
  uint32_t count = 0;
  for (uint32_t i = bound_first(r, vc); i != RIPSTOP_NONE; i = bound_next(r, vc, i)) count++;
  return count;
}
