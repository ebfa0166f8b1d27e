/* test_recognise_single.c - one mistake in a regular fabric: named as it is, or one of several explanations, which are
 * then counted by brute force.
 *
 * A wrong cable named to an operator is worse than none. So a single cable that is at a wrong switch, foreign, doubled
 * or missing must be named exactly; or the report says that other explanations are possible, and how many; or nothing
 * is recognised; or the damaged fabric is regular as it is (a ring without one cable is a line). */
#include <unistd.h>

#include "check.h"
#include "damage.h"
#include "opened.h"
#include "recognise/targets.h"
#include "share.h"

static const char *const kinds[] = {"mistyped", "foreign", "doubled", "missing"};
enum { SINGLE = 4 };

typedef struct answer {
  char family[32];
  damage_report report;
  uint32_t explanations;
  unsigned several; /* oddities that say so */
  char others[600]; /* the text of one of them */
} answer;

static answer ask(const damaged *d, bool ports) {
  ripstop_error err = {0};
  ripstop_fabric *f = damage_read(d, ports, &err);
  if (!f) fail_msg("%s", err.text);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  answer out = {0};
  ripstop_recognise(f, arena, &r);
  snprintf(out.family, sizeof out.family, "%s", r.family);
  out.report = damage_reported(&r);
  out.explanations = r.explanations;
  for (uint32_t i = 0; i < r.odd.count; i++)
    if (strstr(r.odd.list[i].text, "one of several possible explanations")) {
      out.several++;
      snprintf(out.others, sizeof out.others, "%s", r.odd.list[i].text);
    }
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
  return out;
}

/* ------------------------------------------------------------------ every single mistake */

static uint64_t count_mistakes(const ripstop_fabric *f, damage_kind kind) {
  const uint64_t cables = f->links - f->link_ends, switches = ripstop_fabric_switches(f);
  return kind == MISTYPED ? 2 * cables * switches : kind == FOREIGN ? switches * switches : cables;
}

static void turn(damage_cable *c) { *c = (damage_cable){c->b, c->a, c->port_b, c->port_a}; }

/* The mistake of this number; false: it makes no sense. */
static bool make_mistake(damaged *d, damage_kind kind, uint64_t number) {
  const uint32_t switches = ripstop_fabric_switches(d->whole), cable = (uint32_t)(number / switches / 2);
  const uint32_t a = (uint32_t)(number / switches), b = (uint32_t)(number % switches);
  if (kind == FOREIGN) return a < b && damage_make(d, kind, a, b);
  if (kind != MISTYPED) return damage_make(d, kind, (uint32_t)number, 0);
  if (number / switches % 2) turn(&d->cable[cable]);
  return damage_mistype(d, cable, b);
}

static void fail_with(const damaged *d, const answer *a, const char *spec, damage_kind kind) {
  const damage_cable *gone = &d->gone.cable[0], *added = &d->added.cable[0];
  fail_msg("%s, %s (gone s%u-s%u, added s%u-s%u): a %s with %u missing, %u extra, %u others, %u explanations", spec,
           kinds[kind], gone->a, gone->b, added->a, added->b, a->family, a->report.missing.count, a->report.extra.count,
           a->report.others, a->explanations);
}

/* True if the text has the cable, in either order of its ends, and then this. */
static bool tells(const char *text, const damage_cable *c, const char *then) {
  char one[160], other[160];
  snprintf(one, sizeof one, "'s%u' - 's%u' %s", c->a, c->b, then);
  snprintf(other, sizeof other, "'s%u' - 's%u' %s", c->b, c->a, then);
  return strstr(text, one) || strstr(text, other);
}

/* True if the actual mistake is among the other explanations, of which the text may leave out some. */
static bool is_among(const damaged *d, const char *others) {
  const damage_cable *gone = &d->gone.cable[0], *added = &d->added.cable[0];
  char moved[80];
  if (strstr(others, " more")) return true;
  if (d->added.count == 0) return tells(others, gone, "is missing");
  if (d->gone.count == 0) return tells(others, added, "is extra");
  const bool keeps_a = gone->a == added->a || gone->a == added->b;
  snprintf(moved, sizeof moved, "should go from 's%u' to 's%u'", keeps_a ? gone->a : gone->b,
           keeps_a ? gone->b : gone->a);
  return tells(others, added, moved);
}

