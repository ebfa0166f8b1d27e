/* wheel.h - the event wheel: one bucket a cycle, events of eight bytes in chunks from a pool that is sized before the
 * start.
 *
 * Events of one cycle are taken in any order; the engine's handlers commute. Nothing is posted for the present cycle or
 * for `size` cycles ahead or more. */
#ifndef SIMULATE_WHEEL_H
#define SIMULATE_WHEEL_H

#include <assert.h>
#include <stdint.h>

typedef enum event_kind {
  ARRIVE,    /* a head has passed the pipeline: subject = queue, detail = packet */
  FREE,      /* a packet has left its input queue: subject = queue, detail = output port or RIPSTOP_NONE (discard) */
  SPACE,     /* the sender learns of freed units: subject = lane, detail = units */
  DELIVER,   /* the last flit is at the end node: subject = end node, detail = packet */
  BIRTH,     /* look at a stream again: subject = stream */
  LINK_FREE, /* with output queues: a packet has left: subject = lane, detail = 0; control messages: lane of the port, 1
              */
  WORD,      /* XON or XOFF arrives: subject = lane, detail = 1 for XON */
  ROOM       /* a switch learns that a guest has left: subject = its port to the end node */
} event_kind;

typedef struct sim_event {
  uint32_t kind : 4, subject : 28;
  uint32_t detail;
} sim_event;
#define EVENT_SUBJECTS (1u << 28)

enum { CHUNK_EVENTS = 31 };
typedef struct chunk {
  uint32_t next, count;
  sim_event event[CHUNK_EVENTS];
} chunk;

typedef struct wheel {
  uint32_t mask;    /* size - 1; a power of two */
  uint32_t *bucket; /* [size]: first chunk, or RIPSTOP_NONE */
  chunk *chunk;
  uint32_t free; /* first free chunk */
  uint64_t posted;
} wheel;

static inline void wheel_post(wheel *w, uint32_t cycle, event_kind kind, uint32_t subject, uint32_t detail) {
  uint32_t *bucket = &w->bucket[cycle & w->mask];
  uint32_t index = *bucket;
  if (index == UINT32_MAX || w->chunk[index].count == CHUNK_EVENTS) {
    uint32_t fresh = w->free;
    assert(fresh != UINT32_MAX); /* build.c counts how many there can be */
    w->free = w->chunk[fresh].next;
    w->chunk[fresh].next = index;
    w->chunk[fresh].count = 0;
    *bucket = index = fresh;
  }
  chunk *c = &w->chunk[index];
  c->event[c->count++] = (sim_event){.kind = kind, .subject = subject, .detail = detail};
  w->posted++;
}

#endif
