/* transport.h - how end nodes carry messages over a network that may lose packets: each pair of end nodes has a flow.
 * Its packets are numbered, limited to a window, answered by packets of the receiver, and sent again when no answer
 * comes in time. docs/workloads.md, "Transports".
 *
 * The job runner (job_runner.c) forwards its notifications, and the results say which message has started and which has
 * arrived. Losses show only as missing answers. */
#ifndef WORKLOAD_TRANSPORT_H
#define WORKLOAD_TRANSPORT_H

#include "ripstop/kit/workload.h"

typedef struct transport transport;

typedef struct transport_message {
  uint32_t job_run, task; /* for job_runner.c: the job and task of the message */
  uint32_t full, last;    /* flits of its full packets, and of the last one */
} transport_message;

typedef struct transport_pair {
  uint32_t source, destination; /* end nodes */
  uint32_t class_;              /* traffic class, the same for all packets of the pair */
} transport_pair;

typedef struct transport_counts {
  uint64_t repeats;    /* packets that were sent again */
  uint64_t timeouts;   /* time-outs that passed */
  uint64_t acks, naks; /* answers that were sent */
  uint64_t refused;    /* packets that arrived out of order, and must be sent again */
  uint64_t duplicates; /* packets that arrived again after they had been handed over */
  uint64_t marked;     /* packets that arrived with a mark */
  uint64_t notes;      /* notifications that were sent */
  uint64_t trimmed;    /* packets that arrived cut */
  uint64_t pulls;      /* requests for packets that were sent */
  uint64_t informed;   /* notices from switches that made a source send again */
} transport_counts;

/* For messages of fewer than 2^30 pairs of end nodes and classes. The lower 32 bits of `alarms` are 0: its alarms have
 * what transport_alarm wants there. `classes`: of data. The view, whose end nodes' links have these rates, must outlive
 * it. */
transport *transport_open(const ripstop_workload_config *config, const ripstop_view *view, uint32_t classes,
                          uint64_t alarms, ripstop_arena *arena);
/* The method's switches inform sources (ripstop_plan.informs); a notice takes this many cycles a link. */
void transport_inform(transport *t, uint32_t cycles);
bool transport_informs(const transport *t);
/* With timeout=auto no time-out is shorter than this many cycles (round_trip_bound, or timeout_min). */
void transport_bound(transport *t, uint64_t cycles);
/* With trim and pull=on: a message's packets that go without a request, at most (round_trip_packets). */
void transport_pull(transport *t, uint32_t packets);
/* Makes room for acknowledgements: a class behind those of data, and their length. */
void transport_widen(const ripstop_workload_config *config, ripstop_agent *agent);

/* Fewer than 2^32 packets of a pair in all. */
void transport_send(transport *t, ripstop_agent_context *on, transport_pair pair, uint64_t packets,
                    const transport_message *message);
/* Notifications. True: the first packet of this message has left, or the last one has arrived. */
bool transport_taken(transport *t, ripstop_agent_context *on, const ripstop_agent_packet *packet,
                     transport_message *started);
bool transport_delivered(transport *t, ripstop_agent_context *on, const ripstop_agent_packet *packet,
                         transport_message *there);
void transport_lost(transport *t, ripstop_agent_context *on, const ripstop_agent_packet *packet);
void transport_alarm(transport *t, ripstop_agent_context *on, uint32_t what);

/* Nothing changes after cycle `settled`, and `part` [end nodes] gives the connectivity from then on: end nodes with
 * equal values are connected. */
void transport_know(transport *t, const uint32_t *part, uint64_t settled);
/* True if the run was given up because a packet can never arrive; *message gets its message, the oldest that has not
 * arrived. */
bool transport_cut_off(const transport *t, transport_message *message);
bool transport_gave_up(const transport *t); /* true if a packet was sent too often */
/* True if every packet that was cut has been handed over, once, with its length; with go-back-n in order. */
bool transport_is_right(const transport *t);
/* The same for a run that ends with packets in the network: considers the flows that have handed over all that they
 * have cut. */
bool transport_is_right_so_far(const transport *t);
/* Packets of messages that have not been handed over: sent at least once; never sent. */
void transport_outstanding(const transport *t, uint64_t *sent, uint64_t *unsent);
/* The least `play` of the messages that are not handed over; UINT64_MAX: there are none. */
uint64_t transport_oldest(const transport *t);
/* transport_gave_up, and between which end nodes. */
bool transport_gave_up_on(const transport *t, transport_pair *found);
/* In some flow the last packet that it sent is lost, as was one before it whose time-out has passed, and nothing of it
 * was answered in between. */
bool transport_loses_all(const transport *t, transport_pair *found);
/* Some packet is not handed over, and by `part` nothing connects its two end nodes. */
bool transport_finds_apart(const transport *t, const uint32_t *part, transport_pair *found);
transport_counts transport_count(const transport *t);

#endif
