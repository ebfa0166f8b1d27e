/* test_fabric_wiring.c - every family against a second construction, written straight from its definition: trees as the
 * predicate of Definition 1 over all pairs of ports, tori by coordinate arithmetic, KNS by "routers share a line switch
 * iff they differ in that digit alone". Nodes are found by their names, so names are held to the definitions too.
 * Distances come from closed forms and from igraph. */
#include <igraph/igraph.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fabric/inner.h"
#include "fabric/tree.h"
#include "ripstop/fabric.h"

enum { DIGITS = 8 };

typedef struct fixture {
  ripstop_fabric *f;
  ripstop_names *names;
} fixture;

static fixture set_up(const char *spec) {
  ripstop_error err = {0};
  fixture x = {.f = ripstop_fabric_open(spec, &err)};
  if (x.f == NULL) fail_msg("%s: %s", spec, err.text);
  x.names = ripstop_names_new(x.f);
  return x;
}

static void tear_down(fixture *x) {
  ripstop_names_free(x->names);
  ripstop_fabric_free(x->f);
}

/* "2.1" from digit[1] = 2, digit[0] = 1. */
static void join(char *out, size_t room, const char *prefix, const unsigned *digit, unsigned count) {
  size_t length = (size_t)snprintf(out, room, "%s", prefix);
  for (unsigned i = count; i-- > 0;)
    length += (size_t)snprintf(out + length, room - length, i + 1 < count ? ".%u" : "%u", digit[i]);
}

/* Counts up digits of mixed radices; false after the last. */
static bool count_up(unsigned *digit, const unsigned *radix, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (++digit[i] < radix[i]) return true;
    digit[i] = 0;
  }
  return false;
}

/* ------------------------------------------------------------------ trees: Definition 1 */

typedef struct vertex {
  bool is_end;
  unsigned level, ports, digit[DIGITS]; /* p of an end node, c of a switch */
  uint32_t node;
} vertex;

typedef struct tree_case {
  const char *spec;
  unsigned m, n;
  bool kary;
} tree_case;

static const tree_case trees[] = {
    {"mport-ntree:m=2,n=1", 2, 1, false}, {"mport-ntree:m=2,n=3", 2, 3, false}, {"mport-ntree:m=6,n=1", 6, 1, false},
    {"mport-ntree:m=4,n=2", 4, 2, false}, {"mport-ntree:m=4,n=3", 4, 3, false}, {"mport-ntree:m=6,n=2", 6, 2, false},
    {"mport-ntree:m=4,n=4", 4, 4, false}, {"kary-ntree:k=1,n=2", 2, 2, true},   {"kary-ntree:k=3,n=1", 6, 1, true},
    {"kary-ntree:k=2,n=2", 4, 2, true},   {"kary-ntree:k=2,n=3", 4, 3, true},   {"kary-ntree:k=3,n=3", 6, 3, true},
    {"kary-ntree:k=2,n=5", 4, 5, true},
};

/* All vertices of the definition; returns how many. */
static size_t enumerate(const fixture *x, const tree_case *t, vertex *out) {
  size_t count = 0;
  unsigned most = t->kary ? t->m / 2 : t->m; /* values of the most significant digit */
  char name[RIPSTOP_NAME_MAX];
  for (int level = -1; level < (int)t->n; level++) { /* -1: the end nodes */
    unsigned digits = level < 0 ? t->n : t->n - 1, radix[DIGITS], digit[DIGITS] = {0};
    bool top = level + 1 == (int)t->n;
    for (unsigned i = 0; i < digits; i++) radix[i] = t->m / 2;
    if (digits > 0 && !top) radix[digits - 1] = most;
    if (level < 0) radix[digits - 1] = most;
    do {
      vertex *v = &out[count++];
      *v = (vertex){.is_end = level < 0, .level = level < 0 ? 0 : (unsigned)level};
      v->ports = level < 0 ? 1 : top && t->kary ? t->m / 2 : t->m;
      memcpy(v->digit, digit, sizeof digit);
      char prefix[16] = "";
      if (level >= 0) snprintf(prefix, sizeof prefix, "%d/", level);
      join(name, sizeof name, prefix, digit, digits);
      v->node = level < 0 ? ripstop_names_end(x->names, name, strlen(name))
                          : ripstop_names_switch(x->names, name, strlen(name));
      if (v->node == RIPSTOP_NONE) fail_msg("%s has no %s", t->spec, name);
    } while (count_up(digit, radix, digits));
  }
  return count;
}

