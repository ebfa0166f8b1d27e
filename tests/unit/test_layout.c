/* test_layout.c - where switches of a picture stand: no two in one place, all inside, whatever the fabric. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "draw/placing.h"
#include "ripstop/plugin/family.h"

enum { APART_LEAST = 4, MARGIN = DRAW_MARGIN };

static void must_be_inside(const char *spec, const draw_layout *l, uint32_t switches) {
  for (uint32_t s = 0; s < switches; s++)
    if (l->at[s].x < MARGIN - 1 || l->at[s].x > l->width - MARGIN + 1 || l->at[s].y < MARGIN - 1 ||
        l->at[s].y > l->height - MARGIN + 1)
      fail_msg("%s: switch %u stands at %g %g, not within %g x %g", spec, s, l->at[s].x, l->at[s].y, l->width,
               l->height);
}

static void places_differ(const char *spec, bool gather) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (!fabric && strstr(err.text, "tests/data/")) return; /* the core reads no files */
  if (!fabric) fail_msg("%s: %s", spec, err.text);
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised recognised;
  draw_layout l;
  ripstop_recognise(fabric, arena, &recognised);
  const picture o = {.fabric = fabric, .recognised = &recognised, .gather = gather};
  (void)draw_place(&o, arena, &l, &err); /* without Graphviz in a ring */
  if (l.apart < APART_LEAST) fail_msg("%s: two spots are %g apart", spec, l.apart);
  must_be_inside(spec, &l, ripstop_fabric_switches(fabric));
  ripstop_arena_free(arena);
  ripstop_fabric_free(fabric);
}

static void no_two_stand_in_one_place(void **state) {
  (void)state;
  static const char *const more[] = {"torus:8",     "torus:3x4x5",  "torus:2x2x2",           "mesh:4x4",
                                     "kns:k=2,n=3", "kns:k=3,n=3",  "kns:k=2,n=4",           "kary-ntree:k=2,n=1",
                                     "kns:k=8,n=2", "kns:k=12,n=2", "dragonfly:p=2,a=4,h=2", "hyperx:4x4x4"};
  for (const ripstop_family *const *f = ripstop_families; *f; f++)
    for (int gather = 0; gather < 2; gather++) places_differ((*f)->example, gather);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    for (int gather = 0; gather < 2; gather++) places_differ(more[i], gather);
}

/* Levels of which the second has no slot of its own for two of its nodes. */
static void levels_are_divided_by_slots(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  draw_deadlocked list[] = {{1, 0, 0}, {0, 7, 1}, {0, 2, 2}, {1, 0, 3}, {1, 0, 4}};
  draw_point at[5];
  uint32_t slot[5];
  assert_int_equal(draw_sort_levels(list, 5, slot), 3);
  assert_true(slot[2] == 0 && slot[1] == 1 && slot[0] == 0 && slot[3] == 1 && slot[4] == 2);
  slot[4] = 1;
  draw_levels(arena, at, list, 5, slot, 8, 3);
  static const draw_point want[] = {{2, -3}, {6, 0}, {2, 0}, {6, -3}, {6, -3}};
  for (int i = 0; i < 5; i++) assert_true(fabs(at[i].x - want[i].x) < 1e-9 && fabs(at[i].y - want[i].y) < 1e-9);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_two_stand_in_one_place),
      cmocka_unit_test(levels_are_divided_by_slots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
