/* test_immunet_large.c - single links of large tori: those of a dimension are alike, so one or two of them stand for
 * all, and the tree of a torus of 100,000 routers has a tour that passes all of them. docs/methods/immunet.md, "How
 * large".
 *
 * A translation of the torus carries the run of one link into that of another: rules compare ports, which are alike at
 * all routers, and EPLs, where only it matters which of the two ends has the greater one. */
#include <string.h>

#include "check.h"
#include "methods/immunet/immunet.h"
#include "ripstop/kit/protocol.h"
#include "stand.h"

enum { SIDE = 8, ROUTERS = SIDE * SIDE, LARGE = 316 };

/* ------------------------------------------------------------------ links of a dimension are alike */

typedef struct outcome { /* results after the failure of one link */
  ripstop_network *network;
  uint64_t messages, last_change;
} outcome;

static uint32_t link_up(const ripstop_fabric *f, uint32_t router, uint32_t dimension) {
  return f->port_link[f->port_base[f->ends + router] + 2 * dimension];
}

static outcome fail_link(const ripstop_plan *plan, uint32_t link) {
  ripstop_error err = {0};
  ripstop_change change = {.cycle = 10, .id = link};
  ripstop_schedule schedule = {.count = 1, .change = &change};
  outcome o = {.network = ripstop_network_open(plan, &(ripstop_network_options){.schedule = &schedule}, &err)};
  if (!o.network || ripstop_network_run(o.network, RIPSTOP_NEVER, &err) != 1) fail_msg("%s", err.text);
  ripstop_network_count all = ripstop_network_count_all(o.network);
  o.messages = all.sent;
  o.last_change = all.last_change;
  return o;
}

/* The image of router `r` under the translation that carries router `from` to `to`. */
static uint32_t translate(const ripstop_fabric *f, uint32_t from, uint32_t to, uint32_t r) {
  const uint16_t *a = ripstop_coords(f, f->ends + from), *b = ripstop_coords(f, f->ends + to),
                 *c = ripstop_coords(f, f->ends + r);
  for (uint32_t image = 0; image < ROUTERS; image++) {
    const uint16_t *d = ripstop_coords(f, f->ends + image);
    if ((c[0] + b[0] + SIDE - a[0]) % SIDE == d[0] && (c[1] + b[1] + SIDE - a[1]) % SIDE == d[1]) return image;
  }
  fail_msg("router %u has no image", r);
  return 0;
}

static arrays state_of(const outcome *o, uint32_t router) {
  const ripstop_plan *plan = ripstop_network_plan(o->network);
  uint32_t node = plan->fabric->ends + router;
  return ripstop_immunet_open_memory(plan, node, ripstop_network_state(o->network, node));
}

static void assert_alike(const outcome *base, const outcome *other, const uint32_t *image) {
  assert_int_equal(base->messages, other->messages);
  assert_int_equal(base->last_change, other->last_change);
  for (uint32_t r = 0; r < ROUTERS; r++) {
    arrays a = state_of(base, r), b = state_of(other, image[r]);
    assert_int_equal(a.m->parent, b.m->parent);
    assert_int_equal(a.m->children, b.m->children);
    assert_int_equal(a.m->distance_sent, b.m->distance_sent);
    for (uint32_t to = 0; to < ROUTERS; to++) {
      assert_int_equal(a.distance[to], b.distance[image[to]]);
      assert_int_equal(a.nearer[to], b.nearer[image[to]]);
      assert_int_equal(a.entry[to], b.entry[image[to]]);
    }
  }
}

/* The end with the greater number is the root: the upper one, but of links that close a ring. */
static bool root_is_above(const ripstop_fabric *f, uint32_t router, uint32_t dimension) {
  return f->port_node[f->peer[f->port_base[f->ends + router] + 2 * dimension]] > f->ends + router;
}

