/* test_fabric_kns.c - lines of k-ary n-direct s-indirect fabrics against a second construction: every cable written
 * down by name, straight from Definition 1 of the fat trees and "routers on a line differ in one digit alone"; the
 * geometry of kns.h against those names and against walking; distances by a closed form; faults inside lines by search.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/inner.h"
#include "methods/intermediate-nodes/detour_lines.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/faults.h"

enum { DIGITS = 8, NAME = 64 };

typedef struct kns_case {
  const char *spec;
  unsigned k, n, s, c, arity;
} kns_case;

static const kns_case cases[] = {{"kns:k=4,n=2", 4, 2, 1, 1, 4},          {"kns:k=3,n=3,c=2", 3, 3, 1, 2, 3},
                                 {"kns:k=4,n=1,s=2", 4, 1, 2, 1, 2},      {"kns:k=4,n=2,s=2", 4, 2, 2, 1, 2},
                                 {"kns:k=9,n=2,s=2,c=2", 9, 2, 2, 2, 3},  {"kns:k=4,n=3,s=2", 4, 3, 2, 1, 2},
                                 {"kns:k=8,n=2,s=3", 8, 2, 3, 1, 2},      {"kns:k=27,n=1,s=3", 27, 1, 3, 1, 3},
                                 {"kns:k=16,n=1,s=4,c=3", 16, 1, 4, 3, 2}};
#define FOR_EACH_CASE(x) for (const kns_case *x = cases; x < cases + sizeof cases / sizeof *cases; x++)

typedef struct fixture {
  ripstop_fabric *f;
  ripstop_names *names;
  ripstop_kns t;
} fixture;

static fixture set_up(const char *spec) {
  ripstop_error err;
  fixture x = {.f = ripstop_fabric_open(spec, &err)};
  if (!x.f) fail_msg("%s: %s", spec, err.text);
  if (ripstop_fabric_check(x.f, &err) != 0) fail_msg("%s", err.text);
  x.names = ripstop_names_new(x.f);
  assert_true(ripstop_kns_from(x.f, &x.t));
  return x;
}

static void tear_down(fixture *x) {
  ripstop_names_free(x->names);
  ripstop_fabric_free(x->f);
}

static uint32_t switch_called(const fixture *x, const char *name) {
  uint32_t node = ripstop_names_switch(x->names, name, strlen(name));
  if (node == RIPSTOP_NONE) fail_msg("%s has no switch %s", x->f->spec, name);
  return node;
}

/* ------------------------------------------------------------------ names, from digits */

/* Digits of a number, the most significant first, digit `star` as '*'. */
static void digits(char *out, unsigned value, unsigned radix, unsigned count, unsigned star) {
  unsigned digit[DIGITS];
  for (unsigned i = 0; i < count; i++, value /= radix) digit[i] = value % radix;
  *out = '\0';
  for (unsigned i = count; i-- > 0;) {
    char one[16] = "*";
    if (i != star) snprintf(one, sizeof one, "%u", digit[i]);
    size_t length = strlen(out);
    snprintf(out + length, NAME - length, "%s%s", one, i > 0 ? "." : "");
  }
}

