/* test_intermediate_routes.c - intermediate-nodes beyond delivery: deadlock with enough channels and one less, for any
 * valid list and adaptive routing; lines that are trees; how evenly detours are spread; lists as long as the header;
 * adaptive candidates; the lemmas; losses, guarantees, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"

typedef struct bed {
  ripstop_fabric *fabric;
  ripstop_arena *arena;
  ripstop_names *names;
  ripstop_prover *prover;
} bed;

static bed open_bed(const char *spec) {
  ripstop_error err;
  bed b = {.fabric = ripstop_fabric_open(spec, &err), .arena = ripstop_arena_new()};
  if (!b.fabric) fail_msg("%s", err.text);
  b.names = ripstop_names_new(b.fabric);
  b.prover = ripstop_prover_new(b.fabric);
  return b;
}

static void close_bed(bed *b) {
  ripstop_prover_free(b->prover);
  ripstop_names_free(b->names);
  ripstop_arena_free(b->arena);
  ripstop_fabric_free(b->fabric);
}

static ripstop_faults named(bed *b, const char *line) {
  ripstop_error err;
  ripstop_faults faults;
  if (ripstop_faults_parse(b->arena, b->names, line, strlen(line), &faults, &err)) fail_msg("%s", err.text);
  return faults;
}

static ripstop_faults drawn(bed *b, const ripstop_fault_scope *scope, uint32_t count, uint64_t index) {
  ripstop_error err;
  ripstop_faults faults;
  if (ripstop_faults_sample(b->arena, b->fabric, scope, count, 9, index, &faults, &err)) fail_msg("%s", err.text);
  return faults;
}

/* Also that the pairs counted without a walk are those that the walks lose. */
static ripstop_proof prove(bed *b, const char *method, const ripstop_faults *faults) {
  ripstop_error err;
  ripstop_proof proof;
  ripstop_view *view = ripstop_view_new(b->fabric, faults);
  ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
  if (!plan) fail_msg("%s: %s", method, err.text);
  if (ripstop_prover_prove(b->prover, plan, &proof, &err)) fail_msg("%s: %s", method, err.text);
  if (plan->method->lost_pairs(plan) != proof.lost_pairs_some_choice)
    fail_msg("%s: %llu pairs counted as lost, %llu walked", method, (unsigned long long)plan->method->lost_pairs(plan),
             (unsigned long long)proof.lost_pairs_some_choice);
  assert_true(proof.lost_pairs_every_choice == proof.lost_pairs_some_choice);
  assert_true(proof.livelock_free);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return proof;
}

/* ------------------------------------------------------------------ deadlock */

static void a_channel_for_each_subpath_is_enough(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t faults, sets;
  } cases[] = {
      {"kns:k=3,n=2", "intermediate-nodes:lists=all,intermediates=3", 6, 4},
      {"kns:k=4,n=2", "intermediate-nodes:lists=all", 6, 2},
      {"kns:k=3,n=3", "intermediate-nodes:lists=all,intermediates=1", 8, 1},
      {"kns:k=2,n=3", "intermediate-nodes:lists=all,intermediates=3", 6, 2},
      {"kns:k=3,n=2", "intermediate-nodes:lists=all,adaptive=on", 6, 3},
      {"kns:k=2,n=3", "intermediate-nodes:lists=all,adaptive=on", 6, 2},
      {"kns:k=3,n=3", "intermediate-nodes:adaptive=on", 12, 2},
      {"kns:k=6,n=2", "intermediate-nodes:adaptive=on,prefer=fewest", 12, 1},
      {"kns:k=4,n=2,s=2", "intermediate-nodes:lists=all,intermediates=1", 6, 1},
      {"kns:k=4,n=2,s=2", "intermediate-nodes:adaptive=on", 10, 2},
      {"kns:k=8,n=2,s=3", "intermediate-nodes:adaptive=on", 8, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b = open_bed(cases[i].fabric);
    for (uint32_t count = 0; count <= cases[i].faults; count++)
      for (uint32_t index = 0; index < cases[i].sets; index++) {
        ripstop_faults faults = drawn(&b, RIPSTOP_FAULTS_SWITCH_LINKS, count, index);
        if (!prove(&b, cases[i].method, &faults).deadlock_free)
          fail_msg("%s on %s deadlocks, %u failed links", cases[i].method, cases[i].fabric, count);
      }
    close_bed(&b);
  }
}

