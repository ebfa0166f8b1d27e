/* state.h - the engine's data, in three structs and flat arrays by index.
 *
 *   shape  what is constant while a run lasts: sizes, delays, and where the rows of nodes, queues, candidates and
 * outputs are part   what works on a set of nodes: its clock, wheel, free packets, scratch and sums, and outboxes for
 * events of other parts' nodes. Each part has a copy of the shape and of the hooks, so that what every event asks is
 * one load away run    what the parts have in common: fabric, view, plan, sources, features, and how long it lasts
 *
 * A row belongs to one node and is written by that node's part alone: while parts work side by side, for plain cycles
 * (threads.c). What is not plain (a change of the fabric, a search for deadlocks) is done for all parts by one thread.
 * A packet's row belongs to the part that it is in, or on its way to.
 *
 * Indices
 *   node    as in the fabric: end nodes first. An end node's row is its network interface (the sending side).
 *   queue   an input queue. Queues 0 .. streams-1 belong to the network interfaces (end node x classes + class); then
 *           those of the switches: streams + (input port - ends) x stride + channel.
 *   output VC    output port x channels + channel: the sender's view of the queue that a channel leads to.
 * A node's queues, a port's output VCs and a node's ports are contiguous.
 *
 * A large fabric's time goes to fetching memory, so rows are as narrow as they can be, start at cache lines, and have
 * together what is touched together.
 *
 * Invariants between two cycles
 *   - A queue is EMPTY, WAITING (its head has candidates or a loss, and may move), HELD (its head has to wait until the
 *     protocol has candidates for it) or LEAVING (its head is granted).
 *   - An output VC's set `wanting` has a queue's bit exactly if that queue is listed and one of its head's candidates
 * is the output VC.
 *   - An output VC is in its node's `shut` set exactly if its link is busy or there is no room behind it.
 *   - A queue is in its node's `busy` set exactly if a packet of a queue on its crossbar side is LEAVING.
 *   - A WAITING head outside `dirty` is listed and cannot move: all its candidates were shut, or its crossbar side was
 * busy, when it was last tried or became the head. Whatever opens a way of a listed head, or frees its side, marks it
 *     dirty. A head that goes on at once is never listed.
 *   - A packet is owned by one slot, one arrival or one delivery at a time beyond the queue it is leaving. */
#ifndef SIMULATE_STATE_H
#define SIMULATE_STATE_H

#include <assert.h>

#include "base/random.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/selection.h"
#include "ripstop/simulate.h"
#include "simulate/hooks.h"
#include "simulate/measure.h"
#include "simulate/source.h"
#include "simulate/wheel.h"

typedef struct packet {
  uint64_t header; /* the method's word */
  uint32_t source;
  uint32_t destination : 26;       /* an end node: fewer than RIPSTOP_FABRIC_MAX_PORTS */
  uint32_t class_ : 3;             /* fewer than RIPSTOP_CLASSES_MAX */
  uint32_t marks : 2;              /* RIPSTOP_MARK_* */
  uint32_t truncated : 1;          /* lost already, and counted; what remains is discarded */
  uint32_t number;                 /* in its stream; of a free row: the next one */
  uint32_t generated_at, injected; /* cycles */
  uint16_t flits;
  uint16_t hops; /* links taken */
} packet;
static_assert(sizeof(packet) == 32, "half a cache line");

typedef struct sim_slot {
  uint32_t packet;
  uint32_t arrived; /* cycle in which the head came off the link */
} sim_slot;

/* Ways of one head that are alike but for their output VCs: most heads have one such set, or two, however many ways. A
 * head's bundles, and in each the output VCs by number, are in the order in which the method has proposed its
 * candidates. */
typedef struct bundle {
  uint64_t vcs;    /* those 64 word .. 64 word + 63 of the node */
  uint64_t header; /* this and what follows `word` as in ripstop_candidate */
  struct bundle *next;
  uint32_t word;
  uint8_t rank;
  uint8_t space : 4, marks : 4;
  uint16_t weight;
} bundle;
static_assert(sizeof(bundle) == 32, "half a cache line");

enum { EMPTY, LEAVING, WAITING, STALLED };
#define NO_PORT UINT16_MAX
enum { FED_BY_CONTROL = UINT8_MAX }; /* more than there are parts */