static unsigned power(unsigned base, unsigned exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

static unsigned digit_of(unsigned value, unsigned radix, unsigned i) { return value / power(radix, i) % radix; }

/* A switch of the line of dimension d that `router` is on: level l, digits c as a number. */
static void line_switch(char *out, const kns_case *x, unsigned router, unsigned d, unsigned l, unsigned c) {
  char line[NAME], digits_of_c[NAME];
  digits(line, router, x->k, x->n, d);
  digits(digits_of_c, c, x->arity, x->s - 1, RIPSTOP_NONE);
  if (x->s == 1)
    snprintf(out, 3 * NAME, "%s", line);
  else
    snprintf(out, 3 * NAME, "%s:%u/%s", line, l, digits_of_c);
}

/* ------------------------------------------------------------------ cables */

/* The link by its name joins these two ports. */
static void joined(const fixture *x, const char *link, const char *a, unsigned port_a, const char *b, unsigned port_b) {
  const ripstop_fabric *f = x->f;
  uint32_t number = ripstop_names_link(x->names, link, strlen(link));
  if (number == RIPSTOP_NONE) fail_msg("%s has no link %s", f->spec, link);
  uint32_t one = f->port_base[switch_called(x, a)] + port_a, other = f->port_base[switch_called(x, b)] + port_b;
  if (f->link_port[2 * number] != one || f->link_port[2 * number + 1] != other)
    fail_msg("%s: %s does not join %s port %u and %s port %u", f->spec, link, a, port_a, b, port_b);
}

/* p joins <0, c> port p_0 where c_i = p_{i+1}. */
static void check_router(const fixture *x, const kns_case *of, unsigned router, unsigned d) {
  char name[NAME], link[NAME + 16], line[3 * NAME];
  unsigned place = digit_of(router, of->k, d);
  digits(name, router, of->k, of->n, RIPSTOP_NONE);
  snprintf(link, sizeof link, "%s/%u", name, d);
  line_switch(line, of, router, d, 0, place / of->arity);
  joined(x, link, name, d, line, place % of->arity);
}

/* <l, c> port c'_l + a joins <l+1, c'> port c_l where c'_i = c_i for all i != l. */
static unsigned check_line(const fixture *x, const kns_case *of, unsigned router, unsigned d) {
  unsigned a = of->arity, count = 0;
  for (unsigned l = 0; l + 1 < of->s; l++)
    for (unsigned c = 0; c < power(a, of->s - 1); c++)
      for (unsigned up = 0; up < a; up++, count++) {
        char lower[3 * NAME], upper[3 * NAME], link[3 * NAME + 16];
        unsigned own = digit_of(c, a, l);
        line_switch(lower, of, router, d, l, c);
        line_switch(upper, of, router, d, l + 1, c + up * power(a, l) - own * power(a, l));
        snprintf(link, sizeof link, "%s/%u", lower, up + a);
        joined(x, link, lower, up + a, upper, own);
      }
  return count;
}

static void every_cable_follows_the_definition(void **state) {
  (void)state;
  FOR_EACH_CASE(of) {
    fixture x = set_up(of->spec);
    unsigned routers = power(of->k, of->n), cables = 0;
    for (unsigned router = 0; router < routers; router++)
      for (unsigned d = 0; d < of->n; d++) {
        check_router(&x, of, router, d);
        cables++;
        if (digit_of(router, of->k, d) == 0) cables += check_line(&x, of, router, d); /* each line once */
      }
    assert_int_equal(x.f->ends, routers * of->c);
    assert_int_equal(x.f->links, x.f->ends + cables); /* and no others */
    assert_int_equal(ripstop_fabric_switches(x.f), routers + of->n * routers / of->k * of->s * (of->k / of->arity));
    tear_down(&x);
  }
}

/* ------------------------------------------------------------------ geometry for methods */

static void check_geometry_of_router(const fixture *x, const kns_case *of, uint32_t router) {
  char name[NAME], link[NAME + 16];
  const ripstop_kns *t = &x->t;
  digits(name, router, of->k, of->n, RIPSTOP_NONE);
  uint32_t node = switch_called(x, name);
  assert_int_equal(ripstop_kns_router_node(t, router), node);
  assert_int_equal(ripstop_kns_router_at(t, node), router);
  assert_true(ripstop_kns_is_router(t, node));
  assert_false(ripstop_kns_is_line(t, node));
  assert_int_equal(ripstop_kns_router(t, ripstop_coords(x->f, node)), router);
  for (uint32_t end = router * of->c; end < (router + 1) * of->c; end++) {
    assert_int_equal(ripstop_kns_router_of(t, end), router);
    assert_int_equal(ripstop_end_switch(x->f, end), node);
    assert_int_equal(ripstop_end_switch_port(x->f, end), ripstop_kns_end_port(t, end));
    assert_false(ripstop_kns_is_router(t, end));
    assert_false(ripstop_kns_is_line(t, end));
  }
  for (uint32_t d = 0; d < of->n; d++) {
    uint32_t digit = ripstop_kns_digit(t, router, d), line = ripstop_kns_line(t, router, d);
    assert_int_equal(digit, digit_of(router, of->k, d));
    assert_int_equal(ripstop_kns_line_dimension(t, line), d);
    assert_int_equal(ripstop_kns_line_router(t, line, digit), router);
    for (uint32_t to = 0; to < of->k; to++) {
      uint32_t moved = ripstop_kns_move(t, router, d, to);
      assert_int_equal(moved, router + to * power(of->k, d) - digit * power(of->k, d));
      assert_int_equal(ripstop_kns_line_router(t, line, to), moved);
      assert_int_equal(ripstop_kns_line(t, moved, d), line);
    }
    snprintf(link, sizeof link, "%s/%u", name, d);
    uint32_t number = ripstop_names_link(x->names, link, strlen(link));
    assert_int_equal(ripstop_kns_link(t, router, d), number);
    assert_int_equal(ripstop_kns_link_router(t, number), router);
    assert_int_equal(ripstop_kns_link_dimension(t, number), d);
  }
}

/* Marks the places that are reached by going down only. */
static void descend(const fixture *x, const ripstop_tree *tree, uint32_t node, uint32_t d, bool *reached) {
  if (ripstop_kns_is_router(&x->t, node)) {
    reached[ripstop_kns_digit(&x->t, ripstop_kns_router_at(&x->t, node), d)] = true;
    return;
  }
  for (uint32_t port = 0; port < ripstop_node_ports(x->f, node) - ripstop_tree_ups(tree, node); port++)
    descend(x, tree, x->f->port_node[x->f->peer[x->f->port_base[node] + port]], d, reached);
}

static void check_geometry_of_line(const fixture *x, const kns_case *of, uint32_t line) {
  const ripstop_kns *t = &x->t;
  ripstop_tree tree = ripstop_kns_tree(t, line);
  uint32_t d = ripstop_kns_line_dimension(t, line), first = ripstop_kns_line_node(t, line);
  for (uint32_t node = first; node < first + t->line_switches; node++) {
    char name[RIPSTOP_NAME_MAX];
    bool reached[64] = {false};
    assert_int_equal(ripstop_kns_line_of(t, node), line);
    assert_true(ripstop_kns_is_line(t, node));
    assert_false(ripstop_kns_is_router(t, node));
    ripstop_node_name(x->f, node, name);
    uint32_t level = of->s == 1 ? 0 : (uint32_t)atoi(strchr(name, ':') + 1);
    assert_int_equal(ripstop_tree_level(&tree, node), level);
    assert_int_equal(ripstop_tree_ups(&tree, node), level + 1 == of->s ? 0 : of->arity);
    for (uint32_t port = 0; port < ripstop_node_ports(x->f, node); port++) {
      uint32_t next = x->f->port_node[x->f->peer[x->f->port_base[node] + port]];
      assert_int_equal(ripstop_tree_is_up(&tree, node, port), ripstop_kns_is_line(t, next) && next > node);
    }
    descend(x, &tree, node, d, reached);
    for (uint32_t place = 0; place < of->k; place++) {
      assert_int_equal(ripstop_tree_above(&tree, node, place), reached[place]);
      if (!reached[place]) continue;
      uint32_t port = x->f->port_base[node] + ripstop_tree_down_port(&tree, level, place);
      uint32_t next = x->f->port_node[x->f->peer[port]];
      assert_true(level == 0 ? next == ripstop_kns_router_node(t, ripstop_kns_line_router(t, line, place))
                             : ripstop_tree_above(&tree, next, place));
    }
  }
}

static void geometry_agrees_with_names_and_walks(void **state) {
  (void)state;
  FOR_EACH_CASE(of) {
    fixture x = set_up(of->spec);
    assert_int_equal(x.t.dimensions, of->n);
    assert_int_equal(x.t.k, of->k);
    assert_int_equal(x.t.stages, of->s);
    assert_int_equal(x.t.concentration, of->c);
    for (uint32_t router = 0; router < x.t.routers; router++) check_geometry_of_router(&x, of, router);
    for (uint32_t line = 0; line < of->n * x.t.lines; line++) check_geometry_of_line(&x, of, line);
    for (uint32_t link = 0; link < x.f->links; link++)
      assert_int_equal(ripstop_kns_is_router_link(&x.t, link),
                       link >= x.f->ends && !ripstop_kns_is_line(&x.t, ripstop_link_node(x.f, link, 0)));
    tear_down(&x);
  }
}

static void other_families_are_not_kns(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:4x4", "kary-ntree:k=3,n=2", "mport-ntree:m=4,n=2"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_error err;
    ripstop_kns t;
    ripstop_fabric *f = ripstop_fabric_open(specs[i], &err);
    assert_non_null(f);
    assert_false(ripstop_kns_from(f, &t));
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ names as users give them */

static void names_read_well(void **state) {
  (void)state;
  fixture x = set_up("kns:k=16,n=2,s=2");
  const ripstop_fabric *f = x.f;
  uint32_t leaf = switch_called(&x, "3.*:0/1"), top = switch_called(&x, "3.*:1/2");
  uint32_t router = switch_called(&x, "3.6"); /* place 6 = 1.2 in base 4 hangs from 0/1 */
  assert_int_equal(f->peer[f->port_base[router] + 0], f->port_base[leaf] + 2);
  uint32_t link = ripstop_names_link(x.names, "3.*:0/1/6", 9);
  assert_int_equal(ripstop_link_node(f, link, 0), leaf);
  assert_int_equal(ripstop_link_node(f, link, 1), top);
  assert_int_equal(ripstop_names_link(x.names, "3.*:1/2/1", 9), RIPSTOP_NONE); /* the same cable from above */
  assert_int_equal(ripstop_names_switch(x.names, "3.*", 3), RIPSTOP_NONE);     /* a line of several switches */
  assert_string_equal(ripstop_names_nearest_link(x.names, "3.*:0/1/66", 10), "3.*:0/1/6");
  assert_string_equal(ripstop_names_nearest_link(x.names, "3.*/0/1/6", 9), "3.*:0/1/6");
  assert_string_equal(ripstop_names_nearest_switch(x.names, "3.*:1-2", 7), "3.*:1/2");
  tear_down(&x);
}

static void refuse(const char *spec, const char *message) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (fabric) fail_msg("%s was accepted", spec);
  if (!strstr(err.text, message)) fail_msg("%s: '%s' does not contain '%s'", spec, err.text, message);
}

static void k_must_fit_the_stages(void **state) {
  (void)state;
  refuse("kns:k=15,n=2,s=2", "not 15; the nearest is k=16");
  refuse("kns:k=12,n=2,s=2", "not 12; the nearest is k=9");
  refuse("kns:k=10,n=3,s=3", "k must be a^3 for a whole number a > 1, not 10; the nearest is k=8");
  refuse("kns:k=2,n=2,s=2", "the nearest is k=4");
  refuse("kns:k=3,n=1,s=15", "the nearest is k=32768");
  refuse("kns:k=65535,n=1,s=2", "the nearest is k=65025"); /* 65536 is out of range */
  refuse("kns:k=4,n=2,s=0", "'s'");
  refuse("kns:k=4,n=2,s=16", "'s'");
  refuse("kns:k=65025,n=2,s=2", "too big");
  refuse("kns:k=4,n=60,s=2", "too big");
}

/* ------------------------------------------------------------------ distances */

/* Up to the level of the highest digit in which two places differ, and down again. */
static unsigned line_distance(const kns_case *of, unsigned a, unsigned b) {
  unsigned levels = 0;
  for (unsigned i = 0; i < of->s; i++)
    if (digit_of(a, of->arity, i) != digit_of(b, of->arity, i)) levels = i + 1;
  return 2 * levels;
}

static void distances_follow_the_closed_form(void **state) {
  (void)state;
  FOR_EACH_CASE(of) {
    fixture x = set_up(of->spec);
    uint32_t *distance = calloc(x.f->nodes, sizeof *distance);
    for (uint32_t from = 0; from < x.f->ends; from++) {
      ripstop_fabric_distances(x.f, from, distance);
      for (uint32_t to = 0; to < x.f->ends; to++) {
        unsigned expected = from == to ? 0 : 2;
        for (unsigned d = 0; d < of->n; d++)
          expected += line_distance(of, digit_of(from / of->c, of->k, d), digit_of(to / of->c, of->k, d));
        assert_int_equal(distance[to], expected);
      }
    }
    free(distance);
    tear_down(&x);
  }
}

/* ------------------------------------------------------------------ faults inside lines
 * Against the definition, by search: which links of routers count as failed, and that all others of a line are served
 * by every sequence of choices. Lines of one dimension alone, unless said otherwise: routers, places and end nodes
 * agree. */

enum { PLACES = 27 };

typedef struct line_case {
  fixture x;
  ripstop_view *view;
  ripstop_kns_faults faults;
  ripstop_arena *arena;
  uint32_t distance[PLACES][512]; /* over the healthy line, from a router to every node */
  bool touch[PLACES][PLACES];     /* a route over links that are up, no longer than that, joins the two */
  uint64_t sets, marked;          /* looked at; links given up although they are up */
} line_case;

static line_case *open_line(const char *spec) {
  line_case *l = calloc(1, sizeof *l);
  l->x = set_up(spec);
  l->view = ripstop_view_new(l->x.f, NULL);
  uint32_t *distance = calloc(l->x.f->nodes, sizeof *distance);
  for (uint32_t place = 0; place < l->x.t.k; place++) {
    ripstop_fabric_distances(l->x.f, place, distance);
    for (uint32_t node = 0; node < l->x.f->nodes; node++) l->distance[place][node] = distance[node];
  }
  free(distance);
  return l;
}

static void close_line(line_case *l) {
  ripstop_view_free(l->view);
  tear_down(&l->x);
  free(l);
}

static uint32_t next_of(const ripstop_fabric *f, uint32_t port) { return f->port_node[f->peer[port]]; }

/* True if a candidate that is up leads from a node to a place, each hop nearer to it. */
static bool near_candidate(const line_case *l, uint32_t node, uint32_t place) {
  const ripstop_fabric *f = l->x.f;
  if (node == ripstop_kns_router_node(&l->x.t, place)) return true;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    if (l->view->port_up[port] && l->distance[place][next_of(f, port)] < l->distance[place][node] &&
        near_candidate(l, next_of(f, port), place))
      return true;
  return false;
}

/* Every sequence of candidates leads to the place over links that are up, each hop nearer. */
static void follow(const line_case *l, uint32_t node, uint32_t place) {
  const ripstop_fabric *f = l->x.f;
  if (node == ripstop_kns_router_node(&l->x.t, place)) return;
  uint16_t port[PLACES];
  uint32_t count = ripstop_kns_candidates(&l->faults, node, place, port), useful = 0;
  assert_in_range(count, 1, ripstop_kns_candidates_max(&l->x.t));
  for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++)
    useful += l->view->port_up[p] && l->distance[place][next_of(f, p)] < l->distance[place][node] &&
              near_candidate(l, next_of(f, p), place);
  assert_int_equal(count, useful); /* none is left out */
  for (uint32_t i = 0; i < count; i++) {
    uint32_t out = f->port_base[node] + port[i];
    assert_true(l->view->port_up[out]);
    assert_true(l->distance[place][next_of(f, out)] < l->distance[place][node]);
    follow(l, next_of(f, out), place);
  }
}

