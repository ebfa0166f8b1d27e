/* state.h - the engine's data: everything that one simulation has, in flat arrays by index.
 *
 * Indices
 *   node    as in the fabric: end nodes first. An end node's row is its network interface (the sending side).
 *   queue   an input queue. Queues 0 .. streams-1 belong to the network interfaces (end node x classes + class); then
 * those of the switches: streams + (input port - ends) x channels + channel.
 *   lane    output port x channels + channel: the sender's view of the queue that a channel leads to.
 * A node's queues, a port's lanes and a node's ports are contiguous.
 *
 * A large fabric's time goes to fetching memory, so rows are as narrow as they can be, start at cache lines, and have
 * together what is touched together.
 *
 * Invariants between two cycles
 *   - A queue is EMPTY, WAITING (its head has ways or a loss, and may move), HELD (its head has to wait until the
 * protocol has ways for it) or LEAVING (its head is granted).
 *   - want[port] has a node's queue's bit exactly if that queue is WAITING and one of its ways uses the port.
 *   - A WAITING head outside `dirty` cannot move: all its ways were shut when it was last tried, and whatever opens a
 * way marks it dirty.
 *   - A lane of a node's `shut` set had a busy link or no space when it was last looked at, and whatever opens it takes
 * it out of the set. Nodes with more than 64 lanes do without.
 *   - A packet is owned by one slot, one arrival or one delivery at a time beyond the queue it is leaving. */
#ifndef SIMULATE_STATE_H
#define SIMULATE_STATE_H

#include <assert.h>

#include "ripstop/plugin/arbiter.h"
#include "ripstop/simulate.h"
#include "simulate/measure.h"
#include "simulate/reaction.h"
#include "simulate/source.h"
#include "simulate/wheel.h"

typedef struct packet {
  uint64_t header; /* the method's word */
  uint32_t source;
  uint32_t destination : 26; /* an end node: fewer than RIPSTOP_FABRIC_MAX_PORTS */
  uint32_t class_ : 3;       /* fewer than RIPSTOP_CLASSES_MAX */
  uint32_t marks : 2;        /* RIPSTOP_MARK_* */
  uint32_t truncated : 1;    /* lost already, and counted; what remains is discarded */
  uint32_t number;           /* in its stream */
  uint32_t born, injected;   /* cycles */
  uint16_t flits;
  uint16_t hops; /* links taken */
} packet;
static_assert(sizeof(packet) == 32, "half a cache line");

typedef struct sim_slot {
  uint32_t packet;
  uint32_t arrived; /* cycle in which the head came off the link */
} sim_slot;

enum { EMPTY, LEAVING, WAITING, HELD };
#define NO_PORT       UINT16_MAX
#define OUT_DISCARDED 0x80000000u /* flag on a packet in an output queue that goes nowhere */

/* With guests (guests.h) only. */
enum { GUEST = 3 };            /* as a way's space, beside 1 and 2 */
enum { END_SPACE = 1 << 30 };  /* of a lane to an end node, in place of INT32_MAX */
enum { GUESTS_MAX = 1 << 20 }; /* of an end node */

typedef struct queue {
  uint32_t node;
  uint32_t busy;         /* of channel 0 for its port: the crossbar side is busy until that cycle */
  uint32_t upstream;     /* lane that feeds it (switch queues) */
  uint32_t slot;         /* first of its ring */
  uint16_t head, length; /* of the ring of e->ring packets */
  uint16_t flits;        /* of the head, unless EMPTY; a LEAVING head may be delivered and gone already */
  uint16_t number;       /* in its node */
  uint16_t in_port;      /* local */
  uint16_t last_port;    /* local output port of the last grant, for choice: rotate; NO_PORT at first */
  uint8_t channel;
  uint8_t state;
  uint8_t ways; /* of the head; 0: it is to be discarded */
  uint8_t loss; /* then: why, RIPSTOP_LOST_* */
} queue;
static_assert(sizeof(queue) == 32, "half a cache line");

typedef struct sim_node {
  uint32_t queue, queues; /* first, count */
  uint32_t port, ports;
  uint32_t words; /* 64-bit words of a set of its queues */
  uint32_t dirty; /* offset in `bits`: the set of queues to be tried; the word before it is the set of shut lanes */
  uint32_t want;  /* offset in `bits`: a set per port */
  uint32_t awake; /* it is in `active` */
} sim_node;
static_assert(sizeof(sim_node) == 32, "half a cache line");

/* An output port with a cable. */
typedef struct output {
  uint32_t busy;  /* the link (with output queues: the crossbar's side) is busy until that cycle */
  uint32_t node;  /* whose it is */
  uint32_t next;  /* the end node at the other end, or the first of the queues there */
  uint16_t local; /* number on its node */
  bool to_end;    /* which of the two */
} output;
static_assert(sizeof(output) == 16, "a quarter of a cache line");

/* An output queue (only with out_queue > 0), one per lane of a switch. */
typedef struct out_queue {
  uint32_t slot; /* `arrived` of its slots: cycle of entry */
  uint16_t head, length;
  uint16_t flits; /* of the packet that is leaving, which may be gone already */
  bool leaving;   /* the first packet is on the link */
} out_queue;

