/* losses.h - a list of lost packets, one by one (ripstop_simulate_settings.losses). */
#ifndef SIMULATE_LOSSES_H
#define SIMULATE_LOSSES_H

#include "simulate/run_result.h"
#include "simulate/state.h"

/* Makes the lists if the scenario requests losses. Call it when the parts are laid out. */
void losses_open(run *r);
/* Notes a loss in the part's present cycle: the packet of this number of a stream, its end node, the node of the loss
 * (RIPSTOP_NONE: unknown) and its cause RIPSTOP_LOST_*. Requires t->run->losses. */
void losses_note(part *t, uint32_t stream, uint32_t number, uint32_t destination, uint32_t node, uint32_t cause);
/* Copies the first losses by cycle and packet, at most the requested number, into the result's memory. */
void losses_result(const run *r, ripstop_run_result *out);
/* The text of a cause, such as "link died"; the method's word for its own causes. */
const char *losses_word(const run *r, uint32_t cause);

#endif
