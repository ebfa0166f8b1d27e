/* test_docs_lemmas.c - docs/lemmas-misroute.md against the prover: every row of its tables that can be had quickly is
 * computed again, and what it says of the plain channel dependency graph is held against one that is built here. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "opened.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/plugin/method.h"
#include "stand.h"

#define PAGE RIPSTOP_SOURCE_DIR "/docs/lemmas-misroute.md"

enum { CELLS_MAX = 16, PAGE_LIMIT = 1 << 20 };
enum { COUNT_CELLS = 10, SET_CELLS = 5, GRAPH_CELLS = 9 }; /* columns of the three kinds of table */
enum { WORK_MAX = 400000 }; /* proofs x end nodes^2 of a row: beyond, it is not computed again */

/* ------------------------------------------------------------------ rows of tables */

typedef struct row {
  char *cell[CELLS_MAX]; /* without blanks and backquotes around */
  size_t cells;
} row;

static char *trim(char *text) {
  size_t length = strlen(text);
  while (length && strchr(" `", text[length - 1])) text[--length] = '\0';
  return text + strspn(text, " `");
}

/* Takes the line apart, which must start with '|'. */
static row split(char *line) {
  row r = {0};
  for (char *at = line + 1, *bar; (bar = strchr(at, '|')) && r.cells < CELLS_MAX; at = bar + 1) {
    *bar = '\0';
    r.cell[r.cells++] = trim(at);
  }
  return r;
}

/* Whole numbers are written with commas. */
static uint64_t number(const char *cell) {
  uint64_t value = 0;
  for (; *cell; cell++) {
    if (*cell == ',') continue;
    if (*cell < '0' || *cell > '9') fail_msg("'%s' is no number", cell);
    value = 10 * value + (uint64_t)(*cell - '0');
  }
  return value;
}

/* fabric, method, failed links, sets, connected, tolerated, deadlock, tolerated but deadlock, round forever, proofs */
static bool check_counts(const row *r) {
  ripstop_error err;
  ripstop_tally t;
  ripstop_fabric *f = open_fabric(r->cell[0]);
  ripstop_many many = {.fabric = f,
                       .method = r->cell[1],
                       .kind = RIPSTOP_SETS_ALL,
                       .count = (uint32_t)number(r->cell[2]),
                       .scope = RIPSTOP_FAULTS_SWITCH_LINKS,
                       .symmetry = true,
                       .confidence = 0.99,
                       .threads = 1};
  bool quick = number(r->cell[9]) * f->ends * f->ends <= WORK_MAX;
  if (quick) {
    if (ripstop_prove_many(&many, &t, &err)) fail_msg("%s %s: %s", r->cell[0], r->cell[1], err.text);
    const uint64_t found[] = {t.all.sets,
                              t.connected.sets,
                              t.connected.tolerated,
                              t.connected.deadlocked,
                              t.connected.tolerated - t.connected.safe,
                              t.connected.livelocked,
                              t.proofs};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
      if (number(r->cell[3 + i]) != found[i])
        fail_msg("%s %s, %s failed links: column %zu says %s, found %" PRIu64, r->cell[0], r->cell[1], r->cell[2],
                 4 + i, r->cell[3 + i], found[i]);
  }
  ripstop_fabric_free(f);
  return quick;
}

/* fabric, subfunction of misroute, failed links, sets, connected, head starved, cycle, deadlock, proofs */
static bool check_graph_counts(const row *r) {
  ripstop_error err;
  ripstop_tally t;
  ripstop_fabric *f = open_fabric(r->cell[0]);
  ripstop_many many = {.fabric = f,
                       .method = "misroute",
                       .kind = RIPSTOP_SETS_ALL,
                       .count = (uint32_t)number(r->cell[2]),
                       .scope = RIPSTOP_FAULTS_SWITCH_LINKS,
                       .symmetry = true,
                       .confidence = 0.99,
                       .threads = 1,
                       .subfunction =
                           ripstop_subfunction_find(ripstop_method_find("misroute", 8, &err), r->cell[1], &err)};
  bool quick = number(r->cell[8]) * f->ends * f->ends <= WORK_MAX;
  if (quick) {
    if (ripstop_prove_many(&many, &t, &err)) fail_msg("%s %s: %s", r->cell[0], r->cell[1], err.text);
    const uint64_t found[] = {t.all.sets,         t.connected.sets,       t.connected.starved,
                              t.connected.cyclic, t.connected.deadlocked, t.proofs};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
      if (number(r->cell[3 + i]) != found[i])
        fail_msg("%s %s, %s failed links: column %zu says %s, found %" PRIu64, r->cell[0], r->cell[1], r->cell[2],
                 4 + i, r->cell[3 + i], found[i]);
  }
  ripstop_fabric_free(f);
  return quick;
}

