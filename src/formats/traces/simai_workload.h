/* simai_workload.h - reads workloads of SimAI and AICB (aliyun/SimAI, astra-sim-alibabacloud/astra-sim/workload/
 * Workload.cc): the layers of a training step, with the time and the collective of each phase. */
#ifndef RIPSTOP_FORMATS_TRACES_SIMAI_WORKLOAD_H
#define RIPSTOP_FORMATS_TRACES_SIMAI_WORKLOAD_H

#include "ripstop/plugin/base.h"

typedef enum simai_policy { SIMAI_TRANSFORMER, SIMAI_MICRO } simai_policy;

typedef enum simai_collective {
  SIMAI_NONE,
  SIMAI_ALL_REDUCE,
  SIMAI_ALL_GATHER,
  SIMAI_REDUCE_SCATTER,
  SIMAI_ALL_TO_ALL
} simai_collective;

/* The ranks of a collective: tensor parallel in the first two phases and data parallel in the third, or as its suffix
 * says. */
typedef enum simai_scope { SIMAI_USUAL, SIMAI_EP, SIMAI_DP_EP } simai_scope;

typedef enum simai_phase { SIMAI_FORWARD, SIMAI_INPUT_GRADIENT, SIMAI_WEIGHT_GRADIENT, SIMAI_PHASES } simai_phase;

typedef struct simai_part {
  uint64_t picoseconds, bytes; /* bytes: of the whole vector */
  bool more;                   /* a part of a picosecond more */
  simai_collective collective;
  simai_scope scope;
} simai_part;

typedef struct simai_row {
  uint32_t line;
  simai_part part[SIMAI_PHASES];
} simai_row;

typedef struct simai_workload {
  simai_policy policy;
  uint32_t tp, ep;
  uint32_t gpus; /* 0: not in the file */
  uint32_t rows;
  simai_row *row;
} simai_workload;

/* The kit uses it. */
RIPSTOP_BEGIN

/* Memory from the arena. -1: the error has the format and the line. */
int ripstop_simai_read(simai_workload *out, ripstop_arena *arena, const char *text, size_t length, ripstop_error *err);

RIPSTOP_END

#endif
