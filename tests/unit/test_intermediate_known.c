/* test_intermediate_known.c - intermediate-nodes against tests/data/known-answers: pairs by the number of intermediate
 * nodes under both rules, and the count of lost pairs that needs no walk, on small and large fabrics. */
#include <jansson.h>
#include <string.h>

#include "check.h"
#include "ripstop/plugin/method.h"

#define ANSWERS RIPSTOP_SOURCE_DIR "/tests/data/known-answers/verdicts.jsonl"

enum { LINE_MAX_BYTES = 1 << 16 };

typedef struct scene {
  ripstop_fabric *fabric;
  ripstop_names *names;
  unsigned plans, arrays;
} scene;

static void use_fabric(scene *s, const char *spec) {
  ripstop_error err;
  if (s->fabric && strncmp(s->fabric->spec, spec, strlen(spec)) == 0) return;
  ripstop_names_free(s->names);
  ripstop_fabric_free(s->fabric);
  s->fabric = ripstop_fabric_open(spec, &err);
  if (!s->fabric) fail_msg("%s", err.text);
  s->names = ripstop_names_new(s->fabric);
}

static uint64_t fact(const ripstop_plan *plan, const char *name) {
  uint64_t value[RIPSTOP_FACTS_MAX];
  plan->method->facts(plan, value);
  for (size_t i = 0; plan->method->fact_names[i]; i++)
    if (strcmp(plan->method->fact_names[i], name) == 0) return value[i];
  fail_msg("no fact %s", name);
  return 0;
}

static void check_array(scene *s, const ripstop_plan *plan, const json_t *expect, const char *id, const char *word) {
  const json_t *array = json_object_get(expect, word);
  for (size_t i = 0; i < json_array_size(array); i++) {
    char name[64];
    snprintf(name, sizeof name, "pairs_by_intermediates.%zu", i);
    uint64_t want = (uint64_t)json_integer_value(json_array_get(array, i)), got = fact(plan, name);
    if (got != want)
      fail_msg("%s: %s[%zu] is %llu, not %llu", id, word, i, (unsigned long long)got, (unsigned long long)want);
  }
  s->arrays += array != NULL;
}

static void check_plan(scene *s, const ripstop_view *view, const json_t *answer, const char *prefer, const char *word) {
  ripstop_error err;
  ripstop_text method = {0};
  const char *name, *id = json_string_value(json_object_get(answer, "id"));
  json_t *value, *expect = json_object_get(answer, "expect");
  ripstop_text_add(&method, "intermediate-nodes:prefer=%s", prefer);
  json_object_foreach(json_object_get(answer, "options"), name, value) {
    if (json_is_string(value))
      ripstop_text_add(&method, ",%s=%s", name, json_string_value(value));
    else
      ripstop_text_add(&method, ",%s=%lld", name, (long long)json_integer_value(value));
  }
  ripstop_plan *plan = ripstop_plan_compile(view, method.data, NULL, &err);
  if (!plan) fail_msg("%s: %s", id, err.text);
  uint64_t lost = plan->method->lost_pairs(plan);
  const json_t *want = json_object_get(expect, "lost_pairs");
  if (want && lost != (uint64_t)json_integer_value(want))
    fail_msg("%s: %llu pairs lost, not %lld", id, (unsigned long long)lost, (long long)json_integer_value(want));
  assert_int_equal(lost == 0, json_is_true(json_object_get(expect, "tolerated")) ||
                                  json_is_true(json_object_get(expect, "all_pairs_delivered_under_every_choice")));
  check_array(s, plan, expect, id, word);
  s->plans++;
  ripstop_plan_free(plan);
  ripstop_text_free(&method);
}

static void check_answer(scene *s, const json_t *answer) {
  const char *line = json_string_value(json_object_get(answer, "faults"));
  ripstop_error err;
  ripstop_faults faults;
  ripstop_arena *arena = ripstop_arena_new();
  use_fabric(s, json_string_value(json_object_get(answer, "fabric")));
  if (ripstop_faults_parse(arena, s->names, line, strlen(line), &faults, &err)) fail_msg("%s", err.text);
  ripstop_view *view = ripstop_view_new(s->fabric, &faults);
  check_plan(s, view, answer, "shortest", "pairs_by_printed_rule");
  check_plan(s, view, answer, "fewest", "pairs_by_fewest_intermediates");
  ripstop_view_free(view);
  ripstop_arena_free(arena);
}

static void known_answers_hold(void **state) {
  (void)state;
  static char line[LINE_MAX_BYTES];
  scene s = {0};
  FILE *file = fopen(ANSWERS, "r");
  if (!file) fail_msg("%s cannot be read", ANSWERS);
  while (fgets(line, sizeof line, file)) {
    json_t *answer = json_loads(line, 0, NULL);
    if (strcmp(json_string_value(json_object_get(answer, "method")), "intermediate-nodes") == 0)
      check_answer(&s, answer);
    json_decref(answer);
  }
  fclose(file);
  ripstop_names_free(s.names);
  ripstop_fabric_free(s.fabric);
  print_message("%u plans, %u arrays\n", s.plans, s.arrays);
  assert_int_equal(s.plans, 2 * 125);
  assert_true(s.arrays > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
