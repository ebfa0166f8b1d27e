/* test_immunet_plan.c - immunet's settled tables, proved: under any faults, exactly the pairs with a path are
 * delivered, under every choice, and nothing deadlocks or circulates forever. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "stand.h"

static const char *const methods[] = {"immunet", "immunet:inject=one", "immunet:inject=two-adaptive",
                                      "immunet:changes=0", "immunet:changes=1,adaptive=2,inject=one-adaptive"};
enum { METHODS = sizeof methods / sizeof *methods, SETS = 40 };

static void prove_one(const ripstop_fabric *f, const char *method, const ripstop_faults *faults) {
  ripstop_error err;
  ripstop_proof proof;
  ripstop_view *view = ripstop_view_new(f, faults);
  ripstop_plan *plan = stand_plan(view, method, NULL, &err);
  ripstop_prover *prover = ripstop_prover_new(f);
  if (!plan || ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s on %s: %s", method, f->spec, err.text);
  uint64_t cut = ripstop_view_disconnected_pairs(view);
  assert_int_equal(proof.lost_pairs_some_choice, cut);
  assert_int_equal(proof.lost_pairs_every_choice, cut);
  assert_true(proof.livelock_free);
  if (!proof.deadlock_free) fail_msg("%s on %s: %u queues wait for each other", method, f->spec, proof.queues);
  ripstop_prover_free(prover);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
}

/* Without faults, and with some to many of each kind. */
static void prove_fabric(const ripstop_fabric *f) {
  static const ripstop_fault_scope *const scopes[] = {RIPSTOP_FAULTS_SWITCH_LINKS, RIPSTOP_FAULTS_ALL_LINKS,
                                                      RIPSTOP_FAULTS_SWITCHES};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_faults none = {0}, faults;
  ripstop_error err;
  for (size_t m = 0; m < METHODS; m++) prove_one(f, methods[m], &none);
  for (uint32_t set = 0; set < SETS; set++) {
    const ripstop_fault_scope *scope = scopes[set % 3];
    uint32_t population = ripstop_faults_population(f, scope), count = 1 + set * population / SETS / 2;
    if (ripstop_faults_sample(arena, f, scope, count, 5, set, &faults, &err)) fail_msg("%s", err.text);
    prove_one(f, methods[set % METHODS], &faults);
  }
  ripstop_arena_free(arena);
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
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
    if (!f) fail_msg("%s", err.text);
    prove_fabric(f);
    ripstop_fabric_free(f);
  }
}

static void random_graphs(void **state) {
  (void)state;
  ripstop_stream random = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t number = 0; number < 12; number++) {
    char spec[] = "graph:/tmp/ripstop-immunet-XXXXXX";
    ripstop_error err;
    FILE *file = fdopen(mkstemp(spec + 6), "w");
    uint32_t routers = 2 + ripstop_stream_below(&random, 9), more = ripstop_stream_below(&random, 2 * routers);
    for (uint32_t v = 1; v < routers; v++) fprintf(file, "r%u r%u\n", ripstop_stream_below(&random, v), v);
    for (uint32_t i = 0; i < more; i++) {
      uint32_t a = ripstop_stream_below(&random, routers);
      fprintf(file, "r%u r%u\n", a, (a + 1 + ripstop_stream_below(&random, routers - 1)) % routers);
    }
    fclose(file);
    ripstop_fabric *f = ripstop_fabric_open(spec, &err);
    unlink(spec + 6);
    if (!f) fail_msg("%s", err.text);
    prove_fabric(f);
    ripstop_fabric_free(f);
  }
}

/* A torus can be disconnected by as many failed links as a router has, and never by fewer. */
static void all_sets_below_the_degree(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_tally tally;
  ripstop_fabric *f = ripstop_fabric_open("torus:3x3", &err);
  for (uint32_t count = 1; count <= 4; count++) {
    ripstop_many many = {.fabric = f, .method = "immunet", .kind = RIPSTOP_SETS_ALL, .count = count, .threads = 1};
    if (ripstop_prove_many(&many, &tally, &err)) fail_msg("%s", err.text);
    assert_int_equal(tally.connected.safe, tally.connected.sets);
    assert_int_equal(tally.all.sets - tally.all.tolerated, count < 4 ? 0 : 9); /* a router cut off, each in turn */
  }
  ripstop_fabric_free(f);
}

static void what_it_is_not_for(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_answer answer;
  ripstop_fabric *f = ripstop_fabric_open("kary-ntree:k=40,n=2", &err);
  ripstop_view *view = ripstop_view_new(f, NULL);
  assert_null(stand_plan(view, "immunet", &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
  f = ripstop_fabric_open("torus:100x100", &err);
  view = ripstop_view_new(f, NULL);
  assert_null(stand_plan(view, "immunet", &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_fabrics), cmocka_unit_test(random_graphs),
                                     cmocka_unit_test(all_sets_below_the_degree), cmocka_unit_test(what_it_is_not_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
