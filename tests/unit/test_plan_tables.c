/* test_plan_tables.c - a compilation has two steps, and the second is made only for callers that route by the plan:
 * simulations of protocols do without it, at every fault; all others make it or report that it is missing. */
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

extern int tables_made; /* test_plan_tables.methods */

#define STAR     "kary-ntree:k=4,n=1"
#define SCHEDULE "end:1@100 end:1+@300 end:2@300 end:2+@500"
enum { CHANGES = 3 }; /* cycles of the schedule in which something changes */

typedef struct stage {
  scene *scene;
  ripstop_view *view;
  ripstop_plan *plan; /* without tables */
} stage;

static stage stage_open(const char *method, const char *options) {
  ripstop_error err;
  stage s = {.scene = scene_open(STAR, method, options)};
  scene_schedule(s.scene, SCHEDULE);
  s.view = ripstop_view_new(s.scene->fabric, NULL);
  s.plan = ripstop_plan_compile(s.view, method, NULL, &err);
  tables_made = 0;
  return s;
}

static void stage_close(stage *s) {
  ripstop_plan_free(s->plan);
  ripstop_view_free(s->view);
  scene_close(s->scene);
}

/* Counts how often a simulation with a plan as it is has made tables; -1: it needs them. */
static int made_by_simulation(const stage *s) {
  ripstop_run_result result;
  ripstop_error err;
  tables_made = 0;
  if (ripstop_simulate_into(s->plan, &s->scene->sim, &result, &err)) {
    assert_non_null(strstr(err.text, "its tables have not been made"));
    assert_null(result.arena);
    return -1;
  }
  assert_true(result.account.delivered > 0);
  assert_true(result.account.lost > 0); /* the schedule was looked at */
  ripstop_run_result_free(&result);
  return tables_made;
}

static void protocols_do_without(void **state) {
  (void)state;
  stage s = stage_open("counted-protocol", "load=0.5");
  assert_false(s.plan->has_tables);
  assert_false(ripstop_simulate_routes(s.plan, &s.scene->sim));
  assert_int_equal(made_by_simulation(&s), 0);
  stage_close(&s);
}

static void whoever_routes_makes_them(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"counted-central", "load=0.5"}, {"counted-protocol", "load=0.5 affected=on"}};
  for (int i = 0; i < 2; i++) {
    ripstop_error err;
    stage s = stage_open(cases[i][0], cases[i][1]);
    assert_true(ripstop_simulate_routes(s.plan, &s.scene->sim));
    assert_int_equal(ripstop_simulate_check(s.plan, &s.scene->sim, &err), 0);
    assert_int_equal(made_by_simulation(&s), -1);
    assert_int_equal(ripstop_plan_tables(s.plan, &err), RIPSTOP_APPLIES);
    assert_int_equal(ripstop_plan_tables(s.plan, &err), RIPSTOP_APPLIES);
    assert_int_equal(tables_made, 1);
    assert_int_equal(made_by_simulation(&s), CHANGES);
    stage_close(&s);
  }
}

static void proofs_ask_for_them(void **state) {
  (void)state;
  stage s = stage_open("counted-protocol", "");
  ripstop_prover *prover = ripstop_prover_new(s.scene->fabric);
  ripstop_proof proof;
  ripstop_delivery pair;
  ripstop_standstill standstill;
  ripstop_certificate certificate = {.fabric = s.scene->fabric, .method = "counted-protocol"};
  ripstop_text verdict = {0};
  ripstop_error err;
  assert_int_equal(ripstop_prover_prove(prover, s.plan, &proof, &err), -1);
  assert_non_null(strstr(err.text, "its tables have not been made"));
  assert_int_equal(ripstop_plan_deliver(s.plan, 0, 1, 100, &pair, &err), -1);
  assert_int_equal(ripstop_certificate_check(&certificate, s.plan, &verdict, NULL, &err), RIPSTOP_UNCHECKABLE);
  assert_int_equal(ripstop_plan_tables(s.plan, &err), RIPSTOP_APPLIES);
  assert_int_equal(ripstop_prover_prove(prover, s.plan, &proof, &err), 0);
  assert_int_equal(ripstop_plan_deliver(s.plan, 0, 1, 100, &pair, &err), 0);
  assert_true(proof.tolerated && pair.every_choice);
  assert_int_equal(tables_made, 1);
  ripstop_text_free(&verdict);
  ripstop_prover_free(prover);
  stage_close(&s);

  s = stage_open("counted-central", "");
  assert_int_equal(ripstop_simulate_deadlocked(s.plan, &s.scene->sim, NULL, 0, 10, &standstill, &err), -1);
  assert_non_null(strstr(err.text, "its tables have not been made"));
  stage_close(&s);
}

/* One proof of each set is one table. */
static void many_sets_make_one_each(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open(STAR, &err);
  ripstop_many many = {.fabric = f,
                       .method = "counted-protocol",
                       .kind = RIPSTOP_SETS_ALL,
                       .scope = RIPSTOP_FAULTS_ALL_LINKS,
                       .count = 1,
                       .confidence = 0.9,
                       .threads = 1};
  ripstop_tally tally;
  tables_made = 0;
  assert_int_equal(ripstop_prove_many(&many, &tally, &err), 0);
  assert_int_equal(tally.proofs, 4);
  assert_int_equal(tables_made, 4);
  ripstop_fabric_free(f);
}

/* Tables of the old view count for nothing. */
static void a_change_asks_again(void **state) {
  (void)state;
  ripstop_error err;
  stage s = stage_open("counted-protocol", "");
  ripstop_plan_tables(s.plan, &err);
  assert_true(s.plan->has_tables);
  ripstop_view_set_link(s.view, 0, false);
  assert_int_equal(ripstop_plan_recompile(s.plan, &err), RIPSTOP_APPLIES);
  assert_false(s.plan->has_tables);
  ripstop_plan *like = ripstop_plan_for(s.plan, s.view, NULL, &err);
  assert_false(like->has_tables);
  ripstop_plan_free(like);
  assert_int_equal(tables_made, 1);
  stage_close(&s);
}

/* With one step or two: where the method does not apply any more there are no tables, until it does again. */
static void without_a_plan_there_are_none(void **state) {
  (void)state;
  ripstop_error err;
  stage s = stage_open("counted-fickle", "");
  assert_true(s.plan->has_tables);
  ripstop_view_set_link(s.view, 0, false);
  assert_int_equal(ripstop_plan_recompile(s.plan, &err), RIPSTOP_DOES_NOT_APPLY);
  assert_false(s.plan->has_tables);
  assert_int_equal(ripstop_plan_check_tables(s.plan, &err), -1);
  assert_int_equal(ripstop_plan_tables(s.plan, &err), RIPSTOP_DOES_NOT_APPLY);
  assert_non_null(strstr(err.text, "no tables, since it does not apply here"));
  ripstop_view_set_link(s.view, 0, true);
  assert_int_equal(ripstop_plan_recompile(s.plan, &err), RIPSTOP_APPLIES);
  assert_true(s.plan->has_tables);
  stage_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(protocols_do_without), cmocka_unit_test(whoever_routes_makes_them),
      cmocka_unit_test(proofs_ask_for_them),  cmocka_unit_test(many_sets_make_one_each),
      cmocka_unit_test(a_change_asks_again),  cmocka_unit_test(without_a_plan_there_are_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
