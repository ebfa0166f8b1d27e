/* test_group_tree.c - the tree of all multicast groups: with the tables of `mend` that keep a spanning tree it closes
 * no cycle on VL 0, on whole and broken fabrics; for any tables, what it says of a VL is what a judgement says of a
 * group that has the whole tree there. Cables of the last tree stay while they are alive. */
#include "check.h"

#include <string.h>

#include "base/bits.h"
#include "base/forest.h"
#include "mend/group_tree.h"
#include "mend/mend_tables.h"
#include "ripstop/fabric.h"
#include "ripstop/kit/judge.h"
#include "tables/rejudge.h"

typedef struct bench {
  ripstop_fabric *f;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_arena *arena;
} bench;

static bench open_bench(const char *spec) {
  bench b = {.arena = ripstop_arena_new()};
  ripstop_error err;
  b.f = ripstop_fabric_open(spec, &err);
  assert_non_null(b.f);
  b.view = ripstop_view_new(b.f, NULL);
  return b;
}

static void plan(bench *b, uint32_t lanes, bool tree) {
  ripstop_error err = {0};
  const ripstop_mend_options options = {.lanes = lanes, .seed = 1, .groups = tree};
  ripstop_mend *mend = ripstop_mend_open(b->view, &options, &err);
  if (!mend) fail_msg("%s", err.text);
  ripstop_forwarding_free(b->tables);
  b->tables = mend->tables;
  mend->tables = NULL;
  ripstop_mend_free(mend);
}

static void close_bench(bench *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->f);
  ripstop_arena_free(b->arena);
}

/* True if a group that has the whole tree, on one service level, closes no cycle. */
static bool is_safe(bench *b, const group_tree *t, unsigned level) {
  ripstop_group g = {.mlid = 0xC000, .levels = (uint16_t)(1u << level)};
  const ripstop_groups groups = {.group = &g, .groups = 1};
  ripstop_forwarding with = *b->tables;
  ripstop_table_verdict v;
  g.mask = RIPSTOP_ARRAY(b->arena, ripstop_bits_words(b->f->ports), uint64_t);
  g.own = RIPSTOP_ARRAY(b->arena, ripstop_fabric_switches(b->f), bool);
  for (uint32_t link = b->f->link_ends; link < b->f->links; link++)
    for (unsigned side = 0; side < 2; side++)
      if (t->cable[link]) ripstop_bit_set(g.mask, b->f->link_port[2 * (size_t)link + side]);
  with.groups = &groups;
  assert_int_equal(ripstop_judge(b->arena, b->view, &with, NULL, &v, NULL), 0);
  assert_false(v.multicast->group[0].forwarding_loop);
  assert_int_equal(v.multicast->group[0].asymmetric_ports, 0);
  return !v.credit_loop;
}

/* The tree reaches all switches with end nodes, upwards as by its cables. */
static void check_tree(bench *b, const group_tree *t) {
  const uint32_t switches = ripstop_fabric_switches(b->f);
  uint32_t *parent = ripstop_forest(b->arena, switches), *all = ripstop_forest(b->arena, switches), cables = 0, ups = 0;
  for (uint32_t link = b->f->link_ends; link < b->f->links; link++) {
    const uint32_t *port = &b->f->link_port[2 * (size_t)link];
    const uint32_t x = b->f->port_node[port[0]] - b->f->ends, y = b->f->port_node[port[1]] - b->f->ends;
    if (b->view->port_up[port[0]]) ripstop_join(all, x, y);
    if (!t->cable[link]) continue;
    assert_true(b->view->port_up[port[0]] && ripstop_root(parent, x) != ripstop_root(parent, y));
    ripstop_join(parent, x, y);
    cables++;
  }
  for (uint32_t s = 0; s < switches; s++) {
    if (t->up[s] == RIPSTOP_NONE) continue;
    assert_int_equal(b->f->port_node[t->up[s]], b->f->ends + s);
    assert_true(t->cable[b->f->port_link[t->up[s]]]);
    ups++;
  }
  assert_int_equal(ups, cables);
  for (uint32_t i = 0; i < b->f->ends; i++)
    for (uint32_t j = 0; j < i; j++) {
      const uint32_t x = ripstop_end_switch(b->f, i) - b->f->ends, y = ripstop_end_switch(b->f, j) - b->f->ends;
      if (b->view->port_up[b->f->port_base[i]] && b->view->port_up[b->f->port_base[j]] &&
          ripstop_root(all, x) == ripstop_root(all, y))
        assert_int_equal(ripstop_root(parent, x), ripstop_root(parent, y));
    }
}

