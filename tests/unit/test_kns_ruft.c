/* test_kns_ruft.c - kns fabrics whose lines are RUFTs (Gomez, Gilabert, Gomez, Lopez and Duato 2008): every cable by
 * name, straight from the definition; and intermediate-nodes on them against a second computation, which walks the one
 * path of each pair in a line link by link. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "detours.h"
#include "methods/intermediate-nodes/detour_lines.h"
#include "prove/proof.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

enum { NAME = 96 };

typedef struct bed {
  ripstop_fabric *fabric;
  ripstop_kns t;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
} bed;

static bed open_bed(const char *fabric, const char *method) {
  ripstop_error err;
  bed b = {.fabric = ripstop_fabric_open(fabric, &err)};
  if (!b.fabric) fail_msg("%s", err.text);
  if (ripstop_fabric_check(b.fabric, &err) != 0) fail_msg("%s", err.text);
  assert_true(ripstop_kns_from(b.fabric, &b.t));
  b.view = ripstop_view_new(b.fabric, NULL);
  b.plan = ripstop_plan_compile(b.view, method, NULL, &err);
  if (!b.plan) fail_msg("%s", err.text);
  b.prover = ripstop_prover_new(b.fabric);
  return b;
}

static void close_bed(bed *b) {
  ripstop_prover_free(b->prover);
  ripstop_plan_free(b->plan);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
}

static uint32_t power(uint32_t base, uint32_t exponent) { return exponent ? base * power(base, exponent - 1) : 1; }

/* ------------------------------------------------------------------ cables */

typedef struct ruft_case {
  const char *spec;
  uint32_t k, n, s, c, arity;
} ruft_case;

static const ruft_case cases[] = {{"kns:k=4,n=2,s=2,line=ruft", 4, 2, 2, 1, 2},
                                  {"kns:k=9,n=2,s=2,c=2,line=ruft", 9, 2, 2, 2, 3},
                                  {"kns:k=8,n=2,s=3,line=ruft", 8, 2, 3, 1, 2},
                                  {"kns:k=27,n=1,s=3,line=ruft", 27, 1, 3, 1, 3}};
#define FOR_EACH_CASE(x) for (const ruft_case *x = cases; x < cases + sizeof cases / sizeof *cases; x++)

/* Digits of a number, the most significant first, digit `star` as '*'. */
static void digits(char *out, uint32_t value, uint32_t radix, uint32_t count, uint32_t star) {
  *out = '\0';
  for (uint32_t i = count; i-- > 0;) {
    size_t length = strlen(out);
    if (i == star)
      snprintf(out + length, NAME - length, "*%s", i ? "." : "");
    else
      snprintf(out + length, NAME - length, "%u%s", value / power(radix, i) % radix, i ? "." : "");
  }
}

/* A switch of the line of dimension d that `router` is on: stage l, digits c as a number. */
static void line_switch(char *out, const ruft_case *x, uint32_t router, uint32_t d, uint32_t l, uint32_t c) {
  char line[NAME], of_c[NAME];
  digits(line, router, x->k, x->n, d);
  digits(of_c, c, x->arity, x->s - 1, RIPSTOP_NONE);
  snprintf(out, 3 * NAME, "%s:%u/%s", line, l, of_c);
}

static uint32_t port_of(const ripstop_fabric *f, const ripstop_names *names, const char *node, uint32_t local) {
  uint32_t number = ripstop_names_switch(names, node, strlen(node));
  if (number == RIPSTOP_NONE) fail_msg("%s has no switch %s", f->spec, node);
  return f->port_base[number] + local;
}

/* A link from one port to another, named by the first, that carries packets this way alone. */
static void sends_to(const ripstop_fabric *f, const ripstop_names *names, const char *a, uint32_t port_a, const char *b,
                     uint32_t port_b) {
  char link[4 * NAME];
  snprintf(link, sizeof link, "%s/%u", a, port_a);
  uint32_t number = ripstop_names_link(names, link, strlen(link));
  if (number == RIPSTOP_NONE) fail_msg("%s has no link %s", f->spec, link);
  assert_int_equal(f->link_port[2 * number], port_of(f, names, a, port_a));
  assert_int_equal(f->link_port[2 * number + 1], port_of(f, names, b, port_b));
  assert_int_equal(f->one_way[number], 1);
}

