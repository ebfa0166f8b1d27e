/* simulate.h - the cost of faults: packet-level virtual cut-through, exact to the flit (docs/model.md has the rules).
 *
 * ripstop_simulate runs one plan to its end. ripstop_simulate_open does the same in pieces, between which parts of the
 * fabric can fail and return. The plan is only read: from the first change of the fabric on, a simulation uses a view
 * and a plan of its own. Any number of simulations can run in one process at once, also of one plan.
 *
 * Agents and on_delivery, which a simulation calls, must return: they neither throw nor call longjmp past it. */
#ifndef RIPSTOP_SIMULATE_H
#define RIPSTOP_SIMULATE_H

#include "ripstop/plan.h"
#include "ripstop/result.h"

RIPSTOP_BEGIN

typedef struct ripstop_agent ripstop_agent; /* plugin/agent.h */

typedef enum ripstop_flow { RIPSTOP_FLOW_CREDITS, RIPSTOP_FLOW_XONXOFF } ripstop_flow;
typedef enum ripstop_crossbar { RIPSTOP_CROSSBAR_PORTS, RIPSTOP_CROSSBAR_QUEUES } ripstop_crossbar;
/* When a head may request a candidate of a higher rank: while no candidate of a lower rank is open (output free and
 * space behind it), or while none of a lower rank has space, however busy its output; or which of both the method says
 * (ripstop_method_escape). docs/model.md, "Rounds". */
typedef enum ripstop_escape { RIPSTOP_ESCAPE_OPEN, RIPSTOP_ESCAPE_EXHAUSTED, RIPSTOP_ESCAPE_METHOD } ripstop_escape;
typedef enum ripstop_preset {
  RIPSTOP_PRESET_PLAIN,
  RIPSTOP_PRESET_IDEAL,
  RIPSTOP_PRESET_MODERN,
  RIPSTOP_PRESET_INFINIBAND,
  RIPSTOP_PRESET_BOOKSIM,
  RIPSTOP_PRESET_ETHERNET,
  RIPSTOP_PRESET_METHOD /* the method's own (ripstop_method_preset) */
} ripstop_preset;
/* When a packet that comes to a switch can be decided on: as soon as its head is there, or not before its tail. */
typedef enum ripstop_forward { RIPSTOP_FORWARD_CUT_THROUGH, RIPSTOP_FORWARD_STORE } ripstop_forward;
/* Which of the channels that stand for one of the method's a packet takes: the one with most free space, a random one
 * with space, or that of the hash of its source and destination. docs/model.md, "Several channels for each". */
typedef enum ripstop_vc { RIPSTOP_VC_SPACE, RIPSTOP_VC_RANDOM, RIPSTOP_VC_HASH } ripstop_vc;
/* Whose space in_queue is: of each channel, or of an input port with all its channels, each with a reserve of one
 * longest packet. */
typedef enum ripstop_buffers { RIPSTOP_BUFFERS_CHANNEL, RIPSTOP_BUFFERS_PORT } ripstop_buffers;
#define RIPSTOP_HEADROOM_AUTO RIPSTOP_UNLIMITED
typedef enum ripstop_unit { RIPSTOP_UNIT_PACKETS, RIPSTOP_UNIT_FLITS } ripstop_unit;

enum { RIPSTOP_VCS_IN_ALL = 8 }; /* virtual channels of a link with switch.vcs = 8/channels */

