/* htsim_matrix.h - reads connection matrices of htsim (.cm; csg-htsim's sim/datacenter/connection_matrix.cpp): flows
 * that start at a time or when a trigger fires (docs/workloads.md, "Connection matrices of htsim"). */
#ifndef RIPSTOP_FORMATS_TRACES_HTSIM_MATRIX_H
#define RIPSTOP_FORMATS_TRACES_HTSIM_MATRIX_H

#include "ripstop/plugin/base.h"

/* The unit of starts. By its source htsim reads picoseconds, but some versions and its own writer have microseconds in
 * the same place. AUTO: picoseconds, unless the numbers look like microseconds, which is an error. */
typedef enum htsim_unit { HTSIM_AUTO, HTSIM_PICOSECONDS, HTSIM_MICROSECONDS } htsim_unit;

#define HTSIM_MATRIX "htsim connection matrix" /* its name in messages */

typedef enum htsim_shot { HTSIM_ONESHOT, HTSIM_MULTISHOT, HTSIM_BARRIER } htsim_shot;

typedef struct htsim_flow {
  uint32_t line, source, destination;
  uint32_t id;                            /* 0: none */
  uint32_t trigger, send_done, recv_done; /* indices of triggers; RIPSTOP_NONE: none */
  uint64_t bytes, start;                  /* picoseconds */
  bool more;                              /* the start is a part of a picosecond later */
} htsim_flow;

typedef struct htsim_trigger {
  uint32_t line, id;
  htsim_shot shot;
  uint32_t count;          /* barrier: how often it must be activated */
  uint32_t fired, waiting; /* how often flows name it as done, and how many it starts */
} htsim_trigger;

typedef struct htsim_matrix {
  uint32_t nodes, flows, triggers;
  htsim_flow *flow;       /* in the order of the file */
  htsim_trigger *trigger; /* in the order of the file */
} htsim_matrix;

/* The kit uses it. */
RIPSTOP_BEGIN

/* A matrix that is read can run: every flow that a trigger starts is started, and no oneshot fires twice. Memory from
 * the arena. -1: the error has the format and the line. */
int ripstop_htsim_matrix_read(htsim_matrix *out, ripstop_arena *arena, const char *text, size_t length, htsim_unit unit,
                              ripstop_error *err);

RIPSTOP_END

#endif