static const group_tree *find(bench *b, const uint8_t *last) {
  rejudge *judged = rejudge_new(b->arena, b->view, b->tables);
  depend *known = rejudge_read(judged, b->tables) ? rejudge_graph(judged, b->tables) : NULL;
  const group_tree *t = group_tree_find(b->arena, b->view, b->tables, last, known);
  const group_tree *alone = group_tree_find(b->arena, b->view, b->tables, last, NULL);
  assert_int_equal(t->lanes, alone->lanes);
  assert_memory_equal(t->cable, alone->cable, b->f->links);
  check_tree(b, t);
  for (uint32_t lane = 0; t->lanes && lane < b->tables->lanes; lane++)
    assert_int_equal(t->lanes >> lane & 1, is_safe(b, t, lane));
  return t;
}

static void kept_turns_have_a_tree(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:5x5",  "torus:8x8",          "torus:6",     "mesh:4x4",
                                      "hyperx:4x4", "kary-ntree:k=3,n=3", "kns:k=4,n=2", "kary-ntree:k=4,n=2"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (uint32_t lanes = 1; lanes <= 4; lanes *= 2) {
      bench b = open_bench(specs[i]);
      plan(&b, lanes, true);
      const group_tree *t = find(&b, NULL);
      if (!(t->lanes & 1)) fail_msg("%s, %u VLs: no tree", specs[i], lanes);
      close_bench(&b);
    }
}

static void broken_fabrics_have_one_too(void **state) {
  (void)state;
  for (uint32_t trial = 0; trial < 12; trial++) {
    bench b = open_bench(trial % 3 == 0 ? "torus:5x5" : trial % 3 == 1 ? "kary-ntree:k=3,n=3" : "hyperx:4x4");
    ripstop_stream random = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, trial);
    for (uint32_t i = 0; i < 3; i++) ripstop_view_set_link(b.view, ripstop_stream_below(&random, b.f->links), false);
    plan(&b, 1 + trial % 2, true);
    assert_true(find(&b, NULL)->lanes & 1);
    close_bench(&b);
  }
}

/* Tables without such turns: what is said of the tree is true, and on a large torus there is none. */
static void any_tables_are_judged(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:6", "torus:4x4", "kary-ntree:k=2,n=3", "kns:k=3,n=2"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    bench b = open_bench(specs[i]);
    plan(&b, 1, false);
    (void)find(&b, NULL);
    close_bench(&b);
  }
  bench b = open_bench("torus:4x4");
  ripstop_error err;
  b.tables = ripstop_forwarding_shortest(b.view, &err); /* which can deadlock without groups */
  assert_int_equal(find(&b, NULL)->lanes, 0);
  close_bench(&b);
}

static void the_last_tree_stays(void **state) {
  (void)state;
  bench b = open_bench("kary-ntree:k=3,n=3");
  plan(&b, 1, true);
  const group_tree *first = find(&b, NULL), *again = find(&b, first->cable);
  assert_memory_equal(first->cable, again->cable, b.f->links);
  assert_false(group_trees_clash(b.view, first->cable, again->cable));
  uint32_t link = b.f->link_ends, changed = 0;
  while (!first->cable[link]) link++;
  ripstop_view_set_link(b.view, link, false);
  plan(&b, 1, true);
  const group_tree *next = find(&b, first->cable);
  for (uint32_t i = 0; i < b.f->links; i++) changed += first->cable[i] != next->cable[i];
  assert_true(next->lanes & 1);
  assert_true(changed <= 4); /* the failed cable, the one in its place, and a branch without end nodes */
  assert_false(group_trees_clash(b.view, first->cable, next->cable));
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_turns_have_a_tree),
      cmocka_unit_test(broken_fabrics_have_one_too),
      cmocka_unit_test(any_tables_are_judged),
      cmocka_unit_test(the_last_tree_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
