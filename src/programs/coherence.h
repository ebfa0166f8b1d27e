/* coherence.h - the cache coherence protocol, as two pure functions: what a cache does for one line, and what the
 * line's home does. No time, no data, no network: whoever calls them delivers messages in any order it likes.
 *
 * A line has a home, whose directory knows which nodes hold it. Caches hold it shared (S), exclusive and unchanged (E)
 * or changed (M). Invalidations, three hops: a request goes to the home; the home answers, or forwards the request to
 * the owner, or has the other copies invalidated; owner and sharers answer the requester, which tells the home when
 * it has all it needs. Until then other requests for the line wait at the home, in the order in which they came, one at
 * most of each node. Only a read of a line that is shared already does not hold the home up. Nothing is refused and
 * tried again.
 *
 * No order of messages is assumed, not even between two nodes. What that costs: a copy that is invalidated on its way
 * serves the one load that waits for it and is not kept (CO_IS_ONCE); a write-back that meets a forward at its home
 * waits there until the forward has been answered from the write-back's own buffer (CO_II).
 *
 * Each message belongs to a class, and the classes are ordered: what a node sends because it has received a message is
 * of a higher class than that message. So, with channels of its own for each class, the highest class always drains,
 * then the one below it, and so on: no messages wait for each other in a ring. */
#ifndef PROGRAMS_COHERENCE_H
#define PROGRAMS_COHERENCE_H

#include "ripstop/base.h"

enum { CO_NODES_MAX = 64 }; /* sharers are bits of one word */

/* What happens to a line: the processor's wishes, and messages. */
typedef enum co_kind {
  CO_LOAD,
  CO_STORE,
  CO_EVICT,
  CO_GET_SHARED, /* requests, to the home */
  CO_GET_OWNED,
  CO_UPGRADE, /* the requester has a shared copy and needs no data */
  CO_PUT_CLEAN,
  CO_PUT_DIRTY,   /* with data */
  CO_INVALIDATE,  /* forwards, from the home to those who have the line */
  CO_SHARE,       /* the owner gives the requester a copy, and the home what has changed */
  CO_YIELD,       /* the owner gives it up to the requester */
  CO_DATA_SHARED, /* responses, to the requester; with data */
  CO_DATA_EXCLUSIVE,
  CO_DATA_OWNED,
  CO_GRANT, /* answers CO_UPGRADE */
  CO_ACK,   /* a copy has been invalidated */
  CO_PUT_DONE,
  CO_COPY_CLEAN, /* completions, to the home: the owner has shared */
  CO_COPY_DIRTY, /* with data */
  CO_UNBLOCK,    /* the requester has all it needs */
  CO_KINDS
} co_kind;

typedef enum co_class { CO_REQUEST, CO_FORWARD, CO_RESPONSE, CO_COMPLETION, CO_CLASSES } co_class;

extern const char *const co_kind_words[CO_KINDS];
extern const char *const co_class_words[CO_CLASSES];
co_class co_class_of(co_kind kind); /* of a message */
bool co_has_data(co_kind kind);     /* the message carries the line, as its sender has it */

typedef struct co_message {
  uint8_t kind; /* co_kind */
  uint8_t from, to;
  uint8_t requester; /* forwards: whom to answer */
  uint8_t acks;      /* CO_DATA_OWNED, CO_GRANT: as many CO_ACK come, or have come */
  bool holds;        /* CO_DATA_SHARED: the home waits for CO_UNBLOCK */
} co_message;

/* In caches. After CO_M all wait for something; CO_EI and CO_MI still have the line, to answer forwards from. */
typedef enum co_state {
  CO_I,
  CO_S,
  CO_E,
  CO_M,
  CO_IS,      /* for data, to read */
  CO_IS_ONCE, /* the same; the copy may be invalid by then */
  CO_IM,      /* for data and acknowledgements, to write */
  CO_SM,      /* for the grant and acknowledgements, to write; has a shared copy */
  CO_EI,      /* for the home to take an unchanged line back */
  CO_MI,      /* the same, changed */
  CO_II,      /* the same, but the line has gone to somebody else meanwhile */
  CO_STATES
} co_state;
extern const char *const co_state_words[CO_STATES];

typedef struct co_line { /* zero: invalid */
  uint8_t state;         /* co_state */
  bool granted;          /* CO_IM, CO_SM: data or grant are there */
  int8_t acks;           /* CO_IM, CO_SM: acknowledgements still to come; below 0 while their number is unknown */
} co_line;

typedef struct co_home { /* zero: in no cache */
  uint64_t sharers;      /* those who may have a shared copy */
  uint8_t owner;         /* meaningful when `owned` */
  bool owned;            /* somebody has, or is about to have, the line exclusive */
  bool awaits_unblock, awaits_copy;
} co_home;

/* What comes of one step. */
typedef struct co_out {
  uint32_t count;
  co_message message[CO_NODES_MAX + 1];
  bool keep;  /* the data of the message received become this side's copy */
  bool ready; /* cache: the load or store that waits can be done now, with the copy kept */
  bool defer; /* home: nothing was done; offer the message again after the line's next step */
  bool wrong; /* the message cannot come in this state: the protocol is broken */
} co_out;

/* `in` is a wish of the processor (its `to` is the cache's node) or a message. */
void co_cache_step(co_line *line, uint32_t home, const co_message *in, co_out *out);
void co_home_step(co_home *line, const co_message *in, co_out *out);

static inline bool co_readable(const co_line *line) {
  return line->state == CO_S || line->state == CO_E || line->state == CO_M || line->state == CO_SM;
}
static inline bool co_writable(const co_line *line) { return line->state == CO_E || line->state == CO_M; }
static inline bool co_stable(const co_line *line) { return line->state <= CO_M; }
static inline bool co_busy(const co_home *line) { return line->awaits_unblock || line->awaits_copy; }

#endif
