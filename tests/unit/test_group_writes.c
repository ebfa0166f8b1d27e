/* test_group_writes.c - while the planner's tables are written, old and new entries meet multicast packets on the old
 * and the new tree of all groups: no packets can wait for each other forever, or the sweep says so. Repairs and balance
 * keep a tree that is safe, by a judgement and by a search of its own over every path and every copy. */
#include "check.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/memory.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "ripstop/fabric.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/planner.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/plan.h"

enum { LIDS = 256, NONE = 255 };

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_planner *planner;
  unsigned cleared; /* sweeps that clear masks, in all */
} bench;

static ripstop_sweep sweep(bench *b) {
  ripstop_error err = {0};
  ripstop_sweep s;
  char *dump = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&dump, &length);
  ib_subnet_print(b->fabric, b->view->port_up, b->view->node_up, file);
  fclose(file);
  if (ripstop_planner_sweep(b->planner, dump, length, &s, &err)) fail_msg("%s", err.text);
  free(dump);
  b->cleared += s.group_clash;
  return s;
}

static ib_subnet_node node_of(const bench *b, uint32_t node) {
  ib_subnet_node n;
  ib_subnet_node_of(b->fabric, node, &n);
  return n;
}

static void read_entries(const bench *b, uint32_t node, ripstop_forwarding *t) {
  uint8_t table[LIDS];
  if (!ripstop_planner_table(b->planner, node_of(b, node).guid, table, LIDS)) return;
  for (uint32_t end = 0; end < b->fabric->ends; end++) {
    uint8_t port = table[node_of(b, end).lid];
    if (port > 0 && port != NONE) ripstop_forwarding_set(t, end, node, port - 1);
  }
}

static void read_tree(const bench *b, ripstop_forwarding *t) {
  const ripstop_fabric *f = b->fabric;
  ripstop_group *group = RIPSTOP_NEW(t->arena, ripstop_group);
  ripstop_groups *groups = RIPSTOP_NEW(t->arena, ripstop_groups);
  *groups = (ripstop_groups){.group = group, .groups = 1};
  *group = (ripstop_group){.mlid = RIPSTOP_IB_LID_LIMIT, .levels = 1};
  group->mask = RIPSTOP_ARRAY(t->arena, ripstop_bits_words(f->ports), uint64_t);
  group->own = RIPSTOP_ARRAY(t->arena, ripstop_fabric_switches(f), bool);
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    uint64_t parent;
    uint8_t port = ripstop_planner_group_port(b->planner, node_of(b, node).guid, &parent);
    if (port == 0) continue;
    ripstop_bit_set(group->mask, f->port_base[node] + port - 1);
    ripstop_bit_set(group->mask, f->peer[f->port_base[node] + port - 1]);
  }
  t->groups = groups;
}

/* The published tables, with the tree if it fits them. */
static ripstop_forwarding *published(const bench *b, const ripstop_sweep *s) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *node = calloc(f->ends, sizeof *node);
  for (uint32_t end = 0; end < f->ends; end++) node[end] = end;
  ripstop_forwarding *t = ripstop_forwarding_new(f, node, f->ends);
  free(node);
  t->lanes = s->lanes;
  t->level = RIPSTOP_ARRAY(t->arena, (size_t)f->ends * f->ends, uint8_t);
  for (uint32_t switch_ = f->ends; switch_ < f->nodes; switch_++) read_entries(b, switch_, t);
  for (uint32_t from = 0; from < f->ends; from++)
    for (uint32_t to = 0; to < f->ends; to++)
      t->level[(size_t)from * f->ends + to] =
          (uint8_t)ripstop_planner_level(b->planner, node_of(b, from).lid, node_of(b, to).lid);
  if (s->group_lanes & 1) read_tree(b, t);
  return t;
}

static bool can_deadlock(const bench *b, const ripstop_forwarding *old, const ripstop_forwarding *new) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_transient t;
  assert_int_equal(ripstop_judge_transient(arena, b->view, old, new, &t, NULL), 0);
  ripstop_arena_free(arena);
  return t.credit_loop;
}

