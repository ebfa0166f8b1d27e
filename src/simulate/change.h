/* change.h - parts fail and come back while packets are under way: docs/model.md, "Changes". */
#ifndef SIMULATE_CHANGE_H
#define SIMULATE_CHANGE_H

#include "simulate/state.h"

void changes_open(run *r);
/* At the beginning of a cycle: all changes that are due. */
void apply_changes(run *r);
bool changes_ahead(const run *r); /* before the end of the run */
/* A change that the schedule does not have, of a part that is known, for a cycle that has not begun; it comes after
 * those that are due then. */
void change_at(run *r, const ripstop_change *change, uint32_t cycle);

bool compile_plan(run *r);      /* for the present view; false: the run has failed */
void reload_candidates(run *r); /* all heads without a grant ask again */

#endif
