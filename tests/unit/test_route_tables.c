/* test_route_tables.c - a method's forwarding tables: a file reads back as written, VLs and SLs lead packets over the
 * plan's own channels, bounds bind, shortest routes are shortest, updates are safe under random transient states. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prove/proof.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "route/plan_steps.h"
#include "tables/infiniband/lfts.h"

typedef struct sample {
  const char *fabric, *method, *dead;
} sample;

static const sample samples[] = {{"torus:4x5", "dor:dateline=on,halfway=parity", ""},
                                 {"torus:4x3x4", "dor:dateline=on,halfway=parity", ""},
                                 {"torus:5", "dor:halfway=parity", ""},
                                 {"torus:3x3", "dor", "0.0/0"},
                                 {"kary-ntree:k=3,n=3", "uturn", ""}};
enum { SAMPLES = sizeof samples / sizeof *samples };

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_forwarding *tables;
  ripstop_arena *arena;
} bench;

static bench open_bench(const sample *s) {
  ripstop_error err = {0};
  ripstop_answer answer;
  ripstop_faults faults = {0};
  bench b = {.fabric = ripstop_fabric_open(s->fabric, &err), .arena = ripstop_arena_new()};
  assert_non_null(b.fabric);
  if (s->dead[0]) {
    uint32_t *link = RIPSTOP_ARRAY(b.arena, 1, uint32_t);
    link[0] = b.fabric->links - 1;
    faults = (ripstop_faults){.links = 1, .link = link};
  }
  b.view = ripstop_view_new(b.fabric, &faults);
  b.plan = ripstop_plan_compile(b.view, s->method, &answer, &err);
  assert_non_null(b.plan);
  assert_int_equal(ripstop_plan_tables(b.plan, &err), RIPSTOP_APPLIES);
  b.tables = ripstop_forwarding_of_plan(b.plan, UINT64_MAX, &answer, &err);
  assert_non_null(b.tables);
  assert_int_equal(ripstop_forwarding_add_lanes(b.plan, b.tables, &err), RIPSTOP_APPLIES);
  return b;
}

static void close_bench(bench *b) {
  ripstop_forwarding_free(b->tables);
  ripstop_plan_free(b->plan);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* ------------------------------------------------------------------ files */

static ripstop_forwarding *read_back(const ripstop_fabric *f, FILE *file) {
  char line[512];
  ripstop_error err = {0};
  ripstop_address_book book;
  ripstop_lfts_notes notes;
  ripstop_address_book_of(f, &book);
  ripstop_lfts *lfts = ripstop_lfts_open(f, &book, &err);
  ripstop_lfts_file(lfts, "written");
  rewind(file);
  while (fgets(line, sizeof line, file)) assert_int_equal(ripstop_lfts_line(lfts, line, strcspn(line, "\n"), &err), 0);
  ripstop_forwarding *t = ripstop_lfts_finish(lfts, ripstop_arena_new(), &notes, &err);
  ripstop_lfts_free(lfts);
  assert_non_null(t);
  assert_int_equal(notes.unknown_addresses + notes.unknown_switches, 0);
  return t;
}

static void what_is_written_is_read(void **state) {
  (void)state;
  for (unsigned i = 0; i < SAMPLES; i++) {
    bench b = open_bench(&samples[i]);
    FILE *file = tmpfile();
    assert_int_equal(ripstop_forwarding_print(b.tables, file, NULL), 0);
    ripstop_forwarding *again = read_back(b.fabric, file);
    size_t entries = (size_t)b.tables->addresses * ripstop_fabric_switches(b.fabric);
    assert_int_equal(again->addresses, b.tables->addresses);
    assert_memory_equal(again->node, b.tables->node, again->addresses * sizeof *again->node);
    assert_memory_equal(again->port, b.tables->port, entries * sizeof *again->port);
    ripstop_forwarding_free(again);
    fclose(file);
    close_bench(&b);
  }
}

/* ------------------------------------------------------------------ channels */

/* Follows one packet through plan and tables side by side. */
static void walk_both(const bench *b, uint32_t source, uint32_t to, ripstop_candidate *candidate) {
  const ripstop_fabric *f = b->fabric;
  unsigned level = ripstop_forwarding_level(b->tables, source, to);
  ripstop_head head = {.node = source, .in_port = RIPSTOP_NONE, .source = source, .destination = to};
  while (head.node != to) {
    if (ripstop_route(b->plan, &head, candidate) < 0) return;
    unsigned lane = ripstop_is_end(f, head.node)
                        ? ripstop_forwarding_end_lane(b->tables, head.node, level)
                        : ripstop_forwarding_lane(b->tables, head.node, head.in_port, candidate->port, level);
    assert_int_equal(lane, candidate->channel);
    uint32_t peer = f->peer[f->port_base[head.node] + candidate->port];
    head.node = f->port_node[peer];
    head.in_port = peer - f->port_base[head.node];
    head.channel = candidate->channel;
    head.header = candidate->header;
  }
}