typedef struct tally {
  unsigned named, several, regular, none;
} tally;

static void judge(const damaged *d, const char *spec, damage_kind kind, bool ports, tally *t) {
  const answer a = ask(d, ports);
  const damage_report *r = &a.report;
  const bool named = damage_equal(&r->missing, &d->gone) && damage_equal(&r->extra, &d->added) && r->others == 0;
  if (!strcmp(a.family, "irregular"))
    t->none++;
  else if (r->missing.count + r->extra.count == 0)
    t->regular++;
  else if (a.explanations > 1 && a.several > 0 && (named || is_among(d, a.others)))
    t->several++;
  else if (named && a.explanations == 1 && a.several == 0)
    t->named++;
  else
    fail_with(d, &a, spec, kind);
}

/* All mistakes of a kind, or so many of them, evenly spread; with RIPSTOP_SHARE a part of those. */
static void damage_spec(const char *spec, damage_kind kind, uint64_t most, tally *t) {
  ripstop_fabric *whole = open_fabric(spec);
  const uint64_t all = count_mistakes(whole, kind), step = all > most ? all / most | 1 : 1;
  for (uint64_t i = step * share_first(share_of_turns()); i < all; i += step * share_of_turns()) {
    damaged d = damage_open(whole);
    if (make_mistake(&d, kind, i)) judge(&d, spec, kind, i / step % 2, t);
    damage_close(&d);
  }
  ripstop_fabric_free(whole);
}

/* Small enough for all mistakes. */
static const char *const small[] = {"torus:4x4",
                                    "torus:5x3",
                                    "torus:3x3",
                                    "torus:2x3",
                                    "torus:2x2",
                                    "torus:7",
                                    "torus:3x3x3",
                                    "mesh:2x2",
                                    "mesh:2x3",
                                    "mesh:3x3",
                                    "mesh:2x5",
                                    "mesh:3x4",
                                    "mesh:3x5",
                                    "mesh:4x4",
                                    "mesh:3x7",
                                    "mesh:2x2x3",
                                    "mesh:3x3x3",
                                    "mesh:6",
                                    "hyperx:2x4",
                                    "hyperx:3x3",
                                    "hyperx:3x4",
                                    "hyperx:2x2x2",
                                    "hyperx:2x3x3",
                                    "hyperx:6",
                                    "hyperx:4x4,k=2",
                                    "hyperx:2x4,k=1x2",
                                    "kns:k=2,n=2",
                                    "kns:k=3,n=2",
                                    "kns:k=4,n=2,s=2",
                                    "kns:k=4,n=1,s=2,line=ruft",
                                    "kns:k=8,n=1,s=3,line=ruft",
                                    "kns:k=9,n=1,s=2,line=ruft",
                                    "kary-ntree:k=2,n=2",
                                    "kary-ntree:k=2,n=3",
                                    "kary-ntree:k=3,n=2",
                                    "kary-ntree:k=4,n=2",
                                    "mport-ntree:m=4,n=2",
                                    "mport-ntree:m=4,n=3",
                                    "mport-ntree:m=6,n=2",
                                    "xgft:m=4.4,w=1.2",
                                    "xgft:m=2.3.2,w=1.2.2",
                                    "xgft:m=4.8,w=1.3",
                                    "rail:units=2,servers=2,rails=2,spines=2,nvswitch=0",
                                    "rail:units=1,servers=2,rails=3,spines=2,k=2,nvswitch=0",
                                    "rail:units=2,servers=2,rails=2,spines=2",
                                    "dragonfly:a=2,p=1,h=1",
                                    "dragonfly:a=3,p=1,h=1",
                                    "dragonfly:a=4,p=2,h=1",
                                    "dragonfly:a=3,p=1,h=2,arrangement=absolute",
                                    "dragonfly:a=3,p=1,h=2,g=4",
                                    "dragonfly+:leaves=2,spines=2,h=1,p=2",
                                    "dragonfly+:leaves=2,spines=2,h=2,p=2",
                                    "slimfly:q=3,p=2",
                                    "slimfly:q=4,p=2",
                                    "graph:tests/data/dragonfly-random.edges",
                                    "polarfly:q=2,p=1",
                                    "polarfly:q=3,p=2",
                                    "polarfly:q=4,p=1"};

