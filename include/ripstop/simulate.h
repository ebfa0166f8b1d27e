/* simulate.h - what faults cost: packet-level virtual cut-through, exact to the flit (docs/model.md states the rules).
 *
 * One call simulates one plan under one schedule and returns numbers with units, a verdict and the packet account. The
 * plan is the caller's, and only looked at; from the first change of the fabric on a simulation goes on with a view and
 * a plan of its own. No globals: any number of simulations can run in one process at once, all of one plan if need be.
 */
#ifndef RIPSTOP_SIMULATE_H
#define RIPSTOP_SIMULATE_H

#include "ripstop/plan.h"

RIPSTOP_BEGIN

#define RIPSTOP_SIZES_MAX 8 /* different packet sizes */

typedef enum ripstop_flow { RIPSTOP_FLOW_CREDITS, RIPSTOP_FLOW_XONXOFF } ripstop_flow;
typedef enum ripstop_unit { RIPSTOP_UNIT_PACKETS, RIPSTOP_UNIT_FLITS } ripstop_unit;

/* The switch; its options are the keys of `switch:` in an experiment. */
typedef struct ripstop_switch_config {
  int64_t in_queue;    /* space of each input queue (port and channel) */
  int64_t out_queue;   /* space of each output queue; 0: none, packets go from input queue to link */
  int32_t unit;        /* ripstop_unit of both */
  int32_t flow;        /* ripstop_flow */
  int64_t xoff, xon;   /* XOFF when less than xoff units are free, XON when at least xon are again */
  int64_t pipeline;    /* cycles from a head's arrival to its first decision */
  int64_t link;        /* cycles a flit needs for a link */
  int64_t credit;      /* cycles until the sender knows of freed space */
  const char *choice;  /* "space", "weighted": among the permitted ways of lowest rank that have space */
  const char *arbiter; /* "round-robin", "weighted:shares=1/35/54/10" */
} ripstop_switch_config;
extern const ripstop_option ripstop_switch_options[];

/* The traffic; keys of `traffic:`. */
typedef struct ripstop_traffic_config {
  const char *pattern; /* "uniform", "hotspot:end=5,share=0.2" */
  const char *process; /* "bernoulli", "poisson", "periodic", "on-off:on=200,off=600" */
  double load;         /* offered, flits per end node and cycle */
  const char *packet;  /* sizes in flits with their shares of the packets: "16", "3:0.8/19:0.2" */
  const char *classes; /* shares of the offered packets: "1", "0.40/0.35/0.25" */
} ripstop_traffic_config;
extern const ripstop_option ripstop_traffic_options[];

/* What is measured and when; keys of `measure:`. */
typedef struct ripstop_measure_config {
  const char *warmup; /* cycles, or "auto" */
  int64_t cycles;     /* measured cycles after the warm-up */
  int64_t batches;    /* batches of the batch-means intervals */
  double confidence;  /* of every interval, e.g. 0.95 */
  int64_t window;     /* cycles per point of the time series; 0: none */
  int64_t check;      /* cycles between two searches for a deadlock in the live buffers */
  bool affected;      /* undisturbed packets are told apart: affected, unaffected (docs/model.md, "Kinds of packet") */
} ripstop_measure_config;
extern const ripstop_option ripstop_measure_options[];

/* What happens when the fabric changes (docs/model.md, "Stops"); keys of `reaction:`. All zero: nothing but that the
 * plan is compiled anew at once. */
typedef enum ripstop_reaction { RIPSTOP_REACTION_DYNAMIC, RIPSTOP_REACTION_STATIC } ripstop_reaction;
typedef enum ripstop_drain { RIPSTOP_DRAIN_DELIVER, RIPSTOP_DRAIN_DISCARD } ripstop_drain;
typedef struct ripstop_reaction_config {
  int32_t model;     /* ripstop_reaction; the rest is for static */
  int32_t drain;     /* ripstop_drain: what becomes of the packets in the network */
  int64_t detect;    /* cycles from the change until all network interfaces have stopped */
  int64_t recompute; /* cycles from the empty network to the new plan */
  int64_t resume;    /* cycles from the new plan until network interfaces go on */
} ripstop_reaction_config;
extern const ripstop_option ripstop_reaction_options[];

/* ------------------------------------------------------------------ end nodes that answer
 * In place of traffic from random sources: whoever plays the end nodes is called when packets arrive, are lost, and
 * when alarms ring, and sends. All calls come in the one thread of the simulation, and their order depends on the
 * simulation alone: at the end of a cycle's arrivals step first deliveries, by end node; then losses, by sender, class
 * and order of sending; then alarms, in the order in which they were set. Packets sent in a cycle are in their
 * interface's queue in that cycle's decisions; an interface keeps any number and sends those of one class in order.
 *
 * A loss is told in the cycle in which a part of the fabric took the packet with it; one that a switch's decision or a
 * call brought about, in the next. Packets sent by an end node whose switch is dead are lost at once. */

typedef struct ripstop_play ripstop_play; /* the simulation, as the end nodes see it */

typedef struct ripstop_letter { /* a packet */
  uint32_t source, destination; /* end nodes; not the same */
  uint32_t class_;              /* below ripstop_players.classes */
  uint32_t flits;
  uint64_t tag; /* the sender's own */
} ripstop_letter;

typedef struct ripstop_players {
  uint32_t classes;           /* of packets, 1 to RIPSTOP_CLASSES_MAX */
  uint32_t shortest, longest; /* flits of the packets that will be sent, 1 to 4096 */
  /* Each may be NULL. `letter` lives during the call. */
  void (*start)(void *context, ripstop_play *play); /* before cycle 0 */
  void (*delivered)(void *context, ripstop_play *play, const ripstop_letter *letter);
  void (*lost)(void *context, ripstop_play *play, const ripstop_letter *letter);
  void (*alarm)(void *context, ripstop_play *play, uint64_t alarm);
  void *context;
} ripstop_players;

