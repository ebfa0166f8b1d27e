/* test_prove_sample.c - proofs of a sample of destinations against the full ones: a method that is broken for some
 * destinations is found as often as the odds say, the bound is below the truth as seldom as it promises, what is found
 * of deadlock is part of the whole truth, and threads change nothing. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "prove/proof.h"
#include "ripstop/kit/proofs.h"
#include "route/plan_steps.h"

typedef struct trial {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
  ripstop_proof whole;
  ripstop_deadlocked_packet *waiting; /* the packets of the whole deadlock */
} trial;

static void prove(const trial *t, ripstop_proof *out) {
  ripstop_error err;
  if (ripstop_prover_prove(t->prover, t->plan, out, &err)) fail_msg("%s", err.text);
}

static trial open_trial(const char *fabric, const char *method, const char *dead) {
  ripstop_error err;
  ripstop_faults faults;
  trial t = {.arena = ripstop_arena_new(), .fabric = ripstop_fabric_open(fabric, &err)};
  if (!t.fabric) fail_msg("%s", err.text);
  ripstop_names *names = ripstop_names_new(t.fabric);
  if (ripstop_faults_parse(t.arena, names, dead, strlen(dead), &faults, &err)) fail_msg("%s", err.text);
  ripstop_names_free(names);
  t.view = ripstop_view_new(t.fabric, &faults);
  t.plan = ripstop_plan_compile(t.view, method, NULL, &err);
  if (!t.plan || ripstop_plan_tables(t.plan, &err)) fail_msg("%s", err.text);
  t.prover = ripstop_prover_new(t.fabric);
  prove(&t, &t.whole);
  assert_int_equal(t.whole.destinations, t.fabric->ends);
  size_t bytes = t.whole.queues * sizeof *t.waiting;
  t.waiting = RIPSTOP_ARRAY(t.arena, t.whole.queues, ripstop_deadlocked_packet);
  if (bytes) memcpy(t.waiting, t.whole.queue, bytes);
  return t;
}

static void close_trial(trial *t) {
  ripstop_prover_free(t->prover);
  ripstop_plan_free(t->plan);
  ripstop_view_free(t->view);
  ripstop_fabric_free(t->fabric);
  ripstop_arena_free(t->arena);
}

static bool waits_in_whole(const trial *t, const ripstop_deadlocked_packet *q) {
  for (uint32_t i = 0; i < t->whole.queues; i++)
    if (t->waiting[i].port == q->port && t->waiting[i].channel == q->channel) return true;
  return false;
}

/* The answers that one sample may give, given the whole truth. */
static void check_sample(const trial *t, uint32_t count, const ripstop_proof *p) {
  assert_int_equal(p->destinations, count);
  assert_int_equal(p->pairs, (uint64_t)count * (t->fabric->ends - 1));
  assert_true(p->lost_destinations <= t->whole.lost_destinations);
  assert_true(p->lost_destinations + (t->fabric->ends - count) >= t->whole.lost_destinations);
  assert_true(p->lost_pairs_some_choice <= t->whole.lost_pairs_some_choice);
  assert_int_equal(p->tolerated, p->lost_destinations == 0);
  if (t->whole.livelock_free) assert_true(p->livelock_free);
  if (t->whole.deadlock_free) assert_true(p->deadlock_free);
  for (uint32_t i = 0; i < p->queues && !p->deadlock_free; i++) assert_true(waits_in_whole(t, &p->queue[i]));
}

/* The odds that `count` of `ends` meet none of the `lost`. */
static double odds_of_none(uint32_t ends, uint32_t lost, uint32_t count) {
  double odds = 1;
  for (uint32_t i = 0; i < count; i++) odds *= lost + i < ends ? (double)(ends - lost - i) / (double)(ends - i) : 0;
  return odds;
}

static void assert_often(const char *what, uint32_t seen, double odds, uint32_t trials) {
  double deviation = sqrt(trials * odds * (1 - odds));
  if (fabs(seen - trials * odds) > 5 * deviation + 1e-9)
    fail_msg("%s: %u times in %u, not %g +- %g", what, seen, trials, trials * odds, deviation);
}

enum { SEEDS = 1000 };
#define CONFIDENCE 0.9

/* Returns how many of the samples met a deadlock. */
static uint32_t try_seeds(const trial *t, uint32_t count) {
  uint32_t found = 0, below = 0, deadlocks = 0;
  double share = (double)t->whole.lost_destinations / t->fabric->ends;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    ripstop_proof p;
    assert_int_equal(ripstop_prover_destinations(t->prover, count, seed), 0);
    prove(t, &p);
    check_sample(t, count, &p);
    found += !p.tolerated;
    deadlocks += !p.deadlock_free;
    below += ripstop_lost_share_at_most(&p, t->fabric, CONFIDENCE) < share;
  }
  assert_often("found", found, 1 - odds_of_none(t->fabric->ends, t->whole.lost_destinations, count), SEEDS);
  assert_true(below <= SEEDS * (1 - CONFIDENCE) + 5 * sqrt(SEEDS * CONFIDENCE * (1 - CONFIDENCE)));
  return deadlocks;
}

