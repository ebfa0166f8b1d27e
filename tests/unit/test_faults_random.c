/* test_faults_random.c - schedules that are drawn: how many, when, which, and that nothing is cut. Connections are
 * found here by joining sets over links, which the library does not do. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "joined.h"
#include "ripstop/plugin/process.h"

/* The schedule of "random:OPTIONS". */
static int draw(ripstop_arena *arena, const ripstop_fabric *f, const ripstop_faults *faults, const char *options,
                uint64_t seed, uint64_t sample, ripstop_schedule *out, ripstop_error *err) {
  ripstop_names *names = ripstop_names_new(f);
  ripstop_rule rule;
  if (ripstop_rule_open(arena, names, ripstop_arena_printf(arena, "random:%s", options), NULL, &rule, err))
    fail_msg("%s", err->text);
  int status = ripstop_rule_sample(arena, f, faults, &rule, seed, sample, out, err);
  ripstop_names_free(names);
  return status;
}

static const char *const fabrics[] = {"torus:4x4", "torus:3x2x3", "kary-ntree:k=2,n=3", "mport-ntree:m=4,n=3",
                                      "torus:5"};

/* End nodes whose switches live are connected as long as they were. */
static void assert_nothing_cut(const ripstop_fabric *f, const ripstop_schedule *schedule) {
  uint8_t *failed_link = calloc(f->links, 1), *failed_node = calloc(f->nodes, 1);
  for (size_t i = 0; i < schedule->count; i++) {
    const ripstop_change *c = &schedule->change[i];
    uint8_t *dead = c->is_switch ? &failed_node[c->id] : &failed_link[c->id];
    assert_false(*dead);
    assert_false(c->up);
    *dead = 1;
    assert_joined(f, failed_link, failed_node);
  }
  free(failed_link);
  free(failed_node);
}

static void nothing_is_cut(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++)
    for (int32_t scope = 0; scope < 2; scope++) {
      ripstop_error err = {0};
      ripstop_fabric *f = ripstop_fabric_open(fabrics[i], &err);
      assert_non_null(f);
      int64_t most = 0; /* that can fail: until the first refusal, whatever the sample */
      for (uint64_t sample = 0; sample < 20; sample++)
        for (int64_t count = 1; count <= (int64_t)f->links; count++) {
          ripstop_arena *arena = ripstop_arena_new();
          ripstop_schedule schedule;
          const char *options = ripstop_arena_printf(arena, "%lld,from=7,every=3,scope=%s", (long long)count,
                                                     scope == 0 ? "switch-links" : "switches");
          int status = draw(arena, f, NULL, options, 5, sample, &schedule, &err);
          if (!status) assert_nothing_cut(f, &schedule);
          if (!status && count > most) most = count;
          ripstop_arena_free(arena);
          if (status) break;
        }
      if (scope == 0 && strncmp(fabrics[i], "torus", 5) == 0) /* down to a tree of the routers */
        assert_int_equal(most, f->links - f->ends - (ripstop_fabric_switches(f) - 1));
      assert_true(most > 0);
      ripstop_fabric_free(f);
    }
}

static void draws_are_reproducible_and_grow(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = ripstop_fabric_open("torus:4x4", &err);
  ripstop_schedule few, many, again, other;
  static const char three[] = "3,from=100,every=10", nine[] = "9,from=100,every=10";
  assert_int_equal(draw(arena, f, NULL, three, 1, 4, &few, &err), 0);
  assert_int_equal(draw(arena, f, NULL, nine, 1, 4, &many, &err), 0);
  assert_int_equal(draw(arena, f, NULL, nine, 1, 4, &again, &err), 0);
  assert_int_equal(draw(arena, f, NULL, nine, 1, 5, &other, &err), 0);
  assert_int_equal(few.count, 3);
  assert_int_equal(many.count, 9);
  size_t same = 0;
  for (size_t i = 0; i < 9; i++) {
    assert_int_equal(many.change[i].cycle, 100 + 10 * i);
    assert_int_equal(many.change[i].id, again.change[i].id);
    same += many.change[i].id == other.change[i].id;
    if (i < 3) assert_int_equal(many.change[i].id, few.change[i].id);
  }
  assert_true(same < 9);
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
}

/* Parts that are down from the start are not sampled again, and count when something might be cut. */
static void what_has_failed_counts(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = ripstop_fabric_open("torus:5", &err);
  ripstop_schedule schedule;
  uint32_t link = f->link_ends;
  ripstop_faults faults = {.links = 1, .link = &link};
  assert_int_equal(draw(arena, f, NULL, "1", 1, 0, &schedule, &err), 0);
  assert_int_equal(draw(arena, f, &faults, "1", 1, 0, &schedule, &err), -1);
  assert_string_equal(err.text, "1 links cannot fail in torus:5 without cutting it");
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_cut),
      cmocka_unit_test(draws_are_reproducible_and_grow),
      cmocka_unit_test(what_has_failed_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
