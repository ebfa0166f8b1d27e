/* test_dmodc.c - the entries of `dmodc` against its closed form, computed here by slow means: whole trees against
 * D-mod-k by digits, damaged ones against recursion over the switches of the view. */
#include "check.h"

#include <string.h>

#include "base/local.h"
#include "fabric/graph.h"
#include "fabric/tree.h"
#include "ripstop/plan.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/forwarding.h"
#include "ripstop/plugin/method.h"

static const ripstop_fabric *fabric;
static const ripstop_view *view;

static uint16_t entry(const ripstop_plan *plan, uint32_t s, uint32_t end) {
  return ripstop_forwarding_port(plan->method->forwarding(plan), end, s);
}

static ripstop_plan *compile(const char *spec, const ripstop_faults *faults) {
  ripstop_error err = {0};
  ripstop_view *made = ripstop_view_new(fabric, faults);
  ripstop_plan *plan = ripstop_plan_compile(made, "dmodc", NULL, &err);
  if (!plan) fail_msg("%s: %s", spec, err.text);
  view = made;
  return plan;
}

static void close_all(ripstop_plan *plan) {
  ripstop_plan_free(plan);
  ripstop_view_free((ripstop_view *)(uintptr_t)view);
}

/* ------------------------------------------------------------------ whole trees */

