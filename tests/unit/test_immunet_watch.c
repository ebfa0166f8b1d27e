/* test_immunet_watch.c - what immunet promises is looked at in every run: with one thing wrong in it, a simulation and
 * a protocol run end with an error that names what and where. */
#include "ripstop/kit/protocol.h"
#include "scene.h"

#define QUICK ":emergency_cycles=10,ack_cycles=3,control_cycles=40,drain_cycles=200"

/* The error of a run beyond saturation; NULL: there was none. */
static const char *error_of(const char *fabric, const char *method, const char *schedule) {
  static ripstop_error err;
  ripstop_run_result result;
  scene *s = scene_open(fabric, method, "load=1 packet=4 in_queue=2 cycles=8000 check=10");
  scene_schedule(s, schedule);
  int status = scene_simulate(s, &result, &err);
  if (!status) ripstop_run_result_free(&result);
  scene_close(s);
  return status ? err.text : NULL;
}

static void assert_says(const char *error, const char *method, const char *what) {
  if (!error) fail_msg("%s: no check reports that it %s", method, what);
  if (!strstr(error, method) || !strstr(error, what)) fail_msg("%s: %s", method, error);
}

static void a_ring_without_its_bubble(void **state) {
  (void)state;
  assert_says(error_of("torus:16", "test-tight" QUICK ",inject=one", ""), "test-tight",
              "is on a ring that has lost its bubble");
  assert_null(error_of("torus:16", "immunet" QUICK ",inject=one", ""));
  assert_says(error_of("torus:4x4", "test-tight" QUICK ",changes=0", "0.0/0@10"), "test-tight",
              "is the root of a ring that has lost its bubble");
  assert_null(error_of("torus:4x4", "immunet" QUICK ",changes=0", "0.0/0@10"));
}

static void wrong_trees_and_tables(void **state) {
  (void)state;
  assert_says(error_of("torus:4x4", "test-deaf" QUICK, "1.1/0@3000"), "test-deaf", "router 0.0 has a wrong distance");
  assert_says(error_of("torus:4x4", "test-childless" QUICK, "0.0/0@3000"), "test-childless",
              "is no child of its parent");
}

static void packets_lost_on_the_candidate(void **state) {
  (void)state;
  assert_says(error_of("torus:4x4", "test-hasty" QUICK, ""), "test-hasty",
              "lost although a path to their destinations exists");
}

/* The same without packets. */
static void in_the_virtual_network(void **state) {
  (void)state;
  static const char *const methods[] = {"immunet", "test-deaf", "test-childless"};
  ripstop_error err;
  ripstop_fabric *fabric = ripstop_fabric_open("torus:4x4", &err);
  for (int i = 0; i < 3; i++) {
    ripstop_change change = {.cycle = 10, .id = fabric->link_ends};
    stand run_setup = stand_on(fabric, methods[i], NULL);
    ripstop_network *n = ripstop_network_open(
        run_setup.plan, &(ripstop_network_options){.schedule = &(ripstop_schedule){.change = &change, .count = 1}},
        &err);
    assert_non_null(n);
    int status = ripstop_network_run(n, RIPSTOP_NEVER, &err);
    assert_int_equal(status, i ? -1 : 1);
    if (i) assert_says(err.text, methods[i], "at cycle ");
    ripstop_network_free(n);
    stand_close(&run_setup);
  }
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_without_its_bubble), cmocka_unit_test(wrong_trees_and_tables),
      cmocka_unit_test(packets_lost_on_the_candidate), cmocka_unit_test(in_the_virtual_network)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
