/* test_planner.c - tables kept from sweep to sweep: after each change every switch's table leads to every LID, a fabric
 * that is as it was changes nothing, nor does a restart; what cannot be read leaves everything as it was. */
#include "check.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "fabric/ib.h"
#include "fabric/ib_subnet.h"
#include "mend/snapshot.h"
#include "ripstop/kit/planner.h"
#include "ripstop/kit/repair.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/plan.h"

enum { LIDS = 256, NONE = 255 };
static const char *const fabrics[] = {"torus:4x4", "kary-ntree:k=3,n=3", "kns:k=3,n=2"};

typedef struct bench {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_planner *planner;
  char *dump;
  size_t length;
} bench;

static ripstop_planner *open_planner(const char *options) {
  ripstop_error err = {0};
  ripstop_planner *k = ripstop_planner_open(options, &err);
  if (!k) fail_msg("%s", err.text);
  return k;
}

static bench open_bench(const char *fabric, const char *options) {
  bench b = {.fabric = ripstop_fabric_open(fabric, NULL), .planner = open_planner(options)};
  assert_non_null(b.fabric);
  b.view = ripstop_view_new(b.fabric, NULL);
  return b;
}

static void close_bench(bench *b) {
  ripstop_planner_free(b->planner);
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  free(b->dump);
}

static void print_dump(bench *b) {
  free(b->dump);
  FILE *file = open_memstream(&b->dump, &b->length);
  ib_subnet_print(b->fabric, b->view->port_up, b->view->node_up, file);
  fclose(file);
}

/* Reports the present state to the planner. */
static ripstop_sweep sweep(bench *b) {
  ripstop_error err = {0};
  ripstop_sweep s;
  print_dump(b);
  if (ripstop_planner_sweep(b->planner, b->dump, b->length, &s, &err)) fail_msg("%s", err.text);
  return s;
}

static uint32_t lid_of(const bench *b, uint32_t node, uint64_t *guid) {
  ib_subnet_node n;
  ib_subnet_node_of(b->fabric, node, &n);
  *guid = n.guid;
  return n.lid;
}

/* Follows the tables of switches to a LID. */
static void walk(const bench *b, uint8_t (*table)[LIDS], uint32_t from, uint32_t to, uint32_t lid) {
  const ripstop_fabric *f = b->fabric;
  uint32_t node = from;
  for (uint32_t hops = 0; node != to; hops++) {
    assert_true(hops <= f->nodes && !ripstop_is_end(f, node));
    unsigned number = table[node][lid];
    assert_in_range(number, 1, ripstop_node_ports(f, node));
    uint32_t port = f->port_base[node] + number - 1;
    assert_true(b->view->port_up[port]);
    node = f->port_node[f->peer[port]];
  }
  assert_true(ripstop_is_end(f, to) || table[to][lid] == 0);
}

static void read_tables(const bench *b, uint8_t (*table)[LIDS]) {
  uint64_t guid;
  for (uint32_t node = b->fabric->ends; node < b->fabric->nodes; node++) {
    lid_of(b, node, &guid);
    assert_int_equal(ripstop_planner_table(b->planner, guid, table[node], LIDS), b->view->node_up[node]);
  }
}

/* Every live switch leads to every live node. */
static void check_tables(const bench *b) {
  uint8_t table[LIDS][LIDS];
  uint64_t guid;
  uint32_t *component = calloc(b->fabric->nodes, sizeof *component);
  ripstop_view_components(b->view, component);
  assert_true(b->fabric->nodes < LIDS);
  read_tables(b, table);
  for (uint32_t from = b->fabric->ends; from < b->fabric->nodes; from++)
    for (uint32_t to = 0; to < b->fabric->nodes; to++)
      if (component[from] != RIPSTOP_NONE && component[from] == component[to])
        walk(b, table, from, to, lid_of(b, to, &guid));
  free(component);
}

/* A part dies or comes back, but no end node is cut off. */
static void change(bench *b, ripstop_stream *stream) {
  uint32_t links = b->fabric->links - b->fabric->link_ends;
  uint32_t link = b->fabric->link_ends + ripstop_stream_below(stream, links);
  ripstop_view_set_link(b->view, link, !b->view->link_up[link]);
  if (ripstop_view_disconnected_pairs(b->view) > 0) ripstop_view_set_link(b->view, link, true);
}

static void every_change_is_followed(void **state) {
  (void)state;
  unsigned twice = 0;
  for (unsigned i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    bench b = open_bench(fabrics[i], i % 2 ? "lanes=2" : "lanes=1,sl=pair");
    ripstop_stream stream = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, i);
    assert_int_equal(sweep(&b).kind, RIPSTOP_SWEEP_PLANNED);
    check_tables(&b);
    for (unsigned trial = 0; trial < 12; trial++) {
      change(&b, &stream);
      ripstop_sweep s = sweep(&b);
      assert_int_equal(s.lost, 0);
      assert_true(s.worst >= s.bound && s.pairs > 0);
      twice += s.first;
      if (s.first) s = sweep(&b);
      assert_false(s.first);
      check_tables(&b);
      s = sweep(&b);
      assert_int_equal(s.kind, RIPSTOP_SWEEP_SAME);
      assert_int_equal(s.changed + s.levels_changed, 0);
    }
    close_bench(&b);
  }
  assert_true(twice > 0);
}

/* Nothing happens but that: never more entries than the budget, and it ends. */
static uint64_t balance_all(bench *b, uint64_t budget) {
  ripstop_sweep s = sweep(b);
  for (unsigned sweeps = 0; s.more; s = sweep(b)) {
    assert_in_range(++sweeps, 1, 200);
    assert_true(s.kind == RIPSTOP_SWEEP_BALANCED && s.changed > 0 && s.changed <= budget && !s.first && !s.unsafe);
    check_tables(b);
  }
  assert_int_equal(s.kind, RIPSTOP_SWEEP_SAME);
  return s.worst;
}

