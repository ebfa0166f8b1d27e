/* test_simulate_parts.c - how a run is divided: each part has end nodes, parts meet as seldom as the links between them
 * permit, and a run that fails stands where it does with one part. */
#include "scene.h"
#include "simulate/threads.h"

static uint32_t leaves_of(const ripstop_fabric *f) {
  uint32_t leaves = 0;
  bool *seen = calloc(f->nodes, sizeof *seen);
  for (uint32_t end = 0; end < f->ends; end++) {
    leaves += !seen[ripstop_end_switch(f, end)];
    seen[ripstop_end_switch(f, end)] = true;
  }
  free(seen);
  return leaves;
}

static void assert_all_have_ends(const ripstop_fabric *f, uint32_t parts) {
  bool has[PARTS_MAX] = {0};
  ripstop_arena *arena = ripstop_arena_new();
  const uint8_t *owner = threads_divide(arena, f, parts);
  for (uint32_t end = 0; end < f->ends; end++) {
    assert_int_equal(owner[end], owner[ripstop_end_switch(f, end)]);
    has[owner[end]] = true;
  }
  for (uint32_t v = 0; v < f->nodes; v++) assert_true(owner[v] < parts);
  for (uint32_t i = 0; i < parts; i++)
    if (!has[i]) fail_msg("%s in %u parts: part %u has no end node", f->spec, parts, i);
  ripstop_arena_free(arena);
}

static ripstop_fabric *open_graph(const char *text) {
  ripstop_error err;
  const char *path = "parts.edges";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  ripstop_fabric *f = ripstop_fabric_open("graph:parts.edges", &err);
  remove(path);
  if (!f) fail_msg("%s", err.text);
  return f;
}

static const char *const crowded = "a b\nb c\nc d\n@end e0 a\n@end e1 a\n@end e2 a\n@end e3 a\n@end e4 a\n@end e5 a\n"
                                   "@end e6 b\n@end e7 c\n@end e8 d\n@router x\nx a\nx d\n";

/* Spines and routers without end nodes make no further thread. */
static void every_part_has_end_nodes(void **state) {
  (void)state;
  ripstop_error err;
  static const char *const specs[] = {"kary-ntree:k=4,n=3", "mport-ntree:m=8,n=2", "torus:5x3,p=2", "kns:k=3,n=2",
                                      NULL};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ripstop_fabric *f = specs[i] ? ripstop_fabric_open(specs[i], &err) : open_graph(crowded);
    if (!f) fail_msg("%s", err.text);
    for (uint32_t wished = 0; wished <= 70; wished++) {
      uint32_t parts = threads_parts(f, wished), leaves = leaves_of(f), most = leaves < PARTS_MAX ? leaves : PARTS_MAX;
      assert_int_equal(parts, wished < 1 ? 1 : wished < most ? wished : most);
      assert_all_have_ends(f, parts);
    }
    ripstop_fabric_free(f);
  }
}

static void as_many_threads_work_as_are_told(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=2,n=3", "updown", "load=0.1 cycles=50 batches=20");
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  for (s->sim.threads = 0; s->sim.threads < 9; s->sim.threads++) {
    ripstop_run_result result = scene_run(s);
    assert_int_equal(result.threads, ripstop_simulate_threads(run_setup.plan, &s->sim));
    assert_int_equal(result.threads, s->sim.threads < 1 ? 1 : s->sim.threads < 4 ? s->sim.threads : 4);
    ripstop_run_result_free(&result);
  }
  stand_close(&run_setup);
  scene_close(s);
}

static void small_fabrics_have_one(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t wished, worth;
  } cases[] = {{"torus:4x4", "dor", 0, 1},
               {"kary-ntree:k=16,n=2", "misroute", 2, 1},
               {"torus:16x16", "minimal-adaptive:escape=bubble", 2, 2},
               {"torus:16x16", "minimal-adaptive:escape=bubble", 16, 2},
               {"torus:64x64", "dor", 4, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene *s = scene_open(cases[i].fabric, cases[i].method, "load=0.1");
    stand run_setup = stand_on(s->fabric, s->method, &s->faults);
    assert_int_equal(ripstop_simulate_worth(run_setup.plan, cases[i].wished), cases[i].worth);
    stand_close(&run_setup);
    scene_close(s);
  }
}

/* A part has 32,768 queues of links between switches or a few more, whether a thread has one or several. */
static void large_fabrics_have_more_parts_than_threads(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t threads, parts;
  } cases[] = {{"torus:64x64", "minimal-adaptive:escape=bubble", 1, 1},
               {"torus:128x128", "dor:bubble=on", 1, 2},
               {"torus:128x128", "minimal-adaptive:escape=bubble", 0, 4},
               {"torus:128x128", "minimal-adaptive:escape=bubble", 2, 4},
               {"torus:128x128", "minimal-adaptive:escape=bubble", 3, 3},
               {"kary-ntree:k=32,n=3", "misroute", 2, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err;
    scene *s = scene_open(cases[i].fabric, cases[i].method, "load=0.1");
    stand run_setup = stand_on(s->fabric, s->method, &s->faults);
    s->sim.on_delivery = NULL; /* else one for each thread */
    s->sim.threads = cases[i].threads;
    ripstop_simulation *sim = ripstop_simulate_open(run_setup.plan, &s->sim, &err);
    if (!sim) fail_msg("%s", err.text);
    assert_int_equal(sim->shape->parts, cases[i].parts);
    assert_int_equal(ripstop_simulate_threads(run_setup.plan, &s->sim), cases[i].threads ? cases[i].threads : 1);
    ripstop_simulate_close(sim);
    stand_close(&run_setup);
    scene_close(s);
  }
}

