/* files.h - files by content: a process that does not have the files can read what another process has read.
 *
 * A caller makes a record and puts it into the course of a call (base/memory.h). Below that call ripstop_read_file adds
 * the files that it reads to the record; with `complete` it finds only the files in it, under the same paths. */
#ifndef RIPSTOP_BASE_FILES_H
#define RIPSTOP_BASE_FILES_H

#include "ripstop/plugin/base.h"

/* One thread at a time adds to a record; any number read a complete one. */
typedef struct ripstop_files {
  ripstop_text content; /* begun; for each file the two lengths, the path and the content */
  bool complete;
} ripstop_files;

/* For ripstop_read_file: the content of a path, or NULL if the record does not have it. */
const char *ripstop_files_find(const ripstop_files *files, const char *path, size_t *length);
/* Nothing if the record has the path. */
void ripstop_files_add(ripstop_files *files, const char *path, const char *data, size_t length);

#endif
