/* pulls.h - receivers that request packets at the rate of their link (transport: trim with pull: on), after NDP:
 * Handley et al., Re-architecting datacenter networks and stacks for low latency and high performance, SIGCOMM 2017.
 *
 * The first packets of a message, as many as fill an idle path and a queue, go unsolicited. Each packet that arrives,
 * whole or cut, makes its receiver request another one of the flow, as long as the flow has more to send. An end node
 * sends its requests one after the other, in turns for its flows: each the time of a full packet on its link after the
 * one before. So what they bring arrives at the link's rate, however many senders there are.
 *
 * A request has the number of all requests of the flow, and so have acknowledgements: the next of either makes up for
 * all that were lost. A packet whose time-out passes may be sent again unsolicited, since its arrival will bring no
 * request.
 *
 * If a flow's last requests are lost, with the acknowledgements behind them, its sender waits and none of its packets
 * is in flight. After a time-out it sends a packet unsolicited, whose acknowledgement makes up for them.
 *
 * Invariant: sent <= unsolicited + extra + pulled. */
#ifndef WORKLOAD_PULLS_H
#define WORKLOAD_PULLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pull_sender {   /* a flow's */
  uint64_t sent;               /* transmissions, first ones and repeats */
  uint64_t unsolicited, extra; /* transmissions without a request: first windows; after time-outs */
  uint32_t pulled;             /* requests that have arrived, or were made up for */
} pull_sender;

typedef struct pull_receiver { /* a flow's */
  uint32_t known;       /* it knows of the packets before this one: the end of a message that has begun to arrive */
  uint64_t unsolicited; /* packets of these messages that go unsolicited */
  uint32_t cut;         /* packets that arrived cut */
  uint32_t due, pulls;  /* requests that wait for their turn; that were sent */
  uint32_t flits;       /* a full packet's */
  uint32_t follower;    /* the next flow in the list of its end node */
} pull_receiver;

typedef struct puller { /* an end node's */
  uint32_t first, last; /* flows with requests that wait; RIPSTOP_NONE: none */
  uint64_t open;        /* the cycle from which it may send the next request */
  bool armed;           /* an alarm is set for that cycle */
} puller;

#endif
