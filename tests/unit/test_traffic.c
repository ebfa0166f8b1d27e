/* test_traffic.c - traffic patterns against their definitions, written a second time, and against the fabrics' own
 * geometry: coordinates, distances, what is cut off without the top switches. Random patterns are held to chi-square
 * with fixed seeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/inner.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/arbiter.h"
#include "ripstop/plugin/pattern.h"

/* ------------------------------------------------------------------ a pattern on a fabric */

typedef struct traffic {
  ripstop_fabric *fabric;
  const ripstop_pattern *pattern;
  void *config;
  const void *table;
  ripstop_arena *arena;
} traffic;

static const ripstop_pattern *find(const char *name) {
  for (size_t i = 0; ripstop_patterns[i]; i++)
    if (strcmp(ripstop_patterns[i]->name, name) == 0) return ripstop_patterns[i];
  fail_msg("no pattern %s", name);
  abort();
}

static void shut(traffic *t) {
  ripstop_fabric_free(t->fabric);
  ripstop_arena_free(t->arena);
}

/* -1 with the error when the pattern refuses. */
static int try_open(traffic *t, const char *fabric, const char *pattern, const char *options, uint64_t seed,
                    ripstop_error *err) {
  *t = (traffic){.fabric = ripstop_fabric_open(fabric, err), .pattern = find(pattern), .arena = ripstop_arena_new()};
  if (!t->fabric) fail_msg("%s: %s", fabric, err->text);
  t->config = ripstop_arena_array(t->arena, 1, t->pattern->config_size + 1);
  if (ripstop_options_parse(t->arena, "pattern", t->pattern->options, t->config, options, err) ||
      t->pattern->prepare(t->arena, t->fabric, t->config, seed, &t->table, err)) {
    shut(t);
    return -1;
  }
  return 0;
}

static traffic open_seeded(const char *fabric, const char *pattern, const char *options, uint64_t seed) {
  traffic t;
  ripstop_error err;
  if (try_open(&t, fabric, pattern, options, seed, &err)) fail_msg("%s on %s: %s", pattern, fabric, err.text);
  return t;
}

static traffic open_traffic(const char *fabric, const char *pattern) { return open_seeded(fabric, pattern, NULL, 1); }

static uint32_t to(const traffic *t, uint32_t source, uint64_t word) {
  return t->pattern->destination(t->fabric, t->config, t->table, source, word);
}

/* The destination of a deterministic pattern, with silence written as sending to oneself. */
static uint32_t image(const traffic *t, uint32_t source) {
  uint32_t destination = to(t, source, 0);
  assert_int_equal(destination, to(t, source, UINT64_MAX));
  assert_int_not_equal(destination, source);
  return destination == RIPSTOP_NONE ? source : destination;
}

static uint32_t silent(const traffic *t) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < t->fabric->ends; s++) count += to(t, s, 0) == RIPSTOP_NONE;
  return count;
}

static void assert_bijection(const traffic *t) {
  uint8_t *hit = calloc(t->fabric->ends, 1);
  for (uint32_t s = 0; s < t->fabric->ends; s++) {
    uint32_t d = image(t, s);
    assert_in_range(d, 0, t->fabric->ends - 1);
    assert_int_equal(hit[d]++, 0);
  }
  free(hit);
}

/* Applying the pattern so many times leads back to where one was. */
static void assert_order(const traffic *t, uint32_t times) {
  for (uint32_t s = 0; s < t->fabric->ends; s++) {
    uint32_t at = s;
    for (uint32_t i = 0; i < times; i++) at = image(t, at);
    assert_int_equal(at, s);
  }
}

static void assert_refused(const char *fabric, const char *pattern, const char *options, const char *says) {
  traffic t;
  ripstop_error err = {0};
  if (try_open(&t, fabric, pattern, options, 1, &err) == 0) fail_msg("%s accepts %s", pattern, fabric);
  if (!strstr(err.text, says)) fail_msg("%s on %s says: %s", pattern, fabric, err.text);
  assert_null(strchr(err.text, '\n'));
}

/* ------------------------------------------------------------------ all patterns, by existing */

static const char *const fabrics[] = {
    "torus:8x8",          "torus:5x3x2",         "torus:2x2",       "kary-ntree:k=2,n=1",
    "kary-ntree:k=3,n=3", "mport-ntree:m=4,n=3", "kns:k=4,n=2,c=3", NULL};

