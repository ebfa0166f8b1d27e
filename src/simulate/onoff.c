/* words.c - XON and XOFF. The receiver counts what is in its queue; the sender's free units are none, or any number. */
#include "simulate/onoff.h"

#include "simulate/core.h"
#include "simulate/slow.h"

static void hold(part *t, uint32_t index, int32_t units) {
  words *w = t->words;
  w->stalled[index] += units;
  if (w->is_touched[index]) return;
  w->is_touched[index] = 1;
  w->touched[w->count++] = index;
}

/* The words of this cycle: after all arrivals, so that their order does not matter. */
static void send_words(part *t) {
  const shape *s = &t->shape;
  words *w = t->words;
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t index = w->touched[i];
    const queue *q = &s->queue[index];
    int32_t left = s->capacity - w->stalled[index];
    w->is_touched[index] = 0;
    if (w->told_off[index] ? left < w->xon : left >= w->xoff) continue;
    w->told_off[index] = !w->told_off[index];
    post_beyond(t, s->node[q->node].port + q->in_port, t->now + s->credit, WORD, q->upstream, !w->told_off[index]);
  }
  w->count = 0;
}

static void on_word(part *t, uint32_t vc, uint32_t on) {
  const shape *s = &t->shape;
  uint32_t port = vc / s->channels;
  s->space[vc] = on ? INT32_MAX : 0;
  if (on)
    wake_link(t, port);
  else if (s->room == s->space || is_interface(s, s->output[port].node))
    shut_vc(s, vc);
  if (!on && s->exhausted) wake_node(t, s->output[port].node); /* heads may request candidates of a higher rank */
}

/* D + R + K - 1: cycles in which packets may be granted a link before a word about the first of them is in force. */
static int64_t delay_of(const shape *s) { return (int64_t)s->far + s->pipeline + s->credit - 1; }

/* The least xoff with which no queue ever holds more than its size. Proof: while XON is the last word, at least xoff
 * units are free. Let a packet enter the queue in cycle c, counted whole, such that fewer are free. It was granted its
 * link in c - D - R, and XOFF is in force from c + K on, so the packets behind it were granted theirs in c + K - 1 at
 * the latest, D + R + K - 1 cycles after it. All but the last of them, the first included, have been sent by then, a
 * flit a cycle: that is D + R + K - 1 flits at most. The last may be as long as any. Over a slow link packets enter
 * when their tails come, and in these cycles fewer flits are sent. Each of these steps is an equality in some run. */
static int64_t least_xoff(const shape *s) {
  const int64_t packets = delay_of(s) / s->shortest, flits = packets * s->longest;
  if (!s->unit_flits) return packets + 1;
  return (flits < delay_of(s) ? flits : delay_of(s)) + s->longest;
}

/* The default of xoff. In packets it is rounded up: rounding down is enough, but would change the results of earlier
 * versions. With slow links it leaves room for a packet in the slow queue, if `most` allows that. */
static int64_t usual_xoff(const run *r, const shape *s, int64_t most) {
  const int64_t least = least_xoff(s), queued = least + units(s, s->longest);
  const int64_t usual = s->unit_flits ? least : 1 + (delay_of(s) + s->shortest - 1) / s->shortest;
  return slow_wished(r) > 1 && usual < queued && queued <= most ? queued : usual;
}

static int64_t xoff_of(const run *r, const shape *s) {
  const ripstop_switch_config *config = &r->config->switch_;
  return config->xoff ? config->xoff : usual_xoff(r, s, config->xon ? config->xon : config->in_queue);
}

/* Packets in a slow queue arrive whatever word is sent, so xoff must have room for them too. */
uint32_t words_places(const run *r, const shape *s, uint32_t wished) {
  const int64_t room = (xoff_of(r, s) - least_xoff(s)) / units(s, s->longest);
  if (s->credits || wished <= 1 + room) return wished;
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
    return ripstop_fail(err, "switch.xon = %lld is below xoff = %lld; at least that", (long long)xon, (long long)xoff);
  if (s->capacity < xon)
    return ripstop_fail(err, "switch.in_queue = %d is too small for XON/XOFF: at least xon = %lld", s->capacity,
                        (long long)xon);
  w->xoff = (int32_t)xoff;
  w->xon = (int32_t)xon;
  return 0;
}

static void take_hooks(hooks *hook) {
  hook->stalled = hold;
  hook->event[WORD - FEATURE_EVENTS] = on_word;
  hook->all_here = send_words;
}

int words_open(run *r, ripstop_error *err) {
  const shape *s = r->shape;
  words all = {0};
  if (s->credits) return 0;
  if (read_limits(r, &all, err)) return -1;
  all.stalled = RIPSTOP_ARRAY(r->arena, s->queues, int32_t);
  all.told_off = RIPSTOP_ARRAY(r->arena, s->queues, uint8_t);
  all.is_touched = RIPSTOP_ARRAY(r->arena, s->queues, uint8_t);
  for (uint32_t i = 0; i < s->parts; i++) {
    words *w = r->part[i].words = RIPSTOP_NEW(r->arena, words);
    *w = all;
    w->touched = RIPSTOP_ARRAY(r->arena, r->part[i].queues, uint32_t);
  }
  take_hooks(&r->part->hook);
  return 0;
}
