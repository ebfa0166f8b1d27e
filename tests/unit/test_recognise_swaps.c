/* test_recognise_swaps.c - two cables whose ends were exchanged, in all families: the report has the swap as one row,
 * or one of several explanations, or the fabric is the same graph as before, or one mistake explains it as well. */
#include "check.h"
#include "damage.h"
#include "opened.h"

static const char *const families[] = {"dragonfly+:leaves=4,spines=4,h=1,p=2",
                                       "dragonfly+:leaves=2,spines=2,h=2,p=2",
                                       "dragonfly+:leaves=4,spines=4,h=4,p=4",
                                       "dragonfly:a=4,p=2,h=2",
                                       "dragonfly:a=4,p=2,h=1",
                                       "dragonfly:a=3,p=1,h=2,arrangement=absolute",
                                       "slimfly:q=4,p=2",
                                       "slimfly:q=5,p=2",
                                       "polarfly:q=4,p=1",
                                       "polarfly:q=5,p=2",
                                       "kary-ntree:k=3,n=3",
                                       "kary-ntree:k=2,n=4",
                                       "mport-ntree:m=4,n=3",
                                       "xgft:m=2.3.2,w=1.2.2",
                                       "kns:k=3,n=2",
                                       "kns:k=4,n=2",
                                       "torus:5x5",
                                       "torus:3x4x5",
                                       "mesh:4x4",
                                       "mesh:5x5",
                                       "mesh:3x7",
                                       "hyperx:4x4",
                                       "hyperx:3x4x5"};

typedef struct tally {
  unsigned named, several, regular, simpler, none;
} tally;

/* One row with the two cables. */
static bool is_one_row(const ripstop_recognised *r) {
  return r->odd.count == 1 && !strcmp(r->odd.list[0].what, "swapped switch cables") && r->odd.list[0].places == 2;
}

static void judge(const char *spec, const damaged *d, const ripstop_recognised *r, tally *t) {
  const damage_report report = damage_reported(r);
  const uint32_t rows = report.missing.count + report.extra.count;
  const bool exact = damage_equal(&report.missing, &d->gone) && damage_equal(&report.extra, &d->added);
  if (!strcmp(r->family, "irregular"))
    t->none++;
  else if (r->there == r->expected && r->sure == 1)
    t->regular++;
  else if (exact && r->explanations <= 1 && is_one_row(r))
    t->named++;
  else if (r->explanations > 1)
    t->several++;
  else if (r->explanations == 1 && rows < 4)
    t->simpler++;
  else
    fail_msg("%s: s%u-s%u, s%u-s%u: %s %s, %u rows, %u explanations, %s", spec, d->added.cable[0].a,
             d->added.cable[0].b, d->added.cable[1].a, d->added.cable[1].b, r->family, r->shape, r->odd.count,
             r->explanations, r->odd.count ? r->odd.list[0].text : "");
}

static void swap_once(const char *spec, const ripstop_fabric *whole, ripstop_stream *s, tally *t) {
  ripstop_error err = {0};
  ripstop_recognised r;
  ripstop_arena *arena = ripstop_arena_new();
  damaged d = damage_open(whole);
  bool made = false;
  for (unsigned tries = 0; tries < 1000 && !made; tries++) {
    const uint32_t one = ripstop_stream_below(s, 1 << 30), two = ripstop_stream_below(s, 1 << 30);
    made = damage_make(&d, SWAPPED, one, two);
  }
  if (made && d.added.count == 2) {
    ripstop_fabric *f = damage_read(&d, false, &err);
    if (!f) fail_msg("%s", err.text);
    ripstop_recognise(f, arena, &r);
    judge(spec, &d, &r, t);
    ripstop_fabric_free(f);
  }
  damage_close(&d);
  ripstop_arena_free(arena);
}

static void a_swap_is_one_row(void **state) {
  (void)state;
  enum { SWAPS = 16 };
  tally t = {0};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    ripstop_fabric *whole = open_fabric(families[i]);
    for (unsigned k = 0; k < SWAPS; k++) {
      ripstop_stream s = ripstop_stream_open(i, RIPSTOP_RANDOM_TEST, k);
      swap_once(families[i], whole, &s, &t);
    }
    ripstop_fabric_free(whole);
  }
  print_message("%u named, %u one of several, %u the same graph, %u simpler, %u irregular\n", t.named, t.several,
                t.regular, t.simpler, t.none);
  assert_true(t.named > 250 && t.none == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_swap_is_one_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
