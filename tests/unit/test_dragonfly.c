/* test_dragonfly.c - the methods `dragonfly-minimal`, `dragonfly-valiant`, `dragonfly-ugal`, `dragonfly-par` and
 * `ugal-global` against what is known of dragonflies: channel loads as fractions (described in test_minimal.c), bounds
 * of throughput, and the channels that a deadlock-free order of hops needs. */
#include "conformance/trial.h"
#include "loads.h"
#include "scene.h"

#define WHOLE "dragonfly:a=4,p=2,h=2,g=9" /* one cable between two groups */
#define FEW   "dragonfly:a=4,p=2,h=2,g=5" /* two */

/* With t cables between two groups the worst traffic loads them with a p / t. */
static void minimal_loads_are_known(void **state) {
  (void)state;
  assert_loads(WHOLE, "dragonfly-minimal", "uniform", 71, 68.0 / 71, 166.0 / 71);
  assert_loads(FEW, "dragonfly-minimal", "uniform", 39, 12.0 / 13, 86.0 / 39);
  assert_loads(WHOLE, "dragonfly-minimal", "group-shift", 8, 8, 5.0 / 2);
  assert_loads(FEW, "dragonfly-minimal", "group-shift", 8, 4, 5.0 / 2);
  for (int by = 2; by <= 4; by++) { /* whichever group it is */
    char pattern[32];
    snprintf(pattern, sizeof pattern, "group-shift:by=%d", by);
    assert_loads(WHOLE, "dragonfly-minimal", pattern, 8, 8, 5.0 / 2);
    assert_loads(FEW, "dragonfly-minimal", pattern, 8, 4, 5.0 / 2);
  }
  assert_loads(WHOLE, "dragonfly-minimal", "reverse", 1, 8, 7.0 / 3);
  assert_loads(FEW, "dragonfly-minimal", "reverse", 1, 4, 11.0 / 5);
}

/* Valiant's detours by groups spread any shift evenly over the global cables. But of a shift by h groups all that comes
 * to a group in between by one router leaves it by the next, over one local link, so that about 1 / (h + 1) gets
 * through: 7/24 here, of a shift by one 7/16, known beforehand for detours over the g - 2 other groups. */
static void valiant_by_groups_is_bound_by_h(void **state) {
  (void)state;
  static const struct {
    const char *pattern;
    double load;
  } known[] = {{"group-shift:by=2", 24.0 / 7}, {"group-shift:by=1", 16.0 / 7}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double load = loads_on(WHOLE, "dragonfly-valiant", known[i].pattern, 8).most;
    if (fabs(load - known[i].load) > 1e-9) fail_msg("%s: load %.12g of %.12g", known[i].pattern, load, known[i].load);
  }
}

/* The mean of links between routers of random traffic to the next group, on a dragonfly whose routers have h cables
 * each, one between every two groups, in the absolute arrangement: group x has its cable to group y at router
 * (y < x ? y : y - 1) / h. Source and destination are any of the a routers of their groups. */
static double valiant_hops(uint32_t a, uint32_t h, uint32_t shift) {
  const uint32_t groups = a * h + 1;
  double local = 0;
  for (uint32_t from = 0; from < groups; from++) {
    const uint32_t to = (from + shift) % groups;
    for (uint32_t over = 0; over < groups; over++) {
      if (over == from || over == to) continue;
      const uint32_t in = (from < over ? from : from - 1) / h, out = (to < over ? to : to - 1) / h;
      local += (in != out) + 2 * (a - 1.0) / a; /* between the cables; before the first and behind the last one */
    }
  }
  return 2 + local / ((double)groups * (groups - 2));
}

/* The next group gets 32 nodes' traffic over 31 groups, each cable twice: load 64/31, so that at most 31/64 gets
 * through. Local links carry no more. */
static void valiant_on_the_dragonfly_of_1056(void **state) {
  (void)state;
  const loads l = loads_on("dragonfly:a=8,p=4,h=4,arrangement=absolute", "dragonfly-valiant", "group-shift", 32);
  if (fabs(l.most - 64.0 / 31) > 1e-9) fail_msg("load %.12g of %.12g", l.most, 64.0 / 31);
  if (fabs(l.hops - valiant_hops(8, 4, 1)) > 1e-9) fail_msg("hops %.12g of %.12g", l.hops, valiant_hops(8, 4, 1));
}

