/* test_mend_shared.c - tables of mend on fat trees whose switches share tops: planes, twin cables, directors with end
 * nodes at two levels, management leaves on the top. The bounds are known in closed form. Slow: fabrics of 600
 * switches. */
#include "check.h"

#include "base/team.h"
#include "fabric/graph.h"
#include "mend/mend_tables.h"
#include "ripstop/kit/judge.h"

typedef struct bench {
  ripstop_arena *arena;
  ripstop_text text;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_table_verdict verdict;
  uint64_t bound;
} bench;

static void add_ends(bench *b, const char *leaf, unsigned ends) {
  for (unsigned e = 0; e < ends; e++) ripstop_text_add(&b->text, "@end %s-%u %s\n", leaf, e, leaf);
}

static void add_cables(bench *b, const char *one, const char *other, unsigned cables) {
  for (unsigned i = 0; i < cables; i++) ripstop_text_add(&b->text, "%s %s\n", one, other);
}

static void open_bench(bench *b) {
  ripstop_error err;
  b->arena = ripstop_arena_new();
  b->fabric = ripstop_graph_from_text("made", b->text.data, b->text.length, &err);
  if (!b->fabric) fail_msg("%s", err.text);
  b->view = ripstop_view_new(b->fabric, NULL);
}

static void close_bench(bench *b) {
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_text_free(&b->text);
  ripstop_arena_free(b->arena);
}

static bool is_whole(const bench *b) {
  uint32_t *component = RIPSTOP_ARRAY(b->arena, b->fabric->nodes, uint32_t);
  ripstop_view_components(b->view, component);
  for (uint32_t v = 1; v < b->fabric->nodes; v++)
    if (component[v] != component[0]) return false;
  return true;
}

/* Makes tables and judges them: all pairs are served, no packets wait for each other, all reach the switches. */
static void mend(bench *b, const ripstop_mend_options *options) {
  ripstop_error err;
  const double begin = ripstop_thread_seconds();
  ripstop_mend *made = ripstop_mend_open(b->view, options, &err);
  const double seconds = ripstop_thread_seconds() - begin;
  if (!made) fail_msg("%s", err.text);
  assert_int_equal(ripstop_judge(b->arena, b->view, made->tables, NULL, &b->verdict, &err), 0);
  assert_int_equal(b->verdict.unreached, b->verdict.disconnected);
  assert_int_equal(b->verdict.loops, 0);
  if (is_whole(b)) assert_int_equal(b->verdict.switch_addresses_unreached, 0);
  assert_int_equal(b->verdict.worst, made->worst);
  assert_false(b->verdict.credit_loop);
  b->bound = ripstop_judge_bound(b->view, 1u << options->lmc, UINT64_MAX);
  print_message("%u switches, %u end nodes: worst %llu, bound %llu, %u hops, %.3f s\n",
                ripstop_fabric_switches(b->fabric), b->fabric->ends, (unsigned long long)b->verdict.worst,
                (unsigned long long)b->bound, b->verdict.max_hops, seconds);
  ripstop_mend_free(made);
}

static void fail_cables(bench *b, uint32_t cables, uint64_t draw) {
  ripstop_faults faults;
  ripstop_error err;
  ripstop_faults_sample(b->arena, b->fabric, RIPSTOP_FAULTS_SWITCH_LINKS, cables, 1, draw, &faults, &err);
  for (uint32_t i = 0; i < faults.links; i++) ripstop_view_set_link(b->view, faults.link[i], false);
}

static uint32_t switch_cables(const bench *b) { return b->fabric->links - b->fabric->link_ends; }

/* ------------------------------------------------------------------ planes */

/* Each leaf has `cables` to each spine of its pod, each spine one to each top of its plane. */
typedef struct shape {
  unsigned pods, leaves, ends, planes, spines, cables, tops;
} shape;

static void open_planes(bench *b, const shape *s) {
  char leaf[32], spine[32], top[32];
  *b = (bench){0};
  for (unsigned pod = 0; pod < s->pods; pod++) {
    for (unsigned l = 0; l < s->leaves; l++) {
      snprintf(leaf, sizeof leaf, "leaf%u.%u", pod, l);
      add_ends(b, leaf, s->ends);
      for (unsigned k = 0; k < s->planes * s->spines; k++) {
        snprintf(spine, sizeof spine, "spine%u.%u", pod, k);
        add_cables(b, leaf, spine, s->cables);
      }
    }
    for (unsigned k = 0; k < s->planes * s->spines; k++)
      for (unsigned t = 0; t < s->tops; t++) {
        snprintf(spine, sizeof spine, "spine%u.%u", pod, k);
        snprintf(top, sizeof top, "top%u.%u", k / s->spines, t);
        add_cables(b, spine, top, 1);
      }
  }
}

