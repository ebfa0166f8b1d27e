/* test_immunet_plan.c - immunet's settled tables, proved: whatever is dead, exactly the pairs with a path are
 * delivered, under every choice, and nothing deadlocks or goes round for ever. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "ripstop/prove.h"

static const char *const methods[] = {"immunet", "immunet:inject=one", "immunet:inject=two-adaptive",
                                      "immunet:changes=0", "immunet:changes=1,adaptive=2,inject=one-adaptive"};
enum { METHODS = sizeof methods / sizeof *methods, SETS = 40 };

static void prove_one(const rs_fabric *f, const char *method, const rs_faults *faults) {
  rs_error err;
  rs_proof proof;
  rs_view *view = rs_view_new(f, faults);
  rs_plan *plan = rs_plan_open(view, method, NULL, &err);
  rs_prover *prover = rs_prover_new(f);
  if (!plan || rs_prove(prover, plan, &proof, &err)) fail_msg("%s on %s: %s", method, f->spec, err.text);
  uint64_t cut = rs_view_disconnected_pairs(view);
  assert_int_equal(proof.lost_pairs_some_choice, cut);
  assert_int_equal(proof.lost_pairs_every_choice, cut);
  assert_true(proof.livelock_free);
  if (!proof.deadlock_free) fail_msg("%s on %s: %u queues wait for each other", method, f->spec, proof.queues);
  rs_prover_free(prover);
  rs_plan_free(plan);
  rs_view_free(view);
}

/* Without faults, and with some to many of each kind. */
static void prove_fabric(const rs_fabric *f) {
  static const rs_fault_scope scopes[] = {RS_FAULTS_SWITCH_LINKS, RS_FAULTS_ALL_LINKS, RS_FAULTS_SWITCHES};
  rs_arena *arena = rs_arena_new();
  rs_faults none = {0}, faults;
  rs_error err;
  for (size_t m = 0; m < METHODS; m++) prove_one(f, methods[m], &none);
  for (uint32_t set = 0; set < SETS; set++) {
    rs_fault_scope scope = scopes[set % 3];
    uint32_t population = rs_faults_population(f, scope), count = 1 + set * population / SETS / 2;
    if (rs_faults_sample(arena, f, scope, count, 5, set, &faults, &err)) fail_msg("%s", err.text);
    prove_one(f, methods[set % METHODS], &faults);
  }
  rs_arena_free(arena);
}

static void known_fabrics(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:3x3",
                                      "torus:4x4",
                                      "torus:5",
                                      "torus:2x2",
                                      "torus:2x3x2",
                                      "torus:2",
                                      "kary-ntree:k=2,n=3",
                                      "mport-ntree:m=4,n=2",
                                      "kns:k=3,n=2,c=2",
                                      "graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    rs_error err;
    rs_fabric *f = rs_fabric_open(specs[i], &err);
    if (!f) fail_msg("%s", err.text);
    prove_fabric(f);
    rs_fabric_free(f);
  }
}

static void random_graphs(void **state) {
  (void)state;
  rs_stream random = rs_stream_open(3, RS_RANDOM_TEST, 0);
  for (uint32_t number = 0; number < 12; number++) {
    char spec[] = "graph:/tmp/ripstop-immunet-XXXXXX";
    rs_error err;
    FILE *file = fdopen(mkstemp(spec + 6), "w");
    uint32_t routers = 2 + rs_stream_below(&random, 9), more = rs_stream_below(&random, 2 * routers);
    for (uint32_t v = 1; v < routers; v++) fprintf(file, "r%u r%u\n", rs_stream_below(&random, v), v);
    for (uint32_t i = 0; i < more; i++) {
      uint32_t a = rs_stream_below(&random, routers);
      fprintf(file, "r%u r%u\n", a, (a + 1 + rs_stream_below(&random, routers - 1)) % routers);
    }
    fclose(file);
    rs_fabric *f = rs_fabric_open(spec, &err);
    unlink(spec + 6);
    if (!f) fail_msg("%s", err.text);
    prove_fabric(f);
    rs_fabric_free(f);
  }
}

/* A torus falls apart with as many dead links as a router has, and never with fewer. */
static void all_sets_below_the_degree(void **state) {
  (void)state;
  rs_error err;
  rs_tally tally;
  rs_fabric *f = rs_fabric_open("torus:3x3", &err);
  for (uint32_t count = 1; count <= 4; count++) {
    rs_many many = {.fabric = f, .method = "immunet", .kind = RS_SETS_ALL, .count = count, .threads = 1};
    if (rs_prove_many(&many, &tally, &err)) fail_msg("%s", err.text);
    assert_int_equal(tally.connected.safe, tally.connected.sets);
    assert_int_equal(tally.all.sets - tally.all.tolerated, count < 4 ? 0 : 9); /* a router cut off, each in turn */
  }
  rs_fabric_free(f);
}

static void what_it_is_not_for(void **state) {
  (void)state;
  rs_error err;
  rs_answer answer;
  rs_fabric *f = rs_fabric_open("kary-ntree:k=40,n=2", &err);
  rs_view *view = rs_view_new(f, NULL);
  assert_null(rs_plan_open(view, "immunet", &answer, &err));
  assert_int_equal(answer, RS_DOES_NOT_APPLY);
  rs_view_free(view);
  rs_fabric_free(f);
  f = rs_fabric_open("torus:100x100", &err);
  view = rs_view_new(f, NULL);
  assert_null(rs_plan_open(view, "immunet", &answer, &err));
  assert_int_equal(answer, RS_DOES_NOT_APPLY);
  rs_view_free(view);
  rs_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_fabrics), cmocka_unit_test(random_graphs),
                                     cmocka_unit_test(all_sets_below_the_degree), cmocka_unit_test(what_it_is_not_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
