/* test_prove_rare.c - shares of fault sets that are not tolerated, estimated round listed sets, beside the proof of
 * every set: on average they are the same, and intervals cover it as often as they promise. Seeds are fixed. */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "check.h"
#include "opened.h"
#include "rare.h"

enum { SEEDS = 60 };

typedef struct truth {
  uint64_t sets, failed;
  double share;
} truth;

static truth exhaust(const ripstop_fabric *fabric, const char *method, uint32_t count) {
  ripstop_error err = {0};
  ripstop_tally tally;
  ripstop_many many = {.fabric = fabric,
                       .method = method,
                       .kind = RIPSTOP_SETS_ALL,
                       .count = count,
                       .symmetry = true,
                       .tolerance = true,
                       .threads = 1};
  if (ripstop_prove_many(&many, &tally, &err)) fail_msg("%s", err.text);
  uint64_t failed = tally.all.sets - tally.all.tolerated;
  return (truth){tally.all.sets, failed, (double)failed / (double)tally.all.sets};
}

/* The mean over seeds lies within four of its own deviations of the truth, and of 60 intervals of 90 % at least 47
 * cover: three deviations below. */
static void check(const char *spec, const char *method, uint32_t count, uint32_t core, uint64_t samples) {
  ripstop_fabric *fabric = open_fabric(spec);
  truth t = exhaust(fabric, method, count);
  double share[SEEDS], mean, proofs = 0;
  unsigned covered = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    ripstop_rarity r = estimate_rare(fabric, method, count, core, samples, seed + 1, 1);
    share[seed] = r.share;
    proofs += (double)(r.looked + r.proofs) / SEEDS;
    covered += r.interval.low <= t.share && t.share <= r.interval.high;
    assert_true(r.interval.low <= r.share && r.share <= r.interval.high);
  }
  mean = ripstop_mean(share, SEEDS);
  double deviation = ripstop_mean_half_width(share, SEEDS, 0.95) / ripstop_t_quantile(0.975, SEEDS - 1);
  double plain = t.share * (1 - t.share) / proofs; /* variance of as many plain proofs */
  print_message("%s %s, %u of which %u: %.3e is %.3e +- %.1e, %u of %d cover, gain %.3g\n", spec, method, count, core,
                t.share, mean, deviation, covered, SEEDS, plain / (deviation * deviation * SEEDS));
  assert_true(t.failed > 0);
  if (fabs(mean - t.share) > 4 * deviation + 1e-12 * t.share) fail_msg("biased");
  if (covered < 47) fail_msg("%u of %d cover", covered, SEEDS);
  ripstop_fabric_free(fabric);
}

static void small_fabrics_agree_with_every_set(void **state) {
  (void)state;
  check("kary-ntree:k=3,n=2", "link-fault-messages", 3, 1, 40); /* no share for one part: plain sampling alone */
  check("kns:k=4,n=2", "intermediate-nodes", 3, 2, 40);
  check("kns:k=4,n=2", "intermediate-nodes", 4, 2, 400); /* some have no listed set in them */
  check("kns:k=5,n=2", "intermediate-nodes", 3, 2, 40);
  check("mport-ntree:m=4,n=3", "link-fault-messages", 3, 2, 40);
}

/* A set of the listed size is within exactly when it is listed: then nothing is left to chance but what is outside. */
static void listed_sets_of_the_size_itself_are_exact(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric("kary-ntree:k=3,n=2");
  truth t = exhaust(fabric, "misroute", 3);
  ripstop_rarity r = estimate_rare(fabric, "misroute", 3, 3, 200, 1, 1);
  assert_int_equal(r.outside_hits, 0);
  assert_true(fabs(r.share - t.share) < 1e-12);
  ripstop_fabric_free(fabric);
}

static void mistakes_are_reported(void **state) {
  (void)state;
  ripstop_fabric *fabric = open_fabric("kary-ntree:k=3,n=2");
  static const struct { uint32_t count, core; } cases[] = {{3, 0}, {3, 9}, {2, 3}, {100, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    ripstop_rarity out;
    ripstop_rare rare = {.fabric = fabric,
                         .method = "misroute",
                         .count = cases[i].count,
                         .core = cases[i].core,
                         .samples = 10,
                         .confidence = 0.9,
                         .threads = 1};
    assert_int_equal(ripstop_prove_rare(&rare, &out, &err), -1);
    assert_non_null(strstr(err.text, "cannot be listed"));
  }
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_fabrics_agree_with_every_set),
                                     cmocka_unit_test(listed_sets_of_the_size_itself_are_exact),
                                     cmocka_unit_test(mistakes_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
