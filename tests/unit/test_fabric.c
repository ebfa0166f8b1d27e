/* test_fabric.c - specs, counts, the checker, the builder's rules, names and distances: whatever holds of every family.
 * How each family is wired is test_fabric_wiring.c's business. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fabric/builder.h"
#include "fabric/graph.h"
#include "fabric/inner.h"
#include "opened.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/family.h"

static void refuse(const char *spec, const char *message) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (fabric != NULL) fail_msg("%s was accepted", spec);
  if (strstr(err.text, message) == NULL) fail_msg("%s: '%s' does not contain '%s'", spec, err.text, message);
  assert_null(strchr(err.text, '\n'));
}

/* Specs that every family's general promises are tested on. */
static const char *const small[] = {"kary-ntree:k=1,n=1",
                                    "kary-ntree:k=1,n=3",
                                    "kary-ntree:k=2,n=1",
                                    "kary-ntree:k=2,n=4",
                                    "kary-ntree:k=3,n=3",
                                    "kary-ntree:k=4,n=2",
                                    "mport-ntree:m=2,n=1",
                                    "mport-ntree:m=2,n=3",
                                    "mport-ntree:m=4,n=3",
                                    "mport-ntree:m=6,n=2",
                                    "mport-ntree:m=4,n=4",
                                    "torus:2",
                                    "torus:5",
                                    "torus:4x2x3",
                                    "torus:2x2x2x2",
                                    "kns:k=2,n=1",
                                    "kns:k=4,n=2",
                                    "kns:k=3,n=3",
                                    "torus:2x3,p=2",
                                    "kns:k=2,n=4",
                                    "kns:k=3,n=2,c=3",
                                    "kns:k=4,n=2,s=2",
                                    "kns:k=8,n=1,s=3,c=2",
                                    "mesh:3x4,p=2",
                                    "hyperx:3x2,k=1x2,p=2",
                                    "dragonfly:a=3,p=1,h=1,g=3",
                                    "dragonfly+:leaves=2,spines=2,h=1,g=3,p=2",
                                    "xgft:m=2.3.2,w=1.2.2",
                                    "slimfly:3",
                                    "polarfly:3",
                                    "jellyfish:n=10,r=4,p=2",
                                    "rail:units=2,servers=2,rails=2,spines=2",
                                    "rail:units=2,servers=2,rails=2,spines=2,nvswitch=0",
                                    "graph:tests/data/petersen.edges",
                                    "ib:tests/data/ib/small-clean.ibnetdiscover",
                                    NULL};

/* ------------------------------------------------------------------ counts */

