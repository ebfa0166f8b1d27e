/* test_scene.c - what the lab's page calls, without a page: whatever is clicked, the scene's numbers are those of one
 * simulation with the schedule that the scene prints, value for value; an error is one line. */
#include "check.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/inner_runs.h"
#include "lab/scene.h"
#include "opened.h"
#include "simulate/run_result.h"
#include "workload/workload_run.h"

static uint32_t last_link(uint32_t before) { return lab_links() - 1 - before; }

static void must_open(const char *settings) {
  if (lab_open(settings)) fail_msg("%s: %s", settings, lab_text());
}

static void to_the_end(void) {
  assert_int_equal(lab_run(1e9), 0);
  assert_true(lab_ended());
}

/* ------------------------------------------------------------------ the same by the library */

/* The settings again, with all that was clicked as the schedule, which only this opens. */
static ripstop_run_result simulate_again(const char *settings, const char *schedule) {
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_run_result result;
  lab_settings s;
  ripstop_schedule parsed;
  assert_int_equal(lab_settings_read(arena, settings, &s, &err), 0);
  ripstop_fabric *fabric = ripstop_fabric_open(s.fabric, &err);
  ripstop_names *names = ripstop_names_new(fabric);
  assert_int_equal(ripstop_schedule_parse(arena, names, schedule, strlen(schedule), &parsed, &err), 0);
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, s.method, NULL, &err);
  assert_non_null(plan);
  s.scenario.schedule = &parsed;
  ripstop_workload_run run = {s.jobs, s.scenario};
  int status = s.workload ? ripstop_workload_agent(plan, &run, &result, &err)
                          : ripstop_simulate_into(plan, &s.scenario, &result, &err);
  if (status) fail_msg("%s", err.text);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  return result;
}

static json_t *numbers(void) {
  assert_int_equal(lab_numbers(), 0);
  json_error_t why;
  json_t *all = json_loads(lab_text(), 0, &why);
  if (!all) fail_msg("%s: %s", why.text, lab_text());
  return all;
}

static void must_be(const json_t *all, const char *name, double value) {
  const json_t *member = json_object_get(all, name);
  if (!member) fail_msg("%s is missing", name);
  if (isfinite(value) ? json_number_value(member) != value : !json_is_null(member))
    fail_msg("%s is %.17g, not %.17g", name, json_number_value(member), value);
}

static void numbers_are_those_of(const char *settings) {
  char schedule[1000];
  json_t *all = numbers();
  lab_changes();
  snprintf(schedule, sizeof schedule, "%s", lab_text());
  ripstop_run_result result = simulate_again(settings, schedule);
  assert_string_equal(json_string_value(json_object_get(all, "verdict")), ripstop_verdict_words[result.verdict]);
  assert_non_null(json_string_value(json_object_get(all, "switch.selection")));
  for (size_t i = 0; i < result.values; i++) must_be(all, result.value[i].name, result.value[i].value);
  must_be(all, "account.delivered", (double)result.account.delivered);
  must_be(all, "account.lost", (double)result.account.lost);
  must_be(all, "run.hops", (double)result.hops);
  assert_true(result.account.delivered > 0);
  ripstop_run_result_free(&result);
  json_decref(all);
}

/* ------------------------------------------------------------------ clicks */

#define SHORT "\nmeasure.warmup=100\nmeasure.cycles=1500"

static void click(uint32_t before, lab_change_kind kind) {
  if (lab_change_link(last_link(before), kind)) fail_msg("%s", lab_text());
}

static void clicks_are_a_schedule(void **state) {
  (void)state;
  static const char *const scenes[] = {
      "fabric=kary-ntree:k=4,n=2\nmethod=misroute\nload=0.4" SHORT,
      "fabric=torus:4x4\nmethod=immunet\nload=0.3" SHORT,
      "fabric=torus:4x4\nmethod=mend\nload=0.3\nreaction.model=static\nreaction.detect=50" SHORT,
      "fabric=kary-ntree:k=4,n=2\nmethod=misroute\nworkload=allreduce:bytes=4096\nworkload.packet=64",
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    must_open(scenes[i]);
    lab_run(300);
    click(0, LAB_BREAK);
    lab_run(400);
    click(2, LAB_BREAK);
    click(2, LAB_REPAIR); /* taken back */
    lab_run(700);
    click(0, LAB_REPAIR);
    click(1, LAB_BREAK);
    to_the_end();
    numbers_are_those_of(scenes[i]);
  }
}

