/* plan_steps.h - a compilation in its two steps: a protocol needs less of a plan than proofs and tables do. */
#ifndef ROUTE_PLAN_STEPS_H
#define ROUTE_PLAN_STEPS_H

#include "ripstop/plugin/plan.h"

RIPSTOP_BEGIN

/* The same method with the same options, compiled for another view of the same fabric; `like` must outlive it. */
ripstop_plan *ripstop_plan_for(const ripstop_plan *like, const ripstop_view *view, ripstop_answer *answer,
                               ripstop_error *err);
/* The second step of ripstop_plan_open, for methods that have one: the tables that `route` and the method's counts and
 * facts read. To be called before the plan is shared; a second call does nothing. Proofs, certificates, and simulations
 * that route by the plan (ripstop_simulate_routes) need them; a protocol by itself does not. Does not apply: nor did
 * the plan, when it was last compiled. */
ripstop_answer ripstop_plan_tables(ripstop_plan *plan, ripstop_error *err);
/* For callers of `route`: 0, or -1 and an error that says that the tables have not been made. */
int ripstop_plan_check_tables(const ripstop_plan *plan, ripstop_error *err);
/* The first step of ripstop_plan_update alone. */
ripstop_answer ripstop_plan_recompile(ripstop_plan *plan, ripstop_error *err);

RIPSTOP_END

#endif
