/* test_prove_sets.c - proofs over many fault sets: known shares, symmetry against full enumeration, the same answers
 * from any number of threads, the end of sampling, reports, and path lengths. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "check.h"
#include "fabric/inner.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/report.h"
#include "stand.h"

/* ------------------------------------------------------------------ one question about many sets */

typedef struct bench {
  ripstop_many many;
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  ripstop_tally tally;
  ripstop_text told; /* all reports, a line a set */
  uint64_t leave_after;
  ripstop_error err;
  int status;
} bench;

static bench *open_bench(const char *fabric, const char *method) {
  bench *b = calloc(1, sizeof *b);
  b->arena = ripstop_arena_new();
  b->fabric = ripstop_fabric_open(fabric, &b->err);
  if (!b->fabric) fail_msg("%s", b->err.text);
  b->many = (ripstop_many){.fabric = b->fabric, .method = method, .confidence = 0.99, .seed = 1, .threads = 2};
  return b;
}

static void close_bench(bench *b) {
  ripstop_text_free(&b->told);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
  free(b);
}

static void tell(void *context, const ripstop_set_proof *proof, ripstop_text *text) {
  const bench *b = context;
  assert_true((proof->plan == NULL) == (proof->why_not != NULL));
  ripstop_set_proof_json(text, b->fabric, proof);
  ripstop_text_add(text, "\n");
  ripstop_set_proof_print(text, b->fabric, proof);
}

static int done(void *context, const ripstop_set_proof *proof, const ripstop_text *text, const ripstop_tally *so_far) {
  bench *b = context;
  assert_int_equal(proof->number + 1, so_far->proofs);
  assert_null(proof->plan);
  ripstop_text_add_bytes(&b->told, text->data, text->length);
  return so_far->proofs == b->leave_after;
}

static void prove_all(bench *b) {
  b->many.tell = tell;
  b->many.done = done;
  b->many.context = b;
  if (b->told.data) b->told.length = 0, b->told.data[0] = '\0';
  b->status = ripstop_prove_many(&b->many, &b->tally, &b->err);
  if (b->status < 0) fail_msg("%s", b->err.text);
}

static void use_all(bench *b, uint32_t count, bool symmetry) {
  b->many.kind = RIPSTOP_SETS_ALL;
  b->many.count = count;
  b->many.symmetry = symmetry;
}

static void use_given(bench *b, const char *const *lines, size_t count) {
  ripstop_faults *set = RIPSTOP_ARRAY(b->arena, count, ripstop_faults);
  ripstop_names *names = ripstop_names_new(b->fabric);
  for (size_t i = 0; i < count; i++)
    if (ripstop_faults_parse(b->arena, names, lines[i], strlen(lines[i]), &set[i], &b->err))
      fail_msg("%s", b->err.text);
  ripstop_names_free(names);
  b->many.kind = RIPSTOP_SETS_GIVEN;
  b->many.given = set;
  b->many.givens = count;
}

/* ------------------------------------------------------------------ known shares */

/* R_m delivers everything under these sets, and so many of them can deadlock nevertheless. */
static const struct {
  const char *fabric;
  uint32_t count;
  uint64_t sets, tolerated, deadlocked;
} shares[] = {{"kary-ntree:k=2,n=3", 2, 120, 100, 8},
              {"kary-ntree:k=3,n=2", 3, 84, 63, 6},
              {"kary-ntree:k=3,n=3", 3, 24804, 24669, 684}};

static void known_shares(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    bench *b = open_bench(shares[i].fabric, "misroute");
    use_all(b, shares[i].count, true);
    prove_all(b);
    assert_int_equal(b->tally.all.sets, shares[i].sets);
    assert_int_equal(b->tally.all.tolerated, shares[i].tolerated);
    assert_int_equal(b->tally.all.tolerated - b->tally.all.safe, shares[i].deadlocked);
    assert_true(b->tally.proofs < shares[i].sets / 3);
    close_bench(b);
  }
}

static void symmetry_changes_nothing(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t count;
  } cases[] = {{"kary-ntree:k=2,n=3", "misroute", 2},
               {"kary-ntree:k=3,n=2", "misroute", 3},
               {"kary-ntree:k=3,n=2", "updown", 2},
               {"mport-ntree:m=4,n=2", "misroute", 3},
               {"torus:3x3", "dor", 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench *b = open_bench(cases[i].fabric, cases[i].method);
    use_all(b, cases[i].count, true);
    b->many.paths = true;
    prove_all(b);
    ripstop_tally folded = b->tally;
    use_all(b, cases[i].count, false);
    prove_all(b);
    assert_int_equal(b->tally.proofs, b->tally.all.sets);
    assert_int_equal(b->tally.all.sets,
                     ripstop_combinations_total(ripstop_faults_population(b->fabric, b->many.scope), cases[i].count));
    folded.proofs = b->tally.proofs;
    assert_memory_equal(&folded, &b->tally, sizeof folded);
    close_bench(b);
  }
}

