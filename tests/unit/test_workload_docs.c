/* docs/workloads.md has a row for every option of workloads, with its default, and for every kind of job with its
 * options. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/workload.h"
#include "ripstop/plugin/workload.h"

static char *read_page(ripstop_arena *arena) {
  ripstop_error err;
  char *page;
  size_t length;
  const char *root = getenv("RIPSTOP_SOURCE_DIR") ? getenv("RIPSTOP_SOURCE_DIR") : RIPSTOP_SOURCE_DIR;
  if (ripstop_read_file(arena, ripstop_arena_printf(arena, "%s/docs/workloads.md", root), 1 << 20, &page, &length,
                        &err))
    fail_msg("%s", err.text);
  return page;
}

static void options_are_documented(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  const char *page = read_page(arena), *at = page;
  for (const ripstop_option *o = ripstop_workload_options; o->name; o++) {
    const char *row =
        ripstop_arena_printf(arena, "\n| `%s` | %s | ", o->name, o->fallback ? o->fallback : "must be given");
    if (!strstr(at, row)) fail_msg("not in docs/workloads.md, or out of order: %s", row + 1);
    at = strstr(at, row);
  }
  ripstop_arena_free(arena);
}

static void kinds_are_documented(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  const char *page = read_page(arena);
  for (size_t i = 0; ripstop_workloads[i]; i++) {
    const char *row = strstr(page, ripstop_arena_printf(arena, "\n| `%s` | ", ripstop_workloads[i]->name));
    if (!row) fail_msg("not in docs/workloads.md: %s", ripstop_workloads[i]->name);
    const char *end = strchr(row + 1, '\n');
    for (const ripstop_option *o = ripstop_workloads[i]->options; o->name; o++) {
      const char *wanted =
          ripstop_arena_printf(arena, "`%s%s%s`", o->name, o->fallback ? "=" : "", o->fallback ? o->fallback : "");
      const char *found = strstr(row, wanted);
      if (!found || found > end) fail_msg("not in the row of %s: %s", ripstop_workloads[i]->name, wanted);
    }
  }
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_documented), cmocka_unit_test(kinds_are_documented)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