/* If the sweep clears all masks, the new ones come with the next sweep. */
static void check_writes(const bench *b, const ripstop_forwarding *old, ripstop_forwarding *new,
                         const ripstop_sweep *s) {
  const ripstop_groups *groups = new->groups;
  if (s->group_clash) new->groups = NULL;
  assert_true(s->unsafe || !can_deadlock(b, old, new));
  new->groups = groups;
}

/* The next sweep, and the second of two writes. */
static ripstop_forwarding *follow(bench *b, ripstop_forwarding *old) {
  for (;;) {
    ripstop_sweep s = sweep(b);
    ripstop_forwarding *new = published(b, &s);
    check_writes(b, old, new, &s);
    ripstop_forwarding_free(old);
    old = new;
    if (!s.first) return old;
  }
}

/* A cable fails or returns, but no end node is cut off. */
static void change(bench *b, ripstop_stream *stream) {
  const ripstop_fabric *f = b->fabric;
  uint32_t link = f->link_ends + ripstop_stream_below(stream, f->links - f->link_ends);
  ripstop_view_set_link(b->view, link, !b->view->link_up[link]);
  if (ripstop_view_disconnected_pairs(b->view) > 0) ripstop_view_set_link(b->view, link, true);
}

static void groups_are_safe_while_tables_are_written(void **state) {
  (void)state;
  enum { SEEDS = 20, CHANGES = 12 };
  static const char *const cases[][2] = {{"torus:4x4", "lanes=2"}, {"torus:5x5", "lanes=1"}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b = {.fabric = ripstop_fabric_open(cases[i][0], NULL)};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
      char options[64];
      snprintf(options, sizeof options, "%s,seed=%u", cases[i][1], seed);
      ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, i);
      b.view = ripstop_view_new(b.fabric, NULL);
      b.planner = ripstop_planner_open(options, NULL);
      ripstop_sweep s = sweep(&b);
      ripstop_forwarding *old = published(&b, &s);
      for (unsigned n = 0; n < CHANGES; n++) {
        change(&b, &stream);
        old = follow(&b, old);
      }
      ripstop_forwarding_free(old);
      ripstop_planner_free(b.planner);
      ripstop_view_free(b.view);
    }
    assert_true(b.cleared > 0);
    ripstop_fabric_free(b.fabric);
  }
}

/* ------------------------------------------------------------------ repairs keep a tree */

/* A packet in (port, VL) waits for another (port, VL): an edge from row to column. */
typedef struct waits {
  uint32_t vertices, lanes;
  uint8_t *edge;
} waits;

static void add_edge(waits *w, uint32_t from, uint32_t from_lane, uint32_t to, uint32_t to_lane) {
  w->edge[(size_t)(from * w->lanes + from_lane) * w->vertices + to * w->lanes + to_lane] = 1;
}

/* Follows one pair's packets; they must arrive. */
static void add_path(const bench *b, const ripstop_forwarding *t, uint32_t from, uint32_t to, waits *w) {
  const ripstop_fabric *f = b->fabric;
  const uint32_t lane = t->level[(size_t)from * f->ends + to] % w->lanes;
  uint32_t before = RIPSTOP_NONE, hops = 0;
  for (uint32_t at = ripstop_end_switch(f, from); at != to;) {
    const uint32_t port = f->port_base[at] + ripstop_forwarding_port(t, to, at);
    assert_true(port < f->port_base[at + 1] && b->view->port_up[port] && hops++ < f->nodes);
    if (before != RIPSTOP_NONE) add_edge(w, before, lane, port, lane);
    before = port;
    at = f->port_node[f->peer[port]];
  }
}

/* The copies of groups on VL 0, which may begin at any end node. */
static void add_copies(const bench *b, const ripstop_forwarding *t, waits *w) {
  const ripstop_fabric *f = b->fabric;
  const uint64_t *mask = t->groups->group[0].mask;
  for (uint32_t in = 0; in < f->ports; in++) {
    if (!(mask[in / 64] >> in % 64 & 1)) continue;
    const uint32_t at = f->port_node[f->peer[in]];
    for (uint32_t out = f->port_base[at]; out < f->port_base[at + 1]; out++)
      if (mask[out / 64] >> out % 64 & 1 && f->peer[in] != out) add_edge(w, in, 0, out, 0);
  }
}

