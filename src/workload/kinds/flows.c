/* flows.c - flows of HPCC's ns-3 simulator: messages between nodes at given times. */
#include "base/local.h"
#include "formats/traces/hpcc_flows.h"
#include "workload/tasks.h"
#include "workload/trace_file.h"

static const ripstop_option options[] = {RIPSTOP_WORKLOAD_FILE_OPTIONS("path of the flows (flow.txt)"), {0}};

static void add_flow(ripstop_tasks *tasks, const hpcc_flow *f) {
  const ripstop_message m = ripstop_tasks_message(tasks, f->source, f->destination, f->bytes);
  ripstop_tasks_line(tasks, m.send, f->line);
  ripstop_tasks_line(tasks, m.receive, f->line);
  const uint64_t cycles = tasks_cycles(tasks, f->start, f->more);
  if (cycles) ripstop_tasks_after(tasks, m.send, ripstop_tasks_wait(tasks, f->source, cycles));
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const ripstop_workload_file *c = config_;
  RIPSTOP_LOCAL_ARENA(scratch);
  const char *text;
  size_t length;
  hpcc_flows f;
  if (trace_file_read(scratch, c->path, "flows", &text, &length, err)) return -1;
  if (ripstop_hpcc_flows_read(&f, scratch, text, length, err)) return -1;
  if (ripstop_tasks_need(tasks, f.nodes, err)) return -1;
  for (uint32_t i = 0; i < f.flows; i++) add_flow(tasks, &f.flow[i]);
  return 0;
}

const ripstop_workload ripstop_workload_flows = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "flows",
    .summary = "flows of HPCC's ns-3 simulator: messages at given times",
    .options = options,
    .config_size = sizeof(ripstop_workload_file),
    .build = build,
};
