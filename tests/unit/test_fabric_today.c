/* test_fabric_today.c - how today's fabrics are wired: against lists of cables that another program made from the
 * papers' definitions (tests/data/topologies), against what the papers prove of them, and what is refused. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/field.h"
#include "fabric/inner.h"
#include "opened.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/family.h"

static void refuse(const char *spec, const char *message) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (fabric) fail_msg("%s was accepted", spec);
  if (!strstr(err.text, message)) fail_msg("%s: '%s' does not contain '%s'", spec, err.text, message);
}

/* ------------------------------------------------------------------ known wirings */

/* A fabric, and the number of cables between two nodes that a file has listed so far. */
typedef struct listed {
  ripstop_fabric *fabric;
  const char *file;
  uint8_t *seen; /* [links] */
  uint32_t ends, cables;
} listed;

static bool has_name(const ripstop_fabric *f, uint32_t node, const char *name) {
  char own[RIPSTOP_NAME_MAX];
  ripstop_node_name(f, node, own);
  return !strcmp(own, name);
}

static void see_end(listed *l, const char *name, const char *at) {
  const ripstop_fabric *f = l->fabric;
  if (l->ends == f->ends || !has_name(f, l->ends, name) || !has_name(f, ripstop_link_node(f, l->ends, 1), at))
    fail_msg("%s: end node %u is not %s at %s", l->file, l->ends, name, at);
  l->ends++;
}

/* A cable that was not seen before. */
static void see_cable(listed *l, const char *a, const char *b) {
  const ripstop_fabric *f = l->fabric;
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    uint32_t one = ripstop_link_node(f, link, 0), other = ripstop_link_node(f, link, 1);
    if (l->seen[link] ||
        !((has_name(f, one, a) && has_name(f, other, b)) || (has_name(f, one, b) && has_name(f, other, a))))
      continue;
    l->seen[link] = 1;
    l->cables++;
    return;
  }
  fail_msg("%s: no cable %s %s, or not so many", l->file, a, b);
}

static void compare_with(const char *file) {
  char line[256], first[64], second[64], third[64];
  FILE *in = fopen(file, "r");
  assert_non_null(in);
  assert_non_null(fgets(line, sizeof line, in));
  line[strcspn(line, "\n")] = '\0';
  listed l = {.fabric = open_fabric(line + 2), .file = file};
  l.seen = calloc(l.fabric->links, 1);
  while (fgets(line, sizeof line, in)) {
    if (line[0] == '#' || !strncmp(line, "@router", 7)) continue;
    assert_true(sscanf(line, "%63s %63s %63s", first, second, third) >= 2);
    strcmp(first, "@end") ? see_cable(&l, first, second) : see_end(&l, second, third);
  }
  assert_int_equal(l.ends, l.fabric->ends);
  assert_int_equal(l.cables, l.fabric->links - l.fabric->link_ends);
  fclose(in);
  free(l.seen);
  ripstop_fabric_free(l.fabric);
}

static void wirings_are_the_known_ones(void **state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob(RIPSTOP_SOURCE_DIR "/tests/data/topologies/*.graph", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) compare_with(files.gl_pathv[i]);
  assert_true(files.gl_pathc > 30);
  globfree(&files);
}

/* ------------------------------------------------------------------ results that the papers prove */

static uint32_t neighbours(const ripstop_fabric *f, uint32_t node) {
  uint32_t count = 0;
  for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
    count += f->peer[port] != RIPSTOP_NONE && !ripstop_is_end(f, f->port_node[f->peer[port]]);
  return count;
}

/* The largest distance between switches, and the least and most cables of one. */
typedef struct extent {
  uint32_t diameter, least, most;
} extent;

static extent extent_of(const ripstop_fabric *f) {
  extent e = {.least = UINT32_MAX};
  uint32_t *distance = calloc(f->nodes, sizeof *distance);
  for (uint32_t node = f->ends; node < f->nodes; node++) {
    uint32_t degree = neighbours(f, node);
    if (degree < e.least) e.least = degree;
    if (degree > e.most) e.most = degree;
    ripstop_fabric_distances(f, node, distance);
    for (uint32_t other = f->ends; other < f->nodes; other++)
      if (distance[other] > e.diameter) e.diameter = distance[other];
  }
  free(distance);
  return e;
}

static void expect(const char *spec, uint32_t diameter, uint32_t least, uint32_t most) {
  ripstop_error err = {0};
  ripstop_fabric *f = open_fabric(spec);
  if (ripstop_fabric_check(f, &err)) fail_msg("%s", err.text);
  extent e = extent_of(f);
  if (e.diameter != diameter || e.least != least || e.most != most)
    fail_msg("%s: diameter %u, %u to %u cables", spec, e.diameter, e.least, e.most);
  ripstop_fabric_free(f);
}

/* Diameter 2 and (3q - d)/2 cables, or q + 1 and q at quadrics, for all kinds of q: primes, squares, powers of 2. */
static void slim_and_polar_flies_have_diameter_two(void **state) {
  (void)state;
  static const uint32_t sizes[] = {3, 4, 5, 7, 8, 9, 11, 13};
  char spec[64];
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint32_t q = sizes[i], degree = q % 4 == 3 ? (3 * q + 1) / 2 : (3 * q - q % 4) / 2;
    snprintf(spec, sizeof spec, "slimfly:%u", q);
    expect(spec, 2, degree, degree);
    snprintf(spec, sizeof spec, "polarfly:%u", q);
    expect(spec, 2, q, q + 1);
  }
}