typedef struct queue {
  uint32_t node;
  uint32_t upstream;     /* output VC that feeds it (switch queues) */
  uint32_t slot;         /* first of its ring */
  uint16_t head, length; /* of the ring of shape.ring packets */
  uint16_t flits;        /* of the head, unless EMPTY; a LEAVING head may be delivered and gone already */
  uint16_t number;       /* in its node */
  uint16_t in_port;      /* local */
  uint16_t last_port;    /* local output port of the last grant, for selection: rotate; NO_PORT at first */
  uint16_t side, mates;  /* number of the first queue that shares its crossbar side; as many bits as do */
  uint8_t channel;
  uint8_t state;
  uint8_t feeder; /* the part that sends into it; FED_BY_CONTROL: none does, control packets start in it */

  bundle candidates; /* of the head; those behind the first are of part.spare. No output VCs: it is to be discarded
                        (loss_of) */
} queue;
static_assert(sizeof(queue) == 64, "a cache line");

typedef struct sim_node {
  uint64_t *sets;       /* shut_vcs, dirty_queues, and so on: each of `words` */
  const int32_t *room;  /* [output VCs]: free units of what they lead into: of shape.space, or a feature has its own */
  uint32_t queue, port; /* the first of its own */
  uint16_t queues, ports; /* how many */
  uint16_t words;         /* 64-bit words of a set of its queues, or of its output VCs */
  uint8_t side_heads;     /* queues that share a crossbar side */
  bool awake;             /* it is in `active` */
} sim_node;
static_assert(sizeof(sim_node) == 32 || sizeof(void *) < 8, "half a cache line");

/* An output port with a cable. */
typedef struct output {
  uint32_t busy;  /* the link (with output queues: the crossbar's side) is busy until that cycle */
  uint32_t node;  /* whose it is */
  uint32_t next;  /* the end node at the other end, or the first of the queues there */
  uint16_t local; /* number on its node */
  bool to_end;    /* which of the two */
  uint8_t part;   /* of the node at the other end */
  uint32_t flits; /* sent in the measured cycles, of which there are fewer than it can count */
  uint32_t turn;  /* the arbiter's state, if it has room here (shape.arbiter_state) */
} output;
static_assert(sizeof(output) == 24, "what a grant needs of its port");

typedef struct shape {
  const ripstop_fabric *fabric;
  /* sizes and delays */
  uint32_t ends; /* of the fabric */
  uint32_t channels, classes, streams, queues, candidates_max;
  uint32_t
      stride; /* input queues of a switch's port: channels, and one more for control packets to be sent (inband.c) */
  uint32_t link, pipeline, credit; /* D, R, K */
  uint32_t near, far;              /* the shortest D of links between parts, the longest of all */
  const uint16_t *reach;           /* [ports]: D of links; NULL: all have the same */
  uint32_t shortest, longest;      /* packets, control packets among them, in flits */
  int32_t bubble;                  /* units that a way of space 2 demands beyond the packet's own */
  uint64_t per_channel;            /* 2^32 / channels, rounded up: port_of_vc */
  uint64_t first_vcs;              /* 0 and every so many channels: bits */
  bool unit_flits;
  bool roomiest;         /* ripstop_selection.roomiest */
  bool exhausted;        /* switch.escape */
  bool credits;          /* else XON/XOFF */
  uint8_t plain_space;   /* a way may ask for so much space (1 or 2) here, whatever the packet */
  uint8_t sure_space;    /* and where it asks for so much (0 or 1) the output VCs that are not shut are open to it */
  int32_t ample_space;   /* units of an output VC with which no head waits for more */
  uint32_t ring;         /* packets that fit into an input queue */
  int32_t capacity;      /* units of an input queue */
  int32_t room_capacity; /* of what a switch's candidates lead into */
  uint32_t
      candidates_kept; /* candidates_max, or 0: a head binds itself to one way at once (ripstop_plan.choose_early) */
  uint32_t draws;      /* ripstop_plan.draws */
  uint32_t places;     /* of slow queues, in packets, and of those to switches; 0: there are none. slow.c */
  uint32_t places_on;
  uint32_t parts;       /* of the run */
  uint32_t window;      /* cycles after which they meet, at most */
  const uint8_t *owner; /* [nodes]: its part */
  uint64_t seed;
  ripstop_random_keys ties; /* of the seed's choices */
  /* rows */
  sim_node *node;
  queue *queue;
  sim_slot *slot;
  output *output;   /* [ports] */
  int32_t *space;   /* [output VCs]: free units of the next input queue, as the sender knows it */
  uint16_t *rate;   /* [ports]: of the link (ripstop_view_rate); NULL: no link is slow in this run. slow.c */
  int32_t *room;    /* [output VCs]: sim_node.room of all switches */
  uint64_t *enters; /* [nodes * enters_words]: the queues that a network interface sends into, for arbiters */
  uint32_t enters_words;
  /* selection and arbitration */
  const ripstop_selection *selection;
  const void *selection_config;
  const ripstop_arbiter *arbiter;
  const void *arbiter_config;
  size_t arbiter_bytes;
  bool weighs, turns;     /* the arbiter does; `turns`: its state is output.turn */
  bool urgent;            /* ripstop_agent.urgent, of any */
  uint8_t *arbiter_state; /* of what heads are granted: one each arbiter_step bytes for the ports */
  size_t arbiter_step;
} shape;

