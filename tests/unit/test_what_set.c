/* test_what_set.c - the set that may be taken out together, for the tables of a method as well: what it is when the
 * method's tables hold, when they lose a pair already, and when the machine fails while they are made. */
#include "check.h"

#include <string.h>

#include "ripstop/kit/safe_set.h"

typedef struct bench {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_table_verdict before;
  ripstop_safe_question question;
  ripstop_safe_set set;
} bench;

static bench open_bench(void) {
  ripstop_error err;
  bench b = {.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open("torus:4x4", &err)};
  b.view = ripstop_view_new(b.fabric, NULL);
  b.tables = ripstop_forwarding_shortest(b.view, &err);
  assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &b.before, &err), 0);
  b.question = (ripstop_safe_question){
      .view = b.view, .tables = b.tables, .capacity = ripstop_capacity_find(b.arena, b.view, NULL, &err)};
  b.question.before = &b.before;
  assert_int_equal(ripstop_judge_safe_set(b.arena, &b.question, &b.set, &err), 0);
  assert_true(b.set.links > 0);
  return b;
}

static void close_bench(bench *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

static int shorten(bench *b, const char *method, ripstop_error *err) {
  b->question.before = &b->before;
  return ripstop_judge_safe_reroute(b->arena, &b->question, method, 1000000, &b->set, err);
}

static void what_holds_is_proved(void **state) {
  (void)state;
  ripstop_error err;
  bench b = open_bench();
  uint32_t all = b.set.links + b.set.refused;
  assert_int_equal(shorten(&b, "test-grudge", &err), 0);
  assert_true(b.set.rerouted);
  assert_int_equal(b.set.links + b.set.refused, all);
  assert_int_equal(b.set.rerouted_after.unreached, b.set.rerouted_after.disconnected);
  assert_true(b.set.rerouted_after.worst <= b.before.worst || b.set.rerouted_after.worst <= b.set.worst_now);
  close_bench(&b);
}

static void no_set_holds_where_pairs_are_lost_already(void **state) {
  (void)state;
  ripstop_error err;
  bench b = open_bench();
  uint32_t all = b.set.links + b.set.refused;
  assert_int_equal(shorten(&b, "test-grudge:loses=on", &err), 0);
  assert_false(b.set.rerouted);
  assert_int_equal(b.set.links, 0);
  assert_int_equal(b.set.refused, all);
  assert_true(b.set.rerouted_after.unreached > b.set.rerouted_after.disconnected);
  assert_int_equal(b.set.after.unreached, b.before.unreached);
  close_bench(&b);
}

/* It is not taken for a set that does not hold. */
static void a_failure_of_the_machine_is_reported(void **state) {
  (void)state;
  ripstop_error err;
  bench b = open_bench();
  assert_int_equal(shorten(&b, "test-grudge:fails=on", &err), -1);
  assert_true(err.machine);
  if (strstr(err.text, "grudge") == NULL) fail_msg("%s", err.text);
  close_bench(&b);
}

static void so_it_is_of_one_part(void **state) {
  (void)state;
  ripstop_error err;
  bench b = open_bench();
  const uint32_t link = b.fabric->links - 1;
  const ripstop_faults part = {.links = 1, .link = &link};
  ripstop_what_if out;
  assert_int_equal(
      ripstop_judge_reroute(b.arena, b.view, b.tables, "test-grudge", 1000000, &part, 1, 1, NULL, NULL, &out, &err), 0);
  assert_true(out.rerouted);
  assert_int_equal(ripstop_judge_reroute(b.arena, b.view, b.tables, "test-grudge:fails=on", 1000000, &part, 1, 1, NULL,
                                         NULL, &out, &err),
                   -1);
  assert_true(err.machine);
  if (strstr(err.text, "grudge") == NULL) fail_msg("%s", err.text);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_holds_is_proved), cmocka_unit_test(no_set_holds_where_pairs_are_lost_already),
      cmocka_unit_test(a_failure_of_the_machine_is_reported), cmocka_unit_test(so_it_is_of_one_part)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
