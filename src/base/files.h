/* files.h - files by content: a process that does not have the files can read what another process has read.
 *
 * A record is bytes. While one is being made, ripstop_read_file adds the files that it reads to it. In a process that
 * uses a record, ripstop_read_file finds only the files in it, under the same paths. Both belong to the whole
 * process: set them while it has one thread. */
#ifndef RIPSTOP_BASE_FILES_H
#define RIPSTOP_BASE_FILES_H

#include "ripstop/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

void ripstop_files_record(ripstop_text *record);    /* the caller's text, begun; NULL: stop recording */
void ripstop_files_use(const ripstop_text *record); /* must live as long as files are read; NULL: those of the disk */

RIPSTOP_END

/* For ripstop_read_file. */
const ripstop_text *ripstop_files_used(void); /* NULL: the disk's */
/* The content of a path in a record; NULL: it is not there. */
const char *ripstop_files_find(const ripstop_text *record, const char *path, size_t *length);
void ripstop_files_note(const char *path, const char *data, size_t length);

#endif
