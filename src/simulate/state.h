/* state.h - the engine's data, in three structs and flat arrays by index.
 *
 *   shape  constant during a run: sizes, delays, and where the rows of nodes, queues, output VCs and outputs are
 *   part   a set of nodes with its clock, wheel, free packets, scratch memory, sums, and outboxes for events of other
 *          parts' nodes. Each part has copies of the shape and the hooks, so that every event's data is one load away
 *   run    shared by the parts: fabric, view, plan, sources, features, and the length of the run
 *
 * A row belongs to one node, and only that node's part writes it while parts work in parallel, in plain cycles
 * (threads.c). In other cycles (a change of the fabric, a search for deadlocks) one thread works for all parts. A
 * packet's row belongs to the part that has the packet or will receive it.
 *
 * Indices
 *   node       as in the fabric: end nodes first. An end node's row is its NIC (the sending side).
 *   queue      an input queue. Queues 0 .. streams-1 belong to the NICs (end node x classes + class); then those of the
 *              switches: streams + (input port - ends) x stride + virtual channel.
 *   output VC  output port x channels + virtual channel: the sender's view of the queue behind it.
 *   channel    of the plan's channels each has `vcs` here (switch.vcs): c of the plan is c vcs .. c vcs + vcs - 1. A
 *              candidate on a channel of the plan stands for all of its output VCs, which its bundles have (vcs.h).
 * A node's queues, a port's output VCs and a node's ports are contiguous.
 *
 * A large fabric spends its time on fetching memory. So rows are narrow, start at cache lines, and have together what
 * is touched together.
 *
 * Invariants between two cycles
 *   - A queue is EMPTY, WAITING (its head has candidates or a loss, and may move), STALLED (its head waits until the
 *     protocol has candidates for it) or LEAVING (its head is granted).
 *   - An output VC's set `wanting` contains a queue exactly if that queue is listed and the output VC is a candidate of
 *     its head.
 *   - An output VC is in its node's `shut` set exactly if its link is busy or it has no space.
 *   - A queue is in its node's `busy` set exactly if a packet of a queue that shares its crossbar input is LEAVING.
 *   - A WAITING head outside `dirty` is listed and cannot move: all its candidates were shut, or its crossbar input was
 *     busy, when it was last tried or became the head. An event that opens a candidate of a listed head, or frees its
 *     crossbar input, marks it dirty. A head that goes on immediately is never listed.
 *   - Beyond the queue that it is leaving, a packet has one owner: a slot, an arrival or a delivery. */
#ifndef SIMULATE_STATE_H
#define SIMULATE_STATE_H

#include <assert.h>

#include "base/random.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/matching.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/plugin/switch.h"
#include "simulate/hooks.h"
#include "simulate/measure.h"
#include "simulate/source.h"
#include "simulate/wheel.h"

typedef struct packet {
  uint64_t header; /* the method's state */
  uint32_t source;
  uint32_t destination : 26;       /* an end node: fewer than RIPSTOP_FABRIC_MAX_PORTS */
  uint32_t class_ : 3;             /* fewer than RIPSTOP_CLASSES_MAX */
  uint32_t marks : 2;              /* RIPSTOP_MARK_* */
  uint32_t truncated : 1;          /* counted as lost already; the rest is discarded */
  uint32_t number;                 /* in its stream; in a free row: the next free row */
  uint32_t generated_at, injected; /* cycles */
  uint16_t flits;
  uint16_t hops; /* links taken */
} packet;
static_assert(sizeof(packet) == 32, "half a cache line");

typedef struct sim_slot {
  uint32_t packet;
  uint32_t arrived; /* cycle in which the head came off the link */
} sim_slot;

/* Candidates of one head that differ in their output VCs only. Most heads have one such set, or two, however many
 * candidates. A head's bundles, and in each the output VCs by number, keep the method's order of candidates. */
typedef struct bundle {
  uint64_t vcs;    /* a set of the node's output VCs 64 word .. 64 word + 63 */
  uint64_t header; /* this, and the members behind `word`, as in ripstop_candidate */
  struct bundle *next;
  uint32_t word;
  uint8_t rank;
  uint8_t space : 4, marks : 4;
  uint16_t weight;
} bundle;
static_assert(sizeof(bundle) == 32, "half a cache line");

