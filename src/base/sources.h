/* sources.h - which text each plug-in was built from.
 *
 * A run is named by what it depends on, and that is its methods' code too: rows of one that has been edited are not
 * those of the new one. The build hashes the files of each plug-in (cmake/sources.cmake) into a table, which lies in a
 * file of its own: a test with methods of its own gets one with these (ripstop_extra_methods). */
#ifndef RIPSTOP_BASE_SOURCES_H
#define RIPSTOP_BASE_SOURCES_H

#include "ripstop/base.h"

RIPSTOP_BEGIN

typedef struct ripstop_source {
  const char *kind, *name; /* "method", "updown" */
  const char *hash;        /* 16 hexadecimal digits */
} ripstop_source;
extern RIPSTOP_INTERNAL const ripstop_source ripstop_sources[]; /* generated; ends with one without a name */

/* The same of the methods of a program that links the library; NULL where it has none (cmake/own.cmake). */
extern const ripstop_source ripstop_own_sources[] __attribute__((weak));

/* The hash of the plug-in of this kind that "name:a=1,b=2" names; "unknown" when the table does not have it, which
 * happens to plug-ins of programs that made their table by hand. */
const char *ripstop_source_hash(const char *kind, const char *spec);

RIPSTOP_END

#endif