enum { PARTS_MAX = 64 };

/* A packet that the method has no way for: the first is the run's witness, by (cycle, node, queue). */
typedef struct first_loss {
  uint32_t cycle, queue; /* RIPSTOP_NONE: there is none; queues are in the order of their nodes */
  char text[4 * RIPSTOP_NAME_MAX];
} first_loss;

/* A method or an agent broke a rule: the run's error is the first by (cycle, step of the cycle, node, queue). */
typedef struct first_failure {
  uint32_t cycle, step, node, queue; /* cycle: RIPSTOP_NONE: there is none; step: 1 in decisions */
  ripstop_error error;
} first_failure;

typedef struct ripstop_simulation run;

/* The way that a queue's head asks for in this round. */
typedef struct head_request {
  const bundle *candidates;
  uint32_t vc; /* of the node */
} head_request;

typedef struct part {
  shape shape;
  hooks hook;
  run *run;
  uint32_t number;          /* of this part */
  uint32_t streams, queues; /* of its nodes; queues with those of the streams */
  bool decides;             /* it is in the decisions of the cycle */
  bool grants_apart;        /* links are slow or have delays of their own, or packets are marked (core.c) */
  first_failure failure;    /* at its nodes */

  uint32_t now; /* cycle */
  wheel wheel;
  outbox *outbox;                               /* [parts], of the present window; NULL: there is one part */
  outbox *outboxes[2];                          /* of even and of odd windows */
  uint32_t window;                              /* threads.c; the same in all parts when they meet */
  uint32_t *active, *active_next, active_count; /* nodes that decide this cycle; the other list */

  packet *packet;                         /* [run->packets], those of all parts */
  uint32_t free_packet, free_packets;     /* the first of so many rows that were in use: a list, packet.number */
  uint32_t unused_packet, unused_packets; /* after them, those that never were and have no memory yet: so many */
  ripstop_source *source;     /* [streams]: the packet after the one in the interface; of all parts, as all rows */
  uint8_t *generation_posted; /* [streams]: a BIRTH event is pending */

  bundle *spare;  /* a list: bundles that were in use */
  bundle *unused; /* after them, those that never were: so many */
  uint32_t unused_bundles;
  ripstop_arena *more; /* for bundles beyond those of the start (bundles.c) */

  ripstop_candidate *candidate; /* [candidates_max]: scratch, what a method answers */
  /* scratch of a decision */
  uint64_t *contender, *fresh, *discarded; /* queues: that may get an output yet, that are not listed, whose heads are
                                              discarded */
  uint64_t *request, *requested;           /* queues per output; outputs asked */
  uint8_t *request_channel;                /* [queues of a node], for arbiters that weigh */
  uint16_t *request_flits;
  ripstop_requests requests;  /* what the arbiter is shown */
  head_request *head_request; /* [queues of a node] */

  measure measure;
  first_loss first_loss;

  /* features of this part; NULL without them */
  struct out_queues *out_queues;
  struct slow_queues *slow_queues;
  struct words *words;
  struct transit_packets *transit_packets;
} part;

