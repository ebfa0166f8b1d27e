/* test_faults_draw.c - schedules that are drawn: how many, when, which, and that nothing is cut. Connections are found
 * here by joining sets over links, which `ripstop_view_break` does not do. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/faults.h"

static const char *const fabrics[] = {"torus:4x4", "torus:3x2x3", "kary-ntree:k=2,n=3", "mport-ntree:m=4,n=3",
                                      "torus:5"};

static uint32_t find(uint32_t *parent, uint32_t node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

/* Sets of connected nodes, without what is dead. */
static uint32_t *join(const ripstop_fabric *f, const uint8_t *dead_link, const uint8_t *dead_node) {
  uint32_t *parent = ripstop_realloc(NULL, f->nodes, sizeof *parent);
  for (uint32_t v = 0; v < f->nodes; v++) parent[v] = v;
  for (uint32_t link = 0; link < f->links; link++) {
    uint32_t a = ripstop_link_node(f, link, 0), b = ripstop_link_node(f, link, 1);
    if (!dead_link[link] && !dead_node[a] && !dead_node[b]) parent[find(parent, a)] = find(parent, b);
  }
  return parent;
}

/* End nodes whose switches live are connected as long as they were. */
static void assert_nothing_cut(const ripstop_fabric *f, const ripstop_schedule *schedule) {
  uint8_t *dead_link = calloc(f->links, 1), *dead_node = calloc(f->nodes, 1);
  for (size_t i = 0; i < schedule->count; i++) {
    const ripstop_change *c = &schedule->change[i];
    uint8_t *dead = c->is_switch ? &dead_node[c->id] : &dead_link[c->id];
    assert_false(*dead);
    assert_false(c->up);
    *dead = 1;
    uint32_t *set = join(f, dead_link, dead_node), first = RIPSTOP_NONE;
    for (uint32_t end = 0; end < f->ends; end++) {
      if (dead_node[ripstop_end_switch(f, end)]) continue;
      if (first == RIPSTOP_NONE) first = end;
      assert_int_equal(find(set, end), find(set, first));
    }
    ripstop_free(set);
  }
  free(dead_link);
  free(dead_node);
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
          ripstop_draw draw = {.count = count, .scope = scope, .from = 7, .every = 3};
          int status = ripstop_schedule_draw(arena, f, NULL, &draw, 5, sample, &schedule, &err);
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
  ripstop_draw three = {.count = 3, .from = 100, .every = 10}, nine = {.count = 9, .from = 100, .every = 10};
  assert_int_equal(ripstop_schedule_draw(arena, f, NULL, &three, 1, 4, &few, &err), 0);
  assert_int_equal(ripstop_schedule_draw(arena, f, NULL, &nine, 1, 4, &many, &err), 0);
  assert_int_equal(ripstop_schedule_draw(arena, f, NULL, &nine, 1, 4, &again, &err), 0);
  assert_int_equal(ripstop_schedule_draw(arena, f, NULL, &nine, 1, 5, &other, &err), 0);
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

/* What is dead from the start is not drawn again, and counts when something might be cut. */
static void what_is_dead_counts(void **state) {
  (void)state;
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_fabric *f = ripstop_fabric_open("torus:5", &err);
  ripstop_schedule schedule;
  ripstop_draw one = {.count = 1};
  uint32_t link = f->link_ends;
  ripstop_faults faults = {.links = 1, .link = &link};
  assert_int_equal(ripstop_schedule_draw(arena, f, NULL, &one, 1, 0, &schedule, &err), 0);
  assert_int_equal(ripstop_schedule_draw(arena, f, &faults, &one, 1, 0, &schedule, &err), -1);
  assert_string_equal(err.text, "1 links cannot fail in torus:5 without cutting it");
  ripstop_fabric_free(f);
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_cut),
      cmocka_unit_test(draws_are_reproducible_and_grow),
      cmocka_unit_test(what_is_dead_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
