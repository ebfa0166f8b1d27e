/* entries.h - for methods whose plan is a set of forwarding tables. They are the plan's data, with
 * ripstop_plan.random_headers addresses for each end node, mostly one, so that address and node have the same number. A
 * packet gets a random address of its destination when it is generated, uses the virtual channel of its service level,
 * and keeps both. */
#ifndef METHODS_SHARED_ENTRIES_H
#define METHODS_SHARED_ENTRIES_H

#include "ripstop/plugin/forwarding.h"
#include "ripstop/plugin/method.h"

enum { ENTRIES_NO_CANDIDATE, ENTRIES_CUT_OFF };
extern const char *const ripstop_entries_losses[];

/* ripstop_method.route and ripstop_method.forwarding. */
int ripstop_entries_route(const ripstop_plan *plan, const ripstop_head *head, ripstop_candidate *candidate);
const ripstop_forwarding *ripstop_entries_forwarding(const ripstop_plan *plan);

#endif
