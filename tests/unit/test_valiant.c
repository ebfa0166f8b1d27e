/* test_valiant.c - the methods `valiant` and `ugal` against what follows from counting links.
 *
 * A ring of 9 switches, tornado traffic (every end node sends to the one 4 further up). Shortest routes use the links
 * upwards alone, 4 for each packet: no more than 1/4 flit a node and cycle gets through. Via a random one of all 9
 * switches a packet takes 2 x 20/9 links on average, half of them downwards: up to 9/20 gets through, and the same for
 * any traffic. */
#include <math.h>

#include "conformance/trial.h"
#include "loads.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

#define RING     "torus:9"
#define MINIMAL  "dor:dateline=on"
#define MOST     0.25
#define MOST_VAL 0.45
static const double mean_links = 40.0 / 9;

typedef struct figures {
  double accepted, half, hops;
  ripstop_verdict verdict;
} figures;

static figures run(const char *method, const char *options) {
  scene *s = scene_open(RING, method, "selection=weighted in_queue=8 warmup=2000 cycles=20000");
  scene_set(s, options);
  ripstop_run_result r = scene_run(s);
  figures f = {.accepted = ripstop_run_result_value(&r, "accepted"),
               .hops = ripstop_run_result_value(&r, "hops.mean"),
               .verdict = r.verdict};
  for (size_t i = 0; i < r.values; i++)
    if (!strcmp(r.value[i].name, "accepted")) f.half = r.value[i].half;
  assert_true(r.account.lost == 0);
  ripstop_run_result_free(&r);
  scene_close(s);
  return f;
}

static void assert_carries(const figures *f, double load) {
  assert_string_equal(ripstop_verdict_words[f->verdict], "steady");
  if (fabs(f->accepted - load) > 2 * f->half) fail_msg("%g of %g", f->accepted, load);
}

/* Load 0.3 is more than shortest routes can carry, and less than detours can. */
static void tornado_wants_detours(void **state) {
  (void)state;
  figures minimal = run(MINIMAL, "pattern=tornado load=0.3"), valiant = run("valiant", "pattern=tornado load=0.3"),
          ugal = run("ugal", "pattern=tornado load=0.3"), most = run("valiant", "pattern=tornado load=1");
  assert_string_equal(ripstop_verdict_words[minimal.verdict], "saturated");
  assert_true(minimal.accepted <= MOST && minimal.hops == 4);
  assert_carries(&valiant, 0.3);
  assert_carries(&ugal, 0.3);
  assert_true(most.accepted <= MOST_VAL);
}

/* Whatever the traffic: the random switch is as likely any of the nine. Four standard deviations of a mean of some
 * thousand packets are less than 0.15. */
static void a_detour_takes_forty_ninths(void **state) {
  (void)state;
  figures tornado = run("valiant", "pattern=tornado load=0.1"), uniform = run("valiant", "pattern=uniform load=0.1"),
          minimal = run(MINIMAL, "pattern=uniform load=0.1");
  assert_true(fabs(tornado.hops - mean_links) < 0.15);
  assert_true(fabs(uniform.hops - mean_links) < 0.15);
  assert_true(fabs(minimal.hops - 2.5) < 0.15); /* 20/9 over all pairs, 20/8 over those that differ */
}

/* Largest channel loads and mean links with equal use of each candidate and each random switch, known beforehand
 * (test_minimal.c): whatever the traffic, twice that of uniform traffic with packets to oneself. */
static void loads_are_those_of_uniform_traffic_twice(void **state) {
  (void)state;
  assert_loads("hyperx:4x4,p=4", "valiant", "uniform", 63, 2, 3);
  assert_loads("hyperx:4x4,p=4", "valiant", "tornado", 1, 2, 3);
  assert_loads("hyperx:4x4,p=4", "valiant:paths=all", "reverse", 1, 2, 3);
  assert_loads("mesh:3x4x2,p=2", "valiant", "tornado", 1, 4, 95.0 / 18);
  assert_loads("mesh:3x4x2,p=2", "valiant:paths=all", "tornado", 1, 14.0 / 3, 95.0 / 18);
  assert_loads("dragonfly:a=4,p=2,h=2,g=9", "valiant:paths=all", "group-shift", 8, 47.0 / 18, 41.0 / 9);
  assert_loads("dragonfly+:leaves=2,spines=2,h=2,g=5,p=2", "valiant", "group-shift", 4, 9.0 / 5, 26.0 / 5);
  assert_loads("polarfly:3,p=2", "valiant", "reverse", 1, 24.0 / 13, 528.0 / 169);
  assert_loads("slimfly:5,p=4", "valiant:paths=all", "reverse", 1, 52.0 / 25, 91.0 / 25);
}

