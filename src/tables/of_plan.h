/* of_plan.h - the forwarding tables of a plan. */
#ifndef TABLES_OF_PLAN_H
#define TABLES_OF_PLAN_H

#include "ripstop/plugin/forwarding.h"
#include "ripstop/plugin/plan.h"

/* Takes the tables that the method made in the plan's memory; the plan is closed. NULL: it has none there, and the
 * plan is unchanged. */
ripstop_forwarding *ripstop_forwarding_take(ripstop_plan *plan);

/* The tables of the plan with the service levels and VLs that lead packets over its channels. *whole: service levels
 * can express them; otherwise the tables have one VL. NULL: the plan has no tables of at most `limit` entries. */
ripstop_forwarding *ripstop_forwarding_of_method(ripstop_plan *plan, uint64_t limit, bool *whole, ripstop_error *err);

#endif
