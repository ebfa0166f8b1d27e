/* simulate.h - what faults cost: packet-level virtual cut-through, exact to the flit (docs/model.md states the rules).
 *
 * A simulation runs one plan under one schedule: opened, run as far as one likes, looked at, changed, run on, and asked
 * for its result, which has numbers with units, a verdict and the packet account. ripstop_simulate is all of that in
 * one call. The plan is the caller's, and only looked at; from the first change of the fabric on a simulation goes on
 * with a view and a plan of its own. No globals: any number of simulations can run in one process at once, all of one
 * plan if need be.
 *
 * What it calls, agents and on_delivery, must return: it neither throws nor calls longjmp past the simulation. */
#ifndef RIPSTOP_SIMULATE_H
#define RIPSTOP_SIMULATE_H

#include "ripstop/plan.h"

RIPSTOP_BEGIN

#define RIPSTOP_SIZES_MAX 8 /* different packet sizes */

typedef enum ripstop_flow { RIPSTOP_FLOW_CREDITS, RIPSTOP_FLOW_XONXOFF } ripstop_flow;
typedef enum ripstop_crossbar { RIPSTOP_CROSSBAR_PORTS, RIPSTOP_CROSSBAR_QUEUES } ripstop_crossbar;
/* When a head may request a candidate of a higher rank: while no candidate of a lower rank is open (output free and
 * space behind it), or while none of a lower rank has space, however busy its output; or which of both the method says
 * (ripstop_method_escape). docs/model.md, "Rounds". */
typedef enum ripstop_escape { RIPSTOP_ESCAPE_OPEN, RIPSTOP_ESCAPE_EXHAUSTED, RIPSTOP_ESCAPE_METHOD } ripstop_escape;
extern const char *const ripstop_escape_words[];
typedef enum ripstop_unit { RIPSTOP_UNIT_PACKETS, RIPSTOP_UNIT_FLITS } ripstop_unit;

/* The switch; its options are the keys of `switch:` in an experiment. */
typedef struct ripstop_switch_config {
  int64_t in_queue;  /* space of each input queue (port and channel) */
  int64_t out_queue; /* space of each output queue; 0: none, packets go from input queue to link */
  int32_t unit;      /* ripstop_unit of both */
  int32_t flow;      /* ripstop_flow */
  int64_t xoff, xon; /* XOFF when less than xoff units are free, XON when at least xon are again */
  int64_t pipeline;  /* cycles from a head's arrival to its first decision */
  int64_t link;      /* cycles a flit needs for a link */
  int64_t credit;    /* cycles until the sender knows of freed space */
  /* Selection function, among the permitted candidates of lowest rank that have space: "space", "weighted"; "method":
   * the method's own (ripstop_method_selection). */
  const char *selection;
  const char *arbiter; /* "round-robin", "weighted:shares=1/35/54/10" */
  int32_t escape;      /* ripstop_escape */
  int32_t crossbar;    /* ripstop_crossbar: an input side for each port, or for each input queue */
  int64_t slow_queue;  /* packets that an output queues for a slow link to an end node, at most 2 for one to a switch;
                          0: none, a packet for a slow link holds its input's crossbar side for the link's time */
} ripstop_switch_config;
extern const ripstop_option ripstop_switch_options[];

/* Which protocol of end nodes sends lost packets again (docs/workloads.md, "Transports"). */
typedef enum ripstop_transport {
  RIPSTOP_TRANSPORT_NONE,
  RIPSTOP_TRANSPORT_GO_BACK_N,
  RIPSTOP_TRANSPORT_SELECTIVE
} ripstop_transport;
typedef enum ripstop_acks { RIPSTOP_ACKS_APART, RIPSTOP_ACKS_BEHIND } ripstop_acks;
extern const char *const ripstop_transport_words[];
extern const char *const ripstop_acks_words[];
enum {
  RIPSTOP_TRANSPORT_WINDOW_MAX = 65536,
  RIPSTOP_TRANSPORT_BACKOFF_MAX = 1 << 20,
  RIPSTOP_TRANSPORT_TRIES_MAX = 65535,
  RIPSTOP_TRANSPORT_ACK_MAX = 4096
};