/* Paths out of a leaf, and out of a pod, share their cables evenly. */
static uint64_t bound_of(const shape *s) {
  uint64_t pod = (uint64_t)s->leaves * s->ends, all = s->pods * pod, spines = (uint64_t)s->planes * s->spines;
  uint64_t leaf_cables = spines * s->cables, pod_cables = spines * s->tops;
  uint64_t of_leaf = (s->ends * (all - s->ends) + leaf_cables - 1) / leaf_cables,
           of_pod = (pod * (all - pod) + pod_cables - 1) / pod_cables;
  return of_leaf > of_pod ? of_leaf : of_pod;
}

static const shape planes[] = {
    {3, 3, 3, 2, 2, 1, 3},     /* fewer end nodes than cables */
    {4, 4, 8, 2, 2, 2, 4},     /* twin cables */
    {3, 4, 4, 1, 4, 1, 4},     /* one plane: all spines share all tops */
    {2, 3, 6, 3, 1, 2, 6},     /* every spine has its own tops */
    {8, 7, 20, 2, 5, 2, 14},   /* rails of 140 nodes */
    {10, 20, 16, 4, 4, 1, 20}, /* a director of 440 chips: leaf boards, spine boards, tops */
    {16, 14, 20, 2, 10, 1, 20} /* 584 switches */
};
enum { PLANES = sizeof planes / sizeof *planes };

static void planes_meet_the_bound(void **state) {
  (void)state;
  for (size_t i = 0; i < PLANES; i++) {
    bench b;
    open_planes(&b, &planes[i]);
    open_bench(&b);
    mend(&b, &(ripstop_mend_options){1, false, 1, 0, false});
    assert_int_equal(b.bound, bound_of(&planes[i]));
    assert_true(b.verdict.worst == b.bound);
    assert_int_equal(b.verdict.max_hops, 4);
    close_bench(&b);
  }
}

/* Two levels, and leaves whose end nodes are no multiple of their cables: sources share the cable between two. */
static void uneven_leaves_meet_the_bound(void **state) {
  (void)state;
  static const struct { unsigned leaves, ends, tops; } known[] = {{5, 9, 4}, {7, 5, 3}, {9, 10, 8}, {9, 14, 4}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const unsigned all = known[i].leaves * known[i].ends;
    char leaf[32], top[32];
    bench b = {0};
    for (unsigned l = 0; l < known[i].leaves; l++) {
      snprintf(leaf, sizeof leaf, "leaf%u", l);
      add_ends(&b, leaf, known[i].ends);
      for (unsigned t = 0; t < known[i].tops; t++) {
        snprintf(top, sizeof top, "top%u", t);
        add_cables(&b, leaf, top, 1);
      }
    }
    open_bench(&b);
    mend(&b, &(ripstop_mend_options){1, false, 1, 0, false});
    assert_int_equal(b.bound, known[i].ends * (all - known[i].ends) / known[i].tops);
    assert_true(b.verdict.worst == b.bound);
    assert_int_equal(b.verdict.max_hops, 2);
    close_bench(&b);
  }
}

/* One cable in twenty has failed. Routes go up and down once, since no pair needs more. */
static void damaged_planes_stay_near_the_bound(void **state) {
  (void)state;
  for (size_t i = 0; i < PLANES; i++)
    for (uint64_t draw = 0; draw < (i < 4 ? 20 : 2); draw++) {
      bench b;
      open_planes(&b, &planes[i]);
      open_bench(&b);
      fail_cables(&b, switch_cables(&b) / 20, draw);
      mend(&b, &(ripstop_mend_options){1, false, 1, 0, false});
      if (i >= 4) assert_true(50 * b.verdict.worst <= 51 * b.bound); /* small leaves divide their paths coarsely */
      assert_int_equal(b.verdict.max_hops, 4);
      close_bench(&b);
    }
}

/* Whatever has failed, every pair that has a path is served. */
static void any_damage_is_served(void **state) {
  (void)state;
  static const ripstop_mend_options options[] = {
      {1, false, 1, 0, false}, {2, false, 1, 1, false}, {2, true, 1, 0, false}};
  for (size_t i = 0; i < 4; i++)
    for (uint64_t draw = 0; draw < 8; draw++) {
      bench b;
      open_planes(&b, &planes[i]);
      open_bench(&b);
      fail_cables(&b, (uint32_t)draw * switch_cables(&b) / 10, draw);
      mend(&b, &options[draw % 3]);
      close_bench(&b);
    }
}

/* ------------------------------------------------------------------ end nodes above the leaves */

