/* actions.c - the calls that a protocol's step may make. */
#include "route/actions.h"
#include "ripstop/plugin/method.h"

void ripstop_act_send(ripstop_actions *actions, uint32_t port, const void *message) {
  actions->send(actions, port, message);
}

void ripstop_act_timer(ripstop_actions *actions, uint32_t timer, uint64_t delay_cycles) {
  actions->timer(actions, timer, delay_cycles);
}

void ripstop_act_candidates_changed(ripstop_actions *actions) { actions->candidates_changed(actions); }

void ripstop_act_changed_by(ripstop_actions *actions, uint32_t kind) {
  if (actions->changed_by) actions->changed_by(actions, kind);
}

void ripstop_act_link_found(ripstop_actions *actions, uint32_t port, bool up) {
  if (actions->link_found) actions->link_found(actions, port, up);
}
