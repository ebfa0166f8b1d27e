/* registry.c - plug-ins by name, their interface numbers and their options. */
#include "base/registry.h"

#include <string.h>

#include "base/local.h"
#include "base/renamed.h"

enum { SHOWN = 100 }; /* characters of a wrong name that a message repeats */

static ripstop_plugin find(const ripstop_registry *registry, const char *name, size_t length) {
  ripstop_plugin plugin;
  for (size_t i = 0; (plugin = registry->at(i)).self; i++)
    if (strlen(plugin.name) == length && memcmp(plugin.name, name, length) == 0) break;
  return plugin;
}

static void fail_unknown(const ripstop_registry *registry, const char *name, size_t length, ripstop_error *err) {
  size_t count = 0;
  if (ripstop_renamed_fails(registry->kind, name, length, err)) return;
  while (registry->at(count).self) count++;
  RIPSTOP_LOCAL_ARENA(arena);
  const char **words = RIPSTOP_ARRAY(arena, count + 1, const char *);
  RIPSTOP_LOCAL_TEXT(known);
  for (size_t i = 0; i < count; i++) {
    words[i] = registry->at(i).name;
    ripstop_text_add(&known, "%s%s", i ? ", " : "", words[i]);
  }
  int shown = length < SHOWN ? (int)length : SHOWN;
  const char *wrong = ripstop_arena_printf(arena, "%.*s", shown, name), *near = ripstop_nearest_word(wrong, words);
  if (near)
    ripstop_fail(err, "%s '%s' is unknown; did you mean '%s'?", registry->kind, wrong, near);
  else
    ripstop_fail(err, "%s '%s' is unknown; known: %s", registry->kind, wrong, known.data ? known.data : "none");
}

/* Its `self` is NULL on error. */
static ripstop_plugin find_fit(const ripstop_registry *registry, const char *name, size_t length, ripstop_error *err) {
  ripstop_plugin plugin = find(registry, name, length);
  if (!plugin.self) {
    fail_unknown(registry, name, length, err);
  } else if (plugin.abi != registry->abi) {
    ripstop_fail(err, "%s '%s' was made for interface %u, this is %u", registry->kind, plugin.name, plugin.abi,
                 registry->abi);
    plugin.self = NULL;
  }
  return plugin;
}

bool ripstop_registry_has(const ripstop_registry *registry, const char *name, size_t length) {
  return find(registry, name, length).self != NULL;
}

const void *ripstop_registry_find(const ripstop_registry *registry, const char *name, size_t length,
                                  ripstop_error *err) {
  return find_fit(registry, name, length, err).self;
}

const void *ripstop_registry_open(const ripstop_registry *registry, ripstop_arena *arena, const char *spec,
                                  void **config, ripstop_error *err) {
  size_t length = strcspn(spec, ":");
  ripstop_plugin plugin = find_fit(registry, spec, length, err);
  if (!plugin.self) return NULL;
  const char *owner = ripstop_arena_printf(arena, "%s %s", registry->kind, plugin.name);
  *config = ripstop_arena_array(arena, 1, plugin.config_size + 1); /* not NULL without options either */
  return ripstop_options_parse(arena, owner, plugin.options, *config, spec[length] ? spec + length + 1 : NULL, err)
             ? NULL
             : plugin.self;
}
