/* actions.c - the calls that a protocol's step may make. */
#include "route/actions.h"

void rs_act_send(rs_actions *actions, uint32_t port, const void *message) { actions->send(actions, port, message); }

void rs_act_timer(rs_actions *actions, uint32_t timer, uint64_t delay_cycles) {
  actions->timer(actions, timer, delay_cycles);
}

void rs_act_ways_changed(rs_actions *actions) { actions->ways_changed(actions); }

void rs_act_link_found(rs_actions *actions, uint32_t port, bool up) {
  if (actions->link_found) actions->link_found(actions, port, up);
}