/* A few mistakes of each kind. */
static const char *const large[] = {"torus:8x8",
                                    "torus:4x8",
                                    "torus:6x6x6",
                                    "torus:20x20",
                                    "mesh:8x8",
                                    "mesh:12x5",
                                    "mesh:4x4x4",
                                    "mesh:20x20",
                                    "hyperx:8x8",
                                    "hyperx:3x4x5",
                                    "hyperx:6x9,p=3",
                                    "kns:k=8,n=2",
                                    "kns:k=4,n=3",
                                    "kns:k=9,n=2,s=2",
                                    "kns:k=4,n=2,s=2,line=ruft",
                                    "kns:k=4,n=3,s=2,c=2,line=ruft",
                                    "kns:k=8,n=2,s=3,line=ruft",
                                    "kns:k=9,n=2,s=2,line=ruft",
                                    "kns:k=16,n=1,s=4,line=ruft",
                                    "kary-ntree:k=4,n=3",
                                    "kary-ntree:k=2,n=5",
                                    "mport-ntree:m=8,n=3",
                                    "xgft:m=8.8.4,w=1.4.2",
                                    "rail:units=2,servers=4,rails=4,spines=4,nvswitch=0",
                                    "rail:units=2,servers=4,rails=4,spines=4",
                                    "dragonfly:a=4,p=2,h=2",
                                    "dragonfly:a=4,p=2,h=2,arrangement=absolute",
                                    "dragonfly:a=6,p=3,h=3,g=10",
                                    "dragonfly:a=6,p=1,h=1,arrangement=relative",
                                    "dragonfly:a=8,p=4,h=4",
                                    "dragonfly+:leaves=4,spines=4,h=4,p=4",
                                    "slimfly:q=5,p=2",
                                    "slimfly:q=7,p=1",
                                    "slimfly:q=9,p=1",
                                    "polarfly:q=5,p=2",
                                    "polarfly:q=7,p=2",
                                    "polarfly:q=11,p=1"};

static tally damage_all(const char *const *specs, size_t count, uint64_t most) {
  tally t = {0};
  for (size_t i = 0; i < count; i++)
    for (unsigned kind = 0; kind < SINGLE; kind++) damage_spec(specs[i], (damage_kind)kind, most, &t);
  print_message("%u named, %u one of several, %u regular as they are, %u not recognised\n", t.named, t.several,
                t.regular, t.none);
  return t;
}

static void every_mistake_of_a_small_fabric_is_named_or_one_of_several(void **state) {
  (void)state;
  const tally t = damage_all(small, sizeof small / sizeof *small, 400);
  const unsigned all = t.named + t.several + t.regular + t.none;
  assert_true(all > 8000 / share_of_turns());
  assert_true(t.none == 0 && 50 * t.regular < all && 10 * t.several < all);
}

static void a_mistake_of_a_large_fabric_is_named(void **state) {
  (void)state;
  const tally t = damage_all(large, sizeof large / sizeof *large, 12);
  assert_true(t.named > (share_of_turns() > 1 ? 500 : 1000) / share_of_turns()); /* a share of twelve may be one */
  assert_true(t.none == 0 && t.regular == 0);
  assert_true(20 * t.several < t.named);
}

/* ------------------------------------------------------------------ two global cables that are swapped */

/* With swapped cables a dragonfly is no longer its arrangement: two oddities, or none and the shape says so. */
static void check_swap(const ripstop_fabric *whole, uint32_t one, uint32_t two, unsigned *silent) {
  ripstop_error err = {0};
  damaged d = damage_open(whole);
  ripstop_fabric *f = damage_make(&d, SWAPPED, one, two) ? damage_read(&d, false, &err) : NULL;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  if (f) {
    ripstop_recognise(f, arena, &r);
    const bool said = strstr(r.shape, "no known arrangement") || r.odd.count > 0 || !strcmp(r.family, "irregular");
    *silent += !said;
  }
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
  damage_close(&d);
}