struct ripstop_simulation {
  const ripstop_scenario *config; /* &scenario */
  ripstop_scenario scenario;      /* a copy; texts are only read when the run is opened */
  const ripstop_fabric *fabric;
  ripstop_arena *arena;
  const ripstop_plan *plan; /* the present one and its view: the caller's until the fabric changes, then own */
  const ripstop_view *view;
  ripstop_plan *own_plan; /* NULL: not yet */
  ripstop_view *own_view;
  ripstop_sources *sources; /* NULL where all end nodes are played */
  part *part;               /* [shape->parts]; what is not any part's work is done by the first */
  const shape *shape;       /* that of the parts */
  uint32_t packets;         /* rows */
  uint32_t threads;         /* that have worked in the last call: fewer than parts where the system gave no more */

  uint32_t end;   /* the run ends before this cycle */
  bool keeps_own; /* own_plan and own_view have outlived the call that made them */
  size_t bytes;   /* at the start */
  double seconds; /* processor time of the loop so far */
  bool begun, deadlocked;
  bool finished;               /* an agent has ended it */
  size_t next_change, changes; /* of the schedule, and those that agents ask for */
  const ripstop_change *change;
  struct changes *schedule;
  ripstop_source
      *seen; /* [streams]: as far as those who look have counted generations (look.c); NULL: nobody has looked */

  const char *witness; /* of a deadlock */
  uint8_t *stuck;      /* scratch of live_deadlock.c: [queues] */
  uint8_t *out_stuck;  /* [output VCs], with output queues */
  int32_t *incoming;   /* [queues] */

  /* features of the whole run; NULL without them */
  struct control *control;       /* the method's protocol */
  struct inband *inband;         /* its messages that travel as packets */
  struct watcher *watcher;       /* of its promises */
  struct stop *stop;             /* the static reaction */
  struct agents *agents;         /* end nodes that answer */
  measure *goods;                /* packets that an agent with an account generates and receives; results are of them */
  struct marks *marks;           /* of their packets */
  struct deliveries *deliveries; /* for somebody who hears of them */
  struct losses *losses;         /* one by one, in a list */
};

static inline uint64_t bit(uint32_t number) { return UINT64_C(1) << (number & 63); }
/* Of a set of so many words, the `count` members from `first` on, fewer than 64, which may be in two words: which there
 * are, the first as bit 0; add them all; take them out. */
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
static inline void take_some(uint64_t *set, uint32_t words, uint32_t first, uint32_t count) {
  const uint64_t all = bit(count) - 1;
  set[words == 1 ? 0 : first / 64] &= ~(all << (first & 63));
  if (words > 1 && (first & 63) + count > 64) set[first / 64 + 1] &= ~(all >> (64 - (first & 63)));
}
static inline int32_t units(const shape *s, uint32_t flits) { return s->unit_flits ? (int32_t)flits : 1; }
static inline int32_t units_of(const shape *s, const packet *p) { return units(s, p->flits); }
/* The space that a packet of this length requests on a candidate of this space (ripstop_candidate). */
static inline int32_t units_needed(const shape *s, uint32_t flits, uint32_t space) {
  return space == 1 ? units(s, flits) : units(s, flits) + s->bubble;
}
static inline uint32_t queue_of_port(const shape *s, uint32_t port, uint32_t channel) {
  return s->streams + (port - s->fabric->ends) * s->stride + channel;
}
static inline bool is_interface(const shape *s, uint32_t node) { return node < s->ends; }
static inline uint32_t index_of(const shape *s, const queue *q) { return (uint32_t)(q - s->queue); }
static inline bool any_candidate(const queue *q) { return q->candidates.vcs != 0; }
/* The first output VC of a set of them, in a node. */
static inline uint32_t first_vc(const bundle *b, uint64_t vcs) {
  return 64u * b->word + (uint32_t)__builtin_ctzll(vcs);
}
/* output VC / channels, for output VCs of a node or of the fabric: fewer than 2^28, and channels are few. */
static inline uint32_t port_of_vc(const shape *s, uint32_t vc) { return (uint32_t)(vc * s->per_channel >> 32); }
/* The head is there and has not been granted anything. */
static inline bool is_waiting(const queue *q) { return q->state >= WAITING; }
/* A control packet. It is truncated from the start: no measure counts it, and the switch that it comes to discards it.
 */