static void every_destination_is_an_end_node(void **state) {
  (void)state;
  for (size_t p = 0; ripstop_patterns[p]; p++)
    for (size_t f = 0; fabrics[f]; f++) {
      traffic t;
      ripstop_error err = {0};
      if (try_open(&t, fabrics[f], ripstop_patterns[p]->name, NULL, 7, &err)) {
        assert_non_null(strstr(err.text, ripstop_patterns[p]->name));
        continue;
      }
      ripstop_stream stream = ripstop_stream_open(p, RIPSTOP_RANDOM_TEST, f);
      uint32_t speaking = 0;
      for (uint32_t s = 0; s < t.fabric->ends; s++)
        for (int i = 0; i < 50; i++) {
          uint64_t word = i == 0 ? 0 : i == 1 ? UINT64_MAX : ripstop_stream_u64(&stream);
          uint32_t d = to(&t, s, word);
          assert_int_not_equal(d, s);
          assert_true(d == RIPSTOP_NONE || d < t.fabric->ends);
          assert_int_equal(d, to(&t, s, word));
          speaking += d != RIPSTOP_NONE;
        }
      assert_int_not_equal(speaking, 0);
      shut(&t);
    }
}

static void registry(void **state) {
  (void)state;
  static const char *const expected[] = {"bit-complement", "bit-reverse", "group-shift", "hotspot",
                                         "neighbour",      "other-half",  "permutation", "reverse",
                                         "shuffle",        "tornado",     "transpose",   "uniform"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) find(expected[i]);
  for (size_t i = 0; ripstop_patterns[i]; i++) {
    assert_int_equal(ripstop_patterns[i]->abi, RIPSTOP_PATTERN_ABI);
    assert_true(ripstop_patterns[i]->summary && ripstop_patterns[i]->options && ripstop_patterns[i]->prepare &&
                ripstop_patterns[i]->destination);
    if (i > 0) assert_true(strcmp(ripstop_patterns[i - 1]->name, ripstop_patterns[i]->name) < 0);
  }
}

/* ------------------------------------------------------------------ bit patterns, as texts of binary digits */

enum { BITS = 6 }; /* bits of the 64 end nodes of torus:8x8 */

static void write_bits(uint32_t value, char *text) {
  for (int i = 0; i < BITS; i++) text[i] = (value >> (BITS - 1 - i) & 1) ? '1' : '0';
  text[BITS] = '\0';
}

static void assert_bits(const char *pattern, void (*transform)(const char *source, char *destination)) {
  traffic t = open_traffic("torus:8x8", pattern);
  assert_int_equal(t.fabric->ends, 1 << BITS);
  for (uint32_t s = 0; s < t.fabric->ends; s++) {
    char source[BITS + 1], expected[BITS + 1] = {0}, found[BITS + 1];
    write_bits(s, source);
    write_bits(image(&t, s), found);
    transform(source, expected);
    assert_string_equal(found, expected);
  }
  assert_bijection(&t);
  shut(&t);
}

static void inverted(const char *s, char *d) {
  for (int i = 0; i < BITS; i++) d[i] = s[i] == '0' ? '1' : '0';
}
static void reversed(const char *s, char *d) {
  for (int i = 0; i < BITS; i++) d[i] = s[BITS - 1 - i];
}
static void rotated(const char *s, char *d) { snprintf(d, BITS + 1, "%s%c", s + 1, s[0]); }
static void swapped(const char *s, char *d) { snprintf(d, BITS + 1, "%s%.*s", s + BITS / 2, BITS / 2, s); }

static void bit_patterns(void **state) {
  (void)state;
  assert_bits("bit-complement", inverted);
  assert_bits("bit-reverse", reversed);
  assert_bits("shuffle", rotated);
  assert_bits("transpose", swapped);
}

static void repeated_bit_patterns_are_the_identity(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t order, silent;
  } truth[] = {{"bit-complement", 2, 0}, {"bit-reverse", 2, 8}, {"shuffle", BITS, 2}, {"transpose", 2, 8}};
  for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
    traffic t = open_traffic("torus:8x8", truth[i].name);
    assert_order(&t, truth[i].order);
    assert_int_equal(silent(&t), truth[i].silent);
    shut(&t);
  }
}

/* On a square torus the transpose exchanges the coordinates. */
static void transpose_exchanges_coordinates(void **state) {
  (void)state;
  traffic t = open_traffic("torus:8x8", "transpose");
  for (uint32_t s = 0; s < t.fabric->ends; s++) {
    const uint16_t *from = &t.fabric->coord[s * 2], *there = &t.fabric->coord[image(&t, s) * 2];
    assert_int_equal(there[0], from[1]);
    assert_int_equal(there[1], from[0]);
  }
  shut(&t);
}

