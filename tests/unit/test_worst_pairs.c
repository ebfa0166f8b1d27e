/* test_worst_pairs.c - the worst pairs of a drawing against all pairs, found by relaxation until nothing changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "draw/fabric_picture.h"

enum { SWITCHES = 24, MOST = 40 };

typedef struct table {
  double links[SWITCHES][SWITCHES], use[SWITCHES][SWITCHES];
} table;

/* Over all links once; whether anything changed. */
static bool relax_once(const ripstop_fabric *f, const ripstop_view *view, const double *use, bool of_use, table *t) {
  bool changed = false;
  for (uint32_t port = 0; port < f->ports; port++) {
    if (f->port_node[port] < f->ends || f->port_node[f->peer[port]] < f->ends || !view->port_up[port]) continue;
    const uint32_t v = f->port_node[port] - f->ends, w = f->port_node[f->peer[port]] - f->ends;
    for (uint32_t a = 0; a < SWITCHES; a++) {
      const double links = t->links[a][v] + 1, candidate = fmax(t->use[a][v], use[port]);
      if (!of_use && links < t->links[a][w]) t->links[a][w] = links, changed = true;
      if (of_use && links == t->links[a][w] && candidate < t->use[a][w]) t->use[a][w] = candidate, changed = true;
    }
  }
  return changed;
}

/* Distances first; then of the shortest ways the least of what their busiest links carry. */
static void relax(const ripstop_fabric *f, const ripstop_view *view, const double *use, table *t) {
  for (uint32_t a = 0; a < SWITCHES; a++)
    for (uint32_t b = 0; b < SWITCHES; b++) t->links[a][b] = t->use[a][b] = a == b ? 0 : INFINITY;
  while (relax_once(f, view, use, false, t)) continue;
  while (relax_once(f, view, use, true, t)) continue;
}

static bool is_worse(double longer, double use, double than, double than_use) {
  return longer > than || (longer == than && use > than_use + 1e-12);
}

static void check(const ripstop_fabric *f, const picture *o) {
  ripstop_view *whole = ripstop_view_new(f, NULL);
  table before, now;
  relax(f, whole, o->use, &before);
  relax(f, o->view, o->use, &now);
  ripstop_view_free(whole);
  bool told[SWITCHES][SWITCHES] = {{false}};
  double last = INFINITY, last_use = INFINITY;
  for (uint32_t i = 0; i < o->pairs; i++) {
    const picture_pair *p = &o->pair[i];
    const uint32_t a = p->a - f->ends, b = p->b - f->ends;
    const double longer = now.links[a][b] - before.links[a][b];
    assert_false(told[a][b]);
    told[a][b] = told[b][a] = true;
    assert_true(p->longer == RIPSTOP_NONE ? isinf(longer) : p->longer == longer && p->use == now.use[a][b]);
    const double use = isinf(longer) ? -1 : p->use;
    assert_false(is_worse(longer, use, last, last_use));
    last = longer, last_use = use;
  }
  assert_int_equal(o->pairs, MOST);
  for (uint32_t a = 0; a < SWITCHES; a++)
    for (uint32_t b = 0; b < SWITCHES; b++) {
      const double longer = now.links[a][b] - before.links[a][b];
      if (a != b && !told[a][b]) assert_false(is_worse(longer, isinf(longer) ? -1 : now.use[a][b], last, last_use));
    }
}

static void they_are_the_worst_of_all(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_stream random = ripstop_stream_open(18, RIPSTOP_RANDOM_SELECTION, 0);
  for (unsigned trial = 0; trial < 20; trial++) {
    char spec[64];
    snprintf(spec, sizeof spec, "jellyfish:n=%d,r=%u,seed=%u", SWITCHES, 3 + trial % 3, trial);
    ripstop_fabric *f = ripstop_fabric_open(spec, &err);
    if (!f) fail_msg("%s", err.text);
    ripstop_arena *arena = ripstop_arena_new();
    uint32_t dead[8];
    double *use = RIPSTOP_ARRAY(arena, f->ports, double);
    for (uint32_t port = 0; port < f->ports; port++) use[port] = ripstop_stream_below(&random, 20) / 20.0;
    for (uint32_t i = 0; i < 8; i++) dead[i] = f->link_ends + ripstop_stream_below(&random, f->links - f->link_ends);
    const ripstop_faults faults = {.links = trial % 9, .link = dead};
    ripstop_view *view = ripstop_view_new(f, &faults);
    picture o = {.fabric = f, .view = view, .use = use};
    picture_find_pairs(arena, &o, MOST);
    check(f, &o);
    ripstop_view_free(view);
    ripstop_arena_free(arena);
    ripstop_fabric_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(they_are_the_worst_of_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