/* Removes what waits for nothing, until nothing is left, or a cycle. */
static bool has_cycle(const waits *w) {
  uint8_t *gone = calloc(w->vertices, 1);
  uint32_t left = w->vertices;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t v = 0; v < w->vertices; v++) {
      bool waiting = gone[v];
      for (uint32_t to = 0; !waiting && to < w->vertices; to++)
        waiting = !gone[to] && w->edge[(size_t)v * w->vertices + to];
      if (waiting) continue;
      gone[v] = 1;
      left--;
      more = true;
    }
  }
  free(gone);
  return left > 0;
}

static void check_by_search(const bench *b, const ripstop_forwarding *t) {
  waits w = {.lanes = t->lanes, .vertices = b->fabric->ports * t->lanes};
  w.edge = calloc((size_t)w.vertices * w.vertices, 1);
  for (uint32_t from = 0; from < b->fabric->ends; from++)
    for (uint32_t to = 0; to < b->fabric->ends; to++)
      if (from != to) add_path(b, t, from, to, &w);
  assert_false(has_cycle(&w));
  add_copies(b, t, &w);
  assert_false(has_cycle(&w));
  free(w.edge);
}

/* The tree reaches all switches, and closes no cycle with the tables. */
static void check_tree(const bench *b, const ripstop_forwarding *t) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_table_verdict v;
  assert_int_equal(ripstop_judge(arena, b->view, t, NULL, &v, NULL), 0);
  assert_int_equal(v.unreached, 0);
  assert_false(v.credit_loop || v.multicast->group[0].forwarding_loop);
  assert_int_equal(v.multicast->group[0].components, 1);
  ripstop_arena_free(arena);
}

/* After each change, and after each sweep that balances or returns to the plan, until the fabric changes again. */
static void follow_changes(bench *b, unsigned changes, ripstop_stream *stream, bool search) {
  ripstop_sweep s = sweep(b);
  ripstop_forwarding *old = published(b, &s);
  for (unsigned n = 0, sweeps = 0; n < changes; n += !s.more && !s.first) {
    if (!s.more && !s.first) change(b, stream), sweeps = 0;
    s = sweep(b);
    assert_in_range(++sweeps, 1, 200);
    assert_true(s.group_lanes & 1);
    ripstop_forwarding *new = published(b, &s);
    check_writes(b, old, new, &s);
    if (!s.first) check_tree(b, new);
    if (!s.first && search) check_by_search(b, new);
    ripstop_forwarding_free(old);
    old = new;
  }
  ripstop_forwarding_free(old);
}

static void repairs_keep_a_tree_that_is_safe(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *options;
    unsigned changes, seeds;
    bool search;
  } cases[] = {{"torus:8x8", "lanes=4", 16, 2, false},
               {"torus:8x8", "lanes=4,budget=100", 8, 1, false},
               {"torus:8x8", "lanes=1", 12, 1, false},
               {"torus:4x4", "lanes=1", 16, 4, true},
               {"torus:4x4", "lanes=2,budget=20", 12, 2, true},
               {"torus:3x3", "lanes=1", 16, 4, true},
               {"torus:6", "lanes=1", 8, 2, true},
               {"hyperx:4x4", "lanes=2", 12, 2, true},
               {"kns:k=4,n=2", "lanes=4", 12, 1, false}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned seed = 1; seed <= cases[i].seeds; seed++) {
      char options[64];
      snprintf(options, sizeof options, "%s,seed=%u", cases[i].options, seed);
      bench b = {.fabric = ripstop_fabric_open(cases[i].fabric, NULL), .planner = ripstop_planner_open(options, NULL)};
      ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 100 + i);
      b.view = ripstop_view_new(b.fabric, NULL);
      follow_changes(&b, cases[i].changes, &stream, cases[i].search);
      ripstop_planner_free(b.planner);
      ripstop_view_free(b.view);
      ripstop_fabric_free(b.fabric);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_are_safe_while_tables_are_written),
      cmocka_unit_test(repairs_keep_a_tree_that_is_safe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
