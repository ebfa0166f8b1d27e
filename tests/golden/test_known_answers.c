/* test_known_answers.c - methods against verdicts that were computed elsewhere (tests/data/known-answers/README.md).
 *
 * A case whose method or options are not there yet is counted as not yet answerable; a method that is there and has
 * cases must have been held to some of them. Numbers of pairs come from ripstop_plan_deliver; sets of queues that wait
 * for each other from walks.h. */
#include <jansson.h>

#include "ripstop/plugin/method.h"
#include "stand.h"
#include "walks.h"

/* Cases on larger fabrics are for programs that share work between pairs. */
enum { MOST_ENDS = 300, MOST_STATES = 1000000, METHODS = 64 };

typedef struct pairs {
  uint64_t all, some_choice, every_choice; /* pairs; lost under some, under every choice */
} pairs;

static pairs count_pairs(const ripstop_plan *plan) {
  pairs n = {0};
  ripstop_error err;
  for (uint32_t s = 0; s < plan->fabric->ends; s++)
    for (uint32_t d = 0; d < plan->fabric->ends; d++) {
      ripstop_delivery candidate;
      if (s == d) continue;
      if (ripstop_plan_deliver(plan, s, d, MOST_STATES, &candidate, &err)) fail_msg("%s", err.text);
      n.all++;
      n.some_choice += !candidate.every_choice;
      n.every_choice += !candidate.some_choice;
    }
  return n;
}

/* "misroute:uturn=cyclic" from a method's name and a JSON object. */
static const char *spec_of(ripstop_arena *arena, const char *method, json_t *options) {
  ripstop_text text = {0};
  const char *key, *between = ":";
  json_t *value;
  ripstop_text_add(&text, "%s", method);
  json_object_foreach(options, key, value) {
    ripstop_text_add(&text, "%s%s=", between, key);
    if (json_is_boolean(value)) ripstop_text_add(&text, "%s", json_is_true(value) ? "on" : "off");
    if (json_is_integer(value)) ripstop_text_add(&text, "%lld", (long long)json_integer_value(value));
    if (json_is_string(value)) ripstop_text_add(&text, "%s", json_string_value(value));
    between = ",";
  }
  const char *spec = ripstop_arena_text(arena, text.data);
  ripstop_text_free(&text);
  return spec;
}

typedef struct question {
  const char *id;
  json_t *expect;
  uint32_t checked;
} question;

static void check(question *q, const char *field, uint64_t measured) {
  json_t *value = json_object_get(q->expect, field);
  if (!value) return;
  uint64_t expected = json_is_boolean(value) ? json_is_true(value) : (uint64_t)json_integer_value(value);
  if (expected != measured)
    fail_msg("%s: %s is %llu, expected %llu", q->id, field, (unsigned long long)measured, (unsigned long long)expected);
  q->checked++;
}

static void check_plan(question *q, const ripstop_plan *plan) {
  pairs n = count_pairs(plan);
  check(q, "pairs", n.all);
  check(q, "disconnected_pairs", ripstop_view_disconnected_pairs(plan->view));
  check(q, "lost_pairs_some_choice", n.some_choice);
  check(q, "lost_pairs_every_choice", n.every_choice);
  check(q, "tolerated", n.some_choice == 0);
  check(q, "all_pairs_delivered_under_every_choice", n.some_choice == 0);
  if (!json_object_get(q->expect, "deadlock_free")) return;
  bool bubbles;
  uint32_t waiting = waiting_queues(plan, &bubbles);
  if (bubbles) return;
  check(q, "deadlock_free", waiting == 0);
  check(q, "greatest_waiting_set_of_queues", waiting);
}

/* Counts the fields of the case that could be checked. */
static uint32_t answer(json_t *line) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  question q = {.id = json_string_value(json_object_get(line, "id")), .expect = json_object_get(line, "expect")};
  const char *spec =
      spec_of(arena, json_string_value(json_object_get(line, "method")), json_object_get(line, "options"));
  const char *canonical, *faults_line = json_string_value(json_object_get(line, "faults"));
  if (ripstop_method_canonical(arena, spec, &canonical, &err) == 0) {
    ripstop_fabric *fabric = ripstop_fabric_open(json_string_value(json_object_get(line, "fabric")), &err);
    if (!fabric) fail_msg("%s: %s", q.id, err.text);
    ripstop_names *names = ripstop_names_new(fabric);
    ripstop_faults faults;
    if (ripstop_faults_parse(arena, names, faults_line, strlen(faults_line), &faults, &err))
      fail_msg("%s: %s", q.id, err.text);
    ripstop_view *view = ripstop_view_new(fabric, &faults);
    ripstop_answer applies = RIPSTOP_ERROR;
    ripstop_plan *plan = fabric->ends <= MOST_ENDS ? stand_plan(view, spec, &applies, &err) : NULL;
    if (plan && !plan->method->proto) check_plan(&q, plan);
    ripstop_plan_free(plan);
    ripstop_view_free(view);
    ripstop_names_free(names);
    ripstop_fabric_free(fabric);
  }
  ripstop_arena_free(arena);
  return q.checked;
}

