/* test_recognise_damage.c - what is reported of edge lists with mistakes in them, beside the mistakes that were made
 * here: every cable of tori, meshes and HyperX at a wrong switch once, tori, meshes and HyperX of many sizes, and each
 * kind of mistake in every family.
 *
 * Slow: thousands of damaged fabrics. */
#include "check.h"
#include "damage.h"
#include "opened.h"
#include "share.h"

static const char *const kinds[] = {"mistyped", "foreign", "doubled", "missing", "swapped"};

typedef struct finding {
  char family[32];
  damage_report report;
} finding;

static finding find(const damaged *d, bool ports) {
  ripstop_error err = {0};
  ripstop_fabric *f = damage_read(d, ports, &err);
  if (!f) fail_msg("%s", err.text);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  finding out;
  ripstop_recognise(f, arena, &r);
  snprintf(out.family, sizeof out.family, "%s", r.family);
  out.report = damage_reported(&r);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
  return out;
}

static bool is_true(const damaged *d, const damage_report *r) {
  return damage_equal(&r->missing, &d->gone) && damage_equal(&r->extra, &d->added) && r->others == 0;
}

/* At the corner of a mesh a wrong cable can make another mesh, with fewer differences than there are mistakes, and
 * crossed cables can have a second explanation that is as good. */
static bool is_as_good(const damaged *d, const damage_report *r, damage_kind kind) {
  const uint32_t reported = r->missing.count + r->extra.count, made = d->gone.count + d->added.count;
  return r->others == 0 && (reported < made || (kind == SWAPPED && reported == made));
}

static void fail_with(const damaged *d, const finding *f, const char *spec, const char *kind) {
  char text[400] = "";
  const damage_set *sets[] = {&d->gone, &d->added, &f->report.missing, &f->report.extra};
  static const char *const called[] = {"gone", "added", "reported missing", "reported extra"};
  for (unsigned i = 0; i < 4; i++) {
    size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, "%s %u", called[i], sets[i]->count);
    for (uint32_t k = 0; k < sets[i]->count && k < 4; k++) {
      at = strlen(text);
      snprintf(text + at, sizeof text - at, " s%u-s%u", sets[i]->cable[k].a, sets[i]->cable[k].b);
    }
    at = strlen(text);
    snprintf(text + at, sizeof text - at, "; ");
  }
  fail_msg("%s, %s: a %s: %s%u others", spec, kind, f->family, text, f->report.others);
}

/* ------------------------------------------------------------------ every cable at a wrong switch */

/* False: another explanation is as good. */
static bool names_mistyped(const damaged *d, const char *spec, bool ports) {
  const finding f = find(d, ports);
  const bool exact = is_true(d, &f.report);
  if (!strcmp(f.family, "irregular") || (!exact && !is_as_good(d, &f.report, MISTYPED)))
    fail_with(d, &f, spec, "mistyped");
  return exact;
}

static unsigned mistype_each(const char *spec, unsigned *otherwise) {
  ripstop_fabric *whole = open_fabric(spec);
  const uint32_t cables = whole->links - whole->link_ends, switches = ripstop_fabric_switches(whole);
  ripstop_stream stream = ripstop_stream_open(1, RIPSTOP_RANDOM_TEST, 0);
  for (uint32_t i = 0; i < cables; i++) {
    damaged d = damage_open(whole);
    while (!damage_mistype(&d, i, ripstop_stream_below(&stream, switches))) {
    }
    if (i % share_of_turns() == share_first(share_of_turns())) *otherwise += !names_mistyped(&d, spec, i % 2);
    damage_close(&d);
  }
  ripstop_fabric_free(whole);
  return cables;
}

static void a_cable_at_a_wrong_switch_is_named(void **state) {
  (void)state;
  static const char *const specs[] = {"torus:4x4",      "torus:5x5",     "torus:4x8",    "torus:6x7",     "torus:3x3x3",
                                      "torus:3x4x5",    "torus:2x2x2x2", "mesh:8x8",     "mesh:4x4x4",    "hyperx:4x4",
                                      "hyperx:4x5,p=2", "hyperx:6x6",    "hyperx:3x4x5", "hyperx:4x4,k=2"};
  unsigned cables = 0, otherwise = 0;
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) cables += mistype_each(specs[i], &otherwise);
  assert_true(cables > 883);
  assert_true(otherwise <= 4); /* corners of meshes */
}

/* ------------------------------------------------------------------ grids of all sizes */

static void damage_one(const ripstop_fabric *whole, const char *spec, damage_kind kind, ripstop_stream *s) {
  damaged d = damage_open(whole);
  while (!damage_make(&d, kind, ripstop_stream_below(s, 1 << 30), ripstop_stream_below(s, 1 << 30))) {
  }
  const finding f = find(&d, false);
  if (!strcmp(f.family, "irregular") || (!is_true(&d, &f.report) && !is_as_good(&d, &f.report, kind)))
    fail_with(&d, &f, spec, kinds[kind]);
  damage_close(&d);
}