enum { EMPTY, LEAVING, WAITING, STALLED };
#define NO_PORT UINT16_MAX
enum { FED_BY_CONTROL = UINT8_MAX }; /* larger than the number of any part */

typedef struct queue {
  uint32_t node;
  uint32_t upstream;      /* output VC that feeds it (switch queues) */
  uint32_t slot;          /* first of its ring */
  uint16_t head, length;  /* in the ring of shape.ring packets */
  uint16_t flits;         /* the head's length, unless EMPTY; the row of a LEAVING head may be free already */
  uint16_t number;        /* in its node */
  uint16_t in_port;       /* local */
  uint16_t last_port;     /* local output port of the last grant, for selection: rotate; NO_PORT at first */
  uint16_t side, sharers; /* the first queue that shares its crossbar input; a bit for each that does */
  uint8_t channel;
  uint8_t plan_channel; /* the channel of the plan for which it stands */
  uint8_t state;
  uint8_t feeder; /* the part that sends into it; FED_BY_CONTROL: control packets start here */

  bundle candidates; /* the head's; the bundles behind the first are of part.spare. No output VCs: the head is to be
                      * discarded (loss_of) */
} queue;
static_assert(sizeof(queue) == 64, "a cache line");

typedef struct sim_node {
  uint64_t *sets;         /* shut_vcs, dirty_queues, and so on: each of `words` */
  const int32_t *room;    /* [output VCs]: free units of what they lead into: in shape.space, or in a feature's own
                           * array */
  uint32_t queue, port;   /* its first queue and port */
  uint16_t queues, ports; /* how many */
  uint16_t words;         /* 64-bit words of a set of its queues, or of its output VCs */
  uint8_t side_heads;     /* queues that share a crossbar input */
  bool awake;             /* it is in `active` */
} sim_node;
static_assert(sizeof(sim_node) == 32 || sizeof(void *) < 8, "half a cache line");

/* An output port with a cable. */
typedef struct output {
  uint32_t busy;  /* the link, or with output queues the crossbar's output, is busy until that cycle */
  uint32_t node;  /* its own node */
  uint32_t next;  /* the end node at the other end, or the first queue there */
  uint16_t local; /* number on its node */
  bool to_end;    /* next is an end node */
  uint8_t part;   /* the part of the node at the other end */
  uint32_t flits; /* sent in the measured cycles, of which there are fewer than it can count */
  uint32_t turn;  /* the arbiter's state, if it fits (shape.arbiter_state) */
} output;
static_assert(sizeof(output) == 24, "what a grant needs of its port");

enum { LONG_LINK = 1001 }; /* cycles; shorter links are within reach of the first level of the wheel */