/* In an empty network packets take the shorter route, and uniform traffic is carried as far as shortest routes can. */
static void ugal_goes_straight_where_it_can(void **state) {
  (void)state;
  figures still = run("ugal", "pattern=tornado load=0.005"), uniform = run("ugal", "pattern=uniform load=0.4"),
          valiant = run("valiant", "pattern=uniform load=0.4"),
          blind = run("ugal", "pattern=tornado load=0.005 selection=random");
  assert_true(still.hops < 4.02);
  assert_true(blind.hops > 4.1); /* no packet compares queues */
  assert_carries(&uniform, 0.4);
  assert_true(uniform.hops < 3.5);
  assert_string_equal(ripstop_verdict_words[valiant.verdict], "saturated");
}

/* Links between switches, at most. */
static uint32_t diameter(const ripstop_fabric *f) {
  uint32_t *distance = ripstop_realloc(NULL, f->nodes, sizeof *distance), most = 0;
  for (uint32_t end = 0; end < f->ends; end++) {
    ripstop_fabric_distances(f, end, distance);
    for (uint32_t to = 0; to < f->ends; to++)
      if (to != end && distance[to] - 2 > most) most = distance[to] - 2;
  }
  ripstop_free(distance);
  return most;
}

/* Every random switch and every choice: delivered, without deadlock, over at most twice the diameter; and some random
 * switch makes a detour of some length from every end node. */
static void at_most_twice_the_diameter(void **state) {
  (void)state;
  static const char *const fabrics[] = {"torus:9",
                                        "torus:8",
                                        "torus:4x4",
                                        "torus:5x3",
                                        "torus:3x3x3",
                                        "kary-ntree:k=2,n=3",
                                        "mport-ntree:m=4,n=3",
                                        "kns:k=3,n=2",
                                        "kns:k=4,n=2,s=2"};
  static const char *const methods[] = {"valiant", "ugal"};
  for (size_t i = 0; i < 2 * sizeof fabrics / sizeof *fabrics; i++) {
    trial *t = trial_open(fabrics[i / 2], methods[i % 2], "");
    if (!t->proved) fail_msg("%s: %s", fabrics[i / 2], t->err.text);
    assert_true(t->proof.tolerated && t->proof.deadlock_free && t->proof.livelock_free);
    uint32_t most = diameter(t->fabric);
    if (t->proof.max_hops > 2 * most + 2) fail_msg("%s: %u links of %u", fabrics[i / 2], t->proof.max_hops, most);
    assert_true(t->proof.max_hops > most + 2);
    trial_close(t);
  }
}

/* The weight of a way is what is left of it: it falls by one with every hop, and is 1 before the last switch. */
static void weights_count_down(void **state) {
  (void)state;
  static const char *const methods[] = {"valiant", "ugal"};
  for (int m = 0; m < 2; m++) {
    ripstop_error err;
    ripstop_fabric *f = ripstop_fabric_open("torus:5x5", &err);
    stand run_setup = stand_on(f, methods[m], NULL);
    const ripstop_plan *plan = run_setup.plan;
    ripstop_candidate *candidate = ripstop_realloc(NULL, plan->candidates_max, sizeof *candidate);
    for (uint64_t draw = 0; draw < plan->random_headers; draw++) {
      ripstop_head head = {.node = 0, .in_port = RIPSTOP_NONE, .source = 0, .destination = f->ends - 1, .header = draw};
      uint32_t weight = 0;
      while (head.node != head.destination) {
        int candidates = ripstop_route(plan, &head, candidate);
        assert_true(candidates > 0);
        const ripstop_candidate *on = &candidate[candidates - 1]; /* for ugal the detour, where there is one */
        uint32_t peer = f->peer[f->port_base[head.node] + on->port];
        if (weight) assert_int_equal(on->weight, weight - 1);
        weight = on->weight;
        head.node = f->port_node[peer];
        head.in_port = peer - f->port_base[head.node];
        head.channel = on->channel;
        head.header = on->header;
      }
      assert_int_equal(weight, 0); /* into the end node */
    }
    ripstop_free(candidate);
    stand_close(&run_setup);
    ripstop_fabric_free(f);
  }
}

/* A random switch that is down or cut off is no candidate: the packet takes a minimal route. */
static void failed_switches_are_left_out(void **state) {
  (void)state;
  trial *t = trial_open("torus:5x5", "valiant:spare=4", "switch:2.2");
  assert_true(t->proved && t->proof.deadlock_free);
  assert_int_equal(t->proof.lost_pairs_some_choice, t->proof.disconnected_pairs);
  assert_int_equal(t->proof.disconnected_pairs, 2 * 24);
  trial_close(t);
}

