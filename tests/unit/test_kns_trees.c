/* test_kns_trees.c - intermediate-nodes where the lines are fat trees (paper 002, section 4.3): the prover's verdicts
 * against a count of the pairs that Hybrid-DOR and intermediate nodes can serve by the links in use (lines.h); for
 * all sets of up to two failed links, those inside the trees included, every pair that has a path is delivered. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "detours.h"
#include "methods/intermediate-nodes/detour_lines.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

typedef struct bed {
  ripstop_fabric *fabric;
  ripstop_kns t;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
  uint8_t *served; /* [routers * routers]: for count_lost */
} bed;

static bed open_bed(const char *fabric, const char *method) {
  ripstop_error err;
  bed b = {.fabric = ripstop_fabric_open(fabric, &err)};
  if (!b.fabric) fail_msg("%s", err.text);
  assert_true(ripstop_kns_from(b.fabric, &b.t));
  b.view = ripstop_view_new(b.fabric, NULL);
  b.plan = ripstop_plan_compile(b.view, method, NULL, &err);
  if (!b.plan) fail_msg("%s", err.text);
  b.prover = ripstop_prover_new(b.fabric);
  b.served = calloc((size_t)b.t.routers * b.t.routers, 1);
  return b;
}

static void close_bed(bed *b) {
  free(b->served);
  ripstop_prover_free(b->prover);
  ripstop_plan_free(b->plan);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
}

/* Hybrid-DOR, digit by digit. */
static bool direct_candidate(const ripstop_kns_faults *faults, uint32_t from, uint32_t to) {
  const ripstop_kns *t = &faults->kns;
  for (uint32_t d = 0; d < t->dimensions; d++) {
    uint32_t next = ripstop_kns_move(t, from, d, ripstop_kns_digit(t, to, d));
    if (next != from && (ripstop_kns_failed(faults, from, d) || ripstop_kns_failed(faults, next, d))) return false;
    from = next;
  }
  return true;
}

/* Ordered pairs of end nodes that no list serves; all links of end nodes are up. */
static uint64_t count_lost(bed *b, uint32_t intermediates) {
  uint32_t routers = b->t.routers, c = b->t.concentration;
  uint64_t served = 0;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_kns_faults faults;
  ripstop_kns_faults_find(&b->t, b->view->port_up, arena, &faults);
  for (uint32_t i = 0; i < routers * routers; i++) b->served[i] = direct_candidate(&faults, i / routers, i % routers);
  serve_over_nodes(b->served, routers, intermediates);
  for (uint32_t i = 0; i < routers * routers; i++)
    if (b->served[i]) served += i / routers == i % routers ? (uint64_t)c * (c - 1) : (uint64_t)c * c;
  ripstop_arena_free(arena);
  return (uint64_t)b->fabric->ends * (b->fabric->ends - 1) - served;
}

static ripstop_proof prove(bed *b) {
  ripstop_error err;
  ripstop_proof proof = {0};
  if (ripstop_plan_recompile(b->plan, &err) != RIPSTOP_APPLIES ||
      ripstop_prover_prove(b->prover, b->plan, &proof, &err) != 0)
    fail_msg("%s: %s", b->fabric->spec, err.text);
  return proof;
}

/* Invariants for every set: exactly the pairs without a list are lost, and no packet waits or wanders forever. */
static ripstop_proof check(bed *b, uint32_t intermediates) {
  ripstop_proof proof = prove(b);
  assert_true(proof.livelock_free);
  assert_true(proof.deadlock_free);
  assert_int_equal(proof.lost_pairs_some_choice, proof.lost_pairs_every_choice);
  assert_int_equal(proof.lost_pairs_some_choice, count_lost(b, intermediates));
  assert_int_equal(proof.lost_pairs_some_choice, b->plan->method->lost_pairs(b->plan));
  return proof;
}

/* ------------------------------------------------------------------ all small sets */

static void delivers_where_a_path_is(void *b, void *disconnected) {
  ripstop_proof proof = check(b, 2);
  assert_int_equal(proof.lost_pairs_some_choice, proof.disconnected_pairs);
  *(uint32_t *)disconnected += proof.disconnected_pairs > 0;
}

static void two_failed_links_anywhere(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=2,s=2", "intermediate-nodes");
  uint32_t disconnected = 0;
  for (uint32_t count = 0; count <= 2; count++)
    each_set_of_links(b.fabric, b.view, count, delivers_where_a_path_is, &b, &disconnected);
  assert_int_equal(disconnected, b.t.routers); /* both links of one router */
  close_bed(&b);
}

static void is_free_of_deadlock(void *b, void *context) { check(b, *(uint32_t *)context); }