static void slow_links_and_switches_too(void **state) {
  (void)state;
  static const char slow[] = "fabric=torus:4x4\nmethod=minimal-adaptive\nload=0.3" SHORT;
  must_open(slow);
  lab_run(200);
  click(0, LAB_SLOW);
  lab_run(500);
  click(1, LAB_SLOW);
  click(0, LAB_REPAIR);
  lab_run(900);
  click(2, LAB_BREAK);
  to_the_end();
  numbers_are_those_of(slow);

  static const char whole[] = "fabric=torus:4x4\nmethod=immunet\nload=0.2" SHORT;
  must_open(whole);
  lab_run(200);
  int node = lab_find_part("switch:1.1");
  assert_true(node >= (int)lab_links());
  assert_int_equal(lab_change_switch((uint32_t)node - lab_links(), LAB_BREAK), 0);
  to_the_end();
  lab_changes();
  assert_string_equal(lab_text(), "switch:1.1@200");
  numbers_are_those_of(whole);
}

/* A change that the schedule had in store for a part that is clicked is forgotten. */
static void clicks_take_the_place_of_a_schedule(void **state) {
  (void)state;
  must_open("fabric=kary-ntree:k=2,n=2\nmethod=updown\nload=0.2\nchanges=0/1/2@500 0/1/2+@900 0/1/3@600" SHORT);
  assert_false(lab_scheduled());
  lab_run(100);
  assert_int_equal(lab_change_link((uint32_t)lab_find_part("0/1/2"), LAB_BREAK), 0);
  lab_changes();
  assert_string_equal(lab_text(), "0/1/2@100 0/1/3@600");
  to_the_end();
  numbers_are_those_of("fabric=kary-ntree:k=2,n=2\nmethod=updown\nload=0.2" SHORT);
  assert_int_equal(lab_change_link(0, LAB_BREAK), -1);
  assert_string_equal(lab_text(), "the run has ended");
  assert_true(lab_is_open());
}

static void a_broken_part_stays_so(void **state) {
  (void)state;
  must_open("fabric=kary-ntree:k=2,n=2\nmethod=updown\nload=0.2\nfaults=0/1/2" SHORT);
  lab_run(50);
  assert_int_equal(lab_change_link((uint32_t)lab_find_part("0/1/2"), LAB_BREAK), 0);
  lab_changes();
  assert_string_equal(lab_text(), "");
}