/* Without the last channel every fault set that makes a list necessary deadlocks. */
static void a_channel_less_is_not(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *enough, *less;
  } cases[] = {
      {"kns:k=3,n=2", "intermediate-nodes:lists=all,intermediates=1",
       "intermediate-nodes:lists=all,intermediates=1,channels=1"},
      {"kns:k=4,n=2", "intermediate-nodes:lists=all", "intermediate-nodes:lists=all,channels=2"},
      {"kns:k=3,n=3", "intermediate-nodes:lists=all,intermediates=1",
       "intermediate-nodes:lists=all,intermediates=1,channels=1"},
      {"kns:k=4,n=2", "intermediate-nodes:adaptive=on,lists=all,intermediates=1",
       "intermediate-nodes:adaptive=on,lists=all,intermediates=1,channels=2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b = open_bed(cases[i].fabric);
    for (uint32_t count = 0; count <= 3; count++) {
      ripstop_faults faults = drawn(&b, RIPSTOP_FAULTS_SWITCH_LINKS, count, 0);
      assert_true(prove(&b, cases[i].enough, &faults).deadlock_free);
      assert_true(prove(&b, cases[i].less, &faults).deadlock_free == (count == 0));
    }
    close_bed(&b);
  }
}

/* ------------------------------------------------------------------ lines that are trees */

/* Faults anywhere: links of routers, links inside lines, links of end nodes, switches. `prove` compares. */
static void faults_inside_lines_count_as_the_routers(void **state) {
  (void)state;
  static const char *const fabrics[] = {"kns:k=4,n=2,s=2", "kns:k=4,n=2,s=2,c=2", "kns:k=8,n=1,s=3", "kns:k=9,n=2,s=2"};
  uint32_t lossy = 0;
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    bed b = open_bed(fabrics[i]);
    for (uint32_t count = 0; count <= 24; count += 2) {
      ripstop_faults links = drawn(&b, RIPSTOP_FAULTS_ALL_LINKS, count, i);
      ripstop_faults switches = drawn(&b, RIPSTOP_FAULTS_SWITCHES, count / 4, i);
      lossy += prove(&b, "intermediate-nodes", &links).lost_pairs_some_choice > 0;
      prove(&b, "intermediate-nodes", &switches);
      prove(&b, "intermediate-nodes:intermediates=1", &links);
    }
    close_bed(&b);
  }
  assert_true(lossy > 0);
}

/* Every set of as many links as is claimed, a tree's too. */
static void guarantees_hold_with_trees(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=2,s=2");
  ripstop_error err;
  ripstop_guarantees guarantees;
  ripstop_view *view = ripstop_view_new(b.fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, "intermediate-nodes:intermediates=1", NULL, &err);
  plan->method->guarantees(b.fabric, plan->config, &guarantees);
  assert_int_equal(guarantees.tolerates, 1);
  for (uint32_t link = b.fabric->link_ends; link < b.fabric->links; link++) {
    ripstop_view_set_link(view, link, false);
    assert_int_equal(ripstop_plan_recompile(plan, &err), RIPSTOP_APPLIES);
    assert_int_equal(plan->method->lost_pairs(plan), 0);
    ripstop_view_set_link(view, link, true);
  }
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  close_bed(&b);
}

/* ------------------------------------------------------------------ spread */

typedef void look_at_hop(const ripstop_fabric *f, const ripstop_head *head, const ripstop_candidate *candidate,
                         void *context);

/* Follows the first candidate of every pair, hop by hop. */
static void each_hop(const ripstop_plan *plan, look_at_hop *look, void *context) {
  const ripstop_fabric *f = plan->fabric;
  ripstop_candidate candidate[UINT8_MAX];
  for (uint32_t s = 0; s < f->ends; s++)
    for (uint32_t t = 0; t < f->ends; t++) {
      ripstop_head head = {.node = s, .in_port = RIPSTOP_NONE, .source = s, .destination = t};
      while (s != t && head.node != t && ripstop_route(plan, &head, candidate) > 0) {
        uint32_t peer = f->peer[f->port_base[head.node] + candidate[0].port];
        look(f, &head, &candidate[0], context);
        head = (ripstop_head){.node = f->port_node[peer],
                              .in_port = peer - f->port_base[f->port_node[peer]],
                              .source = s,
                              .destination = t,
                              .header = candidate[0].header,
                              .channel = candidate[0].channel};
      }
    }
}

/* Counts how often each router is an intermediate node, over all pairs: packets change their channel there, and nowhere
 * else.
 */
static void count_use(const ripstop_fabric *f, const ripstop_head *head, const ripstop_candidate *candidate,
                      void *uses) {
  if (candidate->channel > head->channel) ((uint32_t *)uses)[head->node - f->ends]++;
}

