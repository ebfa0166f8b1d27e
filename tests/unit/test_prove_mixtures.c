/* test_prove_mixtures.c - what stands anywhere after transient states of old and new tables: methods whose answer is
 * known by other means, the judge of forwarding tables on the same pairs, the engine on what is refuted, and broken
 * methods.
 *
 * Slow: many proofs. */
#include <stdlib.h>
#include <string.h>

#include "histories.h"
#include "prove/proof.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/protocol.h"
#include "stand.h"
#include "tables/versions.h"

/* ------------------------------------------------------------------ many sets */

typedef struct bench {
  ripstop_many many;
  ripstop_mixed mixed;
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  ripstop_tally tally;
  ripstop_text told;
} bench;

/* The verdict on a certificate, by the checker. */
static ripstop_check check(const char *text, size_t length, const ripstop_versions *versions, ripstop_text *verdict) {
  ripstop_error err;
  ripstop_certificate *c = ripstop_certificate_parse("witness", text, length, &err);
  if (!c) fail_msg("%s\n%s", err.text, text);
  ripstop_check result = ripstop_certificate_check_transient(c, versions, verdict, NULL, &err);
  if (result == RIPSTOP_UNCHECKABLE) fail_msg("%s", err.text);
  ripstop_certificate_free(c);
  return result;
}

/* The first queue has another packet: one that no end node sends. */
static void expect_refuted(const char *text, const ripstop_set_proof *proof) {
  ripstop_text verdict = {0}, other = {0};
  const char *header = strstr(strstr(text, "\ndeadlock "), " 0x"),
             *rest = header + 3 + strspn(header + 3, "0123456789abcdef");
  ripstop_text_add(&other, "%.*s 0xfedcba9876543210%s", (int)(header - text), text, rest);
  assert_int_equal(check(other.data, other.length, proof->mixing.versions, &verdict), RIPSTOP_REFUTED);
  ripstop_text_free(&verdict);
  ripstop_text_free(&other);
}

/* A refutation has a witness that the checker confirms, and rejects after one of its packets is replaced. */
static void check_witness(const bench *b, const ripstop_set_proof *proof) {
  char *text = NULL;
  size_t length = 0;
  ripstop_text verdict = {0};
  FILE *file = open_memstream(&text, &length);
  assert_int_equal(ripstop_certificate_write_transient(file, proof->plan, &b->mixed, proof->orders - 1, &proof->proof),
                   0);
  fclose(file);
  if (check(text, length, proof->mixing.versions, &verdict) != RIPSTOP_CONFIRMED)
    fail_msg("%s: %s\n%s", b->many.method, verdict.data, text);
  expect_refuted(text, proof);
  ripstop_text_free(&verdict);
  free(text);
}

static void tell(void *context, const ripstop_set_proof *proof, ripstop_text *text) {
  const bench *b = context;
  ripstop_set_proof_print(text, b->fabric, proof);
  if (proof->mixing.versions && !proof->proof.deadlock_free) check_witness(b, proof);
}

static int done(void *context, const ripstop_set_proof *proof, const ripstop_text *text, const ripstop_tally *so_far) {
  bench *b = context;
  (void)so_far;
  assert_null(proof->mixing.versions);
  ripstop_text_add_bytes(&b->told, text->data, text->length);
  return 0;
}

static void open_on(bench *b, ripstop_fabric *fabric, const char *method, uint32_t count) {
  *b = (bench){.fabric = fabric, .arena = ripstop_arena_new()};
  b->mixed = (ripstop_mixed){.orders = 2, .of_protocol = ripstop_network_versions};
  b->many = (ripstop_many){.fabric = fabric,
                           .method = method,
                           .kind = RIPSTOP_SETS_ALL,
                           .count = count,
                           .seed = 1,
                           .confidence = 0.99,
                           .threads = 1,
                           .tell = tell,
                           .done = done};
}

static void open_bench(bench *b, const char *fabric, const char *method, uint32_t count) {
  open_on(b, history_open(fabric), method, count);
}