/* The traffic; keys of `traffic:`. */
typedef struct ripstop_traffic_config {
  const char *pattern; /* "uniform", "hotspot:end=5,share=0.2" */
  const char *process; /* "bernoulli", "poisson", "periodic", "on-off:on=200,off=600" */
  double load;         /* offered, flits per end node and cycle */
  const char *packet;  /* sizes in flits with their shares of the packets: "16", "3:0.8/19:0.2" */
  const char *classes; /* shares of the offered packets: "1", "0.40/0.35/0.25" */
  /* ripstop_transport. The engine itself has none and refuses all but none: ripstop_traffic_run of kit/workload.h plays
   * the end nodes. The rest is for those that are not none, and means what it means in ripstop_workload_config. */
  int32_t transport;
  int64_t window, timeout, backoff, tries, ack;
  int32_t acks; /* ripstop_acks */
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
  bool spread;        /* quantiles of latency, links' use and what end nodes send and receive are values too */
  bool links;         /* each link's use, in both directions, is a value too */
} ripstop_measure_config;
extern const ripstop_option ripstop_measure_options[];

/* The quantiles that are values with `spread`: "latency.p90", "link-use.p10", "sent.least", "received.max". */
typedef struct ripstop_quantile {
  const char *word; /* NULL ends the list */
  double share;     /* of what is at most so much, ascending from 0 to 1 */
  bool always;      /* of latencies it is a value without `spread`, too */
} ripstop_quantile;
extern const ripstop_quantile ripstop_quantiles[];

/* The name of the value of a link in one direction: the link's name, and that of the node that it leads to. */
#define RIPSTOP_LINK_USE_OF "link-use.%s>%s"

/* What happens when the fabric changes (docs/model.md, "Stops"); keys of `reaction:`. All zero: nothing but that the
 * plan is compiled again at once. */
typedef enum ripstop_reconfiguration {
  RIPSTOP_RECONFIGURATION_DYNAMIC,
  RIPSTOP_RECONFIGURATION_STATIC
} ripstop_reconfiguration;
typedef enum ripstop_drain { RIPSTOP_DRAIN_DELIVER, RIPSTOP_DRAIN_DISCARD } ripstop_drain;
typedef struct ripstop_reconfiguration_config {
  int32_t model;     /* ripstop_reconfiguration; the rest is for static */
  int32_t drain;     /* ripstop_drain: what becomes of the packets in the network */
  int64_t detect;    /* cycles from the change until all network interfaces have stopped */
  int64_t recompute; /* cycles from the empty network to the new plan */
  int64_t resume;    /* cycles from the new plan until network interfaces go on */
} ripstop_reconfiguration_config;
extern const ripstop_option ripstop_reconfiguration_options[];

typedef struct ripstop_account { /* packets, over the whole run, warm-up included */
  uint64_t generated, delivered, in_flight, waiting, lost;
} ripstop_account;

/* ------------------------------------------------------------------ end nodes that answer
 * In place of random sources an agent may play a set of end nodes, and several agents a set each: it is called when
 * packets arrive at its end nodes, when its own are taken into the network or are lost, and when its alarms ring, and
 * it sends. End nodes without an agent are random sources; of their packets, and of packets to them, agents hear
 * nothing.
 *
 * All calls come in the one thread of the simulation, and their order depends on the simulation alone: at the end of a
 * cycle's arrivals step first deliveries, by end node; then packets taken, and then those lost, by sender, class and
 * order of sending; then alarms, in the order in which they were set. Packets sent in a cycle are in their interface's
 * queue in that cycle's decisions; an interface keeps any number and sends those of one class in order.
 *
 * A packet is taken when its interface is granted its link, by a decision, and that is told in the next cycle (of a
 * quiet packet it is not): who has never more than a few packets that are neither taken nor lost feels the network's
 * back-pressure. A loss is told in the cycle in which a part of the fabric took the packet with it; one that a switch's
 * decision or a call brought about, in the next. Packets sent by an end node whose switch is dead are lost at once. */

typedef struct ripstop_agent_context ripstop_agent_context; /* the simulation, as an agent sees it */