static void a_budget_is_kept(void **state) {
  (void)state;
  enum { BUDGET = 12 };
  bench b = open_bench("torus:5x5", "lanes=2,budget=12");
  ripstop_stream stream = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, 0);
  ripstop_sweep s = sweep(&b);
  assert_true(s.kind == RIPSTOP_SWEEP_PLANNED && s.planned == s.worst && !s.more);
  uint64_t planned = s.worst;
  for (unsigned i = 0; i < 8; i++) {
    change(&b, &stream);
    s = sweep(&b);
    assert_int_equal(s.planned, planned);
    if (s.first) s = sweep(&b);
    check_tables(&b);
  }
  assert_true(s.more);
  assert_true(balance_all(&b, BUDGET) < s.worst);
  close_bench(&b);
}

/* The tables of all switches by GUID and LID, and the levels to all LIDs, as they are published. */
typedef struct published {
  uint8_t table[LIDS][LIDS], level[LIDS];
} published;

static void publish(const bench *b, published *out) {
  memset(out, 0, sizeof *out);
  read_tables(b, out->table);
  for (uint32_t lid = 1; lid < LIDS; lid++)
    out->level[lid] = (uint8_t)ripstop_planner_level(b->planner, lid == 1 ? 2 : 1, lid);
}

/* Every cable fails and returns; then no sweep changes more than the budget, and in the end the tables are the plan's.
 */
static void flap_all(bench *b, uint64_t budget, const published *plan, bool by_pair) {
  static published now;
  for (uint32_t link = b->fabric->link_ends; link < b->fabric->links; link++) {
    ripstop_view_set_link(b->view, link, false);
    bool whole = ripstop_view_disconnected_pairs(b->view) == 0;
    while (whole && sweep(b).first) {
    }
    ripstop_view_set_link(b->view, link, true);
    ripstop_sweep s = sweep(b);
    for (unsigned sweeps = 0; s.more || s.first; s = sweep(b)) {
      assert_in_range(++sweeps, 1, 100);
      assert_true(!s.unsafe && (s.kind == RIPSTOP_SWEEP_REPAIRED || s.changed + s.levels_changed <= budget));
      if (!s.first) check_tables(b);
    }
    assert_true(s.away == 0 || s.stuck);
    assert_true(by_pair || !s.stuck); /* by destination no service level changes */
    publish(b, &now);
    if (!s.stuck) assert_memory_equal(&now, plan, sizeof now);
  }
}

static void a_flap_ends_with_the_plan(void **state) {
  (void)state;
  static published plan;
  static const struct {
    const char *fabric, *options;
    uint64_t budget;
  } cases[] = {{"mport-ntree:m=4,n=2", "lanes=1,budget=1", 1},
               {"kary-ntree:k=3,n=2", "lanes=1,budget=5", 5},
               {"torus:4x4", "lanes=4,budget=1000", 1000},
               {"torus:4x4", "lanes=1,budget=1000", 1000},
               {"kns:k=3,n=2", "lanes=2,sl=pair,budget=1000", 1000}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b = open_bench(cases[i].fabric, cases[i].options);
    ripstop_sweep s = sweep(&b);
    assert_true(s.kind == RIPSTOP_SWEEP_PLANNED && s.away == 0 && s.whole == s.worst);
    publish(&b, &plan);
    flap_all(&b, cases[i].budget, &plan, strstr(cases[i].options, "pair") != NULL);
    close_bench(&b);
  }
}

/* Sweeps until nothing changes: no table is ever worse than the one before. */
static ripstop_sweep return_all(bench *b, uint64_t budget) {
  ripstop_sweep s = sweep(b);
  for (unsigned sweeps = 0; s.more || s.first;) {
    uint64_t worst = s.worst;
    s = sweep(b);
    assert_in_range(++sweeps, 1, 200);
    assert_true(s.worst <= worst && s.changed <= budget && !s.unsafe);
    if (!s.first) check_tables(b);
  }
  assert_true(s.away == 0 || s.stuck);
  return s;
}

static void a_return_makes_no_table_worse(void **state) {
  (void)state;
  enum { CABLES = 3, APART = 5 };
  bench b = open_bench("torus:5x5", "lanes=2,budget=50");
  ripstop_sweep s = sweep(&b);
  uint64_t planned = s.worst;
  for (uint32_t i = 0; i < CABLES; i++) {
    ripstop_view_set_link(b.view, b.fabric->link_ends + APART * i, false);
    sweep(&b);
    sweep(&b);
  }
  for (uint32_t i = 0; i < CABLES; i++) ripstop_view_set_link(b.view, b.fabric->link_ends + APART * i, true);
  s = return_all(&b, 50);
  assert_true(s.away == 0 && s.worst == planned);
  close_bench(&b);
}

/* Random cables fail, while the budget balances. Then all return. */
static void break_and_mend(bench *b, ripstop_stream *stream) {
  for (unsigned n = 0; n < 6; n++) {
    change(b, stream);
    for (ripstop_sweep s = sweep(b); s.more || s.first; s = sweep(b)) assert_false(s.unsafe);
  }
  for (uint32_t link = b->fabric->link_ends; link < b->fabric->links; link++)
    ripstop_view_set_link(b->view, link, true);
}

/* No step is unsafe, changes more than the budget, loses the tree of multicast groups, or loads the worst link twice as
 * much. It ends with the plan, or says which budget leads there. */
static void end_with(bench *b, const published *plan, uint64_t budget, bool always) {
  static published now;
  ripstop_sweep s = sweep(b);
  const uint64_t bar = 2 * (s.worst > s.whole ? s.worst : s.whole);
  for (unsigned sweeps = 0; s.more || s.first;) {
    s = sweep(b);
    assert_in_range(++sweeps, 1, 500);
    assert_true(!s.unsafe && s.changed + s.levels_changed <= budget && s.worst <= bar && s.group_lanes & 1);
    if (!s.first) check_tables(b);
  }
  publish(b, &now);
  if (s.away == 0) assert_memory_equal(&now, plan, sizeof now);
  assert_true(s.away == 0 || (!always && s.stuck && s.enough == s.away && s.enough > budget));
}