static ripstop_faults *read_faults(bench *b, const char *line) {
  ripstop_error err;
  ripstop_faults *out = RIPSTOP_NEW(b->arena, ripstop_faults);
  ripstop_names *names = ripstop_names_new(b->fabric);
  if (ripstop_faults_parse(b->arena, names, line, strlen(line), out, &err)) fail_msg("%s", err.text);
  ripstop_names_free(names);
  return out;
}

static void use_set(bench *b, const char *line) {
  b->many.kind = RIPSTOP_SETS_GIVEN;
  b->many.given = read_faults(b, line);
  b->many.givens = 1;
}

static const ripstop_counts_of_sets *decide(bench *b) {
  ripstop_error err;
  b->many.mixed = &b->mixed;
  b->many.context = b;
  if (b->told.data) b->told.length = 0, b->told.data[0] = '\0';
  if (ripstop_prove_many(&b->many, &b->tally, &err)) fail_msg("%s: %s", b->many.method, err.text);
  return &b->tally.connected;
}

static void close_bench(bench *b) {
  ripstop_text_free(&b->told);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

static void expect_safe(bench *b) {
  const ripstop_counts_of_sets *c = decide(b);
  if (!c->sets || c->safe != c->sets || c->livelocked)
    fail_msg("%s on %s: %s", b->many.method, b->fabric->spec, b->told.data);
}

/* ------------------------------------------------------------------ methods that are safe */

static void test_safe_on_all_sets(void **unused) {
  static const struct {
    const char *fabric, *method;
    uint32_t count;
  } cases[] = {
      {"torus:3x3", "ordered", 1},           {"kary-ntree:k=2,n=3", "valleys", 1}, {"kary-ntree:k=3,n=2", "valleys", 2},
      {"mport-ntree:m=4,n=2", "valleys", 2}, {"torus:3x3", "ordered", 2},          {"torus:4x4", "ordered", 1},
      {"torus:2x3x2", "ordered", 1},         {"kary-ntree:k=2,n=3", "ordered", 1}, {"kns:k=3,n=2", "ordered", 1}};
  (void)unused;
  for (size_t i = share_first(share_of_cases()); i < sizeof cases / sizeof *cases; i += share_of_cases()) {
    bench b;
    open_bench(&b, cases[i].fabric, cases[i].method, cases[i].count);
    expect_safe(&b);
    b.mixed.in_order = true;
    if (i < 4) expect_safe(&b);
    close_bench(&b);
  }
}

/* Packets at any place, under any transient state that stays, in some orders of messages: none waits or circulates
 * forever. */
static bool drains_for_ever(ripstop_prover *prover, const ripstop_plan *before, const ripstop_plan *after) {
  ripstop_error err;
  ripstop_proof proof = {.deadlock_free = true, .livelock_free = true};
  for (uint32_t order = 0; order < 3 && proof.deadlock_free && proof.livelock_free; order++) {
    ripstop_versions *v = ripstop_network_versions(before, after, order, &err);
    if (!v) fail_msg("%s", err.text);
    if (ripstop_prove_transients(prover, &(ripstop_mixing){.versions = v, .for_ever = true}, &proof, &err))
      fail_msg("%s", err.text);
    ripstop_versions_free(v);
  }
  return proof.deadlock_free && proof.livelock_free;
}

/* Counts the sets of so many links that drain, when the links fail and when they return. */
static uint32_t draining_sets(const char *spec, const char *method, uint32_t count, uint32_t *sets) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = history_open(spec);
  stand whole = stand_on(f, method, NULL);
  ripstop_prover *prover = ripstop_prover_new(f);
  ripstop_combinations c;
  uint32_t drain = 0;
  *sets = 0;
  ripstop_combinations_first(arena, f->links - f->link_ends, count, &c);
  do {
    ripstop_faults faults;
    ripstop_faults_from_parts(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, c.part, c.count, &faults);
    stand broken = stand_on(f, method, &faults);
    drain += drains_for_ever(prover, whole.plan, broken.plan) && drains_for_ever(prover, broken.plan, whole.plan);
    stand_close(&broken);
    ++*sets;
  } while (ripstop_combinations_next(&c));
  ripstop_prover_free(prover);
  stand_close(&whole);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
  return drain;
}