static bool own_link_up(const line_case *l, uint32_t place) {
  return l->view->port_up[l->x.f->port_base[ripstop_kns_router_node(&l->x.t, place)]];
}

static void find_touch(line_case *l) {
  for (uint32_t a = 0; a < l->x.t.k; a++)
    for (uint32_t b = 0; b < l->x.t.k; b++)
      l->touch[a][b] =
          own_link_up(l, a) && own_link_up(l, b) && near_candidate(l, ripstop_kns_router_node(&l->x.t, a), b);
}

/* The number of routers of the largest connected set. */
static uint32_t largest(const line_case *l, uint32_t from, uint64_t chosen, uint32_t size) {
  uint32_t best = size;
  for (uint32_t a = from; a < l->x.t.k; a++) {
    bool fits = own_link_up(l, a);
    for (uint32_t b = 0; b < a && fits; b++) fits = !(chosen >> b & 1) || l->touch[a][b];
    if (!fits) continue;
    uint32_t found = largest(l, a + 1, chosen | UINT64_C(1) << a, size + 1);
    if (found > best) best = found;
  }
  return best;
}

static uint32_t check_line_faults(line_case *l) {
  uint32_t k = l->x.t.k, used = 0;
  l->arena = ripstop_arena_new();
  ripstop_kns_faults_find(&l->x.t, l->view->port_up, l->arena, &l->faults);
  find_touch(l);
  for (uint32_t a = 0; a < k; a++) {
    bool addable = own_link_up(l, a);
    if (!addable) assert_true(ripstop_kns_failed(&l->faults, a, 0));
    for (uint32_t b = 0; b < k; b++) {
      if (ripstop_kns_failed(&l->faults, b, 0)) continue;
      addable = addable && l->touch[a][b];
      if (ripstop_kns_failed(&l->faults, a, 0) || a == b) continue;
      assert_true(l->touch[a][b]);
      follow(l, next_of(l->x.f, l->x.f->port_base[ripstop_kns_router_node(&l->x.t, a)]), b);
    }
    assert_int_equal(addable, !ripstop_kns_failed(&l->faults, a, 0)); /* no place that fits is given up */
    used += !ripstop_kns_failed(&l->faults, a, 0);
    l->marked += ripstop_kns_failed(&l->faults, a, 0) && own_link_up(l, a);
  }
  l->sets++;
  ripstop_arena_free(l->arena);
  return used;
}

