/* inputs.h - the files that this process has read, so that no output replaces one of them.
 *
 * Only the program starts the list. In other processes, which link the library, it stays empty.
 *
 * A file is known by its device and inode number, not by its path: links and other spellings of a path are the same
 * file. The list only grows, and holds each file once. Threads may add to it and read it at the same time. */
#ifndef RIPSTOP_BASE_INPUTS_H
#define RIPSTOP_BASE_INPUTS_H

#include <stdio.h>
#include <sys/stat.h>

#include "ripstop/base.h"

RIPSTOP_BEGIN

/* From now on files are noted. */
void ripstop_inputs_begin(void);
/* fopen(path, "rb"), and notes the file. */
FILE *ripstop_input_open(const char *path);
/* For files that are opened by other means. */
void ripstop_input_note(const struct stat *about);
/* True if this process has read the file, or has it as standard input. */
bool ripstop_input_is(const struct stat *about);

RIPSTOP_END

#endif
