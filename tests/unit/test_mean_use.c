/* test_mean_use.c - the use of links is the mean over files; a file of another fabric, or without it, is refused. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "opened.h"
#include "report/mean_use.h"

static void write_run(const char *path, const char *fabric, const char *name, double use) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "{\"fabric\": \"%s\", \"faults\": \"0.0/1\", \"%s\": %g}\n", fabric, name, use);
  fclose(file);
}

static void runs_are_averaged(void **state) {
  (void)state;
  char one[] = "/tmp/ripstop-use-XXXXXX", two[] = "/tmp/ripstop-use-XXXXXX";
  char link_name[RIPSTOP_NAME_MAX], node_name[RIPSTOP_NAME_MAX], name[2 * RIPSTOP_NAME_MAX + 64];
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = open_fabric("torus:4x4");
  ripstop_error err;
  ripstop_link_use use;
  const uint32_t link = f->link_ends, port = f->link_port[2 * (size_t)link];
  ripstop_link_name(f, link, link_name);
  ripstop_node_name(f, ripstop_link_node(f, link, 1), node_name);
  snprintf(name, sizeof name, RIPSTOP_LINK_USE_OF, link_name, node_name);
  assert_true(close(mkstemp(one)) == 0 && close(mkstemp(two)) == 0);
  const char *const file[] = {one, two};
  ripstop_link_use_settings s = {.fabric = f, .file = file, .files = 2};
  write_run(one, f->spec, name, 0.25);
  write_run(two, f->spec, name, 0.75);
  assert_int_equal(ripstop_link_use_read(arena, &s, &use, &err), 0);
  assert_int_equal(use.runs, 2);
  assert_null(use.faults);
  assert_true(use.use[port] == 0.5 && isnan(use.use[f->link_port[2 * (size_t)link + 1]]));
  s.files = 1;
  assert_int_equal(ripstop_link_use_read(arena, &s, &use, &err), 0);
  assert_string_equal(use.faults, "0.0/1");
  write_run(one, "torus:5x5", name, 1);
  assert_int_equal(ripstop_link_use_read(arena, &s, &use, &err), -1);
  assert_non_null(strstr(err.text, "torus:5x5"));
  write_run(one, f->spec, "throughput", 1);
  assert_int_equal(ripstop_link_use_read(arena, &s, &use, &err), -1);
  assert_non_null(strstr(err.text, "measure.links=on"));
  assert_int_equal(unlink(one) | unlink(two), 0);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_averaged)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