static void damage_by_each(const char *spec, ripstop_stream *s) {
  ripstop_fabric *whole = open_fabric(spec);
  damage_one(whole, spec, MISSING, s);
  damage_one(whole, spec, MISTYPED, s);
  ripstop_fabric_free(whole);
}

static void a_large_grid_hides_no_mistake(void **state) {
  (void)state;
  ripstop_stream s = ripstop_stream_open(2, RIPSTOP_RANDOM_TEST, 0);
  for (unsigned i = 0; i < DAMAGE_LARGE; i++) damage_by_each(damage_large[i], &s);
}

static void a_grid_of_any_size_hides_no_mistake(void **state) {
  (void)state;
  enum { SIZES = 40 };
  for (unsigned i = share_first(share_of_turns()); i < SIZES; i += share_of_turns()) {
    ripstop_stream s = ripstop_stream_open(3, RIPSTOP_RANDOM_TEST, i);
    char spec[64];
    const uint32_t by[4] = {i, ripstop_stream_below(&s, 1 << 20), ripstop_stream_below(&s, 1 << 20),
                            ripstop_stream_below(&s, 1 << 20)};
    damage_grid(by, spec, sizeof spec);
    damage_by_each(spec, &s);
  }
}

/* ------------------------------------------------------------------ all families, all kinds */

enum { ALL = (1 << DAMAGE_KINDS) - 1 };

/* Kinds that are named, or explained as well: `known`. Crossed cables are two mistakes, and models of dragonflies, slim
 * flies and PolarFly accept other wirings; test_recognise_single.c has all single mistakes. */
static const struct {
  const char *spec;
  unsigned known;
} families[] = {{"torus:5x5", ALL},
                {"torus:4x8", ALL},
                {"torus:4x5x6", ALL},
                {"mesh:8x8,p=2", ALL & ~(1 << SWAPPED)},
                {"mesh:4x4x4", ALL},
                {"hyperx:6x6", ALL},
                {"hyperx:4x5,p=3", ALL & ~(1 << SWAPPED)},
                {"hyperx:3x4x5", ALL & ~(1 << SWAPPED)},
                {"kns:k=4,n=3", ALL & ~(1 << SWAPPED)},
                {"kary-ntree:k=4,n=3", ALL},
                {"kary-ntree:k=3,n=3", ALL},
                {"mport-ntree:m=8,n=3", ALL},
                {"mport-ntree:m=4,n=2", ALL},
                {"xgft:m=4.4,w=1.2", ALL},
                {"xgft:m=8.8,w=1.4", ALL},
                {"rail:units=2,servers=4,rails=4,spines=4,nvswitch=0", ALL},
                {"dragonfly:a=4,p=2,h=2", ALL & ~(1 << SWAPPED)},
                {"dragonfly+:leaves=4,spines=4,h=4,p=4", ALL & ~(1 << SWAPPED)},
                {"slimfly:q=5,p=4", ALL & ~(1 << SWAPPED)},
                {"polarfly:q=7,p=4", ALL & ~(1 << SWAPPED)}};

static void each_mistake_is_named(void **state) {
  (void)state;
  enum { SAMPLES = 3 };
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    ripstop_fabric *whole = open_fabric(families[i].spec);
    for (unsigned kind = 0; kind < DAMAGE_KINDS; kind++)
      for (unsigned sample = 0; sample < SAMPLES; sample++) {
        if ((i + kind + sample) % share_of_cases() != share_first(share_of_cases())) continue;
        damaged d = damage_open(whole);
        ripstop_stream s = ripstop_stream_open(sample, RIPSTOP_RANDOM_TEST, kind);
        bool made = false; /* a tree of two levels has no cables to cross: all are there */
        for (unsigned tries = 0; tries < 1000 && !made; tries++) {
          const uint32_t one = ripstop_stream_below(&s, 1 << 30), two = ripstop_stream_below(&s, 1 << 30);
          made = damage_make(&d, (damage_kind)kind, one, two);
        }
        const finding f = find(&d, sample % 2);
        const bool good = is_true(&d, &f.report) || is_as_good(&d, &f.report, (damage_kind)kind);
        if ((families[i].known >> kind & 1) && !good) fail_with(&d, &f, families[i].spec, kinds[kind]);
        damage_close(&d);
      }
    ripstop_fabric_free(whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cable_at_a_wrong_switch_is_named),
      cmocka_unit_test(a_large_grid_hides_no_mistake),
      cmocka_unit_test(a_grid_of_any_size_hides_no_mistake),
      cmocka_unit_test(each_mistake_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
