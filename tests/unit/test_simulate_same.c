/* test_simulate_same.c - a change of a part that is so already changes nothing, whatever else happens in its cycle; nor
 * does a switch that comes back and dies again within one cycle. */
#include "scene.h"

typedef struct twins {
  const char *faults, *with, *without;
} twins;

static void assert_same(const char *method, const twins *t) {
  scene *s = scene_open("torus:4x4", method, "load=0.9 cycles=1500");
  scene_break(s, t->faults);
  scene_schedule(s, t->without);
  ripstop_run_result plain = scene_run(s);
  scene_schedule(s, t->with);
  ripstop_run_result result = scene_run(s);
  assert_true(plain.account.generated > 1000);
  if (!results_are_equal(&plain, &result))
    fail_msg("%s: '%s' is not '%s' where '%s' is down", method, t->with, t->without, t->faults);
  ripstop_run_result_free(&plain);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void a_change_to_what_is_changes_nothing(void **state) {
  (void)state;
  static const char *const methods[] = {"valiant", "immunet"};
  static const twins cases[] = {
      {"", "0.0/0@500 switch:2.2+@500", "0.0/0@500"},
      {"", "switch:2.2+@500 0.0/0@500", "0.0/0@500"},
      {"", "switch:2.2+@500 switch:2.2@500", "switch:2.2@500"},
      {"", "switch:2.2+@500 switch:2.2@500 switch:2.2+@500", "switch:2.2@500 switch:2.2+@500"},
      {"switch:1.1", "0.0/0@500 switch:1.1@500 2.2/0+@500", "0.0/0@500"},
      {"switch:1.1", "0.0/0@500 switch:1.1+@500 switch:1.1@500", "0.0/0@500"},
      {"switch:1.1", "0.0/0@500 switch:1.1+@500 switch:1.1@500 switch:1.1+@900", "0.0/0@500 switch:1.1+@900"},
  };
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_same(methods[m], &cases[i]);
}

/* A switch that is started twice says hello twice: without further messages no packet changes. */
static void a_switch_that_comes_back_twice_comes_back(void **state) {
  (void)state;
  assert_same("valiant", &(twins){"switch:1.1", "switch:1.1+@500 switch:1.1@500 switch:1.1+@500", "switch:1.1+@500"});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_change_to_what_is_changes_nothing),
                                     cmocka_unit_test(a_switch_that_comes_back_twice_comes_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
