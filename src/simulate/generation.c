/* generation.c - moves packets from their sources into the NICs, one at a time. A packet that is not taken yet is a
 * position in a random stream and has no memory. */
#include "simulate/core.h"
#include "simulate/reorder.h"

#include "base/no_heap.h"

/* The stream's next packet is not yet generated. Posts an event for its generation, or for the last cycle that the
 * wheel reaches. */
static void await_generation(part *t, uint32_t stream, uint32_t generated_at) {
  uint32_t wait = generated_at - t->now;
  if (t->generation_posted[stream]) return;
  t->generation_posted[stream] = 1;
  post(t, t->now + (wait > t->wheel.mask ? t->wheel.mask : wait), GENERATION, stream, 0);
}

/* A packet's random initial header: docs/model.md, "Draws". */
static uint64_t random_header(const shape *s, const packet *p) {
  uint32_t word[4];
  ripstop_random_block(s->seed, RIPSTOP_RANDOM_HEADER, serial_of(s, p), 0, word);
  return (uint64_t)word[0] * s->random_headers >> 32;
}

/* The switch of an end node is down. */
static inline bool has_switch_down(const run *r, uint32_t end) {
  return r->view->failed_switches && !r->view->node_up[ripstop_end_switch(r->fabric, end)];
}

static void take_from_source(part *t, uint32_t stream) {
  const shape *s = &t->shape;
  ripstop_source *source = &t->source[stream];
  uint32_t end = stream / s->classes;
  if (source->generated_at >= t->run->end || has_switch_down(t->run, end)) return;
  if (source->generated_at > t->now) {
    await_generation(t, stream, (uint32_t)source->generated_at);
    return;
  }
  uint32_t index = take_packet(t);
  t->packet[index] = (packet){.source = end,
                              .destination = source->destination,
                              .number = source->number,
                              .generated_at = (uint32_t)source->generated_at,
                              .flits = source->flits,
                              .class_ = (uint8_t)(stream % s->classes)};
  if (s->random_headers > 1) t->packet[index].header = random_header(s, &t->packet[index]);
  measure_generated(&t->measure, (uint32_t)source->generated_at, source->flits);
  if (SELDOM(t->hook.taken)) t->hook.taken(t, stream, index);
  if (SELDOM(t->run->reorder)) reorder_number(t, index);
  next_generation(t, stream, source);
  push(t, &s->queue[stream], index, t->now);
}

void take_next(part *t, uint32_t stream) {
  uint32_t before = t->hook.before_source ? t->hook.before_source(t, stream) : RIPSTOP_NONE;
  if (before != RIPSTOP_NONE)
    push(t, &t->shape.queue[stream], before, t->now);
  else
    take_from_source(t, stream);
}
