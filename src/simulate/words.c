/* words.c - XON and XOFF. The receiver counts what is in its queue; the sender's free units are none, or any number. */
#include "simulate/words.h"

#include "simulate/core.h"

static void hold(part *t, uint32_t index, int32_t units) {
  words *w = t->words;
  w->held[index] += units;
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
    int32_t left = s->capacity - w->held[index];
    w->is_touched[index] = 0;
    if (w->told_off[index] ? left < w->xon : left >= w->xoff) continue;
    w->told_off[index] = !w->told_off[index];
    post_beyond(t, s->node[q->node].port + q->in_port, t->now + s->credit, WORD, q->upstream, !w->told_off[index]);
  }
  w->count = 0;
}

static void on_word(part *t, uint32_t lane, uint32_t on) {
  const shape *s = &t->shape;
  uint32_t port = lane / s->channels;
  s->space[lane] = on ? INT32_MAX : 0;
  if (on)
    wake_link(t, port);
  else if (s->room == s->space || is_interface(s, s->output[port].node))
    shut_lane(s, lane);
  if (!on && s->exhausted) wake_node(t, s->output[port].node); /* heads may request candidates of a higher rank */
}

/* What of xoff and xon is not given is the least that loses nothing. */
static int read_limits(words *w, const shape *s, const ripstop_switch_config *config, ripstop_error *err) {
  uint32_t delay = s->far + s->pipeline + s->credit - 1, underway = (delay + s->shortest - 1) / s->shortest;
  int64_t least = (int64_t)(1 + underway) * units(s, s->longest);
  int64_t xoff = config->xoff ? config->xoff : least, xon = config->xon ? config->xon : xoff;
  if (xoff < least)
    return ripstop_fail(err, "switch.xoff = %lld loses packets: with these delays at least %lld must be free",
                        (long long)xoff, (long long)least);
  if (xon < xoff) return ripstop_fail(err, "switch.xon = %lld is below xoff = %lld", (long long)xon, (long long)xoff);
  if (s->capacity < xon)
    return ripstop_fail(err, "switch.in_queue = %d is too small for XON/XOFF: xon = %lld", s->capacity, (long long)xon);
  w->xoff = (int32_t)xoff;
  w->xon = (int32_t)xon;
  return 0;
}

static void take_hooks(hooks *hook) {
  hook->held = hold;
  hook->event[WORD - FEATURE_EVENTS] = on_word;
  hook->all_here = send_words;
}

int words_open(run *r, ripstop_error *err) {
  const shape *s = r->shape;
  words all = {0};
  if (s->credits) return 0;
  if (read_limits(&all, s, &r->config->switch_, err)) return -1;
  all.held = RIPSTOP_ARRAY(r->arena, s->queues, int32_t);
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
