/* inputs.h - the files that this process reads and those that it will write, so that no output replaces an input.
 *
 * Only the program starts the lists. In other processes, which link the library, they stay empty and refuse nothing.
 *
 * A file is known by its device and inode number, not by its path: links and other spellings of a path are the same
 * file. The lists only grow. Threads may add to them and search them at the same time. */
#ifndef RIPSTOP_BASE_INPUTS_H
#define RIPSTOP_BASE_INPUTS_H

#include <stdio.h>
#include <sys/stat.h>

#include "ripstop/base.h"

RIPSTOP_BEGIN

/* From now on files are noted. */
void ripstop_inputs_begin(void);
/* fopen(path, "rb"), and notes the file. NULL: there is no such file, or an output will replace it. */
FILE *ripstop_input_open(const char *path, ripstop_error *err);
/* For files that are opened by other means. Fails if an output will replace the file. */
int ripstop_input_note(const struct stat *about, ripstop_error *err);
/* True if this process has read or written the file, or has it as standard input. */
bool ripstop_input_is(const struct stat *about);

/* Notes that `path` will be written, or with `folder` files below it. base/output.c calls these. */
void ripstop_output_note(const char *path, bool folder);
/* Notes that the path has been written or will not be: the file that was there before may be read again. */
void ripstop_output_noted_done(const char *path);
/* True if the path was noted, or the folder that holds it, or if the lists were not started. */
bool ripstop_output_is_noted(const char *path);
/* Also notes that this process has written the file. */
void ripstop_input_written(const struct stat *about);

RIPSTOP_END

#endif