/* "SW<l,c>_k and SW<l',c'>_k' are joined iff l' = l+1, c'_i = c_i for all i != l, k' = c_l, k = c'_l + m/2" */
static bool joined_switches(const tree_case *t, const vertex *a, unsigned k, const vertex *b, unsigned k2) {
  if (b->level != a->level + 1) return false;
  for (unsigned i = 0; i + 1 < t->n; i++)
    if (i != a->level && a->digit[i] != b->digit[i]) return false;
  return k2 == a->digit[a->level] && k == b->digit[a->level] + t->m / 2;
}

/* "SW<l,c>_k and P(p) are joined iff l = 0, c_i = p_{i+1} for i = 0 .. n-2, k = p_0" */
static bool joined_end(const tree_case *t, const vertex *s, unsigned k, const vertex *p) {
  if (s->level != 0) return false;
  for (unsigned i = 0; i + 1 < t->n; i++)
    if (s->digit[i] != p->digit[i + 1]) return false;
  return k == p->digit[0];
}

static bool joined(const tree_case *t, const vertex *a, unsigned k, const vertex *b, unsigned k2) {
  if (a->is_end) return !b->is_end && joined_end(t, b, k2, a);
  if (b->is_end) return joined_end(t, a, k, b);
  return joined_switches(t, a, k, b, k2) || joined_switches(t, b, k2, a, k);
}

static void trees_follow_definition_1(void **state) {
  (void)state;
  static vertex v[1000];
  for (size_t c = 0; c < sizeof trees / sizeof *trees; c++) {
    const tree_case *t = &trees[c];
    fixture x = set_up(t->spec);
    size_t count = enumerate(&x, t, v);
    assert_int_equal(count, x.f->nodes);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(ripstop_node_ports(x.f, v[i].node), v[i].ports);
      for (size_t j = 0; j < count; j++)
        for (unsigned k = 0; k < v[i].ports; k++)
          for (unsigned k2 = 0; k2 < v[j].ports; k2++) {
            bool wired = x.f->peer[x.f->port_base[v[i].node] + k] == x.f->port_base[v[j].node] + k2;
            if (wired != joined(t, &v[i], k, &v[j], k2)) fail_msg("%s: %zu.%u %zu.%u", t->spec, i, k, j, k2);
          }
    }
    tear_down(&x);
  }
}

/* A tree link is its lower switch and up port, and is found by its upper end too. */
static void tree_links_are_named_from_both_ends(void **state) {
  (void)state;
  fixture x = set_up("mport-ntree:m=4,n=3");
  uint32_t link = ripstop_names_link(x.names, "0/3.1/2", 7), lower = ripstop_names_switch(x.names, "0/3.1", 5);
  assert_int_not_equal(link, RIPSTOP_NONE);
  assert_int_equal(x.f->port_link[x.f->port_base[lower] + 2], link);
  assert_int_equal(ripstop_link_node(x.f, link, 0), lower);
  assert_int_equal(ripstop_link_node(x.f, link, 1), ripstop_names_switch(x.names, "1/3.0", 5));
  assert_int_equal(ripstop_names_link(x.names, "1/3.0/1", 7), link);
  assert_int_equal(ripstop_names_link(x.names, "1/3.0/4", 7), RIPSTOP_NONE); /* no such port */
  tear_down(&x);
}

