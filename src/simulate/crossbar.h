/* crossbar.h - the decisions of a switch whose input queues have lines (packet_lines.h). */
#ifndef SIMULATE_CROSSBAR_H
#define SIMULATE_CROSSBAR_H

#include "simulate/state.h"

/* Opens a crossbar with a speedup; input queues get lines, one for each. */
int crossbar_open(run *r, ripstop_error *err);
/* For hooks.rounds. */
void crossbar_rounds(part *t, const sim_node *n);

#endif