/* Under every valid list, and with the order of dimensions left to the packet. */
static void free_choices_do_not_deadlock(void **state) {
  (void)state;
  static const struct {
    const char *method;
    uint32_t intermediates, dead;
  } cases[] = {{"intermediate-nodes:lists=all,intermediates=1", 1, 1},
               {"intermediate-nodes:lists=all", 2, 1},
               {"intermediate-nodes:adaptive=on", 2, 1},
               {"intermediate-nodes:adaptive=on,intermediates=0", 0, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b = open_bed("kns:k=4,n=2,s=2", cases[i].method);
    uint32_t intermediates = cases[i].intermediates;
    each_set_of_links(b.fabric, b.view, cases[i].dead, is_free_of_deadlock, &b, &intermediates);
    close_bed(&b);
  }
}

static void count_deadlocks(void *b, void *deadlocks) { *(uint32_t *)deadlocks += !prove(b).deadlock_free; }

/* Intermediate nodes need a channel each here as well. */
static void a_channel_less_deadlocks(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=2,s=2", "intermediate-nodes:lists=all,intermediates=1,channels=1");
  uint32_t deadlocks = 0;
  each_set_of_links(b.fabric, b.view, 1, count_deadlocks, &b, &deadlocks);
  assert_int_equal(deadlocks, b.t.routers * b.t.dimensions); /* each link that makes a list necessary */
  close_bed(&b);
}

/* ------------------------------------------------------------------ larger sets */

/* Any number of failed links, and failed switches. */
static void random_sets(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t intermediates, sets, most;
  } cases[] = {{"kns:k=4,n=2,s=2", "intermediate-nodes:intermediates=0", 0, 40, 16},
               {"kns:k=4,n=2,s=2,c=2", "intermediate-nodes:intermediates=1", 1, 40, 16},
               {"kns:k=4,n=2,s=2", "intermediate-nodes", 2, 100, 16},
               {"kns:k=4,n=2,s=2", "intermediate-nodes:intermediates=3,prefer=fewest", 3, 40, 24},
               {"kns:k=4,n=2,s=2", "intermediate-nodes:adaptive=on", 2, 40, 16},
               {"kns:k=4,n=2,s=2", "intermediate-nodes:lists=all", 2, 20, 12},
               {"kns:k=8,n=1,s=3", "intermediate-nodes:intermediates=1", 1, 40, 12},
               {"kns:k=9,n=2,s=2", "intermediate-nodes", 2, 6, 60},
               {"kns:k=4,n=3,s=2", "intermediate-nodes", 2, 6, 40}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b = open_bed(cases[i].fabric, cases[i].method);
    ripstop_arena *arena = ripstop_arena_new();
    for (uint32_t set = 0; set < cases[i].sets; set++) {
      ripstop_error err;
      ripstop_faults faults;
      bool switches = set % 4 == 3;
      uint32_t count = switches ? 1 + set % 3 : 1 + set * (cases[i].most - 1) / cases[i].sets;
      const ripstop_fault_scope *scope = switches ? RIPSTOP_FAULTS_SWITCHES : RIPSTOP_FAULTS_SWITCH_LINKS;
      if (ripstop_faults_sample(arena, b.fabric, scope, count, 7, set, &faults, &err) != 0) fail_msg("%s", err.text);
      for (uint32_t j = 0; j < faults.switches; j++) /* not a router: its end nodes would not count as lost */
        if (ripstop_kns_is_router(&b.t, faults.switch_[j])) faults.switches = j;
      ripstop_view_set_faults(b.view, &faults, false);
      check(&b, cases[i].intermediates);
      ripstop_view_set_faults(b.view, &faults, true);
    }
    ripstop_arena_free(arena);
    close_bed(&b);
  }
}

/* ------------------------------------------------------------------ candidates */

/* Without faults every candidate is on a shortest route, and trees leave several. */
static void healthy_candidates_are_shortest(void **state) {
  (void)state;
  static const char *const fabrics[] = {"kns:k=4,n=2,s=2", "kns:k=8,n=2,s=3", "kns:k=9,n=1,s=2,c=2"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    bed b = open_bed(fabrics[i], "intermediate-nodes");
    ripstop_prover_paths(b.prover, true);
    ripstop_proof proof = check(&b, 2);
    assert_int_equal(proof.paths.pairs, proof.pairs);
    assert_int_equal(proof.paths.longest, proof.paths.minimum);
    assert_int_equal(b.plan->candidates_max, b.t.tree.half);
    close_bed(&b);
  }
}

/* Traffic detours around a failed link inside a line, a torn line and a failed switch of a tree. */
static void traffic_gets_through(void **state) {
  (void)state;
  static const char *const faults[] = {"", "0.*:0/0/2", "0.*:0/0/2 0.*:0/0/3", "switch:*.2:1/1 0.1/0"};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    scene *s = scene_open("kns:k=4,n=2,s=2", "intermediate-nodes", "packet=4 load=0.2");
    scene_break(s, faults[i]);
    ripstop_run_result result = scene_run(s);
    assert_int_equal(result.verdict, RIPSTOP_STEADY);
    assert_int_equal(result.account.lost, 0);
    assert_true(result.account.delivered > 500);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_failed_links_anywhere),       cmocka_unit_test(free_choices_do_not_deadlock),
      cmocka_unit_test(a_channel_less_deadlocks),        cmocka_unit_test(random_sets),
      cmocka_unit_test(healthy_candidates_are_shortest), cmocka_unit_test(traffic_gets_through),
  };
  return cmocka_run_group_tests_name("kns trees", tests, NULL, NULL);
}
