/* plugin_hash.h - the line `source` of a run's canonical text: a hash over the plug-ins that the run uses. */
#ifndef EXPERIMENT_PLUGIN_HASH_H
#define EXPERIMENT_PLUGIN_HASH_H

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
  SOURCE_PARTS
};
/* 16 digits: what was edited is told from what was not, not from all that can be. */
enum { SOURCE_HASH = 17 };

/* spec: of a plug-in of each kind; NULL: the run uses none. */
void source_hash(const char *const spec[SOURCE_PARTS], char out[SOURCE_HASH]);

#endif
