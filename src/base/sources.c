/* sources.c - the look-up in the table of sources. */
#include "base/sources.h"

#include <string.h>

/* NULL: the table does not have it. */
static const char *find(const ripstop_source *table, const char *kind, const char *spec) {
  size_t length = strcspn(spec, ":");
  for (const ripstop_source *s = table; s->name; s++)
    if (!strcmp(s->kind, kind) && strlen(s->name) == length && !strncmp(s->name, spec, length)) return s->hash;
  return NULL;
}

const char *ripstop_source_hash(const char *kind, const char *spec) {
  const char *hash = find(ripstop_sources, kind, spec);
  if (!hash && ripstop_own_sources) hash = find(ripstop_own_sources, kind, spec);
  return hash ? hash : "unknown";
}
