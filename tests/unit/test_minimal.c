/* test_minimal.c - the method `minimal` on the fabrics of today: exact channel loads, channels, and tolerated faults.
 * The numbers are known beforehand: fractions of channel loads with equal use of every candidate at every hop, and mean
 * links between switches, computed from the definitions of the fabrics by programs that know nothing of this one.
 * Throughput cannot exceed one over the load. */
#include "conformance/trial.h"
#include "loads.h"
#include "opened.h"
#include "scene.h"

#define DRAGONFLY "dragonfly:a=4,p=2,h=2,g=9"

static void uniform_traffic_loads_channels_as_counted(void **state) {
  (void)state;
  assert_loads(DRAGONFLY, "minimal", "uniform", 71, 94.0 / 71, 164.0 / 71);
  assert_loads("dragonfly:a=4,p=2,h=2,g=5", "minimal", "uniform", 39, 29.0 / 26, 74.0 / 39);
  assert_loads("dragonfly+:leaves=2,spines=2,h=2,g=5,p=2", "minimal", "uniform", 19, 18.0 / 19, 52.0 / 19);
  assert_loads("hyperx:4x4,p=4", "minimal", "uniform", 63, 64.0 / 63, 32.0 / 21);
  assert_loads("mesh:3x4x2,p=2", "minimal", "uniform", 47, 112.0 / 47, 380.0 / 141);
  assert_loads("mesh:3x4x2,p=2", "minimal:paths=ordered", "uniform", 47, 96.0 / 47, 380.0 / 141);
  assert_loads("xgft:m=4.4,w=1.2", "minimal", "uniform", 15, 8.0 / 5, 8.0 / 5);
  assert_loads("polarfly:3,p=2", "minimal", "uniform", 25, 24.0 / 25, 528.0 / 325);
  assert_loads("slimfly:5,p=4", "minimal", "uniform", 199, 208.0 / 199, 364.0 / 199);
  assert_loads("slimfly:5,p=4", "minimal:rise=early", "uniform", 199, 208.0 / 199, 364.0 / 199);
}

static void the_worst_traffic_loads_them_as_much_as_it_can(void **state) {
  (void)state;
  assert_loads(DRAGONFLY, "minimal", "group-shift", 8, 47.0 / 12, 19.0 / 8);
  assert_loads("dragonfly:a=4,p=2,h=2,g=5", "minimal", "group-shift", 8, 23.0 / 8, 17.0 / 8);
  assert_loads("dragonfly+:leaves=2,spines=2,h=2,g=5,p=2", "minimal", "group-shift", 4, 4, 3);
  assert_loads("hyperx:4x4,p=4", "minimal", "tornado", 1, 4, 2);
  assert_loads("hyperx:4x4,p=4", "minimal", "reverse", 1, 4, 2);
  assert_loads("mesh:3x4x2,p=2", "minimal", "tornado", 1, 5.0 / 2, 17.0 / 6);
  assert_loads("mesh:3x4x2,p=2", "minimal:paths=ordered", "tornado", 1, 2, 17.0 / 6);
  assert_loads("mesh:3x4x2,p=2", "minimal", "reverse", 1, 6, 13.0 / 3);
  assert_loads("xgft:m=4.4,w=1.2", "minimal", "reverse", 1, 2, 2);
  assert_loads("polarfly:3,p=2", "minimal", "reverse", 1, 4, 22.0 / 13);
  assert_loads("slimfly:5,p=4", "minimal", "reverse", 1, 8, 9.0 / 5); /* 2p: no permutation is worse */
}

/* Channels without faults by the order that each fabric permits, against what is known: one on trees and on Dragonfly+
 * (up, across, down), dimension order with one on meshes and HyperX, two on dragonflies whose routes are local, global,
 * local; channel = hop if every candidate is permitted. */
