/* test_faults_samples.c - samples: distinct, in range, reproducible, uniform (chi-square with fixed seeds, so never a
 * matter of luck); combinations: enumeration, seek and the closed form agree. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/graph.h"
#include "opened.h"
#include "ripstop/plugin/faults.h"

static void populations(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=4,n=3");
  assert_int_equal(ripstop_faults_population(f, RIPSTOP_FAULTS_SWITCH_LINKS), 128);
  assert_int_equal(ripstop_faults_population(f, RIPSTOP_FAULTS_ALL_LINKS), 192);
  assert_int_equal(ripstop_faults_population(f, RIPSTOP_FAULTS_SWITCHES), 48);
  ripstop_fabric_free(f);
}

/* The parts of a set, whatever its scope. */
static const uint32_t *parts_of(const ripstop_faults *set, uint32_t *count) {
  *count = set->links + set->switches;
  return set->switches > 0 ? set->switch_ : set->link;
}

static void samples_are_distinct_and_in_range(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=2,n=3");
  const uint32_t first[] = {f->link_ends, 0, f->ends}, last[] = {f->links, f->links, f->nodes};
  ripstop_error err = {0};
  const ripstop_fault_scope *const scopes[] = {RIPSTOP_FAULTS_SWITCH_LINKS, RIPSTOP_FAULTS_ALL_LINKS,
                                               RIPSTOP_FAULTS_SWITCHES};
  for (int s = 0; s < 3; s++) {
    const ripstop_fault_scope *scope = scopes[s];
    uint32_t population = ripstop_faults_population(f, scope);
    assert_int_equal(population, last[s] - first[s]);
    for (uint32_t count = 0; count <= population; count++) {
      ripstop_arena *arena = ripstop_arena_new();
      for (uint64_t index = 0; index < 20; index++) {
        ripstop_faults set;
        uint32_t found;
        assert_int_equal(ripstop_faults_sample(arena, f, scope, count, 1, index, &set, &err), 0);
        const uint32_t *part = parts_of(&set, &found);
        assert_int_equal(found, count);
        assert_int_equal(scope == RIPSTOP_FAULTS_SWITCHES ? set.links : set.switches, 0);
        for (uint32_t i = 0; i < count; i++) {
          assert_in_range(part[i], first[s], last[s] - 1);
          if (i > 0) assert_true(part[i] > part[i - 1]);
        }
      }
      ripstop_arena_free(arena);
    }
    ripstop_faults set;
    ripstop_arena *arena = ripstop_arena_new();
    assert_int_equal(ripstop_faults_sample(arena, f, scope, population + 1, 1, 0, &set, &err), -1);
    assert_non_null(strstr(err.text, ripstop_scope_name(scope)));
    ripstop_arena_free(arena);
  }
  ripstop_fabric_free(f);
}

