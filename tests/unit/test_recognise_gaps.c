/* test_recognise_gaps.c - switches that are not there, and switches too many. Grids without some of their switches:
 * every cable fits in a larger grid, and no cable may be said to be missing or extra.
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

/* ------------------------------------------------------------------ one switch less, one switch more */

static const char *const families[] = {"kary-ntree:k=3,n=3",
                                       "kary-ntree:k=4,n=2",
                                       "kary-ntree:k=2,n=4",
                                       "kary-ntree:k=4,n=3",
                                       "mport-ntree:m=4,n=3",
                                       "mport-ntree:m=8,n=2",
                                       "xgft:m=4.8,w=1.3",
                                       "xgft:m=2.3.2,w=1.2.2",
                                       "xgft:m=8.8.4,w=1.4.2",
                                       "kns:k=3,n=2",
                                       "kns:k=4,n=2",
                                       "kns:k=4,n=3",
                                       "dragonfly+:leaves=4,spines=4,h=1,p=2",
                                       "dragonfly+:leaves=2,spines=2,h=2,p=2",
                                       "dragonfly:a=4,p=2,h=2",
                                       "dragonfly:a=4,p=2,h=1",
                                       "slimfly:q=4,p=2",
                                       "slimfly:q=5,p=2",
                                       "slimfly:q=7,p=1",
                                       "polarfly:q=4,p=1",
                                       "polarfly:q=5,p=2",
                                       "rail:units=2,servers=4,rails=4,spines=4,nvswitch=0",
                                       "torus:5x5",
                                       "torus:4x4",
                                       "torus:3x4x5",
                                       "mesh:5x5",
                                       "hyperx:4x4",
                                       "hyperx:3x3x3"};

typedef struct counts {
  unsigned named, regular, irregular, several;
} counts;

static uint32_t neighbours_of(const ripstop_fabric *f, uint32_t v) {
  uint32_t count = 0;
  for (uint32_t i = f->link_ends; i < f->links; i++)
    count += ripstop_link_node(f, i, 0) - f->ends == v || ripstop_link_node(f, i, 1) - f->ends == v;
  return count;
}

static const ripstop_odd *find_odd(const ripstop_recognised *r, const char *what) {
  for (uint32_t i = 0; i < r->odd.count; i++)
    if (!strcmp(r->odd.list[i].what, what)) return &r->odd.list[i];
  return NULL;
}

/* A grid names its empty place; any other fabric the neighbours of the switch. A tree of two levels without a switch is
 * a smaller one. */
static void judge_absent(const char *spec, const ripstop_fabric *whole, uint32_t v, const ripstop_recognised *r,
                         counts *c) {
  const ripstop_odd *odd = find_odd(r, "missing switch");
  if (!strcmp(r->family, "irregular"))
    c->irregular++;
  else if (r->there < r->expected || r->sure < 1)
    fail_msg("%s without s%u: %s %s", spec, v, r->family, r->shape);
  else if (odd ? odd->places == neighbours_of(whole, v) : strstr(r->shape, "without 1 place") != NULL)
    c->named++;
  else if (strstr(r->shape, "2 levels"))
    c->regular++;
  else
    fail_msg("%s without s%u: %s %s", spec, v, r->family, r->shape);
}

static void lose_switch(const char *spec, uint32_t v, counts *c) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_fabric *whole = open_fabric(spec);
  const box b = {1, {ripstop_fabric_switches(whole)}, {v}, {v + 1}};
  ripstop_fabric *f = read_without(whole, &b);
  ripstop_recognise(f, arena, &r);
  judge_absent(spec, whole, v, &r, c);
  ripstop_fabric_free(f);
  ripstop_fabric_free(whole);
  ripstop_arena_free(arena);
}

static uint32_t switches_of(const char *spec) {
  ripstop_fabric *f = open_fabric(spec);
  const uint32_t switches = ripstop_fabric_switches(f);
  ripstop_fabric_free(f);
  return switches;
}

static void a_switch_that_is_not_there_is_named(void **state) {
  (void)state;
  enum { SAMPLES = 8 };
  counts c = {0};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    const uint32_t switches = switches_of(families[i]), step = switches / SAMPLES | 1;
    for (uint32_t v = 0; v < switches; v += step) lose_switch(families[i], v, &c);
  }
  print_message("%u named, %u smaller trees, %u irregular\n", c.named, c.regular, c.irregular);
  assert_true(c.named > 150 && c.irregular < 25); /* PolarFly */
}

/* A list with a switch `f` more, without hosts, that has so many cables. */
static ripstop_fabric *read_with(const ripstop_fabric *whole, uint32_t cables, ripstop_stream *s) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  damaged d = damage_open(whole);
  const uint32_t switches = ripstop_fabric_switches(whole), from = ripstop_stream_below(s, switches);
  ripstop_text_add(&text, "@router f\n");
  for (uint32_t i = 0; i < cables; i++)
    ripstop_text_add(&text, "f s%u\n", (from + i * (1 + ripstop_stream_below(s, switches / cables))) % switches);
  damage_write(&d, false, &text);
  ripstop_fabric *f = ripstop_graph_from_text("foreign", text.data, text.length, &err);
  if (!f) fail_msg("%s", err.text);
  damage_close(&d);
  ripstop_text_free(&text);
  return f;
}

/* If `f` has the cables of another spine, it may be one. */
static void judge_foreign(const char *spec, uint32_t cables, const ripstop_recognised *r, counts *c) {
  const ripstop_odd *odd = find_odd(r, "foreign switch");
  if (!strcmp(r->family, "irregular"))
    c->irregular++;
  else if (odd && !strcmp(odd->where[0], "f") && r->there == r->expected)
    c->named++;
  else if (r->explanations > 0 || has_oddity(r, "or 'f' is a foreign switch"))
    c->several++;
  else
    fail_msg("%s with a switch of %u cables: %s %s, %s", spec, cables, r->family, r->shape,
             r->odd.count ? r->odd.list[0].text : "");
}

static void a_switch_too_many_is_named(void **state) {
  (void)state;
  enum { CABLES = 5 };
  counts c = {0};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    for (unsigned k = 0; k < 2 * CABLES; k++) {
      ripstop_stream s = ripstop_stream_open(i, RIPSTOP_RANDOM_TEST, k);
      ripstop_arena *arena = ripstop_arena_new();
      ripstop_recognised r;
      ripstop_fabric *whole = open_fabric(families[i]), *f = read_with(whole, 1 + k % CABLES, &s);
      ripstop_recognise(f, arena, &r);
      judge_foreign(families[i], 1 + k % CABLES, &r, &c);
      ripstop_fabric_free(f);
      ripstop_fabric_free(whole);
      ripstop_arena_free(arena);
    }
  print_message("%u named, %u one of several, %u irregular\n", c.named, c.several, c.irregular);
  assert_true(c.named > 250 && c.irregular < 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_switch_that_is_not_there_is_named),
      cmocka_unit_test(a_switch_too_many_is_named),
      cmocka_unit_test(no_cable_of_a_grid_with_a_gap_is_wrong),
      cmocka_unit_test(empty_places_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