static inline bool is_control(const packet *p) { return p->source == RIPSTOP_NONE; }
static inline uint64_t serial_of(const shape *s, const packet *p) {
  return (uint64_t)p->number * s->streams + (uint64_t)p->source * s->classes + p->class_;
}
/* Why a head without candidates is to be discarded, RIPSTOP_LOST_*: it stands where its first way would. */
static inline uint32_t loss_of(const queue *q) { return q->candidates.rank; }
static inline void set_loss(queue *q, uint32_t cause) { q->candidates.rank = (uint8_t)cause; }
/* The sets of a node, in this order. Of output VCs: those that are shut. */
static inline uint64_t *shut_vcs(const sim_node *n) { return n->sets; }
/* Of queues: those whose heads are to be tried. */
static inline uint64_t *dirty_queues(const sim_node *n) { return n->sets + n->words; }
/* Those whose crossbar side is taken, until the packet that has it has left. */
static inline uint64_t *busy_queues(const sim_node *n) { return n->sets + 2u * n->words; }
/* Those whose heads have to wait, and are found by what lets them go on. */
static inline uint64_t *listed_queues(const sim_node *n) { return n->sets + 3u * n->words; }
/* The queues that want this output VC of the node; a set for each output VC. In turns with them, a set for each
 * queue: the output VCs that its head wants, as long as it is listed. So what comes in by a port and what leaves by it
 * are near. */
static inline uint64_t *wanting(const sim_node *n, uint32_t vc) { return n->sets + (4 + 2 * vc) * n->words; }
static inline uint64_t *wanted(const sim_node *n, uint32_t number) { return n->sets + (5 + 2 * number) * n->words; }
static inline size_t set_words(const sim_node *n, uint32_t channels) {
  const uint32_t vcs = n->ports * channels;
  return n->words * (4 + 2 * (size_t)(vcs > n->queues ? vcs : n->queues));
}
/* The i-th packet of a queue, its head first. */
static inline const sim_slot *slot_of(const shape *s, const queue *q, uint32_t i) {
  uint32_t at = q->head + i;
  return &s->slot[q->slot + (at < s->ring ? at : at - s->ring)];
}
static inline packet *head_of(const part *t, const queue *q) {
  return &t->packet[t->shape.slot[q->slot + q->head].packet];
}

/* The list of free rows: t->free_packets from t->free_packet on. */
static inline uint32_t next_free(const part *t, uint32_t index) { return t->packet[index].number; }
/* Those that are in nobody's use. */
static inline uint32_t free_rows(const part *t) { return t->free_packets + t->unused_packets; }

/* A state of the arbiter for each output port, arbiter_bytes each. open.c */
uint8_t *new_arbiter_states(ripstop_arena *arena, const shape *s);

/* A rule has been broken at this place in the present cycle: the run has failed. Returns where to say what it is, or
 * NULL when an earlier one (by cycle, node, queue) has been told. run.c */
ripstop_error *run_fail(run *r, uint32_t node, uint32_t number);
/* The same for what has no place. */
void run_give_up(run *r, const ripstop_error *why);
static inline bool run_failed(const run *r) {
  for (uint32_t i = 0; i < r->shape->parts; i++)
    if (r->part[i].failure.cycle != RIPSTOP_NONE) return true;
  return false;
}
static inline part *part_of(run *r, uint32_t node) { return &r->part[r->shape->owner[node]]; }
/* The number that a stream has among the random sources, which may have fewer classes than agents; RIPSTOP_NONE: it is
 * none of them. */
static inline uint32_t source_stream(const run *r, uint32_t stream) {
  uint32_t classes = ripstop_sources_classes(r->sources), class_ = stream % r->shape->classes;
  return class_ < classes ? stream / r->shape->classes * classes + class_ : RIPSTOP_NONE;
}

/* The first of all parts; its cycle is RIPSTOP_NONE where there is none. */
const first_failure *run_first_failure(const run *r);
/* Says why it has failed; -1. */
int run_report(const run *r, ripstop_error *err);
/* The first of all parts; its cycle is RIPSTOP_NONE where there is none. */
const first_loss *run_first_loss(const run *r);
/* Events of all parts so far, and links taken between switches. */
uint64_t run_events(const run *r);
uint64_t run_hops(const run *r);
/* It was deadlocked, failed, or has reached its last cycle. */
static inline bool run_ended(const run *r) { return r->deadlocked || run_failed(r) || r->part->now >= r->end; }
/* Whether the present cycle ends with a search for deadlocks: every measure.check cycles and the last. */
bool is_look(const run *r);

#endif