/* By the fixed turns alone, packets wait only for a place; if switches wait for each other's updates, some packet does
 * too. */
static void test_valleys_by_the_fixed_frame(void **unused) {
  static const struct {
    const char *fabric;
    uint32_t count;
  } cases[] = {{"kary-ntree:k=2,n=3", 1}, {"kary-ntree:k=3,n=2", 2}, {"mport-ntree:m=4,n=2", 3}};
  uint32_t sets, drain;
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    drain = draining_sets(cases[i].fabric, "valleys:frame=fixed", cases[i].count, &sets);
    assert_true(sets > 0);
    assert_int_equal(drain, sets);
  }
  drain = draining_sets("mport-ntree:m=4,n=2", "valleys", 2, &sets);
  assert_true(drain < sets);
}

static void test_ordered_on_larger_fabrics(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "torus:8x8", "ordered", 2);
  b.many.kind = RIPSTOP_SETS_SAMPLED;
  b.many.samples = 1;
  expect_safe(&b);
  close_bench(&b);
}

static void test_ordered_on_graphs(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 12; i++) {
    ripstop_stream random = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, i);
    bench b;
    ripstop_fabric *graph = history_graph(&random);
    if (graph->links - graph->link_ends < 2) {
      ripstop_fabric_free(graph);
      continue;
    }
    open_on(&b, graph, "ordered", 1 + i % 2);
    decide(&b);
    assert_int_equal(b.tally.all.deadlocked + b.tally.all.livelocked, 0);
    assert_int_equal(b.tally.connected.safe, b.tally.connected.sets);
    close_bench(&b);
  }
}

/* A link or a router that returns, while others fail. */
static void test_ordered_with_repairs(void **unused) {
  static const char *const cases[][2] = {
      {"0.0/0", ""}, {"switch:0.0", ""}, {"switch:1.1 0.0/0", "2.2/0"}, {"0.0/0 0.1/1", "0.0/0 2.2/1"}};
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    open_bench(&b, "torus:3x3", "ordered", 0);
    b.mixed.before = read_faults(&b, cases[i][0]);
    use_set(&b, cases[i][1]);
    expect_safe(&b);
    close_bench(&b);
  }
}

/* Up and then down is an order of all channels that no failed link changes. */
static void test_updown_even_for_ever(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "kary-ntree:k=2,n=3", "updown", 2);
  for (unsigned i = 0; i < 2; i++) {
    b.mixed.for_ever = i;
    decide(&b);
    assert_int_equal(b.tally.all.sets, 120);
    assert_int_equal(b.tally.all.deadlocked + b.tally.all.livelocked, 0);
  }
  close_bench(&b);
}

/* ------------------------------------------------------------------ mend's repairs, against the judge */

static void judge(bench *b, const ripstop_plan *before, const ripstop_view *view, ripstop_transient *transient,
                  ripstop_update *update) {
  ripstop_error err;
  ripstop_answer answer;
  const ripstop_forwarding *old = before->method->forwarding(before);
  ripstop_forwarding *new_ = ripstop_plan_repair(view, b->many.method, old, NULL, &answer, &err);
  if (!new_ || ripstop_judge_transient(b->arena, view, old, new_, transient, &err) ||
      ripstop_judge_update(view, old, new_, update, &err))
    fail_msg("%s", err.text);
  ripstop_forwarding_free(new_);
  ripstop_forwarding_free(update->between);
}

