/* test_prove_defeat.c - smallest cuts against igraph; smallest defeats against what is known and against a plain walk
 * over all sets; bounds and random search where the budget ends; methods that are broken in different ways. */
#include <igraph/igraph.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/graph.h"
#include "opened.h"
#include "prove/proof.h"
#include "prove/symmetry.h"
#include "ripstop/kit/proofs.h"

/* ------------------------------------------------------------------ cuts */

/* The least number of links that part two switches with end nodes, by igraph, over all pairs of them. */
static uint32_t cut_by_igraph(const ripstop_fabric *f) {
  igraph_vector_int_t edges;
  igraph_vector_int_init(&edges, 0);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    igraph_vector_int_push_back(&edges, ripstop_link_node(f, link, 0));
    igraph_vector_int_push_back(&edges, ripstop_link_node(f, link, 1));
  }
  igraph_t graph;
  igraph_create(&graph, &edges, f->nodes, IGRAPH_UNDIRECTED);
  uint32_t least = RIPSTOP_NONE;
  for (uint32_t a = 0; a < f->ends; a++)
    for (uint32_t b = a + 1; b < f->ends; b++) {
      igraph_real_t flow = 0;
      if (ripstop_end_switch(f, a) == ripstop_end_switch(f, b)) continue;
      igraph_maxflow_value(&graph, &flow, ripstop_end_switch(f, a), ripstop_end_switch(f, b), NULL, NULL);
      if ((uint32_t)flow < least) least = (uint32_t)flow;
    }
  igraph_destroy(&graph);
  igraph_vector_int_destroy(&edges);
  return least;
}

static void check_cut(const ripstop_fabric *f) {
  ripstop_arena *arena = ripstop_arena_new();
  const uint32_t *link;
  uint32_t size = ripstop_smallest_cut(arena, f, &link);
  assert_int_equal(size, cut_by_igraph(f));
  if (size != RIPSTOP_NONE) {
    ripstop_faults faults = {.links = size, .link = link};
    ripstop_view *view = ripstop_view_new(f, &faults);
    assert_int_equal(view->failed_links, size);
    assert_true(ripstop_view_disconnected_pairs(view) > 0);
    ripstop_view_free(view);
  }
  ripstop_arena_free(arena);
}

/* Sparse ones are often in parts or have bridges; parallel links happen. */
static ripstop_fabric *random_graph(uint64_t index) {
  ripstop_stream stream = ripstop_stream_open(7, RIPSTOP_RANDOM_TEST, index);
  ripstop_text text = {0};
  ripstop_error err;
  uint32_t routers = 3 + ripstop_stream_below(&stream, 8), lines = routers + ripstop_stream_below(&stream, 2 * routers);
  for (uint32_t i = 0; i < lines; i++) {
    uint32_t a = ripstop_stream_below(&stream, routers), b = ripstop_stream_below(&stream, routers - 1);
    ripstop_text_add(&text, "r%u r%u\n", a, b + (b >= a));
  }
  ripstop_fabric *f = ripstop_graph_from_text("random", text.data, text.length, &err);
  if (!f) fail_msg("%s", err.text);
  ripstop_text_free(&text);
  return f;
}

