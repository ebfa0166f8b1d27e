/* known_sources.h - the hashes of plug-ins' sources in earlier versions, by which their stored runs are believed. */
#ifndef EXPERIMENT_KNOWN_SOURCES_H
#define EXPERIMENT_KNOWN_SOURCES_H

#include "ripstop/error.h"
#include "ripstop/plugin/base.h"

RIPSTOP_BEGIN

typedef struct known_version {
  const char *revision, *selection; /* selection: its word for selection functions */
} known_version;
extern RIPSTOP_INTERNAL const known_version known_versions[]; /* oldest first; ends with a NULL revision */

/* A plug-in by its name of today. */
typedef struct known_source {
  const char *kind, *name;
  const char *hash[5]; /* in each version; "": the version did not have the plug-in */
} known_source;
extern RIPSTOP_INTERNAL const known_source known_sources[]; /* ends with a NULL kind */

RIPSTOP_END

#endif