/* Place p sends to <0, c> port p_0 where c_i = p_{i+1}, and receives from <s-1, c> port a + p_{s-1} where c_i = p_i. */
static void check_router(const ripstop_fabric *f, const ripstop_names *names, const ruft_case *x, uint32_t router,
                         uint32_t d) {
  char own[NAME], in[3 * NAME], out[3 * NAME];
  uint32_t p = router / power(x->k, d) % x->k, last = power(x->arity, x->s - 1);
  digits(own, router, x->k, x->n, RIPSTOP_NONE);
  line_switch(in, x, router, d, 0, p / x->arity);
  line_switch(out, x, router, d, x->s - 1, p % last);
  sends_to(f, names, own, d, in, p % x->arity);
  sends_to(f, names, out, x->arity + p / last, own, x->n + x->c + d);
}

/* <l, c> port a + c'_l sends to <l+1, c'> port c_l where c'_i = c_i for all i != l. */
static uint32_t check_stages(const ripstop_fabric *f, const ripstop_names *names, const ruft_case *x, uint32_t router,
                             uint32_t d) {
  uint32_t a = x->arity, count = 0;
  char from[3 * NAME], to[3 * NAME];
  for (uint32_t l = 0; l + 1 < x->s; l++)
    for (uint32_t c = 0; c < power(a, x->s - 1); c++)
      for (uint32_t u = 0; u < a; u++, count++) {
        uint32_t own = c / power(a, l) % a;
        line_switch(from, x, router, d, l, c);
        line_switch(to, x, router, d, l + 1, c + u * power(a, l) - own * power(a, l));
        sends_to(f, names, from, a + u, to, own);
      }
  return count;
}

static void every_cable_follows_the_definition(void **state) {
  (void)state;
  FOR_EACH_CASE(x) {
    bed b = open_bed(x->spec, "intermediate-nodes");
    ripstop_names *names = ripstop_names_new(b.fabric);
    uint32_t routers = power(x->k, x->n), cables = 0;
    for (uint32_t router = 0; router < routers; router++)
      for (uint32_t d = 0; d < x->n; d++) {
        check_router(b.fabric, names, x, router, d);
        cables += 2;
        if (router / power(x->k, d) % x->k == 0) cables += check_stages(b.fabric, names, x, router, d);
      }
    assert_int_equal(b.fabric->links, b.fabric->ends + cables); /* and no others */
    assert_int_equal(b.fabric->links, x->c * routers + x->n * (x->s + 1) * routers);
    assert_int_equal(ripstop_fabric_switches(b.fabric), routers + x->n * routers / x->k * x->s * (x->k / x->arity));
    for (uint32_t link = 0; link < b.fabric->ends; link++) assert_int_equal(b.fabric->one_way[link], 0);
    ripstop_names_free(names);
    close_bed(&b);
  }
}

static void one_stage_is_no_ruft(void **state) {
  (void)state;
  ripstop_error err;
  assert_null(ripstop_fabric_open("kns:k=4,n=2,line=ruft", &err));
  assert_string_equal(err.text, "fabric kns: line=ruft needs s=2 or more; with s=1 a line is one crossbar");
}

/* ------------------------------------------------------------------ a second computation */

/* Adds one to each link of the one path in a line; false: a link of it is down. */
static bool walk_line(const bed *b, uint32_t from, uint32_t to, uint32_t d, uint32_t *used) {
  const ripstop_fabric *f = b->fabric;
  uint32_t a = b->t.tree.half, place = to / power(b->t.k, d) % b->t.k, port = f->port_base[b->t.ends + from] + d;
  bool up = true;
  for (uint32_t stage = 0; stage <= b->t.stages; stage++) {
    up &= b->view->port_up[port];
    if (used) used[f->port_link[port]]++;
    uint32_t next = f->port_node[f->peer[port]];
    if (stage == b->t.stages) assert_int_equal(next, b->t.ends + to);
    port = f->port_base[next] + a + place / power(a, stage) % a;
  }
  return up;
}

static bool direct_candidate(const bed *b, uint32_t from, uint32_t to) {
  for (uint32_t d = 0; d < b->t.dimensions; d++) {
    uint32_t weight = power(b->t.k, d), next = from - from / weight % b->t.k * weight + to / weight % b->t.k * weight;
    if (next != from && !walk_line(b, from, next, d, NULL)) return false;
    from = next;
  }
  return true;
}

