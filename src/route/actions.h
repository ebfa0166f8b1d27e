/* actions.h - the results that a protocol's step returns to its runner: the simulator's links (simulate/control.c) or
 * the virtual network (proto/network.c). */
#ifndef ROUTE_ACTIONS_H
#define ROUTE_ACTIONS_H

#include "ripstop/plugin/method.h"

struct ripstop_actions {
  void *runner;
  uint32_t node; /* the node that takes the step */
  void (*send)(ripstop_actions *actions, uint32_t port, const void *message);
  void (*timer)(ripstop_actions *actions, uint32_t timer, uint64_t delay_cycles);
  void (*candidates_changed)(ripstop_actions *actions);
  void (*changed_by)(ripstop_actions *actions, uint32_t kind);          /* NULL: effects are not recorded */
  void (*link_found)(ripstop_actions *actions, uint32_t port, bool up); /* NULL: likewise */
};

#endif