static void lanes_are_the_plans_channels(void **state) {
  (void)state;
  for (unsigned i = 0; i < SAMPLES; i++) {
    bench b = open_bench(&samples[i]);
    ripstop_candidate *candidate = RIPSTOP_ARRAY(b.arena, b.plan->candidates_max, ripstop_candidate);
    for (uint32_t from = 0; from < b.fabric->ends; from++)
      for (uint32_t to = 0; to < b.fabric->ends; to++)
        if (from != to) walk_both(&b, from, to, candidate);
    close_bench(&b);
  }
}

static void tables_deadlock_when_the_plan_does(void **state) {
  (void)state;
  unsigned free = 0;
  for (unsigned i = 0; i < SAMPLES; i++) {
    bench b = open_bench(&samples[i]);
    ripstop_table_verdict v;
    ripstop_proof proof;
    ripstop_prover *prover = ripstop_prover_new(b.fabric);
    assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &v, NULL), 0);
    assert_int_equal(ripstop_prover_prove(prover, b.plan, &proof, NULL), 0);
    assert_int_equal(v.credit_loop, !proof.deadlock_free);
    free += proof.deadlock_free;
    ripstop_prover_free(prover);
    close_bench(&b);
  }
  assert_in_range(free, 1, SAMPLES - 1); /* both kinds were tried */
}

/* ------------------------------------------------------------------ bounds and shortest routes */

static void nothing_is_below_the_bound(void **state) {
  (void)state;
  for (unsigned i = 0; i < SAMPLES; i++) {
    bench b = open_bench(&samples[i]);
    ripstop_table_verdict v;
    assert_int_equal(ripstop_judge(b.arena, b.view, b.tables, NULL, &v, NULL), 0);
    uint64_t bound = ripstop_judge_bound(b.view, 1, UINT64_MAX);
    if (v.unreached == 0) assert_in_range(bound, 1, v.worst);
    if (v.unreached == 0) assert_true(ripstop_judge_minimum_hops(b.view) <= v.mean_hops);
    close_bench(&b);
  }
}

/* By hand: a leaf's cut, 4 x 60 paths over 3 links; a ring's, by hops; 64 pairs a link of the 8x8 torus. */
static void bounds_are_known(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint64_t bound;
    double hops;
  } known[] = {{"ib:" RIPSTOP_SOURCE_DIR "/tests/data/nets/ktree-4-3-5.net.gz", 80, 216.0 / 63},
               {"torus:8x8", 64, 256.0 / 63},
               {"torus:5", 3, 1.5},
               {"kary-ntree:k=4,n=3", 60, 216.0 / 63},
               {"xgft:m=4.4.4,w=1.2.2", 192, 216.0 / 63}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
    ripstop_fabric *f = ripstop_fabric_open(known[i].fabric, NULL);
    ripstop_view *view = ripstop_view_new(f, NULL);
    assert_int_equal(ripstop_judge_bound(view, 1, UINT64_MAX), known[i].bound);
    assert_true(fabs(ripstop_judge_minimum_hops(view) - known[i].hops) < 1e-9);
    ripstop_view_free(view);
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ updates */

/* Breadth first from a node over the ports that may be used; to `toward` the port of each node that leads back. */
static void search(const bench *b, uint32_t root, const bool *usable, uint32_t *toward) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *queue = RIPSTOP_ARRAY(b->arena, f->nodes, uint32_t), head = 0, tail = 0;
  memset(toward, 0xff, f->nodes * sizeof *toward);
  for (queue[tail++] = root; head < tail; head++)
    for (uint32_t port = f->port_base[queue[head]]; port < f->port_base[queue[head] + 1]; port++) {
      uint32_t peer = f->peer[port], node = peer == RIPSTOP_NONE ? root : f->port_node[peer];
      if (node == root || toward[node] != RIPSTOP_NONE || !usable[port]) continue;
      toward[node] = peer;
      queue[tail++] = node;
    }
}

/* All routes along one spanning tree, which cannot deadlock; two such tables together may. */
static ripstop_forwarding *draw_tables(const bench *b, ripstop_stream *stream) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *toward = RIPSTOP_ARRAY(b->arena, f->nodes, uint32_t);
  bool *usable = RIPSTOP_ARRAY(b->arena, f->ports, bool), *tree = RIPSTOP_ARRAY(b->arena, f->ports, bool);
  for (uint32_t port = 0; port < f->ports; port++) usable[port] = true;
  search(b, f->ends + ripstop_stream_below(stream, ripstop_fabric_switches(f)), usable, toward);
  for (uint32_t node = 0; node < f->nodes; node++)
    if (toward[node] != RIPSTOP_NONE) tree[toward[node]] = tree[f->peer[toward[node]]] = true;
  ripstop_forwarding *t = ripstop_forwarding_new(f, b->tables->node, b->tables->addresses);
  for (uint32_t a = 0; a < t->addresses; a++) {
    search(b, t->node[a], tree, toward);
    for (uint32_t node = f->ends; node < f->nodes; node++)
      ripstop_forwarding_set(t, a, node, (uint16_t)(toward[node] - f->port_base[node]));
  }
  return t;
}

