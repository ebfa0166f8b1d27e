/* test_saturated_threads.c - `unserved` and `saturated` where a run is divided: every part counts its own, and the sums
 * are those of one thread. */
#include "scene.h"

static void threads_do_not_matter(void **state) {
  (void)state;
  scene *s = scene_open("torus:64x64", "minimal-adaptive", "load=0.6 packet=16 warmup=100 cycles=300");
  scene_break(s, "switch:3.3");
  s->sim.threads = 1;
  ripstop_run_result r = scene_run(s);
  double unserved = ripstop_run_result_value(&r, "unserved"), saturated = ripstop_run_result_value(&r, "saturated");
  ripstop_run_result_free(&r);
  assert_true(unserved > 0);
  s->sim.threads = 2;
  r = scene_run(s);
  assert_true(ripstop_run_result_value(&r, "unserved") == unserved);
  assert_true(ripstop_run_result_value(&r, "saturated") == saturated);
  ripstop_run_result_free(&r);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