/* The switch; its options are the keys of `switch:` in an experiment. */
typedef struct ripstop_switch_config {
  int64_t in_queue;  /* space of each input queue (port and channel); RIPSTOP_UNLIMITED with queues "output" */
  int64_t out_queue; /* space of each output queue; 0: none, packets go from input queue to link; RIPSTOP_UNLIMITED */
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
  int32_t crossbar;    /* ripstop_crossbar: a crossbar input for each port, or for each input queue */
  int64_t slow_queue;  /* packets that an output queues for a slow link to an end node, at most 2 for one to a switch;
                          0: none, a packet for a slow link occupies its crossbar input for the link's time */
  const char *match;   /* "maximal", "islip:rounds=2" (plugin/matching.h) */
  double speedup;  /* flits that the crossbar moves in a cycle: 1 to 8, in quarters; above 1 an out_queue of 0 means 8
                      packets */
  int32_t forward; /* ripstop_forward */
  const char *queues; /* the organisation of a switch's queues: "input" (plugin/switch.h) */
  /* Probability that a link corrupts a flit: of all links, and behind it of some, "1e-9 0/0/4~1e-6"; "0": none does
   * (docs/model.md, "Errors of links"). */
  const char *flit_errors;
  int64_t vcs; /* virtual channels for each of the method's: 1 to 16; RIPSTOP_UNLIMITED: RIPSTOP_VCS_IN_ALL divided by
                  the number of the method's, at least 1 */
  int32_t vc;  /* ripstop_vc: which of them a packet takes */
  bool whole;  /* an in_queue that is shorter than the longest packet is as long as that */
  int32_t buffers; /* ripstop_buffers: in_queue is the space of a channel, or of a port with all its channels */
  /* For queues "shared"; sizes in flits. */
  int64_t buffer;   /* memory of a switch, or RIPSTOP_UNLIMITED */
  double alpha;     /* a queue may have this many times the free memory */
  bool lossless;    /* senders pause; else packets are lost */
  int64_t headroom; /* lossless: for what each input port and virtual channel receives after it sent a pause, or
                       RIPSTOP_HEADROOM_AUTO: the least that is enough */
  bool trim;        /* lossy: packets without space are cut to a header of one flit */
  int32_t preset;   /* ripstop_preset; for files of experiments, where it gives other keys their values. Simulations do
                       not read it: here every member has a value */
} ripstop_switch_config;

/* Which protocol of end nodes sends lost packets again (docs/workloads.md, "Transports"). */
typedef enum ripstop_transport {
  RIPSTOP_TRANSPORT_NONE,
  RIPSTOP_TRANSPORT_GO_BACK_N,
  RIPSTOP_TRANSPORT_SELECTIVE,
  RIPSTOP_TRANSPORT_TRIM
} ripstop_transport;
typedef enum ripstop_acks { RIPSTOP_ACKS_SEPARATE, RIPSTOP_ACKS_BEHIND } ripstop_acks;
/* The traffic; keys of `traffic:`. */
typedef struct ripstop_traffic_config {
  const char *pattern; /* "uniform", "hotspot:end=5,share=0.2" */
  const char *process; /* "bernoulli", "poisson", "periodic", "on-off:on=200,off=600" */
  double load;         /* offered, flits per end node and cycle */
  const char *packet;  /* sizes in flits with their shares of the packets: "16", "3:0.8/19:0.2" */
  const char *classes; /* shares of the offered packets: "1", "0.40/0.35/0.25" */
  /* ripstop_transport. ripstop_simulate takes none only; runs of experiments have the others. The rest is for
   * transports, and has the meaning that it has in `workload:`. */
  int32_t transport;
  int64_t window, timeout, backoff, tries, ack;
  int32_t acks; /* ripstop_acks */
} ripstop_traffic_config;

/* Measurement; keys of `measure:`. */
typedef struct ripstop_measure_config {
  const char *warmup; /* cycles, or "auto" */
  int64_t cycles;     /* measured cycles after the warm-up */
  int64_t batches;    /* batches of the batch-means intervals */
  double confidence;  /* confidence of every interval, e.g. 0.95 */
  int64_t window;     /* cycles per point of the time series; 0: none */
  int64_t check;      /* cycles between two searches for a deadlock in the live buffers */
  bool affected; /* undisturbed packets are split into affected and unaffected (docs/model.md, "Kinds of packet") */
  bool spread;  /* quantiles of latency, of links' use, and of packets sent and received by end nodes are values, too */
  bool reorder; /* packets of a pair of end nodes that overtake each other are counted, and are values too */
  bool links;   /* each link's use, in both directions, is a value too */
  bool messages; /* model: flow of experiments: messages of jobs are kept one by one. Others refuse it */
} ripstop_measure_config;

/* Reconfiguration when the fabric changes (docs/model.md, "Stops"); keys of `reaction:`. All zero: the plan is compiled
 * again at once, and nothing else happens. */
