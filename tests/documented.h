/* documented.h - whether a page of docs/ has a row for each option, and for each of some plug-ins with its options. */
#ifndef RIPSTOP_TESTS_DOCUMENTED_H
#define RIPSTOP_TESTS_DOCUMENTED_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/base.h"

static inline const char *documented_page(ripstop_arena *arena, const char *name) {
  ripstop_error err;
  char *page;
  size_t length;
  const char *root = getenv("RIPSTOP_SOURCE_DIR") ? getenv("RIPSTOP_SOURCE_DIR") : RIPSTOP_SOURCE_DIR;
  if (ripstop_read_file(arena, ripstop_arena_printf(arena, "%s/docs/%s", root, name), 1 << 20, &page, &length, &err))
    fail_msg("%s", err.text);
  return page;
}

/* Rows `| name | default |`, in the options' order. */
static inline void documented_options(const char *name, const ripstop_option *options) {
  ripstop_arena *arena = ripstop_arena_new();
  const char *at = documented_page(arena, name);
  for (const ripstop_option *o = options; o->name; o++) {
    const char *row =
        ripstop_arena_printf(arena, "\n| `%s` | %s | ", o->name, o->fallback ? o->fallback : "must be given");
    if (!strstr(at, row)) fail_msg("not in docs/%s, or out of order: %s", name, row + 1);
    at = strstr(at, row);
  }
  ripstop_arena_free(arena);
}

/* A row of its own, with its options and their defaults in it. */
static inline void documented_plugin(const char *name, const char *plugin, const ripstop_option *options) {
  ripstop_arena *arena = ripstop_arena_new();
  const char *row = strstr(documented_page(arena, name), ripstop_arena_printf(arena, "\n| `%s` | ", plugin));
  if (!row) fail_msg("not in docs/%s: %s", name, plugin);
  const char *end = strchr(row + 1, '\n');
  for (const ripstop_option *o = options; o->name; o++) {
    const char *wanted =
        ripstop_arena_printf(arena, "`%s%s%s`", o->name, o->fallback ? "=" : "", o->fallback ? o->fallback : "");
    const char *found = strstr(row, wanted);
    if (!found || found > end) fail_msg("not in the row of %s: %s", plugin, wanted);
  }
  ripstop_arena_free(arena);
}

#endif
