/* trace_file.h - loads the file of a job in a format of another program. */
#ifndef WORKLOAD_TRACE_FILE_H
#define WORKLOAD_TRACE_FILE_H

#include "ripstop/plugin/workload.h"

/* Reads and unpacks a file of at most 4 GB less one byte; memory from the arena. -1: it cannot be read, or has a format
 * that is known and that `kind`, the name of a workload, does not read. */
int trace_file_read(ripstop_arena *arena, const char *path, const char *kind, const char **text, size_t *length,
                    ripstop_error *err);

#endif
