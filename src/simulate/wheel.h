/* wheel.h - the event wheel: buckets for each cycle, with events of eight bytes in chunks from a pool that is sized
 * before the start.
 *
 * Events of one cycle are taken in any order, because the engine's handlers commute. So each kind of event that every
 * hop causes has a bucket of its own, and its handler need not test kinds. No event is posted for the present cycle.
 *
 * An event for `size` cycles ahead or more, which only slow and very long links cause, waits in a second level: a ring
 * of lists, one for each span of size / 2 cycles. While it has events, the event GATHER is pending for the beginning of
 * the next span. There it moves the events of the span after that one into the wheel, which reaches to its end. So
 * memory depends on how many events can be pending, not on how far ahead they are, and each event is moved once. If the
 * ring is shorter than an event is ahead, the event stays in its list until the ring's turn is the right one. */
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
  ROOM,      /* a switch is notified that an in-transit packet has left: subject = its port to the end node */
  OPEN,      /* an output with a slow link has a place again: subject = port */
  CROSSED,   /* a packet has left the crossbar in this cycle: subject = queue, detail = output port */
  LINK_FREE, /* a link for which bound packets wait is free: subject = port */
  GATHER,    /* a span begins, and distant events are moved into the wheel */
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

/* Events for another part's nodes, until that part takes them. */
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

/* The second level. */
typedef struct distant_row {
  uint32_t cycle;
  sim_event event;
  uint32_t next; /* in its list, or of the free rows; NO_ROW: the last */
} distant_row;
#define NO_ROW UINT32_MAX

typedef struct distant {
  distant_row *row;            /* [room]; for all events that can be there at once */
  uint32_t *first;             /* [spans]: a list of rows for each span, modulo the ring's length */
  uint32_t spans, shift;       /* spans: a power of two; cycle >> shift is the number of a cycle's span */
  uint32_t room, unused, free; /* unused: rows from here on never were in use; free: a list of rows that were */
  uint32_t count;
} distant;

typedef struct wheel {
  uint32_t mask;                /* size - 1; a power of two */
  sim_event *(*cycle)[BUCKETS]; /* [size]: where a bucket's next event goes, behind the others in the newest of its
                                 * chunks, which may be full; NULL: no events */
  chunk *free;                  /* a list of chunks that buckets have had */
  chunk *unused, *end;          /* chunks that never were in a bucket and have no memory yet */
  uint64_t posted;
  distant distant; /* no space where all links are fast and short */
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

/* Gives the wheel a second level. The caller owns the memory, whose contents do not matter. */
static inline void wheel_open_distant(wheel *w, distant_row *row, uint32_t room, uint32_t *first, uint32_t spans) {
  distant *d = &w->distant;
  *d = (distant){.row = row, .first = first, .spans = spans, .room = room, .free = NO_ROW};
  while (UINT32_C(2) << d->shift <= w->mask) d->shift++;
  for (uint32_t i = 0; i < spans; i++) first[i] = NO_ROW;
}

static inline void distant_put(distant *d, uint32_t cycle, sim_event event) {
  uint32_t *first = &d->first[(cycle >> d->shift) & (d->spans - 1)], at = d->free;
  if (at == NO_ROW) {
    assert(d->unused < d->room); /* parts.c computes the most there can be */
    at = d->unused++;
  } else {
    d->free = d->row[at].next;
  }
  d->row[at] = (distant_row){.cycle = cycle, .event = event, .next = *first};
  *first = at;
  d->count++;
}

/* Posts GATHER for the beginning of the next span. Only the caller's events count as posted. */
static inline void wheel_remind(wheel *w, uint32_t now) {
  wheel_post(w, ((now >> w->distant.shift) + 1) << w->distant.shift, make_event(GATHER, 0, 0));
  w->posted--;
}

/* wheel_post for any later cycle. */
static inline void wheel_post_distant(wheel *w, uint32_t now, uint32_t cycle, sim_event event) {
  if (USUALLY(wheel_reaches(w, now, cycle))) {
    wheel_post(w, cycle, event);
    return;
  }
  if (!w->distant.count) wheel_remind(w, now);
  distant_put(&w->distant, cycle, event);
  w->posted++;
}

/* Called at GATHER, in the first cycle of a span: what is in the span after it is within reach from here on. */
static inline void wheel_gather(wheel *w, uint32_t now) {
  distant *d = &w->distant;
  uint32_t *link = &d->first[((now >> d->shift) + 1) & (d->spans - 1)];
  while (*link != NO_ROW) {
    const uint32_t at = *link;
    distant_row *row = &d->row[at];
    if (!wheel_reaches(w, now, row->cycle)) {
      link = &row->next;
      continue;
    }
    wheel_post(w, row->cycle, row->event);
    w->posted--;
    *link = row->next;
    row->next = d->free;
    d->free = at;
    d->count--;
  }
  if (d->count) wheel_remind(w, now);
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
  for (uint32_t span = 0; w->distant.count && span < w->distant.spans; span++)
    for (uint32_t at = w->distant.first[span]; at != NO_ROW; at = w->distant.row[at].next)
      if (w->distant.row[at].cycle - from < cycles) act(context, w->distant.row[at].cycle, &w->distant.row[at].event);
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
