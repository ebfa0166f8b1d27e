/* output.h - the one place that opens files for writing.
 *
 * A file is complete or unchanged: it is written without a name, or beside its place, and takes its place at the end.
 * A file that takes the place of another gets its owner, its group and its mode. The old file itself is written to,
 * at the end and from a finished copy, if a new one would lose something: it has several names (hard links), an
 * access list or an owner that this process cannot set, or its folder refuses new files. Only then can a crash or a
 * full disk in the middle of that copy leave a part. A file without write permission is never replaced.
 *
 * Links are followed: the file that they lead to is replaced, the links stay. A terminal, a pipe or a character
 * device is never replaced but written to, and so is the target of a link that does not exist yet.
 *
 * Refused, without any change: a file that this process has read (base/inputs.h), whatever the path to it; a file
 * that it has written already; an SQLite database, such as a store, and the log or journal beside one; a folder, a
 * disk, a socket. */
#ifndef RIPSTOP_BASE_OUTPUT_H
#define RIPSTOP_BASE_OUTPUT_H

#include <limits.h>

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

typedef enum ripstop_output_kind {
  RIPSTOP_OUTPUT_NEW, /* an output that a user names */
  /* A file of the program's own format that it reads, changes and writes again. It replaces what this process has read
   * or written, so the caller makes sure that the path is that file's, and never passes a path of a user's output. */
  RIPSTOP_OUTPUT_UPDATE
} ripstop_output_kind;

typedef struct ripstop_output {
  FILE *stream;     /* for the caller to write to */
  const char *path; /* the caller's, for messages */
  ripstop_output_kind kind;
  bool replaces;               /* a file takes the place at the end; else `path` itself is written */
  char place[PATH_MAX];        /* without links */
  char beside[PATH_MAX + 128]; /* the file that will take the place */
  bool nameless;               /* it is written but has no name yet */
  bool in_place;               /* at the end it is copied into the existing file, and does not replace it */
} ripstop_output;

/* `path` must stay until the end. Each that was begun is either ended or dropped. */
int ripstop_output_begin(ripstop_output *o, const char *path, ripstop_output_kind kind, ripstop_error *err);
/* Fails unless all that was written has arrived in its place. */
int ripstop_output_end(ripstop_output *o, ripstop_error *err);
/* Nothing is replaced. */
void ripstop_output_drop(ripstop_output *o);

/* Fails if the output cannot be made; changes no file. From here on this process refuses to read that file, and
 * ripstop_output_begin takes the path: the program opens no RIPSTOP_OUTPUT_NEW that was not checked. So a command
 * checks outputs before it reads its inputs, and opening an input that is also an output fails before any work.
 * ripstop_cli_parse does this for each flag that names an output file. */
int ripstop_output_check(const char *path, ripstop_output_kind kind, ripstop_error *err);
/* True if the command may write a file of this name into the folder. */
typedef bool ripstop_output_mine(const void *context, const char *name);
/* The same for files in a folder, which need not exist. Checks those of its files that are `mine`. */
int ripstop_output_check_folder(const char *path, ripstop_output_kind kind, ripstop_output_mine *mine,
                                const void *context, ripstop_error *err);
/* Removes a file that an earlier output left; a missing one is fine. Refuses the same files as ripstop_output_begin. */
int ripstop_output_remove(const char *path, ripstop_output_kind kind, ripstop_error *err);
/* Makes the folder for outputs, if it is not there. */
int ripstop_output_folder(const char *path, ripstop_error *err);

RIPSTOP_END

#endif
