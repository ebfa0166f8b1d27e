/* wheel.h - the event wheel: buckets for each cycle, with events of eight bytes in chunks from a pool that is sized
 * before the start.
 *
 * Events of one cycle are taken in any order, because the engine's handlers commute. So each kind of event that every
 * hop causes has a bucket of its own, and its handler need not test kinds. No event is posted for the present cycle. An
 * event for `size` cycles ahead or more, which only a slow link causes, waits in a list. While the list is not empty,
 * the event GATHER is pending; it moves into the wheel what the wheel then reaches. So memory depends on how many
 * events can be pending, not on how far ahead they are. */
#ifndef SIMULATE_WHEEL_H
#define SIMULATE_WHEEL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hints for conditions that hold in few or most runs or events. */
#define SELDOM(condition)  __builtin_expect(!!(condition), 0)
#define USUALLY(condition) __builtin_expect(!!(condition), 1)

typedef enum event_kind {
  ARRIVE,        /* a head has passed the pipeline: subject = queue, detail = packet */
  LEAVE,         /* a packet has left its input queue: subject = queue, detail = output port */
  SPACE,         /* credits arrive: subject = output VC, detail = units */
  RARE,          /* the kinds from here on share a bucket */
  VANISH = RARE, /* a discarded packet has left its input queue: subject = queue */
  DELIVER,       /* the last flit is at the end node: subject = end node, detail = packet */
  GENERATION,    /* visit a stream: subject = stream */
  FEATURE_EVENTS,
  OUT_LEAVE = FEATURE_EVENTS, /* a packet has left its output queue: subject = output VC */
  MESSAGE_LEAVE,              /* a control message has left its link: subject = port */
  WORD,                       /* XON or XOFF arrives: subject = output VC, detail = 1 for XON */
  ROOM,    /* a switch is notified that an in-transit packet has left: subject = its port to the end node */
  OPEN,    /* an output with a slow link has a place again: subject = port */
  CROSSED, /* a packet has left the crossbar in this cycle: subject = queue, detail = output port */
  GATHER,  /* distant events may be within reach of the wheel */
  EVENT_KINDS
} event_kind;

/* No bit-fields: compilers would assemble them bit by bit. */
typedef struct sim_event {
  uint32_t what; /* event_kind_of, event_subject */
  uint32_t detail;
} sim_event;
enum { KIND_BITS = 4 };
static_assert(EVENT_KINDS <= 1 << KIND_BITS, "a kind fits its bits");
#define EVENT_SUBJECTS (1u << (32 - KIND_BITS))

static inline sim_event make_event(event_kind kind, uint32_t subject, uint32_t detail) {
  return (sim_event){.what = subject << KIND_BITS | kind, .detail = detail};
}
static inline event_kind event_kind_of(sim_event ev) { return (event_kind)(ev.what & ((1u << KIND_BITS) - 1)); }
static inline uint32_t event_subject(sim_event ev) { return ev.what >> KIND_BITS; }

/* Aligned to its size: the next event's address shows where the chunk ends. */
enum { CHUNK_BYTES = 256, CHUNK_EVENTS = CHUNK_BYTES / sizeof(sim_event) - 1 };
typedef struct chunk {
  _Alignas(CHUNK_BYTES) union {
    sim_event *before;       /* end of the bucket's events before these; NULL: none */
    struct chunk *next_free; /* links chunks that no bucket has */
    sim_event place;         /* gives the union the size of an event at least: the last event ends where the chunk
                              * does */
  };
  sim_event event[CHUNK_EVENTS];
} chunk;
static_assert(offsetof(chunk, event) + CHUNK_EVENTS * sizeof(sim_event) == CHUNK_BYTES,
              "nothing but the events and one pointer");

enum { BUCKETS = RARE + 1 };
static inline uint32_t bucket_of(event_kind kind) { return kind < RARE ? kind : RARE; }

/* Events that are in no wheel yet: those for another part's nodes until that part takes them, and those beyond the
 * wheel. */
typedef struct outbox {
  struct posted {
    uint32_t cycle;
    sim_event event;
  } * posted; /* [room]; for all that can be there at once */
  uint32_t count, room;
} outbox;

static inline void outbox_put(outbox *o, uint32_t cycle, sim_event event) {
  assert(o->count < o->room);
  o->posted[o->count].cycle = cycle;
  o->posted[o->count++].event = event;
}

typedef struct wheel {
  uint32_t mask;                /* size - 1; a power of two */
  sim_event *(*cycle)[BUCKETS]; /* [size]: where a bucket's next event goes, behind the others in the newest of its
                                 * chunks, which may be full; NULL: no events */
  chunk *free;                  /* a list of chunks that buckets have had */
  chunk *unused, *end;          /* chunks that never were in a bucket and have no memory yet */
  uint64_t posted;
  outbox distant; /* events for `size` cycles ahead or more; no space without slow links */
} wheel;