static void groups_meet_by_one_global_cable(void **state) {
  (void)state;
  expect("dragonfly:a=4,p=1,h=2", 3, 5, 5);
  expect("dragonfly:a=4,p=1,h=2,arrangement=absolute", 3, 5, 5);
  expect("dragonfly:a=6,p=1,h=2,g=4", 3, 5 + 2, 5 + 2);
  expect("dragonfly:a=3,p=1,h=1,g=3", 3, 2, 3); /* one of three global ports is left over */
  expect("dragonfly+:leaves=3,spines=3,h=1,p=1", 5, 3, 4);
  expect("hyperx:3x4,k=2", 2, 10, 10);
  expect("mesh:3x4", 5, 2, 4);
  expect("xgft:m=4.4.3,w=1.2.2", 4, 2, 6);
}

/* All switches have equally many cables, never two between the same routers, in one piece; another seed gives another
 * graph. */
static void jellyfish_are_regular_and_random(void **state) {
  (void)state;
  static const uint32_t size[][2] = {{3, 2}, {4, 3}, {5, 2}, {5, 4}, {10, 3}, {10, 8}, {40, 7}, {30, 20}};
  char spec[64], name[RIPSTOP_NAME_MAX];
  for (size_t i = 0; i < sizeof size / sizeof *size; i++)
    for (uint32_t seed = 0; seed < 5; seed++) {
      snprintf(spec, sizeof spec, "jellyfish:n=%u,r=%u,seed=%u", size[i][0], size[i][1], seed);
      ripstop_fabric *f = open_fabric(spec);
      extent e = extent_of(f);
      assert_true(e.diameter < size[i][0]);
      assert_int_equal(e.least, size[i][1]);
      assert_int_equal(e.most, size[i][1]);
      for (uint32_t link = f->link_ends; link < f->links; link++) {
        ripstop_link_name(f, link, name);
        if (strchr(name, '#')) fail_msg("%s: %s", spec, name);
      }
      ripstop_fabric_free(f);
    }
  ripstop_fabric *one = open_fabric("jellyfish:n=40,r=5,seed=1"), *two = open_fabric("jellyfish:n=40,r=5,seed=2"),
                 *again = open_fabric("jellyfish:n=40,r=5,seed=1");
  assert_int_not_equal(memcmp(one->peer, two->peer, one->ports * sizeof *one->peer), 0);
  assert_memory_equal(one->peer, again->peer, one->ports * sizeof *one->peer);
  ripstop_fabric_free(one);
  ripstop_fabric_free(two);
  ripstop_fabric_free(again);
}

/* Every element but 0 has one inverse, and products spread over sums. */
static void fields_are_fields(void **state) {
  (void)state;
  static const uint32_t sizes[] = {2, 3, 4, 5, 8, 9, 16, 25, 27};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_field f;
    uint32_t q = sizes[i];
    ripstop_field_make(arena, q, &f);
    for (uint32_t a = 0; a < q; a++)
      for (uint32_t b = 0; b < q; b++) {
        assert_int_equal(ripstop_field_subtract(&f, ripstop_field_add(&f, a, b), b), a);
        if (b) assert_int_equal(ripstop_field_times(&f, ripstop_field_over(&f, a, b), b), a);
        uint32_t c = (a * 5 + b * 3 + 1) % q;
        assert_int_equal(ripstop_field_times(&f, a, ripstop_field_add(&f, b, c)),
                         ripstop_field_add(&f, ripstop_field_times(&f, a, b), ripstop_field_times(&f, a, c)));
      }
    ripstop_arena_free(arena);
  }
  assert_false(ripstop_field_exists(1) || ripstop_field_exists(6) || ripstop_field_exists(12));
  assert_true(ripstop_field_exists(2) && ripstop_field_exists(49) && ripstop_field_exists(64));
}

/* ------------------------------------------------------------------ refused fabrics */

static void impossible_fabrics_are_refused(void **state) {
  (void)state;
  refuse("mesh:1x4", "from 2");
  refuse("mesh:4x4,p=0", "'p'");
  refuse("hyperx:4x4,k=1x2x3", "3 numbers for 2 dimensions");
  refuse("hyperx:60000x60000", "too big");
  refuse("dragonfly:a=4,p=2,h=2,g=10", "at most 9 groups");
  refuse("dragonfly:a=60000,p=1,h=60000", "groups");
  refuse("dragonfly+:leaves=2,spines=2,h=1,g=4,p=1", "at most 3 groups");
  refuse("xgft:m=4.4,w=1", "of 2 levels");
  refuse("xgft:m=4.4,w=2.2", "one cable");
  refuse("xgft:m=60000.60000,w=1.60000", "too big");
  refuse("slimfly:6", "the nearest are 5 and 7");
  refuse("polarfly:q=15", "the nearest are 13 and 16");
  refuse("jellyfish:n=5,r=3", "odd");
  refuse("jellyfish:n=5,r=5", "there are 4");
  refuse("jellyfish:n=100000,r=2", "none is in one piece");
  refuse("rail:units=2,servers=2,spines=0", "units are not joined");
  refuse("rail:servers=2,spines=0,nvswitch=0", "rails are not joined");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wirings_are_the_known_ones),
                                     cmocka_unit_test(slim_and_polar_flies_have_diameter_two),
                                     cmocka_unit_test(groups_meet_by_one_global_cable),
                                     cmocka_unit_test(jellyfish_are_regular_and_random),
                                     cmocka_unit_test(fields_are_fields),
                                     cmocka_unit_test(impossible_fabrics_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