/* fabric, method, failed links by name, pairs that can be lost, queues that wait */
static void check_set(const row *r) {
  ripstop_error err;
  ripstop_fabric *f = open_fabric(r->cell[0]);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_names *names = ripstop_names_new(f);
  ripstop_faults faults;
  ripstop_proof proof;
  if (ripstop_faults_parse(arena, names, r->cell[2], strlen(r->cell[2]), &faults, &err)) fail_msg("%s", err.text);
  ripstop_view *view = ripstop_view_new(f, &faults);
  ripstop_plan *plan = stand_plan(view, r->cell[1], NULL, &err);
  ripstop_prover *prover = ripstop_prover_new(f);
  if (!plan || ripstop_prover_prove(prover, plan, &proof, &err)) fail_msg("%s", err.text);
  assert_true(proof.disconnected_pairs == 0);
  assert_int_equal(proof.lost_pairs_some_choice, number(r->cell[3]));
  assert_int_equal(proof.deadlock_free ? 0 : proof.queues, number(r->cell[4]));
  ripstop_prover_free(prover);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_names_free(names);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

static void tables_say_what_the_prover_finds(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  char *page;
  size_t length, computed = 0, rows = 0, sets = 0;
  if (ripstop_read_file(arena, PAGE, PAGE_LIMIT, &page, &length, &err)) fail_msg("%s", err.text);
  for (char *line = page, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    if (strncmp(line, "| `", 3) != 0) continue;
    row r = split(line);
    if (r.cells == COUNT_CELLS + 1) { /* and seconds */
      rows++;
      computed += check_counts(&r);
    } else if (r.cells == GRAPH_CELLS) {
      rows++;
      computed += check_graph_counts(&r);
    } else if (r.cells == SET_CELLS) {
      sets++;
      check_set(&r);
    } else {
      fail_msg("a row of %zu cells", r.cells);
    }
  }
  print_message("%zu of %zu rows recomputed, %zu sets\n", computed, rows, sets);
  assert_true(computed > rows / 2);
  assert_true(sets > 0);
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ the plain channel dependency graph */

enum { HEADERS = 8, CANDIDATES_MAX = 8 }; /* 3 bits: enough for the 3-ary 2-tree */

typedef struct graph {
  const ripstop_plan *plan;
  uint8_t *edge; /* [ports * ports]: a head in the first one's queue may go on through the second */
  uint8_t *seen; /* [ports * HEADERS], for one destination */
  uint8_t *mark; /* [ports]: 1 on the path, 2 done */
} graph;

static void walk(graph *g, uint32_t port, uint64_t header, uint32_t destination) {
  const ripstop_fabric *f = g->plan->fabric;
  uint32_t in = f->peer[port], node = f->port_node[in];
  if (node == destination || g->seen[port * HEADERS + header]) return;
  g->seen[port * HEADERS + header] = 1;
  ripstop_candidate candidate[CANDIDATES_MAX];
  ripstop_head head = {.node = node, .in_port = in - f->port_base[node], .destination = destination, .header = header};
  int candidates = ripstop_route(g->plan, &head, candidate);
  for (int i = 0; i < candidates; i++) {
    uint32_t next = f->port_base[node] + candidate[i].port;
    if (!ripstop_is_end(f, f->port_node[f->peer[next]])) g->edge[port * f->ports + next] = 1;
    walk(g, next, candidate[i].header, destination);
  }
}

static bool cyclic_from(graph *g, uint32_t port) {
  uint32_t ports = g->plan->fabric->ports;
  if (g->mark[port]) return g->mark[port] == 1;
  g->mark[port] = 1;
  for (uint32_t next = 0; next < ports; next++)
    if (g->edge[port * ports + next] && cyclic_from(g, next)) return true;
  g->mark[port] = 2;
  return false;
}

static bool has_cycle(const ripstop_plan *plan) {
  const ripstop_fabric *f = plan->fabric;
  bool cycle = false;
  graph g = {.plan = plan,
             .edge = calloc((size_t)f->ports * f->ports, 1),
             .seen = malloc((size_t)f->ports * HEADERS),
             .mark = calloc(f->ports, 1)};
  for (uint32_t destination = 0; destination < f->ends; destination++) {
    memset(g.seen, 0, (size_t)f->ports * HEADERS);
    for (uint32_t source = 0; source < f->ends; source++)
      if (source != destination) walk(&g, f->port_base[source], 0, destination);
  }
  for (uint32_t port = 0; port < f->ports && !cycle; port++) cycle = cyclic_from(&g, port);
  free(g.edge);
  free(g.seen);
  free(g.mark);
  return cycle;
}

/* The method that settles early is free of deadlock exactly when the graph of the other has no cycle. */
static void check_graphs(const ripstop_fabric *f, const char *late, const char *early, uint32_t count,
                         uint32_t *cyclic) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  ripstop_prover *prover = ripstop_prover_new(f);
  ripstop_combinations_first(arena, f->links - f->link_ends, count, &c);
  do {
    ripstop_faults faults;
    ripstop_proof proof;
    ripstop_faults_from_parts(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, c.part, c.count, &faults);
    ripstop_view *view = ripstop_view_new(f, &faults);
    ripstop_plan *with_candidates = stand_plan(view, late, NULL, &err), *with_one = stand_plan(view, early, NULL, &err);
    assert_int_equal(ripstop_prover_prove(prover, with_one, &proof, &err), 0);
    bool cycle = has_cycle(with_candidates);
    assert_int_equal(proof.deadlock_free, !cycle);
    *cyclic += cycle;
    ripstop_plan_free(with_candidates);
    ripstop_plan_free(with_one);
    ripstop_view_free(view);
  } while (ripstop_combinations_next(&c));
  ripstop_prover_free(prover);
  ripstop_arena_free(arena);
}

static void settling_early_asks_for_a_graph_without_cycles(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=3,n=2");
  for (uint32_t count = 0; count <= 3; count++) {
    uint32_t any = 0, in_order = 0;
    check_graphs(f, "misroute", "misroute:choose=early", count, &any);
    check_graphs(f, "misroute:uturn=cyclic", "misroute:uturn=cyclic,choose=early", count, &in_order);
    assert_int_equal(any > 0, count >= 2);
    assert_int_equal(in_order > 0, count >= 3);
  }
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_say_what_the_prover_finds),
      cmocka_unit_test(settling_early_asks_for_a_graph_without_cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