static void random_flaps_end_with_the_plan(void **state) {
  (void)state;
  static published plan;
  static const struct {
    const char *fabric, *options;
    uint64_t budget;
    unsigned seeds;
    bool always; /* this budget is enough for all of these flaps */
  } cases[] = {{"torus:4x4", "lanes=4,budget=100", 100, 6, true},
               {"torus:4x4", "lanes=1,budget=30", 30, 6, true},
               {"torus:4x4", "lanes=2,budget=10", 10, 6, true},
               {"torus:5x5", "lanes=2,budget=50", 50, 2, true},
               {"torus:5x5", "lanes=4,budget=7", 7, 1, true},
               {"torus:3x3x2", "lanes=2,budget=20", 20, 4, true},
               {"kary-ntree:k=3,n=3", "lanes=1,budget=20", 20, 2, true},
               {"mport-ntree:m=4,n=3", "lanes=1,budget=1", 1, 2, false},
               {"mport-ntree:m=4,n=3", "lanes=1,budget=50", 50, 3, true},
               {"kns:k=3,n=2", "lanes=2,budget=30", 30, 4, false},
               {"kns:k=3,n=2", "lanes=2,budget=100", 100, 4, true},
               {"hyperx:3x4", "lanes=2,budget=15", 15, 4, true}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned seed = 1; seed <= cases[i].seeds; seed++) {
      char options[64];
      snprintf(options, sizeof options, "%s,seed=%u", cases[i].options, seed);
      bench b = open_bench(cases[i].fabric, options);
      ripstop_stream stream = ripstop_stream_open(seed, RIPSTOP_RANDOM_TEST, 200 + i);
      assert_int_equal(sweep(&b).kind, RIPSTOP_SWEEP_PLANNED);
      publish(&b, &plan);
      break_and_mend(&b, &stream);
      end_with(&b, &plan, cases[i].budget, cases[i].always);
      close_bench(&b);
    }
}

/* Without a budget the tables stay, and the sweep says how far the plan is; a restart, or a start on the broken fabric
 * before that, does not forget the plan. */
static void a_plan_outlives_restarts(void **state) {
  (void)state;
  static published plan, now;
  unlink("kept.tables");
  bench b = open_bench("kary-ntree:k=3,n=2", "lanes=1,file=kept.tables");
  ripstop_sweep s = sweep(&b);
  uint64_t planned = s.worst;
  publish(&b, &plan);
  ripstop_view_set_link(b.view, b.fabric->link_ends, false);
  while (sweep(&b).first) {
  }
  for (unsigned i = 0; i < 2; i++) {
    ripstop_planner_free(b.planner);
    b.planner = open_planner("lanes=1,file=kept.tables");
    s = sweep(&b);
    assert_int_equal(s.away, 0);
  }
  ripstop_view_set_link(b.view, b.fabric->link_ends, true);
  s = sweep(&b);
  assert_true(s.away > 0 && s.worst > planned && s.whole == planned && !s.more);
  uint64_t away = s.away;
  ripstop_planner_free(b.planner);
  b.planner = open_planner("lanes=1,budget=1000,file=kept.tables");
  s = sweep(&b);
  assert_true(s.away == away && s.more);
  uint64_t changed = 0;
  for (s = sweep(&b); s.changed > 0; s = sweep(&b)) {
    assert_int_equal(s.kind, RIPSTOP_SWEEP_RETURNED);
    changed += s.changed;
  }
  assert_true(changed == away && s.away == 0 && s.worst == planned);
  publish(&b, &now);
  assert_memory_equal(&now, &plan, sizeof now);
  close_bench(&b);
  unlink("kept.tables");
}

/* A fabric that was not whole when the planner began is planned once more when it is, if there is a budget. */
static void a_fabric_that_grows_is_planned_for(void **state) {
  (void)state;
  bench b = open_bench("kary-ntree:k=3,n=2", "lanes=1,budget=1000");
  uint64_t best = sweep(&b).worst;
  ripstop_planner_free(b.planner);
  b.planner = open_planner("lanes=1,budget=1000");
  for (uint32_t i = 0; i < 2; i++) ripstop_view_set_link(b.view, b.fabric->link_ends + i, false);
  assert_true(sweep(&b).worst > best);
  for (uint32_t i = 0; i < 2; i++) ripstop_view_set_link(b.view, b.fabric->link_ends + i, true);
  ripstop_sweep s = sweep(&b);
  while (s.more || s.first) s = sweep(&b);
  assert_true(s.worst == best && s.away == 0);
  close_bench(&b);
}

/* Cables of end nodes change nothing, and a switch that comes back finds the entries that were its own. */
static void what_comes_back_finds_its_entries(void **state) {
  (void)state;
  static uint8_t before[LIDS][LIDS], after[LIDS][LIDS];
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    bench b = open_bench(fabrics[i], "lanes=2");
    uint64_t pairs = sweep(&b).pairs;
    read_tables(&b, before);
    ripstop_view_set_link(b.view, 3, false);
    ripstop_sweep s = sweep(&b);
    assert_int_equal(s.kind, RIPSTOP_SWEEP_REPAIRED);
    assert_true(s.changed == 0 && s.pairs < pairs && s.table_seconds <= s.seconds);
    ripstop_view_set_link(b.view, 3, true);
    s = sweep(&b);
    assert_true(s.changed == 0 && s.pairs == pairs);
    read_tables(&b, after);
    assert_memory_equal(before, after, sizeof before);
    close_bench(&b);
  }
}

static void damage_changes_nothing(void **state) {
  (void)state;
  ripstop_sweep s;
  ripstop_error err = {0};
  static uint8_t before[LIDS][LIDS], after[LIDS][LIDS];
  bench b = open_bench(fabrics[0], "lanes=2");
  assert_int_equal(ripstop_planner_sweep(b.planner, "", 0, &s, &err), -1);
  uint64_t guid;
  lid_of(&b, b.fabric->ends, &guid);
  assert_false(ripstop_planner_table(b.planner, guid, before[0], LIDS));
  assert_int_equal(ripstop_planner_level(b.planner, 1, 2), 0);
  sweep(&b);
  read_tables(&b, before);
  for (size_t length = 0; length < b.length; length += b.length / 9) { /* cut off, then bytes turned over */
    char *damaged = malloc(b.length);
    memcpy(damaged, b.dump, b.length);
    for (size_t at = length; at < b.length && length % 2; at += 7) damaged[at] ^= 0x15;
    err.text[0] = '\0';
    if (ripstop_planner_sweep(b.planner, damaged, length % 2 ? b.length : length, &s, &err) != 0) {
      assert_true(err.text[0] != '\0');
      read_tables(&b, after);
      assert_memory_equal(before, after, sizeof before);
    } else {
      sweep(&b);
      read_tables(&b, before);
    }
    free(damaged);
  }
  assert_false(ripstop_planner_table(b.planner, 77, before[0], LIDS)); /* an unknown LID */
  assert_int_equal(ripstop_planner_level(b.planner, 60000, UINT32_MAX), 0);
  close_bench(&b);
}