/* Parts a, b and c, d. */
static uint32_t window_of(const char *graph) {
  ripstop_error err;
  ripstop_fabric *f = open_graph(graph);
  scene *s = scene_open("torus:3", "minimal", "load=0.1 link=9 pipeline=2 credit=20");
  ripstop_fabric_free(s->fabric);
  s->fabric = f;
  s->sim.threads = 2;
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  ripstop_simulation *sim = ripstop_simulate_open(run_setup.plan, &s->sim, &err);
  if (!sim) fail_msg("%s", err.text);
  uint32_t window = sim->shape->window;
  ripstop_simulate_close(sim);
  stand_close(&run_setup);
  scene_close(s);
  return window;
}

/* A short cable to an end node, or within a part, does not call all to meetings. */
static void the_window_is_that_of_links_between_parts(void **state) {
  (void)state;
  const char *ends[] = {"@end 0 a\n@end 1 b\n@end 2 c\n@end 3 d\n",
                        "@end 0 a\n@end 1 b delay=1\n@end 2 c\n@end 3 d delay=1\n"};
  static const struct {
    const char *cables;
    uint32_t window;
  } cases[] = {{"a b\nb c\nc d\n", 11},
               {"a b delay=1\nb c\nc d delay=2\n", 11},
               {"a b delay=1\nb c delay=5\nc d\n", 7},
               {"a b delay=1\nb c delay=5\nb d delay=3\nc d\n", 5},
               {"a b delay=30\nb c delay=100\nc d\n", 16}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
      char text[300];
      snprintf(text, sizeof text, "%s%s", cases[i].cables, ends[e]);
      assert_int_equal(window_of(text), cases[i].window);
    }
}

/* The bytes of a ring of 20 routers with 20 end nodes each. */
static size_t bytes_with(const char *first_cable) {
  ripstop_error err;
  ripstop_run_result result;
  ripstop_text text = {0};
  ripstop_text_add(&text, "r0 r1 %s\n", first_cable);
  for (unsigned i = 1; i < 20; i++) ripstop_text_add(&text, "r%u r%u\n", i, (i + 1) % 20);
  for (unsigned i = 0; i < 400; i++) ripstop_text_add(&text, "@end e%u r%u\n", i, i / 20);
  ripstop_fabric *f = open_graph(text.data);
  ripstop_text_free(&text);
  scene *s = scene_open("torus:3", "mend", "load=0.1 packet=1 cycles=20 batches=20");
  ripstop_fabric_free(s->fabric);
  s->fabric = f;
  if (scene_simulate(s, &result, &err)) fail_msg("%s", err.text);
  size_t bytes = result.bytes;
  ripstop_run_result_free(&result);
  scene_close(s);
  return bytes;
}

/* A cable has room for what is on it, and others do not have as much. */
static void one_long_cable_costs_little(void **state) {
  (void)state;
  size_t without = bytes_with(""), with = bytes_with("delay=1000");
  if (with > without + without / 5) fail_msg("%zu bytes, and %zu with a long cable", without, with);
}

/* A part that is in the midst of a window when another fails has seen cycles that are not there with one part. */
static void a_failed_run_stands_where_it_failed(void **state) {
  (void)state;
  scene *s = scene_open("torus:8x8", "test-stumbles", "load=0.05 link=20 pipeline=9 credit=20 packet=1");
  s->sim.on_delivery = NULL; /* for whom parts would meet in every cycle */
  stand run_setup = stand_on(s->fabric, s->method, &s->faults);
  uint64_t alone = 0;
  for (uint32_t threads = 1; threads <= 16; threads++) {
    ripstop_error err;
    s->sim.threads = threads;
    ripstop_simulation *sim = ripstop_simulate_open(run_setup.plan, &s->sim, &err);
    if (!sim) fail_msg("%s", err.text);
    assert_int_equal(ripstop_simulate_run(sim, UINT64_MAX, &err), -1);
    if (threads == 1) alone = ripstop_simulate_now(sim);
    assert_true(alone > 20 && alone < 500);
    assert_int_equal(ripstop_simulate_now(sim), alone);
    ripstop_simulate_close(sim);
  }
  stand_close(&run_setup);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_part_has_end_nodes),
                                     cmocka_unit_test(as_many_threads_work_as_are_told),
                                     cmocka_unit_test(small_fabrics_have_one),
                                     cmocka_unit_test(large_fabrics_have_more_parts_than_threads),
                                     cmocka_unit_test(the_window_is_that_of_links_between_parts),
                                     cmocka_unit_test(one_long_cable_costs_little),
                                     cmocka_unit_test(a_failed_run_stands_where_it_failed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
