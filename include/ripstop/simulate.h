/* simulate.h - what faults cost: packet-level virtual cut-through, exact to the flit (docs/model.md states the rules).
 *
 * One call simulates one plan under one schedule and returns numbers with units, a verdict and the packet account. No
 * globals: any number of simulations can run in one process at once. */
#ifndef RIPSTOP_SIMULATE_H
#define RIPSTOP_SIMULATE_H

#include "ripstop/plan.h"

#define RS_SIZES_MAX 8 /* different packet sizes */

typedef enum rs_flow { RS_FLOW_CREDITS, RS_FLOW_XONXOFF } rs_flow;
typedef enum rs_unit { RS_UNIT_PACKETS, RS_UNIT_FLITS } rs_unit;
typedef enum rs_choice { RS_CHOICE_SPACE, RS_CHOICE_RANDOM, RS_CHOICE_FIRST, RS_CHOICE_ROTATE } rs_choice;

/* The switch; its options are the keys of `switch:` in an experiment. */
typedef struct rs_switch_config {
  int64_t in_queue;    /* space of each input queue (port and channel) */
  int64_t out_queue;   /* space of each output queue; 0: none, packets go from input queue to link */
  int32_t unit;        /* rs_unit of both */
  int32_t flow;        /* rs_flow */
  int64_t xoff, xon;   /* XOFF when less than xoff units are free, XON when at least xon are again */
  int64_t pipeline;    /* cycles from a head's arrival to its first decision */
  int64_t link;        /* cycles a flit needs for a link */
  int64_t credit;      /* cycles until the sender knows of freed space */
  int32_t choice;      /* rs_choice: among the permitted ways of lowest rank that have space */
  const char *arbiter; /* "round-robin", "weighted:shares=1/35/54/10" */
} rs_switch_config;
extern const rs_option rs_switch_options[];

/* The traffic; keys of `traffic:`. */
typedef struct rs_traffic_config {
  const char *pattern; /* "uniform", "hotspot:end=5,share=0.2" */
  const char *process; /* "bernoulli", "poisson", "periodic", "on-off:on=200,off=600" */
  double load;         /* offered, flits per end node and cycle */
  const char *packet;  /* sizes in flits with their shares of the packets: "16", "3:0.8/19:0.2" */
  const char *classes; /* shares of the offered packets: "1", "0.40/0.35/0.25" */
} rs_traffic_config;
extern const rs_option rs_traffic_options[];

/* What is measured and when; keys of `measure:`. */
typedef struct rs_measure_config {
  const char *warmup; /* cycles, or "auto" */
  int64_t cycles;     /* measured cycles after the warm-up */
  int64_t batches;    /* batches of the batch-means intervals */
  double confidence;  /* of every interval, e.g. 0.95 */
  int64_t window;     /* cycles per point of the time series; 0: none */
  int64_t check;      /* cycles between two searches for a deadlock in the live buffers */
  bool affected;      /* undisturbed packets are told apart: affected, unaffected (docs/model.md, "Kinds of packet") */
} rs_measure_config;
extern const rs_option rs_measure_options[];

/* What happens when the fabric changes (docs/model.md, "Stops"); keys of `reaction:`. All zero: nothing but that the
 * plan is compiled anew at once. */
typedef enum rs_reaction { RS_REACTION_DYNAMIC, RS_REACTION_STATIC } rs_reaction;
typedef enum rs_drain { RS_DRAIN_DELIVER, RS_DRAIN_DISCARD } rs_drain;
typedef struct rs_reaction_config {
  int32_t model;     /* rs_reaction; the rest is for static */
  int32_t drain;     /* rs_drain: what becomes of the packets in the network */
  int64_t detect;    /* cycles from the change until all network interfaces have stopped */
  int64_t recompute; /* cycles from the empty network to the new plan */
  int64_t resume;    /* cycles from the new plan until network interfaces go on */
} rs_reaction_config;
extern const rs_option rs_reaction_options[];