/* Kills the links of the set bits, from the first switch-switch link on. */
static void break_links(line_case *l, uint64_t set) {
  for (uint32_t link = l->x.f->link_ends; link < l->x.f->links; link++)
    ripstop_view_set_link(l->view, link, !(set >> (link - l->x.f->link_ends) & 1));
}

static void check_that_as_many_as_can_be_are_used(line_case *l) {
  uint32_t used = check_line_faults(l);
  assert_int_equal(used, largest(l, 0, 0, 0));
}

static void all_sets_of_a_small_line(const char *spec) {
  line_case *l = open_line(spec);
  uint32_t links = l->x.f->links - l->x.f->link_ends;
  for (uint64_t set = 0; set < UINT64_C(1) << links; set++) {
    break_links(l, set);
    check_that_as_many_as_can_be_are_used(l);
  }
  for (uint32_t node = l->x.t.first_line; node < l->x.f->nodes; node++) /* and with one failed switch */
    for (uint64_t set = 0; set < UINT64_C(1) << links; set += 5) {
      break_links(l, set);
      ripstop_view_set_switch(l->view, node, false);
      check_that_as_many_as_can_be_are_used(l);
      ripstop_view_set_switch(l->view, node, true);
    }
  assert_int_equal(l->marked > l->sets / 10,
                   l->x.t.stages > 1); /* a crossbar gives up no place with a link that is up */
  close_line(l);
}