/* Sweeps, each after a change; of every fifth the dump is damaged first. */
static void sweep_often(bench *b, ripstop_stream *stream, uint32_t sweeps) {
  for (uint32_t i = 0; i < sweeps; i++) {
    change(b, stream);
    ripstop_sweep s = sweep(b);
    if (i % 5 || s.first) continue;
    ripstop_error err = {0};
    for (unsigned k = 0; k < 20; k++) b->dump[ripstop_stream_below(stream, (uint32_t)b->length)] ^= 0x15;
    ripstop_planner_sweep(b->planner, b->dump, b->length, &s, &err);
  }
}

static size_t bytes_in_use(void) {
  struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}

/* With everything alive, after some sweeps and after many. */
static void memory_does_not_grow(void **state) {
  (void)state;
  const char *asked = getenv("RIPSTOP_SWEEPS"); /* tools/planner-sweeps.sh */
  uint32_t sweeps = asked ? (uint32_t)atoi(asked) : 120;
  bench b = open_bench(fabrics[0], "lanes=2,file=kept.tables");
  ripstop_stream stream = ripstop_stream_open(9, RIPSTOP_RANDOM_TEST, 0);
  size_t used[2];
  for (unsigned half = 0; half < 2; half++) {
    sweep_often(&b, &stream, half ? sweeps - sweeps / 4 : sweeps / 4);
    for (uint32_t link = 0; link < b.fabric->links; link++) ripstop_view_set_link(b.view, link, true);
    for (uint32_t node = b.fabric->ends; node < b.fabric->nodes; node++) ripstop_view_set_switch(b.view, node, true);
    while (sweep(&b).first) {
    }
    used[half] = bytes_in_use();
  }
  print_message("%u sweeps: %zu bytes in use after a quarter, %zu at the end\n", sweeps, used[0], used[1]);
  assert_true(used[1] <= used[0] + used[0] / 4);
  close_bench(&b);
  unlink("kept.tables");
}

static void a_restart_changes_nothing(void **state) {
  (void)state;
  static uint8_t before[LIDS][LIDS], after[LIDS][LIDS];
  unlink("kept.tables");
  bench b = open_bench(fabrics[1], "file=kept.tables");
  ripstop_view_set_link(b.view, b.fabric->links - 1, false);
  assert_null(sweep(&b).notice);
  read_tables(&b, before);
  ripstop_planner_free(b.planner);
  b.planner = open_planner("file=kept.tables,seed=2");
  ripstop_sweep s = sweep(&b);
  assert_int_equal(s.kind, RIPSTOP_SWEEP_RESTORED);
  assert_int_equal(s.changed, 0);
  read_tables(&b, after);
  assert_memory_equal(before, after, sizeof before);
  for (uint32_t from = 1; from < 20; from++)
    for (uint32_t to = 1; to < 20; to++) assert_in_range(ripstop_planner_level(b.planner, from, to), 0, 3);

  FILE *file = fopen("kept.tables", "r+b"); /* one byte of it */
  fseek(file, 100, SEEK_SET);
  fputc('!', file);
  fclose(file);
  ripstop_planner_free(b.planner);
  b.planner = open_planner("file=kept.tables");
  s = sweep(&b);
  assert_int_equal(s.kind, RIPSTOP_SWEEP_PLANNED);
  assert_non_null(strstr(s.notice, "kept.tables: damaged"));
  check_tables(&b);
  close_bench(&b);
  unlink("kept.tables");
}

/* ------------------------------------------------------------------ tables in the switches */

/* Gives the planner tables as what the switches hold. */
static void hold(const bench *b, uint8_t (*table)[LIDS]) {
  uint64_t guid;
  ripstop_error err;
  for (uint32_t node = b->fabric->ends; node < b->fabric->nodes; node++) {
    lid_of(b, node, &guid);
    assert_int_equal(ripstop_planner_holds(b->planner, guid, table[node], LIDS, &err), 0);
  }
}

static void another_manager_takes_over(void **state) {
  (void)state;
  static uint8_t held[LIDS][LIDS], before[LIDS][LIDS];
  static const struct {
    const char *fabric, *options;
    bool file; /* its own, from before the last fault */
    ripstop_sweep_kind kind;
    bool unknown, unsafe; /* levels in use; so an order of writes */
  } cases[] = {{"torus:4x4", "lanes=1", false, RIPSTOP_SWEEP_KEPT, false, false},
               {"kary-ntree:k=3,n=2", "lanes=4", false, RIPSTOP_SWEEP_KEPT, true, false},
               {"torus:4x4", "lanes=4,file=kept.tables", true, RIPSTOP_SWEEP_KEPT, true, true},
               {"torus:4x4", "lanes=4", false, RIPSTOP_SWEEP_PLANNED, true, true}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    unlink("kept.tables");
    bench b = open_bench(cases[i].fabric, cases[i].options);
    sweep(&b);
    char *file = NULL;
    size_t length = 0;
    ripstop_error err = {0};
    ripstop_arena *arena = ripstop_arena_new();
    if (cases[i].file && ripstop_read_file(arena, "kept.tables", 1 << 20, &file, &length, &err))
      fail_msg("%s", err.text);
    ripstop_view_set_link(b.view, b.fabric->link_ends, false);
    while (sweep(&b).first) {
    }
    read_tables(&b, held);
    if (cases[i].file) {
      FILE *old = fopen("kept.tables", "wb");
      fwrite(file, 1, length, old);
      fclose(old);
    }
    ripstop_planner_free(b.planner);
    b.planner = open_planner(cases[i].options);
    ripstop_planner_take_over(b.planner, "host 0x1");
    hold(&b, held);
    ripstop_sweep s = sweep(&b);
    assert_int_equal(s.kind, cases[i].kind);
    assert_true(s.taken.over && s.taken.held > 0 && (s.taken.generation > 0) == cases[i].file && s.taken.differs > 0);
    bool kept_all = s.kind == RIPSTOP_SWEEP_KEPT;
    assert_true(kept_all ? s.changed == 0 && !s.first : s.changed > 0);
    assert_true(s.taken.levels_unknown == cases[i].unknown && s.unsafe == cases[i].unsafe);
    while (s.first) s = sweep(&b);
    check_tables(&b);
    read_tables(&b, before);
    uint64_t differs = 0;
    for (uint32_t node = b.fabric->ends; node < b.fabric->nodes; node++)
      for (uint32_t lid = 0; lid < LIDS; lid++) differs += before[node][lid] != held[node][lid];
    assert_true(s.first || differs == (kept_all ? 0 : s.changed));
    ripstop_arena_free(arena);
    close_bench(&b);
  }
  unlink("kept.tables");
}

