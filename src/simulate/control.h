/* control.h - a method's protocol inside the simulated network: docs/model.md, "Control messages". */
#ifndef SIMULATE_CONTROL_H
#define SIMULATE_CONTROL_H

#include "simulate/state.h"

/* Sets e->control when the method has a protocol, and starts every switch. */
int control_open(engine *e, ripstop_error *err);
void control_close(engine *e);
/* Whether the protocol, not the plan, has the ways of a node's heads. */
bool control_routes(const engine *e, uint32_t node);
/* The present ways of a head: from its switch's state. */
int control_route(engine *e, const ripstop_head *head, ripstop_way *ways);
/* [nodes]: the present states; NULL for end nodes. */
uint8_t *const *control_states(const engine *e);
/* All steps that are due this cycle. */
void control_step(engine *e);
/* Messages are lost and switches told of their links, start, and take the steps that are due; called after the view
 * has changed and before packets ask for their ways anew. */
void control_changes(engine *e, const ripstop_change *change, size_t count);
/* Puts messages that wait for a free link of this node on it. */
void control_send(engine *e, uint32_t node);

/* No message is under way and no timer runs: nothing but a change of the fabric can alter a switch's ways. */
bool control_quiet(const engine *e);
uint64_t control_sent(const engine *e);                   /* messages so far; the method has a protocol */
uint64_t control_sent_of(const engine *e, uint32_t kind); /* of them, those of one of proto->kinds */
/* Cycles from the last change of the fabric to the last new ways of a switch; UINT64_MAX: nothing has changed. */
uint64_t control_settling(const engine *e);

#endif
