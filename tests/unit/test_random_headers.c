/* test_random_headers.c - packets that make a random choice at their generation: the choice is fair, belongs to the
 * packet, and counts as one more branch in a proof. The method sends each packet round a ring of five in the direction
 * that it has chosen. */
#include <math.h>

#include "conformance/trial.h"
#include "ripstop/plugin/method.h"
#include "scene.h"

enum { RING = 5, PAIRS = RING * (RING - 1) };

/* Links between switches from one end node to another, upwards. */
static uint32_t up(uint32_t from, uint32_t to) { return (to + RING - from) % RING; }

static void a_proof_knows_both_candidates(void **state) {
  (void)state;
  trial *t = trial_open("torus:5", "test-coin", "");
  assert_int_equal(t->plan->random_headers, 2);
  assert_true(t->proved && t->proof.tolerated);
  assert_int_equal(t->proof.pairs, PAIRS);
  assert_int_equal(t->proof.max_hops, RING - 1 + 2);
  ripstop_prover_paths(t->prover, true);
  assert_int_equal(ripstop_prover_prove(t->prover, t->plan, &t->proof, &t->err), 0);
  assert_int_equal(t->proof.paths.pairs, PAIRS);
  assert_int_equal(t->proof.paths.shortest, 2 * PAIRS + PAIRS / 4 * (1 + 2 + 2 + 1)); /* in the shorter direction */
  assert_int_equal(t->proof.paths.longest, 2 * PAIRS + PAIRS / 4 * (4 + 3 + 3 + 4));
  trial_close(t);
}

/* With one failed link, one direction of each pair ends there and the other does not. */
static void a_draw_is_one_choice_more(void **state) {
  (void)state;
  trial *t = trial_open("torus:5", "test-coin", "0/0");
  assert_true(t->proved);
  assert_int_equal(t->proof.lost_pairs_some_choice, PAIRS);
  assert_int_equal(t->proof.lost_pairs_every_choice, 0);
  assert_null(t->proof.never_walk);
  assert_non_null(t->proof.lost_walk);
  assert_non_null(strstr(t->proof.lost_walk, "failed link"));
  for (uint32_t from = 0; from < RING; from++)
    for (uint32_t to = 0; to < RING; to++) {
      ripstop_delivery d;
      if (from == to) continue;
      assert_int_equal(ripstop_plan_deliver(t->plan, from, to, 100, &d, &t->err), 0);
      assert_true(d.some_choice && !d.every_choice && !d.livelock);
      bool failed_up = from < to ? from == 0 : to > 0; /* over 0/0 */
      assert_int_equal(d.max_hops, 2 + (failed_up ? RING - up(from, to) : up(from, to)));
    }
  trial_close(t);

  t = trial_open("torus:5", "test-coin", "0/0 2/0"); /* some pairs are cut, and they alone always lose */
  assert_true(t->proved);
  assert_int_equal(t->proof.lost_pairs_every_choice, t->proof.disconnected_pairs);
  assert_int_equal(t->proof.disconnected_pairs, 2 * 2 * 3);
  trial_close(t);
}

static void a_checker_asks_for_every_draw(void **state) {
  (void)state;
  trial *t = trial_open("torus:5", "test-coin", ""); /* its rings can fill, in either direction */
  assert_true(t->proved && !t->proof.deadlock_free);
  assert_int_equal(t->proof.queues, 2 * RING);
  ripstop_certificate *c = trial_certificate(t);
  trial_expect(c, RIPSTOP_CONFIRMED);
  ripstop_certificate_free(c);
  trial_close(t);
}

typedef struct counts {
  const ripstop_fabric *fabric;
  uint64_t ups, packets;
  uint8_t *went; /* [room]: by packet: 1 up, 2 down, 0 not delivered */
  size_t room;
} counts;

/* In an empty network a packet's time gives its direction: two hops up or three down in a ring of five. */
static void count(void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t generated_at,
                  uint64_t delivered) {
  counts *c = context;
  uint64_t took = delivered - generated_at; /* two cycles for the first link and a hop each, one for the last */
  bool went_up = took == 3u + 2u * up(source, destination);
  if (packet < c->room) c->went[packet] = went_up ? 1 : 2;
  c->ups += went_up;
  c->packets++;
}

