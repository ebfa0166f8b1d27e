/* test_reorder.c - the values of measure.reorder against a count over the list of deliveries, which knows nothing of
 * how the engine counts: with one part and several, with losses, and with agents. */
#include <math.h>

#include "scene.h"

/* For each delivered packet: the packets of the same pair that were sent later and delivered before. */
static void count(const scene *s, double *mean, double *most) {
  uint64_t sum = 0, max = 0;
  for (size_t i = 0; i < s->deliveries; i++) {
    uint64_t later = 0;
    for (size_t k = 0; k < i; k++)
      later += s->delivered[k].source == s->delivered[i].source &&
               s->delivered[k].destination == s->delivered[i].destination &&
               s->delivered[k].packet > s->delivered[i].packet;
    sum += later;
    if (later > max) max = later;
  }
  *mean = (double)sum / (double)s->deliveries;
  *most = (double)max;
}

static void check(const char *fabric, const char *method, const char *selection, const char *schedule, bool reorders) {
  scene *s = scene_open(fabric, method, "load=0.8 packet=2 cycles=700 in_queue=8 pattern=permutation reorder=on");
  double mean, most;
  s->sim.switch_.selection = selection;
  scene_schedule(s, schedule);
  for (uint32_t parts = 1; parts <= 3; parts += 2) {
    s->sim.parts = parts;
    ripstop_run_result r = scene_run(s);
    count(s, &mean, &most);
    assert_true(s->deliveries > 1000);
    assert_true(ripstop_run_result_value(&r, "reorder.max") == most);
    assert_true(fabs(ripstop_run_result_value(&r, "reorder.mean") - mean) < 1e-12);
    if (reorders != (most > 0)) fail_msg("%s, %s, %s: %g", fabric, method, selection, most);
    ripstop_run_result_free(&r);
  }
  scene_close(s);
}

static void the_values_are_those_of_the_deliveries(void **state) {
  (void)state;
  check("kary-ntree:k=3,n=3", "updown", "deal", "", true);
  check("kary-ntree:k=3,n=3", "updown", "random", "", true);
  check("kary-ntree:k=3,n=3", "updown", "ecmp", "", false);
  check("torus:5x5", "dor:dateline=on", "space", "", false);
}

/* A lost packet leaves a gap behind which others still count as they should. */
static void lost_packets_leave_gaps(void **state) {
  (void)state;
  check("kary-ntree:k=3,n=3", "misroute", "deal", "0/0.0/3@200 1/1.0/4@300 0/0.0/3+@400", true);
}

static void without_the_option_there_is_no_value(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "dor:dateline=on", "load=0.2");
  ripstop_run_result r = scene_run(s);
  for (size_t i = 0; i < r.values; i++) assert_true(strncmp(r.value[i].name, "reorder", 7) != 0);
  ripstop_run_result_free(&r);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_values_are_those_of_the_deliveries),
                                     cmocka_unit_test(lost_packets_leave_gaps),
                                     cmocka_unit_test(without_the_option_there_is_no_value)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
