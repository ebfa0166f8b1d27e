/* coherence.h - the cache coherence protocol as two pure functions: the transitions of a cache for one line, and those
 * of the line's home. It has no notion of time or of a network: the caller may deliver messages in any order.
 *
 * Each line has a home, whose directory records the nodes that hold it. Caches hold it shared (S), exclusive and
 * unchanged (E) or modified (M). It is a three-hop invalidation protocol: a request goes to the home; the home answers,
 * forwards the request to the owner, or has the other copies invalidated; owner and sharers answer the requester, which
 * sends the home an unblock message when it has everything. Until then other requests for the line wait at the home in
 * the order of arrival, at most one per node. Only a read of a line that is already shared does not block the home. No
 * request is refused and retried.
 *
 * No order of messages is assumed, not even between two nodes. Two cases follow: a copy that is invalidated before it
 * arrives serves the one load that waits for it and is not kept (CO_IS_ONCE); a write-back that crosses a forward waits
 * at the home until the cache has answered the forward from its write-back buffer (CO_II).
 *
 * Each message has a class, and the classes are ordered: a message causes only messages of higher classes. With
 * separate channels for each class the highest class always drains, then the one below it, and so on: no cycle of
 * messages waits for itself. */
#ifndef PROGRAMS_COHERENCE_H
#define PROGRAMS_COHERENCE_H

#include "ripstop/plugin/base.h"

enum { CO_NODES_MAX = 64 }; /* sharers are bits of one word */

/* Events of a line: requests of the processor, and messages. */
typedef enum co_kind {
  CO_LOAD,
  CO_STORE,
  CO_EVICT,
  CO_GET_SHARED, /* requests to the home */
  CO_GET_OWNED,
  CO_UPGRADE, /* the requester has a shared copy and needs no data */
  CO_PUT_CLEAN,
  CO_PUT_DIRTY,   /* with data */
  CO_INVALIDATE,  /* forwards from the home to holders of the line */
  CO_SHARE,       /* the owner sends the requester a copy, and the home the changes */
  CO_YIELD,       /* the owner passes the line to the requester */
  CO_DATA_SHARED, /* responses to the requester; with data */
  CO_DATA_EXCLUSIVE,
  CO_DATA_OWNED,
  CO_GRANT, /* answers CO_UPGRADE */
  CO_ACK,   /* a copy has been invalidated */
  CO_PUT_DONE,
  CO_COPY_CLEAN, /* completions to the home: the owner has shared the line */
  CO_COPY_DIRTY, /* with data */
  CO_UNBLOCK,    /* the requester has everything */
  CO_KINDS
} co_kind;

typedef enum co_class { CO_REQUEST, CO_FORWARD, CO_RESPONSE, CO_COMPLETION, CO_CLASSES } co_class;

extern const char *const co_kind_words[CO_KINDS];
extern const char *const co_class_words[CO_CLASSES];
co_class co_class_of(co_kind kind); /* the class of a message */
bool co_has_data(co_kind kind);     /* the message carries the line's bytes as its sender has them */

typedef struct co_message {
  uint8_t kind; /* co_kind */
  uint8_t from, to;
  uint8_t requester; /* forwards: the node to answer */
  uint8_t acks;      /* CO_DATA_OWNED, CO_GRANT: the number of CO_ACK that the requester receives before or after this
                      * message */
  bool holds;        /* CO_DATA_SHARED: the home waits for CO_UNBLOCK */
} co_message;

/* States in caches. All after CO_M are transient; CO_EI and CO_MI still have the line, to answer forwards. */
typedef enum co_state {
  CO_I,
  CO_S,
  CO_E,
  CO_M,
  CO_IS,      /* waits for data, to read */
  CO_IS_ONCE, /* the same; the copy may have been invalidated */
  CO_IM,      /* waits for data and acknowledgements, to write */
  CO_SM,      /* waits for the grant and acknowledgements, to write; has a shared copy */
  CO_EI,      /* waits for the home to accept an unchanged line */
  CO_MI,      /* the same, modified */
  CO_II,      /* the same, but a forward has passed the line to another node */
  CO_STATES
} co_state;
extern const char *const co_state_words[CO_STATES];

typedef struct co_line { /* zero: invalid */
  uint8_t state;         /* co_state */
  bool granted;          /* CO_IM, CO_SM: data or grant have arrived */
  int8_t acks;           /* CO_IM, CO_SM: acknowledgements outstanding; below 0 while their number is unknown */
} co_line;

typedef struct co_home { /* zero: in no cache */
  uint64_t sharers;      /* bit set of the nodes that may have a shared copy */
  uint8_t owner;         /* valid if `owned` */
  bool owned;            /* `owner` has the line exclusive, or will */
  bool awaits_unblock, awaits_copy;
} co_home;

/* The result of one step. */
typedef struct co_out {
  uint32_t count;
  co_message message[CO_NODES_MAX + 1];
  bool keep;  /* the data of the received message become this side's copy */
  bool ready; /* cache: the waiting load or store can complete now, with the kept copy */
  bool defer; /* home: no change; offer the message again after the line's next step */
  bool wrong; /* this message is impossible in this state: an error in the protocol */
} co_out;

/* `in` is a request of the processor (its `to` is the cache's node) or a message. */
void co_cache_step(co_line *line, uint32_t home, const co_message *in, co_out *out);
void co_home_step(co_home *line, const co_message *in, co_out *out);

static inline bool co_readable(const co_line *line) {
  return line->state == CO_S || line->state == CO_E || line->state == CO_M || line->state == CO_SM;
}
static inline bool co_writable(const co_line *line) { return line->state == CO_E || line->state == CO_M; }
static inline bool co_stable(const co_line *line) { return line->state <= CO_M; }
static inline bool co_busy(const co_home *line) { return line->awaits_unblock || line->awaits_copy; }

#endif