/* Transient states that stay, as the judge looks at them, and two writes, as it counts them. */
static void as_the_judge_has_it(const char *method) {
  bench b;
  unsigned loops = 0, sets = 0, twice = 0;
  open_bench(&b, "torus:4x4", method, 0);
  stand before = stand_on(b.fabric, b.many.method, NULL);
  b.mixed.repaired = true;
  for (uint32_t link = b.fabric->link_ends; link < b.fabric->links; link += 3, sets++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_transient transient;
    ripstop_update update;
    ripstop_link_name(b.fabric, link, name);
    use_set(&b, name);
    ripstop_view *view = ripstop_view_new(b.fabric, b.many.given);
    judge(&b, before.plan, view, &transient, &update);
    b.mixed.for_ever = true;
    b.mixed.two_writes = false;
    uint64_t deadlocked = decide(&b)->deadlocked;
    if (transient.credit_loop != (deadlocked > 0))
      fail_msg("%s: the judge %s a loop; %s", name, transient.credit_loop ? "sees" : "sees no", b.told.data);
    loops += transient.credit_loop;
    b.mixed.for_ever = false;
    if (update.steps == 1) expect_safe(&b);
    b.mixed.two_writes = true;
    expect_safe(&b);
    twice += update.steps == 2;
    ripstop_view_free(view);
  }
  assert_true(loops > 0 && loops < sets && twice > 0);
  stand_close(&before);
  close_bench(&b);
}

static void test_mend_as_the_judge_has_it(void **unused) {
  (void)unused;
  as_the_judge_has_it("mend");
  as_the_judge_has_it("mend:lmc=1"); /* each address of an end node */
}

/* ------------------------------------------------------------------ refuted methods */

/* Loads the packets that are said to wait into the engine, where nothing moves. */
static void expect_standstill(const char *fabric, const char *method, const char *line) {
  ripstop_error err;
  bench b;
  ripstop_proof proof;
  ripstop_standstill out;
  ripstop_simulate_settings scenario = {.seed = 1};
  open_bench(&b, fabric, method, 0);
  use_set(&b, line);
  stand before = stand_on(b.fabric, method, NULL), after = stand_on(b.fabric, method, b.many.given);
  ripstop_versions *v = ripstop_versions_of_plans(before.plan, after.plan, NULL, NULL, RIPSTOP_WRITE_AT_ONCE);
  ripstop_prover *prover = ripstop_prover_new(b.fabric);
  if (ripstop_prove_transients(prover, &(ripstop_mixing){.versions = v}, &proof, &err)) fail_msg("%s", err.text);
  assert_false(proof.deadlock_free);
  ripstop_options_defaults(b.arena, ripstop_switch_options, &scenario.switch_);
  ripstop_options_defaults(b.arena, ripstop_traffic_options, &scenario.traffic);
  ripstop_options_defaults(b.arena, ripstop_measure_options, &scenario.measure);
  if (ripstop_simulate_deadlocked(after.plan, &scenario, proof.queue, proof.queues, 5000, &out, &err))
    fail_msg("%s", err.text);
  assert_true(out.packets > 0);
  assert_int_equal(out.events, 0);
  ripstop_prover_free(prover);
  ripstop_versions_free(v);
  stand_close(&before);
  stand_close(&after);
  close_bench(&b);
}

static void test_refuted_stands_still(void **unused) {
  (void)unused;
  expect_standstill("torus:4x4", "test-swaps", "0.3/0");
}

/* Each order alone is safe; packets that were sent by one and go on by the other are not; two writes are. */
static void test_swapping_orders(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "torus:4x4", "test-swaps", 0);
  use_set(&b, "0.3/0");
  b.many.mixed = NULL;
  b.many.context = &b;
  ripstop_error err;
  assert_int_equal(ripstop_prove_many(&b.many, &b.tally, &err), 0);
  assert_int_equal(b.tally.all.safe, 1);
  assert_int_equal(decide(&b)->deadlocked, 1);
  assert_non_null(strstr(b.told.data, "deadlock: "));
  b.mixed.two_writes = true;
  expect_safe(&b);
  close_bench(&b);
}

/* The same as a protocol between switches: refuted in each order of messages; safe if no switch changes its order; a
 * packet that is stalled to the end is refuted too. */
static void test_protocols_that_break(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "torus:4x4", "test-tells", 0);
  use_set(&b, "0.3/0");
  assert_int_equal(decide(&b)->deadlocked, 1);
  b.mixed.in_order = true;
  assert_int_equal(decide(&b)->deadlocked, 1);
  b.many.method = "test-tells:rests=on";
  expect_safe(&b);
  b.many.method = "test-tells:rests=on,waits=on";
  assert_int_equal(decide(&b)->deadlocked, 1);
  assert_non_null(strstr(b.told.data, "stalled forever"));
  close_bench(&b);
}

