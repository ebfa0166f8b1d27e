/* control.h - a method's protocol inside the simulated network: docs/model.md, "Control messages". */
#ifndef SIMULATE_CONTROL_H
#define SIMULATE_CONTROL_H

#include "simulate/state.h"

enum { MESSAGE_FLITS = 1023 }; /* longest control message */

/* Takes the hooks and starts every switch, if the method has a protocol. */
int control_open(run *r, ripstop_error *err);
/* [nodes]: the present states; NULL for end nodes. */
uint8_t *const *control_states(const run *r);
/* Loses messages, notifies switches of their links, starts switches, and runs the steps that are due. Call it after the
 * view has changed. Heads do not reload before control_reload. */
void control_changes(run *r, const ripstop_change *change, size_t count);
/* Reloads the heads whose candidates may have changed: those of switches that took a step or have a changed port, and
 * those of NICs. */
void control_reload(run *r);

/* No message travels and no timer runs, so only a change of the fabric can alter a switch's candidates. */
bool control_quiet(const run *r);
uint64_t control_sent(const run *r);                   /* messages so far; needs a protocol */
uint64_t control_sent_of(const run *r, uint32_t kind); /* the same for one of proto->kinds */
/* The next switch's control module takes in a control packet that `port` sent, until `cycle`. For inband.c. */
void control_taken_in(part *t, uint32_t port, uint32_t message, uint64_t cycle);
/* Cycles from the last change of the fabric to the last message of this kind; UINT64_MAX: none since. */
uint64_t control_last_of(const run *r, uint32_t kind);
/* ripstop_simulate_renewed and ripstop_simulate_messages, for any run. */
uint64_t control_renewed(const run *r, uint32_t node);
size_t control_messages(const run *r, ripstop_message_look *out, size_t most);
/* Cycles from the last change of the fabric to the last new candidates of a switch; UINT64_MAX: no change happened. */
uint64_t control_settling(const run *r);
/* The same for the last new candidates that a message of this kind brought; UINT64_MAX: none since. */
uint64_t control_settling_of(const run *r, uint32_t kind);

#endif