/* To be called from within the calls above only. What they cannot do, such as a letter to an end node that is not there
 * or an alarm for the present cycle, ends the run with an error. */
uint64_t ripstop_play_now(const ripstop_play *play);                      /* cycle */
void ripstop_play_send(ripstop_play *play, const ripstop_letter *letter); /* copied; its latency counts from now on */
void ripstop_play_alarm(ripstop_play *play, uint64_t cycle,
                        uint64_t alarm); /* `cycle` lies ahead: from `start`, 0 does */
/* A part fails or comes back at the start of the next cycle; change->cycle does not count. It is in the other state,
 * and nothing else happens to it in that cycle. */
void ripstop_play_change(ripstop_play *play, const ripstop_change *change);
void ripstop_play_finish(ripstop_play *play); /* the run ends after this cycle, whatever measure.cycles says */

/* Beside the plan, which says what fabric, faults and method there are. */
typedef struct ripstop_scenario {
  const ripstop_schedule *schedule; /* changes while it runs; may be NULL */
  ripstop_switch_config switch_;
  ripstop_traffic_config traffic;
  const ripstop_players *players; /* they send in place of `traffic`, which is ignored then; may be NULL */
  ripstop_measure_config measure;
  ripstop_reaction_config reaction;
  uint64_t seed;
  const atomic_int *stop; /* when it becomes non-zero the simulation gives up; may be NULL */
  /* Called with every delivered packet, in order of delivery cycle; may be NULL. For tests and tools. */
  void (*on_delivery)(void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t born,
                      uint64_t delivered);
  void *context;
} ripstop_scenario;

typedef enum ripstop_verdict {
  RIPSTOP_STEADY,
  RIPSTOP_SATURATED,
  RIPSTOP_DEADLOCKED,
  RIPSTOP_DISCONNECTED
} ripstop_verdict;
extern const char *const ripstop_verdict_words[];

/* A number with its unit; `half` is the half-width of its confidence interval, NAN when it has none. */
typedef struct ripstop_value {
  const char *name, *unit;
  double value, half;
} ripstop_value;

/* Why a packet was lost; the causes from RIPSTOP_LOST_METHOD on are the method's own (ripstop_method.losses).
 * RIPSTOP_LOST_DRAIN: it was in the network when a stop emptied it. */
enum { RIPSTOP_LOST_LINK, RIPSTOP_LOST_SWITCH, RIPSTOP_LOST_DRAIN, RIPSTOP_LOST_METHOD };

typedef struct ripstop_account { /* packets, over the whole run, warm-up included */
  uint64_t generated, delivered, in_flight, waiting, lost;
} ripstop_account;

typedef struct ripstop_window {                  /* one point of the time series */
  uint64_t cycle;                                /* its first */
  uint64_t generated, injected, delivered, lost; /* packets */
  uint64_t delivered_flits;
  double latency; /* mean of the delivered packets, cycles; NAN without any */
} ripstop_window;

typedef struct ripstop_result {
  ripstop_verdict verdict;
  const char *witness; /* deadlocked: the cycle of queues and packets; disconnected: an example; else NULL */
  ripstop_account account;
  size_t values, windows;
  const ripstop_value *value;
  const ripstop_window *window;
  uint64_t cycles; /* simulated, warm-up included */
  uint64_t hops;   /* switch-to-switch hops granted, for speed figures */
  uint64_t events;
  size_t bytes;   /* memory of the engine at its start, all that it ever has but for players' letters */
  double seconds; /* processor time of the event loop */
  ripstop_arena *arena;
} ripstop_result;

/* Whether the reaction is one for the plan's method: "does not apply" is an answer, and not an error. */
ripstop_answer ripstop_simulate_applies(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err);
/* Whether a simulation routes by the plan, whose tables then must have been made (ripstop_plan_tables): all do, but
 * where packets follow the method's protocol and no unaffected ones are looked for. */
bool ripstop_simulate_routes(const ripstop_plan *plan, const ripstop_scenario *scenario);
/* All checks that ripstop_simulate makes before the first cycle, and nothing more; needs no tables. */
int ripstop_simulate_check(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err);
/* Checks every option before anything is built. On success the caller frees the result with ripstop_result_free. */
int ripstop_simulate(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_result *result,
                     ripstop_error *err);
void ripstop_result_free(ripstop_result *result);
double ripstop_result_value(const ripstop_result *result, const char *name); /* NAN: no such value */

/* ------------------------------------------------------------------ a deadlock, loaded */

typedef struct ripstop_standstill {
  uint64_t packets; /* put into the queues */
  uint64_t events;  /* that came of it; 0: nothing moved */
  bool exact;       /* the search of the live buffers found a deadlock of these queues and no others */
} ripstop_standstill;

/* Fills each queue with as many copies of its packet (of the shortest size of scenario->traffic) as it holds, output
 * queues before it too, and runs `cycles` cycles without any source. What scenario->traffic.load and .classes, measure
 * and schedule say does not count. A protocol falls silent first. Where packets settle early, each is one that
 * settles on a way into the set. -1: a queue that is not there or is named twice, impossible options. */
int ripstop_simulate_standing(const ripstop_plan *plan, const ripstop_scenario *scenario,
                              const ripstop_standing *standing, uint32_t count, uint64_t cycles,
                              ripstop_standstill *out, ripstop_error *err);

RIPSTOP_END

#endif
