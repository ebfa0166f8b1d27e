/* net.h - the network, as the machine sees it: the simulated one (program.c) or, in tests, an ideal one
 * (tests/ideal_net.h). */
#ifndef PROGRAMS_NET_H
#define PROGRAMS_NET_H

#include "ripstop/simulate.h"

/* As ripstop_play_now, ripstop_play_send, ripstop_play_alarm and ripstop_play_finish. */
typedef struct net {
  void *self;
  uint64_t (*now)(void *self);
  void (*send)(void *self, const ripstop_letter *letter);
  void (*alarm)(void *self, uint64_t cycle);
  void (*finish)(void *self);
} net;

#endif
