/* test_fabric_kns.c - lines of k-ary n-direct s-indirect fabrics against a second construction: every cable written
 * down by name, straight from Definition 1 of the fat trees and "routers on a line differ in one digit alone"; the
 * geometry of kns.h against those names and against walking; distances by a closed form. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/kns.h"

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
  rs_fabric *f;
  rs_names *names;
  rs_kns t;
} fixture;

static fixture set_up(const char *spec) {
  rs_error err;
  fixture x = {.f = rs_fabric_open(spec, &err)};
  if (!x.f) fail_msg("%s: %s", spec, err.text);
  if (rs_fabric_check(x.f, &err) != 0) fail_msg("%s", err.text);
  x.names = rs_names_new(x.f);
  assert_true(rs_kns_from(x.f, &x.t));
  return x;
}

static void tear_down(fixture *x) {
  rs_names_free(x->names);
  rs_fabric_free(x->f);
}

static uint32_t switch_called(const fixture *x, const char *name) {
  uint32_t node = rs_names_switch(x->names, name, strlen(name));
  if (node == RS_NONE) fail_msg("%s has no switch %s", x->f->spec, name);
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
  digits(digits_of_c, c, x->arity, x->s - 1, RS_NONE);
  if (x->s == 1)
    snprintf(out, 3 * NAME, "%s", line);
  else
    snprintf(out, 3 * NAME, "%s:%u/%s", line, l, digits_of_c);
}

/* ------------------------------------------------------------------ cables */

/* The link by its name joins these two ports. */
static void joined(const fixture *x, const char *link, const char *a, unsigned port_a, const char *b, unsigned port_b) {
  const rs_fabric *f = x->f;
  uint32_t number = rs_names_link(x->names, link, strlen(link));
  if (number == RS_NONE) fail_msg("%s has no link %s", f->spec, link);
  uint32_t one = f->port_base[switch_called(x, a)] + port_a, other = f->port_base[switch_called(x, b)] + port_b;
  if (f->link_port[2 * number] != one || f->link_port[2 * number + 1] != other)
    fail_msg("%s: %s does not join %s port %u and %s port %u", f->spec, link, a, port_a, b, port_b);
}

/* p joins <0, c> port p_0 where c_i = p_{i+1}. */
static void check_router(const fixture *x, const kns_case *of, unsigned router, unsigned d) {
  char name[NAME], link[NAME + 16], line[3 * NAME];
  unsigned place = digit_of(router, of->k, d);
  digits(name, router, of->k, of->n, RS_NONE);
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
    assert_int_equal(rs_fabric_switches(x.f), routers + of->n * routers / of->k * of->s * (of->k / of->arity));
    tear_down(&x);
  }
}

/* ------------------------------------------------------------------ geometry for methods */

static void check_geometry_of_router(const fixture *x, const kns_case *of, uint32_t router) {
  char name[NAME], link[NAME + 16];
  const rs_kns *t = &x->t;
  digits(name, router, of->k, of->n, RS_NONE);
  uint32_t node = switch_called(x, name);
  assert_int_equal(rs_kns_router_node(t, router), node);
  assert_int_equal(rs_kns_router_at(t, node), router);
  assert_true(rs_kns_is_router(t, node));
  assert_false(rs_kns_is_line(t, node));
  assert_int_equal(rs_kns_router(t, rs_coords(x->f, node)), router);
  for (uint32_t end = router * of->c; end < (router + 1) * of->c; end++) {
    assert_int_equal(rs_kns_router_of(t, end), router);
    assert_int_equal(rs_end_switch(x->f, end), node);
    assert_int_equal(rs_end_switch_port(x->f, end), rs_kns_end_port(t, end));
    assert_false(rs_kns_is_router(t, end));
    assert_false(rs_kns_is_line(t, end));
  }
  for (uint32_t d = 0; d < of->n; d++) {
    uint32_t digit = rs_kns_digit(t, router, d), line = rs_kns_line(t, router, d);
    assert_int_equal(digit, digit_of(router, of->k, d));
    assert_int_equal(rs_kns_line_dimension(t, line), d);
    assert_int_equal(rs_kns_line_router(t, line, digit), router);
    for (uint32_t to = 0; to < of->k; to++) {
      uint32_t moved = rs_kns_move(t, router, d, to);
      assert_int_equal(moved, router + to * power(of->k, d) - digit * power(of->k, d));
      assert_int_equal(rs_kns_line_router(t, line, to), moved);
      assert_int_equal(rs_kns_line(t, moved, d), line);
    }
    snprintf(link, sizeof link, "%s/%u", name, d);
    uint32_t number = rs_names_link(x->names, link, strlen(link));
    assert_int_equal(rs_kns_link(t, router, d), number);
    assert_int_equal(rs_kns_link_router(t, number), router);
    assert_int_equal(rs_kns_link_dimension(t, number), d);
  }
}