static void compare_links(const ripstop_plan *plan, uint32_t dimension, bool above, uint32_t *alike) {
  const ripstop_fabric *f = plan->fabric;
  outcome base = {0};
  uint32_t first = RIPSTOP_NONE, image[ROUTERS];
  for (uint32_t router = 0; router < ROUTERS; router++) {
    if (root_is_above(f, router, dimension) != above) continue;
    outcome other = fail_link(plan, link_up(f, router, dimension));
    if (first == RIPSTOP_NONE) {
      base = other;
      first = router;
      continue;
    }
    for (uint32_t r = 0; r < ROUTERS; r++) image[r] = translate(f, first, router, r);
    assert_alike(&base, &other, image);
    ripstop_network_free(other.network);
    ++*alike;
  }
  ripstop_network_free(base.network);
}

static void links_of_a_dimension_are_alike(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open("torus:8x8", &err);
  stand run_setup = stand_on(f, "immunet", NULL);
  uint32_t alike = 0;
  for (uint32_t dimension = 0; dimension < 2; dimension++)
    for (int above = 0; above < 2; above++) compare_links(run_setup.plan, dimension, above, &alike);
  assert_int_equal(alike, 2 * ROUTERS - 4);
  stand_close(&run_setup);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ the ring of a torus of 100,000 routers */

/* The breadth-first tree from `root`, each router below the nearer one at its lowest port; returns its routers. */
static uint32_t grow(search *x, uint32_t root, uint64_t *tree) {
  const ripstop_fabric *f = x->plan->fabric;
  uint32_t found = ripstop_immunet_find_distances(x, root);
  memset(tree, 0, x->t->routers * sizeof *tree);
  for (uint32_t i = 1; i < found; i++) {
    uint32_t child = f->ends + x->queue[i], up = lowest(ripstop_immunet_ports_nearer(x, x->queue[i])),
             there = f->peer[f->port_base[child] + up], parent = f->port_node[there];
    tree[child - f->ends] |= bit(up);
    tree[parent - f->ends] |= bit(there - f->port_base[parent]);
  }
  return found;
}

/* Once round: hops, and how many routers were passed. */
static uint32_t walk(const ripstop_fabric *f, uint32_t root, const uint64_t *tree, uint8_t *seen, uint32_t *passed) {
  uint32_t node = f->ends + root, out = topmost(tree[root]), first = out, hops = 0;
  do {
    uint32_t in = f->peer[f->port_base[node] + out];
    node = f->port_node[in];
    *passed += !seen[node - f->ends];
    seen[node - f->ends] = 1;
    out = tour_next(tree[node - f->ends], in - f->port_base[node]);
    hops++;
  } while ((node != f->ends + root || out != first) && hops <= 4 * LARGE * LARGE);
  return hops;
}

static void assert_ring(const ripstop_fabric *f, uint32_t link) {
  uint32_t routers = ripstop_fabric_switches(f), passed = 0;
  ripstop_faults faults = {.links = 1, .link = &link};
  ripstop_view *view = ripstop_view_new(f, &faults);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_plan plan = {.fabric = f, .view = view};
  tables t = {.routers = routers};
  search x = {.plan = &plan, .t = &t};
  x.distance = RIPSTOP_ARRAY(arena, routers, uint32_t);
  x.queue = RIPSTOP_ARRAY(arena, routers, uint32_t);
  uint64_t *tree = RIPSTOP_ARRAY(arena, routers, uint64_t);
  for (unsigned side = 0; side < 2; side++) {
    uint32_t root = ripstop_link_node(f, link, side) - f->ends;
    assert_int_equal(grow(&x, root, tree), routers);
    passed = 0;
    assert_int_equal(walk(f, root, tree, RIPSTOP_ARRAY(arena, routers, uint8_t), &passed), 2 * (routers - 1));
    assert_int_equal(passed, routers);
  }
  ripstop_arena_free(arena);
  ripstop_view_free(view);
}

/* Links of both dimensions, either end being the root. */
static void the_ring_of_a_large_torus_passes_all(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_fabric *f = ripstop_fabric_open("torus:316x316", &err);
  assert_int_equal(ripstop_fabric_switches(f), LARGE * LARGE);
  for (uint32_t dimension = 0; dimension < 2; dimension++) assert_ring(f, link_up(f, 100 * LARGE + 57, dimension));
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(links_of_a_dimension_are_alike),
                                     cmocka_unit_test(the_ring_of_a_large_torus_passes_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