/* ------------------------------------------------------------------ digit patterns */

/* From each end node exactly `links` links to the destination, all silent ones aside. */
static void assert_distance(const char *fabric, const char *pattern, uint32_t links) {
  traffic t = open_traffic(fabric, pattern);
  uint32_t *distance = calloc(t.fabric->nodes, sizeof *distance);
  assert_bijection(&t);
  for (uint32_t s = 0; s < t.fabric->ends; s++) {
    ripstop_fabric_distances(t.fabric, s, distance);
    assert_int_equal(distance[image(&t, s)], links);
  }
  free(distance);
  shut(&t);
}

static void digit_patterns_have_one_distance(void **state) {
  (void)state;
  assert_distance("torus:8x8", "tornado", 2 + 3 + 3);
  assert_distance("torus:7x5x3", "tornado", 2 + 3 + 2 + 1);
  assert_distance("torus:2x8", "tornado", 2 + 0 + 3);
  assert_distance("torus:8x8", "neighbour", 2 + 2);
  assert_distance("torus:5x4x3", "neighbour", 2 + 3);
  assert_distance("kns:k=4,n=2,c=3", "neighbour", 2 + 2 * 2);
  assert_distance("kns:k=5,n=3", "tornado", 2 + 2 * 3);
}

/* Every coordinate grows by the shift of its dimension; coordinates that are no dimensions stay. */
static void assert_shifted(const char *fabric, const char *pattern, uint32_t coords, const uint32_t *size,
                           const uint32_t *shift) {
  traffic t = open_traffic(fabric, pattern);
  assert_int_equal(t.fabric->coords, coords);
  for (uint32_t s = 0; s < t.fabric->ends; s++)
    for (uint32_t i = 0; i < coords; i++) {
      uint32_t from = t.fabric->coord[s * coords + i];
      uint32_t there = t.fabric->coord[image(&t, s) * coords + i];
      assert_int_equal(there, (from + shift[i]) % size[i]);
    }
  shut(&t);
}

static void digit_patterns_go_upwards(void **state) {
  (void)state;
  assert_shifted("torus:8x5", "tornado", 2, (uint32_t[]){5, 8}, (uint32_t[]){2, 3});
  assert_shifted("torus:8x5", "neighbour", 2, (uint32_t[]){5, 8}, (uint32_t[]){1, 1});
  assert_shifted("kns:k=7,n=2,c=3", "tornado", 3, (uint32_t[]){7, 7, 3}, (uint32_t[]){3, 3, 0});
  assert_shifted("kns:k=4,n=3", "neighbour", 4, (uint32_t[]){4, 4, 4, 1}, (uint32_t[]){1, 1, 1, 0});
  assert_shifted("mesh:8x5,p=2", "tornado", 3, (uint32_t[]){5, 8, 2}, (uint32_t[]){2, 3, 0});
  assert_shifted("hyperx:4x3,p=3", "neighbour", 3, (uint32_t[]){3, 4, 3}, (uint32_t[]){1, 1, 0});
}

static void without_a_grid_numbers_are_shifted(void **state) {
  (void)state;
  traffic far = open_traffic("kary-ntree:k=3,n=3", "tornado"), near = open_traffic("mport-ntree:m=4,n=2", "neighbour");
  for (uint32_t s = 0; s < 27; s++) assert_int_equal(image(&far, s), (s + 13) % 27);
  for (uint32_t s = 0; s < 8; s++) assert_int_equal(image(&near, s), (s + 1) % 8);
  assert_bijection(&far);
  assert_int_equal(silent(&far) + silent(&near), 0);
  shut(&far);
  shut(&near);
}

/* Routers whose end nodes have the same coordinates: each goes to its counterpart. */
static void end_nodes_of_a_torus_router_go_to_their_counterparts(void **state) {
  (void)state;
  traffic t = open_traffic("torus:5x3,p=4", "tornado");
  assert_bijection(&t);
  for (uint32_t s = 0; s < t.fabric->ends; s++) assert_int_equal(image(&t, s) % 4, s % 4);
  assert_int_equal(image(&t, 6), ((0 + 2) * 3 + (1 + 1)) * 4 + 2); /* 0.1:2 to 2.2:2 */
  shut(&t);
}