typedef struct shape {
  const ripstop_fabric *fabric;
  /* sizes and delays */
  uint32_t ends; /* the fabric's end nodes */
  uint32_t channels, classes, streams, queues, candidates_max;
  uint32_t stride; /* input queues of a switch's port: channels, and one more for outgoing control packets (inband.c) */
  uint32_t link, pipeline, credit; /* D, R, K */
  uint32_t quarters;               /* flits that the crossbar moves in 4 cycles; 4: one a cycle */
  uint32_t near, far;              /* the shortest D of links between parts, the longest of all links */
  const uint32_t *reach;           /* [ports]: D of links; NULL: all are equal */
  bool is_long;                    /* far >= LONG_LINK: arrivals may lie beyond the wheel's first level */
  uint32_t shortest, longest;      /* flits of packets, control packets included */
  int32_t bubble;                  /* units that a candidate of space 2 needs beyond the packet's own */
  uint64_t per_channel;            /* 2^32 / channels, rounded up: port_of_vc */
  uint64_t first_vcs;              /* bits 0, channels, 2 channels, ... */
  bool unit_flits;
  bool roomiest;            /* ripstop_selection.roomiest, and loads are not needed */
  bool exhausted;           /* switch.escape */
  bool credits;             /* else XON/XOFF, or no flow control */
  bool chooses_early;       /* a packet waits for one candidate, chosen when it enters a switch: bound_packets.c */
  bool stores;              /* switch.forward = store: an arrival is that of a packet's tail */
  bool unlimited;           /* input queues have no bound, and there are no credits */
  bool pauses;              /* shared memory: receivers pause senders */
  uint8_t plain_space;      /* largest space (1 or 2) that candidates may need */
  uint8_t sure_space;       /* with at most this space (0 or 1) every output VC that is not shut is open */
  int32_t ample_space;      /* with so many free units behind an output VC no head waits for more */
  uint32_t ring;            /* packets that fit into an input queue */
  int32_t capacity;         /* units of an input queue; with pools, the most that it can get */
  int32_t room_capacity;    /* units of the queues that a switch's candidates lead into */
  uint32_t candidates_kept; /* candidates_max, or 0: a head keeps one candidate (ripstop_plan.choose_early,
                             * RIPSTOP_SELECTION_BINDS) */
  uint32_t random_headers;  /* ripstop_plan.random_headers */
  uint32_t places;          /* packets in slow queues to end nodes, and to switches; 0: no slow queues. slow.c */
  uint32_t places_on;
  uint32_t parts;       /* the run's */
  uint32_t window;      /* most cycles between two meetings of the parts */
  const uint8_t *owner; /* [nodes]: the node's part */
  uint64_t seed;
  ripstop_random_keys ties; /* for the tie rule */
  /* rows */
  sim_node *node;
  queue *queue;
  sim_slot *slot;
  output *output;   /* [ports] */
  int32_t *space;   /* [output VCs]: free units of the next input queue, as the sender knows */
  uint16_t *rate;   /* [ports]: of the link (ripstop_view_rate); NULL: no link is slow in this run. slow.c */
  int32_t *room;    /* [output VCs]: sim_node.room of all switches */
  uint64_t *enters; /* [nodes * enters_words]: the queues that a NIC sends into, for arbiters */
  uint32_t enters_words;
  /* selection, arbitration and the organisation of queues */
  const ripstop_switch *organisation;
  const void *organisation_config;
  const ripstop_selection *selection;
  const void *selection_config;
  uint32_t (*choose)(const void *config, const ripstop_choosing *choosing); /* the selection's; NULL: the tie rule */
  bool lists;      /* several open candidates are listed: for `choose`, or because each stands for several output VCs */
  bool needs_load; /* RIPSTOP_SELECTION_LOAD */
  bool needs_message;               /* RIPSTOP_SELECTION_MESSAGE */
  bool binds;                       /* RIPSTOP_SELECTION_BINDS */
  void **selection_state;           /* [nodes]; NULL: the selection function has none */
  const ripstop_matching *matching; /* NULL: rounds with arbiters until nothing is added */
  const void *matching_config;
  const ripstop_arbiter *arbiter;
  const void *arbiter_config;
  size_t arbiter_bytes;
  bool weighs, turns;     /* the arbiter's; `turns`: its state is output.turn */
  bool urgent;            /* ripstop_agent.urgent of any agent */
  uint8_t *arbiter_state; /* arbiters of the crossbar: one every arbiter_step bytes, by port */
  size_t arbiter_step;
  /* virtual channels for each of the plan's: vcs.h */
  uint32_t vcs, plan_channels;                   /* channels = vcs x plan_channels */
  uint8_t channel_of_plan[RIPSTOP_CHANNELS_MAX]; /* [channels]: the plan's channel */
  ripstop_vc vc;                                 /* switch.vc */
  ripstop_random_keys vc_words;                  /* for switch.vc */
  struct pools *pools;                           /* NULL: each channel has space of its own. pools.h */
} shape;

enum { PARTS_MAX = 64 };

/* A packet that the method has no candidate for: the first is the run's witness, by (cycle, node, queue). */
typedef struct first_loss {
  uint32_t cycle, queue; /* RIPSTOP_NONE: none; queues are in the order of their nodes */
  char text[4 * RIPSTOP_NAME_MAX];
} first_loss;

/* A broken rule of a method or an agent: the run's error is the first by (cycle, step of the cycle, node, queue). */
typedef struct first_failure {
  uint32_t cycle, step, node, queue; /* cycle RIPSTOP_NONE: none; step 1: in decisions */
  ripstop_error error;
} first_failure;

typedef struct ripstop_simulation run;