typedef struct engine {
  const ripstop_scenario *config;
  const ripstop_fabric *fabric;
  const ripstop_plan *plan; /* the present one and its view: the caller's until the fabric changes, then own */
  const ripstop_view *view;
  ripstop_plan *own_plan; /* NULL: not yet */
  ripstop_view *own_view;
  ripstop_arena *arena;
  ripstop_error *err;
  bool failed; /* a method broke a rule: err says which */

  /* sizes and delays */
  uint32_t channels, classes, streams, queues, ways_max;
  uint32_t link, pipeline, credit; /* D, R, K */
  uint32_t shortest, longest;      /* packets, in flits */
  bool unit_flits, credits, out_queues, choose_early;
  bool far; /* too large for the processor's caches */
  ripstop_choice choice;
  uint32_t ring;        /* packets that fit into an input queue */
  int32_t capacity;     /* units of an input queue */
  int32_t out_capacity; /* units of an output queue */
  int32_t xoff, xon;
  uint64_t seed;

  /* time */
  uint32_t now, end; /* cycles; the run ends before `end` */
  wheel wheel;
  uint32_t *active, *active_next, active_count; /* nodes that decide this cycle; the other list */

  /* nodes, queues, outputs */
  sim_node *node;
  queue *queue;
  sim_slot *slot;
  ripstop_way *way; /* [queues * ways_max] */
  output *output;   /* [ports] */
  int32_t *space;   /* [lanes]: free units of the next input queue, as the sender knows it; guests.h */
  uint64_t *bits;   /* the sets of all nodes */

  /* with output queues only */
  out_queue *out_queue; /* [lanes] */
  sim_slot *out_slot;
  uint16_t out_slots;  /* per queue */
  int32_t *out_space;  /* [lanes]: free units */
  uint32_t *link_busy; /* [ports] */
  uint8_t *link_dirty; /* [ports]: to be tried in the next decision */

  /* with XON/XOFF only */
  int32_t *held;     /* [queues] units */
  uint8_t *told_off; /* [queues] the last word sent was XOFF */
  uint32_t *touched, touched_count;
  uint8_t *is_touched; /* [queues] */

  /* packets */
  packet *packet;
  uint32_t *free_packet, free_packets, packets;
  ripstop_sources *sources; /* NULL with players */
  ripstop_play *play;       /* NULL without */
  struct guests *guests;    /* NULL where the plan has none */
  bool watched;             /* somebody wishes to know of deliveries: players, or config->on_delivery */
  ripstop_source *source;   /* [streams]: the packet after the one in the interface */
  uint8_t *birth_posted;    /* [streams]: a BIRTH event is pending */

  /* arbitration */
  const ripstop_arbiter *arbiter;
  const void *arbiter_config;
  size_t arbiter_bytes;
  uint8_t *arbiter_state, *crossbar_state;   /* [ports * bytes]: of links; of crossbar outputs, with out_queues */
  uint64_t *candidate, *request, *requested; /* scratch: queues tried; queues per output; outputs asked */
  uint8_t *request_channel;
  uint16_t *request_flits;
  uint8_t *request_way; /* [queues of a node] */

  /* scratch of deadlock.c */
  uint8_t *stuck;     /* [queues] */
  uint8_t *out_stuck; /* [lanes], with output queues */
  int32_t *incoming;  /* [queues] */

  size_t next_change, changes; /* of the schedule, and those that players ask for */
  const ripstop_change *change;
  struct control *control; /* the method's protocol; NULL without one */
  struct watcher *watcher; /* of its promises; NULL where it has no check */
  stop stop;
  measure measure;
  const char *witness;
  char loss_text[4 * RIPSTOP_NAME_MAX];
  bool deadlocked;
} engine;

static inline uint64_t bit(uint32_t number) { return UINT64_C(1) << (number & 63); }
static inline int32_t units(const engine *e, uint32_t flits) { return e->unit_flits ? (int32_t)flits : 1; }
static inline int32_t units_of(const engine *e, const packet *p) { return units(e, p->flits); }
static inline uint32_t queue_of_port(const engine *e, uint32_t port, uint32_t channel) {
  return e->streams + (port - e->fabric->ends) * e->channels + channel;
}
static inline bool is_interface(const engine *e, uint32_t node) { return node < e->fabric->ends; }
/* The head is there and has not been granted anything. */
static inline bool is_waiting(const queue *q) { return q->state >= WAITING; }
static inline uint64_t serial_of(const engine *e, const packet *p) {
  return (uint64_t)p->number * e->streams + (uint64_t)p->source * e->classes + p->class_;
}
static inline uint32_t *side_busy(queue *q) { return &(q - q->channel)->busy; }
static inline uint64_t *shut_lanes(const engine *e, const sim_node *n) { return &e->bits[n->dirty - 1]; }
static inline void free_packet(engine *e, uint32_t index) { e->free_packet[e->free_packets++] = index; }
static inline packet *head_of(const engine *e, const queue *q) { return &e->packet[e->slot[q->slot + q->head].packet]; }

/* build.c */
int engine_build(engine *e, ripstop_error *err);

/* engine.c */
void engine_run(engine *e);
void load_ways(engine *e, queue *q); /* asks the method for the ways of a head, which is WAITING or HELD then */
void drop_ways(engine *e, queue *q); /* takes them out of `want` */
void ask_anew(engine *e, queue *q);  /* the same for a head that had ways before, if one waits in this queue */
void wake_queue(engine *e, queue *q);
void wake_node(engine *e, uint32_t node);
void take_next(engine *e, uint32_t stream); /* the interface takes the next packet of a stream, now or at its birth */
/* As ripstop_source_next, for a copy of e->source[stream]. */
void next_birth(const engine *e, uint32_t stream, ripstop_source *source);
void lose(engine *e, packet *p, uint32_t cause);

/* change.c */
void apply_changes(engine *e);
bool compile_plan(engine *e); /* for the present view; false: the run has failed */
void reload_ways(engine *e);  /* all heads without a grant ask anew */

/* deadlock.c: searches the live buffers; true with e->witness written when a set of queues can only wait for each
 * other. */
bool find_deadlock(engine *e);
void count_incoming(engine *e);                /* writes e->incoming: units on their way to each queue */
void describe_loss(engine *e, const queue *q); /* the first packet without a way on, for people */

#endif