/* ------------------------------------------------------------------ threads and ends */

static void compare_threads(bench *b) {
  char *first = NULL;
  ripstop_tally tally = {0};
  static const unsigned threads[] = {1, 2, 5, 40};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    b->many.threads = threads[i];
    prove_all(b);
    if (first) {
      assert_string_equal(first, b->told.data);
      assert_memory_equal(&tally, &b->tally, sizeof tally);
      continue;
    }
    tally = b->tally;
    first = ripstop_realloc(NULL, b->told.length + 1, 1);
    memcpy(first, b->told.data, b->told.length + 1);
  }
  ripstop_free(first);
}

static void threads_change_nothing(void **state) {
  (void)state;
  bench *b = open_bench("kary-ntree:k=3,n=2", "misroute");
  use_all(b, 3, false);
  compare_threads(b);
  assert_int_equal(b->tally.all.sets, 84);

  b->many.kind = RIPSTOP_SETS_SAMPLED;
  b->many.samples = 5000;
  b->many.half_width = 0.06;
  compare_threads(b);
  assert_true(b->tally.all.sets < 5000);

  /* fewer sets than threads: the threads share the destinations */
  static const char *const lines[] = {"0/0/3 0/1/4 0/2/5", "", "switch:1/0 0/0/4"};
  use_given(b, lines, 3);
  b->many.paths = true;
  compare_threads(b);
  assert_int_equal(b->tally.all.sets, 3);
  assert_int_equal(b->tally.all.deadlocked, 1);
  close_bench(b);
}

/* Drawing goes on exactly until the interval is narrow at a multiple of 100 sets. */
static void drawing_ends(void **state) {
  (void)state;
  bench *b = open_bench("kary-ntree:k=3,n=2", "updown");
  b->many.kind = RIPSTOP_SETS_SAMPLED;
  b->many.count = 1;
  b->many.samples = 100000;
  b->many.half_width = 0.02;
  prove_all(b); /* no set with a failed link is tolerated: the interval is [0, 1 - (tail)^(1/n)] */
  uint64_t expected = 100;
  while (1 - pow(0.005, 1.0 / (double)expected) > 0.04) expected += 100;
  assert_int_equal(b->tally.all.sets, expected);
  ripstop_interval i = ripstop_tally_interval(&b->many, &b->tally, false);
  assert_true(i.low == 0 && i.high <= 0.04);

  b->many.samples = 50; /* fewer than it would take */
  prove_all(b);
  assert_int_equal(b->tally.all.sets, 50);

  b->many.samples = 1000;
  b->many.half_width = 0;
  b->many.interval = RIPSTOP_WILSON;
  prove_all(b);
  assert_int_equal(b->tally.all.sets, 1000);
  ripstop_interval wilson = ripstop_wilson(0, 1000, 0.99), got = ripstop_tally_interval(&b->many, &b->tally, true);
  assert_true(got.low == wilson.low && got.high == wilson.high);
  close_bench(b);
}

/* With as many parts as break the fabric, the two conventions differ, and either can end the drawing. */
static void either_convention_ends_drawing(void **state) {
  (void)state;
  uint64_t sets[2];
  for (int connected = 0; connected < 2; connected++) {
    bench *b = open_bench("kary-ntree:k=2,n=3", "misroute");
    b->many.kind = RIPSTOP_SETS_SAMPLED;
    b->many.count = 5;
    b->many.samples = 100000;
    b->many.half_width = 0.05;
    b->many.of_connected = connected;
    prove_all(b);
    sets[connected] = b->tally.all.sets;
    assert_true(b->tally.connected.sets < b->tally.all.sets);
    assert_true(b->tally.connected.tolerated == b->tally.all.tolerated);
    ripstop_interval i = ripstop_tally_interval(&b->many, &b->tally, connected);
    assert_true(i.high - i.low <= 0.1);
    close_bench(b);
  }
  assert_true(sets[0] != sets[1]);
}

