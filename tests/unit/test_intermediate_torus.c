/* test_intermediate_torus.c - intermediate-torus against a second computation, which walks every path by dimension
 * order link by link, and against the published answer (Gomez et al. 2004): on the 4 x 4 x 4 torus one intermediate
 * node tolerates any 5 failed links. That is decided for every set, by searching for 5 links that hit all paths of a
 * pair over every node. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "detours.h"
#include "fabric/torus.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

enum { MAX_HOPS = 32 };

typedef struct bed {
  ripstop_fabric *fabric;
  ripstop_torus t;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
} bed;

static bed open_bed(const char *fabric, const char *method) {
  ripstop_error err;
  bed b = {.fabric = ripstop_fabric_open(fabric, &err)};
  if (!b.fabric) fail_msg("%s", err.text);
  assert_true(ripstop_torus_from(b.fabric, &b.t));
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

/* ------------------------------------------------------------------ paths, link by link */

typedef struct path {
  uint32_t links, link[MAX_HOPS];
} path;

typedef void found_path(void *context, const path *found);

/* All paths by dimension order from node to node: half-way round a ring both directions. */
static void each_path(const bed *b, uint32_t at, uint32_t to, uint32_t d, path *so_far, found_path *found,
                      void *context) {
  while (d < b->t.dimensions && ripstop_torus_up(&b->t, d, at, to) == 0) d++;
  if (d == b->t.dimensions) {
    found(context, so_far);
    return;
  }
  uint32_t up = ripstop_torus_up(&b->t, d, at, to), size = b->t.size[d], links = so_far->links;
  for (uint32_t down = 0; down < 2; down++) {
    uint32_t node = at;
    if (down ? 2 * up < size : 2 * up > size) continue;
    for (uint32_t i = 0; i < (down ? size - up : up); i++) {
      uint32_t port = b->fabric->port_base[node] + 2 * d + down;
      so_far->link[so_far->links++] = b->fabric->port_link[port];
      node = b->fabric->port_node[b->fabric->peer[port]];
    }
    each_path(b, node, to, d + 1, so_far, found, context);
    so_far->links = links;
  }
}

typedef struct health {
  const ripstop_view *view;
  bool up;
} health;

static void note_health(void *context, const path *found) {
  health *h = context;
  bool up = true;
  for (uint32_t i = 0; i < found->links; i++) up &= h->view->link_up[found->link[i]];
  h->up |= up;
}

static bool is_direct(const bed *b, uint32_t from, uint32_t to) {
  health h = {.view = b->view};
  path none = {0};
  each_path(b, b->fabric->ends + from, b->fabric->ends + to, 0, &none, note_health, &h);
  return h.up;
}

static uint64_t count_lost(const bed *b, uint32_t intermediates) {
  uint32_t routers = ripstop_fabric_switches(b->fabric), p = b->t.each;
  uint8_t *served = calloc((size_t)routers * routers, 1);
  uint64_t lost = 0;
  for (uint32_t i = 0; i < routers * routers; i++) served[i] = is_direct(b, i / routers, i % routers);
  serve_over_nodes(served, routers, intermediates);
  for (uint32_t i = 0; i < routers * routers; i++) lost += served[i] ? 0 : p * p;
  free(served);
  return lost;
}

static void check(bed *b, uint32_t intermediates) {
  ripstop_error err;
  ripstop_proof proof;
  if (ripstop_plan_recompile(b->plan, &err) != RIPSTOP_APPLIES ||
      ripstop_prover_prove(b->prover, b->plan, &proof, &err))
    fail_msg("%s", err.text);
  assert_true(proof.deadlock_free && proof.livelock_free);
  assert_true(proof.lost_pairs_some_choice == proof.lost_pairs_every_choice);
  assert_int_equal(proof.lost_pairs_some_choice, count_lost(b, intermediates));
  assert_int_equal(proof.lost_pairs_some_choice, b->plan->method->lost_pairs(b->plan));
}

static void agrees_with_paths_link_by_link(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t intermediates, sets, most;
  } runs[] = {{"torus:4x4x4", "intermediate-torus", 1, 8, 30},
              {"torus:4x4x4", "intermediate-torus:intermediates=2", 2, 4, 60},
              {"torus:5x4", "intermediate-torus", 1, 40, 16},
              {"torus:3x2,p=2", "intermediate-torus:intermediates=2", 2, 40, 9},
              {"torus:2x3x2", "intermediate-torus", 1, 40, 12},
              {"torus:8", "intermediate-torus", 1, 40, 3},
              {"torus:6x6", "intermediate-torus:intermediates=0", 0, 20, 8}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    bed b = open_bed(runs[i].fabric, runs[i].method);
    ripstop_arena *arena = ripstop_arena_new();
    check(&b, runs[i].intermediates);
    for (uint32_t set = 0; set < runs[i].sets; set++) {
      ripstop_error err;
      ripstop_faults faults;
      uint32_t count = 1 + set * (runs[i].most - 1) / runs[i].sets;
      if (ripstop_faults_sample(arena, b.fabric, RIPSTOP_FAULTS_SWITCH_LINKS, count, 7, set, &faults, &err))
        fail_msg("%s", err.text);
      ripstop_view_set_faults(b.view, &faults, false);
      check(&b, runs[i].intermediates);
      ripstop_view_set_faults(b.view, &faults, true);
    }
    ripstop_arena_free(arena);
    close_bed(&b);
  }
}