/* A director of 40 leaf chips, which have 10 end nodes each, and 20 spine chips; 80 switches beside it with 20 end
 * nodes each, and a cable to each of 10 leaf chips. */
static void open_director(bench *b) {
  char side[32], leaf[32], spine[32];
  *b = (bench){0};
  for (unsigned l = 0; l < 40; l++) {
    snprintf(leaf, sizeof leaf, "L%u", l);
    add_ends(b, leaf, 10);
    for (unsigned s = 0; s < 20; s++) {
      snprintf(spine, sizeof spine, "S%u", s);
      add_cables(b, leaf, spine, 1);
    }
  }
  for (unsigned t = 0; t < 80; t++) {
    snprintf(side, sizeof side, "side%u", t);
    add_ends(b, side, 20);
    for (unsigned c = 0; c < 10; c++) {
      snprintf(leaf, sizeof leaf, "L%u", (10 * t + c) % 40);
      add_cables(b, side, leaf, 1);
    }
  }
}

static void directors_with_end_nodes_are_trees(void **state) {
  (void)state;
  for (uint32_t failed = 0; failed < 2; failed++) {
    bench b;
    open_director(&b);
    open_bench(&b);
    fail_cables(&b, failed * switch_cables(&b) / 20, 1);
    mend(&b, &(ripstop_mend_options){1, false, 1, 0, false});
    if (!failed) assert_int_equal(b.bound, 20 * 1980 / 10);
    assert_true(50 * b.verdict.worst <= 51 * b.bound);
    assert_int_equal(b.verdict.max_hops, 4);
    close_bench(&b);
  }
}

/* Management leaves on tops, one of them on two planes, and a spine that has a single leaf. */
static void small_parts_hang_anywhere(void **state) {
  (void)state;
  for (uint32_t failed = 0; failed < 2; failed++) {
    bench b;
    open_planes(&b, &(shape){16, 14, 20, 2, 10, 1, 20});
    add_ends(&b, "management0", 4);
    add_ends(&b, "management1", 4);
    add_cables(&b, "management0", "top0.0", 1);
    add_cables(&b, "management0", "top1.1", 1);
    add_cables(&b, "management1", "top0.3", 2);
    add_cables(&b, "lone", "top0.0", 1);
    add_cables(&b, "lone", "top1.2", 1);
    add_cables(&b, "lone", "leaf3.3", 1);
    open_bench(&b);
    fail_cables(&b, failed * switch_cables(&b) / 50, 2);
    mend(&b, &(ripstop_mend_options){1, false, 1, 0, false});
    assert_true(50 * b.verdict.worst <= 51 * b.bound);
    assert_int_equal(b.verdict.max_hops, 4);
    close_bench(&b);
  }
}

/* 14 pods of 16 leaves and 20 spines, 8 cores for each spine of a pod, and two management leaves on cores: 666
 * switches, 6,724 cables between them, leaves with 20 or 12 end nodes. No core is shared within a pod. */
static void a_site_of_666_switches_meets_the_bound(void **state) {
  (void)state;
  for (uint32_t failed = 0; failed < 2; failed++) {
    bench b;
    open_planes(&b, &(shape){14, 16, 12, 20, 1, 1, 8});
    for (unsigned l = 0; l < 14 * 16; l++) {
      char leaf[32];
      snprintf(leaf, sizeof leaf, "leaf%u.%u", l / 16, l % 16);
      for (unsigned e = 12; l % 11 && e < 20; e++) ripstop_text_add(&b.text, "@end %s-%u %s\n", leaf, e, leaf);
    }
    add_ends(&b, "management0", 4);
    add_ends(&b, "management1", 4);
    add_cables(&b, "management0", "top0.0", 1);
    add_cables(&b, "management0", "top1.0", 1);
    add_cables(&b, "management1", "top0.0", 1);
    add_cables(&b, "management1", "top1.1", 1);
    open_bench(&b);
    assert_int_equal(ripstop_fabric_switches(b.fabric), 666);
    fail_cables(&b, failed * switch_cables(&b) / 50, 1);
    mend(&b, &(ripstop_mend_options){1, false, 1, 0, false});
    assert_true(50 * b.verdict.worst <= 51 * b.bound);
    assert_int_equal(b.verdict.max_hops, 4);
    close_bench(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(planes_meet_the_bound),
                                     cmocka_unit_test(damaged_planes_stay_near_the_bound),
                                     cmocka_unit_test(any_damage_is_served),
                                     cmocka_unit_test(uneven_leaves_meet_the_bound),
                                     cmocka_unit_test(directors_with_end_nodes_are_trees),
                                     cmocka_unit_test(small_parts_hang_anywhere),
                                     cmocka_unit_test(a_site_of_666_switches_meets_the_bound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