/* The first write alone deadlocks. The report of lost candidates does not name the last tables, which lose no pair. */
static void test_first_write_deadlocks(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "torus:4x4", "opensm-minhop", 0);
  use_set(&b, "0.0/0");
  b.mixed.repaired = b.mixed.two_writes = true;
  assert_int_equal(decide(&b)->deadlocked, 1);
  assert_int_equal(b.tally.all.tolerated, 1);
  assert_int_equal(b.tally.all.safe, 0);
  close_bench(&b);
}

/* In-transit packets wait for the output VC to an end node that consumes its own packets, in either order of search: as
 * many queues wait as without any shortcut. */
static void test_transit_packets_behind_the_consumed(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "kary-ntree:k=2,n=3", "valleys", 0);
  use_set(&b, "end:0.0.1 end:0.1.0 0/0.1/3 1/1.0/3");
  b.mixed.for_ever = true;
  b.mixed.orders = 1;
  decide(&b);
  assert_non_null(strstr(b.told.data, "deadlock: 40 queues can wait"));
  close_bench(&b);
}

/* Without what empties a ring that came out of an emergency full. */
static void test_immunet_without_repairs(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "torus:4x4", "immunet:drain_cycles=0", 0);
  use_set(&b, "0.0/0");
  assert_int_equal(decide(&b)->deadlocked, 1);
  b.mixed.in_order = true;
  assert_int_equal(decide(&b)->deadlocked, 1);
  close_bench(&b);
}

/* Alone the settled tables are safe, on a graph whose ring is there before: nothing changes when nothing dies. */
static void test_nothing_changes(void **unused) {
  bench b;
  (void)unused;
  open_bench(&b, "kary-ntree:k=2,n=2", "immunet:drain_cycles=0", 0);
  use_set(&b, "");
  expect_safe(&b);
  close_bench(&b);
}

/* ------------------------------------------------------------------ versions */

/* Stages follow each other without gaps, and the last version of a node is there at the end. */
static void test_versions(void **unused) {
  ripstop_error err;
  bench b;
  (void)unused;
  open_bench(&b, "torus:4x4", "ordered", 0);
  use_set(&b, "0.0/0 1.1/1");
  stand before = stand_on(b.fabric, "ordered", NULL), after = stand_on(b.fabric, "ordered", b.many.given);
  for (uint32_t order = 0; order < 3; order++) {
    ripstop_versions *v = ripstop_network_versions(before.plan, after.plan, order, &err);
    if (!v) fail_msg("%s", err.text);
    assert_true(v->stages > 2);
    for (uint32_t node = 0; node < b.fabric->nodes; node++) {
      uint32_t first = v->first[node], end = v->first[node + 1];
      assert_true(end > first);
      assert_int_equal(v->version[first].from, 0);
      assert_int_equal(ripstop_version_final(v, node)->to, v->stages - 1);
      for (uint32_t i = first + 1; i < end; i++) assert_int_equal(v->version[i].from, v->version[i - 1].to + 1);
    }
    ripstop_versions_free(v);
  }
  stand_close(&before);
  stand_close(&after);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_safe_on_all_sets),
      cmocka_unit_test(test_ordered_on_larger_fabrics),
      cmocka_unit_test(test_ordered_on_graphs),
      cmocka_unit_test(test_ordered_with_repairs),
      cmocka_unit_test(test_updown_even_for_ever),
      cmocka_unit_test(test_mend_as_the_judge_has_it),
      cmocka_unit_test(test_refuted_stands_still),
      cmocka_unit_test(test_swapping_orders),
      cmocka_unit_test(test_protocols_that_break),
      cmocka_unit_test(test_immunet_without_repairs),
      cmocka_unit_test(test_nothing_changes),
      cmocka_unit_test(test_versions),
      cmocka_unit_test(test_first_write_deadlocks),
      cmocka_unit_test(test_transit_packets_behind_the_consumed),
      cmocka_unit_test(test_valleys_by_the_fixed_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
