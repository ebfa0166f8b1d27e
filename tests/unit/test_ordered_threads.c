/* test_ordered_threads.c - ordered repairs itself in the same way on any number of threads. */
#include "overload.h"

static void rows_are_the_same_on_any_number_of_threads(void **state) {
  (void)state;
  overload_on_threads("torus:6x6", "ordered:rank_cycles=10,entry_cycles=40,hold_cycles=4000",
                      "0.0/0@500 1.1/0@600 0.0/0+@1500 switch:2.2@1700"); /* quick enough for several repairs */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_the_same_on_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
