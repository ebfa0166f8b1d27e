/* control.h - a method's protocol inside the simulated network: docs/model.md, "Control messages". */
#ifndef SIMULATE_CONTROL_H
#define SIMULATE_CONTROL_H

#include "simulate/state.h"

/* Sets e->control when the method has a protocol, and starts every switch. */
int control_open(engine *e, rs_error *err);
void control_close(engine *e);
/* The present ways of a head: from its switch's state. */
int control_route(engine *e, const rs_head *head, rs_way *ways);
/* All steps that are due this cycle. */
void control_step(engine *e);
/* The steps that link events of this cycle cause; called after the view has changed. */
void control_changes(engine *e, const rs_change *change, size_t count);
/* Puts messages that wait for a free link of this node on it. */
void control_send(engine *e, uint32_t node);

#endif