static void who_asks_can_leave(void **state) {
  (void)state;
  bench *b = open_bench("kary-ntree:k=3,n=2", "misroute");
  use_all(b, 2, false);
  b->leave_after = 7;
  prove_all(b);
  assert_int_equal(b->status, 1);
  assert_int_equal(b->tally.proofs, 7);
  atomic_int stop = 1;
  b->many.stop = &stop;
  prove_all(b);
  assert_int_equal(b->status, 1);
  assert_int_equal(b->tally.proofs, 0);
  close_bench(b);
}

/* ------------------------------------------------------------------ sets that a method does not apply to, and errors
 */

static void not_applicable_is_counted(void **state) {
  (void)state;
  static const char *const lines[] = {"", "0/0/2 0/0/3", "0/0/2"};
  bench *b = open_bench("kary-ntree:k=2,n=2", "picky");
  use_given(b, lines, 3);
  prove_all(b);
  assert_int_equal(b->tally.all.sets, 3);
  assert_int_equal(b->tally.all.not_applicable, 1);
  assert_int_equal(b->tally.all.tolerated, 2);
  assert_int_equal(b->tally.connected.sets, 2);
  assert_int_equal(b->tally.connected.not_applicable, 0);
  assert_non_null(strstr(b->told.data, "\"does_not_apply\":\"picky: not where end nodes are disconnected\""));
  assert_non_null(strstr(b->told.data, "0/0/2 0/0/3: does not apply: picky: not where"));
  close_bench(b);
}

static void errors_name_the_set(void **state) {
  (void)state;
  static const char *const lines[] = {"", "0/1/2", "0/0/2"};
  bench *b = open_bench("kary-ntree:k=2,n=2", "picky:careless=on");
  use_given(b, lines, 3);
  assert_int_equal(ripstop_prove_many(&b->many, &b->tally, &b->err), -1);
  assert_int_equal(b->tally.proofs, 1);
  assert_non_null(strstr(b->err.text, "fault set '0/1/2': method picky: at "));

  b->many = (ripstop_many){.fabric = b->fabric, .method = "updown", .kind = RIPSTOP_SETS_ALL, .count = 9, .threads = 1};
  assert_int_equal(ripstop_prove_many(&b->many, &b->tally, &b->err), -1);
  assert_non_null(strstr(b->err.text, "has only 4 parts of the kind 'switch-links'"));
  close_bench(b);
}

/* ------------------------------------------------------------------ reports */

static const char *text_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

/* Every line is JSON with all names, and the queues of a witness are wired as it says. */
static void check_line(const bench *b, const ripstop_names *names, const char *line) {
  static const char *const always[] = {
      "faults",    "pairs",         "disconnected_pairs", "lost_pairs_some_choice", "lost_pairs_every_choice",
      "tolerated", "livelock_free", "deadlock_free",      "waiting_queues",         "witness"};
  json_error_t where;
  json_t *set = json_loads(line, JSON_DISABLE_EOF_CHECK, &where), *queue;
  if (!set) fail_msg("%s: %s", where.text, line);
  for (size_t i = 0; i < sizeof always / sizeof *always; i++) assert_non_null(json_object_get(set, always[i]));
  json_t *queues = json_object_get(json_object_get(set, "witness"), "queues");
  size_t at, count = json_array_size(queues);
  assert_int_equal(json_integer_value(json_object_get(set, "waiting_queues")), count);
  assert_true(json_is_true(json_object_get(set, "deadlock_free")) == (count == 0));
  json_array_foreach(queues, at, queue) {
    const char *from = text_of(queue, "from"), *to = text_of(queue, "to");
    uint32_t sender = ripstop_names_switch(names, from, strlen(from)),
             receiver = ripstop_names_switch(names, to, strlen(to));
    uint32_t port = b->fabric->port_base[sender] + (uint32_t)strtoul(text_of(queue, "port"), NULL, 10);
    assert_int_equal(b->fabric->port_node[b->fabric->peer[port]], receiver);
    const json_t *packet = json_object_get(queue, "packet");
    assert_true(ripstop_names_end(names, text_of(packet, "source"), strlen(text_of(packet, "source"))) != RIPSTOP_NONE);
    assert_true(ripstop_names_end(names, text_of(packet, "destination"), strlen(text_of(packet, "destination"))) !=
                RIPSTOP_NONE);
    assert_memory_equal(text_of(packet, "header"), "0x", 2);
  }
  json_decref(set);
}

