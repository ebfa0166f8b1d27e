/* test_routes.c - forwarding tables by ripstop/routes.h: made of a plan, written, read again and judged. Numbers of
 * small fabrics are known in closed form; the verdict is compared with the proof of the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ripstop/ripstop.h"

static ripstop_plan *open_plan(const char *fabric, const char *failed, const char *method) {
  ripstop_error err;
  ripstop_plan *plan = ripstop_plan_of(fabric, failed, method, &err);
  if (!plan) fail_msg("%s", err.text);
  return plan;
}

static ripstop_result *judge(const ripstop_plan *plan, const ripstop_forwarding *tables,
                             const ripstop_forwarding *before) {
  ripstop_error err = {.text = "there are no tables"};
  ripstop_result *judged = ripstop_routes_judge(ripstop_plan_view(plan), tables, before, &err);
  if (!judged) fail_msg("%s", err.text);
  return judged;
}

static ripstop_forwarding *make(ripstop_plan *plan) {
  ripstop_error err;
  ripstop_forwarding *tables = ripstop_routes_make(plan, &err);
  if (!tables) fail_msg("%s", err.text);
  return tables;
}

/* Two leaves with k end nodes each and k spines: k * k paths leave a leaf by k links, k on each. */
static void trees_have_known_loads(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    double k;
  } cases[] = {{"kary-ntree:k=2,n=2", 2}, {"kary-ntree:k=4,n=2", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_plan *plan = open_plan(cases[i].fabric, NULL, "mend");
    ripstop_forwarding *tables = make(plan);
    ripstop_result *judged = judge(plan, tables, NULL);
    double k = cases[i].k, ends = k * k;
    assert_true(ripstop_result_value(judged, "pairs") == ends * (ends - 1));
    assert_true(ripstop_result_value(judged, "unreachable_pairs") == 0);
    assert_true(ripstop_result_value(judged, "links") == 2 * k * k);
    assert_true(ripstop_result_value(judged, "worst_link_paths") == (ends - k));
    assert_true(ripstop_result_value(judged, "credit_loop") == 0);
    assert_null(ripstop_result_text(judged, "witness"));
    ripstop_result_free(judged);
    ripstop_forwarding_free(tables);
    ripstop_plan_free(plan);
  }
}

/* Shortest paths around a ring have a credit loop, and so has the proof of the plan. */
static void verdicts_are_those_of_the_proof(void **state) {
  (void)state;
  static const char *const methods[] = {"updown", "shortest-table", "opensm-minhop", "mend:lanes=1"};
  bool found[2] = {false, false};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    ripstop_error err;
    ripstop_plan *plan = ripstop_plan_of("torus:6", NULL, methods[i], &err);
    ripstop_forwarding *tables = ripstop_routes_make(plan, &err);
    if (!tables) {
      ripstop_plan_free(plan);
      continue;
    }
    ripstop_result *judged = judge(plan, tables, NULL), *proof = ripstop_prove(plan, NULL, &err);
    bool loop = ripstop_result_value(judged, "credit_loop") == 1;
    assert_true(loop == (ripstop_result_value(proof, "deadlock_free") == 0));
    assert_true(loop == (ripstop_result_text(judged, "witness") != NULL));
    assert_string_equal(ripstop_result_text(judged, "verdict"), ripstop_result_text(proof, "verdict"));
    found[loop] = true;
    ripstop_result_free(judged);
    ripstop_result_free(proof);
    ripstop_forwarding_free(tables);
    ripstop_plan_free(plan);
  }
  assert_true(found[false] && found[true]);
}

static void assert_same_values(const ripstop_result *x, const ripstop_result *y) {
  for (size_t i = 0; ripstop_result_at(x, i); i++) {
    const ripstop_value *v = ripstop_result_at(x, i), *w = ripstop_result_at(y, i);
    assert_string_equal(v->name, w->name);
    assert_true(v->value == w->value);
  }
}

/* Tables that were written are read again as the same, without an entry that differs. */
static void files_keep_tables(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_plan *plan = open_plan("torus:4x4", NULL, "mend:lanes=2");
  ripstop_forwarding *tables = make(plan);
  char folder[] = "/tmp/ripstop-routes-XXXXXX";
  assert_non_null(mkdtemp(folder));
  if (ripstop_routes_write(tables, folder, &err)) fail_msg("%s", err.text);
  const char *const path[] = {folder};
  ripstop_forwarding *again = ripstop_routes_read(ripstop_plan_view(plan), path, 1, &err);
  if (!again) fail_msg("%s", err.text);
  ripstop_result *old = judge(plan, tables, NULL), *new = judge(plan, again, NULL), *both = judge(plan, again, tables);
  assert_same_values(old, new);
  assert_true(ripstop_result_value(both, "transient.entries") > 0);
  assert_true(ripstop_result_value(both, "transient.changed_entries") == 0);
  assert_true(ripstop_result_value(both, "transient.credit_loop") == 0);
  ripstop_result_free(old);
  ripstop_result_free(new);
  ripstop_result_free(both);
  ripstop_forwarding_free(again);
  ripstop_forwarding_free(tables);
  ripstop_plan_free(plan);
  static const char *const names[] = {"lfts.dump", "sl.dump", "sl2vl.dump"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char file[sizeof folder + sizeof "sl2vl.dump"];
    snprintf(file, sizeof file, "%s/%s", folder, names[i]);
    assert_int_equal(unlink(file), 0);
  }
  assert_int_equal(rmdir(folder), 0);
}

static void methods_without_tables_say_why(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_plan *plan = open_plan("torus:4x4", NULL, "minimal-adaptive");
  assert_null(ripstop_routes_make(plan, &err));
  assert_true(strlen(err.text) > 0);
  ripstop_plan_free(plan);
}

static void wrong_inputs_are_errors(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_plan *plan = open_plan("torus:4x4", NULL, "mend");
  const char *const path[] = {"/nowhere/at/all"};
  assert_null(ripstop_routes_read(ripstop_plan_view(plan), path, 1, &err));
  assert_non_null(strstr(err.text, "/nowhere/at/all"));
  assert_null(ripstop_routes_read(NULL, path, 1, &err));
  assert_null(ripstop_routes_make(NULL, &err));
  assert_null(ripstop_routes_judge(ripstop_plan_view(plan), NULL, NULL, &err));
  ripstop_forwarding *tables = make(plan);
  assert_int_equal(ripstop_routes_write(tables, "/dev/null", &err), -1);
  assert_non_null(strstr(err.text, "/dev/null"));
  ripstop_forwarding_free(tables);
  ripstop_plan_free(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_have_known_loads),  cmocka_unit_test(verdicts_are_those_of_the_proof),
      cmocka_unit_test(files_keep_tables),       cmocka_unit_test(methods_without_tables_say_why),
      cmocka_unit_test(wrong_inputs_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
