/* rate.h - how fast a flow may send, by what it hears of marks: docs/workloads.md, "Congestion".
 *
 *   dcqcn    a rate in flits a cycle, which goes down with each congestion notification and up again by a timer and by
 *            what has been sent (Zhu et al., SIGCOMM 2015, figure 7 and algorithm 1)
 *   window   a window in packets, which grows by one a round trip and is halved by marks and time-outs (Chiu and Jain
 * 1989)
 *
 * Timers are not set: what they would have done is done when somebody asks, in the order of their cycles. */
#ifndef WORKLOAD_RATE_H
#define WORKLOAD_RATE_H

#include "ripstop/kit/workload.h"

typedef struct rate {
  double now, target, alpha;  /* dcqcn: flits a cycle; what it had before; how much it goes down */
  double open;                /* from this cycle on the next packet may leave */
  uint64_t decay_at, rise_at; /* cycles of its timers */
  uint64_t sent;              /* flits since the byte counter counted last */
  uint32_t by_time, by_flits; /* how often they have counted since the last notification */
  bool limited;               /* it has heard a notification, and has not come back to the link's rate */
  double packets, steep;      /* window: how many; below `steep` it grows by each answer */
  uint32_t halved;            /* the first packet that can halve it again */
} rate;

rate rate_open(const ripstop_workload_config *config);
/* Packets that may be without an answer. */
uint32_t rate_window(const rate *r, const ripstop_workload_config *config);
/* A packet of so many flits leaves in this cycle, and the next one waits as the rate says. */
void rate_sends(rate *r, const ripstop_workload_config *config, uint64_t cycle, uint32_t flits);
void rate_notified(rate *r, const ripstop_workload_config *config, uint64_t cycle);
/* `packets` have been answered for the first time, the last of them `number`; whether it was marked. `next`: the first
 * packet that was never sent. */
void rate_answered(rate *r, const ripstop_workload_config *config, uint32_t packets, uint32_t number, uint32_t next,
                   bool marked);
/* A time-out has passed, of packets of which the last is `number`. */
void rate_expired(rate *r, const ripstop_workload_config *config, uint32_t number, uint32_t next);

#endif
