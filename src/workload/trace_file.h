/* trace_file.h - loads the files of jobs in formats of other programs. */
#ifndef WORKLOAD_TRACE_FILE_H
#define WORKLOAD_TRACE_FILE_H

#include "ripstop/plugin/workload.h"

/* Reads and unpacks a file of at most 4 GB less one byte; memory from the arena. -1: it cannot be read, or has a format
 * that is known and that `kind`, the name of a workload, does not read. */
int trace_file_read(ripstop_arena *arena, const char *path, const char *kind, const char **text, size_t *length,
                    ripstop_error *err);

/* The files PREFIX.0.et, PREFIX.1.et, ... or .json: one for each rank, and all of one ending. */
typedef struct trace_parts {
  const char **path; /* [count]; memory from the arena */
  uint32_t count;
} trace_parts;

/* -1: there is none, which leaves `out` as it is, or one is missing below a later one. */
int trace_parts_find(ripstop_arena *arena, const char *prefix, trace_parts *out, ripstop_error *err);

#endif
