/* net.h - the network, as the machine sees it: the simulated one (program.c) or, in tests, an ideal one
 * (tests/ideal_net.h). */
#ifndef PROGRAMS_NET_H
#define PROGRAMS_NET_H

#include "ripstop/simulate.h"

/* As ripstop_io_now, ripstop_io_send, ripstop_io_alarm and ripstop_io_finish. */
typedef struct net {
  void *self;
  uint64_t (*now)(void *self);
  void (*send)(void *self, const ripstop_letter *letter);
  void (*alarm)(void *self, uint64_t cycle);
  void (*finish)(void *self);
} net;

#endif