/* More channels than there are is an answer; a spare one lets packets rise where a fault makes them. */
static void channels(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_answer answer;
  ripstop_fabric *f = ripstop_fabric_open("torus:4x4", &err);
  ripstop_view *view = ripstop_view_new(f, NULL);
  assert_null(ripstop_plan_compile(view, "valiant:spare=15", &answer, &err));
  assert_int_equal(answer, RIPSTOP_DOES_NOT_APPLY);
  assert_string_equal(err.text, "valiant: torus:4x4 needs 17 virtual channels; at most 16 are possible");
  ripstop_view_free(view);
  ripstop_fabric_free(f);
  trial *scarce = trial_open("mesh:2x3", "valiant", "0.0--1.0 0.1--0.2"),
        *enough = trial_open("mesh:2x3", "valiant:spare=2", "0.0--1.0 0.1--0.2");
  assert_true(!scarce->proof.tolerated && strstr(scarce->proof.never_walk, "no channel is left"));
  assert_true(enough->proof.tolerated && enough->proof.deadlock_free);
  assert_int_equal(enough->plan->channels, scarce->plan->channels + 2);
  trial_close(scarce);
  trial_close(enough);
}

/* A random switch that does not lead to the destination with the available channels is replaced, so a packet is
 * delivered if any switch delivers it. On these fabrics every packet is, whichever link is down. */
static void a_draw_that_cannot_serve_is_replaced(void **state) {
  (void)state;
  static const char *const fabrics[] = {
      "torus:4x4", "torus:5",          "mesh:3x3", "hyperx:3x3,p=1", "dragonfly:a=3,p=1,h=1,g=4",
      "slimfly:3", "jellyfish:n=8,r=4"};
  static const char *const methods[] = {"valiant", "ugal", "valiant:paths=ordered", "valiant:paths=all"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++)
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      trial *whole = trial_open(fabrics[i], methods[m], "");
      for (uint32_t link = whole->fabric->link_ends; link < whole->fabric->links; link++) {
        trial *t = trial_new(fabrics[i], methods[m]);
        t->faults = (ripstop_faults){.link = &link, .links = 1};
        trial_prove(t);
        if (!t->proof.tolerated || !t->proof.deadlock_free)
          fail_msg("%s, %s without link %u: %s", fabrics[i], methods[m], link, t->proof.lost_walk);
        trial_close(t);
      }
      trial_close(whole);
    }
}

/* With more failed links a lost packet is lost over every random switch. */
static void what_is_lost_is_lost_by_every_draw(void **state) {
  (void)state;
  static const char *const methods[] = {"valiant", "ugal", "valiant:paths=all"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (uint64_t index = 0; index < 40; index++) {
      trial *t = trial_sample("mesh:3x3", methods[m], 2 + index % 3, index);
      assert_int_equal(t->proof.lost_pairs_some_choice, t->proof.lost_pairs_every_choice);
      assert_true(t->proof.deadlock_free);
      trial_close(t);
    }
}

/* Dimension order where more than one channel is at stake, as VAL has it on tori; every shortest path elsewhere. */
static void channels_of(const char *fabric, const char *method, uint32_t channels) {
  trial *t = trial_open(fabric, method, "");
  if (t->plan->channels != channels)
    fail_msg("%s, %s: %u channels, not %u", fabric, method, t->plan->channels, channels);
  trial_close(t);
}

static void paths_are_those_of_the_literature(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    const char *const method = i ? "ugal" : "valiant";
    channels_of("torus:8x8", method, 4);
    channels_of("mesh:4x4", method, 2);
    channels_of("hyperx:4x4,p=2", method, 2);
    channels_of("dragonfly:a=4,p=2,h=2", method, 5);
    channels_of("jellyfish:n=20,r=4,p=1", method, 4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tornado_wants_detours),
                                     cmocka_unit_test(a_detour_takes_forty_ninths),
                                     cmocka_unit_test(loads_are_those_of_uniform_traffic_twice),
                                     cmocka_unit_test(ugal_goes_straight_where_it_can),
                                     cmocka_unit_test(at_most_twice_the_diameter),
                                     cmocka_unit_test(weights_count_down),
                                     cmocka_unit_test(failed_switches_are_left_out),
                                     cmocka_unit_test(channels),
                                     cmocka_unit_test(a_draw_that_cannot_serve_is_replaced),
                                     cmocka_unit_test(what_is_lost_is_lost_by_every_draw),
                                     cmocka_unit_test(paths_are_those_of_the_literature)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
