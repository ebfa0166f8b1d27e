/* test_to_self.c - packets to their own source (uniform:self=on): a switch with queues in order carries what Karol,
 * Hluchyj and Morgan (1987, table I) computed for it, and the path there and back takes the time that docs/model.md
 * says. */
#include <math.h>

#include "scene.h"

static void a_switch_in_order_saturates_where_karol_says(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    double known;
  } cases[] = {{"kary-ntree:k=2,n=1", 0.75},
               {"kary-ntree:k=3,n=1", 0.6825},
               {"kary-ntree:k=4,n=1", 0.6553},
               {"kary-ntree:k=8,n=1", 0.6184}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scene *s = scene_open(cases[i].fabric, "updown",
                          "pattern=uniform:self=on load=1 packet=1 in_queue=64 warmup=2000 cycles=40000");
    ripstop_run_result r = scene_run(s);
    const double accepted = ripstop_run_result_value(&r, "accepted");
    if (fabs(accepted - cases[i].known) > 0.006)
      fail_msg("%s: accepted %g of %g", cases[i].fabric, accepted, cases[i].known);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* 2 D + R + L - 1 cycles. */
static void there_and_back(void **state) {
  (void)state;
  scene *s = scene_open("kary-ntree:k=2,n=2", "updown",
                        "pattern=uniform:self=on load=0.01 packet=5 link=3 pipeline=2 cycles=20000");
  ripstop_run_result r = scene_run(s);
  size_t own = 0;
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *d = &s->delivered[i];
    if (d->source != d->destination) continue;
    own++;
    if (d->at - d->generated_at < least) least = d->at - d->generated_at;
  }
  assert_true(own > 10);
  assert_int_equal(least, 2 * 3 + 2 + 5 - 1);
  assert_int_equal(r.account.lost, 0);
  ripstop_run_result_free(&r);
  scene_close(s);
}

/* A protocol's candidates and these exclude each other. */
static void protocols_are_refused(void **state) {
  (void)state;
  ripstop_run_result result;
  ripstop_error err;
  scene *s = scene_open("torus:4x4", "immunet", "pattern=uniform:self=on load=0.1");
  assert_int_equal(scene_simulate(s, &result, &err), -1);
  assert_non_null(strstr(err.text, "packets to their own source need a method without a protocol"));
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_switch_in_order_saturates_where_karol_says),
                                     cmocka_unit_test(there_and_back), cmocka_unit_test(protocols_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