static void channels_follow_from_the_order(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
    uint32_t channels, hops; /* longest route, end links included */
  } known[] = {{"kary-ntree:k=2,n=3", "minimal", 1, 6},
               {"xgft:m=2.3.2,w=1.2.2", "minimal", 1, 6},
               {"rail:units=2,servers=4,rails=4,spines=4,k=1,nvswitch=0", "minimal", 1, 4},
               {"dragonfly+:leaves=2,spines=2,h=2,g=5,p=2", "minimal", 1, 5},
               {"dragonfly:a=4,p=2,h=2,g=9", "minimal", 3, 5},
               {"dragonfly:a=4,p=2,h=2,g=9", "minimal:paths=ordered", 2, 5},
               {"hyperx:3x3", "minimal", 2, 4},
               {"hyperx:3x3", "minimal:paths=ordered", 1, 4},
               {"hyperx:2x2x2", "minimal", 3, 5},
               {"mesh:3x3", "minimal:paths=ordered", 1, 6},
               {"torus:4x4", "minimal:paths=ordered", 1, 6}, /* two links round never need the one that closes */
               {"torus:5x5", "minimal:paths=ordered", 2, 6},
               {"slimfly:5", "minimal", 2, 4},
               {"polarfly:3", "minimal", 2, 4}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    trial *t = trial_open(known[i].fabric, known[i].method, "");
    if (!t->proved) fail_msg("%s: %s", known[i].fabric, t->err.text);
    assert_true(t->proof.tolerated && t->proof.deadlock_free && t->proof.livelock_free);
    if (t->plan->channels != known[i].channels || t->proof.max_hops != known[i].hops)
      fail_msg("%s, %s: %u channels, %u hops", known[i].fabric, known[i].method, t->plan->channels, t->proof.max_hops);
    trial_close(t);
  }
}

/* A detour around a fault may be longer than the channels last; spare ones let it rise. */
static void spare_channels_lead_round_faults(void **state) {
  (void)state;
  static const char *const links[] = {"0.1--0.2", "1.2--2.2"};
  for (size_t i = 0; i < 2; i++) {
    trial *scarce = trial_open("hyperx:3x3", "minimal:paths=ordered", links[i]),
          *enough = trial_open("hyperx:3x3", "minimal:paths=ordered,spare=1", links[i]),
          *every = trial_open("hyperx:3x3", "minimal", links[i]);
    assert_true(!scarce->proof.tolerated && strstr(scarce->proof.never_walk, "no channel is left"));
    assert_true(scarce->proof.deadlock_free && enough->proof.tolerated && every->proof.tolerated);
    trial_close(scarce), trial_close(enough), trial_close(every);
  }
}

/* One short simulation at full load with only one set of channels that leads on: throughput is near the bound, and
 * exceeds it only by packets that were in transit. */
static void saturation_is_below_the_bound(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *options;
    double bound;
  } known[] = {{"dragonfly+:leaves=2,spines=2,h=2,g=5,p=2", "pattern=group-shift", 1.0 / 4},
               {"hyperx:4x4,p=4", "pattern=tornado", 1.0 / 4},
               {"xgft:m=4.4,w=1.2", "pattern=reverse", 1.0 / 2}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    scene *s = scene_open(known[i].fabric, "minimal", "load=1 in_queue=8 warmup=1000 cycles=3000");
    scene_set(s, known[i].options);
    ripstop_run_result r = scene_run(s);
    double accepted = ripstop_run_result_value(&r, "accepted");
    if (accepted > known[i].bound * 1.01 || accepted < known[i].bound * 0.85)
      fail_msg("%s: %g of %g", known[i].fabric, accepted, known[i].bound);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* Tables have rows for switches, not for end nodes: 65,536 at 128 leaves of 512 and 64 cables, and 64 spines. */
static void many_end_nodes_are_few_rows(void **state) {
  (void)state;
  static const char *const methods[] = {"minimal", "shortest-table", "valiant"};
  ripstop_fabric *f = open_fabric("rail:units=16,servers=512,rails=8,spines=64,nvswitch=0");
  assert_int_equal(f->ends, 65536);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    stand run_setup = stand_on(f, methods[i], NULL);
    ripstop_candidate candidate[255];
    ripstop_head head = {.node = ripstop_end_switch(f, 0), .in_port = 0, .destination = f->ends - 1};
    assert_int_equal(run_setup.plan->candidates_max, 128);
    if (i < 2) assert_int_equal(ripstop_route(run_setup.plan, &head, candidate), 64); /* every spine */
    stand_close(&run_setup);
  }
  ripstop_fabric_free(f);
}