static void samples_depend_on_seed_and_index_alone(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("kary-ntree:k=4,n=3");
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  ripstop_faults a, b, other_index, other_seed;
  assert_int_equal(ripstop_faults_sample(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, 6, 7, 3, &a, &err), 0);
  assert_int_equal(ripstop_faults_sample(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, 6, 7, 4, &other_index, &err), 0);
  assert_int_equal(ripstop_faults_sample(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, 6, 8, 3, &other_seed, &err), 0);
  assert_int_equal(ripstop_faults_sample(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, 6, 7, 3, &b, &err), 0);
  assert_memory_equal(a.link, b.link, 6 * sizeof *a.link);
  assert_memory_not_equal(a.link, other_index.link, 6 * sizeof *a.link);
  assert_memory_not_equal(a.link, other_seed.link, 6 * sizeof *a.link);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* All sets of a size are equally likely: each set is a bit pattern, counted over many samples. */
static void samples_are_uniform(void **state) {
  (void)state;
  static const char ring[] = "a b\nb c\nc d\nd e\ne f\nf a\n";
  enum { LINKS = 6, SAMPLES = 4000 };
  /* 0.999 quantiles of chi-square for C(6,f) - 1 degrees of freedom */
  static const double bound[LINKS + 1] = {0, 20.5, 36.1, 43.8, 36.1, 20.5, 0};
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_graph_from_text("ring", ring, sizeof ring - 1, &err);
  for (uint32_t faults = 1; faults < LINKS; faults++) {
    unsigned seen[1 << LINKS] = {0};
    ripstop_arena *arena = ripstop_arena_new();
    for (uint64_t index = 0; index < SAMPLES; index++) {
      ripstop_faults set;
      unsigned pattern = 0;
      assert_int_equal(ripstop_faults_sample(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, faults, 2026, index, &set, &err),
                       0);
      for (uint32_t i = 0; i < set.links; i++) pattern |= 1u << (set.link[i] - f->link_ends);
      seen[pattern]++;
    }
    ripstop_arena_free(arena);
    double expected = (double)SAMPLES / (double)ripstop_combinations_total(LINKS, faults), chi = 0;
    for (unsigned pattern = 0; pattern < 1u << LINKS; pattern++) {
      unsigned bits = 0;
      for (unsigned i = 0; i < LINKS; i++) bits += pattern >> i & 1;
      if (bits != faults) assert_int_equal(seen[pattern], 0);
      if (bits == faults) chi += (seen[pattern] - expected) * (seen[pattern] - expected) / expected;
    }
    if (chi > bound[faults]) fail_msg("%u faults: chi-square %g", faults, chi);
  }
  ripstop_fabric_free(f);
}

/* ------------------------------------------------------------------ combinations */

static void totals(void **state) {
  (void)state;
  /* Pascal's triangle, built by additions. */
  static uint64_t row[70];
  for (uint32_t n = 0; n < 68; n++) {
    for (uint32_t k = n; k > 0; k--) row[k] += row[k - 1];
    row[0] = 1;
    for (uint32_t k = 0; k <= n + 1; k++) assert_true(ripstop_combinations_total(n, k) == row[k]);
  }
  assert_true(ripstop_combinations_total(128, 3) == 341376);
  assert_true(ripstop_combinations_total(4294967295u, 1) == 4294967295u);
  assert_true(ripstop_combinations_total(4294967295u, 2) == 9223372030412324865u);
  assert_true(ripstop_combinations_total(4294967295u, 3) == UINT64_MAX);
  assert_true(ripstop_combinations_total(1000, 500) == UINT64_MAX);
}

static void enumeration_and_seek_agree(void **state) {
  (void)state;
  for (uint32_t population = 0; population <= 9; population++)
    for (uint32_t count = 0; count <= population; count++) {
      ripstop_arena *arena = ripstop_arena_new();
      ripstop_combinations walk, jump;
      ripstop_combinations_first(arena, population, count, &walk);
      ripstop_combinations_first(arena, population, count, &jump);
      uint64_t rank = 0;
      unsigned before = 0; /* the set before as a number whose order is the lexicographic one */
      do {
        unsigned now = 1; /* a digit per part, base population + 1 is at most 10 */
        for (uint32_t i = 0; i < count; i++) now = now * 10 + walk.part[i];
        assert_true(rank == 0 || now > before);
        for (uint32_t i = 0; i < count; i++) assert_true(walk.part[i] < population);
        for (uint32_t i = 1; i < count; i++) assert_true(walk.part[i] > walk.part[i - 1]);
        ripstop_combinations_seek(&jump, rank++);
        for (uint32_t i = 0; i < count; i++) assert_int_equal(jump.part[i], walk.part[i]);
        before = now;
      } while (ripstop_combinations_next(&walk));
      assert_true(rank == ripstop_combinations_total(population, count));
      ripstop_arena_free(arena);
    }
}

static void seeks_far_into_large_populations(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  ripstop_combinations_first(arena, 5000, 4, &c);
  uint64_t total = ripstop_combinations_total(5000, 4);
  ripstop_combinations_seek(&c, total - 1);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(c.part[i], 4996 + i);
  assert_false(ripstop_combinations_next(&c));
  ripstop_combinations_seek(&c, total / 2);
  ripstop_combinations next;
  ripstop_combinations_first(arena, 5000, 4, &next);
  ripstop_combinations_seek(&next, total / 2 + 1);
  assert_true(ripstop_combinations_next(&c));
  assert_memory_equal(c.part, next.part, 4 * sizeof *c.part);
  ripstop_arena_free(arena);
}

static void parts_become_sets(void **state) {
  (void)state;
  ripstop_fabric *f = open_fabric("torus:3x3");
  ripstop_arena *arena = ripstop_arena_new();
  const uint32_t part[] = {0, 5};
  ripstop_faults set;
  ripstop_faults_from_parts(arena, f, RIPSTOP_FAULTS_SWITCH_LINKS, part, 2, &set);
  assert_true(set.links == 2 && set.switches == 0 && set.link[0] == 9 && set.link[1] == 14);
  ripstop_faults_from_parts(arena, f, RIPSTOP_FAULTS_ALL_LINKS, part, 2, &set);
  assert_true(set.links == 2 && set.switches == 0 && set.link[0] == 0 && set.link[1] == 5);
  ripstop_faults_from_parts(arena, f, RIPSTOP_FAULTS_SWITCHES, part, 2, &set);
  assert_true(set.links == 0 && set.switches == 2 && set.switch_[0] == 9 && set.switch_[1] == 14);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(populations),
      cmocka_unit_test(samples_are_distinct_and_in_range),
      cmocka_unit_test(samples_depend_on_seed_and_index_alone),
      cmocka_unit_test(samples_are_uniform),
      cmocka_unit_test(totals),
      cmocka_unit_test(enumeration_and_seek_agree),
      cmocka_unit_test(seeks_far_into_large_populations),
      cmocka_unit_test(parts_become_sets),
  };
  return cmocka_run_group_tests_name("fault samples", tests, NULL, NULL);
}