typedef struct ripstop_agent_packet { /* a packet */
  uint32_t source, destination;       /* end nodes; not the same */
  uint32_t class_;                    /* below ripstop_agent.classes */
  uint32_t flits;
  uint64_t tag;     /* the sender's own */
  bool quiet;       /* when it is taken, no agent is informed */
  bool marked;      /* of one that is delivered: a switch has marked it */
  uint32_t informs; /* of one that is lost: links that it had crossed to the switch that discarded it and informs its
                       source (ripstop_plan.informs); 0: the source is not informed */
} ripstop_agent_packet;

/* Steps of static reconfiguration after a failure. Repairs alone are not reported. */
typedef enum ripstop_reconfiguration_event {
  RIPSTOP_RECONFIGURATION_FAILED,  /* a part has failed in this cycle; the network goes on until that is detected */
  RIPSTOP_RECONFIGURATION_STOPPED, /* interfaces are held from now on; packets that wait in the agent's are lost, as
                                    * drained
                                    */
  RIPSTOP_RECONFIGURATION_RESUMED  /* the network is empty, and interfaces go on in this cycle */
} ripstop_reconfiguration_event;

typedef struct ripstop_agent {
  const uint32_t *end; /* [ends]: the end nodes that it plays, each played by nobody else; NULL: all */
  uint32_t ends;
  uint32_t classes;           /* of packets, 1 to RIPSTOP_CLASSES_MAX */
  uint32_t shortest, longest; /* flits of the packets that will be sent, 1 to 4096 */
  bool urgent; /* of the packets that ask for an interface's link at once those of the highest class go first, at all
                  end nodes of the run; else the switches' arbiter chooses there too */
  /* Each may be NULL. `packet` lives during the call. */
  void (*start)(void *context, ripstop_agent_context *play); /* before cycle 0 */
  void (*delivered)(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet);
  void (*taken)(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet);
  void (*lost)(void *context, ripstop_agent_context *play, const ripstop_agent_packet *agent_packet);
  void (*alarm)(void *context, ripstop_agent_context *play, uint64_t alarm);
  /* An agent that has this goes back to an earlier state: before the deliveries of the cycle, RESUMED after the losses.
   */
  void (*reacts)(void *context, ripstop_agent_context *play, ripstop_reconfiguration_event event);
  /* Not NULL: results count the packets that the agent generates and receives (ripstop_play_generated,
   * ripstop_play_received), and packets only carry them. It must play all end nodes, with one class of such packets.
   * Reports the packets that it has generated and not received: in_flight those that it has sent at least once, waiting
   * the others. */
  void (*account)(const void *context, ripstop_account *out);
  void *context;
} ripstop_agent;

/* To be called from within the calls above only. What they cannot do, such as a packet to an end node that is not there
 * or an alarm for the present cycle, ends the run with an error. */
uint64_t ripstop_agent_now(const ripstop_agent_context *play);             /* cycle */
bool ripstop_agent_is_up(const ripstop_agent_context *play, uint32_t end); /* false: the end node's switch has failed */
void ripstop_agent_send(ripstop_agent_context *play,
                        const ripstop_agent_packet *agent_packet); /* copied; its latency counts from now on */
void ripstop_agent_alarm(ripstop_agent_context *play, uint64_t cycle,
                         uint64_t alarm); /* `cycle` lies ahead: from `start`, 0 does */
/* For agents that have `account`. A packet of so many flits is generated in the present cycle; the packet that was
 * generated in cycle `generated` is received with the packet whose `delivered` is running. */
void ripstop_play_generated(ripstop_agent_context *play, uint32_t flits);
void ripstop_play_received(ripstop_agent_context *play, uint64_t generated_at);
/* A part fails or comes back at the start of the next cycle; change->cycle does not count. It is in the other state,
 * and nothing else happens to it in that cycle. Rates are for fault sets and schedules. */
void ripstop_agent_change(ripstop_agent_context *play, const ripstop_change *change);
void ripstop_agent_finish(
    ripstop_agent_context *play); /* the run ends after this cycle, whatever measure.cycles says */

/* Switches mark packets for whose output many wait, which tells agents of congestion (docs/model.md, "Marks"). With
 * kmax 0 none does. */
typedef struct ripstop_marks {
  int64_t kmin,
      kmax;    /* units of a queue, as in the switch's options: up to kmin no packet is marked, above kmax each */
  double pmax; /* the probability at kmax; it grows from 0 at kmin */
} ripstop_marks;

