/* test_leaf_flow.c - the condition "flow" of a safe set, held against all cuts of small fabrics: random graphs of two
 * dense halves, tori, and others without levels, with failed and slow cables. */
#include "check.h"

#include <string.h>

#include "base/local.h"
#include "fabric/graph.h"
#include "opened.h"
#include "ripstop/kit/safe_set.h"
#include "ripstop/plugin/faults.h"

enum { TRIALS = 200, SWITCHES = 10, SETS = 1 << SWITCHES };

typedef struct bench {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_table_verdict before;
  const ripstop_capacity *capacity;
  ripstop_safe_set set;
} bench;

/* ------------------------------------------------------------------ fabrics */

/* Two halves, dense inside and joined by few cables; most switches have hosts. */
static ripstop_fabric *open_random(ripstop_stream *stream) {
  ripstop_error err = {0};
  RIPSTOP_LOCAL_TEXT(text);
  const uint32_t switches = 5 + ripstop_stream_below(stream, SWITCHES - 4);
  for (uint32_t a = 0; a < switches; a++)
    for (uint32_t b = a + 1; b < switches; b++) {
      const bool inside = a % 2 == b % 2;
      for (uint32_t k = ripstop_stream_below(stream, inside ? 4 : 6); k > (inside ? 1U : 4U); k--)
        ripstop_text_add(&text, "s%u s%u\n", a, b);
    }
  for (uint32_t a = 0; a + 1 < switches; a++) ripstop_text_add(&text, "s%u s%u\n", a, a + 1);
  for (uint32_t a = 0; a < switches; a++)
    for (uint32_t k = ripstop_stream_below(stream, 5); k > 0; k--)
      ripstop_text_add(&text, "@end h%u.%u s%u\n", a, k, a);
  ripstop_text_add(&text, "@end one s0\n@end two s1\n");
  ripstop_fabric *f = ripstop_graph_from_text("random", text.data, text.length, &err);
  if (!f) fail_msg("%s", err.text);
  return f;
}

static ripstop_fabric *open_one(uint32_t trial, ripstop_stream *stream) {
  static const char *const others[] = {"torus:3x3,p=3", "torus:4x2,p=2", "hyperx:3x3,p=2", "torus:5,p=1",
                                       "torus:2x2x2,p=2"};
  enum { OTHERS = sizeof others / sizeof *others };
  return trial % 4 ? open_random(stream) : open_fabric(others[trial / 4 % OTHERS]);
}

static void break_some(ripstop_view *view, ripstop_stream *stream) {
  const ripstop_fabric *f = view->fabric;
  for (uint32_t i = ripstop_stream_below(stream, 3); i > 0; i--)
    ripstop_view_set_link(view, ripstop_stream_below(stream, f->links), false);
  for (uint32_t i = ripstop_stream_below(stream, 4); i > 0; i--)
    ripstop_view_set_rate(view, ripstop_stream_below(stream, f->links),
                          (uint16_t)(250 * (1 + ripstop_stream_below(stream, 3))));
}

static bench open_bench(uint32_t trial) {
  ripstop_error err = {0};
  ripstop_stream stream = ripstop_stream_open(11, RIPSTOP_RANDOM_TEST, trial);
  bench b = {.arena = ripstop_arena_new(), .fabric = open_one(trial, &stream)};
  b.view = ripstop_view_new(b.fabric, NULL);
  break_some(b.view, &stream);
  b.tables = ripstop_forwarding_shortest(b.view, &err);
  assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &b.before, &err), 0);
  b.capacity = ripstop_capacity_find(b.arena, b.view, NULL, &err);
  const ripstop_safe_question q = {.view = b.view, .tables = b.tables, .before = &b.before, .capacity = b.capacity};
  if (ripstop_judge_safe_set(b.arena, &q, &b.set, &err)) fail_msg("%s", err.text);
  return b;
}

