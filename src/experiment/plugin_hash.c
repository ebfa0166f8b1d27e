/* plugin_hash.c - which plug-ins a run uses, as a hash; and of a stored run, whether they are still those. */
#include "experiment/plugin_hash.h"

#include <string.h>

#include "base/hash.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/sources.h"

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
                         [SOURCE_WORKLOAD] = {"workload", "workload.jobs"}};

/* Each job's, in their order. */
static void add_jobs(ripstop_text *text, const char *jobs) {
  static const char plus[] = " + ";
  for (const char *at = jobs; at; at = strstr(at, plus) ? strstr(at, plus) + sizeof plus - 1 : NULL) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ": "), at);
    ripstop_text_add(text, "workload %s\n", ripstop_source_hash("workload", name));
  }
}

void source_hash(const char *const spec[SOURCE_PARTS], char out[SOURCE_HASH]) {
  char hash[RIPSTOP_HASH];
  RIPSTOP_LOCAL_TEXT(text);
  for (size_t i = 0; i < SOURCE_PARTS; i++)
    if (spec[i] && i == SOURCE_WORKLOAD)
      add_jobs(&text, spec[i]);
    else if (spec[i])
      ripstop_text_add(&text, "%s %s\n", parts[i].kind, ripstop_source_hash(parts[i].kind, spec[i]));
  ripstop_hash(text.data, text.length, hash);
  snprintf(out, SOURCE_HASH, "%.*s", SOURCE_HASH - 1, hash);
}

/* The value of a key in "key=value" lines; NULL: it is not there. */
static const char *value_of(ripstop_arena *arena, const char *canonical, const char *key) {
  size_t length = strlen(key);
  for (const char *line = canonical; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (!strncmp(line, key, length) && line[length] == '=')
      return ripstop_arena_printf(arena, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
  return NULL;
}

/* A schedule that is given part by part has the same key as one of a process. */
static bool is_process(const char *spec) { return strcmp(ripstop_source_hash("process", spec), "unknown") != 0; }

bool ripstop_canonical_is_current(const char *canonical) {
  RIPSTOP_GUARD(NULL, false);
  ripstop_arena *arena = ripstop_arena_new();
  const char *spec[SOURCE_PARTS], *model = value_of(arena, canonical, "model");
  const char *source = value_of(arena, canonical, "source");
  char now[SOURCE_HASH], number[16];
  snprintf(number, sizeof number, "%d.%d", RIPSTOP_MODEL_VERSION, RIPSTOP_MODEL_INTERVALS);
  for (size_t i = 0; i < SOURCE_PARTS; i++) spec[i] = value_of(arena, canonical, parts[i].key);
  if (spec[SOURCE_PROCESS] && !is_process(spec[SOURCE_PROCESS])) spec[SOURCE_PROCESS] = NULL;
  source_hash(spec, now);
  bool current = model && source && !strcmp(model, number) && !strcmp(source, now);
  ripstop_arena_free(arena);
  return current;
}
