/* test_look.c - the arrays that the lab's page draws, against the simulation and the fabric themselves: every packet on
 * a link is there, what is dead, slow, full or stuck is told, and no two nodes are drawn on one place. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/scene.h"
#include "ripstop/plugin/family.h"

static void must_open(const char *settings) {
  if (lab_open(settings)) fail_msg("%s: %s", settings, lab_text());
}

static uint8_t byte_of(lab_array_kind kind, uint32_t at) { return ((const uint8_t *)lab_array(kind))[at]; }
static float real_of(lab_array_kind kind, uint32_t at) { return ((const float *)lab_array(kind))[at]; }

/* A port that sends and nothing else does; how much of it is gone grows by its step from cycle to cycle. */
static void moving_is_what_links_send(void **state) {
  (void)state;
  must_open("fabric=kary-ntree:k=4,n=2\nmethod=misroute\nload=0.5\nmeasure.warmup=0\nmeasure.cycles=1000");
  lab_run(300);
  lab_look();
  uint32_t seen = 0;
  for (uint32_t port = 0; port < lab_ports(); port++) {
    ripstop_link_look link;
    assert_int_equal(ripstop_simulate_link(lab.simulation, port, &link), 0);
    assert_int_equal(byte_of(LAB_MOVING, port) != LAB_NOTHING, link.busy > 0);
    if (!link.busy) continue;
    float from = real_of(LAB_FROM, port), step = real_of(LAB_STEP, port);
    assert_true(from >= 0 && from < 1 && step > 0 && step <= 1);
    assert_true(from + step * (float)link.busy > 0.999f);
    assert_true(((const uint32_t *)lab_array(LAB_TARGET))[port] < lab_ends());
    seen++;
  }
  assert_true(seen > 10);
}

/* Flits that a look tells are those since the look before. */
static void flits_add_up(void **state) {
  (void)state;
  must_open("fabric=torus:4x4\nmethod=dor:bubble=on\nload=0.3\nmeasure.warmup=0\nmeasure.cycles=1000");
  double told = 0, sent = 0;
  for (int cycle = 100; cycle <= 500; cycle += 100) {
    lab_run(cycle);
    lab_look();
    for (uint32_t port = 0; port < lab_ports(); port++) told += real_of(LAB_FLITS, port);
  }
  for (uint32_t port = 0; port < lab_ports(); port++) {
    ripstop_link_look link;
    ripstop_simulate_link(lab.simulation, port, &link);
    sent += (double)link.flits;
  }
  assert_true(sent > 1000);
  assert_true(told == sent);
}

static uint32_t count_moving(lab_moving kind) {
  uint32_t count = 0;
  for (uint32_t port = 0; port < lab_ports(); port++) count += byte_of(LAB_MOVING, port) == kind;
  return count;
}

/* No packet of a shortest way is called a detour; round a dead link some are; messages spread in the cycles after. */
static void detours_and_messages(void **state) {
  (void)state;
  must_open("fabric=mport-ntree:m=4,n=3\nmethod=link-fault-messages\nload=0.3\nmeasure.warmup=0\nmeasure.cycles=2000");
  lab_run(400);
  lab_look();
  assert_true(count_moving(LAB_PACKET) > 5);
  assert_int_equal(count_moving(LAB_DETOUR) + count_moving(LAB_MESSAGE), 0);
  assert_int_equal(lab_change_link((uint32_t)lab_find_part("0/2.1/3"), LAB_BREAK), 0);
  uint32_t messages = 0, young = 0;
  for (int cycle = 401; cycle <= 440; cycle++) {
    lab_run(cycle);
    lab_look();
    messages += count_moving(LAB_MESSAGE);
    for (uint32_t node = lab_ends(); node < lab_nodes(); node++) young += real_of(LAB_AGE, node) <= 1;
  }
  assert_true(messages > 10);
  assert_true(young >= 9); /* so many switches have new ways (README.md) */

  must_open(
      "fabric=kary-ntree:k=4,n=2\nmethod=misroute\nload=0.4\nfaults=0/1/4\nmeasure.warmup=0\nmeasure.cycles=2000");
  uint32_t detours = 0;
  for (int cycle = 100; cycle <= 2000; cycle += 20) {
    lab_run(cycle);
    lab_look();
    detours += count_moving(LAB_DETOUR);
  }
  assert_true(detours > 0);
}