/* Ordered pairs of end nodes that no list of at most so many intermediate nodes serves; all end nodes are up. */
static uint64_t count_lost(const bed *b, uint32_t intermediates) {
  uint32_t routers = b->t.routers, c = b->t.concentration;
  uint8_t *served = calloc((size_t)routers * routers, 1);
  uint64_t lost = 0;
  for (uint32_t i = 0; i < routers * routers; i++) served[i] = direct_candidate(b, i / routers, i % routers);
  serve_over_nodes(served, routers, intermediates);
  for (uint32_t i = 0; i < routers * routers; i++) lost += served[i] ? 0 : c * c;
  free(served);
  return lost;
}

static ripstop_proof prove(bed *b) {
  ripstop_error err;
  ripstop_proof proof = {0};
  if (ripstop_plan_recompile(b->plan, &err) != RIPSTOP_APPLIES ||
      ripstop_prover_prove(b->prover, b->plan, &proof, &err) != 0)
    fail_msg("%s: %s", b->fabric->spec, err.text);
  return proof;
}

static ripstop_proof check(bed *b, uint32_t intermediates) {
  ripstop_proof proof = prove(b);
  assert_true(proof.livelock_free);
  assert_true(proof.deadlock_free);
  assert_int_equal(proof.lost_pairs_some_choice, proof.lost_pairs_every_choice);
  assert_int_equal(proof.lost_pairs_some_choice, count_lost(b, intermediates));
  assert_int_equal(proof.lost_pairs_some_choice, b->plan->method->lost_pairs(b->plan));
  assert_true(proof.disconnected_pairs <= proof.lost_pairs_some_choice);
  return proof;
}

/* Each pair of places has one path, and these load all links of a stage alike, the last ones with one destination. */
static void paths_share_links_evenly(void **state) {
  (void)state;
  FOR_EACH_CASE(x) {
    bed b = open_bed(x->spec, "intermediate-nodes");
    uint32_t *used = calloc(b.fabric->links, sizeof *used);
    for (uint32_t from = 0; from < b.t.k; from++)
      for (uint32_t to = 0; to < b.t.k; to++) assert_true(walk_line(&b, from, to, 0, used));
    for (uint32_t link = b.fabric->ends; link < b.fabric->links; link++)
      assert_true(used[link] == 0 || used[link] == x->k);
    check(&b, 2);
    assert_int_equal(b.plan->candidates_max, 1);
    free(used);
    close_bed(&b);
  }
}

/* ------------------------------------------------------------------ faults */

static void delivers_where_a_path_is(void *b, void *disconnected) {
  ripstop_proof proof = check(b, 2);
  assert_int_equal(proof.lost_pairs_some_choice, proof.disconnected_pairs);
  *(uint32_t *)disconnected += proof.disconnected_pairs > 0;
}

/* Both links that a router sends by, or both that it receives by: it reaches no router, or none reaches it. */
static void two_failed_links_anywhere(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes");
  uint32_t disconnected = 0;
  for (uint32_t count = 0; count <= 2; count++)
    each_set_of_links(b.fabric, b.view, count, delivers_where_a_path_is, &b, &disconnected);
  assert_int_equal(disconnected, 2 * b.t.routers);
  ripstop_arena *arena = ripstop_arena_new();
  const uint32_t *link;
  assert_int_equal(ripstop_smallest_cut(arena, b.fabric, &link), 2);
  ripstop_view_set_link(b.view, link[0], false);
  assert_true(ripstop_view_disconnected_pairs(b.view) == 0);
  ripstop_view_set_link(b.view, link[1], false);
  assert_true(ripstop_view_disconnected_pairs(b.view) == b.fabric->ends - 1u);
  ripstop_arena_free(arena);
  close_bed(&b);
}

static void is_free_of_deadlock(void *b, void *intermediates) { check(b, *(uint32_t *)intermediates); }
static void count_deadlocks(void *b, void *deadlocks) { *(uint32_t *)deadlocks += !prove(b).deadlock_free; }

static void free_choices_do_not_deadlock(void **state) {
  (void)state;
  static const char *const methods[] = {"intermediate-nodes:lists=all,intermediates=1",
                                        "intermediate-nodes:adaptive=on,intermediates=1",
                                        "intermediate-nodes:pick=first,prefer=fewest,intermediates=1"};
  uint32_t one = 1, deadlocks = 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    bed b = open_bed("kns:k=4,n=2,s=2,line=ruft", methods[i]);
    each_set_of_links(b.fabric, b.view, 1, is_free_of_deadlock, &b, &one);
    close_bed(&b);
  }
  bed b = open_bed("kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes:lists=all,intermediates=1,channels=1");
  each_set_of_links(b.fabric, b.view, 1, count_deadlocks, &b, &deadlocks);
  assert_true(deadlocks > 0); /* the channel for each subpath is needed here too */
  close_bed(&b);
}