/* The message names ordered routes if they need few channels, and not if they need as many. */
static void ordered_candidates_are_named(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method, *message;
  } known[] = {
      {"mesh:20x20", "minimal",
       "minimal: mesh:20x20,p=1 needs 20 virtual channels for every shortest path; at most 16 are possible, and "
       "minimal:paths=ordered needs 1"},
      {"mesh:20x20", "valiant:paths=all,spare=2",
       "valiant: mesh:20x20,p=1 needs 42 virtual channels for every shortest path; at most 16 are possible, and "
       "valiant:paths=ordered needs 4"},
      {"torus:8x8", "minimal:paths=ordered,spare=15",
       "minimal: torus:8x8 needs 17 virtual channels; at most 16 are possible"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ripstop_error err = {0};
    ripstop_answer answer;
    ripstop_fabric *f = open_fabric(known[i].fabric);
    ripstop_view *view = ripstop_view_new(f, NULL);
    assert_null(ripstop_plan_compile(view, known[i].method, &answer, &err));
    assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
    assert_string_equal(err.text, known[i].message);
    ripstop_view_free(view);
    ripstop_fabric_free(f);
  }
}

/* The only candidate's channel of a packet that came by a port, on channel 0; RIPSTOP_NONE: several candidates. */
static uint32_t channel_from(const ripstop_plan *plan, uint32_t port, uint32_t destination) {
  ripstop_candidate candidate[64];
  const uint32_t node = plan->fabric->port_node[port];
  const ripstop_head head = {.node = node,
                             .in_port = port - plan->fabric->port_base[node],
                             .source = destination ? 0 : 1,
                             .destination = destination};
  return ripstop_route(plan, &head, candidate) == 1 ? candidate[0].channel : RIPSTOP_NONE;
}

/* On a fabric of two links at most, with two channels, each hop has its own: a packet that came by a cable and has one
 * more to take is on channel 1. Late, some of them stay on channel 0. */
static uint32_t second_hops_on_channel(const char *method, uint32_t channel) {
  ripstop_error err;
  ripstop_fabric *f = open_fabric("slimfly:5,p=1");
  ripstop_view *view = ripstop_view_new(f, NULL);
  ripstop_plan *plan = ripstop_plan_open(view, method, NULL, &err);
  uint32_t count = 0;
  if (!plan) fail_msg("%s", err.text);
  assert_int_equal(plan->channels, 2);
  for (uint32_t port = f->ends; port < f->ports; port++) {
    if (ripstop_is_end(f, f->port_node[f->peer[port]])) continue;
    for (uint32_t next = f->port_base[f->port_node[port]]; next < f->port_base[f->port_node[port] + 1]; next++) {
      const uint32_t to = f->port_node[f->peer[next]];
      if (ripstop_is_end(f, to) || next == port) continue;
      for (uint32_t end = 0; end < f->ends; end++)
        if (ripstop_end_switch(f, end) == to) count += channel_from(plan, port, end) == channel;
    }
  }
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_fabric_free(f);
  return count;
}

/* 350 directed cables, behind each of which 6 others lead on. With FIFO queues of 8 packets a separate program, which
 * is no part of this project, accepts .601 on the channels of hops. */
static void early_rises_give_each_hop_a_channel(void **state) {
  (void)state;
  assert_int_equal(second_hops_on_channel("minimal:rise=early", 1), 350 * 6);
  assert_int_equal(second_hops_on_channel("minimal:rise=early", 0), 0);
  assert_true(second_hops_on_channel("minimal", 0) > 350);
  scene *s = scene_open("slimfly:5,p=4", "minimal:rise=early",
                        "load=1 packet=4 in_queue=8 pipeline=1 warmup=2000 cycles=3000");
  ripstop_run_result result = scene_run(s);
  assert_true(fabs(ripstop_run_result_value(&result, "accepted") - 0.601) < 0.015);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(uniform_traffic_loads_channels_as_counted),
                                     cmocka_unit_test(many_end_nodes_are_few_rows),
                                     cmocka_unit_test(ordered_candidates_are_named),
                                     cmocka_unit_test(the_worst_traffic_loads_them_as_much_as_it_can),
                                     cmocka_unit_test(channels_follow_from_the_order),
                                     cmocka_unit_test(spare_channels_lead_round_faults),
                                     cmocka_unit_test(saturation_is_below_the_bound),
                                     cmocka_unit_test(early_rises_give_each_hop_a_channel)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
