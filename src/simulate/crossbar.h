/* crossbar.h - the decisions of a switch whose input queues have lines (packet_lines.h). */
#ifndef SIMULATE_CROSSBAR_H
#define SIMULATE_CROSSBAR_H

#include "simulate/state.h"

/* Opens a crossbar with a speedup or a matching; input queues get lines, one for each. crossbar_open.c */
int crossbar_open(run *r, ripstop_error *err);
/* For hooks.event: CROSSED. */
void crossbar_crossed(part *t, uint32_t index, uint32_t port);
/* For hooks.rounds. */
void crossbar_rounds(part *t, const sim_node *n);

#endif
