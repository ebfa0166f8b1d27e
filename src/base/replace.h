/* replace.h - files that are whole or as they were: they are written beside their place, and then take it.
 *
 * Links are followed: the file that they lead to is replaced, the links stay. What is there and is no regular file (a
 * device, a pipe) is never replaced but written to, and so is what a link leads to where there is nothing yet. */
#ifndef RIPSTOP_BASE_REPLACE_H
#define RIPSTOP_BASE_REPLACE_H

#include <limits.h>

#include "ripstop/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_replacement {
  FILE *stream;     /* to be written */
  const char *path; /* of the caller, for messages */
  char place[PATH_MAX];
  char beside[PATH_MAX + 64]; /* a new file; empty: `path` itself is written */
} ripstop_replacement;

/* `path` must stay until the end. Each that was begun is either ended or dropped. */
int ripstop_replacement_begin(ripstop_replacement *r, const char *path, ripstop_error *err);
/* Fails unless all that was written has arrived in its place. */
int ripstop_replacement_end(ripstop_replacement *r, ripstop_error *err);
/* Nothing is replaced. */
void ripstop_replacement_drop(ripstop_replacement *r);

RIPSTOP_END

#endif