/* The candidate that a queue's head requests in this round. */
typedef struct head_request {
  const bundle *candidates;
  uint32_t vc; /* numbered in the node */
} head_request;

typedef struct part {
  shape shape;
  hooks hook;
  run *run;
  uint32_t number;          /* this part's */
  uint32_t streams, queues; /* its nodes'; `queues` includes those of the streams */
  bool decides;             /* it is in the decisions of the cycle */
  bool special_grants;      /* links are slow or have delays of their own, or packets are marked (core.c) */
  first_failure failure;    /* at its nodes */

  uint32_t now; /* cycle */
  wheel wheel;
  outbox *outbox;                               /* [parts], of the present window; NULL: there is one part */
  outbox *outboxes[2];                          /* for even and for odd windows */
  uint32_t window;                              /* threads.c; equal in all parts when they meet */
  uint32_t *active, *active_next, active_count; /* nodes that decide this cycle; the other list */

  packet *packet;                         /* [run->packets], those of all parts */
  uint32_t free_packet, free_packets;     /* a list of rows that were in use, linked by packet.number; its length */
  uint32_t unused_packet, unused_packets; /* rows that never were in use and have no memory yet; their number */
  ripstop_source *source;     /* [streams]: the packet behind the one in the NIC; shared by all parts, as all rows */
  uint8_t *generation_posted; /* [streams]: a GENERATION event is pending */

  bundle *spare;  /* a list of bundles that were in use */
  bundle *unused; /* bundles that never were in use */
  uint32_t unused_bundles;
  ripstop_arena *more; /* for what grows during the run (bundles.c) */

  ripstop_candidate *candidate; /* [candidates_max]: scratch for a method's answer */
  /* scratch of a decision */
  uint64_t *contender, *fresh, *discarded; /* queues: that may still get an output, that are not listed yet, whose heads
                                            * are discarded */
  uint64_t *request, *requested;           /* queues per output; outputs with requests */
  uint8_t *request_channel;                /* [queues of a node], for arbiters that weigh */
  uint16_t *request_flits;
  ripstop_requests requests;  /* the arbiter reads it */
  head_request *head_request; /* [queues of a node] */

  struct binding *binding; /* NULL: the selection function does not bind. binding.c */
  int64_t *port_load;      /* [ports of a node]: scratch of port_load.c; NULL: the selection function needs no loads */

  measure measure;
  first_loss first_loss;

  /* features of this part; NULL without them */
  struct out_queues *out_queues;
  struct bound *bound;
  struct slow_queues *slow_queues;
  struct lines *lines;
  struct words *words;
  struct transit_packets *transit_packets;
} part;

struct ripstop_simulation {
  const ripstop_simulate_settings *config; /* &scenario */
  ripstop_simulate_settings scenario;      /* a copy; texts are only read when the run is opened */
  const ripstop_fabric *fabric;
  ripstop_arena *arena;
  const ripstop_plan *plan; /* the present plan and its view: the caller's until the fabric changes, then own_plan */
  const ripstop_view *view;
  ripstop_plan *own_plan; /* NULL: none yet */
  ripstop_view *own_view;
  ripstop_sources *sources; /* NULL: all end nodes have agents */
  part *part;               /* [shape->parts]; the first does what belongs to no part */
  const shape *shape;       /* that of the parts */
  uint32_t packets;         /* rows */
  uint32_t threads;         /* that worked in the last call: fewer than parts if the system gave no more */

  uint32_t end;   /* the run ends before this cycle */
  bool keeps_own; /* own_plan and own_view have outlived the call that made them */
  size_t bytes;   /* at the start */
  double seconds; /* processor time of the loop so far */
  bool begun, deadlocked;
  bool finished;               /* an agent has ended it */
  size_t next_change, changes; /* from the schedule and agents */
  const ripstop_change *change;
  struct changes *schedule;
  ripstop_source *seen; /* [streams]: position up to which look.c has counted; NULL: never */

  const char *witness; /* describes a deadlock */
  uint8_t *stuck;      /* scratch of live_deadlock.c: [queues] */
  uint8_t *out_stuck;  /* [output VCs], with output queues */
  int32_t *incoming;   /* [queues] */