/* Uniform traffic: with 9 groups of 8 end nodes 64 of 71 packets go via a group, and 6 of 71 over one local link. */
static void valiant_hops_are_known(void **state) {
  (void)state;
  double sum = 0;
  for (uint32_t shift = 1; shift <= 8; shift++) sum += valiant_hops(4, 2, shift) * 8;
  const loads l = loads_on("dragonfly:a=4,p=2,h=2,g=9,arrangement=absolute", "dragonfly-valiant", "uniform", 71);
  if (fabs(l.hops - (sum + 6) / 71) > 1e-9) fail_msg("hops %.12g of %.12g", l.hops, (sum + 6) / 71);
}

static void prove(const char *fabric, const char *method, uint32_t channels, uint32_t links) {
  trial *t = trial_open(fabric, method, "");
  if (!t->proved) fail_msg("%s: %s", fabric, t->err.text);
  assert_true(t->proof.tolerated && t->proof.deadlock_free && t->proof.livelock_free);
  assert_int_equal(t->plan->channels, channels);
  assert_int_equal(t->proof.max_hops, links + 2);
  trial_close(t);
}

/* Local, global, local; and with a change of mind local, local, global, local, global, local. */
static void no_deadlock_and_no_link_more(void **state) {
  (void)state;
  static const char *const fabrics[] = {"dragonfly:a=3,p=2,h=1,g=4,arrangement=absolute", WHOLE, FEW,
                                        "dragonfly:a=4,p=2,h=2,g=9,arrangement=relative"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
    prove(fabrics[i], "dragonfly-minimal", 2, 3);
    prove(fabrics[i], "dragonfly-par", 4, 6);
    prove(fabrics[i], "ugal-global", 3, 5);
    prove(fabrics[i], "dragonfly-valiant", 3, 5);
    prove(fabrics[i], "dragonfly-ugal", 3, 5);
  }
  prove("dragonfly:a=1,p=1,h=3", "dragonfly-minimal", 2, 1); /* routers that are groups: all joined */
  prove("dragonfly:a=1,p=1,h=3", "dragonfly-par", 4, 2);
}

static ripstop_run_result run(const char *method, const char *options) {
  scene *s = scene_open(WHOLE, method, "selection=weighted in_queue=8 warmup=1000 cycles=3000");
  scene_set(s, options);
  ripstop_run_result r = scene_run(s);
  assert_int_equal(r.account.lost, 0);
  scene_close(s);
  return r;
}

static double accepted(const char *method, const char *options) {
  ripstop_run_result r = run(method, options);
  double value = ripstop_run_result_value(&r, "accepted");
  ripstop_run_result_free(&r);
  return value;
}

/* Nothing gets more than (a h + t) / (2 a p) through against a shift by a group; minimal routes t / (a p). */
static void throughput_keeps_to_the_bounds(void **state) {
  (void)state;
  double minimal = accepted("dragonfly-minimal", "pattern=group-shift load=0.6"),
         par = accepted("dragonfly-par", "pattern=group-shift load=0.6"),
         uniform = accepted("dragonfly-par", "pattern=uniform load=0.4");
  if (minimal > 1.01 / 8 || minimal < 0.9 / 8) fail_msg("minimal %g of 1/8", minimal);
  if (par > 9.0 / 16 || par < 2.0 / 8) fail_msg("par %g of 9/16", par);
  if (fabs(uniform - 0.4) > 0.02) fail_msg("uniform %g of 0.4", uniform);
}

/* In an empty network every packet takes the minimal route. */
static void par_goes_straight_where_it_can(void **state) {
  (void)state;
  ripstop_run_result r = run("dragonfly-par", "pattern=uniform load=0.01");
  double hops = ripstop_run_result_value(&r, "hops.mean");
  if (fabs(hops - 166.0 / 71) > 0.1) fail_msg("%g", hops);
  ripstop_run_result_free(&r);
}

/* The first router's own queues do not show those of the cables. A method with reports from the cables detours where
 * the cable is crowded, and stays minimal under uniform traffic. A method without them detours for a local queue. */
static void the_word_on_cables_helps(void **state) {
  (void)state;
  ripstop_run_result local = run("ugal", "pattern=uniform load=0.4"),
                     word = run("ugal-global", "pattern=uniform load=0.4");
  double hops = ripstop_run_result_value(&word, "hops.mean"), more = ripstop_run_result_value(&local, "hops.mean");
  if (hops > 0.95 * more) fail_msg("%g links, by own queues alone %g", hops, more);
  ripstop_run_result_free(&local), ripstop_run_result_free(&word);
  double by_word = accepted("ugal-global", "pattern=group-shift load=0.6"),
         by_own = accepted("ugal", "pattern=group-shift load=0.6");
  if (by_word < 1.1 * by_own || by_word > 9.0 / 16) fail_msg("%g, by own queues alone %g", by_word, by_own);
  double late = accepted("ugal-global:delay=100000", "pattern=group-shift load=0.6"); /* no report arrives in time */
  /* Minimal paths carry 1/8. A quarter of the end nodes are at the router of the cable, which knows its load. */
  if (late > 1.02 / 8 + 0.6 / 4) fail_msg("%g without reports", late);
}