/* Beside the plan, which says what fabric, faults and method there are. A simulation copies it, with its schedule and
 * its agents; what the contexts and `stop` point to must outlive it. */
typedef struct ripstop_scenario {
  const ripstop_schedule *schedule; /* changes while it runs; may be NULL */
  ripstop_switch_config switch_;
  ripstop_traffic_config traffic;
  /* Threads that work on one run (ripstop_simulate_threads); 0 is 1. And the sets of nodes that it is divided into, of
   * which each thread has some; 0: as many as are fastest, by the size of the fabric. The results are the same for any
   * numbers. */
  uint32_t threads, parts;
  const ripstop_agent *agent; /* [agents]: of end nodes, in place of traffic; where they play all, it does not count */
  uint32_t agents;
  ripstop_marks marks;
  ripstop_measure_config measure;
  ripstop_reconfiguration_config reconfiguration;
  uint64_t seed;
  size_t losses;          /* lost packets that the result lists, at most */
  const atomic_int *stop; /* when it becomes non-zero the simulation gives up; may be NULL */
  /* Called with every delivered packet, in order of delivery cycle and end node, in the thread of the simulation; may
   * be NULL. For tests and tools. */
  void (*on_delivery)(void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t generated_at,
                      uint64_t delivered);
  void *context;
} ripstop_scenario;

typedef enum ripstop_verdict { RIPSTOP_STEADY, RIPSTOP_SATURATED, RIPSTOP_DEADLOCKED, RIPSTOP_LOSSY } ripstop_verdict;
extern const char *const ripstop_verdict_words[];

/* A number with its unit; `half` is the half width of its confidence interval: NAN where there can be none, INFINITY
 * where there would be one, but this run does not bound it (ripstop_value_without_interval). For a value that is 0 and
 * has no sign (ripstop_value_has_sign) the interval goes from 0 to `half`. */
typedef struct ripstop_value {
  const char *name, *unit;
  double value, half;
} ripstop_value;

#define RIPSTOP_TOO_SHORT "run too short for an interval"
/* Why `half` is INFINITY, as all output prints it; "" where it is not. `verdict`: of the run. A saturated run has no
 * interval for latencies since generation, however long it is, and for those in the network only once they are at rest.
 */
const char *ripstop_value_without_interval(const ripstop_value *value, const char *verdict);
/* True if a value of this name can be less than 0: changes and balances, not counts, shares and times. */
bool ripstop_value_has_sign(const char *name);

/* Why a packet was lost; the causes from RIPSTOP_LOST_METHOD on are the method's own (ripstop_method.losses).
 * RIPSTOP_LOST_DRAIN: it was in the network when a stop emptied it. */
enum { RIPSTOP_LOST_LINK, RIPSTOP_LOST_SWITCH, RIPSTOP_LOST_DRAIN, RIPSTOP_LOST_METHOD };

/* One packet that was lost. */
typedef struct ripstop_loss {
  uint64_t cycle;
  uint32_t source, destination; /* end nodes */
  uint32_t node;     /* of its head; on a link, the node at the far end; RIPSTOP_NONE: unknown, static reconfiguration
                        emptied the network */
  const char *cause; /* as in the value "lost.CAUSE"; a constant of the engine or of the method */
} ripstop_loss;

typedef struct ripstop_window {                  /* one point of the time series */
  uint64_t cycle;                                /* its first */
  uint64_t generated, injected, delivered, lost; /* packets */
  uint64_t delivered_flits;
  double latency; /* mean of the delivered packets, cycles; NAN without any */
} ripstop_window;

typedef struct ripstop_result {
  ripstop_verdict verdict;
  const char *witness; /* deadlocked: the cycle of queues and packets; lossy: an example; else NULL */
  ripstop_account account;
  size_t values, windows;
  const ripstop_value *value;
  const ripstop_window *window;
  size_t losses; /* listed, by cycle, then packet: the first scenario.losses of account.lost */
  const ripstop_loss *loss;
  uint64_t cycles; /* simulated, warm-up included */
  uint64_t hops;   /* switch-to-switch hops granted, for speed figures */
  uint64_t events;
  size_t bytes;     /* memory of the engine at its start, all that it ever has but for agents' packets */
  double seconds;   /* processor time of the event loop */
  uint32_t threads; /* that worked on it, in the last call */
  ripstop_arena *arena;
} ripstop_result;