/* `size`: a power of two. The caller owns the memory; buckets are zero. */
static inline void wheel_open(wheel *w, uint32_t size, sim_event *(*cycle)[BUCKETS], chunk *chunks, uint32_t count) {
  *w = (wheel){.mask = size - 1, .cycle = cycle, .unused = chunks, .end = chunks + count};
}

/* The chunk in which events end here. */
static inline chunk *chunk_before(sim_event *end) {
  return (chunk *)((char *)end - ((uintptr_t)(end - 1) % CHUNK_BYTES + sizeof *end));
}

static inline void wheel_grow(wheel *w, sim_event **end) {
  chunk *fresh = w->free;
  if (fresh) {
    w->free = fresh->next_free;
  } else {
    fresh = w->unused++;
    assert(fresh < w->end); /* parts.c computes the most there can be */
  }
  fresh->before = *end;
  *end = fresh->event;
}

/* This cycle can be distinguished from the present one and others in the wheel. */
static inline bool wheel_reaches(const wheel *w, uint32_t now, uint32_t cycle) { return cycle - now <= w->mask; }

static inline void wheel_post(wheel *w, uint32_t cycle, sim_event event) {
  sim_event **end = &w->cycle[cycle & w->mask][bucket_of(event_kind_of(event))];
  if (SELDOM((uintptr_t)*end % CHUNK_BYTES == 0)) wheel_grow(w, end);
  *(*end)++ = event;
  w->posted++;
}

/* Posts GATHER for the last cycle in which distant events may come within reach. Only the caller's events count as
 * posted. */
static inline void wheel_remind(wheel *w, uint32_t now) {
  wheel_post(w, now + w->mask, make_event(GATHER, 0, 0));
  w->posted--;
}

/* wheel_post for any later cycle. */
static inline void wheel_post_distant(wheel *w, uint32_t now, uint32_t cycle, sim_event event) {
  if (wheel_reaches(w, now, cycle)) {
    wheel_post(w, cycle, event);
    return;
  }
  if (!w->distant.count) wheel_remind(w, now);
  outbox_put(&w->distant, cycle, event);
  w->posted++;
}

/* Called at GATHER, which was posted for a cycle no later than any event in the list: none of them is due yet. */
static inline void wheel_gather(wheel *w, uint32_t now) {
  outbox *o = &w->distant;
  uint32_t left = 0;
  for (uint32_t i = 0; i < o->count; i++) {
    const struct posted it = o->posted[i];
    if (!wheel_reaches(w, now, it.cycle)) {
      o->posted[left++] = it;
      continue;
    }
    wheel_post(w, it.cycle, it.event);
    w->posted--;
  }
  o->count = left;
  if (left) wheel_remind(w, now);
}

/* Takes out a bucket's events. They lie between the first of its last chunk and the returned end. */
static inline sim_event *wheel_take(wheel *w, uint32_t cycle, uint32_t number) {
  sim_event **bucket = &w->cycle[cycle & w->mask][number], *end = *bucket;
  *bucket = NULL;
  return end;
}

/* Frees a chunk of taken events; returns where the events before it end. */
static inline sim_event *wheel_drop(wheel *w, chunk *c) {
  sim_event *before = c->before;
  c->next_free = w->free;
  w->free = c;
  return before;
}

/* Calls `act` once for every event that is due in the cycles from .. from + cycles - 1, none of them past. UINT32_MAX
 * cycles: for every event. */
static inline void wheel_each(const wheel *w, uint32_t from, uint32_t cycles,
                              void (*act)(void *context, uint32_t cycle, const sim_event *event), void *context) {
  for (uint32_t cycle = from; cycle - from < cycles && cycle - from <= w->mask; cycle++)
    for (uint32_t number = 0; number < BUCKETS; number++)
      for (sim_event *end = w->cycle[cycle & w->mask][number]; end; end = chunk_before(end)->before)
        for (const sim_event *event = chunk_before(end)->event; event < end; event++) act(context, cycle, event);
  for (uint32_t i = 0; i < w->distant.count; i++)
    if (w->distant.posted[i].cycle - from < cycles)
      act(context, w->distant.posted[i].cycle, &w->distant.posted[i].event);
}

/* Moves events into the wheel of the part that they are for, between two cycles. SPACE counts as posted in the part
 * that sends it. */
static inline void outbox_empty(outbox *o, wheel *w) {
  for (uint32_t i = 0; i < o->count; i++) {
    wheel_post(w, o->posted[i].cycle, o->posted[i].event);
    w->posted -= event_kind_of(o->posted[i].event) == SPACE;
  }
  o->count = 0;
}

/* The same for events that may be distant; `now` is the next cycle. */
static inline void outbox_empty_distant(outbox *o, wheel *w, uint32_t now) {
  for (uint32_t i = 0; i < o->count; i++) {
    wheel_post_distant(w, now, o->posted[i].cycle, o->posted[i].event);
    w->posted -= event_kind_of(o->posted[i].event) == SPACE;
  }
  o->count = 0;
}

#endif
