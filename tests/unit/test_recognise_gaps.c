/* test_recognise_gaps.c - grids without some of their switches: every cable fits in a larger grid, and no cable may be
 * said to be missing or extra.
 *
 * Boxes of all sizes are cut out of tori, meshes and HyperX. Where one mistake in a whole grid explains the rest too,
 * the report must say that no cable need be wrong, or that there are several explanations. */
#include "check.h"
#include "damage.h"
#include "opened.h"

enum { DIMS = 3, LEAST = 5 };

typedef struct box {
  uint32_t dims, size[DIMS], from[DIMS], to[DIMS]; /* the part that is missing */
} box;

static bool is_cut(const box *b, uint32_t v) {
  for (uint32_t d = b->dims; d-- > 0; v /= b->size[d])
    if (v % b->size[d] < b->from[d] || v % b->size[d] >= b->to[d]) return false;
  return true;
}

/* The list of a fabric without the switches in a box. */
static ripstop_fabric *read_without(const ripstop_fabric *whole, const box *b) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  for (uint32_t v = 0; v < ripstop_fabric_switches(whole); v++)
    if (!is_cut(b, v)) ripstop_text_add(&text, "@router s%u\n", v);
  for (uint32_t end = 0; end < whole->ends; end++) {
    const uint32_t v = ripstop_end_switch(whole, end) - whole->ends;
    if (!is_cut(b, v)) ripstop_text_add(&text, "@end h%u s%u\n", end, v);
  }
  for (uint32_t i = whole->link_ends; i < whole->links; i++) {
    const uint32_t v = ripstop_link_node(whole, i, 0) - whole->ends, w = ripstop_link_node(whole, i, 1) - whole->ends;
    if (!is_cut(b, v) && !is_cut(b, w)) ripstop_text_add(&text, "s%u s%u\n", v, w);
  }
  ripstop_fabric *f = ripstop_graph_from_text("cut", text.data, text.length, &err);
  if (!f) fail_msg("%s", err.text);
  ripstop_text_free(&text);
  return f;
}

static bool has_oddity(const ripstop_recognised *r, const char *text) {
  for (uint32_t i = 0; i < r->odd.count; i++)
    if (strstr(r->odd.list[i].text, text)) return true;
  return false;
}

typedef struct tally {
  unsigned exact, several, irregular;
} tally;

static void judge(const char *spec, const box *b, const ripstop_recognised *r, tally *t) {
  const bool exact = r->there == r->expected && r->sure == 1;
  if (!strcmp(r->family, "irregular"))
    t->irregular++;
  else if (exact)
    t->exact++;
  else if (r->explanations > 1 || has_oddity(r, "no cable is wrong"))
    t->several++;
  else
    fail_msg("%s without %u-%u, %u-%u, %u-%u: %s %s, %s", spec, b->from[0], b->to[0], b->from[1], b->to[1], b->from[2],
             b->to[2], r->family, r->shape, r->odd.count ? r->odd.list[0].text : "");
}

static void cut(const char *spec, const box *b, tally *t) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_fabric *whole = open_fabric(spec), *f = read_without(whole, b);
  ripstop_recognise(f, arena, &r);
  judge(spec, b, &r, t);
  ripstop_fabric_free(f);
  ripstop_fabric_free(whole);
  ripstop_arena_free(arena);
}

/* Some part of every dimension, half of the boxes at a corner; false: too little is left. */
static bool make_box(const char *spec, ripstop_stream *s, box *b) {
  uint32_t all = 1, volume = 1;
  b->dims = (uint32_t)sscanf(strchr(spec, ':') + 1, "%ux%ux%u", &b->size[0], &b->size[1], &b->size[2]);
  const bool corner = ripstop_stream_below(s, 2) == 0;
  for (uint32_t d = 0; d < b->dims; d++) {
    b->from[d] = corner ? 0 : ripstop_stream_below(s, b->size[d]);
    b->to[d] = b->from[d] + 1 + ripstop_stream_below(s, b->size[d] - b->from[d]);
    all *= b->size[d], volume *= b->to[d] - b->from[d];
  }
  return all - volume >= LEAST;
}

static const char *const grids[] = {
    "torus:4x4",    "torus:5x4",    "torus:6x4",  "torus:6x6",   "torus:8x5",  "torus:3x3",  "torus:2x6",
    "torus:4x4x4",  "torus:3x5x4",  "torus:9x10", "mesh:4x4",    "mesh:5x3",   "mesh:6x4",   "mesh:8x8",
    "mesh:2x7",     "mesh:3x9",     "mesh:4x4x4", "mesh:3x3x5",  "mesh:10x9",  "hyperx:4x4", "hyperx:5x3",
    "hyperx:3x3x3", "hyperx:2x4x4", "hyperx:6x6", "torus:12x12", "mesh:12x12", "mesh:7x2x3", "torus:7x3"};

static void no_cable_of_a_grid_with_a_gap_is_wrong(void **state) {
  (void)state;
  enum { BOXES = 12 };
  tally t = {0};
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
    for (unsigned k = 0; k < BOXES; k++) {
      ripstop_stream s = ripstop_stream_open(i, RIPSTOP_RANDOM_TEST, k);
      box b = {0};
      if (make_box(grids[i], &s, &b)) cut(grids[i], &b, &t);
    }
  print_message("%u exact, %u one of several, %u irregular\n", t.exact, t.several, t.irregular);
  assert_true(t.exact > 200 && 10 * t.several < t.exact && 20 * t.irregular < t.exact);
}

/* Shapes in full. */
static void expect(const char *spec, const box *b, const char *family, const char *shape) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_fabric *whole = open_fabric(spec), *f = read_without(whole, b);
  ripstop_recognise(f, arena, &r);
  assert_string_equal(r.family, family);
  assert_string_equal(r.shape, shape);
  assert_true(r.expected == r.there && r.sure == 1 && r.odd.count == 0 && r.spec == NULL);
  ripstop_fabric_free(f);
  ripstop_fabric_free(whole);
  ripstop_arena_free(arena);
}

static void empty_places_are_named(void **state) {
  (void)state;
  expect("torus:6x4", &(box){2, {6, 4}, {0, 0}, {2, 2}}, "torus", "6x4 without 4 places: 4.0, 4.1, 5.0, 5.1");
  expect("mesh:8x8", &(box){2, {8, 8}, {2, 2}, {8, 8}}, "mesh",
         "8x8 without 36 places: 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 3.2, 3.3, ...; or 2x14 with one mistake");
  expect("mesh:8x8", &(box){2, {8, 8}, {3, 4}, {4, 5}}, "mesh", "8x8 without 1 place: 3.4");
  expect("hyperx:4x4", &(box){2, {4, 4}, {3, 3}, {4, 4}}, "hyperx", "4x4 without 1 place: 3.3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_cable_of_a_grid_with_a_gap_is_wrong),
      cmocka_unit_test(empty_places_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