/* Marks all end nodes that are reached by going down only. */
static void descend(const fixture *x, const tree_case *t, uint32_t node, bool *reached) {
  if (ripstop_is_end(x->f, node)) {
    reached[node] = true;
    return;
  }
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(x->f, node, name);
  bool top = (unsigned)atoi(name) + 1 == t->n;
  unsigned downs = top ? ripstop_node_ports(x->f, node) : t->m / 2;
  for (unsigned port = 0; port < downs; port++)
    descend(x, t, x->f->port_node[x->f->peer[x->f->port_base[node] + port]], reached);
}

static void tree_geometry_agrees_with_walking_down(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof trees / sizeof *trees; c++) {
    const tree_case *t = &trees[c];
    fixture x = set_up(t->spec);
    ripstop_tree tree;
    assert_true(ripstop_tree_from(x.f, &tree));
    assert_int_equal(tree.half, t->m / 2);
    assert_int_equal(tree.levels, t->n);
    assert_int_equal(tree.top_ports, t->kary ? t->m / 2 : t->m);
    assert_int_equal(ripstop_tree_first_up(&tree), t->m / 2);
    bool *reached = calloc(x.f->ends, sizeof *reached);
    for (uint32_t node = x.f->ends; node < x.f->nodes; node++) {
      uint32_t level = ripstop_tree_level(&tree, node);
      char name[RIPSTOP_NAME_MAX];
      ripstop_node_name(x.f, node, name);
      assert_int_equal(level, atoi(name));
      assert_int_equal(ripstop_tree_ups(&tree, node), level + 1 == t->n ? 0 : t->m / 2);
      for (uint32_t port = 0; port < ripstop_node_ports(x.f, node); port++) {
        uint32_t next = x.f->port_node[x.f->peer[x.f->port_base[node] + port]];
        bool up = !ripstop_is_end(x.f, next) && ripstop_tree_level(&tree, next) > level;
        assert_int_equal(ripstop_tree_is_up(&tree, node, port), up);
      }
      memset(reached, 0, x.f->ends * sizeof *reached);
      descend(&x, t, node, reached);
      for (uint32_t end = 0; end < x.f->ends; end++) {
        assert_int_equal(ripstop_tree_above(&tree, node, end), reached[end]);
        if (!reached[end]) continue;
        uint32_t port = ripstop_tree_down_port(&tree, level, end);
        uint32_t next = x.f->port_node[x.f->peer[x.f->port_base[node] + port]];
        assert_true(ripstop_is_end(x.f, next) ? next == end : ripstop_tree_above(&tree, next, end));
      }
    }
    free(reached);
    tear_down(&x);
  }
}

static void other_families_are_no_trees(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:4x4", "kns:k=3,n=2", "graph:tests/data/petersen.edges"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    fixture x = set_up(specs[i]);
    ripstop_tree tree;
    assert_false(ripstop_tree_from(x.f, &tree));
    tear_down(&x);
  }
}

/* ------------------------------------------------------------------ tori */

typedef struct torus_case {
  const char *spec;
  unsigned dimensions, size[DIGITS]; /* dimension 0 first */
} torus_case;

static const torus_case tori[] = {
    {"torus:2", 1, {2}},      {"torus:5", 1, {5}},           {"torus:2x2", 2, {2, 2}},
    {"torus:4x3", 2, {3, 4}}, {"torus:2x3x4", 3, {4, 3, 2}}, {"torus:3x2x2x3", 4, {3, 2, 2, 3}},
};