/* The planner plans for the fabric without two cables, into the file; then it takes over from another one, which
 * planned for the whole fabric. */
static ripstop_sweep take_over_whole(bench *b, uint32_t one, uint32_t other, uint8_t (*held)[LIDS]) {
  unlink("kept.tables");
  ripstop_view_set_link(b->view, one, false);
  ripstop_view_set_link(b->view, other, false);
  ripstop_planner_free(b->planner);
  b->planner = open_planner("lanes=4,file=kept.tables");
  sweep(b);
  ripstop_view_set_link(b->view, one, true);
  ripstop_view_set_link(b->view, other, true);
  ripstop_planner_take_over(b->planner, "host 0x1");
  hold(b, held);
  return sweep(b);
}

/* The file's levels are those of other tables than the switches hold, so nothing is known of those that packets carry,
 * even where the file's levels fit and all entries stay. */
static void levels_of_another_plan_are_not_known(void **state) {
  (void)state;
  static uint8_t held[LIDS][LIDS];
  bool kept_all = false;
  bench b = open_bench("torus:4x4", "lanes=4");
  sweep(&b);
  read_tables(&b, held);
  for (uint32_t link = b.fabric->link_ends; link < b.fabric->links && !kept_all; link++)
    for (uint32_t other = b.fabric->link_ends; other < link && !kept_all; other++) {
      ripstop_sweep s = take_over_whole(&b, link, other, held);
      assert_true(s.taken.differs > 0 && s.taken.levels_unknown && s.unsafe);
      kept_all = s.kind == RIPSTOP_SWEEP_KEPT;
    }
  assert_true(kept_all);
  close_bench(&b);
  unlink("kept.tables");
}

/* Another manager has planned since: its plan, in the file of both, counts more than the older one in memory. */
static void a_newer_plan_is_taken_over(void **state) {
  (void)state;
  static uint8_t held[LIDS][LIDS];
  unlink("kept.tables");
  bench b = open_bench("torus:4x4", "lanes=4,file=kept.tables");
  sweep(&b);
  ripstop_planner *first = b.planner;
  unlink("kept.tables");
  b.planner = open_planner("lanes=4,seed=2,file=kept.tables");
  assert_int_equal(sweep(&b).away, 0);
  read_tables(&b, held);
  ripstop_planner_free(b.planner);
  b.planner = first;
  ripstop_planner_take_over(b.planner, "host 0x1");
  hold(&b, held);
  ripstop_sweep s = sweep(&b);
  assert_true(s.kind == RIPSTOP_SWEEP_RESTORED && s.taken.differs == 0 && s.away == 0);
  ripstop_view_set_link(b.view, b.fabric->link_ends, false);
  while (sweep(&b).first) {
  }
  ripstop_view_set_link(b.view, b.fabric->link_ends, true);
  assert_in_range(sweep(&b).away, 1, 100); /* the repair changed these of 512 entries */
  close_bench(&b);
  unlink("kept.tables");
}

/* The plan is the same for two managers, so a take-over of a whole fabric changes nothing, even without a file. */
static void managers_plan_alike(void **state) {
  (void)state;
  static uint8_t held[LIDS][LIDS], empty[LIDS][LIDS];
  memset(empty, NONE, sizeof empty);
  for (unsigned i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    bench b = open_bench(fabrics[i], "lanes=4");
    hold(&b, empty);
    ripstop_sweep s = sweep(&b);
    assert_true(s.taken.held == 0 && s.changed > 0 && !s.unsafe);
    read_tables(&b, held);
    ripstop_planner_take_over(b.planner, "");
    hold(&b, held);
    s = sweep(&b);
    assert_true(s.taken.over && s.changed == 0 && !s.unsafe && s.kind != RIPSTOP_SWEEP_REPAIRED);
    close_bench(&b);
  }
}

/* A write that did not arrive is noticed, and counts; so does a switch that lost its table. */
static void lost_writes_are_written_again(void **state) {
  (void)state;
  static uint8_t old[LIDS][LIDS], held[LIDS][LIDS], now[LIDS][LIDS];
  bench b = open_bench("torus:4x4", "lanes=2");
  sweep(&b);
  read_tables(&b, old);
  ripstop_view_set_link(b.view, b.fabric->link_ends, false);
  while (sweep(&b).first) {
  }
  uint64_t guid;
  uint32_t lost = b.fabric->ends;
  read_tables(&b, held);
  for (uint32_t node = b.fabric->ends; node < b.fabric->nodes; node++)
    if (memcmp(old[node], held[node], LIDS) != 0) lost = node;
  memcpy(held[lost], old[lost], LIDS);
  hold(&b, held);
  ripstop_sweep s = sweep(&b);
  assert_true(s.changed > 0 && s.lost == 0);
  while (s.first) {
    read_tables(&b, held);
    hold(&b, held);
    s = sweep(&b);
  }
  check_tables(&b);
  read_tables(&b, held);
  memset(held[lost], NONE, LIDS);
  hold(&b, held);
  s = sweep(&b);
  read_tables(&b, now);
  uint64_t entries = 0;
  lid_of(&b, lost, &guid);
  for (uint32_t lid = 0; lid < LIDS; lid++) entries += now[lost][lid] != NONE;
  assert_true(s.kind == RIPSTOP_SWEEP_SAME && s.changed == entries);
  close_bench(&b);
}