static void smallest_cuts_are_those_of_igraph(void **state) {
  (void)state;
  static const char *const specs[] = {
      "kary-ntree:k=2,n=3", "kary-ntree:k=3,n=2", "kary-ntree:k=3,n=1", "mport-ntree:m=4,n=3",
      "kns:k=3,n=2,c=2",    "torus:4x4",          "torus:2x5"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_fabric *f = open_fabric(specs[i]);
    check_cut(f);
    ripstop_fabric_free(f);
  }
  for (uint64_t i = 0; i < 200; i++) {
    ripstop_fabric *f = random_graph(i);
    check_cut(f);
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ defeats */

static ripstop_defeat hunt(ripstop_arena *arena, const ripstop_fabric *f, const char *method,
                           ripstop_defeat_limits limits) {
  ripstop_error err;
  ripstop_defeat d;
  if (ripstop_smallest_defeat(arena, f, method, &limits, &d, &err) != RIPSTOP_APPLIES)
    fail_msg("%s: %s", method, err.text);
  return d;
}

static bool connected_and_defeated(const ripstop_fabric *f, const char *method, const uint32_t *link, uint32_t count) {
  ripstop_error err;
  ripstop_faults faults = {.links = count, .link = link};
  ripstop_view *view = ripstop_view_new(f, &faults);
  ripstop_plan *plan = ripstop_plan_compile(view, method, NULL, &err);
  ripstop_prover *prover = ripstop_prover_new(f);
  ripstop_proof proof = {0};
  if (plan && ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  bool defeated = !plan || !proof.tolerated || !proof.livelock_free || !proof.deadlock_free;
  defeated = defeated && ripstop_view_disconnected_pairs(view) == 0;
  ripstop_prover_free(prover);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return defeated;
}

/* True if any set of this size defeats the method: all of them, one by one. */
static bool some_set_defeats(const ripstop_fabric *f, const char *method, uint32_t count) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  uint32_t link[RIPSTOP_ORBIT_FAULTS];
  bool defeated = false;
  ripstop_combinations_first(arena, f->links - f->link_ends, count, &c);
  do {
    for (uint32_t i = 0; i < count; i++) link[i] = f->link_ends + c.part[i];
    defeated = connected_and_defeated(f, method, link, count);
  } while (!defeated && ripstop_combinations_next(&c));
  ripstop_arena_free(arena);
  return defeated;
}

static void check_smallest(const char *spec, const char *method, uint32_t size) {
  ripstop_fabric *f = open_fabric(spec);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_defeat d = hunt(arena, f, method, (ripstop_defeat_limits){.budget = UINT64_MAX});
  assert_true(d.exact);
  assert_int_equal(d.size, size);
  assert_int_equal(d.at_least, size);
  assert_true(connected_and_defeated(f, method, d.link, d.size));
  for (uint32_t less = 0; less < size; less++) assert_false(some_set_defeats(f, method, less));
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

static void smallest_defeats_are_smallest(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t size;
  } cases[] = {{"kary-ntree:k=2,n=3", "misroute", 2},
               {"kary-ntree:k=3,n=2", "misroute", 3},
               {"kary-ntree:k=4,n=2", "misroute", 4},
               {"kary-ntree:k=3,n=2", "misroute:uturn=cyclic", 3},
               {"kary-ntree:k=3,n=2", "misroute:first_misroute_back=off", 2},
               {"kary-ntree:k=4,n=2", "misroute:vector=off", 2},
               {"mport-ntree:m=6,n=2", "misroute", 3},
               {"kary-ntree:k=3,n=3", "updown", 1},
               {"torus:4x4", "dor", 0},
               {"torus:4x4", "dor:bubble=on", 1},
               {"torus:4x4", "minimal-adaptive:escape=bubble", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_smallest(cases[i].fabric, cases[i].method, cases[i].size);
}

static void what_does_not_apply_defeats(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=3,n=2");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_defeat d = hunt(arena, f, "spanning:refuses=2", (ripstop_defeat_limits){.budget = 1000});
  assert_true(d.exact);
  assert_int_equal(d.size, 2);
  assert_string_equal(d.how, "spanning: 2 links are down");
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* The search ends by itself at the size at which no set leaves the fabric connected: 2 switches with end nodes and 2
 * above them need 2 links at least. */
static void nothing_defeats_a_spanning_tree(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=2,n=2");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_defeat d = hunt(arena, f, "spanning", (ripstop_defeat_limits){.budget = 1000, .search = 50});
  assert_true(d.exact);
  assert_int_equal(d.size, RIPSTOP_NONE);
  assert_null(d.link);
  assert_null(d.how);
  assert_int_equal(d.at_least, 3);
  assert_int_equal(d.proofs, 1 + 4 + 6 + 4);
  assert_int_equal(d.cut_size, 2);
  d = hunt(arena, f, "spanning",
           (ripstop_defeat_limits){.budget = 1, .search = 50}); /* search finds nothing, and ends */
  assert_false(d.exact);
  assert_int_equal(d.size, RIPSTOP_NONE);
  assert_int_equal(d.at_least, 1);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

static void budgets_leave_bounds(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=4,n=3");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_defeat d = hunt(arena, f, "misroute", (ripstop_defeat_limits){.budget = 0});
  assert_false(d.exact);
  assert_int_equal(d.at_least, 0);
  assert_true(d.proofs == 0);
  d = hunt(arena, f, "misroute", (ripstop_defeat_limits){.budget = 1 + 2 + 18}); /* orbits of up to two links */
  assert_false(d.exact);
  assert_int_equal(d.at_least, 3);
  assert_true(d.sets == 1 + 128 + 128 * 127 / 2);
  d = hunt(arena, f, "misroute", (ripstop_defeat_limits){.budget = 1 + 2 + 17});
  assert_false(d.exact);
  assert_int_equal(d.at_least, 2);
  assert_int_equal(d.size, RIPSTOP_NONE);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

static void random_search_gives_upper_bounds(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=3,n=2");
  ripstop_arena *arena = ripstop_arena_new();
  for (uint64_t seed = 0; seed < 20; seed++) {
    ripstop_defeat_limits limits = {.budget = 4, .search = 40, .seed = seed}; /* sizes 0 and 1 only */
    ripstop_defeat d = hunt(arena, f, "misroute", limits), again = hunt(arena, f, "misroute", limits);
    assert_int_equal(d.at_least, 2);
    assert_false(d.exact);
    assert_in_range(d.size, 3, 6); /* a tree of 6 switches keeps 5 of 9 links, or 3 of them with 3 end switches */
    assert_non_null(d.how);
    assert_true(connected_and_defeated(f, "misroute", d.link, d.size));
    for (uint32_t spared = 0; spared < d.size; spared++) { /* none can be spared */
      uint32_t fewer[RIPSTOP_ORBIT_FAULTS], count = 0;
      for (uint32_t i = 0; i < d.size; i++)
        if (i != spared) fewer[count++] = d.link[i];
      assert_false(connected_and_defeated(f, "misroute", fewer, count));
    }
    assert_int_equal(again.size, d.size);
    assert_memory_equal(again.link, d.link, d.size * sizeof *d.link);
  }
  /* a set at the bound is smallest: 1 + 1 + 3 orbits of up to two links, then 400 proofs are plenty */
  ripstop_defeat d = hunt(arena, f, "misroute", (ripstop_defeat_limits){.budget = 5, .search = 400, .seed = 1});
  assert_int_equal(d.at_least, 3);
  assert_int_equal(d.size, 3);
  assert_true(d.exact);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

static void refusals_are_answers(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("torus:4x4");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_defeat_limits limits = {.budget = 10};
  ripstop_defeat d;
  ripstop_error err;
  assert_int_equal(ripstop_smallest_defeat(arena, f, "misroute", &limits, &d, &err), RIPSTOP_DOES_NOT_APPLY);
  assert_string_equal(err.text, "misroute is for fat trees, not for torus:4x4");
  assert_int_equal(ripstop_smallest_defeat(arena, f, "misrout", &limits, &d, &err), RIPSTOP_ERROR);
  assert_int_equal(ripstop_smallest_defeat(arena, f, "dor:bubble=on,dateline=on", &limits, &d, &err), RIPSTOP_ERROR);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ texts */

static void check_text(const char *spec, const char *method, ripstop_defeat_limits limits, const char *expected) {
  ripstop_fabric *f = open_fabric(spec);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_defeat d = hunt(arena, f, method, limits);
  ripstop_text text = {0};
  ripstop_defeat_print(&text, f, method, &d);
  assert_string_equal(text.data, expected);
  ripstop_text_free(&text);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

static void texts_report_the_whole(void **state) {
  (void)state;
  const ripstop_defeat_limits all = {.budget = UINT64_MAX}, few = {.budget = 2};
  check_text("kary-ntree:k=2,n=3", "misroute", all,
             "misroute: 2 failed links defeat it, no fewer: 0/0.0/2 0/0.1/2 (16 of 56 pairs can be lost)\n"
             "looked at 5 sets by increasing size, which stand for 25 by symmetry\n"
             "2 failed links disconnect the fabric, no fewer: 0/0.0/2 0/0.0/3\n");
  check_text("torus:4x4", "dor", all,
             "dor: defeated without any fault: deadlock of 64 queues\n"
             "looked at 1 set\n"
             "4 failed links disconnect the fabric, no fewer: 0.0/0 0.0/1 0.3/0 3.0/1\n");
  check_text("kary-ntree:k=3,n=2", "misroute", few,
             "misroute: no set is known that defeats it; at least 2 failed links are needed\n"
             "looked at 2 sets by increasing size, which stand for 10 by symmetry\n"
             "3 failed links disconnect the fabric, no fewer: 0/0/3 0/0/4 0/0/5\n");
  check_text("kary-ntree:k=3,n=1", "misroute", all,
             "misroute: no failed links defeat it that leave the fabric connected\n"
             "looked at 1 set\n"
             "no failed links between switches disconnect the end nodes\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smallest_cuts_are_those_of_igraph),
      cmocka_unit_test(smallest_defeats_are_smallest),
      cmocka_unit_test(what_does_not_apply_defeats),
      cmocka_unit_test(nothing_defeats_a_spanning_tree),
      cmocka_unit_test(budgets_leave_bounds),
      cmocka_unit_test(random_search_gives_upper_bounds),
      cmocka_unit_test(refusals_are_answers),
      cmocka_unit_test(texts_report_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
