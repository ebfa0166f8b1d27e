/* test_prove_known.c - the prover against tests/data/known-answers: verdicts that small independent programs found.
 *
 * Answers about methods that are not in the registry are left out; an expectation that this test does not understand
 * is an error. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

#define ANSWERS RIPSTOP_SOURCE_DIR "/tests/data/known-answers/verdicts.jsonl"

/* One in so many of the answers about fabrics with many end nodes is checked: a proof walks a million pairs. */
enum { LINE_MAX_BYTES = 1 << 16, MANY_ENDS = 500, ONE_IN = 4 };

static bool is_method(const char *name) {
  ripstop_error err;
  return ripstop_method_find(name, strlen(name), &err) != NULL;
}

/* "misroute:first_misroute_back=false" */
static void add_method(ripstop_text *out, const json_t *answer) {
  const char *name, *before = ":";
  json_t *value;
  ripstop_text_add(out, "%s", json_string_value(json_object_get(answer, "method")));
  json_object_foreach(json_object_get(answer, "options"), name, value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    size_t quotes = json_is_string(value), length = strlen(text);
    ripstop_text_add(out, "%s%s=%.*s", before, name, (int)(length - 2 * quotes), text + quotes);
    before = ",";
    free(text);
  }
}

/* The value of one expectation in the plan or its proof; -1: no such word. */
static int64_t found(const ripstop_plan *plan, const ripstop_proof *proof, const char *word) {
  const struct {
    const char *word;
    uint64_t value;
  } known[] = {{"pairs", proof->pairs},
               {"disconnected_pairs", proof->disconnected_pairs},
               {"lost_pairs_some_choice", proof->lost_pairs_some_choice},
               {"lost_pairs_every_choice", proof->lost_pairs_every_choice},
               {"lost_pairs", proof->lost_pairs_some_choice},
               {"lost_pairs_protocol_as_written", proof->lost_pairs_some_choice},
               {"tolerated", proof->tolerated},
               {"all_pairs_delivered_under_every_choice", proof->tolerated},
               {"deadlock_free", proof->deadlock_free},
               {"greatest_waiting_set_of_queues", proof->deadlock_free ? 0 : proof->queues}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].word, word) == 0) return (int64_t)known[i].value;
  uint64_t fact[RIPSTOP_FACTS_MAX];
  if (plan->method->facts) plan->method->facts(plan, fact);
  for (size_t i = 0; plan->method->facts && plan->method->fact_names[i]; i++)
    if (strcmp(plan->method->fact_names[i], word) == 0) return (int64_t)fact[i];
  return -1;
}

/* Expectations that are checked elsewhere: about a protocol's messages, which no plan shows, in
 * tests/unit/test_lfm_protocol.c; arrays, for several values of an option, in tests/unit/test_intermediate_known.c. */
static bool is_elsewhere(const char *word, const json_t *value) {
  return strcmp(word, "order_independent") == 0 || json_is_array(value);
}

static unsigned compare(const json_t *answer, const ripstop_plan *plan, const ripstop_proof *proof) {
  const char *word;
  json_t *value;
  unsigned wrong = 0;
  json_object_foreach(json_object_get(answer, "expect"), word, value) {
    int64_t want = json_is_integer(value) ? json_integer_value(value) : json_is_true(value);
    if (is_elsewhere(word, value) || found(plan, proof, word) == want) continue;
    print_error("%s: %s is %lld, not %lld\n", json_string_value(json_object_get(answer, "id")), word,
                (long long)found(plan, proof, word), (long long)want);
    wrong++;
  }
  return wrong;
}

/* The fabric of the answers before, while it stays the same. */
typedef struct bed {
  ripstop_fabric *fabric;
  char spec[RIPSTOP_NAME_MAX]; /* the requested spec */
  ripstop_names *names;
  ripstop_prover *prover;
} bed;

static void leave_fabric(bed *b) {
  ripstop_prover_free(b->prover);
  ripstop_names_free(b->names);
  ripstop_fabric_free(b->fabric);
  *b = (bed){0};
}

static void use_fabric(bed *b, const char *spec) {
  ripstop_error err;
  if (b->fabric && strcmp(b->spec, spec) == 0) return;
  if (b->fabric) leave_fabric(b);
  b->fabric = ripstop_fabric_open(spec, &err);
  snprintf(b->spec, sizeof b->spec, "%s", spec);
  if (!b->fabric) fail_msg("%s", err.text);
  b->names = ripstop_names_new(b->fabric);
  b->prover = ripstop_prover_new(b->fabric);
}

/* True if it is the answer's turn; `large` counts those about large fabrics. */
static bool is_due(bed *b, const json_t *answer, unsigned *large) {
  use_fabric(b, json_string_value(json_object_get(answer, "fabric")));
  return b->fabric->ends < MANY_ENDS || (*large)++ % ONE_IN == 0;
}

static unsigned check_answer(bed *b, const json_t *answer, unsigned threads) {
  const char *faults_text = json_string_value(json_object_get(answer, "faults"));
  ripstop_error err;
  ripstop_faults faults;
  ripstop_proof proof;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_text method = {0};
  add_method(&method, answer);
  if (ripstop_faults_parse(arena, b->names, faults_text, strlen(faults_text), &faults, &err)) fail_msg("%s", err.text);
  ripstop_view *view = ripstop_view_new(b->fabric, &faults);
  ripstop_plan *plan = stand_plan(view, method.data, NULL, &err);
  if (!plan) fail_msg("%s: %s", method.data, err.text);
  ripstop_prover_threads(b->prover, threads);
  if (ripstop_prover_prove(b->prover, plan, &proof, &err)) fail_msg("%s: %s", method.data, err.text);
  unsigned wrong = compare(answer, plan, &proof);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_text_free(&method);
  ripstop_arena_free(arena);
  return wrong;
}

static void check_all(void **state) {
  (void)state;
  static char line[LINE_MAX_BYTES];
  unsigned checked = 0, left_out = 0, wrong = 0, large = 0;
  bed b = {0};
  FILE *file = fopen(ANSWERS, "r");
  if (!file) fail_msg("%s cannot be read", ANSWERS);
  while (fgets(line, sizeof line, file)) {
    json_error_t where;
    json_t *answer = json_loads(line, 0, &where);
    if (!answer) fail_msg("%s: %s", ANSWERS, where.text);
    if (is_method(json_string_value(json_object_get(answer, "method"))) && is_due(&b, answer, &large))
      wrong += check_answer(&b, answer, 1 + checked++ % 3);
    else
      left_out++;
    json_decref(answer);
  }
  fclose(file);
  leave_fabric(&b);
  print_message("%u answers checked, %u left out\n", checked, left_out);
  assert_int_equal(wrong, 0);
  assert_true(checked >= 118);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(check_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
