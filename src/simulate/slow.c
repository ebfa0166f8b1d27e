/* slow.c - the rates of links, by output port, and their effect on how long a grant lasts.
 *
 * A packet that arrives over a slow link waits at the input port until so much of its tail has arrived that no flit
 * will be missing. So its event of arrival is posted later by the extra time on the link, and nothing beyond the link
 * depends on rates. In a queue, the tail of every packet still arrives as many cycles after its head as the packet has
 * flits, which change.c relies on.
 *
 * A switch's output has a slow queue: packets cross to it at full rate and leave it at the link's rate. The grant
 * already reserves everything that the packet needs beyond the link, so nothing stops it later. The cycles in which the
 * link begins and ends each packet are therefore known at the grant, and the queue consists of these cycles. At full
 * rate the same rule holds, and the queue never holds more than the packet that crosses.
 *
 * Invariants: `place` is a ring for each port; place[next] is the oldest of a port's last `places` packets, and has
 * left the port when it is overwritten. An output is busy as long as none of its places is free.
 *
 * Without slow links shape.rate is NULL and the hook is empty. */
#include "simulate/slow.h"

#include "ripstop/plugin/method.h"
#include "simulate/control.h"
#include "simulate/core.h"

/* A packet that was granted an output. */
typedef struct slow_place {
  uint32_t end; /* cycle in which its link time ends */
  int32_t units;
} slow_place;

struct slow_queues {
  slow_place *place; /* [ports * places] */
  uint8_t *next;     /* [ports]: the oldest place */
};

static uint16_t slowest(const run *r) {
  const ripstop_schedule *schedule = r->config->schedule;
  uint16_t least = RIPSTOP_RATE_FULL;
  for (uint32_t link = 0; link < r->fabric->links; link++)
    if (ripstop_view_rate(r->view, link) < least) least = ripstop_view_rate(r->view, link);
  for (size_t i = 0; schedule && i < schedule->count; i++)
    if (schedule->change[i].rate && schedule->change[i].rate < least) least = schedule->change[i].rate;
  return least;
}

uint32_t longest_on_links(const run *r) {
  uint32_t longest = r->shape->longest;
  return r->plan->method->proto && longest < MESSAGE_FLITS ? MESSAGE_FLITS : longest;
}

uint32_t slow_most(const run *r) {
  const shape *s = r->shape;
  if (!s->rate) return 0;
  const uint32_t alone = ripstop_cycles_at(slowest(r), longest_on_links(r));
  const uint32_t queued = s->places * ripstop_cycles_at(slowest(r), s->longest);
  return (alone > queued ? alone : queued) - s->shortest;
}

void slow_change(run *r, uint32_t link) {
  const shape *s = r->shape;
  for (unsigned side = 0; s->rate && side < 2; side++)
    s->rate[r->fabric->link_port[2 * link + side]] = ripstop_view_rate(r->view, link);
}

uint32_t slow_cycles(const shape *s, uint32_t port, uint32_t flits) { return ripstop_cycles_at(s->rate[port], flits); }

/* ------------------------------------------------------------------ slow queues */

/* The i-th of a port's last packets, the oldest first. */
static slow_place *place_at(const part *t, uint32_t port, uint32_t i) {
  const uint32_t places = t->shape.places;
  return &t->slow_queues->place[(size_t)port * places + (t->slow_queues->next[port] + i) % places];
}

uint32_t slow_ends(const part *t, uint32_t port) {
  const uint32_t places = t->shape.places;
  return places ? place_at(t, port, places - 1)->end : 0;
}

/* A packet begins when the one before it ends. */
int32_t slow_waiting(const part *t, uint32_t port) {
  int32_t sum = 0;
  for (uint32_t i = 1; i < t->shape.places; i++)
    if (place_at(t, port, i - 1)->end > t->now) sum += place_at(t, port, i)->units;
  return sum;
}

/* The packet crosses to the port's queue, which has a place for it. */
static stay enter(part *t, uint32_t port, uint32_t flits) {
  const uint32_t now = t->now, before = slow_ends(t, port);
  const uint32_t end = (before > now ? before : now) + slow_cycles(&t->shape, port, flits);
  *place_at(t, port, 0) = (slow_place){.end = end, .units = units(&t->shape, flits)};
  t->slow_queues->next[port] = (uint8_t)((t->slow_queues->next[port] + 1u) % t->shape.places);
  const uint32_t places = t->shape.output[port].to_end ? t->shape.places : t->shape.places_on;
  const uint32_t open = place_at(t, port, t->shape.places - places)->end; /* the cycle from which so many places are
                                                                           * free */
  if (open > now + flits) post_distant(t, open, OPEN, port, 0);
  return (stay){.queue = flits, .output = open > now + flits ? open - now : flits, .later = end - now - flits};
}

/* With an output queue between crossbar and link, the grant concerns the crossbar alone. */
static stay occupancy(part *t, const queue *q, uint32_t local) {
  const uint32_t port = t->shape.node[q->node].port + local, flits = q->flits;
  const bool interface = is_interface(&t->shape, q->node);
  if (t->out_queues && !interface) return (stay){.queue = flits, .output = flits};
  if (t->shape.places && !interface) return enter(t, port, flits);
  const uint32_t cycles = slow_cycles(&t->shape, port, flits);
  return (stay){.queue = cycles, .output = cycles, .later = cycles - flits};
}

static void on_open(part *t, uint32_t port, uint32_t detail) {
  (void)detail;
  const output *out = &t->shape.output[port];
  wake_output(t, out);
  if (t->hook.output_freed) t->hook.output_freed(t, out->node);
}

bool slow_yields(part *t, uint32_t port) {
  output *out = &t->shape.output[port];
  const uint32_t end = slow_ends(t, port);
  if (end <= t->now) return true;
  if (out->busy >= end) return false;
  out->busy = end;
  shut_output(&t->shape.node[out->node], out->local, t->shape.channels);
  post_distant(t, end, OPEN, port, 0);
  return false;
}

/* ------------------------------------------------------------------ opening */

uint32_t slow_wanted(const run *r) {
  const ripstop_switch_config *config = &r->config->switch_;
  if (r->part->shape.chooses_early || config->out_queue || slowest(r) == RIPSTOP_RATE_FULL) return 0;
  return (uint32_t)config->slow_queue;
}

static void lay_queues(run *r, const shape *s) {
  slow_queues *o = r->part->slow_queues = RIPSTOP_NEW(r->arena, slow_queues);
  o->place = RIPSTOP_ARRAY(r->arena, (size_t)r->fabric->ports * s->places, slow_place);
  o->next = RIPSTOP_ARRAY(r->arena, r->fabric->ports, uint8_t);
}

void slow_open(run *r) {
  shape *s = &r->part->shape;
  if (slowest(r) == RIPSTOP_RATE_FULL) return;
  s->rate = RIPSTOP_ARRAY(r->arena, r->fabric->ports, uint16_t);
  for (uint32_t link = 0; link < r->fabric->links; link++) slow_change(r, link);
  if (s->places) lay_queues(r, s);
  r->part->hook.occupancy = occupancy;
  r->part->hook.event[OPEN - FEATURE_EVENTS] = on_open;
}