static void reverse_counts_down(void **state) {
  (void)state;
  traffic t = open_traffic("kary-ntree:k=3,n=3", "reverse");
  for (uint32_t s = 0; s < 27; s++) assert_int_equal(image(&t, s), 26 - s);
  assert_int_equal(silent(&t), 1); /* the middle one */
  shut(&t);
}

/* ------------------------------------------------------------------ chi-square */

/* The value that chi-square exceeds with probability 0.001 (Wilson and Hilferty's approximation). */
static double chi_square_limit(uint32_t freedom) {
  double spread = 2.0 / (9.0 * freedom), root = 1 - spread + 3.0902 * sqrt(spread);
  return freedom * root * root * root;
}

/* Draws for one source; `probability` of each end node, 0: must not come. */
static void assert_distribution(const traffic *t, uint32_t source, uint32_t random_headers, const double *probability) {
  uint32_t *count = calloc(t->fabric->ends, sizeof *count), freedom = 0;
  ripstop_stream stream = ripstop_stream_open(99, RIPSTOP_RANDOM_TEST, source);
  double chi_square = 0;
  for (uint32_t i = 0; i < random_headers; i++) count[to(t, source, ripstop_stream_u64(&stream))]++;
  for (uint32_t d = 0; d < t->fabric->ends; d++) {
    double expected = probability[d] * random_headers;
    if (expected <= 0) {
      assert_int_equal(count[d], 0);
      continue;
    }
    chi_square += (count[d] - expected) * (count[d] - expected) / expected;
    freedom++;
  }
  if (chi_square > chi_square_limit(freedom - 1))
    fail_msg("%s: chi-square %g for %u degrees of freedom", t->pattern->name, chi_square, freedom - 1);
  free(count);
}

static void uniform_is_uniform(void **state) {
  (void)state;
  traffic t = open_traffic("torus:8x8", "uniform");
  for (uint32_t source = 0; source < 64; source += 9) {
    double probability[64];
    for (uint32_t d = 0; d < 64; d++) probability[d] = d == source ? 0 : 1.0 / 63;
    assert_distribution(&t, source, 63 * 400, probability);
  }
  shut(&t);
}

/* Groups of a dragonfly, of a Dragonfly+, and of so many end nodes. */
static void group_shift_goes_to_the_next_group(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *options;
    uint32_t size, by;
  } known[] = {{"dragonfly:a=4,p=2,h=2", NULL, 8, 1},
               {"dragonfly:a=4,p=2,h=2", "by=5", 8, 5},
               {"dragonfly+:leaves=2,spines=2,h=2,p=2", "by=3", 4, 3},
               {"hyperx:4x2,p=4", "size=4,by=7", 4, 7}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    traffic t = open_seeded(known[i].fabric, "group-shift", known[i].options, 1);
    uint32_t groups = t.fabric->ends / known[i].size;
    for (uint32_t source = 0; source < t.fabric->ends; source += 3) {
      double probability[80];
      for (uint32_t d = 0; d < t.fabric->ends; d++) {
        bool there = d / known[i].size == (source / known[i].size + known[i].by) % groups;
        probability[d] = there ? 1.0 / known[i].size : 0;
      }
      assert_distribution(&t, source, 400 * known[i].size, probability);
    }
    shut(&t);
  }
}

static void hotspot_is_hot(void **state) {
  (void)state;
  traffic t = open_seeded("torus:8x8", "hotspot", "end=5,share=0.2", 1);
  static const uint32_t sources[] = {0, 5, 63};
  for (size_t i = 0; i < 3; i++) {
    double probability[64], share = sources[i] == 5 ? 0 : 0.2;
    for (uint32_t d = 0; d < 64; d++) probability[d] = d == sources[i] ? 0 : (1 - share) / 63 + (d == 5 ? share : 0);
    assert_distribution(&t, sources[i], 63 * 400, probability);
  }
  shut(&t);
}

static void hotspot_of_all_or_nothing(void **state) {
  (void)state;
  traffic all = open_seeded("torus:8x8", "hotspot", "end=63,share=1", 1);
  traffic nothing = open_seeded("torus:8x8", "hotspot", "end=63,share=0", 1),
          uniform = open_traffic("torus:8x8", "uniform");
  ripstop_stream stream = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t i = 0; i < 1000; i++) {
    uint64_t word = ripstop_stream_u64(&stream);
    assert_int_equal(to(&all, i % 63, word), 63);
    assert_int_equal(to(&nothing, i % 64, word), to(&uniform, i % 64, word));
  }
  shut(&all);
  shut(&nothing);
  shut(&uniform);
}

