/* onoff.c - flow control by XON and XOFF. The receiver counts the units in its queue. The sender's free units are 0 or
 * unlimited. */
#include "simulate/onoff.h"

#include "simulate/core.h"
#include "simulate/slow.h"

static void count_units(part *t, uint32_t index, int32_t units) {
  words *w = t->words;
  w->stalled[index] += units;
  if (w->is_touched[index]) return;
  w->is_touched[index] = 1;
  w->touched[w->count++] = index;
}

static bool count_entering(part *t, uint32_t index, uint32_t packet_index) {
  count_units(t, index, units_of(&t->shape, &t->packet[packet_index]));
  return false;
}

/* Sends this cycle's XON and XOFF after all arrivals, so that the order of arrivals does not matter. */
static void send_signals(part *t) {
  const shape *s = &t->shape;
  words *w = t->words;
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t index = w->touched[i];
    const queue *q = &s->queue[index];
    int32_t left = s->capacity - w->stalled[index];
    w->is_touched[index] = 0;
    if (w->xoff_sent[index] ? left < w->xon : left >= w->xoff) continue;
    w->xoff_sent[index] = !w->xoff_sent[index];
    post_beyond(t, s->node[q->node].port + q->in_port, t->now + s->credit, WORD, q->upstream, !w->xoff_sent[index]);
  }
  w->count = 0;
}

static void on_signal(part *t, uint32_t vc, uint32_t on) {
  const shape *s = &t->shape;
  uint32_t port = vc / s->channels;
  s->space[vc] = on ? INT32_MAX : 0;
  if (on)
    wake_link(t, port);
  else if (s->room == s->space || is_interface(s, s->output[port].node))
    shut_vc(s, vc);
  if (!on && s->exhausted) wake_node(t, s->output[port].node); /* heads may now request candidates of a higher rank */
}

/* D + R + K - 1: cycles in which packets may be granted a link before the XOFF that the first of them causes is in
 * force. */
static int64_t delay_of(const shape *s) { return (int64_t)s->far + s->pipeline + s->credit - 1; }

/* The least xoff for which no queue ever exceeds its size. Proof: while XON is the last signal, at least xoff units are
 * free. Let a packet, counted whole, enter the queue in cycle c and leave fewer units free. It was granted its link in
 * c - D - R, and XOFF is in force from c + K on. So the packets behind it were granted theirs in c + K - 1 at the
 * latest, D + R + K - 1 cycles after it. All but the last of them, the first included, have been sent by then at one
 * flit per cycle: at most D + R + K - 1 flits. The last may have any length. Over a slow link packets enter when their
 * tails arrive, and fewer flits are sent in these cycles. Each of these steps is an equality in some run.
 *
 * With switch.forward = store the packet of l flits was granted its link in c - D - R - (l - 1). It has been sent l
 * cycles later, and D + R + K - 2 cycles are left for the others but the last. So there is the packet itself, of any
 * length, and the rest as above with a cycle less. */
static int64_t least_xoff(const shape *s) {
  const int64_t whole = 1 + s->stores, delay = delay_of(s) - s->stores; /* whole: packets of any length */
  const int64_t packets = delay / s->shortest, flits = packets * s->longest;
  if (!s->unit_flits) return packets + whole;
  return (flits < delay ? flits : delay) + whole * s->longest;
}

/* The default of xoff. With packets as unit and cut-through it is rounded up: rounding down would suffice but change
 * results of earlier versions. With slow links it leaves space for a packet in the slow queue if `most` permits. */
static int64_t usual_xoff(const run *r, const shape *s, int64_t most) {
  const int64_t least = least_xoff(s), queued = least + units(s, s->longest);
  const bool exact = s->unit_flits || s->stores;
  const int64_t usual = exact ? least : 1 + (delay_of(s) + s->shortest - 1) / s->shortest;
  return slow_wanted(r) > 1 && usual < queued && queued <= most ? queued : usual;
}

static int64_t xoff_of(const run *r, const shape *s) {
  const ripstop_switch_config *config = &r->config->switch_;
  return config->xoff ? config->xoff : usual_xoff(r, s, config->xon ? config->xon : config->in_queue);
}

/* Packets in a slow queue arrive despite XOFF, so xoff must leave space for them. */
uint32_t onoff_places(const run *r, const shape *s, uint32_t wanted) {
  const int64_t room = (xoff_of(r, s) - least_xoff(s)) / units(s, s->longest);
  if (s->credits || wanted <= 1 + room) return wanted;
  return room > 0 ? 1 + (uint32_t)room : 1;
}

static int read_limits(const run *r, words *w, ripstop_error *err) {
  const shape *s = r->shape;
  const int64_t least = least_xoff(s), xoff = xoff_of(r, s);
  const int64_t xon = r->config->switch_.xon ? r->config->switch_.xon : xoff;
  if (xoff < least)
    return ripstop_fail(err, "switch.xoff = %lld loses packets: with these delays at least %lld must be free",
                        (long long)xoff, (long long)least);
  if (xon < xoff)
    return ripstop_fail(err, "switch.xon = %lld is below switch.xoff = %lld; it must be at least that", (long long)xon,
                        (long long)xoff);
  if (s->capacity < xon)
    return ripstop_fail(err, "switch.in_queue = %d is too small for XON/XOFF: at least xon = %lld", s->capacity,
                        (long long)xon);
  w->xoff = (int32_t)xoff;
  w->xon = (int32_t)xon;
  return 0;
}

static void take_hooks(hooks *hook) {
  hook->stalled = count_units;
  if (!hook->entering) hook->entering = count_entering; /* else it calls `stalled` */
  hook->event[WORD - FEATURE_EVENTS] = on_signal;
  hook->all_here = send_signals;
}

int onoff_open(run *r, ripstop_error *err) {
  const shape *s = r->shape;
  words all = {0};
  if (s->credits || s->unlimited) return 0;
  if (read_limits(r, &all, err)) return -1;
  all.stalled = RIPSTOP_ARRAY(r->arena, s->queues, int32_t);
  all.xoff_sent = RIPSTOP_ARRAY(r->arena, s->queues, uint8_t);
  all.is_touched = RIPSTOP_ARRAY(r->arena, s->queues, uint8_t);
  for (uint32_t i = 0; i < s->parts; i++) {
    words *w = r->part[i].words = RIPSTOP_NEW(r->arena, words);
    *w = all;
    w->touched = RIPSTOP_ARRAY(r->arena, r->part[i].queues, uint32_t);
  }
  take_hooks(&r->part->hook);
  return 0;
}