/* A swap within a pair of groups, or one that an automorphism undoes, leaves the same graph. */
static void swapped_global_cables_are_not_silent(void **state) {
  (void)state;
  static const char *const specs[] = {"dragonfly+:leaves=4,spines=4,h=1,p=2", "dragonfly:a=4,p=2,h=2"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_fabric *whole = open_fabric(specs[i]);
    unsigned silent = 0;
    const uint32_t cables = whole->links - whole->link_ends;
    for (uint32_t k = 0; k < 60; k++) check_swap(whole, k * 37 % cables, (k * 53 + 11) % cables, &silent);
    if (silent > 0) fail_msg("%s: %u of 60 swaps are silent", specs[i], silent);
    ripstop_fabric_free(whole);
  }
}

/* ------------------------------------------------------------------ one switch too many */

/* A list with the cables of a fabric and a switch `f` without hosts that has so many cables more. */
static ripstop_fabric *read_with_foreign(const ripstop_fabric *whole, unsigned cables, unsigned seed) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  damaged d = damage_open(whole);
  const uint32_t switches = ripstop_fabric_switches(whole);
  ripstop_text_add(&text, "@router f\n");
  for (unsigned i = 0; i < cables; i++) ripstop_text_add(&text, "f s%u\n", (seed + i * (switches / cables)) % switches);
  damage_write(&d, false, &text);
  ripstop_fabric *f = ripstop_graph_from_text("foreign", text.data, text.length, &err);
  if (!f) fail_msg("%s", err.text);
  damage_close(&d);
  ripstop_text_free(&text);
  return f;
}

static void check_foreign(const char *spec, const char *family, unsigned cables, unsigned seed) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *whole = open_fabric(spec), *f = read_with_foreign(whole, cables, seed);
  ripstop_recognised r;
  ripstop_recognise(f, arena, &r);
  if (strcmp(r.family, family) != 0 || r.expected != whole->links - whole->link_ends || r.there != r.expected)
    fail_msg("%s and a switch with %u cables: %s %s", spec, cables, r.family, r.shape);
  if (strcmp(r.odd.list[0].what, "foreign switch") != 0 || strcmp(r.odd.list[0].where[0], "f") != 0)
    fail_msg("%s and a switch with %u cables: %s", spec, cables, r.odd.list[0].text);
  assert_int_equal(r.odd.list[0].places, 1 + cables);
  ripstop_fabric_free(f);
  ripstop_fabric_free(whole);
  ripstop_arena_free(arena);
}

static void a_foreign_switch_is_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"slimfly:q=3,p=2", "slimfly"},
                                         {"slimfly:q=5,p=2", "slimfly"},
                                         {"polarfly:q=3,p=2", "polarfly"},
                                         {"polarfly:q=5,p=1", "polarfly"},
                                         {"torus:5x5", "torus"},
                                         {"mesh:6x6", "mesh"},
                                         {"hyperx:4x4", "hyperx"},
                                         {"torus:3x3x3", "torus"},
                                         {"dragonfly:a=4,p=2,h=2", "dragonfly"},
                                         {"dragonfly:a=4,p=2,h=1", "dragonfly"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned cables = 1; cables <= 5; cables++)
      for (unsigned seed = share_first(share_of_cases()) % 3; seed < 3; seed += share_of_cases())
        check_foreign(cases[i][0], cases[i][1], cables, seed);
}

/* ------------------------------------------------------------------ explanations by brute force */

/* Written separately from the search in the program: matrices, permutations, and every single change of a cable. */

enum { MOST = 9, TARGETS = 512 }; /* switches, and graphs of so many */

typedef struct matrix {
  unsigned n;
  uint8_t cables[MOST][MOST];
  bool hosts[MOST], hosted; /* true if hosts count */
} matrix;

static unsigned sum_of(const matrix *m) {
  unsigned sum = 0;
  for (unsigned a = 0; a < m->n; a++)
    for (unsigned b = 0; b < a; b++) sum += m->cables[a][b];
  return sum;
}

static unsigned degree_of(const matrix *m, unsigned v) {
  unsigned sum = 0;
  for (unsigned w = 0; w < m->n; w++) sum += m->cables[v][w];
  return sum;
}