/* ------------------------------------------------------------------ end nodes that answer
 * In place of traffic from random sources: whoever plays the end nodes is called when packets arrive, are lost, and
 * when alarms ring, and sends. All calls come in the one thread of the simulation, and their order depends on the
 * simulation alone: at the end of a cycle's arrivals step first deliveries, by end node; then losses, by sender, class
 * and order of sending; then alarms, in the order in which they were set. Packets sent in a cycle are in their
 * interface's queue in that cycle's decisions; an interface keeps any number and sends those of one class in order.
 *
 * A loss is told in the cycle in which a part of the fabric took the packet with it; one that a switch's decision or a
 * call brought about, in the next. Packets sent by an end node whose switch is dead are lost at once. */

typedef struct rs_io rs_io; /* the simulation, as the end nodes see it */

typedef struct rs_letter {      /* a packet */
  uint32_t source, destination; /* end nodes; not the same */
  uint32_t class_;              /* below rs_players.classes */
  uint32_t flits;
  uint64_t tag; /* the sender's own */
} rs_letter;

typedef struct rs_players {
  uint32_t classes;           /* of packets, 1 to RS_CLASSES_MAX */
  uint32_t shortest, longest; /* flits of the packets that will be sent, 1 to 4096 */
  /* Each may be NULL. `letter` lives during the call. */
  void (*start)(void *context, rs_io *io); /* before cycle 0 */
  void (*delivered)(void *context, rs_io *io, const rs_letter *letter);
  void (*lost)(void *context, rs_io *io, const rs_letter *letter);
  void (*alarm)(void *context, rs_io *io, uint64_t alarm);
  void *context;
} rs_players;

/* To be called from within the calls above only. What they cannot do, such as a letter to an end node that is not there
 * or an alarm for the present cycle, ends the run with an error. */
uint64_t rs_io_now(const rs_io *io);                         /* cycle */
void rs_io_send(rs_io *io, const rs_letter *letter);         /* copied; its latency counts from now on */
void rs_io_alarm(rs_io *io, uint64_t cycle, uint64_t alarm); /* `cycle` lies ahead: from `start`, 0 does */
/* A part fails or comes back at the start of the next cycle; change->cycle does not count. It is in the other state,
 * and nothing else happens to it in that cycle. */
void rs_io_change(rs_io *io, const rs_change *change);
void rs_io_finish(rs_io *io); /* the run ends after this cycle, whatever measure.cycles says */

typedef struct rs_simulation {
  const rs_fabric *fabric;
  const char *method;          /* method spec */
  const rs_faults *faults;     /* dead from the start; may be NULL */
  const rs_schedule *schedule; /* changes while it runs; may be NULL */
  rs_switch_config switch_;
  rs_traffic_config traffic;
  const rs_players *players; /* in place of traffic, of which then nothing counts; may be NULL */
  rs_measure_config measure;
  rs_reaction_config reaction;
  uint64_t seed;
  const atomic_int *stop; /* when it becomes non-zero the simulation gives up; may be NULL */
  /* Called with every delivered packet, in order of delivery cycle; may be NULL. For tests and tools. */
  void (*on_delivery)(void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t born,
                      uint64_t delivered);
  void *context;
} rs_simulation;

typedef enum rs_verdict { RS_STEADY, RS_SATURATED, RS_DEADLOCKED, RS_DISCONNECTED } rs_verdict;
extern const char *const rs_verdict_words[];

/* A number with its unit; `half` is the half-width of its confidence interval, NAN when it has none. */
typedef struct rs_value {
  const char *name, *unit;
  double value, half;
} rs_value;

/* Why a packet was lost; the causes from RS_LOST_METHOD on are the method's own (rs_method.losses). RS_LOST_DRAIN: it
 * was in the network when a stop emptied it. */
enum { RS_LOST_LINK, RS_LOST_SWITCH, RS_LOST_DRAIN, RS_LOST_METHOD };

typedef struct rs_account { /* packets, over the whole run, warm-up included */
  uint64_t generated, delivered, in_flight, waiting, lost;
} rs_account;

typedef struct rs_window {                       /* one point of the time series */
  uint64_t cycle;                                /* its first */
  uint64_t generated, injected, delivered, lost; /* packets */
  uint64_t delivered_flits;
  double latency; /* mean of the delivered packets, cycles; NAN without any */
} rs_window;

