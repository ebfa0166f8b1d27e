/* change.h - parts fail and return during the run: docs/model.md, "Changes". */
#ifndef SIMULATE_CHANGE_H
#define SIMULATE_CHANGE_H

#include "simulate/state.h"

void changes_open(run *r);
/* Applies the changes that are due, at the beginning of a cycle. */
void apply_changes(run *r);
bool changes_ahead(const run *r); /* before the end of the run */
/* Inserts a change of a known part, for a cycle that has not begun, behind the changes that are due then. */
void change_at(run *r, const ripstop_change *change, uint32_t cycle);

bool compile_plan(run *r);      /* for the present view; false: the run has failed */
void reload_candidates(run *r); /* all heads without a grant */

#endif