static void other_half_is_uniform_there(void **state) {
  (void)state;
  traffic t = open_traffic("mport-ntree:m=4,n=3", "other-half"); /* 16 end nodes */
  for (uint32_t source = 0; source < 16; source += 5) {
    double probability[16];
    for (uint32_t d = 0; d < 16; d++) probability[d] = (d < 8) == (source < 8) ? 0 : 1.0 / 8;
    assert_distribution(&t, source, 8 * 400, probability);
  }
  shut(&t);
}

/* ------------------------------------------------------------------ other-half in trees: always by a top switch */

static uint32_t root_of(const uint32_t *parent, uint32_t node) {
  while (parent[node] != node) node = parent[node];
  return node;
}

/* The parts into which the tree falls without its top switches, as a forest of parents. */
static uint32_t *parts_without_top(const ripstop_fabric *f) {
  uint32_t *parent = calloc(f->nodes, sizeof *parent),
           top = f->coords - 1; /* a switch's last coordinate is its level */
  for (uint32_t v = 0; v < f->nodes; v++) parent[v] = v;
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t side[2];
    bool to_top = false;
    for (unsigned i = 0; i < 2; i++) {
      side[i] = ripstop_link_node(f, link, i);
      to_top |= !ripstop_is_end(f, side[i]) && f->coord[(size_t)side[i] * f->coords + top] == top;
    }
    if (!to_top) parent[root_of(parent, side[0])] = root_of(parent, side[1]);
  }
  return parent;
}

static void other_half_passes_the_top(void **state) {
  (void)state;
  static const char *const trees[] = {"kary-ntree:k=2,n=4",  "kary-ntree:k=4,n=3",  "kary-ntree:k=6,n=2",
                                      "mport-ntree:m=4,n=4", "mport-ntree:m=8,n=3", "mport-ntree:m=6,n=2"};
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
    traffic t = open_traffic(trees[i], "other-half");
    uint32_t *parent = parts_without_top(t.fabric);
    assert_int_equal(root_of(parent, 0), root_of(parent, 1)); /* the parts are not single end nodes */
    for (uint32_t s = 0; s < t.fabric->ends; s++)
      for (uint64_t j = 0; j < 64; j++) assert_int_not_equal(root_of(parent, s), root_of(parent, to(&t, s, j << 58)));
    free(parent);
    shut(&t);
  }
}

/* ------------------------------------------------------------------ permutation */

static void permutations_come_from_the_seed(void **state) {
  (void)state;
  uint32_t differing = 0;
  traffic one = open_seeded("torus:8x8", "permutation", NULL, 1),
          again = open_seeded("torus:8x8", "permutation", NULL, 1);
  traffic two = open_seeded("torus:8x8", "permutation", NULL, 2);
  assert_bijection(&one);
  assert_bijection(&two);
  assert_int_equal(silent(&one) + silent(&two), 0);
  for (uint32_t s = 0; s < 64; s++) {
    assert_int_equal(image(&one, s), image(&again, s));
    differing += image(&one, s) != image(&two, s);
  }
  assert_true(differing > 32);
  shut(&one);
  shut(&again);
  shut(&two);
}

/* Four end nodes have nine permutations without fixed points; all come equally often. */
static void permutations_are_uniform(void **state) {
  (void)state;
  enum { SEEDS = 1800, KINDS = 9 };
  uint32_t count[256] = {0}, kinds = 0;
  double chi_square = 0, expected = (double)SEEDS / KINDS;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    traffic t = open_seeded("kary-ntree:k=2,n=2", "permutation", NULL, seed);
    count[image(&t, 0) << 6 | image(&t, 1) << 4 | image(&t, 2) << 2 | image(&t, 3)]++;
    shut(&t);
  }
  for (uint32_t i = 0; i < 256; i++) {
    if (count[i] == 0) continue;
    kinds++;
    chi_square += (count[i] - expected) * (count[i] - expected) / expected;
  }
  assert_int_equal(kinds, KINDS);
  assert_true(chi_square < chi_square_limit(KINDS - 1));
}

/* ------------------------------------------------------------------ refusals */

