/* test_ordered_threads.c - ordered repairs itself in the same way on any number of threads. */
#include "overload.h"

/* Quick enough for several repairs in a short run. */
#define QUICK "ordered:rank_cycles=10,entry_cycles=40,hold_cycles=4000"

static void rows_are_the_same_on_any_number_of_threads(void **state) {
  (void)state;
  double sums[2][3];
  for (uint32_t i = 0; i < 2; i++) {
    scene *s = scene_open("torus:6x6", QUICK, "load=1 packet=4 in_queue=2 cycles=3000 window=500");
    s->sim.threads = i ? 3 : 1;
    scene_schedule(s, "0.0/0@500 1.1/0@600 0.0/0+@1500 switch:2.2@1700");
    ripstop_result result = scene_run(s);
    sums[i][0] = (double)result.account.delivered;
    sums[i][1] = (double)result.account.lost;
    sums[i][2] = value(&result, "control.messages");
    ripstop_result_free(&result);
    scene_close(s);
  }
  for (uint32_t k = 0; k < 3; k++) assert_true(sums[0][k] == sums[1][k] && sums[0][k] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_the_same_on_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