/* A number of failed links is the first sample of an experiment with that number. */
static void numbers_of_faults_are_an_experiments(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_runs *runs =
      open_runs("fabric: kary-ntree:k=4,n=2\nmethod: misroute\nfaults: {count: 3}\ntraffic: {load: 0.1}\n");
  const ripstop_faults *drawn = ripstop_run_faults(&runs->run[0], arena, &err);
  assert_true(drawn && drawn->links == 3);
  must_open("fabric=kary-ntree:k=4,n=2\nmethod=misroute\nload=0.1\nfaults=3");
  lab_look();
  const uint8_t *link = lab_array(LAB_LINK_STATE);
  for (uint32_t i = 0; i < lab_links(); i++) {
    bool dead = false;
    for (uint32_t k = 0; k < drawn->links; k++) dead |= drawn->link[k] == i;
    assert_int_equal(link[i], dead);
  }
  close_runs(runs);
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ errors */

static void refuses(void **state) {
  (void)state;
  static const struct {
    const char *settings, *says;
  } wrong[] = {
      {"", "a fabric must be given"},
      {"fabric=torus:4x4", "a method must be given"},
      {"fabric=torus:4x4\nmethod=dor", "a load or a workload must be given"},
      {"fabric", "'fabric' must be KEY=VALUE"},
      {"fabirc=torus:4x4", "unknown word 'fabirc'; did you mean 'fabric'?"},
      {"trafic.load=1", "unknown section 'trafic'; did you mean 'traffic'?"},
      {"fabric=torsu:4x4\nmethod=dor\nload=0.1", "did you mean 'torus'"},
      {"fabric=torus:4x4\nmethod=dro\nload=0.1", "did you mean 'dor'"},
      {"fabric=torus:4x4\nmethod=updown\nload=0.1", "updown is for"},
      {"fabric=torus:4x4\nmethod=dor\nload=x", "load"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\nseed=-1", "seed: "},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\nmeasure.cycles=none", "cycles"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\nfaults=9.9/0", "no link '9.9/0'"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\nfaults=rnadom:1", "did you mean 'random'"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\nfaults=4000", "4000"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\nfaults=0.0/0@5\nchanges=0.0/0@9", "faults are a schedule already"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\nchanges=0.0/0+@9", "0.0/0"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\ntraffic.transport=selective",
       "traffic.transport: the lab shows traffic without a transport; 'ripstop simulate' has one"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\ntraffic.window=3", "traffic.window: the lab shows traffic without"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\ntraffic.acks=behind", "traffic.acks: the lab shows traffic without"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\ntraffic.pocket=3", "did you mean 'packet'"},
      {"fabric=torus:200x200x9\nmethod=dor\nload=0.1", "ports"},
      {"fabric=torus:4x4\nmethod=dor\nworkload=allrdeuce", "did you mean 'allreduce'"},
      {"fabric=torus:4x4\nmethod=dor\nload=0.1\npattern=unifrom", "did you mean 'uniform'"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    if (lab_open(wrong[i].settings) != -1) fail_msg("%s is taken", wrong[i].settings);
    if (!strstr(lab_text(), wrong[i].says)) fail_msg("%s: %s", wrong[i].settings, lab_text());
    assert_null(strchr(lab_text(), '\n'));
    assert_false(lab_is_open());
  }
  must_open("fabric=torus:4x4\nmethod=dor\nload=0.1");
  assert_int_equal(lab_find_part("0.0/00"), -1);
  assert_non_null(strstr(lab_text(), "did you mean"));
}

/* ------------------------------------------------------------------ names, words, counts */

static void names_lead_back(void **state) {
  (void)state;
  must_open("fabric=mport-ntree:m=4,n=2\nmethod=shortest-table\nload=0.1");
  lab_fabric_name();
  assert_string_equal(lab_text(), "mport-ntree:m=4,n=2");
  for (uint32_t link = 0; link < lab_links(); link++) {
    char name[RIPSTOP_NAME_MAX];
    lab_link_name(link);
    snprintf(name, sizeof name, "%s", lab_text());
    assert_int_equal(lab_find_part(name), link);
  }
  for (uint32_t node = lab_ends(); node < lab_nodes(); node++) {
    char name[RIPSTOP_NAME_MAX + 8];
    lab_node_name(node);
    snprintf(name, sizeof name, "switch:%s", lab_text());
    assert_int_equal(lab_find_part(name), lab_links() + node);
  }
}

static void offers_words(void **state) {
  (void)state;
  static const char *const kinds[][2] = {
      {"fabric", "torus\t"}, {"method", "misroute\t"}, {"pattern", "uniform\t"}, {"workload", "allreduce\t"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    lab_words(kinds[i][0]);
    assert_non_null(strstr(lab_text(), kinds[i][1]));
  }
  must_open("fabric=torus:4x4\nmethod=dor\nload=0.1");
  assert_int_equal(lab_methods(), 0);
  assert_non_null(strstr(lab_text(), "\nimmunet\t\n"));
  assert_non_null(strstr(lab_text(), "\nupdown\tupdown is for"));
}

static void counts_are_whole(void **state) {
  (void)state;
  assert_int_equal(lab_count(NAN), 0);
  assert_int_equal(lab_count(-1), 0);
  assert_int_equal(lab_count(41.9), 41);
  assert_int_equal(lab_count(INFINITY), UINT64_C(1) << 53);
}

/* ------------------------------------------------------------------ questions */

static uint32_t lit(lab_array_kind kind, uint32_t count) {
  const uint8_t *flag = lab_array(kind);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += flag[i];
  return sum;
}

static void answers_questions(void **state) {
  (void)state;
  must_open("fabric=kary-ntree:k=2,n=2\nmethod=updown\nload=0.2\nfaults=0/1/2@5000");
  lab_run(100);
  assert_int_equal(lab_prove(100), 0);
  assert_non_null(strstr(lab_text(), "Every packet is delivered"));
  assert_int_equal(lab_change_link((uint32_t)lab_find_part("0/1/3"), LAB_BREAK), 0);
  assert_int_equal(lab_prove(200), 0);
  assert_memory_equal(lab_text(), "4 of 12 pairs", 13);
  assert_int_equal(lab_prove(6000), 0); /* with the schedule's link */
  assert_null(strstr(lab_text(), "4 of 12 pairs"));
  assert_int_equal(lab_defeat(1000), 0);
  assert_non_null(strstr(lab_text(), "1 failed link defeats it"));
  assert_int_equal(lit(LAB_LIT_LINK, lab_links()), 1);
  assert_int_equal(lit(LAB_LIT_PORT, lab_ports()), 0);

  must_open("fabric=torus:5x5\nmethod=dor\nload=0.2");
  assert_int_equal(lab_prove(0), 0);
  assert_non_null(strstr(lab_text(), "Deadlock: "));
  assert_true(lit(LAB_LIT_PORT, lab_ports()) > 2);
}

static int close_it(void **state) {
  (void)state;
  lab_close();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(clicks_are_a_schedule, close_it),
      cmocka_unit_test_teardown(slow_links_and_switches_too, close_it),
      cmocka_unit_test_teardown(clicks_take_the_place_of_a_schedule, close_it),
      cmocka_unit_test_teardown(a_broken_part_stays_so, close_it),
      cmocka_unit_test_teardown(numbers_of_faults_are_an_experiments, close_it),
      cmocka_unit_test_teardown(refuses, close_it),
      cmocka_unit_test_teardown(names_lead_back, close_it),
      cmocka_unit_test_teardown(offers_words, close_it),
      cmocka_unit_test_teardown(counts_are_whole, close_it),
      cmocka_unit_test_teardown(answers_questions, close_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