/* True if the switches 0 .. at-1 of x, which have an image in y, can be followed by the others. */
static bool extend(const matrix *x, const matrix *y, unsigned at, unsigned *image, unsigned used) {
  if (at == x->n) return true;
  for (unsigned w = 0; w < y->n; w++) {
    bool fits = !(used >> w & 1) && degree_of(x, at) == degree_of(y, w) && (!y->hosted || x->hosts[at] == y->hosts[w]);
    for (unsigned v = 0; v < at && fits; v++) fits = x->cables[at][v] == y->cables[w][image[v]];
    image[at] = w;
    if (fits && extend(x, y, at + 1, image, used | 1u << w)) return true;
  }
  return false;
}

static bool are_one_graph(const matrix *x, const matrix *y) {
  unsigned image[MOST];
  return sum_of(x) == sum_of(y) && extend(x, y, 0, image, 0);
}

typedef struct targets {
  matrix list[TARGETS];
  unsigned count;
} targets;

static void add_target(targets *t, const matrix *m) {
  for (unsigned i = 0; i < t->count; i++)
    if (t->list[i].hosted == m->hosted && are_one_graph(m, &t->list[i])) return;
  if (t->count == TARGETS) fail_msg("too many targets");
  t->list[t->count++] = *m;
}

static void join(matrix *m, unsigned a, unsigned b) { m->cables[a][b]++, m->cables[b][a]++; }

static matrix matrix_of(const ripstop_fabric *f, bool hosted) {
  matrix m = {.n = ripstop_fabric_switches(f), .hosted = hosted};
  for (uint32_t i = f->link_ends; i < f->links; i++)
    join(&m, ripstop_link_node(f, i, 0) - f->ends, ripstop_link_node(f, i, 1) - f->ends);
  for (uint32_t end = 0; end < f->ends; end++) m.hosts[ripstop_end_switch(f, end) - f->ends] = true;
  return m;
}

/* A fabric of the program, if the spec opens and has this many switches. */
static void add_spec(targets *t, unsigned n, bool hosted, const char *spec) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_fabric_open(spec, &err);
  if (f && ripstop_fabric_switches(f) == n) {
    const matrix m = matrix_of(f, hosted);
    add_target(t, &m);
  }
  ripstop_fabric_free(f);
}

/* Products of a line, ring or clique for each dimension, each with one to three cables between neighbours. */
static void add_products(targets *t, unsigned n, const unsigned *size, unsigned dims) {
  enum { ROWS = 9 };
  unsigned all = 1;
  for (unsigned d = 0; d < dims; d++) all *= ROWS;
  for (unsigned selection = 0; selection < all; selection++) {
    matrix m = {.n = n};
    for (unsigned d = 0, stride = 1, rest = selection; d < dims; stride *= size[d++], rest /= ROWS)
      for (unsigned v = 0; v < n; v++) {
        const unsigned x = v / stride % size[d], kind = rest % ROWS % 3, twins = 1 + rest % ROWS / 3;
        for (unsigned y = x + 1; y < size[d]; y++)
          if (y == x + 1 || kind == 2 || (kind == 1 && x == 0 && y == size[d] - 1))
            for (unsigned k = 0; k < twins; k++) join(&m, v, v + (y - x) * stride);
      }
    add_target(t, &m);
  }
}

static void add_grids(targets *t, unsigned n) {
  for (unsigned a = 2; a <= n; a++)
    for (unsigned b = 1; a * b <= n; b++)
      for (unsigned c = 1; a * b * c <= n; c++)
        if (a * b * c == n && (b > 1 || c == 1)) add_products(t, n, (const unsigned[]){a, b, c}, 1 + (b > 1) + (c > 1));
}

