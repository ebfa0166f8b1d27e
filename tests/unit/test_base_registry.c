/* test_base_registry.c - plug-ins by name: found, unknown with the nearest or all, made for another interface, and with
 * their options. */
#include <string.h>

#include "base/registry.h"
#include "check.h"

typedef struct colours {
  int64_t depth;
} colours;

static const ripstop_option no_options[] = {{0}};
static const ripstop_option depth_options[] = {{.name = "depth",
                                                .type = RIPSTOP_OPTION_INTEGER,
                                                .offset = offsetof(colours, depth),
                                                .min = 0,
                                                .max = 9,
                                                .fallback = "4",
                                                .help = "how deep"},
                                               {0}};

typedef struct paint {
  uint32_t abi;
  const char *name;
  const ripstop_option *options;
  size_t config_size;
} paint;

static const paint crimson = {3, "crimson", no_options, 0}, old = {2, "ochre", no_options, 0},
                   violet = {3, "violet", depth_options, sizeof(colours)};
static const paint *const paints[] = {&crimson, &old, &violet, NULL};

static ripstop_plugin paint_at(size_t i) { return RIPSTOP_PLUGIN(paints[i]); }
static ripstop_plugin nothing_at(size_t i) {
  (void)i;
  return (ripstop_plugin){0};
}
static const ripstop_registry registry = {"paint", 3, paint_at}, empty = {"paint", 3, nothing_at};

static void says(const ripstop_registry *r, const char *name, const char *message) {
  ripstop_error err = {0};
  assert_null(ripstop_registry_find(r, name, strlen(name), &err));
  assert_string_equal(err.text, message);
}

static void found_by_the_letters_that_count(void **state) {
  (void)state;
  ripstop_error err = {0};
  assert_ptr_equal(ripstop_registry_find(&registry, "crimson", 7, &err), &crimson);
  assert_ptr_equal(ripstop_registry_find(&registry, "violet:depth=1", 6, &err), &violet);
  assert_true(ripstop_registry_has(&registry, "crimson", 7));
  assert_false(ripstop_registry_has(&registry, "crimson", 6));
  assert_false(ripstop_registry_has(&registry, "crimsons", 8));
}

static void unknown_ones_bring_the_nearest_or_all(void **state) {
  (void)state;
  says(&registry, "crimsn", "paint 'crimsn' is unknown; did you mean 'crimson'?");
  says(&registry, "", "paint '' is unknown; known: crimson, ochre, violet");
  says(&empty, "violet", "paint 'violet' is unknown; known: none");
}

static void another_interface_is_refused(void **state) {
  (void)state;
  says(&registry, "ochre", "paint 'ochre' was made for interface 2, this is 3");
  assert_true(ripstop_registry_has(&registry, "ochre", 5));
}

static void options_come_with_the_plug_in(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  void *config = NULL;
  assert_ptr_equal(ripstop_registry_open(&registry, arena, "violet", &config, &err), &violet);
  assert_int_equal(((colours *)config)->depth, 4);
  assert_ptr_equal(ripstop_registry_open(&registry, arena, "violet:depth=7", &config, &err), &violet);
  assert_int_equal(((colours *)config)->depth, 7);
  assert_ptr_equal(ripstop_registry_open(&registry, arena, "crimson", &config, &err), &crimson);
  assert_null(ripstop_registry_open(&registry, arena, "violet:dept=7", &config, &err));
  assert_string_equal(err.text, "paint violet: unknown option 'dept'; did you mean 'depth'?");
  assert_null(ripstop_registry_open(&registry, arena, "ochre:depth=7", &config, &err));
  assert_string_equal(err.text, "paint 'ochre' was made for interface 2, this is 3");
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(found_by_the_letters_that_count), cmocka_unit_test(unknown_ones_bring_the_nearest_or_all),
      cmocka_unit_test(another_interface_is_refused), cmocka_unit_test(options_come_with_the_plug_in)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
