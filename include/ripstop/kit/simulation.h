/* simulation.h - what experiments and programs like `ripstop` need of simulations beside simulate.h: their options as
 * data, the words of verdicts, time series, lost packets, and a simulation between two cycles. */
#ifndef RIPSTOP_KIT_SIMULATION_H
#define RIPSTOP_KIT_SIMULATION_H

#include "ripstop/plugin/agent.h"
#include "ripstop/plugin/plan.h"
#include "ripstop/simulate.h"

RIPSTOP_BEGIN

/* The keys of `switch:`, `traffic:`, `measure:` and `reaction:` in an experiment, for the structs of simulate.h. */
extern const ripstop_option ripstop_switch_options[];
extern const ripstop_option ripstop_traffic_options[];
extern const ripstop_option ripstop_measure_options[];
extern const ripstop_option ripstop_reconfiguration_options[];
extern const char *const ripstop_escape_words[];
extern const char *const ripstop_transport_words[];
extern const char *const ripstop_acks_words[];
enum {
  RIPSTOP_TRANSPORT_WINDOW_MAX = 65536,
  RIPSTOP_TRANSPORT_BACKOFF_MAX = 1 << 20,
  RIPSTOP_TRANSPORT_TRIES_MAX = 65535,
  RIPSTOP_TRANSPORT_ACK_MAX = 4096
};

/* The words of ripstop_verdict, from RIPSTOP_STEADY on. */
extern const char *const ripstop_verdict_words[];

/* The quantiles that are values with `spread`: "latency.p90", "link-use.p10", "sent.least", "received.max". */
typedef struct ripstop_quantile {
  const char *word; /* NULL ends the list */
  double share;     /* share of the values that are not greater; ascending from 0 to 1 */
  bool always;      /* for latencies it is a value without `spread`, too */
} ripstop_quantile;
extern const ripstop_quantile ripstop_quantiles[];

/* The name of the value of a link in one direction: the link's name, and that of the node that it leads to. */
#define RIPSTOP_LINK_USE_OF "link-use.%s>%s"

#define RIPSTOP_TOO_SHORT "run too short for an interval"
/* Why `half` is INFINITY, as all output prints it; "" where it is not. `verdict`: of the run. A saturated run has no
 * interval for latencies since generation, however long it is, and for those in the network only once they are at rest.
 */
const char *ripstop_value_without_interval(const ripstop_value *value, const char *verdict);
/* True if a value of this name can be less than 0: changes and balances, not counts, shares and times. */
bool ripstop_value_has_sign(const char *name);

/* One packet that was lost. */
typedef struct ripstop_loss {
  uint64_t cycle;
  uint32_t source, destination; /* end nodes */
  uint32_t node;     /* the node of its head; on a link, the node at the far end; RIPSTOP_NONE: unknown, static
                        reconfiguration     emptied the network */
  const char *cause; /* as in the value "lost.CAUSE"; a constant of the engine or of the method */
} ripstop_loss;

typedef struct ripstop_window {                  /* one point of the time series */
  uint64_t cycle;                                /* its first */
  uint64_t generated, injected, delivered, lost; /* packets */
  uint64_t delivered_flits;
  double latency; /* mean of the delivered packets, cycles; NAN without any */
} ripstop_window;

/* ------------------------------------------------------------------ a simulation between two cycles These calls change
 * nothing. */

/* The step of static reconfiguration (docs/model.md, "Stops"); otherwise always the first. */
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
  const char *witness; /* the deadlock, or the first packet that the method lost; NULL. Belongs to the simulation */
  ripstop_account account;
  uint64_t hops, events;
} ripstop_look;

typedef enum ripstop_queue_state {
  RIPSTOP_QUEUE_EMPTY,
  RIPSTOP_QUEUE_LEAVING, /* its head has a grant, and is leaving */
  RIPSTOP_QUEUE_WAITING, /* its head waits for a candidate to open, or is to be discarded */
  RIPSTOP_QUEUE_STALLED  /* its head waits for a protocol to find it candidates */
} ripstop_queue_state;

typedef enum ripstop_side { RIPSTOP_SIDE_IN, RIPSTOP_SIDE_OUT } ripstop_side; /* input queues, output queues */

typedef struct ripstop_queue_look {
  ripstop_queue_state state;
  uint32_t packets;     /* that have entered; one that is leaving counts until its last flit is gone */
  int64_t units;        /* their size (switch.unit) */
  int64_t capacity;     /* units */
  uint64_t ungenerated; /* a network interface: packets that wait behind them */
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

/* One thread at a time: packets that wait for network interfaces are counted from the call before. */
void ripstop_simulate_look(const ripstop_simulation *sim, ripstop_look *out);
/* The present view; it belongs to the simulation and is valid until its next run. */
const ripstop_view *ripstop_simulate_view(const ripstop_simulation *sim);
/* A port of a switch and a channel of its link (switch.vcs for each of the plan's), or the port of an end node and a
 * class: its network interface's queue, on side IN. -1: no such queue. */
int ripstop_simulate_queue(const ripstop_simulation *sim, ripstop_side side, uint32_t port, uint32_t channel,
                           ripstop_queue_look *out);
/* The packets of that queue, the head first, `most` at most. Returns how many have been written. */
size_t ripstop_simulate_packets(const ripstop_simulation *sim, ripstop_side side, uint32_t port, uint32_t channel,
                                ripstop_packet_look *out, size_t most);
/* The link that an output port sends into. -1: no such port, or no cable. */
int ripstop_simulate_link(const ripstop_simulation *sim, uint32_t port, ripstop_link_look *out);
/* Messages of the method's protocol that have taken a link and have not arrived, in no order, `most` at most. Returns
 * how many there are. */
typedef struct ripstop_message_look {
  uint32_t port;          /* the sender's */
  uint64_t sent, arrives; /* cycles */
} ripstop_message_look;
size_t ripstop_simulate_messages(const ripstop_simulation *sim, ripstop_message_look *out, size_t most);
/* The cycle in which the protocol last gave a switch new candidates; UINT64_MAX: it has those of the start. */
uint64_t ripstop_simulate_renewed(const ripstop_simulation *sim, uint32_t node);
/* The time series so far, `most` points at most. Returns how many there are. `generated` is without the packets that
 * wait for their network interface, of which there may be ever more: ripstop_simulate_look counts them, a result has
 * them. */
size_t ripstop_simulate_windows(const ripstop_simulation *sim, ripstop_window *out, size_t most);

/* ------------------------------------------------------------------ a deadlock, loaded */

typedef struct ripstop_standstill {
  uint64_t packets; /* put into the queues */
  uint64_t events;  /* that came of it; 0: nothing moved */
  bool exact;       /* the search of the live buffers found a deadlock of these queues and no others */
} ripstop_standstill;

/* Fills each queue with as many copies of its packet (of the shortest size of scenario->traffic) as it holds, output
 * queues before it too, and runs `cycles` cycles without any source. scenario->traffic.load and .classes, measure and
 * schedule are ignored. A protocol becomes quiet first. If packets settle early, each of them settles on a candidate
 * into the set. -1: a queue that is not there or is named twice, impossible options. */
int ripstop_simulate_deadlocked(const ripstop_plan *plan, const ripstop_simulate_settings *scenario,
                                const ripstop_deadlocked_packet *deadlock_packets, uint32_t count, uint64_t cycles,
                                ripstop_standstill *out, ripstop_error *err);

RIPSTOP_END

#endif