/* ------------------------------------------------------------------ any five links */

typedef struct routes {
  const bed *b;
  uint32_t count, room, to;
  path *path;
} routes;

static void keep(void *context, const path *found) {
  routes *r = context;
  if (r->count == r->room) r->path = realloc(r->path, (r->room = 2 * r->room + 64) * sizeof *r->path);
  r->path[r->count++] = *found;
}

/* The node is reached: on to the destination. */
static void go_on(void *context, const path *found) {
  routes *r = context;
  path whole = *found;
  const ripstop_fabric *f = r->b->fabric;
  uint32_t at = f->ends;
  for (uint32_t i = 0; i < whole.links; i++) { /* whither the links lead from router 0 */
    uint32_t one = ripstop_link_node(f, whole.link[i], 0), other = ripstop_link_node(f, whole.link[i], 1);
    at = at == one ? other : one;
  }
  each_path(r->b, at, f->ends + r->to, 0, &whole, keep, r);
}

static int shorter(const void *a, const void *b) {
  return (int)((const path *)a)->links - (int)((const path *)b)->links;
}

static bool is_hit(const path *p, const uint8_t *dead) {
  for (uint32_t i = 0; i < p->links; i++)
    if (dead[p->link[i]]) return true;
  return false;
}

/* True if at most so many more failed links hit all routes: one of the links of the first that is not hit must fail. */
static bool can_hit_all(const routes *r, uint8_t *dead, uint32_t more) {
  uint32_t i = 0;
  while (i < r->count && is_hit(&r->path[i], dead)) i++;
  if (i == r->count) return true;
  for (uint32_t j = 0; more > 0 && j < r->path[i].links; j++) {
    dead[r->path[i].link[j]] = 1;
    bool can = can_hit_all(r, dead, more - 1);
    dead[r->path[i].link[j]] = 0;
    if (can) return true;
  }
  return false;
}

/* All routers are alike, so the pairs of router 0 stand for all. The sixth link can cut a router off. */
static void any_five_failed_links_are_tolerated(void **state) {
  (void)state;
  bed b = open_bed("torus:4x4x4", "intermediate-torus");
  uint8_t *dead = calloc(b.fabric->links, 1);
  for (uint32_t to = 1; to < ripstop_fabric_switches(b.fabric); to++) {
    routes r = {.b = &b, .to = to};
    path none = {0};
    each_path(&b, b.fabric->ends, b.fabric->ends + to, 0, &none, keep, &r);
    for (uint32_t over = 1; over < ripstop_fabric_switches(b.fabric); over++)
      if (over != to) each_path(&b, b.fabric->ends, b.fabric->ends + over, 0, &none, go_on, &r);
    qsort(r.path, r.count, sizeof *r.path, shorter);
    assert_false(can_hit_all(&r, dead, 5));
    free(r.path);
  }
  free(dead);
  close_bed(&b);
}

/* Published: over 99.96 % of the sets of 14. */
static void fourteen_failed_links(void **state) {
  (void)state;
  enum { SETS = 20000 };
  bed b = open_bed("torus:4x4x4", "intermediate-torus");
  ripstop_arena *arena = ripstop_arena_new();
  uint32_t lost = 0;
  for (uint32_t set = 0; set < SETS; set++) {
    ripstop_error err;
    ripstop_faults faults;
    if (ripstop_faults_sample(arena, b.fabric, RIPSTOP_FAULTS_SWITCH_LINKS, 14, 2004, set, &faults, &err))
      fail_msg("%s", err.text);
    ripstop_view_set_faults(b.view, &faults, false);
    assert_int_equal(ripstop_plan_recompile(b.plan, &err), RIPSTOP_APPLIES);
    lost += b.plan->method->lost_pairs(b.plan) > 0;
    ripstop_view_set_faults(b.view, &faults, true);
    ripstop_arena_clear(arena);
  }
  print_message("%u of %u sets of 14 are not tolerated\n", lost, SETS);
  assert_in_range(lost, 0, 16); /* the share is .00026: more than 16 come once in 10,000 times */
  ripstop_arena_free(arena);
  close_bed(&b);
}

static void traffic_gets_through(void **state) {
  (void)state;
  static const char *const faults[] = {"", "0.0.0/0", "0.0.0/0 0.0.0/1 0.0.0/2 3.0.0/2 0.3.0/1"};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    scene *s = scene_open("torus:4x4x4", "intermediate-torus", "packet=4 load=0.3");
    scene_break(s, faults[i]);
    ripstop_run_result result = scene_run(s);
    assert_int_equal(result.verdict, RIPSTOP_STEADY);
    assert_int_equal(result.account.lost, 0);
    assert_true(result.account.delivered > 2000);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_paths_link_by_link),
      cmocka_unit_test(any_five_failed_links_are_tolerated),
      cmocka_unit_test(fourteen_failed_links),
      cmocka_unit_test(traffic_gets_through),
  };
  return cmocka_run_group_tests_name("intermediate-torus", tests, NULL, NULL);
}