/* 5 % failed links: nine routers in ten help, and the busiest does less than 6 times as much as they do on average. */
static void no_node_is_the_favourite(void **state) {
  (void)state;
  enum { K = 16 };
  bed b = open_bed("kns:k=16,n=2");
  ripstop_error err;
  ripstop_faults faults = drawn(&b, RIPSTOP_FAULTS_SWITCH_LINKS, 25, 0);
  ripstop_view *view = ripstop_view_new(b.fabric, &faults);
  ripstop_plan *plan = ripstop_plan_compile(view, "intermediate-nodes", NULL, &err);
  uint32_t uses[K * K] = {0}, most = 0, sum = 0, unused = 0;
  each_hop(plan, count_use, uses);
  for (uint32_t i = 0; i < K * K; i++) {
    sum += uses[i];
    unused += uses[i] == 0;
    if (uses[i] > most) most = uses[i];
  }
  uint64_t value[RIPSTOP_FACTS_MAX];
  plan->method->facts(plan, value);
  assert_int_equal(sum, value[1] + 2 * value[2]);
  print_message("%u uses by %u routers: %.1f on average, %u at most, %u unused\n", sum, K * K, (double)sum / (K * K),
                most, unused);
  assert_true(most * (K * K) < 6 * sum);
  assert_true(unused * 10 < K * K);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  close_bed(&b);
}

/* ------------------------------------------------------------------ long lists */

static ripstop_plan *open_plan(const ripstop_view *view, const char *method) {
  ripstop_error err;
  ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
  if (!plan) fail_msg("%s: %s", method, err.text);
  return plan;
}

/* Only this is left of kns:k=16,n=2: 0.0 - 0.1 - 1.1 - 1.2 - ... - 7.7 - 7.8, a row and a column by turns. Hybrid-DOR
 * crosses one row and one column of it, so 8 subpaths lead from one end to the other. */
static ripstop_faults stairs(bed *b) {
  enum { K = 16, STEPS = 8 };
  ripstop_text line = {0};
  for (unsigned row = 0; row < K; row++)
    for (unsigned place = 0; place < K; place++) {
      bool on_row = row < STEPS && (place == row || place == row + 1);
      bool on_column = place > 0 && place < STEPS && (row == place || row + 1 == place);
      if (!on_row) ripstop_text_add(&line, " %u.%u/0", row, place);
      if (!on_column) ripstop_text_add(&line, " %u.%u/1", row, place);
    }
  ripstop_faults faults = named(b, line.data);
  ripstop_text_free(&line);
  return faults;
}

/* 7 addresses of 8 bits fill the header to the last bit. */
static void the_longest_lists_get_there(void **state) {
  (void)state;
  bed b = open_bed("kns:k=16,n=2");
  ripstop_faults faults = stairs(&b);
  ripstop_proof enough = prove(&b, "intermediate-nodes:intermediates=7", &faults);
  assert_int_equal(enough.lost_pairs_some_choice, enough.disconnected_pairs);
  assert_int_equal(enough.pairs - enough.lost_pairs_some_choice, 16 * 15);
  assert_true(enough.deadlock_free);
  ripstop_proof fewer = prove(&b, "intermediate-nodes:intermediates=6", &faults);
  assert_true(fewer.lost_pairs_some_choice > fewer.disconnected_pairs);
  close_bed(&b);
}

static void channel_of_subpath(const ripstop_fabric *f, const ripstop_head *head, const ripstop_candidate *candidate,
                               void *highest) {
  (void)f;
  assert_in_range(candidate->channel, head->channel, head->channel + 1);
  if (candidate->channel > *(uint32_t *)highest) *(uint32_t *)highest = candidate->channel;
}

/* With too few channels packets stay on the last one. */
static void the_last_subpaths_share_a_channel(void **state) {
  (void)state;
  bed b = open_bed("kns:k=16,n=2");
  ripstop_faults faults = stairs(&b);
  ripstop_view *view = ripstop_view_new(b.fabric, &faults);
  static const struct {
    const char *method;
    uint32_t highest;
  } cases[] = {{"intermediate-nodes:intermediates=7", 7},
               {"intermediate-nodes:intermediates=7,channels=3", 2},
               {"intermediate-nodes:intermediates=7,channels=16", 7}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t highest = 0;
    ripstop_plan *plan = open_plan(view, cases[i].method);
    each_hop(plan, channel_of_subpath, &highest);
    assert_int_equal(highest, cases[i].highest);
    ripstop_plan_free(plan);
  }
  ripstop_view_free(view);
  close_bed(&b);
}