static counts run(uint64_t seed, const char *options) {
  ripstop_run_result result;
  ripstop_error err;
  scene *s = scene_open("torus:5", "test-coin", "load=0.002 packet=1 pipeline=1 link=1 cycles=1000000");
  scene_set(s, options);
  counts c = {.room = 4096, .fabric = s->fabric};
  c.went = calloc(c.room, 1);
  s->sim.seed = seed;
  s->sim.on_delivery = count;
  s->sim.context = &c;
  if (scene_simulate(s, &result, &err)) fail_msg("%s", err.text);
  assert_true(result.account.lost == 0);
  ripstop_run_result_free(&result);
  scene_close(s);
  return c;
}

/* Both directions get equally many packets, to four standard deviations; all streams of random numbers depend on the
 * seed alone. */
static void draws_are_fair(void **state) {
  (void)state;
  counts c = run(7, "");
  assert_true(c.packets > 8000);
  double off = fabs((double)c.ups - (double)c.packets / 2);
  if (off > 2 * sqrt((double)c.packets)) fail_msg("%.0f of %.0f packets went up", (double)c.ups, (double)c.packets);
  free(c.went);
}

static void a_draw_is_the_packets_own(void **state) {
  (void)state;
  counts one = run(7, ""), same = run(7, "selection=rotate in_queue=8"), other = run(8, "");
  size_t differ = 0;
  assert_memory_equal(one.went, same.went, one.room);
  for (size_t i = 0; i < one.room; i++) differ += one.went[i] != other.went[i];
  assert_true(differ > one.room / 4);
  free(one.went);
  free(same.went);
  free(other.went);
}

/* A pair meets a fault if it does in some direction. With one failed link each pair does, so no pair is unaffected. */
static void pairs_of_every_draw_are_looked_at(void **state) {
  (void)state;
  scene *s = scene_open("torus:5", "test-coin", "load=0.05 packet=1 in_queue=8 affected=on cycles=5000");
  ripstop_run_result whole = scene_run(s);
  scene_break(s, "0/0");
  ripstop_run_result broken = scene_run(s);
  assert_true(ripstop_run_result_value(&whole, "unaffected.packets") > 0);
  assert_true(isnan(ripstop_run_result_value(&broken, "unaffected.packets")) ||
              ripstop_run_result_value(&broken, "unaffected.packets") == 0);
  assert_true(ripstop_run_result_value(&broken, "affected.packets") > 0);
  ripstop_run_result_free(&whole);
  ripstop_run_result_free(&broken);
  scene_close(s);
}

/* A method that lets packets draw from nothing has made a mistake. */
static ripstop_answer no_draws(ripstop_plan *plan, ripstop_error *err) {
  (void)err;
  plan->random_headers = 0;
  return RIPSTOP_APPLIES;
}

static void nothing_to_draw_from(void **state) {
  (void)state;
  ripstop_error err;
  stand s = {0};
  ripstop_fabric *f = ripstop_fabric_open("torus:5", &err);
  s = stand_on(f, "test-coin", NULL);
  ripstop_method broken = *s.plan->method;
  broken.plan = no_draws;
  s.plan->method = &broken;
  assert_int_equal(ripstop_plan_recompile(s.plan, &err), RIPSTOP_ERROR);
  assert_string_equal(err.text, "method test-coin: the number of random headers must be positive");
  stand_close(&s);
  ripstop_fabric_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_proof_knows_both_candidates),    cmocka_unit_test(a_draw_is_one_choice_more),
      cmocka_unit_test(a_checker_asks_for_every_draw),    cmocka_unit_test(draws_are_fair),
      cmocka_unit_test(a_draw_is_the_packets_own),        cmocka_unit_test(nothing_to_draw_from),
      cmocka_unit_test(pairs_of_every_draw_are_looked_at)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
