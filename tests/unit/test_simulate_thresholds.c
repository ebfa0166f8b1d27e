/* test_simulate_thresholds.c - the end of the warm-up and the beginning of saturation, to the packet: endpoint agents
 * send so many packets that the rules of warmup.c and values.c can be computed by hand. On a torus of sixteen end nodes
 * every end node sends packets of one flit to the next router of its row, which is two links' time away: packets sent
 * in the first cycles of a block of 50 are delivered in the block. */
#include "scene.h"
#include "simulate/warmup.h"

enum { ENDS = 16, BLOCK = WARMUP_BLOCK, LATE = 24 }; /* LATE: the block from which on the last quarter of 32 counts */

typedef struct plan {
  uint32_t
      delivered[2];    /* packets that each end node sends at the start of a block: of the first LATE, of later ones */
  uint32_t filling[2]; /* end nodes that send one more in the last cycle of a block */
  uint32_t left_over;  /* packets that the first end node sends in the last cycle */
  uint64_t last;       /* cycle */
  bool grows;          /* delivered[0] is sent more often all the time */
} plan;

static void send(ripstop_agent_context *play, uint32_t source, uint32_t letters) {
  for (uint32_t i = 0; i < letters; i++)
    ripstop_agent_send(play, &(ripstop_agent_packet){.source = source, .destination = (source ^ 1), .flits = 1});
}

static void on_alarm(void *context, ripstop_agent_context *play, uint64_t alarm) {
  const plan *p = context;
  uint64_t now = ripstop_agent_now(play), late = now / BLOCK >= LATE;
  (void)alarm;
  uint32_t letters = p->delivered[late] + (p->grows ? (uint32_t)(now / 2500) : 0);
  for (uint32_t source = 0; source < ENDS && now % BLOCK == 1; source++) send(play, source, letters);
  for (uint32_t source = 0; source < p->filling[late] && now % BLOCK == BLOCK - 1; source++) send(play, source, 1);
  if (now == p->last) send(play, 0, p->left_over);
  ripstop_agent_alarm(play, now + 1, 0);
}

static void on_start(void *context, ripstop_agent_context *play) {
  (void)context;
  ripstop_agent_alarm(play, 1, 0);
}

static ripstop_run_result run(const plan *p, const char *options) {
  scene *s = scene_open("torus:4x4", "dor", options);
  s->sim.agents = 1;
  s->sim.agent = &(ripstop_agent){
      .classes = 1, .shortest = 1, .longest = 1, .start = on_start, .alarm = on_alarm, .context = (void *)p};
  ripstop_run_result result = scene_run(s);
  scene_close(s);
  return result;
}

static void check_warmup(plan p, double cycles) {
  ripstop_run_result result = run(&p, "warmup=auto cycles=1000");
  assert_int_equal(ripstop_run_result_value(&result, "warmup"), cycles);
  assert_int_equal(ripstop_run_result_value(&result, "warmup.settled"), 1);
  ripstop_run_result_free(&result);
}

/* A step of 2.5 % from one quarter of 1,600 cycles to the next is seen; in the second half of 3,200 it is over. */
static void the_warm_up_ends_when_deliveries_agree(void **state) {
  (void)state;
  check_warmup((plan){.delivered = {20, 20}}, 1600);
  check_warmup((plan){.delivered = {40, 41}}, 3200);
  check_warmup((plan){.delivered = {41, 40}}, 3200);
}

/* Packets in the network at the ends of the blocks. */
static void the_warm_up_ends_when_the_filling_agrees(void **state) {
  (void)state;
  check_warmup((plan){.delivered = {20, 20}, .filling = {8, 8}}, 1600);
  check_warmup((plan){.delivered = {20, 20}, .filling = {7, 8}}, 3200);
  check_warmup((plan){.delivered = {20, 20}, .filling = {8, 7}}, 3200);
}

/* More and more packets: the longest warm-up ends without having settled, and the run says so. */
static void what_never_settles_is_measured_in_the_end(void **state) {
  (void)state;
  ripstop_run_result result = run(&(plan){.delivered = {1, 1}, .grows = true}, "warmup=auto cycles=10000");
  assert_int_equal(ripstop_run_result_value(&result, "warmup"), WARMUP_LONGEST);
  assert_int_equal(ripstop_run_result_value(&result, "warmup.settled"), 0);
  ripstop_run_result_free(&result);
}

/* The first end node's packets of the last cycle wait, but for the one that it sends. So many more than at the start
 * may wait: one for each end node and 2 % of all packets, which are 20 * 16 * 20 and those. */
static void saturated_from_one_agent_packet_on(void **state) {
  (void)state;
  for (uint32_t left_over = 140; left_over <= 160; left_over++) {
    plan p = {.delivered = {20, 20}, .left_over = left_over, .last = 20 * BLOCK - 1};
    ripstop_run_result result = run(&p, "cycles=1000");
    assert_int_equal(result.account.generated, 20 * ENDS * 20 + left_over);
    assert_int_equal(result.account.waiting, left_over - 1);
    bool more = 100 * (left_over - 1 - ENDS) > 2 * result.account.generated;
    assert_int_equal(more, left_over >= 148);
    assert_int_equal(result.verdict, more ? RIPSTOP_SATURATED : RIPSTOP_STEADY);
    ripstop_run_result_free(&result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_warm_up_ends_when_deliveries_agree),
                                     cmocka_unit_test(the_warm_up_ends_when_the_filling_agrees),
                                     cmocka_unit_test(what_never_settles_is_measured_in_the_end),
                                     cmocka_unit_test(saturated_from_one_agent_packet_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
