/* control.h - a method's protocol inside the simulated network: docs/model.md, "Control messages". */
#ifndef SIMULATE_CONTROL_H
#define SIMULATE_CONTROL_H

#include "simulate/state.h"

enum { MESSAGE_FLITS = 1023 }; /* of a control message, at most */

/* Where the method has a protocol: takes the hooks, and starts every switch. */
int control_open(run *r, ripstop_error *err);
/* [nodes]: the present states; NULL for end nodes. */
uint8_t *const *control_states(const run *r);
/* Messages are lost and switches told of their links, start, and take the steps that are due; called after the view
 * has changed. Heads do not ask again before control_reload. */
void control_changes(run *r, const ripstop_change *change, size_t count);
/* The heads ask again whose candidates may be others since the changes: those of switches that have taken a step or
 * have a port that changed, and those of network interfaces. */
void control_reload(run *r);

/* No message is under way and no timer runs: nothing but a change of the fabric can alter a switch's candidates. */
bool control_quiet(const run *r);
uint64_t control_sent(const run *r);                   /* messages so far; the method has a protocol */
uint64_t control_sent_of(const run *r, uint32_t kind); /* of them, those of one of proto->kinds */
/* A control packet that `port` has sent is taken in by the module of the switch beyond until `cycle`. inband.c */
void control_taken_in(part *t, uint32_t port, uint32_t message, uint64_t cycle);
/* Cycles from the last change of the fabric until a message of this kind was last sent; UINT64_MAX: none since. */
uint64_t control_last_of(const run *r, uint32_t kind);
/* ripstop_simulate_renewed and ripstop_simulate_messages; any run. */
uint64_t control_renewed(const run *r, uint32_t node);
size_t control_messages(const run *r, ripstop_message_look *out, size_t most);
/* Cycles from the last change of the fabric to the last new candidates of a switch; UINT64_MAX: nothing has changed. */
uint64_t control_settling(const run *r);
/* The same for the last new candidates that a message of this kind brought; UINT64_MAX: none since. */
uint64_t control_settling_of(const run *r, uint32_t kind);

#endif
