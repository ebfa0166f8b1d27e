/* machine_net.h - the interface of the network to the machine: the simulated one (program.c) or, in tests, an ideal one
 * (tests/ideal_net.h). */
#ifndef PROGRAMS_MACHINE_NET_H
#define PROGRAMS_MACHINE_NET_H

#include "ripstop/kit/simulation.h"

/* The functions correspond to ripstop_agent_now, ripstop_agent_send, ripstop_agent_alarm and ripstop_agent_finish. */
typedef struct net {
  void *self;
  uint64_t (*now)(void *self);
  void (*send)(void *self, const ripstop_agent_packet *agent_packet);
  void (*alarm)(void *self, uint64_t cycle);
  void (*finish)(void *self);
} net;

#endif