/* Each switch has one or the other. */
static void check_transient(const bench *b, const ripstop_forwarding *x, const ripstop_forwarding *y,
                            ripstop_stream *stream) {
  ripstop_forwarding *mixed = ripstop_forwarding_new(b->fabric, x->node, x->addresses);
  ripstop_table_verdict v;
  for (uint32_t a = 0; a < x->addresses; a++)
    for (uint32_t node = b->fabric->ends; node < b->fabric->nodes; node++)
      ripstop_forwarding_set(mixed, a, node, ripstop_forwarding_port(ripstop_stream_below(stream, 2) ? x : y, a, node));
  assert_int_equal(ripstop_judge(b->arena, b->view, mixed, NULL, &v, NULL), 0);
  assert_false(v.credit_loop);
  assert_int_equal(v.loops, 0);
  ripstop_forwarding_free(mixed);
}

static uint64_t count_changed(const ripstop_forwarding *x, const ripstop_forwarding *y) {
  uint64_t changed = 0;
  for (size_t i = 0; i < (size_t)x->addresses * ripstop_fabric_switches(x->fabric); i++)
    changed += x->port[i] != y->port[i];
  return changed;
}

/* All addresses but three are as in the other. */
static void keep_most(ripstop_forwarding *to, const ripstop_forwarding *from) {
  for (uint32_t a = 0; a < to->addresses; a++)
    for (uint32_t node = to->fabric->ends; node < to->fabric->nodes && a > 2; node++)
      ripstop_forwarding_set(to, a, node, ripstop_forwarding_port(from, a, node));
}

static bool deadlocks(const bench *b, const ripstop_forwarding *t) {
  ripstop_table_verdict v;
  assert_int_equal(ripstop_judge(b->arena, b->view, t, NULL, &v, NULL), 0);
  return v.credit_loop;
}

static void updates_are_safe(void **state) {
  (void)state;
  unsigned times[3] = {0};
  for (uint32_t trial = 0; trial < 60; trial++) {
    static const sample on[] = {{"torus:3x3", "dor", ""}, {"kary-ntree:k=2,n=3", "uturn", ""}, {"torus:5", "dor", ""}};
    bench b = open_bench(&on[trial % 3]);
    ripstop_stream stream = ripstop_stream_open(2, RIPSTOP_RANDOM_TEST, trial);
    ripstop_forwarding *old = draw_tables(&b, &stream), *new = draw_tables(&b, &stream);
    ripstop_update u;
    if (trial % 2) keep_most(new, old);
    assert_int_equal(ripstop_judge_update(b.view, old, new, &u, NULL), 0);
    assert_int_equal(u.changed, count_changed(old, new));
    assert_int_equal(u.steps == 2, u.between != NULL);
    if (u.steps == RIPSTOP_NONE)
      assert_true(deadlocks(&b, old) || deadlocks(&b, new));
    else
      times[u.steps]++;
    for (unsigned i = 0; i < 20 && u.steps == 1; i++) check_transient(&b, old, new, &stream);
    for (unsigned i = 0; i < 20 && u.between; i++) {
      check_transient(&b, old, u.between, &stream);
      check_transient(&b, u.between, new, &stream);
    }
    ripstop_forwarding_free(u.between);
    ripstop_forwarding_free(new);
    ripstop_forwarding_free(old);
    close_bench(&b);
  }
  assert_true(times[1] > 5 && times[2] > 5);
}

/* An address that only one of them has counts for as many entries as it has; a service level counts for both. */
static void changes_are_counted(void **state) {
  (void)state;
  bench b = open_bench(&samples[0]);
  ripstop_update u;
  uint32_t few = b.tables->addresses - 1;
  ripstop_forwarding *less = ripstop_forwarding_new(b.fabric, b.tables->node, few);
  memcpy(less->port, b.tables->port, (size_t)few * ripstop_fabric_switches(b.fabric) * sizeof *less->port);
  assert_int_equal(ripstop_judge_update(b.view, less, b.tables, &u, NULL), 0);
  assert_int_equal(u.changed, ripstop_fabric_switches(b.fabric));
  uint64_t levels = 0;
  for (uint32_t a = 0; a < few; a++)
    for (uint32_t end = 0; end < b.fabric->ends; end++)
      levels += end != a && ripstop_forwarding_level(b.tables, end, a) > 0;
  assert_int_equal(u.levels_changed, levels);
  ripstop_forwarding_free(u.between);
  assert_int_equal(ripstop_judge_update(b.view, b.tables, b.tables, &u, NULL), 0);
  assert_int_equal(u.changed + u.levels_changed + u.steps, 0);
  ripstop_forwarding_free(less);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(lanes_are_the_plans_channels),
      cmocka_unit_test(tables_deadlock_when_the_plan_does),
      cmocka_unit_test(nothing_is_below_the_bound),
      cmocka_unit_test(bounds_are_known),
      cmocka_unit_test(updates_are_safe),
      cmocka_unit_test(changes_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
