/* test_simulate_thresholds.c - where the warm-up ends and from when on a run is saturated, to the packet: players send
 * so many letters that the rules of measure.c can be worked out by hand.
 *
 * On a torus of sixteen end nodes everyone sends letters of one flit to the next router of its row, which is two links'
 * time away: what is sent in the first cycles of a block of 250 is delivered in the block. */
#include "scene.h"

enum { ENDS = 16, BLOCK = 250, HALF = 4 };

typedef struct plan {
  uint32_t
      delivered[2];    /* letters that each end node sends at the start of a block: of the first four, of later ones */
  uint32_t filling[2]; /* end nodes that send one more in the last cycle of a block */
  uint32_t left_over;  /* letters that the first end node sends in the last cycle */
  uint64_t last;       /* cycle */
} plan;

static void send(ripstop_play *play, uint32_t source, uint32_t letters) {
  for (uint32_t i = 0; i < letters; i++)
    ripstop_play_send(play, &(ripstop_letter){.source = source, .destination = (source ^ 1), .flits = 1});
}

static void on_alarm(void *context, ripstop_play *play, uint64_t alarm) {
  const plan *p = context;
  uint64_t now = ripstop_play_now(play), late = now / BLOCK >= HALF;
  (void)alarm;
  for (uint32_t source = 0; source < ENDS && now % BLOCK == 1; source++) send(play, source, p->delivered[late]);
  for (uint32_t source = 0; source < p->filling[late] && now % BLOCK == BLOCK - 1; source++) send(play, source, 1);
  if (now == p->last) send(play, 0, p->left_over);
  ripstop_play_alarm(play, now + 1, 0);
}

static void on_start(void *context, ripstop_play *play) {
  (void)context;
  ripstop_play_alarm(play, 1, 0);
}

static ripstop_result run(const plan *p, const char *options) {
  scene *s = scene_open("torus:4x4", "dor", options);
  s->sim.players = 1;
  s->sim.player = &(ripstop_player){
      .classes = 1, .shortest = 1, .longest = 1, .start = on_start, .alarm = on_alarm, .context = (void *)p};
  ripstop_result result = scene_run(s);
  scene_close(s);
  return result;
}

static void check_warmup(plan p, double cycles) {
  ripstop_result result = run(&p, "warmup=auto cycles=1000");
  assert_int_equal(ripstop_result_value(&result, "warmup"), cycles);
  assert_int_equal(ripstop_result_value(&result, "warmup.settled"), 1);
  ripstop_result_free(&result);
}

/* Packets delivered in four blocks and in the four before may differ by 2 % of the later ones and twice their square
 * root: 4 * 16 * 104 = 6656 by 296, 6720 by 298, 7360 by 319. With each block that the earlier four move on, a quarter
 * of the difference goes. */
static void the_warm_up_ends_when_deliveries_agree(void **state) {
  (void)state;
  check_warmup((plan){.delivered = {100, 100}}, 2000);
  check_warmup((plan){.delivered = {100, 104}}, 2000); /* 256 more */
  check_warmup((plan){.delivered = {100, 105}}, 2250); /* 320, then 240 */
  check_warmup((plan){.delivered = {105, 100}}, 2250); /* 320, more than 6400 may, then 240 */
  check_warmup((plan){.delivered = {100, 115}}, 2750); /* 960, 720, 480, 240 */
}

/* Packets in the network at the ends of the blocks may differ by 5 % of the later ones and one for each block. */
static void the_warm_up_ends_when_the_filling_agrees(void **state) {
  (void)state;
  check_warmup((plan){.delivered = {100, 100}, .filling = {7, 8}}, 2000); /* 4 of 32 */
  check_warmup((plan){.delivered = {100, 100}, .filling = {6, 8}}, 2500); /* 8, 6, 4 */
  check_warmup((plan){.delivered = {100, 100}, .filling = {8, 6}}, 2500); /* 8, 6, 4 of 24 */
  check_warmup((plan){.delivered = {100, 100}, .filling = {5, 8}}, 2750); /* 12, 9, 6, 3 */
}

/* The first end node's letters of the last cycle wait, but for the one that it sends. So many more than at the start
 * may wait: one for each end node and 2 % of all letters, which are 4 * 16 * 100 and those. */
static void saturated_from_one_letter_on(void **state) {
  (void)state;
  for (uint32_t left_over = 140; left_over <= 160; left_over++) {
    plan p = {.delivered = {100, 100}, .left_over = left_over, .last = 4 * BLOCK - 1};
    ripstop_result result = run(&p, "cycles=1000");
    assert_int_equal(result.account.generated, 4 * ENDS * 100 + left_over);
    assert_int_equal(result.account.waiting, left_over - 1);
    bool more = 100 * (left_over - 1 - ENDS) > 2 * result.account.generated;
    assert_int_equal(more, left_over >= 148);
    assert_int_equal(result.verdict, more ? RIPSTOP_SATURATED : RIPSTOP_STEADY);
    ripstop_result_free(&result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_warm_up_ends_when_deliveries_agree),
                                     cmocka_unit_test(the_warm_up_ends_when_the_filling_agrees),
                                     cmocka_unit_test(saturated_from_one_letter_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
