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
  ARRIVE,  /* a head has passed the pipeline: subject = queue, detail = packet */
  LEAVE,   /* a packet has left its input queue: subject = queue, detail = output port */
  VANISH,  /* a packet that was discarded has left its input queue: subject = queue */
  SPACE,   /* the sender learns of freed units: subject = lane, detail = units */
  DELIVER, /* the last flit is at the end node: subject = end node, detail = packet */
  BIRTH,   /* look at a stream again: subject = stream */
  FEATURE_EVENTS,
  OUT_LEAVE = FEATURE_EVENTS, /* a packet has left its output queue: subject = lane */
  MESSAGE_LEAVE,              /* a control message has left its link: subject = port */
  WORD,                       /* XON or XOFF arrives: subject = lane, detail = 1 for XON */
  ROOM,                       /* a switch learns that a guest has left: subject = its port to the end node */
  EVENT_KINDS
} event_kind;

typedef struct sim_event {
  uint32_t kind : 4, subject : 28;
  uint32_t detail;
} sim_event;
static_assert(EVENT_KINDS <= 1 << 4, "a kind fits its bits");
#define EVENT_SUBJECTS (1u << 28)

enum { CHUNK_EVENTS = 31 };
typedef struct chunk {
  uint32_t next, count;
  sim_event event[CHUNK_EVENTS];
} chunk;

typedef struct wheel {
  uint32_t mask;    /* size - 1; a power of two */
  uint32_t *bucket; /* [size]: first chunk, or UINT32_MAX */
  chunk *chunk;
  uint32_t free; /* first free chunk */
  uint64_t posted;
} wheel;

static inline void wheel_post(wheel *w, uint32_t cycle, sim_event event) {
  uint32_t *bucket = &w->bucket[cycle & w->mask];
  uint32_t index = *bucket;
  if (index == UINT32_MAX || w->chunk[index].count == CHUNK_EVENTS) {
    uint32_t fresh = w->free;
    assert(fresh != UINT32_MAX); /* open.c counts how many there can be */
    w->free = w->chunk[fresh].next;
    w->chunk[fresh].next = index;
    w->chunk[fresh].count = 0;
    *bucket = index = fresh;
  }
  chunk *c = &w->chunk[index];
  c->event[c->count++] = event;
  w->posted++;
}

/* Calls `act` for every event that is due in the cycles from .. from + cycles - 1, none of which is over. */
static inline void wheel_each(const wheel *w, uint32_t from, uint32_t cycles,
                              void (*act)(void *context, uint32_t cycle, const sim_event *event), void *context) {
  for (uint32_t cycle = from; cycle - from < cycles && cycle - from <= w->mask; cycle++)
    for (uint32_t i = w->bucket[cycle & w->mask]; i != UINT32_MAX; i = w->chunk[i].next)
      for (uint32_t k = 0; k < w->chunk[i].count; k++) act(context, cycle, &w->chunk[i].event[k]);
}

/* Events for the nodes of another part, until that part takes them. */
typedef struct outbox {
  struct posted {
    uint32_t cycle;
    sim_event event;
  } * posted; /* [room]; room for all that can be posted in one cycle */
  uint32_t count, room;
} outbox;

static inline void outbox_put(outbox *o, uint32_t cycle, sim_event event) {
  assert(o->count < o->room);
  o->posted[o->count].cycle = cycle;
  o->posted[o->count++].event = event;
}

/* Into the wheel of the part that they are for, between two cycles. */
static inline void outbox_empty(outbox *o, wheel *w) {
  for (uint32_t i = 0; i < o->count; i++) wheel_post(w, o->posted[i].cycle, o->posted[i].event);
  o->count = 0;
}

#endif
