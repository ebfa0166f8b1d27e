/* test_bounds.c - what links and credits let through, to the flit, where arithmetic says it:
 *
 *   neighbours    every link carries one flow, so all of it gets through
 *   bubbles       with two places a queue a packet enters a ring when the one before has left and that is known: L
 * flits in L + D + R + K cycles one for all   the link into a hot end node is full, and what that end node sends meets
 * no other packet crossbar      where each queue has a side of its own, packets of two channels of a port leave at
 * once: a full 16x16 torus carries a tenth more */
#include "ripstop/plugin/method.h"
#include "scene.h"

/* Flits delivered in all measured cycles. Packets are counted whole; where every flow is periodic their number in a
 * multiple of its period is always the same. */
static uint64_t flits(const char *fabric, const char *method, const char *options, uint64_t cycles) {
  scene *s = scene_open(fabric, method, "process=periodic load=1 warmup=2000");
  s->sim.measure.cycles = (int64_t)cycles;
  scene_set(s, options);
  ripstop_run_result r = scene_run(s);
  double all = ripstop_run_result_value(&r, "accepted") * (double)cycles * s->fabric->ends;
  uint64_t whole = (uint64_t)(all + 0.5);
  assert_true(all - (double)whole < 1e-6 && (double)whole - all < 1e-6);
  ripstop_run_result_free(&r);
  scene_close(s);
  return whole;
}

static void neighbours_fill_every_link(void **state) {
  (void)state;
  static const char *const methods[] = {"dor:dateline=on", "dor:bubble=on", "minimal-adaptive",
                                        "minimal-adaptive:escape=bubble"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    assert_int_equal(flits("torus:6", methods[i], "pattern=neighbour packet=16 in_queue=4", 1600), 1600 * 6);
    assert_int_equal(flits("torus:7", methods[i], "pattern=neighbour packet=5 in_queue=8", 1500), 1500 * 7);
  }
  assert_int_equal(flits("torus:5x5", "dor:bubble=on", "pattern=neighbour packet=16 in_queue=4", 1600), 1600 * 25);
}

static void two_places_are_a_loop(void **state) {
  (void)state;
  static const struct {
    const char *options;
    uint64_t packet, loop; /* flits; and cycles from one to the next: L + D + R + K */
  } cases[] = {{"packet=16 link=1 pipeline=1 credit=1", 16, 19},
               {"packet=16 link=1 pipeline=0 credit=1", 16, 18},
               {"packet=4 link=3 pipeline=2 credit=5", 4, 14},
               {"packet=1 link=1 pipeline=0 credit=1", 1, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char options[128];
    snprintf(options, sizeof options, "pattern=neighbour in_queue=2 %s", cases[i].options);
    uint64_t cycles = 100 * cases[i].loop;
    assert_int_equal(flits("torus:6", "dor:bubble=on", options, cycles), 100 * cases[i].packet * 6);
  }
}

static void one_link_is_full(void **state) {
  (void)state;
  static const char *const places[] = {"in_queue=2", "in_queue=4", "in_queue=16"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char options[128];
    snprintf(options, sizeof options, "pattern=hotspot:end=0,share=1 load=0.5 packet=16 warmup=20000 %s", places[i]);
    /* its own packets take different routes: the last may be in or out */
    assert_in_range(flits("kary-ntree:k=4,n=3", "updown", options, 32000), 48000 - 16, 48000 + 16);
    assert_in_range(flits("kary-ntree:k=2,n=3", "updown", options, 32000), 48000 - 16, 48000 + 16);
  }
}

static void queues_of_a_port_leave_at_once(void **state) {
  (void)state;
  const char *method = "minimal-adaptive:escape=bubble", *options = "process=bernoulli in_queue=3 pipeline=0";
  char own[128];
  snprintf(own, sizeof own, "%s crossbar=queues", options);
  uint64_t ports = flits("torus:16x16", method, options, 3000), queues = flits("torus:16x16", method, own, 3000);
  assert_true(queues > ports + ports / 20);
  assert_int_equal(
      flits("torus:4x4", "dor:bubble=on", "crossbar=queues", 1000),
      flits("torus:4x4", "dor:bubble=on", "crossbar=ports", 1000)); /* one channel: nothing to tell apart */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_fill_every_link),
      cmocka_unit_test(two_places_are_a_loop),
      cmocka_unit_test(one_link_is_full),
      cmocka_unit_test(queues_of_a_port_leave_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
