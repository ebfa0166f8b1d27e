/* test_lfm_every_set.c - link-fault-messages loses nothing while fewer links have failed than a switch has up ports:
 * all sets, proved by two threads. */
#include "check.h"
#include "ripstop/kit/proofs.h"

/* Every set of fewer failed links than up ports, under each variant of the third case; 8-port 3-trees: all pairs of
 * failed links (all 2,763,520 threes, as docs/methods/link-fault-messages.md shows, take a minute). */
static void fewer_faults_than_up_ports(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t faults;
    uint64_t sets;
  } cases[] = {{"kary-ntree:k=2,n=4", 1, 48},    {"kary-ntree:k=3,n=3", 2, 1431},  {"kary-ntree:k=4,n=2", 3, 560},
               {"mport-ntree:m=4,n=3", 1, 32},   {"mport-ntree:m=4,n=4", 1, 96},   {"mport-ntree:m=4,n=5", 1, 256},
               {"mport-ntree:m=6,n=2", 2, 153},  {"mport-ntree:m=6,n=3", 2, 5778}, {"mport-ntree:m=8,n=2", 3, 4960},
               {"mport-ntree:m=8,n=3", 2, 32640}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t n = 1; n <= cases[i].faults; n++) {
      ripstop_error err = {0};
      ripstop_tally tally;
      ripstop_fabric *f = ripstop_fabric_open(cases[i].fabric, &err);
      ripstop_many many = {.fabric = f,
                           .method = "link-fault-messages",
                           .kind = RIPSTOP_SETS_ALL,
                           .count = n,
                           .tolerance = true,
                           .threads = 2,
                           .confidence = 0.99};
      if (ripstop_prove_many(&many, &tally, &err)) fail_msg("%s", err.text);
      assert_true(tally.counted);
      assert_int_equal(tally.all.tolerated, tally.all.sets);
      if (n == cases[i].faults) assert_int_equal(tally.all.sets, cases[i].sets);
      ripstop_fabric_free(f);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fewer_faults_than_up_ports)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