static void all_sets_of_small_lines(void **state) {
  (void)state;
  all_sets_of_a_small_line("kns:k=4,n=1");
  all_sets_of_a_small_line("kns:k=4,n=1,s=2");
}

/* Random sets of every size. The choice is greedy, but on lines as small as these it was never smaller than the
 * largest. */
static void random_sets_of_a_line(const char *spec, uint32_t sets) {
  line_case *l = open_line(spec);
  uint32_t links = l->x.f->links - l->x.f->link_ends;
  for (uint32_t i = 0; i < sets; i++) {
    ripstop_stream stream = ripstop_stream_open(5, RIPSTOP_RANDOM_TEST, i);
    uint32_t threshold = 1 + ripstop_stream_below(&stream, 60); /* percent of failed links */
    uint64_t set = 0;
    for (uint32_t link = 0; link < links; link++)
      if (ripstop_stream_below(&stream, 100) < threshold) set |= UINT64_C(1) << link;
    break_links(l, set);
    check_that_as_many_as_can_be_are_used(l);
  }
  assert_true(l->marked > 0);
  close_line(l);
}

static void random_sets_of_lines(void **state) {
  (void)state;
  random_sets_of_a_line("kns:k=9,n=1,s=2", 1000);
  random_sets_of_a_line("kns:k=8,n=1,s=3", 1000);
  random_sets_of_a_line("kns:k=16,n=1,s=2", 200);
}

