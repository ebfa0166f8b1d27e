/* test_valleys.c - valleys' settled plan: whatever is connected is served, of which its own count says the same as the
 * prover's walk; and more gets through than by shortest paths alone. */
#include "conformance/trial.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

/* Also if up and down alone, or the fixed turns, serve no pair any more. */
static void every_connected_pair_is_served(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    uint32_t dead, samples;
  } known[] = {{"kary-ntree:k=2,n=2", 3, 8},  {"kary-ntree:k=2,n=3", 6, 20},  {"mport-ntree:m=4,n=3", 8, 20},
               {"kary-ntree:k=3,n=3", 25, 8}, {"kary-ntree:k=4,n=3", 20, 8},  {"kary-ntree:k=4,n=3", 50, 8},
               {"kary-ntree:k=5,n=1", 0, 1},  {"mport-ntree:m=8,n=3", 60, 4}, {"kary-ntree:k=2,n=5", 30, 8}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    for (uint32_t sample = 0; sample < known[i].samples; sample++) {
      trial *t = trial_sample(known[i].fabric, "valleys", known[i].dead, sample);
      if (!t->proved) fail_msg("%s: %s", t->fabric->spec, t->err.text);
      assert_true(t->proof.deadlock_free && t->proof.livelock_free);
      assert_true(t->proof.lost_pairs_some_choice == t->proof.disconnected_pairs);
      assert_true(t->plan->method->lost_pairs(t->plan) == t->proof.lost_pairs_some_choice);
      trial_close(t);
    }
}

/* End nodes that are cut off by themselves, and a failed switch of each level. */
static void pairs_are_counted_with_anything_failed(void **state) {
  (void)state;
  static const char *const sets[] = {"end:0.0.0 end:2.1.1", "switch:0/0.0 switch:1/2.1 switch:2/0.2",
                                     "end:1.1.1 switch:0/1.1"};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    trial *t = trial_open("kary-ntree:k=3,n=3", "valleys", sets[i]);
    if (!t->proved) fail_msg("%s: %s", sets[i], t->err.text);
    assert_true(t->proof.disconnected_pairs > 0);
    assert_true(t->proof.lost_pairs_some_choice == t->proof.disconnected_pairs);
    assert_true(t->plan->method->lost_pairs(t->plan) == t->proof.lost_pairs_some_choice);
    trial_close(t);
  }
}

static double accepted(const char *method, const char *faults) {
  return scene_accepted("kary-ntree:k=4,n=3", method, faults, "load=0.9 warmup=1000 cycles=2000");
}

/* The same packets. Without faults 4 %, with ten failed links a third (docs/methods/valleys.md); half of that in so
 * short a time. */
static void more_gets_through_than_by_shortest_paths(void **state) {
  (void)state;
  static const char *const broken = "0/0.0/4 0/0.1/5 0/1.1/6 0/2.3/7 0/3.0/4 1/0.0/5 1/1.1/6 1/2.3/7 1/3.2/4 1/3.3/5";
  assert_true(accepted("valleys", "") > 1.02 * accepted("link-fault-messages", ""));
  assert_true(accepted("valleys", broken) > 1.1 * accepted("link-fault-messages", broken));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_connected_pair_is_served),
                                     cmocka_unit_test(pairs_are_counted_with_anything_failed),
                                     cmocka_unit_test(more_gets_through_than_by_shortest_paths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