/* Whether the reaction is one for the plan's method: "does not apply" is an answer, and not an error. */
ripstop_answer ripstop_simulate_applies(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err);
/* Whether a simulation routes by the plan, whose tables then must have been made (ripstop_plan_tables): all do, but
 * where packets follow the method's protocol and no unaffected ones are looked for. */
bool ripstop_simulate_routes(const ripstop_plan *plan, const ripstop_scenario *scenario);
/* How many threads work on one run of this scenario: at most scenario->threads, and one for each part,
 * of which there are no more than switches with end nodes.
 * Where the system gives fewer, those it gives do all (ripstop_result.threads). */
uint32_t ripstop_simulate_threads(const ripstop_plan *plan, const ripstop_scenario *scenario);
/* As many of these threads, at least one, as have enough to do between two meetings: on small fabrics more of them are
 * slower. For scenario->threads, which itself is taken at its word. */
uint32_t ripstop_simulate_worth(const ripstop_plan *plan, uint32_t threads);
/* All checks that ripstop_simulate makes before the first cycle, and nothing more; needs no tables. */
int ripstop_simulate_check(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_error *err);
/* Runs it to its end. On success the caller frees the result with ripstop_result_free. */
int ripstop_simulate(const ripstop_plan *plan, const ripstop_scenario *scenario, ripstop_result *result,
                     ripstop_error *err);
void ripstop_result_free(ripstop_result *result);
double ripstop_result_value(const ripstop_result *result, const char *name); /* NAN: no such value */

/* ------------------------------------------------------------------ a simulation that one can look at
 * What happens does not depend on how a run is cut into calls of ripstop_simulate_run, nor on who looks. */

typedef struct ripstop_simulation ripstop_simulation;

/* Checks every option and makes everything up to the first cycle. The plan must outlive it. NULL on error. */
ripstop_simulation *ripstop_simulate_open(const ripstop_plan *plan, const ripstop_scenario *scenario,
                                          ripstop_error *err);
/* Runs the cycles before `until`, or to the end of the run if that comes first; 0 when it has ended already. -1: the
 * run has failed, because a method or an agent broke a rule or it was stopped, and will not go on: its clock
 * stands behind the cycle in which it failed, and what other looks tell of that cycle depends on the number of threads;
 * or memory ran out, and the simulation can only be closed. */
int ripstop_simulate_run(ripstop_simulation *sim, uint64_t until, ripstop_error *err);
/* A part fails or comes back at the start of the next cycle, after the changes that the schedule has for it;
 * change->cycle does not count. A part that is, or will be by then, as it should be stays so. -1: no such part, a rate
 * (only fault sets and schedules have those), or the run has ended; nothing is changed. */
int ripstop_simulate_change(ripstop_simulation *sim, const ripstop_change *change, ripstop_error *err);
/* The numbers of the cycles so far; the run can go on. The result has memory of its own and outlives the simulation:
 * the caller frees it with ripstop_result_free. */
int ripstop_simulate_result(const ripstop_simulation *sim, ripstop_result *result, ripstop_error *err);
void ripstop_simulate_close(ripstop_simulation *sim); /* NULL is fine */

/* ---- looks, between two cycles; they change nothing */

/* What a change waits for (docs/model.md, "Stops"); without the static reaction always the first. */
typedef enum ripstop_phase {
  RIPSTOP_PHASE_RUNNING,
  RIPSTOP_PHASE_DETECTING,
  RIPSTOP_PHASE_DRAINING,
  RIPSTOP_PHASE_COMPUTING,
  RIPSTOP_PHASE_RESUMING
} ripstop_phase;

typedef struct ripstop_look {
  uint64_t end; /* the run ends before this cycle; while an automatic warm-up lasts, at the latest */
  bool ended, deadlocked;
  ripstop_phase phase;
  const char *witness; /* of the deadlock, or of the first packet that the method lost; NULL. The simulation's */
  ripstop_account account;
  uint64_t hops, events;
} ripstop_look;

