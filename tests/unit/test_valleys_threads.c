/* test_valleys_threads.c - valleys agrees on turns and repairs itself in the same way on any number of threads. */
#include "overload.h"

static void rows_are_the_same_on_any_number_of_threads(void **state) {
  (void)state;
  overload_on_threads("kary-ntree:k=4,n=3", "valleys", "0/0.0/4@500 1/1.1/6@600 0/0.0/4+@1500 switch:1/2.2@1700");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_the_same_on_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
