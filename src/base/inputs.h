/* inputs.h - the files that a program reads and those that it will write, so that no output replaces an input.
 *
 * The program makes the lists and puts them into the course of its calls (base/memory.h), which add to them. Calls
 * without lists note nothing and refuse nothing.
 *
 * A file is known by its device and inode number, not by its path: links and other spellings of a path are the same
 * file. The lists only grow. Threads may add to them and search them at the same time. */
#ifndef RIPSTOP_BASE_INPUTS_H
#define RIPSTOP_BASE_INPUTS_H

#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

/* Zero-initialise; ripstop_noted_free when no call has it any more. */
typedef struct ripstop_noted {
  _Atomic(struct ripstop_noted_input *) input;   /* the newest */
  _Atomic(struct ripstop_noted_output *) output; /* the newest */
} ripstop_noted;

void ripstop_noted_free(ripstop_noted *noted);
/* fopen(path, "rb"), and notes the file. NULL: there is no such file, or an output will replace it. */
FILE *ripstop_input_open(const char *path, ripstop_error *err);
/* For files that are opened by other means. Fails if an output will replace the file. */
int ripstop_input_note(const struct stat *about, ripstop_error *err);
/* True if the file was read or written, or is standard input. */
bool ripstop_input_is(const struct stat *about);

/* Notes that `path` will be written, or with `folder` files below it. base/output.c calls these. */
void ripstop_output_note(const char *path, bool folder);
/* Notes that the path has been written or will not be: the file that was there before may be read again. */
void ripstop_output_noted_done(const char *path);
/* True if the path was noted, or the folder that holds it, or if there are no lists. */
bool ripstop_output_is_noted(const char *path);
/* Also notes that the file was written. */
void ripstop_input_written(const struct stat *about);

RIPSTOP_END

#endif
