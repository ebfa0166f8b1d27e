/* test_risk_groups.c - bundles of cables are found, only while two of them are up; texts name groups. */
#include "check.h"
#include "faults/risk_groups.h"
#include "opened.h"

static const char monday[] = RIPSTOP_SOURCE_DIR "/examples/operators/monday.txt";

static uint32_t count_bundles(const ripstop_view *view, ripstop_faults *first) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_risk_group *group;
  uint32_t count, bundles = 0;
  ripstop_risk_groups_find(arena, view, &group, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(group[i].kind, "cables side by side") != 0) continue;
    assert_true(group[i].parts.links >= 2 && group[i].parts.switches == 0);
    assert_non_null(strstr(group[i].name, " cables"));
    if (bundles++ == 0 && first) *first = (ripstop_faults){.links = 1, .link = &group[i].parts.link[0]};
  }
  static uint32_t kept; /* the caller's set outlives the arena */
  if (first && bundles) kept = first->link[0], first->link = &kept;
  ripstop_arena_free(arena);
  return bundles;
}

static void bundles_need_two_cables_that_are_up(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric(monday);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_faults one;
  const uint32_t all = count_bundles(view, &one);
  assert_true(all > 0);
  ripstop_view_free(view);
  view = ripstop_view_new(fabric, &one);
  assert_true(count_bundles(view, NULL) <= all);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  fabric = open_fabric("torus:4x4");
  view = ripstop_view_new(fabric, NULL);
  assert_int_equal(count_bundles(view, NULL), 0);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

static void texts_name_parts(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = open_fabric("torus:4x4");
  ripstop_risk_group *group;
  ripstop_error err;
  static const char *const good[] = {"0.0/0 0.0/1", "switch:1.*"}, *const bad[] = {"0.9/0"};
  assert_int_equal(ripstop_risk_groups_parse(arena, fabric, good, 2, &group, &err), 0);
  assert_string_equal(group[0].name, good[0]);
  assert_string_equal(group[0].kind, "group");
  assert_int_equal(group[0].parts.links, 2);
  assert_int_equal(group[1].parts.switches, 4);
  assert_int_equal(ripstop_risk_groups_parse(arena, fabric, bad, 1, &group, &err), -1);
  assert_non_null(strstr(err.text, "0.9/0"));
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bundles_need_two_cables_that_are_up),
                                     cmocka_unit_test(texts_name_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
