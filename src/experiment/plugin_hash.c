/* plugin_hash.c - a hash over the plug-ins that a run uses; and whether a stored run's plug-ins are those of today. */
#include "experiment/plugin_hash.h"

#include <string.h>

#include "base/hash.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/sources.h"
#include "experiment/inner_runs.h"

/* The plug-ins by the keys that name them. */
static const struct {
  const char *kind, *key;
} parts[SOURCE_PARTS] = {[SOURCE_FAMILY] = {"family", "fabric"},
                         [SOURCE_METHOD] = {"method", "method"},
                         [SOURCE_PROCESS] = {"process", "faults.schedule"},
                         [SOURCE_PATTERN] = {"pattern", "traffic.pattern"},
                         [SOURCE_ARBITER] = {"arbiter", "switch.arbiter"},
                         [SOURCE_SELECTION] = {"selection", "switch.selection"},
                         [SOURCE_KERNEL] = {"kernel", "program.kernel"},
                         [SOURCE_WORKLOAD] = {"workload", "workload.jobs"},
                         [SOURCE_SWITCH] = {"switch", "switch.queues"},
                         [SOURCE_MATCHING] = {"matching", "switch.match"}};

/* Plug-ins that are not in the table of known sources belong to the program that links the library. */
static const char *hash_in(const known_version *version, const char *kind, const char *spec) {
  const size_t length = strcspn(spec, ":");
  for (const known_source *s = known_sources; version && s->kind; s++)
    if (!strcmp(s->kind, kind) && strlen(s->name) == length && !strncmp(s->name, spec, length))
      return s->hash[version - known_versions];
  return ripstop_source_hash(kind, spec);
}

/* Each job's, in their order. */
static void add_jobs(ripstop_text *text, const known_version *version, const char *jobs) {
  static const char plus[] = " + ";
  for (const char *at = jobs; at; at = strstr(at, plus) ? strstr(at, plus) + sizeof plus - 1 : NULL) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ": "), at);
    ripstop_text_add(text, "workload %s\n", hash_in(version, "workload", name));
  }
}

void source_hash(const source_spec *spec, const known_version *version, char out[SOURCE_HASH]) {
  char hash[RIPSTOP_HASH];
  RIPSTOP_LOCAL_TEXT(text);
  for (size_t i = 0; i < SOURCE_PARTS; i++) {
    const char *part = spec->part[i], *kind = parts[i].kind;
    if (part && i == SOURCE_WORKLOAD)
      add_jobs(&text, version, part);
    else if (part)
      ripstop_text_add(&text, "%s %s\n", version && i == SOURCE_SELECTION ? version->selection : kind,
                       hash_in(version, kind, part));
  }
  ripstop_hash(text.data, text.length, hash);
  snprintf(out, SOURCE_HASH, "%.*s", SOURCE_HASH - 1, hash);
}

const char *source_value(ripstop_arena *arena, const char *canonical, const char *key) {
  size_t length = strlen(key);
  for (const char *line = canonical; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (!strncmp(line, key, length) && line[length] == '=')
      return ripstop_arena_printf(arena, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
  return NULL;
}

source_spec source_spec_of(ripstop_arena *arena, const char *canonical) {
  source_spec spec;
  for (size_t i = 0; i < SOURCE_PARTS; i++) spec.part[i] = source_value(arena, canonical, parts[i].key);
  /* A schedule that is given part by part has the same key as one of a process. */
  const char **process = &spec.part[SOURCE_PROCESS];
  if (*process && !strcmp(ripstop_source_hash("process", *process), "unknown")) *process = NULL;
  return spec;
}

bool ripstop_canonical_is_current(const char *canonical) {
  RIPSTOP_GUARD(NULL, false);
  ripstop_arena *arena = ripstop_arena_new();
  const source_spec spec = source_spec_of(arena, canonical);
  const char *model = source_value(arena, canonical, "model"), *source = source_value(arena, canonical, "source");
  char now[SOURCE_HASH];
  source_hash(&spec, NULL, now);
  bool current = model && source && !strcmp(model, SOURCE_MODEL) && !strcmp(source, now);
  ripstop_arena_free(arena);
  return current;
}
