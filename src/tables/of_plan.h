/* of_plan.h - a method's own forwarding tables without a copy. */
#ifndef TABLES_OF_PLAN_H
#define TABLES_OF_PLAN_H

#include "ripstop/forwarding.h"
#include "ripstop/plan.h"

/* Those that the method has made in the plan's memory, which is theirs from here on: the plan is no more. NULL: it has
 * none there, and the plan is as it was. */
ripstop_forwarding *ripstop_forwarding_take(ripstop_plan *plan);

#endif