/* ------------------------------------------------------------------ files, edited by the test */

static const char kept[] = "kept.tables";

/* Another planner takes over, from the file. */
static ripstop_sweep restart(bench *b, const char *options) {
  ripstop_planner_free(b->planner);
  b->planner = open_planner(options);
  return sweep(b);
}

/* Writes a byte so many before the file's hash, and the hash that belongs to it. */
static void edit_file(size_t before_hash, char byte) {
  char *data = NULL, hash[RIPSTOP_HASH];
  size_t length = 0;
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  if (ripstop_read_file(arena, kept, 1 << 20, &data, &length, &err)) fail_msg("%s", err.text);
  length -= RIPSTOP_HASH - 1;
  data[length - before_hash] = byte;
  ripstop_hash(data, length, hash);
  FILE *file = fopen(kept, "wb");
  fwrite(data, 1, length, file);
  fwrite(hash, 1, RIPSTOP_HASH - 1, file);
  fclose(file);
  ripstop_arena_free(arena);
}

static void levels_without_a_lane_are_refused(void **state) {
  (void)state;
  bench b = open_bench(fabrics[0], "lanes=2,file=kept.tables");
  sweep(&b);
  edit_file(1, 1);
  assert_null(restart(&b, "lanes=2,file=kept.tables").notice);
  edit_file(1, 2);
  ripstop_sweep s = restart(&b, "lanes=2,file=kept.tables");
  assert_int_equal(s.kind, RIPSTOP_SWEEP_PLANNED);
  assert_non_null(strstr(s.notice, "kept.tables: damaged"));
  check_tables(&b);
  close_bench(&b);
  unlink(kept);
}

/* The first two end nodes say the same port GUID. */
static void double_guid(bench *b) {
  char mine[20], other[20];
  ib_subnet_node n;
  for (uint32_t node = 0; node < 2; node++) {
    ib_subnet_node_of(b->fabric, node, &n);
    snprintf(node ? other : mine, sizeof mine, "(%" PRIx64 ")", n.port_guid);
  }
  assert_int_equal(strlen(mine), strlen(other));
  for (char *at = b->dump; (at = strstr(at, other));) memcpy(at, mine, strlen(mine));
}

static ripstop_sweep sweep_doubled(bench *b) {
  ripstop_error err = {0};
  ripstop_sweep s;
  free(b->dump);
  FILE *file = open_memstream(&b->dump, &b->length);
  ib_subnet_print(b->fabric, b->view->port_up, b->view->node_up, file);
  fclose(file);
  double_guid(b);
  if (ripstop_planner_sweep(b->planner, b->dump, b->length, &s, &err)) fail_msg("%s", err.text);
  return s;
}

static void nodes_may_share_a_port_guid(void **state) {
  (void)state;
  bench b = open_bench(fabrics[0], "lanes=2,file=kept.tables");
  sweep_doubled(&b);
  check_tables(&b);
  for (uint32_t link = b.fabric->link_ends; link < b.fabric->link_ends + 3; link++) {
    ripstop_view_set_link(b.view, link, false);
    while (sweep_doubled(&b).first) {
    }
    check_tables(&b);
  }
  ripstop_planner_free(b.planner);
  b.planner = open_planner("lanes=2,file=kept.tables");
  assert_int_equal(sweep_doubled(&b).kind, RIPSTOP_SWEEP_RESTORED);
  check_tables(&b);
  close_bench(&b);
  unlink(kept);
}

/* ------------------------------------------------------------------ several LIDs a port */

/* The dump with twice the LIDs; adapters have two each. */
static void double_lids(bench *b) {
  ripstop_text text = {0};
  for (char *at = b->dump, *lid; at; at = lid) {
    lid = strstr(at + 1, "lid ");
    ripstop_text_add(&text, "%.*s", lid ? (int)(lid - at) : (int)strlen(at), at);
    if (!lid) break;
    uint32_t number = (uint32_t)strtoul(lid + 4, &lid, 10);
    bool own = strncmp(lid, " lmc 0 \"", 8) == 0; /* LID of an adapter; a switch's is at the end of its line */
    ripstop_text_add(&text, "lid %u%s", 2 * number, own ? " lmc 1" : "");
    lid += own ? strlen(" lmc 0") : 0;
    if (*lid == '\0') break;
  }
  free(b->dump);
  b->dump = strdup(text.data);
  b->length = text.length;
  ripstop_text_free(&text);
}

static ripstop_sweep sweep_lmc(bench *b) {
  ripstop_error err = {0};
  ripstop_sweep s;
  free(b->dump);
  FILE *file = open_memstream(&b->dump, &b->length);
  ib_subnet_print(b->fabric, b->view->port_up, b->view->node_up, file);
  fclose(file);
  double_lids(b);
  if (ripstop_planner_sweep(b->planner, b->dump, b->length, &s, &err)) fail_msg("%s", err.text);
  return s;
}

/* Every live switch leads to every LID, to those of one adapter over different ports too. */
static void check_lids(const bench *b) {
  uint8_t table[LIDS][LIDS];
  uint64_t guid;
  uint32_t apart = 0, most = 0;
  read_tables(b, table);
  for (uint32_t from = b->fabric->ends; from < b->fabric->nodes; from++)
    for (uint32_t to = 0; to < b->fabric->nodes; to++) {
      uint32_t lid = 2 * lid_of(b, to, &guid);
      walk(b, table, from, to, lid);
      if (!ripstop_is_end(b->fabric, to)) continue;
      walk(b, table, from, to, lid + 1);
      apart += table[from][lid] != table[from][lid + 1];
      most++;
    }
  assert_true(4 * apart > most);
}

