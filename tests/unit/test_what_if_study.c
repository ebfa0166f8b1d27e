/* test_what_if_study.c - the study of every cable of a torus: host cables disconnect their own end node alone, the
 * worst part comes first, the safe set keeps its promise, and steps of the work are reported. */
#include "check.h"
#include "opened.h"
#include "report/what_if_study.h"

static unsigned steps;

static void count_step(void *context, const char *what, uint32_t done, uint32_t all) {
  (void)context;
  assert_true(*what && done <= all);
  steps++;
}

typedef struct bed {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
} bed;

static bed open_bed(const char *spec) {
  ripstop_error err;
  bed b = {.arena = ripstop_arena_new(), .fabric = open_fabric(spec)};
  b.view = ripstop_view_new(b.fabric, NULL);
  b.tables = ripstop_forwarding_shortest(b.view, &err);
  assert_non_null(b.tables);
  return b;
}

static void close_bed(bed *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

static void each_cable_is_studied(void **state) {
  (void)state;
  bed b = open_bed("torus:4x4");
  ripstop_error err;
  what_if_study study;
  const what_if_settings settings = {
      .view = b.view, .tables = b.tables, .safe = true, .threads = 1, .progress = count_step};
  assert_int_equal(what_if_study_make(b.arena, &settings, &study, &err), 0);
  assert_int_equal(study.count, b.fabric->links);
  assert_int_equal(study.before.pairs, 16 * 15);
  assert_true(steps > 0);
  for (uint32_t i = 0; i < study.count; i++) {
    const bool host = what_if_is_host_cable(&study, i);
    assert_int_equal(study.effect[i].disconnected, host ? 2 * 15 : 0);
    assert_true(*study.name[i]);
    assert_string_equal(study.described[i], ""); /* only dumps have descriptions */
  }
  const uint32_t *order = study.page.drawn.order;
  for (uint32_t i = 1; i < study.count; i++)
    assert_true(study.effect[order[i]].disconnected <= study.effect[order[i - 1]].disconnected);
  assert_int_equal(study.safe.after.unreached, 0);
  assert_true(study.safe.after.worst <= study.before.worst);
  close_bed(&b);
}

static void groups_and_pairs(void **state) {
  (void)state;
  bed b = open_bed("torus:4x4");
  ripstop_error err;
  what_if_study study;
  static const char *const group[] = {"switch:0.0 switch:0.1"}, *const bad[] = {"switch:9.9"};
  what_if_settings s = {
      .view = b.view, .tables = b.tables, .threads = 1, .of = WHAT_IF_GROUPS, .group = group, .groups = 1};
  assert_int_equal(what_if_study_make(b.arena, &s, &study, &err), 0);
  assert_int_equal(study.count, 1);
  assert_int_equal(study.effect->own, 2 * (15 + 14));
  s.group = bad;
  assert_int_equal(what_if_study_make(b.arena, &s, &study, &err), -1);
  assert_non_null(strstr(err.text, "9.9"));
  s = (what_if_settings){
      .view = b.view, .tables = b.tables, .threads = 1, .of = WHAT_IF_PAIRS, .samples = 20, .seed = 1};
  assert_int_equal(what_if_study_make(b.arena, &s, &study, &err), 0);
  assert_true(study.sampled);
  assert_int_equal(study.count - study.from, 20);
  close_bed(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_cable_is_studied), cmocka_unit_test(groups_and_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
