/* entries.h - for methods whose plan is forwarding tables in the first place: these are the plan's data, with an
 * address for each node, so that address and node have the same number. A packet takes the lane of its level at its
 * birth and keeps it. */
#ifndef METHODS_SHARED_ENTRIES_H
#define METHODS_SHARED_ENTRIES_H

#include "ripstop/plugin/method.h"

enum { ENTRIES_NO_WAY, ENTRIES_CUT_OFF };
extern const char *const ripstop_entries_losses[];

/* ripstop_method.route and ripstop_method.forwarding. */
int ripstop_entries_route(const ripstop_plan *plan, const ripstop_head *head, ripstop_way *way);
const ripstop_forwarding *ripstop_entries_forwarding(const ripstop_plan *plan);

#endif
