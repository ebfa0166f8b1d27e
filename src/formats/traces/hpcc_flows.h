/* hpcc_flows.h - reads flow files of HPCC's ns-3 simulator (docs/workloads.md, "Flows of HPCC"): `flow.txt`. */
#ifndef RIPSTOP_FORMATS_TRACES_HPCC_FLOWS_H
#define RIPSTOP_FORMATS_TRACES_HPCC_FLOWS_H

#include "ripstop/plugin/base.h"

typedef struct hpcc_flow {
  uint32_t line, source, destination;
  uint64_t bytes, start; /* picoseconds after the first flow */
  bool more;             /* the start is a part of a picosecond later */
} hpcc_flow;

typedef struct hpcc_flows {
  uint32_t nodes, flows; /* nodes: one more than the highest id */
  hpcc_flow *flow;       /* in the order of the file, which is that of starts */
} hpcc_flows;

/* The kit uses it. */
RIPSTOP_BEGIN

/* Memory from the arena. -1: the error has the format and the line. */
int ripstop_hpcc_flows_read(hpcc_flows *out, ripstop_arena *arena, const char *text, size_t length, ripstop_error *err);

RIPSTOP_END

#endif
