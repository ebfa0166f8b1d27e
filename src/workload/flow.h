/* flow.h - the data of a transport (transport.h): flows, packet records, and the turns of flows at a NIC.
 *
 *   flow      from an end node to another: its packets are numbered from 0, through all of its messages
 *   record    a packet of a flow, or an answer of the receiver. The packet's tag is the record's index. A record ends
 *             when its packet is delivered or lost, so there are as many as packets in progress
 *   pulls     of a receiver: pulls.h
 *   nic       flows that have something to send take turns, a packet each. At most NIC_ROOM packets wait in it, so the
 *             decision what to send is made when the link is about to be free
 *
 * Invariants
 *   - base <= expected: the receiver has all that the sender knows of. The sender keeps nothing of packets before
 *     `base`; packets before `expected` have been handed over.
 *   - Between base and `most` each packet that has been sent has a slot, its number modulo the ring's length. With
 *     order=window no packet from base + window on is sent; with order=any at most `window` of them have no answer.
 *   - A flow is in its NIC's list exactly if `listed`. The event that allows a flow to send lists it. */
#ifndef WORKLOAD_FLOW_H
#define WORKLOAD_FLOW_H

#include "workload/pulls.h"
#include "workload/rate.h"
#include "workload/round_trip.h"
#include "workload/transport.h"

enum { NIC_ROOM = 2 };
#define FLOW_NEVER   UINT64_MAX
#define ALARM_PACE   (UINT32_C(1) << 31) /* alarm of a flow whose rate allows the next packet; otherwise a time-out */
#define ALARM_INFORM (UINT32_C(1) << 30) /* alarm of a flow whose sender is informed of losses */

#define ALARM_PULL (ALARM_PACE | ALARM_INFORM) /* alarm of an end node that may request the next packet */

typedef enum record_kind { RECORD_DATA, RECORD_ACK, RECORD_NAK, RECORD_NOTE, RECORD_PULL } record_kind;

typedef struct packet_record {
  uint32_t flow;   /* free record: the next free one */
  uint32_t number; /* number of the packet, or of the packet that is answered */
  uint32_t next;   /* answer: the receiver has all packets before it */
  uint32_t pulls;  /* answer: the receiver's requests of the flow so far */
  uint16_t order;  /* packet: how many were put into its NIC before, low digits */
  uint8_t kind;
  bool marked; /* answer: the packet was marked */
} packet_record;

typedef struct slot {          /* state of a packet that has been sent */
  uint64_t left;               /* the cycle in which it last left its NIC; FLOW_NEVER: it has not yet */
  uint64_t clock;              /* the clock of its time-out then */
  uint64_t informed;           /* the cycle in which the sender is informed of its loss; 0: none */
  uint32_t informs;            /* repeats in a row because a switch informed the sender */
  bool is_there, acknowledged; /* the receiver has it; the sender knows so */
  bool resend;                 /* it must be sent again */
  bool repeated;               /* it was sent more than once: its answer measures no round trip (Karn) */
} slot;

typedef struct flow_message { /* a message on its flow */
  transport_message message;
  uint32_t first, packets; /* first number; number of packets */
  uint32_t missing;        /* packets that have not been handed over */
  uint64_t unsolicited;    /* with pulls: of this message and those before it, packets that go without a request */
  bool started;
} flow_message;

typedef struct flow {
  uint32_t source, destination, class_;
  flow_message *message; /* [oldest .. messages - 1]: messages that are not yet sent and answered completely */
  uint32_t oldest, messages, message_room;
  slot *ring;
  uint32_t room; /* length of the ring: a power of two, or 0 */
  /* the sender's */
  uint32_t base, next, most, end; /* base: first packet without an answer; next: next to be sent; all before `most`
                                   * have been sent; all messages so far end at `end` */
  uint32_t resends;               /* slots with `resend` set */
  uint32_t beyond;                /* answered packets from base on */
  uint32_t expiries;              /* time-outs in a row */
  round_trip trip;                /* timeout=auto: measured round trips */
  uint32_t doublings;             /* time-outs since the last measurement */
  uint64_t last_acknowledged;     /* clock of its time-outs at the last answer that acknowledged a packet */
  uint64_t newest;                /* the latest `clock` of the packets that were answered and not repeated */
  uint32_t follower;              /* the next flow in the NIC's list */
  uint64_t rings;                 /* cycle of the time-out's alarm that counts; FLOW_NEVER: none does */
  bool informs;                   /* some slot's `informs` may be above 0 */
  bool losing;                    /* the packet that it has sent last is lost */
  bool listed, paced;             /* paced: another alarm is set, for when its rate allows a packet */
  rate rate;
  pull_sender credit;
  /* the receiver's */
  pull_receiver requests;
  uint32_t expected;
  bool complained; /* it has reported that `expected` is missing */
  uint64_t quiet;  /* it sends no congestion notification before this cycle */
  /* for the check of a run: a sum over the packets that were cut, and one over those that were handed over */
  uint64_t cut, handed, cut_flits, handed_flits;
  uint32_t handovers;
  uint32_t in_progress; /* its packets in the network and in its NIC */
} flow;

