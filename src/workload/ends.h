/* ends.h - which end nodes a fabric still connects when all that is scheduled has happened. */
#ifndef WORKLOAD_ENDS_H
#define WORKLOAD_ENDS_H

#include "ripstop/kit/simulation.h"

/* [end nodes]: equal numbers are connected after the last change of the schedule (NULL: none), whose cycle is
 * `settled`. The end node of a failed switch is connected with no other. Memory from the arena. */
const uint32_t *ends_parts(const ripstop_plan *plan, const ripstop_schedule *schedule, ripstop_arena *arena,
                           uint64_t *settled);

#endif
