/* round_trip.h - the retransmission time-out of a flow from measured round trips (RFC 6298), and its lower bound. */
#ifndef WORKLOAD_ROUND_TRIP_H
#define WORKLOAD_ROUND_TRIP_H

#include "ripstop/kit/simulation.h"

/* SRTT and RTTVAR in cycles, scaled by 8 and by 4 (Jacobson, Congestion Avoidance and Control, SIGCOMM 1988,
 * appendix A), so that integers are enough and rows do not depend on the compiler. */
typedef struct round_trip {
  uint64_t mean8, deviation4; /* 0: nothing was measured */
} round_trip;

void round_trip_add(round_trip *r, uint64_t cycles);
/* SRTT + max(G, 4 RTTVAR) with a clock of G = 1 cycle, and at least `least`, which is also the answer before the first
 * measurement. */
uint64_t round_trip_timeout(const round_trip *r, uint64_t least);

/* A lower bound of time-outs: the cycles that an answer takes in a network that loses nothing. Twice the time in which
 * `window` packets of `flits` flits from every end node cross one link, the slowest at the start or by the schedule
 * (may be NULL), beside the time on an idle path there and back, at most as long as two paths that meet at one end
 * node's switch. At most ROUND_TRIP_MOST. */
#define ROUND_TRIP_MOST (UINT64_C(1) << 28)
uint64_t round_trip_bound(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, uint64_t window,
                          uint32_t flits);
/* The packets of `flits` flits that fill such an idle path (a bandwidth-delay product), and a queue of QUEUED_PACKETS
 * on it, as long as those of NDP's switches: a flow that meets others on its path keeps its rate. */
enum { QUEUED_PACKETS = 8 };
uint32_t round_trip_packets(const ripstop_plan *plan, const ripstop_simulate_settings *scenario, uint32_t flits,
                            uint32_t ack);

#endif
