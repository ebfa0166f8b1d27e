/* files.h - files by content: what one process has read, another that does not have the files reads too.
 *
 * A record is bytes. While one is being made, ripstop_read_file adds to it what it reads; in a process that has been
 * given one, ripstop_read_file finds nothing but what is in it, under the very paths. Both are of the whole process:
 * they are set where it has one thread. */
#ifndef RIPSTOP_BASE_FILES_H
#define RIPSTOP_BASE_FILES_H

#include "ripstop/base.h"

/* The kit uses it too. */
RIPSTOP_BEGIN

void ripstop_files_record(ripstop_text *record);    /* of the caller, begun; NULL: no more is added */
void ripstop_files_use(const ripstop_text *record); /* lives as long as files are read; NULL: those of the disk */

RIPSTOP_END

/* For ripstop_read_file. */
const ripstop_text *ripstop_files_used(void); /* NULL: the disk's */
/* The content of a path in a record; NULL: it is not there. */
const char *ripstop_files_find(const ripstop_text *record, const char *path, size_t *length);
void ripstop_files_note(const char *path, const char *data, size_t length);

#endif
