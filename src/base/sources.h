/* sources.h - the hash of the source text of each plug-in.
 *
 * A run's name covers all that it depends on, including its method's code: rows of an edited method are not those of
 * the new one. The build hashes the files of each plug-in (cmake/sources.cmake) into a table, which is in a file of
 * its own: a test with methods of its own gets one with these (ripstop_extra_methods). */
#ifndef RIPSTOP_BASE_SOURCES_H
#define RIPSTOP_BASE_SOURCES_H

#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_source {
  const char *kind, *name; /* "method", "updown" */
  const char *hash;        /* 16 hexadecimal digits */
} ripstop_source;
extern RIPSTOP_INTERNAL const ripstop_source ripstop_sources[]; /* generated; ends with one without a name */

/* The same for the methods of a program that links the library; NULL if it has none (cmake/own.cmake). */
extern const ripstop_source ripstop_own_sources[] __attribute__((weak));

/* The hash of the plug-in of this kind that "name:a=1,b=2" names; "unknown" when the table does not have it, which
 * happens to plug-ins of programs that made their table by hand. */
const char *ripstop_source_hash(const char *kind, const char *spec);

RIPSTOP_END

#endif