typedef enum ripstop_reconfiguration {
  RIPSTOP_RECONFIGURATION_DYNAMIC,
  RIPSTOP_RECONFIGURATION_STATIC
} ripstop_reconfiguration;
typedef enum ripstop_drain { RIPSTOP_DRAIN_DELIVER, RIPSTOP_DRAIN_DISCARD } ripstop_drain;
typedef struct ripstop_reconfiguration_config {
  int32_t model;     /* ripstop_reconfiguration; the rest is for static */
  int32_t drain;     /* ripstop_drain: the fate of packets in the network */
  int64_t detect;    /* cycles from the change until all network interfaces have stopped */
  int64_t recompute; /* cycles from the empty network to the new plan */
  int64_t resume;    /* cycles from the new plan until network interfaces go on */
} ripstop_reconfiguration_config;

/* Switches mark packets whose output has a long queue, which reports congestion to agents (docs/model.md, "Marks").
 * With kmax 0 no switch does. */
typedef struct ripstop_marks {
  int64_t kmin,
      kmax; /* units of a queue, as in the switch's options: up to kmin no packet is marked, above kmax every packet */
  double pmax; /* the probability at kmax; it grows from 0 at kmin */
} ripstop_marks;

/* All inputs of a simulation besides its plan. ripstop_simulate_open copies the struct, with its schedule and its
 * agents; texts, contexts and `stop` must outlive the simulation. */
typedef struct ripstop_simulate_settings {
  const ripstop_schedule *schedule; /* changes while it runs; may be NULL */
  ripstop_switch_config switch_;
  ripstop_traffic_config traffic;
  /* Threads that work on one run; 0 is 1. And the number of node sets that the fabric is divided into for them; 0:
   * chosen by the size of the fabric. Results do not depend on either. */
  uint32_t threads, parts;
  const ripstop_agent *agent; /* [agents]: they replace the traffic of their end nodes */
  uint32_t agents;
  ripstop_marks marks;
  ripstop_measure_config measure;
  ripstop_reconfiguration_config reconfiguration;
  uint64_t seed;
  size_t losses;          /* most lost packets that are listed (kit/simulation.h) */
  const atomic_int *stop; /* the simulation ends with an error soon after it becomes nonzero; may be NULL */
  /* Called for every delivered packet, in order of delivery cycle and end node, in the thread of the simulation; cycles
   * of generation and delivery. May be NULL. */
  void (*on_delivery)(void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t generated_at,
                      uint64_t delivered);
  void *context;
} ripstop_simulate_settings;

/* Every setting with the default that it has in experiments, and seed 1. Cannot fail; nothing is to be freed. */
ripstop_simulate_settings ripstop_simulate_defaults(void);

/* Runs a plan to its end. `settings`: NULL for the defaults. The caller frees the result; NULL on error. */
ripstop_result *ripstop_simulate(const ripstop_plan *plan, const ripstop_simulate_settings *settings,
                                 ripstop_error *err);

/* ------------------------------------------------------------------ a simulation in pieces Results do not depend on
 * how a run is cut into calls of ripstop_simulate_run. */

typedef struct ripstop_simulation ripstop_simulation;

/* Checks every setting and prepares the first cycle. The plan must outlive the simulation. NULL on error. */
ripstop_simulation *ripstop_simulate_open(const ripstop_plan *plan, const ripstop_simulate_settings *settings,
                                          ripstop_error *err);
/* Runs the cycles before `until`, or to the end of the run if that comes first; 0, also when it has ended already. -1:
 * a method or an agent broke a rule, or the run was stopped, or memory ran out; then the simulation can only be closed.
 */
int ripstop_simulate_run(ripstop_simulation *sim, uint64_t until, ripstop_error *err);
/* A part fails or returns at the start of the next cycle, after the changes that the schedule has for that cycle;
 * change->cycle is ignored. Nothing happens to a part that is already in that state. -1: no such part, a rate (only
 * views and schedules can have one), or the run has ended; nothing is changed. */
int ripstop_simulate_change(ripstop_simulation *sim, const ripstop_change *change, ripstop_error *err);
/* The values of the cycles so far; the run can go on. The caller frees the result; NULL on error. */
ripstop_result *ripstop_simulate_result(const ripstop_simulation *sim, ripstop_error *err);
/* The first cycle that has not been run. */
uint64_t ripstop_simulate_now(const ripstop_simulation *sim);
/* True once the run has reached its end. */
bool ripstop_simulate_ended(const ripstop_simulation *sim);
void ripstop_simulate_close(ripstop_simulation *sim); /* NULL is fine */

RIPSTOP_END

#endif
