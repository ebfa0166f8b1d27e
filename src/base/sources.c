/* sources.c - the look-up in the table of sources. */
#include "base/sources.h"

#include <string.h>

const char *ripstop_source_hash(const char *kind, const char *spec) {
  size_t length = strcspn(spec, ":");
  for (const ripstop_source *s = ripstop_sources; s->name; s++)
    if (!strcmp(s->kind, kind) && strlen(s->name) == length && !strncmp(s->name, spec, length)) return s->hash;
  return "unknown";
}
