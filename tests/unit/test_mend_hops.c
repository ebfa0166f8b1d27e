/* test_mend_hops.c - routes of mend on fat trees with random and unequal damage: none is longer than the longest one of
 * OpenSM's updn, unless some pair has no route up and down, which a search over all routes decides, and then in nearly
 * all cases, too. The worst link stays within 2 % of the bound. */
#include "check.h"

#include <string.h>

#include "mend/mend_tables.h"
#include "ripstop/kit/judge.h"
#include "ripstop/plan.h"
#include "ripstop/routes.h"

typedef struct bench {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  uint32_t *level; /* [nodes]: hops from the leaves of the whole fabric */
  ripstop_stream random;
} bench;

/* Routes from leaves to end nodes, in links between switches. */
typedef struct lengths {
  uint32_t longest; /* the longest of all */
  uint32_t legal;   /* the longest between pairs that have a route up and down */
  uint64_t crooked; /* pairs that have none, but are connected */
} lengths;

static void find_levels(bench *b) {
  const ripstop_fabric *f = b->fabric;
  b->level = RIPSTOP_ARRAY(b->arena, f->nodes, uint32_t);
  memset(b->level, 0xFF, f->nodes * sizeof *b->level);
  for (uint32_t end = 0; end < f->ends; end++) b->level[ripstop_end_switch(f, end)] = 0;
  for (uint32_t at = 0, more = 1; more; at++) {
    more = 0;
    for (uint32_t port = 0; port < f->ports; port++) {
      uint32_t from = f->port_node[port], to = f->port_node[f->peer[port]];
      if (ripstop_is_end(f, from) || ripstop_is_end(f, to)) continue;
      if (b->level[from] == at && b->level[to] == RIPSTOP_NONE) b->level[to] = at + 1, more = 1;
    }
  }
}

/* `draw`: of the damage. */
static void open_bench(bench *b, const char *spec, uint64_t draw) {
  ripstop_error err = {0};
  *b = (bench){.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open(spec, &err)};
  if (!b->fabric) fail_msg("%s", err.text);
  b->view = ripstop_view_new(b->fabric, NULL);
  b->random = ripstop_stream_open(draw, RIPSTOP_RANDOM_TEST, 0);
  find_levels(b);
}

static void close_bench(bench *b) {
  ripstop_view_free(b->view);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

/* Links of the shortest route up and then down from every switch to `to`; RIPSTOP_NONE: there is none. */
static void search_routes(const bench *b, uint32_t to, uint32_t *hops) {
  const ripstop_fabric *f = b->fabric;
  uint32_t *down = RIPSTOP_ARRAY(b->arena, f->nodes, uint32_t);
  memset(hops, 0xFF, f->nodes * sizeof *hops);
  memset(down, 0xFF, f->nodes * sizeof *down);
  hops[to] = down[to] = 0;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t port = 0; port < f->ports; port++) {
      uint32_t from = f->port_node[port], next = f->port_node[f->peer[port]];
      if (ripstop_is_end(f, from) || ripstop_is_end(f, next) || !b->view->port_up[port]) continue;
      bool up = b->level[next] > b->level[from];
      uint32_t rest = up ? hops[next] : down[next];
      if (rest == RIPSTOP_NONE) continue;
      if (rest + 1 < hops[from]) hops[from] = rest + 1, more = true;
      if (!up && rest + 1 < down[from]) down[from] = rest + 1, more = true;
    }
  }
}

/* Links of the tables' route; RIPSTOP_NONE: it does not arrive. */
static uint32_t walk(const bench *b, const ripstop_forwarding *t, uint32_t from, uint32_t address) {
  const ripstop_fabric *f = b->fabric;
  uint32_t node = from, home = ripstop_end_switch(f, t->node[address]);
  for (uint32_t hops = 0; hops < f->nodes; hops++) {
    if (node == home) return hops;
    uint16_t local = ripstop_forwarding_port(t, address, node);
    if (local == RIPSTOP_NO_PORT || !b->view->port_up[f->port_base[node] + local]) return RIPSTOP_NONE;
    node = f->port_node[f->peer[f->port_base[node] + local]];
    if (ripstop_is_end(f, node)) return RIPSTOP_NONE;
  }
  return RIPSTOP_NONE;
}

/* `forced`: the longest of all pairs' shortest routes up and down. */
static lengths measure(const bench *b, const ripstop_forwarding *t, uint32_t *forced) {
  const ripstop_fabric *f = b->fabric;
  lengths out = {0};
  *forced = 0;
  uint32_t *hops = RIPSTOP_ARRAY(b->arena, f->nodes, uint32_t), home = RIPSTOP_NONE;
  for (uint32_t address = 0; address < t->addresses; address++) {
    if (!ripstop_is_end(f, t->node[address])) continue;
    uint32_t to = ripstop_end_switch(f, t->node[address]);
    if (to != home) search_routes(b, home = to, hops);
    for (uint32_t s = f->ends; s < f->nodes; s++) {
      if (b->level[s] > 0 || s == to) continue;
      uint32_t links = walk(b, t, s, address);
      if (hops[s] != RIPSTOP_NONE && hops[s] > *forced) *forced = hops[s];
      if (links == RIPSTOP_NONE) continue;
      out.crooked += hops[s] == RIPSTOP_NONE;
      if (links > out.longest) out.longest = links;
      if (hops[s] != RIPSTOP_NONE && links > out.legal) out.legal = links;
    }
  }
  return out;
}