typedef struct rs_result {
  rs_verdict verdict;
  const char *witness; /* deadlocked: the cycle of queues and packets; disconnected: an example; else NULL */
  rs_account account;
  size_t values, windows;
  const rs_value *value;
  const rs_window *window;
  uint64_t cycles; /* simulated, warm-up included */
  uint64_t hops;   /* switch-to-switch hops granted, for speed figures */
  uint64_t events;
  size_t bytes;   /* memory of the engine at its start, all that it ever has but for players' letters */
  double seconds; /* processor time of the event loop */
  rs_arena *arena;
} rs_result;

/* Whether the method is for this fabric, its faults and the reaction: "does not apply" is an answer, and not an error.
 */
rs_answer rs_simulate_applies(const rs_simulation *simulation, rs_error *err);
/* All checks that rs_simulate makes before the first cycle, and nothing more. */
int rs_simulate_check(const rs_simulation *simulation, rs_error *err);
/* Checks every option before anything is built. On success the caller frees the result with rs_result_free. */
int rs_simulate(const rs_simulation *simulation, rs_result *result, rs_error *err);
void rs_result_free(rs_result *result);
double rs_result_value(const rs_result *result, const char *name); /* NAN: no such value */

/* ------------------------------------------------------------------ a deadlock, loaded */

typedef struct rs_standstill {
  uint64_t packets; /* put into the queues */
  uint64_t events;  /* that came of it; 0: nothing moved */
  bool exact;       /* the search of the live buffers found a deadlock of these queues and no others */
} rs_standstill;

/* Fills each queue with as many copies of its packet (of the shortest size of simulation->traffic) as it holds, output
 * queues before it too, and runs `cycles` cycles without any source. What simulation->traffic.load and .classes,
 * measure and schedule say does not count. A protocol falls silent first. Where packets settle early, each is one that
 * settles on a way into the set. -1: a queue that is not there or is named twice, a plan that does not apply,
 * impossible options. */
int rs_simulate_standing(const rs_simulation *simulation, const rs_standing *standing, uint32_t count, uint64_t cycles,
                         rs_standstill *out, rs_error *err);

/* ------------------------------------------------------------------ plug-ins: patterns and arbiters, one file each */

/* Where packets go. */
typedef struct rs_pattern {
  uint32_t abi;
  const char *name, *summary;
  const rs_option *options;
  size_t config_size;
  /* Refuses fabrics that it is not defined for (bit patterns need 2^b end nodes); may leave a table for `destination`.
   */
  int (*prepare)(rs_arena *arena, const rs_fabric *fabric, const void *config, uint64_t seed, const void **table,
                 rs_error *err);
  /* An end node, or RS_NONE: this source is silent in this pattern. `random` is one uniform 64-bit word. */
  uint32_t (*destination)(const rs_fabric *fabric, const void *config, const void *table, uint32_t source,
                          uint64_t random);
} rs_pattern;
#define RS_PATTERN_ABI 1
extern const rs_pattern *const rs_patterns[]; /* generated */

/* Who wins an output. Requests are bits over the node's input queues (queue = local in port * channels + channel). */
typedef struct rs_requests {
  const uint64_t *bits; /* at least one bit is set */
  uint32_t words;
  const uint8_t *channel; /* [queue]: the output channel that it asks for */
  const uint16_t *flits;  /* [queue]: length of the packet that asks */
} rs_requests;

typedef struct rs_arbiter {
  uint32_t abi;
  const char *name, *summary;
  const rs_option *options;
  size_t config_size;
  int (*check)(const void *config, uint32_t channels, rs_error *err); /* may be NULL */
  size_t (*state_size)(const void *config, uint32_t channels);        /* bytes per output port */
  void (*init)(const void *config, uint32_t channels, void *state);
  /* The winner; the pick is final. */
  uint32_t (*pick)(const void *config, void *state, const rs_requests *requests);
} rs_arbiter;
#define RS_ARBITER_ABI 1
extern const rs_arbiter *const rs_arbiters[]; /* generated */

#endif
