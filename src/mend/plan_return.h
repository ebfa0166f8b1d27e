/* plan_return.h - leads tables back to those that were planned for the whole fabric, when its cables are back. */
#ifndef MEND_PLAN_RETURN_H
#define MEND_PLAN_RETURN_H

#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/forwarding.h"

/* True if the plan leads from every live switch to every node that is `present` ([nodes]) over links that are up. Both
 * are tables of the view's fabric. */
bool plan_return_serves(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *plan,
                        const ripstop_forwarding *tables);
/* Entries of live switches for such nodes, and service levels, that differ from the plan. */
uint64_t plan_return_left(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *plan,
                          const ripstop_forwarding *tables);
/* Makes the tables those of the plan, with service levels and VLs. */
void plan_return_copy(const ripstop_forwarding *plan, ripstop_forwarding *tables);
/* Copies entries of the plan into the tables, `most` at most, for destinations that keep their service level; returns
 * how many. A switch gets its entry when all switches on its path by the plan had theirs before. So packets that meet
 * old and new entries do not loop: they follow the old ones, then the plan to its end. */
uint64_t plan_return_step(const ripstop_view *view, const uint8_t *present, const ripstop_forwarding *plan,
                          ripstop_forwarding *tables, uint64_t most);

#endif