/* ------------------------------------------------------------------ adaptive candidates */

/* The candidates of a packet from 0.0.0 to 3.2.1 in kns:k=4,n=3, as port/channel, of higher rank with a '+'. */
static void expect_candidates(bed *b, const char *faults_line, const char *at, const char *expected) {
  ripstop_faults faults = named(b, faults_line);
  ripstop_view *view = ripstop_view_new(b->fabric, &faults);
  ripstop_plan *plan = open_plan(view, "intermediate-nodes:adaptive=on");
  ripstop_text found = {0};
  ripstop_candidate candidate[UINT8_MAX];
  uint32_t node = ripstop_names_switch(b->names, at, strlen(at));
  ripstop_head head = {.node = node, .in_port = 0, .source = 0, .destination = 3 * 16 + 2 * 4 + 1};
  int candidates = ripstop_route(plan, &head, candidate);
  for (int i = 0; i < candidates; i++)
    ripstop_text_add(&found, " %u/%u%s", candidate[i].port, candidate[i].channel, candidate[i].rank > 0 ? "+" : "");
  assert_string_equal(found.data, expected);
  ripstop_text_free(&found);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
}

/* Channel 3 is the adaptive one; the escape, in dimension order, comes after it. */
static void adaptive_packets_may_take_any_dimension(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=3");
  expect_candidates(&b, "", "0.0.0", " 0/3 1/3 2/3 0/0+");
  expect_candidates(&b, "", "0.0.*", " 1/3 1/0+");
  expect_candidates(&b, "", "*.0.0", " 3/3"); /* not in dimension order */
  expect_candidates(&b, "", "*.2.1", " 3/3 3/0+");
  expect_candidates(&b, "", "0.2.1", " 2/3 2/0+");
  expect_candidates(&b, "3.0.1/1", "0.0.0", " 0/3 1/3 0/0+"); /* no escape from 3.0.0 */
  expect_candidates(&b, "3.0.0/2", "0.0.0", " 0/3 1/3 0/0+");
  close_bed(&b);
}

/* ------------------------------------------------------------------ lemmas */

static uint64_t lost(bed *b, const char *method, const char *line) {
  ripstop_faults faults = named(b, line);
  return prove(b, method, &faults).lost_pairs_some_choice;
}

/* The text derives that 2k - 2 failed links defeat two intermediate nodes in two dimensions, and prints that 2k - 1 are
 * tolerated. These 2k - 2 leave the fabric connected. */
static void lemma_2_has_a_witness(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *faults;
    uint32_t k;
  } cases[] = {{"kns:k=3,n=2", "0.0/0 0.1/1 1.2/1 2.0/0", 3},
               {"kns:k=4,n=2", "0.0/0 0.1/1 0.2/0 1.3/1 2.3/1 3.0/0", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b = open_bed(cases[i].fabric);
    ripstop_faults faults = named(&b, cases[i].faults);
    ripstop_proof proof = prove(&b, "intermediate-nodes", &faults);
    assert_int_equal(faults.links, 2 * cases[i].k - 2);
    assert_int_equal(proof.disconnected_pairs, 0);
    assert_int_equal(proof.lost_pairs_every_choice, 2);
    assert_int_equal(prove(&b, "intermediate-nodes:intermediates=3", &faults).lost_pairs_some_choice, 0);
    close_bed(&b);
  }
}

/* Figures 3 and 4: a source whose first link has failed; a destination whose last one has. */
static void the_papers_examples(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=2");
  assert_int_equal(lost(&b, "intermediate-nodes:intermediates=0", "0.0/0"), 24);
  assert_int_equal(lost(&b, "intermediate-nodes:intermediates=1", "0.0/0"), 0);
  assert_int_equal(lost(&b, "intermediate-nodes:intermediates=1", "0.0/0 2.2/1"), 0);
  assert_int_equal(lost(&b, "intermediate-nodes:intermediates=1", "0.0/0 0.2/1"), 1); /* the same row: Figure 4 */
  assert_int_equal(lost(&b, "intermediate-nodes", "0.0/0 0.2/1"), 0);
  close_bed(&b);
}

/* ------------------------------------------------------------------ losses and guarantees */

static const char *loss_of(const ripstop_plan *plan, uint32_t source, uint32_t destination) {
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = destination};
  ripstop_candidate candidate;
  int candidates;
  while ((candidates = ripstop_route(plan, &head, &candidate)) > 0) {
    uint32_t peer = plan->fabric->peer[plan->fabric->port_base[head.node] + candidate.port];
    head.node = plan->fabric->port_node[peer];
    head.header = candidate.header;
    head.in_port = 0;
  }
  return plan->method->losses[-candidates - 1];
}