static void add_families(targets *t, unsigned n) {
  static const char *const arrangements[] = {"palmtree", "absolute", "relative"};
  char spec[200];
  add_grids(t, n);
  for (unsigned q = 2; q < 4; q++) {
    snprintf(spec, sizeof spec, "polarfly:q=%u,p=1", q);
    add_spec(t, n, false, spec);
  }
  for (unsigned g = 2; g <= n; g++)
    for (unsigned h = 1; n % g == 0 && h <= 4; h++)
      for (unsigned i = 0; i < 3; i++) {
        snprintf(spec, sizeof spec, "dragonfly:a=%u,p=1,h=%u,g=%u,arrangement=%s", n / g, h, g, arrangements[i]);
        add_spec(t, n, false, spec);
        for (unsigned leaves = 1; leaves < n / g; leaves++) {
          snprintf(spec, sizeof spec, "dragonfly+:leaves=%u,spines=%u,h=%u,g=%u,p=1,arrangement=%s", leaves,
                   n / g - leaves, h, g, arrangements[i]);
          add_spec(t, n, true, spec);
        }
      }
  for (unsigned a = 2; a <= n; a++)
    for (unsigned b = 1; b <= n; b++) {
      snprintf(spec, sizeof spec, "rail:units=1,servers=1,rails=%u,spines=%u,k=2,nvswitch=0", a, b);
      add_spec(t, n, true, spec);
      snprintf(spec, sizeof spec, "xgft:m=1.%u,w=1.%u", a, b);
      add_spec(t, n, true, spec);
      for (unsigned c = 2; c <= n; c++)
        for (unsigned d = 1; d <= n; d++) {
          snprintf(spec, sizeof spec, "xgft:m=1.%u.%u,w=1.%u.%u", a, c, b, d);
          add_spec(t, n, true, spec);
        }
    }
  add_spec(t, n, true, "kns:k=2,n=2");
}

static bool is_target(const targets *t, const matrix *m) {
  for (unsigned i = 0; i < t->count; i++)
    if (are_one_graph(m, &t->list[i])) return true;
  return false;
}

/* All single changes that lead to a target; 1 if it is one already. */
static unsigned count_explanations(const targets *t, matrix m) {
  unsigned count = 0;
  if (is_target(t, &m)) return 1;
  for (unsigned a = 0; a < m.n; a++)
    for (unsigned b = 0; b < m.n; b++) {
      if (a == b) continue;
      if (a < b) join(&m, a, b), count += is_target(t, &m), m.cables[a][b]--, m.cables[b][a]--;
      if (m.cables[a][b] == 0) continue;
      m.cables[a][b]--, m.cables[b][a]--;
      if (a < b) count += is_target(t, &m);
      for (unsigned c = 0; c < m.n; c++) { /* the end at b goes to c */
        if (c == a || c == b) continue;
        join(&m, a, c), count += is_target(t, &m), m.cables[a][c]--, m.cables[c][a]--;
      }
      join(&m, a, b);
    }
  return count;
}

static matrix damaged_matrix(const damaged *d, const ripstop_fabric *whole) {
  matrix m = {.n = ripstop_fabric_switches(whole)};
  for (uint32_t i = 0; i < d->cables; i++) join(&m, d->cable[i].a, d->cable[i].b);
  for (uint32_t end = 0; end < whole->ends; end++) m.hosts[ripstop_end_switch(whole, end) - whole->ends] = true;
  return m;
}

static void compare_spec(const targets *t, const char *spec, unsigned *compared) {
  ripstop_fabric *whole = open_fabric(spec);
  for (unsigned kind = 0; kind < SINGLE; kind++) {
    const uint64_t all = count_mistakes(whole, (damage_kind)kind);
    for (uint64_t i = 0; i<all; i += all> 60 ? 7 : 1) {
      damaged d = damage_open(whole);
      if (make_mistake(&d, (damage_kind)kind, i)) {
        const answer a = ask(&d, false);
        const matrix m = damaged_matrix(&d, whole);
        const unsigned count = count_explanations(t, m);
        if (a.explanations && a.explanations != count) {
          print_message("by brute force %u: ", count);
          fail_with(&d, &a, spec, (damage_kind)kind);
        }
        ++*compared;
      }
      damage_close(&d);
    }
  }
  ripstop_fabric_free(whole);
}

