/* losses.h - a list of the packets that were lost, one by one (ripstop_scenario.losses). */
#ifndef SIMULATE_LOSSES_H
#define SIMULATE_LOSSES_H

#include "simulate/state.h"

/* When the parts are laid out: makes the lists where the scenario wants one. */
void losses_open(run *r);
/* One of a stream (its end node and class) is lost in the part's present cycle: the packet of this number to this end
 * node, at a node (RIPSTOP_NONE: not known), for a cause RIPSTOP_LOST_*. Only where t->run->losses is not NULL. */
void losses_note(part *t, uint32_t stream, uint32_t number, uint32_t destination, uint32_t node, uint32_t cause);
/* Copies the first losses by cycle and packet, at most as many as were requested, into the result's memory. */
void losses_result(const run *r, ripstop_result *out);
/* The text of a cause, as "link died"; for a method's own causes its word. */
const char *losses_word(const run *r, uint32_t cause);

#endif
