/* test_look.c - the arrays that the lab's page draws, against the simulation and the fabric themselves: every packet on
 * a link is there, parts that are down, slow, full or stuck are shown, and no two nodes are drawn on one place. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/digits.h"
#include "lab/scene.h"
#include "ripstop/plugin/family.h"

static void must_open(const char *settings) {
  if (lab_open(settings)) fail_msg("%s: %s", settings, lab_text());
}

static uint8_t byte_of(lab_array_kind kind, uint32_t at) { return ((const uint8_t *)lab_array(kind))[at]; }
static float real_of(lab_array_kind kind, uint32_t at) { return ((const float *)lab_array(kind))[at]; }

/* Counts the ports that send. */
static uint32_t check_moving(void) {
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
  return seen;
}

/* A port that sends and nothing else does; how much of it is gone grows by its step from cycle to cycle. */
static void moving_is_what_links_send(void **state) {
  (void)state;
  must_open("fabric=kary-ntree:k=4,n=2\nmethod=misroute\nload=0.5\nmeasure.warmup=0\nmeasure.cycles=1000");
  for (int cycle = 300; cycle <= 360; cycle += 20) { /* nothing of the arrays before is left */
    lab_run(cycle);
    lab_look();
    assert_true(check_moving() > 10);
  }
}

/* The flits in the arrays are those since the previous call. */
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

/* No packet on a shortest route is called a detour; around a failed link some are; messages spread later. */
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
  assert_true(young >= 9); /* so many switches have new candidates (README.md) */

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