static void refusals_say_why(void **state) {
  (void)state;
  static const char *const bit_patterns_[] = {"bit-complement", "bit-reverse", "shuffle", "transpose"};
  for (size_t i = 0; i < 4; i++) {
    assert_refused("kary-ntree:k=3,n=3", bit_patterns_[i], NULL, "needs 2^b end nodes");
    assert_refused("kary-ntree:k=3,n=3", bit_patterns_[i], NULL, "has 27");
  }
  assert_refused("kary-ntree:k=2,n=3", "transpose", NULL, "even b");
  assert_refused("kary-ntree:k=3,n=3", "other-half", NULL, "even number");
  assert_refused("torus:2x2", "tornado", NULL, "would send to itself");
  assert_refused("kary-ntree:k=2,n=1", "shuffle", NULL, "would send to itself");
  assert_refused("torus:8x8", "group-shift", NULL, "no groups of its own");
  assert_refused("torus:8x8", "group-shift", "size=5", "64 end nodes of torus:8x8 do not divide into groups of 5");
  assert_refused("dragonfly:a=2,p=1,h=1", "group-shift", "by=3", "would send to itself");
  assert_refused("torus:8x8", "hotspot", "end=64", "0 to 63");
  assert_refused("torus:8x8", "hotspot", "share=1.5", "share");
  assert_refused("torus:8x8", "hotspot", "share=-0.1", "share");
  assert_refused("torus:8x8", "hotspot", "ends=3", "ends");
  assert_refused("torus:8x8", "uniform", "share=1", "share");
}

/* ------------------------------------------------------------------ the page */

static void the_page_has_them_all(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  char *page = NULL, entry[100];
  size_t length;
  if (ripstop_read_file(arena, RIPSTOP_SOURCE_DIR "/docs/traffic.md", 1 << 20, &page, &length, &err))
    fail_msg("%s", err.text);
  for (size_t i = 0; ripstop_patterns[i]; i++) {
    snprintf(entry, sizeof entry, "\n| `%s` |", ripstop_patterns[i]->name);
    if (!strstr(page, entry)) fail_msg("docs/traffic.md has no row for pattern %s", ripstop_patterns[i]->name);
  }
  for (size_t i = 0; ripstop_arbiters[i]; i++) {
    snprintf(entry, sizeof entry, "\n### `%s`\n", ripstop_arbiters[i]->name);
    if (!strstr(page, entry)) fail_msg("docs/traffic.md has no section for arbiter %s", ripstop_arbiters[i]->name);
  }
  ripstop_arena_free(arena);
}

/* With self=on each of the N end nodes is as likely, the source too: chi-square with N - 1 degrees of freedom. */
static void uniform_may_include_the_source(void **state) {
  (void)state;
  enum { ENDS = 16, DRAWS = 64000 };
  ripstop_error err;
  traffic t, off = open_traffic("torus:4x4", "uniform");
  uint32_t count[ENDS] = {0};
  if (try_open(&t, "torus:4x4", "uniform", "self=on", 1, &err)) fail_msg("%s", err.text);
  assert_true(t.pattern->to_self(t.config) && !t.pattern->to_self(off.config));
  ripstop_stream random = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t i = 0; i < DRAWS; i++) {
    const uint64_t word = ripstop_stream_u64(&random);
    count[to(&t, 5, word)]++;
    assert_int_not_equal(to(&off, 5, word), 5);
  }
  double chi = 0;
  for (int i = 0; i < ENDS; i++) chi += pow(count[i] - (double)DRAWS / ENDS, 2) / ((double)DRAWS / ENDS);
  assert_true(chi < 37.7); /* one in a thousand */
  shut(&t), shut(&off);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry),
      cmocka_unit_test(every_destination_is_an_end_node),
      cmocka_unit_test(bit_patterns),
      cmocka_unit_test(repeated_bit_patterns_are_the_identity),
      cmocka_unit_test(transpose_exchanges_coordinates),
      cmocka_unit_test(digit_patterns_have_one_distance),
      cmocka_unit_test(digit_patterns_go_upwards),
      cmocka_unit_test(without_a_grid_numbers_are_shifted),
      cmocka_unit_test(end_nodes_of_a_torus_router_go_to_their_counterparts),
      cmocka_unit_test(reverse_counts_down),
      cmocka_unit_test(uniform_is_uniform),
      cmocka_unit_test(group_shift_goes_to_the_next_group),
      cmocka_unit_test(hotspot_is_hot),
      cmocka_unit_test(hotspot_of_all_or_nothing),
      cmocka_unit_test(other_half_is_uniform_there),
      cmocka_unit_test(other_half_passes_the_top),
      cmocka_unit_test(permutations_come_from_the_seed),
      cmocka_unit_test(permutations_are_uniform),
      cmocka_unit_test(refusals_say_why),
      cmocka_unit_test(the_page_has_them_all),
      cmocka_unit_test(uniform_may_include_the_source),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
