/* test_immunet_measures.c - what a simulation says of immunet's messages, beside the protocol alone (protocol.h). */
#include <math.h>

#include "scene.h"

#include "ripstop/kit/protocol.h"

/* Messages with a channel of their own do the same as without packets. */
static void kinds_and_settling(void **state) {
  (void)state;
  const char *const kinds[] = {"control.emergency", "control.ack", "control.safe-table", "control.safe-table-forwarded",
                               "control.adaptive-table"};
  const char *method = "immunet:control_flits=0,drain_cycles=0";
  scene *s = scene_open("torus:4x4", method, "load=0.1 cycles=20000");
  ripstop_error err = {0};
  ripstop_change change = {.cycle = 1000, .id = ripstop_names_link(s->names, "1.1/0", 5)};
  s->schedule = (ripstop_schedule){.count = 1, .change = &change};
  ripstop_run_result result = scene_run(s);
  double sum = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) sum += ripstop_run_result_value(&result, kinds[i]);
  assert_true(sum == ripstop_run_result_value(&result, "control.messages"));

  ripstop_network_options options = {.schedule = &s->schedule};
  stand run_setup = stand_on(s->fabric, method, NULL);
  ripstop_network *network = ripstop_network_open(run_setup.plan, &options, &err);
  assert_non_null(network);
  assert_int_equal(ripstop_network_run(network, RIPSTOP_NEVER, &err), 1);
  ripstop_network_count count = ripstop_network_count_all(network);
  assert_true(sum == (double)count.sent);
  assert_true(ripstop_run_result_value(&result, "control.settling") == (double)(count.last_change - change.cycle));
  /* each router sends each distance on once, by all ports but one */
  const double n = 16, links = 31;
  assert_true(ripstop_run_result_value(&result, "control.adaptive-table") >= n * (2 * links - (n - 1)));
  assert_true(ripstop_run_result_value(&result, "control.safe-table") >= n - 1);
  ripstop_network_free(network);
  stand_close(&run_setup);
  ripstop_run_result_free(&result);
  scene_close(s);
}

static void nothing_settles_without_a_change(void **state) {
  (void)state;
  scene *s = scene_open("torus:4x4", "immunet", "load=0.1");
  ripstop_run_result result = scene_run(s);
  assert_true(ripstop_run_result_value(&result, "control.messages") == 0);
  assert_true(isnan(ripstop_run_result_value(&result, "control.settling")));
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_and_settling),
                                     cmocka_unit_test(nothing_settles_without_a_change)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
