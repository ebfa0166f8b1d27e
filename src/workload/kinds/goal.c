/* goal.c - a trace in GOAL's text or binary form, as LogGOPSim's schedgen writes them (Hoefler, Siebert and Lumsdaine,
 * "Group Operation Assembly Language", ICPP 2009): any recorded or generated job. */
#include "workload/goal.h"
#include "base/local.h"
#include "workload/trace_file.h"

static const ripstop_option options[] = {RIPSTOP_WORKLOAD_FILE_OPTIONS("path of the trace"), {0}};

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const ripstop_workload_file *c = config_;
  RIPSTOP_LOCAL_ARENA(scratch);
  const char *text;
  size_t length;
  int status = trace_file_read(scratch, c->path, "goal", &text, &length, err);
  if (!status) status = goal_read(tasks, text, length, err);
  return status;
}

const ripstop_workload ripstop_workload_goal = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "goal",
    .summary = "a trace in GOAL's text or binary form: sends, receives and computations with what each requires",
    .options = options,
    .config_size = sizeof(ripstop_workload_file),
    .build = build,
};