static void test_whole(void **state) {
  const char *const specs[] = {"kary-ntree:k=2,n=2", "kary-ntree:k=4,n=3", "kary-ntree:k=2,n=4", "mport-ntree:m=6,n=3"};
  (void)state;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_error err = {0};
    ripstop_tree t;
    ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
    fabric = f;
    ripstop_plan *plan = compile(specs[i], NULL);
    assert_true(ripstop_tree_from(f, &t));
    for (uint32_t s = f->ends; s < f->nodes; s++) {
      uint32_t power = 1, level = ripstop_tree_level(&t, s);
      for (uint32_t l = 0; l < level; l++) power *= t.half;
      for (uint32_t end = 0; end < f->ends; end++)
        assert_int_equal(entry(plan, s, end), ripstop_tree_above(&t, s, end) ? ripstop_tree_down_port(&t, level, end)
                                                                             : t.half + end / power % t.half);
    }
    close_all(plan);
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ damaged trees */

static uint32_t rank_of(uint32_t s) {
  for (uint32_t port = fabric->port_base[s]; port < fabric->port_base[s + 1]; port++)
    if (fabric->peer[port] != RIPSTOP_NONE && ripstop_is_end(fabric, fabric->port_node[fabric->peer[port]])) return 0;
  ripstop_tree t;
  if (ripstop_tree_from(fabric, &t)) return ripstop_tree_level(&t, s);
  char name[RIPSTOP_NAME_MAX]; /* xgft: the level before the slash, from 1 */
  ripstop_node_name(fabric, s, name);
  return (uint32_t)(name[0] - '1');
}

/* Hops from s to the leaf, up and then down; 99: none. */
static uint32_t far(uint32_t s, uint32_t leaf, bool may_rise) {
  uint32_t least = s == leaf ? 0 : 99;
  for (uint32_t port = fabric->port_base[s]; port < fabric->port_base[s + 1] && s != leaf; port++) {
    if (!view->port_up[port]) continue;
    const uint32_t to = fabric->port_node[fabric->peer[port]];
    if (ripstop_is_end(fabric, to)) continue;
    const bool up = rank_of(to) > rank_of(s);
    if (up && !may_rise) continue;
    const uint32_t left = far(to, leaf, up);
    if (left + 1 < least) least = left + 1;
  }
  return least;
}

static uint64_t divisor_of(uint32_t s) {
  uint64_t most = 1;
  for (uint32_t port = fabric->port_base[s]; port < fabric->port_base[s + 1]; port++) {
    if (!view->port_up[port]) continue;
    const uint32_t below = fabric->port_node[fabric->peer[port]];
    if (ripstop_is_end(fabric, below) || rank_of(below) > rank_of(s)) continue;
    uint64_t above = 0;
    for (uint32_t other = fabric->ends; other < fabric->nodes; other++)
      for (uint32_t up = fabric->port_base[below]; up < fabric->port_base[below + 1]; up++)
        if (view->port_up[up] && fabric->port_node[fabric->peer[up]] == other && rank_of(other) > rank_of(below)) {
          above++;
          break;
        }
    if (divisor_of(below) * above > most) most = divisor_of(below) * above;
  }
  return most;
}

/* The entry by the closed form. Neighbours by number, cables to one by port; these fabrics have single cables. */
static uint16_t wanted(uint32_t s, uint32_t end) {
  const uint32_t leaf = ripstop_end_switch(fabric, end);
  uint16_t list[64];
  uint32_t count = 0;
  if (s == leaf) return (uint16_t)ripstop_end_switch_port(fabric, end);
  const bool down = far(s, leaf, false) < 99;
  const uint32_t here = far(s, leaf, !down);
  if (here == 99) return RIPSTOP_NO_PORT;
  for (uint32_t other = fabric->ends; other < fabric->nodes; other++)
    for (uint32_t port = fabric->port_base[s]; port < fabric->port_base[s + 1]; port++) {
      if (!view->port_up[port] || fabric->port_node[fabric->peer[port]] != other) continue;
      if ((rank_of(other) > rank_of(s)) == down || far(other, leaf, !down) + 1 != here) continue;
      list[count++] = (uint16_t)(port - fabric->port_base[s]);
    }
  return list[end / divisor_of(s) % count];
}

static void test_damaged(void **state) {
  const char *const specs[] = {"kary-ntree:k=3,n=2", "kary-ntree:k=2,n=3", "mport-ntree:m=4,n=3", "xgft:m=3.3,w=1.2"};
  (void)state;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (uint32_t sample = 0; sample < 12; sample++) {
      ripstop_error err = {0};
      ripstop_arena *arena = ripstop_arena_new();
      ripstop_faults faults;
      ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
      fabric = f;
      assert_int_equal(
          ripstop_faults_sample(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, 1 + sample % 4, 7, sample, &faults, &err), 0);
      ripstop_plan *plan = compile(specs[i], &faults);
      for (uint32_t s = f->ends; s < f->nodes; s++)
        for (uint32_t end = 0; end < f->ends; end++)
          if (view->port_up[f->port_base[end]]) assert_int_equal(entry(plan, s, end), wanted(s, end));
      close_all(plan);
      ripstop_fabric_free(f);
      ripstop_arena_free(arena);
    }
}

/* Parallel cables are shared after neighbours: leaf a has two cables to each of two spines. */
static void test_parallel(void **state) {
  ripstop_error err = {0};
  (void)state;
  ripstop_fabric *f = ripstop_fabric_open("graph:" RIPSTOP_SOURCE_DIR "/tests/data/parallel-tree.edges", &err);
  if (!f) fail_msg("%s", err.text);
  fabric = f;
  ripstop_plan *plan = compile(f->spec, NULL);
  const uint32_t a = ripstop_end_switch(f, 0);
  uint32_t seen = 0;
  for (uint32_t end = 1; end < f->ends; end++) seen |= 1u << entry(plan, a, end);
  assert_int_equal(__builtin_popcount(seen), 4); /* four destinations, four cables */
  close_all(plan);
  ripstop_fabric_free(f);
}

/* A tower of 32 levels of four switches, each level joined to the next: 4^31 paths to the top, beyond 2^64 / 4. All
 * destinations are then alike to the divisors above, and each is reached. */
static void test_tower(void **state) {
  enum { LEVELS = 34, WIDTH = 4 };
  ripstop_error err = {0};
  RIPSTOP_LOCAL_TEXT(text);
  (void)state;
  for (int level = 1; level < LEVELS; level++)
    for (int below = 0; below < WIDTH; below++)
      for (int above = 0; above < WIDTH; above++)
        ripstop_text_add(&text, "s%d_%d s%d_%d\n", level - 1, below, level, above);
  for (int end = 0; end < WIDTH; end++) ripstop_text_add(&text, "@end e%d s0_%d\n", end, end);
  ripstop_fabric *f = ripstop_graph_from_text("tower", text.data, text.length, &err);
  if (!f) fail_msg("%s", err.text);
  fabric = f;
  ripstop_plan *plan = compile("tower", NULL);
  for (uint32_t from = 0; from < f->ends; from++)
    for (uint32_t end = 0; end < f->ends; end++)
      assert_int_not_equal(entry(plan, ripstop_end_switch(f, from), end), RIPSTOP_NO_PORT);
  close_all(plan);
  ripstop_fabric_free(f);
}

static void test_refusals(void **state) {
  const char *const specs[] = {"torus:4x4", "kns:k=3,n=2", "hyperx:3x3"};
  (void)state;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_error err = {0};
    ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
    ripstop_view *whole = ripstop_view_new(f, NULL);
    ripstop_plan *plan = ripstop_plan_compile(whole, "dmodc", NULL, &err);
    assert_null(plan);
    assert_non_null(strstr(err.text, "dmodc is for fat trees"));
    ripstop_view_free(whole);
    ripstop_fabric_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_damaged),
                                     cmocka_unit_test(test_parallel), cmocka_unit_test(test_tower),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