typedef struct nic {
  uint32_t first, last; /* flows in turn; RIPSTOP_NONE: none */
  uint16_t put, taken;  /* packets so far, low digits */
  uint64_t stalled;     /* cycles so far in which its first packet waited although its link was free */
  uint64_t waits; /* if there is a packet: the cycle from which it could leave; else the link is free from then on.
                     Answers to other end nodes hold the link, too */
} nic;

struct transport {
  const ripstop_workload_config *config;
  flow *flow; /* [flows], in the order of their first messages: they move when one is added */
  uint32_t flows, flow_room;
  uint32_t *place; /* [places], a power of two, or 0: a hash table of pairs; 1 more than the flow's number, or 0 */
  uint32_t places;
  uint32_t classes;         /* classes of data; separate acknowledgements have the next one */
  nic *nic;                 /* [end nodes] */
  puller *puller;           /* [end nodes]; NULL: receivers request nothing */
  uint32_t first_window;    /* with pulls: packets of a message that go without a request, at most */
  const ripstop_view *view; /* with pulls: the links' rates */
  packet_record *record;
  uint32_t records, record_room, spare; /* `spare`: the first free one, or RIPSTOP_NONE */
  transport_counts counts;
  uint64_t alarms;           /* high bits of its alarms */
  uint64_t least;            /* timeout=auto: the shortest time-out, and the first of a flow */
  uint32_t hop;              /* cycles per link until a source is informed; 0: switches inform no source */
  bool given_up, disordered; /* disordered: packets were handed over out of order */
  const uint32_t *part;      /* [end nodes]: see transport_know; NULL: unknown */
  uint64_t settled;
  uint32_t cut_off; /* a flow; RIPSTOP_NONE: none is, as far as is known */
  ripstop_arena *arena;
};

/* The cycles so far in which the NIC was not stalled. */
static inline uint64_t nic_clock(const nic *g, uint64_t now) {
  return now - g->stalled - (g->put != g->taken && now > g->waits ? now - g->waits : 0);
}
static inline bool nic_stalls(const nic *g, uint64_t now) { return g->put != g->taken && now > g->waits; }

static inline uint32_t flow_number(const transport *t, const flow *f) { return (uint32_t)(f - t->flow); }
static inline slot *slot_at(const flow *f, uint32_t number) { return &f->ring[number & (f->room - 1)]; }
static inline bool takes_any_order(const transport *t) { return t->config->order == RIPSTOP_ORDER_ANY; }
static inline bool measures(const transport *t) { return t->config->timeout == RIPSTOP_UNLIMITED; }
static inline bool trims(const transport *t) { return t->config->transport == RIPSTOP_TRANSPORT_TRIM; }
static inline bool goes_back(const transport *t) { return t->config->transport == RIPSTOP_TRANSPORT_GO_BACK_N; }
static inline uint32_t packet_flits(const flow_message *m, uint32_t number) {
  return number + 1 == m->first + m->packets ? m->message.last : m->message.full;
}
/* That of the pair, a new one if need be. transport.c */
flow *flow_of(transport *t, transport_pair pair);
/* The message of a packet from `base` on. */
flow_message *message_of(const flow *f, uint32_t number);
/* A packet's term in the sums of the check. */
uint64_t packet_word(uint32_t number);

/* Sends a packet between the ends of a flow, from its source or, `back`, from its destination. transport.c */
void record_send(transport *t, ripstop_agent_context *on, packet_record p, uint32_t flits, bool back);

/* sender.c */
void sender_feed(transport *t, ripstop_agent_context *on, uint32_t end); /* the NIC has room: flows take their turns */
void sender_offer(transport *t, ripstop_agent_context *on, flow *f);     /* it may have become able to send */
bool sender_left(transport *t, ripstop_agent_context *on, const packet_record *p, transport_message *started);
void sender_gone(transport *t, ripstop_agent_context *on, const packet_record *p); /* the packet has left its NIC */
void sender_informed(transport *t, ripstop_agent_context *on, const packet_record *p,
                     uint32_t links); /* a switch has discarded it */
void sender_answered(transport *t, ripstop_agent_context *on, const packet_record *p);

/* Cycles of so many flits on the link of an end node. */
uint64_t link_cycles(const transport *t, uint32_t end, uint32_t flits);

/* pulls.c, for transports with t->puller. A packet of the flow has arrived, whole or cut; more requests are due; the
 * end node may request the next packet; the sender gets a request, the `count`-th. */
void pulls_arrived(transport *t, ripstop_agent_context *on, flow *f, const packet_record *p, bool cut);
void pulls_ring(transport *t, ripstop_agent_context *on, uint32_t end);
void pulls_received(flow *f, uint32_t count);

/* receiver.c. True: the message `there` is complete. */
bool receiver_takes(transport *t, ripstop_agent_context *on, const packet_record *p, const ripstop_agent_packet *packet,
                    transport_message *there);

#endif