static void explanations_are_counted_by_brute_force(void **state) {
  (void)state;
  static const struct {
    unsigned switches;
    const char *specs[6];
  } cases[] = {{4, {"torus:2x2", "mesh:2x2", "kary-ntree:k=2,n=2"}},
               {5, {"torus:5", "mesh:5", "hyperx:5"}},
               {6, {"torus:2x3", "mesh:2x3", "mesh:6", "hyperx:2x3", "mport-ntree:m=4,n=2", "dragonfly:a=2,p=1,h=1"}},
               {7, {"torus:7", "polarfly:q=2,p=1"}},
               {8, {"mesh:2x4", "hyperx:2x4", "hyperx:2x2x2", "kns:k=2,n=2"}},
               {9, {"mesh:3x3", "torus:3x3"}}};
  unsigned compared = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static targets t;
    t.count = 0;
    add_families(&t, cases[i].switches);
    for (unsigned k = 0; k < 6 && cases[i].specs[k]; k++) compare_spec(&t, cases[i].specs[k], &compared);
  }
  assert_true(compared > 500);
}

/* ------------------------------------------------------------------ the budget of work */

typedef struct shown {
  unsigned targets, most;
} shown;

static bool count_target(void *context, const ripstop_target *target) {
  shown *s = context;
  (void)target;
  return ++s->targets < s->most;
}

/* Targets of a fabric that are shown with so much work, at most so many; *work is what is left. */
static unsigned list_targets(const char *spec, uint64_t *work, unsigned most) {
  ripstop_fabric *f = open_fabric(spec);
  ripstop_arena *arena = ripstop_arena_new();
  recognised_graph net;
  shown s = {0, most};
  recognised_make(&net, f, arena);
  ripstop_targets_visit(&net, count_target, &s, work);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
  return s.targets;
}

static void the_listing_of_targets_ends(void **state) {
  (void)state;
  uint64_t enough = 1 << 29, stopped = 1 << 29, little = 1 << 14;
  const unsigned all = list_targets("hyperx:30", &enough, UINT32_MAX);
  assert_true(all > 1 && enough > 0);
  assert_int_equal(list_targets("hyperx:30", &stopped, 1), 1);
  assert_true(stopped > enough);
  assert_true(list_targets("hyperx:30", &little, UINT32_MAX) < all);
  assert_int_equal(little, 0);
}

/* A cable is missing; the number of explanations is 0 where the work does not suffice to look for all. */
static uint32_t explanations_without_a_cable(const char *spec) {
  ripstop_fabric *whole = open_fabric(spec);
  damaged d = damage_open(whole);
  assert_true(make_mistake(&d, MISSING, 0));
  const answer a = ask(&d, false);
  assert_true(damage_equal(&a.report.missing, &d.gone));
  damage_close(&d);
  ripstop_fabric_free(whole);
  return a.explanations;
}

static void cliques_are_searched_within_the_budget(void **state) {
  (void)state;
  assert_int_equal(explanations_without_a_cable("hyperx:60"), 1);
  assert_int_equal(explanations_without_a_cable("hyperx:6,k=6"), 1); /* six cables between any two switches */
}

/* Fabrics of diameter 2 are known by counts of neighbours, which a swap may leave nearly as they are. */
static void a_swap_makes_another_graph(void **state) {
  (void)state;
  static const char *const specs[] = {"slimfly:q=5,p=2", "slimfly:q=7", "polarfly:q=4", "polarfly:q=5"};
  unsigned swaps = 0;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_fabric *whole = open_fabric(specs[i]);
    const uint32_t cables = whole->links - whole->link_ends;
    for (uint32_t one = 0; one < cables; one += cables / 6) {
      damaged d = damage_open(whole);
      if (damage_make(&d, SWAPPED, one, (one + cables / 3) % cables)) {
        const answer a = ask(&d, swaps % 2);
        if (a.report.missing.count + a.report.extra.count + a.report.others == 0)
          assert_string_equal(a.family, "irregular");
        swaps++;
      }
      damage_close(&d);
    }
    ripstop_fabric_free(whole);
  }
  assert_true(swaps >= 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mistake_of_a_small_fabric_is_named_or_one_of_several),
      cmocka_unit_test(a_mistake_of_a_large_fabric_is_named),
      cmocka_unit_test(swapped_global_cables_are_not_silent),
      cmocka_unit_test(a_foreign_switch_is_named),
      cmocka_unit_test(explanations_are_counted_by_brute_force),
      cmocka_unit_test(the_listing_of_targets_ends),
      cmocka_unit_test(cliques_are_searched_within_the_budget),
      cmocka_unit_test(a_swap_makes_another_graph),
  };
  if (chdir(RIPSTOP_SOURCE_DIR)) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