static void states_are_reported(void **state) {
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

static void deadlocks_are_reported(void **state) {
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

/* An interface is full when a packet of any class waits there. Acknowledgements are of a class of their own. */
static void interfaces_show_all_classes(void **state) {
  (void)state;
  must_open("fabric=kary-ntree:k=4,n=2\nmethod=updown\nworkload=alltoall:bytes=4096\nworkload.transport=selective\n"
            "workload.packet=64");
  uint32_t others = 0;
  for (int cycle = 50; cycle < 4000; cycle += 50) {
    lab_run(cycle);
    lab_look();
    for (uint32_t port = 0; port < lab_ends(); port++) {
      bool waits = false, first = false;
      for (uint32_t c = 0; c < RIPSTOP_CLASSES_MAX; c++) {
        ripstop_packet_look p;
        bool here = ripstop_simulate_packets(lab.simulation, RIPSTOP_SIDE_IN, port, c, &p, 1) && !p.leaving;
        first |= here && c == 0;
        waits |= here;
      }
      assert_int_equal(real_of(LAB_FILL, port), waits);
      others += waits && !first;
    }
  }
  assert_true(others > 0);
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

typedef struct picture {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  float *place, *bend;
  double width;
} picture;

static picture open_picture(const char *spec) {
  picture p = {.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open(spec, NULL)};
  assert_non_null(p.fabric);
  p.place = ripstop_arena_array(p.arena, p.fabric->nodes, 2 * sizeof *p.place);
  p.bend = ripstop_arena_array(p.arena, p.fabric->links, sizeof *p.bend);
  p.width = lab_layout(p.fabric, p.place, p.bend);
  return p;
}

static void close_picture(picture *p) {
  ripstop_fabric_free(p->fabric);
  ripstop_arena_free(p->arena);
}

static void must_stand(const picture *p, uint32_t node, double x, double y) {
  if (hypot(p->place[2 * node] - x, p->place[2 * node + 1] - y) > 1e-5)
    fail_msg("%s: node %u at %g %g, not %g %g", p->fabric->spec, node, p->place[2 * node], p->place[2 * node + 1], x,
             y);
}

static void a_scene_has_its_drawing(void **state) {
  (void)state;
  must_open("fabric=hyperx:3x3,k=2\nmethod=minimal\nload=0.1");
  picture p = open_picture("hyperx:3x3,k=2");
  assert_true(lab_width() == p.width);
  assert_memory_equal(lab_array(LAB_PLACE), p.place, 2 * p.fabric->nodes * sizeof *p.place);
  assert_memory_equal(lab_array(LAB_BEND), p.bend, p.fabric->links * sizeof *p.bend);
  close_picture(&p);
}

/* Levels below each other, each in equal steps that fill the width alike. */
static void trees_stand_in_levels(void **state) {
  (void)state;
  picture p = open_picture("kary-ntree:k=4,n=2");
  const uint32_t ends = p.fabric->ends;
  const double width = p.width * 16 / 15; /* the outermost end nodes stand half a step inside */
  for (uint32_t v = 0; v < p.fabric->nodes; v++) {
    const uint32_t count = v < ends ? 16 : 4, i = v < ends ? v : (v - ends) % 4;
    const double y = p.place[2 * v + 1];
    must_stand(&p, v, width * ((i + 0.5) / count - 0.5 / 16), v < ends ? 1 : y);
    assert_true(v < ends || fabs(y) < 1e-5 || fabs(y - 0.5) < 1e-5);
  }
  close_picture(&p);
}

/* The switch of a line stands 0.9 steps behind the line's last router; that of a line from sheet to sheet beside it
 * too. */
static void lines_end_at_their_switches(void **state) {
  (void)state;
  static const double behind[3][2] = {{0.9, 0}, {0, 0.9}, {0.9, -0.4}};
  picture p = open_picture("kns:k=3,n=3");
  const uint32_t first = p.fabric->ends, routers = 27;
  double step = 0; /* distance in the first coordinate */
  uint32_t lines = 0;
  for (uint32_t r = first; r < first + routers; r++) {
    const uint16_t *at = ripstop_coords(p.fabric, r);
    if (at[0] == 1 && at[1] == 0 && at[2] == 0) step = p.place[2 * r] - p.place[2 * first];
  }
  for (uint32_t v = first + routers; v < p.fabric->nodes; v++, lines++) {
    double x = -1, y = -1;
    const uint16_t dim = ripstop_coords(p.fabric, v)[3];
    for (uint32_t port = p.fabric->port_base[v]; port < p.fabric->port_base[v + 1]; port++) {
      const uint32_t r = p.fabric->port_node[p.fabric->peer[port]];
      x = fmax(x, p.place[2 * r]), y = fmax(y, p.place[2 * r + 1]);
    }
    must_stand(&p, v, x + step * behind[dim][0], y + step * behind[dim][1]);
  }
  assert_int_equal(lines, 27);
  close_picture(&p);
}

/* The first coordinate to the right, the second down, in equal steps; and the picture is no larger than what is in it:
 * end nodes stand 0.3 steps to the right of and below their switches. */
static void grids_stand_in_steps(void **state) {
  (void)state;
  picture p = open_picture("mesh:4x4,p=1");
  const double step = 1 / 3.3;
  assert_true(fabs(p.width - 1) < 1e-5);
  for (uint32_t i = 0; i < 16; i++) {
    const uint16_t *at = ripstop_coords(p.fabric, p.fabric->ends + i);
    must_stand(&p, p.fabric->ends + i, at[0] * step, at[1] * step);
    must_stand(&p, i, (at[0] + 0.3) * step, (at[1] + 0.3) * step);
  }
  close_picture(&p);
}

/* From the top on, clockwise; end nodes outward in a fan of less than two radians. */
static void rings_begin_at_the_top(void **state) {
  (void)state;
  picture p = open_picture("polarfly:q=3,p=8");
  const uint32_t ends = p.fabric->ends, count = p.fabric->nodes - ends;
  double x = 0, y = 0;
  for (uint32_t v = ends; v < p.fabric->nodes; v++) x += p.place[2 * v] / count, y += p.place[2 * v + 1] / count;
  const double radius = y - p.place[2 * ends + 1];
  assert_true(radius > 0.3);
  for (uint32_t i = 0; i < count; i++) {
    const double turn = 2 * M_PI * i / count;
    must_stand(&p, ends + i, x + radius * sin(turn), y - radius * cos(turn));
  }
  for (uint32_t e = 0; e < ends; e++) {
    const uint32_t v = ripstop_end_switch(p.fabric, e), i = v - ends;
    const double dx = p.place[2 * e] - p.place[2 * v], dy = p.place[2 * e + 1] - p.place[2 * v + 1];
    const double turn = 2 * M_PI * i / count, outward = (dx * sin(turn) - dy * cos(turn)) / hypot(dx, dy);
    assert_true(outward > cos(1));
  }
  close_picture(&p);
}

static void cables_side_by_side_are_apart(void **state) {
  (void)state;
  picture p = open_picture("hyperx:3x3,k=2");
  const ripstop_fabric *f = p.fabric;
  uint32_t pairs = 0;
  for (uint32_t a = f->link_ends; a < f->links; a++)
    for (uint32_t b = a + 1; b < f->links; b++) {
      if (ripstop_link_node(f, a, 0) != ripstop_link_node(f, b, 0)) continue;
      if (ripstop_link_node(f, a, 1) != ripstop_link_node(f, b, 1)) continue;
      assert_true(fabs(p.bend[a] - p.bend[b]) > 0.05);
      pairs++;
    }
  assert_int_equal(pairs, 18);
  close_picture(&p);
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
      cmocka_unit_test_teardown(states_are_reported, close_it),
      cmocka_unit_test_teardown(deadlocks_are_reported, close_it),
      cmocka_unit_test_teardown(series_add_up, close_it),
      cmocka_unit_test_teardown(interfaces_show_all_classes, close_it),
      cmocka_unit_test_teardown(every_family_is_drawn, close_it),
      cmocka_unit_test(trees_stand_in_levels),
      cmocka_unit_test(lines_end_at_their_switches),
      cmocka_unit_test_teardown(a_scene_has_its_drawing, close_it),
      cmocka_unit_test(grids_stand_in_steps),
      cmocka_unit_test(rings_begin_at_the_top),
      cmocka_unit_test(cables_side_by_side_are_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