static void tori_follow_coordinates(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof tori / sizeof *tori; c++) {
    const torus_case *t = &tori[c];
    fixture x = set_up(t->spec);
    const ripstop_fabric *f = x.f;
    unsigned at[DIGITS] = {0};
    uint32_t seen = 0;
    char name[RIPSTOP_NAME_MAX], link[RIPSTOP_NAME_MAX + 16];
    do {
      join(name, sizeof name, "", at, t->dimensions);
      uint32_t node = ripstop_names_switch(x.names, name, strlen(name)),
               end = ripstop_names_end(x.names, name, strlen(name));
      assert_int_not_equal(node, RIPSTOP_NONE);
      assert_int_equal(ripstop_node_ports(f, node), 2 * t->dimensions + 1);
      assert_int_equal(ripstop_end_switch(f, end), node);
      assert_int_equal(ripstop_end_switch_port(f, end), 2 * t->dimensions);
      for (unsigned d = 0; d < t->dimensions; d++) {
        assert_int_equal(f->coord[(size_t)node * f->coords + d], at[d]);
        unsigned next[DIGITS];
        memcpy(next, at, sizeof at);
        next[d] = (at[d] + 1) % t->size[d];
        join(name, sizeof name, "", next, t->dimensions);
        uint32_t higher = ripstop_names_switch(x.names, name, strlen(name)), port = f->port_base[node] + 2 * d;
        assert_int_equal(f->peer[port], f->port_base[higher] + 2 * d + 1);
        join(name, sizeof name, "", at, t->dimensions);
        int length = snprintf(link, sizeof link, "%s/%u", name, d);
        assert_int_equal(ripstop_names_link(x.names, link, (size_t)length), f->port_link[port]);
      }
      seen++;
    } while (count_up(at, t->size, t->dimensions));
    assert_int_equal(seen, f->ends);
    tear_down(&x);
  }
}

/* ------------------------------------------------------------------ KNS */

static void kns_follows_its_definition(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    unsigned k, n, c;
  } cases[] = {{"kns:k=2,n=1", 2, 1, 1},
               {"kns:k=4,n=2", 4, 2, 1},
               {"kns:k=3,n=3", 3, 3, 1},
               {"kns:k=2,n=4", 2, 4, 1},
               {"kns:k=3,n=2,c=3", 3, 2, 3}};
  static uint32_t router[100];
  static unsigned digit[100][DIGITS];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    unsigned k = cases[c].k, n = cases[c].n, radix[DIGITS], at[DIGITS] = {0}, routers = 0;
    fixture x = set_up(cases[c].spec);
    const ripstop_fabric *f = x.f;
    char name[RIPSTOP_NAME_MAX], other[RIPSTOP_NAME_MAX + 16];
    for (unsigned i = 0; i < n; i++) radix[i] = k;
    do {
      join(name, sizeof name, "", at, n);
      memcpy(digit[routers], at, sizeof at);
      uint32_t node = router[routers++] = ripstop_names_switch(x.names, name, strlen(name));
      assert_int_equal(ripstop_node_ports(f, node), n + cases[c].c);
      for (unsigned i = 0; i < cases[c].c; i++) {
        int length = snprintf(other, sizeof other, cases[c].c > 1 ? "%s:%u" : "%s", name, i);
        uint32_t end = ripstop_names_end(x.names, other, (size_t)length);
        assert_int_equal(ripstop_end_switch(f, end), node);
        assert_int_equal(ripstop_end_switch_port(f, end), n + i);
      }
      for (unsigned d = 0; d < n; d++) {
        uint32_t port = f->port_base[node] + d, line = f->port_node[f->peer[port]];
        int length = snprintf(other, sizeof other, "%s/%u", name, d);
        assert_int_equal(ripstop_names_link(x.names, other, (size_t)length), f->port_link[port]);
        assert_int_equal(ripstop_node_ports(f, line), k);
        assert_int_equal(f->peer[port] - f->port_base[line], at[d]);
      }
    } while (count_up(at, radix, n));
    for (unsigned i = 0; i < routers; i++)
      for (unsigned j = 0; j < routers; j++)
        for (unsigned d = 0; d < n; d++) {
          bool alike = true; /* in all digits but d */
          for (unsigned e = 0; e < n; e++) alike = alike && (e == d || digit[i][e] == digit[j][e]);
          bool share =
              f->port_node[f->peer[f->port_base[router[i]] + d]] == f->port_node[f->peer[f->port_base[router[j]] + d]];
          assert_int_equal(share, alike);
        }
    tear_down(&x);
  }
  fixture x = set_up("kns:k=4,n=2");
  uint32_t line = ripstop_names_switch(x.names, "3.*", 3), node = ripstop_names_switch(x.names, "3.1", 3);
  assert_int_not_equal(line, RIPSTOP_NONE);
  assert_int_equal(x.f->port_node[x.f->peer[x.f->port_base[node] + 0]], line);
  tear_down(&x);
}