static void states_are_told(void **state) {
  (void)state;
  must_open("fabric=torus:4x4\nmethod=immunet\nload=0.3\nfaults=0.0/0\nmeasure.warmup=0\nmeasure.cycles=3000");
  uint32_t dead = (uint32_t)lab_find_part("0.0/0"), slow = (uint32_t)lab_find_part("1.1/0");
  uint32_t gone = (uint32_t)lab_find_part("switch:2.2") - lab_links();
  lab_run(100);
  assert_int_equal(lab_change_link(slow, LAB_SLOW), 0);
  assert_int_equal(lab_change_switch(gone, LAB_BREAK), 0);
  lab_run(101);
  lab_look();
  assert_int_equal(byte_of(LAB_LINK_STATE, dead), 1);
  assert_int_equal(byte_of(LAB_LINK_STATE, slow), 2);
  assert_int_equal(byte_of(LAB_NODE_STATE, gone), 1);
  uint32_t up = 0;
  for (uint32_t link = 0; link < lab_links(); link++) up += byte_of(LAB_LINK_STATE, link) == 0;
  assert_int_equal(up, lab_links() - 2);
}

static void deadlocks_are_told(void **state) {
  (void)state;
  must_open("fabric=torus:8x8\nmethod=dor\nload=0.8\nswitch.in_queue=1\nmeasure.warmup=0\nmeasure.cycles=9000");
  lab_run(9000);
  lab_look();
  assert_true(lab_deadlocked());
  uint32_t stuck = 0;
  for (uint32_t port = 0; port < lab_ports(); port++)
    if (byte_of(LAB_STUCK, port)) {
      stuck++;
      assert_true(real_of(LAB_FILL, lab.fabric->peer[port]) > 0);
    }
  assert_true(stuck > 3);
}

/* The time series is that of the packets: what windows delivered is all that was, and each node's fill is a share. */
static void series_add_up(void **state) {
  (void)state;
  must_open(
      "fabric=torus:4x4\nmethod=dor:bubble=on\nload=0.3\nmeasure.warmup=0\nmeasure.cycles=1000\nmeasure.window=100"
      "\ntraffic.packet=1");
  lab_run(1000);
  uint32_t points = lab_series();
  const double *series = lab_series_data();
  double flits = 0;
  for (uint32_t i = 0; i < points; i++) flits += series[LAB_SERIES * i + 1] * lab_series_window() * lab_ends();
  assert_int_equal(points, 10);
  assert_true(fabs(flits - lab_account(1)) < 1e-6 * flits);
  assert_true(lab_account(0) == lab_account(1) + lab_account(2) + lab_account(3) + lab_account(4));
  assert_true(isnan(lab_account(5)));
  lab_look();
  for (uint32_t port = 0; port < lab_ports(); port++)
    assert_true(real_of(LAB_FILL, port) >= 0 && real_of(LAB_FILL, port) <= 1);
}

/* ------------------------------------------------------------------ the drawing */

static void places_differ(const char *spec) {
  ripstop_error err = {0};
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &err);
  if (!fabric && strstr(err.text, "tests/data/")) return; /* the core reads no files */
  if (!fabric) fail_msg("%s: %s", spec, err.text);
  ripstop_arena *arena = ripstop_arena_new();
  float *place = ripstop_arena_array(arena, fabric->nodes, 2 * sizeof *place);
  float *bend = ripstop_arena_array(arena, fabric->links, sizeof *bend);
  double width = lab_layout(fabric, place, bend);
  for (uint32_t a = 0; a < fabric->nodes; a++) {
    if (place[2 * a] < -1e-4 || place[2 * a] > width + 1e-4 || place[2 * a + 1] < -1e-4 || place[2 * a + 1] > 1 + 1e-4)
      fail_msg("%s: node %u is drawn outside", spec, a);
    for (uint32_t b = a + 1; b < fabric->nodes; b++)
      if (hypot(place[2 * a] - place[2 * b], place[2 * a + 1] - place[2 * b + 1]) < 1e-4)
        fail_msg("%s: nodes %u and %u are drawn on one place", spec, a, b);
  }
  for (uint32_t i = 0; i < fabric->links; i++) assert_true(isfinite(bend[i]) && fabs(bend[i]) < 2);
  ripstop_arena_free(arena);
  ripstop_fabric_free(fabric);
}

static void every_family_is_drawn(void **state) {
  (void)state;
  for (const ripstop_family *const *f = ripstop_families; *f; f++) places_differ((*f)->example);
  static const char *const more[] = {"torus:8",          "torus:3x4x5",        "mesh:4x4",
                                     "hyperx:4x4x2,p=2", "kns:k=3,n=3",        "kns:k=2,n=4",
                                     "torus:2x2",        "kary-ntree:k=2,n=1", "xgft:m=4.4,w=1.2"};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) places_differ(more[i]);
}

static int close_it(void **state) {
  (void)state;
  lab_close();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(moving_is_what_links_send, close_it),
      cmocka_unit_test_teardown(flits_add_up, close_it),
      cmocka_unit_test_teardown(detours_and_messages, close_it),
      cmocka_unit_test_teardown(states_are_told, close_it),
      cmocka_unit_test_teardown(deadlocks_are_told, close_it),
      cmocka_unit_test_teardown(series_add_up, close_it),
      cmocka_unit_test_teardown(every_family_is_drawn, close_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
