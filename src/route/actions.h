/* actions.h - what a protocol's step hands back to whoever runs it: the simulator's links or the virtual network. */
#ifndef ROUTE_ACTIONS_H
#define ROUTE_ACTIONS_H

#include "ripstop/plugin/method.h"

struct ripstop_actions {
  void *runner;
  uint32_t node; /* whose step it is */
  void (*send)(ripstop_actions *actions, uint32_t port, const void *message);
  void (*timer)(ripstop_actions *actions, uint32_t timer, uint64_t delay_cycles);
  void (*candidates_changed)(ripstop_actions *actions);
  void (*changed_by)(ripstop_actions *actions, uint32_t kind);          /* NULL: nobody keeps accounts */
  void (*link_found)(ripstop_actions *actions, uint32_t port, bool up); /* NULL: likewise */
};

#endif
