/* trace_file.c - loads the file of a job in a format of another program. */
#include "workload/trace_file.h"

#include "fabric/content.h"
#include "formats/traces/trace_format.h"

#define FILE_LIMIT ((size_t)UINT32_MAX) /* bytes: 4 GB less one */

int trace_file_read(ripstop_arena *arena, const char *path, const char *kind, const char **text, size_t *length,
                    ripstop_error *err) {
  char *bytes;
  if (ripstop_read_file(arena, path, FILE_LIMIT, &bytes, length, err)) return -1;
  *text = bytes;
  if (ripstop_content_unpack(arena, path, text, length, err)) return -1;
  return ripstop_trace_refuse_other(*text, *length, kind, err);
}
