/* test_docs_method.c - docs/add-a-method.md shows a whole method, and says what it does: the C on the page is the file
 * that is compiled (src/methods/shortest-table.c), it keeps the promises of the page, and the page's
 * experiment gives the page's table.
 *
 * The second construction for delivery is the view's search for components: a pair must be delivered, whatever is
 * chosen, exactly if it is connected. */
#include "check.h"

#include <string.h>
#include <unistd.h>

#include "fabric/inner.h"
#include "opened.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/report.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/plan.h"
#include "stand.h"

#define PAGE   RIPSTOP_SOURCE_DIR "/docs/add-a-method.md"
#define METHOD RIPSTOP_SOURCE_DIR "/src/methods/shortest-table.c"

#define GRAPH RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges"

static const char *const fabrics[] = {"torus:4x4", "torus:5x2", "kary-ntree:k=2,n=3", "kns:k=3,n=2,c=2", GRAPH};
enum { FABRICS = sizeof fabrics / sizeof *fabrics, LIMIT = 100000 };

static char *read_text(ripstop_arena *arena, const char *path) {
  ripstop_error err;
  char *data;
  size_t length;
  if (ripstop_read_file(arena, path, 1 << 20, &data, &length, &err)) fail_msg("%s", err.text);
  return data;
}

/* Returns the text between "```HEADER\n" and "```\n". */
static char *block(ripstop_arena *arena, const char *page, const char *header) {
  const char *fence = ripstop_arena_printf(arena, "\n```%s\n", header), *from = strstr(page, fence);
  const char *to = from ? strstr(from += strlen(fence), "\n```\n") : NULL;
  if (to) return ripstop_arena_printf(arena, "%.*s", (int)(to + 1 - from), from);
  fail_msg("the page has no block '%s'", header);
  return NULL;
}

static ripstop_plan *open_plan(const ripstop_view *view, const char *spec) {
  ripstop_error err;
  ripstop_plan *plan = ripstop_plan_compile(view, spec, NULL, &err);
  if (!plan) fail_msg("%s", err.text);
  return plan;
}

