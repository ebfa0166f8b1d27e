/* fluid_values.h - the numbers of a run in the flow model. */
#ifndef FLOW_FLUID_VALUES_H
#define FLOW_FLUID_VALUES_H

#include "flow/fluid_run.h"
#include "flow/timeline.h"

/* Memory from the arena. */
void fluid_values(const timeline *t, const job *all, bool complete, ripstop_arena *arena, fluid_result *out);

#endif