typedef enum ripstop_queue_state {
  RIPSTOP_QUEUE_EMPTY,
  RIPSTOP_QUEUE_LEAVING, /* its head has been granted a way, and is leaving */
  RIPSTOP_QUEUE_WAITING, /* its head may go when a way opens, or is to be discarded */
  RIPSTOP_QUEUE_STALLED  /* its head waits for a protocol to find it candidates */
} ripstop_queue_state;

typedef enum ripstop_side { RIPSTOP_SIDE_IN, RIPSTOP_SIDE_OUT } ripstop_side; /* input queues, output queues */

typedef struct ripstop_queue_look {
  ripstop_queue_state state;
  uint32_t packets;     /* that have entered; one that is leaving counts until its last flit is gone */
  int64_t units;        /* of them (switch.unit) */
  int64_t capacity;     /* units */
  uint64_t ungenerated; /* of a network interface: packets that wait behind them */
  bool stuck;           /* it belongs to the deadlock */
} ripstop_queue_look;

typedef struct ripstop_packet_look {
  uint32_t source, destination; /* end nodes */
  uint32_t number;              /* in its stream: of its source and class */
  uint32_t flits;
  uint64_t generated_at, age; /* cycle; cycles since then */
  uint64_t header;            /* the method's word; of one that is leaving, after the hop */
  uint32_t hops;              /* links taken, the one that it is leaving by included */
  uint8_t class_;
  bool truncated; /* lost: what remains will be discarded */
  bool leaving;
  uint32_t port; /* output port that it is leaving by; RIPSTOP_NONE: by none, and of one that is lost */
} ripstop_packet_look;

typedef struct ripstop_link_look {
  bool up;
  uint64_t busy;  /* cycles for which the link still has a packet, or a message, to send; 0: it is free */
  uint64_t flits; /* sent since the measured cycles began; before that, since cycle 0 */
} ripstop_link_look;

uint64_t ripstop_simulate_now(const ripstop_simulation *sim); /* the first cycle that has not been run */
/* One thread at a time: what waits for interfaces is counted on from the look before, of the whole or of a queue. */
void ripstop_simulate_look(const ripstop_simulation *sim, ripstop_look *out);
/* What is alive; the simulation's, until its next run. */
const ripstop_view *ripstop_simulate_view(const ripstop_simulation *sim);
/* A port of a switch and a channel, or the port of an end node and a class: its network interface's queue, on side IN.
 * -1: no such queue. */
int ripstop_simulate_queue(const ripstop_simulation *sim, ripstop_side side, uint32_t port, uint32_t channel,
                           ripstop_queue_look *out);
/* The packets of that queue, the head first, `most` at most. Returns how many have been written. */
size_t ripstop_simulate_packets(const ripstop_simulation *sim, ripstop_side side, uint32_t port, uint32_t channel,
                                ripstop_packet_look *out, size_t most);
/* The link that an output port sends into. -1: no such port, or no cable. */
int ripstop_simulate_link(const ripstop_simulation *sim, uint32_t port, ripstop_link_look *out);
/* What switches tell each other, where the method has a protocol: messages that have taken a link and have not arrived,
 * in no order, `most` at most. Returns how many there are. */
typedef struct ripstop_message_look {
  uint32_t port;          /* that it was sent by */
  uint64_t sent, arrives; /* cycles */
} ripstop_message_look;
size_t ripstop_simulate_messages(const ripstop_simulation *sim, ripstop_message_look *out, size_t most);
/* The cycle in which the protocol last gave a switch new candidates; UINT64_MAX: it has those of the start. */
uint64_t ripstop_simulate_renewed(const ripstop_simulation *sim, uint32_t node);
/* The time series so far, `most` points at most. Returns how many there are. `generated` is without the packets that
 * wait for their interface, of which there may be ever more: ripstop_simulate_look counts them, a result has them. */
size_t ripstop_simulate_windows(const ripstop_simulation *sim, ripstop_window *out, size_t most);

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
int ripstop_simulate_deadlocked(const ripstop_plan *plan, const ripstop_scenario *scenario,
                                const ripstop_deadlocked_packet *deadlock_packets, uint32_t count, uint64_t cycles,
                                ripstop_standstill *out, ripstop_error *err);

RIPSTOP_END

#endif