/* The routers whose link into their line of a dimension counts as failed with these failed links, as text. */
static void expect_failed(const char *spec, const char *links, uint32_t d, const char *expected) {
  fixture x = set_up(spec);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  ripstop_faults dead;
  ripstop_kns_faults faults;
  ripstop_text found = {0};
  if (ripstop_faults_parse(arena, x.names, links, strlen(links), &dead, &err) != 0) fail_msg("%s", err.text);
  ripstop_view *view = ripstop_view_new(x.f, &dead);
  ripstop_kns_faults_find(&x.t, view->port_up, arena, &faults);
  for (uint32_t router = 0; router < x.t.routers; router++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_node_name(x.f, ripstop_kns_router_node(&x.t, router), name);
    if (ripstop_kns_failed(&faults, router, d)) ripstop_text_add(&found, "%s%s", found.length > 0 ? " " : "", name);
  }
  assert_string_equal(found.length > 0 ? found.data : "", expected);
  ripstop_text_free(&found);
  ripstop_view_free(view);
  ripstop_arena_free(arena);
  tear_down(&x);
}

/* Lines do not see each other's faults, and who is given up has another link where that can be. */
static void whom_a_line_gives_up(void **state) {
  (void)state;
  const char *spec = "kns:k=4,n=2,s=2,c=2", *cut = "3.*:0/1/2 3.*:0/1/3 1.2/1";
  expect_failed(spec, cut, 0, "3.2 3.3");
  expect_failed(spec, cut, 1, "1.2");
  expect_failed(spec, "0.*:0/0/2 0.*:0/0/3", 0, "0.2 0.3"); /* the two halves are alike: the last */
  expect_failed(spec, "0.*:0/0/2 0.*:0/0/3 0.2/1", 0, "0.0 0.1");
  expect_failed(spec, "0.*:0/0/2 0.*:0/0/3 0.2/0", 0, "0.2 0.3"); /* the smaller one */
  expect_failed(spec, "0.*:0/0/2 0.*:0/0/3 0.0/0", 0, "0.0 0.1");
  expect_failed(spec, "switch:0.*:0/1", 0, "0.2 0.3");
  expect_failed(spec, "switch:0.*:1/1", 0, "");
  expect_failed(spec, "switch:0.*:1/0 switch:0.*:1/1", 0, "0.2 0.3");
  expect_failed(spec, "0.*:0/0/2 0.*:0/1/3", 0, "0.2 0.3");                /* no top is in touch with both */
  expect_failed("kns:k=9,n=1,s=2", "*:0/0/3 *:0/0/4 *:0/1/5", 0, "3 4 5"); /* 0/2 is in touch with both */
}

