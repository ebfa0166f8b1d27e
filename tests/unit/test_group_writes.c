/* test_group_writes.c - while the planner's tables are written, old and new entries meet multicast packets on the old
 * and the new tree of all groups: no packets can wait for each other forever, or the sweep says so. */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_are_safe_while_tables_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