  /* features of the whole run; NULL without them */
  struct control *control;         /* the method's protocol */
  struct inband *inband;           /* its messages that travel as packets */
  struct watcher *watcher;         /* checks its guarantees */
  struct stop *stop;               /* static reconfiguration */
  struct agents *agents;           /* endpoint agents */
  measure *goods;                  /* counters of the packets of an agent with an account; they become the results */
  struct marks *marks;             /* congestion marks */
  struct deliveries *deliveries;   /* reports of deliveries */
  struct losses *losses;           /* a list of lost packets */
  struct reorder *reorder;         /* packets of a pair that overtake each other */
  struct link_errors *link_errors; /* NULL: no link corrupts packets */
};

static inline uint64_t bit(uint32_t number) { return UINT64_C(1) << (number & 63); }
/* Sets of `words` words: the `count` members from `first` on, fewer than 64, which may lie in two words. Returns those
 * present, the first as bit 0; adds all. */
static inline uint64_t some_of(const uint64_t *set, uint32_t words, uint32_t first, uint32_t count) {
  const uint64_t all = bit(count) - 1;
  if (words == 1) return *set >> first & all;
  uint64_t some = set[first / 64] >> (first & 63);
  if ((first & 63) + count > 64) some |= set[first / 64 + 1] << (64 - (first & 63));
  return some & all;
}
static inline void add_some(uint64_t *set, uint32_t words, uint32_t first, uint32_t count) {
  const uint64_t all = bit(count) - 1;
  set[words == 1 ? 0 : first / 64] |= all << (first & 63);
  if (words > 1 && (first & 63) + count > 64) set[first / 64 + 1] |= all >> (64 - (first & 63));
}
static inline int32_t units(const shape *s, uint32_t flits) { return s->unit_flits ? (int32_t)flits : 1; }
static inline int32_t units_of(const shape *s, const packet *p) { return units(s, p->flits); }
/* The units that a packet of this length needs behind a candidate of this space (ripstop_candidate). */
static inline int32_t units_needed(const shape *s, uint32_t flits, uint32_t space) {
  return space == 1 ? units(s, flits) : units(s, flits) + s->bubble;
}
static inline uint32_t queue_of_port(const shape *s, uint32_t port, uint32_t channel) {
  return s->streams + (port - s->fabric->ends) * s->stride + channel;
}
static inline bool is_interface(const shape *s, uint32_t node) { return node < s->ends; }
static inline uint32_t index_of(const shape *s, const queue *q) { return (uint32_t)(q - s->queue); }
static inline bool any_candidate(const queue *q) { return q->candidates.vcs != 0; }
/* The first output VC of a set of a bundle. */
static inline uint32_t first_vc(const bundle *b, uint64_t vcs) {
  return 64u * b->word + (uint32_t)__builtin_ctzll(vcs);
}
/* output VC / channels, for output VCs of a node or of the fabric: fewer than 2^28, and channels are few. */
static inline uint32_t port_of_vc(const shape *s, uint32_t vc) { return (uint32_t)(vc * s->per_channel >> 32); }
/* The head is there and has no grant. */
static inline bool is_waiting(const queue *q) { return q->state >= WAITING; }
/* A control packet. It is truncated from the start, so that nothing counts it and the next switch discards it. */
static inline bool is_control(const packet *p) { return p->source == RIPSTOP_NONE; }
static inline uint64_t serial_of(const shape *s, const packet *p) {
  return (uint64_t)p->number * s->streams + (uint64_t)p->source * s->classes + p->class_;
}
/* The cycles that a packet waits for its tail before it enters an input queue. */
static inline uint32_t waits_for_tail(const shape *s, const packet *p) { return s->stores ? p->flits - 1u : 0; }
static inline uint32_t longest_wait_for_tail(const shape *s) { return s->stores ? s->longest - 1 : 0; }
/* The cycle in which the head of a packet came off a link at full rate, if the packet enters its input queue in cycle
 * `entered`. Its tail comes flits - 1 cycles later. */