/* In an empty network UGAL takes the minimal path, against a shift nearly always the detour; and it decides once:
 * behind the first router a packet has candidates of one kind. */
static void ugal_decides_by_load(void **state) {
  (void)state;
  ripstop_run_result empty = run("dragonfly-ugal", "pattern=uniform load=0.01 selection=method"),
                     full = run("dragonfly-ugal", "pattern=group-shift load=0.4 selection=method");
  const double few = ripstop_run_result_value(&empty, "hops.mean"), more = ripstop_run_result_value(&full, "hops.mean");
  if (fabs(few - 166.0 / 71) > 0.1) fail_msg("%g links in an empty network", few);
  if (more < 3) fail_msg("%g links against a shift", more);
  ripstop_run_result_free(&empty), ripstop_run_result_free(&full);
  const double ugal = accepted("dragonfly-ugal", "pattern=group-shift load=0.6 selection=method");
  if (ugal < 2.0 / 8 || ugal > 9.0 / 16) fail_msg("ugal %g", ugal);
}

/* A failed router's own end nodes are cut off from every source and send nothing. */
static void a_failed_router_cuts_off(void **state) {
  (void)state;
  static const struct {
    const char *fabric, *method;
  } each[] = {{FEW, "dragonfly-minimal"}, {FEW, "dragonfly-par"},  {FEW, "ugal-global"},
              {FEW, "dragonfly-valiant"}, {FEW, "dragonfly-ugal"}, {"hyperx:3x3", "hyperx-dal"}};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    trial *t = trial_open(each[i].fabric, each[i].method, "switch:0.0");
    if (!t->proof.never_walk || !strstr(t->proof.never_walk, "cut off from its router"))
      fail_msg("%s: %s", each[i].method, t->proof.never_walk);
    trial_close(t);
  }
}

/* The only cable between two groups has failed: minimal routes lose its pairs, and packets with another random group do
 * not. */
static void a_failed_cable_is_known(void **state) {
  (void)state;
  trial *minimal = trial_open("dragonfly:a=2,p=1,h=1", "dragonfly-minimal", "0.0--2.1"),
        *few = trial_open(FEW, "dragonfly-minimal", "0.0--4.1"), *par = trial_open(FEW, "dragonfly-par", "0.0--4.1");
  assert_true(minimal->proof.deadlock_free && !minimal->proof.tolerated);
  assert_non_null(strstr(minimal->proof.never_walk, "no cable to the next group"));
  assert_true(few->proof.tolerated && few->proof.deadlock_free);
  assert_true(par->proof.tolerated && par->proof.deadlock_free);
  trial_close(minimal), trial_close(few), trial_close(par);
}

/* ------------------------------------------------------------------ failed links */

/* Calls `check` for each link between switches, with this link alone failed. */
static void each_link(const char *fabric, const char *method, void (*check)(const trial *t)) {
  trial *whole = trial_open(fabric, method, "");
  for (uint32_t link = whole->fabric->link_ends; link < whole->fabric->links; link++) {
    trial *t = trial_new(fabric, method);
    t->faults = (ripstop_faults){.link = &link, .links = 1};
    trial_prove(t);
    check(t);
    trial_close(t);
  }
  trial_close(whole);
}

static void is_served(const trial *t) {
  if (!t->proof.tolerated || !t->proof.deadlock_free || !t->proof.livelock_free)
    fail_msg("%s, %s: %s", t->fabric->spec, t->method, t->proof.lost_walk ? t->proof.lost_walk : "not free");
}