static void broken_for_some(void **state) {
  (void)state;
  trial t = open_trial("torus:5x4", "dor:dateline=on", "0.1/0");
  assert_in_range(t.whole.lost_destinations, 2, 12); /* or the test says little */
  for (uint32_t count = 1; count <= 9; count += 4) assert_int_equal(try_seeds(&t, count), 0);
  close_trial(&t);
}

static void broken_for_one(void **state) {
  (void)state;
  trial t = open_trial("kary-ntree:k=3,n=2", "updown", "end:0.0"); /* the link of one end node */
  assert_int_equal(t.whole.lost_destinations, 9);                  /* which cannot send either */
  assert_int_equal(try_seeds(&t, 4), 0);
  close_trial(&t);
}

static void whole(void **state) {
  (void)state;
  trial t = open_trial("kary-ntree:k=3,n=2", "misroute", "0/0/3");
  assert_int_equal(t.whole.lost_destinations, 0);
  assert_int_equal(try_seeds(&t, 3), 0);
  assert_true(ripstop_lost_share_at_most(&t.whole, t.fabric, 0.99) == 0);
  ripstop_proof none = {.destinations = 3}; /* 10 of the 84 sets of three have none of 4 lost, and 4 none of 5 */
  assert_true(fabs(ripstop_lost_share_at_most(&none, t.fabric, 0.9) - 4 / 9.0) < 1e-9);
  close_trial(&t);
}

static void deadlocks_are_real(void **state) {
  (void)state;
  trial plain = open_trial("torus:5x4", "dor", ""), rings = open_trial("torus:4x4", "dor:bubble=on", "");
  assert_false(plain.whole.deadlock_free);
  assert_in_range(try_seeds(&plain, 8), 1, SEEDS); /* some are met */
  assert_true(rings.whole.deadlock_free);
  assert_int_equal(try_seeds(&rings, 3), 0);
  close_trial(&plain);
  close_trial(&rings);
}

static void threads_change_nothing(void **state) {
  (void)state;
  trial t = open_trial("torus:5x4", "dor", "0.1/0 2.2/1");
  ripstop_proof one, three;
  assert_int_equal(ripstop_prover_destinations(t.prover, 7, 3), 0);
  prove(&t, &one);
  assert_int_equal(ripstop_prover_threads(t.prover, 3), 0);
  prove(&t, &three);
  assert_int_equal(one.states, three.states);
  assert_int_equal(one.lost_pairs_some_choice, three.lost_pairs_some_choice);
  assert_int_equal(one.lost_destinations, three.lost_destinations);
  assert_int_equal(one.queues, three.queues);
  assert_int_equal(ripstop_prover_destinations(t.prover, 0, 3), 0); /* all again */
  prove(&t, &three);
  assert_int_equal(three.states, t.whole.states);
  assert_int_equal(three.destinations, t.fabric->ends);
  close_trial(&t);
}

/* Fewer draws lose fewer pairs by some of them, and more by all of them. */
static void draws_are_part_of_all(void **state) {
  (void)state;
  trial t = open_trial("torus:4x4", "test-fraction", "");
  assert_true(t.whole.lost_pairs_some_choice > 0 && t.whole.random_headers == t.plan->random_headers);
  uint64_t most = 0, least = UINT64_MAX;
  for (uint64_t seed = 0; seed < 20; seed++) {
    ripstop_proof some;
    ripstop_prover_sample_headers(t.prover, 3, seed);
    prove(&t, &some);
    assert_int_equal(some.random_headers, 3);
    assert_true(some.states < t.whole.states);
    assert_true(some.lost_pairs_some_choice <= t.whole.lost_pairs_some_choice);
    assert_true(some.lost_pairs_every_choice >= t.whole.lost_pairs_every_choice);
    if (some.lost_pairs_some_choice > most) most = some.lost_pairs_some_choice;
    if (some.lost_pairs_some_choice < least) least = some.lost_pairs_some_choice;
  }
  assert_true(least < most); /* they are drawn */
  ripstop_proof all;
  ripstop_prover_sample_headers(t.prover, t.plan->random_headers, 1);
  prove(&t, &all);
  assert_int_equal(all.states, t.whole.states);
  assert_int_equal(all.lost_pairs_some_choice, t.whole.lost_pairs_some_choice);
  close_trial(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(broken_for_some),
                                     cmocka_unit_test(broken_for_one),
                                     cmocka_unit_test(whole),
                                     cmocka_unit_test(deadlocks_are_real),
                                     cmocka_unit_test(draws_are_part_of_all),
                                     cmocka_unit_test(threads_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
