/* of_plan.h - a method's own forwarding tables without a copy. */
#ifndef TABLES_OF_PLAN_H
#define TABLES_OF_PLAN_H

#include "ripstop/plugin/forwarding.h"
#include "ripstop/plugin/plan.h"

/* Takes the tables that the method made in the plan's memory; the plan is closed. NULL: it has none there, and the
 * plan is unchanged. */
ripstop_forwarding *ripstop_forwarding_take(ripstop_plan *plan);

#endif
