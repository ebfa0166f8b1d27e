/* entries.h - for methods whose plan is forwarding tables in the first place: these are the plan's data, with as many
 * addresses for each end node as packets draw (ripstop_plan.draws), most often one, so that address and node have the
 * same number. A packet draws one of its destination's at its generation, takes the lane of its level, and keeps both.
 */
#ifndef METHODS_SHARED_ENTRIES_H
#define METHODS_SHARED_ENTRIES_H

#include "ripstop/forwarding.h"
#include "ripstop/plugin/method.h"

enum { ENTRIES_NO_CANDIDATE, ENTRIES_CUT_OFF };
extern const char *const ripstop_entries_losses[];

/* ripstop_method.route and ripstop_method.forwarding. */
int ripstop_entries_route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidate);
const ripstop_forwarding *ripstop_entries_forwarding(const ripstop_plan *plan);

#endif