static void close_bench(bench *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* ------------------------------------------------------------------ all cuts */

static uint32_t switch_at(const ripstop_fabric *f, uint32_t link, unsigned side) {
  return ripstop_link_node(f, link, side) - f->ends;
}

/* The rates of the cables between each set of switches, by the bits of a number, and the others. */
static void find_cuts(const bench *b, const ripstop_faults *out, uint64_t *cut) {
  const ripstop_fabric *f = b->fabric;
  ripstop_view *left = ripstop_view_copy(b->view);
  ripstop_view_set_faults(left, out, false);
  memset(cut, 0, SETS * sizeof *cut);
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (uint32_t set = 0; set < SETS && left->port_up[f->link_port[2 * (size_t)link]]; set++)
      if ((set >> switch_at(f, link, 0) & 1) != (set >> switch_at(f, link, 1) & 1))
        cut[set] += ripstop_view_rate(left, link);
  ripstop_view_free(left);
}

/* The least cut between two switches. */
static uint64_t least_cut(const bench *b, const uint64_t *cut, uint32_t one, uint32_t other) {
  const uint32_t all = 1U << ripstop_fabric_switches(b->fabric);
  uint64_t least = UINT64_MAX;
  for (uint32_t set = 0; set < all; set++)
    if ((set >> one & 1) && !(set >> other & 1) && cut[set] < least) least = cut[set];
  return least;
}

static uint64_t demand_of(const bench *b, const uint64_t *now, const ripstop_capacity_part *one,
                          const ripstop_capacity_part *other) {
  const uint64_t flow = least_cut(b, now, one->node - b->fabric->ends, other->node - b->fabric->ends);
  const uint64_t need = one->need < other->need ? one->need : other->need;
  return flow < need ? flow : need;
}

/* The largest demand that is not kept; 0: all are. */
static uint64_t largest_broken(const bench *b, const uint64_t *now, const uint64_t *then) {
  const ripstop_capacity *c = b->capacity;
  uint64_t largest = 0;
  for (uint32_t i = 0; i < c->parts; i++)
    for (uint32_t k = 0; k < i; k++) {
      if (c->part[i].level || c->part[k].level) continue;
      const uint64_t demand = demand_of(b, now, &c->part[i], &c->part[k]);
      const uint64_t flow = least_cut(b, then, c->part[i].node - b->fabric->ends, c->part[k].node - b->fabric->ends);
      if (flow < demand && demand > largest) largest = demand;
    }
  return largest;
}

static void check_gap(const bench *b, const uint64_t *now, const uint64_t *then, uint32_t link) {
  const ripstop_flow_gap *g = &b->set.gap[link];
  const ripstop_capacity_part *one = &b->capacity->part[g->part[0]], *other = &b->capacity->part[g->part[1]];
  assert_int_equal(g->need, largest_broken(b, now, then));
  assert_int_equal(g->need, demand_of(b, now, one, other));
  assert_int_equal(g->kept, least_cut(b, then, one->node - b->fabric->ends, other->node - b->fabric->ends));
  assert_true(g->kept < g->need);
}

static bool joins_leaves(const bench *b) {
  const ripstop_fabric *f = b->fabric;
  for (uint32_t link = f->link_ends; link < f->links; link++)
    if (b->view->port_up[f->link_port[2 * (size_t)link]] && b->capacity->leaf[switch_at(f, link, 0)] != RIPSTOP_NONE &&
        b->capacity->leaf[switch_at(f, link, 1)] != RIPSTOP_NONE)
      return true;
  return false;
}

static void flows_are_least_cuts(void **state) {
  (void)state;
  uint32_t seen[RIPSTOP_HARMS] = {0}, taken = 0;
  static uint64_t now[SETS], then[SETS];
  for (uint32_t trial = 0; trial < TRIALS; trial++) {
    bench b = open_bench(trial);
    find_cuts(&b, &(ripstop_faults){0}, now);
    assert_int_equal(b.set.flow, joins_leaves(&b));
    for (uint32_t link = b.fabric->link_ends; link < b.fabric->links; link++) {
      const ripstop_harm why = b.set.why_not[link];
      if (!b.view->port_up[b.fabric->link_port[2 * (size_t)link]]) continue;
      seen[why]++;
      if (why == RIPSTOP_HARM_PAIRS || why == RIPSTOP_HARM_CAPACITY || !b.set.flow) continue;
      find_cuts(&b, &(ripstop_faults){.links = 1, .link = &link}, then);
      assert_int_equal(why == RIPSTOP_HARM_FLOW, largest_broken(&b, now, then) > 0);
      if (why == RIPSTOP_HARM_FLOW) check_gap(&b, now, then, link);
    }
    find_cuts(&b, &(ripstop_faults){.links = b.set.links, .link = b.set.link}, then);
    if (b.set.flow) assert_int_equal(largest_broken(&b, now, then), 0);
    taken += b.set.links;
    close_bench(&b);
  }
  if (seen[RIPSTOP_HARM_FLOW] < 50 || !seen[RIPSTOP_HARM_CAPACITY] || !seen[RIPSTOP_HARM_NONE] || taken < 50)
    fail_msg("%u by flow, %u by capacity, %u safe alone, %u in sets", seen[RIPSTOP_HARM_FLOW],
             seen[RIPSTOP_HARM_CAPACITY], seen[RIPSTOP_HARM_NONE], taken);
}

/* Two full triangles joined by two cables: a host at each of two switches needs one, and three hosts need both. */
static void two_halves_keep_the_cables_between_them(void **state) {
  (void)state;
  static const char text[] = "a1 a2\na1 a2\na2 a3\na2 a3\na1 a3\na1 a3\nb1 b2\nb1 b2\nb2 b3\nb2 b3\nb1 b3\nb1 b3\n"
                             "a1 b1\na2 b2\n"
                             "@end h1 a1\n@end h2 a1\n@end h3 a3\n@end h4 a3\n@end h5 b3\n@end h6 b3\n@end h7 b1\n"
                             "@end h8 a2\n@end h9 b2\n";
  ripstop_error err = {0};
  bench b = {.arena = ripstop_arena_new(), .fabric = ripstop_graph_from_text("halves", text, sizeof text - 1, &err)};
  if (!b.fabric) fail_msg("%s", err.text);
  b.view = ripstop_view_new(b.fabric, NULL);
  b.tables = ripstop_forwarding_shortest(b.view, &err);
  assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &b.before, &err), 0);
  b.capacity = ripstop_capacity_find(b.arena, b.view, NULL, &err);
  const ripstop_safe_question q = {.view = b.view, .tables = b.tables, .before = &b.before, .capacity = b.capacity};
  assert_int_equal(ripstop_judge_safe_set(b.arena, &q, &b.set, &err), 0);
  assert_int_equal(b.set.unsafe[RIPSTOP_HARM_FLOW], 2);
  for (uint32_t link = b.fabric->links - 2; link < b.fabric->links; link++) {
    assert_int_equal(b.set.why_not[link], RIPSTOP_HARM_FLOW);
    assert_int_equal(b.set.gap[link].need, 2 * RIPSTOP_RATE_FULL);
    assert_int_equal(b.set.gap[link].kept, RIPSTOP_RATE_FULL);
  }
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flows_are_least_cuts),
                                     cmocka_unit_test(two_halves_keep_the_cables_between_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
