/* plugin_hash.h - the line `source` of a run's canonical text: a hash over the plug-ins that the run uses. */
#ifndef EXPERIMENT_PLUGIN_HASH_H
#define EXPERIMENT_PLUGIN_HASH_H

#include "experiment/known_sources.h"
#include "ripstop/kit/experiment.h"

enum {
  SOURCE_FAMILY,
  SOURCE_METHOD,
  SOURCE_PROCESS,
  SOURCE_PATTERN,
  SOURCE_ARBITER,
  SOURCE_SELECTION,
  SOURCE_KERNEL,
  SOURCE_WORKLOAD,
  SOURCE_MATCHING, /* without the default */
  SOURCE_SWITCH,   /* without the default, which is the event loop alone */
  SOURCE_PARTS
};
/* The line `model`. */
#define SOURCE_MODEL_OF(version, intervals)   #version "." #intervals
#define SOURCE_MODEL_TEXT(version, intervals) SOURCE_MODEL_OF(version, intervals)
#define SOURCE_MODEL                          SOURCE_MODEL_TEXT(RIPSTOP_MODEL_VERSION, RIPSTOP_MODEL_INTERVALS)

/* 16 digits distinguish the versions of one plug-in, which are few. */
enum { SOURCE_HASH = 17 };

/* A plug-in of each kind; NULL: the run uses none. */
typedef struct source_spec {
  const char *part[SOURCE_PARTS];
} source_spec;
/* The plug-ins that the lines of a canonical text name. */
source_spec source_spec_of(ripstop_arena *arena, const char *canonical);

/* The hash in a version of known_versions, or by this program where that is NULL. */
void source_hash(const source_spec *spec, const known_version *version, char out[SOURCE_HASH]);

/* The value of a key in "key=value" lines; NULL: it is not there. */
const char *source_value(ripstop_arena *arena, const char *canonical, const char *key);

#endif