static void losses_have_their_causes(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=2");
  ripstop_faults faults = named(&b, "end:0.2 0.0/0");
  ripstop_view *view = ripstop_view_new(b.fabric, &faults);
  ripstop_plan *plan = open_plan(view, "intermediate-nodes:intermediates=0");
  assert_string_equal(loss_of(plan, 2, 5), "source cut off");
  assert_string_equal(loss_of(plan, 5, 2), "destination cut off");
  assert_string_equal(loss_of(plan, 0, 5), "no list of intermediate nodes is healthy");
  ripstop_view_set_link(view, 4, false); /* end node 1.0, after the plan was made */
  assert_string_equal(loss_of(plan, 4, 5), "source cut off");
  ripstop_view_set_link(view, ripstop_names_link(b.names, "1.3/0", 5), false);
  assert_string_equal(loss_of(plan, 7, 5), "a link of the packet's list has died");
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  close_bed(&b);
}

/* A channel for each subpath is claimed to be free of deadlock, fewer are not; the adaptive channel does not count.
 * Chosen lists depend on the routers' numbers. */
static void guarantees_follow_the_options(void **state) {
  (void)state;
  static const struct {
    const char *options;
    bool deadlock_free, symmetric;
  } cases[] = {{"intermediates=2", true, false},
               {"intermediates=2,channels=3", true, false},
               {"intermediates=2,channels=2", false, false},
               {"intermediates=2,channels=2,lists=all", false, true},
               {"intermediates=0", true, true},
               {"intermediates=2,channels=4,adaptive=on", true, false},
               {"intermediates=2,channels=3,adaptive=on", false, false}};
  bed b = open_bed("kns:k=3,n=2");
  ripstop_view *view = ripstop_view_new(b.fabric, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char method[128];
    ripstop_guarantees guarantees;
    snprintf(method, sizeof method, "intermediate-nodes:%s", cases[i].options);
    ripstop_plan *plan = open_plan(view, method);
    plan->method->guarantees(b.fabric, plan->config, &guarantees);
    assert_int_equal(guarantees.deadlock_free, cases[i].deadlock_free);
    assert_int_equal(guarantees.symmetric, cases[i].symmetric);
    ripstop_plan_free(plan);
  }
  ripstop_view_free(view);
  close_bed(&b);
}

/* ------------------------------------------------------------------ refusals */

static void refuse(const char *fabric, const char *method, const char *words) {
  ripstop_error err = {0};
  ripstop_answer answer = RIPSTOP_APPLIES;
  bed b = open_bed(fabric);
  ripstop_view *view = ripstop_view_new(b.fabric, NULL);
  ripstop_plan *plan = ripstop_plan_compile(view, method, &answer, &err);
  if (plan || answer != RIPSTOP_DOES_NOT_APPLY || !strstr(err.text, words))
    fail_msg("%s on %s: '%s'", method, fabric, err.text);
  ripstop_view_free(view);
  close_bed(&b);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  refuse("torus:4x4", "intermediate-nodes", "is for kns");
  refuse("kns:k=32,n=2", "intermediate-nodes:intermediates=6", "64 bits");
  refuse("kns:k=16,n=2", "intermediate-nodes:intermediates=8", "64 bits");
  refuse("kns:k=2,n=13", "intermediate-nodes", "12 dimensions");
  refuse("kns:k=129,n=2", "intermediate-nodes", "16384 routers");
  refuse("kns:k=3,n=2", "intermediate-nodes:intermediates=15,adaptive=on", "16 virtual channels");
  refuse("kns:k=3,n=2", "intermediate-nodes:channels=1,adaptive=on", "2 virtual channels");
  refuse("kns:k=16,n=2", "intermediate-nodes:lists=all", "255 candidates");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_channel_for_each_subpath_is_enough),
      cmocka_unit_test(a_channel_less_is_not),
      cmocka_unit_test(faults_inside_lines_count_as_the_routers),
      cmocka_unit_test(guarantees_hold_with_trees),
      cmocka_unit_test(no_node_is_the_favourite),
      cmocka_unit_test(the_longest_lists_get_there),
      cmocka_unit_test(the_last_subpaths_share_a_channel),
      cmocka_unit_test(adaptive_packets_may_take_any_dimension),
      cmocka_unit_test(lemma_2_has_a_witness),
      cmocka_unit_test(the_papers_examples),
      cmocka_unit_test(losses_have_their_causes),
      cmocka_unit_test(guarantees_follow_the_options),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
