/* goal.c - a trace in GOAL's text form, as LogGOPSim's schedgen writes them (Hoefler, Siebert and Lumsdaine, "Group
 * Operation Assembly Language", ICPP 2009): any job that somebody has recorded or made. */
#include "workload/goal.h"

#define TRACE_LIMIT ((size_t)1 << 32) /* bytes */

typedef struct config {
  const char *file, *hash;
} config;

static const ripstop_option options[] = {
    {.name = "file",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, file),
     .positional = true,
     .help = "path of the trace"},
    {.name = "hash",
     .type = RIPSTOP_OPTION_TEXT,
     .offset = offsetof(config, hash),
     .fallback = "",
     .help = "what it must hash to (XXH3, 16 hexadecimal digits); empty: anything"},
    {0}};

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *c = config_;
  ripstop_arena *scratch = ripstop_arena_new();
  char *text;
  size_t length;
  int status = ripstop_read_file(scratch, c->file, TRACE_LIMIT, &text, &length, err);
  if (!status) status = goal_read(tasks, text, length, err);
  ripstop_arena_free(scratch);
  return status;
}

const ripstop_workload ripstop_workload_goal = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "goal",
    .summary = "a trace in GOAL's text form: sends, receives and computations with what each requires",
    .options = options,
    .config_size = sizeof(config),
    .build = build,
};