/* Cables fail at random, more of them in some switches than in others. */
static void damage(bench *b, uint64_t draw) {
  const ripstop_fabric *f = b->fabric;
  const uint32_t rate = 2 + (uint32_t)draw % 12, unequal = draw % 3;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t a = ripstop_link_node(f, link, 0), c = ripstop_link_node(f, link, 1);
    uint32_t hit = unequal == 1 && a % 5 && c % 5 ? rate / 4 : unequal == 1 ? 3 * rate : rate;
    if (ripstop_stream_below(&b->random, 100) < hit) ripstop_view_set_link(b->view, link, false);
  }
  if (unequal == 2)
    for (uint32_t s = f->ends; s < f->nodes; s++)
      if (b->level[s] > 0 && ripstop_stream_below(&b->random, 20) == 0) ripstop_view_set_switch(b->view, s, false);
}

static const char *const trees[] = {"kary-ntree:k=4,n=3",   "mport-ntree:m=8,n=3", "xgft:m=6.8,w=1.4",
                                    "xgft:m=8.4.4,w=1.4.2", "kary-ntree:k=6,n=2",  "xgft:m=4.6.5,w=1.3.4",
                                    "kary-ntree:k=3,n=4"};
enum { TREES = sizeof trees / sizeof *trees, DRAWS = 60 };

/* In these some spine has lost all its leaves. As a switch above the tops it would lead to longer routes. */
static const uint64_t spines_without_leaves[] = {70, 130, 190};
enum { SPINES = sizeof spines_without_leaves / sizeof *spines_without_leaves };

static ripstop_mend *mend(bench *b) {
  ripstop_error err = {0};
  ripstop_mend *m = ripstop_mend_open(b->view, &(ripstop_mend_options){1, false, 1, 0, false}, &err);
  if (!m) fail_msg("%s", err.text);
  return m;
}

/* The lengths of OpenSM's updn; false: it leaves pairs out that are connected, or its tables can deadlock. */
static bool measure_updn(bench *b, lengths *out, uint32_t *forced) {
  ripstop_error err = {0};
  ripstop_table_verdict verdict;
  ripstop_plan *plan = ripstop_plan_open(b->view, "opensm-updn", NULL, &err);
  ripstop_forwarding *tables = plan ? ripstop_routes_make(plan, &err) : NULL;
  if (!tables) fail_msg("%s", err.text);
  assert_int_equal(ripstop_judge(b->arena, b->view, tables, NULL, &verdict, &err), 0);
  *out = measure(b, tables, forced);
  ripstop_forwarding_free(tables);
  ripstop_plan_free(plan);
  return !verdict.credit_loop && verdict.unreached == verdict.disconnected;
}

typedef struct tally {
  uint32_t straight; /* cases where all pairs have routes up and down */
  uint32_t longer;   /* others with longer routes than those of updn */
} tally;

static void check(const char *spec, uint64_t draw, tally *t) {
  bench b;
  lengths updn;
  uint32_t forced;
  open_bench(&b, spec, draw);
  damage(&b, draw);
  ripstop_mend *m = mend(&b);
  const lengths mine = measure(&b, m->tables, &forced);
  const bool fair = measure_updn(&b, &updn, &forced);
  if (mine.legal > forced) fail_msg("%s, %u: %u links, not %u", spec, (unsigned)draw, mine.legal, forced);
  if (fair && mine.crooked == 0) assert_in_range(mine.longest, 0, updn.longest);
  t->straight += mine.crooked == 0;
  t->longer += fair && mine.longest > updn.longest;
  ripstop_mend_free(m);
  close_bench(&b);
}

static void routes_are_no_longer_than_those_of_updn(void **state) {
  (void)state;
  tally t = {0};
  for (size_t i = 0; i < TREES; i++) {
    for (uint64_t draw = 0; draw < DRAWS; draw++) check(trees[i], draw, &t);
    for (size_t k = 0; k < SPINES; k++) check(trees[i], spines_without_leaves[k], &t);
  }
  assert_in_range(t.straight, TREES * DRAWS / 2, TREES * (DRAWS + SPINES)); /* most cases compare with updn itself */
  assert_in_range(t.longer, 0, TREES * DRAWS / 80);
}

/* A leaf's end nodes all take one channel to a destination, so loads are multiples of their number. */
static void short_routes_share_links_evenly(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    uint32_t ends;
  } known[] = {{"mport-ntree:m=12,n=3", 6}, {"xgft:m=12.24,w=1.12", 12}, {"xgft:m=8.8.6,w=1.8.4", 8}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    for (uint64_t draw = 1; draw < 4; draw++) {
      bench b;
      uint32_t forced;
      ripstop_faults faults;
      open_bench(&b, known[i].spec, draw);
      ripstop_faults_sample(b.arena, b.fabric, RIPSTOP_FAULTS_SWITCH_LINKS,
                            (b.fabric->links - b.fabric->link_ends) / 25, 1, draw, &faults, NULL);
      for (uint32_t k = 0; k < faults.links; k++) ripstop_view_set_link(b.view, faults.link[k], false);
      ripstop_mend *m = mend(&b);
      const uint64_t bound = ripstop_judge_bound(b.view, 1, UINT64_MAX), ends = known[i].ends;
      const lengths mine = measure(&b, m->tables, &forced);
      assert_in_range(mine.longest, 0, forced);
      if (50 * m->worst > 51 * ((bound + ends - 1) / ends * ends))
        fail_msg("%s: worst %u, bound %u", known[i].spec, (unsigned)m->worst, (unsigned)bound);
      ripstop_mend_free(m);
      close_bench(&b);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(routes_are_no_longer_than_those_of_updn),
                                     cmocka_unit_test(short_routes_share_links_evenly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