/* Any number of failed links, and failed switches of lines. */
static void random_sets(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t intermediates, sets, most;
  } runs[] = {{"kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes:intermediates=0", 0, 40, 24},
              {"kns:k=4,n=2,s=2,c=2,line=ruft", "intermediate-nodes:intermediates=1", 1, 40, 24},
              {"kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes", 2, 200, 30},
              {"kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes:intermediates=3,prefer=fewest", 3, 60, 40},
              {"kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes:adaptive=on", 2, 40, 24},
              {"kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes:lists=all", 2, 20, 16},
              {"kns:k=8,n=1,s=3,line=ruft", "intermediate-nodes:intermediates=2", 2, 60, 16},
              {"kns:k=9,n=2,s=2,line=ruft", "intermediate-nodes", 2, 8, 80},
              {"kns:k=4,n=3,s=2,line=ruft", "intermediate-nodes", 2, 8, 80}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    bed b = open_bed(runs[i].fabric, runs[i].method);
    ripstop_arena *arena = ripstop_arena_new();
    for (uint32_t set = 0; set < runs[i].sets; set++) {
      ripstop_error err;
      ripstop_faults faults;
      bool switches = set % 4 == 3;
      uint32_t count = switches ? 1 + set % 3 : 1 + set * (runs[i].most - 1) / runs[i].sets;
      const ripstop_fault_scope *scope = switches ? RIPSTOP_FAULTS_SWITCHES : RIPSTOP_FAULTS_SWITCH_LINKS;
      if (ripstop_faults_sample(arena, b.fabric, scope, count, 7, set, &faults, &err) != 0) fail_msg("%s", err.text);
      for (uint32_t j = 0; j < faults.switches; j++) /* not a router: its end nodes would not count as lost */
        if (ripstop_kns_is_router(&b.t, faults.switch_[j])) faults.switches = j;
      ripstop_view_set_faults(b.view, &faults, false);
      check(&b, runs[i].intermediates);
      ripstop_view_set_faults(b.view, &faults, true);
    }
    ripstop_arena_free(arena);
    close_bed(&b);
  }
}

/* ------------------------------------------------------------------ traffic, and other methods */

static void traffic_gets_through(void **state) {
  (void)state;
  static const char *const faults[] = {"", "0.*:0/0/2", "0.0/0 0.*:1/1/3", "switch:*.2:1/1"};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    scene *s = scene_open("kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes", "packet=4 load=0.2");
    scene_break(s, faults[i]);
    ripstop_run_result result = scene_run(s);
    assert_int_equal(result.verdict, RIPSTOP_STEADY);
    assert_int_equal(result.account.lost, 0);
    assert_true(result.account.delivered > 500);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

/* They take links to carry packets in both directions. Some refuse the fabric before they make a plan. */
static void other_methods_do_not_apply(void **state) {
  (void)state;
  bed b = open_bed("kns:k=4,n=2,s=2,line=ruft", "intermediate-nodes");
  uint32_t others = 0;
  for (const ripstop_method *const *m = ripstop_methods; *m; m++) {
    ripstop_error err;
    ripstop_answer answer;
    if (strcmp((*m)->name, "intermediate-nodes") == 0 || strcmp((*m)->name, "tables") == 0) continue;
    ripstop_plan *plan = ripstop_plan_compile(b.view, (*m)->name, &answer, &err);
    assert_null(plan);
    assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
    others += strstr(err.text, "it has links that carry packets in one direction alone") != NULL;
  }
  assert_true(others > 10);
  close_bed(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cable_follows_the_definition),
      cmocka_unit_test(one_stage_is_no_ruft),
      cmocka_unit_test(paths_share_links_evenly),
      cmocka_unit_test(two_failed_links_anywhere),
      cmocka_unit_test(free_choices_do_not_deadlock),
      cmocka_unit_test(random_sets),
      cmocka_unit_test(traffic_gets_through),
      cmocka_unit_test(other_methods_do_not_apply),
  };
  return cmocka_run_group_tests_name("kns ruft", tests, NULL, NULL);
}
