/* fluid_run.h - a workload's run in the flow model, from the text of its jobs to its numbers. */
#ifndef FLOW_FLUID_RUN_H
#define FLOW_FLUID_RUN_H

#include "ripstop/kit/fluid.h"
#include "workload/workload_run.h"

typedef struct fluid_result {
  bool complete;     /* every job did what it was to do */
  bool disconnected; /* messages stand still, and nothing will give them a path */
  bool given_up;     /* workload.limit has passed */
  const char *waits; /* the first unfinished task; NULL: all are done */
  size_t values;
  const ripstop_value *value;
  size_t messages; /* with measure.messages: all, by job and in the order of the workload */
  const ripstop_message_record *message;
  size_t loads; /* by time */
  const ripstop_channel_loads *load;
  double seconds; /* processor time of the event loop */
  ripstop_arena *arena;
} fluid_result;

/* Checks of keys alone, and all checks before the first event but those of paths. The plan must have its tables. */
int fluid_check_keys(const ripstop_workload_run *run, const ripstop_fluid_config *config, ripstop_error *err);
int fluid_check(const ripstop_plan *plan, const ripstop_workload_run *run, const ripstop_fluid_config *config,
                ripstop_error *err);
/* Values have the names that runs with packets have, as far as there is such a thing, and flow.*. -1 with an error;
 * otherwise fluid_result_free ends the result. */
int fluid_run(const ripstop_plan *plan, const ripstop_workload_run *run, const ripstop_fluid_config *config,
              fluid_result *result, ripstop_error *err);
void fluid_result_free(fluid_result *result);

#endif