static inline uint32_t head_came(const shape *s, const packet *p, uint32_t entered) {
  return entered - s->pipeline - waits_for_tail(s, p);
}
/* Why a head without candidates is to be discarded, RIPSTOP_LOST_*. Stored in place of its first candidate. */
static inline uint32_t loss_of(const queue *q) { return q->candidates.rank; }
static inline void set_loss(queue *q, uint32_t cause) { q->candidates.rank = (uint8_t)cause; }
/* The sets of a node, in this order. Output VCs that are shut. */
static inline uint64_t *shut_vcs(const sim_node *n) { return n->sets; }
/* Queues whose heads are to be tried. */
static inline uint64_t *dirty_queues(const sim_node *n) { return n->sets + n->words; }
/* Queues whose crossbar input is taken, until the packet that has it has left. */
static inline uint64_t *busy_queues(const sim_node *n) { return n->sets + 2u * n->words; }
/* Queues whose heads have to wait and are registered for the events that let them go on. */
static inline uint64_t *listed_queues(const sim_node *n) { return n->sets + 3u * n->words; }
/* The queues that want this output VC of the node: a set for each output VC. Alternating with them, a set for each
 * queue: the output VCs that its head wants, while it is listed. So the sets for what enters and leaves by a port are
 * close in memory. */
static inline uint64_t *wanting(const sim_node *n, uint32_t vc) { return n->sets + (4 + 2 * vc) * n->words; }
static inline uint64_t *wanted(const sim_node *n, uint32_t number) { return n->sets + (5 + 2 * number) * n->words; }
static inline size_t set_words(const sim_node *n, uint32_t channels) {
  const uint32_t vcs = n->ports * channels;
  return n->words * (4 + 2 * (size_t)(vcs > n->queues ? vcs : n->queues));
}
/* The i-th packet of a queue, from its head. */
static inline const sim_slot *slot_of(const shape *s, const queue *q, uint32_t i) {
  uint32_t at = q->head + i;
  return &s->slot[q->slot + (at < s->ring ? at : at - s->ring)];
}
static inline packet *head_of(const part *t, const queue *q) {
  return &t->packet[t->shape.slot[q->slot + q->head].packet];
}

/* The list of free rows: t->free_packets from t->free_packet on. */
static inline uint32_t next_free(const part *t, uint32_t index) { return t->packet[index].number; }
/* Rows that are not in use. */
static inline uint32_t free_rows(const part *t) { return t->free_packets + t->unused_packets; }

/* A state of the arbiter for each output port, arbiter_bytes each. open.c */
uint8_t *new_arbiter_states(ripstop_arena *arena, const shape *s);

/* Fails the run because a rule was broken at this place in the present cycle. Returns where to write the message, or
 * NULL if an earlier failure (by cycle, node, queue) has one. run.c */
ripstop_error *run_fail(run *r, uint32_t node, uint32_t number);
/* The same for a failure without a place. */
void run_give_up(run *r, const ripstop_error *why);
static inline bool run_failed(const run *r) {
  for (uint32_t i = 0; i < r->shape->parts; i++)
    if (r->part[i].failure.cycle != RIPSTOP_NONE) return true;
  return false;
}
static inline part *part_of(run *r, uint32_t node) { return &r->part[r->shape->owner[node]]; }
/* The number of a stream among the random sources, which may have fewer classes than agents; RIPSTOP_NONE: none. */
static inline uint32_t source_stream(const run *r, uint32_t stream) {
  uint32_t classes = ripstop_sources_classes(r->sources), class_ = stream % r->shape->classes;
  return class_ < classes ? stream / r->shape->classes * classes + class_ : RIPSTOP_NONE;
}

/* The first failure of all parts; its cycle is RIPSTOP_NONE without one. */
const first_failure *run_first_failure(const run *r);
/* Copies the first failure into `err`; returns -1. */
int run_report(const run *r, ripstop_error *err);
/* The first loss of all parts; its cycle is RIPSTOP_NONE without one. */
const first_loss *run_first_loss(const run *r);
/* Events of all parts so far, and links taken between switches. */
uint64_t run_events(const run *r);
uint64_t run_hops(const run *r);
/* The run was deadlocked, failed, or reached its last cycle. */
static inline bool run_ended(const run *r) { return r->deadlocked || run_failed(r) || r->part->now >= r->end; }
/* The present cycle ends with a search for deadlocks: every measure.check cycles and in the last one. */
bool is_look(const run *r);

#endif