static uint64_t power(uint64_t base, unsigned exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

static void holds(const char *spec, uint64_t ends, uint64_t switches, uint64_t links) {
  ripstop_fabric *f = open_fabric(spec);
  ripstop_error err = {0};
  if (f->ends != ends || ripstop_fabric_switches(f) != switches || f->links != links || f->link_ends != ends)
    fail_msg("%s: %u, %u, %u", spec, f->ends, ripstop_fabric_switches(f), f->links);
  if (ripstop_fabric_check(f, &err) != 0) fail_msg("%s", err.text);
  ripstop_fabric_free(f);
}

static void counts_follow_the_closed_forms(void **state) {
  (void)state;
  char spec[64];
  for (unsigned n = 1; n <= 4; n++) {
    for (unsigned k = 1; k <= 5; k++) {
      snprintf(spec, sizeof spec, "kary-ntree:k=%u,n=%u", k, n);
      holds(spec, power(k, n), n * power(k, n - 1), n * power(k, n));
      snprintf(spec, sizeof spec, "mport-ntree:m=%u,n=%u", 2 * k, n);
      holds(spec, 2 * power(k, n), (2 * n - 1) * power(k, n - 1), 2 * n * power(k, n));
      for (unsigned c = 1; c <= 3 && k > 1; c++) {
        snprintf(spec, sizeof spec, "kns:k=%u,n=%u,c=%u", k, n, c);
        holds(spec, c * power(k, n), power(k, n) + n * power(k, n - 1), (c + n) * power(k, n));
      }
    }
  }
  holds("torus:2", 2, 2, 4);
  holds("torus:7", 7, 7, 14);
  holds("torus:8x8", 64, 64, 192);
  holds("torus:3x4x5", 60, 60, 240);
  holds("torus:2x2x2x2x2x2", 64, 64, 448);
  holds("torus:size=3x4,p=5", 60, 12, 84);
  holds("kns:k=10,n=3", 1000, 1300, 4000);
  holds("graph:tests/data/petersen.edges", 10, 10, 25);
}

/* ------------------------------------------------------------------ specs */

static void bad_specs_are_refused(void **state) {
  (void)state;
  refuse("", "fabric '' is unknown; known: dragonfly, dragonfly+, graph, ");
  refuse("kary-ntre:k=4,n=3", "did you mean 'kary-ntree'?");
  refuse("tree:k=4", "fabric 'tree' is unknown; known: ");
  refuse("kary-ntree", "'k' must be given");
  refuse("kary-ntree:k=4", "'n' must be given");
  refuse("kary-ntree:k=0,n=3", "'k'");
  refuse("kary-ntree:k=4,n=0", "'n'");
  refuse("kary-ntree:k=-4,n=3", "'k'");
  refuse("kary-ntree:k=4,n=3,", "fabric kary-ntree");
  refuse("kary-ntree:k=4,n=3 ", "'n'");
  refuse("kary-ntree:k=4,k=4,n=3", "'k'");
  refuse("kary-ntree:k=4,n=3,m=4", "'m'");
  refuse("kary-ntree:k=18446744073709551620,n=1", "'k'");
  refuse("kary-ntree:k=32767,n=63", "too big");
  refuse("kary-ntree:k=2,n=63", "too big");
  refuse("mport-ntree:m=65534,n=63", "too big");
  refuse("mport-ntree:m=3,n=2", "m must be even");
  refuse("torus:", "'size'");
  refuse("torus:8x", "'8x'");
  refuse("torus:x8", "'x8'");
  refuse("torus:8xx8", "sizes");
  refuse("torus:8X8", "size '8X8'");
  refuse("torus:1x8", "size '1'");
  refuse("torus:0", "size '0'");
  refuse("torus:65536", "size '65536'");
  refuse("torus:99999999999999999999", "sizes like 8x8");
  refuse("torus:60000x60000", "too big");
  refuse("torus:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", "dimensions");
  refuse("kns:k=1,n=2", "'k'");
  refuse("kns:k=2,n=2,c=0", "'c'");
  refuse("kns:k=65535,n=2", "too big");
  refuse("kns:k=2,n=2,c=65471x", "'c'");
  refuse("graph:", "'file'");
  refuse("graph:/does/not/exist", "/does/not/exist");
  refuse("/does/not/exist.edges", "/does/not/exist.edges");
  refuse("graph:tests", "tests");
  refuse("graph:tests/data/petersen.edges,hash=0", "the content has the hash");
}

/* Local ports fit 16 bits, as routing methods hold them. */
static void ports_of_a_switch_are_bounded(void **state) {
  (void)state;
  ripstop_text text = {0};
  ripstop_error err = {0};
  for (unsigned i = 0; i < UINT16_MAX - 1; i++) ripstop_text_add_bytes(&text, "a b\n", 4);
  ripstop_fabric *f = ripstop_graph_from_text("hub", text.data, text.length, &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(ripstop_node_ports(f, f->ends), UINT16_MAX);
  ripstop_fabric_free(f);
  ripstop_text_add_bytes(&text, "a b\n", 4);
  assert_null(ripstop_graph_from_text("hub", text.data, text.length, &err));
  assert_non_null(strstr(err.text, "a switch would have 65536 ports"));
  ripstop_text_free(&text);
}

static void canonical_specs_open_the_same_fabric(void **state) {
  (void)state;
  const struct {
    const char *given, *canonical;
  } cases[] = {{"kary-ntree:n=3,k=2", "kary-ntree:k=2,n=3"},
               {"mport-ntree:n=2,m=4", "mport-ntree:m=4,n=2"},
               {"torus:08x2", "torus:8x2"},
               {"torus:size=3x4", "torus:3x4"},
               {"kns:n=2,k=3", "kns:k=3,n=2,s=1,c=1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_fabric *f = open_fabric(cases[i].given);
    assert_string_equal(f->spec, cases[i].canonical);
    ripstop_fabric *again = open_fabric(f->spec);
    assert_string_equal(again->spec, cases[i].canonical);
    ripstop_fabric_free(again);
    ripstop_fabric_free(f);
  }
}

/* A graph's spec names the content, however the file was named. */
static void a_graph_is_named_by_its_content(void **state) {
  (void)state;
  ripstop_fabric *a = open_fabric("tests/data/petersen.edges"), *b = open_fabric("graph:./tests/data/petersen.edges");
  ripstop_fabric *again = open_fabric(a->spec);
  assert_string_equal(again->spec, a->spec);
  assert_non_null(strstr(a->spec, ",hash="));
  assert_string_equal(strstr(a->spec, ",hash="), strstr(b->spec, ",hash="));
  ripstop_fabric_free(again);
  ripstop_fabric_free(b);
  ripstop_fabric_free(a);
}

/* ------------------------------------------------------------------ the checker finds damage */

typedef struct damage {
  const char *what;
  void (*harm)(ripstop_fabric *f);
} damage;

/* The arrays belong to the fabric's arena and are only const for its readers. */
static uint32_t *writable(const uint32_t *array) { return (uint32_t *)(uintptr_t)array; }

static void swap(uint32_t *array, uint32_t a, uint32_t b) {
  uint32_t keep = array[a];
  array[a] = array[b];
  array[b] = keep;
}

static void harm_peer(ripstop_fabric *f) { swap(writable(f->peer), f->port_base[f->ends], f->port_base[f->ends + 1]); }
static void harm_owner(ripstop_fabric *f) { writable(f->port_node)[f->ports - 1] = f->ends; }
static void harm_base(ripstop_fabric *f) { writable(f->port_base)[f->ends + 1]++; }
static void harm_link(ripstop_fabric *f) { writable(f->port_link)[f->ports - 1] ^= 1; }
static void harm_sides(ripstop_fabric *f) { swap(writable(f->link_port), 0, 2); }
static void harm_order(ripstop_fabric *f) { swap(writable(f->link_port), 0, 1); }
static void harm_cable(ripstop_fabric *f) { writable(f->peer)[0] = RIPSTOP_NONE; }
static void harm_count(ripstop_fabric *f) { f->links--; }
static void harm_ends(ripstop_fabric *f) { f->link_ends--; }
static void one_name(const ripstop_fabric *f, uint32_t node, char *out) {
  snprintf(out, RIPSTOP_NAME_MAX, "%s", ripstop_is_end(f, node) ? "end" : "switch");
}
static void harm_names(ripstop_fabric *f) {
  static ripstop_family nameless;
  nameless = *f->family;
  nameless.node_name = one_name;
  f->family = &nameless;
}

static void the_checker_finds_damage(void **state) {
  (void)state;
  const damage all[] = {{"peer", harm_peer},   {"owner", harm_owner}, {"base", harm_base},   {"link", harm_link},
                        {"sides", harm_sides}, {"order", harm_order}, {"cable", harm_cable}, {"count", harm_count},
                        {"ends", harm_ends},   {"names", harm_names}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ripstop_fabric *f = open_fabric("torus:3x3");
    ripstop_error err = {0};
    assert_int_equal(ripstop_fabric_check(f, &err), 0);
    all[i].harm(f);
    if (ripstop_fabric_check(f, &err) == 0) fail_msg("damage '%s' was not found", all[i].what);
    assert_non_null(strstr(err.text, "torus:3x3"));
    ripstop_fabric_free(f);
  }
}

/* ------------------------------------------------------------------ the builder's rules */

static void expect_fault(ripstop_builder *builder, ripstop_arena *arena, const char *message) {
  ripstop_error err = {0};
  ripstop_fabric fabric = {0};
  assert_int_equal(ripstop_builder_finish(builder, &fabric, &err), -1);
  if (strstr(err.text, message) == NULL) fail_msg("'%s' does not contain '%s'", err.text, message);
  ripstop_builder_free(builder);
  ripstop_arena_free(arena);
}

static ripstop_builder *two_ends_and_a_switch(ripstop_arena **arena) {
  *arena = ripstop_arena_new();
  ripstop_builder *b = ripstop_builder_new(*arena);
  ripstop_builder_end(b, NULL);
  ripstop_builder_end(b, NULL);
  ripstop_builder_switch(b, 3, NULL);
  ripstop_builder_cable(b, 0, 0, 2, 0);
  return b;
}

static void the_builder_refuses(void **state) {
  (void)state;
  ripstop_arena *arena;
  ripstop_builder *b = two_ends_and_a_switch(&arena);
  expect_fault(b, arena, "end node 1 has no cable");
  b = two_ends_and_a_switch(&arena);
  ripstop_builder_cable(b, 1, 0, 2, 0);
  expect_fault(b, arena, "port 0 of node 2 is wired twice");
  b = two_ends_and_a_switch(&arena);
  ripstop_builder_cable(b, 1, 0, 2, 3);
  expect_fault(b, arena, "node 2 has no port 3");
  b = two_ends_and_a_switch(&arena);
  ripstop_builder_cable(b, 1, 0, 3, 0);
  expect_fault(b, arena, "node 3 has no port 0");
  b = two_ends_and_a_switch(&arena);
  ripstop_builder_cable(b, 2, 1, 2, 2);
  expect_fault(b, arena, "with itself");
  b = two_ends_and_a_switch(&arena);
  ripstop_builder_end(b, NULL);
  expect_fault(b, arena, "after the first switch");
  b = two_ends_and_a_switch(&arena);
  ripstop_builder_coords(b, 2);
  expect_fault(b, arena, "after the first node");
  b = two_ends_and_a_switch(&arena);
  ripstop_builder_switch(b, 70000, NULL);
  expect_fault(b, arena, "70000 ports");
  arena = ripstop_arena_new();
  expect_fault(ripstop_builder_new(arena), arena, "no end node");
}

/* A switch port without a cable is allowed. */
static void ports_may_stay_free(void **state) {
  (void)state;
  ripstop_arena *arena;
  ripstop_error err = {0};
  ripstop_builder *b = two_ends_and_a_switch(&arena);
  ripstop_builder_cable(b, 2, 2, 1, 0);
  ripstop_fabric f = {0};
  assert_int_equal(ripstop_builder_finish(b, &f, &err), 0);
  assert_int_equal(f.links, 2);
  assert_int_equal(f.peer[f.port_base[2] + 1], RIPSTOP_NONE);
  assert_int_equal(f.port_link[f.port_base[2] + 1], RIPSTOP_NONE);
  assert_int_equal(ripstop_end_switch(&f, 1), 2);
  assert_int_equal(ripstop_end_switch_port(&f, 1), 2);
  assert_int_equal(ripstop_link_node(&f, 1, 0), 1); /* the link is named by its end node, in either order of nodes */
  ripstop_builder_free(b);
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ names */

static void names_go_both_candidates(void **state) {
  (void)state;
  char name[RIPSTOP_NAME_MAX];
  for (const char *const *spec = small; *spec != NULL; spec++) {
    ripstop_fabric *f = open_fabric(*spec);
    ripstop_names *names = ripstop_names_new(f);
    assert_ptr_equal(ripstop_names_fabric(names), f);
    for (uint32_t node = 0; node < f->nodes; node++) {
      ripstop_node_name(f, node, name);
      uint32_t found = ripstop_is_end(f, node) ? ripstop_names_end(names, name, strlen(name))
                                               : ripstop_names_switch(names, name, strlen(name));
      assert_int_equal(found, node);
    }
    for (uint32_t link = 0; link < f->links; link++) {
      ripstop_link_name(f, link, name);
      assert_int_equal(ripstop_names_link(names, name, strlen(name)), link);
      if (!f->family->names_end_links) assert_int_equal(strncmp(name, "end:", 4) == 0, link < f->link_ends);
      assert_int_equal(ripstop_names_link(names, name, strlen(name) - 1) == link, false);
    }
    assert_int_equal(ripstop_names_link(names, "", 0), RIPSTOP_NONE);
    assert_int_equal(ripstop_names_switch(names, "no such", 7), RIPSTOP_NONE);
    ripstop_names_free(names);
    ripstop_fabric_free(f);
  }
}

static void wrong_names_bring_the_nearest(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=4,n=3");
  ripstop_names *names = ripstop_names_new(f);
  assert_string_equal(ripstop_names_nearest_link(names, "0/2.1/77", 8), "0/2.1/7");
  assert_string_equal(ripstop_names_nearest_link(names, "end:3.2.11", 10), "end:3.2.1");
  assert_string_equal(ripstop_names_nearest_switch(names, "2/3,3", 5), "2/3.3");
  assert_null(ripstop_names_nearest_switch(names, "completely different", 20));
  char longest[1000];
  memset(longest, '1', sizeof longest);
  assert_null(ripstop_names_nearest_link(names, longest, sizeof longest));
  ripstop_names_free(names);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ distances */

/* The families that say so look the same from every end node: so one search is enough for them. */
static void symmetric_families_are_symmetric(void **state) {
  (void)state;
  for (const char *const *spec = small; *spec != NULL; spec++) {
    ripstop_fabric *f = open_fabric(*spec);
    uint32_t *distance = calloc(f->nodes, sizeof *distance);
    uint32_t *first = calloc(f->nodes + 1, sizeof *first), *other = calloc(f->nodes + 1, sizeof *other);
    uint64_t sum = 0;
    uint32_t longest = 0;
    for (uint32_t end = 0; end < f->ends; end++) {
      ripstop_fabric_distances(f, end, distance);
      memset(other, 0, (f->nodes + 1) * sizeof *other);
      for (uint32_t to = 0; to < f->ends; to++) {
        other[distance[to]]++;
        sum += distance[to];
        if (distance[to] > longest) longest = distance[to];
      }
      if (end == 0) memcpy(first, other, (f->nodes + 1) * sizeof *other);
      if (f->family->symmetric) assert_memory_equal(first, other, (f->nodes + 1) * sizeof *other);
    }
    ripstop_span span;
    ripstop_fabric_span(f, UINT32_MAX, &span);
    assert_int_equal(span.diameter, longest);
    assert_int_equal(span.unreachable, 0);
    double pairs = (double)f->ends * (f->ends - 1);
    assert_float_equal(span.mean, pairs > 0 ? (double)sum / pairs : 0, 1e-9);
    free(first);
    free(other);
    free(distance);
    ripstop_fabric_free(f);
  }
}

static void a_split_graph_has_pairs_without_a_path(void **state) {
  (void)state;
  static const char text[] = "a b\nc d\nd e\n@router a\n";
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("split", text, sizeof text - 1, &err);
  assert_non_null(f);
  ripstop_span span;
  ripstop_fabric_span(f, UINT32_MAX, &span);
  assert_int_equal(span.unreachable, 2 * 2 * 3);
  assert_int_equal(span.diameter, 4);
  assert_float_equal(span.mean, (2 * 3 + 4 * 3 + 2 * 4) / 8.0, 1e-9);
  ripstop_fabric_span(f, 2, &span);
  assert_int_equal(span.sources, 2);
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ edge lists */

static void refuse_graph(const char *text, size_t length, const char *message) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, length, &err);
  if (f != NULL) fail_msg("accepted: %s", text);
  if (strstr(err.text, message) == NULL) fail_msg("'%s' does not contain '%s'", err.text, message);
}

static void bad_edge_lists_are_refused(void **state) {
  (void)state;
  const struct {
    const char *text, *message;
  } cases[] = {{"", "net: no switch and no link in it"},
               {"# nothing\n\n", "net: no switch and no link in it"},
               {"a b\n\nc\n", "net:3: a link needs two router names"},
               {"a b\nb c 5\n", "net:2: '5' after two router names"},
               {"a b 100G 5\n", "net:1: '5' after two router names; a weight is rate=0.5"},
               {"a b 0G\n", "net:1: '0G' after two router names; a weight is"},
               {"a b 1.5G\n", "net:1: '1.5G' after two router names; a weight is"},
               {"a a\n", "net:1: a link from 'a' to itself"},
               {"a b!\n", "net:1: name 'b!': only letters"},
               {"a b--c\n", "net:1: name 'b--c': '-' stands alone between other characters; '--' joins the two names"},
               {"rack--a rack--b\n", "net:1: name 'rack--a': '-' stands alone between other characters; '--' joins"},
               {"a -b\n", "net:1: name '-b': '-'"},
               {"a b-\n", "net:1: name 'b-': '-'"},
               {"end:a b\n", "meaning of their own"},
               {"a switch:b\n", "meaning of their own"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refuse_graph(cases[i].text, strlen(cases[i].text), cases[i].message);
  refuse_graph("a b\0c\n", 6, "net: is no text");
  char longest[256];
  memset(longest, 'x', sizeof longest);
  refuse_graph(longest, sizeof longest, "longer than 100 bytes");
}

static void edge_lists_may_report_speeds(void **state) {
  (void)state;
  static const char text[] = "a b 400G\nb c 100G # slow\nc a\na c 1T\na b 1M\n", even[] = "a b 100G\nb c 100G\n";
  static const uint16_t rates[] = {400, 100, RIPSTOP_RATE_FULL, RIPSTOP_RATE_FULL, RIPSTOP_RATE_LEAST};
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, sizeof text - 1, &err);
  if (f == NULL) fail_msg("%s", err.text);
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(ripstop_fabric_rate(f, f->link_ends + i), rates[i]);
  for (uint32_t i = 0; i < f->link_ends; i++) assert_int_equal(ripstop_fabric_rate(f, i), RIPSTOP_RATE_FULL);
  ripstop_fabric_free(f);
  f = ripstop_graph_from_text("net", even, sizeof even - 1, &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_null(f->rate);
  ripstop_fabric_free(f);
}

static void edge_lists_are_numbered_as_written(void **state) {
  (void)state;
  static const char text[] = "b a # first\r\n\ta  c\na b#second\nb-1.x:y_ c\nb a";
  static const char *const links[] = {"end:b", "end:a",  "end:c",       "end:b-1.x:y_", "b--a",
                                      "a--c",  "b--a#2", "c--b-1.x:y_", "b--a#3"};
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("net", text, sizeof text - 1, &err);
  if (f == NULL) fail_msg("%s", err.text);
  assert_int_equal(ripstop_fabric_check(f, &err), 0);
  assert_int_equal(f->links, 9);
  for (uint32_t link = 0; link < f->links; link++) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_link_name(f, link, name);
    assert_string_equal(name, links[link]);
  }
  /* Router a is node ends + 1: its lines are b, c, b, b; its end node comes last. */
  const uint32_t *base = f->port_base + f->ends + 1, want[] = {0, 2, 0, 0};
  assert_int_equal(base[1] - base[0], 5);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(f->port_node[f->peer[base[0] + i]], f->ends + want[i]);
  assert_int_equal(f->port_node[f->peer[base[0] + 4]], 1);
  ripstop_fabric_free(f);
}

int main(void) {
  if (chdir(RIPSTOP_SOURCE_DIR) != 0) return RIPSTOP_EXIT_FAILED; /* for the example of the graph family */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_follow_the_closed_forms),
      cmocka_unit_test(bad_specs_are_refused),
      cmocka_unit_test(ports_of_a_switch_are_bounded),
      cmocka_unit_test(canonical_specs_open_the_same_fabric),
      cmocka_unit_test(a_graph_is_named_by_its_content),
      cmocka_unit_test(the_checker_finds_damage),
      cmocka_unit_test(the_builder_refuses),
      cmocka_unit_test(ports_may_stay_free),
      cmocka_unit_test(names_go_both_candidates),
      cmocka_unit_test(wrong_names_bring_the_nearest),
      cmocka_unit_test(symmetric_families_are_symmetric),
      cmocka_unit_test(a_split_graph_has_pairs_without_a_path),
      cmocka_unit_test(bad_edge_lists_are_refused),
      cmocka_unit_test(edge_lists_may_report_speeds),
      cmocka_unit_test(edge_lists_are_numbered_as_written),
  };
  return cmocka_run_group_tests_name("fabric", tests, NULL, NULL);
}
