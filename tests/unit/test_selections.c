/* test_selections.c - selection functions: each plug-in on candidates written down here, and in an engine the buffers'
 * state that it sees. tests/differential runs them all against a second model. */
#include <stdlib.h>
#include <string.h>

#include "base/registry.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/selection.h"
#include "scene.h"

static const ripstop_selection *find(const char *name) {
  for (size_t i = 0; ripstop_selections[i]; i++)
    if (strcmp(ripstop_selections[i]->name, name) == 0) return ripstop_selections[i];
  fail_msg("no choice %s", name);
  return NULL;
}

enum { CANDIDATES = 5, OPEN = 4 };
static const ripstop_candidate candidates[CANDIDATES] = {{.port = 3, .weight = 2},
                                                         {.port = 0, .weight = 9}, /* not open */
                                                         {.port = 1, .weight = 6},
                                                         {.port = 1, .channel = 1, .weight = 3},
                                                         {.port = 4}}; /* no weight: as if it were 1 */
static const uint8_t all_open[OPEN] = {0, 2, 3, 4};

/* The port and channel that are chosen; `taken` is of each open way, in a queue of 10. */
static const ripstop_candidate *choose(const char *name, const int32_t taken[OPEN], uint32_t last_port,
                                       uint64_t serial) {
  int32_t space[OPEN];
  for (int i = 0; i < OPEN; i++) space[i] = 10 - taken[i];
  ripstop_choosing c = {.candidate = candidates,
                        .open = all_open,
                        .space = space,
                        .count = OPEN,
                        .capacity = 10,
                        .ports = 6,
                        .last_port = last_port,
                        .seed = 3,
                        .serial = serial};
  const ripstop_selection *selection = find(name);
  const int64_t none[2] = {0}; /* every option of the function is 0 */
  const bool by_space = selection->roomiest || !selection->choose;
  uint32_t position = by_space ? ripstop_choosing_tie(&c, OPEN) : selection->choose(none, &c);
  assert_true(position < OPEN);
  return &candidates[all_open[position]];
}

static void the_first(void **state) {
  (void)state;
  assert_ptr_equal(choose("first", (int32_t[]){9, 0, 0, 0}, RIPSTOP_NONE, 1), &candidates[0]);
}