static void each_lid_of_a_port_has_candidates(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    unlink(kept);
    bench b = open_bench(fabrics[i], "lanes=2,file=kept.tables");
    ripstop_stream stream = ripstop_stream_open(2, RIPSTOP_RANDOM_TEST, i);
    uint64_t alone = sweep(&b).worst;
    ripstop_sweep s = sweep_lmc(&b); /* OpenSM has LMC set */
    assert_int_equal(s.kind, RIPSTOP_SWEEP_PLANNED);
    assert_true(s.worst > alone && s.worst <= 2 * alone && s.worst >= s.bound);
    while (s.first) s = sweep_lmc(&b);
    check_lids(&b);
    for (unsigned trial = 0; trial < 6; trial++) {
      change(&b, &stream);
      s = sweep_lmc(&b);
      assert_int_equal(s.lost, 0);
      while (s.first) s = sweep_lmc(&b);
      check_lids(&b);
    }
    ripstop_planner_free(b.planner);
    b.planner = open_planner("lanes=2,file=kept.tables");
    s = sweep_lmc(&b);
    assert_int_equal(s.kind, RIPSTOP_SWEEP_RESTORED);
    assert_int_equal(s.changed, 0);
    check_lids(&b);
    assert_int_equal(restart(&b, "lanes=2,file=kept.tables").kind, RIPSTOP_SWEEP_PLANNED); /* one LID again */
    close_bench(&b);
  }
  unlink(kept);
}

static void options_count_more_than_the_file(void **state) {
  (void)state;
  bench b = open_bench(fabrics[0], "lanes=4,sl=pair,file=kept.tables");
  assert_in_range(sweep(&b).lanes, 2, 4);
  ripstop_sweep s = restart(&b, "lanes=4,sl=pair,file=kept.tables");
  assert_int_equal(s.kind, RIPSTOP_SWEEP_RESTORED);
  s = restart(&b, "lanes=4,file=kept.tables");
  assert_int_equal(s.kind, RIPSTOP_SWEEP_PLANNED);
  while (s.first) s = sweep(&b);
  for (uint32_t to = 1; to < 20; to++)
    for (uint32_t from = 1; from < 20; from++)
      assert_int_equal(ripstop_planner_level(b.planner, from, to), ripstop_planner_level(b.planner, 1, to));
  s = restart(&b, "lanes=1,file=kept.tables");
  assert_int_equal(s.kind, RIPSTOP_SWEEP_PLANNED);
  while (s.first) s = sweep(&b);
  assert_int_equal(s.lanes, 1);
  check_tables(&b);
  assert_int_equal(restart(&b, "lanes=8,file=kept.tables").kind, RIPSTOP_SWEEP_RESTORED);
  close_bench(&b);
  unlink(kept);
}

/* Not more, whatever the options and the file have. */
static void new_tables_have_the_allowed_lanes(void **state) {
  (void)state;
  bench b = open_bench(fabrics[0], "lanes=4,file=kept.tables");
  ripstop_planner_allow(b.planner, 3);
  assert_int_equal(sweep(&b).lanes, 3);
  ripstop_planner_allow(b.planner, 4);
  ripstop_sweep s = sweep_lmc(&b); /* OpenSM has LMC set: all tables are recomputed */
  assert_true(s.kind == RIPSTOP_SWEEP_PLANNED && s.lanes == 4);
  ripstop_planner_allow(b.planner, 2);
  s = sweep(&b);
  assert_true(s.kind == RIPSTOP_SWEEP_PLANNED && s.lanes == 2);
  ripstop_planner_free(b.planner);
  b.planner = open_planner("lanes=4,file=kept.tables");
  ripstop_planner_allow(b.planner, 1);
  s = sweep(&b);
  assert_true(s.kind == RIPSTOP_SWEEP_PLANNED && s.lanes == 1);
  ripstop_planner_allow(b.planner, 9);
  assert_int_equal(sweep(&b).lanes, 1);
  assert_int_equal(restart(&b, "lanes=4,file=kept.tables").kind, RIPSTOP_SWEEP_RESTORED);
  close_bench(&b);
  unlink(kept);
}

/* A cable fails between two runs. */
static void a_restart_repairs_and_writes(void **state) {
  (void)state;
  bench b = open_bench(fabrics[0], "file=kept.tables");
  sweep(&b);
  ripstop_view_set_link(b.view, b.fabric->links - 1, false);
  ripstop_sweep s = restart(&b, "file=kept.tables");
  assert_int_equal(s.kind, RIPSTOP_SWEEP_REPAIRED);
  assert_true(s.changed > 0);
  while (s.first) s = sweep(&b);
  check_tables(&b);
  s = restart(&b, "file=kept.tables");
  assert_int_equal(s.kind, RIPSTOP_SWEEP_RESTORED);
  assert_int_equal(s.changed + s.levels_changed, 0);
  s = sweep(&b);
  assert_int_equal(s.kind, RIPSTOP_SWEEP_SAME);
  assert_false(s.unsafe);
  close_bench(&b);
  unlink(kept);
}

/* ------------------------------------------------------------------ the file, read by others */

/* The tables of `ripstop route --after`: the file's, repaired for the dump's fabric; NULL: they may not stay. */
static ripstop_forwarding *repair_file(const bench *b, const ripstop_view *view, const char *method,
                                       ripstop_error *err) {
  ripstop_answer answer;
  bool missing;
  snapshot *s = snapshot_read(kept, &missing, err);
  if (!s) fail_msg("%s: %s", b->fabric->spec, err->text);
  ripstop_forwarding *old = snapshot_lay(s, view->fabric);
  ripstop_forwarding *t = ripstop_plan_repair(view, method, old, NULL, &answer, err);
  assert_true(t || answer == RIPSTOP_DOES_NOT_APPLY);
  ripstop_forwarding_free(old);
  snapshot_free(s);
  return t;
}

