/* change.h - parts fail and come back while packets are under way: docs/model.md, "Changes". */
#ifndef SIMULATE_CHANGE_H
#define SIMULATE_CHANGE_H

#include "simulate/state.h"

/* Where nothing ever changes it costs nothing. */
void changes_open(run *r);
/* At the beginning of a cycle: all changes that are due. */
void apply_changes(run *r);
bool changes_ahead(const run *r); /* before the end of the run */
/* A change for the next cycle that no schedule knew of, after those that are due then. -1: no such part, or it is as it
 * should be already. */
int change_next(run *r, const ripstop_change *change);
void changes_close(run *r);

bool compile_plan(run *r); /* for the present view; false: the run has failed */
void reload_ways(run *r);  /* all heads without a grant ask anew */

#endif