/* ------------------------------------------------------------------ distances */

static unsigned tree_distance(const ripstop_fabric *f, const uint16_t *a, const uint16_t *b) {
  for (unsigned i = f->coords; i-- > 0;)
    if (a[i] != b[i]) return 2 * (i + 1);
  return 0;
}

static unsigned torus_distance(const ripstop_fabric *f, const uint16_t *a, const uint16_t *b) {
  unsigned sum = 0;
  uint16_t size[DIGITS] = {0};
  for (size_t i = 0; i < (size_t)f->ends * f->coords; i++)
    if (f->coord[i] >= size[i % f->coords]) size[i % f->coords] = (uint16_t)(f->coord[i] + 1);
  for (unsigned d = 0; d < f->coords; d++) {
    unsigned gap = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];
    sum += gap < size[d] - gap ? gap : size[d] - gap;
  }
  return sum == 0 ? 0 : sum + 2;
}

static unsigned kns_distance(const ripstop_fabric *f, const uint16_t *a, const uint16_t *b) {
  unsigned differing = 0, n = f->coords - 1;
  for (unsigned d = 0; d < n; d++) differing += a[d] != b[d];
  return differing == 0 && a[n] == b[n] ? 0 : 2 + 2 * differing;
}

static void make_igraph(const ripstop_fabric *f, igraph_t *graph) {
  igraph_vector_int_t edges;
  igraph_vector_int_init(&edges, 2 * (igraph_integer_t)f->links);
  for (uint32_t i = 0; i < 2 * f->links; i++) VECTOR(edges)[i] = f->port_node[f->link_port[i]];
  igraph_create(graph, &edges, f->nodes, IGRAPH_UNDIRECTED);
  igraph_vector_int_destroy(&edges);
}

static void distances_agree_thrice(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    unsigned (*closed)(const ripstop_fabric *f, const uint16_t *a, const uint16_t *b);
  } cases[] = {{"kary-ntree:k=3,n=3", tree_distance},
               {"mport-ntree:m=4,n=3", tree_distance},
               {"torus:2x3x4", torus_distance},
               {"torus:7", torus_distance},
               {"kns:k=3,n=3", kns_distance},
               {"kns:k=3,n=2,c=2", kns_distance},
               {"graph:tests/data/petersen.edges", NULL}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    fixture x = set_up(cases[c].spec);
    const ripstop_fabric *f = x.f;
    igraph_t graph;
    igraph_matrix_t all;
    make_igraph(f, &graph);
    igraph_matrix_init(&all, 0, 0);
    igraph_distances(&graph, &all, igraph_vss_all(), igraph_vss_all(), IGRAPH_ALL);
    uint32_t *distance = calloc(f->nodes, sizeof *distance);
    for (uint32_t from = 0; from < f->nodes; from++) {
      ripstop_fabric_distances(f, from, distance);
      for (uint32_t to = 0; to < f->nodes; to++) {
        assert_int_equal(distance[to], MATRIX(all, from, to));
        if (from < f->ends && to < f->ends && cases[c].closed != NULL)
          assert_int_equal(distance[to],
                           cases[c].closed(f, f->coord + (size_t)from * f->coords, f->coord + (size_t)to * f->coords));
      }
    }
    free(distance);
    igraph_matrix_destroy(&all);
    igraph_destroy(&graph);
    tear_down(&x);
  }
}

int main(void) {
  if (chdir(RIPSTOP_SOURCE_DIR) != 0) return RIPSTOP_EXIT_FAILED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_follow_definition_1),
      cmocka_unit_test(tree_links_are_named_from_both_ends),
      cmocka_unit_test(tree_geometry_agrees_with_walking_down),
      cmocka_unit_test(other_families_are_no_trees),
      cmocka_unit_test(tori_follow_coordinates),
      cmocka_unit_test(kns_follows_its_definition),
      cmocka_unit_test(distances_agree_thrice),
  };
  return cmocka_run_group_tests_name("wiring", tests, NULL, NULL);
}
