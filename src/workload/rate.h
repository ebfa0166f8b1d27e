/* rate.h - how fast a flow may send, given the marks that are reported to it: docs/workloads.md, "Congestion".
 *
 *   dcqcn    a rate in flits a cycle, which falls with each congestion notification and rises by a timer and by the
 *            bytes sent (Zhu et al., SIGCOMM 2015, figure 7 and algorithm 1)
 *   window   a window in packets, which grows by one a round trip and is halved by marks and time-outs (Chiu and Jain
 *            1989)
 *
 * No timers are set: their effects are computed in the order of their cycles when the rate is requested. */
#ifndef WORKLOAD_RATE_H
#define WORKLOAD_RATE_H

#include "ripstop/kit/workload.h"

typedef struct rate {
  double now, target, alpha;  /* dcqcn: flits a cycle; the rate before the last cut; how much a notification cuts */
  double open;                /* the next packet may leave from this cycle on */
  uint64_t decay_at, rise_at; /* cycles of its timers */
  uint64_t sent;              /* flits since the byte counter expired last */
  uint32_t by_time, by_flits; /* how often each has expired since the last notification */
  bool limited;               /* it has received a notification, and is below the link's rate since */
  double packets, steep;      /* window: packets; below `steep` it grows with each answer */
  uint32_t halved;            /* the first packet that can halve it again */
} rate;

rate rate_open(const ripstop_workload_config *config);
/* The packets that may be in flight without an answer. */
uint32_t rate_window(const rate *r, const ripstop_workload_config *config);
/* A packet of this length leaves in this cycle; the next one waits as long as the rate requires. */
void rate_sends(rate *r, const ripstop_workload_config *config, uint64_t cycle, uint32_t flits);
void rate_notified(rate *r, const ripstop_workload_config *config, uint64_t cycle);
/* `packets` have been answered for the first time, the last of them `number`, which was marked or not. `next`: the
 * first packet that was never sent. */
void rate_answered(rate *r, const ripstop_workload_config *config, uint32_t packets, uint32_t number, uint32_t next,
                   bool marked);
/* A time-out has passed for packets up to `number`. */
void rate_expired(rate *r, const ripstop_workload_config *config, uint32_t number, uint32_t next);

#endif