/* Methods that detour around faults deliver every pair, whichever single link has failed, and promise to. */
static void any_failed_link_is_detoured(void **state) {
  (void)state;
  static const char *const fabrics[] = {WHOLE,
                                        FEW,
                                        "dragonfly:a=3,p=1,h=1,g=4",
                                        "dragonfly:a=3,p=1,h=2,g=3",
                                        "dragonfly:a=3,p=1,h=1,g=2",
                                        "dragonfly:a=1,p=1,h=3",
                                        "dragonfly:a=4,p=1,h=1,g=1"};
  static const char *const methods[] = {"dragonfly-par", "ugal-global", "dragonfly-valiant", "dragonfly-ugal"};
  for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++)
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      ripstop_guarantees promise;
      trial *t = trial_open(fabrics[i], methods[m], "");
      t->plan->method->guarantees(t->fabric, t->plan->config, &promise);
      assert_int_equal(promise.tolerates, 1);
      trial_close(t);
      each_link(fabrics[i], methods[m], is_served);
    }
}

/* Two routers in a group have no second path; and nothing is promised. */
static void a_group_of_two_routers_has_no_detour(void **state) {
  (void)state;
  ripstop_guarantees promise;
  trial *local = trial_open("dragonfly:a=2,p=1,h=1", "dragonfly-par", "0.0--0.1"),
        *global = trial_open("dragonfly:a=2,p=1,h=1", "dragonfly-par", "0.0--2.1");
  local->plan->method->guarantees(local->fabric, local->plan->config, &promise);
  assert_int_equal(promise.tolerates, 0);
  assert_int_equal(local->proof.lost_pairs_some_choice, 2);
  assert_true(global->proof.tolerated);
  trial_close(local), trial_close(global);
}

/* Each pair of groups loses its cable in turn. No random choice loses a packet or leads to a place that does. */
static void no_draw_is_lost(void **state) {
  (void)state;
  static const char *const methods[] = {"dragonfly-par", "ugal-global", "dragonfly-valiant", "dragonfly-ugal"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    scene *s = scene_open(WHOLE, methods[m], "pattern=group-shift load=0.1 packet=4 warmup=1000 cycles=5000");
    scene_break(s, "0.3--1.0");
    ripstop_run_result r = scene_run(s);
    assert_int_equal(r.account.lost, 0);
    assert_true(r.account.delivered > 1000);
    ripstop_run_result_free(&r);
    scene_close(s);
  }
}

/* The groups that the packets of 64 pairs cross, by random choice. When the cable to one of seven groups has failed,
 * its 64 choices are spread over the six others. */
static void draws_are_spread(void **state) {
  (void)state;
  trial *whole = trial_open(WHOLE, "dragonfly-par", ""), *broken = trial_open(WHOLE, "dragonfly-par", "0.0--8.3");
  uint32_t seen[9] = {0}, left[9] = {0};
  assert_int_equal(whole->plan->random_headers, 7);
  for (uint32_t source = 0; source < 8; source++) /* sources in group 0 */
    for (uint32_t destination = 8; destination < 16; destination++)
      for (uint32_t draw = 0; draw < 7; draw++) {
        ripstop_head head = {.node = source, .source = source, .destination = destination, .header = draw};
        ripstop_candidate candidate;
        assert_int_equal(ripstop_route(whole->plan, &head, &candidate), 1);
        seen[candidate.header / 3]++;
        assert_int_equal(ripstop_route(broken->plan, &head, &candidate), 1);
        left[candidate.header / 3]++;
      }
  for (uint32_t g = 2; g < 9; g++) assert_int_equal(seen[g], 64);
  assert_int_equal(seen[0] + seen[1] + left[0] + left[1] + left[8], 0);
  for (uint32_t g = 2; g < 8; g++)
    if (left[g] < 64 + 2 || left[g] > 64 + 32) fail_msg("group %u: %u of 448 / 6 choices", g, left[g]);
  trial_close(whole), trial_close(broken);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(minimal_loads_are_known),
                                     cmocka_unit_test(valiant_by_groups_is_bound_by_h),
                                     cmocka_unit_test(valiant_on_the_dragonfly_of_1056),
                                     cmocka_unit_test(valiant_hops_are_known),
                                     cmocka_unit_test(no_deadlock_and_no_link_more),
                                     cmocka_unit_test(throughput_keeps_to_the_bounds),
                                     cmocka_unit_test(par_goes_straight_where_it_can),
                                     cmocka_unit_test(the_word_on_cables_helps),
                                     cmocka_unit_test(ugal_decides_by_load),
                                     cmocka_unit_test(a_failed_router_cuts_off),
                                     cmocka_unit_test(a_failed_cable_is_known),
                                     cmocka_unit_test(any_failed_link_is_detoured),
                                     cmocka_unit_test(a_group_of_two_routers_has_no_detour),
                                     cmocka_unit_test(no_draw_is_lost),
                                     cmocka_unit_test(draws_are_spread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