/* Marks the places that are reached by going down only. */
static void descend(const fixture *x, const rs_tree *tree, uint32_t node, uint32_t d, bool *reached) {
  if (rs_kns_is_router(&x->t, node)) {
    reached[rs_kns_digit(&x->t, rs_kns_router_at(&x->t, node), d)] = true;
    return;
  }
  for (uint32_t port = 0; port < rs_node_ports(x->f, node) - rs_tree_ups(tree, node); port++)
    descend(x, tree, x->f->port_node[x->f->peer[x->f->port_base[node] + port]], d, reached);
}

static void check_geometry_of_line(const fixture *x, const kns_case *of, uint32_t line) {
  const rs_kns *t = &x->t;
  rs_tree tree = rs_kns_tree(t, line);
  uint32_t d = rs_kns_line_dimension(t, line), first = rs_kns_line_node(t, line);
  for (uint32_t node = first; node < first + t->line_switches; node++) {
    char name[RS_NAME_MAX];
    bool reached[64] = {false};
    assert_int_equal(rs_kns_line_of(t, node), line);
    assert_true(rs_kns_is_line(t, node));
    assert_false(rs_kns_is_router(t, node));
    rs_node_name(x->f, node, name);
    uint32_t level = of->s == 1 ? 0 : (uint32_t)atoi(strchr(name, ':') + 1);
    assert_int_equal(rs_tree_level(&tree, node), level);
    assert_int_equal(rs_tree_ups(&tree, node), level + 1 == of->s ? 0 : of->arity);
    for (uint32_t port = 0; port < rs_node_ports(x->f, node); port++) {
      uint32_t next = x->f->port_node[x->f->peer[x->f->port_base[node] + port]];
      assert_int_equal(rs_tree_is_up(&tree, node, port), rs_kns_is_line(t, next) && next > node);
    }
    descend(x, &tree, node, d, reached);
    for (uint32_t place = 0; place < of->k; place++) {
      assert_int_equal(rs_tree_above(&tree, node, place), reached[place]);
      if (!reached[place]) continue;
      uint32_t port = x->f->port_base[node] + rs_tree_down_port(&tree, level, place);
      uint32_t next = x->f->port_node[x->f->peer[port]];
      assert_true(level == 0 ? next == rs_kns_router_node(t, rs_kns_line_router(t, line, place))
                             : rs_tree_above(&tree, next, place));
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
      assert_int_equal(rs_kns_is_router_link(&x.t, link),
                       link >= x.f->ends && !rs_kns_is_line(&x.t, rs_link_node(x.f, link, 0)));
    tear_down(&x);
  }
}

static void other_families_are_not_kns(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:4x4", "kary-ntree:k=3,n=2", "mport-ntree:m=4,n=2"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    rs_error err;
    rs_kns t;
    rs_fabric *f = rs_fabric_open(specs[i], &err);
    assert_non_null(f);
    assert_false(rs_kns_from(f, &t));
    rs_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ names as users give them */

static void names_read_well(void **state) {
  (void)state;
  fixture x = set_up("kns:k=16,n=2,s=2");
  const rs_fabric *f = x.f;
  uint32_t leaf = switch_called(&x, "3.*:0/1"), top = switch_called(&x, "3.*:1/2");
  uint32_t router = switch_called(&x, "3.6"); /* place 6 = 1.2 in base 4 hangs from 0/1 */
  assert_int_equal(f->peer[f->port_base[router] + 0], f->port_base[leaf] + 2);
  uint32_t link = rs_names_link(x.names, "3.*:0/1/6", 9);
  assert_int_equal(rs_link_node(f, link, 0), leaf);
  assert_int_equal(rs_link_node(f, link, 1), top);
  assert_int_equal(rs_names_link(x.names, "3.*:1/2/1", 9), RS_NONE); /* the same cable from above */
  assert_int_equal(rs_names_switch(x.names, "3.*", 3), RS_NONE);     /* a line of several switches */
  assert_string_equal(rs_names_nearest_link(x.names, "3.*:0/1/66", 10), "3.*:0/1/6");
  assert_string_equal(rs_names_nearest_link(x.names, "3.*/0/1/6", 9), "3.*:0/1/6");
  assert_string_equal(rs_names_nearest_switch(x.names, "3.*:1-2", 7), "3.*:1/2");
  tear_down(&x);
}

static void refuse(const char *spec, const char *message) {
  rs_error err = {0};
  rs_fabric *fabric = rs_fabric_open(spec, &err);
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
      rs_fabric_distances(x.f, from, distance);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cable_follows_the_definition),
      cmocka_unit_test(geometry_agrees_with_names_and_walks),
      cmocka_unit_test(other_families_are_not_kns),
      cmocka_unit_test(names_read_well),
      cmocka_unit_test(k_must_fit_the_stages),
      cmocka_unit_test(distances_follow_the_closed_form),
  };
  return cmocka_run_group_tests_name("kns", tests, NULL, NULL);
}
