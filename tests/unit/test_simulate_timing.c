/* test_simulate_timing.c - a packet that meets no other takes exactly as long as docs/model.md says, on every family:
 * over H links, with D cycles a link, R a switch and L flits,
 *   H D + (H - 1) R + L - 1, and in each of the H - 1 switches one cycle more with output queues, and L - 1 more if it
 *   stores packets before it forwards them;
 * no packet is ever faster. */
#include "scene.h"

static const struct {
  const char *fabric, *method;
} places[] = {{"kary-ntree:k=2,n=3", "updown"},
              {"kary-ntree:k=4,n=3", "misroute"},
              {"kary-ntree:k=3,n=1", "misroute:uturn=cyclic"},
              {"mport-ntree:m=4,n=3", "updown"},
              {"mport-ntree:m=8,n=2", "misroute"},
              {"torus:4x4", "dor"},
              {"torus:3x2x5", "dor:dateline=on"},
              {"torus:7", "minimal-adaptive"},
              {"torus:5x4", "test-shortest"},
              {"kns:k=3,n=2", "test-shortest"},
              {"kns:k=2,n=3,c=2", "test-shortest"},
              {"graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges", "test-shortest"}};

static const struct {
  const char *options;
  uint64_t link, pipeline, flits;
  bool output_queues, stores;
} switches[] = {
    {"link=1 pipeline=0 packet=1", 1, 0, 1, false, false},
    {"link=1 pipeline=1 packet=16", 1, 1, 16, false, false},
    {"link=7 pipeline=3 packet=5 credit=9 in_queue=6", 7, 3, 5, false, false},
    {"link=2 pipeline=0 packet=3 unit=flits in_queue=30 selection=random", 2, 0, 3, false, false},
    {"link=3 pipeline=2 packet=4 out_queue=3 arbiter=weighted:shares=1", 3, 2, 4, true, false},
    {"link=1 pipeline=4 packet=8 out_queue=2 flow=xonxoff in_queue=8 selection=rotate", 1, 4, 8, true, false},
    {"link=1 pipeline=1 packet=16 forward=store", 1, 1, 16, false, true},
    {"link=3 pipeline=0 packet=1 forward=store", 3, 0, 1, false, true},
    {"link=2 pipeline=3 packet=7 forward=store out_queue=2 flow=xonxoff in_queue=8", 2, 3, 7, true, true},
    {"link=2 pipeline=1 packet=5 forward=store queues=output", 2, 1, 5, false, true},
    {"link=4 pipeline=2 packet=6 forward=store queues=voq speedup=2", 4, 2, 6, true, true},
};

/* True if another packet is between generation and its last trace (its credits, its tail). */
static bool is_alone(const scene *s, size_t index) {
  enum { SIGNS = 50 };
  const delivery *me = &s->delivered[index];
  for (size_t i = 0; i < s->deliveries; i++) {
    const delivery *other = &s->delivered[i];
    if (i != index && other->generated_at <= me->at + SIGNS && me->generated_at <= other->at + SIGNS) return false;
  }
  return true;
}

static void lone_packets_take_their_time(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof places / sizeof *places; p++)
    for (size_t w = 0; w < sizeof switches / sizeof *switches; w++) {
      bool one_channel = !strchr(places[p].method, '=') && strcmp(places[p].method, "minimal-adaptive") != 0;
      if (strstr(switches[w].options, "weighted") && !one_channel) continue;
      scene *s = scene_open(places[p].fabric, places[p].method, "process=poisson load=0 cycles=60000");
      scene_set(s, switches[w].options);
      s->sim.traffic.load = (double)switches[w].flits / 300 / s->fabric->ends; /* a packet in 300 cycles altogether */
      ripstop_run_result result = scene_run(s);
      uint32_t alone = 0;
      for (size_t i = 0; i < s->deliveries; i++) {
        const delivery *d = &s->delivered[i];
        uint64_t links = scene_distance(s, d->source, d->destination);
        uint64_t least = links * switches[w].link + (links - 1) * switches[w].pipeline + switches[w].flits - 1 +
                         (switches[w].output_queues ? links - 1 : 0) +
                         (switches[w].stores ? (links - 1) * (switches[w].flits - 1) : 0);
        assert_true(d->at - d->generated_at >= least);
        if (!is_alone(s, i)) continue;
        alone++;
        if (d->at - d->generated_at != least)
          fail_msg("%s, %s, %s: %llu cycles for %u links, %llu expected", places[p].fabric, places[p].method,
                   switches[w].options, (unsigned long long)(d->at - d->generated_at), (unsigned)links,
                   (unsigned long long)least);
      }
      assert_true(alone > 40);
      ripstop_run_result_free(&result);
      scene_close(s);
    }
}

/* One flow of back-to-back packets: the first link is always busy, the others follow. */
static void a_full_link_carries_a_flit_a_cycle(void **state) {
  (void)state;
  const char *const options[] = {"packet=1 in_queue=16 credit=3 link=3",
                                 "packet=16",
                                 "packet=16 out_queue=2",
                                 "packet=5 unit=flits in_queue=25",
                                 "packet=4 flow=xonxoff in_queue=12",
                                 "packet=4 forward=store in_queue=8",
                                 "packet=5 forward=store queues=voq speedup=2"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    scene *s = scene_open("kary-ntree:k=2,n=1", "updown", "process=periodic load=1 warmup=200 cycles=2000");
    scene_set(s, options[i]);
    ripstop_run_result result = scene_run(s);
    double flits = 2000.0 * 2;
    assert_true(ripstop_run_result_value(&result, "accepted") * flits >= flits - 32);
    assert_true(ripstop_run_result_value(&result, "accepted") * flits <= flits + 32);
    ripstop_run_result_free(&result);
    scene_close(s);
  }
}

/* Too few credits for the round trip: one packet in D + R + L + K cycles for each place. */
static void few_credits_limit_a_link(void **state) {
  (void)state;
  scene *s = scene_open("torus:4", "dor", "load=1 packet=2 pattern=neighbour in_queue=1 link=10 pipeline=3 credit=7");
  scene_set(s, "warmup=500 cycles=22000");
  ripstop_run_result result = scene_run(s);
  /* granted at t; decided there at t+13, gone from the queue at t+15, known here at t+22 */
  assert_true(ripstop_run_result_value(&result, "accepted") == 2.0 / 22);
  ripstop_run_result_free(&result);
  scene_close(s);
}

/* The same, if the switch decides when the tail has come: L - 1 cycles more. */
static void stored_packets_need_more_credits(void **state) {
  (void)state;
  scene *s = scene_open("torus:4", "dor", "load=1 packet=6 pattern=neighbour in_queue=1 link=10 pipeline=3 credit=7");
  scene_set(s, "forward=store warmup=540 cycles=31000");
  ripstop_run_result result = scene_run(s);
  /* granted at t; decided there at t+18, gone from the queue at t+24, known here at t+31 */
  assert_true(ripstop_run_result_value(&result, "accepted") == 6.0 / 31);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lone_packets_take_their_time), cmocka_unit_test(a_full_link_carries_a_flit_a_cycle),
      cmocka_unit_test(few_credits_limit_a_link), cmocka_unit_test(stored_packets_need_more_credits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