static void in_turn(void **state) {
  (void)state;
  const int32_t taken[OPEN] = {0};
  static const struct {
    uint32_t last;
    int candidate;
  } cases[] = {{RIPSTOP_NONE, 2}, {0, 2}, {1, 0}, {2, 0}, {3, 4}, {4, 2}, {5, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_ptr_equal(choose("rotate", taken, cases[i].last, 1), &candidates[cases[i].candidate]);
}

/* Taken x links: 2 x 3, 6 x 1, 3 x 2 and 1 x 7; then one less in turn. */
static void least_taken_times_links(void **state) {
  (void)state;
  assert_ptr_equal(choose("weighted", (int32_t[]){3, 1, 2, 7}, 0, 1),
                   &candidates[0]); /* all 6 but the last: fewest links */
  assert_ptr_equal(choose("weighted", (int32_t[]){4, 1, 2, 7}, 0, 1), &candidates[3]);
  assert_ptr_equal(choose("weighted", (int32_t[]){4, 1, 3, 7}, 0, 1), &candidates[2]);
  assert_ptr_equal(choose("weighted", (int32_t[]){4, 2, 3, 5}, 0, 1), &candidates[4]);
  assert_ptr_equal(choose("weighted", (int32_t[]){0, 0, 0, 0}, 0, 1), &candidates[4]);
  assert_ptr_equal(choose("weighted", (int32_t[]){0, 0, 0, 1}, 0, 1), &candidates[0]);
}

/* More free than a queue holds, as an end node is: nothing is taken. A product may be longer than 32 bits. */
static void the_ends_of_the_scale(void **state) {
  (void)state;
  static const ripstop_candidate far[2] = {{.weight = UINT16_MAX}, {.weight = UINT16_MAX - 1}};
  static const uint8_t open[2] = {0, 1};
  const int64_t none[2] = {0};
  ripstop_choosing c = {
      .candidate = far, .open = open, .space = (int32_t[]){INT32_MAX, 1}, .count = 2, .capacity = 1 << 30, .ports = 2};
  assert_int_equal(find("weighted")->choose(none, &c), 0);
  c.space = (int32_t[]){(1 << 30) - 65536, (1 << 30) - 65537}; /* 65536 x 65535 and 65537 x 65534: 2^32 apart by 2 */
  assert_int_equal(find("weighted")->choose(none, &c), 1);
}

/* Equal candidates are chosen at random, each as likely, by the packet and its hop alone. */
static void equal_candidates_are_sampled(void **state) {
  (void)state;
  static const char *const names[] = {"random", "space"};
  enum { DRAWS = 8000 };
  for (int n = 0; n < 2; n++) {
    int count[CANDIDATES] = {0};
    for (uint64_t serial = 0; serial < DRAWS; serial++) {
      const ripstop_candidate *candidate = choose(names[n], (int32_t[]){5, 5, 5, 5}, 0, serial);
      assert_ptr_equal(candidate, choose(names[n], (int32_t[]){5, 5, 5, 5}, 2, serial));
      count[candidate - candidates]++;
    }
    assert_int_equal(count[1], 0);
    for (int i = 0; i < CANDIDATES; i++)
      if (i != 1) assert_in_range(count[i], DRAWS / OPEN - 160, DRAWS / OPEN + 160); /* four standard deviations */
  }
}

static void every_selection_says_what_it_is(void **state) {
  (void)state;
  size_t selections = 0;
  for (; ripstop_selections[selections]; selections++) {
    const ripstop_selection *c = ripstop_selections[selections];
    assert_int_equal(c->abi, RIPSTOP_SELECTION_ABI);
    assert_true(c->summary && c->options);
  }
  assert_int_equal(selections, 9);
}

static void unknown_selections_are_named(void **state) {
  (void)state;
  ripstop_run_result result;
  ripstop_error err;
  scene *s = scene_open("torus:4x4", "dor", "selection=spaec");
  assert_int_equal(scene_simulate(s, &result, &err), -1);
  assert_non_null(strstr(err.text, "switch.selection 'spaec' is unknown; did you mean 'space'?"));
  scene_close(s);
}

static bool same_run(const ripstop_run_result *a, const ripstop_run_result *b) {
  return a->events == b->events && a->hops == b->hops && memcmp(&a->account, &b->account, sizeof a->account) == 0 &&
         same_bits(ripstop_run_result_value(a, "latency.mean"), ripstop_run_result_value(b, "latency.mean"));
}

/* All of them carry the same traffic, each by its own rule; but without a method's weights `weighted` is `space`. */
static void they_differ(void **state) {
  (void)state;
  enum { ALL = 9 };
  ripstop_run_result result[ALL];
  scene *s = scene_open("torus:4x4", "minimal-adaptive:escape=bubble", "load=0.6 in_queue=4 packet=4");
  for (size_t i = 0; i < ALL; i++) {
    s->sim.switch_.selection = ripstop_selections[i]->name;
    result[i] = scene_run(s);
    assert_int_equal(result[i].account.lost, 0);
  }
  for (size_t i = 0; i < ALL; i++)
    for (size_t k = 0; k < i; k++) {
      bool alike = !strcmp(ripstop_selections[i]->name, "weighted") && !strcmp(ripstop_selections[k]->name, "space");
      if (same_run(&result[i], &result[k]) != alike)
        fail_msg("%s and %s", ripstop_selections[i]->name, ripstop_selections[k]->name);
    }
  for (size_t i = 0; i < ALL; i++) ripstop_run_result_free(&result[i]);
  scene_close(s);
}

static ripstop_run_result run_with(scene *s, const char *selection) {
  s->sim.switch_.selection = selection;
  return scene_run(s);
}

/* By default the method's own selection decides; an option sets another. */
static void a_method_names_its_own(void **state) {
  (void)state;
  static const char *const of[][3] = {{"torus:4x4", "ugal", "weighted:counts=port,binds=on"},
                                      {"dragonfly:a=4,p=2,h=2,g=5", "ugal-global", "weighted:counts=port,binds=on"},
                                      {"dragonfly:a=4,p=2,h=2", "dragonfly-par", "weighted:counts=port,binds=on"},
                                      {"dragonfly:a=4,p=2,h=2", "dragonfly-ugal", "weighted:counts=port,binds=on"},
                                      {"hyperx:4x4,p=2", "hyperx-dal", "weighted:counts=port,binds=on"},
                                      {"torus:4x4", "minimal", "space"}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    scene *s = scene_open(of[i][0], of[i][1], "load=0.6 packet=4 warmup=500 cycles=2000");
    assert_string_equal(s->sim.switch_.selection, "method");
    ripstop_run_result given = scene_run(s), own = run_with(s, of[i][2]), other = run_with(s, "random");
    if (!same_run(&given, &own)) fail_msg("%s is not %s by itself", of[i][1], of[i][2]);
    if (same_run(&given, &other)) fail_msg("%s does not take another choice", of[i][1]);
    ripstop_run_result_free(&given), ripstop_run_result_free(&own), ripstop_run_result_free(&other);
    scene_close(s);
  }
}

static ripstop_plugin selection_at(size_t i) { return RIPSTOP_PLUGIN(ripstop_selections[i]); }

/* A word that no selection function has, or an option that it lacks, would fail in each run. */
static void every_own_selection_exists(void **state) {
  (void)state;
  static const ripstop_registry registry = {"selection", RIPSTOP_SELECTION_ABI, selection_at};
  ripstop_arena *arena = ripstop_arena_new();
  for (size_t i = 0; ripstop_methods[i]; i++) {
    void *config;
    ripstop_error err;
    if (!ripstop_registry_open(&registry, arena, ripstop_method_selection(ripstop_methods[i], NULL), &config, &err))
      fail_msg("%s: %s", ripstop_methods[i]->name, err.text);
  }
  ripstop_arena_free(arena);
}

/* ------------------------------------------------------------------ the page */

static void the_page_has_them_all(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err;
  char *page = NULL, row[100];
  size_t length;
  if (ripstop_read_file(arena, RIPSTOP_SOURCE_DIR "/docs/traffic.md", 1 << 20, &page, &length, &err))
    fail_msg("%s", err.text);
  const char *section = strstr(page, "\n## Selection functions\n");
  assert_non_null(section);
  for (size_t i = 0; ripstop_selections[i]; i++) {
    snprintf(row, sizeof row, "\n| `%s` |", ripstop_selections[i]->name);
    if (!strstr(section, row)) fail_msg("docs/traffic.md has no row for %s", ripstop_selections[i]->name);
  }
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_first),
                                     cmocka_unit_test(in_turn),
                                     cmocka_unit_test(least_taken_times_links),
                                     cmocka_unit_test(the_ends_of_the_scale),
                                     cmocka_unit_test(equal_candidates_are_sampled),
                                     cmocka_unit_test(every_selection_says_what_it_is),
                                     cmocka_unit_test(unknown_selections_are_named),
                                     cmocka_unit_test(they_differ),
                                     cmocka_unit_test(a_method_names_its_own),
                                     cmocka_unit_test(every_own_selection_exists),
                                     cmocka_unit_test(the_page_has_them_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