/* The planner has the same entry for an address at all switches, and the same levels from all end nodes. */
static void compare_address(const bench *b, const ripstop_forwarding *t, uint32_t a) {
  const ripstop_fabric *f = t->fabric;
  static uint8_t table[LIDS];
  ib_subnet_node to, n;
  ib_subnet_node_of(f, t->node[a], &to);
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    uint32_t port = node == t->node[a] ? 0 : ripstop_forwarding_port(t, a, node);
    ib_subnet_node_of(f, node, &n);
    assert_true(ripstop_planner_table(b->planner, n.guid, table, LIDS));
    assert_int_equal(table[to.lid], port < NONE ? port : NONE);
  }
  for (uint32_t end = 0; end < f->ends; end++) {
    ib_subnet_node_of(f, end, &n);
    if (end != t->node[a])
      assert_int_equal(ripstop_planner_level(b->planner, n.lid, to.lid), ripstop_forwarding_level(t, end, a));
  }
}

/* A restart changes the file's tables as `ripstop route --after` computed before. */
static void paper_says_what_a_restart_does(void **state) {
  (void)state;
  for (unsigned i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    const char *options = i == 0 ? "lanes=3,sl=pair,file=kept.tables" : "lanes=2,file=kept.tables";
    bench b = open_bench(fabrics[i], options);
    ripstop_stream stream = ripstop_stream_open(11, RIPSTOP_RANDOM_TEST, i);
    sweep(&b);
    for (unsigned trial = 0; trial < 10; trial++) {
      ripstop_error err = {0};
      change(&b, &stream);
      print_dump(&b);
      ripstop_fabric *f = ripstop_ib_from_text("dump", b.dump, b.length, &err);
      ripstop_view *view = ripstop_view_new(f, NULL);
      ripstop_forwarding *paper =
          repair_file(&b, view, i == 0 ? "mend:lanes=3,sl=pair,groups=tree" : "mend:lanes=2,groups=tree", &err);
      ripstop_sweep s = restart(&b, options);
      while (s.first) s = sweep(&b);
      assert_int_equal(s.kind == RIPSTOP_SWEEP_PLANNED, paper == NULL);
      for (uint32_t a = 0; paper && a < paper->addresses; a++) compare_address(&b, paper, a);
      ripstop_forwarding_free(paper);
      ripstop_view_free(view);
      ripstop_fabric_free(f);
    }
    close_bench(&b);
  }
  unlink(kept);
}

/* The same options forbid the same tables, and give the same reason. */
static void paper_refuses_what_a_restart_refuses(void **state) {
  (void)state;
  static const struct {
    const char *was, *now, *method, *why; /* why: NULL: they stay */
  } cases[] = {{"lanes=2", "lanes=1", "mend:lanes=1", "use 2 virtual lanes, more than lanes=1 allows"},
               {"lanes=2", "lanes=4", "mend:lanes=4", NULL},
               {"lanes=4,sl=pair", "lanes=4", "mend:lanes=4", "depend on the source"},
               {"lanes=2", "lanes=2,sl=pair", "mend:lanes=2,sl=pair", NULL}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    char options[64];
    ripstop_error err = {0};
    snprintf(options, sizeof options, "%s,file=kept.tables", cases[i].was);
    bench b = open_bench(fabrics[0], options);
    sweep(&b);
    ripstop_forwarding *paper = repair_file(&b, b.view, cases[i].method, &err);
    if (cases[i].why) assert_non_null(strstr(err.text, cases[i].why));
    if (!paper != !!cases[i].why) fail_msg("%s, then %s: %s", cases[i].was, cases[i].now, err.text);
    snprintf(options, sizeof options, "%s,file=kept.tables", cases[i].now);
    ripstop_sweep s = restart(&b, options);
    assert_int_equal(s.kind, cases[i].why ? RIPSTOP_SWEEP_PLANNED : RIPSTOP_SWEEP_RESTORED);
    assert_true(cases[i].why || s.lanes == 2); /* fewer stay fewer */
    ripstop_forwarding_free(paper);
    close_bench(&b);
    unlink(kept);
  }
}

static void a_file_that_cannot_be_written_is_reported(void **state) {
  (void)state;
  bench b = open_bench(fabrics[0], "file=no/such/folder/tables");
  ripstop_sweep s = sweep(&b);
  assert_non_null(strstr(s.notice, "no/such/folder"));
  check_tables(&b);
  close_bench(&b);
}

static void options_are_checked(void **state) {
  (void)state;
  ripstop_error err = {0};
  assert_null(ripstop_planner_open("lanes=9", &err));
  assert_null(ripstop_planner_open("lane=3", &err));
  assert_non_null(strstr(err.text, "lanes"));
  ripstop_planner *k = open_planner(NULL);
  assert_int_equal(ripstop_planner_lanes(k), 4);
  ripstop_planner_free(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_change_is_followed),
      cmocka_unit_test(a_budget_is_kept),
      cmocka_unit_test(a_flap_ends_with_the_plan),
      cmocka_unit_test(a_return_makes_no_table_worse),
      cmocka_unit_test(random_flaps_end_with_the_plan),
      cmocka_unit_test(a_plan_outlives_restarts),
      cmocka_unit_test(a_fabric_that_grows_is_planned_for),
      cmocka_unit_test(another_manager_takes_over),
      cmocka_unit_test(levels_of_another_plan_are_not_known),
      cmocka_unit_test(a_newer_plan_is_taken_over),
      cmocka_unit_test(managers_plan_alike),
      cmocka_unit_test(lost_writes_are_written_again),
      cmocka_unit_test(damage_changes_nothing),
      cmocka_unit_test(a_restart_changes_nothing),
      cmocka_unit_test(a_file_that_cannot_be_written_is_reported),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(levels_without_a_lane_are_refused),
      cmocka_unit_test(nodes_may_share_a_port_guid),
      cmocka_unit_test(each_lid_of_a_port_has_candidates),
      cmocka_unit_test(options_count_more_than_the_file),
      cmocka_unit_test(new_tables_have_the_allowed_lanes),
      cmocka_unit_test(a_restart_repairs_and_writes),
      cmocka_unit_test(paper_says_what_a_restart_does),
      cmocka_unit_test(paper_refuses_what_a_restart_refuses),
      cmocka_unit_test(what_comes_back_finds_its_entries),
      cmocka_unit_test(memory_does_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