static void lines_are_json(void **state) {
  (void)state;
  bench *b = open_bench("kary-ntree:k=3,n=2", "misroute");
  ripstop_names *names = ripstop_names_new(b->fabric);
  use_all(b, 3, false);
  b->many.paths = true;
  prove_all(b);
  unsigned lines = 0;
  for (const char *line = b->told.data; line; line = strstr(line + 1, "\n{")) {
    check_line(b, names, line);
    lines++;
  }
  assert_int_equal(lines, 84);
  /* the smallest deadlock of R_m, as a cycle for people */
  assert_non_null(strstr(b->told.data, "0/0/3 0/1/4 0/2/5: tolerated, deadlock possible with credits or PFC\n"
                                       "  deadlock: 12 queues can wait for each other forever; a cycle of 6, "));
  ripstop_names_free(names);
  close_bench(b);
}

/* ------------------------------------------------------------------ paths */

/* Against a search over the live fabric for the shortest, and ripstop_plan_deliver for the longest. */
static void check_paths(const char *fabric, const char *method, const char *line) {
  bench *b = open_bench(fabric, method);
  use_given(b, &line, 1);
  b->many.paths = true;
  prove_all(b);
  ripstop_view *view = ripstop_view_new(b->fabric, b->many.given);
  ripstop_plan *plan = stand_plan(view, method, NULL, &b->err);
  uint32_t *distance = RIPSTOP_ARRAY(b->arena, b->fabric->nodes, uint32_t);
  ripstop_paths want = {0};
  for (uint32_t from = 0; from < b->fabric->ends; from++) {
    ripstop_fabric_distances(b->fabric, from, distance);
    for (uint32_t to = 0; to < b->fabric->ends; to++) {
      ripstop_delivery d;
      if (from == to) continue;
      if (ripstop_plan_deliver(plan, from, to, UINT32_MAX, &d, &b->err)) fail_msg("%s", b->err.text);
      if (!d.every_choice) continue;
      want.pairs++;
      want.minimum += distance[to];
      want.longest += d.max_hops;
      if (d.max_hops > want.max_longest) want.max_longest = d.max_hops;
      if (distance[to] > want.max_minimum) want.max_minimum = distance[to];
      if (d.max_hops - distance[to] > want.max_extra_longest) want.max_extra_longest = d.max_hops - distance[to];
    }
  }
  const ripstop_paths *got = &b->tally.paths;
  assert_int_equal(got->pairs, want.pairs);
  assert_int_equal(got->minimum, want.minimum);
  assert_int_equal(got->longest, want.longest);
  assert_int_equal(got->max_longest, want.max_longest);
  assert_int_equal(got->max_minimum, want.max_minimum);
  assert_int_equal(got->max_extra_longest, want.max_extra_longest);
  assert_true(got->minimum <= got->shortest && got->shortest <= got->longest);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  close_bench(b);
}

static void paths_are_those_of_walks(void **state) {
  (void)state;
  check_paths("kary-ntree:k=2,n=3", "misroute", "");
  check_paths("kary-ntree:k=2,n=3", "misroute", "1/0.1/3");
  check_paths("kary-ntree:k=4,n=2", "misroute", "0/1/4 0/1/5 0/2/6");
  check_paths("kary-ntree:k=2,n=3", "updown", "0/0.1/2");
  check_paths("torus:4x5", "minimal-adaptive", "0.1/0 2.2/1");
  check_paths("torus:3x4", "dor:dateline=on", "");
}

static void minimal_paths(void **state) {
  (void)state;
  bench *b = open_bench("torus:4x4", "picky");
  static const char *const line = "0.1/0 2.2/1";
  use_given(b, &line, 1);
  b->many.paths = true;
  prove_all(b);
  const ripstop_paths *p = &b->tally.paths; /* all shortest routes of the live fabric: shortest and longest are one */
  assert_int_equal(p->pairs, 240);
  assert_int_equal(p->shortest, p->longest);
  assert_int_equal(p->max_extra_shortest, p->max_extra_longest);
  assert_true(p->shortest > p->minimum);
  close_bench(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_shares),
                                     cmocka_unit_test(symmetry_changes_nothing),
                                     cmocka_unit_test(threads_change_nothing),
                                     cmocka_unit_test(drawing_ends),
                                     cmocka_unit_test(either_convention_ends_drawing),
                                     cmocka_unit_test(who_asks_can_leave),
                                     cmocka_unit_test(not_applicable_is_counted),
                                     cmocka_unit_test(errors_name_the_set),
                                     cmocka_unit_test(lines_are_json),
                                     cmocka_unit_test(paths_are_those_of_walks),
                                     cmocka_unit_test(minimal_paths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
