/* docs/programs.md has a row for every option of programs, with its default, and for every kernel with its options. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/programs.h"
#include "ripstop/plugin/kernel.h"

static char *read_page(ripstop_arena *arena) {
  ripstop_error err;
  char *page;
  size_t length;
  const char *root = getenv("RIPSTOP_SOURCE_DIR") ? getenv("RIPSTOP_SOURCE_DIR") : RIPSTOP_SOURCE_DIR;
  if (ripstop_read_file(arena, ripstop_arena_printf(arena, "%s/docs/programs.md", root), 1 << 20, &page, &length, &err))
    fail_msg("%s", err.text);
  return page;
}

static void options_are_documented(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  const char *page = read_page(arena), *at = page;
  for (const ripstop_option *o = ripstop_program_options; o->name; o++) {
    const char *row =
        ripstop_arena_printf(arena, "\n| `%s` | %s | ", o->name, o->fallback ? o->fallback : "must be given");
    if (!strstr(at, row)) fail_msg("not in docs/programs.md, or out of order: %s", row + 1);
    at = strstr(at, row);
  }
  ripstop_arena_free(arena);
}

static void kernels_are_documented(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  const char *page = read_page(arena);
  for (size_t i = 0; ripstop_kernels[i]; i++) {
    const char *row = strstr(page, ripstop_arena_printf(arena, "\n| `%s` | ", ripstop_kernels[i]->name));
    if (!row) fail_msg("not in docs/programs.md: %s", ripstop_kernels[i]->name);
    const char *end = strchr(row + 1, '\n');
    for (const ripstop_option *o = ripstop_kernels[i]->options; o->name; o++) {
      const char *found = strstr(row, ripstop_arena_printf(arena, "`%s=%s`", o->name, o->fallback));
      if (!found || found > end)
        fail_msg("not in the row of %s: `%s=%s`", ripstop_kernels[i]->name, o->name, o->fallback);
    }
  }
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_documented),
                                     cmocka_unit_test(kernels_are_documented)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
