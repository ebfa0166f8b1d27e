/* test_prove_rare_threads.c - shares of fault sets, estimated round listed sets, are the same on any number of threads.
 */
#include "opened.h"
#include "rare.h"

static void threads_do_not_matter(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric("kns:k=4,n=2");
  ripstop_rarity one = estimate_rare(fabric, "intermediate-nodes", 4, 2, 9000, 3, 1);
  ripstop_rarity four = estimate_rare(fabric, "intermediate-nodes", 4, 2, 9000, 3, 4);
  assert_true(one.share == four.share && one.interval.high == four.interval.high && one.proofs == four.proofs);
  assert_int_equal(one.within + one.outside, 9000);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