static void test_the_page_shows_what_is_compiled(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  assert_string_equal(block(arena, read_text(arena, PAGE), "c src/methods/shortest-table.c"), read_text(arena, METHOD));
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ delivery */

static void check_pairs(const ripstop_view *view, const ripstop_plan *plan, uint32_t *lost) {
  const ripstop_fabric *f = view->fabric;
  ripstop_arena *arena = ripstop_arena_new();
  uint32_t *component = RIPSTOP_ARRAY(arena, f->nodes, uint32_t), *distance = RIPSTOP_ARRAY(arena, f->nodes, uint32_t);
  ripstop_view_components(view, component);
  for (uint32_t from = 0; from < f->ends; from++) {
    ripstop_fabric_distances(f, from, distance);
    for (uint32_t to = 0; to < f->ends; to++) {
      ripstop_delivery d;
      ripstop_error err;
      if (from == to) continue;
      if (ripstop_plan_deliver(plan, from, to, LIMIT, &d, &err)) fail_msg("%s: %s", f->spec, err.text);
      assert_false(d.livelock);
      assert_int_equal(d.every_choice, component[from] == component[to]);
      assert_int_equal(d.some_choice, d.every_choice);
      assert_true(!d.every_choice || d.max_hops >= distance[to]);
      *lost += !d.every_choice;
    }
  }
  ripstop_arena_free(arena);
}

static void test_every_pair_is_delivered(void **state) {
  (void)state;
  for (size_t i = 0; i < FABRICS; i++) {
    uint32_t lost = 0;
    ripstop_fabric *fabric = open_fabric(fabrics[i]);
    ripstop_view *view = ripstop_view_new(fabric, NULL);
    for (uint32_t root = 0; root < ripstop_fabric_switches(fabric); root += 3) {
      char spec[40];
      snprintf(spec, sizeof spec, "shortest-table:root=%u", root);
      ripstop_plan *plan = open_plan(view, spec);
      check_pairs(view, plan, &lost);
      ripstop_plan_free(plan);
    }
    assert_int_equal(lost, 0);
    ripstop_view_free(view);
    ripstop_fabric_free(fabric);
  }
}

/* The faults include links to end nodes, and are so many that some samples are disconnected. */
static void test_a_pair_is_lost_only_when_it_is_cut_off(void **state) {
  (void)state;
  uint32_t lost = 0;
  for (size_t i = 0; i < FABRICS; i++) {
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_fabric *fabric = open_fabric(fabrics[i]);
    ripstop_view *view = ripstop_view_new(fabric, NULL);
    ripstop_plan *plan = open_plan(view, "shortest-table");
    for (uint64_t sample = 0; sample < 12; sample++) {
      ripstop_faults faults;
      ripstop_error err;
      assert_int_equal(ripstop_faults_sample(arena, fabric, RIPSTOP_FAULTS_ALL_LINKS, 2 + (uint32_t)sample, 7, sample,
                                             &faults, &err),
                       0);
      ripstop_view_set_faults(view, &faults, false);
      assert_int_equal(ripstop_plan_recompile(plan, &err), RIPSTOP_APPLIES);
      check_pairs(view, plan, &lost);
      ripstop_view_set_faults(view, &faults, true);
    }
    ripstop_plan_free(plan);
    ripstop_view_free(view);
    ripstop_fabric_free(fabric);
    ripstop_arena_free(arena);
  }
  assert_true(lost > 0);
}

/* Proved over every state that packets can reach: without faults, and with each sample of failed links. */
static void test_it_never_deadlocks(void **state) {
  (void)state;
  for (size_t i = 0; i < FABRICS; i++) {
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_fabric *fabric = open_fabric(fabrics[i]);
    ripstop_prover *prover = ripstop_prover_new(fabric);
    for (uint32_t sample = 0; sample < 4; sample++) {
      ripstop_faults faults;
      ripstop_error err;
      ripstop_proof proof;
      assert_int_equal(
          ripstop_faults_sample(arena, fabric, RIPSTOP_FAULTS_SWITCH_LINKS, sample, 7, sample, &faults, &err), 0);
      ripstop_view *view = ripstop_view_new(fabric, &faults);
      ripstop_plan *plan = open_plan(view, "shortest-table");
      if (ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s: %s", fabric->spec, err.text);
      assert_true(proof.deadlock_free && proof.livelock_free);
      assert_int_equal(proof.lost_pairs_some_choice, proof.disconnected_pairs);
      ripstop_plan_free(plan);
      ripstop_view_free(view);
    }
    ripstop_prover_free(prover);
    ripstop_fabric_free(fabric);
    ripstop_arena_free(arena);
  }
}

/* In a tree whose root is a top switch up/down paths are the shortest there are. */
static void test_paths_in_a_tree_are_shortest(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric("kary-ntree:k=2,n=3");
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = open_plan(view, "shortest-table:root=8"); /* 4 switches on each of 3 levels */
  uint32_t distance[64];
  assert_true(fabric->nodes <= 64);
  for (uint32_t from = 0; from < fabric->ends; from++) {
    ripstop_fabric_distances(fabric, from, distance);
    for (uint32_t to = 0; to < fabric->ends; to++) {
      ripstop_delivery d;
      ripstop_error err;
      if (from == to) continue;
      assert_int_equal(ripstop_plan_deliver(plan, from, to, LIMIT, &d, &err), 0);
      assert_int_equal(d.max_hops, distance[to]);
    }
  }
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

/* ------------------------------------------------------------------ simulation */

static void simulate(const char *spec, double load, const char *schedule_text, ripstop_verdict verdict) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  ripstop_fabric *fabric = open_fabric(spec);
  ripstop_simulate_settings simulation = {.seed = 1};
  ripstop_schedule schedule;
  ripstop_names *names = ripstop_names_new(fabric);
  ripstop_options_defaults(arena, ripstop_switch_options, &simulation.switch_);
  ripstop_options_defaults(arena, ripstop_traffic_options, &simulation.traffic);
  ripstop_options_defaults(arena, ripstop_measure_options, &simulation.measure);
  simulation.traffic.load = load;
  simulation.measure.warmup = "1000";
  if (schedule_text) {
    assert_int_equal(ripstop_schedule_parse(arena, names, schedule_text, strlen(schedule_text), &schedule, &err), 0);
    simulation.schedule = &schedule;
  }
  ripstop_run_result result;
  if (stand_simulate(fabric, "shortest-table", NULL, &simulation, &result, &err)) fail_msg("%s: %s", spec, err.text);
  const ripstop_account *a = &result.account;
  assert_string_equal(ripstop_verdict_words[result.verdict], ripstop_verdict_words[verdict]);
  assert_int_equal(a->generated, a->delivered + a->in_flight + a->waiting + a->lost);
  assert_true(a->delivered > 0);
  if (!schedule_text) assert_int_equal(a->lost, 0);
  if (verdict == RIPSTOP_STEADY) assert_true(a->delivered > a->generated * 9 / 10);
  ripstop_run_result_free(&result);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

static void test_it_is_simulated(void **state) {
  (void)state;
  for (size_t i = 0; i < FABRICS; i++) {
    simulate(fabrics[i], 0.1, NULL, RIPSTOP_STEADY);
    simulate(fabrics[i], 1, NULL, RIPSTOP_SATURATED); /* and not deadlocked */
  }
  simulate("torus:4x4", 0.1, "0.0/0@2000 1.1/1@2500 0.0/0+@6000", RIPSTOP_STEADY);
}

/* ------------------------------------------------------------------ the page's experiment */

static void test_the_experiment_gives_the_table(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  const char *page = read_text(arena, PAGE), *yaml = block(arena, page, "yaml table.yaml");
  ripstop_spec *spec = ripstop_spec_read_memory("table.yaml", yaml, strlen(yaml), NULL, &err);
  if (!spec) fail_msg("%s", err.text);
  ripstop_runs *runs = ripstop_expand(spec, &err);
  if (!runs) fail_msg("%s", err.text);
  ripstop_outcome *outcome = RIPSTOP_ARRAY(arena, runs->count, ripstop_outcome);
  const ripstop_outcome **list = RIPSTOP_ARRAY(arena, runs->count, const ripstop_outcome *);
  for (size_t i = 0; i < runs->count; i++) {
    assert_int_equal(ripstop_run_execute(&runs->run[i], NULL, &outcome[i]), 0);
    list[i] = &outcome[i];
  }
  FILE *file = tmpfile();
  assert_non_null(file);
  ripstop_report_text(file, &(ripstop_data){.runs = runs, .outcome = list});
  long length = ftell(file);
  char *got = RIPSTOP_ARRAY(arena, (size_t)length + 1, char);
  rewind(file);
  assert_int_equal(fread(got, 1, (size_t)length, file), length);
  fclose(file);
  assert_string_equal(got, block(arena, page, "text output"));
  for (size_t i = 0; i < runs->count; i++) ripstop_outcome_free(&outcome[i]);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  ripstop_arena_free(arena);
}

static void test_bad_options_are_refused(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric("torus:4x4");
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_answer answer;
  ripstop_error err;
  assert_null(ripstop_plan_compile(view, "shortest-table:root=16", &answer, &err));
  assert_int_equal(answer, RIPSTOP_ERROR);
  assert_string_equal(err.text, "shortest-table: root=16, but torus:4x4 has 16 switches");
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
  fabric = open_fabric("torus:128x128");
  view = ripstop_view_new(fabric, NULL);
  assert_null(ripstop_plan_compile(view, "shortest-table", &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  ripstop_view_free(view);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_page_shows_what_is_compiled),        cmocka_unit_test(test_every_pair_is_delivered),
      cmocka_unit_test(test_a_pair_is_lost_only_when_it_is_cut_off), cmocka_unit_test(test_it_never_deadlocks),
      cmocka_unit_test(test_paths_in_a_tree_are_shortest),           cmocka_unit_test(test_it_is_simulated),
      cmocka_unit_test(test_the_experiment_gives_the_table),         cmocka_unit_test(test_bad_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