static bool is_registered_without_protocol(const char *name) {
  for (size_t i = 0; ripstop_methods[i]; i++)
    if (strcmp(ripstop_methods[i]->name, name) == 0) return !ripstop_methods[i]->proto;
  return false;
}

static void known_verdicts_hold(void **state) {
  (void)state;
  struct {
    char name[64];
    uint32_t answered;
  } method[METHODS] = {0};
  uint32_t methods = 0, lines = 0, answered = 0, fields = 0;
  FILE *file = fopen(RIPSTOP_SOURCE_DIR "/tests/data/known-answers/verdicts.jsonl", "r");
  assert_non_null(file);
  for (json_t *line; (line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)); json_decref(line), lines++) {
    const char *name = json_string_value(json_object_get(line, "method"));
    uint32_t m = 0, checked = answer(line);
    while (m < methods && strcmp(method[m].name, name) != 0) m++;
    if (m == methods) snprintf(method[methods++].name, sizeof method->name, "%s", name);
    method[m].answered += checked > 0;
    answered += checked > 0;
    fields += checked;
  }
  fclose(file);
  print_message("%u of %u cases answered, %u numbers; %u not yet answerable\n", answered, lines, fields,
                lines - answered);
  assert_int_equal(lines, 256);
  for (uint32_t m = 0; m < methods; m++)
    if (is_registered_without_protocol(method[m].name) && method[m].answered == 0)
      fail_msg("method %s is there, but no case of it was checked", method[m].name);
}

/* ------------------------------------------------------------------ results of exhaustive search about misrouting */

typedef struct counts {
  uint32_t sets, connected;
  uint32_t tolerated, deadlocked; /* connected sets that lose no packet; those of them that can deadlock */
} counts;

static counts try_all_sets(const char *fabric_spec, const char *method, uint32_t faults) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *fabric = ripstop_fabric_open(fabric_spec, &err);
  ripstop_combinations sets;
  counts n = {0};
  ripstop_combinations_first(arena, ripstop_faults_population(fabric, RIPSTOP_FAULTS_SWITCH_LINKS), faults, &sets);
  do {
    ripstop_faults dead;
    ripstop_faults_from_parts(arena, fabric, RIPSTOP_FAULTS_SWITCH_LINKS, sets.part, sets.count, &dead);
    ripstop_view *view = ripstop_view_new(fabric, &dead);
    n.sets++;
    if (ripstop_view_disconnected_pairs(view) == 0) {
      ripstop_plan *plan = stand_plan(view, method, NULL, &err);
      bool bubbles, tolerated = count_pairs(plan).some_choice == 0;
      n.connected++;
      n.tolerated += tolerated;
      n.deadlocked += tolerated && waiting_queues(plan, &bubbles) > 0;
      ripstop_plan_free(plan);
    }
    ripstop_view_free(view);
  } while (ripstop_combinations_next(&sets));
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
  return n;
}

static void misrouting_holds_below_k_faults(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t faults, sets;
  } cases[] = {{"kary-ntree:k=2,n=3", 1, 16}, {"kary-ntree:k=3,n=2", 1, 9},   {"kary-ntree:k=3,n=2", 2, 36},
               {"kary-ntree:k=4,n=2", 1, 16}, {"kary-ntree:k=4,n=2", 2, 120}, {"kary-ntree:k=4,n=2", 3, 560}};
  static const char *const methods[] = {"misroute", "misroute:uturn=cyclic"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t m = 0; m < 2; m++) {
      counts n = try_all_sets(cases[i].fabric, methods[m], cases[i].faults);
      assert_int_equal(n.sets, cases[i].sets);
      assert_int_equal(n.tolerated, n.sets);
      assert_int_equal(n.deadlocked, 0);
    }
}

/* Sets of the smallest size for which there are any: everything is delivered, but not without deadlock. */
static void misrouting_deadlocks_with_k_faults(void **state) {
  (void)state;
  counts two = try_all_sets("kary-ntree:k=2,n=3", "misroute", 2);
  assert_int_equal(two.tolerated, 100);
  assert_int_equal(two.deadlocked, 8);
  counts three = try_all_sets("kary-ntree:k=3,n=2", "misroute", 3);
  assert_int_equal(three.tolerated, 63);
  assert_int_equal(three.deadlocked, 6);
}

/* Without the arrival link as a first misroute, packets are lost at k-1 faults. */
static void misrouting_needs_the_candidate_back(void **state) {
  (void)state;
  counts one = try_all_sets("kary-ntree:k=3,n=2", "misroute:first_misroute_back=off", 1);
  counts two = try_all_sets("kary-ntree:k=3,n=2", "misroute:first_misroute_back=off", 2);
  counts three = try_all_sets("kary-ntree:k=4,n=2", "misroute:first_misroute_back=off", 3);
  assert_int_equal(one.tolerated, one.connected);
  assert_true(two.tolerated < two.connected);
  assert_true(three.tolerated < three.connected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_verdicts_hold), cmocka_unit_test(misrouting_holds_below_k_faults),
      cmocka_unit_test(misrouting_deadlocks_with_k_faults), cmocka_unit_test(misrouting_needs_the_candidate_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