/* Switch 0 misses 4, 5 and 6 and is given up first; 4 misses 1, 5 misses 2, and 6 misses 3, and the last of each two
 * are given up. Of those that are left none misses 0. */
static void who_fits_in_the_end_comes_back(void **state) {
  (void)state;
  enum { ARITY = 7 };
  static const char *const leaves_of_top[ARITY] = {"0123", "456", "423", "153", "126", "", ""};
  ripstop_text dead = {0}, expected = {0};
  for (unsigned leaf = 0; leaf < ARITY; leaf++)
    for (unsigned top = 0; top < ARITY; top++)
      if (!strchr(leaves_of_top[top], '0' + (int)leaf)) ripstop_text_add(&dead, " *:0/%u/%u", leaf, ARITY + top);
  for (unsigned place = 4 * ARITY; place < ARITY * ARITY; place++)
    ripstop_text_add(&expected, "%s%u", place > 4 * ARITY ? " " : "", place);
  expect_failed("kns:k=49,n=1,s=2", dead.data, 0, expected.data);
  ripstop_text_free(&dead);
  ripstop_text_free(&expected);
}

/* Fewer failed links inside than the arity: no place is given up. */
static void few_faults_inside_a_line_do_nothing(void **state) {
  (void)state;
  static const char *const specs[] = {"kns:k=9,n=1,s=2", "kns:k=27,n=1,s=3", "kns:k=8,n=1,s=3"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    line_case *l = open_line(specs[i]);
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_combinations c;
    uint32_t inside = l->x.f->ends + l->x.t.routers;
    ripstop_combinations_first(arena, l->x.f->links - inside, l->x.t.tree.half - 1, &c);
    do {
      for (uint32_t j = 0; j < c.count; j++) ripstop_view_set_link(l->view, inside + c.part[j], false);
      ripstop_kns_faults_find(&l->x.t, l->view->port_up, arena, &l->faults);
      for (uint32_t router = 0; router < l->x.t.routers; router++)
        assert_false(ripstop_kns_failed(&l->faults, router, 0));
      for (uint32_t j = 0; j < c.count; j++) ripstop_view_set_link(l->view, inside + c.part[j], true);
    } while (ripstop_combinations_next(&c));
    ripstop_arena_free(arena);
    close_line(l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cable_follows_the_definition),
      cmocka_unit_test(geometry_agrees_with_names_and_walks),
      cmocka_unit_test(other_families_are_not_kns),
      cmocka_unit_test(names_read_well),
      cmocka_unit_test(k_must_fit_the_stages),
      cmocka_unit_test(distances_follow_the_closed_form),
      cmocka_unit_test(all_sets_of_small_lines),
      cmocka_unit_test(random_sets_of_lines),
      cmocka_unit_test(whom_a_line_gives_up),
      cmocka_unit_test(who_fits_in_the_end_comes_back),
      cmocka_unit_test(few_faults_inside_a_line_do_nothing),
  };
  return cmocka_run_group_tests_name("kns", tests, NULL, NULL);
}
